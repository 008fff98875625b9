"""Cumulative sums and products along an axis, and recurrences.

Sums of large arrays on the host are bitwise equal to NumPy's. NumPy writes each sum and reads it
back for the next; along an axis other than the last it also strides through memory. Here whole rows
are added if the axis is not the last, and a compiled loop keeps the sum in a register if it is.
Threads share both. Reversed arrays, which occur in gradients, are not copied.
"""

import math

import numpy

from ..compiled import door
from ..threads import scheduler
from ..thresholds import Least

PIECE = 1 << 15  # elements of a piece of rows, about
WIDEST = 1 << 12  # adjacent elements in a piece
SPAN = 64  # steps of a recurrence that array functions take one after another


def cumsum(xp, x, axis=None):
    """Computes NumPy's `cumsum`."""
    large = type(x) is numpy.ndarray and x.size >= Least.CUMSUM
    if large and x.dtype.char in "fd" and axis is not None:
        sums = _sum_large(x, axis % x.ndim) if -x.ndim <= axis < x.ndim else None
        if sums is not None:
            return sums
    return xp.module.cumsum(x, axis)


def _sum_large(x, axis):
    """Returns the cumulative sums of a large array along an axis; None if NumPy should compute
    them."""
    mirror = (slice(None),) * axis + (slice(None, None, -1),)
    backwards = not x.flags.c_contiguous
    rows = x[mirror] if backwards else x
    if not rows.flags.c_contiguous:
        return None
    length = x.shape[axis]
    out = numpy.empty(x.shape, x.dtype)
    stacks = [
        array.reshape(math.prod(x.shape[:axis]), length, math.prod(x.shape[axis + 1 :]))
        for array in (rows, out)
    ]
    beside, size = stacks[0].shape[2], stacks[0][0].size
    if beside == 1:
        if door.call("cumsum", *stacks, backwards) is None and not _along_rows(*stacks, backwards):
            return None
    elif beside >= Least.CUMSUM_BESIDE and size >= Least.CUMSUM_STACK:
        _add_rows(*stacks, backwards)
    else:
        return None
    return out[mirror] if backwards else out


def _add_rows(x, out, backwards):
    """Writes the cumulative sums along the middle axis of a 3-D array to `out`, adding whole
    rows."""
    count, length, width = x.shape
    parts = [
        (number, slice(None), part)
        for number in range(count)
        for part in scheduler.blocks(width, WIDEST)
    ]
    order = range(length - 1, -1, -1) if backwards else range(length)

    def work(number):
        rows, sums = x[parts[number]], out[parts[number]]
        before = order[0]
        sums[before] = rows[before]
        for row in order[1:]:
            numpy.add(sums[before], rows[row], out=sums[row])
            before = row

    scheduler.run(work, len(parts))


def _along_rows(x, out, backwards):
    """Writes the cumulative sums along contiguous rows to `out`; returns False if NumPy should
    compute them."""
    count, length = x.shape[:2]
    if x.nbytes < Least.UFUNC or count == 1:
        return False
    ways = slice(None, None, -1 if backwards else 1)
    x, out = (array.reshape(count, length)[:, ways] for array in (x, out))
    parts = scheduler.blocks(count, max(PIECE // length, 1))
    scheduler.run(
        lambda number: numpy.add.accumulate(x[parts[number]], 1, out=out[parts[number]]), len(parts)
    )
    return True


def cumprod(xp, x, axis=None):
    """Computes NumPy's `cumprod`."""
    if type(x) is not numpy.ndarray:
        return xp.module.cumprod(x, axis)
    if axis is not None and axis in (-1, x.ndim - 1):
        if (products := door.call("cumprod", x)) is not None:
            return products
    return x.cumprod(axis)


def products_of_others(xp, x):
    """Returns, for each element, the product of all other elements along the last axis: of those
    before it, times those after it. This is exact even for elements that are 0."""
    if type(x) is numpy.ndarray and (products := door.call("products_of_others", x)) is not None:
        return products
    ones = xp.ones_like(x[..., :1])
    before = xp.cumprod(xp.concatenate([ones, x[..., :-1]], -1), -1)
    after = xp.cumprod(xp.concatenate([ones, xp.flip(x, -1)[..., :-1]], -1), -1)
    return before * xp.flip(after, -1)


def linear_recurrence(xp, factors, terms, axis):
    """Computes y[i] = factors[i] * y[i - 1] + terms[i] along an axis, and y[0] = terms[0].

    Array functions take the steps of all spans of `SPAN` elements at the same time, and then carry
    the last element of each span into the next one. The work is proportional to the elements.
    """
    if (result := door.call("linear_recurrence", factors, terms, axis)) is not None:
        return result
    factors, terms = (xp.moveaxis(x, axis, 0) for x in (factors, terms))
    return xp.moveaxis(_recurrence(xp, factors, terms), 0, axis)


def _recurrence(xp, factors, terms):
    """Returns `linear_recurrence` along the first axis."""
    length = terms.shape[0]
    if length <= 2 * SPAN:
        return _steps(xp, factors, terms)[0]
    count = length // SPAN
    spans = [
        xp.ascontiguousarray(
            xp.swapaxes(xp.reshape(x[: count * SPAN], (count, SPAN, *x.shape[1:])), 0, 1)
        )
        for x in (factors, terms)
    ]
    sums, products = _steps(xp, *spans, True)
    before = _recurrence(xp, products[-1], sums[-1])[:-1]
    carried = xp.concatenate([sums[:, :1], sums[:, 1:] + products[:, 1:] * before], 1)
    out = xp.reshape(xp.swapaxes(carried, 0, 1), (-1, *terms.shape[1:]))
    if count * SPAN == length:
        return out
    rest = xp.concatenate([out[-1:], terms[count * SPAN :]], 0)
    rest = _steps(xp, factors[count * SPAN - 1 :], rest)[0]
    return xp.concatenate([out, rest[1:]], 0)


def _steps(xp, factors, terms, products=False):
    """Computes the recurrence along the first axis step by step.

    Returns the results, and the cumulative products of `factors` (only if `products` is true).
    """
    sums, totals = [terms[0]], [factors[0]]
    for i in range(1, terms.shape[0]):
        sums.append(factors[i] * sums[-1] + terms[i])
        if products:
            totals.append(totals[-1] * factors[i])
    return xp.stack(sums, 0), xp.stack(totals, 0) if products else None
