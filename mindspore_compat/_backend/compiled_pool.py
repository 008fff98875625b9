"""The largest values of windows of images, and their gradient, as compiled loops of the host
(compiled.py).

The positions of a window are written out, and the first that holds the largest value is chosen
without branches. The results have the bits of pool.py. Loops are for float32, two spatial
dimensions and windows that lie inside the image; the functions give None for other cases, and while
there is no loop yet.
"""

import functools
from math import prod

import numpy

from . import compiled
from .scheduler import blocks, run

FLOAT, INDEX = numpy.dtype(numpy.float32), numpy.dtype(numpy.int64)
LEAST = 1 << 13  # elements of all images below which a call costs as much as it saves
BLOCK = 1 << 16  # elements of a piece
MOST = 16  # positions of a window

_MAXIMUM = """def {name}(x, largest, first, last, height, width, out_height, out_width):
    for plane in range(first, last):
        source = x[plane * height * width : (plane + 1) * height * width]
        for i in range(out_height):
            target = largest[(plane * out_height + i) * out_width :]
            row = i * {stride_y} * width
            for j in range(out_width):
                start = row + j * {stride_x}
                top = source[start]
{positions}
                target[j] = top
"""
_LARGER = """                v = source[start + {y} * width + {x}]
                top = v if (v > top) | (v != v) else top"""
_GRADIENT = """def {name}(g, x, largest, grad, first, last, height, width, out_height, out_width):
    for plane in range(first, last):
        source = x[plane * height * width : (plane + 1) * height * width]
        target = grad[plane * height * width : (plane + 1) * height * width]
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


def _text(frame, line, kernel, stride, dilation, name):
    positions = [(y * dilation[0], x * dilation[1]) for y, x in numpy.ndindex(*kernel)]
    positions = positions[1:] if line is _LARGER else positions[::-1]
    lines = [line.format(y=y, x=x) for y, x in positions]
    return frame.format(
        name=name, stride_y=stride[0], stride_x=stride[1], positions="\n".join(lines)
    )


@functools.cache
def _loop(frame, line, arrays, kernel, stride, dilation):
    text = functools.partial(_text, frame, line, kernel, stride, dilation)
    return compiled.Loop(text, [(FLOAT, True)] * arrays + [(INDEX, False)] * 6, True, "max-pool")


def maximum(x, out, kernel, stride, pads, dilation):
    """The largest value of each window, as `pool.maximum` finds it; `out` is the number of windows
    in each dimension."""
    if not _fits((x,), out, kernel, stride, pads, dilation):
        return None
    loop = _loop(_MAXIMUM, _LARGER, 2, kernel, stride, dilation)
    if not (loop.ready or loop.request()):
        return None
    largest = numpy.empty((*x.shape[:-2], *out), FLOAT)
    _run(loop, (compiled.flat(x), largest.reshape(-1)), x.shape, out)
    return largest


def max_gradient(g, x, largest, kernel, stride, pads, dilation):
    """The gradient of `maximum`, as `pool.max_gradient` finds it."""
    out = largest.shape[-2:]
    if not _fits((x, g, largest), out, kernel, stride, pads, dilation):
        return None
    loop = _loop(_GRADIENT, _FOUND, 4, kernel, stride, dilation)
    if not (loop.ready or loop.request()):
        return None
    grad = numpy.zeros(x.shape, FLOAT)
    arrays = compiled.flat(g), compiled.flat(x), compiled.flat(largest), grad.reshape(-1)
    _run(loop, arrays, x.shape, out)
    return grad


def _run(loop, arrays, shape, out):
    """Runs a loop over planes, which threads share."""
    *lead, height, width = shape
    parts = blocks(prod(lead), max(BLOCK // (height * width), 1))

    def work(number):
        loop.ready(*arrays, parts[number].start, parts[number].stop, height, width, *out)

    run(work, len(parts))


def _fits(arrays, out, kernel, stride, pads, dilation):
    """True if loops take these arrays and windows."""
    size = arrays[0].shape[-2:]
    return (
        len(kernel) == 2
        and arrays[0].size >= LEAST
        and compiled.available()
        and all(type(each) is numpy.ndarray and each.dtype == FLOAT for each in arrays)
        and 1 < prod(kernel) <= MOST
        and all(before == 0 for before, _ in pads)
        and all(
            n > (o - 1) * s + (k - 1) * d
            for n, o, k, s, d in zip(size, out, kernel, stride, dilation)
        )
    )
