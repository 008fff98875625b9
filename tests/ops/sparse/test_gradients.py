"""Gradients of sparse tensors flow through the values, not through the positions."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import COOTensor, CSRTensor, Tensor, ops
from mindspore_compat.common.sparse_tensor import RowTensorInner

VALUES = Tensor([1.0, 2.0], ms.float32)
PLACES = Tensor([[0, 1], [1, 2]], ms.int32)
COO = COOTensor(PLACES, VALUES, (2, 4))
CSR = CSRTensor(Tensor([0, 1, 2], ms.int32), Tensor([0, 1], ms.int32), VALUES, (2, 4))


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def scaled(x, sparse):
    return sparse.holding(sparse.values * x)


@pytest.mark.parametrize("sparse", [COO, CSR], ids=["coo", "csr"])
def test_an_input_has_the_gradient_of_its_values(sparse):
    both = ops.GradOperation(get_all=True)(scaled)(Tensor(3.0), sparse)
    assert both[0].asnumpy() == 3
    np.testing.assert_array_equal(both[1].asnumpy(), [3, 3])
    weighted = ops.GradOperation(get_all=True, sens_param=True)(scaled)(Tensor(3.0), sparse, sparse)
    assert weighted[0].asnumpy() == 5


def test_in_graph_mode_the_gradient_is_sparse(graph_mode):
    found = ms.grad(lambda sparse: sparse.values * 3)(CSR)
    assert isinstance(found, CSRTensor)
    np.testing.assert_array_equal(found.values.asnumpy(), [3, 3])
    np.testing.assert_array_equal(found.indices.asnumpy(), CSR.indices.asnumpy())


@pytest.mark.parametrize(
    "function, of_values",
    [
        (lambda p, v: COOTensor(p, v, (2, 4)), [1, 1]),
        (lambda p, v: COOTensor(p, v, (2, 4)).indices, [0, 0]),
        (lambda p, v: COOTensor(p, v, (2, 4)).to_csr(), [1, 1]),
        (lambda p, v: COOTensor(p, v, (2, 4)).abs(), [1, 1]),
    ],
)
def test_results_that_are_sparse(function, of_values):
    positions, values = ops.GradOperation(get_all=True)(function)(PLACES, VALUES)
    np.testing.assert_array_equal(positions.asnumpy(), np.zeros((2, 2)))
    np.testing.assert_array_equal(values.asnumpy(), of_values)


def test_what_becomes_sparse_keeps_its_gradient():
    dense = Tensor([[0.0, 1.0], [2.0, 0.0]], ms.float32)
    for function in (lambda d: d.to_csr(), lambda d: d.to_coo()):
        np.testing.assert_array_equal(ms.grad(function)(dense).asnumpy(), [[0, 1], [1, 0]])


def test_rows_are_compared_in_graph_mode_alone(graph_mode):
    rows = Tensor([[1.0, 2.0]])
    with pytest.raises(TypeError, match="shape"):
        RowTensorInner(Tensor([0]), rows, (3, 4))
    assert RowTensorInner(Tensor([0]), rows, (3, 2)).dense_shape == (3, 2)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert RowTensorInner(Tensor([0]), rows, (3, 4)).values is rows
    with pytest.raises(TypeError, match="values"):
        RowTensorInner(Tensor([0]), [1.0], (3,))
