"""Primitives of pooling that MindSpore has under internal paths only. Each is written as a call of
a public primitive."""

from .._primitive_aliases.alias import alias, functional, grad_ops, ints, ops, pull_back


@alias("ops.auto_generate.AdaptiveAvgPool2DGradExt()(grad_output, x)")
def adaptive_avg_pool2d_grad_ext(grad_output, x):
    return pull_back(grad_output, lambda x: ops.adaptive_avg_pool2d(x, grad_output.shape[-2:]), x)


@alias("ops.auto_generate.AdaptiveAvgPool3DGradExt()(input_grad, input)")
def adaptive_avg_pool3d_grad_ext(input_grad, input):
    return pull_back(
        input_grad, lambda input: ops.adaptive_avg_pool3d(input, input_grad.shape[-3:]), input
    )


@alias(
    "ops.auto_generate.AvgPool2DGrad()(grad, image, kernel_size, stride, padding=0, "
    "ceil_mode=False, count_include_pad=True, divisor_override=None)"
)
def avg_pool2d_grad(
    grad, image, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
):
    return pull_back(
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
    return pull_back(
        grad,
        lambda input: functional.avg_pool3d(
            input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        ),
        input,
    )


@alias("ops.operations._grad_ops.AdaptiveAvgPool2DGrad()(input_grad, orig_input_shape)")
def adaptive_avg_pool2d_grad(input_grad, orig_input_shape):
    return pull_back(
        input_grad,
        lambda x: ops.adaptive_avg_pool2d(x, input_grad.shape[-2:]),
        ops.zeros(ints(orig_input_shape), input_grad.dtype),
    )


@alias("ops.operations._grad_ops.AdaptiveAvgPool3DGrad()(y_grad, orig_input_shape)")
def adaptive_avg_pool3d_grad(y_grad, orig_input_shape):
    return pull_back(
        y_grad,
        lambda x: ops.adaptive_avg_pool3d(x, y_grad.shape[-3:]),
        ops.zeros(ints(orig_input_shape), y_grad.dtype),
    )


@alias(
    "ops.operations._grad_ops.AvgPool3DGrad(kernel_size=1, strides=1, pads=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=0, data_format='NCDHW', "
    "pad_mode='pad')(origin_input_shape, grads)"
)
def avg_pool3d_grad(
    origin_input_shape,
    grads,
    kernel_size,
    strides,
    pads,
    ceil_mode,
    count_include_pad,
    divisor_override,
    data_format,
    pad_mode,
):
    return pull_back(
        grads,
        ops.AvgPool3D(
            kernel_size,
            strides,
            pad_mode,
            pads,
            ceil_mode,
            count_include_pad,
            divisor_override,
            data_format,
        ),
        ops.zeros(ints(origin_input_shape), grads.dtype),
    )


@alias(
    "ops.operations._grad_ops.AvgPoolGradV1(kernel_size=1, strides=1, pad_mode='VALID', "
    "data_format='NCHW')(orig_input_shape, input_grad)"
)
def avg_pool_grad_v1(orig_input_shape, input_grad, kernel_size, strides, pad_mode, data_format):
    return pull_back(
        input_grad,
        ops.AvgPool(kernel_size, strides, pad_mode, data_format),
        ops.zeros(ints(orig_input_shape), input_grad.dtype),
    )


@alias(
    "ops.operations._grad_ops.AvgPoolGradVm(kernel_size=1, strides=1, pad_mode='VALID')("
    "origin_input, dout, mean_matrix, kernel_matrix)"
)
def avg_pool_grad_vm(
    origin_input, dout, mean_matrix, kernel_matrix, kernel_size, strides, pad_mode
):
    return avg_pool_grad_v1(origin_input, dout, kernel_size, strides, pad_mode, "NCHW")


@alias(
    "ops.operations._grad_ops.AvgPoolGrad(kernel_size=1, strides=1, pad_mode='VALID', "
    "data_format='NCHW')(x, out, dout)"
)
def avg_pool_grad(x, out, dout, kernel_size, strides, pad_mode, data_format):
    return pull_back(dout, ops.AvgPool(kernel_size, strides, pad_mode, data_format), x)


@alias(
    "ops.operations._grad_ops.MaxPool3DGrad(kernel_size=(1, 1, 1, 1, 1), strides=(1, 1, 1, 1, "
    "1), pad_mode='VALID', pad_list=0, data_format='NCDHW')(x_origin, out_origin, grad)"
)
def max_pool3d_grad(
    x_origin, out_origin, grad, kernel_size, strides, pad_mode, pad_list, data_format
):
    return pull_back(
        grad,
        lambda x_origin: ops.MaxPool3D(
            kernel_size[-3:] if isinstance(kernel_size, tuple) else kernel_size,
            strides[-3:] if isinstance(strides, tuple) else strides,
            pad_mode,
            pad_list,
            None,
            data_format,
        )(x_origin),
        x_origin,
    )


@alias(
    "ops.operations._grad_ops.MaxPool3DGradGrad(kernel_size=(1, 1, 1, 1, 1), strides=(1, 1, 1, "
    "1, 1), pad_mode='VALID', data_format='NCDHW')(x, y, grad)"
)
def max_pool3d_grad_grad(x, y, grad, kernel_size, strides, pad_mode, data_format):
    return pull_back(
        grad,
        lambda d: grad_ops.MaxPool3DGrad(kernel_size, strides, pad_mode, 0, data_format)(x, y, d),
        ops.zeros_like(y),
    )


@alias(
    "ops.operations._grad_ops.MaxPoolGradGrad(kernel_size=1, strides=1, pad_mode='VALID')(x, "
    "y, grad)"
)
def max_pool_grad_grad(x, y, grad, kernel_size, strides, pad_mode):
    return pull_back(
        grad,
        lambda d: grad_ops.MaxPoolGrad(kernel_size, strides, pad_mode)(x, y, d),
        ops.zeros_like(y),
    )


@alias(
    "ops.operations._grad_ops.MaxPoolGrad(kernel_size=1, strides=1, pad_mode='VALID', "
    "data_format='NCHW')(x_origin, out_origin, grad)"
)
@alias(
    "ops.operations._grad_ops.MaxPoolGradV1(kernel_size=1, strides=1, pad_mode='VALID', "
    "data_format='NCHW')(x_origin, out_origin, grad)"
)
def max_pool_grad(x_origin, out_origin, grad, kernel_size, strides, pad_mode, data_format):
    return pull_back(grad, ops.MaxPool(kernel_size, strides, pad_mode, data_format), x_origin)
