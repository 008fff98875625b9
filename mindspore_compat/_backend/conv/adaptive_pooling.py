"""Adaptive pooling: the caller gives the output size, and windows, which may differ in length,
divide the input into that number of parts.

Every function takes the array namespace first; arrays are (..., spatial...). `average` and
`average_gradient` are each other's gradient. If all windows of a dimension have one length, means
are computed as sums and their gradient as copies. Otherwise both are products with a matrix.
"""

from functools import lru_cache
from itertools import product
from math import prod

import numpy as np

from ..bodies.row_plan import ROUNDED
from .cuda_kernels import kernels_of_parts


@lru_cache(maxsize=256)
def _edges(n, o):
    """Returns the first and one-past-last index of each of `o` windows over `n` elements."""
    if not n:
        raise ValueError("an axis that is pooled has length 0")
    return tuple((i * n // o, -(-(i + 1) * n // o)) for i in range(o))


@lru_cache(maxsize=256)
def means(n, o, dtype):
    """Returns the matrix (o, n) whose rows average the windows."""
    rows = np.zeros((o, n), dtype)
    for row, (first, last) in zip(rows, _edges(n, o)):
        row[first:last] = 1 / (last - first)
    return rows


def _apply_means(xp, x, sizes, outs, transpose):
    """Multiplies each spatial dimension of `x` by its matrix of means, or by the transpose.

    Args:
        xp: The array namespace of `x`.
        x: Array of shape (..., spatial...).
        sizes, outs: Size of the input and of the output of `average`, per spatial dimension.
        transpose: Whether `x` has the size `outs` and the result the size `sizes`.
    """
    for i, (n, o) in enumerate(zip(sizes, outs)):
        if n == o:
            continue
        axis = x.ndim - len(sizes) + i
        rows = xp.table(means, n, o, x.dtype.str)
        lines = xp.moveaxis(x, axis, -1)
        x = xp.matmul(lines, rows if transpose else rows.T)
        if type(x) is np.ndarray and not np.isfinite(x).all():
            x = _window_by_window(lines, n, o, transpose)
        x = xp.moveaxis(x, -1, axis)
    return xp.ascontiguousarray(x)


def _window_by_window(lines, n, o, transpose):
    """Multiplies as `_apply_means`, but not with the zeros of the matrix: a NaN or infinity reaches
    only the windows that contain it."""
    if not transpose:
        return np.stack([lines[..., a:b].mean(-1) for a, b in _edges(n, o)], -1)
    spread = np.zeros((*lines.shape[:-1], n), lines.dtype)
    for i, (a, b) in enumerate(_edges(n, o)):
        spread[..., a:b] += lines[..., i : i + 1] / (b - a)
    return spread


def average(xp, x, out):
    """Adaptive average pooling: returns the means over windows that divide the last len(out)
    dimensions as evenly as possible.

    Args:
        xp: The array namespace of `x`.
        x: Floating array of shape (..., spatial...).
        out: Output size per spatial dimension.

    Returns:
        Array of shape (..., out...); window i runs from floor(i n / o) to ceil((i + 1) n / o).
    """
    lead = x.shape[: x.ndim - len(out)]
    size = x.shape[len(lead) :]
    if fast := kernels_of_parts(xp, x, size, out):
        if max(out) == 1:
            return _mean_of_planes(xp, x, size).reshape(*lead, *out)
        return fast.of_parts("adaptive_average", x, out)
    if not _divide(size, out):
        return _apply_means(xp, x, size, out, False)
    if max(out, default=1) == 1:
        sums = xp.sum(x.reshape(*lead, prod(size)), -1)
    else:
        sums = x
        for axis, (n, o) in enumerate(zip(size, out), len(lead)):
            shape = sums.shape
            sums = xp.sum(sums.reshape(*shape[:axis], o, n // o, *shape[axis + 1 :]), axis + 1)
    return sums.reshape(*lead, *out) * x.dtype.type(prod(out) / prod(size))


def _mean_of_planes(xp, x, size):
    """Returns the mean of each plane, which several threads of a GPU compute together."""
    planes = x.size // prod(size)
    shape = 1, planes, prod(size)
    means = xp.bodies.rows(_row_mean, shape, (ROUNDED,), elements=(x,), area=prod(size))
    return means


def _row_mean(xp, x, *, area):
    return xp.row_sum(x) / area


def average_gradient(xp, g, size):
    """Computes the gradient of `average` for an input of spatial `size`; linear in `g`."""
    lead, out = g.shape[: g.ndim - len(size)], g.shape[g.ndim - len(size) :]
    if fast := kernels_of_parts(xp, g, size, out):
        return fast.from_parts("adaptive_gradient", g, size)
    if not _divide(size, out):
        return _apply_means(xp, g, size, out, True)
    g = g * g.dtype.type(prod(out) / prod(size))
    for axis in reversed(range(len(lead), g.ndim)):
        n, shape = size[axis - len(lead)], g.shape
        if n > shape[axis]:
            g = g.reshape(*shape[: axis + 1], 1, *shape[axis + 1 :])
            windows = (*shape[: axis + 1], n // shape[axis], *shape[axis + 1 :])
            g = xp.reshape(xp.broadcast_to(g, windows), (*shape[:axis], n, *shape[axis + 1 :]))
    return g


def _divide(size, out):
    """Returns True if, in each dimension, all windows have the same length and none is empty."""
    return all(n and o and n % o == 0 for n, o in zip(size, out))


def maximum(xp, x, out):
    """Adaptive max pooling: returns the largest value of each window, and its position.

    Args:
        xp: The array namespace of `x`.
        x: Array of shape (..., spatial...).
        out: Output size per spatial dimension.

    Returns:
        The values, (..., out...), and int64 flat positions in the spatial dimensions of `x`.
    """
    lead = x.shape[: x.ndim - len(out)]
    size = x.shape[len(lead) :]
    largest = xp.empty(lead + tuple(out), x.dtype)
    index = xp.empty(lead + tuple(out), np.int64)
    if 0 in lead:
        return largest, index
    for cell in product(*(enumerate(_edges(n, o)) for n, o in zip(size, out))):
        corner = tuple(first for _, (first, _) in cell)
        lengths = tuple(last - first for _, (first, last) in cell)
        part = x[(..., *(slice(first, last) for _, (first, last) in cell))]
        part = part.reshape(*lead, prod(lengths))
        index_tuple = (..., *(i for i, _ in cell))
        best = part.argmax(-1)
        largest[index_tuple] = part.max(-1)
        flat = 0
        for n, start, length, step in zip(size, corner, lengths, _steps(lengths)):
            flat = flat * n + best // step % length + start
        index[index_tuple] = flat
    return largest, index


def index_of_maximum(xp, x, out):
    """Returns the position of the largest value of each adaptive window."""
    if fast := kernels_of_parts(xp, x, x.shape[x.ndim - len(out) :], out):
        return fast.of_parts("index_of_adaptive_maximum", x, out, np.int64)
    return maximum(xp, x, out)[1]


def _steps(lengths):
    """Returns the row-major step of each dimension of a block."""
    return tuple(prod(lengths[i + 1 :]) for i in range(len(lengths)))
