"""im2col and col2im as compiled host loops.

These loops do on the host what cuda_kernels.py does on a GPU. They support float32, one or two
spatial dimensions, and small images, where array functions would copy only a few elements at a
time.
"""

import functools
from math import prod
from typing import NamedTuple

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..threads.parallel_loops import FLOAT, INDEX, array, blocks, loop_of, memory, piece, sizes
from ..thresholds import Most

PIECE = 1 << 16  # elements of a piece, at least
PIECES = 8  # maximum number of pieces of a call


class Columns(NamedTuple):
    """The sizes of images and of their columns."""

    samples: int
    channels: int
    area: int  # elements of an image
    windows: int  # of an image
    by_sample: int  # from one sample to the next, in the columns
    by_channel: int  # from one channel to the next
    by_position: int  # from one kernel position to the next


def copy_windows(
    x: array(FLOAT),
    out: array(FLOAT),
    padded: memory(FLOAT),
    targets: array(INDEX),
    first: piece(0),
    last: piece(1),
    sizes: sizes(Columns),
):
    """Writes the windows of channels `first` to `last` to `out`.

    Args:
        x, out: images of `area` elements, and their columns of `windows` elements.
        padded: memory for an image followed by a zero.
        targets: for each kernel position and window, the index in `padded` of the element under it:
            an element of the image, or the zero for padding.
        first, last: the range of channels.
    """
    padded[sizes.area] = 0
    for channel in range(first, last):
        for sample in range(sizes.samples):
            image = (sample * sizes.channels + channel) * sizes.area
            for i in range(sizes.area):
                padded[i] = x[image + i]
            to = sample * sizes.by_sample + channel * sizes.by_channel
            for start in range(0, targets.size, sizes.windows):
                for j in range(sizes.windows):
                    out[to + j] = padded[targets[start + j]]
                to += sizes.by_position


def add_windows(
    g: array(FLOAT),
    out: array(FLOAT),
    padded: memory(FLOAT),
    targets: array(INDEX),
    first: piece(0),
    last: piece(1),
    sizes: sizes(Columns),
):
    """Writes to `out` the images that sum the columns `g`: each element of an image is the sum over
    all windows that contain it. The other arguments are those of `copy_windows`."""
    for channel in range(first, last):
        for sample in range(sizes.samples):
            for i in range(sizes.area):
                padded[i] = 0
            source = sample * sizes.by_sample + channel * sizes.by_channel
            for start in range(0, targets.size, sizes.windows):
                for j in range(sizes.windows):
                    padded[targets[start + j]] += g[source + j]
                source += sizes.by_position
            image = (sample * sizes.channels + channel) * sizes.area
            for i in range(sizes.area):
                out[image + i] = padded[i]


def _is_taken(x, geo):
    """Returns True for small float32 images, and for one-dimensional data."""
    columns = prod(geo.kernel) * prod(geo.out)
    return x.dtype == FLOAT and len(geo.size) <= 2 and columns <= Most.COLUMNS


@serves(
    "columns",
    least=None,
    takes=_is_taken,
    loops=lambda *_: [loop_of(copy_windows), loop_of(add_windows)],
)
def columns_of(x, geo):
    """Returns the class with `im2col` and `col2im` for arrays of the host; its methods have the
    parameters of those of cuda_kernels.Kernels."""
    return _Columns


class _Columns:
    """The interface of cuda_kernels.Kernels, on the host."""

    @staticmethod
    def im2col(x, out, geo, strides):
        """Copies the windows of `x`, (samples, channels, spatial...), into `out`."""
        _run(copy_windows, jit.flat(x), out.reshape(-1), x.shape, geo, strides, out.size)
        return out

    @staticmethod
    def col2im(g, shape, geo, strides):
        """Adds the overlapping windows of columns `g` back into images of this shape."""
        out = numpy.empty(shape, g.dtype)
        _run(add_windows, jit.flat(g), out.reshape(-1), shape, geo, strides, g.size)
        return out


def _run(function, source, target, shape, geo, strides, size):
    samples, channels = shape[:2]
    targets, area, windows = _targets(geo.size, geo.kernel, geo.stride, geo.pads, geo.dilation)
    parts = max(min(size // PIECE, PIECES, channels), 1)
    loop_of(function).run(
        blocks(channels, -(-channels // parts)),
        source,
        target,
        area + 1,
        targets,
        samples,
        channels,
        area,
        windows,
        *strides,
    )


@functools.lru_cache(maxsize=256)
def _targets(size, kernel, stride, pads, dilation):
    """Returns where each window reads an image, for the `targets` of `copy_windows`.

    Returns:
        The index of an element for each kernel position and window (the area of the image where the
        window reads padding), the area, and the number of windows.
    """
    axes = []
    for n, k, s, (before, after), d in zip(size, kernel, stride, pads, dilation, strict=True):
        out = (n + before + after - d * (k - 1) - 1) // s + 1
        axes.append(numpy.arange(k)[:, None] * d + numpy.arange(out) * s - before)
    if len(axes) == 1:
        axes.insert(0, numpy.zeros((1, 1), int))
        size = (1, *size)
    y, x = axes[0][:, None, :, None], axes[1][:, None, :]
    inside = (y >= 0) & (y < size[0]) & (x >= 0) & (x < size[1])
    positions = numpy.where(inside, y * size[1] + x, prod(size))
    return positions.reshape(-1).astype(INDEX), prod(size), positions.shape[2] * positions.shape[3]
