"""Operands of tests: reproducible random arrays, and short Tensors of given numbers."""

import numpy as np

from mindspore_compat._core.tensor.tensor import Tensor


def normal(*shape, seed=0, dtype="float64"):
    """Returns a NumPy array of normal numbers, other ones for each seed and each sum of lengths."""
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(dtype)


def floats(*values, dtype="float32"):
    """Returns a Tensor of these numbers: `floats(1, 2)` has shape (2,), `floats([1, 2])` (1, 2)."""
    return Tensor(np.array(values, dtype))


def ints(*values, dtype="int32"):
    """Returns a Tensor of these integers, in shape as `floats` makes them."""
    return Tensor(np.array(values, dtype))
