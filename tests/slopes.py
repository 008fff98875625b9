"""Checks of gradients by finite differences, for the tests of every room.

A scalar is made of an operation's outputs with fixed random weights; its gradient along a random
direction is compared with a central difference. The gradient is itself such an operation, so the
same check, applied to it, is one of second order.
"""

import numpy as np

from mindspore_compat import ops
from mindspore_compat._core.tensor import Tensor
from mindspore_compat._core.transforms import grad

STEP = 1e-5
TOLERANCE = 1e-6


def check(function, *arrays, order=2, seed=0):
    """Compares the gradients of `function` with differences, up to `order`.

    Args:
        function: Tensors to a Tensor or a tuple of them (integer outputs do not count).
        *arrays: float64 values to differentiate at; they should be far from kinks.
        order: 1, or 2 for second derivatives too.
        seed: of the weights and directions.
    """
    _check(_weighted(function, seed), [np.asarray(a, np.float64) for a in arrays], order, seed)


def _check(scalar, arrays, order, seed):
    rng = np.random.default_rng(seed + 100 * order)
    tensors = [Tensor(a) for a in arrays]
    slopes = _gradients(scalar, len(arrays))(*tensors)
    for i, array in enumerate(arrays):
        direction = rng.standard_normal(array.shape)
        along = float((slopes[i].asnumpy() * direction).sum())
        moved = [[t if j != i else Tensor(array + sign * STEP * direction)
                  for j, t in enumerate(tensors)] for sign in (1, -1)]
        high, low = (scalar(*each).asnumpy().item() for each in moved)
        expected = (high - low) / (2 * STEP)
        size = max(abs(expected), abs(along), abs(high) + abs(low), 1)
        assert abs(along - expected) <= TOLERANCE * size, (
            f"order {order}, input {i}: {along} along a direction, but a difference of {expected}")
    if order > 1:
        _check(_weighted(_gradients(scalar, len(arrays)), seed + 1), arrays, order - 1, seed + 7)


def _gradients(scalar, count):
    """The gradients of `scalar` for its first `count` inputs, always a tuple."""
    found = grad(scalar, tuple(range(count)))

    def gradients(*tensors):
        result = found(*tensors)
        return result if isinstance(result, tuple) else (result,)
    return gradients


def _weighted(function, seed):
    """The sum of a function's floating outputs, each element with a weight of its own."""

    def scalar(*tensors):
        outs = function(*tensors)
        outs = outs if isinstance(outs, (tuple, list)) else (outs,)
        total = None
        for i, out in enumerate(outs):
            if out._array.dtype.kind != "f":
                continue
            weights = np.random.default_rng(seed + 10 * i).standard_normal(out.shape)
            part = ops.reduce_sum(out * Tensor(weights))
            total = part if total is None else total + part
        return total
    return scalar
