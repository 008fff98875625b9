"""Gradients of normalizations, computed from the statistics of the forward pass."""

from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool, Float, Int, OneOf
from .._rules import Floats


@op("ops.operations._grad_ops.BiasAddGrad(data_format='NCHW')(dout)")
def bias_add_grad(xp, dout: Floats, data_format: OneOf("NCHW", "NHWC", "NCDHW") = "NCHW"):
    """Computes the gradient of the bias of `ops.BiasAdd`: the sum over all axes but the channels.

    Shapes:
        `dout` is (N, C, ...), or has its channels last for "NHWC". The result is (C,), of the same
        dtype.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> print(_grad_ops.BiasAddGrad()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [4. 6.]
    """
    channels = dout.ndim - 1 if data_format == "NHWC" else 1
    return xp.sum(dout, tuple(axis for axis in range(dout.ndim) if axis != channels))


@op(
    "ops.operations._grad_ops.BatchNormGrad(is_training=False, epsilon=1e-05, "
    "data_format='NCHW')(dout, x, scale, saved_mean, saved_variance, reserve)"
)
def batch_norm_grad(
    xp,
    dout: Floats,
    x: Floats,
    scale: Floats,
    saved_mean: Floats,
    saved_variance: Floats,
    reserve: Floats = None,
    is_training: Bool = False,
    epsilon: Float = 1e-5,
    data_format: OneOf("NCHW", "NHWC") = "NCHW",
):
    """Computes the gradients of `ops.BatchNorm` for the input, the scale and the bias.

    With `is_training`, the mean and the variance depend on the input. `reserve` is not used.

    Shapes:
        `dout` and `x` are (N, C, ...), scale and statistics are (C,). The gradients are (N, C,
        ...), (C,) and (C,).

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> x, one = ms.Tensor([[1.0], [3.0]]), ms.Tensor([1.0])
        >>> print(_grad_ops.BatchNormGrad()(x, x, one, 2 * one, one, one)[2])
        [4.]
    """
    channel = x.ndim - 1 if data_format == "NHWC" else 1
    axes = tuple(axis for axis in range(x.ndim) if axis != channel)
    shape = tuple(n if axis == channel else 1 for axis, n in enumerate(x.shape))
    mean, variance, scale = (
        xp.reshape(array, shape) for array in (saved_mean, saved_variance, scale)
    )
    inverse = xp.rsqrt(variance + epsilon)
    normal, gradient = _through_mean(xp, x, dout * scale, mean, inverse, axes)
    gradient = gradient if is_training else dout * scale * inverse
    return gradient, xp.sum(dout * normal, axes), xp.sum(dout, axes)


@op(
    "ops.operations._grad_ops.LayerNormGrad(begin_norm_axis=1, begin_params_axis=1)"
    "(x, dy, variance, mean, gamma)"
)
def layer_norm_grad(
    xp,
    x: Floats,
    dy: Floats,
    variance: Floats,
    mean: Floats,
    gamma: Floats,
    begin_norm_axis: Int = 1,
    begin_params_axis: Int = 1,
):
    """Computes the gradients of `ops.LayerNorm` for the input, the scale and the bias.

    Shapes:
        `x` and `dy` are (..., *gamma.shape); the statistics have length 1 along the normalised
        axes. The gradients have the shapes of `x`, `gamma` and `gamma`.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> x, one = ms.Tensor([[1.0, 3.0]]), ms.Tensor([[1.0]])
        >>> print(_grad_ops.LayerNormGrad()(x, x, one, 2 * one, ms.Tensor([1.0, 1.0]))[2])
        [1. 3.]
    """
    axes = tuple(range(begin_norm_axis % x.ndim, x.ndim))
    inverse = xp.rsqrt(variance + 1e-12)
    normal, gradient = _through_mean(xp, x, dy * gamma, mean, inverse, axes)
    outer = tuple(range(begin_params_axis % x.ndim))
    return gradient, xp.sum(dy * normal, outer), xp.sum(dy, outer)


def _through_mean(xp, x, gradient, mean, inverse, axes):
    """Returns `x` standardized over `axes`, and its gradient before the standardization."""
    normal = (x - mean) * inverse
    inner = xp.mean(gradient, axes, keepdims=True)
    inner = inner + normal * xp.mean(gradient * normal, axes, keepdims=True)
    return normal, inverse * (gradient - inner)


@op("ops.operations._grad_ops.RmsNormGrad()(dy, x, rstd, gamma)")
def rms_norm_grad(xp, dy: Floats, x: Floats, rstd: Floats, gamma: Floats):
    """Computes the gradients of `ops.RmsNorm` for its input and its scale, from the `rstd` of the
    forward pass.

    Shapes:
        `dy` and `x` are (..., *gamma.shape). The gradients have the shapes of `x` and `gamma`.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> x, one = ms.Tensor([[1.0, 1.0]]), ms.Tensor([1.0, 1.0])
        >>> print(_grad_ops.RmsNormGrad()(x, x, ms.Tensor([[1.0]]), one)[1])
        [1. 1.]
    """
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    normal, gradient = x * rstd, dy * gamma
    inner = xp.mean(gradient * normal, axes, keepdims=True)
    return rstd * (gradient - normal * inner), xp.sum(dy * normal, tuple(range(axes[0])))
