"""Nearest, linear, cubic and area interpolation along one dimension, as indices or sparse
matrices.

Interpolation is separable: along each dimension the result is a matrix times the input, and the
input's gradient is the transposed matrix times the output's gradient. A row of the matrix has a few
weights (_backend/host/taps.py). Nearest neighbours are selected by index, not multiplied: that
is exact, and takes integers.
"""

from functools import lru_cache
from math import prod

import numpy as np

from ..._backend.host.taps import Taps
from ..._backend.space import implements
from ..._core.autograd.vjp_rules import derive


@implements
def apply_axes(xp, x, matrices):
    """Multiplies each of the last axes of `x` by its `Taps` matrix; None skips an axis.

    Axes that shrink are multiplied first. Of the axes that grow, the last one is first, because it
    reads single elements, the others whole rows.
    """
    shapes = tuple([None if taps is None else taps.shape for taps in matrices])
    for axis in _order(shapes):
        x = _apply_axis(xp, x, x.ndim - len(matrices) + axis, matrices[axis])
    return x


@lru_cache(maxsize=512)
def _order(shapes):
    """Returns the axes in the order of `apply_axes`, given the (out, in) shape of the matrix of
    each one, or None for an axis to skip."""
    grows = {axis: shape[0] > shape[1] for axis, shape in enumerate(shapes) if shape is not None}
    return sorted(grows, key=lambda axis: (grows[axis], -axis if grows[axis] else axis))


def _apply_axis(xp, x, axis, taps):
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    _need_elements(x.shape[axis], taps.shape[0])
    stack = xp.reshape(x, (prod(before), x.shape[axis], prod(after)))
    return xp.reshape(xp.apply_taps(stack, taps), (*before, taps.shape[0], *after))


def _need_elements(size, goal):
    """Rejects an axis of length 0 unless the length of the result is 0, too."""
    if goal > size == 0:
        raise ValueError(f"an axis of length 0 has no elements to make {goal} from.")


@implements
def pick_axes(xp, x, indices):
    """Selects elements along the last axes of `x`. `indices` has an array on the host for each of
    these axes. The axes are processed in the same order as by `apply_axes`.
    """
    skipped = x.ndim - len(indices)
    shapes = tuple(zip(map(len, indices), x.shape[skipped:]))
    for after, before in shapes:
        _need_elements(before, after)
    for axis in _order(shapes):
        index, (after, before) = indices[axis], shapes[axis]
        if before != after or list(index) != list(range(after)):
            x = xp.take(x, xp.table(np.array, index), skipped + axis)
    return x


@implements
def unpick_axes(xp, y, indices, size):
    """Computes the gradient of `pick_axes`: elements selected several times get the sum."""
    return xp.apply_axes(y, tuple(_picks(*row).transposed for row in zip(indices, size)))


@lru_cache(maxsize=512)
def _picks(index, count):
    """Returns the matrix that selects elements of an axis."""
    return Taps(np.reshape(index, (-1, 1)), np.ones((len(index), 1)), count)


derive(
    "apply_axes(x, matrices)",
    x=lambda xp, g, matrices: xp.apply_axes(
        g, tuple(None if taps is None else taps.transposed for taps in matrices)
    ),
)
derive(
    "pick_axes(x, indices)",
    x=lambda xp, g, x_shape, indices: xp.unpick_axes(g, indices, tuple(x_shape[-len(indices) :])),
)
derive("unpick_axes(y, indices, size)", y=lambda xp, g, indices: xp.pick_axes(g, indices))


def _source(n, o, rule, scale=None):
    """Returns the positions of `o` outputs among `n` inputs, in float32 as in MindSpore.

    Args:
        rule: "corner" aligns the ends, "half" the pixel centres, "edge" the edges.
        scale: the ratio of input to output size, if it is not n / o.
    """
    i = np.arange(o, dtype=np.float32)
    if rule == "corner":
        return i * np.float32((n - 1) / (o - 1) if o > 1 else 0)
    scale = np.float32(n / o if scale is None else scale)
    return (i + np.float32(0.5)) * scale - np.float32(0.5) if rule == "half" else i * scale


@lru_cache(maxsize=512)
def _nearest(n, o, rule, scale=None):
    """Returns the index of the input that each output copies."""
    if rule == "half":
        where = np.floor(_source(n, o, "half", scale) + np.float32(0.5))
    else:
        where = _source(n, o, rule, scale)
        where = np.floor(where + np.float32(0.5)) if rule == "corner" else np.floor(where)
    return tuple(np.clip(where, 0, n - 1).astype(int).tolist())


@lru_cache(maxsize=512)
def _linear(n, o, rule, scale=None):
    """Returns the (o, n) matrix of linear interpolation, or None if it is the identity."""
    where = np.maximum(_source(n, o, rule, scale), 0)
    low = np.minimum(np.floor(where).astype(int), n - 1)
    weight = np.clip(where - low, 0, 1).astype(np.float64)
    if n == o and (low == np.arange(n)).all() and not weight[: n - 1].any():
        return None
    index = np.stack([low, np.minimum(low + 1, n - 1)], 1)
    return Taps(index, np.stack([1 - weight, weight], 1), n)


_CUBIC = np.arange(-1, 3)  # the elements that cubic convolution reads, from the one before


def _cubic_weights(t, a):
    """Computes Keys' cubic convolution kernel with parameter `a`, for distances `t` up to 2."""
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return np.where(t <= 1, near, far)


@lru_cache(maxsize=512)
def _cubic(n, o, rule, scale=None):
    """Returns the (o, n) matrix of cubic convolution, as MindSpore's primitive computes it.

    The kernel is read from a table of 1024 steps. If pixel centres are aligned, its parameter is
    -1/2 and elements beyond the edge are skipped; otherwise it is -3/4 and the edge is repeated.
    """
    half = rule == "half"
    where = _source(n, o, rule, scale)
    base = np.floor(where)
    delta = np.rint((where - base) * 1024) / 1024
    index = base[:, None] + _CUBIC
    distance = np.abs(delta[:, None] - _CUBIC).astype(np.float64)
    weight = _cubic_weights(distance, -0.5 if half else -0.75)
    weight = np.where((index >= 0) & (index < n), weight, 0) if half else weight
    return Taps(np.clip(index, 0, n - 1), weight / weight.sum(1, keepdims=True), n)


@lru_cache(maxsize=512)
def _smooth(n, o, rule, scale=None):
    """Returns the (o, n) matrix of cubic convolution with parameter -3/4; the edge is repeated."""
    where = _source(n, o, rule, scale).astype(np.float64)
    index = np.floor(where)[:, None] + _CUBIC
    weight = _cubic_weights(np.abs(where[:, None] - index), -0.75)
    return Taps(np.clip(index, 0, n - 1), weight, n)


@lru_cache(maxsize=512)
def area(n, o, corner):
    """Returns the (o, n) matrix whose rows average the inputs that an output pixel covers."""
    scale = (n - 1) / (o - 1) if corner and o > 1 else n / o
    first, last = np.arange(o)[:, None] * scale, np.arange(1, o + 1)[:, None] * scale
    index = np.floor(first) + np.arange(int(np.ceil(scale)) + 1)
    weight = np.maximum(np.minimum(index + 1, last) - np.maximum(index, first), 0) / scale
    return Taps(np.clip(index, 0, n - 1), weight, n)


def resized(xp, x, goal, kind, rule, scales=None):
    """Resizes the spatial dimensions of `x` to `goal`."""
    size = tuple(x.shape[x.ndim - len(goal) :])
    scales = scales or (None,) * len(goal)
    steps = list(zip(size, goal, scales))
    if kind == "nearest":
        return xp.pick_axes(x, tuple(_nearest(n, o, rule, s) for n, o, s in steps))
    make = {"linear": _linear, "cubic": _cubic, "smooth": _smooth}[kind]
    return xp.apply_axes(x, tuple(make(n, o, rule, s) for n, o, s in steps))


def line(xp, x, goal, corner):
    """Interpolates sequences linearly; a single output copies the first input."""
    rule = "corner" if corner or goal == 1 else "half"
    return resized(xp, x, (goal,), "linear", rule)
