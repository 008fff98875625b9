"""1-D, 2-D and 3-D convolution of arrays, with its two gradients.

Every function takes the array namespace first and works on NumPy and on CuPy arrays. Arrays are
(batch, channels, spatial...), weights are (filters, channels / groups, kernel...), and padding is
one (before, after) pair per spatial dimension. `convolve`, `input_gradient` and `weight_gradient`
are closed under differentiation: each of their gradients is one of these three functions.

Convolutions are computed as matrix products, which both libraries compute fast. The form depends on
the case. A 1x1 kernel needs no rearrangement. A depthwise kernel needs no product (depthwise.py).
All other kernels copy windows into columns: several samples at a time for small images, some rows
of one sample at a time for large images. On the host, threads share these pieces. With Numba,
images on the host go to compiled loops that copy no windows (conv/direct/choose.py). The caller
chooses the precision: half types arrive here as float32.
"""

from functools import lru_cache
from itertools import product as combinations
from math import prod
from typing import NamedTuple

import numpy as np

from ..compiled import door
from ..host.products import product
from ..threads.scheduler import blocks, run
from ..thresholds import Least
from . import depthwise
from .cuda_kernels import kernels_of
from .padding import padded

# The columns of one piece fit the host's cache, and fill a GPU without filling its memory.
HOST_BYTES = 3 << 20
DEVICE_BYTES = 256 << 20
# The columns of a piece that threads share take at least this much; less is not worth a thread.
LEAST_BYTES = 1 << 20
# A product with fewer columns than this wastes the matrix unit, so small images share one.
FEWEST_COLUMNS = 512
# Output rows up to this long are copied for all samples of a piece together.
SHORT_ROW = 12
# Upper limit of the pieces of a batch, where they need not be smaller to fit the cache.
MOST_PIECES = 16
# Upper limit of the memory for partial sums of gradients that are computed in parallel, and for
# the columns of a sample that are added back together.
LARGE_BYTES = 16 << 20


class Geometry(NamedTuple):
    """The sizes of one convolution, which `geometry` computes; `size`, `kernel`, ... have one entry
    per spatial dimension."""

    batch: int
    channels: int
    filters: int
    groups: int
    size: tuple
    kernel: tuple
    stride: tuple
    pads: tuple
    dilation: tuple
    out: tuple

    @property
    def padded(self):
        return tuple(n + before + after for n, (before, after) in zip(self.size, self.pads))

    @property
    def pointwise(self):
        return prod(self.kernel) == 1 and not any(map(any, self.pads))

    @property
    def depthwise(self):
        return self.channels == self.groups and self.filters <= 2 * self.channels

    @property
    def overlapping(self):
        extent = (d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilation))
        return any(e > s for e, s in zip(extent, self.stride))


@lru_cache(maxsize=1024)
def geometry(x_shape, w_shape, stride, pads, dilation, groups):
    """Returns the Geometry of a convolution of an input of shape `x_shape` by weights of shape
    `w_shape`.

    Raises:
        ValueError: If channels do not match the weights and groups, or the kernel, spread by its
            dilation, is larger than the padded input.
    """
    size, kernel = x_shape[2:], w_shape[2:]
    if x_shape[1] != w_shape[1] * groups or w_shape[0] % groups:
        raise ValueError(
            f"channels {x_shape[1]} do not fit weights of shape {w_shape} in {groups} groups"
        )
    out = tuple(
        (n + sum(p) - d * (k - 1) - 1) // s + 1
        for n, p, k, d, s in zip(size, pads, kernel, dilation, stride)
    )
    if min(out) < 1:
        raise ValueError(
            f"kernel {kernel} with dilation {dilation} is larger than the padded "
            f"input {tuple(n + sum(p) for n, p in zip(size, pads))}"
        )
    return Geometry(
        x_shape[0], x_shape[1], w_shape[0], groups, size, kernel, stride, pads, dilation, out
    )


def convolve(xp, x, w, stride, pads, dilation, groups):
    """Computes the cross-correlation of `x` with `w`.

    Args:
        xp: The array namespace of `x` and `w`.
        x: Input, (batch, channels, spatial...).
        w: Weights, (filters, channels / groups, kernel...).
        stride: One step per spatial dimension.
        pads: One (before, after) pair of zeros per spatial dimension.
        dilation: One spread per spatial dimension.
        groups: Number of blocks into which channels and filters are split.

    Returns:
        Array of shape (batch, filters, out...), out = (size + pads - extent) // stride + 1.
    """
    geo = geometry(x.shape, w.shape, stride, pads, dilation, groups)
    if geo.pointwise:
        return _pointwise(xp, x, w, geo)
    if geo.depthwise:
        return depthwise.convolve(xp, x, w, geo)
    if (result := door.call("convolve", x, w, geo)) is not None:
        return result
    return _by_im2col(xp, x, w, geo)


def input_gradient(xp, g, w, x_shape, stride, pads, dilation, groups):
    """Computes the gradient of `convolve` for its input: a transposed convolution of `g`.

    Args:
        xp: The array namespace of `g` and `w`.
        g: Output gradient, (batch, filters, out...).
        w: Weights of the convolution.
        x_shape: Shape of the input; with a stride, inputs of several sizes give the same output.
        stride, pads, dilation, groups: As in `convolve`.

    Returns:
        Array of shape `x_shape`.
    """
    geo = geometry(tuple(x_shape), w.shape, stride, pads, dilation, groups)
    if 0 in x_shape:
        return xp.zeros(x_shape, g.dtype)
    if geo.pointwise:
        return _pointwise_input(xp, g, w, geo)
    if geo.depthwise:
        return depthwise.input_gradient(xp, g, w, geo)
    if (result := door.call("convolve_input_gradient", g, w, geo)) is not None:
        return result
    if max(stride) == 1 and geo.filters <= min(2 * geo.channels, geo.batch * prod(geo.out)):
        return _as_correlation(xp, g, w, geo)
    return _input_gradient_by_im2col(xp, g, w, geo)


def weight_gradient(xp, g, x, w_shape, stride, pads, dilation, groups):
    """Computes the gradient of `convolve` for its weights.

    Args:
        xp: The array namespace of `g` and `x`.
        g: Output gradient, (batch, filters, out...).
        x: Input of the convolution.
        w_shape: Shape of the weights.
        stride, pads, dilation, groups: As in `convolve`.

    Returns:
        Array of shape `w_shape`.
    """
    geo = geometry(x.shape, tuple(w_shape), stride, pads, dilation, groups)
    if geo.depthwise and not geo.pointwise:
        return depthwise.weight_gradient(xp, g, x, geo)
    if (result := door.call("convolve_weight_gradient", g, x, geo)) is not None:
        return result
    return _weight_gradient_by_im2col(xp, g, x, geo)


# Windows, used by every strategy.


def windows(xp, x, kernel, stride, dilation, out):
    """Returns the windows of a padded array `x` as a read-only view, (..., kernel..., out...)."""
    lead = x.ndim - len(kernel)
    steps = x.strides[lead:]
    return xp.lib.stride_tricks.as_strided(
        x,
        x.shape[:lead] + kernel + out,
        x.strides[:lead]
        + tuple(a * d for a, d in zip(steps, dilation))
        + tuple(a * s for a, s in zip(steps, stride)),
    )


def _kernel_position_slices(geo):
    """Yields, for each kernel position in row-major order, the slices of the padded input that all
    windows read at this position."""
    for position in np.ndindex(*geo.kernel):
        yield tuple(
            slice(i * d, i * d + (n - 1) * s + 1, s)
            for i, d, n, s in zip(position, geo.dilation, geo.out, geo.stride)
        )


def _crop(x, geo):
    """Returns the part of a padded array inside the padding, as a view."""
    return x[(..., *(slice(b, b + n) for n, (b, _) in zip(geo.size, geo.pads)))]


def _columns_of(xp, x, geo):
    """Returns the object whose `im2col` and `col2im` copy the windows of whole samples: compiled
    loops or CUDA kernels. Returns None if neither applies, and array functions must copy them."""
    if type(x) is np.ndarray:
        return door.call("columns", x, geo)
    return kernels_of(xp, x, geo.kernel)


def im2col(xp, x, kernel, stride, pads, dilation):
    """Copies the windows of `x`, (batch, channels, spatial...), into columns.

    Returns an array (batch, channels, kernel positions, windows).
    """
    geo = _single(x.shape, kernel, stride, pads, dilation)
    if fast := _columns_of(xp, x, geo):
        kernel_size, area = prod(kernel), prod(geo.out)
        out = xp.empty((*x.shape[:2], kernel_size, area), x.dtype)
        return fast.im2col(x, out, geo, (x.shape[1] * kernel_size * area, kernel_size * area, area))
    view = windows(xp, padded(xp, x, pads), kernel, stride, dilation, geo.out)
    return xp.array(view).reshape(*x.shape[:2], prod(kernel), prod(geo.out))


def col2im(xp, g, size, kernel, stride, pads, dilation):
    """Adds columns `g` back into images of spatial `size`, where overlapping windows add up: the
    gradient of `im2col`."""
    geo = _single((*g.shape[:2], *size), kernel, stride, pads, dilation)
    if fast := _columns_of(xp, g, geo):
        kernel_size, area = g.shape[2:]
        strides = g.shape[1] * kernel_size * area, kernel_size * area, area
        return fast.col2im(g, (*g.shape[:2], *size), geo, strides)
    padded_x = xp.zeros((*g.shape[:2], *geo.padded), g.dtype)
    g = g.reshape(*g.shape[:3], *geo.out)
    for position, part in enumerate(_kernel_position_slices(geo)):
        target = padded_x[(..., *part)]
        target += g[:, :, position]
    return xp.ascontiguousarray(_crop(padded_x, geo))


def _single(x_shape, kernel, stride, pads, dilation):
    """Returns the geometry of a convolution with one filter per channel, for `im2col` and
    `col2im`."""
    return geometry(tuple(x_shape), (x_shape[1], 1, *kernel), stride, pads, dilation, x_shape[1])


# Windows copied into columns.


class _Piece(NamedTuple):
    """Several samples, or a part of one sample, with columns that fit the workspace."""

    samples: slice
    slices: tuple  # a slice of the output for each spatial dimension
    flat: slice  # the same slice if the output's dimensions are flattened
    samples_last: bool = False  # whether windows are ordered by (area, samples)

    @property
    def count(self):
        return self.samples.stop - self.samples.start


def _pieces(x, geo, fast):
    """Divides a convolution into pieces, and returns them as a tuple. A piece that is part of a
    sample covers a range of the sample's flattened output.

    Args:
        x: the images, or their gradient.
        geo: the sizes of the convolution.
        fast: the result of `_columns_of`.
    """
    return _pieces_of(geo, x.dtype.itemsize, isinstance(x, np.ndarray), fast is not None)


@lru_cache(maxsize=1024)
def _pieces_of(geo, itemsize, on_host, fast):
    """Returns `_pieces` of images whose elements have `itemsize` bytes."""
    area, rows = prod(geo.out), geo.channels * prod(geo.kernel) * itemsize
    whole = tuple(slice(0, n) for n in geo.out)
    if not on_host:
        step = max(DEVICE_BYTES // (rows * area), -(-FEWEST_COLUMNS // area), 1)
        return tuple([_Piece(part, whole, slice(0, area)) for part in blocks(geo.batch, step)])
    most = max(HOST_BYTES // rows, FEWEST_COLUMNS)
    if area > most:
        return tuple(
            _Piece(slice(i, i + 1), slices, flat)
            for i in range(geo.batch)
            for slices, flat in _tiles(geo.out, most)
        )
    fair = max(-(-geo.batch // MOST_PIECES), -(-max(LEAST_BYTES // rows, FEWEST_COLUMNS) // area))
    step = min(most // area, fair)
    last = geo.out[-1] <= SHORT_ROW and step > 1 and not fast
    return tuple([_Piece(part, whole, slice(0, area), last) for part in blocks(geo.batch, step)])


def _tiles(out, most):
    """Divides an output into parts of about equal size, each with at most `most` elements or one
    row."""
    cuts = []
    for axis, n in enumerate(out):
        parts = -(-n // max(most // prod(out[axis + 1 :]), 1))
        cuts.append(blocks(n, -(-n // parts)))
    for slices in combinations(*cuts):
        start = stop = 0
        for span, n in zip(slices, out):
            start, stop = start * n + span.start, stop * n + span.stop - 1
        yield slices, slice(start, stop + 1)


def _source(xp, x, geo, piece):
    """Returns the windows of a piece, (samples, channels, kernel..., out...)."""
    slices, pads = [], []
    for cut, n, k, s, (before, _), d in zip(
        piece.slices, geo.size, geo.kernel, geo.stride, geo.pads, geo.dilation
    ):
        start = cut.start * s - before
        length = (cut.stop - cut.start - 1) * s + d * (k - 1) + 1
        stop = start + length
        pads.append((min(max(-start, 0), length), min(max(stop - n, 0), length)))
        slices.append(slice(max(start, 0), max(stop, 0)))
    part = padded(xp, x[(piece.samples, slice(None), *slices)], tuple(pads))
    if piece.samples_last:
        part = xp.moveaxis(xp.ascontiguousarray(xp.moveaxis(part, 0, -1)), -1, 0)
    out = tuple(cut.stop - cut.start for cut in piece.slices)
    return windows(xp, part, geo.kernel, geo.stride, geo.dilation, out)


def _patches(xp, x, geo, piece, fast):
    """Returns the columns of a piece, (groups, channels / groups * kernel positions, windows)."""
    area = piece.flat.stop - piece.flat.start
    rows = geo.channels * prod(geo.kernel)
    flat = xp.empty(rows * piece.count * area, x.dtype)
    if fast and area == prod(geo.out):
        fast.im2col(x[piece.samples], flat, geo, _patch_strides(geo, piece.count))
    else:
        view = _source(xp, x, geo, piece)
        view = xp.moveaxis(view, 0, -1 if piece.samples_last else len(geo.kernel) + 1)
        xp.copyto(flat.reshape(view.shape), view)
    return flat.reshape(geo.groups, rows // geo.groups, -1)


def _patch_strides(geo, count):
    """Returns the steps between samples, channels and kernel positions in the columns of `count`
    samples."""
    area = prod(geo.out)
    return area, prod(geo.kernel) * count * area, count * area


def _grouped_weights(w, geo):
    return w.reshape(geo.groups, geo.filters // geo.groups, -1)


def _rows_of(xp, g, piece):
    """Returns the output gradients (batch, groups, filters / groups, area) of a piece, as rows of
    windows in the order of its columns."""
    part = g[piece.samples, ..., piece.flat]
    if piece.count == 1:
        return part[0]
    return xp.moveaxis(part, 0, 3 if piece.samples_last else 2).reshape(*part.shape[1:3], -1)


def _by_sample(xp, rows, piece):
    """Returns `rows`, an array (groups, rows, windows) whose windows have the order of a piece's
    columns, as a view (samples, groups, rows, area)."""
    if piece.samples_last:
        return xp.moveaxis(rows.reshape(*rows.shape[:2], -1, piece.count), 3, 0)
    return xp.moveaxis(rows.reshape(*rows.shape[:2], piece.count, -1), 2, 0)


def _matmul(xp, x, alone):
    """Returns the function for matrix products of arrays like `x`. If a convolution needs one
    product `alone`, host threads share this product instead of the pieces."""
    if isinstance(x, np.ndarray):
        return product if alone else xp.matmul
    return xp.conv_matmul


def _share(x, work, pieces):
    """Calls `work` with every piece. If `x` is an array on the host, threads share the pieces. A
    single piece uses the threads of its product."""
    if isinstance(x, np.ndarray) and len(pieces) > 1:
        run(lambda number: work(pieces[number]), len(pieces))
    else:
        for piece in pieces:
            work(piece)


def _by_im2col(xp, x, w, geo):
    out = xp.empty((geo.batch, geo.filters, *geo.out), x.dtype)
    if not out.size:
        return out
    rows = _grouped_weights(w, geo)
    target = out.reshape(geo.batch, geo.groups, geo.filters // geo.groups, -1)
    fast = _columns_of(xp, x, geo)
    pieces = _pieces(x, geo, fast)
    matmul = _matmul(xp, x, len(pieces) == 1)

    def work(piece):
        patches = _patches(xp, x, geo, piece, fast)
        if piece.count == 1:
            matmul(rows, patches, out=target[piece.samples.start, ..., piece.flat])
            return
        target[piece.samples] = _by_sample(xp, matmul(rows, patches), piece)

    _share(x, work, pieces)
    return out


def _weight_gradient_by_im2col(xp, g, x, geo):
    shape = (geo.filters, geo.channels // geo.groups, *geo.kernel)
    if not g.size:
        return xp.zeros(shape, x.dtype)
    g = g.reshape(geo.batch, geo.groups, geo.filters // geo.groups, -1)
    fast = _columns_of(xp, x, geo)
    pieces = _pieces(x, geo, fast)
    count = min(LARGE_BYTES // (prod(shape) * x.dtype.itemsize), len(pieces), MOST_PIECES)
    runs = [pieces[block] for block in blocks(len(pieces), -(-len(pieces) // max(count, 1)))]
    matmul = _matmul(xp, x, len(runs) == 1)
    sums = [None] * len(runs)
    # The product is faster in this order; for few windows the transposition costs more.
    columns_first = isinstance(x, np.ndarray) and geo.batch * prod(geo.out) >= Least.COLUMNS_FIRST

    def work(number):
        for piece in runs[number]:
            patches = _patches(xp, x, geo, piece, fast)
            rows = _rows_of(xp, g, piece)
            if columns_first:
                products = matmul(patches, rows.swapaxes(1, 2))
            else:
                products = matmul(rows, patches.swapaxes(1, 2))
            total = sums[number]
            sums[number] = products if total is None else xp.add(total, products, out=total)

    _share(x, work, range(len(runs)))
    grad = sums[0]
    for block in sums[1:]:
        grad += block
    return (_transpose_tiles(grad) if columns_first else grad).reshape(shape)


def _transpose_tiles(stack):
    """Transposes matrices (..., rows, columns) on the host into new memory, in tiles that fit the
    cache."""
    out = np.empty((*stack.shape[:-2], stack.shape[-1], stack.shape[-2]), stack.dtype)
    for rows in blocks(stack.shape[-2], 512):
        for columns in blocks(stack.shape[-1], 32):
            out[..., columns, rows] = stack[..., rows, columns].swapaxes(-1, -2)
    return out


def _input_gradient_by_im2col(xp, g, w, geo):
    """Computes the input gradient: matrix products give columns of gradients, which are added back
    at the positions of their windows."""
    fast = _columns_of(xp, g, geo)
    grad = xp.empty((geo.batch, geo.channels, *geo.size), g.dtype)
    if not grad.size or not g.size:
        grad[...] = 0
        return grad
    rows = _grouped_weights(w, geo).swapaxes(1, 2)
    g = g.reshape(geo.batch, geo.groups, geo.filters // geo.groups, -1)
    pieces = _input_gradient_pieces(g, geo, fast)
    matmul = _matmul(xp, g, len(pieces) == 1)
    kernel_size = prod(geo.kernel)

    def work(piece):
        channels, count = piece.slices[0], piece.count
        operands = (
            rows[:, channels.start * kernel_size : channels.stop * kernel_size],
            _rows_of(xp, g, piece),
        )
        if geo.groups > 1:
            per = geo.channels // geo.groups
            some = slice(channels.start // per, channels.stop // per)
            operands = rows[some], operands[1][some]
        patches = matmul(*operands)
        if fast:
            shape = count, channels.stop - channels.start, *geo.size
            grad[piece.samples, channels] = fast.col2im(
                patches, shape, geo, _patch_strides(geo, count)
            )
            return
        patches = _by_sample(xp, patches, piece).reshape(count, -1, kernel_size, *geo.out)
        _add_back(xp, grad[piece.samples, channels], patches, geo, piece.samples_last)

    _share(g, work, pieces)
    return grad


def _input_gradient_pieces(g, geo, fast):
    """Returns the pieces of an input gradient. They are whole samples; if a sample is too large, a
    piece has some of its channels (as the slice in `slices`), which are whole groups if there are
    several groups."""
    step = geo.channels
    sample = step * prod(geo.kernel) * prod(geo.out) * g.dtype.itemsize
    if sample > LARGE_BYTES and isinstance(g, np.ndarray):
        unit = geo.channels // geo.groups if geo.groups > 1 else 1
        step = max(LARGE_BYTES * geo.channels // sample // unit, 1) * unit
    pieces, area = [], slice(0, prod(geo.out))
    by_start = {piece.samples.start: piece for piece in _pieces(g, geo, fast)}
    for piece in by_start.values():
        for channels in blocks(geo.channels, step):
            pieces.append(_Piece(piece.samples, (channels,), area, piece.samples_last))
    return pieces


def _add_back(xp, images, patches, geo, samples_last):
    """Writes images that sum overlapping columns.

    Args:
        xp: The array namespace of the arrays.
        images: The result, (samples, channels, size...).
        patches: The columns, (samples, channels, kernel positions, out...).
        geo: The sizes.
        samples_last: Whether the sample axis of `patches` is the last one in memory.
    """
    if samples_last:
        padded_x = xp.zeros((patches.shape[1], *geo.padded, len(patches)), patches.dtype)
        padded_x = xp.moveaxis(padded_x, -1, 0)
    elif not any(map(any, geo.pads)):
        padded_x = images
        padded_x[...] = 0
    else:
        padded_x = xp.zeros((*patches.shape[:2], *geo.padded), patches.dtype)
    for position, part in enumerate(_kernel_position_slices(geo)):
        target = padded_x[(..., *part)]
        if geo.overlapping:
            target += patches[:, :, position]
        else:
            target[...] = patches[:, :, position]
    if padded_x is not images:
        images[...] = _crop(padded_x, geo)


def _as_correlation(xp, g, w, geo):
    """Computes the input gradient for stride 1: pads `g` and correlates it with the flipped
    kernel."""
    extent = tuple(d * (k - 1) for k, d in zip(geo.kernel, geo.dilation))
    pads = tuple((e - before, e - after) for e, (before, after) in zip(extent, geo.pads))
    transposed = w.reshape(geo.groups, geo.filters // geo.groups, -1, *geo.kernel)
    transposed = xp.flip(transposed.swapaxes(1, 2), tuple(range(3, 3 + len(geo.kernel))))
    transposed = xp.ascontiguousarray(transposed).reshape(geo.channels, -1, *geo.kernel)
    if min(map(min, pads)) < 0 or not isinstance(g, np.ndarray):
        g, pads = padded(xp, g, pads), ((0, 0),) * len(pads)
    return convolve(xp, g, transposed, geo.stride, pads, geo.dilation, geo.groups)


# 1x1 kernels: one matrix product per sample, nothing to rearrange.


def _pointwise(xp, x, w, geo):
    x = _every_stride(x, geo)
    rows = _grouped_weights(w, geo)
    x = x.reshape(geo.batch, geo.groups, geo.channels // geo.groups, -1)
    return _matmul(xp, x, True)(rows, x).reshape(geo.batch, geo.filters, *geo.out)


def _pointwise_input(xp, g, w, geo):
    rows = _grouped_weights(w, geo).swapaxes(1, 2)
    g = g.reshape(geo.batch, geo.groups, geo.filters // geo.groups, -1)
    grad = _matmul(xp, g, True)(rows, g).reshape(geo.batch, geo.channels, *geo.out)
    if geo.out == geo.size:
        return grad
    padded_x = xp.zeros((geo.batch, geo.channels, *geo.size), g.dtype)
    _every_stride(padded_x, geo)[...] = grad
    return padded_x


def _every_stride(x, geo):
    if max(geo.stride) == 1:
        return x
    return x[(..., *(slice(0, (n - 1) * s + 1, s) for n, s in zip(geo.out, geo.stride)))]
