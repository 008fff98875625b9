"""Depthwise convolution and its gradients.

Each channel has its own filters, so there is no matrix product: every kernel position is a
multiply-add.

The padded input is split into the `stride` phases of each dimension. Within a phase a kernel
position is a shift, and a shift of an image whose rows lie end to end is one offset into flat
memory: every kernel position is a long contiguous multiply-add. Rows keep the phase's width, so
each result row carries a few columns more than needed, cut off at the end.

With Numba, images on the host go to compiled loops instead (depthwise_loops.py). Arguments are
as in convolution.py, which checks them; sizes come as its `Geometry`.
"""

from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from ..compiled import door
from ..threads.scheduler import blocks, run

# Elements of a part; three such buffers fit the cache.
BLOCK = 1 << 16


class _Phases(NamedTuple):
    """How the flat phases of one depthwise convolution are stored."""

    size: tuple  # spatial size of one phase
    positions: tuple  # per kernel position: (phase, offset)
    rows: tuple  # shape of a flat result before its extra columns are cut
    length: int  # elements of a flat result that are used


def _phases(geo):
    size = tuple(-(-n // s) for n, s in zip(geo.padded, geo.stride))
    flat = [prod(size[i + 1 :]) for i in range(len(size))]
    positions = []
    for position in np.ndindex(*geo.kernel):
        start = [i * d for i, d in zip(position, geo.dilation)]
        phase = tuple(p % s for p, s in zip(start, geo.stride))
        positions.append((phase, sum(p // s * f for p, s, f in zip(start, geo.stride, flat))))
    rows = (geo.out[0], *size[1:])
    length = sum((n - 1) * f for n, f in zip(geo.out, flat)) + 1
    return _Phases(size, tuple(positions), rows, length)


def _split(xp, x, geo, plan):
    """Returns the phases of the padded input: {phase: array (batch * channels, elements)}."""
    if not any(map(any, geo.pads)) and max(geo.stride) == 1:
        return {plan.positions[0][0]: x.reshape(geo.batch * geo.channels, -1)}
    split = {}
    for phase in dict.fromkeys(phase for phase, _ in plan.positions):
        padded_x = xp.zeros((geo.batch, geo.channels, *plan.size), x.dtype)
        target, source = _phase_slices(phase, geo)
        padded_x[(..., *target)] = x[(..., *source)]
        split[phase] = padded_x.reshape(geo.batch * geo.channels, -1)
    return split


def _phase_slices(phase, geo):
    """Returns two tuples of slices: the part of a phase that holds input, and the elements of the
    input that belong there."""
    target, source = [], []
    for p, s, n, (before, _) in zip(phase, geo.stride, geo.size, geo.pads):
        first = max(-(-(before - p) // s), 0)
        start = first * s + p - before
        count = max(-(-(n - start) // s), 0)
        target.append(slice(first, first + count))
        source.append(slice(start, start + (count - 1) * s + 1, s) if count else slice(0, 0))
    return target, source


def _row_weights(xp, w, geo, multiple):
    """Returns the weights of each channel's filter number `multiple`, one row per sample and
    channel."""
    rows = w.reshape(geo.channels, -1, prod(geo.kernel))[:, multiple]
    whole = xp.empty((geo.batch, geo.channels, rows.shape[1]), w.dtype)
    whole[...] = rows
    return whole.reshape(-1, rows.shape[1])


def convolve(xp, x, w, geo):
    """Returns the convolution described by `geo`, as `conv.convolve` computes it."""
    if (result := door.call("depthwise_convolve", x, w, geo)) is not None:
        return result
    out = xp.empty((geo.batch, geo.filters, *geo.out), x.dtype)

    def work(part, samples, channels, filters):
        out[samples, filters] = _convolve_planes(xp, x[samples, channels], w[filters], part)

    _in_parts(x, geo, work)
    return out


def _convolve_planes(xp, x, w, geo):
    plan = _phases(geo)
    split = _split(xp, x, geo, plan)
    multiples, count = geo.filters // geo.channels, geo.batch * geo.channels
    padded_x = xp.empty((multiples, count, prod(plan.rows)), x.dtype)
    for multiple in range(multiples):
        weights = _row_weights(xp, w, geo, multiple)
        total = padded_x[multiple, :, : plan.length]
        for position, (phase, offset) in enumerate(plan.positions):
            part = split[phase][:, offset : offset + plan.length]
            scale = weights[:, position, None]
            if position == 0:
                xp.multiply(part, scale, out=total)
                term = xp.empty_like(part, order="C")
                continue
            total += xp.multiply(part, scale, out=term)
    padded_x = padded_x.reshape(multiples, geo.batch, geo.channels, *plan.rows)
    padded_x = xp.moveaxis(padded_x[(..., *(slice(0, n) for n in geo.out))], 0, 2)
    return padded_x.reshape(geo.batch, -1, *geo.out)


def _flat_gradient(xp, g, geo, plan):
    """Returns the output gradient in the layout of flat results, with zeros in the extra columns.

    Returns an array (multiples, batch * channels, length), where `multiples` is the number of
    filters per channel.
    """
    multiples = geo.filters // geo.channels
    padded_x = xp.zeros((multiples, geo.batch, geo.channels, *plan.rows), g.dtype)
    parts = g.reshape(geo.batch, geo.channels, multiples, *geo.out)
    padded_x[(..., *(slice(0, n) for n in geo.out))] = xp.moveaxis(parts, 2, 0)
    return padded_x.reshape(multiples, geo.batch * geo.channels, -1)[:, :, : plan.length]


def input_gradient(xp, g, w, geo):
    """Returns the gradient for the input, as `conv.input_gradient` computes it."""
    if (result := door.call("depthwise_input_gradient", g, w, geo)) is not None:
        return result
    grad = xp.zeros((geo.batch, geo.channels, *geo.size), g.dtype)

    def work(part, samples, channels, filters):
        _add_input(xp, grad[samples, channels], g[samples, filters], w[filters], part)

    _in_parts(g, geo, work)
    return grad


def _add_input(xp, grad, g, w, geo):
    """Writes the input gradient to `grad`, which holds zeros."""
    plan = _phases(geo)
    flat = _flat_gradient(xp, g, geo, plan)
    split = {
        phase: xp.zeros((flat.shape[1], prod(plan.size)), g.dtype) for phase, _ in plan.positions
    }
    term = xp.empty(flat.shape[1:], g.dtype)
    for multiple, part in enumerate(flat):
        weights = _row_weights(xp, w, geo, multiple)
        for position, (phase, offset) in enumerate(plan.positions):
            target = split[phase][:, offset : offset + plan.length]
            target += xp.multiply(part, weights[:, position, None], out=term)
    for phase, flat in split.items():
        inner, source = _phase_slices(phase, geo)
        flat = flat.reshape(geo.batch, geo.channels, *plan.size)
        grad[(..., *source)] = flat[(..., *inner)]


def weight_gradient(xp, g, x, geo):
    """Returns the gradient for the weights, as `conv.weight_gradient` computes it."""
    if (result := door.call("depthwise_weight_gradient", g, x, geo)) is not None:
        return result
    positions = prod(geo.kernel)
    grads = xp.empty((geo.batch, geo.filters, positions), x.dtype)

    def work(part, samples, channels, filters):
        result = _products(xp, g[samples, filters], x[samples, channels], part)
        grads[samples, filters] = result.reshape(part.batch, part.filters, positions)

    _in_parts(x, geo, work)
    return grads.sum(0).reshape(geo.filters, 1, *geo.kernel)


def _products(xp, g, x, geo):
    """Returns the weight gradients of each sample, which the caller adds: (batch, channels,
    multiples, kernel positions)."""
    plan = _phases(geo)
    flat = _flat_gradient(xp, g, geo, plan)
    split = _split(xp, x, geo, plan)
    dots = xp.empty((*flat.shape[:2], prod(geo.kernel)), x.dtype)
    for multiple, row in enumerate(flat):
        for position, (phase, offset) in enumerate(plan.positions):
            part = split[phase][:, offset : offset + plan.length, None]
            dots[multiple, :, position] = xp.matmul(row[:, None, :], part)[:, 0, 0]
    dots = dots.reshape(-1, geo.batch, geo.channels, dots.shape[-1])
    return xp.moveaxis(dots, 0, 2)


def _in_parts(x, geo, work):
    """Calls `work(geometry, samples, channels, filters)` for parts of a convolution.

    On the host, a part is a set of planes that fit the cache, and threads share the parts. On a
    device there is one part.
    """
    area = prod(-(-n // s) for n, s in zip(geo.padded, geo.stride))
    channels = min(max(BLOCK // area, 1), geo.channels)
    samples = max(BLOCK // (area * geo.channels), 1)
    if not isinstance(x, np.ndarray):
        channels, samples = geo.channels, geo.batch
    multiples = geo.filters // geo.channels
    parts = list(product(blocks(geo.batch, samples), blocks(geo.channels, channels)))

    def one(number):
        sample, channel = parts[number]
        count = channel.stop - channel.start
        part = geo._replace(
            batch=sample.stop - sample.start,
            channels=count,
            groups=count,
            filters=count * multiples,
        )
        filters = slice(channel.start * multiples, channel.stop * multiples)
        work(part, sample, channel, filters)

    if isinstance(x, np.ndarray):
        run(one, len(parts))
    else:
        one(0)
