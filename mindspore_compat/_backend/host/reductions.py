"""Sums, extremes and products of large arrays of the host over axes, which threads share.

How an array is cut depends on its shape and order of memory alone. Where what is left is long
enough, each piece has some of it, and the bits are NumPy's. Otherwise the elements that are added
are cut into blocks, whose sums are added in turn, at least as accurately as NumPy does: it adds
leading axes one row after the other. The sums of leading axes are products with ones, which are
several times as fast where rows are short; those of float32 have a compiled loop
(loops/sums.py).
"""

import math

import numpy

from ..compiled import door
from ..threads.scheduler import hold, run
from ..thresholds import Least, Most
from .ufuncs import pieces

ROWS = 256  # rows added by one product with ones
BLOCK = 1 << 14  # elements of a block of a sum over all that lies together


def reducer(ufunc):
    """The function of a space that reduces by a ufunc, as `reduced` does for large arrays."""

    def call(x, axis=None, dtype=None, keepdims=False):
        if type(x) is numpy.ndarray and x.nbytes >= Least.REDUCE and x.ndim:
            return reduced(ufunc, x, axis, dtype, keepdims)
        return ufunc.reduce(x, axis, dtype, None, keepdims)

    return call


def reduced(ufunc, x, axis, dtype, keepdims):
    """`ufunc.reduce(x, axis, dtype, None, keepdims)`, for an array.

    Args:
        ufunc (numpy.ufunc): add, multiply, maximum or minimum.
        axis: an int, a tuple of ints or None, for all.
        dtype: of the result; None for NumPy's choice.
        keepdims (bool): whether the axes that are reduced stay, of length 1.
    """
    looped = ufunc is numpy.add and x.nbytes >= Least.REDUCE_LOOP and door.find("sum", x)
    least = Least.REDUCE if x.shape[-1] <= Most.REDUCE_NARROW else Least.REDUCE_THREADS
    if not looped and x.nbytes < least:
        return ufunc.reduce(x, axis, dtype, None, keepdims)
    axes = _axes(axis, x.ndim)
    order = sorted(range(x.ndim), key=lambda each: -abs(x.strides[each]))
    lying = x.transpose(order)
    if axes is None or not lying.flags.c_contiguous or not _known(ufunc, x.dtype, dtype):
        return ufunc.reduce(x, axis, dtype, None, keepdims)
    groups = _groups([(x.shape[each], each in axes) for each in order])
    found = _by_groups(ufunc, lying.reshape([length for length, _ in groups]), groups, dtype)
    if found is None:
        return ufunc.reduce(x, axis, dtype, None, keepdims)
    found = found.reshape([1 if each in axes else x.shape[each] for each in order])
    found = found.transpose(numpy.argsort(order))
    return found if keepdims else found.squeeze(tuple(axes))[()]


def _axes(axis, rank):
    """The axes as a set of numbers from 0 on; None for wrong ones, and for none at all."""
    given = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if not all([isinstance(each, int) and -rank <= each < rank for each in given]):
        return None
    found = {each % rank for each in given}
    return found if 0 < len(found) == len(given) else None


def _known(ufunc, given, dtype):
    """True for dtypes whose partial results lose nothing: they are summed in what they are."""
    wide = given.kind in "fc" and given.itemsize >= 4
    return (wide or given.kind in "biu") and (dtype is None or wide and given == dtype)


def _groups(axes):
    """Neighbouring axes that are all reduced, or all stay, as one: (length, whether reduced)."""
    found = []
    for length, gone in axes:
        if length == 1:
            continue
        if found and found[-1][1] == gone:
            found[-1] = (found[-1][0] * length, gone)
        else:
            found.append((length, gone))
    return found


def _by_groups(ufunc, x, groups, dtype):
    """The reduction of a contiguous array with one axis for each group; None to leave it to NumPy.

    The last axes that are reduced go first, so that what is left becomes small.
    """
    cuts = ufunc.__name__ != "multiply"  # a product of parts may overflow where the whole does not
    while any([gone for _, gone in groups]):
        last = max(number for number, (_, gone) in enumerate(groups) if gone)
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
    """A matrix reduced along its rows."""
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
    return _joined(ufunc, parts)


def _joined(ufunc, parts):
    """The results of parts, the second axis, reduced; sums of float32 are rounded once."""
    if ufunc is numpy.add and parts.dtype == numpy.float32:
        return numpy.add.reduce(parts, 1, numpy.float64).astype(numpy.float32)
    return ufunc.reduce(parts, 1)


def _along(ufunc, x, dtype):
    """The reduction of the last axis, in pieces of the others."""
    kind = ufunc.reduce(x[(slice(0, 1),) * x.ndim], -1, dtype).dtype
    out = numpy.empty(x.shape[:-1], kind)
    indices = pieces(out.shape, x.size)

    def work(number):
        ufunc.reduce(x[indices[number]], -1, dtype, out[indices[number]])

    run(work, len(indices))
    return out


def _columns(ufunc, x, dtype, cuts):
    """Stacks of matrices, each reduced to the sums of its columns."""
    stacks, rows, columns = x.shape
    if not cuts:
        return None
    whole = rows // ROWS
    blocks = x[:, : whole * ROWS].reshape(stacks, whole, ROWS, columns)
    kind = ufunc.reduce(x[:1, :1, :1], 1, dtype).dtype
    found = numpy.empty((stacks, whole + (whole * ROWS < rows), columns), kind)
    product = ufunc is numpy.add and x.dtype.char in "fd"

    def reduce(part, out):
        if product:
            numpy.matmul(numpy.ones((1, part.shape[-2]), x.dtype), part, out=out[..., None, :])
        else:
            ufunc.reduce(part, -2, dtype, out)

    indices = pieces(found[:, :whole].shape[:2], x.size) if whole else []

    def work(number):
        if number < len(indices):
            reduce(blocks[indices[number]], found[:, :whole][indices[number]])
        else:
            reduce(x[:, whole * ROWS :], found[:, whole])

    count = len(indices) + (found.shape[1] > whole)
    if x.nbytes >= Least.REDUCE_THREADS:
        run(work, count)
    else:
        with hold:
            for number in range(count):
                work(number)
    return _joined(ufunc, found)
