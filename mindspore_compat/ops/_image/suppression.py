"""Non-maximum suppression (NMS): of boxes that overlap, the one with the best score is kept.

Boxes are sorted from the best to the worst. A mask of the pairs that overlap then decides which
boxes survive. Overlaps themselves are in _image/boxes.py.
"""

import functools

from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Any, AsValue, Bool, Float, Plain
from ..._core.tensor.tensor import Tensor
from .._rules import Float16Or32, Float16To64, Float32, Index
from .boxes import need_boxes, overlap_and_union, pairs

_BLOCK = 256  # boxes that are compared with all better ones at a time


def _is_close(xp, *corners, threshold):
    shared, union, _ = overlap_and_union(xp, *corners, 0)
    return shared / xp.where(union == 0, 1, union) > threshold


def _is_over(xp, *corners, threshold):
    shared, union, _ = overlap_and_union(xp, *corners, 0)
    return shared > threshold * union


def _close_pairs(xp, boxes, others, threshold):
    """Returns the mask (..., N, M) of the pairs of boxes (..., N, 4) and (..., M, 4) that overlap
    by more than a threshold. Two opposite corners give a box."""
    rows, columns = _sides(xp, boxes, -1), _sides(xp, others, -2)
    return xp.pointwise(_is_over, *rows, *columns, threshold=threshold)


def _sides(xp, boxes, axis):
    """Returns the least and the largest coordinates of boxes (..., N, 4), with a further axis."""
    low = xp.minimum(boxes[..., :2], boxes[..., 2:])
    high = xp.maximum(boxes[..., :2], boxes[..., 2:])
    sides = low[..., 0], low[..., 1], high[..., 0], high[..., 1]
    return [xp.expand_dims(side, axis) for side in sides]


def _survivors(xp, close, boxes, good=None):
    """Returns the mask (..., N) of the boxes to keep.

    Boxes are compared in blocks, so that memory grows with N, not with its square.

    Args:
        close: `close(boxes, others)` returns the mask of the pairs that overlap.
        boxes: (..., N, 4), the best first.
        good: a mask of the boxes that may be kept; None for all.
    """
    first = None if good is None else good[..., :_BLOCK]
    keep = _kept_of_block(xp, close, boxes[..., :_BLOCK, :], first)
    for start in range(_BLOCK, boxes.shape[-2], _BLOCK):
        block = boxes[..., start : start + _BLOCK, :]
        over = close(boxes[..., :start, :], block) & xp.expand_dims(keep, -1)
        free = xp.logical_not(xp.any(over, -2))
        if good is not None:
            free = free & good[..., start : start + _BLOCK]
        keep = xp.concatenate([keep, _kept_of_block(xp, close, block, free)], -1)
    return keep


def _kept_of_block(xp, close, block, free):
    """Returns the mask of the boxes of a block to keep. `free` is a mask of those that overlap no
    kept box of earlier blocks; None means all."""
    near = close(block, block)
    if free is None:
        return xp.survivors(near)
    return free & xp.survivors(near & xp.expand_dims(free, -1))


@op("ops.NMSWithMask(iou_threshold=0.5)(bboxes)")
def nms_with_mask(xp, bboxes: Float16Or32, iou_threshold: AsValue(Float) = 0.5):
    """Applies non-maximum suppression (NMS): sorts boxes by score, and marks the boxes to keep. A
    box is dropped if it overlaps a kept box with a better score by more than `iou_threshold`.

    Shapes:
        `bboxes` is (N, 5): the corners and a score. The sorted boxes are (N, 5), the positions (N,)
        of int32, the marks (N,) of bool.

    Returns:
        The sorted boxes, the int32 positions 0 to N - 1, and a bool mask of the boxes to keep.

    Example:
        >>> boxes = ms.Tensor([[0.0, 0.0, 9.0, 9.0, 0.5], [0.0, 0.0, 9.0, 8.0, 0.9]])
        >>> print(ms.ops.NMSWithMask(0.5)(boxes)[2])
        [ True False]
    """
    if bboxes.ndim != 2 or bboxes.shape[0] < 1 or bboxes.shape[1] != 5:
        raise ValueError(
            f"For 'NMSWithMask', 'bboxes' must have shape (N, 5), N at least 1, but got "
            f"{tuple(bboxes.shape)}."
        )
    order = xp.argsort(-bboxes[:, 4], kind="stable")
    rows = xp.take(bboxes, order, 0)
    upcast = xp.cast(rows, "float32") if rows.dtype == "float16" else rows
    close = functools.partial(pairs, xp, _is_close, threshold=iou_threshold)
    return rows, xp.arange(rows.shape[0], dtype="int32"), _survivors(xp, close, upcast)


def _scalar(api, name, value, *dtypes):
    """Returns a number that is passed as a number or as a 0-D Tensor of one of `dtypes`."""
    if isinstance(value, Tensor):
        if value._array.dtype not in dtypes:
            raise TypeError(
                f"For '{api}', '{name}' must be of dtype {' or '.join(dtypes)}, but "
                f"got {value.dtype}."
            )
        if value.ndim:
            raise ValueError(
                f"For '{api}', '{name}' must have no dimensions, but got shape "
                f"{tuple(value.shape)}."
            )
        return value.asnumpy().item()
    if type(value) is bool or not isinstance(value, int if "int32" in dtypes else (int, float)):
        raise TypeError(f"For '{api}', '{name}' must be a number or a Tensor, but got {value!r}.")
    return value


def _limits(api, name, overlap, least, *dtypes):
    """Returns the two thresholds as numbers."""
    given_dtypes = [value.dtype for value in (overlap, least) if isinstance(value, Tensor)]
    limits = (_scalar(api, name, overlap, *dtypes), _scalar(api, "score_threshold", least, *dtypes))
    if len(set(given_dtypes)) > 1:
        raise TypeError(
            f"For '{api}', '{name}' and 'score_threshold' must have the same dtype, "
            f"but got {given_dtypes[0]} and {given_dtypes[1]}."
        )
    return limits


def _ranked(xp, scores, least):
    """Returns the positions of boxes, best first, and the mask of those with scores above
    `least`."""
    order = xp.argsort(-scores, kind="stable")
    return order, xp.take(scores, order) > least


@op(
    "ops.NonMaxSuppressionV3()(boxes, scores, max_output_size, iou_threshold, score_threshold)",
    types=SameDtype("boxes scores"),
)
def non_max_suppression_v3(
    xp,
    boxes: Float16Or32,
    scores: Float16Or32,
    max_output_size: Any,
    iou_threshold: Any,
    score_threshold: Any,
):
    """Applies non-maximum suppression (NMS): returns the positions of the boxes to keep, best
    first. None of them overlaps a better one by more than `iou_threshold`.

    A box is given by any two opposite corners. At most `max_output_size` boxes with scores above
    `score_threshold` are selected.

    Shapes:
        `boxes` is (N, 4), `scores` is (N,), the others are scalars. The positions are (K,), of
        int32.

    Example:
        >>> boxes = ms.Tensor([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9]])
        >>> scores = ms.Tensor([0.5, 0.9])
        >>> print(ms.ops.NonMaxSuppressionV3()(boxes, scores, ms.Tensor(5, ms.int32),
        ...                                    ms.Tensor(0.5), ms.Tensor(0.1)))
        [1]
    """
    api = "NonMaxSuppressionV3"
    most = _scalar(api, "max_output_size", max_output_size, "int32", "int64")
    overlap, least = _limits(
        api, "iou_threshold", iou_threshold, score_threshold, "float16", "float32"
    )
    need_boxes(api, boxes=boxes)
    if tuple(scores.shape) != (boxes.shape[0],):
        raise ValueError(
            f"For '{api}', 'scores' must have shape {(boxes.shape[0],)}, but got "
            f"{tuple(scores.shape)}."
        )
    order, good = _ranked(xp, scores, least)
    close = functools.partial(_close_pairs, xp, threshold=overlap)
    keep = _survivors(xp, close, xp.take(boxes, order, 0), good)
    return xp.cast(order[keep][: max(most, 0)], "int32")


@op(
    "ops.NonMaxSuppressionWithOverlaps()(overlaps, scores, max_output_size, overlap_threshold, "
    "score_threshold)",
    types=SameDtype("overlaps scores overlap_threshold score_threshold"),
)
def non_max_suppression_with_overlaps(
    xp,
    overlaps: Float16To64,
    scores: Float16To64,
    max_output_size: Any,
    overlap_threshold: Float16To64,
    score_threshold: Float16To64,
):
    """Applies non-maximum suppression (NMS), given the overlap of each pair of boxes: returns the
    positions of the boxes to keep, best first.

    Shapes:
        `overlaps` is (N, N), `scores` is (N,), the others are scalars. The positions are (K,), of
        int32.

    Example:
        >>> overlaps, scores = ms.Tensor([[1.0, 0.9], [0.9, 1.0]]), ms.Tensor([0.5, 0.9])
        >>> suppress = ms.ops.NonMaxSuppressionWithOverlaps()
        >>> print(suppress(overlaps, scores, ms.Tensor(5, ms.int32), ms.Tensor(0.5),
        ...                ms.Tensor(0.1)))
        [1]
    """
    api = "NonMaxSuppressionWithOverlaps"
    most = _scalar(api, "max_output_size", max_output_size, "int32")
    if overlap_threshold.ndim or score_threshold.ndim:
        raise ValueError(
            f"For '{api}', the thresholds must have no dimensions, but got shapes "
            f"{overlap_threshold.shape} and {score_threshold.shape}."
        )
    if (
        overlaps.ndim != 2
        or overlaps.shape[0] != overlaps.shape[1]
        or tuple(scores.shape) != tuple(overlaps.shape[:1])
    ):
        raise ValueError(
            f"For '{api}', 'overlaps' must have shape (N, N) and 'scores' "
            f"(N,), but got {tuple(overlaps.shape)} and {tuple(scores.shape)}."
        )
    if most < 0:
        raise ValueError(f"For '{api}', 'max_output_size' must not be negative, but got {most}.")
    order, good = _ranked(xp, scores, score_threshold)
    close = xp.take(xp.take(overlaps >= overlap_threshold, order, 0), order, 1)
    keep = good & xp.survivors(close & xp.expand_dims(good, 1))
    return xp.cast(order[keep][:most], "int32")


def _best_of_classes(xp, boxes, scores, per_class, overlap, least):
    """Returns the boxes (classes, N, 4) of each class, best first, and their scores (classes, N),
    -inf for those that are not selected."""
    order = xp.argsort(-scores, -1, kind="stable")
    ranked = xp.take_along_axis(scores, order, -1)
    boxes = xp.take_along_axis(boxes, _four_times(xp, order), 1)
    good = ranked > least
    close = functools.partial(_close_pairs, xp, threshold=overlap)
    keep = _survivors(xp, close, boxes, good)
    keep = keep & (xp.cumsum(keep, -1) <= per_class)
    return boxes, xp.where(keep, ranked, -xp.inf)


def _four_times(xp, order):
    return xp.broadcast_to(xp.expand_dims(order, -1), (*order.shape, 4))


def _best_of_images(xp, boxes, scores, most):
    """Returns the boxes, scores and classes selected for each image, best first, as arrays with
    `most` rows for an image, and their numbers; the rows after them are 0.

    Args:
        boxes, scores: the results of `_best_of_classes`, (images, classes, ...).
        most (int): how many boxes are selected.
    """
    images, classes, count = scores.shape
    best = xp.reshape(scores, (images, classes * count))
    order = xp.argsort(-best, -1, kind="stable")[:, :most]
    best = xp.take_along_axis(best, order, 1)
    flat = xp.reshape(boxes, (images, classes * count, 4))
    keep = best > -xp.inf
    columns = (
        xp.where(xp.expand_dims(keep, -1), xp.take_along_axis(flat, _four_times(xp, order), 1), 0),
        xp.where(keep, best, 0),
        xp.cast(order // max(count, 1) * keep, "float32"),
    )
    if rest := most - order.shape[1]:
        columns = [xp.pad(x, ((0, 0), (0, rest), (0, 0))[: x.ndim]) for x in columns]
    return (*columns, xp.cast(xp.sum(keep, 1), "int32"))


@op(
    "ops.CombinedNonMaxSuppression(pad_per_class=False, clip_boxes=True)(boxes, scores, "
    "max_output_size_per_class, max_total_size, iou_threshold, score_threshold)",
    quirks=Quirks(shapes_first=True),
)
def combined_non_max_suppression(
    xp,
    boxes: AsValue(Float32, Plain),
    scores: AsValue(Float32, Plain),
    max_output_size_per_class: Index,
    max_total_size: Index,
    iou_threshold: Float32,
    score_threshold: Float32,
    pad_per_class: Bool = False,
    clip_boxes: Bool = True,
):
    """Applies non-maximum suppression (NMS) to each class, then selects the best boxes of all
    classes, for each image.

    Results are padded with zeros to `max_total_size` boxes; with `pad_per_class`, to
    `max_output_size_per_class` times the number of classes if that is less. `clip_boxes` clips the
    boxes to [0, 1].

    Shapes:
        `boxes` is (N, boxes, classes or 1, 4), `scores` is (N, boxes, classes), the others are
        scalars.

    Returns:
        Boxes (N, D, 4), scores (N, D), classes (N, D), and the number of boxes of each image, int32
        (N,).

    Example:
        >>> boxes, scores = ms.Tensor([[[[0.0, 0.0, 1.0, 1.0]]]]), ms.Tensor([[[0.9]]])
        >>> five, half = ms.Tensor(5, ms.int32), ms.Tensor(0.5)
        >>> print(ms.ops.CombinedNonMaxSuppression()(boxes, scores, five, five, half, half)[3])
        [1]
    """
    api = "CombinedNonMaxSuppression"
    if (
        boxes.ndim != 4
        or scores.ndim != 3
        or tuple(boxes.shape[:2]) != tuple(scores.shape[:2])
        or (boxes.shape[2] not in (1, scores.shape[2]))
    ):
        raise ValueError(
            f"For '{api}', 'boxes' must have shape (N, B, C or 1, 4) and 'scores' (N, B, C), but "
            f"got {tuple(boxes.shape)} and {tuple(scores.shape)}."
        )
    limits = max_output_size_per_class, max_total_size, iou_threshold, score_threshold
    if any(limit.ndim for limit in limits):
        raise ValueError(f"For '{api}', sizes and thresholds must have no dimensions.")
    per_class, most, overlap, least = xp.stack([xp.stop(limit) for limit in limits]).tolist()
    per_class, most = int(per_class), int(most)
    if per_class < 0 or most < 0 or not 0 <= overlap <= 1:
        raise ValueError(
            f"For '{api}', sizes must not be negative and 'iou_threshold' be in [0, 1], but got "
            f"{per_class}, {most} and {overlap}."
        )
    goal = min(most, per_class * scores.shape[2]) if pad_per_class else most
    scores = xp.swapaxes(scores, 1, 2)
    images, classes, count = scores.shape
    boxes = xp.broadcast_to(xp.swapaxes(boxes, 1, 2), (*scores.shape, 4))
    boxes = xp.reshape(boxes, (images * classes, count, 4))
    scores = xp.reshape(scores, (images * classes, count))
    step = max(1, xp.at_once() // max(1, count * count))  # classes whose pairs fit
    parts = [
        _best_of_classes(
            *(xp, boxes[first : first + step], scores[first : first + step]),
            *(per_class, overlap, least),
        )
        for first in range(0, max(images * classes, 1), step)
    ]
    boxes, scores = (xp.concatenate(list(x), 0) if x[1:] else x[0] for x in zip(*parts))
    boxes = xp.reshape(boxes, (images, classes, count, 4))
    scores = xp.reshape(scores, (images, classes, count))
    boxes, scores, classes, counts = _best_of_images(xp, boxes, scores, goal)
    boxes = xp.minimum(xp.maximum(boxes, 0), 1) if clip_boxes else boxes
    return boxes, scores, classes, counts
