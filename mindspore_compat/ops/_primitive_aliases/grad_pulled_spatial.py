"""Gradients of poolings, convolutions, paddings and resizing under `ops.operations._grad_ops`.

Each is pulled back through a call; where the call is linear in an input that the Primitive is not
given, from zeros.
"""

from ..._core.tensor.dtype import int32
from ..._core.tensor.tensor import Tensor
from .alias import Names, alias, ints, ops, pulled

grad_ops = Names("ops.operations._grad_ops")


def _whole(values):
    return Tensor(list(values), int32)


def _unpadded(shape, paddings):
    return tuple(n - int(sum(pair)) for n, pair in zip(shape, paddings.asnumpy().tolist()))


def _unpadded_last(shape, paddings, contiguous):
    """The shape before a padding of the last axes, given from the last one on."""
    ends = ints(paddings)
    half = len(ends) // 2
    sums = [
        ends[2 * i] + ends[2 * i + 1] if contiguous else ends[i] + ends[i + half]
        for i in range(half)
    ]
    cut = [0] * (len(shape) - half) + sums[::-1]
    return tuple(n - c for n, c in zip(shape, cut))


@alias("ops.operations._grad_ops.AdaptiveAvgPool2DGrad()(input_grad, orig_input_shape)")
def adaptive_avg_pool2d_grad(input_grad, orig_input_shape):
    return pulled(
        input_grad,
        lambda x: ops.adaptive_avg_pool2d(x, input_grad.shape[-2:]),
        ops.zeros(ints(orig_input_shape), input_grad.dtype),
    )


@alias("ops.operations._grad_ops.AdaptiveAvgPool3DGrad()(y_grad, orig_input_shape)")
def adaptive_avg_pool3d_grad(y_grad, orig_input_shape):
    return pulled(
        y_grad,
        lambda x: ops.adaptive_avg_pool3d(x, y_grad.shape[-3:]),
        ops.zeros(ints(orig_input_shape), y_grad.dtype),
    )


@alias("ops.operations._grad_ops.AffineGridGrad(align_corners=False)(y_grad, x_size)")
def affine_grid_grad(y_grad, x_size, align_corners):
    return pulled(
        y_grad,
        lambda theta: ops.affine_grid(theta, ints(x_size), align_corners),
        ops.zeros((y_grad.shape[0], y_grad.shape[-1], y_grad.shape[-1] + 1), y_grad.dtype),
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
    return pulled(
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
    return pulled(
        input_grad,
        ops.AvgPool(kernel_size, strides, pad_mode, data_format),
        ops.zeros(ints(orig_input_shape), input_grad.dtype),
    )


@alias(
    "ops.operations._grad_ops.AvgPoolGradGe(kernel_size=1, strides=1, pad_mode='VALID', "
    "data_format='NCHW')(origin_input, dout)"
)
def avg_pool_grad_ge(origin_input, dout, kernel_size, strides, pad_mode, data_format):
    return avg_pool_grad_v1(origin_input, dout, kernel_size, strides, pad_mode, data_format)


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
    return pulled(dout, ops.AvgPool(kernel_size, strides, pad_mode, data_format), x)


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
    return pulled(
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
    return pulled(
        out_backprop,
        lambda w: ops.Conv3D(
            out_channel, kernel_size, mode, pad_mode, pad, stride, dilation, group, data_format
        )(x, w),
        ops.zeros(ints(filter_size), x.dtype),
    )


@alias(
    "ops.operations._grad_ops.DeformableOffsetsGrad(strides, pads, kernel_size, dilations=(1, "
    "1, 1, 1), data_format='NCHW', deformable_groups=1, modulated=True)(grad, x, offsets)"
)
def deformable_offsets_grad(
    grad,
    x,
    offsets,
    strides,
    pads,
    kernel_size,
    dilations,
    data_format,
    deformable_groups,
    modulated,
):
    return pulled(
        grad,
        ops.DeformableOffsets(
            strides, pads, kernel_size, dilations, data_format, deformable_groups, modulated
        ),
        x,
        offsets,
    )


@alias(
    "ops.operations._grad_ops.Dilation2DBackpropFilter(stride, dilation, pad_mode='SAME', "
    "data_format='NCHW')(x, filter, out_backprop)"
)
def dilation2d_backprop_filter(x, filter, out_backprop, stride, dilation, pad_mode, data_format):
    return pulled(
        out_backprop,
        lambda filter: ops.Dilation2D(stride, dilation, pad_mode, data_format)(x, filter),
        filter,
    )


@alias(
    "ops.operations._grad_ops.Dilation2DBackpropInput(stride, dilation, pad_mode='SAME', "
    "data_format='NCHW')(x, filter, out_backprop)"
)
def dilation2d_backprop_input(x, filter, out_backprop, stride, dilation, pad_mode, data_format):
    return pulled(
        out_backprop,
        lambda x: ops.Dilation2D(stride, dilation, pad_mode, data_format)(x, filter),
        x,
    )


@alias(
    "ops.operations._grad_ops.GridSampler2DGrad(interpolation_mode='bilinear', "
    "padding_mode='zeros', align_corners=False, output_mask=(1, 1))(grad, input_x, grid)"
)
@alias(
    "ops.operations._grad_ops.GridSampler3DGrad(interpolation_mode='bilinear', "
    "padding_mode='zeros', align_corners=False, output_mask=(1, 1))(grad, input_x, grid)"
)
def grid_sampler_grad(
    grad, input_x, grid, interpolation_mode, padding_mode, align_corners, output_mask
):
    # The kernels of 2.10 on a CPU compute both gradients whatever `output_mask` says.
    return pulled(
        grad,
        lambda input_x, grid: ops.grid_sample(
            input_x, grid, interpolation_mode, padding_mode, align_corners
        ),
        input_x,
        grid,
    )


@alias(
    "ops.operations._grad_ops.LRNGrad(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5)(grads, x, y)"
)
def lrn_grad(grads, x, y, depth_radius, bias, alpha, beta):
    return pulled(grads, ops.LRN(depth_radius, bias, alpha, beta), x)


@alias(
    "ops.operations._grad_ops.MaxPool3DGrad(kernel_size=(1, 1, 1, 1, 1), strides=(1, 1, 1, 1, "
    "1), pad_mode='VALID', pad_list=0, data_format='NCDHW')(x_origin, out_origin, grad)"
)
def max_pool3d_grad(
    x_origin, out_origin, grad, kernel_size, strides, pad_mode, pad_list, data_format
):
    return pulled(
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
    return pulled(
        grad,
        lambda d: grad_ops.MaxPool3DGrad(kernel_size, strides, pad_mode, 0, data_format)(x, y, d),
        ops.zeros_like(y),
    )


@alias(
    "ops.operations._grad_ops.MaxPoolGradGrad(kernel_size=1, strides=1, pad_mode='VALID')(x, "
    "y, grad)"
)
def max_pool_grad_grad(x, y, grad, kernel_size, strides, pad_mode):
    return pulled(
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
    return pulled(grad, ops.MaxPool(kernel_size, strides, pad_mode, data_format), x_origin)


@alias("ops.operations._grad_ops.MirrorPadGrad(mode='REFLECT')(dy, paddings)")
def mirror_pad_grad(dy, paddings, mode):
    return pulled(
        dy,
        lambda x: ops.MirrorPad(mode)(x, paddings),
        ops.zeros(_unpadded(dy.shape, paddings), dy.dtype),
    )


@alias("ops.operations._grad_ops.PadV3Grad(mode='reflect', paddings_contiguous=True)(x, paddings)")
def pad_v3_grad(x, paddings, mode, paddings_contiguous):
    return pulled(
        x,
        lambda y: ops.PadV3(mode, paddings_contiguous)(y, paddings),
        ops.zeros(_unpadded_last(x.shape, paddings, paddings_contiguous), x.dtype),
    )


@alias(
    "ops.operations._grad_ops.ROIAlignGrad(pooled_height, pooled_width, spatial_scale, "
    "sample_num=2)(dy, rois, xdiff_shape)"
)
def roi_align_grad(dy, rois, xdiff_shape, pooled_height, pooled_width, spatial_scale, sample_num):
    return pulled(
        dy,
        lambda x: ops.ROIAlign(pooled_height, pooled_width, spatial_scale, sample_num)(x, rois),
        ops.zeros(ints(xdiff_shape), dy.dtype),
    )


@alias(
    "ops.operations._grad_ops.ResizeBicubicGrad(align_corners=False, "
    "half_pixel_centers=False)(grads, image)"
)
def resize_bicubic_grad(grads, image, align_corners, half_pixel_centers):
    return pulled(
        grads,
        lambda image: ops.ResizeBicubic(align_corners, half_pixel_centers)(image, grads.shape[2:]),
        image,
    )


@alias(
    "ops.operations._grad_ops.ResizeBilinearGrad(align_corners=False, "
    "half_pixel_centers=False)(grads, image)"
)
def resize_bilinear_grad(grads, image, align_corners, half_pixel_centers):
    return pulled(
        grads,
        lambda image: ops.ResizeBilinearV2(align_corners, half_pixel_centers)(
            image, grads.shape[2:]
        ),
        image,
    )


@alias(
    "ops.operations._grad_ops.ResizeLinear1DGrad("
    "coordinate_transformation_mode='align_corners')(grads, x)"
)
def resize_linear1d_grad(grads, x, coordinate_transformation_mode):
    return pulled(
        grads, lambda x: ops.ResizeLinear1D(coordinate_transformation_mode)(x, (grads.shape[2],)), x
    )


@alias(
    "ops.operations._grad_ops.ResizeNearestNeighborGrad(align_corners=False, "
    "half_pixel_centers=False)(grads, size)"
)
@alias(
    "ops.operations._grad_ops.ResizeNearestNeighborV2Grad(align_corners=False, "
    "half_pixel_centers=False)(grads, size)"
)
def resize_nearest_neighbor_grad(grads, size, align_corners, half_pixel_centers):
    return pulled(
        grads,
        ops.ResizeNearestNeighbor(grads.shape[2:], align_corners, half_pixel_centers),
        ops.zeros(grads.shape[:2] + ints(size), grads.dtype),
    )


@alias(
    "ops.operations._grad_ops.ScaleAndTranslateGrad(kernel_type='lanczos3', "
    "antialias=True)(grads, original_image, scale, translation)"
)
def scale_and_translate_grad(grads, original_image, scale, translation, kernel_type, antialias):
    return pulled(
        grads,
        lambda original_image: ops.ScaleAndTranslate(kernel_type, antialias)(
            original_image, _whole(grads.shape[1:3]), scale, translation
        ),
        original_image,
    )


@alias(
    "ops.operations._grad_ops.UpsampleNearest3DGrad()(dy, input_size, output_size=None, "
    "scales=None)"
)
def upsample_nearest3d_grad(dy, input_size, output_size, scales):
    return pulled(
        dy,
        lambda x: ops.UpsampleNearest3D()(x, output_size, scales),
        ops.zeros(ints(input_size), dy.dtype),
    )


@alias(
    "ops.operations._grad_ops.UpsampleTrilinear3DGrad(align_corners=False)(dy, input_size, "
    "output_size=None, scales=None)"
)
def upsample_trilinear3d_grad(dy, input_size, output_size, scales, align_corners):
    return pulled(
        dy,
        lambda x: ops.UpsampleTrilinear3D(align_corners)(x, output_size, scales),
        ops.zeros(ints(input_size), dy.dtype),
    )
