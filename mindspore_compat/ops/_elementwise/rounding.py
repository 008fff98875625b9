"""Rounding, element by element: floor, ceil, trunc, rint, round, frac."""

from ..._backend.bodies.gpu import bodies_of
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Int, InTensor, TensorOf, any_dtype, checked, floating
from .._rules import Anything


@op(
    "ops.floor(input)",
    "ops.Floor()(input)",
    "Tensor.floor()",
    "mint.floor(input)",
    "Tensor.floor_()",
)
def floor(xp, input: TensorOf(any_dtype)):
    """Rounds each element down to an integer (floor).

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.floor(ms.Tensor([1.7, -1.2])))
        [ 1. -2.]
    """
    return xp.floor(input) if input.dtype.kind == "f" else input


@op("ops.ceil(input)", "ops.Ceil()(input)", "Tensor.ceil()", "mint.ceil(input)")
def ceil(xp, input: TensorOf(floating)):
    """Rounds each element up to an integer (ceiling).

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.ceil(ms.Tensor([1.2, -1.7])))
        [ 2. -1.]
    """
    return xp.ceil(input) if input.dtype.kind == "f" else input


@op(
    "ops.trunc(input)",
    "ops.Trunc()(input)",
    "Tensor.trunc()",
    "Tensor.fix()",
    "ops.fix(input)",
    "mint.trunc(input)",
    "mint.fix(input)",
)
def trunc(xp, input: Anything):
    """Truncates each element toward zero to an integer.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.trunc(ms.Tensor([1.7, -1.7])))
        [ 1. -1.]
    """
    return xp.trunc(input) if input.dtype.kind == "f" else input


@op("ops.rint(input)", "ops.Rint()(input_x: input)")
def rint(xp, input: TensorOf("float16", "float32", "float64")):
    """Rounds each element to the nearest integer; ties go to the even one.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.rint(ms.Tensor([0.5, 1.5, 1.2])))
        [0. 2. 1.]
    """
    return xp.rint(input)


@op(
    "ops.round(input, *, decimals=0)",
    "ops.Round()(input, decimals=0)",
    "Tensor.round(decimals=0)",
    "mint.round(input, *, decimals=0)",
)
def round(xp, input: Anything, decimals: InTensor(Int) = 0):
    """Rounds each element to the nearest number with `decimals` decimal places; ties go to the even
    digit.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Raises:
        RuntimeError: if `decimals` is given for an integer dtype.

    Example:
        >>> print(ms.ops.round(ms.Tensor([0.5, 1.5, 1.26])))
        [0. 2. 1.]
        >>> print(ms.ops.round(ms.Tensor([1.26, 3.14]), decimals=1))
        [1.3 3.1]
    """
    if decimals and input.dtype.kind in "iu":
        raise RuntimeError(
            f"For 'round', 'decimals' must be 0 for whole numbers, but got {decimals}."
        )
    return xp.round(input, decimals) if input.dtype.kind == "f" else input


@op("ops.frac(x)", "Tensor.frac()", "mint.frac(input: x)")
def frac(xp, x: Anything):
    """Computes the fractional part of each element, x - trunc(x).

    Shapes:
        `x` may have any shape. The result has the same shape and dtype; bools give int64 zeros.

    Example:
        >>> print(ms.ops.frac(ms.Tensor([1.75, -1.25])))
        [ 0.75 -0.25]
    """
    if x.dtype.kind == "f":
        bodies = bodies_of(xp, x)
        result = None if bodies is None else bodies.pointwise(_frac, x)
        return _frac(xp, x) if result is None else result
    return xp.zeros_like(xp.cast(x, "int64") if x.dtype.kind == "b" else x)


def _frac(xp, x):
    return x - xp.trunc(x)


frac.vjp(x=lambda xp, g: g if g.dtype.kind == "f" else xp.zeros_like(g))


@public("mint.special.round")
@checked
def special_round(input: Anything, *, decimals: Int = 0):
    """Rounds each element to the nearest integer, or to `decimals` decimal places; ties go to the
    even digit.

    Args:
        input (Tensor): real numbers.
        decimals (int): the number of decimal places; negative ones are before the point. Default:
            0.

    Returns:
        Tensor of the shape and dtype of `input`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.special.round(ms.Tensor([1.26]), decimals=1))
        [1.3]
    """
    return round.run(input, decimals)
