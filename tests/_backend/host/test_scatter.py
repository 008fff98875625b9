"""Adding at repeated indices against a loop: full axes before and after the indices, broadcast
indices and values, any memory order.
"""

import itertools
import tracemalloc

import numpy as np
import pytest
from kit.loops import needs_numba

from mindspore_compat._backend import arrays
from mindspore_compat._backend.compiled import door
from mindspore_compat._backend.host import indices, scatter
from mindspore_compat._backend.thresholds import Least

RANDOM = np.random.default_rng(11)
PLACES = {"alone": (5,), "rows": (3, 4), "scalar": ()}


def _wanted(x, index, values):
    out = x.astype("float64", order="C")
    numbers = np.arange(x.size).reshape(x.shape)[index]
    for index_, value in zip(numbers.ravel(), np.broadcast_to(values, numbers.shape).ravel()):
        out.reshape(-1)[index_] += value
    return out


@pytest.mark.parametrize("limit", [0, 1 << 30])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("skipped, named", [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (2, 1)])
def test_as_a_loop(monkeypatch, skipped, named, dtype, limit):
    monkeypatch.setattr(Least, "ADD_AT", limit)  # by a sparse product always, or never
    lengths = (4, 3, 6)
    for shape, order in itertools.product(PLACES.values(), "CF"):
        x = np.asarray(RANDOM.integers(-9, 9, lengths), dtype, order=order)
        indices = [RANDOM.integers(-n, n, shape) for n in lengths[skipped : skipped + named]]
        index = (slice(None),) * skipped + tuple(map(np.asarray, indices))
        full = x[index].shape
        for taken in (full, full[1:], full[:-1] + (1,) if full else (), ()):
            values = np.asarray(RANDOM.integers(-9, 9, taken), dtype)
            found = arrays.HOST.scatter_add(x, index, values)
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, _wanted(x, index, values))


def test_an_index_out_of_range_is_an_index_error():
    for index_ in (3, -4):
        with pytest.raises(IndexError):
            arrays.HOST.scatter_add(np.zeros((3, 2)), (np.array([index_]),), np.ones((1, 2)))


@pytest.mark.parametrize("limit", [0, 1 << 30])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "uint64"])
def test_indices_of_a_dtype_that_does_not_hold_the_length(monkeypatch, dtype, limit):
    monkeypatch.setattr(Least, "ADD_AT", limit)
    index, values = np.array([100, 3, 100], dtype), np.ones((3, 2), "float32")
    rows = np.zeros((300, 2), "float32")
    rows[[100, 3]] = [[2, 2], [1, 1]]
    np.testing.assert_array_equal(arrays.HOST.segment_sum(index, values, 300), rows)
    zeros = np.zeros((300, 2), "float32")
    np.testing.assert_array_equal(arrays.HOST.scatter_add(zeros, (index,), values), rows)
    found = arrays.HOST.scatter_add(zeros[:, 0], (index,), values[:, 0])
    np.testing.assert_array_equal(found, rows[:, 0])


def test_the_rank_of_what_an_index_names():
    x, mask = np.zeros((2, 3, 4)), np.ones((2, 3), bool)
    indices = np.zeros((5, 1), int)
    for index in (
        mask,
        (mask, 0),
        (None, mask),
        (..., indices),
        (indices, slice(2), np.arange(2)),
        (0,),
        (True, indices),
        (slice(None), mask[0]),
        np.array(True),
        (),
        indices,
    ):
        assert scatter._rank(x, index) == x[index].ndim


@pytest.mark.parametrize("value", [0, 2])
def test_what_is_added_to_one_number_for_all_elements(value):
    x = np.broadcast_to(np.float32(value), (4, 6))
    for index in ((slice(None), slice(1, 5, 2)), (2, None), (Ellipsis, -1), ([1, 1, 3],)):
        wanted = np.full(x.shape, value, np.float32)
        values = np.random.default_rng(0).standard_normal(wanted[index].shape, np.float32)
        np.add.at(wanted, index, values)
        np.testing.assert_array_equal(arrays.HOST.scatter_add(x, index, values), wanted)


@pytest.mark.parametrize("dtype", ["int64", "uint8"])
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_elements_along_an_axis(axis, dtype):
    """Taking, writing and adding at few indices, as NumPy does it."""
    for x in (
        RANDOM.normal(size=(3, 4, 5)).astype("float32"),
        np.asfortranarray(RANDOM.normal(size=(3, 4, 5))),
        np.broadcast_to(np.float32(2), (3, 4, 5)),
    ):
        shape = [3, 4, 5]
        shape[axis] = 7
        index = RANDOM.integers(0, x.shape[axis], shape).astype(dtype)
        values = RANDOM.normal(size=shape).astype(x.dtype)
        found = arrays.HOST.take_along_axis(x, index, axis)
        np.testing.assert_array_equal(found, np.take_along_axis(x, index, axis))
        places = list(np.ogrid[tuple(slice(n) for n in shape)])
        places[axis] = index
        written, summed = np.array(x), np.array(x)
        written[tuple(places)] = values
        np.add.at(summed, tuple(places), values)
        for add, wanted in ((False, written), (True, summed)):
            found = arrays.HOST.scatter_along_axis(x, index, values, axis, add)
            assert found.dtype == x.dtype
            np.testing.assert_array_equal(found, wanted)


def test_few_indices_along_an_axis_take_no_index_arrays_of_numpy(monkeypatch):
    monkeypatch.delattr(np, "take_along_axis")
    x = np.arange(6.0).reshape(2, 3)
    found = arrays.HOST.take_along_axis(x, np.array([[2], [0]]), 1)
    assert found.tolist() == [[2.0], [3.0]]


def test_other_indices_along_an_axis():
    x = np.arange(6.0).reshape(2, 3)
    negative, one_row = np.array([[-1], [0]]), np.array([[1, 0]])
    assert arrays.HOST.take_along_axis(x, negative, 1).tolist() == [[2.0], [3.0]]
    assert arrays.HOST.take_along_axis(x, one_row, 1).tolist() == [[1.0, 0.0], [4.0, 3.0]]
    for index in (3, -4):
        with pytest.raises(IndexError):
            arrays.HOST.take_along_axis(x, np.array([[index], [0]]), 1)
        with pytest.raises(IndexError):
            arrays.HOST.scatter_along_axis(x, np.array([[index], [0]]), np.ones((2, 1)), 1)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_elements_along_an_axis_are_those_of_numpy(axis):
    x = np.arange(60).reshape(3, 4, 5)
    index = np.random.default_rng(0).integers(
        0, x.shape[axis], [2 if n == axis else s for n, s in enumerate(x.shape)]
    )
    flat = indices.flat_along(x.shape, index, axis)
    np.testing.assert_array_equal(x.reshape(-1)[flat], np.take_along_axis(x, index, axis))


def test_shapes_of_elements_along_an_axis_are_compared_once():
    for _ in range(3):
        assert indices.flat_along((3, 41), np.zeros((3, 2), int), 1) is not None
        assert indices.flat_along((3, 41), np.zeros((2, 2), int), 1) is None
        assert indices.flat_along((3, 41), np.zeros((3, 2), int), 2) is None
        assert indices.flat_along((3, 41), np.full((3, 2), 41), 1) is None
        assert indices.flat_along((3, 41), np.zeros((3, 2)), 1) is None
    before = indices._layout.cache_info()
    indices.flat_along((3, 41), np.zeros((3, 2), np.int8), 1)
    after = indices._layout.cache_info()
    assert (after.hits, after.misses) == (before.hits + 1, before.misses)


def test_few_elements_of_a_long_axis_take_little_memory():
    shape, index = (1 << 24,), np.array([5, (1 << 24) - 1])
    tracemalloc.start()
    try:
        flat = indices.flat_along(shape, index, 0)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert flat.tolist() == index.tolist()
    assert most < 1 << 20


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("dtype", ["float32", "int8", "bool"])
@pytest.mark.parametrize("order", "CF")
def test_masks_as_in_numpy(monkeypatch, share, dtype, order):
    monkeypatch.setattr(Least, "MASK", 1)
    x = np.asarray(RANDOM.integers(-9, 9, (6, 5, 4)), dtype, order=order)
    for axes in range(4):
        mask = np.asarray(RANDOM.random(x.shape[:axes]) < share)
        taken = arrays.HOST.getitem(x, mask)
        np.testing.assert_array_equal(taken, x[mask], strict=True)
        for values in (taken[::-1], taken[:1], np.ones((), dtype)):
            if np.ndim(values) and len(values) not in (1, len(taken)):
                continue
            wanted, added = x.copy(), x.copy()
            wanted[mask] = values
            np.add.at(added, mask, values)
            np.testing.assert_array_equal(arrays.HOST.scatter_set(x, mask, values), wanted)
            found = arrays.HOST.scatter_add(x, mask, values)
            np.testing.assert_array_equal(found, added, strict=True)
    for found, wanted in zip(arrays.HOST.nonzero(x), x.nonzero(), strict=True):
        np.testing.assert_array_equal(found, wanted, strict=True)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_a_column_of_each_row_by_positions(monkeypatch, dtype):
    monkeypatch.setattr(Least, "PICK_COLUMN", 1)
    x, column = np.arange(12.0).reshape(4, 3), np.array([2, 0, 1, 2], dtype)
    wanted = x[np.arange(4), column]
    for order in "CF":
        np.testing.assert_array_equal(
            arrays.HOST.pick_column(np.asarray(x, order=order), column), wanted
        )
        added = arrays.HOST.add_at_column(x.copy(order), column, np.ones(4))
        np.testing.assert_array_equal(added - x, arrays.HOST.cast(added != x, "float64"))
        assert added.sum() == x.sum() + 4
    with pytest.raises(IndexError):
        arrays.HOST.pick_column(x, column + np.array([1], dtype))
    if dtype != "uint8":  # counted from the end
        np.testing.assert_array_equal(arrays.HOST.pick_column(x, column - 3), wanted)


@pytest.mark.parametrize("rows, count, columns", [(32, 20, 20), (600, 40, 7), (700, 90, 1)])
@pytest.mark.parametrize("lowest", [0, -5])
def test_a_segment_sum_of_a_small_table_adds_row_after_row(rows, count, columns, lowest):
    index = RANDOM.integers(lowest, count, rows).astype(np.int32)
    values = RANDOM.normal(size=(rows, columns)).astype(np.float32)
    wanted = np.zeros((count, columns), np.float32)
    np.add.at(wanted, index, values)
    np.testing.assert_array_equal(arrays.HOST.segment_sum(index, values, count), wanted)


@needs_numba
def test_a_segment_sum_of_a_small_table_is_one_compiled_loop(monkeypatch):
    calls, call = [], door.call
    monkeypatch.setattr(door, "call", lambda name, *x: calls.append(name) or call(name, *x))
    index, values = np.arange(32) % 5, np.ones((32, 64), np.float32)
    arrays.HOST.segment_sum(index, values, 100)
    arrays.HOST.segment_sum(index[:4], values[:4], 100)
    assert calls == ["add_slices"]


@pytest.mark.parametrize("ufunc", [np.maximum, np.minimum, np.multiply, np.divide])
def test_rows_are_reduced_as_by_ufunc_at(ufunc):
    index = RANDOM.integers(0, 50, (20, 10))
    values = RANDOM.normal(size=(20, 10, 64)).astype("float32")
    values[0, 0, :3] = np.nan, np.inf, -1e-30
    out = RANDOM.normal(size=(60, 64)).astype("float32")
    wanted = out.copy()
    ufunc.at(wanted, index, values)
    assert scatter._reduce_rows(ufunc, out, (index,), values)
    assert out.tobytes() == wanted.tobytes()


def test_rows_that_repeat_too_often_are_left_to_ufunc_at():
    out, index = np.zeros((4, 16), "float32"), np.zeros(100, int)
    assert not scatter._reduce_rows(np.maximum, out, (index,), np.ones((100, 16), "float32"))
    assert not scatter._reduce_rows(np.maximum, out, (index - 9,), np.ones((100, 16), "float32"))
    assert not out.any()
