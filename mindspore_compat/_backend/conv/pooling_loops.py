"""2-D max pooling and its gradient as compiled host loops (compiled/jit.py).

The positions of a window are unrolled, and the first one with the largest value is selected without
branches. The results are bitwise equal to those of pooling.py. The loops support float32, two
spatial dimensions, and windows that lie inside the image.
"""

import functools
from math import prod

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..compiled.library import LIBRARY
from ..threads import parallel_loops
from ..threads.parallel_loops import FLOAT
from ..thresholds import Most

BLOCK = 1 << 13  # elements of a piece

_MAXIMUM = """def {name}(x, largest, height, width, out_height, out_width, first, last):
    for plane in range(first, last):
        for i in range(out_height):
            target = pointer(largest, (plane * out_height + i) * out_width)
            source = pointer(x, (plane * height + i * {stride_y}) * width)
{rows}
            for j in range(out_width):
                top = r0[j * {stride_x}]
{positions}
                target[j] = top
"""
_ROW = """            r{y} = pointer(source, {y} * width)"""
_LARGER = """                v = r{y}[j * {stride_x} + {x}]
                top = v if (v > top) | (v != v) else top"""

_GRADIENT = """def {name}(g, x, largest, grad, height, width, out_height, out_width, first, last):
    for plane in range(first, last):
        source = pointer(x, plane * height * width)
        target = pointer(grad, plane * height * width)
        for i in range(out_height):
            at = (plane * out_height + i) * out_width
            row = i * {stride_y} * width
            for j in range(out_width):
                start = row + j * {stride_x}
                top = largest[at + j]
                found = -1
{positions}
                if found >= 0:  # else it is NaN
                    target[found] += g[at + j]
"""
_FOUND = """                k = start + {y} * width + {x}
                found = k if source[k] == top else found"""

# For windows that do not overlap.
_SEPARATE = """def {name}(g, x, largest, grad, height, width, out_height, out_width, first, last):
    for plane in range(first, last):
        for i in range(out_height):
            at = (plane * out_height + i) * out_width
            given, top = pointer(g, at), pointer(largest, at)
            source = pointer(x, (plane * height + i * {stride_y}) * width)
            target = pointer(grad, (plane * height + i * {stride_y}) * width)
{rows}
            for j in range(out_width):
                left = given[j] + single(0)
{positions}
"""
_ROWS = """            r{y}, t{y} = pointer(source, {y} * width), pointer(target, {y} * width)"""
_TAKES = """                is_top = r{y}[j * {stride_x} + {x}] == top[j]
                t{y}[j * {stride_x} + {x}] = left if is_top else single(0)
                left = single(0) if is_top else left"""


def _maximum_text(kernel, stride, dilation, name):
    y, x = (range(0, k * d, d) for k, d in zip(kernel, dilation, strict=True))
    size = {"stride_y": stride[0], "stride_x": stride[1]}
    positions = [_LARGER.format(y=i, x=j, **size) for i in y for j in x][1:]
    rows = [_ROW.format(y=i) for i in y]
    return _MAXIMUM.format(name=name, rows="\n".join(rows), positions="\n".join(positions), **size)


def _gradient_text(kernel, stride, dilation, name):
    y, x = (range(0, k * d, d) for k, d in zip(kernel, dilation, strict=True))
    size = {"stride_y": stride[0], "stride_x": stride[1]}
    if _are_separate(kernel, stride, dilation):
        positions = [_TAKES.format(y=i, x=j, **size) for i in y for j in x]
        rows = [_ROWS.format(y=i) for i in y]
        return _SEPARATE.format(
            name=name, rows="\n".join(rows), positions="\n".join(positions), **size
        )
    positions = [_FOUND.format(y=i, x=j) for i in y for j in x][::-1]
    return _GRADIENT.format(name=name, positions="\n".join(positions), **size)


def _are_separate(kernel, stride, dilation):
    """Returns True if no element belongs to two windows."""
    return all(s > (k - 1) * d for k, s, d in zip(kernel, stride, dilation, strict=True))


@jit.made_once
def _loop(text, arrays, *window):
    array, number, piece = parallel_loops.array, parallel_loops.number, parallel_loops.piece
    parameters = [array(FLOAT)] * arrays + [number()] * 4 + [piece(0), piece(1)]
    text = functools.partial(text, *window)
    return parallel_loops.ParallelLoop(text, parameters, True, "max-pool", LIBRARY)


def _maximum(kernel, stride, dilation):
    return _loop(_maximum_text, 2, kernel, stride, dilation)


@serves(
    "max_pool",
    least="POOL",
    takes=lambda x, out, *window: _are_taken((x,), out, *window),
    loops=lambda x, out, kernel, stride, pads, dilation: [_maximum(kernel, stride, dilation)],
)
def maximum(x, out, kernel, stride, pads, dilation):
    """Returns the largest value of each window, as in `pooling.maximum`; `out` is the number of
    windows in each dimension."""
    largest = numpy.empty((*x.shape[:-2], *out), FLOAT)
    loop = _maximum(kernel, stride, dilation)
    _run(loop, (jit.flat(x), largest.reshape(-1)), x.shape, out)
    return largest


def _gradient(kernel, stride, dilation):
    return _loop(_gradient_text, 4, kernel, stride, dilation)


@serves(
    "max_pool_gradient",
    least="POOL",
    size=lambda g, x, *_: x.size,
    takes=lambda g, x, largest, *window: _are_taken(
        (x, g, largest), largest.shape[x.ndim - 2 :], *window
    ),
    loops=lambda g, x, largest, kernel, stride, pads, dilation: [
        _gradient(kernel, stride, dilation)
    ],
)
def max_gradient(g, x, largest, kernel, stride, pads, dilation):
    """Returns the gradient of `maximum`, as in `pooling.max_gradient`."""
    out = largest.shape[-2:]
    is_whole = kernel == stride and x.shape[-2:] == (out[0] * stride[0], out[1] * stride[1])
    grad = (numpy.empty if is_whole and dilation == (1, 1) else numpy.zeros)(x.shape, FLOAT)
    arrays = jit.flat(g), jit.flat(x), jit.flat(largest), grad.reshape(-1)
    _run(_gradient(kernel, stride, dilation), arrays, x.shape, out)
    return grad


def _run(loop, arrays, shape, out):
    """Runs a loop over planes, which threads share."""
    *lead, height, width = shape
    pieces = parallel_loops.blocks(prod(lead), max(BLOCK // (height * width), 1))
    loop.run(pieces, *arrays, height, width, *out)


def _are_taken(arrays, out, kernel, stride, pads, dilation):
    """Returns True for float32 arrays and small windows inside the images."""
    size = arrays[0].shape[-2:]
    return (
        len(kernel) == 2
        and arrays[0].size > 0
        and all(type(array) is numpy.ndarray and array.dtype == FLOAT for array in arrays)
        and 1 < prod(kernel) <= Most.POOL_POSITIONS
        and all(before == 0 for before, _ in pads)
        and all(
            n > (o - 1) * s + (k - 1) * d
            for n, o, k, s, d in zip(size, out, kernel, stride, dilation)
        )
    )
