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
from itertools import accumulate, chain
from math import prod
from typing import NamedTuple

import numpy

from ...compiled import jit
from ...threads.parallel_loops import FLOAT, INDEX, OFFSET, loop_of
from ...threads.scheduler import blocks
from . import flat_loops
from .planes import CACHE, FOUND, PIECES, SLACK, SUMS, VECTOR, Planes, cut, odd_lines

PIECE = 1 << 21  # multiplications of a piece, at least
SPAN = 2048  # elements of the rows whose scalar products are made at once


def _loop(function):
    return loop_of(function, flat_loops.LIBRARY)


def is_ready():
    """True if its loops can run; has them compiled."""
    return all(
        [
            _loop(each).is_ready()
            for each in (flat_loops.pack, flat_loops.correlate, flat_loops.weight_runs)
        ]
    )


def correlate(x, weights, out, plan):
    """Writes a correlation of images to `out`.

    Args:
        x: the images.
        weights: where the filters are.
        out: the array, of which a part is written.
        plan: the sizes.
    """
    correlate_phases(x, [weights], out, (plan,))


def correlate_phases(x, weights, out, plans):
    """Writes several correlations of the same images, which are copied once, to `out`.

    Args:
        x: the images.
        weights: for each correlation where its filters are.
        out: the array, of which each writes a part.
        plans (tuple): the sizes of each; they differ in zeros before, kernel positions, the size of
            the result and where it begins.
    """
    phases, offsets, results, sizes, parts, pieces, length = _correlations(plans)
    first = plans[0]
    # The weights in the order of tiles.
    packed = numpy.empty(sum(plan.groups * plan.filters * plan.depth for plan in plans), FLOAT)
    for own, start in zip(weights, results[:: len(_Result._fields)], strict=True):
        _loop(flat_loops.pack).run(
            parts, own.values, packed[start:], own.indices, *own.sizes(first)
        )
    _loop(flat_loops.correlate).run(
        pieces,
        jit.flat(x),
        packed,
        out.reshape(-1),
        length,
        FOUND,
        phases,
        offsets,
        results,
        *sizes,
    )


class _Result(NamedTuple):
    """What loops know of one of several correlations."""

    packed: int  # where its weights begin
    offset: int  # and its offsets
    count: int  # how many these are: the products of each sum
    rows: int  # its size
    columns: int
    start: int  # where it begins in a channel of the array it is written to


@functools.lru_cache(maxsize=256)
def _correlations(plans):
    """The offsets and sizes of correlations, the pieces in which their weights are packed, and
    their own pieces and memory."""
    first = plans[0]
    before = tuple(max(each) for each in zip(*(plan.before for plan in plans)))
    taps = [
        tuple(
            (y + before[0] - plan.before[0], x + before[1] - plan.before[1]) for y, x in plan.taps
        )
        for plan in plans
    ]
    height, width = (max(plan.out[axis] for plan in plans) for axis in (0, 1))
    planes = Planes.of(
        first.size, before, first.stride, tuple(sorted({*chain(*taps)})), (height, width)
    )
    planes_of_image = first.channels * planes.copies
    depth = max(max(plan.depth for plan in plans), 1)
    filters = blocks(first.filters, max(CACHE // depth // 8, 1) * 8)
    images = first.batch * first.groups
    work = images * first.filters * sum(prod(plan.out) * plan.depth for plan in plans)
    samples, height_of_piece = cut(
        images,
        height,
        len(filters),
        work // PIECE,
        lambda rows: planes_of_image * (rows + planes.reach) * planes.row,
    )
    step = planes.step(height_of_piece + planes.reach)
    parts = [
        (group, each.start, each.stop)
        for group in range(first.groups)
        for each in blocks(first.filters, 64)
    ]
    pieces = [
        (each.start, each.stop, rows.start, rows.stop, own.start, own.stop)
        for each in blocks(images, samples)
        for rows in blocks(height, height_of_piece)
        for own in filters
    ]
    area, _, row_step, column_step = first.writes
    results, packed, offset = [], 0, 0
    for plan in plans:
        results.append(_Result(packed, offset, plan.depth, *plan.out, plan.writes[1]))
        packed += plan.groups * plan.filters * plan.depth
        offset += plan.depth
    sizes = flat_loops.FlatSizes(
        first.groups,
        first.channels,
        *first.size,
        *first.stride,
        first.filters,
        planes.row,
        step,
        planes.reach,
        area,
        row_step,
        column_step,
    )
    offsets = [planes._replace(taps=own).offsets(first.channels, step) for own in taps]
    return (
        planes.phases,
        numpy.concatenate(offsets),
        numpy.array(results, INDEX).reshape(-1),
        sizes,
        numpy.array(parts, INDEX),
        numpy.array(pieces, INDEX),
        planes_of_image * step + SLACK,
    )


def weight_gradient(g, x, plan):
    """The gradient for the filters of a correlation of `x`: (groups, filters, channels, kernel
    positions). It has NaN where an element of `x` is infinite or NaN."""
    phases, whole, offsets, sizes, count, chunks, parts, lengths = _sums(plan)
    totals = numpy.zeros((count, plan.groups * plan.filters * plan.depth), FLOAT)
    _loop(flat_loops.weight_runs).run(
        parts,
        jit.flat(x),
        jit.flat(g),
        totals.reshape(-1),
        *lengths,
        FOUND,
        phases,
        whole,
        offsets,
        chunks,
        *sizes,
    )
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
        (
            *ends[number : number + 2],
            number * plan.groups * plan.filters * plan.depth,
            group,
            each.start,
            each.stop,
        )
        for number in range(len(runs))
        for group in range(plan.groups)
        for each in blocks(plan.channels, depth)
    ]
    offsets = planes.offsets(depth, step)
    offsets = numpy.concatenate([offsets, numpy.full(SLACK, offsets[-1], OFFSET)])
    whole = numpy.array([0, plan.out[0], 0, 0, plan.out[1], 0], INDEX)
    sizes = flat_loops.FlatSums(
        plan.groups,
        plan.channels,
        *plan.size,
        *plan.stride,
        plan.filters,
        planes.row,
        step,
        flow_step,
        plane_rows,
        *plan.out,
        len(plan.taps),
    )
    lengths = depth * planes.copies * step + SLACK, plan.filters * flow_step + SLACK
    return (
        planes.phases,
        whole,
        offsets,
        sizes,
        len(runs),
        numpy.concatenate(runs).astype(INDEX).reshape(-1),
        numpy.array(parts, INDEX),
        lengths,
    )


def in_runs(chunks, plan, piece):
    """Chunks of windows in lists of at least `piece` multiplications, each with sums of its own."""
    size = plan.groups * plan.filters * plan.depth
    work = plan.batch * prod(plan.out) * size
    several = max(min(len(chunks), PIECES, SUMS // size, work // piece), 1)
    return [chunks[each] for each in blocks(len(chunks), -(-len(chunks) // several))]
