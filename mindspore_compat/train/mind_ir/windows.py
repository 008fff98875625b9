"""Emitters of convolution and pooling as primitives.

One and two dimensions use the two-dimensional primitives, three dimensions the three-dimensional
ones. The primitives themselves get no padding, because not every device supports all forms of it.
The input is padded before, by concatenation with constants.
"""

import math
from itertools import product

import numpy as np

from ..._backend.conv import adaptive_pooling, pooling
from .shapes import pad as padded
from .tracing import emits


def _flat(values):
    return tuple(int(v) for pair in values for v in pair)


@emits("convolve_nd")
def convolve_nd(b, out, x, w, stride, pads, dilation, groups):
    n = len(stride)
    value, weight = b.operand(x, out.dtype), b.operand(w, out.dtype)
    if n == 3:
        attributes = _conv3d(out.shape[1], w.shape[2:], stride, pads, dilation, groups)
        return b("Conv3D", value, weight, **attributes)
    if n == 1:  # a height of one
        value = _add_height(b, value, x.shape, out.dtype)
        weight = _add_height(b, weight, w.shape, out.dtype)
        stride, pads, dilation = (1, *stride), ((0, 0), *pads), (1, *dilation)
    kernel = (1, *w.shape[2:])[-2:]
    value = b(
        "Conv2D",
        value,
        weight,
        **_conv2d(out.shape[1], kernel, stride, pads, dilation, groups, "pad"),
    )
    return b.reshape(value, out.shape) if n == 1 else value


def _add_height(b, value, shape, dtype):
    """Inserts an axis of height 1 before the length."""
    shape = (*shape[:2], 1, *shape[2:])
    if isinstance(value, np.ndarray):
        return value.reshape(shape)
    value = b.reshape(value, shape)
    b.shapes[value.name] = (shape, dtype)
    return value


def _conv2d(filters, kernel, stride, pads, dilation, groups, pad_mode):
    flat_pads = _flat(pads)
    return dict(
        out_channel=int(filters),
        kernel_size=tuple(map(int, kernel)),
        mode=1,
        pad_mode=pad_mode,
        pad=flat_pads,
        pad_list=flat_pads,
        stride=(1, 1, *map(int, stride)),
        dilation=(1, 1, *map(int, dilation)),
        group=int(groups),
        groups=int(groups),
        format="NCHW",
        input_names=["x", "w"],
        output_names=["output"],
    )


def _conv3d(filters, kernel, stride, pads, dilation, groups):
    flat_pads = _flat(pads)
    stride, dilation = (1, 1, *map(int, stride)), (1, 1, *map(int, dilation))
    return dict(
        out_channel=int(filters),
        kernel_size=tuple(map(int, kernel)),
        mode=1,
        pad_mode="pad",
        pad=flat_pads,
        pad_list=flat_pads,
        strides=stride,
        stride=stride,
        dilations=dilation,
        dilation=dilation,
        group=int(groups),
        groups=int(groups),
        offset_x=0,
        format="NCDHW",
        input_names=["x", "w"],
        output_names=["output"],
    )


@emits("convolve_input")
def convolve_input(b, out, y, w, x_shape, stride, pads, dilation, groups):
    n = len(stride)
    if n == 3:
        raise RuntimeError(
            "For 'export', a transposed convolution in three dimensions cannot be part of a graph."
        )
    value, weight, shape = (
        b.operand(y, out.dtype),
        b.operand(w, out.dtype),
        tuple(map(int, x_shape)),
    )
    if n == 1:
        value = _add_height(b, value, y.shape, out.dtype)
        weight = _add_height(b, weight, w.shape, out.dtype)
        stride, pads, dilation = (1, *stride), ((0, 0), *pads), (1, *dilation)
        shape = (*shape[:2], 1, *shape[2:])
    attributes = _conv2d(w.shape[0], (1, *w.shape[2:])[-2:], stride, pads, dilation, groups, "PAD")
    attributes["input_names"] = ["out_backprop", "filter", "input_sizes"]
    value = b("Conv2DTranspose", value, weight, shape, **attributes)
    return b.reshape(value, out.shape) if n == 1 else value


def _pad_data(b, x, kernel, pads, fill):
    """Returns the padded data as (planes, 1, spatial...), its shape, and its Value."""
    lead = x.shape[: x.ndim - len(kernel)]
    widths = ((0, 0),) * len(lead) + tuple(pads)
    if not any(map(any, pads)):
        return b.operand(x), x.shape
    value = padded(b, None, x, widths, "constant", fill)
    return value, (
        *lead,
        *(n + a + c for n, (a, c) in zip(x.shape[len(lead) :], pads, strict=True)),
    )


def _kernel_slices(b, value, shape, kernel, stride, dilation, out):
    """Returns the Values under each kernel position, in row-major order."""
    lead = len(shape) - len(kernel)
    for position in product(*map(range, kernel)):
        begin = (0,) * lead + tuple(i * d for i, d in zip(position, dilation, strict=True))
        end = tuple(shape[:lead]) + tuple(
            i * d + (o - 1) * s + 1
            for i, d, o, s in zip(position, dilation, out, stride, strict=True)
        )
        step = (1,) * lead + tuple(stride)
        yield b("StridedSlice", value, begin, end, step, 0, 0, 0, 0, 0)


def _fit_pads(size, kernel, stride, pads, dilation, out):
    """Returns `pads` with the end moved to where the last window stops; the slices cut off the
    rest."""
    return tuple(
        (before, max((o - 1) * s + d * (k - 1) + 1 - n - before, 0))
        for n, k, s, (before, _), d, o in zip(
            size, kernel, stride, pads, dilation, out, strict=True
        )
    )


@emits("max_pool")
def max_pool(b, out, x, kernel, stride, pads, dilation, ceil_mode=False):
    n = len(kernel)
    size, goal = x.shape[x.ndim - n :], out.shape[out.ndim - n :]
    pads = _fit_pads(size, kernel, stride, pads, dilation, goal)
    value, shape = _pad_data(b, x, kernel, pads, pooling._lowest(x.dtype))
    exact = all(
        (o - 1) * s + k <= m < o * s + k
        for m, k, s, o in zip(shape[-n:], kernel, stride, goal, strict=True)
    )
    if n == 2 and x.ndim == 4 and max(dilation) == 1 and exact:
        return b(
            "MaxPool",
            value,
            kernel_size=(1, 1, *map(int, kernel)),
            strides=(1, 1, *map(int, stride)),
            pad_mode="VALID",
            format="NCHW",
            input_names=["x"],
            output_names=["output"],
        )
    best = None
    for kernel_slice in _kernel_slices(b, value, shape, kernel, stride, dilation, goal):
        best = kernel_slice if best is None else b("Maximum", best, kernel_slice)
    return best


@emits("average_pool")
def average_pool(b, out, x, kernel, stride, pads, ceil_mode=False, include=True, divisor=None):
    n = len(kernel)
    size, goal = x.shape[x.ndim - n :], out.shape[out.ndim - n :]
    counts = _host_average(size, kernel, stride, pads, ceil_mode, include, divisor, goal)
    pads = _fit_pads(size, kernel, stride, pads, (1,) * n, goal)
    value, shape = _pad_data(b, x, kernel, pads, 0)
    total = None
    for kernel_slice in _kernel_slices(b, value, shape, kernel, stride, (1,) * n, goal):
        total = kernel_slice if total is None else b("Add", total, kernel_slice)
    return b("Mul", total, counts.astype(out.dtype))


def _host_average(size, kernel, stride, pads, ceil_mode, include, divisor, goal):
    """Returns the factor of each window's sum: its mean over ones, divided by their number."""
    ones = np.ones(size)
    mean = pooling.average(np, ones, kernel, stride, pads, ceil_mode, include, divisor)
    total = pooling.average(np, ones, kernel, stride, pads, ceil_mode, include, 1)
    weight = mean / np.where(total == 0, 1, total)
    return np.array(weight.flat[0]) if (weight == weight.flat[0]).all() else weight.reshape(goal)


@emits("adaptive_average")
def adaptive_average(b, out, x, goal):
    n = len(goal)
    value, lead = b.operand(x), x.ndim - n
    for i in range(n):
        size, target = x.shape[lead + i], out.shape[lead + i]
        if size == target:
            continue
        means = adaptive_pooling.means(size, target, x.dtype.str).T
        order = [a for a in range(x.ndim) if a != lead + i] + [lead + i]
        shape = [out.shape[a] if a < lead + i else x.shape[a] for a in order[:-1]]
        value = b.reshape(b.transpose(value, order), (math.prod(shape), size))
        value = b("MatMul", value, np.ascontiguousarray(means), False, False)
        value = b.transpose(b.reshape(value, (*shape, target)), np.argsort(order))
    return value
