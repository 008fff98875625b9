"""Triangles of NumPy arrays: NumPy's `tril` and `triu`, which compare and select every element."""

import functools

import numpy

MASKED = 1 << 14  # elements, at most, for which one mask of a whole matrix costs less than blocks
_BLOCK = 64  # rows


@functools.lru_cache(maxsize=64)
def _mask(rows, columns, k):
    return numpy.tri(rows, columns, k, bool)


def _is_small(x):
    return x.size <= MASKED or max(x.shape[-2:]) <= _BLOCK


def tril(x, k=0):
    """Computes NumPy's `tril`."""
    if type(x) is not numpy.ndarray or type(k) is not int or x.ndim < 2:
        return numpy.tril(x, k)
    if _is_small(x):
        return numpy.where(_mask(*x.shape[-2:], k), x, numpy.zeros(1, x.dtype))
    return _by_blocks(x, k, True)


def triu(x, k=0):
    """Computes NumPy's `triu`."""
    if type(x) is not numpy.ndarray or type(k) is not int or x.ndim < 2:
        return numpy.triu(x, k)
    if _is_small(x):
        return numpy.where(_mask(*x.shape[-2:], k - 1), numpy.zeros(1, x.dtype), x)
    return _by_blocks(x, k - 1, False)


def _by_blocks(x, k, is_lower):
    """Returns `x` with zeros on one side of diagonal `k`, which belongs to the lower side: of each
    block of rows the columns left of the diagonal, those that it crosses, and those right of it."""
    rows, columns = x.shape[-2:]
    out = numpy.empty(x.shape, x.dtype)
    zero = numpy.zeros(1, x.dtype)
    for first in range(0, rows, _BLOCK):
        last = min(first + _BLOCK, rows)
        left = min(max(first + k + 1, 0), columns)
        right = min(max(last + k, 0), columns)
        source, block = x[..., first:last, :], out[..., first:last, :]
        block[..., :left] = source[..., :left] if is_lower else zero
        block[..., right:] = zero if is_lower else source[..., right:]
        if left < right:
            mask = _mask(last - first, right - left, first + k - left)
            crossed = source[..., left:right]
            choices = (crossed, zero) if is_lower else (zero, crossed)
            block[..., left:right] = numpy.where(mask, *choices)
    return out
