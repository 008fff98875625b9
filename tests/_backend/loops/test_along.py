"""Compiled loops take and add elements along an axis with NumPy's bits."""

import numpy as np
import pytest
from kit import same
from kit.loops import by_python, fresh_loops, needs_numba, on_threads

from mindspore_compat._backend import arrays
from mindspore_compat._backend.host import scatter
from mindspore_compat._backend.loops import along

pytestmark = pytest.mark.host

HOST = arrays.HOST
SHAPES = [((7, 9), 1, 4), ((7, 9), 0, 12), ((3, 5, 4), 1, 6), ((2, 3, 8), -1, 8), ((40,), 0, 60)]


@pytest.fixture
def any_size(monkeypatch):
    """Has arrays of every size take loops, in several pieces."""
    with fresh_loops(monkeypatch, along, along._pieces, PIECE=4, WIDTH=2):
        yield


def operands(shape, axis, count, dtype="float32", index_dtype="int64"):
    rng = np.random.default_rng(3)
    wanted = list(shape)
    wanted[axis] = count
    index = rng.integers(-shape[axis], shape[axis], wanted).astype(index_dtype)
    x, values = (rng.normal(0, 9, each).astype(dtype) for each in (shape, wanted))
    return x, index, values


def added(x, index, values, axis):
    """One addition after the other."""
    out = np.moveaxis(x, axis, -1).copy()
    places, given = (np.moveaxis(each, axis, -1) for each in (index, values))
    for at in np.ndindex(places.shape):
        out[(*at[:-1], places[at])] += given[at]
    return np.moveaxis(out, -1, axis)


def written(x, index, values, axis):
    """One element after the other."""
    out = np.moveaxis(x, axis, -1).copy()
    places, given = (np.moveaxis(each, axis, -1) for each in (index, values))
    for at in np.ndindex(places.shape):
        out[(*at[:-1], places[at])] = given[at]
    return np.moveaxis(out, -1, axis)


def check():
    for shape, axis, count in SHAPES:
        for dtype, index_dtype in (("float32", "int64"), ("int32", "int8"), ("uint32", "int32")):
            x, index, _ = operands(shape, axis, count, dtype, index_dtype)
            for given in (x, x.T.copy().T):
                same(HOST.take_along_axis(given, index, axis), np.take_along_axis(x, index, axis))
        for dtype, index_dtype in (("float32", "int64"), ("int32", "int8"), ("uint32", "int32")):
            x, index, values = operands(shape, axis, count, dtype, index_dtype)
            before = x.copy()
            for given in (values, values.T.copy().T, np.broadcast_to(values[:1], index.shape)):
                same(HOST.scatter_along_axis(x, index, given, axis), written(x, index, given, axis))
            same(x, before)
        x, index, values = operands(shape, axis, count)
        before = x.copy()
        for given in (values, values.T.copy().T, np.broadcast_to(np.float32(0.1), index.shape)):
            found = HOST.scatter_along_axis(x, index, given, axis, add=True)
            same(found, added(x, index, given, axis))
        same(x, before)


def test_loops_mean_what_numpy_does(any_size, monkeypatch):
    by_python(monkeypatch)
    check()


@needs_numba
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_compiled_they_do_so_with_any_number_of_threads(threads, any_size):
    with on_threads(threads):
        check()


def test_additions_share_rows_in_parts_of_whole_cache_lines():
    rows, row = 1 << 12, 256
    for width, count in ((1, along.MOST), (along.WIDTH, row // along.WIDTH)):
        table = along._pieces(1, row, row, rows * row, width)
        assert len(table) == count
        assert table[:, 2:].tolist() == [
            [start, start + row // count] for start in range(0, row, row // count)
        ]


@pytest.mark.parametrize("index", [9, -10])
def test_an_index_out_of_range_is_numpys_error(index, any_size, monkeypatch):
    by_python(monkeypatch)
    for call in (
        lambda x, index: HOST.take_along_axis(x, index, 1),
        lambda x, index: HOST.scatter_along_axis(x, index, x[:, :4], 1, add=True),
        lambda x, index: HOST.scatter_along_axis(x, index, x[:, :4], 1),
    ):
        with pytest.raises(IndexError, match=f"index {index} is out of bounds"):
            call(np.zeros((7, 9), np.float32), np.full((7, 4), index))


def test_what_loops_do_not_take_goes_numpys_way(any_size, monkeypatch):
    monkeypatch.setattr(along, "_run", lambda *_: pytest.fail("asked for"))
    x, index, values = operands((7, 9), 1, 4, "float64")
    same(HOST.take_along_axis(x, index, 1), np.take_along_axis(x, index, 1))
    same(HOST.scatter_along_axis(x, index, values, 1, add=True), added(x, index, values, 1))
    row = x.astype(np.float32)[:1]  # which is broadcast
    same(HOST.take_along_axis(row, index, 1), np.take_along_axis(row, index, 1))


def check_slices():
    rng = np.random.default_rng(3)
    for shape, axes, count in [
        ((7, 9), 1, 4),
        ((3, 5, 4), 1, 12),
        ((6, 8), 0, 9),
        ((2, 3, 8), 2, 8),
    ]:
        index = rng.integers(-shape[axes], shape[axes], count)
        where = (slice(None),) * axes + (index,)
        x = rng.normal(0, 9, shape).astype("float32")
        values = rng.normal(0, 9, x[where].shape).astype("float32")
        for given in (values, values.T.copy().T, np.broadcast_to(np.float32(0.1), values.shape)):
            wanted = x.copy()
            np.add.at(wanted, where, given)
            same(HOST.scatter_add(x, where, given), wanted)


def test_slices_are_added_one_after_another(any_size, monkeypatch):
    by_python(monkeypatch)
    check_slices()


@needs_numba
@pytest.mark.parametrize("threads", [1, 2])
def test_compiled_slices_with_any_number_of_threads(threads, any_size):
    with on_threads(threads):
        check_slices()


def test_slices_are_added_without_a_copy_of_them(any_size, monkeypatch):
    by_python(monkeypatch)
    received = []
    flat = along.jit.flat
    monkeypatch.setattr(along.jit, "flat", lambda x: received.append(flat(x)) or received[-1])
    values = np.ones((3, 2, 4), np.float32)
    HOST.scatter_add(np.zeros((3, 5, 4), np.float32), (slice(None), np.array([1, 1])), values)
    assert np.shares_memory(received[0], values)


@needs_numba
def test_slices_of_columns_take_no_sparse_product(any_size, monkeypatch):
    monkeypatch.delattr(scatter, "_sparse_product")
    x = np.zeros((2, 3), np.float32)
    found = HOST.scatter_add(x, (slice(None), np.array([2, 0, 2])), np.ones((2, 3), np.float32))
    assert found.tolist() == [[1, 0, 2]] * 2


@pytest.mark.parametrize("inner", [1, 2 * along.TOGETHER])
@pytest.mark.parametrize("wrong", [-1, 3])
def test_the_loop_itself_finds_an_index_out_of_range(inner, wrong):
    run = 2 * along.TOGETHER
    index, out = np.zeros(run, np.int64), np.zeros(run, np.int32)
    arguments = np.zeros(3 * inner, np.int32), index, out, 0, 1, 0, run, 3 * inner, 1, run, inner
    assert along.take_along(*arguments) is True
    index[-1] = wrong
    assert along.take_along(*arguments) is False


@needs_numba
@pytest.mark.parametrize("axis", [0, 1])
def test_a_negative_index_behind_others_adds_once(axis, any_size):
    count = 3 * along.TOGETHER
    shape, wanted = ((5, count), (7, count)) if axis == 0 else ((2, 5), (2, count))
    rng = np.random.default_rng(3)
    x, values = (rng.normal(0, 9, each).astype("float32") for each in (shape, wanted))
    index = rng.integers(0, 5, wanted)
    index[-1, -1] = -2
    same(HOST.scatter_along_axis(x, index, values, axis, add=True), added(x, index, values, axis))
    same(HOST.take_along_axis(x, index, axis), np.take_along_axis(x, index, axis))
