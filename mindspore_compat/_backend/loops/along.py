"""Elements along an axis taken at indices, and added at indices, as compiled loops of the host.

An array is looked at as (outer, length, inner), with the axis in the middle. Threads share the
outer part, or the inner where that is longer, so that no element of a result has two writers; sums
are added in the order in which they are given, and so have the bits of NumPy's.
"""

import functools
import math

import numpy

from ..compiled import jit
from ..threads.parallel_loops import FLOAT, INDEX, ParallelLoop, array, blocks, number, piece

LEAST = 1 << 12  # indices from which a loop pays
PIECE = 1 << 16  # indices of a piece, about
MOST = 16  # pieces
WORD = numpy.dtype(numpy.int32)


def take_along(x, index, out, first, last, start, stop, size, rows, run, inner):
    """Writes to row k of block o of `out`, for o from `first` to `last`, the elements of block o of
    `x` that are named by the same row of `index`, from `start` to `stop`.

    Args:
        x: blocks of `size` elements.
        index, out: blocks of `rows` rows of `run` elements.
        inner: the elements of `x` from one position along the axis to the next, of which each is
            taken to its own place in a row. If there is one, a row is a whole block.
    """
    for o in range(first, last):
        block = x[o * size : (o + 1) * size]
        for k in range(rows):
            at = (o * rows + k) * run
            indices, target = index[at : at + run], out[at : at + run]
            if inner == 1:  # apart, for vector instructions
                for i in range(run):
                    target[i] = block[indices[i]]
            else:
                for i in range(start, stop):
                    target[i] = block[indices[i] * inner + i]


def add_along(values, index, out, first, last, start, stop, size, rows, run, inner):
    """Adds `values` to the elements of `out` that `take_along` would read; the arguments are its
    own."""
    for o in range(first, last):
        block = out[o * size : (o + 1) * size]
        for k in range(rows):
            at = (o * rows + k) * run
            indices, source = index[at : at + run], values[at : at + run]
            if inner == 1:
                for i in range(run):
                    block[indices[i]] += source[i]
            else:
                for i in range(start, stop):
                    block[indices[i] * inner + i] += source[i]


@jit.made_once
def _loop(function, dtype):
    elements, indices = array(dtype), array(INDEX)
    parameters = [elements, indices, elements, *map(piece, range(4))]
    parameters += [number()] * 4
    text = functools.partial(jit.text_of, function)
    return ParallelLoop(text, parameters, False, function.__name__)


def taken(x, index, axis):
    """What `take_along_axis` gives for an array of elements of four bytes, of the shape of `index`
    but along the axis; None if the loop does not take them or is not ready."""
    if x.itemsize != WORD.itemsize or x.dtype.kind not in "fiu":
        return None
    loop, index = _loop_for(take_along, WORD, x, index, axis)
    if loop is None:
        return None
    out = numpy.empty(index.shape, WORD)
    _run(loop, jit.flat(x).view(WORD), index, out, x.shape[axis], axis)
    return out.view(x.dtype)


def added(x, index, values, axis):
    """A copy of a float32 array with float32 values added where `take_along_axis` would read; None
    as for `taken`."""
    if not x.dtype == values.dtype == FLOAT or values.shape != index.shape:
        return None
    loop, index = _loop_for(add_along, FLOAT, x, index, axis)
    if loop is None:
        return None
    out = numpy.array(x, order="C")
    _run(loop, jit.flat(values), index, out, x.shape[axis], axis)
    return out


def _loop_for(function, dtype, x, index, axis):
    """The loop, or None, and the indices as int64 from 0 on."""
    others = [shape[:axis] + shape[axis + 1 :] for shape in (x.shape, index.shape)]
    if index.size < LEAST or others[0] != others[1] or index.dtype.kind not in "iu":
        return None, index
    loop = _loop(function, dtype)
    if not jit.available() or not loop.is_ready():
        return None, index
    length, least = x.shape[axis], index.min()
    if least < -length or index.max() >= length:
        return None, index
    index = index.astype(INDEX, copy=False)
    return loop, numpy.where(index < 0, index + length, index) if least < 0 else index


def _run(loop, source, index, target, length, axis):
    outer, inner = math.prod(index.shape[:axis]), math.prod(index.shape[axis + 1 :])
    rows, run = (index.shape[axis], inner) if inner > 1 else (1, index.shape[axis])
    pieces = max(min(index.size // PIECE, MOST), 1)
    if outer >= inner:
        table = [[*part, 0, run] for part in blocks(outer, -(-outer // pieces))]
    else:
        table = [[0, outer, *part] for part in blocks(inner, -(-inner // pieces))]
    sizes = length * inner, rows, run, inner
    loop.run(numpy.array(table), source, jit.flat(index), target.reshape(-1), *sizes)
