"""argmax and argmin of float32 along an axis, as a compiled loop for the host.

It is for an axis other than the last, for which NumPy copies the array first. An array is viewed as
(outer, length, inner); adjacent elements of the last axis are compared together.
"""

import math

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..compiled.vector_math import ordered, single
from ..threads.parallel_loops import (
    FLOAT,
    INDEX,
    array,
    blocks_around,
    loop_of,
    memory,
    number,
    piece,
)
from ..thresholds import Least

WIDTH = 256  # elements of the last dimension that are compared together, at most
PIECE = 1 << 15  # elements of a piece, about
WORD = numpy.dtype(numpy.int32)


def argmax_along(
    x: array(FLOAT),
    out: array(INDEX),
    best: memory(WORD),
    index: memory(WORD),
    first: piece(0),
    last: piece(1),
    start: piece(2),
    stop: piece(3),
    length: number(),
    inner: number(),
    sign: number(FLOAT),
):
    """Writes the index of the first largest element along the middle axis of a 3-D array; NaN is
    larger than all numbers.

    Args:
        x, out: (outer, `length`, `inner`) and (outer, `inner`), flattened.
        best, index: memory for WIDTH elements.
        first, last, start, stop: the ranges of the outer and of the last axis.
        sign: -1 to find the smallest.
    """
    for o in range(first, last):
        for begin in range(start, stop, best.size):
            count = min(stop - begin, best.size)
            for k in range(length):
                base = (o * length + k) * inner + begin
                row = x[base : base + count]
                for i in range(count):
                    # Adding 0 makes both zeros equal.
                    value = ordered(sign * row[i] + single(0))
                    greater = value > best[i] or k == 0
                    best[i] = value if greater else best[i]
                    index[i] = k if greater else index[i]
            target = out[o * inner + begin : o * inner + begin + count]
            for i in range(count):
                target[i] = index[i]


def _loop():
    return loop_of(argmax_along, None, True)


def _is_taken(x, axis, largest):
    """Returns True if the loop serves this call: a contiguous float32 array, and an axis followed
    by enough elements to fill vectors."""
    if x.dtype != FLOAT or not x.flags.c_contiguous:
        return False
    return x.strides[axis] >= Least.ARGMAX_BESIDE * FLOAT.itemsize


@serves("argmax", least="ARGMAX", takes=_is_taken, loop=_loop)
def argmax(x, axis, largest):
    """Computes NumPy's `argmax`, or `argmin`, of an array along an axis."""
    outer, length, inner = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :])
    out = numpy.empty((*x.shape[:axis], *x.shape[axis + 1 :]), INDEX)
    table, width = blocks_around(outer, length, inner, PIECE, WIDTH), min(WIDTH, inner)
    numbers = length, inner, FLOAT.type(1 if largest else -1)
    _loop().run(table, jit.flat(x), out.reshape(-1), width, width, *numbers)
    return out
