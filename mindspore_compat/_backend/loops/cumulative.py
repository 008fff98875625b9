"""Cumulative sums, running maxima and products of rows, and recurrences, as compiled loops for the
host, which keep the sum, maximum or product in a register."""

import functools
from math import prod

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..compiled.library import Library
from ..threads.parallel_loops import FLOAT, INDEX, array, blocks, loop_of, number, piece

PIECE = 1 << 15  # elements of a piece, about
TOGETHER = 64  # elements that are compared with the largest one so far at once
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
        x, out: matrices with rows of `length` elements, flattened.
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


def products_of_rows(
    x: array(FLOAT), out: array(FLOAT), length: number(), first: piece(0), last: piece(1)
):
    """Writes the products of rows `first` to `last`, each in order.

    The products of eight rows are independent of each other, so that the processor computes them
    side by side.

    Args:
        x: a matrix with rows of `length` elements, flattened.
        out: a product for each row.
        length: the elements of a row.
        first, last: the range of rows.
    """
    for row in range(first, last - last % 8, 8):
        at = row * length
        half, end = at + 4 * length, at + 8 * length
        a_row, b_row = x[at : at + length], x[at + length : at + 2 * length]
        c_row, d_row = x[at + 2 * length : at + 3 * length], x[at + 3 * length : half]
        e_row, f_row = x[half : half + length], x[half + length : half + 2 * length]
        g_row, h_row = x[half + 2 * length : half + 3 * length], x[half + 3 * length : end]
        a, b, c, d = a_row[0], b_row[0], c_row[0], d_row[0]
        e, f, g, h = e_row[0], f_row[0], g_row[0], h_row[0]
        for k in range(1, length):
            a *= a_row[k]
            b *= b_row[k]
            c *= c_row[k]
            d *= d_row[k]
            e *= e_row[k]
            f *= f_row[k]
            g *= g_row[k]
            h *= h_row[k]
        out[row], out[row + 1], out[row + 2], out[row + 3] = a, b, c, d
        out[row + 4], out[row + 5], out[row + 6], out[row + 7] = e, f, g, h
    for row in range(max(first, last - last % 8), last):
        product = x[row * length]
        for at in range(row * length + 1, (row + 1) * length):
            product *= x[at]
        out[row] = product


@serves(
    "prod",
    least="PROD",
    takes=lambda x: x.dtype == FLOAT and x.shape[1] > 0 and len(x) >= 8,
    loop=functools.partial(loop_of, products_of_rows),
)
def prod_of_rows(x):
    """Returns the product of each row of a contiguous matrix, with NumPy's bits."""
    count, length = x.shape
    out = numpy.empty(count, FLOAT)
    step = -(-max(PIECE // length, 1) // 8) * 8
    loop_of(products_of_rows).run(blocks(count, step), x.reshape(-1), out, length)
    return out


def leading_elements(
    x: array(FLOAT),
    extremes: array(FLOAT),
    out: array(INDEX),
    length: number(),
    sign: number(FLOAT),
    first: piece(0),
    last: piece(1),
):
    """Writes the largest element so far and its last index, for rows `first` to `last`. NaN is
    larger than all numbers.

    Most elements are smaller than one before them, so TOGETHER elements are compared with the
    largest one at once.

    Args:
        x, extremes, out: matrices with rows of `length` elements, flattened.
        length: the elements of a row.
        sign: -1 to find the smallest; NaN is then smaller than all numbers.
        first, last: the range of rows.
    """
    for row in range(first, last):
        best, index = sign * x[row * length], 0
        for start in range(row * length, (row + 1) * length, TOGETHER):
            count = min((row + 1) * length - start, TOGETHER)
            values, indices = x[start : start + count], out[start : start + count]
            results = extremes[start : start + count]
            leaders = 0
            for k in range(count):
                value = sign * values[k]
                leaders |= 1 if (value >= best) | (value != value) else 0
            if leaders:
                for k in range(count):
                    value = sign * values[k]
                    if (value >= best) | (value != value):
                        best, index = value, start - row * length + k
                    indices[k] = index
                    results[k] = sign * best
            else:
                extreme = sign * best
                for k in range(count):
                    indices[k] = index
                    results[k] = extreme


_LIBRARY = Library(TOGETHER=TOGETHER)


@serves(
    "extremes_so_far",
    least="EXTREMES_SO_FAR",
    takes=lambda rows, largest: rows.dtype == FLOAT,
    loop=functools.partial(loop_of, leading_elements, _LIBRARY),
)
def extremes_so_far(rows, largest):
    """Returns, for each element of a contiguous array, the largest (or smallest) element of its row
    up to there, and its index."""
    length = rows.shape[-1]
    extremes, out = numpy.empty(rows.shape, FLOAT), numpy.empty(rows.shape, INDEX)
    table = blocks(rows.size // length, max(PIECE // length, 1))
    sign = FLOAT.type(1 if largest else -1)
    arrays = rows.reshape(-1), extremes.reshape(-1), out.reshape(-1)
    loop_of(leading_elements, _LIBRARY).run(table, *arrays, length, sign)
    return extremes, out


def recur_rows(
    factors: array(FLOAT),
    terms: array(FLOAT),
    out: array(FLOAT),
    length: number(),
    first: piece(0),
    last: piece(1),
):
    """Writes out[k] = factors[k] * out[k - 1] + terms[k] along rows `first` to `last`, of four rows
    side by side, because each result waits for the one before it.

    Args:
        factors, terms, out: matrices with rows of `length` elements, flattened.
        length: the elements of a row.
        first, last: the range of rows.
    """
    whole = first + (last - first) // 4 * 4
    for row in range(first, whole, 4):
        at = row * length
        bt, ct, dt, end = at + length, at + 2 * length, at + 3 * length, at + 4 * length
        a_factors, b_factors = factors[at:bt], factors[bt:ct]
        c_factors, d_factors = factors[ct:dt], factors[dt:end]
        a_terms, b_terms, c_terms, d_terms = terms[at:bt], terms[bt:ct], terms[ct:dt], terms[dt:end]
        a_out, b_out, c_out, d_out = out[at:bt], out[bt:ct], out[ct:dt], out[dt:end]
        a, b, c, d = a_terms[0], b_terms[0], c_terms[0], d_terms[0]
        a_out[0], b_out[0], c_out[0], d_out[0] = a, b, c, d
        for k in range(1, length):
            a = a_factors[k] * a + a_terms[k]
            b = b_factors[k] * b + b_terms[k]
            c = c_factors[k] * c + c_terms[k]
            d = d_factors[k] * d + d_terms[k]
            a_out[k], b_out[k], c_out[k], d_out[k] = a, b, c, d
    for row in range(whole, last):
        total = terms[row * length]
        out[row * length] = total
        for at in range(row * length + 1, (row + 1) * length):
            total = factors[at] * total + terms[at]
            out[at] = total


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
    """Writes out[k] = factors[k] * out[k - 1] + terms[k] along the middle axis of a 3-D array, for
    one element of the first axis and elements `first` to `last` of the last one.

    Args:
        factors, terms, out: 3-D arrays, flattened.
        length: the elements of the middle axis.
        inner: the elements of the last axis.
        outer, first, last: the part that is written.
    """
    start = outer * length * inner
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
    least="RECURRENCE_ALONG",
    size=lambda factors, terms, axis: terms.size,
    takes=_recurrences_are_taken,
    loops=lambda factors, terms, axis: [loop_of(_recurrence(terms, axis))],
)
def linear_recurrence(factors, terms, axis):
    """Computes out[k] = factors[k] * out[k - 1] + terms[k] along an axis."""
    out = numpy.empty(terms.shape, FLOAT)
    axis %= terms.ndim
    outer, inner = prod(terms.shape[:axis]), prod(terms.shape[axis + 1 :])
    arrays, length = (jit.flat(factors), jit.flat(terms), out.reshape(-1)), terms.shape[axis]
    if inner == 1:
        table = blocks(outer, -(-max(PIECE // max(length, 1), 1) // 4) * 4)
        loop_of(recur_rows).run(table, *arrays, length)
    else:
        loop_of(recur).run(_parts(outer, inner), *arrays, length, inner)
    return out


def _recurrence(terms, axis):
    """Returns the loop of a recurrence along an axis."""
    return recur_rows if prod(terms.shape[axis % terms.ndim + 1 :]) == 1 else recur


def _parts(outer, inner):
    """Returns the table of pieces: an element of the first axis and a part of the last one."""
    parts = blocks(inner, WIDEST)
    return numpy.array([(number, *part) for number in range(outer) for part in parts], INDEX)
