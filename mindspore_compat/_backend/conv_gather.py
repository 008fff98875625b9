"""Convolution of images as products of gathered windows and packed weights.

The planes of some samples are copied into zeros that hold their padding. An element of a window is
then at the start of the window plus the offset of its channel and kernel position, so a tile of
some windows by some filters, with vectors along the filters, reads both from where they are:
`out[p, f] = sum of padded[start(p) + offset(k)] * w[k, f]`. No position is computed that is not
wanted, with any stride; the results are written with the axes exchanged, so this is for deep sums
and many filters.

The gradient for the weights exchanges the two: `padded[offset(k) + start(p)] * g[p, f]`, summed
over the windows `p`.
"""

import functools
from itertools import product
from math import prod

import numpy

from . import compiled, conv_loops
from .conv_flat import in_runs
from .conv_planes import (
    CACHE,
    FLOAT,
    INDEX,
    OFFSET,
    PIECES,
    VECTOR,
    WIDEST,
    Planes,
    cut,
    loop,
    ready,
    scratch,
)
from .scheduler import blocks, run

PIECE = 1 << 23  # multiplications of a piece, at least,
SAMPLES = 1 << 21  # and of one that copies no planes which others copy too
FEWEST = 128  # windows that the weights are read for, as they may not fit the cache
WINDOWS = 1024  # of which the weights' gradient is summed at once
CHANNELS = 64  # of a piece of that sum, at least: each copies the other factor anew


def is_ready():
    """True if its loops can run; has them compiled."""
    return ready(
        conv_loops.pack_beside,
        conv_loops.gather_correlate,
        conv_loops.gather_weight_sums,
        conv_loops.add_transposed,
    )


def correlate(x, weights, out, plan):
    """Writes a correlation of images to `out`, with the arguments of `conv_flat.correlate`."""
    phases, offsets, filters, pieces, sizes, length, windows = _correlation(plan)
    packed, own = _packed(weights, plan, filters)
    given = compiled.flat(x), packed, out.reshape(-1)

    def work(number):
        *window, group, part = pieces[number]
        targets, starts = numpy.empty(windows, INDEX), numpy.empty(windows, OFFSET)
        found = numpy.empty(min(windows, conv_loops.WINDOWS) * WIDEST, FLOAT)
        begin = group * own + (part.start + part.start // filters[0].stop * WIDEST) * plan.depth
        loop(conv_loops.gather_correlate).ready(
            *given, scratch(length), found, phases, targets, offsets, starts,
            *window, group, part.start, part.stop, begin, *sizes,
        )  # fmt: skip

    run(work, len(pieces))


def _packed(weights, plan, filters):
    """The weights in the order of tiles, and how many elements a group has. Each of `filters`
    begins so that a whole tile fits behind it."""
    own = (plan.filters + len(filters) * WIDEST) * plan.depth
    packed = numpy.empty(plan.groups * own, FLOAT)
    parts = list(product(range(plan.groups), enumerate(filters)))

    def work(number):
        group, (index, part) = parts[number]
        loop(conv_loops.pack_beside).ready(
            weights.values, packed, group * own + (part.start + index * WIDEST) * plan.depth,
            weights.indices, group * weights.group + part.start * weights.filter,
            part.stop - part.start, weights.filter, plan.channels, weights.channel,
        )  # fmt: skip

    run(work, len(parts))
    return packed, own


def _planes(plan):
    out = tuple((n - 1) * s + 1 for n, s in zip(plan.out, plan.stride, strict=True))
    return Planes.of(plan.size, plan.before, (1, 1), plan.taps, out)


def _rows(height, plan, planes):
    """The rows of planes under so many rows of the result."""
    return (height - 1) * plan.stride[0] + 1 + planes.reach


@functools.lru_cache(maxsize=256)
def _correlation(plan):
    """The pieces, offsets and sizes of a correlation."""
    planes = _planes(plan)
    area = prod(plan.out)
    work = plan.batch * plan.groups * area * plan.filters * plan.depth
    samples, height = cut(
        plan.batch,
        plan.out[0],
        plan.groups,
        max(work // PIECE, min(work // SAMPLES, plan.batch)),
        lambda rows: plan.channels * _rows(rows, plan, planes) * planes.row,
    )
    samples = max(samples, min(-(-FEWEST // area), plan.batch))
    parts = plan.groups * -(-plan.batch // samples) * -(-plan.out[0] // height)
    several = max(-(-min(work // PIECE, PIECES) // parts), 1)
    filters = blocks(plan.filters, -(-plan.filters // several // WIDEST) * WIDEST)
    step = planes.step(_rows(height, plan, planes))
    pieces = [
        (each.start, each.stop, rows.start, rows.stop, group, own)
        for each in blocks(plan.batch, samples)
        for rows in blocks(plan.out[0], height)
        for group in range(plan.groups)
        for own in filters
    ]
    sizes = (
        plan.groups, plan.channels, *plan.size, *plan.stride, plan.filters, planes.row, step,
        planes.reach, plan.out[1], *plan.writes,
    )  # fmt: skip
    offsets = planes.offsets(plan.channels, step)
    length, windows = samples * plan.channels * step, samples * height * plan.out[1]
    return planes.phases, offsets, filters, pieces, sizes, length, windows


def weight_gradient(g, x, plan):
    """The gradient for the filters of a correlation of `x`: (groups, filters, channels, kernel
    positions)."""
    phases, offsets, sizes, runs, ranges, lengths, windows = _sums(plan)
    columns = sizes[-1]
    totals = numpy.zeros((len(runs), plan.groups * plan.depth * columns), FLOAT)
    given = compiled.flat(x), compiled.flat(g)
    parts = list(product(range(len(runs)), ranges))

    def work(number):
        own, part = parts[number]
        padded, flows = map(scratch, lengths)
        starts = numpy.empty(windows, OFFSET)
        for chunk in runs[own]:
            loop(conv_loops.gather_weight_sums).ready(
                *given, totals[own], padded, flows, phases, offsets, starts, *chunk, *part, *sizes
            )

    run(work, len(parts))
    grad = numpy.empty(plan.groups * plan.filters * plan.depth, FLOAT)
    rows = list(product(range(plan.groups), blocks(plan.depth, 256)))

    def add(number):
        group, part = rows[number]
        loop(conv_loops.add_transposed).ready(
            totals.reshape(-1), len(runs), grad, group, part.start, part.stop, plan.depth, columns,
            plan.filters,
        )  # fmt: skip

    run(add, len(rows))
    return grad


@functools.lru_cache(maxsize=256)
def _sums(plan):
    """The pieces, offsets and sizes of the gradient for the weights."""
    planes = _planes(plan)
    height, area = plan.out[0], prod(plan.out)
    samples = max(min(WINDOWS // area, plan.batch), 1)
    if area > 2 * WINDOWS:
        height = max(WINDOWS // plan.out[1], 1)
    step = planes.step(_rows(height, plan, planes))
    chunks = [
        (each.start, each.stop, rows.start, rows.stop)
        for each in blocks(plan.batch, samples)
        for rows in blocks(plan.out[0], height)
    ]
    runs = in_runs(chunks, plan, SAMPLES)
    work = plan.batch * area * plan.groups * plan.filters * plan.depth
    several = max(min(work // PIECE, PIECES) // (len(runs) * plan.groups), 1)
    depth = max(min(plan.channels, CACHE // (samples * step)), 1)
    depth = min(depth, max(-(-plan.channels // several), CHANNELS))
    ranges = [
        (group, each.start, each.stop)
        for group in range(plan.groups)
        for each in blocks(plan.channels, depth)
    ]
    columns = -(-plan.filters // VECTOR) * VECTOR
    sizes = (
        plan.groups, plan.channels, *plan.size, *plan.stride, plan.filters, planes.row, step,
        planes.reach, *plan.out, len(plan.taps), columns,
    )  # fmt: skip
    windows = samples * height * plan.out[1]
    lengths = samples * depth * step, windows * (plan.filters + WIDEST)
    offsets = planes.offsets(depth, step)
    return planes.phases, offsets, sizes, runs, ranges, lengths, windows
