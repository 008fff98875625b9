"""Operands of tests: reproducible random arrays, and short Tensors of given numbers."""

import numpy as np

from mindspore_compat._core.tensor.tensor import Tensor


def normal(*shape, seed=0, dtype="float64"):
    """Returns an array of normal numbers; the generator's seed is `seed` + the sum of `shape`."""
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(dtype)


def floats(*values, dtype="float32"):
    """Returns a Tensor of these numbers: `floats(1, 2)` has shape (2,), `floats([1, 2])` (1, 2)."""
    return Tensor(np.array(values, dtype))


def ints(*values, dtype="int32"):
    """Returns a Tensor of these integers; the shape follows the rule of `floats`."""
    return Tensor(np.array(values, dtype))
