"""Primitives of normalization that MindSpore exposes under internal paths only."""

from ..._core.tensor.dtype import int64
from ..._core.tensor.tensor import Tensor
from .._primitive_aliases.alias import alias, functional, ops, pull_back, require, select

alias(
    "ops.operations._grad_ops.L2NormalizeGrad(axis=0, epsilon=0.0001)(x, out, dout)",
    lambda x, out, dout, axis, epsilon: pull_back(dout, ops.L2Normalize(axis, epsilon), x),
)


@alias(
    "ops.operations._grad_ops.BNTrainingUpdateGrad(epsilon=0.0001, data_format='NCHW')(grads, x, "
    "batch_mean, batch_variance)"
)
def bn_training_update_grad(grads, x, batch_mean, batch_variance, epsilon, data_format):
    """Returns the gradients of the scale and of the shift."""
    standard = _standard(x, batch_mean, batch_variance, epsilon, data_format)
    axes = _other_axes(x, data_format)
    return (grads * standard).sum(axes), grads.sum(axes)


@alias(
    "ops.operations._grad_ops.BNTrainingReduceGrad(epsilon=0.0001, data_format='NCHW')(grads, x, "
    "diff_scale, diff_offset, scale, batch_mean, batch_variance)"
)
def bn_training_reduce_grad(
    grads, x, diff_scale, diff_offset, scale, batch_mean, batch_variance, epsilon, data_format
):
    """Returns the gradient of the input, given the gradients of the scale and of the shift."""
    count = x.size // batch_mean.size
    standard = _standard(x, batch_mean, batch_variance, epsilon, data_format)
    by_channel = [_by_channel(tensor, x, data_format) for tensor in (diff_scale, diff_offset)]
    centred = grads - (by_channel[1] + standard * by_channel[0]) / count
    rate = scale * ops.rsqrt(batch_variance + epsilon)
    return centred * _by_channel(rate, x, data_format)


def _channel(x, data_format="NCHW"):
    return x.ndim - 1 if data_format == "NHWC" else 1


def _other_axes(x, data_format="NCHW"):
    return tuple(axis for axis in range(x.ndim) if axis != _channel(x, data_format))


def _by_channel(values, x, data_format="NCHW"):
    shape = [1] * x.ndim
    shape[_channel(x, data_format)] = -1
    return values.reshape(shape)


def _standard(x, mean, variance, epsilon, data_format):
    rate = ops.rsqrt(variance + epsilon)
    centred = x - _by_channel(mean, x, data_format)
    return centred * _by_channel(rate, x, data_format)


@alias(
    "ops.operations._grad_ops.LRNGrad(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5)(grads, x, y)"
)
def lrn_grad(grads, x, y, depth_radius, bias, alpha, beta):
    return pull_back(grads, ops.LRN(depth_radius, bias, alpha, beta), x)


def _sums(dout, input, mean, invstd):
    """Returns four sums over all axes except the channels: of the gradient, of the gradient times
    (input - mean), and the gradients of weight and bias."""
    total = ops.sum(dout, _other_axes(input))
    weighted = ops.sum(dout * (input - _by_channel(mean, input)), _other_axes(input))
    return total, weighted, weighted * invstd, total


@alias(
    "ops.auto_generate.BatchNormElemtGrad()(dout, input, mean, invstd, weight, sumd_dy, "
    "sum_dy_xmu, count)"
)
def batch_norm_elemt_grad(dout, input, mean, invstd, weight, sumd_dy, sum_dy_xmu, count):
    """Returns the gradient of the input of a synchronized batch normalization, given sums over all
    devices.
    """
    number = ops.sum(count).astype(dout.dtype)
    scale = invstd if weight is None else invstd * weight
    centred = (input - _by_channel(mean, input)) * _by_channel(
        invstd * invstd * sum_dy_xmu / number, input
    )
    return (dout - _by_channel(sumd_dy / number, input) - centred) * _by_channel(scale, input)


@alias(
    "ops.auto_generate.BatchNormExt()(input, weight=None, bias=None, running_mean=None, "
    "runnning_var=None, training=False, momentum=0.1, epsilon=1e-05)"
)
def batch_norm_ext(input, weight, bias, running_mean, runnning_var, training, momentum, epsilon):
    """Applies batch normalization; training updates the running statistics.

    Returns (the result, the mean and 1 / sqrt(variance + eps) of the batch).
    """
    out = functional.batch_norm(
        input, running_mean, runnning_var, weight, bias, training, momentum, epsilon
    )
    mean = ops.mean(input, _other_axes(input))
    variance = ops.mean((input - _by_channel(mean, input)) ** 2, _other_axes(input))
    return out, mean, ops.rsqrt(variance + epsilon)


def _gradients(
    dout, input, weight, running_mean, running_var, saved_mean, saved_rstd, training, eps
):
    """Returns the gradients of the input, the weight and the bias of a batch normalization."""
    mean = saved_mean if training else running_mean
    rstd = saved_rstd if training else ops.rsqrt(running_var + eps)
    total, weighted, of_weight, of_bias = _sums(dout, input, mean, rstd)
    if not training:
        scale = rstd if weight is None else rstd * weight
        return dout * _by_channel(scale, input), of_weight, of_bias
    number = Tensor(input.size // input.shape[1], int64)
    grad = batch_norm_elemt_grad(dout, input, mean, rstd, weight, total, weighted, number)
    return grad, of_weight, of_bias


@alias("ops.auto_generate.AddLayerNormGrad()(dy, x1, x2, rstd, mean, gamma, dsumOptional)")
def add_layer_norm_grad(dy, x1, x2, rstd, mean, gamma, dsumOptional):
    """Returns the gradients of the sum, the scale and the shift of a normalized sum of two Tensors.
    `dsumOptional`, the gradient that reaches the sum directly, is added."""
    axes = tuple(range(x1.ndim - gamma.ndim, x1.ndim))
    others = tuple(range(x1.ndim - gamma.ndim))
    normal, scaled = (x1 + x2 - mean) * rstd, dy * gamma
    grad = rstd * (
        scaled - ops.mean(scaled, axes, True) - normal * ops.mean(scaled * normal, axes, True)
    )
    grad = grad if dsumOptional is None else grad + dsumOptional
    return grad, ops.sum(dy * normal, others), ops.sum(dy, others)


@alias(
    "ops.auto_generate.MatmulAllReduceAddRmsNorm()(x1, x2, bias, residual, gamma, epsilon, "
    "group, reduce_op='sum', comm_turn=0, stream_mode=1)"
)
def matmul_all_reduce_add_rms_norm(
    x1, x2, bias, residual, gamma, epsilon, group, reduce_op, comm_turn, stream_mode
):
    """Sums a product over a group, adds the residual and applies RMS normalization; returns (sum,
    normalized).

    The only `comm_turn` is 0, the only `stream_mode` 1.
    """
    require("MatmulAllReduceAddRmsNorm", "comm_turn", comm_turn, (0,))
    require("MatmulAllReduceAddRmsNorm", "stream_mode", stream_mode, (1,))
    product = ops.matmul(x1, x2)
    product = product if bias is None else product + bias
    summed = ops.AllReduce(reduce_op, group)(product) + residual
    return summed, ops.rms_norm(summed, gamma, epsilon)[0]


@alias(
    "ops.auto_generate.BatchNormGradExt(training=False, eps=1e-05)(dout, input, weight=None, "
    "running_mean=None, running_var=None, saved_mean=None, saved_rstd=None, output_mask=(1, 1, "
    "1))"
)
def batch_norm_grad_ext(
    dout,
    input,
    weight,
    running_mean,
    running_var,
    saved_mean,
    saved_rstd,
    output_mask,
    training,
    eps,
):
    gradients = _gradients(
        dout, input, weight, running_mean, running_var, saved_mean, saved_rstd, training, eps
    )
    return select(gradients, output_mask)


@alias(
    "ops.auto_generate.BatchNormReduceGrad()(dout, input, mean, invstd, weight, input_g, "
    "weight_g, bias_g)"
)
def batch_norm_reduce_grad(dout, input, mean, invstd, weight, input_g, weight_g, bias_g):
    sums = _sums(dout, input, mean, invstd)
    return select(sums, (input_g, input_g, weight_g, bias_g))


@alias(
    "ops.auto_generate.LayerNormGradExt()(dy, x, normalized_shape, mean, variance, gamma, "
    "beta, output_mask=(1, 1, 1))"
)
def layer_norm_grad_ext(dy, x, normalized_shape, mean, variance, gamma, beta, output_mask):
    gradients = pull_back(
        dy,
        lambda x, gamma, beta: functional.layer_norm(x, normalized_shape, gamma, beta),
        x,
        gamma,
        beta,
    )
    return select(gradients, output_mask)
