"""Cumulative sums of rows and recurrences as compiled loops of the host, which keep the sum in a
register."""

import functools
from math import prod

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..threads.parallel_loops import FLOAT, INDEX, array, blocks, loop_of, number, piece

PIECE = 1 << 15  # elements of a piece, about
WIDEST = 1 << 12  # adjacent elements in a piece of a recurrence


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
    loop=functools.partial(loop_of, sum_along_rows),
)
def cumsum(x, out, backwards):
    """Writes the cumulative sums along the rows of `x`, (count, length, 1), to `out`; returns
    `out`."""
    count, length = x.shape[:2]
    table, step = blocks(count, max(PIECE // length, 1)), -1 if backwards else 1
    loop_of(sum_along_rows).run(table, x.reshape(-1), out.reshape(-1), length, step)
    return out


def recur(
    factors: array(FLOAT),
    terms: array(FLOAT),
    out: array(FLOAT),
    length: number(),
    inner: number(),
    outer: piece(0),
    first: piece(1),
    last: piece(2),
):
    """Writes out[k] = factors[k] * out[k - 1] + terms[k] along the middle of three axes, for one
    element of the first axis and elements `first` to `last` of the last one.

    Args:
        factors, terms, out: arrays of three axes, as arrays of one axis.
        length: the elements of the middle axis.
        inner: the elements of the last axis.
        outer, first, last: the part that is written.
    """
    start = outer * length * inner
    if inner == 1:
        total = terms[start]
        out[start] = total
        for at in range(start + 1, start + length):
            total = factors[at] * total + terms[at]
            out[at] = total
        return
    for at in range(start + first, start + last):
        out[at] = terms[at]
    for k in range(1, length):
        row = start + k * inner
        for at in range(row + first, row + last):
            out[at] = factors[at] * out[at - inner] + terms[at]


def _recurrences_are_taken(factors, terms, axis):
    return (
        type(factors) is type(terms) is numpy.ndarray
        and factors.dtype == terms.dtype == FLOAT
        and factors.shape == terms.shape
    )


@serves(
    "linear_recurrence",
    least="CUMSUM",
    size=lambda factors, terms, axis: terms.size,
    takes=_recurrences_are_taken,
    loop=functools.partial(loop_of, recur),
)
def linear_recurrence(factors, terms, axis):
    """Computes out[k] = factors[k] * out[k - 1] + terms[k] along an axis."""
    out = numpy.empty(terms.shape, FLOAT)
    axis %= terms.ndim
    outer, inner = prod(terms.shape[:axis]), prod(terms.shape[axis + 1 :])
    table = _parts(outer, inner)
    arrays = jit.flat(factors), jit.flat(terms), out.reshape(-1)
    loop_of(recur).run(table, *arrays, terms.shape[axis], inner)
    return out


def _parts(outer, inner):
    """Returns the table of pieces: an element of the first axis and a part of the last one."""
    parts = blocks(inner, WIDEST)
    return numpy.array([(number, *part) for number in range(outer) for part in parts], INDEX)
