"""Sums of the rows of float32 matrices as a compiled loop of the host, which threads share.

An array of one axis is laid out as a matrix, too. A few rows are added in float32, and such sums in
float64.
"""

import functools

import numpy

from ..compiled import jit
from ..threads.parallel_loops import ParallelLoop, array, memory, number, piece

FLOAT, DOUBLE = numpy.dtype(numpy.float32), numpy.dtype(numpy.float64)
LEAST = 1 << 17  # elements from which the loop is faster than NumPy
PIECE = 1 << 15  # elements of a piece, at least
PIECES = 16  # of a matrix
LONGEST = 1 << 13  # elements of a row, whose sums stay in the cache
LANES = 1 << 10  # elements of a row that an array of one axis is cut into


def sum_rows(x, out, columns, total, first, last, to):
    """Writes the sum of rows `first` to `last` of `x` to row `to` of `out`.

    Args:
        x: a matrix of so many columns, as an array of one axis.
        out: float64, as `x`.
        columns: the elements of a row.
        total: memory for a row.
        first, last, to: which rows.
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


@jit.made_once
def _loop():
    parameters = [
        array(FLOAT),
        array(DOUBLE),
        number(),
        memory(FLOAT),
        piece(0),
        piece(1),
        piece(2),
    ]
    text = functools.partial(jit.text_of, sum_rows)
    return ParallelLoop(text, parameters, False, "sum_rows")


def ready(dtype):
    """True if sums of this dtype have a loop, which is ready."""
    return dtype == FLOAT and jit.available() and _loop().is_ready()


def summed(x):
    """The sum of a matrix, or of each of a stack of matrices, over its rows.

    Args:
        x: contiguous, of shape (stacks, rows, columns).

    Returns:
        float32 of shape (stacks, columns); None where the loop does not take such arrays, or is
        not ready.
    """
    stacks, rows, columns = x.shape
    several = min(max(rows * columns // PIECE, 1), PIECES)
    if x.size < LEAST or columns > LONGEST or not x.flags.carray or not ready(x.dtype):
        return None
    table = _table(stacks, rows, -(-rows // several))
    found = numpy.empty((len(table), columns), DOUBLE)
    _loop().run(table, x.reshape(-1), found.reshape(-1), columns, columns)
    found = found.reshape(stacks, -1, columns)
    return numpy.add.reduce(found, 1).astype(FLOAT)


def total(x):
    """The sum of a contiguous array, as `summed` gives it."""
    whole = x.size // LANES * LANES
    flat = x.reshape(-1)
    lanes = summed(flat[:whole].reshape(1, -1, LANES)) if whole else None
    if lanes is None:
        return None
    rest = numpy.add.reduce(flat[whole:], dtype=DOUBLE)
    return FLOAT.type(numpy.add.reduce(lanes, dtype=DOUBLE, axis=None) + rest)


@functools.lru_cache(maxsize=256)
def _table(stacks, rows, step):
    """The pieces of each matrix: their first and last row of all, and their number."""
    starts = numpy.arange(0, rows, step)
    ends = numpy.minimum(starts + step, rows)
    first, last = (
        (numpy.arange(stacks)[:, None] * rows + each).reshape(-1) for each in (starts, ends)
    )
    return numpy.stack([first, last, numpy.arange(first.size)], 1)
