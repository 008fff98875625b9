"""Reductions of large arrays match NumPy with any number of threads: the same bits where no sum is
split, and at least the same accuracy elsewhere.
"""

import itertools

import numpy as np
import pytest
from kit import same

from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.host import reductions, ufuncs
from mindspore_compat._backend.threads import scheduler
from mindspore_compat._backend.thresholds import Least, Most

pytestmark = pytest.mark.host

rng = np.random.default_rng(9)
X = rng.standard_normal((6, 10, 4, 15), np.float32)
AXES = [axes for count in range(5) for axes in itertools.combinations(range(4), count)]


@pytest.fixture(autouse=True)
def any_size(monkeypatch):
    for name in ("REDUCE", "REDUCE_THREADS"):
        monkeypatch.setattr(Least, name, 0)
    for name, value in {"ROWS": 4, "BLOCK": 8}.items():
        monkeypatch.setattr(reductions, name, value)
    monkeypatch.setattr(ufuncs, "PIECE", 1 << 6)
    monkeypatch.setattr(jit, "available", lambda: False)
    yield
    scheduler.limit(0)


def reduced(name, x, axis, dtype=None, keepdims=False):
    """By 1, 2 and 4 threads, which give the same bits."""
    ufunc, found = getattr(np, name), []
    for threads in (1, 2, 4):
        scheduler.limit(threads)
        found.append(reductions.reduce_large(ufunc, x, axis, dtype, keepdims))
    same(found[0], found[1])
    same(found[0], found[2])
    wanted = ufunc.reduce(x, axis, dtype, None, keepdims)
    assert type(found[0]) is type(wanted) and found[0].dtype == wanted.dtype
    return found[0], wanted


@pytest.mark.parametrize("axis", [None, *AXES, -1, 0, (-1, 0)], ids=str)
@pytest.mark.parametrize("narrow", [0, 1 << 30])
def test_over_axes(axis, narrow, monkeypatch):
    monkeypatch.setattr(Most, "REDUCE_NARROW", narrow)
    whole = rng.integers(-9, 9, X.shape)
    for view in (lambda x: x, lambda x: x.transpose(2, 0, 3, 1), lambda x: x[:, ::2], np.abs):
        for keepdims in (False, True):
            same(*reduced("add", view(whole), axis, None, keepdims))
            same(*reduced("add", view(whole) > 0, axis, None, keepdims))
            same(*reduced("maximum", view(X), axis, None, keepdims))
            same(*reduced("minimum", view(whole).astype(np.int8), axis, None, keepdims))
            found, wanted = reduced("add", view(X), axis, None, keepdims)
            np.testing.assert_allclose(found, wanted, 0, 1e-6 * np.abs(X).sum())
            found, wanted = reduced("multiply", view(X), axis, None, keepdims)
            np.testing.assert_allclose(found, wanted, 1e-5)


@pytest.mark.parametrize("dtype", ["float64", "complex64", "float16"])
def test_dtypes(dtype):
    x = rng.integers(-9, 9, X.shape).astype(dtype)
    for axis in (None, 0, (0, 1), 3):
        same(*reduced("add", x, axis))
    same(*reduced("add", X > 0, 0, "float32"))
    same(*reduced("add", X, 0, "float64"))


def test_the_bits_of_numpy_where_no_sum_is_cut():
    same(*reduced("add", X, 3))
    same(*reduced("add", X, (2, 3)))


@pytest.mark.parametrize("shape, axis", [((50_000, 3), 0), ((100_000,), 0), ((3, 40_000, 2), 1)])
@pytest.mark.parametrize("values", ["positive", "of both signs"])
def test_sums_are_at_least_as_accurate_as_numpys(shape, axis, values, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(Least, "REDUCE", 0)
    monkeypatch.setattr(Least, "REDUCE_THREADS", 0)
    monkeypatch.setattr(jit, "available", lambda: False)
    x = rng.random(shape, np.float32) - (0 if values == "positive" else 0.5)
    exact = np.add.reduce(x, axis, "float64")
    found, wanted = reduced("add", x, axis)
    least = 1e-7 * np.add.reduce(np.abs(x), axis)
    assert (np.abs(found - exact) <= np.maximum(np.abs(wanted - exact), least)).all()


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_infinities_and_nan_stay(value):
    x = X.copy()
    x[3, 2, 1] = value
    for name, axis in itertools.product(["add", "maximum", "minimum"], [None, 0, (0, 1), 3]):
        found, wanted = reduced(name, x, axis)
        np.testing.assert_allclose(found, wanted, 1e-5, 1e-5)


@pytest.mark.parametrize("axis", [4, (0, 0), -5, 1.0])
def test_errors_are_numpys(axis):
    with pytest.raises(Exception) as wanted:
        np.add.reduce(X, axis)
    with pytest.raises(type(wanted.value)) as found:
        reductions.reduce_large(np.add, X, axis, None, False)
    assert str(found.value) == str(wanted.value)


def test_errors_within_pieces_are_raised():
    x = np.full(X.shape, 3e38, np.float32)
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
        reduced("add", x, None)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "bool"])
@pytest.mark.parametrize("shape, axis", [((30, 5), 0), ((3, 29, 2, 3), 1), ((3, 29, 2, 3), -2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_extremes_of_columns_compare_runs_of_rows(dtype, shape, axis, keepdims, monkeypatch):
    monkeypatch.setattr(Least, "EXTREME_ROWS", 1)
    x = (rng.standard_normal(shape) * 9).astype(dtype)
    special = x.copy()
    if dtype.startswith("float"):
        special.reshape(-1)[::7] = np.nan
        special.reshape(-1)[1::7] = -np.inf
    for ufunc, array in itertools.product((np.maximum, np.minimum), (x, special)):
        found = reductions._extreme_of_columns(ufunc, array, axis, keepdims)
        pays = axis != -2
        assert (found is not None) == pays
        if pays:
            same(found, ufunc.reduce(array, axis, None, None, keepdims))


def test_extremes_of_long_or_few_rows_and_along_the_last_axis_are_numpys():
    few = ((2000, 2048), 0), ((100, 64), 0), ((300, 4), 2)
    for shape, axis in (*few, ((300, 4), 1), ((900, 300), 1), ((9, 90, 300), -1)):
        assert reductions._extreme_of_columns(np.maximum, np.zeros(shape), axis, False) is None
    assert reductions._extreme_of_columns(np.maximum, np.zeros((4, 300)).T, 0, False) is None


def test_many_short_rows_are_compared_by_two_reductions(monkeypatch):
    for name in ("REDUCE", "REDUCE_THREADS"):
        monkeypatch.setattr(Least, name, 1 << 30)
    found = []
    run = reductions._extreme_of_columns
    monkeypatch.setattr(reductions, "_extreme_of_columns", lambda *a: found.append(a) or run(*a))
    x = rng.standard_normal((5000, 3), np.float32)
    same(reductions.reducer(np.minimum)(x, 0), x.min(0))
    same(reductions.reducer(np.add)(x, 0), np.add.reduce(x, 0))
    assert len(found) == 1
