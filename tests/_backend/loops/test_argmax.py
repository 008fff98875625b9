"""The compiled argmax and argmin along an inner axis match NumPy."""

import numpy as np
import pytest
from kit import same
from kit.loops import by_python, fresh_loops, needs_numba, on_threads

from mindspore_compat._backend import arrays
from mindspore_compat._backend.loops import argmax

pytestmark = pytest.mark.host

HOST = arrays.HOST
VALUES = np.array([0.0, -0.0, 1, -1, 2, np.inf, -np.inf, np.nan], np.float32)


@pytest.fixture
def any_size(monkeypatch):
    """Has arrays of every size take the loop, in several pieces."""
    with fresh_loops(monkeypatch, argmax, WIDTH=4, PIECE=40):
        yield


def check():
    rng = np.random.default_rng(0)
    for shape, axis in [((5, 9), 0), ((3, 4, 11), 1), ((2, 3, 5, 2), -3), ((30, 1, 3), 1)]:
        for values in (VALUES, VALUES[:-1], VALUES[:2]):
            x = rng.choice(values, shape)
            for name in ("argmax", "argmin"):
                for keepdims in (False, True):
                    found = getattr(HOST, name)(x, axis, keepdims=keepdims)
                    same(found, getattr(np, name)(x, axis, keepdims=keepdims))


def test_the_loop_means_what_numpy_does(any_size, monkeypatch):
    by_python(monkeypatch)
    check()


@needs_numba
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_compiled_it_does_so_with_any_number_of_threads(threads, any_size):
    with on_threads(threads):
        check()


def test_what_the_loop_does_not_take_goes_numpys_way(any_size, monkeypatch):
    monkeypatch.setattr(argmax, "_loop", lambda: pytest.fail("asked for"))
    x = np.random.default_rng(0).standard_normal((6, 5))
    for given, axis in ((x, 0), (x.astype(np.float32), 1), (x.astype(np.float32).T, 0), (x, None)):
        same(HOST.argmax(given, axis), np.argmax(given, axis))
