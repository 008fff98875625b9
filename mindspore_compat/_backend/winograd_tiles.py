"""The transforms of Winograd's F(2x2, 3x3), for compiled loops of the host (vector_tiles.py).

Each carries a square of vectors, whose lanes are channels or filters, through a small matrix on
both sides: out = m @ square @ m.T.

    y = A.T [ (G w G.T) * (B.T x B) ] A        gradient for w:  G.T [ (A g A.T) * (B.T x B) ] G

Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks" (2015).
"""

import functools

import numpy

from . import vector_tiles
from .vector_tiles import Code, plain

INPUT = ((1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, -1))  # B.T
FILTER = ((1, 0, 0), (0.5, 0.5, 0.5), (0.5, -0.5, 0.5), (0, 0, 1))  # G
OUTPUT = ((1, 1, 1, 0), (0, 1, -1, -1))  # A.T
GRADIENT = tuple(zip(*OUTPUT, strict=True))  # A
FILTER_GRADIENT = tuple(zip(*FILTER, strict=True))  # G.T


def input_transform(x, x_at, x_row, x_column, out, out_at, out_row, out_column):
    """4x4 vectors of an image to the 4x4 of its tile.

    Args:
        x, x_at, x_row, x_column: an array, where the first vector begins in it, and the steps to
            the vector below and to the one beside it.
        out, out_at, out_row, out_column: the same for the result.
    """
    _transform(INPUT, x, x_at, x_row, x_column, out, out_at, out_row, out_column)


def filter_transform(x, x_at, x_row, x_column, out, out_at, out_row, out_column):
    """3x3 vectors of a kernel to the 4x4 of its transform, with the arguments of
    `input_transform`."""
    _transform(FILTER, x, x_at, x_row, x_column, out, out_at, out_row, out_column)


def gradient_transform(x, x_at, x_row, x_column, out, out_at, out_row, out_column):
    """2x2 vectors of a result's gradient to the 4x4 of its tile, with the arguments of
    `input_transform`."""
    _transform(GRADIENT, x, x_at, x_row, x_column, out, out_at, out_row, out_column)


def output_transform(x, x_at, x_row, x_column, out, out_at, out_row, out_column):
    """The 4x4 vectors of a tile's products to 2x2 of the result, with the arguments of
    `input_transform`."""
    _transform(OUTPUT, x, x_at, x_row, x_column, out, out_at, out_row, out_column)


def filter_gradient_transform(x, x_at, x_row, x_column, out, out_at, out_row, out_column):
    """The 4x4 vectors of sums of products to the 3x3 of a kernel's gradient, with the arguments of
    `input_transform`."""
    _transform(FILTER_GRADIENT, x, x_at, x_row, x_column, out, out_at, out_row, out_column)


def _transform(matrix, x, x_at, x_row, x_column, out, out_at, out_row, out_column):
    matrix = numpy.array(matrix, x.dtype)
    rows, columns = matrix.shape
    lanes = vector_tiles.LANES
    square = [
        [x[x_at + i * x_row + j * x_column :][:lanes] for j in range(columns)]
        for i in range(columns)
    ]
    found = numpy.einsum("ia,abl,jb->ijl", matrix, numpy.array(square), matrix)
    for i in range(rows):
        for j in range(rows):
            out[out_at + i * out_row + j * out_column :][:lanes] = found[i, j]


_MATRICES = {
    input_transform: INPUT,
    filter_transform: FILTER,
    gradient_transform: GRADIENT,
    output_transform: OUTPUT,
    filter_gradient_transform: FILTER_GRADIENT,
}
DEFINITIONS = {each.__name__: each for each in _MATRICES}


@functools.cache
def intrinsics():
    """The transforms for loops that Numba compiles."""
    return {each.__name__: _intrinsic(matrix) for each, matrix in _MATRICES.items()}


def _intrinsic(matrix):
    from numba import types
    from numba.extending import intrinsic

    def code(context, builder, signature, arguments):
        own = Code(context, builder, signature, arguments)
        x, x_at, x_row, x_column, out, out_at, out_row, out_column = own.arguments
        square = _vectors(own, own.at(x, x_at), x_row, x_column, len(matrix[0]))
        columns = [_combined(own, matrix, column) for column in zip(*map(_loaded(own), square))]
        out = own.at(out, out_at)
        for i, row in enumerate(zip(*columns, strict=True)):
            targets = _vectors(own, out, out_row, out_column, len(matrix))[i]
            for value, target in zip(_combined(own, matrix, row), targets, strict=True):
                own.store(value, target)
        return context.get_dummy_value()

    @intrinsic
    def transform(context, x, x_at, x_row, x_column, out, out_at, out_row, out_column):
        given = x, x_at, x_row, x_column, out, out_at, out_row, out_column
        return types.void(*map(plain, given)), code

    return transform


def _loaded(code):
    return lambda row: [code.load(pointer) for pointer in row]


def _vectors(code, pointer, row, column, size):
    """Pointers to the vectors of a square."""
    multiply = code.builder.mul
    return [
        [
            code.at(pointer, multiply(row, code.number(i)), multiply(column, code.number(j)))
            for j in range(size)
        ]
        for i in range(size)
    ]


def _combined(code, matrix, vectors):
    """The matrix, whose factors are 0, 1 or 1/2 and their negatives, times a column of vectors."""
    return [
        functools.reduce(
            code.builder.fadd,
            [
                total
                for size in (1, 0.5)
                for total in _signed_sum(
                    code,
                    size,
                    [
                        (factor > 0, each)
                        for factor, each in zip(row, vectors, strict=True)
                        if abs(factor) == size
                    ],
                )
            ],
        )
        for row in matrix
    ]


def _signed_sum(code, size, terms):
    """A list of the sum of some vectors, of which some are subtracted, times a number; an empty one
    for none."""
    builder, total = code.builder, None
    for adds, each in sorted(terms, key=lambda term: not term[0]):
        if total is None:
            total = each if adds else builder.fneg(each)
        else:
            total = builder.fadd(total, each) if adds else builder.fsub(total, each)
    if total is None:
        return []
    return [total if size == 1 else builder.fmul(total, code.constant(size))]
