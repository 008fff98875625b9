"""Compiled im2col and col2im match the array functions."""

import numpy as np
import pytest
from kit import close_sums, same
from kit.loops import ParallelByPython, fresh_loops, needs_numba

from mindspore_compat._backend import arrays
from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.conv import column_loops, convolution
from mindspore_compat._backend.conv.direct import choose
from mindspore_compat._backend.threads import parallel_loops

pytestmark = pytest.mark.host

# shape, kernel, stride, pads, dilation
CASES = {
    "padded": ((2, 3, 5, 4), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1)),
    "strided, dilated": ((2, 4, 9, 11), (3, 2), (3, 2), ((0, 1), (2, 0)), (1, 2)),
    "wide padding": ((1, 2, 3, 2), (3, 4), (2, 1), ((5, 3), (4, 5)), (1, 1)),
    "windows beyond the image": ((1, 2, 1, 1), (2, 2), (1, 3), ((2, 2), (4, 4)), (3, 1)),
    "padding that removes": ((2, 2, 5, 6), (2, 2), (1, 1), ((-1, 1), (0, -2)), (1, 1)),
    "rows": ((3, 2, 10), (3,), (2,), ((1, 1),), (2,)),
    "one window": ((2, 5, 3, 3), (3, 3), (1, 1), ((0, 0), (0, 0)), (1, 1)),
}
rng = np.random.default_rng(0)


@pytest.fixture
def small_pieces(monkeypatch):
    with fresh_loops(monkeypatch, column_loops, PIECE=16):
        yield


def without_loops(monkeypatch, function, *given):
    with monkeypatch.context() as patch:
        patch.setattr(jit, "available", lambda: False)
        return function(arrays.HOST, *given)


def check(case, monkeypatch):
    shape, *options = CASES[case]
    x = rng.standard_normal(shape, np.float32)
    wanted = without_loops(monkeypatch, convolution.im2col, x, *options)
    same(convolution.im2col(arrays.HOST, x, *options), wanted)
    g = rng.standard_normal(wanted.shape, np.float32)
    wanted = without_loops(monkeypatch, convolution.col2im, g, shape[2:], *options)
    same(convolution.col2im(arrays.HOST, g, shape[2:], *options), wanted)


@pytest.mark.parametrize("case", CASES)
def test_loops_mean_what_array_functions_do(case, small_pieces, monkeypatch):
    monkeypatch.setattr(parallel_loops, "ParallelLoop", ParallelByPython)
    check(case, monkeypatch)


@needs_numba
@pytest.mark.parametrize("case", CASES)
def test_compiled_loops_do_the_same(case, small_pieces, monkeypatch):
    check(case, monkeypatch)


@pytest.mark.parametrize(
    "stride, size, taken", [(1, 64, True), (3, 64, True), (4, 72, False), (4, 32, True)]
)
def test_loops_take_overlapping_windows_and_few_others(stride, size, taken):
    x = np.zeros((1, 2, size, size), np.float32)
    geo = convolution._single(x.shape, (4, 4), (stride, stride), ((0, 0),) * 2, (1, 1))
    assert column_loops._is_taken(x, geo) == taken


@needs_numba
@pytest.mark.parametrize(
    "given",
    [
        ((5, 6, 4, 4), (8, 6, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),
        ((3, 6, 7, 6), (9, 2, 3, 2), (2, 1), ((1, 0), (1, 2)), (1, 2), 3),
        ((2, 4, 9), (6, 2, 3), (2,), ((1, 1),), (1,), 2),
    ],
)
def test_convolutions_by_columns(given, small_pieces, monkeypatch):
    for name in ("convolve", "input_gradient", "weight_gradient"):
        monkeypatch.setattr(choose, name, lambda *operands: None)
    monkeypatch.setattr(convolution, "_as_correlation", None)
    monkeypatch.setattr(convolution, "LARGE_BYTES", 64)  # some channels at a time
    x_shape, w_shape, *options = given
    x, w = (rng.standard_normal(shape, np.float32) for shape in (x_shape, w_shape))
    found = convolution.convolve(arrays.HOST, x, w, *options)
    g = rng.standard_normal(found.shape, np.float32)
    operands = (
        (convolution.convolve, x, w, *options),
        (
            convolution._input_gradient_by_im2col,
            g,
            w,
            convolution.geometry(x_shape, w_shape, *options),
        ),
        (convolution.weight_gradient, g, x, w_shape, *options),
    )
    for function, *each in operands:
        close_sums(function(arrays.HOST, *each), without_loops(monkeypatch, function, *each))
