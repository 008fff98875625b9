"""Cumulative products along rows, and the products of all other elements of a row, as compiled
loops for the host. Four rows at a time are computed side by side, because each product waits for
the one before it."""

import functools

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..compiled.vector_math import single
from ..threads.parallel_loops import FLOAT, array, blocks, loop_of, number, piece

PIECE = 1 << 15  # elements of a piece, about


def products_so_far(
    x: array(FLOAT), out: array(FLOAT), length: number(), first: piece(0), last: piece(1)
):
    """Writes the cumulative products of rows `first` to `last`.

    Args:
        x, out: matrices with rows of `length` elements, flattened.
        length: the elements of a row.
        first, last: the range of rows.
    """
    whole = first + (last - first) // 4 * 4
    for row in range(first, whole, 4):
        at = row * length
        bt, ct, dt = at + length, at + 2 * length, at + 3 * length
        a_row, b_row, c_row, d_row = x[at:bt], x[bt:ct], x[ct:dt], x[dt : dt + length]
        a_out, b_out, c_out, d_out = out[at:bt], out[bt:ct], out[ct:dt], out[dt : dt + length]
        a, b, c, d = single(1), single(1), single(1), single(1)
        for k in range(length):
            a *= a_row[k]
            b *= b_row[k]
            c *= c_row[k]
            d *= d_row[k]
            a_out[k], b_out[k], c_out[k], d_out[k] = a, b, c, d
    for row in range(whole, last):
        product = single(1)
        for at in range(row * length, (row + 1) * length):
            product *= x[at]
            out[at] = product


def products_of_others(
    x: array(FLOAT), out: array(FLOAT), length: number(), first: piece(0), last: piece(1)
):
    """Writes, for each element of rows `first` to `last`, the product of all other elements of its
    row. The arguments are the same as for `products_so_far`."""
    whole = first + (last - first) // 4 * 4
    for row in range(first, whole, 4):
        at = row * length
        bt, ct, dt = at + length, at + 2 * length, at + 3 * length
        a_row, b_row, c_row, d_row = x[at:bt], x[bt:ct], x[ct:dt], x[dt : dt + length]
        a_out, b_out, c_out, d_out = out[at:bt], out[bt:ct], out[ct:dt], out[dt : dt + length]
        a, b, c, d = single(1), single(1), single(1), single(1)
        for k in range(length):
            a_out[k], b_out[k], c_out[k], d_out[k] = a, b, c, d
            a *= a_row[k]
            b *= b_row[k]
            c *= c_row[k]
            d *= d_row[k]
        a, b, c, d = single(1), single(1), single(1), single(1)
        for k in range(length - 1, -1, -1):
            a_out[k] *= a
            b_out[k] *= b
            c_out[k] *= c
            d_out[k] *= d
            a *= a_row[k]
            b *= b_row[k]
            c *= c_row[k]
            d *= d_row[k]
    for row in range(whole, last):
        product = single(1)
        for at in range(row * length, (row + 1) * length):
            out[at] = product
            product *= x[at]
        product = single(1)
        for at in range((row + 1) * length - 1, row * length - 1, -1):
            out[at] *= product
            product *= x[at]


def _run(function, x):
    length = x.shape[-1]
    out = numpy.empty(x.shape, FLOAT)
    table = blocks(x.size // length, -(-max(PIECE // length, 1) // 4) * 4)
    loop_of(function).run(table, jit.flat(x), out.reshape(-1), length)
    return out


def _are_rows(x):
    return x.dtype == FLOAT and x.ndim > 0 and x.size > 0


@serves(
    "cumprod", least="CUMPROD", takes=_are_rows, loop=functools.partial(loop_of, products_so_far)
)
def cumprod(x):
    """Returns the cumulative products along the last axis, with NumPy's bits."""
    return _run(products_so_far, x)


@serves(
    "products_of_others",
    least="CUMPROD",
    takes=_are_rows,
    loop=functools.partial(loop_of, products_of_others),
)
def others(x):
    """Returns the products of all other elements along the last axis, with NumPy's bits."""
    return _run(products_of_others, x)
