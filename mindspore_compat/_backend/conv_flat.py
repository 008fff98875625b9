"""Convolution of images as correlation of flat planes.

The planes of a sample are copied into zeros that hold their padding, with rows of one length behind
one another: a kernel position is then an offset into flat memory, and a result is
`out[f, p] = sum of w[f, k] * padded[p + offset(k)]` over channels and kernel positions `k`, which
has vectors along the positions `p`. Those between the rows of the result are computed with the
others and left out, so this is for wide planes. With a stride, each phase of the planes is a plane
of its own, so that neighbours in the result are neighbours in memory.

The gradient for the weights is scalar products of the result's gradient, with zeros between its
rows, and the padded planes shifted by each offset.
"""

import functools
from itertools import product
from math import prod

import numpy

from . import compiled, conv_loops
from .conv_planes import (
    CACHE,
    FLOAT,
    FOUND,
    INDEX,
    OFFSET,
    PIECES,
    SLACK,
    SUMS,
    VECTOR,
    Planes,
    cut,
    loop,
    odd_lines,
    ready,
    scratch,
)  # fmt: skip
from .scheduler import blocks, run

PIECE = 1 << 21  # multiplications of a piece, at least
SPAN = 2048  # elements of the rows whose scalar products are made at once


def is_ready():
    """True if its loops can run; has them compiled."""
    return ready(conv_loops.pack, conv_loops.correlate, conv_loops.weight_sums)


def correlate(x, weights, out, plan):
    """Writes a correlation of images to `out`.

    Args:
        x: the images.
        weights: where the filters are.
        out: the array, of which a part is written.
        plan: the sizes.
    """
    packed = _packed(weights, plan)
    phases, offsets, sizes, pieces, length = _correlation(plan)
    given = compiled.flat(x), packed, out.reshape(-1)

    def work(number):
        found = numpy.empty(FOUND, FLOAT)
        loop(conv_loops.correlate).ready(
            *given, scratch(length), found, phases, offsets, *pieces[number], *sizes
        )

    run(work, len(pieces))


def _packed(weights, plan):
    """The weights of all groups in the order of tiles."""
    own = plan.filters * plan.depth
    packed = numpy.empty((plan.groups, own), FLOAT)
    parts = list(product(range(plan.groups), blocks(plan.filters, 64)))

    def work(number):
        group, part = parts[number]
        loop(conv_loops.pack).ready(
            weights.values, packed[group], weights.indices, group * weights.group, part.start,
            part.stop, plan.filters, weights.filter, plan.channels, weights.channel,
        )  # fmt: skip

    run(work, len(parts))
    return packed.reshape(-1)


@functools.lru_cache(maxsize=256)
def _correlation(plan):
    """The pieces, offsets and sizes of a correlation."""
    planes = Planes.of(plan.size, plan.before, plan.stride, plan.taps, plan.out)
    planes_of_image = plan.channels * planes.copies
    filters = blocks(plan.filters, max(CACHE // max(plan.depth, 1) // 8, 1) * 8)
    images = plan.batch * plan.groups
    samples, height = cut(
        images,
        plan.out[0],
        len(filters),
        images * prod(plan.out) * plan.filters * plan.depth // PIECE,
        lambda rows: planes_of_image * (rows + planes.reach) * planes.row,
    )
    step = planes.step(height + planes.reach)
    pieces = [
        (each.start, each.stop, rows.start, rows.stop, own.start, own.stop)
        for each in blocks(images, samples)
        for rows in blocks(plan.out[0], height)
        for own in filters
    ]
    sizes = (
        plan.groups, plan.channels, *plan.size, *plan.stride, plan.filters, planes.row, step,
        planes.reach, plan.out[1], *plan.writes,
    )  # fmt: skip
    return planes.phases, planes.offsets(plan.channels, step), sizes, pieces, planes_of_image * step


def weight_gradient(g, x, plan):
    """The gradient for the filters of a correlation of `x`: (groups, filters, channels, kernel
    positions). It has NaN where an element of `x` is infinite or NaN."""
    phases, whole, offsets, sizes, runs, ranges, lengths = _sums(plan)
    totals = numpy.zeros((len(runs), plan.groups * plan.filters * plan.depth), FLOAT)
    given = compiled.flat(x), compiled.flat(g)
    parts = list(product(range(len(runs)), ranges))

    def work(number):
        own, part = parts[number]
        padded, flows, found = scratch(lengths[0]), scratch(lengths[1]), numpy.empty(FOUND, FLOAT)
        for chunk in runs[own]:
            loop(conv_loops.weight_sums).ready(
                *given, totals[own], padded, flows, found, phases, whole, offsets, *chunk, *part,
                *sizes,
            )  # fmt: skip

    run(work, len(parts))
    grad = totals[0]
    for each in totals[1:]:
        grad += each
    return grad


@functools.lru_cache(maxsize=256)
def _sums(plan):
    """The pieces, offsets and sizes of the gradient for the weights."""
    planes = Planes.of(plan.size, plan.before, plan.stride, plan.taps, plan.out)
    height, plane_rows = plan.out[0], planes.axes[0].length
    samples = max(min(SPAN // (plane_rows * planes.row), plan.batch), 1)
    if plane_rows * planes.row > 2 * SPAN:
        height = min(max(SPAN // planes.row, 1), height)
        plane_rows = height + planes.reach
    length = (samples - 1) * plane_rows + height
    flow_step = odd_lines(length * planes.row + VECTOR)
    step = planes.step(length + planes.axes[0].length)
    depth = max(min(plan.channels, CACHE // (planes.copies * step)), 1)
    chunks = [
        (each.start, each.stop, rows.start, rows.stop)
        for each in blocks(plan.batch, samples)
        for rows in blocks(plan.out[0], height)
    ]
    runs = in_runs(chunks, plan, PIECE)
    ranges = [
        (group, each.start, each.stop)
        for group in range(plan.groups)
        for each in blocks(plan.channels, depth)
    ]
    offsets = planes.offsets(depth, step)
    offsets = numpy.concatenate([offsets, numpy.full(SLACK, offsets[-1], OFFSET)])
    whole = numpy.array([0, plan.out[0], 0, 0, plan.out[1], 0], INDEX)
    sizes = (
        plan.groups, plan.channels, *plan.size, *plan.stride, plan.filters, planes.row, step,
        flow_step, plane_rows, *plan.out, len(plan.taps),
    )  # fmt: skip
    lengths = depth * planes.copies * step, plan.filters * flow_step
    return planes.phases, whole, offsets, sizes, runs, ranges, lengths


def in_runs(chunks, plan, piece):
    """Chunks of windows in lists of at least `piece` multiplications, each with sums of its own."""
    size = plan.groups * plan.filters * plan.depth
    work = plan.batch * prod(plan.out) * size
    several = max(min(len(chunks), PIECES, SUMS // size, work // piece), 1)
    return [chunks[each] for each in blocks(len(chunks), -(-len(chunks) // several))]
