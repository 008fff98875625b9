"""Arithmetic, element by element.

Roots, exponentials and logarithms are in elementary.py, rounding in rounding.py, comparison in
comparison.py, special functions in special.py.
"""

from ..._core.declare.inputs import Promote, Quirks
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


@op(
    "ops.add(input, other)",
    "ops.Add()(input, other)",
    "ops.TensorAdd()(input, other)",
    "ops.tensor_add(input, other)",
    "Tensor.__add__(other)",
    types=Promote("input other", lists=True),
)
def add(xp, input: Operand, other: Operand):
    """Adds two Tensors, or a Tensor and a number, element by element.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.add(ms.Tensor([1.0, 2.0]), ms.Tensor([[10.0], [20.0]])))
        [[11. 12.]
         [21. 22.]]
    """
    return xp.add(input, other)


add.vjp_of("add")


@op(
    "Tensor.add(other, *, alpha=1)",
    "mint.add(input, other, *, alpha=1)",
    "Tensor.add_(other, *, alpha=1)",
    types=Promote("input other", lists=True),
)
def add_scaled(xp, input: Operand, other: Operand, alpha: ScalarOf(Number, TypeError) = 1):
    """Adds `alpha` times `other` to the input, element by element.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.mint.add(ms.Tensor([1.0, 2.0]), ms.Tensor([10.0, 20.0]), alpha=0.5))
        [ 6. 12.]
    """
    return xp.add(input, _times("add", other, alpha))


def _times(api, other, alpha):
    """alpha * other; a float goes with floats only."""
    if type(alpha) is float and other.dtype.kind in "biu":
        raise TypeError(f"For '{api}', 'alpha' must be an int where both inputs are whole numbers "
                        f"or bools, but got {alpha}.")
    return other if alpha == 1 else alpha * other


@op("Tensor.__radd__(other)", types=Promote("input other", lists=True))
def radd(xp, input: Operand, other: Operand):
    """Adds a Tensor to what stands on the left of the plus sign: other + input.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(3 + ms.Tensor([1, 2]))
        [4 5]
    """
    return xp.add(other, input)


@op(
    "ops.sub(input, other)",
    "ops.Sub()(input, other)",
    "ops.tensor_sub(input, other)",
    types=Promote("input other", lists=True),
)
def sub(xp, input: Operand, other: Operand):
    """Subtracts `other` from the input, element by element.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.sub(ms.Tensor([5, 7]), ms.Tensor([1, 2])))
        [4 5]
    """
    return xp.subtract(input, other)


sub.vjp_of("subtract")


@op("Tensor.__sub__(other)", types=Promote("input other", lists=True))
def difference(xp, input: Operand, other: Operand):
    """Subtracts `other` from the input, element by element; of two bools it tells whether they
    differ.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.Tensor([5, 7]) - 2)
        [3 5]
    """
    return xp.not_equal(input, other) if input.dtype.kind == "b" else xp.subtract(input, other)


difference.vjp_of("subtract")


@op(
    "Tensor.subtract(other, *, alpha=1)",
    "mint.sub(input, other, *, alpha=1)",
    "Tensor.sub_(other, *, alpha=1)",
    types=Promote("input other", lists=True),
)
def sub_scaled(xp, input: Operand, other: Operand, alpha: ScalarOf(Number, TypeError) = 1):
    """Subtracts `alpha` times `other` from the input; of two bools it tells whether they differ.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.mint.sub(ms.Tensor([5.0, 7.0]), ms.Tensor([1.0, 2.0]), alpha=2))
        [3. 3.]
    """
    if input.dtype.kind == "b" and alpha == 1:
        return xp.not_equal(input, other)
    return xp.subtract(input, _times("sub", other, alpha))


@op("Tensor.__rsub__(other)", types=Promote("input other", lists=True))
def rsub(xp, input: Operand, other: Operand):
    """Subtracts a Tensor from what stands on the left of the minus sign: other - input.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(10 - ms.Tensor([1, 2]))
        [9 8]
    """
    return xp.subtract(other, input)


@op(
    "ops.mul(input, other)",
    "ops.Mul()(input, other)",
    "ops.multiply(input, other)",
    "ops.tensor_mul(input, other)",
    "Tensor.mul(other)",
    "Tensor.multiply(value: other)",
    "Tensor.__mul__(other)",
    "mint.mul(input, other)",
    "Tensor.mul_(other)",
    types=Promote("input other", meet=product_np, lists=True, weak_0d=True),
    quirks=Quirks(errors={"Tensor.mul_": RuntimeError}),
)
def mul(xp, input: Operand, other: Operand):
    """Multiplies two Tensors, or a Tensor and a number, element by element.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.mul(ms.Tensor([1.0, 2.0, 3.0]), 2.5))
        [2.5 5.  7.5]
    """
    return xp.multiply(input, other)


mul.vjp_of("multiply")


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


@op(
    "Tensor.__rmul__(other)",
    types=Promote("input other", meet=product_np, lists=True, weak_0d=True),
)
def rmul(xp, input: Operand, other: Operand):
    """Multiplies by what stands on the left of the asterisk: other * input.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(2 * ms.Tensor([1.5, 2.5]))
        [3. 5.]
    """
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


@op(
    "ops.RealDiv()(x: input, y: other)",
    "ops.tensor_div(input, other)",
    types=Promote("input other", meet=quotient_np, lists=True),
)
def real_div(xp, input: Operand, other: Operand):
    """Divides the input by `other`, element by element. Quotients of integers are rounded toward
    zero and stay integers.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.tensor_div(ms.Tensor([7.0, -7.0]), ms.Tensor([2.0, 2.0])))
        [ 3.5 -3.5]
    """
    if input.dtype.kind == "b":
        raise TypeError("For 'RealDiv', 'x' and 'y' must not both be bools.")
    if input.dtype.kind in "iu":
        return _whole_quotient(xp, input, other)
    return _true_quotient(xp, input, other)


@op(
    "Tensor.__truediv__(other)",
    "ops.Div()(x: input, y: other)",
    "ops.true_divide(dividend: input, divisor: other)",
    "Tensor.true_divide(value: other)",
    types=Promote("input other", meet=quotient_np, lists=True, exact=True, weak_0d=True),
)
def true_div(xp, input: Operand, other: Operand):
    """Divides the input by `other`, element by element. Quotients of integers are float32.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.true_divide(ms.Tensor([7, -7]), ms.Tensor([2, 2])))
        [ 3.5 -3.5]
    """
    return _true_quotient(xp, input, other)


@op(
    "Tensor.__rtruediv__(other)",
    types=Promote("input other", meet=quotient_np, lists=True, exact=True, weak_0d=True),
)
def rtruediv(xp, input: Operand, other: Operand):
    """Divides what stands on the left of the slash by a Tensor: other / input. Quotients of
    integers are float32.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(1 / ms.Tensor([2, 4]))
        [0.5  0.25]
    """
    return _true_quotient(xp, other, input)


Rounding = AsValue(OneOf("floor", "trunc") | None)


@op(
    "ops.div(input, other, *, rounding_mode=None)",
    "ops.divide(input, other, *, rounding_mode=None)",
    "Tensor.div(other, *, rounding_mode=None)",
    "Tensor.divide(other, *, rounding_mode=None)",
    "mint.div(input, other, *, rounding_mode=None)",
    "mint.divide(input, other, *, rounding_mode=None)",
    "Tensor.div_(other, *, rounding_mode=None)",
    types=Promote("input other", meet=quotient_np, lists=True, exact=True, weak_0d=True),
)
def div(xp, input: Operand, other: Operand, rounding_mode: Rounding = None):
    """Divides the input by `other`, element by element.

    `rounding_mode` "floor" rounds each quotient down and "trunc" rounds it toward zero. With None
    the quotient stays as it is, and quotients of integers are float32.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.div(ms.Tensor([7.0, -7.0]), 2.0))
        [ 3.5 -3.5]
        >>> print(ms.ops.div(ms.Tensor([7.0, -7.0]), 2.0, rounding_mode="floor"))
        [ 3. -4.]
    """
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


@op(
    "ops.floor_divide(input, other)",
    "ops.floor_div(x: input, y: other)",
    "ops.FloorDiv()(x: input, y: other)",
    "ops.tensor_floordiv(input, other)",
    "ops.floordiv(input, other)",
    "Tensor.floor_divide(other)",
    "Tensor.__floordiv__(other)",
    "mint.floor_divide(input, other)",
    "Tensor.floor_divide_(other)",
    types=Promote("input other", lists=True),
    quirks=Quirks(errors={"Tensor.floor_divide_": RuntimeError}),
)
def floor_divide(xp, input: Operand, other: Operand):
    """Divides the input by `other`, element by element, and rounds each quotient down.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.floor_divide(ms.Tensor([7, -7]), ms.Tensor([2, 2])))
        [ 3 -4]
    """
    return _floor_quotient(xp, input, other)


@op("Tensor.__rfloordiv__(other)", types=Promote("input other", lists=True))
def rfloordiv(xp, input: Operand, other: Operand):
    """Divides what stands on the left of `//` by a Tensor and rounds down: other // input.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(7 // ms.Tensor([2, -2]))
        [ 3 -4]
    """
    return _floor_quotient(xp, other, input)


@op(
    "ops.floor_mod(x: input, y: other)",
    "ops.FloorMod()(x: input, y: other)",
    "ops.tensor_mod(input, other)",
    "Tensor.__mod__(other)",
    "ops.floormod(x: input, y: other)",
    types=Promote("input other", lists=True),
)
def floor_mod(xp, input: Operand, other: Operand):
    """Computes the remainder of floor division, element by element. It has the sign of the divisor.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.floor_mod(ms.Tensor([7, -7]), ms.Tensor([3, 3])))
        [1 2]
    """
    if input.dtype.kind == "b":     # nothing is left of a division by true
        return xp.not_equal(xp.logical_and(input, other), xp.logical_and(input, other))
    if input.dtype.kind == "i" and input.dtype.itemsize > 2:    # by zero, as in the original
        return xp.where(other == 0, input * 0 + _ends(input.dtype)[0], xp.remainder(input, other))
    return xp.remainder(input, other)


floor_mod.vjp_of("remainder")


@op(
    "ops.remainder(input, other)",
    "mint.remainder(input, other)",
    "Tensor.remainder_(divisor: other)",
    types=Promote("input other", lists=True),
    quirks=Quirks(errors={"Tensor.remainder_": RuntimeError}),
)
def remainder(xp, input: Operand, other: Operand):
    """Computes the remainder of floor division, element by element. It has the sign of the divisor.

    Of complex numbers it is what their floor division, by real parts, leaves.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.remainder(ms.Tensor([7.5, -7.5]), 2.0))
        [1.5 0.5]
    """
    if input.dtype.kind == "c":
        return input - _floor_quotient(xp, input, other) * other
    return floor_mod.body(xp, input, other)


remainder.vjp_of("remainder")


@op("Tensor.__rmod__(other)", types=Promote("input other", lists=True))
def rmod(xp, input: Operand, other: Operand):
    """Computes the remainder of floor division for what stands on the left of the percent sign:
    other % input.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(7 % ms.Tensor([3, -3]))
        [ 1 -2]
    """
    return xp.remainder(other, input)


@op(
    "ops.fmod(input, other)",
    "Tensor.fmod(other)",
    "mint.fmod(input, other)",
    "ops.TruncateMod()(x: input, y: other)",
    "ops.truncate_mod(x: input, y: other)",
    "ops.Mod()(x: input, y: other)",
    types=Promote("input other", lists=True, need_tensor=True),
    quirks=Quirks(rules={"mint.fmod": {"input": Given}}),
)
def fmod(xp, input: Reals, other: Reals):
    """Computes the remainder of truncated division, element by element. It has the sign of the
    dividend.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.fmod(ms.Tensor([7.0, -7.0]), 3.0))
        [ 1. -1.]
    """
    return xp.fmod(input, other)


fmod.vjp_of("fmod")


@op(
    "ops.TruncateDiv()(x: input, y: other)",
    "ops.truncate_div(x: input, y: other)",
    types=Promote("input other", lists=True),
)
def truncate_div(xp, input: Operand, other: Operand):
    """Divides the input by `other` and rounds each quotient toward zero, in the dtype of the
    inputs.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.truncate_div(ms.Tensor([7, -7]), ms.Tensor([2, 2])))
        [ 3 -3]
    """
    if input.dtype.kind in "iu":
        return _whole_quotient(xp, input, other)
    return xp.cast(xp.trunc(_true_quotient(xp, input, other)), input.dtype)


def _power(xp, x, y):
    """Integer powers of integers keep their dtype; a negative one truncates, as in the original."""
    if x.dtype.kind in "iu":
        return xp.cast(xp.power(xp.cast(x, "float64"), xp.cast(y, "float64")), x.dtype)
    return xp.power(x, y)


@op(
    "ops.pow(input, exponent: other)",
    "ops.Pow()(input, exponent: other)",
    "ops.pows(input, exponent: other)",
    "ops.tensor_pow(input, exponent: other)",
    "Tensor.pow(exponent: other)",
    "Tensor.__pow__(other)",
    "mint.pow(input, exponent: other)",
    types=Promote("input other", lists=True),
)
def pow(xp, input: Operand, other: Operand):
    """Raises the input to a power, element by element. Input and exponent may not both be bools.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.pow(ms.Tensor([1.0, 2.0, 3.0]), 2))
        [1. 4. 9.]
    """
    if input.dtype.kind == "b":
        raise TypeError("For 'pow', 'input' and 'exponent' must not both be bools.")
    return _power(xp, input, other)


@op("Tensor.__rpow__(other)", types=Promote("input other", lists=True))
def rpow(xp, input: Operand, other: Operand):
    """Raises what stands on the left of `**` to the power of a Tensor: other ** input. Not both may
    be bools.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(2 ** ms.Tensor([1.0, 2.0, 3.0]))
        [2. 4. 8.]
    """
    if input.dtype.kind == "b":
        raise TypeError("For '__rpow__', 'input' and 'other' must not both be bools.")
    return _power(xp, other, input)


@op(
    "ops.maximum(input, other)",
    "ops.Maximum()(input, other)",
    "Tensor.maximum(other)",
    "mint.maximum(input, other)",
    types=Promote("input other", lists=True),
)
def maximum(xp, input: Operand, other: Operand):
    """Takes the larger one of two elements, and NaN where either is NaN.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.maximum(ms.Tensor([1.0, 5.0]), ms.Tensor([3.0, 2.0])))
        [3. 5.]
    """
    return xp.maximum(input, other)


maximum.vjp_of("maximum")


@op(
    "ops.minimum(input, other)",
    "ops.Minimum()(input, other)",
    "Tensor.minimum(other)",
    "mint.minimum(input, other)",
    types=Promote("input other", lists=True),
)
def minimum(xp, input: Ordered, other: Ordered):
    """Takes the smaller one of two elements, and NaN where either is NaN.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.minimum(ms.Tensor([1.0, 5.0]), ms.Tensor([3.0, 2.0])))
        [1. 2.]
    """
    return xp.minimum(input, other)


minimum.vjp_of("minimum")


@op(
    "ops.DivNoNan()(x1: input, x2: other)",
    "ops.div_no_nan(x: input, y: other)",
    types=Promote("input other", lists=True),
)
def div_no_nan(xp, input: Operand, other: Operand):
    """Divides the input by `other`, element by element, and gives 0 where `other` is 0.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.div_no_nan(ms.Tensor([1.0, 2.0]), ms.Tensor([0.0, 4.0])))
        [0.  0.5]
    """
    zero = other == 0
    return xp.where(zero, 0, _true_quotient(xp, input, xp.where(zero, xp.ones_like(other), other)))


@op("ops.SquaredDifference()(x: input, y: other)", types=Promote("input other", lists=True))
def squared_difference(xp, input: Operand, other: Operand):
    """Squares the difference of two Tensors, element by element: (input - other)^2.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.SquaredDifference()(ms.Tensor([1.0, 5.0]), ms.Tensor([3.0, 2.0])))
        [4. 9.]
    """
    difference = input - other
    return difference * difference


# One input ----------------------------------------------------------------------------------------


@op(
    "ops.neg(input)",
    "ops.Neg()(input)",
    "ops.negative(input)",
    "Tensor.neg()",
    "Tensor.negative()",
    "Tensor.__neg__()",
    "mint.neg(input)",
    "mint.negative(input)",
)
def neg(xp, input: TensorOf(number)):
    """Changes the sign of each element.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.neg(ms.Tensor([1.0, -2.0])))
        [-1.  2.]
    """
    return xp.negative(input)


neg.vjp_of("negative")


@op("Tensor.__pos__()", "ops.positive(input)", "Tensor.positive()")
def positive(xp, input: Given):
    """Returns the input as it is.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.positive(ms.Tensor([1.0, -2.0])))
        [ 1. -2.]
    """
    return xp.logical_or(input, input) if input.dtype.kind == "b" else xp.positive(input)


positive.vjp_of("positive")


@op(
    "ops.abs(input)",
    "ops.Abs()(input)",
    "ops.absolute(input)",
    "Tensor.abs()",
    "Tensor.absolute()",
    "Tensor.__abs__()",
    "mint.abs(input)",
)
def abs(xp, input: TensorOf(any_dtype)):
    """Computes the absolute value of each element; of a complex number it is the modulus, which is
    real.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype; complex64 gives float32
        and complex128 gives float64.

    Example:
        >>> print(ms.ops.abs(ms.Tensor([-1.5, 0.0, 2.0])))
        [1.5 0.  2. ]
    """
    return xp.abs(input)


abs.vjp_of("abs")


@op("ops.square(input)", "ops.Square()(input)", "Tensor.square()", "mint.square(input)")
def square(xp, input: TensorOf(number)):
    """Squares each element.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.square(ms.Tensor([-1.5, 2.0])))
        [2.25 4.  ]
    """
    return xp.square(input)


square.vjp_of("square")


@op("ops.sign(input)", "ops.Sign()(input)", "Tensor.sign()", "mint.sign(input)", "Tensor.sign_()")
def sign(xp, input: TensorOf(any_dtype)):
    """Gives -1, 0 or 1 after the sign of each element.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.sign(ms.Tensor([-3.0, 0.0, 2.0])))
        [-1.  0.  1.]
    """
    return xp.sign(input)
