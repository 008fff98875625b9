"""Selection by masks and bounds against NumPy, for the sizes with their own implementation."""

import itertools

import numpy as np
import pytest
from kit import same
from kit.loops import by_python, fresh_loops, needs_numba, on_threads

from mindspore_compat import Tensor
from mindspore_compat._backend import arrays
from mindspore_compat._backend.compiled import door
from mindspore_compat._backend.host import select
from mindspore_compat._backend.loops import choose
from mindspore_compat.ops._elementwise.clamp import clamp

RANDOM = np.random.default_rng(5)
SHAPE = (6, 6000)
HOST = arrays.HOST


def _elements(shape, dtype):
    x = np.asarray(RANDOM.normal(0, 5, shape)).astype(dtype)
    if x.dtype.kind == "f" and x.ndim:
        x[RANDOM.random(shape) < 0.1] = RANDOM.choice([np.nan, np.inf, -np.inf, -0.0])
    return x


def _choices(dtype):
    return [
        _elements(SHAPE, dtype),
        _elements((6, 1), dtype),
        _elements((), dtype),
        _elements(SHAPE[::-1], dtype).T,
        3,
        0.5,
    ]


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "float16", "int32", "int64", "uint8", "complex64"]
)
def test_where_gives_what_numpy_gives(dtype):
    mask = RANDOM.random(SHAPE) < 0.5
    for x, y in itertools.product(_choices(dtype), repeat=2):
        for given in (mask, mask.T.copy().T, mask[0]):
            found, wanted = HOST.where(given, x, y), np.where(given, x, y)
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted)


def test_where_takes_its_own_way_for_large_masks_alone(monkeypatch):
    ways = []
    monkeypatch.setattr(select, "_choose", lambda *given: ways.append(given))
    for size in (8, 1 << 15):
        HOST.where(np.ones(size, bool), np.ones(size), np.zeros(()))
    assert len(ways) == 1


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "int64", "uint8"])
def test_bounds_are_those_of_maximum_and_minimum(dtype):
    x = _elements(SHAPE, dtype)
    bounds = [x.dtype.type(2), np.array(2, dtype), 2, _elements(SHAPE, dtype)]
    if x.dtype.kind == "f":
        bounds.append(np.array(np.nan, dtype))
    for bound in bounds:
        for found, wanted in (
            (HOST.at_least(x, bound), np.maximum(x, bound)),
            (HOST.at_most(x, bound), np.minimum(x, bound)),
        ):
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "int64", "uint8"])
@pytest.mark.parametrize("count", [5, 1 << 15])
def test_two_bounds_are_those_of_maximum_and_minimum(dtype, count):
    """If the lower bound exceeds the upper bound, the result is the upper bound."""
    x = _elements((count,), dtype)
    ends = [(1, 4), (4, 1), (np.array(1, dtype), np.array(4, dtype))]
    if x.dtype.kind == "f":
        ends += [(-0.5, 2.5), (np.array(np.nan, dtype), 2), (-np.inf, np.array(np.nan, dtype))]
    for low, high in ends:
        found, wanted = HOST.clip(x, low, high), np.minimum(np.maximum(x, low), high)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.host
def test_two_bounds_take_one_pass(monkeypatch):
    """Also over a large array, whose bounds have no axes."""
    calls, numpy_clip = [], np.clip
    monkeypatch.setattr(
        np, "clip", lambda *given, **kw: calls.append(0) or numpy_clip(*given, **kw)
    )
    x = np.arange(1 << 15, dtype=np.float32)
    clamp.run(Tensor(x), Tensor(2.0), Tensor(5.0))
    assert len(calls) == 1


@pytest.mark.parametrize("number", [300, -300, 1 << 40])
def test_a_number_that_the_dtype_does_not_hold_is_as_in_numpy(number):
    mask = np.ones(1 << 14, bool)
    for dtype in ("int8", "uint8", "int32"):
        small = np.zeros(mask.shape, dtype)
        try:
            wanted = np.where(mask, number, small)
        except OverflowError:
            wanted = None
        if wanted is not None:
            np.testing.assert_array_equal(HOST.where(mask, number, small), wanted)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "complex64"])
def test_where_beside_zeros(dtype):
    mask = RANDOM.random(SHAPE) < 0.5
    x = _elements(SHAPE, dtype)
    for zero in (0, np.zeros((), dtype), -np.zeros((1, 1), dtype), np.zeros_like(x)):
        for one in (x, x[0], np.ones((), dtype)):
            for choices in ((one, zero), (zero, one)):
                found, wanted = HOST.where(mask, *choices), np.where(mask, *choices)
                assert found.dtype == wanted.dtype and found.tobytes() == wanted.tobytes()


@pytest.fixture
def loops(monkeypatch):
    """Has arrays of every size take compiled loops."""
    with fresh_loops(monkeypatch, None, choose._where, choose._bounded):
        yield


def check_loops(shape):
    mask = RANDOM.random(shape) < 0.5
    for dtype in ("float32", "int32"):
        x, y = _elements(shape, dtype), _elements(shape[::-1], dtype).T
        same(
            door.call("where", mask, x.view("int32"), y.copy().view("int32")),
            np.where(mask, x, y).view("int32"),
        )
        for one, other in ((x, y), (x, 3), (y[:1, :1], x)):
            same(HOST.where(mask, one, other), np.where(mask, one, other))
    x = _elements(shape, "float32")
    for given in (x, x.T.copy().T, np.broadcast_to(np.float32(2), shape)):
        same(HOST.keep(mask, given), np.where(mask, given, np.float32(0)))
    for bound in (2, np.float32(-1), np.array(0.5, "float32"), -np.inf, np.float32(np.nan)):
        same(HOST.at_least(x, bound), np.maximum(x, np.float32(bound)))
        same(HOST.at_most(x, bound), np.minimum(x, np.float32(bound)))


def test_loops_mean_what_numpy_does(loops, monkeypatch):
    by_python(monkeypatch)
    check_loops((5, 7))


@needs_numba
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_compiled_they_do_so_with_any_number_of_threads(threads, loops):
    with on_threads(threads):
        check_loops((150, 700))


@pytest.mark.parametrize("size", [8, 1 << 14])
def test_ints_and_a_bound_that_is_none(size):
    x = np.arange(size, dtype=np.int32) - 3
    for bound in (-1.0, 0.5):
        same(HOST.at_least(x, bound), np.maximum(x, bound))
        same(HOST.at_most(x, bound), np.minimum(x, bound))
