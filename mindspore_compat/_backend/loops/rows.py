"""Gather and scatter-add of the rows of a matrix as compiled loops for the host.

Threads share the rows of the result. In a scatter-add, each piece zeroes its own rows and adds
their values while they are in the cache, in the order of the indices. So the results are bitwise
those of sequential additions. Sums and extremes of rows are in row_reductions.py.
"""

import functools
import math

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..host.indices import are_within, from_zero
from ..threads.parallel_loops import FLOAT, INDEX, array, blocks, loop_of, number, piece
from ..thresholds import Least

PIECE = 1 << 18  # elements of a piece, about
COLUMNS_PIECE = 1 << 16  # elements that a piece selects from rows, about
FEW, MOST = 4, 16  # the least and the most pieces of a call


def take_rows(
    x: array(FLOAT),
    index: array(INDEX),
    out: array(FLOAT),
    first: piece(0),
    last: piece(1),
    columns: number(),
):
    """Copies rows of `x`, selected by `index`, to the rows `first` to `last` of `out`.

    Args:
        x, out: matrices with `columns` columns, flattened.
        index: for each row of `out`, a row of `x`.
        first, last, columns: the range of rows, and the elements of a row.
    """
    for i in range(first, last):
        source = x[index[i] * columns : (index[i] + 1) * columns]
        target = out[i * columns : (i + 1) * columns]
        for j in range(columns):
            target[j] = source[j]


def take_columns(
    x: array(FLOAT),
    index: array(INDEX),
    out: array(FLOAT),
    columns: number(),
    first: piece(0),
    last: piece(1),
):
    """Copies the elements that `index` selects from each row of `x`, for the rows `first` to
    `last`.

    Args:
        x, out: matrices with rows of `columns` and of `index.size` elements, flattened.
        index: for each column of `out`, a column of `x`.
        columns, first, last: the elements of a row of `x`, and the range of rows.
    """
    for row in range(first, last):
        source = x[row * columns : (row + 1) * columns]
        target = out[row * index.size : (row + 1) * index.size]
        for j in range(index.size):
            target[j] = source[index[j]]


def sum_segments(
    values: array(FLOAT),
    index: array(INDEX),
    out: array(FLOAT),
    first: piece(0),
    last: piece(1),
    columns: number(),
):
    """Writes rows `first` to `last` of `out`, each the sum of the rows of `values` with its index.

    Args:
        values, out: matrices with `columns` columns, flattened.
        index: for each row of `values`, a row of `out`.
        first, last, columns: the range of rows, and the elements of a row.
    """
    out[first * columns : last * columns] = 0
    for i in range(index.size):
        if first <= index[i] < last:
            source = values[i * columns : (i + 1) * columns]
            target = out[index[i] * columns : (index[i] + 1) * columns]
            for j in range(columns):
                target[j] += source[j]


def _are_rows(x, indices):
    """Returns True if the loop can gather rows of `x` at `indices`: contiguous float32 and
    integers."""
    return (
        x.dtype == FLOAT
        and x.flags.carray
        and indices.dtype.kind in "iu"
        and x.size // len(x) >= Least.ROW
    )


@serves(
    "take",
    least="TAKE_ROWS",
    size=lambda x, indices: indices.size * (x.size // len(x)),
    takes=_are_rows,
    loop=functools.partial(loop_of, take_rows),
)
def take(x, indices):
    """Returns `x[indices]` of an array that is not empty; None if an index is out of range."""
    low, high = int(indices.min()), int(indices.max())
    if low < -len(x) or high >= len(x):
        return None
    out = numpy.empty(indices.shape + x.shape[1:], FLOAT)
    _run(take_rows, x, from_zero(indices, low, len(x)), out, math.prod(x.shape[1:]))
    return out


@serves(
    "take_columns",
    least="TAKE_COLUMNS",
    takes=lambda x, indices: (
        x.dtype == FLOAT
        and x.flags.carray
        and indices.ndim == 1
        and indices.dtype.kind in "iu"
        and indices.size
    ),
    loop=functools.partial(loop_of, take_columns),
)
def take_from_rows(x, indices):
    """Returns `x.take(indices, -1)` of an array that is not empty, for 1-D indices; None if one is
    negative or out of range."""
    columns = x.shape[-1]
    if not are_within(indices, columns):
        return None
    out = numpy.empty(x.shape[:-1] + indices.shape, FLOAT)
    indices = jit.flat(indices.astype(numpy.int64, copy=False))
    table = blocks(x.size // columns, max(COLUMNS_PIECE // indices.size, 1))
    loop_of(take_columns).run(table, x.reshape(-1), indices, out.reshape(-1), columns)
    return out


@serves(
    "segment_sum",
    least="TAKE_ROWS",
    size=lambda index, rows, count: count * rows.shape[1],
    takes=lambda index, rows, count: rows.dtype == FLOAT and rows.shape[1] >= Least.ROW,
    loop=functools.partial(loop_of, sum_segments),
)
def segment_sum(index, rows, count):
    """Segment sum: row `r` of the result is the sum of the `rows[i]` with `index[i] == r`.

    Args:
        index: 1-D int64 array, in [0, count).
        rows: a matrix.
        count (int): the number of rows.
    """
    out = numpy.empty((count, rows.shape[1]), FLOAT)
    _run(sum_segments, rows, index, out, rows.shape[1])
    return out


def _run(function, source, index, out, columns):
    """Runs the loop of a function of this module over pieces of the rows of `out`."""
    rows = out.size // columns
    count = min(max(out.size // PIECE, FEW), MOST)
    ends = numpy.arange(count + 1) * rows // count
    table = numpy.stack([ends[:-1], ends[1:]], 1)
    arrays = jit.flat(source), jit.flat(index), out.reshape(-1)
    loop_of(function).run(table, *arrays, columns)
