"""Gather, scatter and scatter-add along an axis (take_along_axis) as compiled loops for the host.

An array is viewed as (outer, length, inner), with the axis in the middle. Threads share the outer
axis, or the inner one if it is longer, so that each element of a result has one writer. Sums are
added in the order of the indices, and so are bitwise NumPy's.
"""

import functools
import math

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..compiled.library import Library
from ..host.indices import copied, from_zero
from ..threads.parallel_loops import FLOAT, INDEX, array, blocks, loop_of, number, piece

PIECE = 1 << 16  # indices of a piece, about
MOST = 16  # pieces
WIDTH = 64  # elements of a row that a piece adds to, at least: writes to less share cache sets
TOGETHER = 1 << 9  # indices that are checked at once, and stay in the cache
WORD = numpy.dtype(numpy.int32)


def in_range(indices, count, length):
    """Returns True if the first `count` indices are in [0, length); without branches, for vector
    instructions."""
    signs = 0  # negative if an index is below 0 or past the end
    for i in range(count):
        signs |= indices[i] | (length - 1 - indices[i])
    return signs >= 0


_LIBRARY = Library(in_range, TOGETHER=TOGETHER)


def take_along(
    x: array(WORD),
    index: array(INDEX),
    out: array(WORD),
    first: piece(0),
    last: piece(1),
    start: piece(2),
    stop: piece(3),
    size: number(),
    rows: number(),
    run: number(),
    inner: number(),
) -> bool:
    """Gathers elements along an axis. Writes elements `start` to `stop` of each row of `out`, in
    blocks `first` to `last`: each is the element of the same block of `x` to which `index` points.

    TOGETHER indices are checked at once, before they are used.

    Args:
        x: blocks of `size` elements.
        index, out: blocks of `rows` rows of `run` elements.
        inner: the stride of `x` along the axis, in elements. Element i of a row reads position
            index * inner + i of the block. If `inner` is 1, a row is a whole block, and the
            position is the index.

    Returns:
        bool: False if an index is not in [0, length), where `length` is that of the axis.
    """
    length = size // inner
    for o in range(first, last):
        block = x[o * size : (o + 1) * size]
        for k in range(rows):
            row = (o * rows + k) * run
            for begin in range(start, stop, TOGETHER):
                at, count = row + begin, min(stop - begin, TOGETHER)
                indices, target = index[at : at + count], out[at : at + count]
                if not in_range(indices, count, length):
                    return False
                if inner == 1:  # apart, for vector instructions
                    for i in range(count):
                        target[i] = block[indices[i]]
                else:
                    for i in range(count):
                        target[i] = block[indices[i] * inner + begin + i]
    return True


def add_along(
    values: array(FLOAT),
    index: array(INDEX),
    out: array(FLOAT),
    first: piece(0),
    last: piece(1),
    start: piece(2),
    stop: piece(3),
    size: number(),
    rows: number(),
    run: number(),
    inner: number(),
) -> bool:
    """Adds `values` to the elements of `out` that `take_along` would read; it has the same
    arguments."""
    length = size // inner
    for o in range(first, last):
        block = out[o * size : (o + 1) * size]
        for k in range(rows):
            row = (o * rows + k) * run
            for begin in range(start, stop, TOGETHER):
                at, count = row + begin, min(stop - begin, TOGETHER)
                indices, source = index[at : at + count], values[at : at + count]
                if not in_range(indices, count, length):
                    return False
                if inner == 1:
                    for i in range(count):
                        block[indices[i]] += source[i]
                else:
                    for i in range(count):
                        block[indices[i] * inner + begin + i] += source[i]
    return True


def set_along(
    values: array(WORD),
    index: array(INDEX),
    out: array(WORD),
    first: piece(0),
    last: piece(1),
    start: piece(2),
    stop: piece(3),
    size: number(),
    rows: number(),
    run: number(),
    inner: number(),
) -> bool:
    """Writes `values` to the elements of `out` that `take_along` would read; of several values for
    one element the last one counts. It has the same arguments."""
    length = size // inner
    for o in range(first, last):
        block = out[o * size : (o + 1) * size]
        for k in range(rows):
            row = (o * rows + k) * run
            for begin in range(start, stop, TOGETHER):
                at, count = row + begin, min(stop - begin, TOGETHER)
                indices, source = index[at : at + count], values[at : at + count]
                if not in_range(indices, count, length):
                    return False
                if inner == 1:
                    for i in range(count):
                        block[indices[i]] = source[i]
                else:
                    for i in range(count):
                        block[indices[i] * inner + begin + i] = source[i]
    return True


def add_slices(
    values: array(FLOAT),
    index: array(INDEX),
    out: array(FLOAT),
    size: number(),
    count: number(),
    inner: number(),
    first: piece(0),
    last: piece(1),
):
    """Adds slices of blocks `first` to `last` to the slices of `out` that `index` names, one after
    another.

    Args:
        values: blocks of `count` slices of `inner` elements.
        index: for each slice of a block, the slice of `out`; the same for all blocks.
        out: blocks of `size` elements, in slices of `inner` elements.
    """
    for o in range(first, last):
        block = out[o * size : (o + 1) * size]
        source = values[o * count * inner : (o + 1) * count * inner]
        if inner == 1:
            for j in range(count):
                block[index[j]] += source[j]
            continue
        for j in range(count):
            target = block[index[j] * inner : (index[j] + 1) * inner]
            added = source[j * inner : (j + 1) * inner]
            for i in range(inner):
                target[i] += added[i]


@serves(
    "add_slices",
    least="ADD_SLICES",
    size=lambda out, index, values: values.size,
    takes=lambda out, index, values: out.dtype == values.dtype == FLOAT and out.flags.carray,
    loop=functools.partial(loop_of, add_slices),
)
def add_slices_in_place(out, index, values):
    """Adds slices of the middle axis of `values` to those of `out` at indices, in place; returns
    `out`.

    Args:
        out: a contiguous 3-D array.
        index: 1-D int64 array, in range; for each slice of `values` the slice of `out`.
        values: a 3-D array whose first and last axes have the lengths of those of `out`.
    """
    stack, _, inner = out.shape
    table = blocks(stack, max(PIECE // max(index.size * inner, 1), 1))
    sizes = out.shape[1] * inner, index.size, inner
    loop_of(add_slices).run(table, jit.flat(values), jit.flat(index), out.reshape(-1), *sizes)
    return out


def _fit(x, index, axis):
    """Returns True if `index` holds integers and has the shape of `x` except along the axis."""
    others = [shape[:axis] + shape[axis + 1 :] for shape in (x.shape, index.shape)]
    return others[0] == others[1] and index.dtype.kind in "iu"


@serves(
    "take_along_axis",
    least="ALONG_AXIS",
    size=lambda x, index, axis: index.size,
    takes=lambda x, index, axis: (
        x.itemsize == WORD.itemsize and x.dtype.kind in "fiu" and _fit(x, index, axis)
    ),
    loop=functools.partial(loop_of, take_along, _LIBRARY),
)
def take_along_axis(x, index, axis):
    """Computes NumPy's `take_along_axis` for elements of four bytes; None if an index is out of
    range."""
    source = jit.flat(x).view(WORD)
    out = _run(take_along, source, index, lambda: numpy.empty(index.shape, WORD), x, axis, 1)
    return None if out is None else out.view(x.dtype)


@serves(
    "add_along_axis",
    least="ADD_ALONG",
    size=lambda x, index, values, axis: index.size,
    takes=lambda x, index, values, axis: (
        x.dtype == values.dtype == FLOAT and values.shape == index.shape and _fit(x, index, axis)
    ),
    loop=functools.partial(loop_of, add_along, _LIBRARY),
)
def add_along_axis(x, index, values, axis):
    """Returns a copy of `x` with values added where `take_along_axis` would read; None if an index
    is out of range."""
    return _run(add_along, jit.flat(values), index, lambda: copied(x), x, axis, WIDTH)


@serves(
    "set_along_axis",
    least="SET_ALONG",
    size=lambda x, index, values, axis: index.size,
    takes=lambda x, index, values, axis: (
        x.itemsize == WORD.itemsize
        and x.dtype.kind in "fiu"
        and x.dtype == values.dtype
        and values.shape == index.shape
        and _fit(x, index, axis)
    ),
    loop=functools.partial(loop_of, set_along, _LIBRARY),
)
def set_along_axis(x, index, values, axis):
    """Returns a copy of `x` with values written where `take_along_axis` would read; None if an
    index is out of range."""
    source = jit.flat(values).view(WORD)
    out = _run(set_along, source, index, lambda: copied(x).view(WORD), x, axis, WIDTH)
    return None if out is None else out.view(x.dtype)


def _run(function, source, index, new, x, axis, width):
    """Runs a loop; a second time if an index is negative.

    Args:
        function: `take_along`, or another with its arguments.
        source: the array that the loop reads.
        new (Callable): returns the array that the loop writes to.

    Returns:
        The array that the loop has written to; None if an index is out of range.
    """
    length = x.shape[axis]
    outer, inner = math.prod(index.shape[:axis]), math.prod(index.shape[axis + 1 :])
    rows, run = (index.shape[axis], inner) if inner > 1 else (1, index.shape[axis])
    table = _pieces(outer, inner, run, index.size, width)
    loop, sizes = loop_of(function, _LIBRARY), (length * inner, rows, run, inner)
    out, from_0 = new(), jit.flat(index.astype(numpy.int64, copy=False))
    if loop.run(table, source, from_0, out.reshape(-1), *sizes):
        return out
    low = index.min()
    if low < -length or index.max() >= length:
        return None
    out, from_0 = new(), jit.flat(from_zero(index, low, length))
    loop.run(table, source, from_0, out.reshape(-1), *sizes)
    return out


@functools.lru_cache(maxsize=1024)
def _pieces(outer, inner, run, size, width):
    """Returns a table with a row for each piece: its first and last block, and the start and stop
    of its part of each row. Parts have at least `width` elements, if rows do."""
    pieces = max(min(size // PIECE, MOST), 1)
    if outer >= inner:
        rows = [[*part, 0, run] for part in blocks(outer, -(-outer // pieces))]
    else:
        rows = [[0, outer, *part] for part in blocks(inner, max(-(-inner // pieces), width))]
    return numpy.array(rows, INDEX).reshape(-1, 4)
