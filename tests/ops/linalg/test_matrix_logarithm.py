"""The logarithm of matrices and its gradient."""

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

A = np.array([[1 + 2j, 2 + 1j], [4 + 1j, 5 + 2j]])
LOG = [
    [0.69155775 + 1.71618359j, 0.64665196 - 0.34928196j],
    [1.02426074 - 0.88736831j, 1.44677531 + 0.6400109j],
]  # what 2.10 prints


def test_the_originals_numbers_and_stacks():
    got = ops.MatrixLogarithm()(Tensor(np.stack([A, A @ A, np.eye(2)]).reshape(3, 1, 2, 2)))
    assert got.shape == (3, 1, 2, 2)
    # MindSpore prints eight digits.
    np.testing.assert_allclose(got.asnumpy()[0, 0], LOG, 1e-7)
    close(got.asnumpy()[2, 0], np.zeros((2, 2)))
    single = ops.MatrixLogarithm()(Tensor(A.astype(np.complex64)))
    assert single.dtype == ms.complex64
    close(single, LOG)


def test_the_exponential_gives_the_matrix_back():
    from scipy.linalg import expm

    given = np.random.default_rng(0).standard_normal((4, 4)) + 4 * np.eye(4) + 0.5j
    close(expm(ops.MatrixLogarithm()(Tensor(given)).asnumpy()), given)


def test_the_gradient():
    """The gradient of the real part of a weighted sum along a direction, and the second-order
    gradient."""
    rng = np.random.default_rng(1)
    weight, along, other = (
        rng.standard_normal((2, 2)) + 1j * rng.standard_normal((2, 2)) for _ in range(3)
    )

    def value(matrix):
        return ops.real(ops.MatrixLogarithm()(matrix) * Tensor(weight.conj())).sum()

    def gradient(matrix):
        return ops.real(ms.grad(value)(matrix) * Tensor(other.conj())).sum()

    for function in (value, gradient):
        found = float((ms.grad(function)(Tensor(A)).asnumpy().conj() * along).sum().real)
        ends = [float(function(Tensor(A + step * along))) for step in (-1e-5, 1e-5)]
        assert abs((ends[1] - ends[0]) / 2e-5 - found) < 1e-6 * max(1, abs(found))


@pytest.mark.parametrize(
    "error, given",
    [
        (TypeError, np.eye(2)),
        (TypeError, None),
        (ValueError, np.ones(3, complex)),
        (ValueError, np.ones((2, 3), complex)),
    ],
)
def test_refusals(error, given):
    with pytest.raises(error):
        ops.MatrixLogarithm()(given if given is None else Tensor(given))
