"""Nearest, linear, cubic and area interpolation along one dimension, as indices or matrices.

Interpolation is separable: along each dimension the result is a matrix times the input, and the
gradient the transposed matrix times the output's gradient. Nearest neighbours are picked, not
multiplied, so that infinities stay where they are.
"""

from functools import lru_cache
from math import prod

import numpy as np

from ..._backend.space import implements
from ..._core.autograd.vjp_rules import derive


@implements
def apply_axes(xp, x, matrices):
    """The last dimensions of `x`, each multiplied by its (out, in) host matrix; None leaves one."""
    for i, matrix in enumerate(matrices):
        if matrix is None:
            continue
        axis = x.ndim - len(matrices) + i
        before, after = x.shape[:axis], x.shape[axis + 1 :]
        matrix = xp.asarray(np.ascontiguousarray(matrix), x.dtype)
        if axis == x.ndim - 1:
            x = xp.matmul(xp.reshape(x, (prod(before), x.shape[axis])), matrix.T)
        else:
            x = xp.matmul(matrix, xp.reshape(x, (prod(before), x.shape[axis], prod(after))))
        x = xp.reshape(x, (*before, matrix.shape[0], *after))
    return x


@implements
def pick_axes(xp, x, indices):
    """The last dimensions of `x`, each at its host indices."""
    for i, index in enumerate(indices):
        if len(index) != x.shape[x.ndim - len(indices) + i] or list(index) != list(
            range(len(index))
        ):
            x = xp.take(x, xp.asarray(index), x.ndim - len(indices) + i)
    return x


@implements
def unpick_axes(xp, y, indices, size):
    """The gradient of `pick_axes`: elements picked several times get the sum."""
    return xp.apply_axes(y, tuple(_one_hot(index, n).T for index, n in zip(indices, size)))


def _one_hot(index, count):
    return np.eye(count)[np.asarray(index)]


derive(
    "apply_axes(x, matrices)",
    x=lambda xp, g, matrices: xp.apply_axes(g, tuple(None if m is None else m.T for m in matrices)),
)
derive(
    "pick_axes(x, indices)",
    x=lambda xp, g, x_shape, indices: xp.unpick_axes(g, indices, tuple(x_shape[-len(indices) :])),
)
derive("unpick_axes(y, indices, size)", y=lambda xp, g, indices: xp.pick_axes(g, indices))


def _source(n, o, rule, scale=None):
    """Positions of `o` outputs among `n` inputs, float32 as the original computes them.

    Args:
        rule: "corner" maps ends to ends, "half" centres of pixels to centres, "edge" edges to
        edges. scale: inputs per output, where it is not n / o.
    """
    i = np.arange(o, dtype=np.float32)
    if rule == "corner":
        return i * np.float32((n - 1) / (o - 1) if o > 1 else 0)
    scale = np.float32(n / o if scale is None else scale)
    return (i + np.float32(0.5)) * scale - np.float32(0.5) if rule == "half" else i * scale


@lru_cache(maxsize=512)
def _nearest(n, o, rule, scale=None):
    """The input that each output copies."""
    if rule == "half":
        where = np.floor(_source(n, o, "half", scale) + np.float32(0.5))
    else:
        where = _source(n, o, rule, scale)
        where = np.floor(where + np.float32(0.5)) if rule == "corner" else np.floor(where)
    return tuple(np.clip(where, 0, n - 1).astype(int).tolist())


@lru_cache(maxsize=512)
def _linear(n, o, rule, scale=None):
    """The (o, n) matrix of linear interpolation, or None where it changes nothing."""
    where = np.maximum(_source(n, o, rule, scale), 0)
    low = np.minimum(np.floor(where).astype(int), n - 1)
    weight = np.clip(where - low, 0, 1).astype(np.float64)
    matrix = np.zeros((o, n))
    np.add.at(matrix, (np.arange(o), low), 1 - weight)
    np.add.at(matrix, (np.arange(o), np.minimum(low + 1, n - 1)), weight)
    return None if n == o and (matrix == np.eye(n)).all() else matrix


def _cubic_weights(t, a):
    """Keys' cubic convolution kernel with parameter `a`, for distances `t` up to 2."""
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return np.where(t <= 1, near, far)


@lru_cache(maxsize=512)
def _cubic(n, o, rule, scale=None):
    """The (o, n) matrix of cubic convolution, as the primitive has it.

    The kernel is read from a table of 1024 steps. Where centres map to centres its parameter is
    -1/2 and elements beyond the edge are left out; otherwise it is -3/4 and the edge is repeated.
    """
    half = rule == "half"
    where = _source(n, o, rule, scale)
    base = np.floor(where)
    delta = np.rint((where - base) * 1024) / 1024
    matrix = np.zeros((o, n))
    for offset in range(-1, 3):
        index = base + offset
        weight = _cubic_weights(np.abs(delta - offset).astype(np.float64), -0.5 if half else -0.75)
        inside = (index >= 0) & (index < n)
        weight = np.where(inside, weight, 0) if half else weight
        np.add.at(matrix, (np.arange(o), np.clip(index, 0, n - 1).astype(int)), weight)
    return matrix / matrix.sum(1, keepdims=True)


@lru_cache(maxsize=512)
def _smooth(n, o, rule, scale=None):
    """The (o, n) matrix of cubic convolution with parameter -3/4, the edge repeated."""
    where = _source(n, o, rule, scale).astype(np.float64)
    base = np.floor(where)
    matrix = np.zeros((o, n))
    for offset in range(-1, 3):
        index = np.clip(base + offset, 0, n - 1).astype(int)
        np.add.at(
            matrix, (np.arange(o), index), _cubic_weights(np.abs(where - base - offset), -0.75)
        )
    return matrix


@lru_cache(maxsize=512)
def area(n, o, corner):
    """The (o, n) matrix whose rows average the input that an output pixel covers."""
    scale = (n - 1) / (o - 1) if corner and o > 1 else n / o
    matrix = np.zeros((o, n))
    for i in range(o):
        first, last = i * scale, (i + 1) * scale
        for j in range(int(np.floor(first)), int(np.ceil(last))):
            matrix[i, min(j, n - 1)] += (min(j + 1, last) - max(j, first)) / scale
    return matrix


def resized(xp, x, goal, kind, rule, scales=None):
    """`x` with its spatial dimensions resized to `goal`."""
    size = tuple(x.shape[x.ndim - len(goal) :])
    scales = scales or (None,) * len(goal)
    steps = list(zip(size, goal, scales))
    if kind == "nearest":
        return xp.pick_axes(x, tuple(_nearest(n, o, rule, s) for n, o, s in steps))
    make = {"linear": _linear, "cubic": _cubic, "smooth": _smooth}[kind]
    return xp.apply_axes(x, tuple(make(n, o, rule, s) for n, o, s in steps))


def line(xp, x, goal, corner):
    """Linear interpolation of sequences; a single output copies the first input."""
    rule = "corner" if corner or goal == 1 else "half"
    return resized(xp, x, (goal,), "linear", rule)
