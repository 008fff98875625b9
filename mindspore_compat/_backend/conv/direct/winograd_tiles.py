"""The transforms of Winograd's convolution by 3x3 kernels, for compiled loops for the host
(compiled/tiles.py).

Each transform multiplies a square of vectors, whose lanes are channels or filters, by a small
matrix on both sides: out = m @ square @ m.T.

    y = A.T [ (G w G.T) * (B.T x B) ] A        gradient for w:  G.T [ (A g A.T) * (B.T x B) ] G

F(2, 3) computes 2x2 results from tiles of 4x4 and needs only additions and halving. F(4, 3)
computes 4x4 results from tiles of 6x6; its factors are larger, which costs some digits.

Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks" (2015).
"""

import functools
import inspect
import sys
from dataclasses import dataclass
from fractions import Fraction

import numpy

from ...compiled import tiles
from ...compiled.tiles import Code, plain


@dataclass(frozen=True, eq=False)  # hashing fractions takes longer than a small convolution
class Method:
    """One of Winograd's methods.

    Attributes:
        step: the number of rows, and of columns, of the result that one tile computes.
        input: the matrix B.T, by rows.
        filter: the matrix G.
        output: the matrix A.T.
    """

    step: int
    input: tuple
    filter: tuple
    output: tuple

    @property
    def reach(self):
        """The number of rows and columns of a tile."""
        return len(self.input)

    @property
    def elements(self):
        """The number of elements of a tile."""
        return len(self.input) ** 2

    def matrices(self):
        """Returns the matrix of each transform, by its name."""
        return {
            "input_transform": self.input,
            "filter_transform": self.filter,
            "gradient_transform": tuple(zip(*self.output, strict=True)),
            "output_transform": self.output,
            "filter_gradient_transform": tuple(zip(*self.filter, strict=True)),
        }

    # What a Library of compiled/library.py takes ----------------------------------------

    def definitions(self):
        """Returns a dict from the name of each transform to its NumPy function."""
        return {
            name: functools.partial(_transform, matrix) for name, matrix in self.matrices().items()
        }

    def intrinsics(self):
        """Returns a dict from the name of each transform to its intrinsic, for loops compiled by
        Numba."""
        return {name: _intrinsic(matrix) for name, matrix in self.matrices().items()}

    def text(self):
        """Returns the text that identifies the compiled loops on disk."""
        return inspect.getsource(sys.modules[__name__]) + repr(self)


def _matrix(*rows):
    return tuple(tuple(Fraction(entry) for entry in row.split()) for row in rows)


F2 = Method(
    2,
    _matrix("1 0 -1 0", "0 1 1 0", "0 -1 1 0", "0 1 0 -1"),
    _matrix("1 0 0", "1/2 1/2 1/2", "1/2 -1/2 1/2", "0 0 1"),
    _matrix("1 1 1 0", "0 1 -1 -1"),
)
F4 = Method(
    4,
    _matrix(
        "4 0 -5 0 1 0",
        "0 -4 -4 1 1 0",
        "0 4 -4 -1 1 0",
        "0 -2 -1 2 1 0",
        "0 2 -1 -2 1 0",
        "0 4 0 -5 0 1",
    ),
    _matrix(
        "1/4 0 0", "-1/6 -1/6 -1/6", "-1/6 1/6 -1/6", "1/24 1/12 1/6", "1/24 -1/12 1/6", "0 0 1"
    ),
    _matrix("1 1 1 1 1 0", "0 1 -1 2 -2 0", "0 1 1 4 4 0", "0 1 -1 8 -8 1"),
)


def _transform(matrix, x, x_at, x_row, x_column, out, out_at, out_row, out_column):
    """Multiplies a square of vectors by a matrix on both sides.

    Args:
        matrix: one of the matrices of a Method.
        x, x_at, x_row, x_column: an array, the start of the first vector in it, and the steps to
            the vector below and to the one beside it.
        out, out_at, out_row, out_column: the same for the result.
    """
    rows, columns, lanes = len(matrix), len(matrix[0]), tiles.LANES
    square = [
        [x[x_at + i * x_row + j * x_column :][:lanes] for j in range(columns)]
        for i in range(columns)
    ]
    factors = numpy.array(matrix, x.dtype)
    transformed = numpy.einsum("ia,abl,jb->ijl", factors, numpy.array(square), factors)
    for i in range(rows):
        for j in range(rows):
            out[out_at + i * out_row + j * out_column :][:lanes] = transformed[i, j]


def _intrinsic(matrix):
    from numba import types
    from numba.extending import intrinsic

    def code(context, builder, signature, arguments):
        emitter = Code(context, builder, signature, arguments)
        x, x_at, x_row, x_column, out, out_at, out_row, out_column = emitter.arguments
        square = _vectors(emitter, emitter.at(x, x_at), x_row, x_column, len(matrix[0]))
        columns = [
            _combined(emitter, matrix, column) for column in zip(*map(_loaded(emitter), square))
        ]
        out = emitter.at(out, out_at)
        for i, row in enumerate(zip(*columns, strict=True)):
            targets = _vectors(emitter, out, out_row, out_column, len(matrix))[i]
            for value, target in zip(_combined(emitter, matrix, row), targets, strict=True):
                emitter.store(value, target)
        return context.get_dummy_value()

    @intrinsic
    def transform(context, x, x_at, x_row, x_column, out, out_at, out_row, out_column):
        arguments = x, x_at, x_row, x_column, out, out_at, out_row, out_column
        return types.void(*map(plain, arguments)), code

    return transform


def _loaded(code):
    return lambda row: [code.load(pointer) for pointer in row]


def _vectors(code, pointer, row, column, size):
    """Emits the addresses of the vectors of a square, and returns them as rows of pointers."""
    multiply = code.builder.mul
    return [
        [
            code.at(pointer, multiply(row, code.number(i)), multiply(column, code.number(j)))
            for j in range(size)
        ]
        for i in range(size)
    ]


def _combined(code, matrix, vectors):
    """Emits the product of a matrix and a column of vectors; returns the resulting vectors."""
    combinations = []
    for row in matrix:
        sums = []
        for size in sorted({abs(factor) for factor in row if factor}):
            terms = [
                (f > 0, vector) for f, vector in zip(row, vectors, strict=True) if abs(f) == size
            ]
            total = _signed_sum(code, terms)
            sums.append(
                total if size == 1 else code.builder.fmul(total, code.constant(float(size)))
            )
        combinations.append(functools.reduce(code.builder.fadd, sums))
    return combinations


def _signed_sum(code, terms):
    """Emits the sum of vectors, and returns it. `terms` are pairs of whether a vector is added (or
    else subtracted) and the vector."""
    builder, total = code.builder, None
    for adds, vector in sorted(terms, key=lambda term: not term[0]):
        if total is None:
            total = vector if adds else builder.fneg(vector)
        else:
            total = builder.fadd(total, vector) if adds else builder.fsub(total, vector)
    return total
