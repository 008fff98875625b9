"""Overlaps of rotated rectangles against polygons clipped edge by edge, in float64."""

import math

import numpy
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

RNG = numpy.random.default_rng(0)


def corners(box, trans=False):
    """The corners of one rectangle, counterclockwise."""
    x, y, wide, high, angle = map(float, box)
    if trans:
        x, y, wide, high = (x + wide) / 2, (y + high) / 2, abs(wide - x), abs(high - y)
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    found = []
    for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        a, b = a * wide / 2, b * high / 2
        found.append((x + a * cos - b * sin, y + a * sin + b * cos))
    return found


def area(polygon):
    pairs = zip(polygon, polygon[1:] + polygon[:1])
    return sum(a[0] * b[1] - a[1] * b[0] for a, b in pairs) / 2


def clipped(polygon, start, end):
    """The part of a polygon to the left of an edge."""
    found = []

    def side(p):
        return (end[0] - start[0]) * (p[1] - start[1]) - (end[1] - start[1]) * (p[0] - start[0])

    for a, b in zip(polygon, polygon[1:] + polygon[:1]):
        if side(a) >= 0:
            found.append(a)
        if side(a) * side(b) < 0:
            part = side(a) / (side(a) - side(b))
            found.append((a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])))
    return found


def overlap(a, b, mode=0, trans=False):
    a, b = corners(a, trans), corners(b, trans)
    shared = a
    for start, end in zip(b, b[1:] + b[:1]):
        shared = clipped(shared, start, end)
    shared = area(shared) if shared else 0.0
    return shared / (area(a) if mode == 1 else area(a) + area(b) - shared)


def rectangles(*lead, trans=False):
    found = numpy.concatenate(
        [
            RNG.uniform(0, 3, (*lead, 2)),
            RNG.uniform(0.5, 3, (*lead, 2)),
            RNG.uniform(-200, 200, (*lead, 1)),
        ],
        -1,
    )
    if trans:
        found[..., 2:4] += found[..., :2]
    return found.astype("float32")


@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("trans", [False, True])
def test_overlaps_are_those_of_clipped_polygons(mode, trans):
    a, b = rectangles(2, 7, trans=trans), rectangles(2, 9, trans=trans)
    found = ops.rotated_iou(Tensor(a), Tensor(b), trans, mode).asnumpy()
    wanted = [
        [[overlap(p, q, mode, trans) for q in second] for p in first] for first, second in zip(a, b)
    ]
    assert numpy.count_nonzero(wanted) > 60
    close(found, wanted)


def test_many_pairs_are_worked_on_in_parts():
    a, b = Tensor(rectangles(2, 60)), Tensor(rectangles(2, 250))
    found = ops.rotated_iou(a, b).asnumpy()
    for rows in (slice(0, 7), slice(7, 60)):
        one = ops.rotated_iou(a[:, rows], b).asnumpy()
        numpy.testing.assert_array_equal(found[:, rows], one)


def test_one_to_one():
    a, b = rectangles(2, 3), rectangles(2, 5)
    found = ops.rotated_iou(Tensor(a), Tensor(b), is_cross=False).asnumpy()
    wanted = numpy.zeros((2, 3, 5))
    for batch in range(2):
        for i in range(3):
            wanted[batch, i, i] = overlap(a[batch, i], b[batch, i])
    close(found, wanted)


@pytest.mark.parametrize("angle", [0, 30, 90, -47.3])
def test_rectangles_that_touch_or_are_the_same(angle):
    box = numpy.array([[[5, -3, 4, 2, angle]]], "float32")
    assert abs(ops.rotated_iou(Tensor(box), Tensor(box)).item() - 1) < 1e-6
    step = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    half = numpy.array([[[5 + step[0], -3 + step[1], 2, 2, angle + 180]]], "float32")
    assert abs(ops.rotated_iou(Tensor(box), Tensor(half)).item() - 0.5) < 1e-6
    within = numpy.array([[[5, -3, 1, 1, angle + 20]]], "float32")
    assert abs(ops.rotated_iou(Tensor(box), Tensor(within)).item() - 1 / 8) < 1e-6
    far = numpy.array([[[9.5, 9.5, 4, 2, angle]]], "float32")
    assert ops.rotated_iou(Tensor(box), Tensor(far)).item() == 0
    empty = numpy.zeros((1, 1, 5), "float32")
    assert ops.rotated_iou(Tensor(empty), Tensor(empty)).item() == 0


def test_corners_near_the_other_rectangle_count():
    a = Tensor(numpy.array([[[0, 0, 2, 2, 0]]], "float32"))
    b = Tensor(numpy.array([[[2.1, 0, 2, 2, 0]]], "float32"))
    assert ops.rotated_iou(a, b).item() == 0
    # corners up to 0.15 outside count: the overlap becomes a strip of 0.1 by 2
    found = ops.rotated_iou(a, b, v_threshold=0.15).item()
    assert abs(found - 0.2 / 7.8) < 1e-6


def test_edges_that_cross_beyond_their_ends_count():
    a = Tensor(numpy.array([[[0, 0, 2, 2, 0]]], "float32"))
    b = Tensor(numpy.array([[[2.1, 0, 2, 1, 0]]], "float32"))
    assert ops.rotated_iou(a, b, e_threshold=0.04).item() == 0
    # extended by 0.05 of their length, the long edges of b cross the right edge of a; both points
    # lie on one line, so the area is 0 until corners count, too
    assert ops.rotated_iou(a, b, e_threshold=0.06).item() < 1e-6
    assert abs(ops.rotated_iou(a, b, v_threshold=0.15, e_threshold=0.06).item() - 0.1 / 5.9) < 1e-6


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32])
def test_dtypes(dtype):
    a = Tensor([[[0.0, 0.0, 2.0, 2.0, 0.0]]], dtype)
    found = ops.rotated_iou(a, Tensor([[[1.0, 0.0, 2.0, 2.0, 90.0]]], ms.float32))
    assert found.dtype == dtype and abs(found.astype(ms.float32).item() - 1 / 3) < 2e-3


def test_refusals():
    good = Tensor(numpy.ones((1, 2, 5), "float32"))
    for bad in (
        good.astype(ms.float64),
        good.astype(ms.int32),
        good[:, :, :4],
        good[0],
        Tensor(numpy.ones((2, 2, 5), "float32")),
    ):
        with pytest.raises(ValueError, match="For 'rotated_iou'"):
            ops.rotated_iou(good, bad)
    with pytest.raises(TypeError):
        ops.rotated_iou(good, 3)
    with pytest.raises(TypeError):
        ops.rotated_iou(good, good, 1)
