"""Emitters of arithmetic, comparisons, reductions and products as primitives.

An emitter `emit(b, out, *arguments)` receives the graph under construction, the computed result and
the arguments of the function of `xp`; it returns the Value of the result. Operands are cast to the
type in which NumPy computes. Shapes, indexing and scatters are in `shapes.py`, convolution and
pooling in `windows.py`.
"""

import math

import numpy as np

from .tracing import TYPE_IDS, Sketch, emits

UNARY = {
    "abs": "Abs",
    "negative": "Neg",
    "exp": "Exp",
    "expm1": "Expm1",
    "log": "Log",
    "log1p": "Log1p",
    "sqrt": "Sqrt",
    "rsqrt": "Rsqrt",
    "square": "Square",
    "reciprocal": "Reciprocal",
    "sin": "Sin",
    "cos": "Cos",
    "tan": "Tan",
    "arcsin": "Asin",
    "arccos": "ACos",
    "arctan": "Atan",
    "sinh": "Sinh",
    "cosh": "Cosh",
    "tanh": "Tanh",
    "arcsinh": "Asinh",
    "arccosh": "Acosh",
    "arctanh": "Atanh",
    "floor": "Floor",
    "ceil": "Ceil",
    "rint": "Rint",
    "trunc": "Trunc",
    "sign": "Sign",
    "erf": "Erf",
    "erfc": "Erfc",
    "erfinv": "Erfinv",
    "gammaln": "Lgamma",
    "digamma": "Digamma",
    "sigmoid": "Sigmoid",
    "softplus": "Softplus",
    "conj": "Conj",
    "i0": "BesselI0",
    "i0e": "BesselI0e",
    "i1": "BesselI1",
    "i1e": "BesselI1e",
    "j0": "BesselJ0",
    "j1": "BesselJ1",
    "k0": "BesselK0",
    "k0e": "BesselK0e",
    "k1": "BesselK1",
    "k1e": "BesselK1e",
    "y0": "BesselY0",
    "y1": "BesselY1",
}
WHOLE_AS_IT_IS = {"floor", "ceil", "rint", "trunc"}  # these return integers unchanged
TESTS = {"isnan": "IsNan", "isinf": "IsInf", "isfinite": "IsFinite"}
BINARY = {
    "add": "Add",
    "subtract": "Sub",
    "multiply": "Mul",
    "divide": "RealDiv",
    "floor_divide": "FloorDiv",
    "remainder": "FloorMod",
    "mod": "FloorMod",
    "fmod": "Mod",
    "power": "Pow",
    "maximum": "Maximum",
    "minimum": "Minimum",
    "at_least": "Maximum",
    "at_most": "Minimum",
    "arctan2": "Atan2",
    "xlogy": "Xlogy",
    "gammainc": "Igamma",
    "gammaincc": "Igammac",
    "zeta": "Zeta",
    "bitwise_and": "BitwiseAnd",
    "bitwise_or": "BitwiseOr",
    "bitwise_xor": "BitwiseXor",
}
COMPARISONS = {
    "equal": "Equal",
    "not_equal": "NotEqual",
    "less": "Less",
    "less_equal": "LessEqual",
    "greater": "Greater",
    "greater_equal": "GreaterEqual",
}
LOGICAL = {"logical_and": "LogicalAnd", "logical_or": "LogicalOr", "logical_xor": "LogicalXor"}
LOGICAL_OF_BITS = {
    "bitwise_and": "LogicalAnd",
    "bitwise_or": "LogicalOr",
    "bitwise_xor": "LogicalXor",
}


def _declare():
    for name, op in UNARY.items():
        emits(name)(_unary(name, op))
    for name, op in TESTS.items():
        emits(name)(_test(op))
    for name, op in BINARY.items():
        emits(name)(_binary(name, op))
    for name, op in COMPARISONS.items():
        emits(name)(_comparison(op))
    for name, op in LOGICAL.items():
        emits(name)(lambda b, out, x, y, op=op: b(op, b.operand(x, bool), b.operand(y, bool)))
    for name, op in REDUCTIONS.items():
        emits(name)(_reduction(op))


def _unary(name, op):
    def emit(b, out, x):
        if name in WHOLE_AS_IT_IS and x.dtype.kind in "biu":
            return b.operand(x)
        return b(op, b.operand(x, out.dtype if x.dtype.kind in "biu" else None))

    return emit


def _test(op):
    def emit(b, out, x):
        if x.dtype.kind in "biu":
            return np.full(x.shape, op == "IsFinite")
        return b(op, b.operand(x))

    return emit


def _binary(name, op):
    def emit(b, out, x, y):
        if out.dtype == bool and name in LOGICAL_OF_BITS:
            return b(LOGICAL_OF_BITS[name], b.operand(x, bool), b.operand(y, bool))
        return b(op, b.operand(x, out.dtype), b.operand(y, out.dtype))

    return emit


def _comparison(op):
    def emit(b, out, x, y):
        dtype = np.result_type(_type_or_number(x), _type_or_number(y))
        return b(op, b.operand(x, dtype), b.operand(y, dtype))

    return emit


def _type_or_number(x):
    """Returns the operand of type promotion: a dtype, or a Python number, which is weak."""
    return x.dtype if hasattr(x, "dtype") else x


@emits("logical_not", "invert")
def logical_not(b, out, x):
    if out.dtype != bool:
        return b("Sub", np.array(-1, out.dtype), b.operand(x))  # inverts all bits
    return b("LogicalNot", b.operand(x, bool))


@emits("positive", "ascontiguousarray", "array", "stop")
def same(b, out, x, *_):
    return b.operand(x)


@emits("cast")
def cast(b, out, x, dtype):
    return b.operand(x, out.dtype)


@emits("exp2")
def exp2(b, out, x):
    return b("Pow", np.array(2, out.dtype), b.operand(x, out.dtype))


def _logarithm(base):
    def emit(b, out, x):
        return b("Mul", b("Log", b.operand(x, out.dtype)), np.array(1 / math.log(base), out.dtype))

    return emit


emits("log2")(_logarithm(2))
emits("log10")(_logarithm(10))


def _times(factor):
    return lambda b, out, x: b("Mul", b.operand(x, out.dtype), np.array(factor, out.dtype))


emits("deg2rad")(_times(math.pi / 180))
emits("rad2deg")(_times(180 / math.pi))


@emits("logaddexp")
def logaddexp(b, out, x, y):
    x, y = b.operand(x, out.dtype), b.operand(y, out.dtype)
    apart = b("Exp", b("Neg", b("Abs", b("Sub", x, y))))
    return b("Add", b("Maximum", x, y), b("Log1p", apart))


@emits("fmax")
def fmax(b, out, x, y):
    return _ignoring_nan(b, out, x, y, "Maximum")


@emits("fmin")
def fmin(b, out, x, y):
    return _ignoring_nan(b, out, x, y, "Minimum")


def _ignoring_nan(b, out, x, y, op):
    first, second = (b.broadcast(v, out.shape, out.dtype) for v in (x, y))
    values = b(op, first, second)
    if out.dtype.kind != "f":
        return values
    values = b("Select", b("IsNan", first), second, values)
    return b("Select", b("IsNan", second), first, values)


@emits("hypot")
def hypot(b, out, x, y):
    x, y = b.operand(x, out.dtype), b.operand(y, out.dtype)
    return b("Sqrt", b("Add", b("Square", x), b("Square", y)))


@emits("copysign")
def copysign(b, out, x, y):
    size = b("Abs", b.operand(x, out.dtype))
    negative = b("Less", b.operand(y, out.dtype), np.array(0, out.dtype))
    sign = b(
        "Sub", np.array(1, out.dtype), b("Mul", np.array(2, out.dtype), b.cast(negative, out.dtype))
    )
    return b("Mul", size, sign)


@emits("logit")
def logit(b, out, x):
    x = b.operand(x, out.dtype)
    return b("Log", b("RealDiv", x, b("Sub", np.array(1, out.dtype), x)))


@emits("polygamma")
def polygamma(b, out, n, x):
    return b("Polygamma", b.operand(n, np.int64), b.operand(x))


@emits("round")
def round_values(b, out, x, decimals=0):
    if x.dtype.kind in "biu":
        return b.operand(x)
    scale = np.array(10.0**decimals, x.dtype)
    return (
        b("RealDiv", b("Rint", b("Mul", b.operand(x), scale)), scale)
        if decimals
        else b("Rint", b.operand(x))
    )


@emits("real")
def real(b, out, x):
    return b("Real", b.operand(x)) if x.dtype.kind == "c" else b.operand(x)


@emits("imag")
def imag(b, out, x):
    return b("Imag", b.operand(x)) if x.dtype.kind == "c" else np.zeros(x.shape, out.dtype)


@emits("from_parts")
def from_parts(b, out, x, y):
    return b("Complex", b.operand(x), b.operand(y))


@emits("angle")
def angle(b, out, x):
    return b("Angle", b.operand(x))


@emits("where")
def where(b, out, condition, x, y):
    return b(
        "Select",
        b.broadcast(condition, out.shape, bool),
        b.broadcast(x, out.shape, out.dtype),
        b.broadcast(y, out.shape, out.dtype),
    )


@emits("clip")
def clip(b, out, x, low, high):
    value = b.operand(x, out.dtype)
    if low is not None:
        value = b("Maximum", value, b.operand(low, out.dtype))
    return value if high is None else b("Minimum", value, b.operand(high, out.dtype))


@emits("nan_to_num")
def nan_to_num(b, out, x, copy=True, nan=0.0, posinf=None, neginf=None):
    value, info = b.operand(x), np.finfo(x.dtype)

    def replace(value, test, by):
        return b("Select", test, np.full(x.shape, by, x.dtype), value)

    value = replace(value, b("IsNan", value), nan)
    value = replace(
        value, b("Equal", value, np.array(np.inf, x.dtype)), info.max if posinf is None else posinf
    )
    return replace(
        value, b("Equal", value, np.array(-np.inf, x.dtype)), info.min if neginf is None else neginf
    )


# Reductions ---------------------------------------------------------------------------------------

REDUCTIONS = {
    "sum": "ReduceSum",
    "mean": "ReduceMean",
    "prod": "ReduceProd",
    "max": "ReduceMax",
    "min": "ReduceMin",
}


def axes_of(axis, ndim):
    """Returns an axis, several or None as a tuple of axes."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(a % ndim for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))


def _reduction(op):
    def emit(b, out, x, axis=None, keepdims=False):
        return reduce_value(b, op, b.operand(x, out.dtype), axes_of(axis, x.ndim), keepdims)

    return emit


def reduce_value(b, op, value, axes, keepdims):
    """Adds a reduction of a Value; without axes returns the Value."""
    if not axes:
        return value
    if op == "ReduceSum":
        return b(op, value, axes, bool(keepdims), False)
    return b(op, value, axes, bool(keepdims))


emits("all")(
    lambda b, out, x, axis=None, keepdims=False: reduce_value(
        b, "ReduceAll", b.operand(x, bool), axes_of(axis, x.ndim), keepdims
    )
)
emits("any")(
    lambda b, out, x, axis=None, keepdims=False: reduce_value(
        b, "ReduceAny", b.operand(x, bool), axes_of(axis, x.ndim), keepdims
    )
)


def _variance(b, out, x, axis, ddof, keepdims):
    axes = axes_of(axis, x.ndim)
    value = b.operand(x, out.dtype)
    apart = b("Sub", value, reduce_value(b, "ReduceMean", value, axes, True))
    total = reduce_value(b, "ReduceSum", b("Square", apart), axes, keepdims)
    count = math.prod(x.shape[a] for a in axes) - ddof
    return b("Mul", total, np.array(1 / count if count else np.inf, out.dtype))


@emits("var")
def var(b, out, x, axis=None, ddof=0, keepdims=False):
    return _variance(b, out, x, axis, ddof, keepdims)


@emits("std")
def std(b, out, x, axis=None, ddof=0, keepdims=False):
    return b("Sqrt", _variance(b, out, x, axis, ddof, keepdims))


@emits("argmax")
def argmax(b, out, x, axis=None, keepdims=False):
    return _arg_extreme(b, out, x, axis, "Argmax")


@emits("argmin")
def argmin(b, out, x, axis=None, keepdims=False):
    return _arg_extreme(b, out, x, axis, "Argmin")


def _arg_extreme(b, out, x, axis, op):
    value = b.operand(x, None if x.dtype.kind == "f" else np.dtype(np.float32))
    if axis is None:
        value, axis = b.reshape(value, (-1,)), 0
    index = b(op, value, axis, TYPE_IDS[np.dtype(np.int32)])
    return b.reshape(b.cast(index, out.dtype), out.shape)


@emits("cumsum")
def cumsum(b, out, x, axis=None):
    return _accumulate(b, out, x, axis, "CumSum")


@emits("cumprod")
def cumprod(b, out, x, axis=None):
    return _accumulate(b, out, x, axis, "CumProd")


def _accumulate(b, out, x, axis, op):
    value = b.operand(x, out.dtype)
    if axis is None:
        value, axis = b.reshape(value, (-1,)), 0
    return b(op, value, axis % out.ndim, False, False)


# Products -----------------------------------------------------------------------------------------


@emits("matmul")
def matmul(b, out, x, y):
    x_shape, y_shape = np.shape(_array(x)), np.shape(_array(y))
    left = b.operand(x, out.dtype)
    right = b.operand(y, out.dtype)
    if len(x_shape) == 1:
        left, x_shape = b.reshape(left, (1, *x_shape)), (1, *x_shape)
    if len(y_shape) == 1:
        right, y_shape = b.reshape(right, (*y_shape, 1)), (*y_shape, 1)
    if len(x_shape) == len(y_shape) == 2:
        value = b("MatMul", left, right, False, False)
    else:
        lead = np.broadcast_shapes(x_shape[:-2], y_shape[:-2])
        left = _broadcast_batch(b, left, x_shape, (*lead, *x_shape[-2:]))
        right = _broadcast_batch(b, right, y_shape, (*lead, *y_shape[-2:]))
        value = b("BatchMatMul", left, right, False, False)
    return b.reshape(value, out.shape) if 1 in (_rank(x), _rank(y)) else value


def _array(x):
    return x.array if type(x) is Sketch else x


def _rank(x):
    return np.ndim(_array(x))


def _broadcast_batch(b, value, shape, target):
    if tuple(shape) == tuple(target):
        return value
    if isinstance(value, np.ndarray):
        return np.array(np.broadcast_to(value, target))
    lead = (1,) * (len(target) - len(shape))
    return b("BroadcastTo", b.reshape(value, (*lead, *shape)) if lead else value, tuple(target))


@emits("einsum_list")
def einsum_list(b, out, operands, equation):
    """Broadcasts all operands over all labels, multiplies them, and sums over the labels not in the
    result."""
    inputs, _, result = equation.replace(" ", "").partition("->")
    terms = inputs.split(",")
    labels = list(result) + sorted(set("".join(terms)) - set(result))
    if (
        not result
        and "->" not in equation
        or any(len(set(term)) != len(term) or "." in term for term in terms)
    ):
        raise RuntimeError(
            f"For 'export', the network uses einsum({equation!r}), which cannot be part of a graph."
        )
    total = None
    for x, term in zip(operands, terms, strict=True):
        value = b.operand(x, out.dtype)
        order = sorted(range(len(term)), key=lambda i: labels.index(term[i]))
        sizes = dict(zip(term, np.shape(_array(x)), strict=True))
        wide = [sizes.get(label, 1) for label in labels]
        if isinstance(value, np.ndarray):
            value = value.transpose(order).reshape(wide)
        else:
            value = b.reshape(b.transpose(value, order), wide)
        total = value if total is None else b("Mul", total, value)
    axes = tuple(range(len(result), len(labels)))
    return b.reshape(reduce_value(b, "ReduceSum", total, axes, False), out.shape)


@emits("linalg_inv")
def inverse(b, out, x):
    return b("MatrixInverse", b.operand(x), adjoint=False)


@emits("linalg_det")
def determinant(b, out, x):
    return b("MatrixDeterminant", b.operand(x))


@emits("linalg_cholesky")
def cholesky(b, out, x):
    return b("Cholesky", b.operand(x), False)


@emits("linalg_solve")
def solve(b, out, a, y):
    return b("MatrixSolve", b.operand(a, out.dtype), b.operand(y, out.dtype), adjoint=False)


_declare()
