"""Trigonometric, hyperbolic and special functions, element by element.

The commonest elementary functions (exp, log, sin, tanh, ...) stand in elementary.py, bits in
bitwise.py, complex parts in complex_parts.py.
"""

from ..._core.declare.inputs import Promote, Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.declare.public_api import build, public
from ..._core.rules.vocabulary import (
    Bool,
    Float,
    Int,
    Number,
    ScalarOf,
    TensorOf,
    any_dtype,
    floating,
    number,
    real,
)
from ..._core.tensor.promotion import met
from .._optimizer.inferred_metadata import INEXACT, need_among, need_same, together
from .._rules import (
    Anything,
    Float16To64,
    Float32Or64,
    Floats,
    NumbersOrBools,
    Operand,
    RealOperand,
)
from ..primitive import Primitive
from .elementary import _floating as as_floating


def _unary(name, doc, given, printed, *lines, only=Anything):
    """An op that is one function of `xp`, on floats; integers are taken as float32.

    `printed` is what the first line, called with a Tensor of `given`, prints.
    """

    def body(xp, input: only):
        return getattr(xp, name)(as_floating(xp, input))

    body.__name__, body.__doc__ = (
        name,
        f"""{doc}

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.{lines[0].partition("(")[0]}(ms.Tensor({given})))
        {printed}
    """,
    )
    return op(*lines)(body)


_unary(
    "sinh",
    "Computes the hyperbolic sine of each element.",
    "[0.25, 0.5]",
    "[0.25261232 0.5210953 ]",
    "ops.sinh(input)",
    "ops.Sinh()(input)",
    "Tensor.sinh()",
    "mint.sinh(input)",
)
_unary(
    "cosh",
    "Computes the hyperbolic cosine of each element.",
    "[0.25, 0.5]",
    "[1.0314132 1.1276261]",
    "ops.cosh(input)",
    "ops.Cosh()(input)",
    "Tensor.cosh()",
    "mint.cosh(input)",
)
_unary(
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
_unary(
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
_unary(
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
_unary(
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
_unary(
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
_unary(
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
_unary(
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
_unary(
    "deg2rad",
    "Converts degrees to radians.",
    "[90.0, 180.0]",
    "[1.5707964 3.1415927]",
    "ops.deg2rad(x: input)",
    "Tensor.deg2rad()",
    only=Float16To64,
)
_unary(
    "rad2deg",
    "Converts radians to degrees.",
    "[0.25, 0.5]",
    "[14.323944 28.647888]",
    "ops.rad2deg(x: input)",
    "Tensor.rad2deg()",
    only=Float16To64,
)
_unary(
    "erf",
    "Computes the error function of each element.",
    "[0.25, 0.5]",
    "[0.2763264 0.5204999]",
    "ops.erf(input)",
    "ops.Erf()(input)",
    "Tensor.erf()",
    "mint.erf(input)",
)
_unary(
    "erfc",
    "Computes 1 less the error function of each element.",
    "[0.25, 0.5]",
    "[0.7236736  0.47950011]",
    "ops.erfc(input)",
    "ops.Erfc()(input)",
    "mint.special.erfc(input)",
    "Tensor.erfc()",
    "mint.erfc(input)",
)
_unary(
    "erfinv",
    "Computes the inverse of the error function, on (-1, 1).",
    "[0.25, 0.5]",
    "[0.22531205 0.47693628]",
    "ops.erfinv(input)",
    "ops.Erfinv()(input)",
    "Tensor.erfinv()",
    "mint.erfinv(input)",
    "Tensor.erfinv_()",
    "ops.erfinv_(input)",
)
_unary(
    "gammaln",
    "Computes the logarithm of the absolute value of the gamma function.",
    "[0.25, 0.5]",
    "[1.2880225 0.5723649]",
    "ops.lgamma(input)",
    "ops.Lgamma()(x: input)",
    "Tensor.lgamma()",
    only=TensorOf(floating, "int32"),
)
_unary(
    "digamma",
    "Computes the derivative of the logarithm of the gamma function.",
    "[0.25, 0.5]",
    "[-4.2274537 -1.96351  ]",
    "ops.digamma(input)",
    "ops.Digamma()(x: input)",
    "Tensor.digamma()",
    only=Floats,
)
_unary(
    "i0",
    "Computes the modified Bessel function of the first kind, order 0.",
    "[0.25, 0.5]",
    "[1.0156864 1.0634835]",
    "ops.bessel_i0(x: input)",
    "ops.i0(input)",
    "ops.BesselI0()(x: input)",
    "Tensor.i0()",
    only=Floats,
)
_unary(
    "i0e",
    "Computes exp(-|x|) times the modified Bessel function I0.",
    "[0.25, 0.5]",
    "[0.7910172  0.64503527]",
    "ops.bessel_i0e(x: input)",
    "ops.BesselI0e()(x: input)",
    only=Floats,
)
_unary(
    "i1",
    "Computes the modified Bessel function of the first kind, order 1.",
    "[0.25, 0.5]",
    "[0.12597911 0.2578943 ]",
    "ops.bessel_i1(x: input)",
    "ops.BesselI1()(x: input)",
    only=Floats,
)
_unary(
    "i1e",
    "Computes exp(-|x|) times the modified Bessel function I1.",
    "[0.25, 0.5]",
    "[0.09811263 0.1564208 ]",
    "ops.bessel_i1e(x: input)",
    "ops.BesselI1e()(x: input)",
    only=Floats,
)
_unary(
    "k0",
    "Computes the modified Bessel function of the second kind, order 0.",
    "[0.25, 0.5]",
    "[1.5415068  0.92441905]",
    "ops.bessel_k0(x: input)",
    "ops.BesselK0()(x: input)",
    only=Floats,
)
_unary(
    "k0e",
    "Computes exp(x) times the modified Bessel function K0.",
    "[0.25, 0.5]",
    "[1.9793339 1.5241094]",
    "ops.bessel_k0e(x: input)",
    "ops.BesselK0e()(x: input)",
    only=Floats,
)
_unary(
    "k1",
    "Computes the modified Bessel function of the second kind, order 1.",
    "[0.25, 0.5]",
    "[3.747026  1.6564411]",
    "ops.bessel_k1(x: input)",
    "ops.BesselK1()(x: input)",
    only=Floats,
)
_unary(
    "k1e",
    "Computes exp(x) times the modified Bessel function K1.",
    "[0.25, 0.5]",
    "[4.8112764 2.7310097]",
    "ops.bessel_k1e(x: input)",
    "ops.BesselK1e()(x: input)",
    only=Floats,
)
_unary(
    "j0",
    "Computes the Bessel function of the first kind, order 0.",
    "[0.25, 0.5]",
    "[0.9844359 0.9384698]",
    "ops.bessel_j0(x: input)",
    "ops.BesselJ0()(x: input)",
    only=Floats,
)
_unary(
    "j1",
    "Computes the Bessel function of the first kind, order 1.",
    "[0.25, 0.5]",
    "[0.12402598 0.24226846]",
    "ops.bessel_j1(x: input)",
    "ops.BesselJ1()(x: input)",
    only=Floats,
)
_unary(
    "y0",
    "Computes the Bessel function of the second kind, order 0.",
    "[0.25, 0.5]",
    "[-0.93157303 -0.44451874]",
    "ops.bessel_y0(x: input)",
    "ops.BesselY0()(x: input)",
    only=Floats,
)
_unary(
    "y1",
    "Computes the Bessel function of the second kind, order 1.",
    "[0.25, 0.5]",
    "[-2.7041051 -1.4714724]",
    "ops.bessel_y1(x: input)",
    "ops.BesselY1()(x: input)",
    only=Floats,
)


@op("ops.signbit(input)", "Tensor.signbit()")
def signbit(xp, input: Anything):
    """Tells which elements have a negative sign; -0.0 has one too.

    Shapes:
        `input` may have any shape. The result is a bool Tensor of the same shape.

    Example:
        >>> print(ms.ops.signbit(ms.Tensor([-1.0, 0.0, 2.0])))
        [ True False False]
    """
    return xp.signbit(input) if input.dtype.kind == "f" else input < 0


@op("ops.sgn(input)", "Tensor.sgn()")
def sgn(xp, input: Anything):
    """Gives the sign of each element; of a complex number x it is x / |x|, and 0 of 0.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.sgn(ms.Tensor([-3.0, 0.0, 2.0])))
        [-1.  0.  1.]
    """
    if input.dtype.kind != "c":
        return xp.sign(input)
    size = xp.abs(input)
    return input / xp.where(size == 0, 1, size)


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
    """Computes the angle in radians, in (-pi, pi], at which the point (other, input) is seen from
    the origin.

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
    "ops.xlogy(input, other)",
    "ops.Xlogy()(input, other)",
    "Tensor.xlogy(other)",
    "mint.xlogy(input, other)",
    types=Promote("input other", exact=True),
    quirks=Quirks(
        rules={
            "ops.Xlogy": {"input": NumbersOrBools, "other": NumbersOrBools},
            "mint.xlogy": {"input": NumbersOrBools},
        }
    ),
)
def xlogy(xp, input: Operand, other: Operand):
    """Computes input * log(other), element by element, and gives 0 where the input is 0.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        floating dtype to which both are promoted, float32 for integers.

    Example:
        >>> print(ms.ops.xlogy(ms.Tensor([0.0, 2.0]), ms.Tensor([0.0, 3.0])))
        [0.        2.1972246]
    """
    return xp.xlogy(as_floating(xp, input), as_floating(xp, other))


@op("ops.xdivy(x, y)", "Tensor.xdivy(y)", types=Promote("x y"))
def xdivy(xp, x: Operand, y: Operand):
    """Divides `x` by `y`, element by element, and gives 0 where `x` is 0. One of the two holds
    floats or complex numbers.

    Shapes:
        The shapes of `x` and `y` are broadcast. The result has the broadcast shape and the dtype to
        which both are promoted.

    Example:
        >>> print(ms.ops.xdivy(ms.Tensor([0.0, 3.0]), ms.Tensor([0.0, 2.0])))
        [0.  1.5]
    """
    if x.dtype.kind in "biu":
        raise TypeError(
            f"For 'xdivy', 'x' or 'y' must hold floats or complex numbers, but both "
            f"meet in {x.dtype}."
        )
    zero = x == 0
    return xp.where(zero, xp.zeros_like(x), x / xp.where(zero, xp.ones_like(y), y))


@public("ops.Xdivy")
class Xdivy(Primitive):
    """x / y, and 0 where x is 0: `ops.xdivy`; and what is known of that beforehand.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Xdivy()(ms.Tensor([0.0, 3.0]), ms.Tensor([0.0, 2.0])))
        [0.  1.5]

    Source: mindspore.ops.Xdivy of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("Xdivy")

    def __call__(self, x, y):
        return build("ops", "xdivy")(x, y)

    def infer_shape(self, x_shape, y_shape):
        """The shape of the result, list.

        Raises:
            ValueError: if the shapes do not broadcast.
        """
        return together(self.name, x_shape, y_shape)

    def infer_dtype(self, x_dtype, y_dtype):
        """The dtype of the result.

        Raises:
            TypeError: if one is not of floats or complex numbers, or they differ.
        """
        need_among(self.name, INEXACT, x=x_dtype, y=y_dtype)
        need_same(self.name, x=x_dtype, y=y_dtype)
        return x_dtype

    def infer_value(self, x, y):
        """The result of two Tensors; None if one is None."""
        return None if x is None or y is None else self(x, y)


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
    wide = "complex128" if "c" in (input.dtype.kind, exponent.dtype.kind) else "float64"
    return xp.power(xp.cast(input, wide), xp.cast(exponent, wide))


@op("ops.copysign(x, other)", "Tensor.copysign(other)", compute="native")
def copysign(xp, x: TensorOf(real), other: RealOperand):
    """Gives each element of `x` the sign of the element of `other`.

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
    """Gives 0 for elements below zero, 1 for elements above, and those of `values` at zero.

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
    """Takes from each element one step toward `other`: to the next number that the dtype can hold.

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
    size, power = met(xp, x, xp.exp2(as_floating(xp, other)))
    return size * power


@op(
    "ops.igamma(input, other)",
    "ops.Igamma()(a: input, x: other)",
    "Tensor.igamma(other)",
    types=SameDtype("input other"),
)
def igamma(xp, input: Float16To64, other: Float16To64):
    """Computes the lower regularised incomplete gamma function of order `input` at `other`.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.igamma(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 2.0])))
        [0.63212055 0.59399414]
    """
    return xp.gammainc(input, other)


@op(
    "ops.igammac(input, other)",
    "ops.Igammac()(a: input, x: other)",
    "Tensor.igammac(other)",
    types=SameDtype("input other"),
)
def igammac(xp, input: Float16To64, other: Float16To64):
    """Computes the upper regularised incomplete gamma function of order `input` at `other`.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result has the broadcast shape and the
        dtype to which both are promoted.

    Example:
        >>> print(ms.ops.igammac(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 2.0])))
        [0.36787945 0.40600586]
    """
    return xp.gammaincc(input, other)


@op(
    "ops.zeta(input, other)",
    types=(Promote("input other", need_tensor=True), SameDtype("input other")),
)
def zeta(xp, input: Float32Or64 | Number | Bool, other: Float32Or64 | Number | Bool):
    """Computes the Hurwitz zeta function, the sum of (other + k)^-input over k = 0, 1, 2, ...

    The smaller argument is broadcast to the shape of the larger; two of one size have one shape.

    Shapes:
        The result has the shape of the larger of `input` and `other`, and the dtype of both.

    Example:
        >>> print(ms.ops.zeta(ms.Tensor([2.0, 3.0]), ms.Tensor([1.0, 1.0])))
        [1.644934  1.2020569]
    """
    if input.size < other.size:
        input = xp.broadcast_to(input, other.shape)
    elif other.size < input.size:
        other = xp.broadcast_to(other, input.shape)
    return zeta_of_pairs.body(xp, input, other)


@op("ops.Zeta()(x: input, q: other)", types=SameDtype("input other"))
def zeta_of_pairs(xp, input: Float32Or64, other: Float32Or64):
    """Computes the Hurwitz zeta function, the sum of (other + k)^-input over k = 0, 1, 2, ...

    Shapes:
        `input` and `other` have one shape and one dtype, which are also those of the result.

    Example:
        >>> print(ms.ops.Zeta()(ms.Tensor([2.0, 3.0]), ms.Tensor([1.0, 1.0])))
        [1.644934  1.2020569]
    """
    if input.shape != other.shape:
        raise ValueError(
            f"For 'zeta', the shapes must agree, but got {tuple(input.shape)} and "
            f"{tuple(other.shape)}."
        )
    return xp.zeta(input, other)


@op(
    "ops.polygamma(n, input)",
    "ops.Polygamma()(a: n, x: input)",
    "Tensor.polygamma(n)",
    quirks=Quirks(shapes_first=True),
)
def polygamma(xp, input: Float16To64, n: TensorOf("int32", "int64")):
    """Computes the derivative of order `n` of the digamma function.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype; `n` holds one integer
        for all elements, or has a shape that is broadcast with it.

    Example:
        >>> print(ms.ops.polygamma(ms.Tensor(1), ms.Tensor([1.0, 2.0])))
        [1.644934   0.64493406]
    """
    if n.ndim:
        raise ValueError(f"For 'polygamma', 'n' must have no dimensions, but got shape {n.shape}.")
    return xp.cast(xp.polygamma(n, input), input.dtype)


@op("ops.mvlgamma(input, p)", "ops.Mvlgamma(p)(x: input)", "Tensor.mvlgamma(p)")
def mvlgamma(xp, input: TensorOf("float32", "float64"), p: Int(ge=1)):
    """Computes the logarithm of the multivariate gamma function of dimension `p`; each element
    exceeds (p - 1) / 2.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.mvlgamma(ms.Tensor([3.0, 4.0]), 2))
        [1.550195  3.5650978]
    """
    total = 0.25 * p * (p - 1) * 1.1447298858494002  # log(pi)
    parts = [xp.gammaln(input - 0.5 * j) for j in range(p)]
    for part in parts:
        total = part + total
    return total


@op(
    "ops.logit(input, eps=None)",
    "ops.Logit(eps=-1.0)(input)",
    "Tensor.logit(eps=None)",
    quirks=Quirks(rules={"ops.Logit": {"eps": ScalarOf(Float)}, "Tensor.logit": {"eps": Float}}),
)
def logit(xp, input: TensorOf("float16", "float32", "float64"), eps: ScalarOf(Float) = None):
    """Computes log(x / (1 - x)) for each element x.

    Elements are first moved into [eps, 1 - eps], unless `eps` is negative or None.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.logit(ms.Tensor([0.25, 0.5, 1.0]), eps=1e-3))
        [-1.0986123  0.         6.906768 ]
    """
    if eps is not None and eps >= 0:
        input = xp.clip(input, eps, 1 - eps)
    return xp.logit(input)


LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38}


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
    """Puts numbers in the place of NaN and of infinities.

    NaN becomes `nan`, by default 0; infinities become `posinf` and `neginf`, by default the largest
    and the smallest number of the dtype.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.nan_to_num(ms.Tensor([np.nan, np.inf, 1.0]), nan=0.0, posinf=9.0))
        [0. 9. 1.]
    """
    nan = 0.0 if nan is None else nan
    largest = LARGEST.get(input.dtype.name)
    if largest is None:
        return xp.nan_to_num(input, nan=nan, posinf=posinf, neginf=neginf)
    posinf = largest if posinf is None else posinf
    neginf = -largest if neginf is None else neginf
    wide = xp.nan_to_num(xp.cast(input, "float32"), nan=nan, posinf=posinf, neginf=neginf)
    return xp.cast(wide, input.dtype)


nan_to_num.upcast = False


@op("ops.isneginf(input)", "Tensor.isneginf()", "mint.isneginf(input)")
def isneginf(xp, input: Anything):
    """Tells which elements are minus infinity.

    Shapes:
        `input` may have any shape. The result is a bool Tensor of the same shape.

    Example:
        >>> print(ms.ops.isneginf(ms.Tensor([1.0, -np.inf, np.inf])))
        [False  True False]
    """
    return input == float("-inf")


@op("ops.isposinf(input)", "Tensor.isposinf()")
def isposinf(xp, input: Anything):
    """Tells which elements are plus infinity.

    Shapes:
        `input` may have any shape. The result is a bool Tensor of the same shape.

    Example:
        >>> print(ms.ops.isposinf(ms.Tensor([1.0, -np.inf, np.inf])))
        [False False  True]
    """
    return input == float("inf")


@op("ops.Betainc()(a, b, x)", types=SameDtype("a b x"))
def betainc(
    xp,
    a: TensorOf("float32", "float64"),
    b: TensorOf("float32", "float64"),
    x: TensorOf("float32", "float64"),
):
    """Computes the regularised incomplete beta function of `x` in [0, 1], with the positive
    parameters `a` and `b`.

    Shapes:
        `a`, `b` and `x` have one shape and dtype, which are also those of the result.

    Example:
        >>> print(ms.ops.Betainc()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 3.0]),
        ...                        ms.Tensor([0.25, 0.5])))
        [0.25   0.6875]
    """
    if not a.shape == b.shape == x.shape:
        raise ValueError(
            f"For 'Betainc', 'a', 'b' and 'x' must have one shape, but got {a.shape}, "
            f"{b.shape} and {x.shape}."
        )
    return xp.betainc(a, b, x)


@op("ops.eps(x)", "ops.Eps()(x)", compute="native")
def eps(xp, x: TensorOf(floating)):
    """Fills the shape of the input with the step from 1 to the next number of the dtype.

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.eps(ms.Tensor([5.0, 7.0])))
        [1.1920929e-07 1.1920929e-07]
    """
    one = xp.ones(x.shape, x.dtype)
    return xp.nextafter(one, one + one) - one
