"""Inverts matrices block by block along the diagonal, and multiplies by block-diagonal matrices.

A matrix wider than SPLIT is treated as independent diagonal blocks of that width, the last one
smaller. Blocks are stored as one array (count, width, width), with the last one padded by an
identity.
"""

import numpy

from . import arrays
from .compiled import door
from .cuda.spd_inverse import Inverses
from .host import checksums
from .threads import scheduler
from .updates.asynchronous import is_asynchronous

SPLIT = 128
GROUP = 4  # blocks of columns that a thread multiplies at a time: their data fit its cache
ROUNDING = 1e-7  # the relative error of float32, in which the matrices are summed
LEAST = 1e-3  # replaces a shift that is too small: a fraction of the mean of the diagonal

_kernels = {}  # array library -> the kernels that invert its matrices


def shape_of(size):
    """Returns the shape of the blocks of a matrix of `size` rows."""
    width = min(size, SPLIT)
    return -(-size // width), width, width


def inverse_blocks(matrix, shift):
    """Returns the inverses of the diagonal blocks of `matrix` plus a multiple of the identity.

    They are computed in float64 by a Cholesky factorization, and stored in float32. A block with a
    NaN or an infinity has an inverse of NaN.

    A matrix that was summed in float32 may have slightly negative eigenvalues. If `shift` does not
    outweigh them, it is replaced by a thousandth of the mean of the diagonal, so that the inverse
    does not amplify rounding errors; the shift then grows by factors of ten until it suffices.

    Args:
        matrix: a symmetric matrix, positive semidefinite up to rounding.
        shift (float): the number added to the diagonal, at least 0.

    Returns:
        (the inverses, the shift that was used).
    """
    xp = arrays.space_of(matrix)
    size = matrix.shape[0]
    blocks, bad = _blocks_of(xp, matrix)
    mean = float(_mean_of_diagonal(xp, blocks, size))
    while True:
        inverses = _inverses(xp, _add_shift(xp, blocks, shift, size))
        if inverses is not None:
            return _finish(xp, inverses, bad, size), shift
        shift = max(10 * shift, LEAST * mean) or 1.0


def inverse_blocks_together(factors):
    """Returns the inverses of the damped diagonal blocks of many matrices on a GPU, as
    `inverse_blocks` defines them, without waiting for the GPU. Returns None for matrices on the
    host, where `inverse_blocks` takes one after the other.

    Four shifts are tried in turn, and the smallest that suffices is used.

    Args:
        factors: (matrix, damping, positions) for each matrix: a symmetric float32 matrix, positive
            semidefinite up to rounding, to whose diagonal sqrt(damping / positions) is added.
            Damping and positions are numbers, or one-element arrays on the GPU, of float64 and
            float32.

    Returns:
        list of the inverses, or None.
    """
    if not factors:
        return []
    if not is_asynchronous(*[matrix for matrix, _, _ in factors]):
        return None
    module = arrays.space_of(factors[0][0]).module
    kernels = _kernels.get(module)
    if kernels is None:
        kernels = _kernels[module] = Inverses(module, SPLIT, ROUNDING, LEAST)
    return kernels.of(factors)


def _blocks_of(xp, matrix):
    """Returns the diagonal blocks of a matrix in float64, and a mask of the blocks that are not
    finite. Identities replace these blocks."""
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


def _add_shift(xp, blocks, shift, size):
    """Returns the blocks with a shift added to the diagonal, and the last one padded."""
    count, width, _ = blocks.shape
    rest, diagonal = size - (count - 1) * width, xp.arange(width)
    shifted = blocks.copy()
    shifted[:, diagonal, diagonal] += shift
    shifted[-1, diagonal[rest:], diagonal[rest:]] = shifted[-1, 0, 0]
    return shifted


def _finish(xp, inverses, bad, size):
    """Returns the inverses in float32, with the last one padded by an identity, and NaN for the
    blocks that the mask `bad` names."""
    count, width, _ = inverses.shape
    rest, diagonal = size - (count - 1) * width, xp.arange(width)
    inverses[-1, diagonal[rest:], diagonal[rest:]] = 1.0
    return xp.cast(xp.where(bad, xp.nan, inverses), "float32")


def _inverses(xp, blocks):
    """Returns the inverses of positive definite matrices; None if one is not positive definite to
    the precision of float32.

    On the host, each step of the factorization of such small matrices takes a few microseconds.
    Threads of the BLAS library would wait for each other at each step, and for a whole time slice
    if another process keeps a core busy.
    """
    with scheduler.hold:
        try:
            lower = xp.linalg.cholesky(blocks)
        except numpy.linalg.LinAlgError:
            return None
        return _inverse_from_factor(xp, lower) if bool(_usable(xp, lower, blocks)) else None


def _usable(xp, lower, blocks):
    """Returns True if `lower`, (..., count, width, width), holds usable Cholesky factors of all
    blocks: their products equal the blocks, and no pivot is as small as a rounding error.

    The sign of a pivot as small as a float32 rounding error is random. A failed factorization on a
    GPU raises no error and leaves garbage. Only lower triangles are read, because a product x.T @ x
    on a GPU need not be symmetric to the last bit.
    """
    diagonal = xp.arange(blocks.shape[-1])
    pivots = lower[..., diagonal, diagonal] ** 2
    least = ROUNDING * xp.max(blocks[..., diagonal, diagonal], axis=-1, keepdims=True)
    difference = xp.tril(xp.matmul(lower, lower.swapaxes(-1, -2)) - blocks)
    error = xp.max(xp.abs(difference), axis=-1)
    return xp.all((pivots > least) & (error <= least), axis=(-1, -2))


def _inverse_from_factor(xp, lower):
    """Returns the inverses of matrices, from their Cholesky factors."""
    inverse = xp.linalg.inv(lower)
    return xp.matmul(inverse.swapaxes(-1, -2), inverse)


def between_blocks(triples):
    """Returns the products left @ x @ right for several matrices x, where left and right are
    block-diagonal.

    On the host, threads share the work of all products, in a compiled loop if there is one. The
    pieces follow the blocks, so results are bitwise the same with any number of threads.

    Args:
        triples: (left, x, right) for each product: the blocks of a matrix, a float32 matrix, and
            the blocks of another matrix.

    Returns:
        list of matrices, each of the shape of its x.
    """
    if checksums.on or not all(type(x) is numpy.ndarray for _, x, _ in triples):
        return [blocks_times(left, times_blocks(x, right)) for left, x, right in triples]
    results = [door.call("matmul_between_blocks", *triple) for triple in triples]
    pieces = []
    for number, (left, x, right) in enumerate(triples):
        if results[number] is not None:
            continue
        out = results[number] = numpy.empty(x.shape, numpy.float32)
        rows = scheduler.blocks(len(x), left.shape[-1])
        columns = scheduler.blocks(x.shape[1], GROUP * right.shape[-1])
        pieces += [
            (left[index], x[part, group], right[GROUP * start :], out[part, group])
            for index, part in enumerate(rows)
            for start, group in enumerate(columns)
        ]
    pieces.sort(key=lambda piece: -piece[1].size)  # the largest first, so that threads end together
    scheduler.run(lambda number: _two_sided_product(*pieces[number]), len(pieces))
    return results


def _two_sided_product(left, x, right, out):
    """Writes left @ x @ right to `out`, for one left block, the rows `x` that it multiplies, and
    some of the right blocks."""
    rows, size = x.shape
    width = right.shape[-1]
    count = size // width
    whole = count * width
    half = numpy.empty(x.shape, numpy.float32)
    apart = [part[:, :whole].reshape(rows, count, width).swapaxes(0, 1) for part in (x, half)]
    numpy.matmul(apart[0], right[:count], apart[1])
    if whole < size:
        rest = size - whole
        numpy.matmul(x[:, whole:], right[count, :rest, :rest], half[:, whole:])
    numpy.matmul(left[:rows, :rows], half, out)


def times_blocks(x, blocks):
    """Returns `x` times a block-diagonal matrix from the right."""
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
    """Returns a symmetric block-diagonal matrix times `x`."""
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
