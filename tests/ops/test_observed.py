"""Calls with results observed in MindSpore 2.10 (CPU).

Each line of tests/data/observed_ops.jsonl is a call and either its error or, per output, dtype,
shape, sum, sum weighted by cos(0), cos(1), ..., and sum of magnitudes. Calls for which this package
differs on purpose are omitted. The helpers below name the inputs.
"""

import builtins
import json
import pathlib
import types

import numpy as np
import pytest

import mindspore_compat._core.tensor.dtype as ms
from mindspore_compat import mint, ops
from mindspore_compat._core.gradients.transforms import grad
from mindspore_compat._core.tensor.tensor import Tensor

FILE = pathlib.Path(__file__).parent.parent / "data" / "observed_ops.jsonl"
CASES = [json.loads(line) for line in FILE.read_text().splitlines()]
TOLERANCE = {"Float16": 1e-2, "BFloat16": 5e-2}  # a GPU computes in halves throughout


def random_tensor(*shape, dtype=None, seed=0, lo=None, hi=None, pos=False):
    """Normal numbers (integers from `lo` to `hi`), fixed by shape and seed."""
    rng = np.random.RandomState(seed + len(shape) * 7 + sum(shape))
    values = rng.randn(*shape).astype(np.float32) if lo is None else rng.randint(lo, hi, shape)
    if pos:
        values = np.abs(values) + np.float32(0.1)
    return Tensor(np.asarray(values)) if dtype is None else Tensor(np.asarray(values), dtype)


def slopes_of(function, *tensors, n=None):
    """Returns the gradients of a weighted sum of the first output; the weights are cosines."""

    def loss(*inputs):
        out = function(*inputs)
        out = out[0] if isinstance(out, (tuple, list)) else out
        weights = np.cos(np.arange(int(np.prod(out.shape)) or 1)).reshape(out.shape)
        return ops.reduce_sum(out * Tensor(weights.astype(np.float32)))

    return grad(loss, tuple(range(len(tensors))) if n is None else n)(*tensors)


NAMES = {
    "T": random_tensor,
    "G": slopes_of,
    "np": np,
    "ops": ops,
    "mint": mint,
    "Tensor": Tensor,
    "F": types.SimpleNamespace() if mint is None else mint.nn.functional,
    "ms": types.SimpleNamespace(**{k: v for k, v in vars(ms).items() if not k.startswith("_")}),
    "A": lambda v: Tensor(v if isinstance(v, np.ndarray) else np.array(v, np.float32)),
    "I": lambda v: Tensor(np.array(v, np.int32)),
    "L": lambda v: Tensor(np.array(v, np.int64)),
}


def flattened(value):
    """Nested tuples of Tensors as one list."""
    if isinstance(value, (tuple, list)):
        return [one for part in value for one in flattened(part)]
    return [value]


def entries(given):
    """Flattens nested lists of entries; an entry begins with a dtype."""
    if given and isinstance(given[0], str):
        return [given]
    return [one for part in given for one in entries(part)]


def close(found, expected, size, tolerance):
    if isinstance(expected, list):
        expected = complex(*expected)
    if np.isnan(expected) or np.isinf(expected):
        return np.array_equal(found, expected, equal_nan=True)
    return abs(found - expected) <= tolerance * max(size, 1e-3)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["call"])
def test_as_observed(case):
    if "raises" in case:
        with pytest.raises(getattr(builtins, case["raises"])):
            eval(case["call"], NAMES)
        return
    with np.errstate(all="ignore"):
        outs = flattened(eval(case["call"], NAMES))
        expected = entries(case["gives"])
        assert len(outs) == len(expected)
        for out, (dtype, shape, total, weighted, size) in zip(outs, expected):
            assert str(out.dtype) == dtype
            assert list(out.shape) == shape
            flat = out.asnumpy().ravel()
            flat = flat.astype(np.complex128 if flat.dtype.kind == "c" else np.float64)
            tolerance = TOLERANCE.get(dtype, 3e-5)
            assert close(flat.sum(), total, size, tolerance)
            assert close((flat * np.cos(np.arange(flat.size))).sum(), weighted, size, tolerance)
            assert close(np.abs(flat).sum(), size, size, tolerance)
