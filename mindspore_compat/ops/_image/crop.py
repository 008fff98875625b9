"""Crops of images, resized: `crop_and_resize`, and its gradient with respect to the boxes."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Float, Int, InTensor, OneOf, TensorOf, TupleOf
from .._conv.sizes import need_rank
from .bilinear import grid

Images = TensorOf(
    "int8", "int16", "int32", "int64", "float16", "float32", "float64", "uint8", "uint16"
)
Float32Or64 = TensorOf("float32", "float64")
Two = TupleOf(Int(ge=1), length=2)
Method = OneOf("bilinear", "nearest", "bilinear_v2")


def _crop_points(xp, low, height, size, count, half):
    """Returns the coordinates of a crop's pixels along one dimension, (boxes, count)."""
    low, height = xp.expand_dims(low, 1), xp.expand_dims(height, 1)
    i = xp.arange(count, dtype="float32")
    if half:  # from the first to the last pixel of the box, both included
        low, height = xp.trunc(low * size), xp.trunc(height * size)
        at = low + (i + 0.5) * ((height - low + 1) / count) - 0.5
        return xp.maximum(xp.minimum(at, height), low)
    if count == 1:
        return 0.5 * (low + height) * (size - 1)
    return low * (size - 1) + i * ((height - low) * (size - 1) / (count - 1))


def _crop(xp, api, image, boxes, index, crop_size, method, outside):
    """Crops and resizes images (N, H, W, C); returns (boxes, height, width, C), float32."""
    need_rank(api, "image", image, 4)
    need_rank(api, "boxes", boxes, 2)
    need_rank(api, "box_indices", index, 1)
    if boxes.shape[1] != 4 or index.shape[0] != boxes.shape[0]:
        raise ValueError(
            f"For '{api}', 'boxes' must have shape (B, 4) and the indices (B,), but got "
            f"{tuple(boxes.shape)} and {tuple(index.shape)}."
        )
    if bool(xp.any((index < 0) | (index >= image.shape[0]))):
        raise ValueError(f"For '{api}', the indices must be in [0, {image.shape[0]}).")
    x = xp.moveaxis(xp.cast(image, "float32"), -1, 1)
    boxes = xp.cast(boxes, "float32")
    height, width = x.shape[2], x.shape[3]
    half = method == "bilinear_v2"
    rows = _crop_points(xp, boxes[:, 0], boxes[:, 2], height, crop_size[0], half)
    columns = _crop_points(xp, boxes[:, 1], boxes[:, 3], width, crop_size[1], half)
    ys, xs = grid(xp, rows, columns)
    inside = (ys >= 0) & (ys <= height - 1) & (xs >= 0) & (xs <= width - 1)
    if half:
        inside = xp.ones(ys.shape, bool)
    near_y = xp.minimum(xp.maximum(ys, 0), height - 1)
    near_x = xp.minimum(xp.maximum(xs, 0), width - 1)
    if method == "nearest":
        near_y, near_x = xp.floor(near_y + 0.5), xp.floor(near_x + 0.5)
    result = xp.inside_points(x, index, near_y, near_x)
    result = xp.where(xp.expand_dims(inside, -1), result, outside)
    return xp.reshape(result, (boxes.shape[0], *crop_size, x.shape[1]))


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
    return _crop(
        xp, "crop_and_resize", image, boxes, box_indices, crop_size, method, extrapolation_value
    )


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
    count, height, width, _ = grads.shape
    images = xp.cast(images, boxes.dtype)
    (top, bottom, y, inside_y), (left, right, x, inside_x) = (
        _points(xp, boxes[:, axis], boxes[:, axis + 2], n, images.shape[axis + 1])
        for axis, n in enumerate((height, width))
    )
    y, x = xp.reshape(y, (count, height, 1, 1)), xp.reshape(x, (count, 1, width, 1))

    def pixels(rows, columns):
        indices = (
            xp.reshape(box_index, (-1, 1, 1)),
            xp.expand_dims(rows, 2),
            xp.expand_dims(columns, 1),
        )
        return images[indices]

    corners = [pixels(rows, columns) for rows in (top, bottom) for columns in (left, right)]
    inside = xp.expand_dims(inside_y, 2) & xp.expand_dims(inside_x, 1)
    grads = xp.where(xp.expand_dims(inside, 3), grads, 0)
    down = (1 - x) * (corners[2] - corners[0]) + x * (corners[3] - corners[1])
    across = (1 - y) * (corners[1] - corners[0]) + y * (corners[3] - corners[2])
    by_row, by_column = xp.sum(grads * down, (2, 3)), xp.sum(grads * across, (1, 3))
    ends = [
        xp.sum(share * _share(xp, share.shape[1], images.shape[axis + 1], end), 1)
        for end in (0, 1)
        for axis, share in enumerate((by_row, by_column))
    ]
    return xp.cast(xp.stack(ends, 1), boxes.dtype)


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


def _ratio(count, length):
    """Returns how far a point moves when a corner moves by 1, per step between points."""
    return (length - 1) / (count - 1) if count > 1 else 0.0


def _points(xp, first, last, count, length):
    """Places `count` points of each box along an axis of the image, (boxes, count). Returns the
    pixels before and after each point, its fraction between them, and whether it is inside."""
    first, last = xp.expand_dims(first, 1), xp.expand_dims(last, 1)
    if count == 1:
        at = 0.5 * (first + last) * (length - 1)
    else:
        at = first * (length - 1) + xp.arange(count) * ((last - first) * _ratio(count, length))
    inside = (at >= 0) & (at <= length - 1)
    low = xp.floor(xp.stop(at))
    before, after = (
        xp.clip(xp.cast(end, "int64"), 0, length - 1) for end in (low, xp.ceil(xp.stop(at)))
    )
    return before, after, at - low, inside


def _share(xp, count, length, end):
    """Returns how far each point moves with the first corner (`end` 0) or the last corner (`end`
    1)."""
    if count == 1:
        return 0.5 * (length - 1)
    positions = xp.arange(count) * _ratio(count, length)
    return positions if end else (length - 1) - positions
