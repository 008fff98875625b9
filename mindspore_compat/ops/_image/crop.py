"""Crops of images, resized: `crop_and_resize`, and its gradient with respect to the boxes."""

import numpy as np

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Float, Int, InTensor, OneOf, TensorOf, TupleOf
from .._conv.sizes import need_rank

Images = TensorOf(
    "int8", "int16", "int32", "int64", "float16", "float32", "float64", "uint8", "uint16"
)
Float32Or64 = TensorOf("float32", "float64")
Two = TupleOf(Int(ge=1), length=2)
Method = OneOf("bilinear", "nearest", "bilinear_v2")


def _crop_points(xp, low, high, size, count, half):
    """Returns the coordinates of a crop's pixels along one dimension, (boxes, count), given both
    ends of each box, (boxes, 1)."""
    if count == 1 and not half:
        return xp.blockwise(_middle, low, high, last=float(size - 1))
    i = xp.table(np.arange, 0.0, float(count), 1.0, low.dtype)
    if not half:
        steps = xp.blockwise(_steps, i, low, high, last=float(size - 1), gaps=float(count - 1))
        return low * (size - 1) + steps
    low, high = xp.blockwise(_whole_ends, low, high, size=float(size))
    at = low + xp.blockwise(_middles, i, low, high, count=float(count))
    return xp.blockwise(_half_back, at, low, high)


# A kernel may round a product and a sum in one step, which could move a point at the edge outside.
# So none of these functions adds to a product.


def _middle(xp, low, high, *, last):
    return 0.5 * (low + high) * last


def _steps(xp, i, low, high, *, last, gaps):
    return i * ((high - low) * last / gaps)


def _whole_ends(xp, low, high, *, size):
    return xp.trunc(low * size), xp.trunc(high * size)


def _middles(xp, i, low, high, *, count):
    return (i + 0.5) * ((high - low + 1) / count)


def _half_back(xp, at, low, high):
    return xp.maximum(xp.minimum(at - 0.5, high), low)


def _near(xp, ys, xs, *, bottom, right, nearest):
    """Returns the coordinates of points, moved into the image, and which of them were inside."""
    inside = (ys >= 0) & (ys <= bottom) & (xs >= 0) & (xs <= right)
    ys = xp.minimum(xp.maximum(ys, 0.0), bottom)
    xs = xp.minimum(xp.maximum(xs, 0.0), right)
    if nearest:
        ys, xs = xp.floor(ys + 0.5), xp.floor(xs + 0.5)
    return ys, xs, inside


def _points(xp, boxes, size, counts, method):
    """Places the pixels of crops in images.

    Args:
        boxes: (boxes, 4).
        size: the height and the width of images.
        counts: the height and the width of crops.
        method (str): as for `crop_and_resize`.

    Returns:
        The vertical and the horizontal coordinates in images, (boxes, pixels), and a mask of those
        that count, (boxes, height, width).
    """
    half = method == "bilinear_v2"
    rows, columns = (
        _crop_points(
            *(xp, boxes[:, axis : axis + 1], boxes[:, axis + 2 : axis + 3]),
            *(size[axis], counts[axis], half),
        )
        for axis in (0, 1)
    )
    shape = (boxes.shape[0], *counts)
    ys, xs, inside = xp.blockwise(
        *(_near, xp.expand_dims(rows, 2), xp.expand_dims(columns, 1)),
        bottom=float(size[0] - 1),
        right=float(size[1] - 1),
        nearest=method == "nearest",
    )
    flat = shape[0], counts[0] * counts[1]
    ys, xs = (xp.reshape(xp.broadcast_to(at, shape), flat) for at in (ys, xs))
    return ys, xs, xp.ones(shape, bool) if half else inside


def _is_outside(xp, index, *, count):
    return (index < 0) | (index >= count)


@op(
    "ops.crop_and_resize(image, boxes, box_indices, crop_size, method='bilinear', "
    "extrapolation_value=0.0)",
    "ops.CropAndResize(method='bilinear', extrapolation_value=0.0)(x: image, boxes, "
    "box_index: box_indices, crop_size)",
    compute="native",
    quirks=Quirks(rules={"ops.CropAndResize": {"crop_size": InTensor(Two)}}),
)
def crop_and_resize(
    xp,
    image: Images,
    boxes: TensorOf("float32"),
    box_indices: TensorOf("int32"),
    crop_size: Two,
    method: Method = "bilinear",
    extrapolation_value: Float = 0.0,
):
    """Crops boxes from images and resizes them to `crop_size`.

    A row of `boxes` is (y0, x0, y1, x1) in [0, 1], relative to the image at the index in
    `box_indices`. Points outside the image get `extrapolation_value`; with "bilinear_v2", the edge
    is repeated instead.

    Shapes:
        `image` is (N, H, W, C), `boxes` is (B, 4), `box_indices` is (B,) of int32. The result is
        (B, *crop_size, C), of float32.

    Example:
        >>> image = ms.Tensor([[[[1.0], [2.0]], [[3.0], [4.0]]]])
        >>> crops = ms.ops.crop_and_resize(image, ms.Tensor([[0.0, 0.0, 1.0, 1.0]]),
        ...                                ms.Tensor([0], ms.int32), (1, 1))
        >>> print(crops)
        [[[[2.5]]]]
    """
    _need_crops(image, boxes, box_indices)
    if xp.any(xp.blockwise(_is_outside, box_indices, count=image.shape[0])):
        raise ValueError(f"For 'crop_and_resize', the indices must be in [0, {image.shape[0]}).")
    x, boxes = xp.moveaxis(xp.cast(image, "float32"), -1, 1), xp.cast(boxes, "float32")
    ys, xs, inside = _points(xp, boxes, x.shape[2:], crop_size, method)
    result = xp.reshape(xp.inside_points(x, box_indices, ys, xs), (*inside.shape, x.shape[1]))
    if method == "bilinear_v2":
        return result
    return xp.where(xp.expand_dims(inside, -1), result, extrapolation_value)


def _need_crops(image, boxes, index):
    need_rank("crop_and_resize", "image", image, 4)
    need_rank("crop_and_resize", "boxes", boxes, 2)
    need_rank("crop_and_resize", "box_indices", index, 1)
    if boxes.shape[1] != 4 or index.shape[0] != boxes.shape[0]:
        raise ValueError(
            f"For 'crop_and_resize', 'boxes' must have shape (B, 4) and the indices (B,), but got "
            f"{tuple(boxes.shape)} and {tuple(index.shape)}."
        )


@crop_and_resize.vjp_joint
def crop_and_resize_vjp(xp, g, image, boxes, box_indices, crop_size, method, needs_grad):
    """Returns the gradients of images and boxes. As in MindSpore, the gradient of the boxes is that
    of linear interpolation for every method."""
    boxes, grad_image, grad_boxes = xp.cast(boxes, "float32"), None, None
    if needs_grad[0]:
        x_shape = image.shape[0], image.shape[3], *image.shape[1:3]
        ys, xs, inside = _points(xp, boxes, x_shape[2:], crop_size, method)
        parts = g if method == "bilinear_v2" else xp.where(xp.expand_dims(inside, -1), g, 0)
        parts = xp.reshape(parts, (*ys.shape, g.shape[3]))
        grad_image = xp.moveaxis(xp.spread_inside(parts, box_indices, ys, xs, x_shape), 1, -1)
    if needs_grad[1]:
        grad_boxes = _grad_boxes(xp, g, xp.cast(image, g.dtype), boxes, box_indices)
    return grad_image, grad_boxes, None


@op(
    "ops.CropAndResizeGradBoxes(method='bilinear')(grads, images, boxes, box_index)",
    compute="native",
)
def crop_and_resize_grad_boxes(
    xp,
    grads: Float32Or64,
    images: Images,
    boxes: Float32Or64,
    box_index: TensorOf("int32"),
    method: OneOf("bilinear") = "bilinear",
):
    """Computes the gradient of `crop_and_resize` with respect to the boxes, with bilinear sampling.

    Points outside the image have a gradient of zero.

    Shapes:
        `grads` is (B, h, w, C), `images` (N, H, W, C), `boxes` (B, 4) of rows (y0, x0, y1, x1) and
        `box_index` (B,), the image of each box. The result is (B, 4), of the dtype of `boxes`.

    Example:
        >>> image = ms.Tensor([[[[1.0], [2.0]], [[3.0], [5.0]]]])
        >>> print(ms.ops.CropAndResizeGradBoxes()(ms.ops.ones((1, 1, 1, 1)), image,
        ...       ms.Tensor([[0.0, 0.0, 0.5, 0.5]]), ms.Tensor([0], ms.int32)))
        [[1.125 0.625 1.125 0.625]]
    """
    _need_shapes(grads, images, boxes, box_index)
    dtype = xp.result_type(grads.dtype, boxes.dtype)
    grads, images = xp.cast(grads, dtype), xp.cast(images, dtype)
    return xp.cast(_grad_boxes(xp, grads, images, boxes, box_index), boxes.dtype)


def _grad_boxes(xp, grads, images, boxes, index):
    """Returns the gradient for the boxes of the linear interpolation of `images`, which have the
    dtype of `grads`."""
    size, counts = images.shape[1:3], grads.shape[1:3]
    ys, xs, inside = _points(xp, boxes, size, counts, "bilinear")
    slopes = xp.slope_inside(
        *(xp.reshape(grads, (*ys.shape, grads.shape[3])), xp.moveaxis(images, -1, 1), index),
        *(xp.cast(ys, grads.dtype), xp.cast(xs, grads.dtype)),
        by_ceil=True,
    )
    ends = []
    for axis, slope in enumerate(slopes):
        slope = xp.where(inside, xp.reshape(slope, inside.shape), 0)
        shares = xp.table(_shares, counts[axis], size[axis], grads.dtype)
        ends.append(xp.matmul(xp.sum(slope, 2 - axis), shares))
    return xp.reshape(xp.stack(ends, 2), (boxes.shape[0], 4))


def _need_shapes(grads, images, boxes, box_index):
    if grads.ndim != 4 or images.ndim != 4 or boxes.ndim != 2 or box_index.ndim != 1:
        raise ValueError(
            f"For 'CropAndResizeGradBoxes', the inputs must have 4, 4, 2 and 1 axes, "
            f"but got shapes {grads.shape}, {images.shape}, {boxes.shape} and "
            f"{box_index.shape}."
        )
    if boxes.shape[1] != 4 or not grads.shape[0] == boxes.shape[0] == box_index.shape[0]:
        raise ValueError(
            f"For 'CropAndResizeGradBoxes', there must be four corners and one image "
            f"for each of {grads.shape[0]} boxes, but got {boxes.shape} and "
            f"{box_index.shape}."
        )


def _shares(count, length, dtype):
    """Returns how far each of `count` points moves with the first and the last end of a box."""
    if count == 1:
        return np.full((1, 2), 0.5 * (length - 1), dtype)
    last = np.arange(count) * ((length - 1) / (count - 1))
    return np.stack([length - 1 - last, last], 1).astype(dtype)
