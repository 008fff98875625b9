"""Where the largest or smallest float32 along an axis stands, as a compiled loop of the host.

It is for an axis that is not the last, along which NumPy copies the array first. An array is looked
at as (outer, length, inner); neighbours in the last dimension are compared together.
"""

import functools
import math

import numpy

from ..compiled import jit
from ..compiled.vector_math import ordered, single
from ..threads.parallel_loops import (
    FLOAT,
    INDEX,
    ParallelLoop,
    array,
    blocks_around,
    memory,
    number,
    piece,
)

LEAST = 1 << 14  # elements from which a loop pays
SHORTEST = 16  # elements of the last dimension, below which vectors are not filled
WIDTH = 256  # of these that are compared together, at most
PIECE = 1 << 15  # elements of a piece, about
WORD = numpy.dtype(numpy.int32)


def argmax_along(x, out, best, index, first, last, start, stop, length, inner, sign):
    """Writes the index of the first of the largest elements along the middle of three axes; a
    NaN is larger than all.

    Args:
        x, out: (outer, `length`, `inner`) and (outer, `inner`), as arrays of one axis.
        best, index: memory for WIDTH elements.
        first, last, start, stop: which part of the outer and of the last dimension.
        sign: -1 to find the smallest.
    """
    for o in range(first, last):
        for begin in range(start, stop, best.size):
            count = min(stop - begin, best.size)
            for k in range(length):
                base = (o * length + k) * inner + begin
                row = x[base : base + count]
                for i in range(count):
                    # The sum with 0 makes one zero of both.
                    value = ordered(sign * row[i] + single(0))
                    greater = value > best[i] or k == 0
                    best[i] = value if greater else best[i]
                    index[i] = k if greater else index[i]
            found = out[o * inner + begin : o * inner + begin + count]
            for i in range(count):
                found[i] = index[i]


@jit.made_once
def _loop():
    parameters = [array(FLOAT), array(INDEX), memory(WORD), memory(WORD), *map(piece, range(4))]
    parameters += [number(), number(), number(FLOAT)]
    text = functools.partial(jit.text_of, argmax_along)
    return ParallelLoop(text, parameters, True, "argmax_along")


def argmax(x, axis, largest):
    """NumPy's `argmax`, or `argmin`, of an array along an axis; None where NumPy finds it as fast,
    and while the loop is not ready."""
    outer, length, inner = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :])
    if x.dtype != FLOAT or x.size < LEAST or inner < SHORTEST or not x.flags.c_contiguous:
        return None
    if not (jit.available() and _loop().is_ready()):
        return None
    out = numpy.empty((*x.shape[:axis], *x.shape[axis + 1 :]), INDEX)
    table, width = blocks_around(outer, length, inner, PIECE, WIDTH), min(WIDTH, inner)
    numbers = length, inner, FLOAT.type(1 if largest else -1)
    _loop().run(table, jit.flat(x), out.reshape(-1), width, width, *numbers)
    return out
