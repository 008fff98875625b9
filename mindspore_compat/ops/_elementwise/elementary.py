"""Roots, exponentials, logarithms and the common trigonometric functions."""

from ..._core.declare.inputs import Promote, Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import TensorOf, any_dtype
from .._rules import Floats, Inexact, Operand
from .division import _whole_quotient
from .unary import as_floating


@op("ops.sqrt(x)", "ops.Sqrt()(x)", "Tensor.sqrt()", "mint.sqrt(input: x)")
def sqrt(xp, x: TensorOf(any_dtype)):
    """Computes the square root of each element; it is NaN for a negative number.

    Shapes:
        `x` may have any shape. The result has the same shape; floats keep their dtype and integers
        give float32.

    Example:
        >>> print(ms.ops.sqrt(ms.Tensor([1.0, 4.0, 9.0])))
        [1. 2. 3.]
    """
    return xp.sqrt(as_floating(xp, x))


@op("ops.rsqrt(input)", "ops.Rsqrt()(input)", "Tensor.rsqrt()", "mint.rsqrt(input)")
def rsqrt(xp, input: TensorOf(any_dtype)):
    """Computes the reciprocal of the square root of each element.

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.ops.rsqrt(ms.Tensor([1.0, 4.0, 16.0])))
        [1.   0.5  0.25]
    """
    return xp.rsqrt(as_floating(xp, input))


@op(
    "ops.reciprocal(input)",
    "ops.Reciprocal()(input)",
    "Tensor.reciprocal()",
    "mint.reciprocal(input)",
)
def reciprocal(xp, input: TensorOf(any_dtype)):
    """Computes the reciprocal 1 / x of each element x.

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.ops.reciprocal(ms.Tensor([1.0, 4.0, -2.0])))
        [ 1.    0.25 -0.5 ]
    """
    return xp.reciprocal(as_floating(xp, input))


@op("ops.Inv()(input)", "ops.inv(x: input)", "Tensor.inv()")
def inv(xp, input: TensorOf(any_dtype)):
    """Computes the reciprocal 1 / x of each element x. For integers it is truncated to an integer.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.inv(ms.Tensor([1.0, 4.0, -2.0])))
        [ 1.    0.25 -0.5 ]
    """
    if input.dtype.kind in "iu":
        return _whole_quotient(xp, xp.ones_like(input), input)
    return xp.reciprocal(as_floating(xp, input))


@op(
    "ops.exp(input)",
    "ops.Exp()(input)",
    "Tensor.exp()",
    "mint.exp(input)",
    "ops.tensor_exp(input)",
    "Tensor.exp_()",
)
def exp(xp, input: TensorOf(Inexact.dtypes, "int64", "bool")):
    """Computes the exponential of each element, e^x.

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.ops.exp(ms.Tensor([0.0, 1.0, 2.0])))
        [1.        2.718282  7.3890557]
    """
    return xp.exp(as_floating(xp, input))


@op(
    "ops.exp2(input)",
    "Tensor.exp2()",
    "mint.exp2(input)",
    "mint.special.exp2(input)",
    compute="native",
)
def exp2(xp, input: TensorOf(any_dtype)):
    """Computes 2^x for each element x.

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype, but
        bfloat16 and integers give float32.

    Example:
        >>> print(ms.ops.exp2(ms.Tensor([0.0, 1.0, 3.0])))
        [1. 2. 8.]
    """
    if input.dtype.itemsize == 2 and input.dtype.kind in "fV":
        out = xp.exp2(xp.cast(input, "float32"))
        return xp.cast(out, input.dtype) if input.dtype.kind == "f" else out
    return xp.exp2(as_floating(xp, input))


@op(
    "ops.expm1(input)",
    "ops.Expm1()(input)",
    "Tensor.expm1()",
    "mint.expm1(input)",
    "ops.tensor_expm1(input)",
    "mint.special.expm1(input)",
)
def expm1(xp, input: TensorOf(any_dtype)):
    """Computes exp(x) - 1 for each element x, accurately for small x.

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.ops.expm1(ms.Tensor([0.0, 1e-5, 1.0])))
        [0.0000000e+00 1.0000050e-05 1.7182819e+00]
    """
    return xp.expm1(as_floating(xp, input))


@op("ops.log(input)", "ops.Log()(input)", "Tensor.log()", "mint.log(input)", "Tensor.log_()")
def log(xp, input: TensorOf(any_dtype)):
    """Computes the natural logarithm of each element.

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.ops.log(ms.Tensor([1.0, 2.0, 4.0])))
        [0.        0.6931472 1.3862944]
    """
    return xp.log(as_floating(xp, input))


@op(
    "ops.log1p(input)",
    "ops.Log1p()(input)",
    "Tensor.log1p()",
    "mint.log1p(input)",
    "mint.special.log1p(input)",
)
def log1p(xp, input: TensorOf(any_dtype)):
    """Computes log(1 + x) for each element x, accurately for small x.

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.ops.log1p(ms.Tensor([0.0, 1e-5, 1.0])))
        [0.000000e+00 9.999950e-06 6.931472e-01]
    """
    return xp.log1p(as_floating(xp, input))


@op("ops.log2(input)", "Tensor.log2()", "mint.log2(input)")
def log2(xp, input: TensorOf(any_dtype)):
    """Computes the base-2 logarithm of each element.

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.ops.log2(ms.Tensor([1.0, 2.0, 8.0])))
        [0. 1. 3.]
    """
    return xp.log2(as_floating(xp, input))


@op("ops.log10(input)", "Tensor.log10()", "mint.log10(input)")
def log10(xp, input: TensorOf(any_dtype)):
    """Computes the base-10 logarithm of each element.

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.ops.log10(ms.Tensor([1.0, 10.0, 1000.0])))
        [0.        1.        3.0000002]
    """
    return xp.log10(as_floating(xp, input))


@op("ops.sin(input)", "ops.Sin()(input)", "Tensor.sin()", "mint.sin(input)")
def sin(xp, input: TensorOf(any_dtype)):
    """Computes the sine of each angle in radians.

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.ops.sin(ms.Tensor([0.0, 0.5, 1.0])))
        [0.         0.47942555 0.841471  ]
    """
    return xp.sin(as_floating(xp, input))


@op("ops.cos(input)", "ops.Cos()(input)", "Tensor.cos()", "mint.cos(input)")
def cos(xp, input: TensorOf(any_dtype)):
    """Computes the cosine of each angle in radians.

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.ops.cos(ms.Tensor([0.0, 0.5, 1.0])))
        [1.         0.87758255 0.5403023 ]
    """
    return xp.cos(as_floating(xp, input))


@op("ops.tan(input)", "ops.Tan()(input)", "Tensor.tan()", "mint.tan(input)")
def tan(xp, input: TensorOf(any_dtype)):
    """Computes the tangent of each angle in radians.

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.ops.tan(ms.Tensor([0.0, 0.5, 1.0])))
        [0.        0.5463025 1.5574077]
    """
    return xp.tan(as_floating(xp, input))


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
    quirks=Quirks(rules={"mint.nn.Tanh": {"input": Inexact}, "nn.Tanh": {"input": Inexact}}),
)
def tanh(xp, input: TensorOf(any_dtype)):
    """Computes the hyperbolic tangent of each element.

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.ops.tanh(ms.Tensor([-1.0, 0.0, 1.0])))
        [-0.7615942  0.         0.7615942]
    """
    x = as_floating(xp, input)
    return xp.blockwise(_tanh, x) if x.dtype.kind == "f" else xp.tanh(x)


def _tanh(xp, x):
    return xp.tanh(x)


def _tanh_vjp(xp, g, out):
    return g * (1 - out * out)


def _tanh_vjp_of_any(xp, g, out):
    if out.dtype.kind != "f":
        return g * xp.conj(1 - out * out)
    return xp.blockwise(_tanh_vjp, g, out)


tanh.vjp(input=_tanh_vjp_of_any)


@op(
    "ops.logaddexp(input, other)",
    "Tensor.logaddexp(other)",
    "mint.logaddexp(input, other)",
    types=Promote("input other"),
)
def logaddexp(xp, input: Floats, other: Floats):
    """Computes log(exp(input) + exp(other)), element by element, without overflow.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.logaddexp(ms.Tensor([0.0, 1000.0]), ms.Tensor([0.0, 1000.0])))
        [6.9314718e-01 1.0006932e+03]
    """
    return xp.logaddexp(input, other)


@op(
    "ops.logaddexp2(input, other)",
    "Tensor.logaddexp2(other)",
    "mint.logaddexp2(input, other)",
    types=Promote("input other"),
)
def logaddexp2(xp, input: Floats, other: Floats):
    """Computes log2(2^input + 2^other), element by element, without overflow.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.logaddexp2(ms.Tensor([0.0, 3.0]), ms.Tensor([0.0, 3.0])))
        [1. 4.]
    """
    return xp.logaddexp2(input, other)


@op(
    "ops.float_power(input, exponent)",
    "Tensor.float_power(other: exponent)",
    "mint.float_power(input, exponent)",
    types=Promote("", need_tensor=True),
)
def float_power(xp, input: Operand, exponent: Operand):
    """Raises the input to a power, element by element, in double precision.

    Shapes:
        The shapes of `input` and `exponent` are broadcast. The result is float64, or complex128 for
        complex numbers.

    Example:
        >>> print(ms.ops.float_power(ms.Tensor([1, 2, 3]), 0.5))
        [1.         1.41421356 1.73205081]
    """
    dtype = "complex128" if "c" in (input.dtype.kind, exponent.dtype.kind) else "float64"
    return xp.power(xp.cast(input, dtype), xp.cast(exponent, dtype))
