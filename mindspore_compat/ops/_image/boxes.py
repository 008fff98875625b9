"""Bounding boxes: overlap, encoding relative to anchors, validity.

A box is (x0, y0, x1, y1). Suppression is in _image/suppression.py, resizing in _image/resize.py,
sampling of regions in _image/roi_align.py.
"""

import math

import numpy as np

from ..._core.autograd.steps import vjp_of
from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op
from ..._core.declare.public_api import build, public
from ..._core.rules.vocabulary import Any, Float, Int, TensorOf, TupleOf
from .._rules import Float16Or32, Float16To64
from ..primitive import Primitive

Four = TupleOf(Float, length=4)


def need_boxes(api, **boxes):
    """Raises ValueError unless the arguments have shape (N, 4)."""
    for name, x in boxes.items():
        if x.ndim != 2 or x.shape[1] != 4:
            raise ValueError(
                f"For '{api}', '{name}' must have shape (N, 4), but got {tuple(x.shape)}."
            )


def pairs(xp, function, a, b, **options):
    """Evaluates an elementwise function of two boxes, four numbers each, for all pairs of boxes
    (N, 4) and (M, 4). Returns its result, (N, M)."""
    return xp.pointwise(function, *_columns(xp, a, 2), *_columns(xp, b, 1), **options)


def _columns(xp, boxes, axis):
    """Returns the four numbers of boxes (N, 4) with a further axis."""
    columns = xp.expand_dims(xp.swapaxes(boxes, 0, 1), axis)
    return [columns[0], columns[1], columns[2], columns[3]]


def overlap_and_union(xp, x0, y0, x1, y1, u0, v0, u1, v1, extra):
    """Returns the areas of the intersection and of the union of two boxes, and of the first."""
    width = xp.minimum(x1, u1) - xp.maximum(x0, u0) + extra
    height = xp.minimum(y1, v1) - xp.maximum(y0, v0) + extra
    shared = xp.maximum(width, 0) * xp.maximum(height, 0)
    first = (x1 - x0 + extra) * (y1 - y0 + extra)
    return shared, first + (u1 - u0 + extra) * (v1 - v0 + extra) - shared, first


def _iou_of_pixels(xp, *corners, mode):
    shared, union, first = overlap_and_union(xp, *corners, 1)
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
    need_boxes("iou", anchor_boxes=anchor_boxes, gt_boxes=gt_boxes)
    return pairs(xp, _iou_of_pixels, gt_boxes, anchor_boxes, mode=mode)


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
    need_boxes("bounding_box_encode", anchor_box=anchor_box, groundtruth_box=groundtruth_box)
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
    need_boxes("bounding_box_decode", anchor_box=anchor_box, deltas=deltas)
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
    need_boxes("check_valid", bboxes=bboxes)
    if img_metas.ndim != 1 or img_metas.size != 3:
        raise ValueError(
            f"For 'check_valid', 'img_metas' must have the shape (3,), but got "
            f"{tuple(img_metas.shape)}."
        )
    height, width = img_metas[0] * img_metas[2] - 1, img_metas[1] * img_metas[2] - 1
    good = (bboxes[:, 0] >= 0) & (bboxes[:, 1] >= 0)
    return good & (bboxes[:, 2] <= width) & (bboxes[:, 3] <= height)
