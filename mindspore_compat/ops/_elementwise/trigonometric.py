"""Trigonometric and hyperbolic functions, angles and hypotenuses, element by element.

sin, cos, tan and tanh are in elementary.py.
"""

from ..._core.declare.inputs import Promote, Quirks
from ..._core.declare.op import op
from .._rules import Float16To64, Operand, RealOperand
from .unary import as_floating, unary

unary(
    "sinh",
    "Computes the hyperbolic sine of each element.",
    "[0.25, 0.5]",
    "[0.25261232 0.5210953 ]",
    "ops.sinh(input)",
    "ops.Sinh()(input)",
    "Tensor.sinh()",
    "mint.sinh(input)",
)


unary(
    "cosh",
    "Computes the hyperbolic cosine of each element.",
    "[0.25, 0.5]",
    "[1.0314132 1.1276261]",
    "ops.cosh(input)",
    "ops.Cosh()(input)",
    "Tensor.cosh()",
    "mint.cosh(input)",
)


unary(
    "arcsin",
    "Finds the angle in radians whose sine is the element.",
    "[0.25, 0.5]",
    "[0.25268024 0.5235988 ]",
    "ops.asin(input)",
    "ops.arcsin(x: input)",
    "ops.Asin()(input)",
    "Tensor.asin()",
    "Tensor.arcsin()",
    "mint.asin(input)",
    "mint.arcsin(x: input)",
)


unary(
    "arccos",
    "Finds the angle in radians whose cosine is the element.",
    "[0.25, 0.5]",
    "[1.3181162 1.0471976]",
    "ops.acos(input)",
    "ops.arccos(input)",
    "ops.ACos()(input)",
    "Tensor.acos()",
    "Tensor.arccos()",
    "mint.acos(input)",
    "mint.arccos(input)",
)


unary(
    "arctan",
    "Finds the angle in radians whose tangent is the element.",
    "[0.25, 0.5]",
    "[0.24497867 0.4636476 ]",
    "ops.atan(input)",
    "ops.arctan(input)",
    "ops.Atan()(input)",
    "Tensor.atan()",
    "Tensor.arctan()",
    "mint.atan(input)",
    "mint.arctan(input)",
)


unary(
    "arcsinh",
    "Computes the inverse hyperbolic sine of each element.",
    "[0.25, 0.5]",
    "[0.24746646 0.4812118 ]",
    "ops.asinh(input)",
    "ops.arcsinh(input)",
    "ops.Asinh()(input)",
    "Tensor.asinh()",
    "Tensor.arcsinh()",
    "mint.asinh(input)",
    "mint.arcsinh(input)",
)


unary(
    "arccosh",
    "Computes the inverse hyperbolic cosine of each element.",
    "[1.0, 2.0]",
    "[0.       1.316958]",
    "ops.acosh(input)",
    "ops.arccosh(input)",
    "ops.Acosh()(input)",
    "Tensor.acosh()",
    "Tensor.arccosh()",
    "mint.acosh(input)",
    "mint.arccosh(input)",
)


unary(
    "arctanh",
    "Computes the inverse hyperbolic tangent of each element.",
    "[0.25, 0.5]",
    "[0.25541282 0.54930615]",
    "ops.atanh(input)",
    "ops.arctanh(input)",
    "ops.Atanh()(input)",
    "Tensor.atanh()",
    "Tensor.arctanh()",
    "mint.atanh(input)",
    "mint.arctanh(input)",
)


unary(
    "sinc",
    "Computes sin(pi x) / (pi x) of each element x, which is 1 at 0.",
    "[0.25, 0.5]",
    "[0.9003163  0.63661975]",
    "ops.sinc(input)",
    "Tensor.sinc()",
    "mint.sinc(input)",
    "mint.special.sinc(input)",
    "ops.Sinc()(input)",
)


unary(
    "deg2rad",
    "Converts degrees to radians.",
    "[90.0, 180.0]",
    "[1.5707964 3.1415927]",
    "ops.deg2rad(x: input)",
    "Tensor.deg2rad()",
    only=Float16To64,
)


unary(
    "rad2deg",
    "Converts radians to degrees.",
    "[0.25, 0.5]",
    "[14.323944 28.647888]",
    "ops.rad2deg(x: input)",
    "Tensor.rad2deg()",
    only=Float16To64,
)


@op(
    "ops.atan2(input, other)",
    "ops.arctan2(input, other)",
    "ops.Atan2()(input, other)",
    "Tensor.atan2(other)",
    "Tensor.arctan2(other)",
    "mint.atan2(input, other)",
    "mint.arctan2(input, other)",
    types=Promote("input other"),
)
def atan2(xp, input: Operand, other: Operand):
    """Computes the arctangent of input / other in radians, in (-pi, pi]. The signs of both select
    the quadrant: it is the angle of the point (other, input).

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        floating dtype to which both are promoted, float32 for integers.

    Example:
        >>> print(ms.ops.atan2(ms.Tensor([1.0, 0.0]), ms.Tensor([1.0, -1.0])))
        [0.7853981 3.1415927]
    """
    return xp.arctan2(as_floating(xp, input), as_floating(xp, other))


@op(
    "ops.hypot(input, other)",
    "Tensor.hypot(other)",
    "ops.Hypot()(x1: input, x2: other)",
    types=Promote("input other"),
    quirks=Quirks(shapes_first=True),
)
def hypot(xp, input: RealOperand, other: RealOperand):
    """Computes the length of the hypotenuse, sqrt(input^2 + other^2), without overflow.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.hypot(ms.Tensor([3.0, 5.0]), ms.Tensor([4.0, 12.0])))
        [ 5. 13.]
    """
    return xp.hypot(input, other)
