"""Convolution of images with 3x3 kernels by Winograd's method, as compiled host loops.

F(2, 3) computes 2x2 pixels of a result with 16 multiplications for each channel and filter, in
place of 36. Tiles of 4x4 input pixels, and the filters, are transformed so that the convolution
becomes one matrix product for each of the 16 elements of a tile; the products are then transformed
back. The transforms consist of additions (winograd_tiles.py). Images are first copied with their
channels next to each other, so that transforms use whole vectors of channels, and products use rows
of tiles. A few tiles at a time go through all stages, and stay in a core's cache.

The largest error of a result is as large as with another summation order. However, each error is
relative to the largest pixel of its tile, even if the weight of that pixel is 0. F(4, 3) computes
4x4 pixels with 36 multiplications, but its results differ by up to 1e-5 of the largest. choose.py
decides which convolutions use these methods.

An infinity or NaN would spread over its tile, so such data are computed by the other algorithms.
"""

import functools
from math import prod
from typing import NamedTuple

import numpy

from ...compiled import jit
from ...threads.parallel_loops import FLOAT, INDEX, aligned, loop_of
from ...threads.scheduler import blocks
from . import winograd_loops
from .planes import PIECES, SUMS, VECTOR, cut, odd_lines

CORNER = (0, 0), (1, 0), (0, 1)
PIECE = 1 << 21  # least multiplications of a piece
TILES = 1 << 17  # elements of the transforms of tiles that are multiplied at once
FEWEST = 16  # least tiles that are multiplied at once
SUMMED = 64  # the same if products are summed over tiles
CHANNELS = 64  # least channels of a piece of such sums
KERNELS = VECTOR * VECTOR  # elements of memory for the kernels of a vector of filters


def _loop(function, method):
    """Returns the ParallelLoop of a function of winograd_loops.py for a method (F2 or F4)."""
    return loop_of(function, winograd_loops.library(method))


_CORRELATION = winograd_loops.pack_filters, winograd_loops.winograd_correlate
_LOOPS = {
    "images": _CORRELATION,
    "inputs": _CORRELATION,
    "weights": (winograd_loops.winograd_weight_runs, winograd_loops.add_transforms),
}


def is_ready(method, gives):
    """Returns True if the loops of a method that compute `gives` (as in `choose._algorithm`) are
    compiled; otherwise requests their compilation."""
    return all([_loop(function, method).is_ready() for function in _LOOPS[gives]])


def correlate(method, x, weights, out, plan):
    """Correlates images with filters and writes the result to `out`.

    Args:
        method: F2 or F4.
        x, weights, out, plan: as for `flat.correlate`.

    Returns:
        bool: False if a result is infinite or NaN.
    """
    parts, packed_size, pieces, sizes, lengths = _correlation(method, plan)
    first, below, beside = (weights.indices[plan.taps.index(tap)] for tap in CORNER)
    taps = numpy.array([first, below - first, beside - first], INDEX)
    packed = aligned(packed_size)
    _loop(winograd_loops.pack_filters, method).run(
        parts, weights.values, packed, KERNELS, taps, *weights.sizes(plan), sizes.weight_plane
    )
    return _loop(winograd_loops.winograd_correlate, method).run(
        pieces, jit.flat(x), packed, out.reshape(-1), *lengths, *sizes
    )


def _whole(filters):
    """Returns the number of filters, rounded up to whole vectors of any host."""
    return -(-filters // VECTOR) * VECTOR


def _tiles_at_once(method, channels, filters, least):
    """Returns the number of tiles that are multiplied at once."""
    return max(TILES // (method.elements * (channels + filters)) // VECTOR * VECTOR, least)


class _Cut(NamedTuple):
    """The division of samples and rows of tiles into pieces, and their layout."""

    step: int  # rows and columns of the result per tile
    samples: int  # samples of a piece
    height: int  # rows of tiles of a piece
    down: int  # rows of tiles of a sample
    across: int  # tiles of a row
    depth: int  # elements of an input pixel
    result_depth: int  # elements of a result pixel

    @classmethod
    def of(cls, method, plan, channels, images, most):
        """Returns the division of images with `channels` copied channels into at most `most`
        pieces, unless they must be smaller to fit the cache."""
        depth, result_depth = odd_lines(channels), odd_lines(plan.filters)
        step = method.step
        down, across = (-(-n // step) for n in plan.out)

        def size(rows):
            height, width = step * rows, step * across
            read = (height + 2) * (width + 2) * depth  # 2: the margin of a window of 3
            return read + height * width * result_depth

        samples, height = cut(images, down, 1, most, size)
        return cls(step, min(samples, images), height, down, across, depth, result_depth)

    @property
    def tiles(self):
        """The number of tiles of a piece."""
        return self.samples * self.height * self.across

    @property
    def pixels(self):
        """The number of input elements of a piece, plus a vector of pixels."""
        pixels = self.samples * (self.step * self.height + 2) * (self.step * self.across + 2)
        return (pixels + VECTOR) * self.depth

    def blocks(self, images):
        """Returns the first and last image, and the top and bottom row, of each piece."""
        return [
            (samples.start, samples.stop, rows.start, rows.stop)
            for samples in blocks(images, self.samples)
            for rows in blocks(self.down, self.height)
        ]


def _pieces(plan):
    """Returns the number of pieces that the multiplications justify."""
    work = plan.batch * plan.groups * prod(plan.out) * plan.filters * plan.channels * 4
    return max(min(work // PIECE, PIECES), 1)


@functools.lru_cache(maxsize=256)
def _correlation(method, plan):
    """Returns the pieces in which weights are packed, and the packed size; the pieces of the
    correlation, its sizes and its memory."""
    images, filters = plan.batch * plan.groups, _whole(plan.filters)
    division = _Cut.of(method, plan, plan.channels, images, _pieces(plan))
    if plan.groups > 1:  # tiles that are multiplied at once have the same filters
        division = division._replace(samples=1)
    parts = [
        (group, block.start, block.stop)
        for group in range(plan.groups)
        for block in blocks(filters, VECTOR)
    ]
    tiles = min(_tiles_at_once(method, plan.channels, plan.filters, FEWEST), division.tiles)
    plane, product_plane = (
        odd_lines(tiles * division.depth),
        odd_lines(tiles * division.result_depth),
    )
    rows = division.samples * division.step * division.height + division.step
    image = (rows * plan.out[1] + VECTOR) * division.result_depth
    lengths = division.pixels, method.elements * plane, method.elements * product_plane, image
    sizes = winograd_loops.TileSizes(
        plan.groups,
        plan.channels,
        *plan.size,
        *plan.before,
        plan.filters,
        *plan.out,
        division.depth,
        division.result_depth,
        tiles,
        plane,
        product_plane,
        odd_lines(filters * plan.channels),
    )
    packed = plan.groups * method.elements * sizes.weight_plane
    pieces = numpy.array(division.blocks(images), INDEX)
    return numpy.array(parts, INDEX), packed, pieces, sizes, lengths


def weight_gradient(method, g, x, plan):
    """Returns the filter gradient of a correlation of `x`, (groups, filters, channels, kernel
    positions), by the method that choose.py selected. It is not finite where an element of `x` or
    `g` is not."""
    chunks, count, parts, rows, sizes, lengths = _sums(method, plan)
    totals = numpy.zeros(count * method.elements * sizes.total_plane, FLOAT)
    _loop(winograd_loops.winograd_weight_runs, method).run(
        parts, jit.flat(x), jit.flat(g), totals, *lengths, chunks, *sizes
    )
    grad = numpy.empty(plan.groups * plan.filters * plan.depth, FLOAT)
    _loop(winograd_loops.add_transforms, method).run(
        rows,
        totals,
        grad,
        KERNELS,
        count,
        plan.channels,
        plan.filters,
        odd_lines(plan.filters),
        sizes.total_plane,
    )
    return grad


@functools.lru_cache(maxsize=256)
def _sums(method, plan):
    """Returns, for the partial sums of a weight gradient: their samples and rows of tiles, their
    number, the pieces that compute them, the pieces that add them, the elements of a plane, the
    sizes, and the memory."""
    count = -(-_pieces(plan) // plan.groups)
    channels = blocks(plan.channels, max(-(-plan.channels // count), CHANNELS))
    widest = channels[0].stop
    division = _Cut.of(method, plan, widest, plan.batch, 1)
    chunks = division.blocks(plan.batch)
    total_plane = odd_lines(plan.groups * plan.channels * division.result_depth)
    count = max(min(count // len(channels), SUMS // (method.elements * total_plane)), 1)
    runs = blocks(len(chunks), -(-len(chunks) // count))
    parts = [
        (
            run.start,
            run.stop,
            number * method.elements * total_plane,
            group,
            block.start,
            block.stop,
        )
        for number, run in enumerate(runs)
        for group in range(plan.groups)
        for block in channels
    ]
    rows = [
        (group, block.start, block.stop)
        for group in range(plan.groups)
        for block in blocks(plan.channels, 8)
    ]
    count = min(_tiles_at_once(method, widest, plan.filters, SUMMED), division.tiles)
    plane, flow_plane = odd_lines(count * division.depth), odd_lines(count * _whole(plan.filters))
    image = (division.step**2 * division.tiles + VECTOR) * division.result_depth
    lengths = division.pixels, method.elements * plane, method.elements * flow_plane, image
    sizes = winograd_loops.TileSums(
        plan.groups,
        plan.channels,
        *plan.size,
        *plan.before,
        plan.filters,
        *plan.out,
        division.depth,
        division.result_depth,
        count,
        plane,
        flow_plane,
        total_plane,
    )
    return (
        numpy.array(chunks, INDEX).reshape(-1),
        len(runs),
        numpy.array(parts, INDEX),
        numpy.array(rows, INDEX),
        sizes,
        lengths,
    )
