"""Rows of a matrix taken at indices, and added at indices, as compiled loops of the host.

Threads share the rows of the result. Of a sum each piece zeroes its own rows and adds the values
that belong there while they are in the cache, in the order in which they are given; so the results
have the bits of one addition after the other.
"""

import functools

import numpy

from ..compiled import jit
from ..threads.parallel_loops import ParallelLoop, array, number, piece

FEWEST = 16  # elements of a row for which it pays to look through the indices in each piece
LEAST = 1 << 18  # elements of a result for which threads pay
PIECE = 1 << 18  # elements of a piece, about
FEW, PIECES = 4, 16  # how many pieces a call has at least, and at most
FLOAT, INDEX = numpy.dtype(numpy.float32), numpy.dtype(numpy.int64)


def take_rows(x, index, out, first, last, columns):
    """Copies to rows `first` to `last` of `out` the rows of `x` that `index` names.

    Args:
        x, out: matrices of so many columns, as arrays of one axis.
        index: for each row of `out` a row of `x`.
        first, last, columns: which rows; the elements of one.
    """
    for i in range(first, last):
        source = x[index[i] * columns : (index[i] + 1) * columns]
        target = out[i * columns : (i + 1) * columns]
        for j in range(columns):
            target[j] = source[j]


def sum_rows(values, index, out, first, last, columns):
    """Writes rows `first` to `last` of `out`: sums of the rows of `values` whose index they have.

    Args:
        values, out: matrices of so many columns, as arrays of one axis.
        index: for each row of `values` one of `out`.
        first, last, columns: which rows; the elements of one.
    """
    out[first * columns : last * columns] = 0
    for i in range(index.size):
        if first <= index[i] < last:
            source = values[i * columns : (i + 1) * columns]
            target = out[index[i] * columns : (index[i] + 1) * columns]
            for j in range(columns):
                target[j] += source[j]


@jit.made_once
def _loop(function):
    parameters = [array(FLOAT), array(INDEX), array(FLOAT), piece(0), piece(1), number()]
    text = functools.partial(jit.text_of, function)
    return ParallelLoop(text, parameters, False, function.__name__)


def fits(dtype, rows, columns):
    """True if a result of this dtype and size is for loops."""
    return dtype == FLOAT and columns >= FEWEST and rows * columns >= LEAST and jit.available()


def taken(x, index):
    """`x[index]`, if `fits` holds for it and the loop is ready; else None.

    Args:
        x: a matrix, writable and contiguous.
        index: int64 of one axis, in [0, len(x)).
    """
    return _rows(take_rows, x, index, index.size)


def summed(index, values, count):
    """A matrix of `count` rows, with `values[i]` added to row `index[i]` for every i, if `fits`
    holds for it and the loop is ready; else None.

    Args:
        index: int64 of one axis, in [0, count).
        values: a matrix.
        count (int): the number of rows.
    """
    return _rows(sum_rows, values, index, count) if len(values) else None


def _rows(function, x, index, rows):
    columns, loop = x.shape[1], _loop(function)
    if not fits(x.dtype, rows, columns) or not loop.is_ready():
        return None
    out = numpy.empty((rows, columns), FLOAT)
    count = min(max(out.size // PIECE, FEW), PIECES)
    ends = numpy.arange(count + 1) * rows // count
    table = numpy.stack([ends[:-1], ends[1:]], 1)
    loop.run(table, jit.flat(x), jit.flat(index), out.reshape(-1), columns)
    return out
