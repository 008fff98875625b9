"""Matrices that are inverted and applied block by block along their diagonal.

A matrix wider than SPLIT is taken for independent blocks of that width, the last one smaller.
Blocks are kept as one array (count, width, width), the last one filled up with an identity.
"""

import numpy

from . import arrays

SPLIT = 128
ROUNDING = 1e-7  # of float32, in which the matrices are summed
LEAST = 1e-3  # of the mean of a diagonal is added to it where the given shift is too little


def shape_of(size):
    """The shape of the blocks of a matrix of `size` rows."""
    width = min(size, SPLIT)
    return -(-size // width), width, width


def inverse_blocks(matrix, shift):
    """The inverses of the diagonal blocks of `matrix` plus a multiple of the identity.

    They are worked out in float64 by a Cholesky factorisation, and kept in float32. A block that
    holds something not finite has an inverse of NaN.

    A matrix that was summed in float32 may have eigenvalues a little below zero. Where `shift` does
    not outweigh them, a thousandth of the mean of the diagonal takes its place, so that what is
    rounding is not blown up by the inverse; if need be several times ten times as much.

    Args:
        matrix: a symmetric matrix, positive semidefinite but for rounding.
        shift (float): what is added to the diagonal, at least 0.

    Returns:
        (the inverses, the shift that was used).
    """
    xp = arrays.space_of(matrix)
    size = matrix.shape[0]
    count, width, _ = shape_of(size)
    blocks = xp.zeros((count, width, width), "float64")
    for index in range(count):
        part = matrix[index * width : (index + 1) * width, index * width : (index + 1) * width]
        blocks[index, : part.shape[0], : part.shape[0]] = part
    bad = ~xp.all(xp.isfinite(blocks), axis=(1, 2))
    blocks[bad] = xp.eye(width)
    rest = size - (count - 1) * width
    diagonal = xp.arange(width)
    mean = float(xp.sum(xp.abs(blocks[:, diagonal, diagonal]))) / size
    while True:
        shifted = blocks.copy()
        shifted[:, diagonal, diagonal] += shift
        shifted[-1, diagonal[rest:], diagonal[rest:]] = shifted[-1, 0, 0]
        found = _inverses(xp, shifted)
        if found is not None:
            break
        shift = max(10 * shift, LEAST * mean) or 1.0
    found[-1, diagonal[rest:], diagonal[rest:]] = 1.0
    found[bad] = xp.nan
    return xp.cast(found, "float32"), shift


def _inverses(xp, blocks):
    """The inverses of positive definite matrices; None where one is not, as far as float32 can
    tell: a pivot of the size of its rounding is positive or negative by chance."""
    try:
        lower = xp.linalg.cholesky(blocks)
    except numpy.linalg.LinAlgError:
        return None
    diagonal = xp.arange(blocks.shape[-1])
    pivots = lower[:, diagonal, diagonal] ** 2
    largest = xp.max(blocks[:, diagonal, diagonal], axis=1, keepdims=True)
    if not bool(xp.all(pivots > ROUNDING * largest)):  # nor where a GPU answers NaN, and no error
        return None
    inverse = xp.linalg.inv(lower)
    return xp.matmul(inverse.swapaxes(-1, -2), inverse)


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
