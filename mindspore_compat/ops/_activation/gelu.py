"""Gaussian error linear units (GELU), exact and approximate."""

import math

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Any, Bool, OneOf
from .._rules import Float16Or32, Floats

_ROOT = math.sqrt(2 / math.pi)


def _gelu_erf(xp, x):
    return x * xp.quick_ndtr(x)


def _gelu_erf_vjp(xp, g, x):
    density = xp.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    return g * (xp.quick_ndtr(x) + x * density)


def _gelu_tanh(xp, x):
    return 0.5 * x * (1 + xp.tanh(_ROOT * x * (1 + 0.044715 * x * x)))


def _gelu_tanh_vjp(xp, g, x):
    t = xp.tanh(_ROOT * x * (1 + 0.044715 * x * x))
    slope = x * (1 - t * t)  # 0 for large x, whose square may be infinite
    return g * 0.5 * (1 + t + _ROOT * (slope + 0.134145 * x * (slope * x)))


_gelu = {"none": (_gelu_erf, _gelu_erf_vjp), "tanh": (_gelu_tanh, _gelu_tanh_vjp)}


@op(
    "ops.gelu(input, approximate='none')",
    "mint.nn.functional.gelu(input, *, approximate='none')",
    "mint.nn.GELU(approximate='none')(input)",
    "mint.npu_gelu(input, approximate='none')",
    quirks=Quirks(
        rules=dict.fromkeys(
            ("mint.nn.functional.gelu", "mint.nn.GELU"), {"approximate": OneOf("none", "tanh")}
        )
    ),
)
def gelu(xp, input: Floats, approximate: Any = "none"):
    """Applies the GELU activation: each element x times the probability that a standard normal
    number is at most x.

    With `approximate` "tanh" it is 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Raises:
        TypeError: if `input` is not a Tensor of a floating dtype.
        ValueError: if `approximate` is neither 'none' nor 'tanh'.

    Example:
        >>> print(ms.ops.gelu(ms.Tensor([-1.0, 0.0, 2.0])))
        [-0.15865523  0.          1.9544997 ]
    """
    if approximate not in ("none", "tanh"):
        raise ValueError(
            f"For 'gelu', 'approximate' must be 'none' or 'tanh', but got {approximate!r}."
        )
    return xp.blockwise(_gelu[approximate][0], input)


gelu.vjp(input=lambda xp, g, input, approximate: xp.blockwise(_gelu[approximate][1], g, input))


@op("ops.GeLU()(x)", "ops.Gelu()(x)")
def gelu_primitive(xp, x: Floats):
    """Applies the tanh approximation of the GELU activation: 0.5 x (1 + tanh(sqrt(2 / pi) (x +
    0.044715 x^3))).

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.GeLU()(ms.Tensor([-1.0, 0.0, 2.0])))
        [-0.158808   0.         1.9545977]
    """
    return xp.blockwise(_gelu_tanh, x)


gelu_primitive.vjp(x=lambda xp, g, x: xp.blockwise(_gelu_tanh_vjp, g, x))


@op("nn.GELU(approximate=True)(x)", quirks=Quirks(checked_at_once=("nn.GELU",)))
def gelu_layer(xp, x: Floats, approximate: Bool = True):
    """Applies the GELU activation, with the tanh approximation unless `approximate` is False.

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.nn.GELU()(ms.Tensor([-1.0, 0.0, 2.0])))
        [-0.158808   0.         1.9545977]
    """
    return xp.blockwise(_gelu["tanh" if approximate else "none"][0], x)


gelu_layer.vjp(
    x=lambda xp, g, x, approximate: xp.blockwise(_gelu["tanh" if approximate else "none"][1], g, x)
)


@op("ops.fast_gelu(x)", "ops.FastGeLU()(x)", "ops.FastGelu()(x)", "nn.FastGelu()(x)")
def fast_gelu(xp, x: Float16Or32):
    """Applies the fast GELU activation, x * sigmoid(1.702 x).

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.fast_gelu(ms.Tensor([-1.0, 0.0, 2.0])))
        [-0.15420423  0.          1.9356586 ]
    """
    return xp.pointwise(_fast_gelu, x)


def _fast_gelu(xp, x):
    return x * xp.sigmoid(1.702 * x)


def _fast_gelu_vjp(xp, g, x):
    s = xp.sigmoid(1.702 * x)
    return g * (s + 1.702 * (x * (s * (1 - s))))


fast_gelu.vjp(x=lambda xp, g, x: xp.pointwise(_fast_gelu_vjp, g, x))
