"""The loops of flat.py, compiled by Numba; they also run as plain Python."""

from typing import NamedTuple

from ...compiled.library import Library
from ...compiled.tiles import DOT_ROWS, LANES, ROWS, STREAMS, VECTORS, copy_vector, dots, tile
from ...threads.parallel_loops import FLOAT, INDEX, OFFSET, array, memory, piece, record, sizes
from .plane_loops import SLACK, TERMS, Block, Copies, Filters, Run, clear, copy_planes, copy_row


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
    step: int  # the stride from one plane to the next
    reach: int  # the number of further rows that windows reach
    area: int  # elements of a filter in the array that is written to
    row_step: int  # the row stride of that array
    column_step: int  # the column stride of that array


class FlatSums(NamedTuple):
    """The sizes of `weight_runs`. Fields with the same names as in FlatSizes have the same
    meaning."""

    groups: int
    channels: int
    height: int
    width: int
    stride_y: int
    stride_x: int
    filters: int
    row: int
    step: int  # the stride of `padded` from one channel (of all samples) to the next
    flow_step: int  # the stride of `flows` from one filter to the next
    plane_rows: int  # the rows from one sample to the next
    out_height: int
    out_width: int
    positions: int  # the number of kernel positions


def pack(
    w: array(FLOAT),
    packed: array(FLOAT),
    taps: array(INDEX),
    group: piece(0),
    first: piece(1),
    last: piece(2),
    sizes: sizes(Filters),
):
    """Copies the weights of filters of a group in the order in which tiles read them. `filters` are
    divided into blocks of ROWS; a block is ordered by channel, kernel position and filter.

    Args:
        w, packed: the weights, and the copy.
        taps: for each kernel position, its place in the weights of a filter and channel.
        group, first, last: the group and the range of its filters; the last block may be smaller.
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


def write_rows(
    sums, filters, p, row, out_width, last, out, out_at, out_step, row_step, column_step
):
    """Writes a tile of sums to the result. The tile begins at position `p` of flat planes with rows
    of `row` elements. Elements beyond the first `out_width` of a row, and rows from `last` on, are
    left out."""
    width = VECTORS * LANES
    y = p // row
    x = p - y * row
    i = 0
    while i < width and y < last:
        count = min(out_width - x, width - i)
        whole = column_step == 1 and row_step == out_width
        for f in range(filters):
            source, to = f * width + i, out_at + f * out_step + y * row_step + x * column_step
            # A vector may spill into rows that are written later, but not beyond row `last` - 1.
            end = out_at + f * out_step + last * row_step - LANES if whole else -1
            for j in range(0, count, LANES):
                if to + j <= end:
                    copy_vector(sums, source + j, out, to + j)
                else:
                    for k in range(j, min(j + LANES, count)):
                        out[to + k * column_step] = sums[source + k]
        i += row - x
        x = 0
        y += 1


def correlate(
    x: array(FLOAT),
    packed: array(FLOAT),
    out: array(FLOAT),
    padded: memory(FLOAT),
    sums: memory(FLOAT),
    phases: array(INDEX),
    offsets: array(OFFSET),
    results: array(INDEX),
    block: record(Block),
    sizes: sizes(FlatSizes),
):
    """Correlates the images of a block with filters of their group, in the block's rows of each
    result.

    A channel takes `step` elements of `padded`; windows reach `reach` rows further. `results` has
    six numbers for each result: the start of its weights in `packed`, the start and the number of
    its offsets, its rows, its columns, and its start in the `area` elements of a filter.
    """
    first, last, top, bottom, low, high = block
    clear(padded, padded.size - SLACK, padded.size)
    copies = Copies(
        sizes.channels,
        sizes.height,
        sizes.width,
        sizes.stride_y,
        sizes.stride_x,
        sizes.step,
        sizes.step,
        sizes.row,
    )
    for image in range(first, last):
        image_at = image * sizes.channels * sizes.height * sizes.width
        copy_planes(x, image_at, phases, padded, 0, copies, top, bottom - top + sizes.reach)
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
                                own,
                                vectors,
                                packed,
                                at + k * own,
                                padded,
                                p,
                                offsets,
                                results[i + 1] + k,
                                min(count - k, TERMS),
                                k,
                                sums,
                                0,
                                VECTORS * LANES,
                            )
                        write_rows(
                            sums,
                            own,
                            p,
                            sizes.row,
                            columns,
                            rows,
                            out,
                            out_at + f * sizes.area,
                            sizes.area,
                            sizes.row_step,
                            sizes.column_step,
                        )


def weight_runs(
    x: array(FLOAT),
    g: array(FLOAT),
    totals: array(FLOAT),
    padded: memory(FLOAT),
    flows: memory(FLOAT),
    sums: memory(FLOAT),
    phases: array(INDEX),
    whole: array(INDEX),
    offsets: array(OFFSET),
    chunks: array(INDEX),
    run: record(Run),
    sizes: sizes(FlatSums),
):
    """Adds the weight gradients of the chunks of a run, as `weight_sums` computes them, to
    `totals`. A chunk is four numbers: first and last sample, top and bottom row."""
    clear(padded, padded.size - SLACK, padded.size)
    clear(flows, flows.size - SLACK, flows.size)
    for i in range(4 * run.first, 4 * run.last, 4):
        weight_sums(
            x, g, totals, padded, flows, sums, phases, whole, offsets, chunks[i : i + 4], run, sizes
        )


def weight_sums(x, g, totals, padded, flows, sums, phases, whole, offsets, chunk, run, sizes):
    """Adds to `totals` the weight gradients of the channels of a run, from a chunk of samples and
    rows of the result. `flows` has zeros between the rows."""
    first, last, top, bottom = chunk[0], chunk[1], chunk[2], chunk[3]
    group, low, high = run.group, run.low, run.high
    plane = sizes.plane_rows * sizes.row
    for sample in range(first, last):
        image, at = sample * sizes.groups + group, (sample - first) * plane
        ends = sample == last - 1
        images = Copies(
            high - low,
            sizes.height,
            sizes.width,
            sizes.stride_y,
            sizes.stride_x,
            sizes.step,
            sizes.step - at if ends else plane,
            sizes.row,
        )
        image_at = (image * sizes.channels + low) * sizes.height * sizes.width
        copy_planes(x, image_at, phases, padded, at, images, top, sizes.plane_rows)
        results = Copies(
            sizes.filters,
            sizes.out_height,
            sizes.out_width,
            1,
            1,
            sizes.flow_step,
            sizes.flow_step - at if ends else plane,
            sizes.row,
        )
        result_at = image * sizes.filters * sizes.out_height * sizes.out_width
        copy_planes(g, result_at, whole, flows, at, results, top, bottom - top)
    span = (last - first - 1) * plane + (bottom - top - 1) * sizes.row + sizes.out_width
    count = (span + LANES - 1) // LANES
    depth = (high - low) * sizes.positions
    for f in range(0, sizes.filters, DOT_ROWS):
        rows = min(DOT_ROWS, sizes.filters - f)
        for k in range(0, depth, STREAMS):
            dots(
                rows,
                flows,
                f * sizes.flow_step,
                sizes.flow_step,
                padded,
                0,
                offsets,
                k,
                count,
                sums,
                0,
            )
            for r in range(rows):
                channel = (group * sizes.filters + f + r) * sizes.channels + low
                to = channel * sizes.positions + k + run.at
                for s in range(min(STREAMS, depth - k)):
                    totals[to + s] += sums[r * STREAMS + s]


LIBRARY = Library(
    clear, copy_row, copy_planes, write_rows, weight_sums, SLACK=SLACK, TERMS=TERMS, Copies=Copies
)
