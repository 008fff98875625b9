"""Winograd's F(4,3) for 3x3 convolutions of stride 1: a quarter of the multiplications.

Off unless `enabled` is set, because results move by up to 1e-5 relative. Each 4x4 tile of
the output comes from a 6x6 tile of the input; tiles and kernels are carried to a space in which
convolution is one matrix product per tile element, and the result is carried back. The three
transforms are themselves matrix products (Kronecker squares of the small matrices below).

    y = At [ (G w) * (Bt x) ]        gradient for w:  Gt [ (A g) * (Bt x) ]

Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks" (2015).
"""

from functools import lru_cache

import numpy as np

enabled = False

TILE = 4
REACH = 6
# Tiles of several samples share one product; their transformed form stays near the cache.
CHUNK_BYTES = 4 << 20

_BT = [
    [4, 0, -5, 0, 1, 0],
    [0, -4, -4, 1, 1, 0],
    [0, 4, -4, -1, 1, 0],
    [0, -2, -1, 2, 1, 0],
    [0, 2, -1, -2, 1, 0],
    [0, 4, 0, -5, 0, 1],
]
_G = [
    [1 / 4, 0, 0],
    [-1 / 6, -1 / 6, -1 / 6],
    [-1 / 6, 1 / 6, -1 / 6],
    [1 / 24, 1 / 12, 1 / 6],
    [1 / 24, -1 / 12, 1 / 6],
    [0, 0, 1],
]
_AT = [[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]]


def applies(geo):
    """Whether a convolution is one that this method computes, and has the size to gain by it."""
    return (
        geo.kernel == (3, 3)
        and geo.stride == (1, 1)
        and geo.dilation == (1, 1)
        and geo.groups == 1
        and min(geo.channels, geo.filters) >= 8
        and min(geo.out) >= TILE
    )


@lru_cache(maxsize=16)
def _squares(dtype):
    """The transforms of input, kernel and output, each acting on a flattened tile."""
    return tuple(np.kron(m, m).astype(dtype) for m in map(np.array, (_BT, _G, _AT)))


def convolve(xp, x, w, geo):
    """The convolution described by `geo`, as `conv.convolve` computes it."""
    into, kernel, back = map(xp.asarray, _squares(x.dtype.str))
    carried = _kernel_tiles(xp, w, kernel)
    out = xp.empty((geo.batch, geo.filters, *geo.out), x.dtype)
    for chunk, tiles in _input_tiles(xp, x, geo):
        count, _, tiles_down, tiles_across = tiles.shape[:4]
        product = xp.matmul(carried, _transform(xp, into, tiles))
        product = back @ product.reshape(REACH * REACH, -1)
        product = product.reshape(TILE, TILE, geo.filters, count, tiles_down, tiles_across)
        whole = product.transpose(3, 2, 4, 0, 5, 1)
        whole = whole.reshape(count, geo.filters, tiles_down * TILE, tiles_across * TILE)
        out[chunk] = whole[:, :, : geo.out[0], : geo.out[1]]
    return out


def weight_gradient(xp, g, x, geo):
    """The gradient for the weights, as `conv.weight_gradient` computes it."""
    into, kernel, back = map(xp.asarray, _squares(x.dtype.str))
    total = xp.zeros((REACH * REACH, geo.filters, geo.channels), x.dtype)
    back_transposed = xp.ascontiguousarray(back.T)
    for chunk, tiles in _input_tiles(xp, x, geo):
        count, _, tiles_down, tiles_across = tiles.shape[:4]
        whole = xp.zeros((count, geo.filters, tiles_down * TILE, tiles_across * TILE), g.dtype)
        whole[:, :, : geo.out[0], : geo.out[1]] = g[chunk]
        whole = whole.reshape(count, geo.filters, tiles_down, TILE, tiles_across, TILE)
        grads = _transform(xp, back_transposed, whole.transpose(0, 1, 2, 4, 3, 5))
        total += xp.matmul(grads, _transform(xp, into, tiles).swapaxes(1, 2))
    grad = kernel.T @ total.reshape(REACH * REACH, -1)
    return xp.ascontiguousarray(grad.T).reshape(geo.filters, geo.channels, 3, 3)


def _kernel_tiles(xp, w, kernel):
    """Kernels in the product space, (36, filters, channels)."""
    return (kernel @ w.reshape(-1, 9).T).reshape(REACH * REACH, w.shape[0], w.shape[1])


def _transform(xp, matrix, tiles):
    """Tiles (count, channels, tiles_down, wide, a, b) through `matrix`: (36, channels, tiles)."""
    channels = tiles.shape[1]
    flat = tiles.transpose(4, 5, 1, 0, 2, 3).reshape(matrix.shape[1], -1)
    return (matrix @ flat).reshape(REACH * REACH, channels, -1)


def _input_tiles(xp, x, geo):
    """Yields (slice of the batch, its 6x6 tiles, overlapping by two)."""
    tiles_down, tiles_across = (-(-n // TILE) for n in geo.out)
    sample = geo.channels * tiles_down * tiles_across * REACH * REACH * x.dtype.itemsize
    step = max(CHUNK_BYTES // sample, 1) if isinstance(x, np.ndarray) else geo.batch
    (top, _), (left, _) = geo.pads
    for start in range(0, geo.batch, step):
        chunk = slice(start, min(start + step, geo.batch))
        part = x[chunk]
        padded = xp.zeros(
            (part.shape[0], geo.channels, tiles_down * TILE + 2, tiles_across * TILE + 2), x.dtype
        )
        rows = min(geo.size[0], padded.shape[2] - top)
        columns = min(geo.size[1], padded.shape[3] - left)
        padded[:, :, top : top + rows, left : left + columns] = part[:, :, :rows, :columns]
        n, c, h, w = padded.strides
        tiles = xp.lib.stride_tricks.as_strided(
            padded,
            (part.shape[0], geo.channels, tiles_down, tiles_across, REACH, REACH),
            (n, c, TILE * h, TILE * w, h, w),
        )
        yield chunk, tiles
