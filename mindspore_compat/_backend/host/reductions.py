"""Reductions of large arrays on the host over axes, shared by threads: sum, prod, max and min.

NumPy computes the product of a row element by element, and each multiplication waits for the one
before. A compiled loop (loops/cumulative.py) takes eight rows at a time.

The pieces depend on the shape and memory order of the array alone. If the remaining axes are long
enough, they are divided among the pieces, and results are bitwise equal to NumPy's. Otherwise the
reduced elements are cut into blocks, whose sums are then added. That is at least as accurate as
NumPy, which adds leading axes one row after the other. Sums over leading axes are products with
ones, several times as fast for short rows. Sums of float32 have compiled loops
(loops/row_reductions.py).
"""

import math

import numpy

from ..compiled import door
from ..threads.scheduler import hold, run
from ..thresholds import Least, Most
from .ufuncs import pieces

_EXTREMES = numpy.maximum, numpy.minimum
RUN = 1 << 13  # bytes of the runs of rows that are compared at once
ROWS = 256  # rows added by one product with ones
BLOCK = 1 << 14  # elements of a block in a sum of contiguous elements


def reducer(ufunc):
    """Returns a function that reduces an array with `ufunc`: by `reduce_large` if the array is
    large, otherwise by NumPy's reduction."""

    def call(x, axis=None, dtype=None, keepdims=False):
        if type(x) is not numpy.ndarray or not x.ndim:
            return ufunc.reduce(x, axis, dtype, None, keepdims)
        if ufunc is numpy.multiply and x.size >= Least.PROD and dtype is None:
            products = _products_of_rows(x, axis, keepdims)
            if products is not None:
                return products
        if dtype is None and x.size >= Least.ROWS_LOOP:
            result = None
            if axis is None:
                if ufunc is numpy.add and x.size >= Least.SUM_LOOP:
                    result = _total(x, keepdims)
            elif axis == x.ndim - 1 or axis == -1 or type(axis) is tuple:
                result = _reduce_rows(ufunc, x, axis, keepdims)
            if result is not None:
                return result
        few = x.nbytes < Least.REDUCE_THREADS or x.shape[-1] <= Most.REDUCE_NARROW
        if few and ufunc in _EXTREMES and dtype is None and type(axis) is int:
            result = _extreme_of_columns(ufunc, x, axis, keepdims)
            if result is not None:
                return result
        if x.nbytes >= Least.REDUCE:
            return reduce_large(ufunc, x, axis, dtype, keepdims)
        return ufunc.reduce(x, axis, dtype, None, keepdims)

    return call


_sum = reducer(numpy.add)


def mean(x, axis=None, dtype=None, keepdims=False):
    """Computes NumPy's `mean`: the quotient of the sum and the number of elements."""
    if type(x) is not numpy.ndarray or x.dtype.char not in "fd" or dtype is not None or not x.size:
        return numpy.mean(x, axis, dtype, keepdims=keepdims)
    total = _sum(x, axis, None, keepdims)
    return total / (x.size // total.size)


def _total(x, keepdims):
    """Returns the sum of all elements by a compiled loop; None if NumPy should compute it."""
    total = door.call("total", x.reshape(-1)) if x.flags.c_contiguous else None
    return total.reshape((1,) * x.ndim) if keepdims and total is not None else total


def _reduce_rows(ufunc, x, axis, keepdims):
    """Returns the sums, maxima or minima along the last axis by a compiled loop; None if NumPy
    should compute them."""
    if x.dtype != numpy.float32 or _axes(axis, x.ndim) != {x.ndim - 1} or x.ndim < 2:
        return None
    rows = x.reshape(-1, x.shape[-1]) if x.flags.c_contiguous else None
    if rows is None or len(rows) < 4:  # the parts of a few long rows are shared by threads
        return None
    if ufunc is numpy.add:
        out = door.call("row_sums", rows)
    elif ufunc in (numpy.maximum, numpy.minimum):
        out = door.call("extreme_of_rows", rows, ufunc is numpy.maximum)
    else:
        return None
    if out is None:
        return None
    return out.reshape((*x.shape[:-1], 1) if keepdims else x.shape[:-1])


def _extreme_of_columns(ufunc, x, axis, keepdims):
    """Returns the maxima or minima along an axis other than the last, by comparing runs of several
    rows with each other first, because NumPy starts a loop for each row that it compares. Returns
    None if NumPy should compute them."""
    if not (-x.ndim <= axis < x.ndim and x.size and x.flags.c_contiguous):
        return None
    axis %= x.ndim
    if axis == x.ndim - 1:  # NumPy compares the elements of a row by vector instructions
        return None
    before, length, after = x.shape[:axis], x.shape[axis], x.shape[axis + 1 :]
    outer, inner = math.prod(before), math.prod(after)
    rows = min(RUN // (inner * x.itemsize), math.isqrt(length))  # of a run
    if rows < 2 or outer * (length - length // rows - rows) < Least.EXTREME_ROWS:
        return None
    x, whole = x.reshape(outer, length, inner), length // rows * rows
    runs = ufunc.reduce(x[:, :whole].reshape(outer, -1, rows * inner), 1)
    out = ufunc.reduce(runs.reshape(outer, rows, inner), 1)
    if whole < length:
        out = ufunc(out, ufunc.reduce(x[:, whole:], 1), out=out)
    return out.reshape((*before, 1, *after) if keepdims else before + after)


def _products_of_rows(x, axis, keepdims):
    """Returns the products along the last axis; None if NumPy should compute them."""
    if _axes(axis, x.ndim) != {x.ndim - 1} or not x.flags.c_contiguous:
        return None
    products = door.call("prod", x.reshape(-1, x.shape[-1]))
    if products is None:
        return None
    return products.reshape((*x.shape[:-1], 1) if keepdims else x.shape[:-1])


def reduce_large(ufunc, x, axis, dtype, keepdims):
    """Returns `ufunc.reduce(x, axis, dtype, None, keepdims)`, for an array.

    Args:
        ufunc (numpy.ufunc): add, multiply, maximum or minimum.
        axis: an int, a tuple of ints, or None for all axes.
        dtype: the dtype of the result; None for NumPy's choice.
        keepdims (bool): whether reduced axes stay, with length 1.
    """
    looped = ufunc is numpy.add and x.nbytes >= Least.REDUCE_LOOP and door.find("sum", x)
    least = Least.REDUCE if x.shape[-1] <= Most.REDUCE_NARROW else Least.REDUCE_THREADS
    if not looped and x.nbytes < least:
        return ufunc.reduce(x, axis, dtype, None, keepdims)
    axes = _axes(axis, x.ndim)
    order = sorted(range(x.ndim), key=lambda number: -abs(x.strides[number]))
    contiguous = x.transpose(order)
    if axes is None or not contiguous.flags.c_contiguous or not _is_lossless(x.dtype, dtype):
        return ufunc.reduce(x, axis, dtype, None, keepdims)
    groups = _groups([(x.shape[number], number in axes) for number in order])
    out = _by_groups(ufunc, contiguous.reshape([length for length, _ in groups]), groups, dtype)
    if out is None:
        return ufunc.reduce(x, axis, dtype, None, keepdims)
    out = out.reshape([1 if number in axes else x.shape[number] for number in order])
    out = out.transpose(numpy.argsort(order))
    return out if keepdims else out.squeeze(tuple(axes))[()]


def _axes(axis, rank):
    """Returns the set of axes as numbers in [0, rank); None if they are invalid or there are
    none."""
    numbers = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if not all([isinstance(number, int) and -rank <= number < rank for number in numbers]):
        return None
    axes = {number % rank for number in numbers}
    return axes if 0 < len(axes) == len(numbers) else None


def _is_lossless(source, dtype):
    """Returns True if an array of dtype `source` can be reduced to `dtype` in parts without losing
    precision; float16 cannot."""
    wide = source.kind in "fc" and source.itemsize >= 4
    return (wide or source.kind in "biu") and (dtype is None or wide and source == dtype)


def _groups(axes):
    """Merges adjacent axes that are all reduced, or all kept. Takes and returns pairs (length,
    whether reduced)."""
    groups = []
    for length, reduced in axes:
        if length == 1:
            continue
        if groups and groups[-1][1] == reduced:
            groups[-1] = (groups[-1][0] * length, reduced)
        else:
            groups.append((length, reduced))
    return groups


def _by_groups(ufunc, x, groups, dtype):
    """Reduces a contiguous array over groups of axes, as `_groups` returns them. Returns None if
    NumPy should reduce it.

    The last reduced axis is reduced first, so that the rest becomes small.
    """
    cuts = ufunc.__name__ != "multiply"  # a product of parts may overflow where the whole does not
    while any([reduced for _, reduced in groups]):
        last = max(number for number, (_, reduced) in enumerate(groups) if reduced)
        lead = math.prod([length for length, _ in groups[:last]])
        view = x.reshape(lead, groups[last][0], -1)
        narrow = 1 < view.shape[2] <= Most.REDUCE_NARROW
        sums = door.call("sum", view) if ufunc is numpy.add else None
        if sums is not None:
            x = sums
        elif x.nbytes < (Least.REDUCE if narrow else Least.REDUCE_THREADS):
            x = ufunc.reduce(view, 1, dtype)
        elif view.shape[2] == 1:
            x = _rows(ufunc, view[:, :, 0], dtype, cuts)
        else:
            x = _columns(ufunc, view, dtype, cuts)
        if x is None:
            return None
        groups = groups[:last] + groups[last + 1 :]
    return x


def _rows(ufunc, x, dtype, cuts):
    """Reduces each row of a matrix to one element. Returns None if NumPy should do it."""
    rows, length = x.shape
    if rows >= 4 or length < BLOCK:
        return _along(ufunc, x, dtype)
    if not cuts:
        return None
    whole = length // BLOCK
    parts = _along(ufunc, x[:, : whole * BLOCK].reshape(rows, whole, BLOCK), dtype)
    if whole * BLOCK < length:
        rest = ufunc.reduce(x[:, whole * BLOCK :], 1, dtype, keepdims=True)
        parts = numpy.concatenate([parts, rest], 1)
    return _combine(ufunc, parts)


def _combine(ufunc, parts):
    """Reduces the partial results along the second axis of `parts`. Sums of float32 are added in
    float64 and rounded once."""
    if ufunc is numpy.add and parts.dtype == numpy.float32:
        return numpy.add.reduce(parts, 1, numpy.float64).astype(numpy.float32)
    return ufunc.reduce(parts, 1)


def _along(ufunc, x, dtype):
    """Reduces the last axis; threads share pieces of the other axes."""
    kind = ufunc.reduce(x[(slice(0, 1),) * x.ndim], -1, dtype).dtype
    out = numpy.empty(x.shape[:-1], kind)
    indices = pieces(out.shape, x.size)

    def work(number):
        ufunc.reduce(x[indices[number]], -1, dtype, out[indices[number]])

    run(work, len(indices))
    return out


def _columns(ufunc, x, dtype, cuts):
    """Reduces the middle axis of an array (stacks, rows, columns); None if NumPy should."""
    stacks, rows, columns = x.shape
    if not cuts:
        return None
    whole = rows // ROWS
    blocks = x[:, : whole * ROWS].reshape(stacks, whole, ROWS, columns)
    kind = ufunc.reduce(x[:1, :1, :1], 1, dtype).dtype
    sums = numpy.empty((stacks, whole + (whole * ROWS < rows), columns), kind)
    product = ufunc is numpy.add and x.dtype.char in "fd"

    def reduce(part, out):
        if product:
            numpy.matmul(numpy.ones((1, part.shape[-2]), x.dtype), part, out=out[..., None, :])
        else:
            ufunc.reduce(part, -2, dtype, out)

    indices = pieces(sums[:, :whole].shape[:2], x.size) if whole else []

    def work(number):
        if number < len(indices):
            reduce(blocks[indices[number]], sums[:, :whole][indices[number]])
        else:
            reduce(x[:, whole * ROWS :], sums[:, whole])

    count = len(indices) + (sums.shape[1] > whole)
    if x.nbytes >= Least.REDUCE_THREADS:
        run(work, count)
    else:
        with hold:
            for number in range(count):
                work(number)
    return _combine(ufunc, sums)
