"""Stacks of matrices transposed by a compiled loop of the host, where Numba is installed.

A matrix goes through vector registers by squares (vector_tiles.py), at nearly the speed of a copy.
"""

import functools

import numpy

from . import compiled
from .vector_tiles import LANES, LIBRARY, transpose_square

LEAST = 1 << 13  # elements below which a call costs as much as it saves
VECTOR = 16  # elements of the longest vectors
FLOAT, INDEX = numpy.dtype(numpy.float32), numpy.dtype(numpy.int64)


def transpose(x, out, bases, step, rows, columns):
    """Copies matrices of `rows` x `columns` to `out`, transposed and one after the other.

    Args:
        x, out: arrays.
        bases: where each matrix begins in `x`.
        step: from one of its rows to the next; elements of a row lie together.
        rows, columns: the size of a matrix, multiples of LANES.
    """
    for number in range(bases.size):
        to = number * rows * columns
        for row in range(0, rows, LANES):
            at = bases[number] + row * step
            for column in range(0, columns, LANES):
                transpose_square(x, at + column, step, out, to + column * rows + row, rows)


@functools.cache
def _loop():
    arrays = [(dtype, True) for dtype in (FLOAT, FLOAT, INDEX)]
    text = functools.partial(compiled.text_of, transpose)
    return compiled.Loop(text, [*arrays, *[(INDEX, False)] * 3], False, "transpose", LIBRARY)


def row_major(y):
    """A stack of matrices of which the columns lie together, as a copy whose rows do.

    Args:
        y: an array of at least two axes.

    Returns:
        The copy; `y` itself where its columns do not lie together, its sizes are no multiples of
        VECTOR, or there is no loop yet.
    """
    flags = y.flags
    if (
        y.size < LEAST
        or not y.strides[-2] == y.itemsize < y.strides[-1]
        or y.dtype != FLOAT
        or y.shape[-1] % VECTOR
        or y.shape[-2] % VECTOR
        or not (compiled.available() and flags.writeable and flags.aligned)
        or min(y.strides) < 0
    ):
        return y
    loop = _loop()
    if not (loop.ready is not None or loop.request()):
        return y
    out = numpy.empty(y.shape, FLOAT)
    bases = _bases(y.shape[:-2], y.strides[:-2])
    loop.ready(_memory(y), out.reshape(-1), bases, y.strides[-1] // 4, y.shape[-1], y.shape[-2])
    return out


def _memory(y):
    """The memory of a stack from its first element to its last, as an array of one axis."""
    turned = y.swapaxes(-1, -2)
    if turned.flags.c_contiguous:
        return turned.reshape(-1)
    reach = sum((n - 1) * step for n, step in zip(y.shape, y.strides, strict=True)) // 4 + 1
    return numpy.lib.stride_tricks.as_strided(y, (reach,), (4,))


@functools.lru_cache(maxsize=256)
def _bases(shape, strides):
    """Where each matrix of a stack begins."""
    bases = numpy.zeros(1, INDEX)
    for size, step in zip(shape, strides, strict=True):
        bases = (bases[:, None] + numpy.arange(size) * (step // 4)).reshape(-1)
    return bases
