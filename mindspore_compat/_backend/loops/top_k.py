"""The largest or smallest elements of each row of a float32 matrix, as a compiled loop for the
host.

A row is read once, and the elements selected so far are kept in order. In the worst case, a row in
ascending order, each element takes the place of all of them. So the loop is for small matrices;
others are partitioned (host/order_stats.py).
"""

import functools

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..threads.parallel_loops import FLOAT, INDEX, array, blocks, loop_of, memory, number, piece
from ..thresholds import Most

PIECE = 1 << 15  # elements of a piece, about


def top_k_of_rows(
    x: array(FLOAT),
    values: array(FLOAT),
    indices: array(INDEX),
    best: memory(FLOAT),
    first: piece(0),
    last: piece(1),
    length: number(),
    sign: number(FLOAT),
) -> bool:
    """Writes the largest elements of rows `first` to `last` in order, and their indices. Equal
    elements keep the order of their indices.

    Args:
        x: rows of `length` elements.
        values, indices: as many elements of each row as `best` has.
        best: memory for the elements of a row that are selected so far, times `sign`.
        sign: -1 to select the smallest elements.

    Returns:
        bool: False if an element is NaN.
    """
    k = best.size
    for row in range(first, last):
        source = x[row * length : (row + 1) * length]
        at = row * k
        count = 0
        for i in range(length):
            value = sign * source[i]
            if count == k and value <= best[k - 1]:
                continue
            if value != value:
                return False
            to = min(count, k - 1)
            while to > 0 and value > best[to - 1]:
                best[to] = best[to - 1]
                indices[at + to] = indices[at + to - 1]
                to -= 1
            best[to] = value
            indices[at + to] = i
            count = min(count + 1, k)
        for j in range(k):
            values[at + j] = sign * best[j]
    return True


def _is_taken(x, k, largest):
    """Returns True for a contiguous float32 array and few comparisons in the worst case."""
    fits = x.dtype == FLOAT and x.flags.c_contiguous
    return fits and 0 < k <= x.shape[-1] and x.size * k <= Most.TOP_K_LOOP


@serves("top_k", least="TOP_K", takes=_is_taken, loop=functools.partial(loop_of, top_k_of_rows))
def top_k(x, k, largest):
    """Returns the `k` largest (or smallest) elements of each row in order, and their indices; None
    if an element is NaN."""
    length = x.shape[-1]
    rows, shape = x.size // length, (*x.shape[:-1], k)
    values, indices = numpy.empty(shape, FLOAT), numpy.empty(shape, INDEX)
    table = blocks(rows, max(PIECE // length, 1))
    outputs = values.reshape(-1), indices.reshape(-1)
    sign = FLOAT.type(1 if largest else -1)
    done = loop_of(top_k_of_rows).run(table, jit.flat(x), *outputs, k, length, sign)
    return (values, indices) if done else None
