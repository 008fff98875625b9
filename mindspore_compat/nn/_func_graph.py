"""FuncGraph: a graph loaded from a MindIR file, and the computation of its nodes.

A node names a primitive. Its operands are, in order, the inputs and the constructor arguments of
the primitive of `ops`; older primitives store the constructor arguments separately, as attributes.
If `ops` has only a function for a primitive, the function is found by name. `_io/mindir.py` reads
the file.
"""

import importlib
import inspect
import re

import numpy as np

from .._backend.arrays import to_current
from .._core.tensor import dtype as dtypes
from .._core.tensor.tensor import Tensor
from .._io import mindir
from ..common.parameter import _new_parameter

# Attributes whose numbers stand for a dtype, a layout or a padding mode.
_TYPE_OF = {
    30: dtypes.bool_,
    32: dtypes.int8,
    33: dtypes.int16,
    34: dtypes.int32,
    35: dtypes.int64,
    37: dtypes.uint8,
    38: dtypes.uint16,
    39: dtypes.uint32,
    40: dtypes.uint64,
    42: dtypes.float16,
    43: dtypes.float32,
    44: dtypes.float64,
    45: dtypes.bfloat16,
    51: dtypes.complex64,
    52: dtypes.complex128,
}
_ENUMS = {
    "dtype": _TYPE_OF,
    "output_type": _TYPE_OF,
    "dst_type": _TYPE_OF,
    "pad_mode": {0: "pad", 1: "same", 2: "valid"},
    "data_format": {0: "NCHW", 1: "NHWC", 2: "NCDHW"},
    "format": {0: "NCHW", 1: "NHWC"},
    "reduction": {0: "sum", 1: "mean", 2: "none"},
}
# Sizes that are stored for all axes, but passed for the spatial axes only.
_SPATIAL = {"kernel_size", "stride", "strides", "dilation", "dilations"}
_RENAMED = {"format": "data_format", "strides": "stride", "dilations": "dilation"}


class FuncGraph:
    """A graph loaded from a MindIR file, which can be run.

    Attributes:
        parameters: its weights: Parameters by name.
        inputs: (name, shape, MindSpore type) of each input.
    """

    def __init__(self, model, folder=None):
        graph = model.graph
        if graph is None or len(graph.output) != 1:
            raise ValueError("it holds no graph with one output")
        if model.functions:
            raise ValueError(
                "its graph has branches or loops over values, which cannot be run here"
            )
        self.name = graph.name or ""
        self.parameters, self._weights = {}, {}
        for message in graph.parameter:
            parameter = _new_parameter(to_current(mindir.array_of(message, folder)))
            parameter.name = message.ref_key or message.name
            self.parameters[parameter.name] = parameter
            self._weights[message.name] = parameter.name
        self.inputs = [
            (info.name, tuple(info.tensor[0].dims if info.tensor else ())) for info in graph.input
        ]
        primitives = {p.name: p for p in model.primitives}
        self._steps = [_step(node, primitives, folder) for node in graph.node]
        self._result = graph.output[0].name

    def __call__(self, *inputs):
        """Runs the graph. A list or tuple stands for its members, which are separate inputs if the
        graph was exported here.

        Raises:
            RuntimeError: if the number of inputs, or a shape, differs from the graph's.
        """
        if len(inputs) != len(self.inputs):
            inputs = tuple(_flat(inputs))
        if len(inputs) != len(self.inputs):
            raise RuntimeError(
                f"The graph {self.name!r} takes {len(self.inputs)} inputs, but got {len(inputs)}."
            )
        values = {name: self.parameters[weight_name] for name, weight_name in self._weights.items()}
        for (name, shape), value in zip(self.inputs, inputs, strict=True):
            if isinstance(value, Tensor) and not _fits(value.shape, shape):
                raise RuntimeError(
                    f"The graph {self.name!r} was made for {name!r} of shape "
                    f"{shape}, but got {value.shape}."
                )
            values[name] = value
        for target, operands, function in self._steps:
            values[target] = function(*[values[name] for name in operands])
        return values[self._result]

    def __repr__(self):
        return f"FuncGraph({self.name!r}, {len(self._steps)} nodes)"


def _flat(values):
    """Returns the members of nested lists and tuples as a flat sequence, in order."""
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from _flat(value)
        else:
            yield value


def _fits(shape, made_for):
    """Returns True if a shape matches the shape of an input of the graph. A length of -1 or less
    matches any length.
    """
    return (
        made_for == ()
        or -2 in made_for
        or (
            len(shape) == len(made_for)
            and all(m < 0 or n == m for n, m in zip(shape, made_for, strict=True))
        )
    )


def _step(node, primitives, folder):
    """Returns (result name, operand names, function) of one node."""
    target = node.output[0]
    if node.op_type == "Constant":
        value = mindir.value_of(node.attribute[0], folder)
        if isinstance(value, np.ndarray):
            value = Tensor._wrap(to_current(value))
        return target, [], lambda: value
    primitive = primitives.get(node.op_type.removeprefix("REF::"))
    if primitive is None:
        raise ValueError(f"its node {node.name!r} calls {node.op_type!r}, which is no primitive")
    return target, node.input, _function(primitive, len(node.input))


_STRUCTURE = {
    "MakeTuple": lambda *parts: tuple(parts),
    "MakeList": lambda *parts: list(parts),
    "TupleGetItem": lambda parts, index: parts[int(index)],
    "ListGetItem": lambda parts, index: parts[int(index)],
    "Load": lambda weight, *_: weight,
    "Depend": lambda value, *_: value,
    "UpdateState": lambda *_: None,
    "Return": lambda value: value,
    "identity": lambda value: value,
    "StopGradient": lambda value: value,
}


def _function(primitive, count):
    """Returns the function that computes a primitive with that number of operands."""
    name = primitive.op_type
    if name in _STRUCTURE:
        return _STRUCTURE[name]
    if not (name.isascii() and name.isidentifier()):  # no lookup, which might import a module
        raise ValueError(f"its primitive {name!r} is not known here")
    cls = getattr(importlib.import_module("..ops", __package__), name, None)
    if inspect.isclass(cls):
        if primitive.prim_type == mindir.PRIMITIVE and primitive.attribute:
            return _made_with_attributes(cls, primitive)
        return _made_with_operands(cls, count)
    function = _by_name(name)
    if function is None:
        raise ValueError(f"its primitive {name!r} is not known here")
    return _called_in_order(function)


def _parameters(function):
    return [p for p in inspect.signature(function).parameters.values() if p.name != "self"]


def _made_with_attributes(cls, primitive):
    """Returns a function for a primitive whose attributes are stored separately from its
    operands."""
    attributes = {a.name: _plain(a) for a in primitive.attribute}
    names = {p.name for p in _parameters(cls.__init__)}
    arguments = {}
    for key, value in attributes.items():
        target = key if key in names else _RENAMED.get(key)
        if target in names and value is not None:
            if key in _SPATIAL and isinstance(value, tuple) and len(value) > 3:
                value = value[2:]
            arguments.setdefault(target, _convert(key, value))
    return cls(**arguments)


def _plain(message):
    """Returns the value of an attribute, or None if only MindSpore understands it."""
    try:
        return mindir.value_of(message)
    except ValueError:
        return None


def _convert(name, value):
    """Converts an attribute to the form that constructors accept."""
    if name == "pad_mode" and isinstance(value, str):
        return value.lower()
    return _ENUMS.get(name, {}).get(value, value) if isinstance(value, int) else value


def _made_with_operands(cls, count):
    """Returns a function of all operands: the inputs of the call, then the constructor
    arguments."""
    calling = [p.name for p in _parameters(cls.__call__)]
    making = [p.name for p in _parameters(cls.__init__)]
    call_count = len(calling)

    def inputs(operands):
        return [_convert(name, value) for name, value in zip(calling, operands, strict=False)]

    if "args" in making or count <= call_count:
        instance = cls()
        return lambda *operands: instance(*inputs(operands))
    cells = {}

    def run(*operands):
        settings = tuple(
            _convert(name, value)
            for name, value in zip(making, operands[call_count:], strict=False)
        )
        key = repr(settings)
        if key not in cells:
            cells[key] = cls(*settings)
        return cells[key](*inputs(operands))

    return run


def _by_name(name):
    """Returns the function of `ops` that implements a primitive for which `ops` has no class."""
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", name.removesuffix("Ext")).lower()
    for path in ("..mint", "..ops", "..mint.nn.functional"):
        try:
            module = importlib.import_module(path, __package__)
        except ModuleNotFoundError:
            continue
        function = getattr(module, snake, None)
        if inspect.isfunction(function):
            return function
    return None


_FUNCTIONS = {
    "Muls": lambda x, number: x * number,
    "Adds": lambda x, number: x + number,
    "Divs": lambda x, number: x / number,
    "Subs": lambda x, number: x - number,
    "ScalarToTensor": lambda number, dtype=43: Tensor(number, _TYPE_OF[dtype]),
    "TensorToTuple": lambda x: tuple(x.asnumpy().tolist()),
    "TensorToScalar": lambda x: x.item(),
    "Shape": lambda x: x.shape,
}


def _called_in_order(function):
    """Returns `function` as one that takes all operands by position, also those for keyword-only
    parameters."""
    parameters = _parameters(function)
    positional = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
    keyword_names = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]

    def run(*operands):
        plain = [_convert(name, value) for name, value in zip(positional, operands, strict=False)]
        rest = operands[len(positional) :]
        plain += operands[len(plain) : len(operands) - len(rest)]
        keywords = {
            name: _convert(name, value) for name, value in zip(keyword_names, rest, strict=False)
        }
        return function(*plain, **keywords)

    return run
