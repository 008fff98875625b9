"""The loops of winograd.py, compiled by Numba; they also run as plain Python.

Images are stored with their channels, or filters, next to each other: `pixels` has rows of pixels
of `depth` elements each, the last of which may be unused. A tile has REACH x REACH input pixels for
STEP x STEP result pixels. Tiles are numbered by sample, row and column, from the last column to the
first. `tiles`, `flows` and `products` hold each of the ELEMENTS of their transforms in a plane. The
filters of a plane are divided into panels, each as wide as a tile of compiled/tiles.py.
"""

import functools
from typing import NamedTuple

from ...compiled.library import Library
from ...compiled.tiles import LANES, ROWS, VECTORS, clear_vector, panel_tile, transpose_square
from ...threads.parallel_loops import FLOAT, INDEX, array, memory, number, piece, record, sizes
from .plane_loops import Filters, Run
from .winograd_tiles import F2

TERMS = 256  # products of a partial sum
# Loops are compiled with the functions of their method; as plain Python they use F(2, 3).
STEP, REACH, ELEMENTS = F2.step, F2.reach, F2.elements
_TRANSFORMS = F2.definitions()
input_transform = _TRANSFORMS["input_transform"]
filter_transform = _TRANSFORMS["filter_transform"]
gradient_transform = _TRANSFORMS["gradient_transform"]
output_transform = _TRANSFORMS["output_transform"]
filter_gradient_transform = _TRANSFORMS["filter_gradient_transform"]


class TileSizes(NamedTuple):
    """The sizes of `winograd_correlate`."""

    groups: int
    channels: int  # of a group
    height: int  # of an image
    width: int
    above: int  # zeros before the images
    left: int
    filters: int  # of a group
    out_height: int
    out_width: int
    depth: int  # elements of an input pixel
    beside: int  # elements of a result pixel
    group_size: int  # tiles that are multiplied at once
    plane: int  # elements of a plane of transforms
    product_plane: int  # elements of a plane of products
    weight_plane: int  # elements of a plane of weights


class TileSums(NamedTuple):
    """The sizes of `winograd_weight_runs`. Fields with the same names as in TileSizes have the same
    meaning."""

    groups: int
    channels: int
    height: int
    width: int
    above: int
    left: int
    filters: int
    out_height: int
    out_width: int
    depth: int
    beside: int
    group_size: int
    plane: int
    flow_plane: int  # elements of a plane of transforms of the output gradient
    total_plane: int  # elements of a plane of sums


class TileBlock(NamedTuple):
    """The part of a correlation that a piece computes: images `first` to `last`, and rows `top` to
    `bottom` of tiles."""

    first: int
    last: int
    top: int
    bottom: int


def panel_count(filters):
    """Returns the number of panels, of about equal width, into which a group's filters are
    divided."""
    vectors = (filters + LANES - 1) // LANES
    return (vectors + VECTORS - 1) // VECTORS


def panel_start(panel, filters):
    """Returns the first filter of a panel, which is the end of the previous one."""
    vectors = (filters + LANES - 1) // LANES
    return panel * vectors // panel_count(filters) * LANES


def pack_filters(
    w: array(FLOAT),
    packed: array(FLOAT),
    kernels: memory(FLOAT),
    taps: array(INDEX),
    group: piece(0),
    first: piece(1),
    last: piece(2),
    sizes: sizes(Filters),
    plane: number(),
):
    """Writes the transforms of filters `first` to `last` of a group, in whole vectors, to `packed`:
    one plane for each of the ELEMENTS, with panels of (depth, filters).

    Args:
        w: the weights.
        kernels: memory for the kernels of a vector of filters.
        taps: the places of the 3x3 kernel positions in the weights of a filter and channel: the
            first, and the steps to the one below and to the one beside it.
        sizes: the sizes of the weights; zeros fill the last vector of filters.
        plane: the elements of a plane.
    """
    for panel in range(panel_count(sizes.filters)):
        start, end = panel_start(panel, sizes.filters), panel_start(panel + 1, sizes.filters)
        for f in range(max(first, start), min(last, end), LANES):
            to = group * ELEMENTS * plane + start * sizes.depth + f - start
            source = group * sizes.group_step + f * sizes.row_step
            for channel in range(sizes.depth):
                channel_start = source + channel * sizes.depth_step
                copy_kernels(
                    w, channel_start, sizes.row_step, min(sizes.filters - f, LANES), kernels
                )
                filter_transform(
                    kernels,
                    taps[0] * LANES,
                    taps[1] * LANES,
                    taps[2] * LANES,
                    packed,
                    to + channel * (end - start),
                    REACH * plane,
                    plane,
                )


def copy_kernels(w, at, step, filters, kernels):
    """Copies the 3x3 kernels of a vector of filters, which are `step` elements apart, as (9,
    LANES). Those beyond `filters` are zeros."""
    if filters == LANES and at + (LANES - 1) * step + max(LANES, 9) <= w.size:
        for k in range(0, 9, LANES):
            start = max(min(k, 9 - LANES), 0)
            transpose_square(w, at + start, step, kernels, start * LANES, LANES)
    else:
        for j in range(LANES):
            for k in range(9):
                kernels[k * LANES + j] = w[at + j * step + k] if j < filters else 0


def clear_pixels(pixels, start, stop):
    """Writes zeros to whole vectors of an array."""
    for i in range(start, stop, LANES):
        clear_vector(pixels, i)


def copy_pixels(
    x, x_at, channels, height, width, pixels, at, depth, columns, rows, first_row, first_column
):
    """Copies rows of an image, stored by channel, to pixels, with zeros around them.

    Args:
        x, x_at, channels, height, width: the image.
        pixels, at, depth: the target; up to LANES pixels behind it are overwritten.
        columns, rows: the numbers of columns and rows.
        first_row, first_column: the position of the first pixel in the image; negative before it.
    """
    area, beyond = height * width, (channels + LANES - 1) // LANES * LANES
    left, start = max(-first_column, 0), max(first_column, 0)
    count = max(min(width - start, columns - left), 0)
    for row in range(rows):
        to, y = at + row * columns * depth, first_row + row
        if y < 0 or y >= height:
            clear_pixels(pixels, to, to + columns * depth)
            continue
        clear_pixels(pixels, to, to + left * depth)
        for c in range(0, channels, LANES):
            for i in range(0, count, LANES):
                source = x_at + c * area + y * width + start + i
                target = to + (left + i) * depth + c
                if c + LANES <= channels and source + (LANES - 1) * area + LANES <= x.size:
                    transpose_square(x, source, area, pixels, target, depth)
                else:
                    for k in range(min(LANES, beyond - c)):
                        for j in range(min(LANES, count - i)):
                            pixels[target + j * depth + k] = (
                                x[source + k * area + j] if c + k < channels else 0
                            )
        clear_pixels(pixels, to + (left + count) * depth, to + columns * depth)


def transform_tiles(
    pixels, depth, channels, columns, sample_step, across, down, tiles, plane, first, last
):
    """Writes the transforms of tiles `first` to `last` of an input. `across` and `down` are the
    tiles of a sample, whose pixels are `sample_step` elements apart."""
    for t in range(first, last):
        sample = t // (across * down)
        row = t // across - sample * down
        column = across - 1 - t % across
        at = sample * sample_step + STEP * (row * columns + column) * depth
        to = (t - first) * depth
        for c in range(0, channels, LANES):
            input_transform(
                pixels, at + c, columns * depth, depth, tiles, to + c, REACH * plane, plane
            )


def winograd_correlate(
    x: array(FLOAT),
    packed: array(FLOAT),
    out: array(FLOAT),
    pixels: memory(FLOAT),
    tiles: memory(FLOAT),
    products: memory(FLOAT),
    image: memory(FLOAT),
    block: record(TileBlock),
    sizes: sizes(TileSizes),
) -> bool:
    """Correlates the images of a block with the filters of their group, in the block's rows of
    tiles.

    Args:
        x, packed: the images, and the result of `pack_filters`.
        out: the result.
        pixels, tiles, products, image: memory for the input, for the transforms of the tiles that
            are multiplied at once, for their products, and for the result.

    Returns:
        bool: False if a result is infinite or NaN.
    """
    first, last, top, bottom = block
    across, down = (sizes.out_width + STEP - 1) // STEP, bottom - top
    columns, rows = STEP * across + 2, STEP * down + 2
    sample_step = columns * rows * sizes.depth
    image_step = STEP * down * sizes.out_width * sizes.beside
    for image_number in range(first, last):
        copy_pixels(
            x,
            image_number * sizes.channels * sizes.height * sizes.width,
            sizes.channels,
            sizes.height,
            sizes.width,
            pixels,
            (image_number - first) * sample_step,
            sizes.depth,
            columns,
            rows,
            STEP * top - sizes.above,
            -sizes.left,
        )
    total = (last - first) * across * down
    for start in range(0, total, sizes.group_size):
        end = min(start + sizes.group_size, total)
        transform_tiles(
            pixels,
            sizes.depth,
            sizes.channels,
            columns,
            sample_step,
            across,
            down,
            tiles,
            sizes.plane,
            start,
            end,
        )
        group = (first + start // (across * down)) % sizes.groups
        for element in range(ELEMENTS):
            weights = (group * ELEMENTS + element) * sizes.weight_plane
            for panel in range(panel_count(sizes.filters)):
                f = panel_start(panel, sizes.filters)
                wide = panel_start(panel + 1, sizes.filters) - f
                for k in range(0, sizes.channels, TERMS):
                    for t in range(0, end - start, ROWS):
                        panel_tile(
                            min(ROWS, end - start - t),
                            wide // LANES,
                            tiles,
                            element * sizes.plane + t * sizes.depth + k,
                            sizes.depth,
                            1,
                            packed,
                            weights + f * sizes.channels + k * wide,
                            min(sizes.channels - k, TERMS),
                            k,
                            products,
                            element * sizes.product_plane + t * sizes.beside + f,
                            sizes.beside,
                        )
        for t in range(start, end):
            sample = t // (across * down)
            row = t // across - sample * down
            column = across - 1 - t % across
            to = sample * image_step + STEP * (row * sizes.out_width + column) * sizes.beside
            for f in range(0, sizes.filters, LANES):
                output_transform(
                    products,
                    (t - start) * sizes.beside + f,
                    REACH * sizes.product_plane,
                    sizes.product_plane,
                    image,
                    to + f,
                    sizes.out_width * sizes.beside,
                    sizes.beside,
                )
    count = (min(STEP * bottom, sizes.out_height) - STEP * top) * sizes.out_width
    finite = True
    for image_number in range(first, last):
        at = (image_number * sizes.filters * sizes.out_height + STEP * top) * sizes.out_width
        image_start = (image_number - first) * image_step
        area = sizes.out_height * sizes.out_width
        if not write_pixels(image, image_start, sizes.beside, count, out, at, sizes.filters, area):
            finite = False
    return finite


def write_pixels(image, start, beside, count, out, at, filters, area):
    """Writes pixels to an array in which filters are `area` elements apart. Returns whether all are
    finite."""
    for f in range(0, filters, LANES):
        whole = f + LANES <= filters and count >= LANES
        for i in range(0, count, LANES):
            if whole:
                p = min(i, count - LANES)
                source, to = start + p * beside + f, at + f * area + p
                transpose_square(image, source, beside, out, to, area)
            else:
                for k in range(min(LANES, filters - f)):
                    for j in range(i, min(i + LANES, count)):
                        out[at + (f + k) * area + j] = image[start + j * beside + f + k]
    infinite = 0
    for f in range(filters):
        row = out[at + f * area : at + f * area + count]
        for j in range(count):
            infinite += 1 if row[j] - row[j] != 0 else 0
    return infinite == 0


def winograd_weight_runs(
    x: array(FLOAT),
    g: array(FLOAT),
    totals: array(FLOAT),
    pixels: memory(FLOAT),
    tiles: memory(FLOAT),
    flows: memory(FLOAT),
    image: memory(FLOAT),
    chunks: array(INDEX),
    run: record(Run),
    sizes: sizes(TileSums),
):
    """Adds the transformed weight gradients of the chunks of a run, as `weight_sums` computes them,
    to `totals`. A chunk is four numbers: first and last sample, top and bottom row of tiles."""
    for i in range(4 * run.first, 4 * run.last, 4):
        weight_sums(x, g, totals, pixels, tiles, flows, image, chunks[i : i + 4], run, sizes)


def weight_sums(x, g, totals, pixels, tiles, flows, image, chunk, run, sizes):
    """Adds to `totals` the transformed weight gradients of the channels of a run, from a chunk of
    samples and rows of tiles: for each of the ELEMENTS a plane of (channels, filters)."""
    first, last, top, bottom = chunk[0], chunk[1], chunk[2], chunk[3]
    group, low, high = run.group, run.low, run.high
    across, down = (sizes.out_width + STEP - 1) // STEP, bottom - top
    columns, rows = STEP * across + 2, STEP * down + 2
    sample_step = columns * rows * sizes.depth
    image_step = STEP * across * STEP * down * sizes.beside
    for sample in range(first, last):
        plane = sample * sizes.groups + group
        copy_pixels(
            x,
            (plane * sizes.channels + low) * sizes.height * sizes.width,
            high - low,
            sizes.height,
            sizes.width,
            pixels,
            (sample - first) * sample_step,
            sizes.depth,
            columns,
            rows,
            STEP * top - sizes.above,
            -sizes.left,
        )
        copy_pixels(
            g,
            plane * sizes.filters * sizes.out_height * sizes.out_width,
            sizes.filters,
            sizes.out_height,
            sizes.out_width,
            image,
            (sample - first) * image_step,
            sizes.beside,
            STEP * across,
            STEP * down,
            STEP * top,
            0,
        )
    total = (last - first) * across * down
    for start in range(0, total, sizes.group_size):
        end = min(start + sizes.group_size, total)
        count = end - start
        transform_tiles(
            pixels,
            sizes.depth,
            high - low,
            columns,
            sample_step,
            across,
            down,
            tiles,
            sizes.plane,
            start,
            end,
        )
        for panel in range(panel_count(sizes.filters)):
            begin, stop = panel_start(panel, sizes.filters), panel_start(panel + 1, sizes.filters)
            for t in range(start, end):
                sample = t // (across * down)
                row = t // across - sample * down
                column = across - 1 - t % across
                source = sample * image_step + STEP * (STEP * row * across + column) * sizes.beside
                to = begin * count + (t - start) * (stop - begin)
                for f in range(begin, stop, LANES):
                    gradient_transform(
                        image,
                        source + f,
                        STEP * across * sizes.beside,
                        sizes.beside,
                        flows,
                        to + f - begin,
                        REACH * sizes.flow_plane,
                        sizes.flow_plane,
                    )
        for element in range(ELEMENTS):
            for panel in range(panel_count(sizes.filters)):
                f = panel_start(panel, sizes.filters)
                wide = panel_start(panel + 1, sizes.filters) - f
                for c in range(0, high - low, ROWS):
                    to = run.at + element * sizes.total_plane
                    to += (group * sizes.channels + low + c) * sizes.beside + f
                    panel_tile(
                        min(ROWS, high - low - c),
                        wide // LANES,
                        tiles,
                        element * sizes.plane + c,
                        1,
                        sizes.depth,
                        flows,
                        element * sizes.flow_plane + f * count,
                        count,
                        1,
                        totals,
                        to,
                        sizes.beside,
                    )


def add_transforms(
    totals: array(FLOAT),
    grad: array(FLOAT),
    kernels: memory(FLOAT),
    count: number(),
    group: piece(0),
    first: piece(1),
    last: piece(2),
    channels: number(),
    filters: number(),
    beside: number(),
    total_plane: number(),
):
    """Adds up `count` sums of `weight_sums` for channels `first` to `last` of a group, and writes
    the gradient of the weights, (filters, channels, 3, 3) for each group; `kernels` is memory for
    the kernels of a vector of filters."""
    size = totals.size // count
    for element in range(ELEMENTS):
        at = element * total_plane + (group * channels + first) * beside
        end = at + (last - first) * beside
        for run in range(1, count):
            for i in range(at, end):
                totals[i] += totals[run * size + i]
    for f in range(0, filters, LANES):
        lanes = min(filters - f, LANES)
        for channel in range(first, last):
            at = (group * channels + channel) * beside + f
            filter_gradient_transform(
                totals, at, REACH * total_plane, total_plane, kernels, 0, 3 * LANES, LANES
            )
            to = ((group * filters + f) * channels + channel) * 9
            for j in range(lanes):
                for k in range(9):
                    grad[to + j * channels * 9 + k] = kernels[k * LANES + j]


@functools.cache
def library(method):
    """Returns the functions that the loops of one of Winograd's methods call."""
    return Library(
        panel_count,
        panel_start,
        copy_kernels,
        clear_pixels,
        copy_pixels,
        transform_tiles,
        write_pixels,
        weight_sums,
        further=method,
        TERMS=TERMS,
        STEP=method.step,
        REACH=method.reach,
        ELEMENTS=method.elements,
    )
