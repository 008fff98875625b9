"""Cumulative sums of large arrays have NumPy's bits, forward and backward; recurrences."""

import numpy as np
import pytest
from kit import close_sums, same
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


def recurrence(factors, terms, axis):
    """The definition, in float64."""
    factors, terms = (np.moveaxis(x, axis, 0).astype(np.float64) for x in (factors, terms))
    out = terms.copy()
    for i in range(1, len(out)):
        out[i] += factors[i] * out[i - 1]
    return np.moveaxis(out, 0, axis)


@needs_numba
@pytest.mark.parametrize("way", ["python", "numpy", "numba"])
@pytest.mark.parametrize("shape, axis", [*SHAPES.values(), ((2, 70, 3), -2), ((1,), 0)])
def test_recurrences(shape, axis, way, any_size, monkeypatch):
    by(way, monkeypatch)
    monkeypatch.setattr(cumulative, "SPAN", 4)
    monkeypatch.setattr(loops, "WIDEST", 8)
    rng = np.random.default_rng(0)
    factors, terms = rng.uniform(-1, 1, (2, *shape)).astype(np.float32)
    out = HOST.linear_recurrence(factors, terms, axis)
    close_sums(out, recurrence(factors, terms, axis).astype(np.float32))
    doubles = factors.astype(np.float64), terms.astype(np.float64)
    np.testing.assert_allclose(HOST.linear_recurrence(*doubles, axis), recurrence(*doubles, axis))


def test_recurrences_work_in_proportion_to_the_elements(monkeypatch):
    monkeypatch.setattr(jit, "available", lambda: False)
    steps, elements = cumulative._steps, []

    def counted(xp, factors, terms, *options):
        elements.append((terms.size, len(terms)))
        return steps(xp, factors, terms, *options)

    monkeypatch.setattr(cumulative, "_steps", counted)
    HOST.linear_recurrence(*np.ones((2, 100_000), np.float32), 0)
    sizes, calls = map(sum, zip(*elements))
    assert sizes < 1.1 * 100_000
    assert calls < 300


@pytest.mark.parametrize("axis", [0, -1])
def test_logcumsumexp_spans_the_range_of_its_dtype(axis):
    x = np.float32([[-np.inf, -np.inf, -200, 3e38], [-3e38, 0, 200, np.inf], [1, np.nan, -1, 2]])
    x = x if axis else x.T.copy()
    with np.errstate(invalid="ignore"):
        reference = np.logaddexp.accumulate(x.astype(np.float64), axis).astype(np.float32)
    close_sums(ops.logcumsumexp(Tensor(x), axis), reference)
