"""Operators on sparse parts and segments reject dtypes, shapes and missing indices."""

import numpy as np
import pytest

from mindspore_compat import CSRTensor, Tensor, grad, int32, ops


def floats(values, dtype=np.float32):
    return Tensor(np.array(values, dtype))


def ints(values):
    return Tensor(np.array(values, np.int32))


AT, TWO, DENSE = ints([[0, 1], [1, 2]]), floats([1, 2]), floats(np.arange(8).reshape(4, 2))
CSR = CSRTensor(ints([0, 1, 2]), ints([0, 1]), floats([1, 2]), (2, 2))
WIDE = AT.astype("int64")


def multiplied(indices=AT, values=TWO, shape=(3, 4), dense=DENSE, **settings):
    return ops.SparseTensorDenseMatmul(**settings)(indices, values, shape, dense)


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: multiplied(indices=floats(AT.asnumpy())), TypeError),
        (lambda: multiplied(indices=AT.astype("int16")), TypeError),
        (lambda: multiplied(indices=ints([[[0, 1], [1, 2]]])), ValueError),
        (lambda: multiplied(indices=ints([[0, -1], [1, 2]])), ValueError),
        (lambda: multiplied(values=TWO.astype("bool")), TypeError),
        (lambda: multiplied(values=TWO.astype("float64")), TypeError),
        (lambda: multiplied(values=floats([1])), ValueError),
        (lambda: multiplied(shape=(1, 2)), ValueError),
        (lambda: multiplied(shape=(3, 4, 5)), ValueError),
        (lambda: multiplied(shape=[3, 4]), TypeError),
        (lambda: multiplied(dense=None), TypeError),
        (lambda: multiplied(dense=floats([1, 2])), ValueError),
        (lambda: multiplied(adjoint_dt=True), ValueError),
        (lambda: ops.SparseToDense()(AT, TWO, (1, 2)), ValueError),
        (lambda: ops.SparseToDense()(AT, TWO, (3, 4, 5)), ValueError),
        (lambda: ops.SparseToDense()(AT, floats([1]), (3, 4)), ValueError),
        (lambda: ops.SparseToDense()(AT, TWO.astype("complex64"), (3, 4)), TypeError),
        (
            lambda: ops.SparseTensorDenseAdd()(AT, TWO, ints([4, 2]).astype("int64"), DENSE),
            TypeError,
        ),
        (
            lambda: ops.SparseTensorDenseAdd()(AT, TWO.astype("float64"), ints([4, 2]), DENSE),
            TypeError,
        ),
        (
            lambda: ops.SparseTensorDenseAdd()(ints([[[0, 1]]]), floats([1]), ints([4, 2]), DENSE),
            ValueError,
        ),
        (lambda: ops.csr_softmax(CSR, None), TypeError),
        (lambda: ops.csr_softmax(CSR, int32), TypeError),
        (lambda: ops.dense_to_sparse_csr(ints([[0, 1]])), TypeError),
        (lambda: ops.sparse_segment_mean(floats([]), ints([0]), ints([0])), ValueError),
        (lambda: ops.sparse_segment_mean(TWO, ints([0]), ints([0]).astype("int64")), TypeError),
        (lambda: ops.SegmentSum()(TWO > 1, ints([0, 1])), TypeError),
        (lambda: ops.SegmentMax()(TWO.astype("complex64"), ints([0, 1])), TypeError),
        (lambda: ops.SegmentMax()(None, ints([0, 1])), TypeError),
        (lambda: ops.SegmentMin()(TWO, floats([0, 1])), TypeError),
    ],
)
def test_what_does_not_fit_is_refused(call, error):
    with pytest.raises(error, match="For '"):
        call()


@pytest.mark.parametrize("dtype", ["float16", "int64", "complex64"])
def test_a_sparse_matrix_times_a_dense_one_in_every_dtype(dtype):
    out = multiplied(values=TWO.astype(dtype), dense=DENSE.astype(dtype), shape=ints([3, 4]))
    np.testing.assert_array_equal(out.asnumpy(), [[2, 3], [8, 10], [0, 0]])


def test_both_matrices_may_be_transposed():
    out = multiplied(
        shape=(4, 3),
        indices=ints([[1, 0], [2, 1]]),
        dense=DENSE.T,
        adjoint_st=True,
        adjoint_dt=True,
    )
    np.testing.assert_array_equal(out.asnumpy(), [[2, 3], [8, 10], [0, 0]])


def test_indices_become_dense_on_any_number_of_axes_and_gradients_pass():
    cube = ops.SparseToDense()(ints([[0, 1, 1], [1, 0, 1]]), TWO, [2, 2, 2])
    assert cube.asnumpy()[[0, 1], [1, 0], [1, 1]].tolist() == [1.0, 2.0]
    assert cube.asnumpy().sum() == 3.0
    gradient = grad(lambda v: (ops.SparseToDense()(AT, v, (3, 4)) * 3).sum())(TWO)
    assert gradient.asnumpy().tolist() == [3.0, 3.0]
