"""Sparse matrices given by their parts, and older paths of the operations."""

import importlib

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops.operations import _csr_ops

PARTS = (
    Tensor(np.array([0, 2, 2, 3], np.int32)),
    Tensor(np.array([0, 3, 1], np.int32)),
    Tensor(np.array([2, 4, 8], np.float32)),
    (3, 4),
)
DENSE = np.array([[2, 0, 0, 4], [0, 0, 0, 0], [0, 8, 0, 0]], np.float32)
OTHER = np.arange(1, 13, dtype=np.float32).reshape(3, 4)

CASES = {
    "CSRReduceSum": (1, DENSE.sum(1, keepdims=True)),
    "CSRMV": (Tensor(OTHER[:1].T), DENSE @ OTHER[:1].T),
    "CSRMM": (Tensor(OTHER.T), DENSE @ OTHER.T),
    "CSRMul": (Tensor(OTHER), [2, 16, 80]),
    "CSRDiv": (Tensor(OTHER), [2, 1, 0.8]),
}


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_the_dense_matrix(name):
    given, wanted = CASES[name]
    out = getattr(_csr_ops, name)()(*PARTS, given)
    close(out, wanted, atol=0)


def test_gradients_reach_the_values():
    def total(values):
        return _csr_ops.CSRMV()(PARTS[0], PARTS[1], values, (3, 4), Tensor(OTHER[:1].T)).sum()

    np.testing.assert_array_equal(ms.grad(total)(PARTS[2]).asnumpy(), [1, 4, 2])


def test_refusals():
    with pytest.raises(ValueError):
        _csr_ops.CSRReduceSum()(*PARTS, 0)
    with pytest.raises(TypeError):
        _csr_ops.CSRMV()(*PARTS, 1.0)


@pytest.mark.parametrize(
    "path, name", [("_selected_ops", "ReduceMean"), ("composite.random_ops", "normal")]
)
def test_older_paths(path, name):
    module = importlib.import_module(f"mindspore_compat.ops.{path}")
    assert getattr(module, name) is getattr(ops, name)
