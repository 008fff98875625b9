"""`take_along_axis` and `scatter_along_axis` on a GPU are one kernel with NumPy's results."""

import numpy as np
import pytest
from fakecupy import rawkernels

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._backend import arrays
from mindspore_compat._backend.cuda import along_axis as module
from tests.gpu import counters

pytestmark = [
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", ["bool", "float16", "int32", "float64", "complex128"])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("index", [np.int32, np.int64, np.uint8])
def test_elements_are_numpys(space, dtype, axis, index):
    x = RNG.integers(-9, 9, (3, 5, 4)).astype(dtype)
    low = 0 if index == np.uint8 else -x.shape[axis]
    shape = np.insert(np.delete(x.shape, axis), axis % 3, 7)
    at = RNG.integers(low, x.shape[axis], shape).astype(index)
    arguments = space.asarray(x), space.asarray(at)
    space.take_along_axis(*arguments, axis)
    with counters.counted() as counts:
        found = space.take_along_axis(*arguments, axis)
    assert counts.launches == 1 + (index == np.uint8)
    np.testing.assert_array_equal(arrays.to_host(found), np.take_along_axis(x, at, axis))


@pytest.mark.parametrize("size", ["int", "long long"])
def test_threads_go_on_with_further_elements(space, monkeypatch, size):
    monkeypatch.setattr(module, "MOST_BLOCKS", 1 if size == "int" else 2**31)
    x, at = RNG.normal(size=(40, 30)), RNG.integers(0, 30, (40, 20))
    if size != "int":
        monkeypatch.setattr(module, "THREADS", 1)
    found = space.take_along_axis(space.asarray(x), space.asarray(at), 1)
    np.testing.assert_array_equal(arrays.to_host(found), np.take_along_axis(x, at, 1))


def test_axes_that_broadcast_and_views_are_left_to_cupy(space):
    x = RNG.normal(size=(1, 6)).astype(np.float32)
    at = RNG.integers(0, 6, (4, 2))
    wide, turned = space.asarray(x), space.asarray(np.ones((6, 4), np.float32)).T
    assert module.take_along(space.module, wide, space.asarray(at), 1) is None
    assert module.take_along(space.module, turned, space.asarray(at), 1) is None
    found = space.take_along_axis(wide, space.asarray(at), 1)
    np.testing.assert_array_equal(arrays.to_host(found), np.take_along_axis(x, at, 1))


@pytest.mark.parametrize("dtype", ["bool", "float16", "int64", "float32", "complex128"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_written_elements_are_numpys(space, dtype, axis):
    x = RNG.integers(-9, 9, (3, 5, 4)).astype(dtype)
    at = RNG.permuted(np.indices(x.shape)[axis], axis=axis) - x.shape[axis]
    at = at.take([2, 0], axis)
    values = RNG.integers(-9, 9, at.shape).astype(dtype)
    arguments = [space.asarray(array) for array in (x, at, values)]
    space.scatter_along_axis(*arguments, axis)
    with counters.counted() as counts:
        arguments = [space.asarray(array) for array in (x, at, values)]
        before = counts.launches
        found = space.scatter_along_axis(*arguments, axis)
    assert counts.launches - before <= 2  # the copy, and the kernel
    np.put_along_axis(x, at, values, axis)
    np.testing.assert_array_equal(arrays.to_host(found), x)


@pytest.mark.parametrize("dtype", ["float16", "int64", "float32", "float64"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_added_elements_are_those_of_the_host(space, dtype, axis):
    x = RNG.integers(-9, 9, (3, 5, 4)).astype(dtype)
    shape = np.insert(np.delete(x.shape, axis), axis % 3, 7)
    at = RNG.integers(-x.shape[axis], x.shape[axis], shape)
    values = RNG.integers(-9, 9, shape).astype(dtype)
    wanted = arrays.HOST.scatter_along_axis(x, at, values, axis, True)
    found = space.scatter_along_axis(*map(space.asarray, (x, at, values)), axis, True)
    np.testing.assert_array_equal(arrays.to_host(found), wanted)


def test_one_number_and_shorter_axes_are_left_to_cupy(space):
    x, at = np.zeros((3, 4), np.float32), np.array([[1, 2], [0, 3]])
    for values in (np.float32(2), np.ones((2, 2), np.float32), 5):
        wanted = arrays.HOST.scatter_along_axis(x, at, values, 1)
        given = values if type(values) is int else space.asarray(values)
        found = space.scatter_along_axis(space.asarray(x), space.asarray(at), given, 1)
        np.testing.assert_array_equal(arrays.to_host(found), wanted)


def test_gradients_of_chosen_elements_copy_nothing_from_the_host(space):
    x = Tensor(space.asarray(RNG.normal(size=(4, 6)).astype(np.float32)))
    gradient = ms.grad(lambda x: ops.topk(x, 2)[0].sum())
    gradient(x)
    with counters.counted() as counts:
        gradient(x)
    assert counts.transfers == counts.synchronisations == 0
