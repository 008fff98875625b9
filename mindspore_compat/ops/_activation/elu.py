"""Exponential linear units: ELU, CELU and SELU."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Float, ScalarOf, TensorOf, any_dtype
from .._rules import Float16To64, Floats


def _elu(xp, x, *, alpha, reach=1.0):
    """Computes x where it is positive, alpha * (exp(x / reach) - 1) elsewhere."""
    return xp.where(x > 0, x, alpha * xp.expm1(xp.at_most(x, 0) / reach))


def _elu_vjp(xp, g, out, *, alpha):
    return xp.where(out > 0, g, g * (out + alpha))


def _elu_ext_vjp(xp, g, x, *, alpha):
    return g * xp.where(x > 0, 1, alpha * xp.exp(xp.at_most(x, 0)))


@op("ops.elu(input_x, alpha=1.0)", "ops.Elu(alpha=1.0)(input_x)", "nn.ELU(alpha=1.0)(input_x)")
def elu(xp, input_x: Floats, alpha: ScalarOf(Float, TypeError) = 1.0):
    """Applies the ELU activation: x where x is positive, alpha * (exp(x) - 1) elsewhere. `alpha`
    must be 1.0.

    Shapes:
        `input_x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.elu(ms.Tensor([-1.0, 0.0, 2.0])))
        [-0.63212055  0.          2.        ]
    """
    if alpha != 1.0:
        raise ValueError(f"For 'elu', 'alpha' must be 1.0, but got {alpha!r}.")
    return xp.pointwise(_elu, input_x, alpha=alpha)


elu.vjp(input_x=lambda xp, g, out, alpha: xp.pointwise(_elu_vjp, g, out, alpha=alpha))


@op(
    "mint.nn.functional.elu(input, alpha=1.0, inplace=False)",
    "mint.nn.ELU(alpha=1.0, inplace=False)(input)",
)
def elu_ext(xp, input: TensorOf(any_dtype), alpha: Float = 1.0):
    """Applies the ELU activation: x where x is positive, alpha * (exp(x) - 1) elsewhere.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Raises:
        TypeError: if `input` is not a Tensor, or `alpha` is not a float.
        RuntimeError: if `input` is not of a floating dtype.

    Example:
        >>> print(ms.mint.nn.functional.elu(ms.Tensor([-1.0, 0.0, 2.0]), alpha=0.5))
        [-0.31606027  0.          2.        ]
    """
    if input.dtype.kind in "biuc":
        raise RuntimeError(
            f"For 'elu', 'input' must be a Tensor of a floating dtype, but got {input.dtype}."
        )
    return xp.pointwise(_elu, input, alpha=alpha)


elu_ext.vjp(input=lambda xp, g, input, alpha: xp.pointwise(_elu_ext_vjp, g, input, alpha=alpha))


@op("ops.celu(x, alpha=1.0)", "ops.CeLU(alpha=1.0)(x)", "nn.CELU(alpha=1.0)(x)")
def celu(xp, x: Float16To64, alpha: ScalarOf(Float, TypeError) = 1.0):
    """Applies the CELU activation: x where x is positive, alpha * (exp(x / alpha) - 1) elsewhere.
    `alpha` must not be 0.

    Shapes:
        `x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.celu(ms.Tensor([-1.0, 0.0, 2.0]), alpha=2.0))
        [-0.78693867  0.          2.        ]
    """
    if alpha == 0:
        raise ValueError("For 'celu', 'alpha' must not be 0, but got 0.0.")
    return xp.pointwise(_elu, x, alpha=alpha, reach=alpha)


def _celu_vjp(xp, g, x, *, alpha):
    return g * xp.where(x > 0, 1, xp.exp(xp.at_most(x, 0) / alpha))


celu.vjp(x=lambda xp, g, x, alpha: xp.pointwise(_celu_vjp, g, x, alpha=alpha))


SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@op(
    "ops.selu(input_x)",
    "ops.SeLU()(input_x)",
    "nn.SeLU()(input_x)",
    "mint.nn.functional.selu(input: input_x)",
    quirks=Quirks(
        rules={"mint.nn.functional.selu": {"input_x": TensorOf("bfloat16", "float16", "float32")}}
    ),
)
def selu(xp, input_x: TensorOf("int8", "int32", "float16", "float32", "float64")):
    """Applies the SELU activation: scale * x where x is positive, scale * alpha * (exp(x) - 1)
    elsewhere.

    The constants are alpha = 1.67326324 and scale = 1.05070098. With integer inputs, both factors
    and the exponential are truncated to integers.

    Shapes:
        `input_x` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.selu(ms.Tensor([-1.0, 0.0, 2.0])))
        [-1.1113307  0.         2.101402 ]
    """
    if input_x.dtype.kind == "i":
        curve = xp.expm1(xp.cast(xp.minimum(input_x, 0), "float32"))
        return xp.where(input_x >= 0, input_x, xp.cast(curve, input_x.dtype))
    return xp.cast(xp.pointwise(_selu, input_x), input_x.dtype)


def _selu(xp, x):
    return SELU_SCALE * _elu(xp, x, alpha=SELU_ALPHA)


def _selu_vjp(xp, g, out):
    return xp.where(out >= 0, g * SELU_SCALE, g * (out + SELU_SCALE * SELU_ALPHA))


selu.vjp(input_x=lambda xp, g, out: xp.pointwise(_selu_vjp, g, out))
