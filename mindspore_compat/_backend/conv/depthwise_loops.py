"""Depthwise 2-D convolution and its gradients as compiled host loops (compiled/jit.py).

Each plane (one channel of one sample) is copied into zeros that provide its padding. One loop then
computes a row of results, with the kernel positions unrolled. The input gradient is the same
correlation: the output gradient, with `stride - 1` zeros between its elements, is correlated with
the flipped kernel. The weight gradient is one loop over such planes, with a sum for each position.

The loops support float32, two spatial dimensions, and one filter per channel.
"""

import functools
from math import prod
from typing import NamedTuple

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..threads import parallel_loops
from ..threads.parallel_loops import FLOAT

BLOCK = 1 << 17  # elements of a piece
MOST = 25  # kernel positions that one loop handles

_CORRELATION = """def {name}(x, w, out, padded, channels, height, width, top, left, row, out_height,
        out_width, dilation_y, dilation_x, first, last):
    for i in range(padded.size):
        padded[i] = 0
    for plane in range(first, last):
        channel = plane % channels
        for y in range(height):
            a = x[(plane * height + y) * width : (plane * height + y + 1) * width]
            b = padded[(top + y * {between}) * row + left :]
            for i in range(width):
                b[i * {between}] = a[i]
{weights}
        for y in range(out_height):
            start = y * {stride} * row
            p = out[(plane * out_height + y) * out_width : (plane * out_height + y + 1) * out_width]
{loops}
"""
_WEIGHTS = """def {name}(x, g, out, padded, flows, height, width, top, left, row, out_height,
        out_width, dilation_y, dilation_x, first, last):
    for i in range(padded.size):
        padded[i] = flows[i] = 0
    length = (out_height - 1) * {stride_y} * row + (out_width - 1) * {stride_x} + 1
    for plane in range(first, last):
        for y in range(height):
            a = x[(plane * height + y) * width : (plane * height + y + 1) * width]
            b = padded[(top + y) * row + left :]
            for i in range(width):
                b[i] = a[i]
        for y in range(out_height):
            a = g[(plane * out_height + y) * out_width : (plane * out_height + y + 1) * out_width]
            b = flows[y * {stride_y} * row :]
            for i in range(out_width):
                b[i * {stride_x}] = a[i]
        f = flows[:length]
{loops}
"""


class _Plan(NamedTuple):
    """The sizes of a correlation of padded planes, for the convolution or its input gradient."""

    size: tuple  # the size of a plane
    before: tuple  # the numbers of zeros above and to the left of it
    padded: tuple  # the size of the zero-padded plane
    out: tuple  # the size of a result
    stride: tuple
    between: tuple  # the distance of the plane's elements in the padded plane


def _groups(kernel):
    """Returns the numbers and offsets of the kernel positions, in groups that one loop can
    handle."""
    positions = [
        (number, f"{y} * dilation_y * row + {x} * dilation_x")
        for number, (y, x) in enumerate(numpy.ndindex(*kernel))
    ]
    return [positions[start : start + MOST] for start in range(0, len(positions), MOST)]


def _indented(lines, depth):
    return "\n".join("    " * depth + line for line in lines)


def _correlation_text(kernel, stride, between, name):
    count, lines = prod(kernel), []
    for group in _groups(kernel):
        lines += [f"a{number} = padded[start + {offset} :]" for number, offset in group]
        terms = " + ".join(f"v{number} * a{number}[i * {stride[1]}]" for number, _ in group)
        lines.append("for i in range(out_width):")
        lines.append(f"    p[i] {'+=' if group[0][0] else '='} {terms}")
    return _CORRELATION.format(
        name=name,
        between=between[0],
        stride=stride[0],
        weights=_indented([f"v{n} = w[channel * {count} + {n}]" for n in range(count)], 2),
        loops=_indented(lines, 3),
    )


def _weights_text(kernel, stride, name):
    count, lines = prod(kernel), []
    for group in _groups(kernel):
        for number, offset in group:
            lines += [f"a{number} = padded[{offset} :]", f"t{number} = single(0)"]
        lines.append("for i in range(length):")
        lines += [f"    t{n} = sum_in_any_order(t{n}, f[i] * a{n}[i])" for n, _ in group]
        lines += [f"out[plane * {count} + {n}] = t{n}" for n, _ in group]
    return _WEIGHTS.format(
        name=name, stride_y=stride[0], stride_x=stride[1], loops=_indented(lines, 2)
    )


@jit.made_once
def _loop(text, memories, numbers, *shapes):
    """Returns a ParallelLoop over planes.

    Args:
        text: `text(*shapes, name)` returns the source of the loop.
        memories, numbers (int): the numbers of buffers and of sizes that it takes after its three
            arrays.
        shapes: the arguments of `text`.
    """
    parameters = [parallel_loops.array(FLOAT)] * 3 + [parallel_loops.memory(FLOAT)] * memories
    parameters += [parallel_loops.number()] * numbers
    parameters += [parallel_loops.piece(0), parallel_loops.piece(1)]
    text = functools.partial(text, *shapes)
    return parallel_loops.ParallelLoop(text, parameters, True, "depthwise")


def _is_image(x, other, geo):
    """Returns True for float32 images with one filter per channel."""
    return (
        type(x) is numpy.ndarray
        and len(geo.size) == 2
        and geo.filters == geo.channels
        and x.dtype == other.dtype == FLOAT
        and x.size > 0
        and min(map(min, geo.pads)) >= 0
    )


def _before(geo):
    return tuple(first for first, _ in geo.pads)


@functools.lru_cache(maxsize=256)
def _of_images(geo):
    """Returns the plan that correlates the images."""
    return _Plan(geo.size, _before(geo), geo.padded, geo.out, geo.stride, (1, 1))


@functools.lru_cache(maxsize=256)
def _of_gradients(geo):
    """Returns the plan of the input gradient: a correlation of the output gradient."""
    rest, extent = _rest(geo), _extent(geo)
    padded = tuple(n + e for n, e in zip(geo.size, extent))
    return _Plan(geo.out, (rest[0], rest[2]), padded, geo.size, (1, 1), geo.stride)


def _extent(geo):
    return [d * (k - 1) for k, d in zip(geo.kernel, geo.dilation)]


def _rest(geo):
    """Returns the zeros around the output gradient: above, below, to the left and to the right."""
    return [e - pad for e, pads in zip(_extent(geo), geo.pads) for pad in pads]


def _correlation(geo, plan):
    return _loop(_correlation_text, 1, 10, geo.kernel, plan.stride, plan.between)


@serves(
    "depthwise_convolve",
    least="DEPTHWISE",
    takes=_is_image,
    loops=lambda x, w, geo: [_correlation(geo, _of_images(geo))],
)
def convolve(x, w, geo):
    """Computes the depthwise convolution of images with one filter per channel."""
    return _correlated(x, w, geo, _of_images(geo))


@serves(
    "depthwise_input_gradient",
    least="DEPTHWISE",
    takes=lambda g, w, geo: (
        _is_image(g, w, geo) and min(_rest(geo)) >= 0 and geo.stride[0] == geo.stride[1]
    ),
    loops=lambda g, w, geo: [_correlation(geo, _of_gradients(geo))],
)
def input_gradient(g, w, geo):
    """Returns the gradient of `convolve` for the input."""
    return _correlated(g, numpy.flip(w, (2, 3)), geo, _of_gradients(geo))


def _correlated(x, w, geo, plan):
    """Correlates each plane with the filter of its channel."""
    out = numpy.empty((geo.batch, geo.channels, *plan.out), FLOAT)
    arrays = jit.flat(x), jit.flat(w), out.reshape(-1)
    sizes = *plan.size, *plan.before, plan.padded[1], *plan.out, *geo.dilation
    loop = _correlation(geo, plan)
    loop.run(_pieces(geo), *arrays, prod(plan.padded), geo.channels, *sizes)
    return out


def _sums(geo):
    return _loop(_weights_text, 2, 9, geo.kernel, geo.stride)


@serves(
    "depthwise_weight_gradient",
    least="DEPTHWISE",
    size=lambda g, x, geo: x.size,
    takes=lambda g, x, geo: _is_image(x, g, geo),
    loops=lambda g, x, geo: [_sums(geo)],
)
def weight_gradient(g, x, geo):
    """Returns the gradient of `convolve` for the weights."""
    sums = numpy.empty((geo.batch, geo.channels, prod(geo.kernel)), FLOAT)
    arrays = jit.flat(x), jit.flat(g), sums.reshape(-1)
    sizes = *geo.size, *_before(geo), geo.padded[1], *geo.out, *geo.dilation
    _sums(geo).run(_pieces(geo), *arrays, *[prod(geo.padded)] * 2, *sizes)
    return sums.sum(0).reshape(geo.filters, 1, *geo.kernel)


def _pieces(geo):
    """Returns the table of pieces that threads share; each piece is a range of planes."""
    return parallel_loops.blocks(geo.batch * geo.channels, max(BLOCK // prod(geo.padded), 1))
