"""Products of a matrix with block-diagonal matrices on both sides, as a compiled loop for the host.

A thread takes the columns of one right block. Their products with that block are written as the
packed panels (loops/products.py) that the products with the left blocks read, so they stay in the
core's cache. The loop is for processors on which products of large matrices use loops.
"""

from typing import NamedTuple

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..compiled.library import Library
from ..compiled.tiles import LANES, ROWS, VECTORS, panel_tile
from ..compiled.vector_sizes import sizes as vector_sizes
from ..threads.parallel_loops import FLOAT, array, blocks, loop_of, memory, piece, sizes
from . import products
from .products import copy_edge, pack_rows


class Sides(NamedTuple):
    """The sizes of a matrix, and of the blocks on both sides."""

    rows: int
    columns: int
    tall: int  # rows of a left block
    wide: int  # rows of a right block


def multiply_between(
    left: array(FLOAT),
    x: array(FLOAT),
    right: array(FLOAT),
    out: array(FLOAT),
    packed: memory(FLOAT),
    half: memory(FLOAT),
    edge: memory(FLOAT),
    sizes: sizes(Sides),
    first: piece(0),
    last: piece(1),
):
    """Writes left @ x @ right, for blocks `first` to `last` of the columns.

    Args:
        left, right: square blocks, one after the other.
        x, out: (rows, columns).
        packed: memory for a right block in panels, and then for a product in panels.
        half: memory for the product of the rows of one left block and a right block.
        edge: memory for a tile.
    """
    rows, columns, tall, wide = sizes
    width = VECTORS * LANES
    for block in range(first, last):
        column = block * wide
        width_here = min(wide, columns - column)
        pack_rows(right, packed, wide, column, width_here, 0, width_here, 0, width_here)
        for start in range(0, rows, tall):
            count = min(tall, rows - start)
            for i in range(0, count, ROWS):
                height = min(ROWS, count - i)
                for at in range(0, width_here, width):
                    vectors = (min(width_here - at, width) + LANES - 1) // LANES
                    panel, step = at * count + i * vectors * LANES, vectors * LANES
                    panel_tile(
                        height,
                        vectors,
                        x,
                        (start + i) * columns + column,
                        columns,
                        1,
                        packed,
                        at * width_here,
                        width_here,
                        0,
                        half,
                        panel,
                        step,
                    )
            for i in range(0, count, ROWS):
                height = min(ROWS, count - i)
                for at in range(0, width_here, width):
                    lanes = min(width_here - at, width)
                    vectors = (lanes + LANES - 1) // LANES
                    tile_out, to, step = out, (start + i) * columns + column + at, columns
                    if lanes % LANES:
                        tile_out, to, step = edge, 0, width
                    panel_tile(
                        height,
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
                    if lanes % LANES:
                        to = (start + i) * columns + column + at
                        copy_edge(edge, width, height, lanes, out, to, columns, 0)


_LIBRARY = Library(pack_rows, copy_edge)


def _loop():
    return loop_of(multiply_between, _LIBRARY)


@serves(
    "matmul_between_blocks",
    least="BETWEEN_BLOCKS",
    size=lambda left, x, right: x.size * (left.shape[-1] + right.shape[-1]),
    takes=lambda *_: True,
    loop=_loop,
)
def product(left, x, right):
    """Computes left @ x @ right; None on hosts where NumPy is faster.

    Args:
        left, right: the blocks of block-diagonal matrices, float32, (count, width, width).
        x: a float32 matrix.
    """
    if not products.suits():
        return None
    rows, columns = x.shape
    tall, wide = left.shape[-1], right.shape[-1]
    out = numpy.empty(x.shape, FLOAT)
    operands = [jit.flat(operand) for operand in (left, x, right)]
    own = vector_sizes()
    memories = (
        wide * (wide + own["LANES"]),
        tall * (wide + own["LANES"]),
        own["ROWS"] * own["VECTORS"] * own["LANES"],
    )
    table = blocks(-(-columns // wide), 1)
    _loop().run(table, *operands, out.reshape(-1), *memories, rows, columns, tall, wide)
    return out
