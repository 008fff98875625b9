"""Conversion of indices: negative ones, and masks and indices along an axis to positions in flat
memory; the copy of an array that is written at indices.
"""

import functools
import math

import numpy

from ..compiled.jit import is_repeated
from ..thresholds import Least, Most

_UNSIGNED = {size: numpy.dtype(f"u{size}") for size in (1, 2, 4, 8)}


def from_zero(indices, low, count):
    """Converts indices in [-count, count), whose minimum is `low`, to int64 in [0, count)."""
    indices = indices.astype(numpy.int64, copy=False)
    return indices if low >= 0 else numpy.where(indices < 0, indices + count, indices)


def at_mask(x, mask):
    """Returns a view of `x` whose first axis stands for the axes of a bool `mask`, and the places
    of the mask on it; `x` itself and None if NumPy handles the mask as fast.

    NumPy branches at each element of a mask, which takes four times as long if the processor cannot
    predict the branches.
    """
    if type(x) is not numpy.ndarray or mask.size < Least.MASK:
        return x, None
    if not x.flags.c_contiguous or x.shape[: mask.ndim] != mask.shape:
        return x, None
    flat, rest = mask.reshape(-1), x.shape[mask.ndim :]
    if not rest and numpy.count_nonzero(flat) > flat.size * Most.MASK_SHARE:
        return x, None
    return x.reshape(flat.size, *rest), flat.nonzero()[0]


def nonzero(x):
    """Computes NumPy's `nonzero`. It finds places in flat memory, because NumPy branches at each
    element of a multi-dimensional array."""
    if type(x) is not numpy.ndarray or x.ndim < 2 or x.size < Least.MASK:
        return x.nonzero()
    places, axes = x.reshape(-1).nonzero()[0], []
    for length in x.shape[:0:-1]:
        rows = places // length
        axes.append(places - rows * length)
        places = rows
    return places, *axes[::-1]


def are_within(indices, length):
    """Returns True if all integers of an array are in [0, length), in one pass: negative integers
    are large numbers if they are read as unsigned.
    """
    return numpy.maximum.reduce(indices.view(_UNSIGNED[indices.itemsize]), None) < length


def flat_along(shape, indices, axis):
    """Returns the positions of the elements that NumPy's `take_along_axis` reads, in the memory of
    a contiguous array of this shape. Returns None for many indices, for a negative one or one out
    of range, and for shapes that differ in another axis."""
    if not 0 < indices.size <= Most.ALONG_FLAT or indices.dtype.kind not in "iu":
        return None
    layout = _layout(shape, indices.shape, axis)
    if layout is None or not are_within(indices, layout[0]):
        return None
    _, inner, starts = layout
    indices = indices.astype(numpy.int64, copy=False)
    return (indices if inner == 1 else indices * inner) + starts


def positions_along(shape, indices, axis):
    """Returns the positions of `flat_along` for int64 indices in [0, length) that fit the shape."""
    _, inner, starts = _layout(shape, indices.shape, axis)
    return (indices if inner == 1 else indices * inner) + starts


@functools.lru_cache(maxsize=256)
def _layout(shape, indices_shape, axis):
    """Returns the length of an axis, its stride in elements, and the positions of its elements at
    index 0. Returns None if there is no such axis, and for shapes that differ in another axis."""
    if not -len(shape) <= axis < len(shape):
        return None
    axis %= len(shape)
    if indices_shape[:axis] + shape[axis : axis + 1] + indices_shape[axis + 1 :] != shape:
        return None
    return shape[axis], math.prod(shape[axis + 1 :]), _starts(shape, axis)


@functools.lru_cache(maxsize=256)
def _starts(shape, axis):
    """Returns the positions of the elements at index 0 of an axis, with that axis kept."""
    inner = math.prod(shape[axis + 1 :])
    outer = numpy.arange(math.prod(shape[:axis]), dtype=numpy.int64) * (shape[axis] * inner)
    starts = outer[:, None] + numpy.arange(inner, dtype=numpy.int64)
    starts = starts.reshape(*shape[:axis], 1, *shape[axis + 1 :])
    starts.flags.writeable = False
    return starts


def is_zeros(x):
    """Returns True for an array on the host whose elements are all the same zero in memory, such as
    the initial gradient of a gather."""
    return type(x) is numpy.ndarray and x.size > 0 and is_repeated(x) and not x.item(0)


def copied(x):
    """Returns a contiguous copy of an array on the host. Zeros cost no copy."""
    return numpy.zeros(x.shape, x.dtype) if is_zeros(x) else numpy.array(x, order="C")
