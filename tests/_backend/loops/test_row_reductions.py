"""The compiled sum over rows is more accurate than NumPy's and gives the same bits with any number
of threads.
"""

import numpy as np
import pytest
from kit import same
from kit.loops import by_python, fresh_loops, needs_numba

from mindspore_compat._backend.arrays import LARGE
from mindspore_compat._backend.host import reductions
from mindspore_compat._backend.loops import row_reductions
from mindspore_compat._backend.threads import scheduler

pytestmark = pytest.mark.host

rng = np.random.default_rng(2)
SHAPES = [(1, 5), (3, 2), (64, 7), (66, 16), (203, 5), (1000, 3)]
AXES = {"rows": (0,), "first": (0, 1), "between": (1,), "all": None, "all but one": (0, 2)}


@pytest.fixture
def any_size(monkeypatch):
    with fresh_loops(monkeypatch, row_reductions, row_reductions._table, PIECE=64, LANES=8):
        yield
    scheduler.limit(0)


def check(x, axis):
    found = []
    for threads in (1, 2, 4):
        scheduler.limit(threads)
        found.append(reductions.reduce_large(np.add, x, axis, None, False))
    same(found[0], found[1])
    same(found[0], found[2])
    exact = np.add.reduce(x, axis, "float64")
    assert found[0].dtype == x.dtype and found[0].shape == exact.shape
    assert (np.abs(found[0] - exact) <= 2e-7 * np.add.reduce(np.abs(x), axis)).all()


def check_all():
    for shape in SHAPES:
        for shift in (0, 3):
            check(rng.standard_normal(shape, np.float32) + np.float32(shift), 0)
    for axis in AXES.values():
        x = rng.standard_normal((6, 31, 9), np.float32)
        check(x, axis)
        check(x.transpose(2, 0, 1), axis)
        check(x[:, ::2], axis)


def test_the_loop_means_what_numpy_does(any_size, monkeypatch):
    by_python(monkeypatch)
    check_all()


@needs_numba
def test_compiled_it_is_as_accurate(any_size):
    check_all()


def test_what_the_loop_does_not_take_is_numpys(any_size, monkeypatch):
    by_python(monkeypatch)
    x = rng.standard_normal((30, 40), np.float32)
    for each in (x.astype(np.float64), x[:, ::3], x > 0):
        same(reductions.reduce_large(np.add, each, 0, None, False), each.sum(0))
    same(reductions.reduce_large(np.maximum, x, 0, None, False), x.max(0))
    same(reductions.reduce_large(np.add, x, 1, None, True), x.sum(1, keepdims=True))
    same(reductions.reduce_large(np.add, x, 0, "float64", False), x.sum(0, "float64"))


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_infinities_and_nan_stay(value, any_size, monkeypatch):
    by_python(monkeypatch)
    x = rng.standard_normal((50, 4), np.float32)
    x[20, 1] = value
    for axis in (0, None):
        found = reductions.reduce_large(np.add, x, axis, None, False)
        np.testing.assert_allclose(found, x.sum(axis), 1e-4)


def check_rows():
    special = np.float32([0, -1, 2, np.inf, -np.inf, np.nan, 3e38, -0.5])
    for shape in [(5, 17), (4, 3, 40), (9, 5000), (6, 16)]:
        x = rng.standard_normal(shape, np.float32)
        total = LARGE.sum(x, -1)
        exact = x.sum(-1, "float64")
        assert (np.abs(total - exact) <= 1e-6 * np.abs(x).sum(-1)).all()
        for keepdims in (False, True):
            mean = LARGE.mean(x, -1, keepdims=keepdims)
            np.testing.assert_allclose(
                mean, x.mean(-1, "float64", keepdims=keepdims), rtol=0, atol=4e-7
            )
            assert mean.dtype == np.float32
        for values in (x, rng.choice(special, shape), rng.choice(special[:3], shape)):
            for name in ("max", "min"):
                for operand in (values, values[::2], values.astype(np.float64)):
                    found = getattr(LARGE, name)(operand, -1)
                    assert found.dtype == operand.dtype
                    np.testing.assert_array_equal(found, getattr(np, name)(operand, -1))


def test_the_loops_over_single_rows_mean_what_numpy_does(any_size, monkeypatch):
    by_python(monkeypatch)
    check_rows()


@needs_numba
def test_compiled_loops_over_single_rows_do_so(any_size):
    check_rows()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_means_of_other_arrays_are_numpys():
    for x in (np.arange(12).reshape(3, 4), np.ones((2, 3), np.float16), np.ones((2, 0))):
        for axis in (None, 0, (0, 1)):
            np.testing.assert_array_equal(LARGE.mean(x, axis), np.mean(x, axis))


@needs_numba
@pytest.mark.parametrize("keepdims", [False, True])
def test_rows_and_totals_of_medium_arrays_have_loops(keepdims, any_size, monkeypatch):
    calls = []
    call = reductions.door.call
    monkeypatch.setattr(
        reductions.door, "call", lambda name, *a: calls.append(name) or call(name, *a)
    )
    x = rng.standard_normal((8, 32), np.float32)
    for axis in (None, -1, 1, (1,)):
        found = reductions.reducer(np.add)(x, axis, None, keepdims)
        exact = np.add.reduce(x, axis, "float64", None, keepdims)
        assert found.dtype == np.float32 and np.shape(found) == np.shape(exact)
        np.testing.assert_allclose(found, exact, rtol=1e-5, atol=1e-5)
        if axis is not None:
            largest = reductions.reducer(np.maximum)(x, axis, None, keepdims)
            same(largest, np.maximum.reduce(x, axis, None, None, keepdims))
    assert calls[:3] == ["total", "row_sums", "extreme_of_rows"]
