"""Cumulative sums of rows as a compiled loop of the host, which keeps the sum in a register."""

from ..compiled.door import serves
from ..threads.parallel_loops import FLOAT, array, blocks, loop_of, number, piece

PIECE = 1 << 15  # elements of a piece, about


def sum_along_rows(
    x: array(FLOAT),
    out: array(FLOAT),
    length: number(),
    step: number(),
    first: piece(0),
    last: piece(1),
):
    """Writes the cumulative sums of rows `first` to `last`, backwards if `step` is -1.

    Args:
        x, out: matrices with rows of `length` elements, as arrays of one axis.
        length: the elements of a row.
        step: the step from an element to the next.
        first, last: the range of rows.
    """
    for row in range(first, last):
        at = row * length if step > 0 else (row + 1) * length - 1
        total = x[at]
        out[at] = total
        for _ in range(length - 1):
            at += step
            total += x[at]
            out[at] = total


@serves(
    "cumsum",
    least="CUMSUM",
    takes=lambda x, out, backwards: x.dtype == FLOAT,
    loops=lambda *_: [loop_of(sum_along_rows)],
)
def cumsum(x, out, backwards):
    """Writes the sums along contiguous rows, (count, length, 1), to `out`, and returns it."""
    count, length = x.shape[:2]
    table, step = blocks(count, max(PIECE // length, 1)), -1 if backwards else 1
    loop_of(sum_along_rows).run(table, x.reshape(-1), out.reshape(-1), length, step)
    return out
