"""Runs a network once and records its computation as a graph of MindSpore's primitives.

Worked example. Of `construct(self, x): return ops.relu(x @ self.w)`

    graph = trace(net, [x])

runs the network on *Sketches*: arrays that have values and also a name in the graph. The bodies of
the ops treat them like any array (a Sketch provides its own `xp`, as a Batch does), and each
function of `xp` records the primitives that implement it:

    graph.nodes == [MatMul(x, w, False, False), Maximum(_, 0)]

A value that depends on no input is computed and becomes a constant. Loops and branches over Python
values are therefore followed. A branch over the values of a Sketch raises an error, because they
may differ in the next call.
"""

import functools
import inspect

import numpy as np

from ..._backend.arrays import SPACES, to_host, to_space
from ..._backend.catalogue import FUNCTIONS, LIBRARY
from ..._backend.host.taps import sum_of_taps
from ..._backend.space import implementation
from ..._core.autograd import vjp_rules
from ..._core.autograd.operators import with_operators
from ..._core.tensor.dtype import TYPE_IDS as NUMBERS
from ..._core.tensor.dtype import to_numpy
from ..._core.tensor.tensor import Tensor
from ...nn.cell import Cell

EMIT = {}  # name of a function of xp -> emit(b, out, *arguments), which records it


def emits(*names):
    """Declares how functions of `xp` become primitives.

    The arguments are the same as for the rules in _core/autograd/vjp_rules.py.
    """

    def declare(function):
        for name in names:
            EMIT[name] = function
        return function

    return declare


class Value:
    """A value in a graph: an input, a weight or the result of a node."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


class Node:
    """One primitive; its operands are Values, tuples of them, or constants."""

    __slots__ = ("op", "operands", "attributes", "result")

    def __init__(self, op, operands, attributes, result):
        self.op, self.operands, self.attributes, self.result = op, operands, attributes, result

    def __repr__(self):
        return f"{self.result} = {self.op}{self.operands}{self.attributes or ''}"


class Graph:
    """The nodes of a graph in order of execution, with its inputs, weights and outputs.

    Attributes:
        inputs: (Value, shape, dtype) of each.
        parameters: (Value, name, array) of each.
        nodes: the Nodes.
        outputs: Values, constants and tuples of them, as the network returned them.
        shapes: name of a Value -> (shape, dtype), where known.
    """

    def __init__(self, name):
        self.name = name
        self.inputs, self.parameters, self.nodes, self.outputs = [], [], [], None
        self.shapes = {}

    def __call__(self, op, *operands, **attributes):
        """Records a primitive and returns its result.

        `attributes` are for primitives whose attributes are separate from their operands.
        """
        result = Value(f"{op}_{len(self.nodes)}")
        self.nodes.append(Node(op, operands, attributes, result))
        return result

    def part(self, value, index):
        """Returns one of several results of a node."""
        return self("TupleGetItem", value, index)

    def note(self, value, array):
        """Stores the shape and dtype of a Value."""
        self.shapes[value.name] = (tuple(array.shape), array.dtype)
        return value

    # Helpers for emitters

    def operand(self, x, dtype=None):
        """Returns the Value of a Sketch, and an array or number as a constant; cast to `dtype`."""
        if type(x) is Sketch:
            return x.value if dtype is None or x.dtype == dtype else self.cast(x.value, dtype)
        if isinstance(x, Value):
            return x
        return np.asarray(to_host(x) if type(x) in SPACES else x, dtype)

    def cast(self, value, dtype):
        """Casts a Value to another dtype."""
        return self("Cast", value, TYPE_IDS[np.dtype(dtype)])

    def reshape(self, value, shape):
        """Returns a Value, or a constant array, with another shape."""
        if isinstance(value, np.ndarray):
            return value.reshape(shape)
        return self("Reshape", value, tuple(int(n) for n in shape))

    def transpose(self, value, axes):
        axes = tuple(int(a) for a in axes)
        return value if axes == tuple(range(len(axes))) else self("Transpose", value, axes)

    def broadcast(self, x, shape, dtype=None):
        """Returns `x` broadcast to `shape`."""
        if type(x) is not Sketch:
            return np.array(np.broadcast_to(self.operand(x, dtype), shape))
        value = self.operand(x, dtype)
        return value if x.shape == tuple(shape) else self("BroadcastTo", value, tuple(shape))


# NumPy's dtypes; arrays of other formats do not occur in graphs
TYPE_IDS = {
    to_numpy(dtype): number
    for dtype, number in NUMBERS.items()
    if not str(dtype).startswith(("Int4", "Float8", "HiFloat8"))
}


@with_operators
class Sketch:
    """An array whose computation is recorded; operators work on the array and record primitives."""

    __slots__ = ("array", "value", "space")
    __array_ufunc__ = None
    __hash__ = None

    shape = property(lambda self: self.array.shape)
    ndim = property(lambda self: self.array.ndim)
    size = property(lambda self: self.array.size)
    dtype = property(lambda self: self.array.dtype)
    itemsize = property(lambda self: self.array.itemsize)
    flags = property(lambda self: self.array.flags)
    T = property(lambda self: self.space.transpose(self))

    def __len__(self):
        return len(self.array)

    def astype(self, dtype, copy=True):
        return self.space.cast(self, dtype)

    def copy(self):
        return self

    def reshape(self, *shape):
        return self.space.reshape(self, shape[0] if len(shape) == 1 else shape)

    def __getitem__(self, index):
        return self.space.getitem(self, index)

    def __setitem__(self, index, value):
        raise RuntimeError(
            "For 'export', the network writes into a Tensor in place, which a graph does not hold."
        )

    def __bool__(self):
        raise _depends()

    def __int__(self):
        raise _depends()

    __float__ = __index__ = __int__

    def get(self):
        """Raises an error: a result computed outside the graph would be lost."""
        raise _depends()

    def __repr__(self):
        return f"Sketch({self.value}, {self.array!r})"


def _depends():
    return RuntimeError(
        "For 'export', what the network does depends on the values of a Tensor: a "
        "branch, asnumpy() or a Python number of it. A graph cannot hold that."
    )


# Functions whose gradients look up elements at constant indices; a graph must compute these.
_BY_INDEX = frozenset(("extremes", "extremes_so_far"))


class SketchSpace:
    """NumPy's functions on Sketches: each computes its result and records its primitives."""

    level = 1 << 20  # an op on Sketches and arrays computes in this space
    kernels = bodies = run_apart = None
    hides_axis = True  # so that a graph promotes by dtypes alone

    def __init__(self, base, graph):
        self.base, self.graph = base, graph
        # a graph computes in low precision without upcasting
        self.low_precision = frozenset()
        self.low_precision_products = self.low_precision_kernels = self.low_precision

    @property
    def module(self):
        return self.base.module

    def wrap(self, array, value):
        """Wraps `array` as the Sketch of a Value."""
        sketch = object.__new__(Sketch)
        sketch.array, sketch.value, sketch.space = array, self.graph.note(value, array), self
        return sketch

    def to_device(self, array):
        """Returns `array` on the device of the others; an argument that is not a Sketch becomes a
        constant."""
        return to_space(self.base, array) if type(array) in SPACES else array

    def asarray(self, value, dtype=None):
        """Returns `value` itself if it is a Sketch, else an array."""
        if type(value) is Sketch:
            return value if dtype is None else self.cast(value, dtype)
        return self.base.asarray(value, dtype)

    def apply_taps(self, x, taps):
        """Computes the product with a `Taps` matrix by selections and sums. A dense product would
        be wrong for infinite values of `x`."""
        return sum_of_taps(self, x, taps)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        entry = FUNCTIONS.get(name)
        if entry is None or entry.gradient == "plain" or name == "ogrid":
            function = getattr(self.base, name)  # raises AttributeError for an unknown name
        elif name in EMIT:
            function = functools.partial(self._call_emitter, name, EMIT[name])
        elif entry.gradient == "parts" and name not in _BY_INDEX:
            function = vjp_rules.parts_of(name).__get__(self)
        elif entry.home not in LIBRARY and not entry.opaque:
            function = implementation(name).__get__(self)
        else:
            function = functools.partial(self._constant, name)
        setattr(self, name, function)
        return function

    def _call_emitter(self, name, emit, *args, **kwargs):
        if not _sketches([args, list(kwargs.values())]):
            return self._compute(name, args, kwargs)
        out = self._compute(name, _bare(args), {k: _bare(v) for k, v in kwargs.items()})
        args = _in_order(name, args, kwargs)
        if isinstance(out, (tuple, list)):
            values = emit(self.graph, out, *args)
            return tuple(
                self._sketch_of(self.base.asarray(o), v) for o, v in zip(out, values, strict=True)
            )
        out = self.base.asarray(out)
        return self._sketch_of(out, emit(self.graph, out, *args))

    def is_batch(self, value):
        """Returns True: a graph has no separate slices."""
        return True

    def _sketch_of(self, array, value):
        """Returns a result as a Sketch, or as an array if it depends on no input."""
        return array if isinstance(value, np.ndarray) else self.wrap(array, value)

    def _compute(self, name, args, kwargs):
        return getattr(self.base, name)(*args, **kwargs)

    def _constant(self, name, *args, **kwargs):
        if _sketches([args, list(kwargs.values())]):
            raise RuntimeError(
                f"For 'export', the network uses '{name}', which cannot be part of a graph."
            )
        return getattr(self.base, name)(*args, **kwargs)


def _sketches(values):
    """Returns True if nested values contain a Sketch."""
    for value in values:
        if type(value) is Sketch:
            return True
        if isinstance(value, (tuple, list)) and _sketches(value):
            return True
        if isinstance(value, slice) and _sketches((value.start, value.stop, value.step)):
            return True
    return False


def _bare(value):
    if type(value) is Sketch:
        return value.array
    if isinstance(value, (tuple, list)):
        return type(value)(_bare(v) for v in value)
    return value


def _in_order(name, args, kwargs):
    """Returns the arguments by position, with the defaults of _core/autograd/vjp_rules.py."""
    primitive = vjp_rules.TABLE.get(name)
    if primitive is None:
        return (
            [*args, *kwargs.values()] if not kwargs else _arguments_of_emitter(name, args, kwargs)
        )
    binding = inspect.signature(primitive.signature).bind(*args, **kwargs)
    binding.apply_defaults()
    return list(binding.arguments.values())


def _arguments_of_emitter(name, args, kwargs):
    """Returns the arguments by position, with the defaults of the function's emitter."""
    binding = inspect.signature(EMIT[name]).bind(None, None, *args, **kwargs)
    binding.apply_defaults()
    return list(binding.arguments.values())[2:]


# The whole network --------------------------------------------------------------------------------


def _check_number(function, inputs):
    """Raises a TypeError if a function cannot be called with these inputs."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C have no signature
        return
    try:
        signature.bind(*inputs)
    except TypeError:
        name = getattr(function, "__qualname__", type(function).__name__)
        raise TypeError(
            f"For 'export', the inputs of {name}{signature} must follow the network, but got "
            f"{len(inputs)} inputs."
        ) from None


def trace(net, inputs):
    """Returns the graph of a network (or function) for inputs of these shapes and types.

    Args:
        net: a Cell, which runs in inference mode, or a function.
        inputs: Tensors, and tuples and lists of them; numbers and texts become constants.

    Raises:
        TypeError: if the network takes more or fewer inputs.
        RuntimeError: if the network does something that a graph cannot express.
    """
    is_cell = isinstance(net, Cell)
    _check_number(net.construct if is_cell else net, inputs)
    graph = Graph(type(net).__name__ if is_cell else getattr(net, "__name__", "graph"))
    first = next(iter(_tensors(inputs)), None)
    space = SketchSpace(SPACES[np.ndarray if first is None else type(first._array)], graph)
    params = [param for _, param in net.parameters_and_names()] if is_cell else []
    training = [cell for _, cell in net.cells_and_names() if cell.training] if is_cell else []
    operand = [param._array for param in params]
    try:
        if is_cell:
            net.set_train(False)
        for param, array in zip(params, operand, strict=True):
            value = Value(param.name)
            graph.parameters.append((value, param.name, array))
            param._array = space.wrap(array, value)
        arguments = [_as_input(space, value, f"x{i}") for i, value in enumerate(inputs)]
        graph.outputs = _as_output(net(*arguments))
    finally:
        for param, array in zip(params, operand, strict=True):
            param._array = array
        for cell in training:
            cell.add_flags(training=True)
    return graph


def _tensors(values):
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from _tensors(value)


def _as_input(space, argument, name):
    """Returns one argument of the network: a Tensor over a Sketch, or the given value."""
    if isinstance(argument, Tensor):
        array = argument._array
        value = Value(name)
        space.graph.inputs.append((value, tuple(array.shape), array.dtype))
        return Tensor._wrap(space.wrap(array, value))
    if isinstance(argument, (tuple, list)):
        return type(argument)(_as_input(space, g, f"{name}_{i}") for i, g in enumerate(argument))
    return argument


def _as_output(result):
    """Returns the result of the network with Values instead of Tensors."""
    if isinstance(result, Tensor):
        array = result._array
        return array.value if type(array) is Sketch else to_host(array)
    if isinstance(result, (tuple, list)):
        return tuple(_as_output(g) for g in result)
    if result is None or isinstance(result, (bool, int, float, str)):
        return result
    raise RuntimeError(
        f"For 'export', the network returns a {type(result).__name__}, which cannot be "
        "part of a graph."
    )
