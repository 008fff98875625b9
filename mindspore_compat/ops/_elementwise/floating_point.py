"""Signs, infinities, NaN and neighbouring floating-point numbers, element by element."""

from ..._backend.arrays import BFLOAT16, FLOAT16
from ..._backend.bodies.gpu import bodies_of
from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool, Number, TensorOf, any_dtype, number, real
from ..._core.tensor.promotion import promoted
from .._rules import WIDE_UNSIGNED, Anything, Float16To64, Operand, RealOperand
from .arithmetic import sign
from .unary import as_floating

Signed = Anything.but("int8", "int16", "uint8", *WIDE_UNSIGNED)


@op("ops.signbit(input)", "Tensor.signbit()")
def signbit(xp, input: Anything):
    """Tests the sign bit of each element; it is also set for -0.0.

    Shapes:
        `input` may have any shape. The result is a bool Tensor of the same shape.

    Example:
        >>> print(ms.ops.signbit(ms.Tensor([-1.0, 0.0, 2.0])))
        [ True False False]
    """
    return xp.signbit(input) if input.dtype.kind == "f" else input < 0


@op("ops.sgn(input)", "Tensor.sgn()")
def sgn(xp, input: Signed):
    """Computes the sign of each element, 0 for NaN; for a complex number x it is x / |x|, and 0 for
    0.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.sgn(ms.Tensor([-3.0, 0.0, 2.0])))
        [-1.  0.  1.]
    """
    if input.dtype.kind != "c":
        return sign.body(xp, input)
    size = xp.abs(input)
    return input / xp.where(size == 0, 1, size)


@op("ops.copysign(x, other)", "Tensor.copysign(other)", compute="native")
def copysign(xp, x: TensorOf(real), other: RealOperand):
    """Copies the sign of each element of `other` to the element of `x`.

    Shapes:
        The shapes of `x` and `other` are broadcast. The result is of the dtype of `x` if that is
        float16 or float64, else float32.

    Example:
        >>> print(ms.ops.copysign(ms.Tensor([1.0, -2.0]), ms.Tensor([-1.0, 1.0])))
        [-1.  2.]
    """
    size = xp.cast(x, "float32") if x.dtype.kind != "f" else x
    return xp.copysign(size, xp.cast(other, size.dtype))


@op(
    "ops.heaviside(input, values)",
    "Tensor.heaviside(values)",
    "ops.Heaviside()(x: input, values)",
    types=SameDtype("input values"),
)
def heaviside(xp, input: Anything, values: Anything):
    """Computes the Heaviside step function: 0 for negative elements, 1 for positive elements, and
    the element of `values` for zeros.

    Shapes:
        The shapes of `input` and `values` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.heaviside(ms.Tensor([-1.0, 0.0, 2.0]), ms.Tensor([0.5, 0.5, 0.5])))
        [0.  0.5 1. ]
    """
    return xp.where(input == 0, values, xp.cast(input > 0, input.dtype))


@op(
    "ops.nextafter(input, other)",
    "Tensor.nextafter(other)",
    "ops.NextAfter()(input, other)",
    types=SameDtype("input other"),
    compute="native",
)
def nextafter(xp, input: TensorOf("float32", "float64"), other: TensorOf("float32", "float64")):
    """Computes the next floating-point number after each element in the direction of `other`.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.nextafter(ms.Tensor([1.0]), ms.Tensor([2.0])) - 1.0)
        [1.1920929e-07]
    """
    return xp.nextafter(input, other)


@op("ops.ldexp(x, other)", "Tensor.ldexp(other)", compute="native")
def ldexp(xp, x: Operand, other: TensorOf(any_dtype, scalars=True)):
    """Multiplies `x` by 2 to the power of `other`, element by element.

    Shapes:
        The shapes of `x` and `other` are broadcast. The result is of the dtype to which `x` and the
        power are promoted; the power of an integer is float32.

    Example:
        >>> print(ms.ops.ldexp(ms.Tensor([1.0, 3.0]), ms.Tensor([2, -1])))
        [4.  1.5]
    """
    size, power = promoted(xp, x, xp.exp2(as_floating(xp, other)))
    return size * power


LARGEST = {FLOAT16: 65504.0, BFLOAT16: 3.3895313892515355e38}
LARGEST_FLOAT32 = 3.4028234663852886e38


@op(
    "ops.nan_to_num(input, nan=None, posinf=None, neginf=None)",
    "ops.NanToNum(nan=None, posinf=None, neginf=None)(x: input)",
    "Tensor.nan_to_num(nan=None, posinf=None, neginf=None)",
    "mint.nan_to_num(input, nan=None, posinf=None, neginf=None)",
)
def nan_to_num(
    xp,
    input: TensorOf(number - {"float64"}, "bool"),
    nan: Number | Bool | None = None,
    posinf: Number | Bool | None = None,
    neginf: Number | Bool | None = None,
):
    """Replaces NaN and infinities by finite numbers.

    NaN becomes `nan`, by default 0; infinities become `posinf` and `neginf`, by default the largest
    and the smallest number of the dtype.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.nan_to_num(ms.Tensor([np.nan, np.inf, 1.0]), nan=0.0, posinf=9.0))
        [0. 9. 1.]
    """
    nan = 0.0 if nan is None else nan
    largest = LARGEST.get(input.dtype)
    if largest is None:
        if input.dtype == "float32" and (bodies := bodies_of(xp, input, least="BODY_POINT")):
            high = LARGEST_FLOAT32 if posinf is None else posinf
            low = -LARGEST_FLOAT32 if neginf is None else neginf
            result = bodies.pointwise(_finite, input, nan=nan, high=high, low=low)
            if result is not None:
                return result
        return xp.nan_to_num(input, nan=nan, posinf=posinf, neginf=neginf)
    posinf = largest if posinf is None else posinf
    neginf = -largest if neginf is None else neginf
    upcast = xp.nan_to_num(xp.cast(input, "float32"), nan=nan, posinf=posinf, neginf=neginf)
    return xp.cast(upcast, input.dtype)


nan_to_num.upcast = False


def _finite(xp, x, *, nan, high, low):
    numbers = xp.where(x > LARGEST_FLOAT32, high, xp.where(x < -LARGEST_FLOAT32, low, x))
    return xp.where(x == x, numbers, nan)


@op("ops.isneginf(input)", "Tensor.isneginf()", "mint.isneginf(input)")
def isneginf(xp, input: Anything):
    """Tests which elements are minus infinity.

    Shapes:
        `input` may have any shape. The result is a bool Tensor of the same shape.

    Example:
        >>> print(ms.ops.isneginf(ms.Tensor([1.0, -np.inf, np.inf])))
        [False  True False]
    """
    return input == float("-inf")


@op("ops.isposinf(input)", "Tensor.isposinf()")
def isposinf(xp, input: Anything):
    """Tests which elements are plus infinity.

    Shapes:
        `input` may have any shape. The result is a bool Tensor of the same shape.

    Example:
        >>> print(ms.ops.isposinf(ms.Tensor([1.0, -np.inf, np.inf])))
        [False False  True]
    """
    return input == float("inf")


@op("ops.eps(x)", "ops.Eps()(x)", compute="native")
def eps(xp, x: Float16To64):
    """Returns a Tensor of the input's shape filled with the machine epsilon, the gap from 1 to the
    next number of the dtype.

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.eps(ms.Tensor([5.0, 7.0])))
        [1.1920929e-07 1.1920929e-07]
    """
    ones = xp.ones(x.shape, x.dtype)
    return xp.nextafter(ones, ones + ones) - ones
