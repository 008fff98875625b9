"""rotated_iou: overlaps of rotated rectangles. Upright boxes are in _image/boxes.py."""

import math

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, Int, checked
from .._rules import Anything

_POINTS = 24  # 8 corners and 16 edge crossings of a pair; some of them form the polygon
_ROUND = 1e-12  # the rounding error of a point, relative to the sides


@public("ops.rotated_iou")
@checked
def rotated_iou(
    boxes: Anything,
    query_boxes: Anything,
    trans: Bool = False,
    mode: Int = 0,
    is_cross: Bool = True,
    v_threshold: Float = 0.0,
    e_threshold: Float = 0.0,
):
    """Computes the intersection over union (IoU) of rectangles rotated about their centres.

    The intersection is a polygon. Its vertices are the corners of each rectangle that lie inside
    the other, and the crossings of edges. Angles are in degrees and rotate the x axis toward the y
    axis. MindSpore's documentation does not state the direction; OpenCV and the other Ascend
    operators on rotated boxes use this one. The result is computed in float64.

    Args:
        boxes (Tensor): shape (B, N, 5); float16, bfloat16 or float32.
        query_boxes (Tensor): shape (B, K, 5), of one of these dtypes.
        trans (bool): whether a rectangle is (x0, y0, x1, y1, angle), two opposite corners before
            the rotation; else it is (x, y, width, height, angle), where (x, y) is the centre.
            Default: False.
        mode (int): 1 to divide by the area of `boxes` (intersection over foreground), any other
            number to divide by the area of the union. Default: 0.
        is_cross (bool): whether every pair is compared; else only the i-th of `boxes` and the i-th
            of `query_boxes`, and the other elements are zeros. Default: True.
        v_threshold (float): how far outside the other rectangle a corner may lie and still count as
            inside, relative to the sides. Default: 0.0.
        e_threshold (float): how far beyond their ends two edges may cross and still count as
            crossing, relative to their lengths. Default: 0.0.

    Returns:
        Tensor, shape (B, N, K), of the dtype of `boxes`; 0 where the area to divide by is 0.

    Raises:
        TypeError: if `boxes` or `query_boxes` is not a Tensor, or an argument has the wrong type.
        ValueError: if a dtype is not one of those listed, or shapes do not fit.

    Examples:
        >>> from mindspore_compat import Tensor, ops
        >>> boxes = Tensor([[[0.0, 0.0, 2.0, 2.0, 0.0]]])
        >>> turned = Tensor([[[0.0, 0.0, 2.0, 2.0, 45.0], [1.0, 0.0, 2.0, 2.0, 180.0]]])
        >>> print(ops.rotated_iou(boxes, turned))
        [[[0.70710677 0.33333334]]]

    Source: mindspore.ops.rotated_iou of MindSpore 2.10.
    """
    _need_rectangles(boxes, query_boxes)
    return rotated_overlap.run(boxes, query_boxes, trans, mode, is_cross, v_threshold, e_threshold)


@op(compute="native")
def rotated_overlap(
    xp,
    boxes: Anything,
    query_boxes: Anything,
    trans: Bool,
    mode: Int,
    is_cross: Bool,
    v_threshold: Float,
    e_threshold: Float,
):
    """Computes the ratios of all pairs, in float64."""
    count, others = boxes.shape[1], query_boxes.shape[1]
    first, second = _sides(xp, boxes, trans), _sides(xp, query_boxes, trans)
    if is_cross:
        second = [xp.expand_dims(part, 1) for part in second]
        rows = max(1, xp.at_once() // (_POINTS * max(1, boxes.shape[0] * others)))
        parts = [slice(start, start + rows) for start in range(0, max(count, 1), rows)]
        result = []
        for part in parts:
            corners = [xp.expand_dims(coordinate[:, part], 2) for coordinate in first]
            result.append(_ratios(xp, corners, second, mode, v_threshold, e_threshold))
        ratio = result[0] if len(result) == 1 else xp.concatenate(result, 1)
    else:
        pairs = min(count, others)
        first, second = ([coordinate[:, :pairs] for coordinate in side] for side in (first, second))
        ratio = _ratios(xp, first, second, mode, v_threshold, e_threshold)
        ratio = xp.scatter_diagonal(ratio, (boxes.shape[0], count, others), 0, 1, 2)
    return xp.cast(ratio, boxes.dtype)


def _ratios(xp, first, second, mode, v_threshold, e_threshold):
    """Computes the ratios of pairs; both inputs have the shape of the result, or broadcast to
    it."""
    shared = _intersection(xp, first, second, v_threshold, e_threshold)
    return xp.blockwise(_ratio, shared, *first[2:4], *second[2:4], of_first=mode == 1)


def _ratio(xp, shared, width, height, other_width, other_height, *, of_first):
    area, other_area = width * height, other_width * other_height
    whole = area + 0 * other_area if of_first else area + other_area - shared
    empty = whole == 0
    return xp.where(empty, 0.0, shared / xp.where(empty, 1.0, whole))


def _need_rectangles(boxes, query_boxes):
    """Checks the dtypes and shapes that the documentation requires."""
    for name, x in (("boxes", boxes), ("query_boxes", query_boxes)):
        if str(x.dtype) not in ("Float16", "BFloat16", "Float32"):
            raise ValueError(
                f"For 'rotated_iou', the dtype of '{name}' must be float16, bfloat16 or float32, "
                f"but got {x.dtype}."
            )
        if x.ndim != 3 or x.shape[2] != 5:
            raise ValueError(
                f"For 'rotated_iou', '{name}' must have shape (B, N, 5), but got {x.shape}."
            )
    if boxes.shape[0] != query_boxes.shape[0]:
        raise ValueError(
            "For 'rotated_iou', 'boxes' and 'query_boxes' must have the same first axis, but got "
            f"shapes {boxes.shape} and {query_boxes.shape}."
        )


def _sides(xp, boxes, corners):
    """Returns centres (x, y), widths, heights and angles in radians, each (B, N), float64."""
    a, b, c, d, angle = (xp.cast(boxes, "float64")[..., i] for i in range(5))
    if corners:
        a, b, c, d = (a + c) / 2, (b + d) / 2, c - a, d - b
    return a, b, xp.abs(c), xp.abs(d), angle * (math.pi / 180)


def _intersection(xp, first, second, v_threshold, e_threshold):
    """Returns the areas of the intersections, in coordinates relative to the centre of the first
    rectangle."""
    move = second[0] - first[0], second[1] - first[1]
    zero = 0 * move[0]
    a, b = _corners(xp, (zero, zero), first), _corners(xp, move, second)
    margin = v_threshold + _ROUND * (first[2] + first[3] + second[2] + second[3])
    crossings, is_crossing = _crossings(xp, a, b, e_threshold + _ROUND)
    xs, ys = (xp.concatenate([a[i], b[i], crossings[i]], -1) for i in (0, 1))
    counts = xp.concatenate(
        [
            _inside(xp, a, move, second, margin),
            _inside(xp, b, (zero, zero), first, margin),
            is_crossing,
        ],
        -1,
    )
    return _area(xp, xs, ys, counts)


def _corners(xp, centre, box):
    """Returns the four corners one after the other, xs and ys with a last axis of 4."""
    corners = xp.blockwise(_corner_points, *centre, *box[2:])
    return xp.stack(corners[:4], -1), xp.stack(corners[4:], -1)


def _corner_points(xp, x, y, width, height, angle):
    cos, sin = xp.cos(angle), xp.sin(angle)
    xs, ys = [], []
    for across, along in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)):
        half_width, half_height = across * width, along * height
        xs.append(x + half_width * cos - half_height * sin)
        ys.append(y + half_width * sin + half_height * cos)
    return (*xs, *ys)


def _inside(xp, points, centre, box, margin):
    """Returns which points lie in a rectangle."""
    columns = [xp.expand_dims(array, -1) for array in (*centre, *box[2:], margin)]
    return xp.blockwise(_is_inside, *points, *columns)


def _is_inside(xp, px, py, x, y, width, height, angle, margin):
    across, along, cos, sin = px - x, py - y, xp.cos(angle), xp.sin(angle)
    return (xp.abs(across * cos + along * sin) <= width / 2 + margin) & (
        xp.abs(along * cos - across * sin) <= height / 2 + margin
    )


def _crossings(xp, a, b, margin):
    """Returns the crossing of each edge of one rectangle with each edge of the other, and whether
    it exists, on a last axis of 16."""
    starts = (
        [xp.expand_dims(coordinate, -1) for coordinate in a],
        [xp.expand_dims(coordinate, -2) for coordinate in b],
    )
    ends = [
        [xp.roll(coordinate, -1, axis) for coordinate in side]
        for side, axis in zip(starts, (-2, -1))
    ]
    xs, ys, is_crossing = xp.blockwise(
        _edge_crossing, *starts[0], *ends[0], *starts[1], *ends[1], margin=margin
    )
    lead = (*is_crossing.shape[:-2], 16)
    return [xp.reshape(xs, lead), xp.reshape(ys, lead)], xp.reshape(is_crossing, lead)


def _edge_crossing(xp, ax, ay, ax1, ay1, bx, by, bx1, by1, *, margin):
    au, av, bu, bv = ax1 - ax, ay1 - ay, bx1 - bx, by1 - by
    cross = au * bv - av * bu
    lengths = (au * au + av * av) * (bu * bu + bv * bv)
    intersects = cross * cross > _ROUND * _ROUND * lengths
    cross = xp.where(intersects, cross, 1.0)
    t = ((bx - ax) * bv - (by - ay) * bu) / cross
    u = ((bx - ax) * av - (by - ay) * au) / cross
    intersects = (
        intersects & (t >= -margin) & (t <= 1 + margin) & (u >= -margin) & (u <= 1 + margin)
    )
    return ax + t * au, ay + t * av, intersects


def _area(xp, xs, ys, counts):
    """Computes the area of the convex polygon of the points marked in `counts`, given in any
    order."""
    is_vertex = xp.cast(counts, "float64")
    number = xp.maximum(xp.sum(is_vertex, -1, keepdims=True), 1.0)
    xs, ys = (xp.where(counts, coordinate, 0.0) for coordinate in (xs, ys))
    xs, ys = (
        coordinate - xp.sum(coordinate, -1, keepdims=True) / number for coordinate in (xs, ys)
    )
    angles = xp.where(counts, xp.arctan2(xp.stop(ys), xp.stop(xs)), 10.0)
    order = xp.argsort(angles, -1)
    xs, ys, is_vertex = (
        xp.take_along_axis(coordinate, order, -1) for coordinate in (xs, ys, is_vertex)
    )
    # entries after the last vertex repeat the first one, so that the polygon is closed
    xs, ys = (xp.where(is_vertex > 0, coordinate, coordinate[..., :1]) for coordinate in (xs, ys))
    products = xs * xp.roll(ys, -1, -1) - ys * xp.roll(xs, -1, -1)
    return xp.abs(xp.sum(products, -1)) / 2
