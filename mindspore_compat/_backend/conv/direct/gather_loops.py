"""The loops of gather.py, compiled by Numba; they also run as plain Python."""

from typing import NamedTuple

from ...compiled.library import Library
from ...compiled.tiles import LANES, ROWS, VECTORS, gather_tile, transpose_square
from ...threads.parallel_loops import (
    FLOAT,
    INDEX,
    OFFSET,
    array,
    memory,
    number,
    piece,
    record,
    sizes,
)
from .plane_loops import SLACK, TERMS, Copies, Filters, Run, clear, copy_planes, copy_row

WINDOWS = 512  # number of windows whose results are written together


class GatherSizes(NamedTuple):
    """The sizes of `gather_correlate`. Fields with the same names as in flat_loops.FlatSizes have
    the same meaning."""

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
    start: int  # where the result begins within the elements of a filter
    row_step: int
    column_step: int


class GatherSums(NamedTuple):
    """The sizes of `gather_weight_runs`. Fields with the same names as in flat_loops.FlatSums have
    the same meaning."""

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
    columns: int  # length of a sum: the filters, rounded up to whole vectors


class GroupBlock(NamedTuple):
    """One task of a correlation: the fields of plane_loops.Block, the group, and where its packed
    weights begin."""

    first: int
    last: int
    top: int
    bottom: int
    low: int
    high: int
    group: int
    packed_at: int


def block_width(filters):
    """Returns the number of neighbouring filters in a tile, so that the tiles of all `filters` have
    about equal width."""
    vectors = (filters + LANES - 1) // LANES
    blocks = (vectors + VECTORS - 1) // VECTORS
    return (vectors + blocks - 1) // blocks * LANES


def pack_beside(
    w: array(FLOAT),
    packed: array(FLOAT),
    at: piece(0),
    taps: array(INDEX),
    group: piece(1),
    first: piece(2),
    filters: piece(3),
    sizes: sizes(Filters),
):
    """Copies the weights of `filters` filters of a group, from number `first` on, to `packed` from
    `at` on, in the order in which `gather_tile` reads them. Blocks consist of neighbouring filters
    and are ordered by channel and kernel position. Groups are `group_step` elements apart. The
    other arguments are those of `pack`."""
    width = block_width(filters)
    start = group * sizes.group_step + first * sizes.row_step
    for f in range(0, filters, width):
        count = min(width, filters - f)
        for chunk in range(0, sizes.depth, 8):  # whose copies stay in the cache
            end = min(chunk + 8, sizes.depth)
            for j in range(width):
                source, to = start + (f + j) * sizes.row_step, at + j
                for channel in range(chunk, end):
                    for tap in taps:
                        if j < count:
                            packed[to] = w[source + channel * sizes.depth_step + tap]
                        else:
                            packed[to] = 0
                        to += width
            at += (end - chunk) * taps.size * width


def write_transposed(sums, first, last, filters, wide, out, targets, start, area):
    """Writes a product of windows `first` to `last` by filters, stored in rows of `wide` elements.
    `targets` has the place of each window, from `start` on; filters are `area` elements apart."""
    for w in range(first, last, LANES):
        count, at = min(LANES, last - w), (w - first) * wide
        one_run = count == LANES and targets[w + count - 1] - targets[w] == LANES - 1
        for f in range(0, filters, LANES):
            filled, to = min(LANES, filters - f), start + f * area
            if one_run and filled == LANES:
                transpose_square(sums, at + f, wide, out, targets[w] + to, area)
            else:
                for j in range(filled):
                    for i in range(count):
                        out[targets[w + i] + to + j * area] = sums[at + i * wide + f + j]


def gather_correlate(
    x: array(FLOAT),
    packed: array(FLOAT),
    out: array(FLOAT),
    padded: memory(FLOAT),
    sums: memory(FLOAT),
    phases: array(INDEX),
    targets: memory(INDEX),
    offsets: array(OFFSET),
    starts: memory(OFFSET),
    block: record(GroupBlock),
    sizes: sizes(GatherSizes),
):
    """Correlates the samples of a block with filters of its group, in the block's rows of the
    result. The other arguments are those of `flat_loops.correlate`."""
    first, last, top, bottom, low, high, group, packed_at = block
    windows = 0
    copies = Copies(
        sizes.channels, sizes.height, sizes.width, 1, 1, sizes.step, sizes.step, sizes.row
    )
    for sample in range(first, last):
        image, at = sample * sizes.groups + group, (sample - first) * sizes.channels * sizes.step
        image_at = image * sizes.channels * sizes.height * sizes.width
        rows = (bottom - top - 1) * sizes.stride_y + 1 + sizes.reach
        copy_planes(x, image_at, phases, padded, at, copies, top * sizes.stride_y, rows)
        target = image * sizes.filters * sizes.area + sizes.start
        for y in range(top, bottom):
            for j in range(sizes.out_width):
                starts[windows] = at + (y - top) * sizes.stride_y * sizes.row + j * sizes.stride_x
                targets[windows] = target + y * sizes.row_step + j * sizes.column_step
                windows += 1
    count, wide = offsets.size, block_width(high - low)
    for f in range(low, high, wide):
        lanes = min(wide, high - f)
        vectors, at = (lanes + LANES - 1) // LANES, packed_at + (f - low) * count
        for window in range(0, windows, WINDOWS):
            end = min(window + WINDOWS, windows)
            for k in range(0, max(count, 1), TERMS):  # whose right side stays in the cache
                terms = min(count - k, TERMS)
                for w in range(window, end, ROWS):
                    gather_tile(
                        min(ROWS, end - w),
                        vectors,
                        padded,
                        0,
                        starts,
                        w,
                        offsets,
                        k,
                        packed,
                        at + k * wide,
                        wide,
                        terms,
                        k,
                        sums,
                        (w - window) * wide,
                        wide,
                    )
            write_transposed(
                sums, window, end, lanes, wide, out, targets, f * sizes.area, sizes.area
            )


def gather_weight_runs(
    x: array(FLOAT),
    g: array(FLOAT),
    totals: array(FLOAT),
    padded: memory(FLOAT),
    flows: memory(FLOAT),
    phases: array(INDEX),
    offsets: array(OFFSET),
    starts: memory(OFFSET),
    chunks: array(INDEX),
    run: record(Run),
    sizes: sizes(GatherSums),
):
    """Adds the weight gradients of the chunks of a run, as `gather_weight_sums` computes them, to
    `totals`. A chunk is four numbers: first and last sample, top and bottom row."""
    for i in range(4 * run.first, 4 * run.last, 4):
        gather_weight_sums(
            x, g, totals, padded, flows, phases, offsets, starts, chunks[i : i + 4], run, sizes
        )


def gather_weight_sums(x, g, totals, padded, flows, phases, offsets, starts, chunk, run, sizes):
    """Adds to `totals` the weight gradients of the channels of a run, from a chunk of samples and
    rows of the result. They are ordered by channel, kernel position and filter, in rows of
    `columns` elements."""
    first, last, top, bottom = chunk[0], chunk[1], chunk[2], chunk[3]
    group, low, high = run.group, run.low, run.high
    windows, depth = 0, high - low
    rows_here = bottom - top
    copies = Copies(depth, sizes.height, sizes.width, 1, 1, sizes.step, sizes.step, sizes.row)
    for sample in range(first, last):
        image, at = sample * sizes.groups + group, (sample - first) * depth * sizes.step
        image_at = (image * sizes.channels + low) * sizes.height * sizes.width
        rows = (rows_here - 1) * sizes.stride_y + 1 + sizes.reach
        copy_planes(x, image_at, phases, padded, at, copies, top * sizes.stride_y, rows)
        for y in range(rows_here):
            for j in range(sizes.out_width):
                starts[windows] = at + y * sizes.stride_y * sizes.row + j * sizes.stride_x
                windows += 1
    wide, area = block_width(sizes.filters), rows_here * sizes.out_width
    for f in range(0, sizes.filters, wide):
        count = min(wide, sizes.filters - f)
        for sample in range(first, last):
            image, at = sample * sizes.groups + group, (sample - first) * area * wide
            source = ((image * sizes.filters + f) * sizes.out_height + top) * sizes.out_width
            for p in range(0, area, LANES):
                for j in range(wide):
                    for i in range(p, min(p + LANES, area)):
                        flows[at + i * wide + j] = (
                            g[source + j * sizes.out_height * sizes.out_width + i]
                            if j < count
                            else 0
                        )
        for p in range(0, windows, TERMS):
            for k in range(0, depth * sizes.positions, ROWS):
                rows = min(ROWS, depth * sizes.positions - k)
                row = (group * sizes.channels + low) * sizes.positions + k
                gather_tile(
                    rows,
                    (count + LANES - 1) // LANES,
                    padded,
                    0,
                    offsets,
                    k,
                    starts,
                    p,
                    flows,
                    p * wide,
                    wide,
                    min(windows - p, TERMS),
                    1,
                    totals,
                    run.at + row * sizes.columns + f,
                    sizes.columns,
                )


def add_transposed(
    totals: array(FLOAT),
    count: number(),
    grad: array(FLOAT),
    group: piece(0),
    first: piece(1),
    last: piece(2),
    rows: number(),
    columns: number(),
    filters: number(),
):
    """Adds up `count` sums of `gather_weight_sums` for rows `first` to `last` of a group, and
    writes them ordered by filter.

    Args:
        totals: the sums, one after another.
        count: the number of sums.
        grad: the gradient, (filters, rows) for each group.
        group, first, last: the group and the range of its rows.
        rows, columns, filters: the rows of a group, their length, and the filters of a group.
    """
    size = totals.size // count
    at, to = group * rows * columns, group * rows * filters
    for k in range(first, last):
        for part in range(1, count):
            other = at + part * size + k * columns
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
    block_width,
    write_transposed,
    gather_weight_sums,
    SLACK=SLACK,
    TERMS=TERMS,
    WINDOWS=WINDOWS,
    Copies=Copies,
)
