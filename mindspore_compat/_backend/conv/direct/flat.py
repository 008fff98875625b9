"""Convolution of images by correlation of flat planes.

The planes of a sample are copied into zeros that provide their padding, with rows of equal length
one after another. A kernel position is then an offset into flat memory, and a result is
`out[f, p] = sum of w[f, k] * padded[p + offset(k)]` over channels and kernel positions `k`, with
vectors along the positions `p`. Positions between the rows of the result are computed too and then
dropped, so this algorithm suits wide planes. With a stride, each phase of the planes is stored as a
plane of its own, so that neighbours in the result are neighbours in memory.

The weight gradient consists of scalar products of the output gradient, with zeros between its rows,
and the padded planes shifted by each offset.
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

PIECE = 1 << 21  # least multiplications of a piece
SPAN = 2048  # elements of the rows whose scalar products are computed at once


def _loop(function):
    return loop_of(function, flat_loops.LIBRARY)


def is_ready():
    """Returns True if the loops can run; otherwise requests their compilation."""
    return all(
        [
            _loop(function).is_ready()
            for function in (flat_loops.pack, flat_loops.correlate, flat_loops.weight_runs)
        ]
    )


def correlate(x, weights, out, plan):
    """Correlates images with filters and writes the result to `out`.

    Args:
        x: the images.
        weights: the Weights that locate the filters.
        out: the array to which the result is written, at the places that `plan` gives.
        plan: the Correlation.
    """
    correlate_phases(x, [weights], out, (plan,))


def correlate_phases(x, weights, out, plans):
    """Correlates the same images, which are copied once, with several sets of filters.

    Args:
        x: the images.
        weights: for each correlation, the Weights that locate its filters.
        out: the array; each correlation writes a part of it.
        plans (tuple): a Correlation for each. They differ in the zeros before, the kernel
            positions, the size of the result and its start.
    """
    phases, offsets, results, sizes, parts, pieces, length = _correlations(plans)
    first = plans[0]
    # The weights, in the order in which tiles read them.
    packed = numpy.empty(sum(plan.groups * plan.filters * plan.depth for plan in plans), FLOAT)
    for weight, start in zip(weights, results[:: len(_Result._fields)], strict=True):
        _loop(flat_loops.pack).run(
            parts, weight.values, packed[start:], weight.indices, *weight.sizes(first)
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
    """The sizes of one of several correlations, a row of the table `results` of
    flat_loops.correlate."""

    packed: int  # the start of its weights
    offset: int  # the start of its offsets
    count: int  # the number of its offsets, and so of the products of each sum
    rows: int
    columns: int
    start: int  # the start of the result in a channel of the array that is written to


@functools.lru_cache(maxsize=256)
def _correlations(plans):
    """Returns the offsets and sizes of correlations, the pieces in which their weights are packed,
    and the pieces and memory of the correlations."""
    first = plans[0]
    before = tuple(max(margins) for margins in zip(*(plan.before for plan in plans)))
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
        (group, block.start, block.stop)
        for group in range(first.groups)
        for block in blocks(first.filters, 64)
    ]
    pieces = [
        (block.start, block.stop, rows.start, rows.stop, part.start, part.stop)
        for block in blocks(images, samples)
        for rows in blocks(height, height_of_piece)
        for part in filters
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
    offsets = [planes._replace(taps=part).offsets(first.channels, step) for part in taps]
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
    """Returns the filter gradient of a correlation of `x`, (groups, filters, channels, kernel
    positions).

    It has a NaN where an element of `x` is infinite or NaN.
    """
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
    for total in totals[1:]:
        grad += total
    return grad


@functools.lru_cache(maxsize=256)
def _sums(plan):
    """Plans the partial sums of the weight gradient.

    Returns:
        tuple: the offsets and sizes that the loop needs, the number of partial sums, the samples
        and rows of each partial sum, the pieces of the work, and their memory.
    """
    planes = Planes.of(plan.size, plan.before, plan.stride, plan.taps, plan.out)
    height, plane_rows = plan.out[0], planes.axes[0].length
    samples = max(min(SPAN // (plane_rows * planes.row), plan.batch), 1)
    if plane_rows * planes.row > 2 * SPAN:
        height = min(max(SPAN // planes.row, 1), height)
        plane_rows = height + planes.reach
    length = (samples - 1) * plane_rows + height
    flow_step = odd_lines(length * planes.row + VECTOR)
    step = planes.step(length + plane_rows)
    depth = max(min(plan.channels, CACHE // (planes.copies * step)), 1)
    chunks = [
        (block.start, block.stop, rows.start, rows.stop)
        for block in blocks(plan.batch, samples)
        for rows in blocks(plan.out[0], height)
    ]
    runs = in_runs(chunks, plan, PIECE)
    ends = [0, *accumulate(map(len, runs))]
    parts = [
        (
            *ends[number : number + 2],
            number * plan.groups * plan.filters * plan.depth,
            group,
            block.start,
            block.stop,
        )
        for number in range(len(runs))
        for group in range(plan.groups)
        for block in blocks(plan.channels, depth)
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
    """Groups chunks of windows into lists of at least `piece` multiplications. Each list has one
    partial sum of the weight gradient."""
    size = plan.groups * plan.filters * plan.depth
    work = plan.batch * prod(plan.out) * size
    count = max(min(len(chunks), PIECES, SUMS // size, work // piece), 1)
    return [chunks[block] for block in blocks(len(chunks), -(-len(chunks) // count))]
