"""Suppression is one kernel on a GPU; operators on boxes synchronize only to return their
results."""

import numpy as np
import pytest
from fakecupy import rawkernels

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._backend import arrays
from tests.gpu import counters

pytestmark = [
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
RNG = np.random.default_rng(0)


def boxes(count, dtype=np.float32):
    low = RNG.uniform(0, 30, (count, 2))
    return np.concatenate([low, low + RNG.uniform(0, 12, (count, 2))], 1).astype(dtype)


@pytest.mark.parametrize("count", [0, 1, 2, 33, 1100])
@pytest.mark.parametrize("share", [0.001, 0.1])
def test_survivors_are_those_of_the_host(space, count, share):
    close = RNG.uniform(size=(count, count)) < share
    wanted = arrays.HOST.survivors(close)
    found = space.survivors(space.asarray(close))
    np.testing.assert_array_equal(arrays.to_host(found), wanted)
    assert found.dtype == bool
    if share == 0.1 and count:
        turned = space.asarray(np.ascontiguousarray(close.T)).T
        np.testing.assert_array_equal(arrays.to_host(space.survivors(turned)), wanted)


@pytest.mark.parametrize("shape", [(0, 3, 3), (5, 0, 0), (2, 3, 40, 40)])
def test_each_group_has_its_survivors(space, shape):
    close = RNG.uniform(size=shape) < 0.1
    found = space.survivors(space.asarray(close))
    np.testing.assert_array_equal(arrays.to_host(found), arrays.HOST.survivors(close))
    if close.size:
        one = arrays.HOST.survivors(close[1, 2])
        np.testing.assert_array_equal(arrays.HOST.survivors(close)[1, 2], one)


def calls(dtype):
    """A list of operators on boxes: their arguments, the largest number of launches of a call, and
    its number of waits."""
    given, scores = boxes(40, dtype), RNG.permutation(40).astype(dtype) / 40
    deltas = RNG.normal(size=(40, 4)).astype(dtype) / 4
    numbers = (0.5, 0.0, -0.25, 0.0), (1.0, 2.0, 0.5, 1.0)
    suppress = ops.NonMaxSuppressionV3()
    yield ops.NMSWithMask(0.3), (np.column_stack([given, scores]),), 8, 0
    yield (lambda b, s: suppress(b, s, 9, 0.3, 0.2)), (given, scores), 20, 1
    yield ops.iou, (given, given[:7]), 1, 0
    yield (lambda a, b: ops.iou(a, b, "iof")), (given, given[:7]), 1, 0
    yield (lambda a, b: ops.bounding_box_encode(a, b, *numbers)), (given, given[::-1].copy()), 5, 0
    yield (lambda a, d: ops.bounding_box_decode(a, d, (25, 30), *numbers)), (given, deltas), 5, 0
    overlaps, limits = RNG.uniform(size=(40, 40)).astype(dtype), np.array([0.7, 0.2], dtype)
    select = ops.NonMaxSuppressionWithOverlaps()
    yield (lambda o, s, *x: select(o, s, 9, *x)), (overlaps, scores, *limits), 20, 1


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("number", range(7))
def test_operators_of_boxes_launch_few_kernels(space, number, dtype):
    function, given, launches, waits = list(calls(dtype))[number]
    tensors = [Tensor(x) for x in given]
    function(*tensors)
    with counters.counted() as counts:
        results = function(*tensors)
    assert counts.launches <= launches and counts.synchronisations <= waits
    assert counts.names["transfers"]["host_to_device"] == 0
    found = [x.asnumpy() for x in (results if isinstance(results, tuple) else (results,))]
    arrays.set_target("CPU")
    wanted = function(*map(Tensor, given))
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    tolerance = 1e-6 if dtype == np.float32 else 4e-3
    for one, right in zip(found, wanted, strict=True):
        assert one.dtype == right.asnumpy().dtype
        np.testing.assert_allclose(one, right.asnumpy(), rtol=tolerance, atol=tolerance * 8)


def gradients():
    """A list of functions of two sets of boxes: their arguments, and the largest number of launches
    of their gradients."""
    anchors, deltas = boxes(40), RNG.normal(size=(40, 4)).astype(np.float32) / 4
    numbers = (0.5, 0.0, -0.25, 0.0), (1.0, 2.0, 0.5, 1.0)
    yield ops.iou, anchors, boxes(7), 25
    yield (lambda a, b: ops.iou(a, b, "iof")), anchors, boxes(7), 25
    yield (lambda a, b: ops.bounding_box_encode(a, b, *numbers)), anchors, boxes(40), 17
    yield (lambda a, d: ops.bounding_box_decode(a, d, (25, 30), *numbers)), anchors, deltas, 17


@pytest.mark.parametrize("number", range(4))
def test_gradients_of_boxes_are_one_kernel_and_sums(space, number):
    function, *given, launches = list(gradients())[number]
    gradient = ms.grad(lambda *x: (function(*x) * 1.5).sum(), (0, 1))
    of_second_order = ms.grad(lambda *x: sum(part.square().sum() for part in gradient(*x)), (0, 1))
    tensors = [Tensor(x) for x in given]
    gradient(*tensors)
    with counters.counted() as counts:
        found = gradient(*tensors)
    assert counts.launches <= launches and counts.synchronisations == counts.transfers == 0
    found = [x.asnumpy() for x in (*found, *of_second_order(*tensors))]
    arrays.set_target("CPU")
    given = [Tensor(x) for x in given]
    wanted = [x.asnumpy() for x in (*gradient(*given), *of_second_order(*given))]
    for one, right in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, right, rtol=1e-4, atol=1e-5 * abs(right).max())


def test_suppression_of_classes_reads_only_its_limits(space, monkeypatch):
    given = np.stack([boxes(30), boxes(30)])[:, :, None] / 40
    scores = RNG.uniform(size=(2, 30, 3)).astype(np.float32)
    scores[0, 3], given[1, 4] = np.nan, np.inf

    def suppress():
        limits = Tensor(4, ms.int32), Tensor(9, ms.int32), Tensor(0.3), Tensor(0.2)
        return ops.CombinedNonMaxSuppression()(Tensor(given), Tensor(scores), *limits)

    suppress()
    with counters.counted() as counts:
        found = [x.asnumpy() for x in suppress()]
    assert counts.synchronisations <= 1 + len(found)
    assert counts.launches <= 60  # four join the limits; however many images and classes there are
    monkeypatch.setattr(type(space), "at_once", lambda self: 2 * 30 * 30, raising=False)
    monkeypatch.delattr(space, "at_once", raising=False)
    in_parts = [x.asnumpy() for x in suppress()]
    arrays.set_target("CPU")
    for one, part, right in zip(found, in_parts, suppress(), strict=True):
        np.testing.assert_array_equal(one, right.asnumpy())
        np.testing.assert_array_equal(part, right.asnumpy())


def test_suppression_of_no_boxes_and_of_no_images(space):
    limits = Tensor(4, ms.int32), Tensor(5, ms.int32), Tensor(0.3), Tensor(0.2)
    for images, count in ((2, 0), (0, 3)):
        given = np.zeros((images, count, 1, 4), np.float32), np.zeros((images, count, 3))
        given = [Tensor(x.astype(np.float32)) for x in given]
        boxes, *_, counts = ops.CombinedNonMaxSuppression()(*given, *limits)
        assert boxes.shape == (images, 5, 4) and counts.asnumpy().tolist() == [0] * images
