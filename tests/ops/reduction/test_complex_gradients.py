"""Gradients of reductions of complex numbers, against finite differences along both parts."""

import numpy as np
import pytest
from kit import close_sums

from mindspore_compat import Tensor, grad, jvp, ops

X = np.array([[1 + 2j, 0.5 - 1j, 2 + 0.3j, -1 + 1j], [0.3j, 1, 2, 1 - 1j]])
FUNCTIONS = {
    "prod": lambda x: ops.prod(x, 1),
    "cumprod": lambda x: ops.cumprod(x, 1),
    "var": lambda x: ops.var(x, 1),
    "std": lambda x: ops.std(x, 1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_backward(name):
    def loss(x):
        out = FUNCTIONS[name](x)
        real = out.real() if out.is_complex() else out
        return real.sum() + (ops.abs(out) ** 2).sum()

    def gradient(index, unit):
        step = np.zeros(X.shape, complex)
        step[index] = 1e-6 * unit
        return (loss(Tensor(X + step)) - loss(Tensor(X - step))).asnumpy().item() / 2e-6

    wanted = [gradient(index, 1) + 1j * gradient(index, 1j) for index in np.ndindex(*X.shape)]
    found = grad(loss)(Tensor(X)).asnumpy()
    # Differences over a step of 1e-6.
    np.testing.assert_allclose(found.ravel(), wanted, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", ["prod", "cumprod"])
def test_forward(name):
    towards = np.array([[1, 0.5j, 1 - 1j, 2], [1j, -1, 0, 3]])
    found = jvp(FUNCTIONS[name], Tensor(X), Tensor(towards))[1].asnumpy()
    ends = (FUNCTIONS[name](Tensor(X + sign * 1e-6 * towards)).asnumpy() for sign in (1, -1))
    close_sums(found, (next(ends) - next(ends)) / 2e-6)
