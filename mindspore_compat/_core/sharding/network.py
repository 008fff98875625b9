"""Networks that run on divided arrays: converts the inputs of a network to divided Tensors, places
them as strategies say, and converts its results back. Cells call `run_network` and `run_part`.

    with running.on(mesh, strategy):             # of the outermost network or function
        x = entered(x, "data_parallel")          # a rank's batch becomes its part of the whole
        y = network(x)
        y = left(y, "data_parallel")             # this rank's part of a result

Within it, Tensors look whole even if they are divided.
"""

import contextlib
import functools
import threading

from ..._backend.arrays import HOST, current_space
from ..._backend.steps import current
from ..context.config import config
from ..declare.op import op
from ..gradients.leaves import WEIGHTS
from ..gradients.transforms import map_tensors, tensors_in
from ..rules.vocabulary import Any, TensorOf, any_dtype
from ..tensor.tensor import Tensor
from .array import Sharded, ShardedSpace
from .choosing import choose
from .mesh import Mesh
from .micro_batches import run_on_stages
from .staged import Staged, flow
from .stages import Stages
from .strategies import Declared, data_dims, divisions, result_dims, text_of
from .structure import Structure


class _World:
    """Holds `group`, the group of all ranks that `communication.init` has joined; None before."""

    group = None


world = _World()
_meshes = {}  # number of stages -> the Mesh of this rank's stage in `world.group`


class _Running(threading.local):
    """The divided network that this thread runs. `space` is the space of its arrays, `data` the
    division of its inputs (see `run_on`), and `declared` the strategies that were set before the
    run. All are None outside of divided networks."""

    space = None
    data = None
    declared = None

    @contextlib.contextmanager
    def on(self, mesh, data, declared):
        """Returns a context in which this thread runs a divided network on `mesh`; `data` is as for
        `run_on`, `declared` the Declared of the network."""
        before = self.space, self.data, self.declared, flow.stages
        self.space, self.data, flow.stages = space_on(mesh), data, mesh.stages
        self.declared = declared
        self.space.averages = bool(config.parallel.gradients_mean)
        chooses = _chooses(mesh)
        self.space.choose = functools.partial(choose, self.space) if chooses else None
        if mesh.stages is not None:
            mesh.stages.space = self.space
        try:
            with mesh.run():
                yield
        finally:
            self.space.choose = None
            self.space, self.data, self.declared, flow.stages = before


running = _Running()


def _chooses(mesh):
    """Returns whether weights without a strategy are divided by their cost."""
    settings = config.parallel
    return (
        settings.parallel_mode == "auto_parallel"
        and settings.search_mode != "sharding_propagation"
        and mesh.stages is None
    )


def join(group):
    """Sets the group of all ranks; `communication` calls it with None when the ranks part."""
    world.group = group
    _meshes.clear()


def mesh_of(stages=1):
    """Returns the mesh of this rank's pipeline stage, if all ranks are divided into `stages` stages
    of equal size. Returns None if this process is the only rank.

    Raises:
        RuntimeError: if the ranks cannot be divided into stages.
    """
    group = world.group
    if group is None or group.size == 1:
        return None
    if group.size % stages:
        raise RuntimeError(
            f"The number of processes, {group.size}, must be a multiple of the number of "
            f"pipeline stages, {stages}."
        )
    if stages not in _meshes:
        pipeline = Stages(group, stages) if stages > 1 else None
        ranks = group.ranks if pipeline is None else pipeline.ranks
        _meshes[stages] = Mesh(group, ranks, pipeline)
    return _meshes[stages]


def space_on(mesh):
    """Returns the array namespace of arrays that are divided over `mesh` and lie on the current
    device."""
    base = HOST if current_space() is HOST else current_space()
    spaces = mesh.__dict__.setdefault("spaces", {})
    if base not in spaces:
        spaces[base] = ShardedSpace(mesh, base)
    return spaces[base]


# Operators, so that gradients flow through -----------------------------------------------------

Given = TensorOf(any_dtype)


@op(compute="native")
def enter_op(xp, x: Given, space: Any, dims: Any):
    """Returns a divided Tensor; the Tensor `x` is this rank's part."""
    return space.wrap(x, dims)


enter_op.vjp(x=lambda xp, g, space, dims: space.place(g, dims).block)


@op(compute="native")
def leave_op(xp, x: Given, space: Any, dims: Any):
    """Returns this rank's part of a Tensor that is first divided by `dims`, as an ordinary
    Tensor."""
    return space.place(x, dims).block


def _leave_vjp(xp, g, space, dims):
    return g if type(g) is Sharded else space.wrap(g, dims)


leave_op.vjp(x=_leave_vjp)


@op(compute="native")
def place_op(xp, x: Given, space: Any, dims: Any):
    """Returns a divided Tensor with the same values, which `dims` divides."""
    return space.place(x, dims)


place_op.vjp(x=lambda xp, g: g)


def _run_on_wholes(space, owner, values):
    """Runs an operator on gathered Tensors, and returns its result. It is for operators whose
    bodies do more than call functions of `xp`."""

    def whole(value):
        if isinstance(value, Tensor) and type(value._array) is Sharded:
            return leave_op.run(value, space, ((),) * value.ndim)
        if isinstance(value, (tuple, list)):
            return type(value)(whole(item) for item in value)
        return value

    return owner.run(**{name: whole(value) for name, value in values.items()})


ShardedSpace.run_apart = _run_on_wholes


def entered(tensor, dims):
    """Returns a divided Tensor, given this rank's part `tensor`; `dims` tells how it is divided.
    Returns a Tensor that is divided already unchanged."""
    if type(tensor._array) is Sharded or not any(dims):
        return tensor
    return enter_op.run(tensor, running.space, tuple(dims))


def placed(tensor, dims):
    """Returns a Tensor with the same values, which `dims` divides. A Parameter is itself changed,
    and stays divided after the network has run."""
    space = running.space
    if WEIGHTS.get(id(tensor)) is tensor:
        adopt(tensor, space, dims)
        return tensor
    return place_op.run(tensor, space, tuple(dims))


def divided_instead(tensor, axis, other, parts):
    """Returns a Tensor that is divided along `other` instead of `axis`, by an all-to-all.

    The mesh axes that divide `axis` move to `other` one by one. This ends at the first mesh axis
    with which the number of blocks of `other` would not divide `parts`. The Tensor is gathered
    along that mesh axis and the later ones.

    Args:
        tensor (Tensor): the Tensor; returned unchanged if `axis` is not divided.
        axis, other (int): two of its axes.
        parts (int): a divisor of the length of `other`, such as the number of groups of it.
    """
    x = tensor._array
    if type(x) is not Sharded or not x.dims[axis]:
        return tensor
    mesh, moved = x.space.mesh, ()
    for mesh_axis in x.dims[axis]:
        if parts % mesh.count((*x.dims[other], *moved, mesh_axis)):
            break
        moved += (mesh_axis,)
    dims = list(x.dims)
    dims[axis], dims[other] = (), (*x.dims[other], *moved)
    return place_op.run(tensor, x.space, tuple(dims))


def gathered(tensor):
    """Returns a Tensor that every rank has whole, with the same values."""
    x = tensor._array
    return place_op.run(tensor, x.space, ((),) * x.ndim) if type(x) is Sharded else tensor


def adopt(parameter, space, dims, parked=()):
    """Divides the values of a Parameter by `dims` in place, unless they are divided already; they
    stay divided after the network has run."""
    if type(parameter._array) is not Sharded and any(dims):
        parameter._array = space.shard(parameter._array, dims, parked)


def parts_of_first_axis(tensor):
    """Returns the number of parts into which the first axis of a Tensor is divided."""
    array = tensor._array
    return array.space.mesh.count(array.dims[0]) if type(array) is Sharded else 1


def left(tensor, data):
    """Converts a result of a divided network to an ordinary Tensor.

    The Tensor has this rank's part along the first axis, if that axis is divided and each rank has
    its own inputs; otherwise it has the whole result. Weights and their gradients stay divided.

    Args:
        tensor (Tensor): the result.
        data: how the inputs are divided, as for `run_on`.
    """
    x = tensor._array
    if type(x) is Staged and not x.stays:
        return left(x.stages.everywhere(tensor), data)
    if type(x) is not Sharded or x.of_weight or _is_weight(tensor):
        return tensor
    space = x.space
    dims = [()] * x.ndim
    if data != "full_batch" and x.ndim and x.dims[0] and not x.shape[0] % space.mesh.size:
        dims[0] = space.mesh.axes
    return leave_op.run(tensor, space, tuple(dims))


DIVIDED = ("semi_auto_parallel", "auto_parallel")


def run_network(function, args, kwargs, network=None):
    """Calls a network or function. If the parallel settings ask for divided arrays and no divided
    network runs yet, it runs divided; `network` is the Cell that `function` calls, if any."""
    if world.group is None or running.space is not None:
        return function(*args, **kwargs)
    mesh = mesh_of(config.parallel.pipeline_stages) if is_wanted() else None
    if mesh is None:
        return function(*args, **kwargs)
    return run_on(mesh, config.parallel.dataset_strategy, function, args, kwargs, network)


def is_wanted():
    """Returns whether the parallel mode divides networks."""
    return config.parallel.parallel_mode in DIVIDED


def run_on(mesh, data, function, args, kwargs, network=None):
    """Calls a network or function on divided arrays, and returns its results as ordinary Tensors.

    Args:
        mesh (Mesh): the ranks.
        data (Union[str, Sequence]): how the inputs are divided. "data_parallel": each rank passes
            its part of every Tensor along the first axis. "full_batch": all ranks pass the same
            Tensors. Otherwise a sequence with the numbers of parts, or a Layout, for each input, of
            which each rank passes its own part.
        function (Callable): the network.
        args, kwargs: its inputs.
        network (Callable): the Cell that `function` calls, if it calls only one.
    """
    captured = current.running()
    if captured is not None:
        captured.refuse("a network that is divided over ranks")
    declared = Declared.of(network)
    _agree_on_run(mesh, data, network, declared, (args, kwargs))
    with running.on(mesh, data, declared):
        if isinstance(data, str):
            args, kwargs = map_tensors(
                lambda tensor: _entered_by_name(tensor, data), (args, kwargs)
            )
        else:
            with contextlib.nullcontext() if mesh.stages is None else mesh.stages.compared():
                args = tuple(_entered_by_parts(*pair) for pair in _pairs(args, data))
        try:
            out = run_on_stages(network, function, args, kwargs)
            return map_tensors(lambda tensor: left(tensor, data), out)
        finally:
            running.space.forget()


_COMPARED = (  # the settings that must be the same on all ranks
    "parallel_mode",
    "gradients_mean",
    "search_mode",
    "enable_parallel_optimizer",
    "optimizer_level",
    "optimizer_weight_shard_size",
    "parallel_optimizer_threshold",
)


def _agree_on_run(mesh, data, network, declared, inputs):
    """Makes the ranks compare the networks that they are about to run. Before a pipeline, which
    takes micro-batches as inputs, the ranks of all stages compare them.
    """
    settings = {name: str(getattr(config.parallel, name)) for name in _COMPARED}
    if mesh.stages is not None:
        settings["dataset_strategy"] = text_of(data)
        mesh.stages.settings = {**settings, "shard": declared.text}
        return
    kinds = [_kind_of(tensor) for tensor in tensors_in(inputs)]
    mesh.note((*settings.items(), ("dataset_strategy", text_of((data, *kinds)))))
    structure = Structure.of(network)
    if structure is not None:
        mesh.note(structure.parts, text=structure.digest)
    if declared.strategies:
        mesh.note(declared.strategies, text=declared.text.digest)


def _kind_of(tensor):
    return f"{tensor._array.dtype.name} {tuple(tensor.shape)}"


def _entered_by_name(tensor, data):
    if not tensor.ndim or not tensor.size or _is_weight(tensor):
        return tensor
    if data == "full_batch":
        space = running.space
        if space.choose is None or tensor.shape[0] % space.mesh.size:
            return tensor
        return placed(tensor, (space.mesh.axes, *((),) * (tensor.ndim - 1)))
    return entered(tensor, (running.space.mesh.axes, *((),) * (tensor.ndim - 1)))


def _pairs(args, data):
    return ((arg, data[i] if i < len(data) else None) for i, arg in enumerate(args))


def _entered_by_parts(value, parts):
    if parts is None or not isinstance(value, Tensor) or not value.ndim or _is_weight(value):
        return value
    mesh = running.space.mesh
    return entered(value, data_dims("dataset_strategy", mesh, tuple(value.shape), parts))


def _is_weight(tensor):
    return WEIGHTS.get(id(tensor)) is tensor


# Operators with a strategy ------------------------------------------------------------------------


def run_with_strategy(owner, api, function, args, letters, in_strategy, out_strategy):
    """Calls an operator, or a part of a network, after dividing its inputs as a strategy says;
    divides its results as well.

    Args:
        owner: the primitive or Cell that has the strategy; None for a function.
        api (str): the name of the operator, for errors.
        function (Callable): the operator.
        args (Sequence): the arguments; the strategy has an entry for each Tensor among them.
        letters (Callable): takes the numbers of axes of the Tensors, and returns the letters of
            their axes (strategies.py). None if each input is divided independently.
        in_strategy, out_strategy (Sequence): a tuple of ints or a Layout for each Tensor; None
            leaves the inputs or the results as they are.
    """
    mesh = running.space.mesh
    mesh.agree(api, in_strategy, out_strategy, is_declared=running.declared.has(owner))
    tensors = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
    args = list(args)
    if in_strategy is not None:
        placements = _placements(api, [args[i] for i in tensors], letters, in_strategy)
        for i, dims in zip(tensors, placements):
            if dims is not None:
                args[i] = placed(args[i], dims)
    out = function(*args)
    return out if out_strategy is None else _with_out_strategy(api, out, out_strategy)


def _placements(api, tensors, letters, strategies):
    """Returns the mesh axes that divide each Tensor; the arguments are the same as for
    `run_with_strategy`.
    """
    mesh, shapes = running.space.mesh, [tuple(tensor.shape) for tensor in tensors]
    strategies = _pad_strategies(strategies, len(shapes))
    if letters is not None:
        return divisions(api, mesh, shapes, strategies, letters(list(map(len, shapes))))
    return [
        None
        if strategy is None
        else divisions(api, mesh, [shape], [strategy], [range(len(shape))])[0]
        for shape, strategy in zip(shapes, strategies)
    ]


def _pad_strategies(strategies, count):
    return [*strategies, *(None,) * (count - len(strategies))][:count]


def _with_out_strategy(api, out, strategies):
    several = isinstance(out, (tuple, list))
    outs = out if several else (out,)
    results = [
        _with_result(api, *pair)
        for pair in zip(outs, _pad_strategies(strategies, len(outs)), strict=True)
    ]
    return type(out)(results) if several else results[0]


def _with_result(api, tensor, strategy):
    if strategy is None or not isinstance(tensor, Tensor):
        return tensor
    now = getattr(tensor._array, "dims", ((),) * tensor.ndim)
    mesh = running.space.mesh
    return placed(tensor, result_dims(api, mesh, tuple(tensor.shape), now, strategy))


def run_part(owner, function, args, parameters, strategies):
    """Calls a part of a network with the strategies that `shard` gave it. Without a mesh, the part
    is simply called.

    Args:
        owner (Cell): the Cell that has the strategies; None for a function.
        function (Callable): the part.
        args (Sequence): the arguments.
        parameters (dict): the Parameters of the part, by name.
        strategies (tuple): the strategies of the inputs, of the results, and of the Parameters by
            name; each may be None.
    """
    in_strategy, out_strategy, plan = strategies
    if running.space is None:
        mesh = mesh_of(config.parallel.pipeline_stages) if is_wanted() else None
        if mesh is None:
            return function(*args)
        again = functools.partial(
            run_part, owner, function, parameters=parameters, strategies=strategies
        )
        return run_on(mesh, "full_batch", lambda *args: again(args), args, {})
    mesh = running.space.mesh
    mesh.agree("shard", *strategies, is_declared=running.declared.has(owner))
    for name, strategy in (plan or {}).items():
        parameter = parameters.get(name.removeprefix("self."))
        if parameter is not None:
            shape = tuple(parameter.shape)
            (dims,) = divisions("shard", mesh, [shape], [strategy], [range(len(shape))])
            adopt(parameter, running.space, dims)
    return run_with_strategy(owner, "shard", function, args, None, in_strategy, out_strategy)
