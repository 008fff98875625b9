"""Hard activations: piecewise linear approximations of smooth ones."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import (
    Any,
    InstanceOf,
    Number,
    ScalarOf,
    TensorOf,
    floating,
    integer,
    real,
)
from .._rules import Reals

_IntOrFloat = InstanceOf(int, float).called("a number")

Bound = ScalarOf(Number, TypeError)


@op(
    "ops.hardsigmoid(input)",
    "ops.HSigmoid()(input)",
    "nn.HSigmoid()(input)",
    "mint.nn.functional.hardsigmoid(input)",
    "mint.nn.Hardsigmoid()(input)",
)
def hardsigmoid(xp, input: Reals.but("uint8", "uint16", "uint32", "uint64")):
    """Applies the hard sigmoid, a piecewise linear sigmoid: max(0, min(1, (x + 3) / 6)).

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.hardsigmoid(ms.Tensor([-4.0, 0.0, 1.0])))
        [0.        0.5       0.6666667]
    """
    return xp.cast(xp.pointwise(_hardsigmoid, input), input.dtype)


def _hardsigmoid(xp, x):
    return xp.at_most(xp.at_least(x / 6 + 0.5, 0), 1)


def _hardsigmoid_vjp(xp, g, x):
    return xp.where((x > -3) & (x < 3), g / 6, 0)


hardsigmoid.vjp(input=lambda xp, g, input: xp.pointwise(_hardsigmoid_vjp, g, input))


@op(
    "ops.hardswish(input)",
    "ops.HSwish()(input)",
    "nn.HSwish()(input)",
    "mint.nn.functional.hardswish(input)",
    "mint.nn.Hardswish()(input)",
)
def hardswish(xp, input: Reals):
    """Applies the hard swish activation: x * max(0, min(6, x + 3)) / 6.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.hardswish(ms.Tensor([-4.0, 0.0, 1.0])))
        [0.        0.        0.6666667]
    """
    if input.dtype.kind in "iu":  # float64 would round large integers
        low = xp.pointwise(_hardswish, xp.at_most(input, 3))
        return xp.where(input >= 3, input, xp.cast(low, input.dtype))
    return xp.cast(xp.pointwise(_hardswish, input), input.dtype)


def _hardswish(xp, x):
    low = xp.at_most(x, 3)  # the product of larger elements would overflow
    gate = xp.at_least(low + 3, 0)
    return xp.where(x >= 3, x, xp.where(gate <= 0, 0, low * gate / 6))


def _hardswish_vjp(xp, g, x):
    return g * xp.where(x < -3, 0, xp.where(x > 3, 1, x / 3 + 0.5))


hardswish.vjp(input=lambda xp, g, input: xp.pointwise(_hardswish_vjp, g, input))


@op("ops.hardtanh(input, min_val=-1.0, max_val=1.0)")
def hardtanh(xp, input: TensorOf(real, "bool"), min_val: Number = -1.0, max_val: Number = 1.0):
    """Applies the hard tanh activation: clips the elements to [min_val, max_val].

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.hardtanh(ms.Tensor([-2.0, 0.5, 3.0])))
        [-1.   0.5  1. ]
    """
    return xp.cast(xp.at_most(xp.at_least(input, min_val), max_val), input.dtype)


def _hardtanh_vjp(xp, g, x, *, min_val, max_val):
    """Returns the gradient of a maximum and a minimum; an element that equals a bound receives half
    of it.
    """
    within = xp.where((x >= min_val) & (x <= max_val), g, 0)
    within = xp.where(x > min_val, within, 0.5 * within)
    return xp.where(x < max_val, within, 0.5 * within)


hardtanh.vjp(
    input=lambda xp, g, input, min_val, max_val: xp.pointwise(
        _hardtanh_vjp, g, input, min_val=min_val, max_val=max_val
    )
)


@op(
    "mint.nn.functional.hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False)",
    "mint.nn.Hardtanh(min_val=-1.0, max_val=1.0, inplace=False)(input)",
    quirks=Quirks(rules={"mint.nn.Hardtanh": {"min_val": Any, "max_val": Any}}),
)
def hardtanh_ext(
    xp,
    input: TensorOf((integer | floating) - {"float64"}),
    min_val: Bound = -1.0,
    max_val: Bound = 1.0,
):
    """Applies the hard tanh activation: clips the elements to [min_val, max_val].

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.mint.nn.functional.hardtanh(ms.Tensor([-2.0, 0.5, 3.0])))
        [-1.   0.5  1. ]
    """
    for name, bound in (("min_val", min_val), ("max_val", max_val)):
        if not isinstance(bound, (int, float)):  # not checked by the constructor
            _IntOrFloat.refuse("Hardtanh", name, bound)
    return xp.cast(xp.at_most(xp.at_least(input, min_val), max_val), input.dtype)


hardtanh_ext.vjp(
    input=lambda xp, g, input, min_val, max_val: xp.keep((input > min_val) & (input < max_val), g)
)
