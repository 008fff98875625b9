"""im2col and col2im as compiled host loops.

These loops do on the host what cuda_kernels.py does on a GPU. They support float32 and one or two
spatial dimensions. Array functions copy windows that do not overlap as fast, unless they are few.
"""

import functools
from math import prod
from typing import NamedTuple

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..threads.parallel_loops import FLOAT, array, blocks, loop_of, memory, piece, sizes
from ..thresholds import Most

PIECE = 1 << 16  # least elements of a piece
PIECES = 8  # maximum number of pieces of a call


class Columns(NamedTuple):
    """The sizes of images and of their columns. One-dimensional data are images of one row."""

    samples: int
    channels: int
    height: int  # of an image
    width: int
    top: int  # zeros above
    left: int
    padded: int  # elements of a zero-padded image
    row: int  # elements of a row of a zero-padded image
    out_height: int
    out_width: int
    kernel_height: int
    kernel_width: int
    stride_y: int
    stride_x: int
    dilation_y: int
    dilation_x: int
    by_sample: int  # stride of the columns from one sample to the next
    by_channel: int  # stride from one channel to the next
    by_position: int  # stride from one kernel position to the next


def copy_windows(
    x: array(FLOAT),
    out: array(FLOAT),
    padded: memory(FLOAT),
    first: piece(0),
    last: piece(1),
    sizes: sizes(Columns),
):
    """Writes the windows of channels `first` to `last` to `out`.

    Args:
        x, out: the images and their columns.
        padded: memory for an image with zeros around.
        first, last: the range of channels.
    """
    area, width, wide = sizes.height * sizes.width, sizes.width, sizes.out_width
    padded[: sizes.padded] = 0
    for channel in range(first, last):
        for sample in range(sizes.samples):
            image = (sample * sizes.channels + channel) * area
            for y in range(sizes.height):
                at = (y + sizes.top) * sizes.row + sizes.left
                target, source = padded[at : at + width], x[image + y * width :]
                for i in range(width):
                    target[i] = source[i]
            to = sample * sizes.by_sample + channel * sizes.by_channel
            for ky in range(sizes.kernel_height):
                for kx in range(sizes.kernel_width):
                    for y in range(sizes.out_height):
                        at = (ky * sizes.dilation_y + y * sizes.stride_y) * sizes.row
                        source = padded[at + kx * sizes.dilation_x :]
                        target = out[to + y * wide : to + (y + 1) * wide]
                        if sizes.stride_x == 1:  # apart, for vector instructions
                            for i in range(wide):
                                target[i] = source[i]
                        else:
                            for i in range(wide):
                                target[i] = source[i * sizes.stride_x]
                    to += sizes.by_position


def add_windows(
    g: array(FLOAT),
    out: array(FLOAT),
    padded: memory(FLOAT),
    first: piece(0),
    last: piece(1),
    sizes: sizes(Columns),
):
    """Writes to `out` the images that sum the columns `g`: each element of an image is the sum over
    all windows that contain it. The other arguments are those of `copy_windows`."""
    area, width, wide = sizes.height * sizes.width, sizes.width, sizes.out_width
    for channel in range(first, last):
        for sample in range(sizes.samples):
            padded[: sizes.padded] = 0
            start = sample * sizes.by_sample + channel * sizes.by_channel
            for ky in range(sizes.kernel_height):
                for kx in range(sizes.kernel_width):
                    for y in range(sizes.out_height):
                        at = (ky * sizes.dilation_y + y * sizes.stride_y) * sizes.row
                        target = padded[at + kx * sizes.dilation_x :]
                        source = g[start + y * wide : start + (y + 1) * wide]
                        if sizes.stride_x == 1:
                            for i in range(wide):
                                target[i] += source[i]
                        else:
                            for i in range(wide):
                                target[i * sizes.stride_x] += source[i]
                    start += sizes.by_position
            image = (sample * sizes.channels + channel) * area
            for y in range(sizes.height):
                at = (y + sizes.top) * sizes.row + sizes.left
                source, target = padded[at : at + width], out[image + y * width :]
                for i in range(width):
                    target[i] = source[i]


def _is_taken(x, geo):
    """Returns True for float32 images and one-dimensional data, if windows overlap or are few, and
    padding removes nothing."""
    if x.dtype != FLOAT or len(geo.size) > 2 or min(map(min, geo.pads)) < 0:
        return False
    return geo.overlapping or prod(geo.kernel) * prod(geo.out) <= Most.COLUMNS


@serves(
    "columns",
    least=None,
    takes=_is_taken,
    loops=lambda *_: [loop_of(copy_windows), loop_of(add_windows)],
)
def columns_of(x, geo):
    """Returns the class with `im2col` and `col2im` for arrays on the host; its methods have the
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
    image = _image(geo.size, geo.kernel, geo.stride, geo.pads, geo.dilation)
    parts = max(min(size // PIECE, PIECES, channels), 1)
    table = blocks(channels, -(-channels // parts))
    padded = image[4]  # the memory for a zero-padded image
    loop_of(function).run(table, source, target, padded, samples, channels, *image, *strides)


@functools.lru_cache(maxsize=256)
def _image(size, kernel, stride, pads, dilation):
    """Returns the fields of Columns from `height` to `dilation_x`."""
    if len(size) == 1:
        size, kernel, stride, dilation = ((1, *pair) for pair in (size, kernel, stride, dilation))
        pads = ((0, 0), *pads)
    rows, row = (n + sum(pair) for n, pair in zip(size, pads, strict=True))
    out = [
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip((rows, row), kernel, stride, dilation, strict=True)
    ]
    tops = [before for before, _ in pads]
    return (*size, *tops, rows * row, row, *out, *kernel, *stride, *dilation)
