"""Sums over the rows of float32 matrices, and the sum or maximum of each row, as compiled loops for
the host, shared by threads.

The loops: `sum_rows` adds rows to each other (a sum over axis 0), `sum_of_rows` adds the elements
of each row (a sum over axis 1), `largest_of_rows` compares the elements of each row.

The functions that run them: `summed` serves sums over leading axes, `row_sums` serves
`x.sum(axis=-1)`, `extreme_of_rows` serves `x.max(axis=-1)` and `x.min(axis=-1)`, and `total` serves
`x.sum()` by cutting the array into rows. host/reductions.py calls them through the door.

A few rows, or some elements of a row, are added in float32. These partial sums are added in
float64.
"""

import functools
import math

import numpy

from ..compiled.door import serves
from ..compiled.vector_math import of_ordered, ordered, single, sum_in_any_order
from ..threads.parallel_loops import FLOAT, array, blocks, loop_of, memory, number, piece
from ..thresholds import Least, Most

DOUBLE = numpy.dtype(numpy.float64)
PIECE = 1 << 15  # elements of a piece, at least
PIECES = 16  # of a matrix
LANES = 1 << 12  # elements of a row that a 1-D array is cut into


def sum_rows(
    x: array(FLOAT),
    out: array(DOUBLE),
    columns: number(),
    total: memory(FLOAT),
    first: piece(0),
    last: piece(1),
    to: piece(2),
):
    """Writes the sum of rows `first` to `last` of `x` to row `to` of `out`.

    Args:
        x: a matrix with `columns` columns, flattened.
        out: float64, laid out as `x`.
        columns: the elements of a row.
        total: memory for a row.
        first, last, to: the range of rows of `x`, and the row of `out`.
    """
    sums = out[to * columns : (to + 1) * columns]
    sums[:] = 0
    for start in range(first, last, 64):
        end = min(start + 64, last)
        total[:] = 0
        for row in range(start, end - 3, 4):
            at = row * columns
            a, b = x[at : at + columns], x[at + columns : at + 2 * columns]
            at += 2 * columns
            c, d = x[at : at + columns], x[at + columns : at + 2 * columns]
            for j in range(columns):
                total[j] += (a[j] + b[j]) + (c[j] + d[j])
        for row in range(end - (end - start) % 4, end):
            a = x[row * columns : (row + 1) * columns]
            for j in range(columns):
                total[j] += a[j]
        for j in range(columns):
            sums[j] += total[j]


def sum_of_rows(
    x: array(FLOAT), out: array(FLOAT), length: number(), first: piece(0), last: piece(1)
):
    """Writes the sums of rows `first` to `last` of a matrix with rows of `length` elements."""
    for row in range(first, last):
        total = 0.0
        for start in range(row * length, (row + 1) * length, 4096):
            part = x[start : min(start + 4096, (row + 1) * length)]
            partial = single(0)
            for i in range(part.size):
                partial = sum_in_any_order(partial, part[i])
            total += partial
        out[row] = total


def largest_of_rows(
    x: array(FLOAT),
    out: array(FLOAT),
    length: number(),
    sign: number(FLOAT),
    first: piece(0),
    last: piece(1),
):
    """Writes the largest element of rows `first` to `last`, or the smallest one if `sign` is -1;
    NaN for a row with NaN."""
    for row in range(first, last):
        part = x[row * length : (row + 1) * length]
        key = ordered(single(-math.inf))
        for i in range(length):
            key = max(key, ordered(sign * part[i]))
        out[row] = sign * of_ordered(key)


@serves(
    "extreme_of_rows",
    least="ROWS_LOOP",
    takes=lambda x, largest: x.dtype == FLOAT and x.flags.carray and x.shape[1] >= 16,
    loop=functools.partial(loop_of, largest_of_rows, None, True),
)
def extreme_of_rows(x, largest):
    """Returns the largest or smallest element of each row of a matrix: serves `x.max(axis=1)`."""
    out = numpy.empty(len(x), FLOAT)
    table = blocks(len(x), max(PIECE // x.shape[1], 1))
    sign = FLOAT.type(1 if largest else -1)
    loop_of(largest_of_rows, None, True).run(table, x.reshape(-1), out, x.shape[1], sign)
    return out


@serves(
    "row_sums",
    least="ROWS_LOOP",
    takes=lambda x: x.dtype == FLOAT and x.flags.carray and x.shape[1] >= 16,
    loop=functools.partial(loop_of, sum_of_rows, None, True),
)
def row_sums(x):
    """Returns the sum of the elements of each row of a matrix: serves `x.sum(axis=1)`."""
    out = numpy.empty(len(x), FLOAT)
    table = blocks(len(x), max(PIECE // x.shape[1], 1))
    loop_of(sum_of_rows, None, True).run(table, x.reshape(-1), out, x.shape[1])
    return out


@serves(
    "total",
    least="SUM_LOOP",
    takes=lambda x: x.dtype == FLOAT and x.flags.carray and x.size >= LANES,
    loop=functools.partial(loop_of, sum_of_rows, None, True),
)
def total(x):
    """Returns the sum of a 1-D array, which is cut into rows."""
    whole = x.size // LANES * LANES
    parts = row_sums(x[:whole].reshape(-1, LANES))
    rest = numpy.add.reduce(x[whole:], dtype=DOUBLE)
    return FLOAT.type(numpy.add.reduce(parts, dtype=DOUBLE) + rest)


@serves(
    "sum",
    least="SUM_LOOP",
    takes=lambda x: x.dtype == FLOAT,
    loops=lambda x: [loop_of(sum_rows), loop_of(sum_of_rows, None, True)],
)
def summed(x):
    """Returns the sums over the rows of stacked matrices; for a single column, the total.

    Args:
        x: an array of shape (stacks, rows, columns).

    Returns:
        float32 of shape (stacks, columns); None for arrays that are not contiguous, for long rows
        and for several matrices of one column.
    """
    stacks, _, columns = x.shape
    if columns > Most.SUM_ROW or not x.flags.carray or columns == 1 < stacks:
        return None
    if columns == 1:
        return total(x.reshape(-1)).reshape(1) if x.size >= max(Least.SUM_LOOP, LANES) else None
    return _sums(x)


def _sums(x):
    """Adds the rows of each matrix of a stack to each other, for short rows. Returns float32 of
    shape (stacks, columns).
    """
    stacks, rows, columns = x.shape
    parts = min(max(rows * columns // PIECE, 1), PIECES)
    table = _table(stacks, rows, -(-rows // parts))
    sums = numpy.empty((len(table), columns), DOUBLE)
    loop_of(sum_rows).run(table, x.reshape(-1), sums.reshape(-1), columns, columns)
    sums = sums.reshape(stacks, -1, columns)
    return numpy.add.reduce(sums, 1).astype(FLOAT)


@functools.lru_cache(maxsize=256)
def _table(stacks, rows, step):
    """Returns a table with a row for each piece of all matrices: its first and last row in the
    whole stack, and its number."""
    starts = numpy.arange(0, rows, step)
    ends = numpy.minimum(starts + step, rows)
    first, last = (
        (numpy.arange(stacks)[:, None] * rows + bounds).reshape(-1) for bounds in (starts, ends)
    )
    return numpy.stack([first, last, numpy.arange(first.size)], 1)
