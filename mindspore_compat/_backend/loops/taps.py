"""Products of sparse matrices, which have a few weights in each row, as a compiled loop for the
host."""

import functools

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..compiled.library import Library
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
        x, out: stacks of matrices with `inner` columns, flattened.
        index, weight: `taps` rows of `x` and their weights for each row of a result: the first of
            each row, then the second of each row, and so on.
        length, rows: the rows of each matrix of `x` and of `out`.
        taps, inner: the number of weights of a row, and of its elements.
        first, last: the range of rows of the whole stack.
    """
    row = first
    while row < last:
        matrix = row // rows
        at, stop = row - matrix * rows, min((matrix + 1) * rows, last)
        source = x[matrix * length * inner : (matrix + 1) * length * inner]
        result = out[row * inner : stop * inner]
        if inner == 1:
            weigh_elements(source, result, index, weight, rows, taps, at)
        else:
            for i in range(stop - row):
                target = result[i * inner : (i + 1) * inner]
                weigh_slices(source, target, index, weight, rows, taps, at + i)
        row = stop


def weigh_elements(source, result, index, weight, rows, taps, at):
    """Writes the weighted sums of elements for the rows of a matrix from row `at` on."""
    a_index, a_weight = index[at : at + result.size], weight[at : at + result.size]
    if taps == 1:
        for i in range(result.size):
            result[i] = a_weight[i] * source[a_index[i]]
        return
    at += rows
    b_index, b_weight = index[at : at + result.size], weight[at : at + result.size]
    for i in range(result.size):
        result[i] = a_weight[i] * source[a_index[i]] + b_weight[i] * source[b_index[i]]
    for _ in range(2, taps):
        at += rows
        b_index, b_weight = index[at : at + result.size], weight[at : at + result.size]
        for i in range(result.size):
            result[i] += b_weight[i] * source[b_index[i]]


def weigh_slices(source, target, index, weight, rows, taps, at):
    """Writes the weighted sum of slices for row `at` of a matrix."""
    inner = target.size
    first, factor = source[index[at] * inner : (index[at] + 1) * inner], weight[at]
    if taps == 1:
        for j in range(inner):
            target[j] = factor * first[j]
        return
    at += rows
    second, other = source[index[at] * inner : (index[at] + 1) * inner], weight[at]
    for j in range(inner):
        target[j] = factor * first[j] + other * second[j]
    for _ in range(2, taps):
        at += rows
        second, other = source[index[at] * inner : (index[at] + 1) * inner], weight[at]
        for j in range(inner):
            target[j] += other * second[j]


_LIBRARY = Library(weigh_elements, weigh_slices)


@serves(
    "apply_taps",
    least="APPLY_TAPS",
    size=lambda x, index, weight: len(x) * index.size * x.shape[2],
    takes=lambda x, index, weight: type(x) is numpy.ndarray and x.dtype == FLOAT,
    loop=functools.partial(loop_of, weigh_rows, _LIBRARY),
)
def apply_taps(x, index, weight):
    """Returns the middle axis of `x` multiplied by a sparse matrix.

    Args:
        x: a 3-D array.
        index: (rows, taps) of int64, the columns of the weights.
        weight: (rows, taps), any float.
    """
    (rows, taps), inner = index.shape, x.shape[2]
    out = numpy.empty((len(x), rows, inner), FLOAT)
    table = blocks(len(x) * rows, max(PIECE // (taps * inner), 1))
    columns = index.T.ravel(), weight.T.astype(FLOAT).ravel()
    arrays = jit.flat(x), out.reshape(-1), *columns
    loop_of(weigh_rows, _LIBRARY).run(table, *arrays, x.shape[1], rows, taps, inner)
    return out
