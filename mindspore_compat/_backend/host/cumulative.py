"""Cumulative sums along an axis of large arrays of the host, with NumPy's bits.

NumPy writes each sum and reads it back for the next, and where the axis is not the last one it goes
through memory in steps. Here whole rows are added where elements of other axes lie beside each
other, and along the last axis a compiled loop keeps the sum in a register. Threads share both.
Mirrored arrays, which a gradient is a cumulative sum of, are taken as they are.
"""

import math

import numpy

from ..compiled import door
from ..threads import scheduler
from ..thresholds import Least

PIECE = 1 << 15  # elements of a piece of rows, about
WIDEST = 1 << 12  # elements beside each other in a piece


def cumsum(xp, x, axis=None):
    """NumPy's `cumsum`."""
    large = type(x) is numpy.ndarray and x.size >= Least.CUMSUM
    if large and x.dtype.char in "fd" and axis is not None:
        found = _summed(x, axis % x.ndim) if -x.ndim <= axis < x.ndim else None
        if found is not None:
            return found
    return xp.module.cumsum(x, axis)


def _summed(x, axis):
    """The sums; None where NumPy is left to find them."""
    mirror = (slice(None),) * axis + (slice(None, None, -1),)
    backwards = not x.flags.c_contiguous
    rows = x[mirror] if backwards else x
    if not rows.flags.c_contiguous:
        return None
    length = x.shape[axis]
    out = numpy.empty(x.shape, x.dtype)
    stacks = [
        each.reshape(math.prod(x.shape[:axis]), length, math.prod(x.shape[axis + 1 :]))
        for each in (rows, out)
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
    """Writes the sums along the middle one of three axes."""
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
    """Writes the sums along rows that are contiguous; False where NumPy is left to do so."""
    count, length = x.shape[:2]
    if x.nbytes < Least.UFUNC or count == 1:
        return False
    ways = slice(None, None, -1 if backwards else 1)
    x, out = (each.reshape(count, length)[:, ways] for each in (x, out))
    parts = scheduler.blocks(count, max(PIECE // length, 1))
    scheduler.run(
        lambda number: numpy.add.accumulate(x[parts[number]], 1, out=out[parts[number]]), len(parts)
    )
    return True
