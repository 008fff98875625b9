"""Compiled cumulative products of rows have NumPy's bits; the recurrences match array functions."""

import numpy as np
import pytest
from kit import close_sums
from kit.loops import by_python, fresh_loops, needs_numba, on_threads

from mindspore_compat._backend import arrays
from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.loops import cumulative, row_products

pytestmark = pytest.mark.host

HOST = arrays.HOST
VALUES = np.array([0.0, -0.0, 1, -1, 2, 3e38, 1e-30, np.inf, -np.inf, np.nan], np.float32)
SHAPES = [(8, 5), (19, 3), (3, 7, 2), (9, 1), (1, 130), (6,)]


@pytest.fixture
def any_size(monkeypatch):
    """Has arrays of every size take the loops, in several pieces."""
    monkeypatch.setattr(cumulative, "PIECE", 40)
    with fresh_loops(monkeypatch, row_products, PIECE=40):
        yield


def others(x):
    """Returns, for each element, the product of all other elements of its row."""
    ones = np.ones_like(x[..., :1])
    before = np.cumprod(np.concatenate([ones, x[..., :-1]], -1), -1)
    after = np.cumprod(np.concatenate([ones, x[..., :0:-1]], -1), -1)[..., ::-1]
    return before * after


def check():
    rng = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        for shape in SHAPES:
            for values in (VALUES, rng.standard_normal(50).astype(np.float32)):
                x = rng.choice(values, shape)
                np.testing.assert_array_equal(HOST.cumprod(x, -1), np.cumprod(x, -1))
                np.testing.assert_array_equal(HOST.cumprod(x, 0), np.cumprod(x, 0))
                np.testing.assert_array_equal(HOST.products_of_others(x), others(x))
            factors, terms = rng.standard_normal((2, *shape)).astype(np.float32)
            for axis in (0, -1):
                found = HOST.linear_recurrence(factors, terms, axis)
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(jit, "available", lambda: False)
                    close_sums(found, HOST.linear_recurrence(factors, terms, axis))


def test_the_loops_mean_what_numpy_does(any_size, monkeypatch):
    by_python(monkeypatch)
    check()


@needs_numba
@pytest.mark.parametrize("threads", [1, 2])
def test_compiled_loops_do_so_with_any_number_of_threads(threads, any_size):
    with on_threads(threads):
        check()


@needs_numba
def test_the_gradient_of_a_product_runs_one_loop(any_size, monkeypatch):
    """Not a pass of array functions for each of its parts."""
    monkeypatch.setattr(HOST, "cumprod", None)
    x = np.array([[2, 0, 3], [4, 5, 6]], np.float32)
    assert HOST.products_of_others(x).tolist() == [[0, 6, 0], [30, 24, 20]]
