"""Arrays joined along an axis. NumPy's `concatenate` copies element by element; where each array
gives a short row at a time, such as the four corners of a box, whole rows are copied here."""

import math

import numpy

from ..thresholds import Least, Most


def concatenate(xp, x, axis=0):
    """Computes NumPy's `concatenate` of a list of arrays."""
    if axis and type(x[0]) is numpy.ndarray and x[0].size >= Least.JOINED_ROWS:
        out = _joined_rows(x, axis)
        if out is not None:
            return out
    return xp.module.concatenate(x, axis)


def _joined_rows(arrays, axis):
    """Returns the arrays of the host joined along an axis, copied row by row; None if NumPy copies
    them faster, or has to reject them."""
    first = arrays[0]
    shape, dtype = first.shape, first.dtype
    if type(axis) is not int or not -len(shape) < axis < len(shape) or dtype.hasobject:
        return None
    axis %= len(shape)
    outer, inner = shape[:axis], shape[axis + 1 :]
    rows, item = math.prod(outer), math.prod(inner) * first.itemsize
    if not axis or rows < Least.JOINED_ROWS:
        return None
    for x in arrays:
        if type(x) is not numpy.ndarray or x.dtype != dtype or not x.flags.c_contiguous:
            return None
        if x.shape[:axis] != outer or x.shape[axis + 1 :] != inner:
            return None
        if not 4 < x.shape[axis] * item <= Most.JOINED_ROW:
            return None
    lengths = [x.shape[axis] for x in arrays]
    out = numpy.empty((*outer, sum(lengths), *inner), dtype)
    target, start = out.reshape(rows, -1).view(numpy.uint8), 0
    for x, length in zip(arrays, lengths):
        width = length * item
        row = numpy.dtype((numpy.void, width))
        part = target[:, start : start + width]
        part.view(row)[...] = x.reshape(rows, -1).view(row)
        start += width
    return out
