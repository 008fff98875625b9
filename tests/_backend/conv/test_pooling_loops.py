"""Compiled pooling loops match the composed pooling bit for bit."""

import numpy as np
import pytest
from kit import close_sums
from kit.loops import ParallelByPython, fresh_loops, needs_numba

from mindspore_compat._backend.arrays import HOST
from mindspore_compat._backend.compiled import door, jit
from mindspore_compat._backend.conv import pooling, pooling_loops
from mindspore_compat._backend.threads import parallel_loops, scheduler
from mindspore_compat._backend.thresholds import Least

pytestmark = pytest.mark.host

# size, kernel, stride, dilation
CASES = {
    "with a rest": ((7, 9), (2, 2), (2, 2), (1, 1)),
    "overlapping": ((7, 8), (3, 3), (2, 2), (1, 1)),
    "oblong, dilated": ((8, 9), (2, 3), (1, 2), (3, 2)),
    "rows": ((5, 6), (1, 4), (1, 1), (1, 1)),
    "gaps between": ((7, 9), (2, 2), (3, 3), (1, 1)),
    "all covered": ((6, 40), (2, 2), (2, 2), (1, 1)),
    "whole image": ((4, 4), (4, 4), (1, 1), (1, 1)),
}
NO_PADS = ((0, 0), (0, 0))


@pytest.fixture
def any_size(monkeypatch):
    """Loops for arrays of any size, compiled afresh."""
    with fresh_loops(monkeypatch, pooling_loops, pooling_loops._loop, BLOCK=100):
        yield


def operands(case, count=2):
    """Images with many equal elements, NaN and infinity, and their windows."""
    size, kernel, stride, dilation = CASES[case]
    rng = np.random.default_rng(0)
    x = rng.integers(-3, 3, (count, 3, *size)).astype(np.float32)
    x[0, 0, 1, 2], x[0, 1, 0, 0], x[1, 0, 2] = np.nan, np.inf, -np.inf
    out = pooling.output_size(size, kernel, stride, NO_PADS, dilation)
    g = rng.standard_normal((count, 3, *out), dtype=np.float32)
    return x, g, (kernel, stride, NO_PADS, dilation)


def pooled(x, g, windows):
    largest = pooling.maximum(np, x, *windows)
    return largest, pooling.max_gradient(np, g, x, largest, *windows)


def check_alike(monkeypatch, case):
    x, g, windows = operands(case)
    out = g.shape[2:]
    largest = door.call("max_pool", x, out, *windows)
    found = largest, door.call("max_pool_gradient", g, x, largest, *windows)
    monkeypatch.setattr(jit, "available", lambda: False)
    assert door.call("max_pool", x, out, *windows) is None
    for have, want in zip(found, pooled(x, g, windows), strict=True):
        np.testing.assert_array_equal(have, want)


@pytest.mark.parametrize("case", CASES)
def test_loops_mean_what_the_composed_pooling_means(case, any_size, monkeypatch):
    monkeypatch.setattr(parallel_loops, "ParallelLoop", ParallelByPython)
    check_alike(monkeypatch, case)


@needs_numba
@pytest.mark.parametrize("case", ["with a rest", "overlapping", "gaps between", "all covered"])
def test_compiled_loops_mean_the_same(case, any_size, monkeypatch):
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    check_alike(monkeypatch, case)


def averaged(x, g, windows):
    mean = pooling.average(np, x, *windows)
    return mean, pooling.average_gradient(np, g, x.shape, *windows)


def noted(monkeypatch):
    """Returns a list that receives the names of the loops that run."""
    names, called = [], door.call
    monkeypatch.setattr(
        pooling.door, "call", lambda name, *args: note(names, name, called(name, *args))
    )
    return names


def check_averages(monkeypatch, case):
    x, g, (kernel, stride, pads, _) = operands(case)
    windows = kernel, stride, pads
    g = np.resize(g, (2, 3, *pooling.output_size(x.shape[2:], *windows, (1, 1))))
    names = noted(monkeypatch)
    found = averaged(x, g, windows)
    is_separate = all(s >= k for s, k in zip(stride, kernel))
    assert names == ["average_pool"] + ["average_pool_gradient"] * is_separate
    monkeypatch.setattr(jit, "available", lambda: False)
    for have, want in zip(found, averaged(x, g, windows), strict=True):
        np.testing.assert_array_equal(have, want)


@pytest.mark.parametrize("case", CASES)
def test_loops_of_means_mean_what_the_composed_pooling_means(case, any_size, monkeypatch):
    monkeypatch.setattr(parallel_loops, "ParallelLoop", ParallelByPython)
    check_averages(monkeypatch, case)


@needs_numba
@pytest.mark.parametrize("case", ["with a rest", "overlapping", "gaps between", "all covered"])
def test_compiled_loops_of_means_mean_the_same(case, any_size, monkeypatch):
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    check_averages(monkeypatch, case)


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("include", [False, True])
def test_means_of_padded_images_take_the_loop_if_their_divisor_is_one_number(
    include, ceil_mode, any_size, monkeypatch
):
    monkeypatch.setattr(parallel_loops, "ParallelLoop", ParallelByPython)
    x = operands("with a rest")[0]
    windows = (3, 3), (2, 2), ((1, 1), (1, 1)), ceil_mode, include
    names = noted(monkeypatch)
    found = pooling.average(HOST, x, *windows)
    assert names == ["average_pool"] * include
    monkeypatch.setattr(jit, "available", lambda: False)
    np.testing.assert_array_equal(found, pooling.average(HOST, x, *windows))


@needs_numba
def test_the_bits_are_the_same_with_any_number_of_threads(any_size, monkeypatch):
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    x, g, windows = operands("overlapping", count=9)
    found = []
    for count in (1, 2, 4):
        scheduler.limit(count)
        try:
            found.append(pooled(x, g, windows))
        finally:
            scheduler.limit(0)
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


def test_other_windows_and_dtypes_are_left_to_the_composed_pooling(any_size, monkeypatch):
    class Late(ParallelByPython):
        """A loop that is being compiled."""

        def request(self):
            return False

    monkeypatch.setattr(parallel_loops, "ParallelLoop", ParallelByPython)
    x, g, (kernel, stride, pads, dilation) = operands("with a rest")
    out, windows = g.shape[2:], (kernel, stride, pads, dilation)
    largest = door.call("max_pool", x, out, *windows)
    assert largest is not None
    assert door.call("max_pool", x.astype(np.float64), out, *windows) is None
    assert door.call("max_pool_gradient", g.astype(np.float64), x, largest, *windows) is None
    assert door.call("max_pool", x, (4, 5), *windows) is None, "windows hang over the end"
    assert door.call("max_pool", x, out, kernel, stride, ((1, 0), (0, 0)), dilation) is None
    assert door.call("max_pool", x, (1, 1), (5, 5), stride, pads, dilation) is None
    monkeypatch.setattr(Least, "POOL", x.size + 1)
    assert door.call("max_pool", x, out, *windows) is None
    monkeypatch.setattr(Least, "POOL", 1)
    monkeypatch.setattr(parallel_loops, "ParallelLoop", Late)
    pooling_loops._loop.cache_clear()
    assert door.call("max_pool", x, out, *windows) is None
    assert door.call("max_pool_gradient", g, x, largest, *windows) is None
    np.testing.assert_array_equal(pooling.maximum(np, x, *windows), largest)


@pytest.mark.parametrize("odd", [None, -np.inf, np.nan])
@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("pads", [((1, 1), (1, 1)), ((1, 0), (0, 1)), ((1, 1), (2, 0))])
def test_padded_images_take_the_loops(pads, ceil_mode, odd, any_size, monkeypatch):
    """The loops match pooling by array functions, even if a window contains only -inf or NaN."""
    monkeypatch.setattr(parallel_loops, "ParallelLoop", ParallelByPython)
    rng = np.random.default_rng(0)
    x = rng.integers(-3, 3, (2, 3, 8, 9)).astype(np.float32)
    if odd is not None:
        x[1, 2, :4, :4] = odd
    windows = (3, 3), (2, 2), pads, (1, 1), ceil_mode
    out = pooling.output_size(x.shape[2:], *windows)
    g = rng.standard_normal((2, 3, *out), dtype=np.float32)
    gradients = [name for name in ("max_pool_gradient",) if odd is None]
    names = noted(monkeypatch)
    largest = pooling.maximum(np, x, *windows)
    found = largest, pooling.max_gradient(np, g, x, largest, *windows[:4])
    assert names == ["max_pool", *gradients]
    monkeypatch.setattr(jit, "available", lambda: False)
    wanted = pooling.maximum(np, x, *windows)
    np.testing.assert_array_equal(found[0], wanted)
    close_sums(found[1], pooling.max_gradient(np, g, x, wanted, *windows[:4]))


def note(names, name, result):
    if result is not None:
        names.append(name)
    return result
