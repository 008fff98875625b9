"""Sparse tensors: conversions, products and sums against the dense matrix, gradients, printing,
rejected calls.
"""

import numpy
import pytest
from kit import close, same

import mindspore_compat as ms
from mindspore_compat import COOTensor, CSRTensor, RowTensor, Tensor, ops

DENSE = numpy.array([[0, 1, 0, 3], [2, 0, 0, 0], [0, 0, 4, 5]], numpy.float32)


@pytest.fixture
def coo():
    return ops.dense_to_sparse_coo(Tensor(DENSE))


@pytest.fixture
def csr():
    return ops.dense_to_sparse_csr(Tensor(DENSE))


def test_conversions(coo, csr):
    same(coo.to_dense(), DENSE)
    same(csr.to_dense(), DENSE)
    same(coo.to_csr().to_dense(), DENSE)
    same(csr.to_coo().to_dense(), DENSE)
    assert csr.indptr.tolist() == [0, 2, 3, 5]
    assert ops.csr2coo(csr.indptr, 5).tolist() == [0, 0, 1, 2, 2]
    assert ops.coo2csr(Tensor([0, 0, 1, 2, 2]), 3).tolist() == [0, 2, 3, 5]


def test_products(csr):
    matrix = numpy.arange(8, dtype=numpy.float32).reshape(4, 2)
    same(csr.mm(Tensor(matrix)), DENSE @ matrix)
    same(csr.mv(Tensor(matrix[:, :1])), DENSE @ matrix[:, :1])
    same(ops.csr_mm(csr, csr, trans_b=True).to_dense(), DENSE @ DENSE.T)
    sparse = ops.dense_to_sparse_coo(Tensor(DENSE))
    product = ops.SparseTensorDenseMatmul(adjoint_st=True)(
        sparse.indices, sparse.values, (3, 4), Tensor(DENSE)
    )
    same(product, DENSE.T @ DENSE)


def test_sums_and_arithmetic(coo, csr):
    same(csr.sum(1), DENSE.sum(1, keepdims=True))
    same((csr + csr).to_dense(), 2 * DENSE)
    same((csr - csr).to_dense(), 0 * DENSE)
    same((csr * 3).to_dense(), 3 * DENSE)
    same((csr * Tensor(DENSE)).to_dense(), DENSE * DENSE)
    close((csr / Tensor(DENSE + 1)).to_dense(), DENSE / (DENSE + 1), atol=0)
    same((coo + coo).to_dense(), 2 * DENSE)
    same(ops.coo_add(coo, coo, Tensor(5.0)).to_dense(), numpy.where(2 * DENSE >= 5, 2 * DENSE, 0))
    close(ops.csr_tanh(csr).to_dense(), numpy.tanh(DENSE), atol=0)


def test_coalesce_adds_equal_indices():
    doubled = COOTensor(
        Tensor([[1, 0], [0, 1], [1, 0]]), Tensor([1.0, 2.0, 3.0]), (2, 2)
    ).coalesce()
    assert doubled.indices.tolist() == [[0, 1], [1, 0]]
    assert doubled.values.tolist() == [2.0, 4.0]


def test_softmax_runs_over_stored_values(csr):
    found = ops.csr_softmax(csr, ms.float32).values.asnumpy()
    first = numpy.exp([1.0, 3.0]) / numpy.exp([1.0, 3.0]).sum()
    close(found[:3], [*first, 1.0], atol=0)


def test_gradients_reach_the_values(csr):
    weights = numpy.arange(8, dtype=numpy.float32).reshape(4, 2)

    def score(values):
        return CSRTensor(csr.indptr, csr.indices, values, csr.shape).mm(Tensor(weights)).sum()

    close(ms.grad(score)(csr.values), weights.sum(1)[csr.indices.asnumpy()], atol=0)


def test_text(coo):
    small = COOTensor(Tensor([[0, 1]], ms.int32), Tensor([1.0]), (1, 2))
    assert str(small) == (
        "COOTensor(shape=[1, 2], dtype=Float32, indices=Tensor(shape=[1, 2], "
        "dtype=Int32, value=\n[[0 1]]), "
        "values=Tensor(shape=[1], dtype=Float32, value=[ 1.00000000e+00]))"
    )


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda i, v: COOTensor(i, v, [3, 4]), TypeError),
        (lambda i, v: COOTensor([1], v, (3, 4)), TypeError),
        (lambda i, v: COOTensor(i, v, (3,)), ValueError),
        (lambda i, v: COOTensor(i, v, (0, 4)), ValueError),
        (lambda i, v: COOTensor(i, v[:1], (3, 4)), ValueError),
        (lambda i, v: COOTensor(v, v, (3, 4)), ValueError),  # shapes are checked first
        (lambda i, v: COOTensor(i.astype(ms.float32), v, (3, 4)), TypeError),
        (lambda i, v: CSRTensor(i[0], i[0], v, (4, 4)), ValueError),
        (lambda i, v: RowTensor(i[0], v, [3, 2]), TypeError),
        (lambda i, v: ms.SparseTensor(i, [1.0], (3, 4)), TypeError),
        (lambda i, v: ops.csr_to_dense(v), TypeError),
        (lambda i, v: ops.coo_abs(v), TypeError),
    ],
)
def test_refusals(make, error):
    with pytest.raises(error):
        make(Tensor([[0, 1], [1, 2]], ms.int32), Tensor([1.0, 2.0]))


def test_row_tensors_and_the_old_sparse_tensor_do_not_check_shapes():
    rows = RowTensor(Tensor([[0, 1]]), Tensor([1.0]), (3, 4))
    assert rows.dense_shape == (3, 4)
    old = ms.SparseTensor(Tensor([0.5]), Tensor([1.0, 2.0]), ())
    assert old.dense_shape == ()
