"""Compiled loops take and add rows at indices with NumPy's bits."""

import numpy as np
import pytest
from kit import same
from kit.loops import by_python, fresh_loops, needs_numba

from mindspore_compat._backend import arrays
from mindspore_compat._backend.threads import scheduler

pytestmark = pytest.mark.host

rng = np.random.default_rng(5)
ROWS, SHAPE = 23, (7, 5)
INDICES = {
    "repeated": rng.integers(0, 4, SHAPE),
    "negative": rng.integers(-ROWS, ROWS, SHAPE),
    "int8": rng.integers(-ROWS, ROWS, SHAPE).astype(np.int8),
    "transposed": rng.integers(0, ROWS, SHAPE[::-1]).T,
}


@pytest.fixture
def any_size(monkeypatch):
    with fresh_loops(monkeypatch):
        yield


def summed(index, values):
    out = np.zeros((ROWS, *values.shape[index.ndim :]), values.dtype)
    np.add.at(out, index, values)
    return out


def check(case):
    index = INDICES[case]
    for row in [(16,), (3, 6)]:
        table = rng.standard_normal((ROWS, *row), np.float32)
        values = rng.standard_normal((*SHAPE, *row), np.float32)
        strided = rng.standard_normal((*SHAPE, *row[::-1]), np.float32).swapaxes(-1, -len(row))
        for threads in (1, 2, 4):
            scheduler.limit(threads)
            same(arrays.HOST.take(table, index, 0), table[index])
            same(arrays.HOST.segment_sum(index, values, ROWS), summed(index, values))
            same(arrays.HOST.segment_sum(index, strided, ROWS), summed(index, strided))
            check_other_axes(index.reshape(-1))


def check_other_axes(index):
    """Compares selections and sums along the middle and the last axis with NumPy's."""
    x = rng.standard_normal((4, ROWS, ROWS), np.float32)
    same(arrays.HOST.take(x, index, -1), x[..., index])
    for where in [(slice(None), index), (slice(None), slice(None), index), (index,)]:
        base = x if len(where) > 1 else x[0]
        values = rng.standard_normal(base[where].shape, np.float32)
        wanted = base.copy()
        np.add.at(wanted, where, values)
        same(arrays.HOST.scatter_add(base, where, values), wanted)


@pytest.fixture
def threads_as_before():
    yield
    scheduler.limit(0)


@pytest.mark.parametrize("case", INDICES)
def test_loops_mean_what_numpy_does(case, any_size, threads_as_before, monkeypatch):
    by_python(monkeypatch)
    check(case)


@needs_numba
def test_compiled_they_have_the_same_bits_with_any_number_of_threads(any_size, threads_as_before):
    for case in INDICES:
        check(case)


@pytest.mark.parametrize("beyond", [ROWS, -ROWS - 1])
def test_an_index_out_of_range_is_numpys_error(beyond, any_size, monkeypatch):
    by_python(monkeypatch)
    table = np.ones((ROWS, 16), np.float32)
    with pytest.raises(
        IndexError, match=f"index {beyond} is out of bounds for axis 0 with size {ROWS}"
    ):
        arrays.HOST.take(table, np.array([0, beyond]), 0)


def test_what_loops_do_not_take_goes_numpys_way(any_size, monkeypatch):
    by_python(monkeypatch)
    index = INDICES["negative"]
    wide = np.asfortranarray(rng.standard_normal((ROWS, 16), np.float32))
    only_read = rng.standard_normal((ROWS, 16), np.float32)
    only_read.flags.writeable = False
    for table in (wide, only_read, wide.astype(np.float64), wide[:, :3], wide[:, 0]):
        same(arrays.HOST.take(table, index, 0), table[index])
    same(arrays.HOST.take(wide, index % 16, 1), wide[:, index % 16])
    same(arrays.HOST.take(wide, [[1, -1]], 0), wide[[[1, -1]]])
    nothing = np.empty((0, 16), np.float32)
    same(arrays.HOST.segment_sum(index.reshape(-1)[:0], nothing, ROWS), np.zeros_like(wide))
