"""2-D pooling, of maxima and of means, and its gradients as compiled host loops (compiled/jit.py).

The positions of a window are unrolled. The first one with the largest value is selected without
branches; sums are taken along the columns of a window first, then along its row. The results are
bitwise equal to those of pooling.py. The loops support float32, two spatial dimensions, and windows
that lie inside the image; those of the gradient of means also need windows that do not overlap.
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


_MEAN = """def {name}(x, means, divisor, height, width, out_height, out_width, first, last):
    for plane in range(first, last):
        for i in range(out_height):
            target = pointer(means, (plane * out_height + i) * out_width)
            source = pointer(x, (plane * height + i * {stride_y}) * width)
{rows}
            for j in range(out_width):
                target[j] = {total} / divisor
"""

_SPREAD = """def {name}(g, grad, divisor, height, width, out_height, out_width, first, last):
    for plane in range(first, last):
        for i in range(out_height):
            given = pointer(g, (plane * out_height + i) * out_width)
            source = pointer(grad, (plane * height + i * {stride_y}) * width)
{rows}
            for j in range(out_width):
                part = given[j] / divisor
{positions}
"""
_GETS = """                r{y}[j * {stride_x} + {x}] = part"""


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


def _mean_text(kernel, stride, name):
    size = {"stride_y": stride[0], "stride_x": stride[1]}
    columns = []
    for x in range(kernel[1]):
        terms = [f"r{y}[j * {stride[1]} + {x}]" for y in range(kernel[0])]
        columns.append(_added(terms))
    rows = "\n".join([_ROW.format(y=y) for y in range(kernel[0])])
    return _MEAN.format(name=name, rows=rows, total=_added(columns), **size)


def _added(terms):
    """Returns the source of a sum that adds one term after the other."""
    total, *others = terms
    for term in others:
        total = f"({total} + {term})"
    return total


def _spread_text(kernel, stride, name):
    size = {"stride_y": stride[0], "stride_x": stride[1]}
    rows = "\n".join([_ROW.format(y=y) for y in range(kernel[0])])
    positions = [_GETS.format(y=y, x=x, **size) for y in range(kernel[0]) for x in range(kernel[1])]
    return _SPREAD.format(name=name, rows=rows, positions="\n".join(positions), **size)


def _are_separate(kernel, stride, dilation):
    """Returns True if no element belongs to two windows."""
    return all(s > (k - 1) * d for k, s, d in zip(kernel, stride, dilation, strict=True))


@jit.made_once
def _loop(text, arrays, numbers, *window):
    """Returns the loop of a text with a number of float32 arrays, then of float32 numbers."""
    array, number, piece = parallel_loops.array, parallel_loops.number, parallel_loops.piece
    parameters = [array(FLOAT)] * arrays + [number(FLOAT)] * numbers
    parameters += [number()] * 4 + [piece(0), piece(1)]
    text = functools.partial(text, *window)
    return parallel_loops.ParallelLoop(text, parameters, True, "pooling", LIBRARY)


def _maximum(kernel, stride, dilation):
    return _loop(_maximum_text, 2, 0, kernel, stride, dilation)


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
    return _loop(_gradient_text, 4, 0, kernel, stride, dilation)


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


def _mean(kernel, stride):
    return _loop(_mean_text, 2, 1, kernel, stride)


@serves(
    "average_pool",
    least="POOL",
    takes=lambda x, out, divisor, *window: _are_taken((x,), out, *window, (1, 1)),
    loops=lambda x, out, divisor, kernel, stride, pads: [_mean(kernel, stride)],
)
def average(x, out, divisor, kernel, stride, pads):
    """Returns the sum of each window divided by a number, as in `pooling.average`; `out` is the
    number of windows in each dimension."""
    means = numpy.empty((*x.shape[:-2], *out), FLOAT)
    arrays = jit.flat(x), means.reshape(-1), FLOAT.type(divisor)
    _run(_mean(kernel, stride), arrays, x.shape, out)
    return means


def _spread(kernel, stride):
    return _loop(_spread_text, 2, 1, kernel, stride)


@serves(
    "average_pool_gradient",
    least="POOL",
    takes=lambda g, size, divisor, kernel, stride, pads: (
        _are_taken((g,), g.shape[-2:], kernel, stride, pads, (1, 1), size)
        and _are_separate(kernel, stride, (1, 1))
    ),
    loops=lambda g, size, divisor, kernel, stride, pads: [_spread(kernel, stride)],
)
def average_gradient(g, size, divisor, kernel, stride, pads):
    """Returns the gradient of `average` for images of spatial `size`, as in
    `pooling.average_gradient`."""
    out, shape = g.shape[-2:], (*g.shape[:-2], *size)
    is_whole = kernel == stride and size == (out[0] * stride[0], out[1] * stride[1])
    grad = (numpy.empty if is_whole else numpy.zeros)(shape, FLOAT)
    arrays = jit.flat(g), grad.reshape(-1), FLOAT.type(divisor)
    _run(_spread(kernel, stride), arrays, shape, out)
    return grad


def _run(loop, arrays, shape, out):
    """Runs a loop over planes, which threads share."""
    *lead, height, width = shape
    pieces = parallel_loops.blocks(prod(lead), max(BLOCK // (height * width), 1))
    loop.run(pieces, *arrays, height, width, *out)


def _are_taken(arrays, out, kernel, stride, pads, dilation, size=None):
    """Returns True for float32 arrays and small windows inside the images. By default the spatial
    size of the images is that of the first array."""
    for array in arrays:
        if type(array) is not numpy.ndarray or array.dtype != FLOAT or not array.size:
            return False
    size = arrays[0].shape[-len(kernel) :] if size is None else size
    return _lie_inside(size, out, kernel, stride, pads, dilation)


@functools.lru_cache(maxsize=1024)
def _lie_inside(size, out, kernel, stride, pads, dilation):
    """Returns True for small windows inside images of a size."""
    return (
        len(kernel) == 2
        and 1 < prod(kernel) <= Most.POOL_POSITIONS
        and all(before == 0 for before, _ in pads)
        and all(
            n > (o - 1) * s + (k - 1) * d
            for n, o, k, s, d in zip(size, out, kernel, stride, dilation)
        )
    )
