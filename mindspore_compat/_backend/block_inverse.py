"""Matrices that are inverted and applied block by block along their diagonal.

A matrix wider than SPLIT is taken for independent blocks of that width, the last one smaller.
Blocks are kept as one array (count, width, width), the last one filled up with an identity.
"""

import numpy

from . import arrays

SPLIT = 128


def shape_of(size):
    """The shape of the blocks of a matrix of `size` rows."""
    width = min(size, SPLIT)
    return -(-size // width), width, width


def inverse_blocks(matrix, shift):
    """The inverses of the diagonal blocks of `matrix` + `shift` times the identity.

    They are worked out in float64 by a Cholesky factorisation, and kept in float32. A block that
    holds something not finite has an inverse of NaN.

    Args:
        matrix: a symmetric matrix, positive semidefinite.
        shift (float): what is added to the diagonal, above 0.

    Raises:
        RuntimeError: a block is not positive definite even so.
    """
    xp = arrays.space_of(matrix)
    size = matrix.shape[0]
    count, width, _ = shape_of(size)
    blocks = xp.zeros((count, width, width), "float64")
    for index in range(count):
        part = matrix[index * width:(index + 1) * width, index * width:(index + 1) * width]
        blocks[index, :part.shape[0], :part.shape[0]] = part
    places = xp.arange(width)
    blocks[:, places, places] += shift
    rest = size - (count - 1) * width
    blocks[-1, places[rest:], places[rest:]] = 1.0
    return xp.cast(_inverses(xp, blocks), "float32")


def _inverses(xp, blocks):
    bad = ~xp.all(xp.isfinite(blocks), axis=(1, 2))
    blocks[bad] = xp.eye(blocks.shape[-1])
    try:
        lower = xp.linalg.cholesky(blocks)
    except numpy.linalg.LinAlgError:
        lower = None
    if lower is None or not bool(xp.all(xp.isfinite(lower))):  # a GPU answers NaN, and no error
        raise RuntimeError("A factor of THOR is not positive definite: the damping is too small.")
    inverse = xp.linalg.inv(lower)
    found = xp.matmul(inverse.swapaxes(-1, -2), inverse)
    found[bad] = xp.nan
    return found


def times_blocks(x, blocks):
    """`x` times a block-diagonal matrix from the right."""
    xp = arrays.space_of(x)
    count, width, _ = blocks.shape
    if count == 1:
        return xp.matmul(x, blocks[0])
    rows, size = x.shape
    if size != count * width:
        wide = xp.zeros((rows, count * width), x.dtype)
        wide[:, :size] = x
        x = wide
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
        wide = xp.zeros((count * width, columns), x.dtype)
        wide[:size] = x
        x = wide
    return xp.matmul(blocks, x.reshape(count, width, columns)).reshape(-1, columns)[:size]
