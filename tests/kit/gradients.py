"""Checks gradients by finite differences, for the tests of all areas.

A scalar is formed from an operation's outputs with fixed random weights. Its gradient along a
random direction is compared with a central difference. The gradient is itself an operation, so
applying the same check to it tests second derivatives.
"""

import numpy as np

from mindspore_compat import ops
from mindspore_compat._core.gradients.transforms import grad, jvp
from mindspore_compat._core.tensor.tensor import Tensor

STEP, TOLERANCE = 1e-5, 1e-6
FLOAT32_STEP, FLOAT32_TOLERANCE = 1e-2, 2e-3  # for operations that always compute in float32


def check_gradients(function, *arrays, order=2, seed=0):
    """Compares the gradients of `function` with differences, up to `order`.

    Args:
        function: Tensors to a Tensor or a tuple of them (integer outputs do not count).
        *arrays: float64 (or complex128) values to differentiate at; they should be far from kinks.
        order: 1, or 2 for second derivatives too.
        seed: the seed of the weights and directions.
    """
    arrays = [np.asarray(a, np.result_type(a, np.float64)) for a in arrays]
    scales = STEP, TOLERANCE
    if _has_low_precision(function(*map(Tensor, arrays))):
        scales, order = (FLOAT32_STEP, FLOAT32_TOLERANCE), 1
    _check(_weighted(function, seed), arrays, order, seed, *scales)


def check_jvp(function, *arrays, seed=0):
    """Checks `jvp` against the gradients: with the Jacobian J, <u, J v> equals <Jᵀ u, v>."""
    arrays = [np.asarray(a, np.result_type(a, np.float64)) for a in arrays]
    rng = np.random.default_rng(seed + 1)
    tensors, along = [Tensor(a) for a in arrays], [_like(rng, a) for a in arrays]
    scalar = _weighted(function, seed)
    backward = sum(
        _dot(g.asnumpy(), d) for g, d in zip(_gradients(scalar, len(arrays))(*tensors), along)
    )
    forward = jvp(scalar, tuple(tensors), tuple(map(Tensor, along)))[1].asnumpy().item()
    exact = FLOAT32_TOLERANCE if _has_low_precision(function(*tensors)) else 1e-9
    assert abs(forward - backward) <= exact * max(abs(forward), 1), (
        f"{forward} forward, but {backward} backward"
    )


def _has_low_precision(outs):
    outs = outs if isinstance(outs, (tuple, list)) else (outs,)
    return any(o._array.dtype in (np.float32, np.complex64, np.float16) for o in outs)


def _like(rng, array):
    """Returns normal numbers in the shape of `array`, complex for a complex one."""
    real = rng.standard_normal(array.shape)
    return real + 1j * rng.standard_normal(array.shape) if array.dtype.kind == "c" else real


def _dot(g, direction):
    """Returns the directional derivative."""
    return float(np.sum(np.conj(g) * direction).real)


def _check(scalar, arrays, order, seed, step=STEP, tolerance=TOLERANCE):
    rng = np.random.default_rng(seed + 100 * order)
    tensors = [Tensor(a) for a in arrays]
    gradients = _gradients(scalar, len(arrays))(*tensors)
    for i, array in enumerate(arrays):
        direction = _like(rng, array)
        along = _dot(gradients[i].asnumpy(), direction)
        moved = [
            [
                t if j != i else Tensor(array + sign * step * direction)
                for j, t in enumerate(tensors)
            ]
            for sign in (1, -1)
        ]
        high, low = (scalar(*inputs).asnumpy().item() for inputs in moved)
        expected = (high - low) / (2 * step)
        size = max(abs(expected), abs(along), abs(high) + abs(low), 1)
        assert abs(along - expected) <= tolerance * size, (
            f"order {order}, input {i}: {along} along a direction, but a difference of {expected}"
        )
    if order > 1:
        _check(_weighted(_gradients(scalar, len(arrays)), seed + 1), arrays, order - 1, seed + 7)


def _gradients(scalar, count):
    """Returns the gradients of `scalar` for its first `count` inputs, always a tuple."""
    gradient = grad(scalar, tuple(range(count)))

    def gradients(*tensors):
        result = gradient(*tensors)
        return result if isinstance(result, tuple) else (result,)

    return gradients


def _weighted(function, seed):
    """Returns a function: the sum of all elements of the floating outputs, with random weights."""

    def scalar(*tensors):
        outs = function(*tensors)
        total = None
        for i, out in enumerate(_parts(outs if isinstance(outs, (tuple, list)) else (outs,))):
            weights = np.random.default_rng(seed + 10 * i).standard_normal(out.shape)
            part = ops.reduce_sum(out * Tensor(weights))
            total = part if total is None else total + part
        return total

    return scalar


def _parts(outs):
    """Yields the floating outputs, and the real and imaginary parts of complex outputs."""
    for out in outs:
        if out._array.dtype.kind == "c":
            yield ops.real(out)
            yield ops.imag(out)
        elif out._array.dtype.kind == "f":
            yield out
