"""Normal numbers by Marsaglia's polar method as compiled loops of the host. The results are bitwise
those of NumPy in `engines.standard_normal`.
"""

import functools
import math

import numpy

from ..compiled.door import serves
from ..compiled.vector_math import single
from ..threads.parallel_loops import FLOAT, INDEX, array, blocks, loop_of, memory, number, piece

LONG = numpy.dtype(numpy.uint64)


def points_in_circle(
    powers: array(LONG),
    state: number(LONG),
    points: array(FLOAT),
    squares: array(FLOAT),
    taken: array(INDEX),
    buffer: memory(FLOAT),
    first: piece(0),
    last: piece(1),
):
    """Writes points within the unit circle of two states each, and the squares of their distances
    from the centre.

    Args:
        powers: the powers 1, 2, ... of the multiplier.
        state: the state before the first.
        points: x and y of each point.
        squares: a number for each point.
        taken: how many states the points took; an array of one element.
        buffer: memory for as many numbers as there are powers.
        first, last: the range of points.
    """
    modulus, bits = numpy.uint64(0x7FFFFFFF), numpy.uint64(31)
    count = 0
    while first < last:
        tried = min(len(powers), 16 + (last - first) * 13 // 10 * 2)
        for i in range(tried):
            product = powers[i] * state
            product = (product & modulus) + (product >> bits)
            product = (product & modulus) + (product >> bits)
            number = single(numpy.int32(product) - numpy.int32(1))
            buffer[i] = number * single(2.0**-30) - single(1)
        for i in range(0, tried, 2):
            x, y = buffer[i], buffer[i + 1]
            square = x * x + y * y
            if square <= single(1) and first < last:
                points[2 * first], points[2 * first + 1] = x, y
                squares[first] = square
                first += 1
                taken[0] = count + i + 2
        count += tried
        state = powers[tried - 1] * state % modulus


def scale_points(
    points: array(FLOAT), squares: array(FLOAT), logs: array(FLOAT), first: piece(0), last: piece(1)
):
    """Replaces the points `first` to `last` by pairs of normal numbers.

    Args:
        points: x and y of each point.
        squares: a number for each point.
        logs: the logarithms of the squares.
        first, last: the range of points.
    """
    for i in range(first, last):
        factor = math.sqrt(single(-2) * logs[i] / squares[i])
        x, y = points[2 * i], points[2 * i + 1]
        points[2 * i], points[2 * i + 1] = y * factor, x * factor


_pointing, _scaling = (
    functools.partial(loop_of, loop) for loop in (points_in_circle, scale_points)
)


@serves(
    "standard_normal",
    least="POLAR",
    size=lambda powers, state, count: count,
    takes=lambda powers, state, count: True,
    loops=lambda powers, state, count: [_pointing(), _scaling()],
)
def standard_normal(powers, state, count):
    """Returns normal numbers, and how many states they took (see `points_in_circle`)."""
    pairs = (count + 1) // 2
    points, squares = numpy.empty(2 * pairs, FLOAT), numpy.empty(pairs, FLOAT)
    taken, table = numpy.empty(1, INDEX), blocks(pairs, pairs)
    _pointing().run(table, powers, state, points, squares, taken, powers.size)
    logs = numpy.log(squares, dtype=numpy.float64).astype(FLOAT)
    _scaling().run(table, points, squares, logs)
    return points[:count], int(taken[0])
