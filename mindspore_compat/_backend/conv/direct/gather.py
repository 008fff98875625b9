"""Convolution of images as products of gathered windows and packed weights.

The planes of several samples are copied into zeros that provide their padding. The address of a
window element is then the start of the window plus the offset of the channel and kernel position. A
tile of several windows by several filters, with vectors along the filters, therefore reads both in
place: `out[p, f] = sum of padded[start(p) + offset(k)] * w[k, f]` over the window elements `k`. It
computes no unused position, with any stride. Results are written with the axes exchanged, so this
algorithm suits long sums and many filters.

In the weight gradient, windows `p` and elements `k` exchange their roles: it is `sum of
padded[offset(k) + start(p)] * g[p, f]` over the windows `p`.
"""

import functools
from itertools import accumulate
from math import prod

import numpy

from ...compiled import jit
from ...threads.parallel_loops import FLOAT, INDEX, aligned, loop_of
from ...threads.scheduler import blocks
from . import gather_loops
from .flat import in_runs
from .planes import CACHE, PIECES, SLACK, VECTOR, WIDEST, Planes, cut

PIECE = 1 << 23  # least multiplications of a piece
SAMPLES = 1 << 21  # the same for a piece that copies only its own planes
FEWEST = 128  # least windows for each pass over the weights, which may not fit the cache
WINDOWS = 1024  # windows that one step of the weight gradient sums over
CHANNELS = 64  # least channels of a piece of that sum; each piece copies the other factor again

_LOOPS = (
    gather_loops.pack_beside,
    gather_loops.gather_correlate,
    gather_loops.gather_weight_runs,
    gather_loops.add_transposed,
)


def _loop(function):
    return loop_of(function, gather_loops.LIBRARY)


def is_ready():
    """Returns True if the loops can run; otherwise requests their compilation."""
    return all([_loop(function).is_ready() for function in _LOOPS])


def correlate(x, weights, out, plan):
    """Correlates images and writes to `out`; the arguments are those of `flat.correlate`."""
    phases, offsets, parts, packed, pieces, sizes, length, windows = _correlation(plan)
    packed = aligned(packed)
    _loop(gather_loops.pack_beside).run(
        parts, weights.values, packed, weights.indices, *weights.sizes(plan)
    )
    buffer = min(windows, gather_loops.WINDOWS) * WIDEST
    _loop(gather_loops.gather_correlate).run(
        pieces,
        jit.flat(x),
        packed,
        out.reshape(-1),
        length,
        buffer,
        phases,
        windows,
        offsets,
        windows,
        *sizes,
    )


def _planes(plan):
    out = tuple((n - 1) * s + 1 for n, s in zip(plan.out, plan.stride, strict=True))
    return Planes.of(plan.size, plan.before, (1, 1), plan.taps, out)


def _rows(height, plan, planes):
    """Returns the number of plane rows that `height` rows of the result need."""
    return (height - 1) * plan.stride[0] + 1 + planes.reach


@functools.lru_cache(maxsize=256)
def _correlation(plan):
    """Returns the pieces, offsets and sizes of a correlation; the pieces in which its weights are
    packed, and the packed elements. The filters of a piece start so that a whole tile fits behind
    them."""
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
    count = max(-(-min(work // PIECE, PIECES) // parts), 1)
    filters = blocks(plan.filters, -(-plan.filters // count // WIDEST) * WIDEST)
    step = planes.step(_rows(height, plan, planes))
    size = (plan.filters + len(filters) * WIDEST) * plan.depth  # of a group
    packed = [
        (group * size + (part.start + index * WIDEST) * plan.depth, group, part.start, part.stop)
        for group in range(plan.groups)
        for index, part in enumerate(filters)
    ]
    pieces = [
        (block.start, block.stop, rows.start, rows.stop, first, last, group, at)
        for block in blocks(plan.batch, samples)
        for rows in blocks(plan.out[0], height)
        for at, group, first, last in packed
    ]
    packed = [(at, group, first, last - first) for at, group, first, last in packed]
    sizes = gather_loops.GatherSizes(
        plan.groups,
        plan.channels,
        *plan.size,
        *plan.stride,
        plan.filters,
        planes.row,
        step,
        planes.reach,
        plan.out[1],
        *plan.writes,
    )
    offsets = planes.offsets(plan.channels, step)
    length, windows = samples * plan.channels * step + SLACK, samples * height * plan.out[1]
    return (
        planes.phases,
        offsets,
        numpy.array(packed, INDEX),
        plan.groups * size,
        numpy.array(pieces, INDEX),
        sizes,
        length,
        windows,
    )


def weight_gradient(g, x, plan):
    """Returns the filter gradient of a correlation of `x`, (groups, filters, channels, kernel
    positions)."""
    phases, offsets, sizes, count, chunks, parts, rows, lengths = _sums(plan)
    columns = sizes[-1]
    totals = numpy.zeros(count * plan.groups * plan.depth * columns, FLOAT)
    padded, flows, windows = lengths
    _loop(gather_loops.gather_weight_runs).run(
        parts,
        jit.flat(x),
        jit.flat(g),
        totals,
        padded,
        flows,
        phases,
        offsets,
        windows,
        chunks,
        *sizes,
    )
    grad = numpy.empty(plan.groups * plan.filters * plan.depth, FLOAT)
    _loop(gather_loops.add_transposed).run(
        rows, totals, count, grad, plan.depth, columns, plan.filters
    )
    return grad


@functools.lru_cache(maxsize=256)
def _sums(plan):
    """Returns, for the partial sums of a weight gradient: its offsets and sizes, their number, the
    samples and rows of each, the pieces that compute them, the pieces that add them, and their
    memory."""
    planes = _planes(plan)
    height, area = plan.out[0], prod(plan.out)
    samples = max(min(WINDOWS // area, plan.batch), 1)
    if area > 2 * WINDOWS:
        height = max(WINDOWS // plan.out[1], 1)
    step = planes.step(_rows(height, plan, planes))
    chunks = [
        (block.start, block.stop, rows.start, rows.stop)
        for block in blocks(plan.batch, samples)
        for rows in blocks(plan.out[0], height)
    ]
    runs = in_runs(chunks, plan, SAMPLES)
    work = plan.batch * area * plan.groups * plan.filters * plan.depth
    count = max(min(work // PIECE, PIECES) // (len(runs) * plan.groups), 1)
    depth = max(min(plan.channels, CACHE // (samples * step)), 1)
    depth = min(depth, max(-(-plan.channels // count), CHANNELS))
    columns = -(-plan.filters // VECTOR) * VECTOR
    ends = [0, *accumulate(map(len, runs))]
    parts = [
        (
            *ends[number : number + 2],
            number * plan.groups * plan.depth * columns,
            group,
            block.start,
            block.stop,
        )
        for number in range(len(runs))
        for group in range(plan.groups)
        for block in blocks(plan.channels, depth)
    ]
    rows = [
        (group, block.start, block.stop)
        for group in range(plan.groups)
        for block in blocks(plan.depth, 256)
    ]
    sizes = gather_loops.GatherSums(
        plan.groups,
        plan.channels,
        *plan.size,
        *plan.stride,
        plan.filters,
        planes.row,
        step,
        planes.reach,
        *plan.out,
        len(plan.taps),
        columns,
    )
    windows = samples * height * plan.out[1]
    lengths = samples * depth * step + SLACK, windows * (plan.filters + WIDEST) + SLACK, windows
    return (
        planes.phases,
        planes.offsets(depth, step),
        sizes,
        len(runs),
        numpy.concatenate(runs).astype(INDEX).reshape(-1),
        numpy.array(parts, INDEX),
        numpy.array(rows, INDEX),
        lengths,
    )
