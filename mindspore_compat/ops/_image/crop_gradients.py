"""The gradient of `crop_and_resize` for its boxes, which 2.10 has as a Primitive of its own."""

from ..._core.declare.op import op
from ..._core.rules.vocabulary import OneOf, TensorOf

Images = TensorOf(
    "int8", "int16", "int32", "int64", "float16", "float32", "float64", "uint8", "uint16"
)
Wide = TensorOf("float32", "float64")


@op(
    "ops.CropAndResizeGradBoxes(method='bilinear')(grads, images, boxes, box_index)",
    compute="native",
)
def crop_and_resize_grad_boxes(
    xp,
    grads: Wide,
    images: Images,
    boxes: Wide,
    box_index: TensorOf("int32"),
    method: OneOf("bilinear") = "bilinear",
):
    """Computes the gradient of the corners of the boxes that bilinear crops were cut by.

    Points outside of the image give nothing.

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
        places = (
            xp.reshape(box_index, (-1, 1, 1)),
            xp.expand_dims(rows, 2),
            xp.expand_dims(columns, 1),
        )
        return images[places]

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
    """What a corner moves a point by, for each step between points."""
    return (length - 1) / (count - 1) if count > 1 else 0.0


def _points(xp, first, last, count, length):
    """`count` points of each box along an axis of an image, (boxes, count): the pixels before and
    after them, how far along they are, and whether they are inside."""
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
    """How far each point moves with the first corner (`end` 0) or the last one."""
    if count == 1:
        return 0.5 * (length - 1)
    moved = xp.arange(count) * _ratio(count, length)
    return moved if end else (length - 1) - moved
