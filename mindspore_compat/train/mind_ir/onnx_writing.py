"""A traced graph as an ONNX file.

ONNX has most of the primitives that a graph here consists of, under other names; the rest is put
together from several. What has no counterpart is refused by name.

Source: https://github.com/onnx/onnx/blob/main/docs/Operators.md, operator set 17.
"""

import numpy as np

from ..._io.mindir import CODES
from ..._io.protobuf import bytes_field, bytes_head, float_field, int_field
from .tracing import TYPE_IDS, Value

SUFFIX = ".onnx"
OPSET, IR_VERSION = 17, 8
TYPE_NUMBERS = {dtype: 11 if number == 17 else number for dtype, number in CODES.items()}
DTYPES = {number: dtype for dtype, number in TYPE_IDS.items()}
LAST = -(1 << 62)  # beyond the first element, for a slice that runs backwards

SAME = {  # primitives that are one operator
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
    """Declares how primitives become operators: rule(w, node, *operands) -> the result's name."""

    def declare(function):
        for name in names:
            RULES[name] = function
        return function

    return declare


def pieces_of(graph):
    """The bytes of an ONNX file, in pieces."""
    return Writer(graph).pieces()


class Writer:
    """Turns a Graph into the messages of ONNX."""

    def __init__(self, graph):
        self.graph, self.nodes, self.initializers = graph, [], []
        self.names, self.parts, self.count = {}, {}, 0
        self.made = {node.result.name: node for node in graph.nodes}

    def pieces(self):
        """The whole file."""
        graph = self.graph
        for value, name, array in graph.parameters:
            host = array if isinstance(array, np.ndarray) else array.get()
            self.names[value.name] = self._initializer(host, name)
        inputs = [_info(value.name, shape, dtype) for value, shape, dtype in graph.inputs]
        for value, _, _ in graph.inputs:
            self.names[value.name] = value.name
        for node in graph.nodes:
            self._translate(node)
        outputs = [self._output(value) for value in _flat(graph.outputs)]
        body = [bytes_field(1, node) for node in self.nodes] + [bytes_field(2, graph.name)]
        body += [piece for one in self.initializers for piece in one]
        body += [bytes_field(11, i) for i in inputs] + [bytes_field(12, o) for o in outputs]
        opset = int_field(2, OPSET)
        head = int_field(1, IR_VERSION) + bytes_field(2, "MindSpore") + bytes_field(8, opset)
        return [head, bytes_head(7, sum(map(len, body))), *body]

    def _translate(self, node):
        if node.op == "TupleGetItem":
            source, index = node.operands
            self.names[node.result.name] = self.parts[source.name][index]
            return
        if node.op in SAME:
            found = self(SAME[node.op], *node.operands)
        elif node.op in RULES:
            found = RULES[node.op](self, node, *node.operands)
        else:
            raise RuntimeError(
                f"For 'export', the network needs the primitive '{node.op}', which "
                "ONNX has not; a MINDIR file can hold it."
            )
        (self.parts if isinstance(found, tuple) else self.names)[node.result.name] = found

    def __call__(self, op, *operands, outputs=1, **attributes):
        """Adds an operator; returns the name of its result, or a tuple of names."""
        self.count += 1
        results = [f"{op}_{self.count}" + (f"_{i}" if outputs > 1 else "") for i in range(outputs)]
        message = b"".join(bytes_field(1, self.named(value)) for value in operands)
        message += b"".join(bytes_field(2, name) for name in results)
        message += bytes_field(3, f"{op}_{self.count}") + bytes_field(4, op)
        message += b"".join(bytes_field(5, _attribute(k, v)) for k, v in attributes.items())
        self.nodes.append(message)
        return tuple(results) if outputs > 1 else results[0]

    def named(self, value):
        """The name of an operand; a constant becomes an initializer."""
        if isinstance(value, str):
            return value
        if isinstance(value, Value):
            return self.names[value.name]
        return self._initializer(np.asarray(value), None)

    def _initializer(self, array, name):
        self.count += name is None
        name = name or f"constant_{self.count}"
        flat = np.ascontiguousarray(array).reshape(-1)
        head = b"".join(int_field(1, n) for n in array.shape)
        head += int_field(2, TYPE_NUMBERS[array.dtype]) + bytes_field(8, name)
        raw = memoryview(flat.view(np.uint8))
        head += bytes_head(9, len(raw))
        self.initializers.append([bytes_head(5, len(head) + len(raw)) + head, raw])
        return name

    def _output(self, value):
        if not isinstance(value, Value):
            array = np.asarray(value)
            return _info(self("Identity", array), array.shape, array.dtype)
        shape, dtype = self.graph.shapes[value.name]
        return _info(self("Identity", value), shape, dtype)

    def dtype(self, value):
        """The type of a Value or of a constant; one that was not noted follows from its node."""
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
    """A ValueInfo message."""
    dims = b"".join(bytes_field(1, int_field(1, n)) for n in shape)
    kind = int_field(1, TYPE_NUMBERS[np.dtype(dtype)]) + bytes_field(2, dims)
    return bytes_field(1, name) + bytes_field(2, bytes_field(1, kind))


def _attribute(name, value):
    """An Attribute message: a whole number, float, text or list of whole numbers."""
    head = bytes_field(1, name)
    if isinstance(value, str):
        return head + bytes_field(4, value) + int_field(20, 3)
    if isinstance(value, float):
        return head + float_field(2, value) + int_field(20, 1)
    if isinstance(value, (tuple, list)):
        return head + b"".join(int_field(8, int(v)) for v in value) + int_field(20, 7)
    return head + int_field(3, int(value)) + int_field(20, 2)


def whole(*numbers):
    """Whole numbers as ONNX takes them for shapes and axes."""
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
    """atan(y / x), half a turn further on the left: towards the side that y is on."""
    zero, turn = _number(w, x, 0), _number(w, x, np.pi)
    half = w("Where", w("Less", y, zero), w("Neg", turn), turn)
    angle = w("Atan", w("Div", y, x))
    angle = w("Where", w("Less", x, zero), w("Add", angle, half), angle)
    both = w("And", w("Equal", x, zero), w("Equal", y, zero))
    return w("Where", both, zero, angle)


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
    found = w("ArgMax" if node.op == "Argmax" else "ArgMin", x, axis=axis, keepdims=0)
    return w("Cast", found, to=TYPE_NUMBERS[DTYPES[number]])


@rule("CumSum")
def cumsum(w, node, x, axis, exclusive, reverse):
    return w("CumSum", x, whole(axis)[0], exclusive=exclusive, reverse=reverse)


@rule("MatMul", "BatchMatMul")
def matmul(w, node, x, y, *turned):
    return w("MatMul", x, y)


# Shapes -------------------------------------------------------------------------------------------

rule("Reshape")(lambda w, node, x, shape: w("Reshape", x, whole(*shape)))
rule("Transpose")(lambda w, node, x, axes: w("Transpose", x, perm=axes))
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
    more = [
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
        output_padding=more,
    )


@rule("MaxPool")
def max_pool(w, node, x):
    a = node.attributes
    return w("MaxPool", x, kernel_shape=a["kernel_size"][2:], strides=a["strides"][2:])
