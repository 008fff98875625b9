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
from itertools import accumulate
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
    odd_lines,
    parallel_loop,
)  # fmt: skip
from .scheduler import blocks

PIECE = 1 << 21  # multiplications of a piece, at least
SPAN = 2048  # elements of the rows whose scalar products are made at once


_pack = functools.partial(parallel_loop, conv_loops.pack, ("group", "first", "last"))
_correlate = functools.partial(
    parallel_loop,
    conv_loops.correlate,
    ("first", "last", "top", "bottom", "low", "high"),
    ("padded", "found"),
)
_sum_weights = functools.partial(
    parallel_loop,
    conv_loops.weight_runs,
    ("chunk", "end", "at", "group", "low", "high"),
    ("padded", "flows", "found"),
)


def is_ready():
    """True if its loops can run; has them compiled."""
    return all([make().is_ready() for make in (_pack, _correlate, _sum_weights)])


def correlate(x, weights, out, plan):
    """Writes a correlation of images to `out`.

    Args:
        x: the images.
        weights: where the filters are.
        out: the array, of which a part is written.
        plan: the sizes.
    """
    phases, offsets, sizes, parts, pieces, length = _correlation(plan)
    packed = numpy.empty(plan.groups * plan.filters * plan.depth, FLOAT)  # in the order of tiles
    _pack().run(
        parts, weights.values, packed, weights.indices, plan.filters, weights.group, weights.filter,
        plan.channels, weights.channel,
    )  # fmt: skip
    _correlate().run(
        pieces, compiled.flat(x), packed, out.reshape(-1), length, FOUND, phases, offsets, *sizes
    )


@functools.lru_cache(maxsize=256)
def _correlation(plan):
    """The offsets and sizes of a correlation, the pieces in which its weights are packed, and its
    own pieces and memory."""
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
    parts = [
        (group, each.start, each.stop)
        for group in range(plan.groups)
        for each in blocks(plan.filters, 64)
    ]
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
    return (
        planes.phases, planes.offsets(plan.channels, step), sizes, numpy.array(parts, INDEX),
        numpy.array(pieces, INDEX), planes_of_image * step + SLACK,
    )  # fmt: skip


def weight_gradient(g, x, plan):
    """The gradient for the filters of a correlation of `x`: (groups, filters, channels, kernel
    positions). It has NaN where an element of `x` is infinite or NaN."""
    phases, whole, offsets, sizes, count, chunks, parts, lengths = _sums(plan)
    totals = numpy.zeros((count, plan.groups * plan.filters * plan.depth), FLOAT)
    _sum_weights().run(
        parts, compiled.flat(x), compiled.flat(g), totals.reshape(-1), *lengths, FOUND, phases,
        whole, offsets, chunks, *sizes,
    )  # fmt: skip
    grad = totals[0]
    for each in totals[1:]:
        grad += each
    return grad


@functools.lru_cache(maxsize=256)
def _sums(plan):
    """The offsets and sizes of the gradient for the weights, how many sums are made of it, the
    samples and rows of which each adds some, the pieces of that, and their memory."""
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
    ends = [0, *accumulate(map(len, runs))]
    parts = [
        (*ends[number : number + 2], number * plan.groups * plan.filters * plan.depth, group,
         each.start, each.stop)
        for number in range(len(runs))
        for group in range(plan.groups)
        for each in blocks(plan.channels, depth)
    ]  # fmt: skip
    offsets = planes.offsets(depth, step)
    offsets = numpy.concatenate([offsets, numpy.full(SLACK, offsets[-1], OFFSET)])
    whole = numpy.array([0, plan.out[0], 0, 0, plan.out[1], 0], INDEX)
    sizes = (
        plan.groups, plan.channels, *plan.size, *plan.stride, plan.filters, planes.row, step,
        flow_step, plane_rows, *plan.out, len(plan.taps),
    )  # fmt: skip
    lengths = depth * planes.copies * step + SLACK, plan.filters * flow_step + SLACK
    return (
        planes.phases, whole, offsets, sizes, len(runs),
        numpy.concatenate(runs).astype(INDEX).reshape(-1), numpy.array(parts, INDEX), lengths,
    )  # fmt: skip


def in_runs(chunks, plan, piece):
    """Chunks of windows in lists of at least `piece` multiplications, each with sums of its own."""
    size = plan.groups * plan.filters * plan.depth
    work = plan.batch * prod(plan.out) * size
    several = max(min(len(chunks), PIECES, SUMS // size, work // piece), 1)
    return [chunks[each] for each in blocks(len(chunks), -(-len(chunks) // several))]
