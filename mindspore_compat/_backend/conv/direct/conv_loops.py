"""The loops of flat.py and gather.py, which say what they are for: Python that Numba compiles.

Planes are copied into `padded`, one after the other `step` elements apart: for each channel, its
phases; for each phase, rows of `row` elements. A plane of samples that lie behind one another is
one plane. `phases` has six numbers for each phase: zeros above, rows, the first of these in the
image, zeros to the left, columns, the first of these in the image.
"""

from typing import NamedTuple

from ...compiled.library import Library
from ...compiled.tiles import (
    DOT_ROWS,
    LANES,
    ROWS,
    STREAMS,
    VECTORS,
    clear_vector,
    copy_vector,
    dots,
    gather_tile,
    tile,
    transpose_square,
)
from ...threads.parallel_loops import FLOAT, INDEX, OFFSET, array, memory, number, piece, sizes

TERMS = 256  # of a sum, before it is added to those of other terms
WINDOWS = 512  # whose products are written together
SLACK = 64  # elements that a tile may read behind the planes


class Filters(NamedTuple):
    """How the filters of a group lie in the weights of a convolution."""

    filters: int  # how many a group has
    group_step: int  # the step to the next group
    row_step: int  # to the next filter
    depth: int  # how many channels one has
    depth_step: int  # the step to the next


class FlatSizes(NamedTuple):
    """The sizes of `correlate`."""

    groups: int
    channels: int  # of a group
    height: int  # of an image
    width: int
    stride_y: int
    stride_x: int
    filters: int  # of a group
    row: int  # elements of a row of a plane
    step: int  # from a plane to the next
    reach: int  # how many rows further windows reach
    area: int  # elements of a filter in the array that is written to
    row_step: int  # in it, from a row to the next
    column_step: int  # and from a column


class FlatSums(NamedTuple):
    """The sizes of `weight_runs`; those of the same names are FlatSizes'."""

    groups: int
    channels: int
    height: int
    width: int
    stride_y: int
    stride_x: int
    filters: int
    row: int
    step: int  # from a channel of all samples to the next, in `padded`
    flow_step: int  # from a filter to the next, in `flows`
    plane_rows: int  # from a sample to the next
    out_height: int
    out_width: int
    positions: int  # of the kernel


class GatherSizes(NamedTuple):
    """The sizes of `gather_correlate`; those of the same names are FlatSizes'."""

    groups: int
    channels: int
    height: int
    width: int
    stride_y: int
    stride_x: int
    filters: int
    row: int
    step: int
    reach: int
    out_width: int
    area: int
    start: int  # where the result begins in the elements of a filter
    row_step: int
    column_step: int


class GatherSums(NamedTuple):
    """The sizes of `gather_weight_runs`; those of the same names are FlatSums'."""

    groups: int
    channels: int
    height: int
    width: int
    stride_y: int
    stride_x: int
    filters: int
    row: int
    step: int
    reach: int
    out_height: int
    out_width: int
    positions: int
    columns: int  # of a sum: whole vectors of filters


def pack(
    w: array(FLOAT), packed: array(FLOAT), taps: array(INDEX), group: piece(0), first: piece(1),
    last: piece(2), sizes: sizes(Filters),
):  # fmt: skip
    """Copies the weights of filters of a group in the order in which tiles read them: `filters` in
    blocks of ROWS, and in a block by channel, kernel position and filter.

    Args:
        w, packed: the weights, and the copy.
        taps: for each kernel position its target in the weights of a filter and channel.
        group, first, last: which filters of which group; the last block may be smaller.
    """
    for block in range(first, last, ROWS):
        rows = min(ROWS, sizes.filters - block)
        at = (group * sizes.filters + block) * sizes.depth * taps.size
        for channel in range(sizes.depth):
            for tap in taps:
                source = group * sizes.group_step + block * sizes.row_step
                source += channel * sizes.depth_step + tap
                for r in range(rows):
                    packed[at] = w[source + r * sizes.row_step]
                    at += 1


def clear(padded, start, stop):
    """Zeros in a part of an array."""
    for i in range(start, stop):
        padded[i] = 0


def copy_row(x, x_at, step, out, out_at, count):
    """Copies `count` elements, `step` apart; what lies behind them in `out` is overwritten."""
    if step == 1:
        for i in range(0, count, LANES):
            if x_at + i + LANES <= x.size:
                copy_vector(x, x_at + i, out, out_at + i)
            else:
                for j in range(i, count):
                    out[out_at + j] = x[x_at + j]
                break
    else:
        for j in range(count):
            out[out_at + j] = x[x_at + j * step]


def copy_planes(
    x, x_at, channels, height, width, phases, stride_y, stride_x, padded, at, step, length, row,
    first, rows,
):  # fmt: skip
    """Copies rows `first` to `first + rows` of all phases of an image's channels, with zeros around
    them, up to `length` elements for each."""
    for channel in range(channels):
        image = x_at + channel * height * width
        for p in range(0, phases.size, 6):
            above, count_y, start_y = phases[p], phases[p + 1], phases[p + 2]
            left, count_x, start_x = phases[p + 3], phases[p + 4], phases[p + 5]
            for y in range(first, first + rows):
                to = at + (y - first) * row
                data = above <= y < above + count_y
                end = to + left if data else to + row
                for i in range(to, end, LANES):  # what lies behind is written later
                    clear_vector(padded, i)
                if data:
                    source = image + (start_y + (y - above) * stride_y) * width + start_x
                    copy_row(x, source, stride_x, padded, to + left, count_x)
                    for i in range(to + left + count_x, to + row, LANES):
                        clear_vector(padded, i)
            clear(padded, at + rows * row, at + length)
            at += step


def write_rows(
    found, filters, p, row, out_width, last, out, out_at, out_step, row_step, column_step
):
    """Writes a tile, from position `p` of flat planes with rows of `row` elements, without the
    elements behind the first `out_width` of a row and behind row `last`."""
    width = VECTORS * LANES
    y = p // row
    x = p - y * row
    i = 0
    while i < width and y < last:
        count = min(out_width - x, width - i)
        whole = column_step == 1 and row_step == out_width
        for f in range(filters):
            source, to = f * width + i, out_at + f * out_step + y * row_step + x * column_step
            # A whole vector may reach into rows that are written later, but not behind the last.
            end = out_at + f * out_step + last * row_step - LANES if whole else -1
            for j in range(0, count, LANES):
                if to + j <= end:
                    copy_vector(found, source + j, out, to + j)
                else:
                    for k in range(j, min(j + LANES, count)):
                        out[to + k * column_step] = found[source + k]
        i += row - x
        x = 0
        y += 1


def correlate(
    x: array(FLOAT), packed: array(FLOAT), out: array(FLOAT), padded: memory(FLOAT),
    found: memory(FLOAT), phases: array(INDEX), offsets: array(OFFSET), results: array(INDEX),
    first: piece(0), last: piece(1), top: piece(2), bottom: piece(3), low: piece(4),
    high: piece(5), sizes: sizes(FlatSizes),
):  # fmt: skip
    """Correlates images `first` to `last` with filters `low` to `high` of their group, in rows
    `top` to `bottom` of each result.

    A channel takes `step` elements of `padded`; windows reach `reach` rows further. `results` has
    six numbers for each result: where its weights begin in `packed`, where its offsets begin, how
    many there are, its rows, its columns, and where it begins in the `area` elements of a filter.
    """
    clear(padded, padded.size - SLACK, padded.size)
    for image in range(first, last):
        copy_planes(
            x, image * sizes.channels * sizes.height * sizes.width, sizes.channels, sizes.height,
            sizes.width, phases, sizes.stride_y, sizes.stride_x, padded, 0, sizes.step, sizes.step,
            sizes.row, top, bottom - top + sizes.reach,
        )  # fmt: skip
        for p in range(0, (bottom - top) * sizes.row, VECTORS * LANES):
            for i in range(0, results.size, 6):
                count, columns = results[i + 2], results[i + 4]
                rows = min(bottom, results[i + 3]) - top
                end = (rows - 1) * sizes.row + columns
                if p < end:
                    vectors = min(VECTORS, (end - p + LANES - 1) // LANES)
                    weights = results[i] + image % sizes.groups * sizes.filters * count
                    out_at = image * sizes.filters * sizes.area + results[i + 5]
                    out_at += top * sizes.row_step
                    for f in range(low, high, ROWS):
                        own = min(ROWS, high - f)
                        at = weights + f * count
                        for k in range(0, max(count, 1), TERMS):
                            tile(
                                own, vectors, packed, at + k * own, padded, p, offsets,
                                results[i + 1] + k, min(count - k, TERMS), k, found, 0,
                                VECTORS * LANES,
                            )  # fmt: skip
                        write_rows(
                            found, own, p, sizes.row, columns, rows, out, out_at + f * sizes.area,
                            sizes.area, sizes.row_step, sizes.column_step,
                        )  # fmt: skip


def weight_runs(
    x: array(FLOAT), g: array(FLOAT), totals: array(FLOAT), padded: memory(FLOAT),
    flows: memory(FLOAT), found: memory(FLOAT), phases: array(INDEX), whole: array(INDEX),
    offsets: array(OFFSET), chunks: array(INDEX), chunk: piece(0), end: piece(1), at: piece(2),
    group: piece(3), low: piece(4), high: piece(5), sizes: sizes(FlatSums),
):  # fmt: skip
    """Adds the sums of `weight_sums` for `chunks` from number `chunk` to `end`, of which each has
    the first and last sample, and the top and bottom row, to `totals` from `at`."""
    clear(padded, padded.size - SLACK, padded.size)
    clear(flows, flows.size - SLACK, flows.size)
    for i in range(4 * chunk, 4 * end, 4):
        weight_sums(
            x, g, totals, padded, flows, found, phases, whole, offsets, chunks[i : i + 4], at,
            group, low, high, sizes,
        )  # fmt: skip


def weight_sums(
    x, g, totals, padded, flows, found, phases, whole, offsets, chunk, totals_at, group, low, high,
    sizes,
):  # fmt: skip
    """Adds to `totals`, from `totals_at`, the gradients of a group's weights for channels `low` to
    `high`, from a chunk of samples and rows of the result. In `flows`, zeros are between the rows.
    """
    first, last, top, bottom = chunk[0], chunk[1], chunk[2], chunk[3]
    plane = sizes.plane_rows * sizes.row
    for sample in range(first, last):
        image, at = sample * sizes.groups + group, (sample - first) * plane
        ends = sample == last - 1
        copy_planes(
            x, (image * sizes.channels + low) * sizes.height * sizes.width, high - low,
            sizes.height, sizes.width, phases, sizes.stride_y, sizes.stride_x, padded, at,
            sizes.step, sizes.step - at if ends else plane, sizes.row, top, sizes.plane_rows,
        )  # fmt: skip
        copy_planes(
            g, image * sizes.filters * sizes.out_height * sizes.out_width, sizes.filters,
            sizes.out_height, sizes.out_width, whole, 1, 1, flows, at, sizes.flow_step,
            sizes.flow_step - at if ends else plane, sizes.row, top, bottom - top,
        )  # fmt: skip
    span = (last - first - 1) * plane + (bottom - top - 1) * sizes.row + sizes.out_width
    count = (span + LANES - 1) // LANES
    depth = (high - low) * sizes.positions
    for f in range(0, sizes.filters, DOT_ROWS):
        rows = min(DOT_ROWS, sizes.filters - f)
        for k in range(0, depth, STREAMS):
            dots(
                rows, flows, f * sizes.flow_step, sizes.flow_step, padded, 0, offsets, k, count,
                found, 0,
            )  # fmt: skip
            for r in range(rows):
                channel = (group * sizes.filters + f + r) * sizes.channels + low
                to = channel * sizes.positions + k + totals_at
                for s in range(min(STREAMS, depth - k)):
                    totals[to + s] += found[r * STREAMS + s]


def block_width(filters):
    """How many filters a tile has beside one another, for about equal tiles."""
    vectors = (filters + LANES - 1) // LANES
    blocks = (vectors + VECTORS - 1) // VECTORS
    return (vectors + blocks - 1) // blocks * LANES


def pack_beside(
    w: array(FLOAT), packed: array(FLOAT), at: piece(0), taps: array(INDEX), group: piece(1),
    first: piece(2), filters: piece(3), sizes: sizes(Filters),
):  # fmt: skip
    """Copies the weights of `filters` filters of a group, from the one of number `first` on, in the
    order in which `gather_tile` reads them, to `packed` from `at`: blocks of filters that are
    beside one another, and in a block by channel and kernel position. Groups are `group_step`
    elements apart. The other arguments are those of `pack`."""
    width = block_width(filters)
    start = group * sizes.group_step + first * sizes.row_step
    for f in range(0, filters, width):
        count = min(width, filters - f)
        for some in range(0, sizes.depth, 8):  # whose copies stay in the cache
            end = min(some + 8, sizes.depth)
            for j in range(width):
                source, to = start + (f + j) * sizes.row_step, at + j
                for channel in range(some, end):
                    for tap in taps:
                        if j < count:
                            packed[to] = w[source + channel * sizes.depth_step + tap]
                        else:
                            packed[to] = 0
                        to += width
            at += (end - some) * taps.size * width


def write_transposed(found, first, last, filters, wide, out, targets, start, area):
    """Writes a product of windows `first` to `last` by filters, stored in rows of `wide` elements,
    where `targets` says for each window, from `start`; filters are `area` elements apart."""
    for w in range(first, last, LANES):
        count, at = min(LANES, last - w), (w - first) * wide
        one_run = count == LANES and targets[w + count - 1] - targets[w] == LANES - 1
        for f in range(0, filters, LANES):
            own, to = min(LANES, filters - f), start + f * area
            if one_run and own == LANES:
                transpose_square(found, at + f, wide, out, targets[w] + to, area)
            else:
                for j in range(own):
                    for i in range(count):
                        out[targets[w + i] + to + j * area] = found[at + i * wide + f + j]


def gather_correlate(
    x: array(FLOAT), packed: array(FLOAT), out: array(FLOAT), padded: memory(FLOAT),
    found: memory(FLOAT), phases: array(INDEX), targets: memory(INDEX), offsets: array(OFFSET),
    starts: memory(OFFSET), first: piece(0), last: piece(1), top: piece(2), bottom: piece(3),
    group: piece(4), low: piece(5), high: piece(6), packed_at: piece(7), sizes: sizes(GatherSizes),
):  # fmt: skip
    """Correlates a group of samples `first` to `last` with filters `low` to `high`, in rows `top`
    to `bottom` of the result. The other arguments are those of `correlate`."""
    windows = 0
    for sample in range(first, last):
        image, at = sample * sizes.groups + group, (sample - first) * sizes.channels * sizes.step
        copy_planes(
            x, image * sizes.channels * sizes.height * sizes.width, sizes.channels, sizes.height,
            sizes.width, phases, 1, 1, padded, at, sizes.step, sizes.step, sizes.row,
            top * sizes.stride_y, (bottom - top - 1) * sizes.stride_y + 1 + sizes.reach,
        )  # fmt: skip
        target = image * sizes.filters * sizes.area + sizes.start
        for y in range(top, bottom):
            for j in range(sizes.out_width):
                starts[windows] = at + (y - top) * sizes.stride_y * sizes.row + j * sizes.stride_x
                targets[windows] = target + y * sizes.row_step + j * sizes.column_step
                windows += 1
    count, wide = offsets.size, block_width(high - low)
    for f in range(low, high, wide):
        own = min(wide, high - f)
        vectors, at = (own + LANES - 1) // LANES, packed_at + (f - low) * count
        for some in range(0, windows, WINDOWS):
            end = min(some + WINDOWS, windows)
            for k in range(0, max(count, 1), TERMS):  # whose right side stays in the cache
                terms = min(count - k, TERMS)
                for w in range(some, end, ROWS):
                    gather_tile(
                        min(ROWS, end - w), vectors, padded, 0, starts, w, offsets, k, packed,
                        at + k * wide, wide, terms, k, found, (w - some) * wide, wide,
                    )  # fmt: skip
            write_transposed(found, some, end, own, wide, out, targets, f * sizes.area, sizes.area)


def gather_weight_runs(
    x: array(FLOAT), g: array(FLOAT), totals: array(FLOAT), padded: memory(FLOAT),
    flows: memory(FLOAT), phases: array(INDEX), offsets: array(OFFSET), starts: memory(OFFSET),
    chunks: array(INDEX), chunk: piece(0), end: piece(1), at: piece(2), group: piece(3),
    low: piece(4), high: piece(5), sizes: sizes(GatherSums),
):  # fmt: skip
    """Adds the sums of `gather_weight_sums` for `chunks` from number `chunk` to `end`, of which
    each has the first and last sample, and the top and bottom row, to `totals` from `at`."""
    for i in range(4 * chunk, 4 * end, 4):
        gather_weight_sums(
            x, g, totals, padded, flows, phases, offsets, starts, chunks[i : i + 4], at, group, low,
            high, sizes,
        )  # fmt: skip


def gather_weight_sums(
    x, g, totals, padded, flows, phases, offsets, starts, chunk, totals_at, group, low, high, sizes
):
    """Adds to `totals`, from `totals_at`, the gradients of a group's weights for channels `low` to
    `high`, from a chunk of samples and rows of the result. They are by channel, kernel position
    and filter, with rows of `columns` elements."""
    first, last, top, bottom = chunk[0], chunk[1], chunk[2], chunk[3]
    windows, depth = 0, high - low
    rows_here = bottom - top
    for sample in range(first, last):
        image, at = sample * sizes.groups + group, (sample - first) * depth * sizes.step
        copy_planes(
            x, (image * sizes.channels + low) * sizes.height * sizes.width, depth, sizes.height,
            sizes.width, phases, 1, 1, padded, at, sizes.step, sizes.step, sizes.row,
            top * sizes.stride_y, (rows_here - 1) * sizes.stride_y + 1 + sizes.reach,
        )  # fmt: skip
        for y in range(rows_here):
            for j in range(sizes.out_width):
                starts[windows] = at + y * sizes.stride_y * sizes.row + j * sizes.stride_x
                windows += 1
    wide, area = block_width(sizes.filters), rows_here * sizes.out_width
    for f in range(0, sizes.filters, wide):
        own = min(wide, sizes.filters - f)
        for sample in range(first, last):
            image, at = sample * sizes.groups + group, (sample - first) * area * wide
            source = ((image * sizes.filters + f) * sizes.out_height + top) * sizes.out_width
            for p in range(0, area, LANES):
                for j in range(wide):
                    for i in range(p, min(p + LANES, area)):
                        flows[at + i * wide + j] = (
                            g[source + j * sizes.out_height * sizes.out_width + i] if j < own else 0
                        )
        for p in range(0, windows, TERMS):
            for k in range(0, depth * sizes.positions, ROWS):
                rows = min(ROWS, depth * sizes.positions - k)
                row = (group * sizes.channels + low) * sizes.positions + k
                gather_tile(
                    rows, (own + LANES - 1) // LANES, padded, 0, offsets, k, starts, p, flows,
                    p * wide, wide, min(windows - p, TERMS), 1, totals,
                    totals_at + row * sizes.columns + f, sizes.columns,
                )  # fmt: skip


def add_transposed(
    totals: array(FLOAT), count: number(), grad: array(FLOAT), group: piece(0), first: piece(1),
    last: piece(2), rows: number(), columns: number(), filters: number(),
):  # fmt: skip
    """Adds up `count` sums of `gather_weight_sums` for rows `first` to `last` of a group, and
    writes them by filter.

    Args:
        totals: the sums, behind one another.
        count: how many there are.
        grad: the gradient, (filters, rows) for each group.
        group, first, last: which rows of which group.
        rows, columns, filters: the rows of a group, what they are long, and filters of a group.
    """
    size = totals.size // count
    at, to = group * rows * columns, group * rows * filters
    for k in range(first, last):
        for each in range(1, count):
            other = at + each * size + k * columns
            for f in range(filters):
                totals[at + k * columns + f] += totals[other + f]
    for start in range(first, last, 16):
        for low in range(0, filters, 16):  # squares of cache lines
            for f in range(low, min(low + 16, filters)):
                for k in range(start, min(start + 16, last)):
                    grad[to + f * rows + k] = totals[at + k * columns + f]


LIBRARY = Library(
    clear,
    copy_row,
    copy_planes,
    write_rows,
    block_width,
    write_transposed,
    weight_sums,
    gather_weight_sums,
    SLACK=SLACK,
    TERMS=TERMS,
    WINDOWS=WINDOWS,
)
