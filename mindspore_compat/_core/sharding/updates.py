"""Updates of divided parameters, for optimizers: each rank updates its blocks, and stores the
states for these blocks.

Formulas that work element by element run on the blocks as on any array. Other formulas run on
divided arrays, whose functions combine the results of the blocks.
"""

import contextlib
import functools

from ... import log
from ..._backend.arrays import current_space
from ..._backend.updates.complete import assigned
from ..context.config import config
from .array import Sharded
from .moving import split_flat
from .network import running
from .staged import Staged
from .stages import Stages


def share(parameters):
    """Divides parameters further, over the ranks that hold the same values, if the settings enable
    the parallel optimizer. Gradients and optimizer states are then divided as well."""
    space, settings = running.space, config.parallel
    if space is None or not settings.enable_parallel_optimizer:
        return
    for parameter in parameters:
        array = parameter._array
        if (
            not parameter.parallel_optimizer
            or type(array) is Staged
            or type(array) is Sharded
            and array.parked
        ):
            continue
        axes = _axes_to_share(space.mesh, array, settings)
        if axes:
            dims = getattr(array, "dims", ((),) * array.ndim)
            dims = ((*dims[0], *axes), *dims[1:])
            divided = space.place(array, dims)
            parameter._array = space.wrap(space.base.array(divided.block), dims, (), axes)
            if settings.optimizer_level == "level3":
                parameter._array.kept = False


def _axes_to_share(mesh, array, settings):
    """Returns the mesh axes that divide the first axis of a parameter further. These are the last
    mesh axes along which ranks hold copies, if they divide its length."""
    dims = getattr(array, "dims", ((),) * array.ndim)
    block = getattr(array, "block", array)
    if not array.ndim or block.nbytes < settings.parallel_optimizer_threshold * 1024:
        return ()
    used = {axis for axes in dims for axis in axes}
    free = [axis for axis in mesh.axes if axis not in used]
    shared_axes = []
    most = _most_that_share(mesh.count(free), settings.optimizer_weight_shard_size)
    for axis in reversed(free):
        count = mesh.count([*shared_axes, axis])
        if block.shape[0] % count == 0 and most % count == 0:
            shared_axes.insert(0, axis)
    return tuple(shared_axes)


@functools.cache  # so that the log has each warning once
def _most_that_share(copies, size):
    """Returns the largest number of ranks that can divide a parameter among them if `copies` ranks
    hold a copy: `size`, or `copies` if `size` is -1 or does not divide it."""
    if size == -1 or copies == 1:
        return copies
    if copies % size == 0:
        return size
    log.warning(
        "A weight that %s processes hold cannot be divided in groups of %s (the 'shard_size' of "
        "'hsdp', 'optimizer_weight_shard_size' of the context), so all %s share it.",
        copies,
        size,
        copies,
    )
    return copies


def staged_like(kinds, parameters):
    """Puts the states of an optimizer on the pipeline stages of their parameters: drops the values
    of states that belong to other stages.

    Args:
        kinds (Iterable[Sequence[Tensor]]): for each kind of state one Tensor for each parameter.
        parameters (Sequence[Parameter]): the parameters.
    """
    for states in kinds:
        for state, parameter in zip(states, parameters, strict=True):
            where = parameter.__dict__.get("_stages")
            if where is not None:
                state.__dict__["_stages"] = where
            if type(parameter._array) is Staged and type(state._array) is not Staged:
                state._array = parameter._array.like(state._array)


class Owners:
    """Which rank updates which parameter, where all ranks hold all parameters and only the states
    of the optimizer are divided (the mode "data_parallel").

    Args:
        group: the ranks.
        parameters (Sequence[Parameter]): the parameters; those without `parallel_optimizer` are
            updated by every rank.

    Attributes:
        ranks (tuple): for each parameter the rank that updates it, None for all.
    """

    def __init__(self, group, parameters):
        self.stages, loads = Stages(group, group.size), [0] * group.size
        ranks = [None] * len(parameters)
        for index in sorted(range(len(parameters)), key=lambda index: -parameters[index].size):
            if parameters[index].parallel_optimizer:
                ranks[index] = loads.index(min(loads))
                loads[ranks[index]] += parameters[index].size
        self.ranks = tuple(ranks)

    def own(self, rank):
        """Returns whether this process is a rank, or `rank` is None."""
        return rank is None or rank == self.stages.own

    def keep(self, kinds):
        """Keeps the optimizer states that this rank owns, and drops the values of all others.

        Args:
            kinds: sequences of states, one sequence for each kind ("moment1", ...).
        """
        for states in kinds:
            for state, rank in zip(states, self.ranks, strict=True):
                state.__dict__["_stages"] = None if rank is None else (self.stages, rank)
                array = state._array
                if not self.own(rank) and type(array) is not Staged:
                    state._array = Staged(self.stages, rank, None, array.shape, array.dtype, True)

    def spread(self, parameters):
        """Broadcasts each parameter from the rank that updated it to all ranks. Each rank sends one
        message for each dtype."""
        messages = {}
        for parameter, rank in zip(parameters, self.ranks, strict=True):
            if rank is not None:
                messages.setdefault((rank, parameter._array.dtype), []).append(parameter._array)
        xp, sends = current_space(), []
        for rank, dtype in sorted(messages, key=str):
            arrays = messages[rank, dtype]
            flat = xp.concatenate([xp.reshape(array, (-1,)) for array in arrays])
            sends.append((rank, arrays, self.stages.world.broadcast(flat, rank)))
        for rank, arrays, pending in sends:
            flat = pending.wait()
            if not self.own(rank):
                for array, part in zip(arrays, split_flat(xp, flat, arrays), strict=True):
                    array[...] = part


def divided_like(states, parameters):
    """Gives each state of an optimizer the placement of its parameter, if both have the same
    shape."""
    for state, parameter in zip(states, parameters, strict=True):
        target = parameter._array
        if type(target) is not Sharded or state._array.shape != target.shape:
            continue
        space = target.space
        if type(state._array) is not Sharded:
            state._array = space.shard(state._array, target.dims, target.parked)
        elif state._array.dims != target.dims:  # the parameter has been divided further
            block = space.place(state._array, target.dims).block
            state._array = space.wrap(space.base.array(block), target.dims, (), target.parked)


@contextlib.contextmanager
def on_blocks(kinds):
    """A context in which divided Tensors hold this rank's blocks as ordinary arrays.

    Args:
        kinds (Iterable[Sequence[Tensor]]): sequences of Tensors, such as parameters and states.
    """
    originals = [
        (tensor, tensor._array)
        for kind in kinds
        for tensor in kind
        if type(tensor._array) is Sharded
    ]
    for tensor, array in originals:
        array.space.gathers.settle(array)
        tensor._array = array.block
    try:
        yield
    finally:
        for tensor, array in originals:
            array.block = tensor._array
            array.kept = False if array.kept is False else None
            tensor._array = array


@contextlib.contextmanager
def on_wholes(tensors):
    """A context in which divided Tensors hold the whole array on every rank. At its end their
    values, which may have changed, are divided again."""
    originals = [(tensor, tensor._array) for tensor in tensors if type(tensor._array) is Sharded]
    for tensor, array in originals:
        tensor._array = array.space.base.array(array.space.gather(array))
    try:
        yield
    finally:
        for tensor, array in originals:
            array.space.gathers.settle(array)
            array.block[...] = array.space.cut(tensor._array, array.dims)
            tensor._array = array


def updated(update, row, scalars):
    """Computes an update formula on divided arrays. Returns the calls that assign the new values to
    this rank's blocks (_backend/updates/complete.py).

    Args:
        update (Whole): the formula, and the indices of the arrays that it writes.
        row (Sequence): the arrays of the formula: the parameter, its gradient and its states.
        scalars (dict): the scalars of the formula.
    """
    space = row[0].space
    new_values = update.formula(space, *row, **scalars)
    targets = [row[index] for index in update.written]
    for target in targets:
        space.gathers.settle(target)
    values = [space.cast(new, old.dtype) for new, old in zip(new_values, targets, strict=True)]
    return assigned(targets, values)
