"""Image Primitives that MindSpore exposes under internal paths only, mostly gradients of
sampling."""

from ..._core.tensor.dtype import int32
from ..._core.tensor.tensor import Tensor
from .._primitive_aliases.alias import alias, functional, ints, ops, pull_back


@alias(
    "ops.auto_generate.RotatedIou()(boxes, query_boxes, trans=False, mode=0, is_cross=True, "
    "v_threshold=0.0, e_threshold=0.0)"
)
def rotated_iou(boxes, query_boxes, trans, mode, is_cross, v_threshold, e_threshold):
    return ops.rotated_iou(
        boxes.swapaxes(1, 2),
        query_boxes.swapaxes(1, 2),
        trans,
        mode,
        is_cross,
        v_threshold,
        e_threshold,
    )


@alias(
    "ops.auto_generate.UpsampleBicubic2DGrad()(dy, input_size, output_size=None, scales=None, "
    "align_corners=False)"
)
def upsample_bicubic2d_grad(dy, input_size, output_size, scales, align_corners):
    return pull_back(
        dy,
        lambda x: functional.interpolate(x, output_size, scales, "bicubic", align_corners),
        ops.zeros(ints(input_size), dy.dtype),
    )


@alias(
    "ops.auto_generate.UpsampleBilinear2DGrad()(dy, input_size, output_size=None, scales=None, "
    "align_corners=False)"
)
def upsample_bilinear2d_grad(dy, input_size, output_size, scales, align_corners):
    return pull_back(
        dy,
        lambda x: functional.interpolate(x, output_size, scales, "bilinear", align_corners),
        ops.zeros(ints(input_size), dy.dtype),
    )


@alias(
    "ops.auto_generate.UpsampleLinear1DGrad()(dy, input_size, output_size=None, scales=None, "
    "align_corners=False)"
)
def upsample_linear1d_grad(dy, input_size, output_size, scales, align_corners):
    return pull_back(
        dy,
        lambda x: functional.interpolate(x, output_size, scales, "linear", align_corners),
        ops.zeros(ints(input_size), dy.dtype),
    )


@alias("ops.auto_generate.UpsampleNearest1DGrad()(dy, input_size, output_size=None, scales=None)")
@alias("ops.auto_generate.UpsampleNearest2DGrad()(dy, input_size, output_size=None, scales=None)")
def upsample_nearest_grad(dy, input_size, output_size, scales):
    return pull_back(
        dy,
        lambda x: functional.interpolate(x, output_size, scales, "nearest"),
        ops.zeros(ints(input_size), dy.dtype),
    )


def _whole(values):
    return Tensor(list(values), int32)


@alias("ops.operations._grad_ops.AffineGridGrad(align_corners=False)(y_grad, x_size)")
def affine_grid_grad(y_grad, x_size, align_corners):
    return pull_back(
        y_grad,
        lambda theta: ops.affine_grid(theta, ints(x_size), align_corners),
        ops.zeros((y_grad.shape[0], y_grad.shape[-1], y_grad.shape[-1] + 1), y_grad.dtype),
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
    return pull_back(
        grad,
        ops.DeformableOffsets(
            strides, pads, kernel_size, dilations, data_format, deformable_groups, modulated
        ),
        x,
        offsets,
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
    # MindSpore's CPU kernels compute both gradients and ignore `output_mask`.
    return pull_back(
        grad,
        lambda input_x, grid: ops.grid_sample(
            input_x, grid, interpolation_mode, padding_mode, align_corners
        ),
        input_x,
        grid,
    )


@alias(
    "ops.operations._grad_ops.ROIAlignGrad(pooled_height, pooled_width, spatial_scale, "
    "sample_num=2)(dy, rois, xdiff_shape)"
)
def roi_align_grad(dy, rois, xdiff_shape, pooled_height, pooled_width, spatial_scale, sample_num):
    return pull_back(
        dy,
        lambda x: ops.ROIAlign(pooled_height, pooled_width, spatial_scale, sample_num)(x, rois),
        ops.zeros(ints(xdiff_shape), dy.dtype),
    )


@alias(
    "ops.operations._grad_ops.PSROIPoolingGrad(input_size, spatial_scale, group_size, "
    "output_dim)(dy, rois)"
)
def ps_roi_pooling_grad(dy, rois, input_size, spatial_scale, group_size, output_dim):
    channels = output_dim * group_size**2
    return pull_back(
        dy,
        lambda x: ops.PSROIPooling(spatial_scale, group_size, output_dim)(x, rois),
        ops.zeros((rois.shape[0], channels, *ints(input_size)), dy.dtype),
    )


@alias(
    "ops.operations._grad_ops.ResizeBicubicGrad(align_corners=False, "
    "half_pixel_centers=False)(grads, image)"
)
def resize_bicubic_grad(grads, image, align_corners, half_pixel_centers):
    return pull_back(
        grads,
        lambda image: ops.ResizeBicubic(align_corners, half_pixel_centers)(image, grads.shape[2:]),
        image,
    )


@alias(
    "ops.operations._grad_ops.ResizeBilinearGrad(align_corners=False, "
    "half_pixel_centers=False)(grads, image)"
)
def resize_bilinear_grad(grads, image, align_corners, half_pixel_centers):
    return pull_back(
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
    return pull_back(
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
    return pull_back(
        grads,
        ops.ResizeNearestNeighbor(grads.shape[2:], align_corners, half_pixel_centers),
        ops.zeros(grads.shape[:2] + ints(size), grads.dtype),
    )


@alias(
    "ops.operations._grad_ops.ScaleAndTranslateGrad(kernel_type='lanczos3', "
    "antialias=True)(grads, original_image, scale, translation)"
)
def scale_and_translate_grad(grads, original_image, scale, translation, kernel_type, antialias):
    return pull_back(
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
    return pull_back(
        dy,
        lambda x: ops.UpsampleNearest3D()(x, output_size, scales),
        ops.zeros(ints(input_size), dy.dtype),
    )


@alias(
    "ops.operations._grad_ops.UpsampleTrilinear3DGrad(align_corners=False)(dy, input_size, "
    "output_size=None, scales=None)"
)
def upsample_trilinear3d_grad(dy, input_size, output_size, scales, align_corners):
    return pull_back(
        dy,
        lambda x: ops.UpsampleTrilinear3D(align_corners)(x, output_size, scales),
        ops.zeros(ints(input_size), dy.dtype),
    )


@alias("ops.auto_generate.MultiScaleDeformableAttn()(value, shape, offset, locations, weight)")
def deformable_attention(value, shape, offset, locations, weight):
    """Computes deformable attention: for each query and head, the weighted sum of values at sampled
    positions.

    `value` is (batch, keys, heads, width), with the levels joined along the keys; level i has
    height and width `shape[i]` and starts at key `offset[i]`. `locations` is (batch, queries,
    heads, levels, points, 2), in [0, 1]; `weight` has this shape without the last axis. The result
    is (batch, queries, heads * width).
    """
    batch, _, heads, width = value.shape
    queries, total = locations.shape[1], 0
    sizes, starts = shape.asnumpy().tolist(), offset.asnumpy().tolist()
    for level, ((height, level_width), start) in enumerate(zip(sizes, starts, strict=True)):
        part = ops.transpose(value[:, start : start + height * level_width], (0, 2, 3, 1))
        part = ops.reshape(part, (batch * heads, width, height, level_width))
        grid = ops.transpose(2 * locations[:, :, :, level] - 1, (0, 2, 1, 3, 4))
        grid = ops.reshape(grid, (batch * heads, queries, -1, 2))
        samples = functional.grid_sample(part, grid, "bilinear", "zeros", False)
        share = ops.transpose(weight[:, :, :, level], (0, 2, 1, 3))
        total = total + ops.sum(samples * ops.reshape(share, (batch * heads, 1, queries, -1)), -1)
    return ops.transpose(ops.reshape(total, (batch, heads * width, queries)), (0, 2, 1))
