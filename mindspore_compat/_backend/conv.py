"""Convolution of arrays in one, two or three dimensions, with its two gradients.

Every function takes the array namespace first and works on NumPy and CuPy arrays alike; arrays are
(batch, channels, spatial...), weights (filters, channels / groups, kernel...), and padding is given
as one (before, after) pair per spatial dimension. The three functions are closed under
differentiation: the gradient of any of them is one of the other two. `input_gradient` is also the
transposed convolution.

The work is shaped as matrix products, which is where both libraries are fast. Which shape depends
on the case: a 1x1 kernel needs no rearrangement at all, a depthwise kernel has no product to make
and is summed tap by tap, everything else copies windows into columns, several samples at a time
while the images are small. Precision is the caller's: half types arrive here as float32.
"""

from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np

from . import winograd
from .kernels import kernels_of

# Columns of one chunk stay near the host's cache, and fill a GPU without filling its memory.
HOST_CHUNK_BYTES = 3 << 20
DEVICE_CHUNK_BYTES = 256 << 20
# A product with fewer columns than this wastes the matrix unit, so small images share one.
FEWEST_COLUMNS = 512
# Depthwise sums run over blocks of this many elements, for which three buffers fit in cache.
DEPTHWISE_BLOCK = 1 << 16


class Geometry(NamedTuple):
    """The sizes of one convolution; `size`, `kernel`, ... have one entry per spatial dimension."""

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
    """The sizes of a convolution of `x_shape` by `w_shape`; refuses sizes that do not fit.

    Raises:
        ValueError: If channels do not match the weights and groups, or the kernel, spread by its
            dilation, is larger than the padded input.
    """
    size, kernel = x_shape[2:], w_shape[2:]
    if x_shape[1] != w_shape[1] * groups or w_shape[0] % groups:
        raise ValueError(
            f"channels {x_shape[1]} do not fit weights of shape {w_shape} in {groups} groups")
    out = tuple((n + sum(p) - d * (k - 1) - 1) // s + 1
                for n, p, k, d, s in zip(size, pads, kernel, dilation, stride))
    if min(out) < 1:
        raise ValueError(f"kernel {kernel} with dilation {dilation} is larger than the padded "
                         f"input {tuple(n + sum(p) for n, p in zip(size, pads))}")
    return Geometry(x_shape[0], x_shape[1], w_shape[0], groups, size, kernel, stride, pads,
                    dilation, out)


def convolve(xp, x, w, stride, pads, dilation, groups):
    """Cross-correlation of `x` with `w`.

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
        return _depthwise(xp, x, w, geo)
    if winograd.enabled and winograd.applies(geo):
        return winograd.convolve(xp, x, w, geo)
    return _by_columns(xp, x, w, geo)


def input_gradient(xp, g, w, x_shape, stride, pads, dilation, groups):
    """Gradient of `convolve` for its input, and the transposed convolution of `g` with `w`.

    Args:
        xp: The array namespace of `g` and `w`.
        g: Output gradient, (batch, filters, out...).
        w: Weights of the convolution.
        x_shape: Shape of the input, which stride leaves open: several inputs give one `out`.
        stride, pads, dilation, groups: As in `convolve`.

    Returns:
        Array of shape `x_shape`.
    """
    geo = geometry(tuple(x_shape), w.shape, stride, pads, dilation, groups)
    if geo.pointwise:
        return _pointwise_input(xp, g, w, geo)
    if geo.depthwise:
        return _depthwise_input(xp, g, w, geo)
    if max(stride) == 1 and geo.filters <= 2 * geo.channels:
        return _as_correlation(xp, g, w, geo)
    return _spread_columns(xp, g, w, geo)


def weight_gradient(xp, g, x, w_shape, stride, pads, dilation, groups):
    """Gradient of `convolve` for its weights.

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
        return _depthwise_weight(xp, g, x, geo)
    if winograd.enabled and winograd.applies(geo):
        return winograd.weight_gradient(xp, g, x, geo)
    return _columns_weight(xp, g, x, geo)


# Padding and windows, used by every strategy.

def padded(xp, x, pads, fill=0):
    """`x` with `fill` around its spatial dimensions; a negative pad cuts instead.

    Args:
        xp: The array namespace of `x`.
        x: Array whose last len(pads) dimensions are spatial.
        pads: One (before, after) pair per spatial dimension.
        fill: The value outside.

    Returns:
        `x` itself where there is nothing to do, otherwise a new array or a view of one.
    """
    if not any(map(any, pads)):
        return x
    lead = x.shape[:x.ndim - len(pads)]
    cut = tuple(slice(max(-b, 0), n - max(-a, 0))
                for n, (b, a) in zip(x.shape[len(lead):], pads))
    x = x[(..., *cut)]
    size = x.shape[len(lead):]
    grow = tuple((max(b, 0), max(a, 0)) for b, a in pads)
    if not any(map(any, grow)):
        return x
    wide = xp.full(lead + tuple(n + b + a for n, (b, a) in zip(size, grow)), fill, x.dtype)
    wide[(..., *(slice(b, b + n) for n, (b, a) in zip(size, grow)))] = x
    return wide


def windows(xp, x, kernel, stride, dilation, out):
    """A read-only view of `x` with the windows laid out: (..., kernel..., out...)."""
    lead = x.ndim - len(kernel)
    steps = x.strides[lead:]
    return xp.lib.stride_tricks.as_strided(
        x, x.shape[:lead] + kernel + out,
        x.strides[:lead] + tuple(a * d for a, d in zip(steps, dilation))
        + tuple(a * s for a, s in zip(steps, stride)))


def _tap_slices(geo):
    """For each kernel position in row-major order, the padded input it meets."""
    for tap in np.ndindex(*geo.kernel):
        yield tuple(slice(i * d, i * d + (n - 1) * s + 1, s)
                    for i, d, n, s in zip(tap, geo.dilation, geo.out, geo.stride))


def _cropped(x, geo):
    """The part of a padded array that lies over the input."""
    return x[(..., *(slice(b, b + n) for n, (b, _) in zip(geo.size, geo.pads)))]


def columns(xp, x, kernel, stride, pads, dilation):
    """The windows of `x` side by side: (batch, channels, taps, windows)."""
    geo = _single(x.shape, kernel, stride, pads, dilation)
    if fast := kernels_of(xp, x, kernel):
        taps, area = prod(kernel), prod(geo.out)
        out = xp.empty((*x.shape[:2], taps, area), x.dtype)
        return fast.columns(x, out, geo, (x.shape[1] * taps * area, taps * area, area))
    view = windows(xp, padded(xp, x, pads), kernel, stride, dilation, geo.out)
    return xp.array(view).reshape(*x.shape[:2], prod(kernel), prod(geo.out))


def columns_gradient(xp, g, size, kernel, stride, pads, dilation):
    """Gradient of `columns` for an input of spatial `size`: overlapping windows are added."""
    geo = _single((*g.shape[:2], *size), kernel, stride, pads, dilation)
    if fast := kernels_of(xp, g, kernel):
        taps, area = g.shape[2:]
        strides = g.shape[1] * taps * area, taps * area, area
        return fast.columns_back(g, (*g.shape[:2], *size), geo, strides)
    wide = xp.zeros((*g.shape[:2], *geo.padded), g.dtype)
    g = g.reshape(*g.shape[:3], *geo.out)
    for tap, place in enumerate(_tap_slices(geo)):
        target = wide[(..., *place)]
        target += g[:, :, tap]
    return xp.ascontiguousarray(_cropped(wide, geo))


def _single(x_shape, kernel, stride, pads, dilation):
    """The geometry of one window per channel."""
    return geometry(tuple(x_shape), (x_shape[1], 1, *kernel), stride, pads, dilation, x_shape[1])


# Windows copied into columns.

def _chunks(x, geo):
    """Slices of the batch whose columns fit the workspace."""
    area = prod(geo.out)
    sample = geo.channels * prod(geo.kernel) * area * x.dtype.itemsize
    budget = HOST_CHUNK_BYTES if isinstance(x, np.ndarray) else DEVICE_CHUNK_BYTES
    step = max(budget // max(sample, 1), -(-FEWEST_COLUMNS // area), 1)
    return [slice(i, min(i + step, geo.batch)) for i in range(0, geo.batch, step)]


def _source(xp, x, geo):
    """What `_columns` takes columns from: `x` where a kernel does it, else its windows."""
    if kernels_of(xp, x, geo.kernel):
        return x
    return windows(xp, padded(xp, x, geo.pads), geo.kernel, geo.stride, geo.dilation, geo.out)


def _columns(xp, view, geo, work):
    """Columns of some samples, (groups, channels / groups * taps, samples * area)."""
    count = view.shape[0]
    rows = geo.channels * prod(geo.kernel)
    flat = work[:rows * count * prod(geo.out)]
    if fast := kernels_of(xp, view, geo.kernel):
        fast.columns(view, flat, geo, _column_strides(geo, count))
    else:
        columns = flat.reshape((geo.channels, *geo.kernel, count, *geo.out))
        xp.copyto(columns, xp.moveaxis(view, 0, len(geo.kernel) + 1))
    return flat.reshape(geo.groups, rows // geo.groups, -1)


def _column_strides(geo, count):
    """Elements from one sample, channel and tap to the next in the columns of `count` samples."""
    area = prod(geo.out)
    return area, prod(geo.kernel) * count * area, count * area


def _workspace(xp, x, geo, chunks):
    longest = max(c.stop - c.start for c in chunks)
    return xp.empty(geo.channels * prod(geo.kernel) * prod(geo.out) * longest, x.dtype)


def _grouped_weights(w, geo):
    return w.reshape(geo.groups, geo.filters // geo.groups, -1)


def _by_columns(xp, x, w, geo):
    out = xp.empty((geo.batch, geo.filters, *geo.out), x.dtype)
    if not out.size:
        return out
    view = _source(xp, x, geo)
    rows = _grouped_weights(w, geo)
    chunks = _chunks(x, geo)
    work = _workspace(xp, x, geo, chunks)
    target = out.reshape(geo.batch, geo.groups, geo.filters // geo.groups, -1)
    for chunk in chunks:
        columns = _columns(xp, view[chunk], geo, work)
        count = chunk.stop - chunk.start
        if count == 1:
            xp.matmul(rows, columns, out=target[chunk.start])
            continue
        product = xp.matmul(rows, columns)
        product = product.reshape(geo.groups, geo.filters // geo.groups, count, -1)
        target[chunk] = xp.moveaxis(product, 2, 0)
    return out


def _columns_weight(xp, g, x, geo):
    slope = xp.zeros((geo.groups, geo.filters // geo.groups,
                      geo.channels // geo.groups * prod(geo.kernel)), x.dtype)
    if not g.size:
        return slope.reshape(geo.filters, -1, *geo.kernel)
    view = _source(xp, x, geo)
    chunks = _chunks(x, geo)
    work = _workspace(xp, x, geo, chunks)
    g = g.reshape(geo.batch, geo.groups, geo.filters // geo.groups, -1)
    for chunk in chunks:
        columns = _columns(xp, view[chunk], geo, work)
        rows = xp.moveaxis(g[chunk], 0, 2).reshape(geo.groups, geo.filters // geo.groups, -1)
        product = xp.matmul(rows, columns.swapaxes(1, 2))
        slope = product if chunk.start == 0 else xp.add(slope, product, out=slope)
    return slope.reshape(geo.filters, -1, *geo.kernel)


def _spread_columns(xp, g, w, geo):
    """Input gradient: columns of gradients, added back where their windows were."""
    fast = kernels_of(xp, g, geo.kernel)
    shape = geo.size if fast else geo.padded
    wide = xp.zeros((geo.batch, geo.channels, *shape), g.dtype)
    if not wide.size or not g.size:
        return wide if fast else _cropped(wide, geo)
    rows = _grouped_weights(w, geo).swapaxes(1, 2)
    g = g.reshape(geo.batch, geo.groups, geo.filters // geo.groups, -1)
    taps = prod(geo.kernel)
    for chunk in _chunks(g, geo):
        part = xp.moveaxis(g[chunk], 0, 2).reshape(geo.groups, geo.filters // geo.groups, -1)
        columns = xp.matmul(rows, part)
        if fast:
            count = chunk.stop - chunk.start
            wide[chunk] = fast.columns_back(columns, (count, *wide.shape[1:]), geo,
                                            _column_strides(geo, count))
            continue
        columns = columns.reshape(geo.channels, taps, chunk.stop - chunk.start, *geo.out)
        columns = xp.moveaxis(columns, 2, 0)
        for tap, place in enumerate(_tap_slices(geo)):
            target = wide[(chunk, slice(None), *place)]
            if geo.overlapping:
                target += columns[:, :, tap]
            else:
                target[...] = columns[:, :, tap]
    return wide if fast else xp.ascontiguousarray(_cropped(wide, geo))


def _as_correlation(xp, g, w, geo):
    """Input gradient for stride 1: `g`, padded, correlated with the kernel turned around."""
    extent = tuple(d * (k - 1) for k, d in zip(geo.kernel, geo.dilation))
    pads = tuple((e - before, e - after) for e, (before, after) in zip(extent, geo.pads))
    turned = w.reshape(geo.groups, geo.filters // geo.groups, -1, *geo.kernel)
    turned = xp.flip(turned.swapaxes(1, 2), tuple(range(3, 3 + len(geo.kernel))))
    turned = xp.ascontiguousarray(turned).reshape(geo.channels, -1, *geo.kernel)
    g = padded(xp, g, pads)
    none = ((0, 0),) * len(pads)
    return convolve(xp, g, turned, geo.stride, none, geo.dilation, geo.groups)


# 1x1 kernels: one matrix product per sample, nothing to rearrange.

def _pointwise(xp, x, w, geo):
    x = _strided(x, geo)
    rows = _grouped_weights(w, geo)
    x = x.reshape(geo.batch, geo.groups, geo.channels // geo.groups, -1)
    return xp.matmul(rows, x).reshape(geo.batch, geo.filters, *geo.out)


def _pointwise_input(xp, g, w, geo):
    rows = _grouped_weights(w, geo).swapaxes(1, 2)
    g = g.reshape(geo.batch, geo.groups, geo.filters // geo.groups, -1)
    slope = xp.matmul(rows, g).reshape(geo.batch, geo.channels, *geo.out)
    if geo.out == geo.size:
        return slope
    wide = xp.zeros((geo.batch, geo.channels, *geo.size), g.dtype)
    _strided(wide, geo)[...] = slope
    return wide


def _strided(x, geo):
    if max(geo.stride) == 1:
        return x
    return x[(..., *(slice(0, (n - 1) * s + 1, s) for n, s in zip(geo.out, geo.stride)))]


# Depthwise kernels: each channel meets its own filters, so there is no product to make.
#
# The padded input is split into the `stride` phases of each dimension. Within a phase a kernel
# position is a shift, and a shift of an image whose rows lie end to end is one offset into flat
# memory: every tap is a long contiguous multiply-add. Rows keep the phase's width, so each
# result row carries a few columns more than asked, cut off at the end.

class _Phases(NamedTuple):
    """How the flat phases of one depthwise convolution are laid out."""

    size: tuple       # spatial size of one phase
    taps: tuple       # per kernel position: (phase, offset)
    rows: tuple       # shape of a flat result before its extra columns are cut
    length: int       # elements of a flat result that carry meaning


def _phases(geo):
    size = tuple(-(-n // s) for n, s in zip(geo.padded, geo.stride))
    flat = [prod(size[i + 1:]) for i in range(len(size))]
    taps = []
    for tap in np.ndindex(*geo.kernel):
        place = [i * d for i, d in zip(tap, geo.dilation)]
        phase = tuple(p % s for p, s in zip(place, geo.stride))
        taps.append((phase, sum(p // s * f for p, s, f in zip(place, geo.stride, flat))))
    rows = (geo.out[0], *size[1:])
    length = sum((n - 1) * f for n, f in zip(geo.out, flat)) + 1
    return _Phases(size, tuple(taps), rows, length)


def _split(xp, x, geo, plan):
    """The phases of the padded input: {phase: array (batch * channels, elements)}."""
    if not any(map(any, geo.pads)) and max(geo.stride) == 1:
        return {plan.taps[0][0]: x.reshape(geo.batch * geo.channels, -1)}
    split = {}
    for phase in dict.fromkeys(phase for phase, _ in plan.taps):
        wide = xp.zeros((geo.batch, geo.channels, *plan.size), x.dtype)
        target, source = _phase_places(phase, geo)
        wide[(..., *target)] = x[(..., *source)]
        split[phase] = wide.reshape(geo.batch * geo.channels, -1)
    return split


def _phase_places(phase, geo):
    """Where the input lies in a phase, and which part of the input that is."""
    target, source = [], []
    for p, s, n, (before, _) in zip(phase, geo.stride, geo.size, geo.pads):
        first = max(-(-(before - p) // s), 0)
        start = first * s + p - before
        count = max(-(-(n - start) // s), 0)
        target.append(slice(first, first + count))
        source.append(slice(start, start + (count - 1) * s + 1, s) if count else slice(0, 0))
    return target, source


def _row_blocks(x, rows, length):
    """Slices of the rows, a cache's worth each on the host, all at once on a device."""
    step = max(DEPTHWISE_BLOCK // length, 1) if isinstance(x, np.ndarray) else max(rows, 1)
    return [slice(i, min(i + step, rows)) for i in range(0, rows, step)]


def _row_weights(xp, w, geo, multiple):
    """Weights of the `multiple`-th filter of each channel, one row per sample and channel."""
    own = w.reshape(geo.channels, -1, prod(geo.kernel))[:, multiple]
    whole = xp.empty((geo.batch, geo.channels, own.shape[1]), w.dtype)
    whole[...] = own
    return whole.reshape(-1, own.shape[1])


def _depthwise(xp, x, w, geo):
    multiples = geo.filters // geo.channels
    plan = _phases(geo)
    split = _split(xp, x, geo, plan)
    count = geo.batch * geo.channels
    wide = xp.empty((multiples, count, prod(plan.rows)), x.dtype)
    for multiple in range(multiples):
        weights = _row_weights(xp, w, geo, multiple)
        for block in _row_blocks(x, count, plan.length):
            total = wide[multiple, block, :plan.length]
            for tap, (phase, offset) in enumerate(plan.taps):
                part = split[phase][block, offset:offset + plan.length]
                scale = weights[block, tap, None]
                if tap == 0:
                    xp.multiply(part, scale, out=total)
                    term = xp.empty_like(part, order="C")
                    continue
                total += xp.multiply(part, scale, out=term)
    wide = wide.reshape(multiples, geo.batch, geo.channels, *plan.rows)
    wide = wide[(..., *(slice(0, n) for n in geo.out))]
    return xp.ascontiguousarray(xp.moveaxis(wide, 0, 2)).reshape(geo.batch, -1, *geo.out)


def _flat_gradient(xp, g, geo, plan):
    """`g` in rows of a phase's width, zero in the extra columns: (multiples, rows, length)."""
    multiples = geo.filters // geo.channels
    wide = xp.zeros((multiples, geo.batch, geo.channels, *plan.rows), g.dtype)
    parts = g.reshape(geo.batch, geo.channels, multiples, *geo.out)
    wide[(..., *(slice(0, n) for n in geo.out))] = xp.moveaxis(parts, 2, 0)
    return wide.reshape(multiples, geo.batch * geo.channels, -1)[:, :, :plan.length]


def _depthwise_input(xp, g, w, geo):
    plan = _phases(geo)
    flat = _flat_gradient(xp, g, geo, plan)
    count = geo.batch * geo.channels
    split = {phase: xp.zeros((count, prod(plan.size)), g.dtype) for phase, _ in plan.taps}
    for multiple in range(flat.shape[0]):
        weights = _row_weights(xp, w, geo, multiple)
        for block in _row_blocks(g, count, plan.length):
            part = flat[multiple, block]
            term = xp.empty(part.shape, g.dtype)
            for tap, (phase, offset) in enumerate(plan.taps):
                target = split[phase][block, offset:offset + plan.length]
                target += xp.multiply(part, weights[block, tap, None], out=term)
    slope = xp.zeros((geo.batch, geo.channels, *geo.size), g.dtype)
    for phase, flat in split.items():
        place, source = _phase_places(phase, geo)
        flat = flat.reshape(geo.batch, geo.channels, *plan.size)
        slope[(..., *source)] = flat[(..., *place)]
    return slope


def _depthwise_weight(xp, g, x, geo):
    plan = _phases(geo)
    flat = _flat_gradient(xp, g, geo, plan)
    split = _split(xp, x, geo, plan)
    multiples, count = flat.shape[:2]
    dots = xp.empty((multiples, count, prod(geo.kernel)), x.dtype)
    for multiple in range(multiples):
        for block in _row_blocks(x, count, plan.length):
            row = flat[multiple, block, None, :]
            for tap, (phase, offset) in enumerate(plan.taps):
                part = split[phase][block, offset:offset + plan.length, None]
                dots[multiple, block, tap] = xp.matmul(row, part)[:, 0, 0]
    dots = dots.reshape(multiples, geo.batch, geo.channels, -1).sum(1)
    return xp.ascontiguousarray(dots.swapaxes(0, 1)).reshape(geo.filters, 1, *geo.kernel)
