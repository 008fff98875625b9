"""Writes a traced graph as an ONNX file.

ONNX has most of the primitives of a graph under other names; the others are composed of several
operators. A primitive without a counterpart raises an error that names it.

Source: https://github.com/onnx/onnx/blob/main/docs/Operators.md, operator set 17.
"""

import itertools

import numpy as np

from ..._io.mindir import CODES
from ..._io.protobuf import bytes_field, bytes_head, float_field, int_field
from .tracing import TYPE_IDS, Value

SUFFIX = ".onnx"
OPSET, IR_VERSION = 17, 8
TYPE_NUMBERS = {dtype: 11 if number == 17 else number for dtype, number in CODES.items()}
DTYPES = {number: dtype for dtype, number in TYPE_IDS.items()}
LAST = -(1 << 62)  # before the first element, for a slice that runs backwards

SAME = {  # primitives that correspond to one operator
    "Abs": "Abs",
    "Neg": "Neg",
    "Exp": "Exp",
    "Log": "Log",
    "Sqrt": "Sqrt",
    "Reciprocal": "Reciprocal",
    "Sin": "Sin",
    "Cos": "Cos",
    "Tan": "Tan",
    "Asin": "Asin",
    "ACos": "Acos",
    "Atan": "Atan",
    "Sinh": "Sinh",
    "Cosh": "Cosh",
    "Tanh": "Tanh",
    "Asinh": "Asinh",
    "Acosh": "Acosh",
    "Atanh": "Atanh",
    "Floor": "Floor",
    "Ceil": "Ceil",
    "Rint": "Round",
    "Sign": "Sign",
    "Erf": "Erf",
    "Sigmoid": "Sigmoid",
    "Softplus": "Softplus",
    "IsNan": "IsNaN",
    "IsInf": "IsInf",
    "Add": "Add",
    "Sub": "Sub",
    "Mul": "Mul",
    "Pow": "Pow",
    "Maximum": "Max",
    "Minimum": "Min",
    "LogicalAnd": "And",
    "LogicalOr": "Or",
    "LogicalXor": "Xor",
    "LogicalNot": "Not",
    "Equal": "Equal",
    "Less": "Less",
    "LessEqual": "LessOrEqual",
    "Greater": "Greater",
    "GreaterEqual": "GreaterOrEqual",
    "Select": "Where",
    "MatrixDeterminant": "Det",
}
LOGICAL = {
    "IsNan",
    "IsInf",
    "IsFinite",
    "Equal",
    "NotEqual",
    "Less",
    "LessEqual",
    "Greater",
    "GreaterEqual",
    "LogicalAnd",
    "LogicalOr",
    "LogicalXor",
    "LogicalNot",
}
RULES = {}


def rule(*names):
    """Registers how primitives become operators: rule(w, node, *operands) -> the result's name."""

    def declare(function):
        for name in names:
            RULES[name] = function
        return function

    return declare


class Operator:
    """One operator of the file: the names of its operands and results, and its attributes."""

    __slots__ = ("op", "operands", "results", "attributes")

    def __init__(self, op, operands, results, attributes):
        self.op, self.operands, self.results, self.attributes = op, operands, results, attributes

    def message(self):
        """Returns the operator as bytes."""
        content = b"".join(bytes_field(1, name) for name in self.operands)
        content += b"".join(bytes_field(2, name) for name in self.results)
        content += bytes_field(3, self.results[0]) + bytes_field(4, self.op)
        return content + b"".join(
            bytes_field(5, _attribute(*attribute)) for attribute in self.attributes.items()
        )


class Writer:
    """Converts a Graph to operators, and the operators to ONNX messages.

    Args:
        graph (Graph): the traced graph.
        input_names (Sequence[str]): names of the first inputs, in order; the others keep their
            names.
        output_names (Sequence[str]): names of the first outputs, likewise.

    Attributes:
        operators: the Operators in order of execution.
        constants, weights: {name: array}.
        inputs, outputs: (name, shape, dtype) of each. A length in a shape may be a text, which
            names it, or None.
    """

    def __init__(self, graph, input_names=(), output_names=()):
        self.graph, self.operators, self.constants, self.weights = graph, [], {}, {}
        self.names, self.parts, self.count = {}, {}, 0
        self.made = {node.result.name: node for node in graph.nodes}
        self.taken = {*input_names, *output_names, *(name for _, name, _ in graph.parameters)}
        for value, name, array in graph.parameters:
            self.weights[name] = array if isinstance(array, np.ndarray) else array.get()
            self.names[value.name] = name
        names = [*input_names, *(value.name for value, _, _ in graph.inputs[len(input_names) :])]
        self.inputs = []
        for (value, shape, dtype), name in zip(graph.inputs, names):
            self.names[value.name] = name
            self.inputs.append((name, shape, dtype))
        for node in graph.nodes:
            self._translate(node)
        names = itertools.chain(output_names, itertools.repeat(None))
        self.outputs = [self._output(v, name) for v, name in zip(_flat(graph.outputs), names)]

    def pieces(self, weights=True, as_inputs=False, external=None):
        """Yields the whole file in pieces of bytes.

        Args:
            weights (bool): whether the file contains the weights; otherwise they are inputs.
            as_inputs (bool): whether the weights are inputs too, so that they can be replaced.
            external (str): the file next to it that contains the weights.
        """
        initializers = [_tensor(name, array) for name, array in self.constants.items()]
        if weights:
            initializers += _tensors(self.weights, external)
        inputs = list(self.inputs)
        if as_inputs or not weights:
            inputs += [(name, array.shape, array.dtype) for name, array in self.weights.items()]
        body = [bytes_field(1, operator.message()) for operator in self.operators]
        body.append(bytes_field(2, self.graph.name))
        for head, raw in initializers:
            body += [bytes_head(5, len(head) + len(raw)) + head, raw]
        body += [bytes_field(11, _info(*info)) for info in inputs]
        body += [bytes_field(12, _info(*info)) for info in self.outputs]
        opset = int_field(2, OPSET)
        head = int_field(1, IR_VERSION) + bytes_field(2, "MindSpore") + bytes_field(8, opset)
        return [head, bytes_head(7, sum(map(len, body))), *body]

    def _translate(self, node):
        if node.op == "TupleGetItem":
            source, index = node.operands
            self.names[node.result.name] = self.parts[source.name][index]
            return
        if node.op in SAME:
            result = self(SAME[node.op], *node.operands)
        elif node.op in RULES:
            result = RULES[node.op](self, node, *node.operands)
        else:
            raise RuntimeError(
                f"For 'export', the network needs the primitive '{node.op}', which "
                "ONNX has not; a MINDIR file can hold it."
            )
        (self.parts if isinstance(result, tuple) else self.names)[node.result.name] = result

    def __call__(self, op, *operands, outputs=1, **attributes):
        """Adds an operator; returns the name of its result, or a tuple of names."""
        operands = [self.named(value) for value in operands]
        stem = self._fresh(op)
        results = [stem + (f"_{i}" if outputs > 1 else "") for i in range(outputs)]
        self.operators.append(Operator(op, operands, results, attributes))
        return tuple(results) if outputs > 1 else results[0]

    def _fresh(self, stem):
        """Returns an unused name."""
        self.count += 1
        while f"{stem}_{self.count}" in self.taken:
            self.count += 1
        return f"{stem}_{self.count}"

    def named(self, value):
        """Returns the name of an operand; a constant becomes an initializer."""
        if isinstance(value, str):
            return value
        if isinstance(value, Value):
            return self.names[value.name]
        name = self._fresh("constant")
        self.constants[name] = np.asarray(value)
        return name

    def _output(self, value, name):
        if isinstance(value, Value):
            shape, dtype = self.graph.shapes[value.name]
        else:
            value = np.asarray(value)
            shape, dtype = value.shape, value.dtype
        name = name or self._fresh("Identity")
        self.operators.append(Operator("Identity", [self.named(value)], [name], {}))
        return name, shape, dtype

    def dtype(self, value):
        """Returns the type of a Value or of a constant; if not recorded, it is derived from the
        node."""
        if not isinstance(value, Value):
            return np.asarray(value).dtype
        if value.name in self.graph.shapes:
            return self.graph.shapes[value.name][1]
        node = self.made[value.name]
        if node.op == "Cast":
            return DTYPES[node.operands[1]]
        if node.op in LOGICAL:
            return np.dtype(bool)
        return self.dtype(node.operands[1 if node.op == "Select" else 0])


def _flat(outputs):
    if isinstance(outputs, tuple):
        for value in outputs:
            yield from _flat(value)
    elif outputs is not None:
        yield outputs


def _info(name, shape, dtype):
    """Returns a ValueInfo message; a length that is not a number is named or unknown."""
    dims = b"".join(bytes_field(1, _length(n)) for n in shape)
    kind = int_field(1, TYPE_NUMBERS[np.dtype(dtype)]) + bytes_field(2, dims)
    return bytes_field(1, name) + bytes_field(2, bytes_field(1, kind))


def _length(n):
    if n is None:
        return b""
    return bytes_field(2, n) if isinstance(n, str) else int_field(1, n)


def _tensor(name, array):
    """Returns a Tensor message: its head, and the bytes of its values, which come last."""
    raw = memoryview(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
    return _tensor_head(name, array) + bytes_head(9, len(raw)), raw


def _tensor_head(name, array):
    head = b"".join(int_field(1, n) for n in array.shape)
    return head + int_field(2, TYPE_NUMBERS[array.dtype]) + bytes_field(8, name)


def _tensors(weights, external):
    """Returns Tensor messages of weights; with `external`, another file contains the values."""
    if external is None:
        return [_tensor(name, array) for name, array in weights.items()]
    messages, at = [], 0
    for name, array in weights.items():
        place = {"location": external, "offset": at, "length": array.nbytes}
        entries = (bytes_field(1, key) + bytes_field(2, str(v)) for key, v in place.items())
        head = _tensor_head(name, array) + b"".join(bytes_field(13, entry) for entry in entries)
        messages.append((head + int_field(14, 1), b""))
        at += array.nbytes
    return messages


def _attribute(name, value):
    """Returns an Attribute message: an int, a float, a text or a list of ints."""
    head = bytes_field(1, name)
    if isinstance(value, str):
        return head + bytes_field(4, value) + int_field(20, 3)
    if isinstance(value, float):
        return head + float_field(2, value) + int_field(20, 1)
    if isinstance(value, (tuple, list)):
        return head + b"".join(int_field(8, int(v)) for v in value) + int_field(20, 7)
    return head + int_field(3, int(value)) + int_field(20, 2)


def whole(*numbers):
    """Returns integers in the form that ONNX expects for shapes and axes."""
    return np.array(numbers, np.int64)


# Arithmetic ---------------------------------------------------------------------------------------


@rule("RealDiv")
def real_div(w, node, x, y):
    return w("Div", x, y)


@rule("FloorDiv")
def floor_div(w, node, x, y):
    dtype = w.dtype(x)
    if dtype.kind == "f":
        return w("Floor", w("Div", x, y))
    x, y = (w("Cast", v, to=11) for v in (x, y))
    return w("Cast", w("Floor", w("Div", x, y)), to=TYPE_NUMBERS[dtype])


@rule("FloorMod")
def floor_mod(w, node, x, y):
    if w.dtype(x).kind != "f":
        return w("Mod", x, y, fmod=0)
    return w("Sub", x, w("Mul", w("Floor", w("Div", x, y)), y))


@rule("Mod")
def mod(w, node, x, y):
    return w("Mod", x, y, fmod=1)


@rule("NotEqual")
def not_equal(w, node, x, y):
    return w("Not", w("Equal", x, y))


def _number(w, x, value):
    return np.array(value, w.dtype(x))


rule("Square")(lambda w, node, x: w("Mul", x, x))
rule("Rsqrt")(lambda w, node, x: w("Reciprocal", w("Sqrt", x)))
rule("Expm1")(lambda w, node, x: w("Sub", w("Exp", x), _number(w, x, 1)))
rule("Log1p")(lambda w, node, x: w("Log", w("Add", x, _number(w, x, 1))))
rule("Erfc")(lambda w, node, x: w("Sub", _number(w, x, 1), w("Erf", x)))
rule("Trunc")(lambda w, node, x: w("Mul", w("Sign", x), w("Floor", w("Abs", x))))
rule("IsFinite")(lambda w, node, x: w("Not", w("Or", w("IsNaN", x), w("IsInf", x))))
rule("Conj")(lambda w, node, x: w("Identity", x))


@rule("Xlogy")
def xlogy(w, node, x, y):
    zero = _number(w, x, 0)
    return w("Where", w("Equal", x, zero), zero, w("Mul", x, w("Log", y)))


@rule("Atan2")
def atan2(w, node, y, x):
    """Adds atan(y / x), plus or minus pi if x is negative, according to the sign of y."""
    zero, turn = _number(w, x, 0), _number(w, x, np.pi)
    half = w("Where", w("Less", y, zero), w("Neg", turn), turn)
    angle = w("Atan", w("Div", y, x))
    angle = w("Where", w("Less", x, zero), w("Add", angle, half), angle)
    both_zero = w("And", w("Equal", x, zero), w("Equal", y, zero))
    return w("Where", both_zero, zero, angle)


@rule("Cast")
def cast(w, node, x, number):
    return w("Cast", x, to=TYPE_NUMBERS[DTYPES[number]])


# Reductions and products --------------------------------------------------------------------------


@rule("ReduceSum")
def reduce_sum(w, node, x, axes, keepdims, skip):
    return w("ReduceSum", x, whole(*axes), keepdims=keepdims)


@rule("ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd")
def reduce(w, node, x, axes, keepdims):
    return w(node.op, x, axes=axes, keepdims=keepdims)


@rule("ReduceAll", "ReduceAny")
def reduce_logical(w, node, x, axes, keepdims):
    op = "ReduceMin" if node.op == "ReduceAll" else "ReduceMax"
    return w("Cast", w(op, w("Cast", x, to=6), axes=axes, keepdims=keepdims), to=9)


@rule("Argmax", "Argmin")
def arg(w, node, x, axis, number):
    index = w("ArgMax" if node.op == "Argmax" else "ArgMin", x, axis=axis, keepdims=0)
    return w("Cast", index, to=TYPE_NUMBERS[DTYPES[number]])


@rule("CumSum")
def cumsum(w, node, x, axis, exclusive, reverse):
    return w("CumSum", x, whole(axis)[0], exclusive=exclusive, reverse=reverse)


@rule("MatMul", "BatchMatMul")
def matmul(w, node, x, y, *turned):
    return w("MatMul", x, y)


# Shapes -------------------------------------------------------------------------------------------

rule("Reshape")(lambda w, node, x, shape: w("Reshape", x, whole(*shape)))
rule("Transpose")(lambda w, node, x, axes: w("Transpose", x, perm=axes))
rule("OnesLike")(lambda w, node, x: w("Pow", x, np.zeros((), w.dtype(x))))
rule("BroadcastTo")(lambda w, node, x, shape: w("Expand", x, whole(*shape)))
rule("Tile")(lambda w, node, x, reps: w("Tile", x, whole(*reps)))
rule("Concat")(lambda w, node, parts, axis: w("Concat", *parts, axis=axis))
rule("Gather")(lambda w, node, x, index, axis, batch: w("Gather", x, index, axis=axis))
rule("GatherD")(lambda w, node, x, axis, index: w("GatherElements", x, index, axis=axis))


@rule("StridedSlice")
def strided_slice(w, node, x, begin, end, step, *masks):
    return w("Slice", x, whole(*begin), whole(*end), whole(*range(len(begin))), whole(*step))


@rule("ReverseV2")
def reverse(w, node, x, axes):
    count = len(axes)
    return w(
        "Slice", x, whole(*[-1] * count), whole(*[LAST] * count), whole(*axes), whole(*[-1] * count)
    )


@rule("Sort")
def sort(w, node, x):
    axis = node.attributes["axis"]
    length = w.graph.shapes[x.name][0][axis]
    return w(
        "TopK",
        x,
        whole(length),
        outputs=2,
        axis=axis,
        largest=node.attributes["descending"],
        sorted=1,
    )


@rule("TopK")
def top_k(w, node, x, k):
    return w("TopK", x, whole(k), outputs=2, axis=-1, largest=1, sorted=1)


def _scatter(w, x, indices, values, **attributes):
    if not isinstance(indices, np.ndarray):
        indices = w("Cast", indices, to=7)
    else:
        indices = indices.astype(np.int64)
    return w("ScatterND", x, indices, values, **attributes)


rule("TensorScatterUpdate")(lambda w, node, x, at, values: _scatter(w, x, at, values))
rule("TensorScatterAdd")(lambda w, node, x, at, values: _scatter(w, x, at, values, reduction="add"))


# Windows ------------------------------------------------------------------------------------------


def _pads(pairs):
    return tuple(pairs[::2]) + tuple(pairs[1::2])


@rule("Conv2D", "Conv3D")
def conv(w, node, x, weight):
    a = node.attributes
    return w(
        "Conv",
        x,
        weight,
        kernel_shape=a["kernel_size"],
        strides=a["stride"][2:],
        pads=_pads(a["pad"]),
        dilations=a["dilation"][2:],
        group=a["group"],
    )


@rule("Conv2DTranspose")
def conv_transpose(w, node, y, weight, shape):
    a, size = node.attributes, w.graph.shapes[y.name][0][2:]
    stride, dilation = a["stride"][2:], a["dilation"][2:]
    begin, end = a["pad"][::2], a["pad"][1::2]
    extra = [
        n - ((m - 1) * s + d * (k - 1) + 1 - before - after)
        for n, m, s, d, k, before, after in zip(
            shape[2:], size, stride, dilation, a["kernel_size"], begin, end, strict=True
        )
    ]
    return w(
        "ConvTranspose",
        y,
        weight,
        kernel_shape=a["kernel_size"],
        strides=stride,
        pads=_pads(a["pad"]),
        dilations=dilation,
        group=a["group"],
        output_padding=extra,
    )


@rule("MaxPool")
def max_pool(w, node, x):
    a = node.attributes
    return w("MaxPool", x, kernel_shape=a["kernel_size"][2:], strides=a["strides"][2:])
