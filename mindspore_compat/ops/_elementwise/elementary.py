"""Roots, exponentials, logarithms, and the trigonometric functions that most networks use."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import TensorOf, any_dtype, floating
from .arithmetic import _whole_quotient

Real = TensorOf(floating | {"complex64", "complex128"})


def _floating(xp, x):
    """Integers and bools as float32, as most functions take them."""
    return xp.cast(x, "float32") if x.dtype.kind in "iub" else x


@op("ops.sqrt(x)", "ops.Sqrt()(x)", "Tensor.sqrt()", "mint.sqrt(input: x)")
def sqrt(xp, x: TensorOf(any_dtype)):
    """The square root, element by element."""
    return xp.sqrt(_floating(xp, x))


@op("ops.rsqrt(input)", "ops.Rsqrt()(input)", "Tensor.rsqrt()", "mint.rsqrt(input)")
def rsqrt(xp, input: TensorOf(any_dtype)):
    """1 / sqrt(input), element by element."""
    return xp.rsqrt(_floating(xp, input))


@op("ops.reciprocal(input)", "ops.Reciprocal()(input)", "Tensor.reciprocal()",
    "mint.reciprocal(input)")
def reciprocal(xp, input: TensorOf(any_dtype)):
    """1 / input, element by element."""
    return xp.reciprocal(_floating(xp, input))


@op("ops.Inv()(input)", "ops.inv(x: input)", "Tensor.inv()")
def inv(xp, input: TensorOf(any_dtype)):
    """1 / input, element by element; of integers rounded toward zero, in their dtype."""
    if input.dtype.kind in "iu":
        return _whole_quotient(xp, xp.ones_like(input), input)
    return xp.reciprocal(_floating(xp, input))


@op("ops.exp(input)", "ops.Exp()(input)", "Tensor.exp()", "mint.exp(input)",
    "ops.tensor_exp(input)", "Tensor.exp_()")
def exp(xp, input: TensorOf(Real.dtypes, "int64", "bool")):
    """e to the power of input, element by element."""
    return xp.exp(_floating(xp, input))


@op(
    "ops.exp2(input)",
    "Tensor.exp2()",
    "mint.exp2(input)",
    "mint.special.exp2(input)",
    compute="native",
)
def exp2(xp, input: TensorOf(any_dtype)):
    """2 to the power of input, element by element; of bfloat16 in float32."""
    if input.dtype.itemsize == 2 and input.dtype.kind in "fV":
        out = xp.exp2(xp.cast(input, "float32"))
        return xp.cast(out, input.dtype) if input.dtype.kind == "f" else out
    return xp.exp2(_floating(xp, input))


@op("ops.expm1(input)", "ops.Expm1()(input)", "Tensor.expm1()", "mint.expm1(input)",
    "ops.tensor_expm1(input)", "mint.special.expm1(input)")
def expm1(xp, input: TensorOf(any_dtype)):
    """exp(input) - 1, exact for small inputs."""
    return xp.expm1(_floating(xp, input))


@op("ops.log(input)", "ops.Log()(input)", "Tensor.log()", "mint.log(input)", "Tensor.log_()")
def log(xp, input: TensorOf(any_dtype)):
    """The natural logarithm, element by element."""
    return xp.log(_floating(xp, input))


@op("ops.log1p(input)", "ops.Log1p()(input)", "Tensor.log1p()", "mint.log1p(input)",
    "mint.special.log1p(input)")
def log1p(xp, input: TensorOf(any_dtype)):
    """log(1 + input), exact for small inputs."""
    return xp.log1p(_floating(xp, input))


@op("ops.log2(input)", "Tensor.log2()", "mint.log2(input)")
def log2(xp, input: TensorOf(any_dtype)):
    """The logarithm to base 2, element by element."""
    return xp.log2(_floating(xp, input))


@op("ops.log10(input)", "Tensor.log10()", "mint.log10(input)")
def log10(xp, input: TensorOf(any_dtype)):
    """The logarithm to base 10, element by element."""
    return xp.log10(_floating(xp, input))


@op("ops.sin(input)", "ops.Sin()(input)", "Tensor.sin()", "mint.sin(input)")
def sin(xp, input: TensorOf(any_dtype)):
    """The sine of an angle in radians, element by element."""
    return xp.sin(_floating(xp, input))


@op("ops.cos(input)", "ops.Cos()(input)", "Tensor.cos()", "mint.cos(input)")
def cos(xp, input: TensorOf(any_dtype)):
    """The cosine of an angle in radians, element by element."""
    return xp.cos(_floating(xp, input))


@op("ops.tan(input)", "ops.Tan()(input)", "Tensor.tan()", "mint.tan(input)")
def tan(xp, input: TensorOf(any_dtype)):
    """The tangent of an angle in radians, element by element."""
    return xp.tan(_floating(xp, input))


@op(
    "ops.tanh(input)",
    "ops.Tanh()(input)",
    "nn.Tanh()(input)",
    "Tensor.tanh()",
    "mint.tanh(input)",
    "mint.nn.functional.tanh(input)",
    "Tensor.tanh_()",
    "ops.tanh_(input)",
    "mint.nn.Tanh()(input)",
    quirks=Quirks(rules={"mint.nn.Tanh": {"input": Real}, "nn.Tanh": {"input": Real}}),
)
def tanh(xp, input: TensorOf(any_dtype)):
    """Hyperbolic tangent, element by element."""
    return xp.tanh(_floating(xp, input))
