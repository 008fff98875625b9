"""Samples of images at the points of a grid, and their gradients, as compiled loops for the host.

They compute what `ops/_image/grid_points.py` computes with array functions. The loops read images
of (height, width) at points (x, y) in [-1, 1]. They work on BLOCK points at a time: the positions
and weights of the pixels around each point are computed once, and used for all channels.
"""

import functools

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..compiled.library import Library
from ..compiled.vector_math import single
from ..threads.parallel_loops import (
    FLOAT,
    INDEX,
    OFFSET,
    array,
    blocks,
    loop_of,
    memory,
    number,
    piece,
)

BLOCK = 1 << 10  # points that are prepared together
PIECE = 1 << 16  # results of a piece, about
PADDING = {"zeros": 0, "border": 1, "reflection": 2}
PIXELS = 2  # as `corners`: the grid has pixel coordinates


def reflect(at, low, high):
    """Returns a coordinate reflected into [low, high]."""
    if high <= low:
        return at * single(0)
    span = high - low
    away = abs(at - low)
    times = numpy.floor(away / span)
    extra = away - times * span
    even = numpy.floor(times / single(2)) * single(2) == times
    return extra + low if even else span - extra + low


def turns(at, low, high):
    """Returns the derivative of `reflect`: 1 or -1, and 0 at the lower end."""
    if high <= low or at == low:
        return single(0)
    times = numpy.floor(abs(at - low) / (high - low))
    even = numpy.floor(times / single(2)) * single(2) == times
    return single(1) if even == (at > low) else single(-1)


def place(at, length, padding, corners):
    """Returns the pixel coordinate of a coordinate in [-1, 1] along an axis, or, if `corners` is
    PIXELS, of a pixel coordinate; a NaN becomes the lowest."""
    size = single(length)
    if corners == 1:
        at = (at + single(1)) * ((size - single(1)) / single(2))
    if corners == 0:
        at = ((at + single(1)) * size - single(1)) / single(2)
    if padding == 2:
        low, high = single(0), size - single(1)
        if corners == 0:
            low, high = single(-0.5), size - single(0.5)
        at = reflect(at, low, high)
    low, high = single(0), size - single(1)
    if padding == 0:
        low, high = single(-2), size + single(1)
    at = at if at > low else low
    return at if at < high else high


def place_slope(at, length, padding, corners):
    """Returns the derivative of `place`."""
    size, slope = single(length), single(1)
    if corners == 1:
        slope = (size - single(1)) / single(2)
        at = (at + single(1)) * slope
    if corners == 0:
        slope = size / single(2)
        at = ((at + single(1)) * size - single(1)) / single(2)
    if padding == 2:
        low, high = single(0), size - single(1)
        if corners == 0:
            low, high = single(-0.5), size - single(0.5)
        slope, at = slope * turns(at, low, high), reflect(at, low, high)
    low, high = single(0), size - single(1)
    if padding == 0:
        low, high = single(-2), size + single(1)
    return slope if (at > low) & (at < high) else single(0)


def pixel(row, column, height, width):
    """Returns the flat position of a pixel, or -1 if it is outside."""
    inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    return row * width + column if inside else -1


def prepare(grid, start, count, height, width, padding, corners, taps, index, weight):
    """Writes the pixels around `count` points, and their weights.

    Args:
        grid: the points, flattened.
        start: the first point.
        height, width, padding, corners: as for the operator.
        taps: 4 for linear interpolation, 1 for the nearest pixel.
        index, weight: memory for BLOCK numbers for each of the pixels around a point: upper left,
            upper right, lower left, lower right.
    """
    for p in range(count):
        x = place(grid[2 * (start + p)], width, padding, corners)
        y = place(grid[2 * (start + p) + 1], height, padding, corners)
        if taps == 1:
            row, column = int(numpy.rint(y)), int(numpy.rint(x))
            index[p] = pixel(row, column, height, width)
            continue
        top, left = numpy.floor(y), numpy.floor(x)
        down, right = y - top, x - left
        row, column = int(top), int(left)
        index[p] = pixel(row, column, height, width)
        index[BLOCK + p] = pixel(row, column + 1, height, width)
        index[2 * BLOCK + p] = pixel(row + 1, column, height, width)
        index[3 * BLOCK + p] = pixel(row + 1, column + 1, height, width)
        weight[p] = (single(1) - down) * (single(1) - right)
        weight[BLOCK + p] = (single(1) - down) * right
        weight[2 * BLOCK + p] = down * (single(1) - right)
        weight[3 * BLOCK + p] = down * right


def sample(
    x: array(FLOAT),
    grid: array(FLOAT),
    out: array(FLOAT),
    index: memory(OFFSET),
    weight: memory(FLOAT),
    channels: number(),
    height: number(),
    width: number(),
    points: number(),
    padding: number(),
    corners: number(),
    taps: number(),
    image: piece(0),
    first: piece(1),
    last: piece(2),
):
    """Writes the samples of all channels of one image at points `first` to `last`.

    Args:
        x: (images, channels, height, width), flattened.
        grid: (images, points, 2), likewise.
        out: (images, channels, points), likewise.
        index, weight, padding, corners, taps: as for `prepare`.
        channels, height, width, points: the lengths of the axes.
        image, first, last: the part of the result.
    """
    area = height * width
    for start in range(first, last, BLOCK):
        count = min(last - start, BLOCK)
        offset = image * points + start
        prepare(grid, offset, count, height, width, padding, corners, taps, index, weight)
        a, b, c, d = index[:BLOCK], index[BLOCK:], index[2 * BLOCK :], index[3 * BLOCK :]
        p, q, r, s = weight[:BLOCK], weight[BLOCK:], weight[2 * BLOCK :], weight[3 * BLOCK :]
        for channel in range(image * channels, (image + 1) * channels):
            plane = x[channel * area : (channel + 1) * area]
            target = out[channel * points + start : channel * points + start + count]
            if taps == 1:
                for i in range(count):
                    target[i] = plane[a[i]] if a[i] >= 0 else single(0)
                continue
            for i in range(count):
                # A position of -1 reads the last element, whose value is not used.
                va, vb, vc, vd = plane[a[i]], plane[b[i]], plane[c[i]], plane[d[i]]
                va = va if a[i] >= 0 else single(0)
                vb = vb if b[i] >= 0 else single(0)
                vc = vc if c[i] >= 0 else single(0)
                vd = vd if d[i] >= 0 else single(0)
                target[i] = va * p[i] + vb * q[i] + vc * r[i] + vd * s[i]


def spread(
    g: array(FLOAT),
    grid: array(FLOAT),
    out: array(FLOAT),
    index: memory(OFFSET),
    weight: memory(FLOAT),
    channels: number(),
    height: number(),
    width: number(),
    points: number(),
    padding: number(),
    corners: number(),
    taps: number(),
    image: piece(0),
    first: piece(1),
    last: piece(2),
):
    """Adds the gradients `g` of the samples of channels `first` to `last` of one image to the
    pixels of `out`; the other arguments are those of `sample`."""
    area = height * width
    for start in range(0, points, BLOCK):
        count = min(points - start, BLOCK)
        offset = image * points + start
        prepare(grid, offset, count, height, width, padding, corners, taps, index, weight)
        for channel in range(image * channels + first, image * channels + last):
            plane = out[channel * area : (channel + 1) * area]
            source = g[channel * points + start : channel * points + start + count]
            for i in range(count):
                if taps == 1:
                    if index[i] >= 0:
                        plane[index[i]] += source[i]
                    continue
                for tap in range(0, 4 * BLOCK, BLOCK):
                    at = index[tap + i]
                    if at >= 0:
                        plane[at] += source[i] * weight[tap + i]


def slope(
    g: array(FLOAT),
    x: array(FLOAT),
    grid: array(FLOAT),
    out: array(FLOAT),
    index: memory(OFFSET),
    weight: memory(FLOAT),
    sums: memory(FLOAT),
    channels: number(),
    height: number(),
    width: number(),
    points: number(),
    padding: number(),
    corners: number(),
    image: piece(0),
    first: piece(1),
    last: piece(2),
):
    """Writes the gradient of the points `first` to `last` of one image to `out`, in the shape of
    `grid`, for linear interpolation; the other arguments are those of `sample`, and `sums` is
    memory for 4 * BLOCK numbers."""
    area = height * width
    across, along = sums[:BLOCK], sums[BLOCK : 2 * BLOCK]
    rights, downs = sums[2 * BLOCK : 3 * BLOCK], sums[3 * BLOCK :]
    for start in range(first, last, BLOCK):
        count = min(last - start, BLOCK)
        offset = image * points + start
        prepare(grid, offset, count, height, width, padding, corners, 4, index, weight)
        a, b, c, d = index[:BLOCK], index[BLOCK:], index[2 * BLOCK :], index[3 * BLOCK :]
        for i in range(count):
            across[i], along[i] = single(0), single(0)
            at_x = place(grid[2 * (offset + i)], width, padding, corners)
            at_y = place(grid[2 * (offset + i) + 1], height, padding, corners)
            rights[i], downs[i] = at_x - numpy.floor(at_x), at_y - numpy.floor(at_y)
        for channel in range(image * channels, (image + 1) * channels):
            plane = x[channel * area : (channel + 1) * area]
            source = g[channel * points + start : channel * points + start + count]
            for i in range(count):
                va, vb, vc, vd = plane[a[i]], plane[b[i]], plane[c[i]], plane[d[i]]
                va = va if a[i] >= 0 else single(0)
                vb = vb if b[i] >= 0 else single(0)
                vc = vc if c[i] >= 0 else single(0)
                vd = vd if d[i] >= 0 else single(0)
                right, down = rights[i], downs[i]
                across[i] += source[i] * ((vb - va) * (single(1) - down) + (vd - vc) * down)
                along[i] += source[i] * ((vc - va) * (single(1) - right) + (vd - vb) * right)
        for i in range(count):
            at = 2 * (offset + i)
            out[at] = across[i] * place_slope(grid[at], width, padding, corners)
            out[at + 1] = along[i] * place_slope(grid[at + 1], height, padding, corners)


_LIBRARY = Library(reflect, turns, place, place_slope, pixel, prepare, BLOCK=BLOCK)


def _are_images(x, grid, *rest):
    is_image = x.ndim == 4 and x.dtype == grid.dtype == FLOAT
    return is_image and x.size > 0 and grid.size > 0


def _has_slope(g, x, grid, *rest):
    return _are_images(x, grid) and g.dtype == FLOAT


def _sizes(shape, grid, mode, padding, corners):
    """Returns the numbers of `sample`, from its shape on."""
    points = grid.shape[1] * grid.shape[2]
    taps = 4 if mode == "bilinear" else 1
    return *shape[1:], points, PADDING[padding], PIXELS if corners is None else int(corners), taps


@functools.lru_cache(maxsize=256)
def _pieces(images, total, size):
    """Returns a table of (image, start, stop): the parts of range(total) for each image."""
    parts = blocks(total, max(size, 1)).tolist()
    return numpy.array([[image, *part] for image in range(images) for part in parts], INDEX)


@serves(
    "sample_points",
    least="GRID_POINTS",
    size=lambda x, grid, *rest: grid.size * x.shape[1],
    takes=_are_images,
    loop=functools.partial(loop_of, sample, _LIBRARY),
)
def sample_points(x, grid, mode, padding, corners):
    """Returns the samples of images at the points of a grid, (images, channels, height, width)."""
    out = numpy.empty((*x.shape[:2], *grid.shape[1:3]), FLOAT)
    sizes = _sizes(x.shape, grid, mode, padding, corners)
    table = _pieces(len(x), sizes[3], PIECE // x.shape[1])
    arrays = jit.flat(x), jit.flat(grid), out.reshape(-1)
    loop_of(sample, _LIBRARY).run(table, *arrays, 4 * BLOCK, 4 * BLOCK, *sizes)
    return out


@serves(
    "spread_points",
    least="GRID_POINTS",
    size=lambda g, *rest: g.size,
    takes=_are_images,
    loop=functools.partial(loop_of, spread, _LIBRARY),
)
def spread_points(g, grid, x_shape, mode, padding, corners):
    """Returns the gradient of `sample_points` for the images, of the shape `x_shape`."""
    out = numpy.zeros(x_shape, FLOAT)
    sizes = _sizes(x_shape, grid, mode, padding, corners)
    table = _pieces(len(g), x_shape[1], PIECE // sizes[3])
    arrays = jit.flat(g), jit.flat(grid), out.reshape(-1)
    loop_of(spread, _LIBRARY).run(table, *arrays, 4 * BLOCK, 4 * BLOCK, *sizes)
    return out


@serves(
    "slope_points",
    least="GRID_POINTS",
    size=lambda g, *rest: g.size,
    takes=_has_slope,
    loop=functools.partial(loop_of, slope, _LIBRARY),
)
def slope_points(g, x, grid, padding, corners):
    """Returns the gradient of `sample_points` for the grid, for linear interpolation."""
    out = numpy.empty(grid.shape, FLOAT)
    sizes = _sizes(x.shape, grid, "bilinear", padding, corners)[:-1]
    table = _pieces(len(x), sizes[3], PIECE // x.shape[1])
    arrays = jit.flat(g), jit.flat(x), jit.flat(grid), out.reshape(-1)
    loop_of(slope, _LIBRARY).run(table, *arrays, *(4 * BLOCK,) * 3, *sizes)
    return out
