"""One-hot vectors: small results come from comparing each index with each position, large ones from
writing at the indices."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._backend.thresholds import Least

INDICES = np.random.default_rng(0).integers(-3, 12, (3, 4)).astype(np.int32)  # depth is 7


def expected(indices, depth, on, off, axis):
    hot = np.equal.outer(indices, np.arange(depth))
    return np.moveaxis(np.where(hot, on, off), -1, axis)


@pytest.fixture(params=["small", "large"])
def way(request, monkeypatch):
    monkeypatch.setattr(Least, "ONE_HOT", 1 if request.param == "large" else 1 << 30)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.float16])
@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_indices_out_of_range_give_only_off_values(way, dtype, axis, index):
    values = Tensor(np.array(5, dtype)), Tensor(np.array(-2, dtype))
    out = ops.one_hot(Tensor(INDICES.astype(index)), 7, *values, axis).asnumpy()
    assert out.dtype == dtype
    np.testing.assert_array_equal(out, expected(INDICES, 7, 5, -2, axis))


@pytest.mark.parametrize("depth", [1, 5, 12])
def test_classes(way, depth):
    out = ms.mint.nn.functional.one_hot(Tensor(INDICES.astype(np.int64)), depth).asnumpy()
    assert out.dtype == np.int64
    np.testing.assert_array_equal(out, expected(INDICES, depth, 1, 0, -1))


@pytest.mark.parametrize("shape", [(0,), (2, 0), ()])
def test_shapes_without_elements_or_axes(way, shape):
    out = ops.one_hot(Tensor(np.zeros(shape, np.int32)), 3).asnumpy()
    np.testing.assert_array_equal(out, expected(np.zeros(shape, int), 3, 1, 0, -1))


def test_a_depth_of_zero(way):
    assert ops.one_hot(Tensor([1, 2]), 0).shape == (2, 0)


def test_rows_of_a_map(way):
    rows = ms.vmap(lambda row: ops.one_hot(row, 7, Tensor(5), Tensor(-2), 0))
    out = rows(Tensor(INDICES)).asnumpy()
    wanted = [expected(row, 7, 5, -2, 0) for row in INDICES]
    np.testing.assert_array_equal(out, wanted)
