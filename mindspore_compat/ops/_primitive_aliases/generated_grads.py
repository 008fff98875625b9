"""The Primitives of gradients that 2.10 shows under `ops.auto_generate`: a table.

Its lines are read as those of _primitive_aliases/grad_lines.py are: what is pulled back through
which call, for which inputs. Gradients that older releases had too are there, those with arithmetic
of their own in _primitive_aliases/grad_arithmetic.py.
"""

import functools

from .grad_lines import class_of, lines_of

_PULLED = """
AdaptiveAvgPool2DGradExt()(grad_output, x):
    grad_output through ops.adaptive_avg_pool2d(x, grad_output.shape[-2:]) for x
AdaptiveAvgPool3DGradExt()(input_grad, input):
    input_grad through ops.adaptive_avg_pool3d(input, input_grad.shape[-3:]) for input
AvgPool2DGrad()(grad, image, kernel_size, stride, padding=0, ceil_mode=False,
    count_include_pad=True, divisor_override=None): grad through functional.avg_pool2d(image,
    kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override) for image
AvgPool3DGradExt()(grad, input, kernel_size, stride=None, padding=0, ceil_mode=False,
    count_include_pad=True, divisor_override=None): grad through functional.avg_pool3d(input,
    kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override) for input
BinaryCrossEntropyWithLogitsBackward()(grad_output, input, target, weight=None, posWeight=None,
    reduction='mean'): grad_output through functional.binary_cross_entropy_with_logits(input,
    target, weight, reduction, posWeight) for input
EmbeddingDenseBackward()(grad, indices, num_weights, padding_idx=None, scale_grad_by_freq=False):
    grad through functional.embedding(indices, w, padding_idx, None, 2.0, scale_grad_by_freq) for w
    from ops.zeros((num_weights, grad.shape[-1]), grad.dtype)
GeluGradExt()(grad, input, approximate='none'):
    grad through functional.gelu(input, approximate=approximate) for input
HardtanhGrad()(dout, input, min_val=-1, max_val=1):
    dout through functional.hardtanh(input, min_val, max_val) for input
KLDivGrad()(grad_output, input, target, reduction='mean', log_target=False):
    grad_output through functional.kl_div(input, target, reduction, log_target) for input
L1LossBackwardExt()(grad_output, input, target, reduction='mean'):
    grad_output through functional.l1_loss(input, target, reduction) for input
LogSigmoidGrad()(dy, input, buffer): dy through functional.logsigmoid(input) for input
LstsqV2Grad()(gX, A, B): gX through ops.matmul(ops.pinv(A), B) for A, B
MSELossGradExt()(dout, x, target, reduction='mean'):
    dout through functional.mse_loss(x, target, reduction) for x
MishGradExt()(dout, x): dout through functional.mish(x) for x
ReflectionPad1DGrad()(grad_output, input, padding):
    grad_output through functional.pad(input, padding, 'reflect') for input
ReflectionPad2DGrad()(grad_output, input, padding):
    grad_output through functional.pad(input, padding, 'reflect') for input
ReflectionPad3DGrad()(grad_output, input, padding):
    grad_output through functional.pad(input, padding, 'reflect') for input
ReplicationPad1DGrad()(grad_output, input, padding):
    grad_output through functional.pad(input, padding, 'replicate') for input
ReplicationPad2DGrad()(grad_output, input, padding):
    grad_output through functional.pad(input, padding, 'replicate') for input
ReplicationPad3DGrad()(grad_output, input, padding):
    grad_output through functional.pad(input, padding, 'replicate') for input
SoftplusGradExt()(dout, x, beta=1, threshold=20):
    dout through functional.softplus(x, beta, threshold) for x
SwigluGrad()(grad_output, input, dim=-1): grad_output through ops.swiglu(input, dim) for input
ThresholdGrad()(grad_output, input, threshold):
    grad_output through functional.threshold(input, threshold, 0) for input
TraceV2Grad()(dout, shape, offset=0, axis1=1, axis2=0):
    dout through Tensor.trace(x, offset, axis1, axis2) for x from ops.zeros(ints(shape), dout.dtype)
UpsampleBicubic2DGrad()(dy, input_size, output_size=None, scales=None, align_corners=False):
    dy through functional.interpolate(x, output_size, scales, 'bicubic', align_corners) for x
    from ops.zeros(ints(input_size), dy.dtype)
UpsampleBilinear2DGrad()(dy, input_size, output_size=None, scales=None, align_corners=False):
    dy through functional.interpolate(x, output_size, scales, 'bilinear', align_corners) for x
    from ops.zeros(ints(input_size), dy.dtype)
UpsampleLinear1DGrad()(dy, input_size, output_size=None, scales=None, align_corners=False):
    dy through functional.interpolate(x, output_size, scales, 'linear', align_corners) for x
    from ops.zeros(ints(input_size), dy.dtype)
UpsampleNearest1DGrad()(dy, input_size, output_size=None, scales=None):
    dy through functional.interpolate(x, output_size, scales, 'nearest') for x
    from ops.zeros(ints(input_size), dy.dtype)
UpsampleNearest2DGrad()(dy, input_size, output_size=None, scales=None):
    dy through functional.interpolate(x, output_size, scales, 'nearest') for x
    from ops.zeros(ints(input_size), dy.dtype)
"""

LINES = lines_of(_PULLED)


@functools.cache
def made(name):
    """The Primitive of this name, or None if the table has none."""
    return class_of(LINES[name], "ops.auto_generate") if name in LINES else None
