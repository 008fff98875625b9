"""Cumulative sums of large arrays have NumPy's bits, forward and backward."""

import numpy as np
import pytest
from kit import same
from kit.loops import by_python, fresh_loops, needs_numba

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._backend.arrays import HOST
from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.host import cumulative
from mindspore_compat._backend.loops import cumulative as loops
from mindspore_compat._backend.threads import scheduler
from mindspore_compat._backend.thresholds import Least

SHAPES = {
    "last": ((7, 13), 1),
    "only": ((50,), 0),
    "first": ((9, 20), 0),
    "middle": ((3, 5, 11), 1),
}


@pytest.fixture
def any_size(monkeypatch):
    monkeypatch.setattr(loops, "PIECE", 20)
    with fresh_loops(monkeypatch, cumulative, PIECE=20, WIDEST=8):
        monkeypatch.setattr(Least, "CUMSUM_BESIDE", 5)
        yield
    scheduler.limit(0)


def by(way, monkeypatch):
    """Has loops run by Python, compiled, or not at all."""
    monkeypatch.setattr(jit, "available", lambda: way != "numpy")
    if way == "python":
        by_python(monkeypatch)


@pytest.mark.parametrize("way", ["python", "numpy"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64"])
@pytest.mark.parametrize("shape, axis", SHAPES.values(), ids=SHAPES)
def test_bits(shape, axis, dtype, way, any_size, monkeypatch):
    by(way, monkeypatch)
    x = (np.random.default_rng(0).standard_normal(shape) * 100).astype(dtype)
    for given in (x, np.flip(x, axis), x.T, np.flip(x), x[..., ::2]):
        for one in {axis, axis - x.ndim}:
            found = HOST.cumsum(given, one)
            same(found, np.cumsum(given, one))
            assert found.dtype == np.cumsum(given, one).dtype
    same(HOST.cumsum(x), np.cumsum(x))


def test_numbers_that_are_not_finite(any_size, monkeypatch):
    by("python", monkeypatch)
    x = np.float32([[1, np.inf, 2, -np.inf, 3], [-0.0, -0.0, np.nan, 1, 2], [-0.0, -0.0, 0, 3, 4]])
    found = HOST.cumsum(x, 1)
    same(found, np.cumsum(x, 1))
    assert np.signbit(found[2, 0])


def test_an_axis_that_is_not_there_is_refused(any_size):
    with pytest.raises(np.exceptions.AxisError):
        HOST.cumsum(np.ones((3, 4), np.float32), 2)


@needs_numba
@pytest.mark.parametrize("axis", [0, 1])
def test_gradients_of_large_arrays(axis, monkeypatch):
    by("numba", monkeypatch)
    x = Tensor(np.zeros((300, 400), np.float32))
    g = np.random.default_rng(1).standard_normal((300, 400)).astype(np.float32)
    found = ms.grad(lambda x: (ops.cumsum(x, axis) * Tensor(g)).sum())(x)
    same(found, np.flip(np.cumsum(np.flip(g, axis), axis), axis))
