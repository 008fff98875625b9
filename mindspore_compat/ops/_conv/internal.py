"""Primitives of convolution that MindSpore exposes under internal paths only."""

from .._primitive_aliases.alias import alias, functional, ints, ops, pull_back, select


@alias(
    "ops.operations._grad_ops.Conv2DBackpropFilter(out_channel, kernel_size, pad_mode='valid', "
    "pad=0, pad_list=(0, 0, 0, 0), mode=1, stride=(1, 1), dilation=(1, 1, 1, 1), group=1, "
    "data_format='NCHW')(out_backprop, input, filter_sizes)"
)
def conv2d_backprop_filter(
    out_backprop,
    input,
    filter_sizes,
    out_channel,
    kernel_size,
    pad_mode,
    pad,
    pad_list,
    mode,
    stride,
    dilation,
    group,
    data_format,
):
    return pull_back(
        out_backprop,
        lambda x: ops.Conv2D(
            out_channel,
            kernel_size,
            mode,
            pad_mode,
            pad_list if any(pad_list) and pad_mode == "pad" else pad,
            stride,
            dilation,
            group,
            data_format,
        )(input, x),
        ops.zeros(ints(filter_sizes), input.dtype),
    )


@alias(
    "ops.operations._grad_ops.Conv3DBackpropFilter(out_channel, kernel_size, mode=1, "
    "pad_mode='valid', pad=0, stride=(1, 1, 1, 1, 1), dilation=(1, 1, 1, 1, 1), group=1, "
    "data_format='NCDHW')(x, out_backprop, filter_size)"
)
def conv3d_backprop_filter(
    x,
    out_backprop,
    filter_size,
    out_channel,
    kernel_size,
    mode,
    pad_mode,
    pad,
    stride,
    dilation,
    group,
    data_format,
):
    return pull_back(
        out_backprop,
        lambda w: ops.Conv3D(
            out_channel, kernel_size, mode, pad_mode, pad, stride, dilation, group, data_format
        )(x, w),
        ops.zeros(ints(filter_size), x.dtype),
    )


@alias(
    "ops.operations._grad_ops.Dilation2DBackpropFilter(stride, dilation, pad_mode='SAME', "
    "data_format='NCHW')(x, filter, out_backprop)"
)
def dilation2d_backprop_filter(x, filter, out_backprop, stride, dilation, pad_mode, data_format):
    return pull_back(
        out_backprop,
        lambda filter: ops.Dilation2D(stride, dilation, pad_mode, data_format)(x, filter),
        filter,
    )


@alias(
    "ops.operations._grad_ops.Dilation2DBackpropInput(stride, dilation, pad_mode='SAME', "
    "data_format='NCHW')(x, filter, out_backprop)"
)
def dilation2d_backprop_input(x, filter, out_backprop, stride, dilation, pad_mode, data_format):
    return pull_back(
        out_backprop,
        lambda x: ops.Dilation2D(stride, dilation, pad_mode, data_format)(x, filter),
        x,
    )


@alias(
    "ops.auto_generate.Convolution()(input, weight, bias=None, stride=1, padding=0, "
    "dilation=1, transposed=False, output_padding=0, groups=1)"
)
@alias(
    "ops.auto_generate.ConvolutionStr()(input, weight, bias=None, stride=1, padding='valid', "
    "dilation=1, transposed=False, output_padding=0, groups=1)"
)
def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    """Computes a 1-D, 2-D or 3-D convolution, or a 2-D transposed one."""
    if transposed:
        return functional.conv_transpose2d(
            input, weight, bias, stride, padding, output_padding, groups, dilation
        )
    name = f"conv{weight.ndim - 2}d"
    return getattr(functional, name)(input, weight, bias, stride, padding, dilation, groups)


def bias_of(dout, bias):
    """Returns the bias, or zeros if there is none."""
    return ops.zeros(dout.shape[1], dout.dtype) if bias is None else bias


@alias(
    "ops.auto_generate.ConvolutionGrad()(dout, input, weight, bias=None, stride=1, padding=0, "
    "dilation=(1, 1), transposed=False, output_padding=0, groups=1, output_mask=())"
)
@alias(
    "ops.auto_generate.ConvolutionStrGrad()(dout, input, weight, bias=None, stride=1, "
    "padding='valid', dilation=1, transposed=False, output_padding=0, groups=1, output_mask=())"
)
def convolution_grad(
    dout,
    input,
    weight,
    bias,
    stride,
    padding,
    dilation,
    transposed,
    output_padding,
    groups,
    output_mask,
):
    gradients = pull_back(
        dout,
        lambda input, weight, bias: convolution(
            input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
        ),
        input,
        weight,
        bias_of(dout, bias),
    )
    return select(gradients, output_mask)
