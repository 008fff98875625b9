"""Conversion of negative indices, for loops and flat memory."""

import numpy


def from_zero(indices, low, count):
    """Converts indices in [-count, count), whose minimum is `low`, to int64 in [0, count)."""
    indices = indices.astype(numpy.int64, copy=False)
    return indices if low >= 0 else numpy.where(indices < 0, indices + count, indices)
