"""Products of sparse matrices, which have a few weights in each row, as a compiled loop of the
host."""

import functools

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..threads.parallel_loops import FLOAT, INDEX, array, blocks, loop_of, number, piece

PIECE = 1 << 16  # products of a piece, about


def weigh_rows(
    x: array(FLOAT),
    out: array(FLOAT),
    index: array(INDEX),
    weight: array(FLOAT),
    length: number(),
    rows: number(),
    taps: number(),
    inner: number(),
    first: piece(0),
    last: piece(1),
):
    """Writes rows `first` to `last` of a stack of matrices, each a weighted sum of rows of `x`.

    Args:
        x, out: stacks of matrices with `inner` columns, as arrays of one axis.
        index, weight: for each row of a result, `taps` rows of `x` and their weights.
        length, rows: the rows of each matrix of `x` and of `out`.
        taps, inner: the number of weights of a row, and of its elements.
        first, last: the range of rows of the whole stack.
    """
    for row in range(first, last):
        base, at = row // rows * length, row % rows * taps
        if inner == 1:
            total = weight[at] * x[base + index[at]]
            for tap in range(at + 1, at + taps):
                total += weight[tap] * x[base + index[tap]]
            out[row] = total
            continue
        target = out[row * inner : (row + 1) * inner]
        for tap in range(at, at + taps):
            start, factor = (base + index[tap]) * inner, weight[tap]
            source = x[start : start + inner]
            if tap == at:
                for j in range(inner):
                    target[j] = factor * source[j]
            else:
                for j in range(inner):
                    target[j] += factor * source[j]


@serves(
    "apply_taps",
    least="APPLY_TAPS",
    size=lambda x, index, weight: len(x) * index.size * x.shape[2],
    takes=lambda x, index, weight: type(x) is numpy.ndarray and x.dtype == FLOAT,
    loop=functools.partial(loop_of, weigh_rows),
)
def apply_taps(x, index, weight):
    """Returns the middle axis of `x` multiplied by a sparse matrix.

    Args:
        x: an array of three axes.
        index: (rows, taps) of int64, the columns of the weights.
        weight: (rows, taps), any float.
    """
    (rows, taps), inner = index.shape, x.shape[2]
    out = numpy.empty((len(x), rows, inner), FLOAT)
    table = blocks(len(x) * rows, max(PIECE // (taps * inner), 1))
    arrays = jit.flat(x), out.reshape(-1), index.reshape(-1), weight.astype(FLOAT).reshape(-1)
    loop_of(weigh_rows).run(table, *arrays, x.shape[1], rows, taps, inner)
    return out
