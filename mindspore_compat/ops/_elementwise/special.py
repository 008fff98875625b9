"""Special functions, element by element: error, gamma, zeta and beta functions.

Bessel functions are in bessel.py, trigonometric ones in trigonometric.py.
"""

import math

from ..._backend.arrays import SPACES, extremes
from ..._core.declare.inputs import Promote, Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.declare.public_api import build, public
from ..._core.rules.vocabulary import Bool, Float, Int, Number, ScalarOf, TensorOf
from .._optimizer.inferred_metadata import INEXACT, need_among, need_same, together
from .._rules import Anything, Float16To64, Float32Or64, NumbersOrBools, Operand
from ..primitive import Primitive
from .unary import as_floating, unary


@op("ops.erf(input)", "ops.Erf()(input)", "Tensor.erf()", "mint.erf(input)")
def erf(xp, input: Anything):
    """Computes the error function of each element.

    Shapes:
        `input` may have any shape. The result has the same shape; floats keep their dtype and
        integers give float32.

    Example:
        >>> print(ms.ops.erf(ms.Tensor([0.25, 0.5])))
        [0.2763264 0.5204999]
    """
    x = as_floating(xp, input)
    return xp.blockwise(_erf, x) if x.dtype.kind == "f" else xp.erf(x)


def _erf(xp, x):
    return xp.erf(x)


def _erf_vjp(xp, g, x):
    return g * xp.exp(-x * x) * (2 / math.sqrt(math.pi))


erf.vjp(
    input=lambda xp, g, input: (
        xp.blockwise(_erf_vjp, g, input) if input.dtype.kind == "f" else _erf_vjp(xp, g, input)
    )
)


unary(
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


unary(
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


unary(
    "gammaln",
    "Computes the logarithm of the absolute value of the gamma function.",
    "[0.25, 0.5]",
    "[1.2880225 0.5723649]",
    "ops.lgamma(input)",
    "ops.Lgamma()(x: input)",
    "Tensor.lgamma()",
    only=TensorOf("float16", "float32", "float64", "int32"),
)


unary(
    "digamma",
    "Computes the derivative of the logarithm of the gamma function.",
    "[0.25, 0.5]",
    "[-4.2274537 -1.96351  ]",
    "ops.digamma(input)",
    "ops.Digamma()(x: input)",
    "Tensor.digamma()",
    only=Float16To64,
)


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
    """Computes input * log(other), element by element; the result is 0 wherever the input is 0.

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
    """Divides `x` by `y`, element by element; the result is 0 wherever `x` is 0. At least one input
    is floating or complex.

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
            f"are promoted to {x.dtype}."
        )
    zero = x == 0
    return xp.where(zero, xp.zeros_like(x), x / xp.where(zero, xp.ones_like(y), y))


@public("ops.Xdivy")
class Xdivy(Primitive):
    """The class form of `ops.xdivy` (x / y, and 0 where x is 0), with methods that infer its
    metadata.

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
        """Returns the shape of the result, as a list.

        Raises:
            ValueError: if the shapes do not broadcast.
        """
        return together(self.name, x_shape, y_shape)

    def infer_dtype(self, x_dtype, y_dtype):
        """Returns the dtype of the result.

        Raises:
            TypeError: if a dtype is neither floating nor complex, or the dtypes differ.
        """
        need_among(self.name, INEXACT, x=x_dtype, y=y_dtype)
        need_same(self.name, x=x_dtype, y=y_dtype)
        return x_dtype

    def infer_value(self, x, y):
        """Returns the result for two constant Tensors; None if one of them is None."""
        return None if x is None or y is None else self(x, y)


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

    The argument with fewer elements is broadcast to the shape of the other. Two of the same number
    of elements must have the same shape.

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
        `input` and `other` have one shape and dtype. The result has the same shape and dtype.

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
    """Computes the polygamma function of order `n`, the n-th derivative of the digamma function.

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
    """Computes the logarithm of the multivariate gamma function of dimension `p`. Each element must
    exceed (p - 1) / 2.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Raises:
        ValueError: if an element does not exceed (p - 1) / 2, or is NaN.

    Example:
        >>> print(ms.ops.mvlgamma(ms.Tensor([3.0, 4.0]), 2))
        [1.550195  3.5650978]
    """
    if type(input) in SPACES and input.size:  # the values of a Batch cannot be read
        low, high = extremes(input)
        if not low > (p - 1) / 2:
            raise ValueError(
                f"For 'mvlgamma', each element of 'input' must exceed (p - 1) / 2 = {(p - 1) / 2}, "
                f"but they reach from {low} to {high}."
            )
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
    """Computes the logit, log(x / (1 - x)), of each element x.

    Elements are first clipped to [eps, 1 - eps], unless `eps` is negative or None.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.logit(ms.Tensor([0.25, 0.5, 1.0]), eps=1e-3))
        [-1.0986123  0.         6.906768 ]
    """
    if eps is not None and eps >= 0:
        input = xp.clip(input, eps, 1 - eps)
    return xp.logit(input)


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
        `a`, `b` and `x` have one shape and dtype. The result has the same shape and dtype.

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
