"""Compiled depthwise convolution loops match the composed convolution."""

import numpy as np
import pytest
from kit import close_sums
from kit.loops import ParallelByPython, fresh_loops, needs_numba

from mindspore_compat._backend import arrays
from mindspore_compat._backend.compiled import door, jit
from mindspore_compat._backend.conv import convolution, depthwise, depthwise_loops
from mindspore_compat._backend.threads import parallel_loops

pytestmark = pytest.mark.host

# kernel, stride, pads, dilation
CASES = {
    "padded": ((3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1)),
    "strided": ((3, 3), (2, 2), ((1, 1), (0, 1)), (1, 1)),
    "oblong, dilated": ((3, 2), (1, 1), ((2, 2), (0, 2)), (1, 2)),
    "strided, dilated": ((3, 3), (2, 2), ((0, 1), (0, 1)), (2, 2)),
    "apart": ((2, 2), (3, 3), ((0, 0), (0, 0)), (1, 1)),
    "of two loops": ((6, 6), (1, 1), ((3, 2), (3, 2)), (1, 1)),
}


@pytest.fixture
def any_size(monkeypatch):
    """Loops for arrays of any size, compiled afresh."""
    with fresh_loops(monkeypatch, None, depthwise_loops._loop):
        yield


def operands(case, size=(7, 8)):
    kernel, stride, pads, dilation = CASES[case]
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3, *size), dtype=np.float32)
    w = rng.standard_normal((3, 1, *kernel), dtype=np.float32)
    geo = convolution.geometry(x.shape, w.shape, stride, pads, dilation, 3)
    return x, w, rng.standard_normal((2, 3, *geo.out), dtype=np.float32), geo


def composed(monkeypatch, x, w, g, geo):
    """The three results without loops."""
    monkeypatch.setattr(jit, "available", lambda: False)
    return (
        depthwise.convolve(arrays.HOST, x, w, geo),
        depthwise.input_gradient(arrays.HOST, g, w, geo),
        depthwise.weight_gradient(arrays.HOST, g, x, geo),
    )


def by_loops(x, w, g, geo):
    return (
        door.call("depthwise_convolve", x, w, geo),
        door.call("depthwise_input_gradient", g, w, geo),
        door.call("depthwise_weight_gradient", g, x, geo),
    )


@pytest.mark.parametrize("case", CASES)
def test_loops_mean_what_the_composed_convolution_means(case, any_size, monkeypatch):
    monkeypatch.setattr(parallel_loops, "ParallelLoop", ParallelByPython)
    given = operands(case)
    found = by_loops(*given)
    for have, want in zip(found, composed(monkeypatch, *given), strict=True):
        assert have.shape == want.shape and have.dtype == want.dtype
        close_sums(have, want)


@needs_numba
def test_compiled_loops_give_the_same(any_size, monkeypatch):
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    given = operands("strided", (40, 41))
    found = by_loops(*given)
    for have, want in zip(found, composed(monkeypatch, *given), strict=True):
        close_sums(have, want)


def test_other_cases_are_left_to_numpy(any_size):
    x, w, g, geo = operands("padded")
    assert door.call("depthwise_convolve", x.astype(np.float64), w.astype(np.float64), geo) is None
    several = convolution.geometry(x.shape, (6, 1, 3, 3), geo.stride, geo.pads, geo.dilation, 3)
    assert door.call("depthwise_convolve", x, np.concatenate([w, w]), several) is None
    uneven = convolution.geometry(x.shape, w.shape, (1, 2), geo.pads, geo.dilation, 3)
    assert door.call("depthwise_input_gradient", g, w, uneven) is None
