"""Compiled products of rows and running extremes with their indices match NumPy."""

import numpy as np
import pytest
from kit.loops import by_python, fresh_loops, needs_numba, on_threads

from mindspore_compat._backend import arrays
from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.loops import cumulative

pytestmark = pytest.mark.host

HOST, LARGE = arrays.HOST, arrays.LARGE
VALUES = np.array([0.0, -0.0, 1, -1, 2, 3e38, 1e-30, np.inf, -np.inf, np.nan], np.float32)


@pytest.fixture
def any_size(monkeypatch):
    """Has arrays of every size take the loops, in several pieces."""
    with fresh_loops(monkeypatch, cumulative, PIECE=40):
        yield


def without_loops(function, *args, **kwargs):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jit, "available", lambda: False)
        return function(*args, **kwargs)


def check():
    rng = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        for shape in [(8, 5), (19, 3), (3, 7, 2), (9, 1), (2, 4, 130)]:
            for values in (VALUES, VALUES[:6], rng.standard_normal(50).astype(np.float32)):
                x = rng.choice(values, shape)
                for axis, keepdims in [(-1, False), ((x.ndim - 1,), True), (0, False)]:
                    product = LARGE.prod(x, axis, keepdims=keepdims)
                    np.testing.assert_array_equal(product, np.prod(x, axis, keepdims=keepdims))
                for axis in (0, -1):
                    for largest in (True, False):
                        result = HOST.extremes_so_far(x, axis, largest=largest)
                        expected = without_loops(HOST.extremes_so_far, x, axis, largest=largest)
                        for given, wanted in zip(result, expected, strict=True):
                            np.testing.assert_array_equal(given, wanted)
                        assert result[0].tobytes() == expected[0].tobytes()  # zeros' signs, too


def test_the_loops_mean_what_numpy_does(any_size, monkeypatch):
    by_python(monkeypatch)
    check()


@needs_numba
@pytest.mark.parametrize("threads", [1, 2])
def test_compiled_loops_do_so_with_any_number_of_threads(threads, any_size):
    with on_threads(threads):
        check()
