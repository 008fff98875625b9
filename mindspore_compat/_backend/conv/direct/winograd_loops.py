"""The loops of winograd.py, for Numba; they are plain Python too.

Images are stored with their channels, or filters, beside one another: `pixels` has rows of pixels,
`depth` elements each, of which the last may be unused. A tile has REACH x REACH pixels of the input
for STEP x STEP of the result; tiles are numbered by sample, row and column, from the last column to
the first, and `tiles`, `flows` and `products` hold each of the ELEMENTS of their transforms in a
plane. Filters of a plane are in panels: as many beside one another as a tile of compiled/tiles.py
takes.
"""

import functools

from ...compiled.library import Library
from ...compiled.tiles import LANES, ROWS, VECTORS, clear_vector, panel_tile, transpose_square
from .winograd_tiles import F2

TERMS = 256  # of a sum, before it is added to those of other terms
# Loops are compiled with those of their method; as plain Python they are of F(2, 3).
STEP, REACH, ELEMENTS = F2.step, F2.reach, F2.elements
_TRANSFORMS = F2.definitions()
input_transform = _TRANSFORMS["input_transform"]
filter_transform = _TRANSFORMS["filter_transform"]
gradient_transform = _TRANSFORMS["gradient_transform"]
output_transform = _TRANSFORMS["output_transform"]
filter_gradient_transform = _TRANSFORMS["filter_gradient_transform"]


def panel_count(filters):
    """How many panels the filters of a group are in, of about equal width."""
    vectors = (filters + LANES - 1) // LANES
    return (vectors + VECTORS - 1) // VECTORS


def panel_start(panel, filters):
    """The first filter of a panel, or the end of the one before."""
    vectors = (filters + LANES - 1) // LANES
    return panel * vectors // panel_count(filters) * LANES


def pack_filters(
    w, packed, found, taps, group, first, last, filters, group_step, row_step, depth, depth_step,
    plane,
):  # fmt: skip
    """Writes the transforms of filters `first` to `last` of a group, whole vectors, to `packed`:
    for each of the ELEMENTS a plane, with panels of (depth, filters).

    Args:
        w: the weights.
        found: memory for the kernels of a vector of filters.
        taps: for the 3x3 kernel positions their places in the weights of a filter and channel:
            those of the first, and the steps to the one below and to the one beside it.
        filters: how many a group has; zeros fill the last vector.
        group_step, row_step: the steps in the weights to the next group and filter.
        depth, depth_step: the channels, and the step to the next.
        plane: the elements of a plane.
    """
    for panel in range(panel_count(filters)):
        start, end = panel_start(panel, filters), panel_start(panel + 1, filters)
        for f in range(max(first, start), min(last, end), LANES):
            to = group * ELEMENTS * plane + start * depth + f - start
            source = group * group_step + f * row_step
            for channel in range(depth):
                own = source + channel * depth_step
                copy_kernels(w, own, row_step, min(filters - f, LANES), found)
                filter_transform(
                    found, taps[0] * LANES, taps[1] * LANES, taps[2] * LANES, packed,
                    to + channel * (end - start), REACH * plane, plane,
                )  # fmt: skip


def copy_kernels(w, at, step, filters, found):
    """Copies 3x3 kernels of a vector of filters, which are `step` elements apart, as (9, LANES);
    those beyond `filters` are zeros."""
    if filters == LANES and at + (LANES - 1) * step + max(LANES, 9) <= w.size:
        for k in range(0, 9, LANES):
            start = max(min(k, 9 - LANES), 0)
            transpose_square(w, at + start, step, found, start * LANES, LANES)
    else:
        for j in range(LANES):
            for k in range(9):
                found[k * LANES + j] = w[at + j * step + k] if j < filters else 0


def clear_pixels(pixels, start, stop):
    """Zeros in whole vectors of an array."""
    for i in range(start, stop, LANES):
        clear_vector(pixels, i)


def copy_pixels(
    x, x_at, channels, height, width, pixels, at, depth, columns, rows, first_row, first_column
):
    """Copies rows of an image, whose channels are apart, to pixels, with zeros around it.

    Args:
        x, x_at, channels, height, width: the image.
        pixels, at, depth: where they go; up to LANES pixels behind them are overwritten.
        columns, rows: how many there are.
        first_row, first_column: where the first is in the image, or before it if negative.
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
    """Writes the transforms of tiles `first` to `last` of an input; `across` and `down` are those
    of a sample, whose pixels are `sample_step` elements apart."""
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
    x, packed, out, pixels, tiles, products, image, first, last, top, bottom, groups, channels,
    height, width, above, left, filters, out_height, out_width, depth, beside, group_size, plane,
    product_plane, weight_plane,
):  # fmt: skip
    """Correlates images `first` to `last` with the filters of their group, in rows `top` to
    `bottom` of the tiles.

    Args:
        x, packed: the images, and what `pack_filters` made.
        out: the result.
        pixels, tiles, products, image: memory for the input, for the transforms of `group_size`
            tiles, for their products, and for the result.
        above, left: zeros before the images.
        depth, beside: the elements of a pixel of the input and of the result.
        plane, product_plane, weight_plane: the elements of the planes of transforms and products,
            and of the weights.

    Returns:
        bool: False if a result is infinite or NaN.
    """
    across, down = (out_width + STEP - 1) // STEP, bottom - top
    columns, rows = STEP * across + 2, STEP * down + 2
    sample_step, image_step = columns * rows * depth, STEP * down * out_width * beside
    for each in range(first, last):
        copy_pixels(
            x, each * channels * height * width, channels, height, width, pixels,
            (each - first) * sample_step, depth, columns, rows, STEP * top - above, -left,
        )  # fmt: skip
    total = (last - first) * across * down
    for start in range(0, total, group_size):
        end = min(start + group_size, total)
        transform_tiles(
            pixels, depth, channels, columns, sample_step, across, down, tiles, plane, start, end
        )
        group = (first + start // (across * down)) % groups
        for each in range(ELEMENTS):
            weights = (group * ELEMENTS + each) * weight_plane
            for panel in range(panel_count(filters)):
                f = panel_start(panel, filters)
                wide = panel_start(panel + 1, filters) - f
                for k in range(0, channels, TERMS):
                    for t in range(0, end - start, ROWS):
                        panel_tile(
                            min(ROWS, end - start - t), wide // LANES, tiles,
                            each * plane + t * depth + k, depth, 1, packed,
                            weights + f * channels + k * wide, min(channels - k, TERMS), k,
                            products, each * product_plane + t * beside + f, beside,
                        )  # fmt: skip
        for t in range(start, end):
            sample = t // (across * down)
            row = t // across - sample * down
            column = across - 1 - t % across
            to = sample * image_step + STEP * (row * out_width + column) * beside
            for f in range(0, filters, LANES):
                output_transform(
                    products, (t - start) * beside + f, REACH * product_plane, product_plane, image,
                    to + f, out_width * beside, beside,
                )  # fmt: skip
    count = (min(STEP * bottom, out_height) - STEP * top) * out_width
    finite = True
    for each in range(first, last):
        at = (each * filters * out_height + STEP * top) * out_width
        own = (each - first) * image_step
        if not write_pixels(image, own, beside, count, out, at, filters, out_height * out_width):
            finite = False
    return finite


def write_pixels(image, start, beside, count, out, at, filters, area):
    """Writes pixels to where filters are apart, `area` elements. Returns whether all are finite."""
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
    x, g, totals, pixels, tiles, flows, image, chunks, chunk, end, at, group, low, high, groups,
    channels, height, width, above, left, filters, out_height, out_width, depth, beside, group_size,
    plane, flow_plane, total_plane,
):  # fmt: skip
    """Adds the sums of `weight_sums` for `chunks` from number `chunk` to `end`, of which each has
    the first and last sample, and the top and bottom row of tiles, to `totals` from `at`."""
    for i in range(4 * chunk, 4 * end, 4):
        weight_sums(
            x, g, totals, at, pixels, tiles, flows, image, chunks[i], chunks[i + 1], chunks[i + 2],
            chunks[i + 3], group, low, high, groups, channels, height, width, above, left, filters,
            out_height, out_width, depth, beside, group_size, plane, flow_plane, total_plane,
        )  # fmt: skip


def weight_sums(
    x, g, totals, totals_at, pixels, tiles, flows, image, first, last, top, bottom, group, low,
    high, groups, channels, height, width, above, left, filters, out_height, out_width, depth,
    beside, group_size, plane, flow_plane, total_plane,
):  # fmt: skip
    """Adds to `totals`, from `totals_at`, the transforms of the gradients of a group's weights for
    channels `low` to `high`, from samples `first` to `last` and rows `top` to `bottom` of tiles:
    for each of the ELEMENTS a plane of (channels, filters)."""
    across, down = (out_width + STEP - 1) // STEP, bottom - top
    columns, rows = STEP * across + 2, STEP * down + 2
    sample_step, image_step = columns * rows * depth, STEP * across * STEP * down * beside
    for sample in range(first, last):
        each = sample * groups + group
        copy_pixels(
            x, (each * channels + low) * height * width, high - low, height, width, pixels,
            (sample - first) * sample_step, depth, columns, rows, STEP * top - above, -left,
        )  # fmt: skip
        copy_pixels(
            g, each * filters * out_height * out_width, filters, out_height, out_width, image,
            (sample - first) * image_step, beside, STEP * across, STEP * down, STEP * top, 0,
        )  # fmt: skip
    total = (last - first) * across * down
    for start in range(0, total, group_size):
        end = min(start + group_size, total)
        count = end - start
        transform_tiles(
            pixels, depth, high - low, columns, sample_step, across, down, tiles, plane, start, end
        )
        for panel in range(panel_count(filters)):
            begin, stop = panel_start(panel, filters), panel_start(panel + 1, filters)
            for t in range(start, end):
                sample = t // (across * down)
                row = t // across - sample * down
                column = across - 1 - t % across
                source = sample * image_step + STEP * (STEP * row * across + column) * beside
                to = begin * count + (t - start) * (stop - begin)
                for f in range(begin, stop, LANES):
                    gradient_transform(
                        image, source + f, STEP * across * beside, beside, flows, to + f - begin,
                        REACH * flow_plane, flow_plane,
                    )  # fmt: skip
        for each in range(ELEMENTS):
            for panel in range(panel_count(filters)):
                f = panel_start(panel, filters)
                wide = panel_start(panel + 1, filters) - f
                for c in range(0, high - low, ROWS):
                    to = totals_at + each * total_plane
                    to += (group * channels + low + c) * beside + f
                    panel_tile(
                        min(ROWS, high - low - c), wide // LANES, tiles, each * plane + c, 1, depth,
                        flows, each * flow_plane + f * count, count, 1, totals, to, beside,
                    )  # fmt: skip


def add_transforms(
    totals, grad, found, count, group, first, last, channels, filters, beside, total_plane
):
    """Adds up `count` sums of `weight_sums` for channels `first` to `last` of a group, and writes
    the gradient of the weights, (filters, channels, 3, 3) for each group; `found` is memory for the
    kernels of a vector of filters."""
    size = totals.size // count
    for each in range(ELEMENTS):
        at = each * total_plane + (group * channels + first) * beside
        end = at + (last - first) * beside
        for run in range(1, count):
            for i in range(at, end):
                totals[i] += totals[run * size + i]
    for f in range(0, filters, LANES):
        own = min(filters - f, LANES)
        for channel in range(first, last):
            at = (group * channels + channel) * beside + f
            filter_gradient_transform(
                totals, at, REACH * total_plane, total_plane, found, 0, 3 * LANES, LANES
            )
            to = ((group * filters + f) * channels + channel) * 9
            for j in range(own):
                for k in range(9):
                    grad[to + j * channels * 9 + k] = found[k * LANES + j]


@functools.cache
def library(method):
    """What the loops of a method of Winograd's call."""
    return Library(
        panel_count, panel_start, copy_kernels, clear_pixels, copy_pixels, transform_tiles,
        write_pixels, weight_sums, further=method, TERMS=TERMS, STEP=method.step,
        REACH=method.reach, ELEMENTS=method.elements,
    )  # fmt: skip
