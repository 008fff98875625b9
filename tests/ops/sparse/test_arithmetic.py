"""Operators between sparse and dense tensors, as MindSpore 2.10 has them."""

import numpy as np
import pytest

from mindspore_compat import COOTensor, CSRTensor, Tensor, int32, int64


def sparse():
    """1 and 4 at one index, 2 at another."""
    positions = Tensor([[0, 1], [1, 2], [0, 1]], int64)
    return COOTensor(positions, Tensor([1.0, 2.0, 4.0]), (3, 4))


def dense():
    return Tensor(np.full((3, 4), 2.0, np.float32))


WHOLE = np.zeros((3, 4), np.float32)
WHOLE[0, 1], WHOLE[1, 2] = 5, 2


@pytest.mark.parametrize(
    "combine, expected",
    [
        (lambda c, d: c + d, WHOLE + 2),
        (lambda c, d: d + c, WHOLE + 2),
        (lambda c, d: c - d, WHOLE - 2),
        (lambda c, d: d - c, 2 - WHOLE),
    ],
)
def test_a_sum_with_a_dense_tensor_is_dense(combine, expected):
    found = combine(sparse(), dense())
    assert isinstance(found, Tensor)
    np.testing.assert_array_equal(found.asnumpy(), expected)


@pytest.mark.parametrize(
    "combine, values",
    [
        (lambda c, d: c * d, [2, 4, 8]),
        (lambda c, d: d * c, [2, 4, 8]),
        (lambda c, d: c / d, [0.5, 1, 2]),
        (lambda c, d: -c, [-1, -2, -4]),
    ],
)
def test_a_product_keeps_the_indices(combine, values):
    found = combine(sparse(), dense())
    assert isinstance(found, COOTensor) and found.shape == (3, 4)
    assert found.values.asnumpy().tolist() == values
    np.testing.assert_array_equal(found.indices.asnumpy(), sparse().indices.asnumpy())


def test_the_difference_of_two_sparse_tensors():
    np.testing.assert_array_equal((sparse() - sparse()).to_dense().asnumpy(), WHOLE * 0)


def test_the_negative_of_a_matrix_by_rows():
    made = CSRTensor(Tensor([0, 1, 2], int32), Tensor([1, 0], int32), Tensor([1.0, 2.0]), (2, 2))
    assert (-made).values.asnumpy().tolist() == [-1, -2]


@pytest.mark.parametrize(
    "error, wrong",
    [
        (ValueError, lambda c, d: c + d[0]),
        (ValueError, lambda c, d: c * d[0]),
        (TypeError, lambda c, d: c + d.astype(int32)),
        (TypeError, lambda c, d: c * 2),
        (TypeError, lambda c, d: c * c),
        (TypeError, lambda c, d: c / c),
        (TypeError, lambda c, d: 2 * c),
        (TypeError, lambda c, d: d / c),
    ],
)
def test_what_does_not_combine(error, wrong):
    with pytest.raises(error):
        wrong(sparse(), dense())
