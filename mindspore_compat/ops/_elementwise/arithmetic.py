"""Arithmetic and elementary functions, element by element.

Comparison and logic are in _elementwise/comparison.py, reductions in _reduction/reduce.py, special
functions in _elementwise/special.py, activations in _activation/pointwise.py.
"""

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    Number,
    OneOf,
    ScalarOf,
    TensorOf,
    any_dtype,
    checked,
    floating,
    number,
    real,
)
from ..._core.tensor.promotion import division_np, product_np, quotient_np
from ..._core.tensor.tensor import Tensor

Operand = TensorOf(any_dtype, scalars=True)
Reals = TensorOf(real | {"bool"}, scalars=True)
Given = TensorOf(number | {"bool"})  # a Tensor and no number
Ordered = TensorOf(real, "bool", scalars=True)
Real = TensorOf(floating | {"complex64", "complex128"})


def _binary(*lines, slope=None, **options):
    """An arithmetic op of two inputs, as a function and as an operator."""
    return op(*lines, promote="input other", operator=True, slope=slope, **options)


@_binary("ops.add(input, other)", "ops.Add()(input, other)", "ops.TensorAdd()(input, other)",
         "ops.tensor_add(input, other)", "Tensor.__add__(other)", slope="add")
def add(xp, input: Operand, other: Operand):
    """input + other, element by element; the shapes broadcast."""
    return xp.add(input, other)


@op("Tensor.add(other, *, alpha=1)", "mint.add(input, other, *, alpha=1)",
    "Tensor.add_(other, *, alpha=1)", promote="input other", operator=True)
def add_scaled(xp, input: Operand, other: Operand, alpha: ScalarOf(Number, TypeError) = 1):
    """input + alpha * other, element by element; the shapes broadcast."""
    return xp.add(input, _times("add", other, alpha))


def _times(api, other, alpha):
    """alpha * other; a float goes with floats only."""
    if type(alpha) is float and other.dtype.kind in "biu":
        raise TypeError(f"For '{api}', 'alpha' must be an int where both inputs are whole numbers "
                        f"or bools, but got {alpha}.")
    return other if alpha == 1 else alpha * other


@_binary("Tensor.__radd__(other)")
def radd(xp, input: Operand, other: Operand):
    """other + input, element by element."""
    return xp.add(other, input)


@_binary("ops.sub(input, other)", "ops.Sub()(input, other)",
         "ops.tensor_sub(input, other)", slope="subtract")
def sub(xp, input: Operand, other: Operand):
    """input - other, element by element; the shapes broadcast."""
    return xp.subtract(input, other)


@_binary("Tensor.__sub__(other)", slope="subtract")
def difference(xp, input: Operand, other: Operand):
    """input - other, element by element; of bools whether they differ."""
    return xp.not_equal(input, other) if input.dtype.kind == "b" else xp.subtract(input, other)


@op("Tensor.subtract(other, *, alpha=1)", "mint.sub(input, other, *, alpha=1)",
    "Tensor.sub_(other, *, alpha=1)", promote="input other", operator=True)
def sub_scaled(xp, input: Operand, other: Operand, alpha: ScalarOf(Number, TypeError) = 1):
    """input - alpha * other, element by element; of bools whether they differ."""
    if input.dtype.kind == "b" and alpha == 1:
        return xp.not_equal(input, other)
    return xp.subtract(input, _times("sub", other, alpha))


@_binary("Tensor.__rsub__(other)")
def rsub(xp, input: Operand, other: Operand):
    """other - input, element by element."""
    return xp.subtract(other, input)


@_binary("ops.mul(input, other)", "ops.Mul()(input, other)", "ops.multiply(input, other)",
    "ops.tensor_mul(input, other)", "Tensor.mul(other)", "Tensor.multiply(value: other)",
    "Tensor.__mul__(other)", "mint.mul(input, other)", "Tensor.mul_(other)", slope="multiply",
    meet=product_np, yields=True, unfit={"Tensor.mul_": RuntimeError})
def mul(xp, input: Operand, other: Operand):
    """input * other, element by element; the shapes broadcast."""
    return xp.multiply(input, other)


@public("ops.subtract")
@checked
def subtract(input: Operand | Number(wide=True), other: Operand | Number(wide=True), *,
             alpha: Number | Bool | TensorOf(any_dtype) = 1):
    """input - alpha * other, element by element: a product and a difference, with their dtypes.

    Source: mindspore.ops.subtract of MindSpore 2.10.
    """
    if isinstance(other, Tensor):
        if type(alpha) is int and alpha == 1 and other._array.dtype.kind != "b":
            return sub.run(input, other)
    elif not isinstance(alpha, Tensor):
        return sub.run(input, alpha * other)
    return sub.run(input, mul.run(other, alpha))


@_binary("Tensor.__rmul__(other)", meet=product_np, yields=True)
def rmul(xp, input: Operand, other: Operand):
    """other * input, element by element."""
    return xp.multiply(other, input)


def _true_quotient(xp, x, y):
    target = division_np(x.dtype)
    return xp.divide(xp.cast(x, target), xp.cast(y, target))


def _whole_quotient(xp, x, y):
    """x / y of integers, rounded toward zero; by zero it is the dtype's bound on the side of x."""
    zero, bounds = y == 0, xp.iinfo(x.dtype)
    divisor = xp.where(zero, xp.ones_like(y), y)
    quotient = xp.floor_divide(x - xp.fmod(x, divisor), divisor)
    far = xp.where(x > 0, xp.asarray(bounds.max, x.dtype), xp.asarray(bounds.min, x.dtype))
    return xp.where(zero, far * (x != 0), quotient)


@_binary("ops.RealDiv()(x: input, y: other)", "ops.tensor_div(input, other)", meet=quotient_np)
def real_div(xp, input: Operand, other: Operand):
    """input / other, element by element; of integers rounded toward zero, in their dtype."""
    if input.dtype.kind == "b":
        raise TypeError("For 'RealDiv', 'x' and 'y' must not both be bools.")
    if input.dtype.kind in "iu":
        return _whole_quotient(xp, input, other)
    return _true_quotient(xp, input, other)


@_binary("Tensor.__truediv__(other)", "ops.Div()(x: input, y: other)",
         "ops.true_divide(dividend: input, divisor: other)", "Tensor.true_divide(value: other)",
         exact=True, meet=quotient_np, yields=True)
def true_div(xp, input: Operand, other: Operand):
    """input / other, element by element; integers give float32."""
    return _true_quotient(xp, input, other)


@_binary("Tensor.__rtruediv__(other)", exact=True, meet=quotient_np, yields=True)
def rtruediv(xp, input: Operand, other: Operand):
    """other / input, element by element; integers give float32."""
    return _true_quotient(xp, other, input)


Rounding = AsValue(OneOf("floor", "trunc") | None)


@_binary("ops.div(input, other, *, rounding_mode=None)",
    "ops.divide(input, other, *, rounding_mode=None)", "Tensor.div(other, *, rounding_mode=None)",
    "Tensor.divide(other, *, rounding_mode=None)", "mint.div(input, other, *, rounding_mode=None)",
    "mint.divide(input, other, *, rounding_mode=None)", "Tensor.div_(other, *, rounding_mode=None)",
    meet=quotient_np, yields=True, exact=True)
def div(xp, input: Operand, other: Operand, rounding_mode: Rounding = None):
    """input / other, element by element, rounded as asked; integers give float32 if not rounded."""
    if rounding_mode is None:
        return _true_quotient(xp, input, other)
    if rounding_mode == "floor":
        return xp.floor_divide(input, other)
    quotient = xp.trunc(_true_quotient(xp, input, other))
    return xp.cast(quotient, input.dtype)


def _ends(dtype):
    """The least and the largest number of an integer dtype."""
    bits = 8 * dtype.itemsize
    return (0, 2**bits - 1) if dtype.kind == "u" else (-2**(bits - 1), 2**(bits - 1) - 1)


def _floor_quotient(xp, x, y):
    """Floor of the quotient; a division of floats by zero gives an infinity, as in the original,
    one of integers the end of their range that lies in its direction.

    Of bools it is true where the dividend is, the divisor's value aside; of complex numbers it is
    that of the real part.
    """
    if x.dtype.kind == "b":
        return xp.logical_or(x, xp.not_equal(y, y))
    if x.dtype.kind in "iu":
        least, largest = _ends(x.dtype)
        beyond = xp.where(x > 0, largest, xp.where(x < 0, least, 0))
        return xp.where(y == 0, xp.cast(beyond, x.dtype), xp.floor_divide(x, y))
    if x.dtype.kind == "c":
        return xp.cast(xp.floor(xp.real(x / y)), x.dtype)
    return xp.floor(x / y)


@_binary("ops.floor_divide(input, other)", "ops.floor_div(x: input, y: other)",
    "ops.FloorDiv()(x: input, y: other)", "ops.tensor_floordiv(input, other)",
    "ops.floordiv(input, other)",
    "Tensor.floor_divide(other)", "Tensor.__floordiv__(other)", "mint.floor_divide(input, other)",
    "Tensor.floor_divide_(other)", unfit={"Tensor.floor_divide_": RuntimeError})
def floor_divide(xp, input: Operand, other: Operand):
    """floor(input / other), element by element."""
    return _floor_quotient(xp, input, other)


@_binary("Tensor.__rfloordiv__(other)")
def rfloordiv(xp, input: Operand, other: Operand):
    """floor(other / input), element by element."""
    return _floor_quotient(xp, other, input)


@_binary("ops.floor_mod(x: input, y: other)", "ops.FloorMod()(x: input, y: other)",
    "ops.tensor_mod(input, other)", "Tensor.__mod__(other)", "ops.floormod(x: input, y: other)",
    slope="remainder")
def floor_mod(xp, input: Operand, other: Operand):
    """The remainder of floor division, element by element: it has the sign of the divisor."""
    if input.dtype.kind == "b":     # nothing is left of a division by true
        return xp.not_equal(xp.logical_and(input, other), xp.logical_and(input, other))
    if input.dtype.kind == "i" and input.dtype.itemsize > 2:    # by zero, as in the original
        return xp.where(other == 0, input * 0 + _ends(input.dtype)[0], xp.remainder(input, other))
    return xp.remainder(input, other)


@_binary("ops.remainder(input, other)", "mint.remainder(input, other)",
    "Tensor.remainder_(divisor: other)", slope="remainder",
    unfit={"Tensor.remainder_": RuntimeError})
def remainder(xp, input: Operand, other: Operand):
    """As `floor_mod`; of complex numbers what their floor division, by real parts, leaves."""
    if input.dtype.kind == "c":
        return input - _floor_quotient(xp, input, other) * other
    return floor_mod.body(xp, input, other)


@_binary("Tensor.__rmod__(other)")
def rmod(xp, input: Operand, other: Operand):
    """The remainder of other / input, element by element."""
    return xp.remainder(other, input)


@_binary("ops.fmod(input, other)", "Tensor.fmod(other)", "mint.fmod(input, other)",
         "ops.TruncateMod()(x: input, y: other)", "ops.truncate_mod(x: input, y: other)",
         "ops.Mod()(x: input, y: other)",
         slope="fmod", rules={"mint.fmod": {"input": Given}}, beside_tensor=True)
def fmod(xp, input: Reals, other: Reals):
    """The remainder of truncated division, element by element: it has the sign of the dividend."""
    return xp.fmod(input, other)


@_binary("ops.TruncateDiv()(x: input, y: other)", "ops.truncate_div(x: input, y: other)")
def truncate_div(xp, input: Operand, other: Operand):
    """input / other rounded toward zero, in the inputs' dtype."""
    if input.dtype.kind in "iu":
        return _whole_quotient(xp, input, other)
    return xp.cast(xp.trunc(_true_quotient(xp, input, other)), input.dtype)


def _power(xp, x, y):
    """Integer powers of integers keep their dtype; a negative one truncates, as in the original."""
    if x.dtype.kind in "iu":
        return xp.cast(xp.power(xp.cast(x, "float64"), xp.cast(y, "float64")), x.dtype)
    return xp.power(x, y)


@_binary("ops.pow(input, exponent: other)", "ops.Pow()(input, exponent: other)",
         "ops.pows(input, exponent: other)",
         "ops.tensor_pow(input, exponent: other)", "Tensor.pow(exponent: other)",
         "Tensor.__pow__(other)",
         "mint.pow(input, exponent: other)")
def pow(xp, input: Operand, other: Operand):
    """input to the power of the exponent, element by element; not both may be bools."""
    if input.dtype.kind == "b":
        raise TypeError("For 'pow', 'input' and 'exponent' must not both be bools.")
    return _power(xp, input, other)


@_binary("Tensor.__rpow__(other)")
def rpow(xp, input: Operand, other: Operand):
    """other to the power of input, element by element; not both may be bools."""
    if input.dtype.kind == "b":
        raise TypeError("For '__rpow__', 'input' and 'other' must not both be bools.")
    return _power(xp, other, input)


@_binary("ops.maximum(input, other)", "ops.Maximum()(input, other)", "Tensor.maximum(other)",
         "mint.maximum(input, other)", slope="maximum")
def maximum(xp, input: Operand, other: Operand):
    """The larger of two elements; NaN where either is NaN."""
    return xp.maximum(input, other)


@_binary("ops.minimum(input, other)", "ops.Minimum()(input, other)", "Tensor.minimum(other)",
         "mint.minimum(input, other)", slope="minimum")
def minimum(xp, input: Ordered, other: Ordered):
    """The smaller of two elements; NaN where either is NaN."""
    return xp.minimum(input, other)


@_binary("ops.DivNoNan()(x1: input, x2: other)", "ops.div_no_nan(x: input, y: other)")
def div_no_nan(xp, input: Operand, other: Operand):
    """input / other, and 0 where other is 0."""
    zero = other == 0
    return xp.where(zero, 0, _true_quotient(xp, input, xp.where(zero, xp.ones_like(other), other)))


@_binary("ops.SquaredDifference()(x: input, y: other)")
def squared_difference(xp, input: Operand, other: Operand):
    """(input - other) squared, element by element."""
    difference = input - other
    return difference * difference


# One input ----------------------------------------------------------------------------------------


@op("ops.neg(input)", "ops.Neg()(input)", "ops.negative(input)", "Tensor.neg()",
    "Tensor.negative()",
    "Tensor.__neg__()", "mint.neg(input)", "mint.negative(input)", slope="negative")
def neg(xp, input: TensorOf(number)):
    """-input, element by element."""
    return xp.negative(input)


@op("Tensor.__pos__()", "ops.positive(input)", "Tensor.positive()", slope="positive")
def positive(xp, input: Given):
    """input itself."""
    return xp.logical_or(input, input) if input.dtype.kind == "b" else xp.positive(input)


@op("ops.abs(input)", "ops.Abs()(input)", "ops.absolute(input)", "Tensor.abs()",
    "Tensor.absolute()",
    "Tensor.__abs__()", "mint.abs(input)", slope="abs")
def abs(xp, input: TensorOf(any_dtype)):
    """The absolute value, element by element; for complex numbers the modulus, a real number."""
    return xp.abs(input)


@op("ops.square(input)", "ops.Square()(input)", "Tensor.square()", "mint.square(input)",
    slope="square")
def square(xp, input: TensorOf(number)):
    """input squared, element by element."""
    return xp.square(input)


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


@op("ops.exp2(input)", "Tensor.exp2()", "mint.exp2(input)", "mint.special.exp2(input)",
    widen=False)
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


@op("ops.tanh(input)", "ops.Tanh()(input)", "nn.Tanh()(input)", "Tensor.tanh()", "mint.tanh(input)",
    "mint.nn.functional.tanh(input)", "Tensor.tanh_()", "ops.tanh_(input)", "mint.nn.Tanh()(input)",
    rules={"mint.nn.Tanh": {"input": Real}, "nn.Tanh": {"input": Real}})
def tanh(xp, input: TensorOf(any_dtype)):
    """Hyperbolic tangent, element by element."""
    return xp.tanh(_floating(xp, input))


@op("ops.floor(input)", "ops.Floor()(input)", "Tensor.floor()", "mint.floor(input)",
    "Tensor.floor_()")
def floor(xp, input: TensorOf(any_dtype)):
    """The largest whole number not above each element."""
    return xp.floor(input) if input.dtype.kind == "f" else input


@op("ops.ceil(input)", "ops.Ceil()(input)", "Tensor.ceil()", "mint.ceil(input)")
def ceil(xp, input: TensorOf(floating)):
    """The smallest whole number not below each element."""
    return xp.ceil(input) if input.dtype.kind == "f" else input


@op("ops.sign(input)", "ops.Sign()(input)", "Tensor.sign()", "mint.sign(input)", "Tensor.sign_()")
def sign(xp, input: TensorOf(any_dtype)):
    """-1, 0 or 1 after the sign of each element."""
    return xp.sign(input)
