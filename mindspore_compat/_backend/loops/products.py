"""Products of large matrices as compiled loops for the host, if these are faster than NumPy's.

OpenBLAS packs the right side for each product; with strips for several threads, each strip packs it
again. Here threads pack it once, in panels, and then take strips of rows. The sums of a strip stay
in vector registers (compiled/tiles.py). With few rows, each thread takes panels and packs its own:

    right side, row-major          panels, each row-major
    [ 48 columns | 48 | 16 ]  ->   [ depth x 48 ] [ depth x 48 ] [ depth x 16 ]

A sum consists of partial sums of DEPTH products, in order, so its rounding depends on its length
alone. The loops are for float32 matrices in row-major or column-major order, on processors with
vectors of 16 elements, if NumPy uses OpenBLAS.
"""

import functools
from typing import NamedTuple

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..compiled.library import Library
from ..compiled.tiles import (
    LANES,
    ROWS,
    VECTORS,
    copy_vector,
    panel_tile,
    prefetch,
    transpose_square,
)
from ..compiled.vector_sizes import sizes as vector_sizes
from ..threads import scheduler
from ..threads.parallel_loops import (
    FLOAT,
    aligned,
    array,
    blocks,
    loop_of,
    memory,
    number,
    piece,
    sizes,
)
from ..thresholds import Least, Most

WIDEST = 16  # elements of the vectors with which the loops are faster
DEPTH = 256  # products of a partial sum; with COLUMNS of the right side they stay in a core's cache
COLUMNS = 1056  # most columns of the right side packed at a time
LONGEST = 4096  # most products of each sum computed at a time
STRIP = 1 << 22  # least multiplications of a strip
STRIPS = 32  # most strips
SHORTEST = 64  # least rows of a strip: with fewer, reading the panels limits the speed
BLOCK = 1 << 15  # elements of a right side in a piece of packing
GROUP = 16  # rows of a left side copied at a time, whole vectors
CHUNK = 1024  # products of each sum computed at a time, for few rows
PANEL = 1 << 19  # least multiplications of a piece, for few rows


def pack_rows(
    b: array(FLOAT),
    packed: array(FLOAT),
    stride: number(),
    start: number(),
    depth: number(),
    column: number(),
    columns: number(),
    first: piece(0),
    last: piece(1),
):
    """Packs rows `first` to `last` of a right side into panels.

    Args:
        b: the right side, (rows, columns), with `stride` elements from one row to the next.
        packed: the memory of the panels, one after the other.
        start, depth: the first row of the right side to pack, and the number of rows.
        column, columns: the first column, and the number of columns.
    """
    for k in range(first, last):
        at = (start + k) * stride + column
        for left in range(0, columns, VECTORS * LANES):
            count = min(columns - left, VECTORS * LANES)
            wide = (count + LANES - 1) // LANES * LANES
            to = left * depth + k * wide
            for j in range(0, count // LANES * LANES, LANES):
                copy_vector(b, at + left + j, packed, to + j)
            for j in range(count // LANES * LANES, wide):
                packed[to + j] = b[at + left + j] if j < count else 0


def pack_columns(
    b: array(FLOAT),
    packed: array(FLOAT),
    stride: number(),
    start: number(),
    depth: number(),
    column: number(),
    columns: number(),
    first: piece(0),
    last: piece(1),
):
    """Packs panels `first` to `last` of a right side that is stored as (columns, rows)."""
    for panel in range(first, last):
        left = panel * VECTORS * LANES
        count = min(columns - left, VECTORS * LANES)
        wide = (count + LANES - 1) // LANES * LANES
        whole = count // LANES * LANES
        squares = depth // LANES * LANES
        to = left * depth
        for k in range(0, squares, LANES):
            for j in range(0, whole, LANES):
                at = (column + left + j) * stride + start + k
                transpose_square(b, at, stride, packed, to + k * wide + j, wide)
        for k in range(depth):
            for j in range(whole if k < squares else 0, wide):
                at = (column + left + j) * stride + start + k
                packed[to + k * wide + j] = b[at] if j < count else 0


class Factors(NamedTuple):
    """The part of a product that `multiply` computes, and the layout of its matrices."""

    turned: int  # 1 if the left side is (products, rows), 0 if it is (rows, products)
    stride: int  # the row stride of the left side
    start: int  # the index of the first product of each sum
    depth: int  # the number of products of each sum
    column: int  # the first column of the result
    columns: int  # the number of columns to compute
    across: int  # columns of the whole result
    adds: int  # 1 to add the products to the result, 0 to overwrite it
    closes: int  # 1 for the last products of the sums: the addend is added then


class Sides(NamedTuple):
    """The layout of two matrices to multiply."""

    a_turned: int  # 1 if the left side is stored column by column, else 0
    b_turned: int  # likewise for the right side
    rows: int  # rows of the left side
    length: int  # columns of the left side
    across: int  # columns of the right side


def multiply(
    a: array(FLOAT),
    packed: array(FLOAT),
    out: array(FLOAT),
    addend: array(FLOAT),
    edge: memory(FLOAT),
    left_side: memory(FLOAT),
    factors: sizes(Factors),
    first: piece(0),
    last: piece(1),
):
    """Writes the products of rows `first` to `last` with packed panels.

    Args:
        a: the left side.
        packed: the panels.
        out: the result.
        addend: a row that is added to each row of the result, or an empty array.
        edge: memory for a tile.
        left_side: memory for a copy of GROUP rows of a `turned` left side, or an empty array for no
            copy. The strided elements of such rows would evict each other from the cache.
        factors: the part of the product to compute.
    """
    stride, start, depth = factors.stride, factors.start, factors.depth
    column, columns, across = factors.column, factors.columns, factors.across
    width, packs = VECTORS * LANES, left_side.size > 0
    for part in range(0, depth, DEPTH):
        count = min(DEPTH, depth - part)
        for group in range(first, last, GROUP):
            height = min(GROUP, last - group)
            if packs:
                ahead = GROUP if group + GROUP < last else DEPTH * stride + first - group
                pack_left(a, left_side, stride, start + part, count, group, height, ahead)
            for i in range(group, group + height, ROWS):
                rows = min(ROWS, group + height - i)
                side, at, row, across_row = a, i * stride + start + part, stride, 1
                if packs:
                    side, at, row, across_row = left_side, i - group, 1, GROUP
                elif factors.turned:
                    at, row, across_row = (start + part) * stride + i, 1, stride
                for left in range(0, columns, width):
                    lanes = min(columns - left, width)
                    vectors = (lanes + LANES - 1) // LANES
                    panel = left * depth + part * vectors * LANES
                    tile_out, to, step = out, i * across + column + left, across
                    add = 1 if factors.adds or part else 0
                    if lanes % LANES:
                        tile_out, to, step, add = edge, 0, width, 0
                    panel_tile(
                        rows,
                        vectors,
                        side,
                        at,
                        row,
                        across_row,
                        packed,
                        panel,
                        count,
                        add,
                        tile_out,
                        to,
                        step,
                    )
                    if lanes % LANES:
                        to = i * across + column + left
                        copy_edge(edge, width, rows, lanes, out, to, across, factors.adds or part)
    if factors.closes and addend.size:
        for i in range(first, last):
            row = out[i * across + column : i * across + column + columns]
            for j in range(columns):
                row[j] += addend[column + j]


def pack_left(a, left_side, stride, start, count, first, rows, ahead):
    """Copies rows `first` to `first + rows` of a left side whose columns are contiguous to
    `left_side`, as (count, GROUP). Prefetches the elements `ahead` elements further on."""
    for k in range(count):
        at = (start + k) * stride + first
        prefetch(a, at + ahead)
        if rows == GROUP:
            for j in range(0, GROUP, LANES):
                copy_vector(a, at + j, left_side, k * GROUP + j)
        else:
            for j in range(rows):
                left_side[k * GROUP + j] = a[at + j]


def copy_edge(edge, width, rows, columns, out, to, step, adds):
    """Copies the first `rows` and `columns` of the tile `edge` to the result, or adds them to it if
    `adds` is 1."""
    for r in range(rows):
        for j in range(columns):
            at = to + r * step + j
            out[at] = out[at] + edge[r * width + j] if adds else edge[r * width + j]


def multiply_columns(
    a: array(FLOAT),
    b: array(FLOAT),
    out: array(FLOAT),
    addend: array(FLOAT),
    packed: memory(FLOAT),
    edge: memory(FLOAT),
    sides: sizes(Sides),
    first: piece(0),
    last: piece(1),
):
    """Writes columns `first` to `last` of the product of two matrices, packing the right side in
    the thread's memory.

    Args:
        a, b, out, addend, edge: as for `multiply` and `pack_rows`.
        packed: memory for the columns of the right side in panels.
        sides: the layout of both sides.
    """
    a_turned, b_turned, rows, length, across = sides
    columns = last - first
    panels = (columns + VECTORS * LANES - 1) // (VECTORS * LANES)
    for start in range(0, length, CHUNK):
        depth = min(CHUNK, length - start)
        if b_turned:
            pack_columns(b, packed, length, start, depth, first, columns, 0, panels)
        else:
            pack_rows(b, packed, across, start, depth, first, columns, 0, depth)
        a_stride = rows if a_turned else length
        closes = 1 if start + depth == length else 0
        factors = Factors(a_turned, a_stride, start, depth, first, columns, across, start, closes)
        multiply(a, packed, out, addend, edge, edge[:0], factors, 0, rows)


_LIBRARY = Library(pack_left, copy_edge, DEPTH=DEPTH, GROUP=GROUP)
_WITH_BOTH = Library(
    pack_left,
    copy_edge,
    pack_rows,
    pack_columns,
    multiply,
    DEPTH=DEPTH,
    GROUP=GROUP,
    CHUNK=CHUNK,
    Factors=Factors,
)


def _loops(b_turned):
    pack = pack_columns if b_turned else pack_rows
    return loop_of(pack, _LIBRARY), loop_of(multiply, _LIBRARY)


def _loop_of_columns():
    return loop_of(multiply_columns, _WITH_BOTH)


@functools.cache
def suits():
    """Returns True if the loops are faster than NumPy's products on this host."""
    libraries = scheduler.libraries()
    are_openblas = [library.internal_api == "openblas" for library in libraries]
    return all(are_openblas) and bool(are_openblas) and vector_sizes()["LANES"] == WIDEST


def _is_few(x, y):
    """Returns True if the left side has so few rows that threads divide the columns of the
    result."""
    rows, columns = x.shape[0], y.shape[1]
    broad = columns >= Least.PRODUCT_BROAD or rows < 2 * SHORTEST
    return rows <= Most.PRODUCT_FEW and broad


def _are_taken(x, y, out):
    """Returns True if the loops can read the matrices `x` and `y` and write `out`, and the product
    is large enough to fill their tiles."""
    return (
        y.shape[1] >= WIDEST
        and x.shape[0] >= ROWS
        and x.dtype == y.dtype == FLOAT
        and (out is None or out.flags.carray and out.dtype == FLOAT)
        and all([matrix.flags.c_contiguous or matrix.flags.f_contiguous for matrix in (x, y)])
    )


def _multiplications(x, y, out, addend):
    return x.size * y.shape[1]


@serves(
    "matmul",
    least="PRODUCT_LOOP_OF_FEW",
    size=_multiplications,
    takes=lambda x, y, out, addend: _is_few(x, y) and _are_taken(x, y, out),
    loop=_loop_of_columns,
)
def product_of_few(x, y, out, addend):
    """Computes the product of two matrices if the left one has few rows; arguments and result are
    those of `product`."""
    if not suits():
        return None
    rows, length, across = *x.shape, y.shape[1]
    (a, a_turned), (b, b_turned) = _flat(x), _flat(y)
    out = numpy.empty((rows, across), FLOAT) if out is None else out
    vectors, depth = vector_sizes(), min(length, CHUNK)
    width = vectors["VECTORS"] * vectors["LANES"]
    columns = max(PANEL // (rows * length * width), 1) * width  # of a piece
    _loop_of_columns().run(
        blocks(across, columns),
        a,
        b,
        out.reshape(-1),
        _flat_addend(addend),
        columns * depth,
        vectors["ROWS"] * width,
        a_turned,
        b_turned,
        rows,
        length,
        across,
    )
    return out


@serves(
    "matmul",
    least="PRODUCT_LOOP",
    size=_multiplications,
    takes=lambda x, y, out, addend: not _is_few(x, y) and _are_taken(x, y, out),
    loops=lambda x, y, out, addend: _loops(_flat(y)[1]),
)
def product(x, y, out, addend):
    """Returns the product of two matrices; None on hosts where NumPy is faster.

    Args:
        x, y: matrices of compatible sizes.
        out: an array for the result; None for a new one.
        addend: a row that is added to each row of the result, or None.
    """
    if not suits():
        return None
    out = numpy.empty((x.shape[0], y.shape[1]), FLOAT) if out is None else out
    addend, left, right = _flat_addend(addend), _flat(x), _flat(y)
    for part in scheduler.blocks(x.shape[1], LONGEST):
        for block in _columns(y.shape[1]):
            _multiply(left, right, x.shape, part, block, out, addend)
    return out


def _flat_addend(addend):
    return numpy.empty(0, FLOAT) if addend is None else jit.flat(addend)


def _flat(x):
    """Returns the elements of a matrix as one axis, and 1 if they are in column-major order, else
    0."""
    return (jit.flat(x), 0) if x.flags.c_contiguous else (jit.flat(x.T), 1)


@functools.lru_cache(maxsize=256)
def _columns(total):
    """Divides `total` columns into slices that are packed at a time; each consists of whole
    panels."""
    width = vector_sizes()["VECTORS"] * vector_sizes()["LANES"]
    return scheduler.blocks(total, -(-total // (-(-total // COLUMNS) * width)) * width)


def _multiply(left, right, shape, part, block, out, addend):
    """Computes some columns of a product, or adds a part of their sums to `out`.

    Args:
        left, right: the matrices as `_flat` returns them.
        shape: the rows and columns of the left side.
        part: the slice of the products of each sum to compute.
        block: the slice of columns to compute.
        out: the array of the result.
        addend: a row that is added with the last products, or an empty array.
    """
    (a, a_turned), (b, b_turned), (rows, length) = left, right, shape
    pack, multiply = _loops(b_turned)
    own, across = vector_sizes(), out.shape[1]
    depth, columns = part.stop - part.start, block.stop - block.start
    width = own["VECTORS"] * own["LANES"]
    panels = -(-columns // width)
    packed = aligned(panels * width * depth)
    place = part.start, depth, block.start, columns
    table = blocks(panels, 1) if b_turned else blocks(depth, max(BLOCK // columns, 1))
    pack.run(table, b, packed, length if b_turned else across, *place)
    height = max(STRIP // (depth * columns), -(-rows // STRIPS), SHORTEST)
    strips = 2 * -(-rows // (2 * height))  # an even number, so that two threads end together
    height = -(-rows // (strips * WIDEST)) * WIDEST
    multiply.run(
        blocks(rows, height),
        a,
        packed,
        out.reshape(-1),
        addend,
        own["ROWS"] * width,
        DEPTH * GROUP if a_turned else 0,
        *Factors(
            a_turned,
            rows if a_turned else length,
            *place,
            across,
            int(part.start > 0),
            int(part.stop == length),
        ),
    )
