"""Rows in reverse order, and differences of neighbours in rows, as compiled loops for the host.

NumPy copies an array with a negative stride element by element, and subtracts rows that are not
adjacent in memory by one call for each row. The results are bitwise NumPy's.
"""

import functools

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..threads.parallel_loops import FLOAT, array, blocks, loop_of, number, piece


def reverse_rows(
    x: array(FLOAT), out: array(FLOAT), length: number(), first: piece(0), last: piece(1)
):
    """Writes the rows `first` to `last` of `x` in reverse order.

    Args:
        x, out: matrices with rows of `length` elements, flattened.
        length: the elements of a row.
        first, last: the range of rows.
    """
    for row in range(first, last):
        source = x[row * length : (row + 1) * length]
        target = out[row * length : (row + 1) * length]
        for k in range(source.size):  # an unsigned index cannot count from the end
            target[k] = source[numpy.uint64(source.size - 1 - k)]


def subtract_neighbours(
    x: array(FLOAT), out: array(FLOAT), length: number(), first: piece(0), last: piece(1)
):
    """Writes, for the rows `first` to `last` of `x`, each element but the first minus the one
    before it.

    Args:
        x: a matrix with rows of `length` elements, flattened.
        out: the same, with rows that are one shorter.
        length: the elements of a row of `x`.
        first, last: the range of rows.
    """
    for row in range(first, last):
        source = x[row * length : (row + 1) * length]
        target = out[row * (length - 1) : (row + 1) * (length - 1)]
        for k in range(length - 1):
            target[k] = source[k + 1] - source[k]


def _run(function, x, width):
    """Runs a loop over the rows of a contiguous array; rows of the result have `width` elements."""
    length = x.shape[-1]
    out = numpy.empty((*x.shape[:-1], width), FLOAT)
    table = blocks(x.size // length, max(jit.BLOCK // length, 1))
    loop_of(function).run(table, jit.flat(x), out.reshape(-1), length)
    return out


@serves(
    "reversed_rows",
    least="NEIGHBOURS",
    takes=lambda x: x.dtype == FLOAT and x.flags.c_contiguous,
    loop=functools.partial(loop_of, reverse_rows),
)
def reversed_rows(x):
    """Returns a copy of a contiguous array in which each row, along the last axis, is reversed."""
    return _run(reverse_rows, x, x.shape[-1])


@serves(
    "differences_of_rows",
    least="NEIGHBOURS",
    takes=lambda x: x.dtype == FLOAT and x.flags.c_contiguous and x.shape[-1] > 1,
    loop=functools.partial(loop_of, subtract_neighbours),
)
def differences_of_rows(x):
    """Returns each element of a contiguous array minus the one before it in its row."""
    return _run(subtract_neighbours, x, x.shape[-1] - 1)
