"""Convolution of images and its two gradients as compiled loops of the host (compiled.py).

No windows are copied. The planes of a sample are copied into zeros that hold their padding, with
rows of one length behind one another: a kernel position is then an offset into flat memory, and a
result is `out[f, p] = sum of w[f, k] * padded[p + offset(k)]` over channels and kernel positions
`k`, a product of matrices whose tiles stay in registers (vector_tiles.py). Positions `p` between
the rows of the result are computed with the others and left out. With a stride, each phase of the
planes is a plane of its own, so that neighbours in the result are neighbours in memory.

The gradient for the input is such a correlation too, of the result's gradient with the kernel
turned around, one for each phase of the input. That for the weights is scalar products of the
result's gradient, with zeros between its rows, and the padded planes shifted by each offset.

Loops are for float32 and two spatial dimensions; each function gives None for other cases, and
while there is no loop yet. The padded planes are at most some megabytes for each thread.
"""

import functools
import math
from itertools import product
from math import prod
from typing import NamedTuple

import numpy

from . import compiled, conv_loops
from .scheduler import blocks, run

FLOAT, INDEX = numpy.dtype(numpy.float32), numpy.dtype(numpy.int64)
OFFSET = numpy.dtype(numpy.int32)
LEAST = 1 << 18  # multiplications below which a call costs as much as it saves
PIECE = 1 << 23  # multiplications of a piece, at least
PIECES = 16  # of a call, where they need not be smaller to fit the cache
CACHE = 1 << 18  # elements of planes or weights that stay in a core's cache
SMALL = 1 << 16  # weights of a group of which matrices are small
SPAN = 2048  # elements of the rows whose scalar products are made at once
SUMS = 1 << 22  # elements of the sums that pieces of the weights' gradient have of their own
VECTOR = 16  # elements of the longest vectors
SLACK = 64  # elements that a tile may read behind the planes, or `dots` offsets behind the last
FOUND = 512  # elements of the largest tile


class Correlation(NamedTuple):
    """Images correlated with filters at unit steps of the planes' phases."""

    images: int  # for each sample and group
    groups: int
    channels: int  # of an image
    filters: int  # of a group
    size: tuple
    before: tuple  # zeros above and to the left; negative where rows or columns are left out
    stride: tuple
    taps: tuple  # for each kernel position its rows and columns from the first
    out: tuple  # the size of the result
    target: tuple  # that of the array it is written to
    start: tuple  # where in that array it begins
    step: tuple  # and its steps


class _Axis(NamedTuple):
    """One spatial dimension of padded planes."""

    phases: tuple  # for each phase: its number, zeros before, length, the first element
    length: int  # from the first element of a plane, or row, to that of the next
    reach: int  # how much further than the result windows reach


def _axis(size, before, stride, taps, out):
    """How a dimension is stored. What follows one row is what precedes the next, so their zeros
    are shared."""
    reach = max((t // stride for t in taps), default=0)
    phases, length = [], out
    for phase in sorted({t % stride for t in taps}):
        lead = max(-(-(before - phase) // stride), 0)
        start = lead * stride + phase - before
        count = max(min(-(-(size - start) // stride), out + reach - lead), 0)
        behind = max(out + reach - lead - count, 0)
        phases.append((phase, lead, count, start))
        length = max(length, count + max(lead, behind))
    return _Axis(tuple(phases), length, reach)


class _Planes(NamedTuple):
    """How all dimensions of padded planes are stored."""

    axes: tuple
    phases: object  # six numbers for each pair of phases
    stride: tuple
    taps: tuple

    @classmethod
    def of(cls, size, before, stride, taps, out):
        """The planes of images for windows at `taps`."""
        axes = tuple(
            _axis(*given, {t[axis] for t in taps}, out[axis])
            for axis, given in enumerate(zip(size, before, stride, strict=True))
        )
        numbers = [(*y[1:], *x[1:]) for y, x in product(axes[0].phases, axes[1].phases)]
        return cls(axes, numpy.array(numbers, INDEX).reshape(-1), stride, taps)

    @property
    def row(self):
        return self.axes[1].length

    def step(self, length):
        """The step from a plane to the next. An odd number of cache lines, so that the same row of
        several planes is not in the same set of the cache."""
        return _odd(length * self.row + self.axes[1].reach + VECTOR)

    def offsets(self, channels, step):
        """Where the window's elements are for each channel and kernel position."""
        y, x = ([phase[0] for phase in axis.phases] for axis in self.axes)
        found = [
            (y.index(a % self.stride[0]) * len(x) + x.index(b % self.stride[1])) * step
            + a // self.stride[0] * self.row
            + b // self.stride[1]
            for a, b in self.taps
        ]
        planes = numpy.arange(channels)[:, None] * (len(y) * len(x) * step)
        return (planes + numpy.array(found, INDEX)).reshape(-1).astype(OFFSET)


def _odd(count):
    return (-(-count // VECTOR) | 1) * VECTOR


# Loops --------------------------------------------------------------------------------------------


@functools.cache
def _loop(function, floats, indices, offsets, numbers):
    parameters = [(FLOAT, True)] * floats + [(INDEX, True)] * indices
    parameters += [(OFFSET, True)] * offsets + [(INDEX, False)] * numbers
    text = functools.partial(conv_loops.text, function)
    return compiled.Loop(text, parameters, False, function.__name__, conv_loops.LIBRARY)


def _loops():
    """The loops by name, or None while one of them is not ready."""
    found = (
        _loop(conv_loops.pack, 2, 1, 0, 7),
        _loop(conv_loops.correlate, 5, 1, 1, 21),
        _loop(conv_loops.weight_sums, 6, 2, 1, 21),
    )
    return found if all([loop.ready or loop.request() for loop in found]) else None


def _fits(geo, x, other):
    """True if loops take these arrays."""
    return (
        compiled.available()
        and type(x) is type(other) is numpy.ndarray
        and len(geo.size) == 2
        and x.dtype == other.dtype == FLOAT
        and min(map(min, geo.pads)) >= 0
        and geo.batch * prod(geo.out) * geo.filters * _depth(geo) >= LEAST
        and _gains(geo)
    )


def _gains(geo):
    """True if the loops are faster than products of matrices: of large matrices only where few
    positions lie between rows."""
    row = geo.size[1] + max(geo.pads[1])
    positions = (geo.out[0] - 1) * row + geo.out[1]
    used = prod(geo.out) / (-(-positions // VECTOR) * VECTOR)
    small = geo.filters // geo.groups * _depth(geo) <= SMALL
    return max(geo.stride) == 1 and used >= (0.6 if small else 0.9)


def _finite(x):
    """False if an array has an infinity or NaN; or numbers so large that their sum is infinite."""
    with numpy.errstate(invalid="ignore", over="ignore"):
        return math.isfinite(x.sum())


def _depth(geo):
    return geo.channels // geo.groups * prod(geo.kernel)


def _taps(geo):
    return tuple(product(*(range(0, k * d, d) for k, d in zip(geo.kernel, geo.dilation))))


# Correlations -------------------------------------------------------------------------------------


def convolve(x, w, geo):
    """The convolution described by `geo`, as `conv.convolve` computes it."""
    if not _fits(geo, x, w) or (loops := _loops()) is None:
        return None
    channels, filters = geo.channels // geo.groups, geo.filters // geo.groups
    plan = Correlation(
        geo.batch * geo.groups, geo.groups, channels, filters, geo.size,
        tuple(before for before, _ in geo.pads), geo.stride, _taps(geo), geo.out, geo.out, (0, 0),
        (1, 1),
    )  # fmt: skip
    area = prod(geo.kernel)
    places = numpy.arange(area)
    out = numpy.empty((geo.batch, geo.filters, *geo.out), FLOAT)
    packed = _packed(loops, w, geo.groups, filters, (channels, area), channels * area, places)
    _correlate(loops, x, packed, out, plan)
    return out


def input_gradient(g, w, geo):
    """The gradient of `convolve` for its input."""
    if not _fits(geo, g, w) or (loops := _loops()) is None:
        return None
    if not _finite(w):  # which the zeros around the gradient would be multiplied by
        return None
    channels, filters = geo.channels // geo.groups, geo.filters // geo.groups
    area = prod(geo.kernel)
    out = numpy.empty((geo.batch, geo.channels, *geo.size), FLOAT)
    for start in product(*map(range, geo.stride)):
        places, before, taps = _turned(geo, start)
        size = tuple(-(-(n - a) // s) for n, a, s in zip(geo.size, start, geo.stride))
        if min(size) < 1:
            continue
        plan = Correlation(
            geo.batch * geo.groups, geo.groups, filters, channels, geo.out, before, (1, 1), taps,
            size, geo.size, start, geo.stride,
        )  # fmt: skip
        packed = _packed(loops, w, geo.groups, channels, (filters, channels * area), area, places)
        _correlate(loops, g, packed, out, plan)
    return out


def _turned(geo, start):
    """The kernel positions that reach the phase `start` of the input: their places in the kernel,
    the zeros before the result's gradient, and its rows and columns under them."""
    axes = []
    for k, d, s, a, (before, _) in zip(geo.kernel, geo.dilation, geo.stride, start, geo.pads):
        axes.append(
            [(i, (a + before - i * d) // s) for i in range(k) if not (a + before - i * d) % s]
        )
    first = [min((at for _, at in axis), default=0) for axis in axes]
    places = [y * geo.kernel[1] + x for (y, _), (x, _) in product(*axes)]
    taps = tuple((y - first[0], x - first[1]) for (_, y), (_, x) in product(*axes))
    return numpy.array(places, INDEX), tuple(-each for each in first), taps


def _packed(loops, w, groups, filters, depth, row_step, places):
    """The weights of all groups in the order of tiles.

    Args:
        loops: the compiled loops.
        w: the weights.
        groups, filters: how many groups there are, and results of one.
        depth: the channels of a group, and the step from one to the next.
        row_step: the step from one result to the next.
        places: the place of each kernel position.
    """
    packed = numpy.empty(groups * filters * depth[0] * places.size, FLOAT)
    parts = list(product(range(groups), blocks(filters, 64)))
    given, whole = compiled.flat(w), w.size // groups
    own = packed.size // groups

    def work(number):
        group, part = parts[number]
        loops[0].ready(
            given, packed[group * own : (group + 1) * own], places, group * whole, part.start,
            part.stop, filters, row_step, *depth,
        )  # fmt: skip

    run(work, len(parts))
    return packed


@functools.lru_cache(maxsize=256)
def _correlation(plan):
    """The pieces, offsets and sizes of a correlation."""
    planes = _Planes.of(plan.size, plan.before, plan.stride, plan.taps, plan.out)
    reach, count = planes.axes[0].reach, plan.channels * len(plan.taps)
    copies = max(plan.channels * planes.phases.size // 6, 1)
    height = max(min(plan.out[0], CACHE // (copies * planes.row) - reach), 1)
    filters = max(CACHE // max(count, 1) // 8, 1) * 8
    filters = min(plan.filters, filters)
    work = height * plan.out[1] * filters * count
    several = -(-plan.images * (plan.out[0] / height) * (plan.filters / filters) // 1)
    if several < PIECES and work > PIECE:
        height = max(height * PIECE // work, -(-height // PIECES), 1)
    height = -(-plan.out[0] // -(-plan.out[0] // height))
    work = height * plan.out[1] * filters * count
    images = max(min(-(-plan.images // PIECES), plan.images), PIECE // max(work, 1), 1)
    if height < plan.out[0]:
        images = 1
    step = planes.step(height + reach)
    pieces = [
        (each.start, each.stop, rows.start, rows.stop, own.start, own.stop)
        for each in blocks(plan.images, images)
        for rows in blocks(plan.out[0], height)
        for own in blocks(plan.filters, filters)
    ]
    sizes = (
        plan.groups, plan.channels, *plan.size, *plan.stride, plan.filters, planes.row, step, reach,
        plan.out[1], prod(plan.target), plan.start[0] * plan.target[1] + plan.start[1],
        plan.step[0] * plan.target[1], plan.step[1],
    )  # fmt: skip
    return planes.phases, planes.offsets(plan.channels, step), sizes, pieces, copies * step + SLACK


def _correlate(loops, x, packed, out, plan):
    """Writes a correlation of images with filters to `out`."""
    phases, offsets, sizes, pieces, length = _correlation(plan)
    given = compiled.flat(x), packed, out.reshape(-1)

    def work(number):
        padded = numpy.empty(length, FLOAT)
        padded[-SLACK:] = 0
        found = numpy.empty(FOUND, FLOAT)
        loops[1].ready(*given, padded, found, phases, offsets, *pieces[number], *sizes)

    run(work, len(pieces))


# Gradients of weights -----------------------------------------------------------------------------


def weight_gradient(g, x, geo):
    """The gradient of `convolve` for its weights."""
    if not _fits(geo, x, g) or (loops := _loops()) is None:
        return None
    phases, whole, offsets, sizes, runs, ranges, lengths = _sums(geo)
    size = geo.filters * _depth(geo)
    totals = numpy.zeros((len(runs), size), FLOAT)
    given = compiled.flat(x), compiled.flat(g)
    parts = list(product(range(len(runs)), ranges))

    def work(number):
        own, part = parts[number]
        padded, flows, found = (numpy.empty(length, FLOAT) for length in (*lengths, FOUND))
        padded[-SLACK:] = 0
        for chunk in runs[own]:
            loops[2].ready(
                *given, totals[own], padded, flows, found, phases, whole, offsets, *chunk, *part,
                *sizes,
            )  # fmt: skip

    run(work, len(parts))
    grad = totals[0]
    for each in totals[1:]:
        grad += each
    # Zeros between the rows have been multiplied by elements that no window has there.
    if not _finite(grad):
        return None
    return grad.reshape(geo.filters, geo.channels // geo.groups, *geo.kernel)


@functools.lru_cache(maxsize=256)
def _sums(geo):
    """The pieces, offsets and sizes of the gradient for the weights."""
    channels, filters = geo.channels // geo.groups, geo.filters // geo.groups
    before = tuple(each for each, _ in geo.pads)
    planes = _Planes.of(geo.size, before, geo.stride, _taps(geo), geo.out)
    plane = planes.axes[0].length * planes.row
    samples, height = max(min(SPAN // plane, geo.batch), 1), geo.out[0]
    plane_rows = planes.axes[0].length
    if plane > 2 * SPAN:
        height = max(SPAN // planes.row, 1)
        height = -(-height // -(-geo.out[0] // height)) if height > geo.out[0] else height
        plane_rows = height + planes.axes[0].reach
    length = (samples - 1) * plane_rows + height
    flow_step = _odd(length * planes.row + VECTOR)
    step = planes.step(length + planes.axes[0].reach)
    copies = planes.phases.size // 6
    depth = max(min(channels, CACHE // (copies * step)), 1)
    chunks = [
        (each.start, each.stop, rows.start, rows.stop)
        for each in blocks(geo.batch, samples)
        for rows in blocks(geo.out[0], height)
    ]
    work = geo.batch * prod(geo.out) * geo.filters * _depth(geo)
    several = max(min(len(chunks), PIECES, SUMS // (geo.filters * _depth(geo)), work // PIECE), 1)
    runs = [chunks[each] for each in blocks(len(chunks), -(-len(chunks) // several))]
    ranges = [
        (group, each.start, each.stop)
        for group in range(geo.groups)
        for each in blocks(channels, depth)
    ]
    offsets = planes.offsets(depth, step)
    offsets = numpy.concatenate([offsets, numpy.full(SLACK, offsets[-1], OFFSET)])
    whole = numpy.array([0, geo.out[0], 0, 0, geo.out[1], 0], INDEX)
    sizes = (
        geo.groups, channels, *geo.size, *geo.stride, filters, planes.row, step, flow_step,
        plane_rows, *geo.out, prod(geo.kernel),
    )  # fmt: skip
    lengths = depth * copies * step + SLACK, filters * flow_step + SLACK
    return planes.phases, whole, offsets, sizes, runs, ranges, lengths
