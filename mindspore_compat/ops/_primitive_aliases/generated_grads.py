"""Primitives of gradients that 2.10 shows under `ops.auto_generate`, pulled back through a call.

Gradients that older releases had too are in _primitive_aliases/grad_pulled.py, those with
arithmetic of their own in _primitive_aliases/grad_arithmetic.py.
"""

from .alias import Tensor, alias, functional, ints, ops, pulled


@alias("ops.auto_generate.AdaptiveAvgPool2DGradExt()(grad_output, x)")
def adaptive_avg_pool2d_grad_ext(grad_output, x):
    return pulled(grad_output, lambda x: ops.adaptive_avg_pool2d(x, grad_output.shape[-2:]), x)


@alias("ops.auto_generate.AdaptiveAvgPool3DGradExt()(input_grad, input)")
def adaptive_avg_pool3d_grad_ext(input_grad, input):
    return pulled(
        input_grad, lambda input: ops.adaptive_avg_pool3d(input, input_grad.shape[-3:]), input
    )


@alias(
    "ops.auto_generate.AvgPool2DGrad()(grad, image, kernel_size, stride, padding=0, "
    "ceil_mode=False, count_include_pad=True, divisor_override=None)"
)
def avg_pool2d_grad(
    grad, image, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
):
    return pulled(
        grad,
        lambda image: functional.avg_pool2d(
            image, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        ),
        image,
    )


@alias(
    "ops.auto_generate.AvgPool3DGradExt()(grad, input, kernel_size, stride=None, padding=0, "
    "ceil_mode=False, count_include_pad=True, divisor_override=None)"
)
def avg_pool3d_grad_ext(
    grad, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
):
    return pulled(
        grad,
        lambda input: functional.avg_pool3d(
            input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        ),
        input,
    )


@alias(
    "ops.auto_generate.BinaryCrossEntropyWithLogitsBackward()(grad_output, input, target, "
    "weight=None, posWeight=None, reduction='mean')"
)
def binary_cross_entropy_with_logits_backward(
    grad_output, input, target, weight, posWeight, reduction
):
    return pulled(
        grad_output,
        lambda input: functional.binary_cross_entropy_with_logits(
            input, target, weight, reduction, posWeight
        ),
        input,
    )


@alias(
    "ops.auto_generate.EmbeddingDenseBackward()(grad, indices, num_weights, padding_idx=None, "
    "scale_grad_by_freq=False)"
)
def embedding_dense_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq):
    return pulled(
        grad,
        lambda w: functional.embedding(indices, w, padding_idx, None, 2.0, scale_grad_by_freq),
        ops.zeros((num_weights, grad.shape[-1]), grad.dtype),
    )


@alias("ops.auto_generate.GeluGradExt()(grad, input, approximate='none')")
def gelu_grad_ext(grad, input, approximate):
    return pulled(grad, lambda input: functional.gelu(input, approximate=approximate), input)


@alias("ops.auto_generate.HardtanhGrad()(dout, input, min_val=-1, max_val=1)")
def hardtanh_grad(dout, input, min_val, max_val):
    return pulled(dout, lambda input: functional.hardtanh(input, min_val, max_val), input)


@alias(
    "ops.auto_generate.KLDivGrad()(grad_output, input, target, reduction='mean', log_target=False)"
)
def kl_div_grad(grad_output, input, target, reduction, log_target):
    return pulled(
        grad_output, lambda input: functional.kl_div(input, target, reduction, log_target), input
    )


@alias("ops.auto_generate.L1LossBackwardExt()(grad_output, input, target, reduction='mean')")
def l1_loss_backward_ext(grad_output, input, target, reduction):
    return pulled(grad_output, lambda input: functional.l1_loss(input, target, reduction), input)


alias(
    "ops.auto_generate.LogSigmoidGrad()(dy, input, buffer)",
    lambda dy, input, buffer: pulled(dy, functional.logsigmoid, input),
)
alias(
    "ops.auto_generate.LstsqV2Grad()(gX, A, B)",
    lambda gX, A, B: pulled(gX, lambda A, B: ops.matmul(ops.pinv(A), B), A, B),
)


@alias("ops.auto_generate.MSELossGradExt()(dout, x, target, reduction='mean')")
def mse_loss_grad_ext(dout, x, target, reduction):
    return pulled(dout, lambda x: functional.mse_loss(x, target, reduction), x)


alias("ops.auto_generate.MishGradExt()(dout, x)", lambda dout, x: pulled(dout, functional.mish, x))


@alias("ops.auto_generate.ReflectionPad1DGrad()(grad_output, input, padding)")
@alias("ops.auto_generate.ReflectionPad2DGrad()(grad_output, input, padding)")
@alias("ops.auto_generate.ReflectionPad3DGrad()(grad_output, input, padding)")
def reflection_pad_grad(grad_output, input, padding):
    return pulled(grad_output, lambda input: functional.pad(input, padding, "reflect"), input)


@alias("ops.auto_generate.ReplicationPad1DGrad()(grad_output, input, padding)")
@alias("ops.auto_generate.ReplicationPad2DGrad()(grad_output, input, padding)")
@alias("ops.auto_generate.ReplicationPad3DGrad()(grad_output, input, padding)")
def replication_pad_grad(grad_output, input, padding):
    return pulled(grad_output, lambda input: functional.pad(input, padding, "replicate"), input)


@alias("ops.auto_generate.SoftplusGradExt()(dout, x, beta=1, threshold=20)")
def softplus_grad_ext(dout, x, beta, threshold):
    return pulled(dout, lambda x: functional.softplus(x, beta, threshold), x)


@alias("ops.auto_generate.SwigluGrad()(grad_output, input, dim=-1)")
def swiglu_grad(grad_output, input, dim):
    return pulled(grad_output, lambda input: ops.swiglu(input, dim), input)


@alias("ops.auto_generate.ThresholdGrad()(grad_output, input, threshold)")
def threshold_grad(grad_output, input, threshold):
    return pulled(grad_output, lambda input: functional.threshold(input, threshold, 0), input)


@alias("ops.auto_generate.TraceV2Grad()(dout, shape, offset=0, axis1=1, axis2=0)")
def trace_v2_grad(dout, shape, offset, axis1, axis2):
    return pulled(
        dout, lambda x: Tensor.trace(x, offset, axis1, axis2), ops.zeros(ints(shape), dout.dtype)
    )


@alias(
    "ops.auto_generate.UpsampleBicubic2DGrad()(dy, input_size, output_size=None, scales=None, "
    "align_corners=False)"
)
def upsample_bicubic2d_grad(dy, input_size, output_size, scales, align_corners):
    return pulled(
        dy,
        lambda x: functional.interpolate(x, output_size, scales, "bicubic", align_corners),
        ops.zeros(ints(input_size), dy.dtype),
    )


@alias(
    "ops.auto_generate.UpsampleBilinear2DGrad()(dy, input_size, output_size=None, scales=None, "
    "align_corners=False)"
)
def upsample_bilinear2d_grad(dy, input_size, output_size, scales, align_corners):
    return pulled(
        dy,
        lambda x: functional.interpolate(x, output_size, scales, "bilinear", align_corners),
        ops.zeros(ints(input_size), dy.dtype),
    )


@alias(
    "ops.auto_generate.UpsampleLinear1DGrad()(dy, input_size, output_size=None, scales=None, "
    "align_corners=False)"
)
def upsample_linear1d_grad(dy, input_size, output_size, scales, align_corners):
    return pulled(
        dy,
        lambda x: functional.interpolate(x, output_size, scales, "linear", align_corners),
        ops.zeros(ints(input_size), dy.dtype),
    )


@alias("ops.auto_generate.UpsampleNearest1DGrad()(dy, input_size, output_size=None, scales=None)")
@alias("ops.auto_generate.UpsampleNearest2DGrad()(dy, input_size, output_size=None, scales=None)")
def upsample_nearest_grad(dy, input_size, output_size, scales):
    return pulled(
        dy,
        lambda x: functional.interpolate(x, output_size, scales, "nearest"),
        ops.zeros(ints(input_size), dy.dtype),
    )
