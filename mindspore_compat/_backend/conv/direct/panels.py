"""Convolution of images as products of weights and panels of copied windows.

This algorithm suits few windows and large weights, as in the last layers of a network. The weights
are read once and in place, `out[f, p] = sum of w[f, k] * panel[k, p]`, in tiles with vectors along
the windows `p`. Threads first copy all windows together, into panels with as many windows as a tile
has. A panel of some elements `k` stays in the cache while all filters are multiplied.

The weight gradient is `sum of g[f, p] * column[p, k]` over the windows, with vectors along their
elements `k`; it needs no partial sums.
"""

import functools
from math import prod

import numpy

from ...compiled import jit
from ...threads.parallel_loops import FLOAT, INDEX, OFFSET, aligned, blocks, loop_of
from . import panel_loops
from .planes import PIECES, SLACK, VECTOR, Planes, odd_lines

WIDTH = panel_loops.WIDTH
PIECE = 1 << 22  # multiplications of a piece, at least
COPIES = 1 << 16  # elements of panels that are copied by one piece, at least

_LOOPS = (
    panel_loops.fill_panels,
    panel_loops.panel_correlate,
    panel_loops.fill_columns,
    panel_loops.column_sums,
)


def _loop(function):
    return loop_of(function, panel_loops.LIBRARY)


def is_ready():
    """Returns True if the loops can run; otherwise requests their compilation."""
    return all([_loop(function).is_ready() for function in _LOOPS])


def correlate(x, weights, out, plan):
    """Correlates images in one group and writes to `out`; the arguments are those of
    `flat.correlate`."""
    pieces, targets, buffer = _correlation(plan)
    windows = -(-targets.size // WIDTH) * WIDTH
    panels = aligned(windows * plan.depth)
    _fill(panel_loops.fill_panels, x, panels, _copies(plan, 1), 1, windows)
    starts, offsets = _reads(
        plan.filters, plan.channels, weights.filter, weights.channel, weights.indices.tobytes()
    )
    _loop(panel_loops.panel_correlate).run(
        pieces,
        weights.values,
        panels,
        out.reshape(-1),
        buffer,
        starts,
        offsets,
        targets,
        targets.size,
        plan.writes[0],
    )


def _fill(function, x, panels, copies, rows, windows):
    """Copies windows into panels by a loop of panel_loops.py, `rows` elements at a time."""
    parts, length, tables, sizes = copies
    pitch = odd_lines(windows + VECTOR)
    _loop(function).run(
        parts, jit.flat(x), panels, length, rows * pitch, *tables, *sizes, windows, pitch
    )


def _several(plan):
    """Returns the number of pieces into which the products are divided."""
    return max(min(plan.batch * prod(plan.out) * plan.filters * plan.depth // PIECE, PIECES), 1)


@functools.lru_cache(maxsize=256)
def _copies(plan, unit):
    """Returns the layout of the copies: the channels of pieces, multiples of `unit`; the elements
    of the padded planes of a channel; the tables and sizes for `panel_loops.fill_panels`."""
    planes = Planes.of(plan.size, plan.before, plan.stride, plan.taps, plan.out)
    step = planes.step(plan.out[0] + planes.reach)
    pieces = max(min(plan.batch * prod(plan.out) * plan.depth // COPIES, PIECES), 1)
    parts = blocks(plan.channels, -(-plan.channels // pieces // unit) * unit)
    samples, area = numpy.arange(plan.batch)[:, None], prod(plan.size)
    size, rows = planes.copies * step, []
    for number, phase in enumerate(planes.phases.reshape(-1, 6).tolist()):
        above, count_y, start_y, x_left, count_x, start_x = phase
        y = numpy.arange(count_y)
        source = (start_y + y * plan.stride[0]) * plan.size[1] + start_x
        target = number * step + (above + y) * planes.row + x_left
        rows.append((source, target, numpy.full(count_y, count_x)))
    source, target, count = map(numpy.concatenate, zip(*rows))
    tables = (
        samples * (plan.channels * area) + source,
        samples * size + target,
        samples * 0 + count,
        planes.offsets(1, step),
        (samples * size + numpy.arange(plan.out[0]) * planes.row).astype(OFFSET),
    )
    sizes = plan.channels, area, plan.stride[1], plan.out[1]
    return parts, plan.batch * size + SLACK, [table.reshape(-1) for table in tables], sizes


@functools.lru_cache(maxsize=256)
def _correlation(plan):
    """Returns the filters and panels of pieces, the place of each window in the result, and the
    elements of the largest piece's products."""
    windows = plan.batch * prod(plan.out)
    panels, count = -(-windows // WIDTH), _several(plan)
    # The larger of weights and panels is read once: each piece covers all of the other.
    if plan.filters > windows:
        filters, parts = (
            blocks(plan.filters, -(-plan.filters // count // 8) * 8),
            blocks(panels, panels),
        )
    else:
        parts = blocks(panels, -(-panels // count))
        filters = blocks(plan.filters, -(-plan.filters * len(parts) // count // 8) * 8)
    pieces = numpy.array([(*rows, *part) for part in parts for rows in filters], INDEX)
    area, start, row_step, column_step = plan.writes
    samples, y, x = numpy.ogrid[: plan.batch, : plan.out[0], : plan.out[1]]
    targets = samples * (plan.filters * area) + start + y * row_step + x * column_step
    largest = int(pieces[0, 1] * pieces[0, 3]) * WIDTH  # the first, which begins at 0
    return pieces, targets.reshape(-1).astype(INDEX), largest


@functools.lru_cache(maxsize=256)
def _reads(filters, channels, filter_step, channel_step, indices):
    """Returns the start of each filter's weights, and the offsets of its elements from there."""
    indices = numpy.frombuffer(indices, INDEX)
    offsets = numpy.arange(channels)[:, None] * channel_step + indices
    starts = numpy.arange(filters) * filter_step
    return starts.astype(OFFSET), offsets.reshape(-1).astype(OFFSET)


def weight_gradient(g, x, plan):
    """Returns the filter gradient of a correlation of `x` in one group, (1, filters, channels,
    kernel positions)."""
    area, depth = prod(plan.out), plan.depth
    defined, panels = plan.batch * area, -(-depth // WIDTH)
    windows = -(-defined // VECTOR) * VECTOR
    columns, g = aligned(panels * WIDTH * windows), jit.flat(g)
    _fill(panel_loops.fill_columns, x, columns, _copies(plan, VECTOR), VECTOR, windows)
    grad = numpy.empty(plan.filters * depth, FLOAT)
    starts, offsets = _reads(
        plan.filters,
        plan.batch,
        area,
        plan.filters * area,
        numpy.arange(area, dtype=INDEX).tobytes(),
    )
    _loop(panel_loops.column_sums).run(
        blocks(panels, -(-panels // _several(plan))),
        g,
        columns,
        grad,
        plan.filters * WIDTH,
        starts,
        offsets,
        plan.filters,
        depth,
        windows,
        defined,
    )
    return grad
