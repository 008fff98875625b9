"""Sparse matrices with the same number of weights, the *taps*, in each row, and products with them.

The matrices are in host memory. The work is proportional to the size of the input or the output,
whichever is larger. The host multiplies small matrices as dense ones. A GPU uses another kernel
(cuda/taps.py).
"""

import math
from functools import cached_property

import numpy as np

from ..compiled import door
from ..thresholds import Most


class Taps:
    """A sparse (out, in) matrix on the host, with the same number of weights in each row.

    Args:
        index: the columns of the weights, (out, taps).
        weight: the weights, (out, taps).
        size: the number of columns.
    """

    def __init__(self, index, weight, size):
        self.index, self.weight = np.ascontiguousarray(index, np.int64), np.array(weight, float)
        self.shape = len(index), size

    @classmethod
    def of(cls, matrix):
        """Converts a dense matrix to a sparse one."""
        rows, columns = matrix.shape
        return cls(np.tile(np.arange(columns), (rows, 1)), matrix, columns).transposed.transposed

    @cached_property
    def transposed(self):
        """Returns the transposed matrix; shorter rows are padded with weights of 0."""
        rows, taps = np.nonzero(self.weight)
        if not len(rows):
            return Taps(np.zeros((self.shape[1], 1)), np.zeros((self.shape[1], 1)), self.shape[0])
        columns, weights = self.index[rows, taps], self.weight[rows, taps]
        order = np.argsort(columns, kind="stable")
        counts = np.bincount(columns, minlength=self.shape[1])
        starts = np.cumsum(counts) - counts
        at = starts[:, None] + np.arange(max(counts.max(initial=0), 1))
        real = at < (starts + counts)[:, None]
        at = order[np.where(real, at, np.minimum(starts, len(order) - 1)[:, None])]
        return Taps(rows[at], np.where(real, weights[at], 0), self.shape[0])

    @cached_property
    def whole(self):
        """Returns the matrix as a dense array."""
        matrix = np.zeros(self.shape)
        np.add.at(matrix, (np.arange(self.shape[0])[:, None], self.index), self.weight)
        return matrix


def apply_taps(xp, x, taps):
    """Returns the middle axis of `x`, which has three, multiplied by a `Taps` matrix.

    A NaN or an infinity reaches only the elements with a weight for it.
    """
    out = door.call("apply_taps", x, taps.index, taps.weight)
    if out is not None:
        return out
    if max(taps.shape) <= Most.TAPS_WHOLE * taps.index.shape[1]:
        out = _whole_product(xp, x, taps)
        # 0 times NaN is NaN, so a dense matrix spreads a NaN to all elements of the axis.
        if math.isfinite(np.add.reduce(out[:, 0], None)):
            return out
    return sum_of_taps(xp, x, taps)


def _whole_product(xp, x, taps):
    """Multiplies the middle axis of `x` by a dense matrix."""
    matrix = xp.table(_matrix, taps, x.dtype)
    if x.shape[2] == 1:
        return xp.matmul(xp.reshape(x, x.shape[:2]), matrix.T)[:, :, None]
    return xp.matmul(matrix, x)


def sum_of_taps(xp, x, taps):
    """Multiplies the middle axis of `x` by a sparse matrix, by one selection for each tap; any
    array library computes it."""
    total = None
    for i in range(taps.index.shape[1]):
        part = xp.take(x, xp.table(_columns, taps, i), 1) * xp.table(_weights, taps, i, x.dtype)
        total = part if total is None else total + part
    return total


def _matrix(taps, dtype):
    """Returns the dense matrix in a dtype."""
    return taps.whole.astype(dtype)


def _columns(taps, i):
    """Returns the column of the i-th weight of each row."""
    return taps.index[:, i]


def _weights(taps, i, dtype):
    """Returns the i-th weight of each row, (rows, 1)."""
    return taps.weight[:, i, None].astype(dtype)
