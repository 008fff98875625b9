"""Quotients and remainders."""

import numpy

from ..._core.declare.inputs import Promote, Quirks
from ..._core.declare.op import op
from ..._core.rules.value_rules import AnyCase
from ..._core.rules.vocabulary import AsValue, OneOf
from ..._core.tensor.promotion import division_np, quotient_np
from ...common._graph_mode.call import in_graph
from .._rules import NumbersOrBools, Operand, RealOperand

Rounding = AsValue(OneOf("floor", "trunc") | None)
MintRounding = AnyCase(OneOf("floor", "trunc")) | None


def _true_quotient(xp, x, y):
    target = division_np(x.dtype)
    return xp.divide(xp.cast(x, target), xp.cast(y, target))


def _whole_quotient(xp, x, y):
    """Divides integers and rounds toward zero; x / 0 is the largest or smallest integer, with the
    sign of x.
    """
    zero, bounds = y == 0, xp.iinfo(x.dtype)
    divisor = xp.where(zero, xp.ones_like(y), y)
    quotient = xp.floor_divide(x - xp.fmod(x, divisor), divisor)
    far = xp.where(x > 0, xp.asarray(bounds.max, x.dtype), xp.asarray(bounds.min, x.dtype))
    return xp.where(zero, far * (x != 0), quotient)


@op(
    "ops.RealDiv()(x: input, y: other)",
    "ops.tensor_div(input, other)",
    types=Promote("input other", promote=quotient_np, lists=True),
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
    "Tensor.true_divide(other)",
    types=Promote("input other", promote=quotient_np, lists=in_graph, exact=True, weak_0d=True),
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
    types=Promote("input other", promote=quotient_np, lists=in_graph, exact=True, weak_0d=True),
)
def rtruediv(xp, input: Operand, other: Operand):
    """Computes the reflected quotient, other / input, where the Tensor is the divisor. Quotients of
    integers are float32.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(1 / ms.Tensor([2, 4]))
        [0.5  0.25]
    """
    return _true_quotient(xp, other, input)


@op(
    "ops.div(input, other, *, rounding_mode=None)",
    "ops.divide(input, other, *, rounding_mode=None)",
    "Tensor.div(other, *, rounding_mode=None)",
    "Tensor.divide(other, *, rounding_mode=None)",
    "mint.div(input, other, *, rounding_mode=None)",
    "mint.divide(input, other, *, rounding_mode=None)",
    "Tensor.div_(other, *, rounding_mode=None)",
    types=Promote("input other", promote=quotient_np, lists=True, exact=True, weak_0d=True),
    quirks=Quirks(
        rules={
            **dict.fromkeys(
                ("Tensor.div", "Tensor.divide", "Tensor.div_"),
                {"rounding_mode": OneOf("floor", "trunc") | None},
            ),
            **dict.fromkeys(("mint.div", "mint.divide"), {"rounding_mode": MintRounding}),
        }
    ),
)
def div(xp, input: Operand, other: Operand, rounding_mode: Rounding = None):
    """Divides the input by `other`, element by element.

    `rounding_mode` "floor" rounds each quotient down and "trunc" rounds it toward zero. With None,
    quotients are not rounded, and quotients of integers are float32.

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
    """Returns the smallest and the largest number of an integer dtype."""
    bits = 8 * dtype.itemsize
    return (0, 2**bits - 1) if dtype.kind == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _floor_quotient(xp, x, y):
    """Computes the floor of the quotient. As in MindSpore, a float divided by zero gives an
    infinity. An integer divided by zero gives the smallest or the largest integer of its dtype,
    whichever has the sign of the dividend.

    For bools the result is the dividend. For complex numbers it is computed from the real parts.
    """
    if x.dtype.kind == "b":
        return xp.logical_or(x, xp.not_equal(y, y))
    if x.dtype.kind in "iu":
        least, largest = _ends(x.dtype)
        beyond = xp.where(x < 0, xp.asarray(least, x.dtype), xp.asarray(0, x.dtype))
        beyond = xp.where(x > 0, xp.asarray(largest, x.dtype), beyond)
        return xp.where(y == 0, beyond, xp.floor_divide(x, y))
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
    """Divides the input by `other`, element by element, and rounds each quotient down (floor
    division).

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
    """Computes the reflected floor division, other // input, where the Tensor is the divisor.

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
    types=Promote("input other", lists=in_graph),
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
    if max(input.ndim, other.ndim) > 7:
        raise ValueError(
            f"For 'floor_mod', the inputs must have at most seven axes, but got "
            f"{tuple(input.shape)} and {tuple(other.shape)}."
        )
    if input.dtype.kind == "b":  # the remainder of a division by True is False
        return xp.not_equal(xp.logical_and(input, other), xp.logical_and(input, other))
    if input.dtype.kind == "i" and input.dtype.itemsize > 2:  # division by zero as in MindSpore
        return xp.where(other == 0, input * 0 + _ends(input.dtype)[0], xp.remainder(input, other))
    return xp.remainder(input, other)


floor_mod.vjp_of("remainder")


@op(
    "ops.remainder(input, other)",
    "mint.remainder(input, other)",
    "Tensor.remainder_(other)",
    types=Promote("input other", lists=True),
    quirks=Quirks(errors={"Tensor.remainder_": RuntimeError}),
)
def remainder(xp, input: Operand, other: Operand):
    """Computes the remainder of floor division, element by element. It has the sign of the divisor.

    For complex numbers, it is what remains after floor division by the real parts.

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


@op("Tensor.__rmod__(other)", types=Promote("input other", lists=in_graph))
def rmod(xp, input: Operand, other: Operand):
    """Computes the reflected remainder of floor division, other % input, where the Tensor is the
    divisor.

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
    types=Promote("input other", lists=True, need_tensor=True),
    quirks=Quirks(rules={"mint.fmod": {"input": NumbersOrBools}}),
)
def fmod(xp, input: RealOperand, other: RealOperand):
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
    "ops.TruncateMod()(x: input, y: other)",
    "ops.truncate_mod(x: input, y: other)",
    types=Promote("input other", lists=True, need_tensor=True),
)
def truncate_mod(xp, input: RealOperand, other: RealOperand):
    """Computes the remainder of truncated division, element by element. It has the sign of the
    dividend, even if it is zero. A finite number divided by infinity remains as it is.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.truncate_mod(ms.Tensor([7, -7]), ms.Tensor([3, 3])))
        [ 1 -1]
    """
    rest = xp.fmod(input, other)
    if input.dtype.kind in "biu":
        return rest
    kept = xp.isfinite(input) & xp.isinf(other)
    return xp.copysign(xp.where(kept, input, rest), input)


truncate_mod.vjp_of("fmod")


@op(
    "ops.Mod()(x: input, y: other)",
    types=Promote("input other", lists=True, need_tensor=True),
    quirks=Quirks(shapes_first=True),
)
def mod(xp, input: RealOperand, other: RealOperand):
    """Computes the remainder of truncated division, element by element, as `fmod` does.

    0 modulo 0 is 0. Another int32 or int64 number modulo 0 is the smallest number of its dtype.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.Mod()(ms.Tensor([7, -7, 0]), ms.Tensor([3, 3, 0])))
        [ 1 -1  0]
    """
    is_32_bits = input.dtype.kind == "i" and input.dtype.itemsize >= 4
    odd = numpy.iinfo(input.dtype).min if is_32_bits else 0
    if input.dtype.kind in "iu":
        fixed = xp.where(input == 0, 0, odd)
        return xp.where(other == 0, xp.cast(fixed, input.dtype), xp.fmod(input, other))
    both_zero = (input == 0) & (other == 0)
    return xp.where(both_zero, 0, xp.fmod(input, xp.where(both_zero, 1, other)))


mod.vjp_of("fmod")


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


@op(
    "ops.DivNoNan()(x1: input, x2: other)",
    "ops.div_no_nan(x: input, y: other)",
    types=Promote("input other", lists=True),
)
def div_no_nan(xp, input: Operand, other: Operand):
    """Divides the input by `other`, element by element; the quotient is 0 wherever `other` is 0.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.div_no_nan(ms.Tensor([1.0, 2.0]), ms.Tensor([0.0, 4.0])))
        [0.  0.5]
    """
    zero = other == 0
    return xp.where(zero, 0, _true_quotient(xp, input, xp.where(zero, xp.ones_like(other), other)))
