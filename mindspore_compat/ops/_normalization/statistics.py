"""Normalizations of `ops.auto_generate` that also return their statistics, and their gradients.

Functions and layers without statistics are in _normalization/batch_norm.py and
_normalization/layer_norm.py. Gradient Primitives of older releases are in
_normalization/gradients.py.
"""

import math

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.gradients.transforms import vjp
from ..._core.rules.vocabulary import Bool, Float, Int, ListOf, OneOf, TupleOf, checked
from .._precision import at_least_float32
from .._rules import Floats
from ..primitive import Primitive
from .batch_norm import channels_first, channels_last


def _standard(xp, x, axes, eps):
    """Returns `x` standardized over `axes`, the mean, and 1 / standard deviation."""
    mean = xp.mean(x, axes, keepdims=True)
    rstd = xp.rsqrt(xp.mean((x - mean) ** 2, axes, keepdims=True) + eps)
    return (x - mean) * rstd, mean, rstd


@op(
    "ops.auto_generate.LayerNormExt()(input, normalized_shape, weight=None, bias=None, eps=1e-05)",
    compute="native",
)
def layer_norm_ext(
    xp,
    input: Floats,
    normalized_shape: Int | TupleOf(Int) | ListOf(Int),
    weight: Floats = None,
    bias: Floats = None,
    eps: Float = 1e-5,
):
    """Applies layer normalization over the last axes, of shape `normalized_shape`, and returns the
    statistics.

    Shapes:
        `input` is (..., *normalized_shape), `weight` and `bias` are of that shape.

    Returns:
        The result, and mean and reciprocal of the standard deviation, whose reduced axes have
        length 1.

    Raises:
        ValueError: if the last axes of the input, the weight or the bias do not have this shape.

    Example:
        >>> norm = ms.ops.auto_generate.LayerNormExt()
        >>> print(norm(ms.Tensor([[1.0, 3.0]]), (2,))[0])
        [[-0.999995  0.999995]]
    """
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    shapes = {"input": tuple(input.shape[input.ndim - len(shape) :])}
    shapes |= {
        name: tuple(parameter.shape)
        for name, parameter in (("weight", weight), ("bias", bias))
        if parameter is not None
    }
    if not shape or any(parameter != shape for parameter in shapes.values()):
        raise ValueError(
            f"For 'LayerNormExt', 'input' must end in 'normalized_shape', {shape}, which is that "
            f"of 'weight' and 'bias', but got {shapes}."
        )
    axes = tuple(range(input.ndim - len(shape), input.ndim))
    out, mean, rstd = _standard(xp, at_least_float32(xp, input), axes, eps)
    return xp.cast(_affine(xp, out, weight, bias), input.dtype), mean, rstd


@op(
    "ops.auto_generate.LayerNormV3(begin_norm_axis=1, begin_params_axis=1, epsilon=1e-07)"
    "(input_x, gamma, beta)",
    compute="native",
)
def layer_norm_v3(
    xp,
    input_x: Floats,
    gamma: Floats,
    beta: Floats,
    begin_norm_axis: Int = 1,
    begin_params_axis: Int = 1,
    epsilon: Float = 1e-7,
):
    """Applies layer normalization over the axes from `begin_norm_axis` on, as `ops.LayerNorm`, and
    returns the reciprocal of the standard deviation instead of the variance.

    Shapes:
        `gamma` and `beta` have the shape of the axes of `input_x` from `begin_params_axis` on. The
        result has the shape and dtype of `input_x`.

    Raises:
        ValueError: if an axis does not exist, or the shape of `gamma` or `beta` does not fit.

    Example:
        >>> norm = ms.ops.auto_generate.LayerNormV3()
        >>> print(norm(ms.Tensor([[1.0, 3.0]]), ms.Tensor([1.0, 1.0]), ms.Tensor([0.0, 0.0]))[0])
        [[-1.  1.]]
    """
    rank = input_x.ndim
    for name, axis in (
        ("begin_norm_axis", begin_norm_axis),
        ("begin_params_axis", begin_params_axis),
    ):
        if not -rank <= axis < rank:
            raise ValueError(
                f"For 'LayerNormV3', '{name}' must be in [{-rank}, {rank}), but got {axis}."
            )
    shape = tuple(input_x.shape[begin_params_axis % rank :])
    if tuple(gamma.shape) != shape or tuple(beta.shape) != shape:
        raise ValueError(
            f"For 'LayerNormV3', 'gamma' and 'beta' must have shape {shape}, but got "
            f"{tuple(gamma.shape)} and {tuple(beta.shape)}."
        )
    axes = tuple(range(begin_norm_axis % rank, rank))
    out, mean, rstd = _standard(xp, at_least_float32(xp, input_x), axes, epsilon)
    return xp.cast(_affine(xp, out, gamma, beta), input_x.dtype), mean, rstd


def _affine(xp, x, scale, shift):
    x = x if scale is None else x * at_least_float32(xp, scale)
    return x if shift is None else x + at_least_float32(xp, shift)


def _groups(api, x, count):
    if x.ndim < 2 or count < 1 or x.shape[1] % count:
        raise ValueError(
            f"For '{api}', 'num_groups' must divide the channels of shape {tuple(x.shape)}, but "
            f"got {count}."
        )
    return (x.shape[0], count, math.prod(x.shape[1:]) // count)


def _by_channel(xp, x, vector):
    return xp.reshape(at_least_float32(xp, vector), (1, -1) + (1,) * (x.ndim - 2))


@op(
    "ops.auto_generate.GroupNorm()(input, num_groups, weight=None, bias=None, eps=1e-05)",
    compute="native",
)
def group_norm_statistics(
    xp,
    input: Floats,
    num_groups: Int,
    weight: Floats = None,
    bias: Floats = None,
    eps: Float = 1e-5,
):
    """Applies group normalization, scales and shifts each channel, and returns the statistics.

    Shapes:
        `input` is (N, C, ...), `weight` and `bias` are (C,), of one dtype.

    Returns:
        The result, and mean and reciprocal of the standard deviation of each group, (N, groups), of
        the input's dtype.

    Raises:
        ValueError: if `num_groups` does not divide the channels.

    Example:
        >>> norm = ms.ops.auto_generate.GroupNorm()
        >>> print(norm(ms.Tensor([[1.0, 3.0]]), 1)[0])
        [[-0.999995  0.999995]]
    """
    shape = _groups("GroupNorm", input, num_groups)
    out, mean, rstd = _standard(xp, xp.reshape(at_least_float32(xp, input), shape), (2,), eps)
    out = xp.reshape(out, input.shape)
    if weight is not None:
        out = out * _by_channel(xp, input, weight)
    if bias is not None:
        out = out + _by_channel(xp, input, bias)
    results = (out, xp.squeeze(mean, 2), xp.squeeze(rstd, 2))
    return tuple(xp.cast(array, input.dtype) for array in results)


@op(
    "ops.auto_generate.GroupNormGrad()(dy, x, mean, rstd, gamma_opt, num_groups, "
    "dx_is_require=True, dgamma_is_require=True, dbeta_is_require=True)",
    compute="native",
)
def group_norm_grad(
    xp,
    dy: Floats,
    x: Floats,
    mean: Floats,
    rstd: Floats,
    gamma_opt: Floats,
    num_groups: Int,
    dx_is_require: Bool = True,
    dgamma_is_require: Bool = True,
    dbeta_is_require: Bool = True,
):
    """Computes the gradients of `GroupNorm` for the input, the scale and the shift; the flags for
    required gradients have no effect.

    Shapes:
        `dy` and `x` are (N, C, ...), `mean` and `rstd` are (N, groups), `gamma_opt` is (C,). The
        gradients are (N, C, ...), (C,) and (C,).

    Raises:
        ValueError: if `num_groups` does not divide the channels.

    Example:
        >>> x, one = ms.Tensor([[1.0, 3.0]]), ms.Tensor([[1.0]])
        >>> grad = ms.ops.auto_generate.GroupNormGrad()
        >>> print(grad(x, x, ms.Tensor([[2.0]]), one, ms.Tensor([1.0, 1.0]), 1)[2])
        [1. 3.]
    """
    shape = _groups("GroupNormGrad", x, num_groups)
    flow, value, middle, inverse = at_least_float32(xp, dy, x, mean, rstd)
    middle, inverse = (xp.expand_dims(array, 2) for array in (middle, inverse))
    normal = (xp.reshape(value, shape) - middle) * inverse
    inner = xp.reshape(flow * _by_channel(xp, x, gamma_opt), shape)
    back = inner - xp.mean(inner, 2, keepdims=True)
    back = (back - normal * xp.mean(inner * normal, 2, keepdims=True)) * inverse
    axes = tuple(axis for axis in range(x.ndim) if axis != 1)
    gamma = xp.sum(flow * xp.reshape(normal, x.shape), axes)
    gradients = (xp.reshape(back, x.shape), gamma, xp.sum(flow, axes))
    return tuple(xp.cast(array, x.dtype) for array in gradients)


# Second-order gradients ---------------------------------------------------------------------------


@op(compute="native")
def layer_normal(xp, x: Floats, gamma: Floats, beta: Floats, begin: Int, eps: Float):
    """Applies layer normalization over the axes from `begin` on, then scales and shifts."""
    return _standard(xp, x, tuple(range(begin, x.ndim)), eps)[0] * gamma + beta


@public("ops.auto_generate.LayerNormGradGrad", "ops.operations._grad_ops.LayerNormGradGrad")
class LayerNormGradGrad(Primitive):
    """Computes the gradients of `LayerNormGrad` for the input, the output's gradient and the scale.

    Args:
        begin_norm_axis (int): the first axis that is standardized. Default: 1.
        begin_params_axis (int): the first axis of scale and shift. Default: 1.

    Inputs: the input, the output's gradient, the variance and the mean of the normalization, the
    scale, and the gradients of the three results of `LayerNormGrad`.

    Raises:
        TypeError: if an argument is not an int, or an input is not a floating Tensor.

    Source: mindspore.ops.auto_generate.LayerNormGradGrad of MindSpore 2.10.
    """

    @checked
    def __init__(self, begin_norm_axis: Int = 1, begin_params_axis: Int = 1):
        super().__init__("LayerNormGradGrad")
        self.begin_norm_axis, self.begin_params_axis = begin_norm_axis, begin_params_axis

    @checked
    def __call__(
        self,
        x: Floats,
        dy: Floats,
        variance: Floats,
        mean: Floats,
        gamma: Floats,
        d_dx: Floats,
        d_dg: Floats,
        d_db: Floats,
    ):
        begin = self.begin_norm_axis % x.ndim

        def first(x, dy, gamma):
            return tuple(
                vjp(lambda *given: layer_normal.run(*given, begin, 1e-12), x, gamma, gamma * 0)[1](
                    dy
                )
            )

        return tuple(vjp(first, x, dy, gamma)[1]((d_dx, d_dg, d_db)))


@op(compute="native")
def batch_normal(
    xp,
    x: Floats,
    scale: Floats,
    shift: Floats,
    mean: Floats = None,
    variance: Floats = None,
    eps: Float = 1e-5,
):
    """Applies batch normalization over channels, the second axis, then scales and shifts. Uses the
    given statistics, or the statistics of the batch if they are None.
    """
    shape = (1, -1) + (1,) * (x.ndim - 2)
    axes = tuple(axis for axis in range(x.ndim) if axis != 1)
    if mean is None:
        out = _standard(xp, x, axes, eps)[0]
    else:
        out = (x - xp.reshape(mean, shape)) * xp.rsqrt(xp.reshape(variance, shape) + eps)
    return out * xp.reshape(scale, shape) + xp.reshape(shift, shape)


@public("ops.auto_generate.BatchNormGradGrad", "ops.operations._grad_ops.BatchNormGradGrad")
class BatchNormGradGrad(Primitive):
    """Computes the gradients of `BatchNormGrad` for the input, the output's gradient and the scale.

    Args:
        is_training (bool): True if mean and variance are those of the input. Default: False.
        epsilon (float): added to the variance. Default: 1e-5.
        data_format (str): "NCHW", or "NHWC" for channels last. Default: "NCHW".

    Inputs: the input, the output's gradient, the scale, the mean and the variance of the
    normalization, and the gradients of the three results of `BatchNormGrad`.

    Raises:
        TypeError: if an argument has the wrong type, or an input is not a floating Tensor.
        ValueError: if `data_format` is neither "NCHW" nor "NHWC".

    Source: mindspore.ops.auto_generate.BatchNormGradGrad of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        is_training: Bool = False,
        epsilon: Float = 1e-5,
        data_format: OneOf("NCHW", "NHWC") = "NCHW",
    ):
        super().__init__("BatchNormGradGrad")
        self.is_training, self.epsilon, self.data_format = is_training, epsilon, data_format

    @checked
    def __call__(
        self,
        x: Floats,
        dy: Floats,
        scale: Floats,
        saved_mean: Floats,
        saved_variance: Floats,
        dout_dx: Floats,
        dout_dscale: Floats,
        dout_dbias: Floats,
    ):
        last = self.data_format == "NHWC"
        x, dy, dout_dx = (
            channels_first.run(tensor) if last else tensor for tensor in (x, dy, dout_dx)
        )
        fixed = (None, None) if self.is_training else (saved_mean, saved_variance)

        def forward(x, scale, shift):
            return batch_normal.run(x, scale, shift, *fixed, self.epsilon)

        def first(x, dy, scale):
            return tuple(vjp(forward, x, scale, scale * 0)[1](dy))

        gradients = vjp(first, x, dy, scale)[1]((dout_dx, dout_dscale, dout_dbias))
        in_layout = (channels_last.run(tensor) if last else tensor for tensor in gradients[:2])
        return (*in_layout, gradients[2])


@op(
    "ops.operations._grad_ops.InstanceNormV2Grad(is_training=True, epsilon=1e-05)"
    "(dy, x, gamma, mean, variance, save_mean, save_variance)",
    compute="native",
)
def instance_norm_grad(
    xp,
    dy: Floats,
    x: Floats,
    gamma: Floats,
    mean: Floats,
    variance: Floats,
    save_mean: Floats,
    save_variance: Floats,
    is_training: Bool = True,
    epsilon: Float(gt=0.0, le=1.0) = 1e-5,
):
    """Computes the gradients of instance normalization, which normalizes each channel of each
    image.

    In training, `save_mean` and `save_variance` (the reciprocal of the standard deviation) are
    used, in inference `mean` and `variance`.

    Shapes:
        `dy` and `x` are (N, C, H, W); scale and statistics are (N, C, 1, 1). The gradients of scale
        and shift have that shape too.

    Returns:
        The gradients of the input, the scale and the shift.

    Raises:
        ValueError: if shapes do not fit.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> x, one = ms.Tensor([[[[1.0, 3.0]]]]), ms.ops.ones((1, 1, 1, 1))
        >>> grads = _grad_ops.InstanceNormV2Grad()(x, x, one, 2 * one, one, 2 * one, one)
        >>> print(grads[2].shape)
        (1, 1, 1, 1)
    """
    shape = (*x.shape[:2], *((1,) * (x.ndim - 2)))
    statistics = gamma, mean, variance, save_mean, save_variance
    if (
        x.ndim < 3
        or x.shape != dy.shape
        or any(tuple(array.shape) != shape for array in statistics)
    ):
        raise ValueError(
            f"For 'InstanceNormV2Grad', 'dy' must have the shape of 'x', (N, C, ...), and the rest "
            f"shape {shape}, but got {[tuple(array.shape) for array in (dy, x, *statistics)]}."
        )
    axes = tuple(range(2, x.ndim))
    flow, value, scale = at_least_float32(xp, dy, x, gamma)
    middle, inverse = at_least_float32(xp, save_mean, save_variance)
    if not is_training:
        middle, variance = at_least_float32(xp, mean, variance)
        inverse = xp.rsqrt(variance + epsilon)
    normal = (value - middle) * inverse
    back = flow * scale
    if is_training:
        inner = normal * xp.mean(back * normal, axes, keepdims=True)
        back = back - xp.mean(back, axes, keepdims=True) - inner
    sums = (xp.sum(array, axes, keepdims=True) for array in (flow * normal, flow))
    gradients = (xp.cast(back * inverse, x.dtype), *sums)
    return tuple(xp.cast(array, like.dtype) for array, like in zip(gradients, (x, gamma, gamma)))
