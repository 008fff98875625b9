"""Matrices that are inverted and applied block by block along their diagonal.

A matrix wider than SPLIT is taken for independent blocks of that width, the last one smaller.
Blocks are stored as one array (count, width, width), the last one filled up with an identity.
"""

import numpy

from . import arrays
from .compiled import door
from .cuda.spd_inverse import Inverses
from .host import checksums
from .threads import scheduler

SPLIT = 128
GROUP = 4  # blocks of columns that a thread multiplies at a time: what lies between fits its cache
ROUNDING = 1e-7  # of float32, in which the matrices are summed
LEAST = 1e-3  # of the mean of a diagonal is added to it where the given shift is too little

_kernels = {}  # array library -> the kernels that invert its matrices


def shape_of(size):
    """The shape of the blocks of a matrix of `size` rows."""
    width = min(size, SPLIT)
    return -(-size // width), width, width


def inverse_blocks(matrix, shift):
    """The inverses of the diagonal blocks of `matrix` plus a multiple of the identity.

    They are worked out in float64 by a Cholesky factorisation, and stored in float32. A block that
    holds something not finite has an inverse of NaN.

    A matrix that was summed in float32 may have eigenvalues a little below zero. Where `shift` does
    not outweigh them, a thousandth of the mean of the diagonal replaces it, so that what is
    rounding is not blown up by the inverse; if need be several times ten times as much.

    Args:
        matrix: a symmetric matrix, positive semidefinite but for rounding.
        shift (float): what is added to the diagonal, at least 0.

    Returns:
        (the inverses, the shift that was used).
    """
    xp = arrays.space_of(matrix)
    size = matrix.shape[0]
    blocks, bad = _blocks_of(xp, matrix)
    mean = float(_mean_of_diagonal(xp, blocks, size))
    while True:
        found = _inverses(xp, _damped(xp, blocks, shift, size))
        if found is not None:
            return _with_the_rest(xp, found, bad, size), shift
        shift = max(10 * shift, LEAST * mean) or 1.0


def inverse_blocks_unwatched(factors):
    """The inverses that `inverse_blocks` gives, of many matrices of a GPU, which is not waited for.

    Four shifts are tried one after the other, and the least that is enough is taken.

    Args:
        factors: (matrix, damping, positions) for each: a symmetric float32 matrix, positive
            semidefinite but for rounding, to whose diagonal the root of damping / positions is
            added. Both are numbers, or arrays of the GPU with one element, of float64 and float32.

    Returns:
        list of the inverses.
    """
    if not factors:
        return []
    module = arrays.space_of(factors[0][0]).module
    kernels = _kernels.get(module)
    if kernels is None:
        kernels = _kernels[module] = Inverses(module, SPLIT, ROUNDING, LEAST)
    return kernels.of(factors)


def _blocks_of(xp, matrix):
    """The diagonal blocks in float64, and which of them were not finite and are identities now."""
    size = matrix.shape[0]
    count, width, _ = shape_of(size)
    blocks = xp.zeros((count, width, width), "float64")
    for index in range(count):
        part = matrix[index * width : (index + 1) * width, index * width : (index + 1) * width]
        blocks[index, : part.shape[0], : part.shape[0]] = part
    bad = ~xp.all(xp.isfinite(blocks), axis=(1, 2), keepdims=True)
    return xp.where(bad, xp.eye(width), blocks), bad


def _mean_of_diagonal(xp, blocks, size):
    diagonal = xp.arange(blocks.shape[-1])
    return xp.sum(xp.abs(blocks[:, diagonal, diagonal])) / size


def _damped(xp, blocks, shift, size):
    """The blocks with a shift on their diagonal, the last one filled up."""
    count, width, _ = blocks.shape
    rest, diagonal = size - (count - 1) * width, xp.arange(width)
    shifted = blocks.copy()
    shifted[:, diagonal, diagonal] += shift
    shifted[-1, diagonal[rest:], diagonal[rest:]] = shifted[-1, 0, 0]
    return shifted


def _with_the_rest(xp, found, bad, size):
    """Inverses in float32, the last one filled up with an identity, of bad blocks NaN."""
    count, width, _ = found.shape
    rest, diagonal = size - (count - 1) * width, xp.arange(width)
    found[-1, diagonal[rest:], diagonal[rest:]] = 1.0
    return xp.cast(xp.where(bad, xp.nan, found), "float32")


def _inverses(xp, blocks):
    """The inverses of positive definite matrices; None where one is not, as far as float32 can
    tell."""
    try:
        lower = xp.linalg.cholesky(blocks)
    except numpy.linalg.LinAlgError:
        return None
    return _inverse_by(xp, lower) if bool(_usable(xp, lower, blocks)) else None


def _usable(xp, lower, blocks):
    """Whether all blocks (..., count, width, width) are the products of their factors.

    A pivot of the size of the rounding of float32 is positive or negative by chance. A GPU leaves
    something else than a factor where it fails, and raises no error. Only lower triangles are read:
    a product x.T @ x of a GPU need not be symmetric to the last bit.
    """
    diagonal = xp.arange(blocks.shape[-1])
    pivots = lower[..., diagonal, diagonal] ** 2
    least = ROUNDING * xp.max(blocks[..., diagonal, diagonal], axis=-1, keepdims=True)
    difference = xp.tril(xp.matmul(lower, lower.swapaxes(-1, -2)) - blocks)
    error = xp.max(xp.abs(difference), axis=-1)
    return xp.all((pivots > least) & (error <= least), axis=(-1, -2))


def _inverse_by(xp, lower):
    """The inverses of matrices by their Cholesky factors."""
    inverse = xp.linalg.inv(lower)
    return xp.matmul(inverse.swapaxes(-1, -2), inverse)


def between_blocks(triples):
    """The products left @ x @ right, for matrices x of any number of layers.

    On the host threads share the work of all of them, by a compiled loop where there is one. It is
    cut as the blocks are, so results have the same bits with any number of threads.

    Args:
        triples: (left, x, right) for each product: the blocks of a matrix, a float32 matrix, and
            the blocks of another matrix.

    Returns:
        list of matrices, each of the shape of its x.
    """
    if checksums.on or not all(type(x) is numpy.ndarray for _, x, _ in triples):
        return [blocks_times(left, times_blocks(x, right)) for left, x, right in triples]
    made = [door.call("matmul_between_blocks", *triple) for triple in triples]
    pieces = []
    for number, (left, x, right) in enumerate(triples):
        if made[number] is not None:
            continue
        out = made[number] = numpy.empty(x.shape, numpy.float32)
        rows = scheduler.blocks(len(x), left.shape[-1])
        columns = scheduler.blocks(x.shape[1], GROUP * right.shape[-1])
        pieces += [
            (left[index], x[part, group], right[GROUP * start :], out[part, group])
            for index, part in enumerate(rows)
            for start, group in enumerate(columns)
        ]
    pieces.sort(key=lambda piece: -piece[1].size)  # the largest first, so that threads end together
    scheduler.run(lambda number: _between(*pieces[number]), len(pieces))
    return made


def _between(left, x, right, out):
    """Writes left @ x @ right, for one block of rows and the first of the blocks at the right."""
    rows, size = x.shape
    width = right.shape[-1]
    count = size // width
    whole = count * width
    half = numpy.empty(x.shape, numpy.float32)
    apart = [each[:, :whole].reshape(rows, count, width).swapaxes(0, 1) for each in (x, half)]
    numpy.matmul(apart[0], right[:count], apart[1])
    if whole < size:
        rest = size - whole
        numpy.matmul(x[:, whole:], right[count, :rest, :rest], half[:, whole:])
    numpy.matmul(left[:rows, :rows], half, out)


def times_blocks(x, blocks):
    """`x` times a block-diagonal matrix from the right."""
    xp = arrays.space_of(x)
    count, width, _ = blocks.shape
    if count == 1:
        return xp.matmul(x, blocks[0])
    rows, size = x.shape
    if size != count * width:
        padded = xp.zeros((rows, count * width), x.dtype)
        padded[:, :size] = x
        x = padded
    out = xp.matmul(x.reshape(rows, count, width).swapaxes(0, 1), blocks)
    return out.swapaxes(0, 1).reshape(rows, count * width)[:, :size]


def blocks_times(blocks, x):
    """A symmetric block-diagonal matrix times `x`."""
    xp = arrays.space_of(x)
    count, width, _ = blocks.shape
    if count == 1:
        return xp.matmul(blocks[0], x)
    size, columns = x.shape
    if size != count * width:
        padded = xp.zeros((count * width, columns), x.dtype)
        padded[:size] = x
        x = padded
    return xp.matmul(blocks, x.reshape(count, width, columns)).reshape(-1, columns)[:size]
