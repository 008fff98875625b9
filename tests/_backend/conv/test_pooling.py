"""Pooling against loops over windows in float64, ties and incomplete windows included."""

from itertools import product

import numpy as np
import pytest
from kit import close
from kit.windows import maximum_with_index

from mindspore_compat._backend.arrays import HOST
from mindspore_compat._backend.conv import adaptive_pooling, pooling


def windows(size, kernel, stride, pads, dilation, out):
    """For each window: its index, and the positions of the data it covers in row-major order."""
    for at in np.ndindex(*out):
        cells = []
        for tap in np.ndindex(*kernel):
            cell = tuple(
                p * s - before + t * d
                for p, s, (before, _), t, d in zip(at, stride, pads, tap, dilation)
            )
            if all(0 <= c < n for c, n in zip(cell, size)):
                cells.append(cell)
        yield at, cells


# size, kernel, stride, pads, dilation, ceil_mode
CASES = {
    "1d": ((9,), (3,), (2,), ((1, 1),), (1,), False),
    "2x2": ((6, 8), (2, 2), (2, 2), ((0, 0),) * 2, (1, 1), False),
    "2x2 with a rest": ((7, 9), (2, 2), (2, 2), ((0, 0),) * 2, (1, 1), False),
    "3x3 overlapping": ((7, 8), (3, 3), (2, 2), ((1, 1),) * 2, (1, 1), False),
    "3x3 overlapping, ceil": ((8, 8), (3, 3), (2, 2), ((1, 1),) * 2, (1, 1), True),
    "ceil drops a window in the padding": ((5, 4), (2, 2), (3, 3), ((1, 1),) * 2, (1, 1), True),
    "dilated, asymmetric": ((8, 7), (2, 3), (1, 2), ((1, 0), (1, 1)), (3, 2), True),
    "one tap": ((5, 6), (1, 1), (2, 1), ((0, 0),) * 2, (1, 1), False),
    "whole image": ((4, 5), (4, 5), (1, 1), ((0, 0),) * 2, (1, 1), False),
    "3d": ((4, 5, 6), (2, 3, 2), (2, 1, 3), ((1, 0), (1, 1), (0, 1)), (1, 1, 2), False),
    "3d ceil": ((4, 5, 6), (2, 2, 2), (3, 2, 4), ((0, 0),) * 3, (1, 1, 1), True),
}
each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


@each_case
def test_maximum_its_index_and_gradient(case):
    size, kernel, stride, pads, dilation, ceil_mode = case
    rng = np.random.default_rng(sum(size))
    x = rng.integers(-3, 3, (2, 3, *size)).astype(float)  # many ties
    y, index = maximum_with_index(np, x, *case[1:])
    np.testing.assert_array_equal(y, pooling.maximum(np, x, *case[1:]))
    g, u = rng.standard_normal(y.shape), rng.standard_normal(x.shape)
    gradient, picked = np.zeros(x.shape), np.zeros(y.shape)
    positions = list(windows(size, kernel, stride, pads, dilation, y.shape[2:]))
    assert positions and all(cells for _, cells in positions)
    for lead in np.ndindex(2, 3):
        for at, cells in positions:
            best = max(cells, key=lambda cell: x[(*lead, *cell)])  # the first of equal ones
            assert y[(*lead, *at)] == x[(*lead, *best)]
            assert index[(*lead, *at)] == np.ravel_multi_index(best, size)
            gradient[(*lead, *best)] += g[(*lead, *at)]
            picked[(*lead, *at)] = u[(*lead, *best)]
    options = case[1:5]
    close(pooling.max_gradient(np, g, x, y, *options), gradient, atol=0)
    close(pooling.max_pick(np, u, x, y, *options), picked, atol=0)
    close(pooling.add_at(np, g, index, size), gradient, atol=0)
    close(pooling.take_at(np, u, index, len(size)), picked, atol=0)


@each_case
def test_the_index_of_nan_is_that_of_the_first_one(case):
    size, kernel, stride, pads, dilation, _ = case
    rng = np.random.default_rng(sum(size))
    x = np.where(rng.random((1, 2, *size)) < 0.3, np.nan, -np.inf)
    y, index = maximum_with_index(np, x, *case[1:])
    for lead in np.ndindex(1, 2):
        for at, cells in windows(size, kernel, stride, pads, dilation, y.shape[2:]):
            first = next((cell for cell in cells if np.isnan(x[(*lead, *cell)])), cells[0])
            assert index[(*lead, *at)] == np.ravel_multi_index(first, size)


@each_case
@pytest.mark.parametrize("include, divisor", [(True, None), (False, None), (True, 5)])
def test_average_and_its_gradient(case, include, divisor):
    size, kernel, stride, pads, _, ceil_mode = case
    rng = np.random.default_rng(sum(size))
    x = rng.standard_normal((2, 3, *size))
    untouched = x.copy()
    y = pooling.average(HOST, x, kernel, stride, pads, ceil_mode, include, divisor)
    g, gradient = rng.standard_normal(y.shape), np.zeros(x.shape)
    for at, cells in windows(size, kernel, stride, pads, (1,) * len(size), y.shape[2:]):
        area = 1
        for p, s, k, n, (before, after) in zip(at, stride, kernel, size, pads):
            area *= min(p * s - before + k, n + after) - (p * s - before)
        area = divisor or (area if include else max(len(cells), 1))
        total = sum((x[(..., *cell)] for cell in cells), np.zeros((2, 3)))
        close(y[(..., *at)], total / area, atol=0)
        for cell in cells:
            gradient[(..., *cell)] += g[(..., *at)] / area
    back = pooling.average_gradient(HOST, g, x.shape, kernel, stride, pads, include, divisor)
    close(back, gradient, atol=0)
    assert (x == untouched).all()


@pytest.mark.parametrize(
    "size, out",
    [
        ((7,), (3,)),
        ((7, 5), (3, 5)),
        ((6, 8), (3, 2)),
        ((3, 2), (5, 4)),
        ((4, 5, 6), (3, 2, 4)),
        ((5, 5), (1, 1)),
    ],
)
def test_adaptive_pooling(size, out):
    rng = np.random.default_rng(sum(size))
    x, u = rng.standard_normal((2, 2, 3, *size))
    mean = adaptive_pooling.average(HOST, x, out)
    best, index = adaptive_pooling.maximum(np, x, out)
    for at in np.ndindex(*out):
        part = x[
            (..., *(slice(i * n // o, -(-(i + 1) * n // o)) for i, n, o in zip(at, size, out)))
        ].reshape(2, 3, -1)
        close(mean[(..., *at)], part.mean(-1), atol=0)
        np.testing.assert_array_equal(best[(..., *at)], part.max(-1))
    np.testing.assert_array_equal(pooling.take_at(np, x, index, len(size)), best)
    g = rng.standard_normal(mean.shape)
    back = adaptive_pooling.average_gradient(HOST, g, size)
    close((back * u).sum(), (g * adaptive_pooling.average(HOST, u, out)).sum(), atol=0)


@pytest.mark.parametrize("block", [1, 100, 1 << 30])
def test_result_does_not_depend_on_the_block(block, monkeypatch):
    rng = np.random.default_rng(5)
    x = rng.standard_normal((3, 2, 7, 7))
    options = ((3, 2), (2, 1), ((1, 1), (0, 1)))
    expected = pooling.maximum(np, x, *options, (1, 1)), pooling.average(HOST, x, *options)
    monkeypatch.setattr(pooling, "BLOCK", block)
    np.testing.assert_array_equal(pooling.maximum(np, x, *options, (1, 1)), expected[0])
    np.testing.assert_array_equal(pooling.average(HOST, x, *options), expected[1])


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float32])
def test_padding_never_wins(dtype):
    x = np.full((1, 1, 3, 3), np.iinfo(dtype).min if dtype != np.float32 else -np.inf, dtype)
    y, index = maximum_with_index(np, x, (3, 3), (1, 1), ((1, 1),) * 2, (1, 1))
    assert y.dtype == dtype and (y == x).all() and index.min() >= 0


@pytest.mark.parametrize("n, k, s, d", list(product((5, 8, 9), (1, 2, 3, 4), (1, 2, 3), (1, 2))))
def test_same_padding_gives_one_output_per_step(n, k, s, d):
    (pads,) = pooling.resolve_pads("SAME", (n,), (k,), (s,), (d,))
    assert 0 <= pads[1] - pads[0] <= 1
    (out,) = pooling.output_size((n,), (k,), (s,), (pads,), (d,))
    assert out == -(-n // s) or pads == (0, 0)


def test_other_padding_modes():
    assert pooling.resolve_pads("valid", (5, 5), (3, 3), (1, 1), (1, 1)) == ((0, 0), (0, 0))
    assert pooling.resolve_pads("pad", (5,), (3,), (1,), (1,), [(1, 2)]) == ((1, 2),)


def test_put_at_writes_where_take_at_reads():
    y = np.arange(6.0).reshape(1, 2, 3) + 1
    index = np.array([[[0, 3, 5], [2, 1, 4]]])
    wide = pooling.put_at(np, y, index, (3, 3))
    assert wide.shape == (1, 3, 3)
    np.testing.assert_array_equal(pooling.take_at(np, wide, index, 2), y)
    assert (wide != 0).sum() == 6
