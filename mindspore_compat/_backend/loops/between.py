"""Matrices between two block-diagonal ones, multiplied by a compiled loop of the host.

A thread takes the columns of one block at the right. Their products with that block are written as
the panels that the products with the blocks at the left read (host/products.py says how they
lie), so they stay in the core's cache. It is for the processors on which products of large matrices
take loops.
"""

import functools

import numpy

from ..compiled import jit
from ..compiled.library import Library
from ..compiled.tiles import LANES, ROWS, VECTORS, panel_tile, sizes
from ..threads.parallel_loops import FLOAT, ParallelLoop, array, blocks, memory, number, piece
from . import products
from .products import copy_edge, pack_rows

LEAST = 1 << 20  # multiplications for which it is faster than NumPy


def multiply_between(
    left, x, right, out, packed, half, edge, rows, columns, tall, wide, first, last
):
    """Writes left @ x @ right, for blocks `first` to `last` of the columns.

    Args:
        left, right: square blocks of `tall` and of `wide` rows, one after the other.
        x, out: (`rows`, `columns`).
        packed, half, edge: memory for a block at the right, for its products with rows that belong
            to one block at the left, and for a tile.
    """
    width = VECTORS * LANES
    for block in range(first, last):
        column = block * wide
        own = min(wide, columns - column)
        pack_rows(right, packed, wide, column, own, 0, own, 0, own)
        for start in range(0, rows, tall):
            count = min(tall, rows - start)
            for i in range(0, count, ROWS):
                some = min(ROWS, count - i)
                for at in range(0, own, width):
                    vectors = (min(own - at, width) + LANES - 1) // LANES
                    panel, step = at * count + i * vectors * LANES, vectors * LANES
                    panel_tile(
                        some,
                        vectors,
                        x,
                        (start + i) * columns + column,
                        columns,
                        1,
                        packed,
                        at * own,
                        own,
                        0,
                        half,
                        panel,
                        step,
                    )
            for i in range(0, count, ROWS):
                some = min(ROWS, count - i)
                for at in range(0, own, width):
                    have = min(own - at, width)
                    vectors = (have + LANES - 1) // LANES
                    tile_out, to, step = out, (start + i) * columns + column + at, columns
                    if have % LANES:
                        tile_out, to, step = edge, 0, width
                    panel_tile(
                        some,
                        vectors,
                        left,
                        start * tall + i * tall,
                        tall,
                        1,
                        half,
                        at * count,
                        count,
                        0,
                        tile_out,
                        to,
                        step,
                    )
                    if have % LANES:
                        to = (start + i) * columns + column + at
                        copy_edge(edge, width, some, have, out, to, columns, 0)


_LIBRARY = Library(pack_rows, copy_edge)


@jit.made_once
def _loop():
    parameters = [array(FLOAT)] * 4 + [memory(FLOAT)] * 3 + [number()] * 4 + [piece(0), piece(1)]
    text = functools.partial(jit.text_of, multiply_between)
    return ParallelLoop(text, parameters, False, "multiply_between", _LIBRARY)


def product(left, x, right):
    """left @ x @ right, or None where the loop is not for the matrix, or not ready.

    Args:
        left, right: the blocks of block-diagonal matrices, (count, width, width), of float32.
        x: a float32 matrix.
    """
    rows, columns = x.shape
    tall, wide = left.shape[-1], right.shape[-1]
    if x.size * (tall + wide) < LEAST or not jit.available() or not _loop().is_ready():
        return None
    if not products.suits():
        return None
    out = numpy.empty(x.shape, FLOAT)
    given = [jit.flat(each) for each in (left, x, right)]
    own = sizes()
    memories = (
        wide * (wide + own["LANES"]),
        tall * (wide + own["LANES"]),
        own["ROWS"] * own["VECTORS"] * own["LANES"],
    )
    table = blocks(-(-columns // wide), 1)
    _loop().run(table, *given, out.reshape(-1), *memories, rows, columns, tall, wide)
    return out
