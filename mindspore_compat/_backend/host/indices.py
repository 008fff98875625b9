"""Indices as loops and flat memory take them."""

import numpy


def from_zero(indices, low, count):
    """Indices in [-count, count), the least of which is `low`, as int64 from 0 on."""
    indices = indices.astype(numpy.int64, copy=False)
    return indices if low >= 0 else numpy.where(indices < 0, indices + count, indices)
