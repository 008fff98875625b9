"""Hard activations: smooth ones approximated by pieces."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Any, Number, ScalarOf, TensorOf, floating, integer, real
from .._rules import Reals

Bound = ScalarOf(Number, TypeError)


@op(
    "ops.hardsigmoid(input)",
    "ops.HSigmoid()(input)",
    "nn.HSigmoid()(input)",
    "mint.nn.functional.hardsigmoid(input)",
    "mint.nn.Hardsigmoid()(input)",
)
def hardsigmoid(xp, input: Reals):
    """Approximates the sigmoid by straight lines: max(0, min(1, (x + 3) / 6)).

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.hardsigmoid(ms.Tensor([-4.0, 0.0, 1.0])))
        [0.        0.5       0.6666667]
    """
    return xp.cast(xp.at_most(xp.at_least(input / 6 + 0.5, 0), 1), input.dtype)


hardsigmoid.vjp(input=lambda xp, g, input: xp.where((input > -3) & (input < 3), g / 6, 0))


@op(
    "ops.hardswish(input)",
    "ops.HSwish()(input)",
    "nn.HSwish()(input)",
    "mint.nn.functional.hardswish(input)",
    "mint.nn.Hardswish()(input)",
)
def hardswish(xp, input: Reals):
    """Multiplies each element by a sigmoid of straight lines: x * max(0, min(6, x + 3)) / 6.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.hardswish(ms.Tensor([-4.0, 0.0, 1.0])))
        [-0.         0.         0.6666667]
    """
    return xp.cast(input * xp.at_most(xp.at_least(input + 3, 0), 6) / 6, input.dtype)


hardswish.vjp(
    input=lambda xp, g, input: g * xp.where(input < -3, 0, xp.where(input > 3, 1, input / 3 + 0.5))
)


@op("ops.hardtanh(input, min_val=-1.0, max_val=1.0)")
def hardtanh(xp, input: TensorOf(real, "bool"), min_val: Number = -1.0, max_val: Number = 1.0):
    """Cuts the elements off below `min_val` and above `max_val`.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.hardtanh(ms.Tensor([-2.0, 0.5, 3.0])))
        [-1.   0.5  1. ]
    """
    return xp.cast(xp.at_most(xp.at_least(input, min_val), max_val), input.dtype)


hardtanh.vjp(
    input=lambda xp, g, input, min_val, max_val: xp.keep((input > min_val) & (input < max_val), g)
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
    """Cuts the elements off below `min_val` and above `max_val`.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.mint.nn.functional.hardtanh(ms.Tensor([-2.0, 0.5, 3.0])))
        [-1.   0.5  1. ]
    """
    for name, bound in (("min_val", min_val), ("max_val", max_val)):
        if not isinstance(bound, (int, float)):  # which the class asks for only now
            raise TypeError(f"For 'Hardtanh', '{name}' must be a number, but got {bound!r}.")
    return xp.cast(xp.at_most(xp.at_least(input, min_val), max_val), input.dtype)


hardtanh_ext.vjp(
    input=lambda xp, g, input, min_val, max_val: xp.keep((input > min_val) & (input < max_val), g)
)
