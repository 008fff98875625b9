"""Samples of images at points inside them, and their gradients, are one kernel each on a GPU, with
the same numbers as on the host."""

import numpy as np
import pytest
from fakecupy import rawkernels

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._backend import arrays
from mindspore_compat._backend.cuda import inside_points as module
from tests.gpu import counters

pytestmark = [
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
RNG = np.random.default_rng(0)
ROUNDING = {np.float64: 1e-12, np.float32: 2e-5}


def given(dtype):
    """Returns images, their indices, points at pixels, at edges and in between, and output
    gradients."""
    x = RNG.standard_normal((3, 4, 5, 6))
    ys, xs = RNG.uniform(0, 4, (4, 7)), RNG.uniform(0, 5, (4, 7))
    ys[0, :3], xs[1, :3] = (0, 4, 2), (5, 0, 3)
    g = RNG.standard_normal((4, 7, 4))
    return np.array([2, 0, 2, -2], np.int32), [a.astype(dtype) for a in (x, ys, xs, g)]


def results(space, dtype, last):
    images, (x, ys, xs, g) = given(dtype)
    images, x, ys, xs, g = map(space.asarray, (images, x, ys, xs, g))
    if last:  # in memory
        x = space.module.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    else:
        g = space.module.ascontiguousarray(g.transpose(0, 2, 1)).transpose(0, 2, 1)
    yield space.inside_points(x, images, ys, xs)
    yield space.spread_inside(g, images, ys, xs, x.shape)
    for by_ceil in (False, True):
        yield from space.slope_inside(g, x, images, ys, xs, by_ceil)


@pytest.mark.parametrize("limits", ["usual", "few threads", "long long"])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("dtype", ROUNDING)
def test_numbers_are_those_of_the_host(space, dtype, last, limits, monkeypatch):
    if limits != "usual":
        monkeypatch.setattr(module, "THREADS", 2)
        monkeypatch.setattr(module, "MOST_BLOCKS", 2 if limits == "few threads" else 2**31)
    state = RNG.bit_generator.state
    found = [arrays.to_host(array) for array in results(space, dtype, last)]
    RNG.bit_generator.state = state
    for one, right in zip(found, results(arrays.HOST, dtype, last), strict=True):
        assert one.dtype == dtype
        np.testing.assert_allclose(one, right, rtol=ROUNDING[dtype], atol=ROUNDING[dtype])


def test_each_is_one_launch_without_a_copy_or_a_wait(space):
    images, (x, ys, xs, g) = given(np.float32)
    images, x, ys, xs, g = map(space.asarray, (images.astype(np.int64), x, ys, xs, g))
    launches = []
    for call in (
        lambda: space.inside_points(x, images, ys, xs),
        lambda: space.spread_inside(g, images, ys, xs, x.shape),
        lambda: space.slope_inside(g, x, images, ys, xs),
    ):
        call()
        with counters.counted() as counts:
            call()
        launches.append(counts.launches)
        assert counts.transfers == counts.synchronisations == 0
    assert launches in ([1, 1, 1], [1, 2, 1])  # the zeros to add to may count


def test_points_outside_and_nan_read_nothing_else(space):
    x = space.asarray(np.arange(12, dtype=np.float32).reshape(1, 1, 3, 4))
    at = space.asarray(np.array([[np.nan, -1e30, 1e30, np.inf, 1]], np.float32))
    out = arrays.to_host(space.inside_points(x, space.zeros(1, np.int64), at, at))
    assert out[0, 4, 0] == 5


def test_nothing_comes_of_nothing(space):
    images, none = space.zeros(0, np.int64), space.zeros((0, 3))
    x = space.ones((1, 2, 3, 3))
    assert space.inside_points(x, images, none, none).shape == (0, 3, 2)
    assert not space.spread_inside(space.zeros((0, 3, 2)), images, none, none, x.shape).any()
    assert [s.shape for s in space.slope_inside(space.zeros((0, 3, 2)), x, images, none, none)] == [
        (0, 3),
        (0, 3),
    ]


def test_gradients_of_second_order_are_those_of_the_host(space):
    images, (x, ys, xs, _) = given(np.float64)
    boxes = Tensor(np.array([[0.1, 0.2, 0.83, 0.77], [-0.2, 0.25, 0.5, 1.2]], np.float32))
    index = Tensor(np.array([0, 2], np.int32))
    pictures = x.transpose(0, 2, 3, 1).astype(np.float32)

    def slope(pictures, boxes):
        crops = lambda *given: (ops.crop_and_resize(*given, index, (3, 2)) ** 2).sum()  # noqa: E731
        first = ms.grad(crops, (0, 1))(pictures, boxes)
        return (first[0] ** 2).sum() + first[1].sum()

    found = [t.asnumpy() for t in ms.grad(slope, (0, 1))(Tensor(pictures), boxes)]
    ms.set_device("CPU")
    boxes, index = Tensor(boxes.asnumpy()), Tensor(index.asnumpy())
    wanted = ms.grad(slope, (0, 1))(Tensor(pictures), boxes)
    for one, right in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, right.asnumpy(), rtol=1e-3, atol=1e-3)
