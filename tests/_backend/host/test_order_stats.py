"""Order statistics against a stable sort and a loop, with equal elements and NaNs."""

import numpy as np
import pytest

from mindspore_compat._backend import arrays
from mindspore_compat._backend.thresholds import Most

pytestmark = pytest.mark.host

RANDOM = np.random.default_rng(3)
CASES = [
    (shape, axis, dtype)
    for shape, axis in (((40,), 0), ((3, 33), 1), ((37, 4, 2), -3))
    for dtype in ("float32", "float64", "int32", "uint8", "bool")
]


def _elements(shape, dtype, holes):
    """Few distinct values, so that many are equal."""
    x = RANDOM.integers(-3, 9, shape).astype(dtype)
    if holes and x.dtype.kind == "f":
        x[RANDOM.random(shape) < 0.05] = np.nan
    return x


def _order(x, axis, largest):
    order = np.argsort(np.flip(x, axis) if largest else x, axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(order, axis) if largest else order


@pytest.mark.parametrize("way", ["sort", "partition"])
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("shape, axis, dtype", CASES)
def test_as_a_stable_sort(shape, axis, dtype, holes, way, monkeypatch):
    monkeypatch.setattr(Most, "TOP_K_SORT", 64 if way == "sort" else 0)
    x = _elements(shape, dtype, holes)
    xp = arrays.space_of(x)
    for largest in (True, False):
        order = _order(x, axis, largest)
        for k in (1, 3, 8, 20):
            values, indices = xp.top_k(x, k, axis, largest)
            wanted = np.take(order, range(k), axis)
            np.testing.assert_array_equal(indices, wanted)
            np.testing.assert_array_equal(values, np.take_along_axis(x, wanted, axis))
    for rank in (0, 5, x.shape[axis] - 1):
        index = xp.index_of_rank(x, axis, rank=rank)
        np.testing.assert_array_equal(index, np.take(order, [rank], axis))


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("shape, axis, dtype", CASES)
def test_the_extreme_so_far(shape, axis, dtype, largest):
    x = _elements(shape, dtype, True)
    rows = np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1)
    wanted = np.zeros(rows.shape, int)
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            best = rows[wanted[i - 1, j], j] if i else value
            outdone = value >= best if largest else value <= best
            wanted[i, j] = i if outdone or value != value else wanted[i - 1, j]
    results = arrays.space_of(x).extremes_so_far(x, axis, largest=largest)
    values, indices = [np.moveaxis(each, axis, 0).reshape(rows.shape) for each in results]
    np.testing.assert_array_equal(indices, wanted)
    np.testing.assert_array_equal(values, np.take_along_axis(rows, wanted, 0))


@pytest.mark.parametrize("factor", [1, 1000])
@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64", "float32"])
def test_distinct_values_in_order_of_appearance(dtype, factor):
    x = (RANDOM.integers(-3, 5, 40) * factor).astype(dtype)
    values, indices = arrays.space_of(x).distinct(x)
    assert values.tolist() == list(dict.fromkeys(x.tolist())) and values.dtype == dtype
    np.testing.assert_array_equal(values[indices], x)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "complex64"])
def test_nan_of_every_dtype_stands_last(dtype):
    dtype = arrays.BFLOAT16 if dtype == "bfloat16" else dtype
    x = np.array([[2, np.nan, 3, 0, np.nan, 7, 1, 5, 4, 6, -1, 8]]).astype(dtype)
    xp = arrays.space_of(x)
    values, indices = xp.top_k(x, 3)
    assert indices.tolist() == [[1, 4, 11]] and values.dtype == dtype and values[0, 2] == 8
    assert xp.top_k(x, 12)[1].tolist() == [[1, 4, 11, 5, 9, 7, 8, 2, 0, 6, 3, 10]]
    assert xp.top_k(x, 2, largest=False)[1].tolist() == [[10, 3]]
    for rank, index in ((0, 10), (1, 3), (9, 11), (10, 1), (11, 4)):
        assert xp.index_of_rank(x, rank=rank).tolist() == [[index]]


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "bfloat16", "int32"])
@pytest.mark.parametrize("axis", [0, 1])
def test_medians_without_nan_are_those_of_a_stable_sort(axis, dtype):
    x = np.random.default_rng(0).integers(0, 4, (9, 12)).astype(np.float32)
    if dtype != "int32":
        x[np.random.default_rng(1).random(x.shape) < 0.4] = np.nan
        x[:, 3], x[4] = np.nan, np.nan
    order = np.argsort(x, axis, kind="stable")
    middle = np.maximum(((x == x).sum(axis, keepdims=True) - 1) // 2, 0)
    expected = np.take_along_axis(order, middle, axis)
    x = x.astype(arrays.BFLOAT16 if dtype == "bfloat16" else dtype)
    found = arrays.space_of(x).index_of_median(x, axis)
    np.testing.assert_array_equal(found, expected)
