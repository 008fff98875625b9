"""Cumulative sums along an axis of large arrays of the host, bitwise equal to NumPy's.

NumPy writes each sum and reads it back for the next; along an axis other than the last it also
strides through memory. Here whole rows are added if the axis is not the last, and a compiled loop
keeps the sum in a register if it is. Threads share both. Reversed arrays, which occur in gradients,
are not copied.
"""

import math

import numpy

from ..compiled import door
from ..threads import scheduler
from ..thresholds import Least

PIECE = 1 << 15  # elements of a piece of rows, about
WIDEST = 1 << 12  # adjacent elements in a piece


def cumsum(xp, x, axis=None):
    """NumPy's `cumsum`."""
    large = type(x) is numpy.ndarray and x.size >= Least.CUMSUM
    if large and x.dtype.char in "fd" and axis is not None:
        sums = _sum_large(x, axis % x.ndim) if -x.ndim <= axis < x.ndim else None
        if sums is not None:
            return sums
    return xp.module.cumsum(x, axis)


def _sum_large(x, axis):
    """The sums, or None to leave the array to NumPy."""
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
    """Writes the sums along the middle of three axes."""
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
    """Writes the sums along contiguous rows; returns False to leave the array to NumPy."""
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
