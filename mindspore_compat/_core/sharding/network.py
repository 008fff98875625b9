"""Networks that run divided: how values enter a divided network, are placed in it, and leave it.

    with running.on(mesh, strategy):             # of the outermost network or function
        x = entered(x, "data_parallel")          # a rank's batch becomes its part of the global one
        ...
        y = left(y, "data_parallel")             # and a result that is divided so a rank's again

Within it Tensors look whole, whatever their placement.
"""

import contextlib
import functools
import threading

from ..._backend.arrays import HOST, current_space
from ..._backend.steps import current
from ..context.config import config
from ..declare.op import op
from ..gradients.leaves import WEIGHTS
from ..gradients.transforms import map_tensors
from ..rules.vocabulary import Any, TensorOf, any_dtype
from ..tensor.tensor import Tensor
from .array import Sharded, ShardedSpace
from .mesh import Mesh
from .strategies import data_dims, divisions, result_dims


class _World:
    """The group of all ranks that `communication.init` has joined; None before."""

    group = None


world = _World()
_meshes = {}  # ranks -> the Mesh of them, for the group of all ranks that is joined


class _Running(threading.local):
    """What this thread runs: the space of divided arrays, and how data is divided; None and None
    outside of divided networks."""

    space = None
    data = None

    @contextlib.contextmanager
    def on(self, mesh, data):
        """Runs a network on a mesh."""
        before = self.space, self.data
        self.space, self.data = space_on(mesh), data
        self.space.averages = bool(config.parallel.gradients_mean)
        try:
            yield
        finally:
            self.space, self.data = before


running = _Running()


def join(group):
    """Takes `group` for all ranks; None when they part."""
    world.group = group
    _meshes.clear()


def mesh_of(stages=1):
    """Returns the mesh of this rank's stage, of `stages` of equal size; None for one rank alone.

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
    many = group.size // stages
    first = group.ranks[group.rank] // many * many
    ranks = tuple(range(first, first + many))
    if ranks not in _meshes:
        _meshes[ranks] = Mesh(group, ranks)
    return _meshes[ranks]


def space_on(mesh):
    """Returns the space of arrays that are divided over `mesh` and lie on the current device."""
    base = HOST if current_space() is HOST else current_space()
    spaces = mesh.__dict__.setdefault("spaces", {})
    if base not in spaces:
        spaces[base] = ShardedSpace(mesh, base)
    return spaces[base]


# As operators, so that gradients flow through -----------------------------------------------------

Given = TensorOf(any_dtype)


@op(compute="native")
def enter_op(xp, x: Given, space: Any, dims: Any):
    """Returns a rank's own part as a part of a divided Tensor."""
    return space.wrap(x, dims)


enter_op.vjp(x=lambda xp, g, space, dims: space.place(g, dims).block)


@op(compute="native")
def leave_op(xp, x: Given, space: Any, dims: Any):
    """Returns this rank's part of a divided Tensor, as a Tensor of its own."""
    return space.place(x, dims).block


def _leave_vjp(xp, g, space, dims):
    return g if type(g) is Sharded else space.wrap(g, dims)


leave_op.vjp(x=_leave_vjp)


@op(compute="native")
def place_op(xp, x: Given, space: Any, dims: Any):
    """Returns the same Tensor under another placement."""
    return space.place(x, dims)


place_op.vjp(x=lambda xp, g: g)


def _run_on_wholes(space, owner, values):
    """Runs an operator on whole Tensors: one whose body does more than call functions of `xp`."""

    def whole(value):
        if isinstance(value, Tensor) and type(value._array) is Sharded:
            return leave_op.run(value, space, ((),) * value.ndim)
        if isinstance(value, (tuple, list)):
            return type(value)(whole(each) for each in value)
        return value

    return owner.run(**{name: whole(value) for name, value in values.items()})


ShardedSpace.run_apart = _run_on_wholes


def entered(tensor, dims):
    """Returns a Tensor of which each rank has its own part, as one that is divided."""
    if type(tensor._array) is Sharded or not any(dims):
        return tensor
    return enter_op.run(tensor, running.space, tuple(dims))


def placed(tensor, dims):
    """Returns a Tensor under another placement. A Parameter is divided for good."""
    space = running.space
    if WEIGHTS.get(id(tensor)) is tensor:
        adopt(tensor, space, dims)
        return tensor
    return place_op.run(tensor, space, tuple(dims))


def adopt(parameter, space, dims, parked=()):
    """Divides the values of a Parameter for good, unless they are divided already."""
    if type(parameter._array) is not Sharded and any(dims):
        parameter._array = space.shard(parameter._array, dims, parked)


def parts_of_first_axis(tensor):
    """Returns the number of parts into which the first axis of a Tensor is divided."""
    array = tensor._array
    return array.space.mesh.count(array.dims[0]) if type(array) is Sharded else 1


def left(tensor, data):
    """Returns a result of a divided network as a Tensor of this rank: its part along the first axis
    where that is divided and each rank sees its own data, else the whole.

    Weights and their gradients stay divided.
    """
    x = tensor._array
    if type(x) is not Sharded or x.of_weight or _is_weight(tensor):
        return tensor
    space = x.space
    dims = [()] * x.ndim
    if data != "full_batch" and x.ndim and x.dims[0] and not x.shape[0] % space.mesh.size:
        dims[0] = space.mesh.axes
    return leave_op.run(tensor, space, tuple(dims))


DIVIDED = ("semi_auto_parallel", "auto_parallel")


def run_network(function, args, kwargs):
    """Calls a network or function as the outermost one: divided, if the settings say so."""
    if world.group is None or running.space is not None:
        return function(*args, **kwargs)
    mesh = mesh_of(config.parallel.pipeline_stages) if _is_wanted() else None
    if mesh is None:
        return function(*args, **kwargs)
    return run_on(mesh, config.parallel.dataset_strategy, function, args, kwargs)


def _is_wanted():
    return config.parallel.parallel_mode in DIVIDED


def run_on(mesh, data, function, args, kwargs):
    """Calls a network or function on a mesh.

    Args:
        mesh (Mesh): its ranks.
        data (Union[str, Sequence]): how its inputs are divided: "data_parallel", each rank gives
            its part of every Tensor along the first axis; "full_batch", all give the same; or for
            each input the numbers of parts, or a Layout, of which each rank gives its own part.
        function (Callable): the network.
        args, kwargs: its inputs.
    """
    captured = current.running()
    if captured is not None:
        captured.refuse("a network that is divided over ranks")
    with running.on(mesh, data):
        if isinstance(data, str):
            args, kwargs = map_tensors(
                lambda tensor: _entered_by_name(tensor, data), (args, kwargs)
            )
        else:
            args = tuple(_entered_by_parts(*pair) for pair in _pairs(args, data))
        try:
            return map_tensors(lambda tensor: left(tensor, data), function(*args, **kwargs))
        finally:
            running.space.forget()


def _entered_by_name(tensor, data):
    if data == "full_batch" or not tensor.ndim or not tensor.size or _is_weight(tensor):
        return tensor
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


def run_with_strategy(api, function, args, letters, in_strategy, out_strategy):
    """Calls an operator, or a part of a network, with its inputs and results placed as a strategy
    says.

    Args:
        api (str): its name, for errors.
        function (Callable): the call.
        args (Sequence): its arguments; the strategy is that of the Tensors among them.
        letters (Callable): gives the letters of the axes for the numbers of axes; None where each
            input is divided by itself.
        in_strategy, out_strategy (Sequence): a tuple of ints or a Layout for each Tensor, or None.
    """
    mesh = running.space.mesh
    tensors = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
    args = list(args)
    if in_strategy is not None:
        shapes = [tuple(args[i].shape) for i in tensors]
        given = _filled(in_strategy, len(shapes))
        if letters is None:
            chosen = [
                None
                if one is None
                else divisions(api, mesh, [shape], [one], [range(len(shape))])[0]
                for shape, one in zip(shapes, given)
            ]
        else:
            chosen = divisions(api, mesh, shapes, given, letters(list(map(len, shapes))))
        for i, dims in zip(tensors, chosen):
            if dims is not None:
                args[i] = placed(args[i], dims)
    out = function(*args)
    return out if out_strategy is None else _with_out_strategy(api, out, out_strategy)


def _filled(strategies, count):
    return [*strategies, *(None,) * (count - len(strategies))][:count]


def _with_out_strategy(api, out, strategies):
    several = isinstance(out, (tuple, list))
    outs = out if several else (out,)
    made = [
        _with_result(api, *pair) for pair in zip(outs, _filled(strategies, len(outs)), strict=True)
    ]
    return type(out)(made) if several else made[0]


def _with_result(api, tensor, strategy):
    if strategy is None or not isinstance(tensor, Tensor):
        return tensor
    now = getattr(tensor._array, "dims", ((),) * tensor.ndim)
    mesh = running.space.mesh
    return placed(tensor, result_dims(api, mesh, tuple(tensor.shape), now, strategy))


def run_part(function, args, parameters, strategies):
    """Calls a part of a network with the strategies of `shard`; as it is, outside of divided ones.

    Args:
        function (Callable): the part.
        args (Sequence): its arguments.
        parameters (dict): its Parameters by name.
        strategies (tuple): those of its inputs, its results and its Parameters by name, or None.
    """
    in_strategy, out_strategy, plan = strategies
    if running.space is None:
        mesh = mesh_of(config.parallel.pipeline_stages) if _is_wanted() else None
        if mesh is None:
            return function(*args)
        again = functools.partial(run_part, function, parameters=parameters, strategies=strategies)
        return run_on(mesh, "full_batch", lambda *args: again(args), args, {})
    mesh = running.space.mesh
    for name, strategy in (plan or {}).items():
        parameter = parameters.get(name.removeprefix("self."))
        if parameter is not None:
            shape = tuple(parameter.shape)
            (dims,) = divisions("shard", mesh, [shape], [strategy], [range(len(shape))])
            adopt(parameter, running.space, dims)
    return run_with_strategy("shard", function, args, None, in_strategy, out_strategy)
