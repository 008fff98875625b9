"""Convolution against a direct sum in float64, and its gradients against the definition of a
gradient.

A gradient is the transpose of a linear map. `<gradient(g), u> == <g, map(u)>` for all `u` therefore
verifies it completely, with the direct sum as the map.
"""

import numpy as np
import pytest
from kit import close
from scipy import signal

from mindspore_compat._backend.conv import convolution, depthwise

pytestmark = pytest.mark.quick


def direct(x, w, stride, pads, dilation, groups):
    """Computes a convolution by its definition: one window and one filter at a time."""
    x = np.pad(x, ((0, 0), (0, 0), *pads))
    filters, own, *kernel = w.shape
    out = tuple(
        (n - d * (k - 1) - 1) // s + 1 for n, k, d, s in zip(x.shape[2:], kernel, dilation, stride)
    )
    y = np.zeros((x.shape[0], filters, *out))
    for f in range(filters):
        first = f // (filters // groups) * own
        for index in np.ndindex(*out):
            window = tuple(
                slice(p * s, p * s + d * (k - 1) + 1, d)
                for p, s, d, k in zip(index, stride, dilation, kernel)
            )
            part = x[(slice(None), slice(first, first + own), *window)] * w[f]
            y[(slice(None), f, *index)] = part.reshape(len(x), -1).sum(1)
    return y


def check(x_shape, w_shape, stride, pads, dilation, groups):
    """Tests the convolution and both gradients on random numbers of these shapes."""
    rng = np.random.default_rng(len(x_shape) + sum(x_shape) + sum(w_shape))
    x, u = rng.standard_normal((2, *x_shape))
    w, v = rng.standard_normal((2, *w_shape))
    options = (stride, pads, dilation, groups)
    before = x.copy(), w.copy()
    y = convolution.convolve(np, x, w, *options)
    close(y, direct(x, w, *options))
    g = rng.standard_normal(y.shape)
    dx = convolution.input_gradient(np, g, w, x.shape, *options)
    dw = convolution.weight_gradient(np, g, x, w.shape, *options)
    assert dx.shape == x.shape and dw.shape == w.shape
    assert dx.flags.c_contiguous and dw.flags.c_contiguous
    close((dx * u).sum(), (g * direct(u, w, *options)).sum(), atol=0)
    close((dw * v).sum(), (g * direct(x, v, *options)).sum(), atol=0)
    assert (x == before[0]).all() and (w == before[1]).all()


CASES = {
    "1d": ((2, 3, 11), (4, 3, 3), (1,), ((1, 1),), (1,), 1),
    "1d strided, dilated, asymmetric": ((2, 3, 17), (4, 3, 3), (2,), ((2, 0),), (3,), 1),
    "2d": ((2, 3, 7, 8), (4, 3, 3, 2), (1, 1), ((1, 1), (0, 1)), (1, 1), 1),
    "2d of many windows, grouped": ((8, 4, 18, 18), (6, 2, 3, 3), (1, 1), ((0, 0),) * 2, (1, 1), 2),
    "2d strided": ((2, 3, 9, 8), (4, 3, 3, 3), (2, 3), ((1, 2), (0, 1)), (1, 1), 1),
    "2d stride leaves a rest": ((1, 2, 8, 10), (3, 2, 3, 3), (3, 4), ((0, 0),) * 2, (1, 1), 1),
    "2d dilated": ((2, 3, 9, 9), (4, 3, 3, 2), (1, 2), ((2, 2), (1, 3)), (2, 3), 1),
    "2d padding wider than the kernel": (
        (1, 4, 4, 4),
        (2, 4, 2, 2),
        (1, 1),
        ((3, 2),) * 2,
        (1, 1),
        1,
    ),
    "2d many filters": ((2, 2, 6, 6), (9, 2, 3, 3), (1, 1), ((1, 1),) * 2, (1, 1), 1),
    "2d groups": ((2, 6, 7, 7), (4, 3, 3, 3), (2, 1), ((1, 1),) * 2, (1, 2), 2),
    "2d pointwise": ((3, 4, 5, 6), (5, 4, 1, 1), (1, 1), ((0, 0),) * 2, (1, 1), 1),
    "2d pointwise strided, groups": ((2, 6, 5, 6), (4, 3, 1, 1), (2, 3), ((0, 0),) * 2, (1, 1), 2),
    "2d depthwise": ((2, 5, 7, 6), (5, 1, 3, 3), (1, 1), ((1, 1),) * 2, (1, 1), 5),
    "2d depthwise unpadded": ((2, 5, 7, 6), (5, 1, 3, 2), (1, 1), ((0, 0),) * 2, (1, 1), 5),
    "2d depthwise strided, two filters each": (
        (2, 3, 9, 8),
        (6, 1, 3, 3),
        (2, 3),
        ((1, 0), (2, 1)),
        (1, 2),
        3,
    ),
    "2d depthwise, four filters each": (
        (2, 3, 9, 8),
        (12, 1, 3, 3),
        (2, 1),
        ((1, 0),) * 2,
        (1, 1),
        3,
    ),
    "2d depthwise, stride beyond the kernel": (
        (1, 3, 11, 9),
        (3, 1, 2, 2),
        (4, 3),
        ((1, 1), (0, 2)),
        (1, 1),
        3,
    ),
    "3d": ((2, 2, 5, 6, 4), (3, 2, 2, 3, 2), (1, 2, 1), ((1, 0), (1, 1), (0, 1)), (1, 1, 2), 1),
    "3d depthwise": ((2, 3, 5, 6, 4), (3, 1, 2, 3, 2), (2, 1, 1), ((1, 1),) * 3, (1, 2, 1), 3),
    "kernel as large as the image": ((2, 3, 4, 4), (5, 3, 4, 4), (1, 1), ((0, 0),) * 2, (1, 1), 1),
    "patches": ((2, 3, 8, 8), (5, 3, 4, 4), (4, 4), ((0, 0),) * 2, (1, 1), 1),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_convolution_and_gradients_agree_with_the_direct_sum(case):
    check(*case)


@pytest.fixture
def own_pieces():
    """Clears the cached sizes of pieces, for a test that changes their limits."""
    convolution._pieces_of.cache_clear()
    yield
    convolution._pieces_of.cache_clear()


@pytest.mark.parametrize("budget", [1, 4000, 1 << 30])
def test_result_does_not_depend_on_the_workspace(budget, own_pieces, monkeypatch):
    monkeypatch.setattr(convolution, "HOST_BYTES", budget)
    monkeypatch.setattr(convolution, "LEAST_BYTES", budget)
    monkeypatch.setattr(convolution, "LARGE_BYTES", budget)
    monkeypatch.setattr(convolution, "FEWEST_COLUMNS", 1)
    monkeypatch.setattr(depthwise, "BLOCK", budget)
    check((5, 4, 6, 6), (6, 2, 3, 3), (2, 2), ((1, 1),) * 2, (1, 1), 2)
    check((5, 4, 6, 6), (8, 1, 3, 3), (1, 1), ((1, 1),) * 2, (1, 1), 4)
    check((2, 2, 4, 5, 7), (3, 2, 2, 3, 2), (1, 1, 1), ((3, 2), (1, 1), (0, 4)), (1, 2, 1), 1)


def test_agrees_with_scipy():
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((1, 1, 20, 31)), rng.standard_normal((1, 1, 4, 5))
    y = convolution.convolve(np, x, w, (1, 1), ((0, 0),) * 2, (1, 1), 1)
    close(y[0, 0], signal.correlate2d(x[0, 0], w[0, 0], "valid"), atol=0)
    full = convolution.input_gradient(np, y, w, x.shape, (1, 1), ((0, 0),) * 2, (1, 1), 1)
    close(full[0, 0], signal.convolve2d(y[0, 0], w[0, 0], "full"), atol=0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype_is_kept(dtype):
    x, w = np.ones((2, 4, 6, 6), dtype), np.ones((4, 1, 3, 3), dtype)
    for groups, weights in ((4, w), (1, np.ones((5, 4, 3, 3), dtype))):
        options = ((1, 1), ((1, 1),) * 2, (1, 1), groups)
        y = convolution.convolve(np, x, weights, *options)
        assert y.dtype == dtype
        assert convolution.input_gradient(np, y, weights, x.shape, *options).dtype == dtype
        assert convolution.weight_gradient(np, y, x, weights.shape, *options).dtype == dtype


def test_an_empty_batch_has_an_empty_result_and_a_zero_weight_gradient():
    x, w = np.zeros((0, 3, 5, 5)), np.ones((4, 3, 3, 3))
    options = ((1, 1), ((0, 0),) * 2, (1, 1), 1)
    y = convolution.convolve(np, x, w, *options)
    assert y.shape == (0, 4, 3, 3)
    assert convolution.input_gradient(np, y, w, x.shape, *options).shape == x.shape
    assert (convolution.weight_gradient(np, y, x, w.shape, *options) == np.zeros(w.shape)).all()


@pytest.mark.parametrize(
    "x_shape, w_shape, groups",
    [((1, 3, 5), (4, 2, 3), 1), ((1, 4, 5), (3, 2, 3), 2), ((1, 3, 5), (4, 3, 6), 1)],
)
def test_sizes_that_do_not_fit_are_refused(x_shape, w_shape, groups):
    with pytest.raises(ValueError):
        convolution.convolve(np, np.ones(x_shape), np.ones(w_shape), (1,), ((0, 0),), (1,), groups)


def test_columns_hold_the_windows_and_their_gradient_adds_them_up():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((2, 3, 6, 7))
    options = ((3, 2), (2, 1), ((1, 0), (1, 2)), (1, 2))
    y = convolution.im2col(np, x, *options)
    wide = np.pad(x, ((0, 0), (0, 0), (1, 0), (1, 2)))
    np.testing.assert_array_equal(y[1, 2, :, 9], wide[1, 2, 2:5, 1:4:2].reshape(-1))
    g = rng.standard_normal(y.shape)
    back = convolution.col2im(np, g, x.shape[2:], *options)
    close((back * x).sum(), (g * y).sum(), atol=0)
