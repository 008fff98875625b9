"""Loops over neighbours in rows give NumPy's bits for every shape; NumPy computes other layouts."""

import numpy as np
import pytest
from kit import normal, same
from kit.loops import by_python, fresh_loops, needs_numba, on_threads

from mindspore_compat._backend.arrays import LARGE
from mindspore_compat._backend.compiled import door, jit

pytestmark = pytest.mark.host

SHAPES = [(40,), (1,), (2,), (9, 5), (3, 4, 17), (6, 1), (1, 130)]


@pytest.fixture
def any_size(monkeypatch):
    """Has arrays of every size take the loops, in several pieces."""
    with fresh_loops(monkeypatch, jit, BLOCK=16):
        yield


def check():
    for shape in SHAPES:
        x = normal(*shape).astype(np.float32)
        x.flat[:4] = [np.nan, np.inf, -0.0, -np.inf][: x.size]
        turned = LARGE.array(np.flip(x, -1))
        same(turned, np.ascontiguousarray(x[..., ::-1]))
        assert turned.flags.c_contiguous and not np.shares_memory(turned, x)
        with np.errstate(all="ignore"):
            same(LARGE.diff(x), np.diff(x))
            same(LARGE.diff(x, 1, x.ndim - 1), np.diff(x))


def test_the_loops_mean_what_numpy_does(any_size, monkeypatch):
    by_python(monkeypatch)
    check()


@needs_numba
@pytest.mark.parametrize("threads", [1, 3])
def test_compiled_loops_do_so_with_any_number_of_threads(threads, any_size):
    with on_threads(threads):
        check()


@needs_numba
def test_both_are_used(any_size):
    x = normal(9, 5).astype(np.float32)
    assert door.find("reversed_rows", x) and door.find("differences_of_rows", x)


@needs_numba
@pytest.mark.parametrize("axes", [(0,), (0, 1), (1,)], ids=str)
def test_other_layouts_and_types_are_left_to_numpy(axes, any_size):
    for x in (normal(9, 5), normal(9, 10).astype(np.float32)[:, ::2], np.arange(12).reshape(3, 4)):
        same(LARGE.array(np.flip(x, axes)), np.flip(x, axes).copy())
        same(LARGE.diff(x, 1, axes[0]), np.diff(x, 1, axes[0]))
        same(LARGE.diff(x, 2), np.diff(x, 2))


def test_copies_of_another_kind_are_numpys(any_size):
    x = normal(9, 5).astype(np.float32)[:, ::-1]
    assert LARGE.array(x, "float64").dtype == np.float64
    assert LARGE.array(x, copy=False).base is not None
    assert LARGE.array([1.0, 2.0]).tolist() == [1, 2]
