"""Training steps that a GPU replays: when a step is captured as a CUDA graph, and when it is not.

Worked example. A TrainOneStepCell is called in graph mode, with batches of one shape:

* two calls run as always, but on the stream and in the memory of the capture;
* the third is captured with inputs of its own, and then replayed;
* each later one copies its batch into those inputs, replays, and copies what the step returns.

No Python of the step runs in a replay: as in the original's graph mode, what a step does besides
operations on Tensors is done where it is built. What a step relies on is compared before each
replay: the training flag of each Cell, and that each parameter still has the array, or on the host
the value, that was captured. Where one differs the step is captured again.

A step that cannot be captured runs operation by operation, and says once why. The capture itself is
in _backend/capture.py.
"""

import functools
import types
import weakref

from .. import log
from .._backend import arrays, capture, random
from .._core.autograd.leaves import WEIGHTS
from .._core.autograd.tape import depth
from .._core.autograd.transforms import map_tensors, tensors_in
from .._core.context.config import GRAPH_MODE, config
from .._core.tensor.tensor import Tensor
from .parameter import Parameter

WARM_UP = 2  # steps before one is captured
MOST_GRAPHS = 4  # kinds of arguments, of one step
FEW_REPLAYS = 5  # a graph that is out of date before so many has been captured for nothing
MOST_IN_VAIN = 3
MOST_OBJECTS = 100_000  # that are looked at for Tensors
MOST_ON_HOST = 1 << 16  # bytes of a Tensor of the host, which are compared before each replay
PLAIN = (type(None), bool, int, float, complex, str, bytes, type)
HOOKS = ("_forward_pre_hook", "_forward_hook", "_backward_pre_hook", "_backward_hook")

_steps = {}  # id of a Cell, object or function -> name -> its CapturedStep


def captures(building):
    """True if a step that begins now may be captured.

    Args:
        building (int): how many functions marked by `jit` are running.
    """
    return (
        capture.allowed()
        and (config.mode == GRAPH_MODE or building > 0)
        and capture.running() is None
        and not depth.open
    )


def run(owner, name, function, args, kwargs, trains=False):
    """Calls a function that may be a training step, captured if it can be.

    Args:
        owner: the Cell or object that the step belongs to, or the function itself; the graph is
            kept for as long as it lives.
        name: the step's name, for the line that says why it is not captured.
        function: the step.
        args, kwargs: its arguments.
        trains (bool): whether it is known to be one; of others the first call tells.
    """
    of_owner = _steps.get(id(owner))
    if of_owner is None:
        of_owner = _steps[id(owner)] = {}
        weakref.finalize(owner, _steps.pop, id(owner), None).atexit = False
    step = of_owner.get(name)
    if step is None:
        step = of_owner[name] = CapturedStep(name, trains)
    return step(owner, function, args, kwargs)


def can_own(value):
    """True for an object to which a graph can belong: one that a weak reference may stand for, and
    that is no value given to a step."""
    return not isinstance(value, (Tensor, *PLAIN)) and type(value).__weakrefoffset__ != 0


class CapturedStep:
    """A step and its graphs, one for each kind of arguments.

    Args:
        name (str): its name.
        trains (bool): whether it is known to train.
    """

    def __init__(self, name, trains):
        self._name = name
        self._trains = trains
        self._graphs = {}
        self._in_vain = 0
        self._eager = False
        self._warned = False
        self._cells = None

    def __call__(self, owner, function, args, kwargs):
        """Runs the step."""
        if self._eager:
            return function(*args, **kwargs)
        if not self._trains:
            made, self._trains = capture.trains(function, args, kwargs)
            self._eager = not self._trains
            return made
        try:
            graph = self._graph(owner, function, args, kwargs)
            if graph is not None:
                return graph(function, args, kwargs)
        except capture.Refused as refused:
            self._give_up(refused)
        return function(*args, **kwargs)

    def _graph(self, owner, function, args, kwargs):
        """The graph for these arguments; None if there are too many already."""
        if self._cells is None:
            found = reached((owner, function))
            self._cells = [weakref.ref(each) for each in found if _is_cell(each)]
        key = (_kind((args, kwargs), owner), tuple(map(_mode, self._cells)), config.device_id)
        graph = self._graphs.get(key)
        if graph is not None and graph.out_of_date():
            self._in_vain += graph.replays < FEW_REPLAYS
            if self._in_vain > MOST_IN_VAIN:
                raise capture.Refused("parameters that are assigned between its steps")
            graph = self._graphs[key] = _Graph((owner, function))
        if graph is None and len(self._graphs) < MOST_GRAPHS:
            graph = self._graphs[key] = _Graph((owner, function))
        if graph is None:
            self._warn(f"more than {MOST_GRAPHS} kinds of arguments; the first ones are captured")
        return graph

    def _give_up(self, reason):
        self._eager = True
        self._graphs.clear()
        self._warn(reason)

    def _warn(self, reason):
        if not self._warned:
            self._warned = True
            log.warning(
                f"The training step '{self._name}' is not captured as a CUDA graph, and runs "
                f"operation by operation, because of {reason}."
            )


class _Graph:
    """A step for one kind of arguments: rehearsed, then captured, then replayed.

    Args:
        roots (tuple): from where everything that the step uses is reached; it is not kept.
    """

    def __init__(self, roots):
        self.capture = capture.Capture(arrays.current_space())
        self.replays = 0
        self._rehearsals = 0
        self._roots = [_weakly(each) for each in roots]
        self._inputs = None

    def __call__(self, function, args, kwargs):
        """Runs the step, and returns what it returns, in memory of the caller's."""
        if self._inputs is None and self._rehearsals < WARM_UP:
            self._rehearsals += 1
            found = reached([root() for root in self._roots])
            alive = [each._array for each in found if isinstance(each, Tensor) and _has_array(each)]
            made = self.capture.rehearse(functools.partial(function, *args, **kwargs))
            del alive  # as in a capture, what the step replaces has not been free meanwhile
            return map_tensors(_copied, made)
        if self._inputs is None:
            self._record(function, args, kwargs)
        self._put_in(args, kwargs)
        self.capture.replay()
        self.replays += 1
        return map_tensors(self._handed_over, self._made)

    def out_of_date(self):
        """True if a parameter is another one than when the step was captured."""
        if self._inputs is None:
            return False
        return (
            self._resets != random.resets
            or any(tensor._array is not array for tensor, array in self._captured)
            or any(_flag(tensor) is not flag for tensor, flag in self._flags)
            or any(array.tobytes() != values for array, values in self._of_host)
        )

    # Capturing ------------------------------------------------------------------------------------

    def _record(self, function, args, kwargs):
        """Captures the step with inputs of its own; refused, all is as it was.

        Raises:
            Refused: it cannot be captured.
        """
        found = reached([root() for root in self._roots])
        _refuse_hooks(found)
        tensors = [each for each in found if isinstance(each, Tensor)] + _inputs(args, kwargs)[1]
        before = _Before(tensors)
        space = arrays.current_space()
        inputs = [
            Tensor._wrap(space.empty(each.shape, each._array.dtype))
            for each in _inputs(args, kwargs)[0]
        ]
        self._inputs, self._given = inputs, [each._array for each in inputs]
        self._put_in(args, kwargs)
        own = {id(each) for each in tensors}
        keeper = _Writes(inputs, self.capture)

        def step():
            taken = iter(inputs)
            put = lambda each: each if isinstance(each, Parameter) else next(taken)  # noqa: E731
            made = function(*map_tensors(put, args), **map_tensors(put, kwargs))
            before.settle()
            _refuse_results(made, own)
            return made

        try:
            with keeper:
                self._made = self.capture.capture(step)
        except BaseException:
            before.restore()
            self._inputs = None
            raise
        self._keep(before, own)

    def _keep(self, before, own):
        """Notes what the graph relies on."""
        captured = [(tensor, array) for tensor, array, _ in before.rows if id(tensor) in own]
        captured = [row for row in captured if not self.capture.follows(row[0])]
        self._own = own
        self._captured = captured
        self._flags = [(each, _flag(each)) for each, _ in captured if isinstance(each, Parameter)]
        self._of_host = [(a, a.tobytes()) for _, a in captured if not arrays.on_device(a)]
        self._resets = random.resets

    # Replaying ------------------------------------------------------------------------------------

    def _put_in(self, args, kwargs):
        """Copies the arguments into the inputs that were captured."""
        for array, tensor in zip(self._given, _inputs(args, kwargs)[0], strict=True):
            if arrays.on_device(tensor._array):
                array[...] = tensor._array
            else:
                array.set(arrays.HOST.ascontiguousarray(tensor._array))

    def _handed_over(self, tensor):
        """A result as the caller gets it: the parameter itself, or a copy."""
        return tensor if id(tensor) in self._own else _copied(tensor)


class _Before:
    """Tensors as they were before a step was captured.

    Args:
        tensors: those that the step is known to reach.

    Attributes:
        rows: (Tensor, its array, the values where that is the host's).
        others: (Parameter, its array) of all others.

    Raises:
        Refused: one is large and lies on the host.
    """

    def __init__(self, tensors):
        found = {id(each): each for each in tensors if _has_array(each)}
        self.rows = [(each, each._array, _host_values(each)) for each in found.values()]
        others = [each for each in WEIGHTS.values() if id(each) not in found and _has_array(each)]
        self.others = [(each, each._array) for each in others]

    def settle(self):
        """Has the step write into the arrays of before what it put in their place.

        Raises:
            Refused: that cannot be, or an array of the host was written to.
        """
        replaced = []
        for tensor, array, values in self.rows:
            now = tensor._array
            if values is not None and (now is not array or now.tobytes() != values.tobytes()):
                raise capture.Refused(f"'{_name(tensor)}', which is written on the host")
            if now is array:
                continue
            if type(now) is not type(array) or not _alike(now, array):
                raise capture.Refused(f"'{_name(tensor)}', whose shape or dtype changes")
            replaced.append((tensor, array, now))
        for tensor, array in self.others:
            if tensor._array is not array:
                raise capture.Refused(f"'{_name(tensor)}', which the step reaches by other ways")
        memory = {id(array) for _, array, _ in self.rows}
        replaced = [
            (tensor, array, now.copy() if id(now) in memory else now)
            for tensor, array, now in replaced
        ]
        for tensor, array, now in replaced:
            array[...] = now
            tensor._array = array

    def restore(self):
        """Puts everything back."""
        for tensor, array, values in self.rows:
            tensor._array = array
            if values is not None:
                array[...] = values
        for tensor, array in self.others:
            tensor._array = array


class _Writes:
    """Refuses a step that writes into its arguments, of which it has been given copies."""

    def __init__(self, inputs, captured):
        self._inputs = {id(each) for each in inputs}
        self._capture = captured

    def __enter__(self):
        depth.keepers = (*depth.keepers, self)

    def __exit__(self, *error):
        depth.keepers = tuple(each for each in depth.keepers if each is not self)

    def gradients(self, network, weights, args, grad_outputs):
        """None: it keeps no tape."""
        return None

    def note_in_place_write(self, tensors):
        """Looks at Tensors that are about to be written in place."""
        if any(id(each) in self._inputs for each in tensors):
            self._capture.refuse("an argument that the step writes into")


def _refuse_hooks(found):
    for each in found:
        of_parameter = isinstance(each, Parameter) and getattr(each, "_hooks", None)
        if of_parameter or _is_cell(each) and _has_hooks(each):
            raise capture.Refused(f"hooks of '{getattr(each, 'name', type(each).__name__)}'")


def _refuse_results(made, own):
    """Refuses what a replay cannot make anew."""
    _refuse_leaves(made)
    for each in tensors_in(made):
        if id(each) not in own and not arrays.on_device(each._array):
            raise capture.Refused("a result that is computed on the host")


def _refuse_leaves(value):
    """Refuses results that are neither Tensors nor plain values."""
    if isinstance(value, (tuple, list)):
        for each in value:
            _refuse_leaves(each)
    elif isinstance(value, dict):
        _refuse_leaves(list(value.values()))
    elif not isinstance(value, (Tensor, *PLAIN)):
        raise capture.Refused(f"a result of type '{type(value).__name__}'")


# Arguments ----------------------------------------------------------------------------------------


def _kind(value, owner):
    """What arguments must have in common to be given to one graph.

    Raises:
        Refused: one is neither a Tensor nor a plain value.
    """
    if value is owner:
        return "owner"
    if isinstance(value, Parameter):
        return id(value)
    if isinstance(value, Tensor):
        return value.shape, value._array.dtype, type(value._array)
    if isinstance(value, (tuple, list)):
        return type(value), tuple([_kind(each, owner) for each in value])
    if isinstance(value, dict):
        return tuple([(key, _kind(each, owner)) for key, each in value.items()])
    if isinstance(value, PLAIN):
        return type(value), value
    raise capture.Refused(f"an argument of type '{type(value).__name__}'")


def _inputs(args, kwargs):
    """The Tensors among arguments whose values are copied, and the Parameters."""
    found = [*tensors_in(args), *tensors_in(kwargs)]
    parameters = [each for each in found if isinstance(each, Parameter)]
    return [each for each in found if not isinstance(each, Parameter)], parameters


def _copied(tensor):
    """A Tensor of the same values in memory of its own; a Parameter as it is."""
    if isinstance(tensor, Parameter):
        return tensor
    return Tensor._wrap(tensor._array.copy())


# What a step relies on ----------------------------------------------------------------------------


def _is_cell(value):
    return hasattr(value, "_cell_plain")


def _has_hooks(cell):
    return any([getattr(cell, kind) for kind in HOOKS])


def _weakly(value):
    """A weak reference; of a method, to its object."""
    return weakref.ref(getattr(value, "__self__", value))


def _mode(reference):
    """What decides about how a Cell computes, apart from its parameters."""
    cell = reference()
    if cell is None:
        return None
    if cell._cell_plain and not cell._cell_updates:
        return cell.training, False, 0, False, None
    decay = id(cell.__dict__.get("weight_decay")) if cell._cell_updates else None
    precision = cell._cell_mixed_precision.value
    return cell.training, _has_hooks(cell), precision, bool(cell._recompute), decay


def _name(tensor):
    return getattr(tensor, "name", "a Tensor")


def _alike(one, other):
    return one.shape == other.shape and one.dtype == other.dtype


def _host_values(tensor):
    """A copy of an array of the host; None for one of a GPU."""
    array = tensor._array
    if arrays.on_device(array):
        return None
    if array.nbytes > MOST_ON_HOST:
        raise capture.Refused(f"'{_name(tensor)}', which lies on the host")
    return array.copy()


def _flag(parameter):
    return parameter._param_info.requires_grad


def _has_array(tensor):
    """True if the values of a Tensor are there: not put off, and not those of a vmap."""
    put_off = getattr(tensor, "has_init", False)
    return not put_off and type(tensor.__dict__.get("_array")) in arrays.SPACES


def reached(roots):
    """What is reached from objects and functions: attributes, elements, closures, and the globals
    that a function names.

    Raises:
        Refused: there is too much.
    """
    seen, pending = {}, list(roots)
    while pending:
        value = pending.pop()
        if id(value) in seen or isinstance(value, (*PLAIN, types.ModuleType)):
            continue
        seen[id(value)] = value
        if len(seen) > MOST_OBJECTS:
            raise capture.Refused("the many objects that it can reach")
        if not isinstance(value, Tensor):
            pending += _parts(value)
    return list(seen.values())


def _parts(value):
    if isinstance(value, (tuple, list, set, frozenset)):
        return value
    if isinstance(value, types.FunctionType):
        return _parts_of_function(value)
    if isinstance(value, types.MethodType):
        return value.__self__, value.__func__
    if isinstance(value, functools.partial):
        return value.func, *value.args, *value.keywords.values()
    found = list(value.values()) if isinstance(value, dict) else []
    found += getattr(value, "__dict__", {}).values()
    for kind in type(value).__mro__:
        if not _is_ours(kind) and kind.__module__ != "builtins" and _is_cell(value):
            found += [each for each in vars(kind).values() if isinstance(each, types.FunctionType)]
    return found


def _parts_of_function(function):
    found = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:  # it is not set yet
            continue
    if _is_ours(function):
        return found
    names = _names(function.__code__)
    for name in names:
        each = function.__globals__.get(name)
        if isinstance(each, types.ModuleType) and not each.__name__.startswith(_PACKAGE):
            found += [vars(each)[other] for other in names if other in vars(each)]
        else:
            found.append(each)
    return found


def _names(code):
    """The names in a function and in those that it defines."""
    inner = [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return {*code.co_names, *(name for each in inner for name in _names(each))}


_PACKAGE = __name__.partition(".")[0]


def _is_ours(value):
    """True for a function or class of this package, whose globals hold nothing of a script's."""
    return (value.__module__ or "").partition(".")[0] == _PACKAGE
