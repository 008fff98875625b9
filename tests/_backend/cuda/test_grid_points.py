"""Samples of images at the points of a grid, and their gradients, are one kernel each on a GPU,
with the same numbers as on the host."""

import itertools

import numpy as np
import pytest
from fakecupy import rawkernels

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._backend import arrays
from mindspore_compat._backend.cuda import grid_points as module
from tests.gpu import counters

pytestmark = [
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
RNG = np.random.default_rng(0)
ROUNDING = {np.float64: 1e-12, np.float32: 1e-5}
SIZES = {2: ((2, 3, 5, 4), (2, 6, 7, 2)), 3: ((2, 2, 3, 1, 4), (2, 2, 3, 4, 3))}
SETTINGS = [
    *itertools.product(("bilinear", "nearest"), ("zeros", "border", "reflection"), (False, True)),
    ("bilinear", "zeros", None),
]


def given(axes, dtype):
    """Returns images, a grid of points, and output gradients. Some points are far outside, some at
    pixels, some at edges."""
    shape, grid_shape = SIZES[axes]
    grid = RNG.uniform(-1.6, 1.6, grid_shape)
    grid.reshape(-1)[:8] = -1, 1, 0, 7, -9, 0.5, 1 / 3, np.nan
    g = RNG.standard_normal((*shape[:2], *grid_shape[1:-1]))
    return [a.astype(dtype) for a in (RNG.standard_normal(shape), grid, g)]


def results(space, x, grid, g, settings):
    x, grid, g = map(space.asarray, (x, grid, g))
    yield space.sample_points(x, grid, *settings)
    yield space.spread_points(g, grid, x.shape, *settings)
    yield space.slope_points(g, x, grid, *settings)


@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize("axes", SIZES)
@pytest.mark.parametrize("settings", SETTINGS)
def test_numbers_are_those_of_the_host(space, axes, settings, dtype):
    arguments = given(axes, dtype)
    wanted = results(arrays.HOST, *arguments, settings)
    for found, right in zip(results(space, *arguments, settings), wanted, strict=True):
        assert found.dtype == dtype and type(found) is type(space.zeros(1))
        found = arrays.to_host(found)
        np.testing.assert_allclose(found, right, rtol=ROUNDING[dtype], atol=ROUNDING[dtype])


def test_each_is_one_launch_without_a_copy_or_a_wait(space):
    x, grid, g = map(space.asarray, given(2, np.float32))
    settings = ("bilinear", "zeros", False)
    launches = []
    for call in (
        lambda: space.sample_points(x, grid, *settings),
        lambda: space.spread_points(g, grid, x.shape, *settings),
        lambda: space.slope_points(g, x, grid, *settings),
    ):
        call()
        with counters.counted() as counts:
            call()
        launches.append(counts.launches)
        assert counts.transfers == counts.synchronisations == 0
    assert launches in ([1, 1, 1], [1, 2, 1])  # the stand-in counts the zeros to add to


@pytest.mark.parametrize("size", ["int", "long long"])
def test_threads_go_on_with_further_points(space, monkeypatch, size):
    monkeypatch.setattr(module, "MOST_BLOCKS", 2 if size == "int" else 2**31)
    monkeypatch.setattr(module, "THREADS", 2)
    monkeypatch.setattr(module, "ENOUGH", 1)
    arguments, settings = given(2, np.float64), ("bilinear", "border", True)
    wanted = results(arrays.HOST, *arguments, settings)
    for found, right in zip(results(space, *arguments, settings), wanted, strict=True):
        np.testing.assert_allclose(arrays.to_host(found), right, rtol=1e-12, atol=1e-12)


def test_second_derivatives_are_those_of_the_host(space):
    x, grid, _ = given(2, np.float64)
    x, grid = Tensor(x), Tensor(np.nan_to_num(grid))

    def slope(x, grid):
        first = ms.grad(lambda x, grid: (ops.grid_sample(x, grid) ** 2).sum(), (0, 1))(x, grid)
        return first[0].sum() + (first[1] ** 2).sum()

    found = [arrays.to_host(t._array) for t in ms.grad(slope, (0, 1))(x, grid)]
    arrays.set_target("CPU")
    wanted = ms.grad(slope, (0, 1))(Tensor(x.asnumpy()), Tensor(grid.asnumpy()))
    for one, right in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, right.asnumpy(), rtol=1e-9, atol=1e-9)


def test_empty_grids_and_images_without_channels(space):
    x, grid = space.zeros((1, 2, 3, 3)), space.zeros((1, 0, 4, 2))
    settings = ("bilinear", "zeros", False)
    assert space.sample_points(x, grid, *settings).shape == (1, 2, 0, 4)
    assert not space.spread_points(space.zeros((1, 2, 0, 4)), grid, x.shape, *settings).any()


def sampling_operators():
    """A list of operators that sample images: the shapes of their inputs, and the largest number of
    launches of a call and of a call with its gradient."""
    convolve = ops.deformable_conv2d
    sizes = (3, 3), (1, 1, 1, 1), (0, 0, 0, 0)
    yield (
        lambda x, w, o: convolve(x, w, o, *sizes),
        [(2, 4, 8, 8), (5, 4, 3, 3), (2, 27, 6, 6)],
        35,
        400,
    )
    align = ops.ROIAlign(2, 2, 0.5, 2)
    yield align, [(2, 3, 8, 8), (1, 5)], 40, 400
    crop = ops.crop_and_resize
    index = Tensor(np.array([1], np.int32))
    yield lambda x, b: crop(x, b, index, (3, 2)), [(2, 5, 5, 3), (1, 4)], 14, 40
    yield ops.pdist, [(5, 3)], 10, 400


@pytest.mark.parametrize("number", range(4))
def test_operators_that_sample_copy_nothing_from_the_host(space, number):
    function, shapes, most, most_with_gradient = list(sampling_operators())[number]
    given = [np.abs(RNG.standard_normal(shape)).astype(np.float32) for shape in shapes]
    if number in (1, 2):
        given[1] %= 1
    gradient = ms.value_and_grad(lambda *x: (function(*x) ** 2).sum())
    tensors = [Tensor(x) for x in given]
    function(*tensors)
    with counters.counted() as counts:
        function(*tensors)
    assert counts.launches <= most
    gradient(*tensors)
    with counters.counted() as counts:
        found = gradient(*tensors)
    assert counts.names["transfers"]["host_to_device"] == 0
    assert counts.launches <= most_with_gradient
    found = [x.asnumpy() for x in found]
    arrays.set_target("CPU")
    for one, right in zip(found, gradient(*map(Tensor, given)), strict=True):
        np.testing.assert_allclose(one, right.asnumpy(), rtol=2e-5, atol=2e-5)


def test_images_without_pixels_or_channels_have_slopes_of_0(space):
    for shape in ((1, 0, 3, 3), (1, 2, 0, 3)):
        g, x, grid = space.ones((*shape[:2], 2, 2)), space.ones(shape), space.ones((1, 2, 2, 2))
        assert not space.slope_points(g, x, grid, "bilinear", "zeros", False).any()
