"""Bounding boxes: overlap, encoding relative to anchors, validity, non-maximum suppression.

A box is (x0, y0, x1, y1). Resizing is in _image/resize.py, sampling of regions in
_image/roi_align.py.
"""

import math

import numpy as np

from ..._core.autograd.steps import vjp_of
from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.declare.public_api import build, public
from ..._core.rules.vocabulary import Any, AsValue, Bool, Float, Int, Plain, TensorOf, TupleOf
from ..._core.tensor.tensor import Tensor
from .._rules import Float16Or32, Float16To64, Float32, Index
from ..primitive import Primitive

Four = TupleOf(Float, length=4)


def _need_boxes(api, **boxes):
    for name, x in boxes.items():
        if x.ndim != 2 or x.shape[1] != 4:
            raise ValueError(
                f"For '{api}', '{name}' must have shape (N, 4), but got {tuple(x.shape)}."
            )


def _pairs(xp, function, a, b, **options):
    """Evaluates an elementwise function of two boxes, four numbers each, for all pairs of boxes
    (N, 4) and (M, 4). Returns its result, (N, M)."""
    return xp.pointwise(function, *_columns(xp, a, 2), *_columns(xp, b, 1), **options)


def _columns(xp, boxes, axis):
    """Returns the four numbers of boxes (N, 4) with a further axis."""
    columns = xp.expand_dims(xp.swapaxes(boxes, 0, 1), axis)
    return [columns[0], columns[1], columns[2], columns[3]]


def _overlap_and_union(xp, x0, y0, x1, y1, u0, v0, u1, v1, extra):
    """Returns the areas of the intersection and of the union of two boxes, and of the first."""
    width = xp.minimum(x1, u1) - xp.maximum(x0, u0) + extra
    height = xp.minimum(y1, v1) - xp.maximum(y0, v0) + extra
    shared = xp.maximum(width, 0) * xp.maximum(height, 0)
    first = (x1 - x0 + extra) * (y1 - y0 + extra)
    return shared, first + (u1 - u0 + extra) * (v1 - v0 + extra) - shared, first


def _iou_of_pixels(xp, *corners, mode):
    shared, union, first = _overlap_and_union(xp, *corners, 1)
    return shared / (union if mode == "iou" else first)


@op("ops.iou(anchor_boxes, gt_boxes, mode='iou')", types=SameDtype("anchor_boxes gt_boxes"))
def iou(xp, anchor_boxes: Float16To64, gt_boxes: Float16To64, mode: Any = "iou"):
    """Computes the intersection over union (IoU) of all pairs of boxes.

    Mode "iof" divides by the area of the second box instead. The sides of a box include its last
    pixel.

    Shapes:
        `anchor_boxes` is (N, 4), `gt_boxes` is (M, 4), of corners (x0, y0, x1, y1). The result is
        (M, N), of the same dtype.

    Raises:
        KeyError: if `mode` is neither 'iou' nor 'iof'.
        ValueError: if the boxes do not have shape (N, 4).

    Example:
        >>> print(ms.ops.iou(ms.Tensor([[0.0, 0.0, 9.0, 9.0]]), ms.Tensor([[0.0, 0.0, 9.0, 4.0]])))
        [[0.5]]
    """
    _need_mode("iou", mode)
    _need_boxes("iou", anchor_boxes=anchor_boxes, gt_boxes=gt_boxes)
    return _pairs(xp, _iou_of_pixels, gt_boxes, anchor_boxes, mode=mode)


@iou.vjp_joint
def _iou_vjp(xp, g, anchor_boxes, gt_boxes, mode):
    pairs = [*_columns(xp, gt_boxes, 2), *_columns(xp, anchor_boxes, 1)]
    parts = vjp_of(xp, _iou_of_pixels, g, pairs, (("mode", mode),))
    of_anchors = xp.swapaxes(xp.concatenate(parts[4:], 0), 0, 1)
    return of_anchors, xp.concatenate(parts[:4], 1)


def _need_mode(api, mode):
    if not isinstance(mode, str) or mode not in ("iou", "iof"):
        raise KeyError(f"For '{api}', 'mode' must be 'iou' or 'iof', but got {mode!r}.")


@public("ops.IOU")
class IOU(Primitive):
    """Computes the intersection over union (IoU) of all pairs of boxes; see `ops.iou`.

    Args:
        mode (str): "iou", or "iof", which divides by the area of the second box. Default: "iou".

    Inputs:
        - **anchor_boxes** (Tensor): shape (N, 4), of corners (x0, y0, x1, y1).
        - **gt_boxes** (Tensor): shape (M, 4), of the same dtype.

    Outputs:
        Tensor, shape (M, N).

    Raises:
        KeyError: if `mode` is neither 'iou' nor 'iof'.
        ValueError: if the boxes do not have shape (N, 4).

    Example:
        >>> import mindspore_compat as ms
        >>> whole, half = ms.Tensor([[0.0, 0.0, 9.0, 9.0]]), ms.Tensor([[0.0, 0.0, 9.0, 4.0]])
        >>> print(ms.ops.IOU()(whole, half))
        [[0.5]]

    Source: mindspore.ops.IOU of MindSpore 2.10.
    """

    def __init__(self, mode="iou"):
        _need_mode("IOU", mode)
        super().__init__("IOU")
        self.mode = mode

    def __call__(self, anchor_boxes, gt_boxes):
        """Computes the ratios of all pairs of boxes."""
        return build("ops", "iou")(anchor_boxes, gt_boxes, self.mode)


def _constants(xp, x, *numbers):
    """Returns numbers as an array of the dtype of `x`."""
    return xp.table(np.array, numbers, x.dtype)


def _encode(xp, low, high, to_low, to_high):
    sides = high - low + 1
    shift = ((to_low + to_high) - (low + high)) * 0.5 / sides
    return shift, xp.log((to_high - to_low + 1) / sides)


@op(
    "ops.bounding_box_encode(anchor_box, groundtruth_box, means=(0.0, 0.0, 0.0, 0.0), "
    "stds=(1.0, 1.0, 1.0, 1.0))",
    "ops.BoundingBoxEncode(means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0))"
    "(anchor_box, groundtruth_box)",
    types=SameDtype("anchor_box groundtruth_box"),
)
def bounding_box_encode(
    xp,
    anchor_box: Float16Or32,
    groundtruth_box: Float16Or32,
    means: Four = (0.0, 0.0, 0.0, 0.0),
    stds: Four = (1.0, 1.0, 1.0, 1.0),
):
    """Encodes boxes relative to anchors: the shift of the centre, and the logarithms of the scale.

    Shifts are in units of the sides of the anchor. `means` is subtracted from the result, which is
    then divided by `stds`.

    Shapes:
        Both inputs are (N, 4), of corners (x0, y0, x1, y1) and of one dtype. The result has the
        same shape and dtype.

    Example:
        >>> print(ms.ops.bounding_box_encode(ms.Tensor([[0.0, 0.0, 9.0, 9.0]]),
        ...                                  ms.Tensor([[5.0, 0.0, 14.0, 9.0]])))
        [[0.5 0.  0.  0. ]]
    """
    _need_boxes("bounding_box_encode", anchor_box=anchor_box, groundtruth_box=groundtruth_box)
    corners = *_halves(anchor_box), *_halves(groundtruth_box)
    out = xp.concatenate(xp.pointwise(_encode, *corners), 1)
    out = out - _constants(xp, out, *means) if any(means) else out
    return out if stds == (1.0,) * 4 else out / _constants(xp, out, *stds)


@bounding_box_encode.vjp_joint
def _encode_vjp(xp, g, anchor_box, groundtruth_box, stds):
    g = g if stds == (1.0,) * 4 else g / _constants(xp, g, *stds)
    low, high, to_low, to_high = vjp_of(
        xp, _encode, _halves(g), [*_halves(anchor_box), *_halves(groundtruth_box)]
    )
    return xp.concatenate([low, high], 1), xp.concatenate([to_low, to_high], 1)


def _halves(x):
    """Returns the first two columns, and the others."""
    return x[:, :2], x[:, 2:]


def _decode(xp, low, high, shift, scale, limit, *, most):
    sides = high - low + 1
    half = 0.5 * sides * xp.exp(xp.minimum(xp.maximum(scale, -most), most)) - 0.5
    centre = (low + high) * 0.5 + sides * shift
    first, last = (xp.maximum(corner, 0) for corner in (centre - half, centre + half))
    return xp.minimum(first, limit), xp.minimum(last, limit)


@op(
    "ops.bounding_box_decode(anchor_box, deltas, max_shape, means=(0.0, 0.0, 0.0, 0.0), "
    "stds=(1.0, 1.0, 1.0, 1.0), wh_ratio_clip=0.016)",
    "ops.BoundingBoxDecode(max_shape, means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0), "
    "wh_ratio_clip=0.016)(anchor_box, deltas)",
)
def bounding_box_decode(
    xp,
    anchor_box: Float16Or32,
    deltas: Float16Or32,
    max_shape: TupleOf(Int, length=2),
    means: Four = (0.0, 0.0, 0.0, 0.0),
    stds: Four = (1.0, 1.0, 1.0, 1.0),
    wh_ratio_clip: Float = 0.016,
):
    """Decodes boxes from the `deltas` of `bounding_box_encode`, and clips them to images of shape
    `max_shape`. A side is scaled by at most 1 / `wh_ratio_clip`.

    Shapes:
        Both inputs are (N, 4), of one dtype. The result has the same shape and dtype.

    Example:
        >>> deltas = ms.Tensor([[0.5, 0.0, 0.0, 0.0]])
        >>> print(ms.ops.bounding_box_decode(ms.Tensor([[0.0, 0.0, 9.0, 9.0]]), deltas,
        ...                                  max_shape=(20, 20)))
        [[ 5.  0. 14.  9.]]
    """
    _need_boxes("bounding_box_decode", anchor_box=anchor_box, deltas=deltas)
    deltas = deltas if stds == (1.0,) * 4 else deltas * _constants(xp, deltas, *stds)
    deltas = deltas + _constants(xp, deltas, *means) if any(means) else deltas
    limit = _constants(xp, anchor_box, max_shape[1], max_shape[0])
    most = abs(math.log(wh_ratio_clip))
    corners = *_halves(anchor_box), *_halves(deltas)
    return xp.concatenate(xp.pointwise(_decode, *corners, limit, most=most), 1)


@bounding_box_decode.vjp_joint
def _decode_vjp(xp, g, anchor_box, deltas, max_shape, means, stds, wh_ratio_clip):
    has_stds = stds != (1.0,) * 4
    deltas = deltas * _constants(xp, deltas, *stds) if has_stds else deltas
    deltas = deltas + _constants(xp, deltas, *means) if any(means) else deltas
    limit = _constants(xp, anchor_box, max_shape[1], max_shape[0])
    most = abs(math.log(wh_ratio_clip))
    given = [*_halves(anchor_box), *_halves(deltas), limit]
    needs_grad = [True] * 4 + [False]
    low, high, shift, scale, _ = vjp_of(
        xp, _decode, _halves(g), given, (("most", most),), needs_grad
    )
    of_deltas = xp.concatenate([shift, scale], 1)
    of_deltas = of_deltas * _constants(xp, of_deltas, *stds) if has_stds else of_deltas
    return xp.concatenate([low, high], 1), of_deltas


@op("ops.check_valid(bboxes, img_metas)", "ops.CheckValid()(bboxes, img_metas)")
def check_valid(
    xp,
    bboxes: TensorOf("float16", "float32", "int16", "uint8"),
    img_metas: TensorOf("float16", "float32", "int16", "uint8"),
):
    """Checks which boxes lie inside an image. `img_metas` is (height, width, ratio); the limits are
    height * ratio and width * ratio.

    Shapes:
        `bboxes` is (N, 4), `img_metas` is (3,), of one dtype. The result is (N,), bool.

    Example:
        >>> boxes = ms.Tensor([[0.0, 0.0, 9.0, 9.0], [0.0, 0.0, 99.0, 9.0]])
        >>> print(ms.ops.check_valid(boxes, ms.Tensor([20.0, 20.0, 1.0])))
        [ True False]
    """
    _need_boxes("check_valid", bboxes=bboxes)
    if img_metas.ndim != 1 or img_metas.size != 3:
        raise ValueError(
            f"For 'check_valid', 'img_metas' must have the shape (3,), but got "
            f"{tuple(img_metas.shape)}."
        )
    height, width = img_metas[0] * img_metas[2] - 1, img_metas[1] * img_metas[2] - 1
    good = (bboxes[:, 0] >= 0) & (bboxes[:, 1] >= 0)
    return good & (bboxes[:, 2] <= width) & (bboxes[:, 3] <= height)


# Suppression: boxes from the best to the worst, and a mask of the pairs that overlap


def _is_close(xp, *corners, threshold):
    shared, union, _ = _overlap_and_union(xp, *corners, 0)
    return shared / xp.where(union == 0, 1, union) > threshold


def _is_over(xp, *corners, threshold):
    shared, union, _ = _overlap_and_union(xp, *corners, 0)
    return shared > threshold * union


def _close_pairs(xp, boxes, threshold):
    """Returns the mask (..., N, N) of boxes (..., N, 4), each given by two opposite corners, that
    overlap by more than a threshold."""
    low = xp.minimum(boxes[..., :2], boxes[..., 2:])
    high = xp.maximum(boxes[..., :2], boxes[..., 2:])
    sides = low[..., 0], low[..., 1], high[..., 0], high[..., 1]
    rows, columns = ([xp.expand_dims(side, axis) for side in sides] for axis in (-1, -2))
    return xp.pointwise(_is_over, *rows, *columns, threshold=threshold)


@op("ops.NMSWithMask(iou_threshold=0.5)(bboxes)")
def nms_with_mask(xp, bboxes: Float16Or32, iou_threshold: AsValue(Float) = 0.5):
    """Applies non-maximum suppression (NMS): sorts boxes by score and marks those that overlap no
    better one by more than `iou_threshold`.

    Shapes:
        `bboxes` is (N, 5), of corners and a score. The sorted boxes are (N, 5), the positions (N,)
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
    close = _pairs(xp, _is_close, upcast, upcast, threshold=iou_threshold)
    return rows, xp.arange(rows.shape[0], dtype="int32"), xp.survivors(close)


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


def _ranked(xp, close, scores, least):
    """Returns the positions of boxes, best first, their scores, and the mask of those with scores
    above `least` that overlap no better one."""
    order = xp.argsort(-scores, kind="stable")
    scores = xp.take(scores, order)
    good = scores > least
    rows = xp.take(xp.take(close, order, 0), order, 1)
    return order, scores, good & xp.survivors(rows & xp.expand_dims(good, 1))


def _select(xp, close, scores, most, least):
    """Returns the int32 positions of at most `most` boxes, best first, none of which overlaps a
    better one."""
    order, _, keep = _ranked(xp, close, scores, least)
    return xp.cast(order[keep][:most], "int32")


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
    _need_boxes(api, boxes=boxes)
    if tuple(scores.shape) != (boxes.shape[0],):
        raise ValueError(
            f"For '{api}', 'scores' must have shape {(boxes.shape[0],)}, but got "
            f"{tuple(scores.shape)}."
        )
    return _select(xp, _close_pairs(xp, boxes, overlap), scores, max(most, 0), least)


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
    return _select(xp, overlaps >= overlap_threshold, scores, most, score_threshold)


def _best_of_classes(xp, boxes, scores, per_class, overlap, least):
    """Returns the boxes (classes, N, 4) of each class, best first, and their scores (classes, N),
    -inf for those that are not selected."""
    order = xp.argsort(-scores, -1, kind="stable")
    ranked = xp.take_along_axis(scores, order, -1)
    boxes = xp.take_along_axis(boxes, _four_times(xp, order), 1)
    good = ranked > least
    close = _close_pairs(xp, boxes, overlap) & xp.expand_dims(good, -1)
    keep = good & xp.survivors(close)
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
