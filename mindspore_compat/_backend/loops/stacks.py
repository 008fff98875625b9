"""Products of stacks of matrices, such as the heads of attention, as a compiled loop for the host.

Each product is computed in tiles whose sums stay in vector registers (compiled/tiles.py). The left
side is read in place, with any strides, and so is a right side with contiguous rows. A right side
with contiguous columns is first transposed into the thread's memory.
"""

import functools
import math
from typing import NamedTuple

import numpy

from ..compiled.door import serves
from ..compiled.library import Library
from ..compiled.tiles import LANES, ROWS, copy_vector, gather_tile, transpose_square
from ..threads.parallel_loops import FLOAT, INDEX, array, blocks, loop_of, memory, piece, sizes
from ..thresholds import Least, Most

PIECE = 1 << 20  # multiplications of a piece, at least
VECTOR = 16  # elements of the longest vectors
WIDTH = 2  # vectors in a row of a tile
RUN = 512  # products that are added to one partial sum: with more, the sum is less accurate
OFFSET = numpy.dtype(numpy.int32)


def transpose_matrix(x, x_at, x_step, rows, columns, out):
    """Sets out[j, i] = x[i, j], for a matrix whose rows are `x_step` apart."""
    for row in range(0, rows, LANES):
        for column in range(0, columns, LANES):
            at = x_at + row * x_step + column
            transpose_square(x, at, x_step, out, column * rows + row, rows)


def multiply_rows(x, x_at, starts, first, last, offsets, y, y_at, y_step, out, out_at, columns):
    """Writes the product of rows `first` to `last` of a left matrix, which is addressed by offsets,
    with a right matrix; the arguments are those of `multiply_stack`."""
    for run in range(0, offsets.size, RUN):
        count = min(offsets.size - run, RUN)
        for row in range(first, last, ROWS):
            rows = min(last - row, ROWS)
            for column in range(0, columns, WIDTH * LANES):
                vectors = min((columns - column) // LANES, WIDTH)
                gather_tile(
                    rows,
                    vectors,
                    x,
                    x_at,
                    starts,
                    row,
                    offsets,
                    run,
                    y,
                    y_at + run * y_step + column,
                    y_step,
                    count,
                    run,
                    out,
                    out_at + (row - first) * columns + column,
                    columns,
                )


def multiply_matrix(
    x, x_at, starts, offsets, left, left_offsets, y, y_at, y_step, out, out_at, columns
):
    """Writes the product of two matrices; the arguments are those of `multiply_stack`. If `left` is
    not empty, the left matrix has contiguous columns, and LANES of its rows at a time are first
    copied to `left`."""
    rows, row = starts.size, 0
    while left.size and row + LANES <= rows:
        for k in range(offsets.size):
            copy_vector(x, x_at + row + offsets[k], left, k * LANES)
        at = out_at + row * columns
        multiply_rows(left, 0, starts, 0, LANES, left_offsets, y, y_at, y_step, out, at, columns)
        row += LANES
    at = out_at + row * columns
    multiply_rows(x, x_at, starts, row, rows, offsets, y, y_at, y_step, out, at, columns)


class Right(NamedTuple):
    """The layout of the right matrices of a stack."""

    step: int  # from one row to the next; from one column to the next if turned
    columns: int  # a multiple of LANES
    is_turned: int  # 1 if rows are not contiguous (then their number is a multiple of LANES), or 0


def multiply_stack(
    x: array(FLOAT),
    x_bases: array(INDEX),
    starts: array(OFFSET),
    offsets: array(OFFSET),
    y: array(FLOAT),
    y_bases: array(INDEX),
    out: array(FLOAT),
    left: memory(FLOAT),
    left_offsets: memory(OFFSET),
    right: memory(FLOAT),
    sizes: sizes(Right),
    first: piece(0),
    last: piece(1),
):
    """Writes the products `first` to `last` of two stacks.

    Args:
        x, y: the memory of the stacks.
        x_bases, y_bases: the start of each matrix.
        starts, offsets: the start of each row of a left matrix, and of each element of a row.
        out: the products, one after the other.
        left, left_offsets, right: memory for rows of a left matrix with contiguous columns, for the
            offsets of their elements, and for a right matrix.
    """
    rows, count = starts.size, offsets.size
    y_step, columns, is_turned = sizes
    for k in range(left_offsets.size):
        left_offsets[k] = k * LANES
    for index in range(first, last):
        x_at, out_at = x_bases[index], index * rows * columns
        if is_turned:
            transpose_matrix(y, y_bases[index], y_step, columns, count, right)
            multiply_matrix(
                x,
                x_at,
                starts,
                offsets,
                left,
                left_offsets,
                right,
                0,
                columns,
                out,
                out_at,
                columns,
            )
        else:
            multiply_matrix(
                x,
                x_at,
                starts,
                offsets,
                left,
                left_offsets,
                y,
                y_bases[index],
                y_step,
                out,
                out_at,
                columns,
            )


LIBRARY = Library(transpose_matrix, multiply_rows, multiply_matrix, WIDTH=WIDTH, RUN=RUN)


def _loop():
    return loop_of(multiply_stack, LIBRARY, True)


def _are_taken(x, y, lead):
    """Returns True if the loop serves the product of these stacks: it can read them, and the right
    sides fit a cache."""
    rows, count, columns = *x.shape[-2:], y.shape[-1]
    if rows < Least.STACK_ROWS or columns % VECTOR or count * columns > Most.STACK_RIGHT:
        return False
    if _packs(x) and count > Most.STACK_COPIED:
        return False
    if _is_turned(y) and (y.strides[-2] != y.itemsize or count % VECTOR):
        return False
    return _is_taken(x) and _is_taken(y)


def _packs(x):
    """Returns True if the columns of the left sides are contiguous, so that their rows are
    copied."""
    return x.strides[-2] == x.itemsize != x.strides[-1]


def _is_turned(y):
    """Returns True if the rows of the right sides are not contiguous, so that they are
    transposed."""
    return y.strides[-1] != y.itemsize


@serves(
    "matmul_stack",
    least="STACK_LOOP",
    size=lambda x, y, lead: math.prod(lead) * x.shape[-2] * x.shape[-1] * y.shape[-1],
    takes=_are_taken,
    loop=_loop,
)
def product(x, y, lead):
    """Returns the products of two stacks of matrices.

    Args:
        x, y: arrays of at least two axes.
        lead: the shape of the stack, to which their leading axes broadcast.

    Returns:
        The products, of shape (*lead, rows, columns).
    """
    rows, count, columns = *x.shape[-2:], y.shape[-1]
    is_turned, packs = _is_turned(y), _packs(x)
    plan = _plan(lead, x.shape, x.strides, y.shape, y.strides)
    out = numpy.empty((*lead, rows, columns), FLOAT)
    y_step = y.strides[-1 if is_turned else -2] // y.itemsize
    _loop().run(
        plan[0],
        _memory(x),
        plan[1],
        plan[2],
        plan[3],
        _memory(y),
        plan[4],
        out.reshape(-1),
        count * VECTOR if packs else 0,
        count if packs else 0,
        count * columns if is_turned else 0,
        y_step,
        columns,
        int(is_turned),
    )
    return out


def _is_taken(array):
    """Returns True if a loop can read a stack: float32, with strides that are not negative."""
    return (
        array.dtype == FLOAT
        and array.flags.writeable
        and array.flags.aligned
        and array.nbytes < 1 << 31  # so that offsets are int32
        and min(array.strides) >= 0
    )


@functools.lru_cache(maxsize=256)
def _plan(lead, x_shape, x_strides, y_shape, y_strides):
    """Returns the pieces of a product, and the addresses of the matrices."""
    bases = [
        _bases(lead, shape[:-2], strides[:-2])
        for shape, strides in ((x_shape, x_strides), (y_shape, y_strides))
    ]
    starts, offsets = (
        (numpy.arange(size) * (step // FLOAT.itemsize)).astype(OFFSET)
        for size, step in zip(x_shape[-2:], x_strides[-2:], strict=True)
    )
    size = max(PIECE // (x_shape[-2] * x_shape[-1] * y_shape[-1]), 1)
    table = blocks(len(bases[0]), size)
    return table, bases[0], starts, offsets, bases[1]


def _bases(lead, shape, strides):
    """Returns the start of each matrix of a stack whose leading axes broadcast to `lead`."""
    bases = numpy.zeros(1, INDEX)
    missing = len(lead) - len(shape)
    for axis, size in enumerate(lead):
        own_axis = axis - missing
        step = strides[own_axis] // FLOAT.itemsize if own_axis >= 0 and shape[own_axis] > 1 else 0
        bases = (bases[:, None] + numpy.arange(size) * step).reshape(-1)
    return bases


def _memory(array):
    """Returns the memory of an array from its first element to its last, as a 1-D array."""
    if array.flags.c_contiguous:
        return array.reshape(-1)
    steps = zip(array.shape, array.strides, strict=True)
    reach = sum((size - 1) * step for size, step in steps) // array.itemsize + 1
    return numpy.lib.stride_tricks.as_strided(array, (reach,), (array.itemsize,))
