"""The smooth L1 loss with extremely small and large values of beta."""

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import ops


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("beta", [5e-324, 1e-320, 1e-60, 2e-46, 1e-45, 1e-40, 1e-8, 1.0, 1e30])
def test_a_beta_of_any_size_gives_a_loss_and_a_gradient(beta, dtype):
    x = np.array([-2.0, -1e-4, 0.0, 1.0, 3.0], dtype)
    size = np.abs(x.astype(np.float64))
    with np.errstate(over="ignore"):
        expected = np.where(size < beta, 0.5 * size * (size / beta), size - 0.5 * beta)
        slope = np.where(size < beta, x / np.float64(beta), np.sign(x))
    tolerance = {"rtol": 2e-3 if dtype == np.float16 else 1e-6, "atol": 1e-7}
    y = ms.Tensor(np.zeros_like(x))
    close(ops.smooth_l1_loss(ms.Tensor(x), y, beta), expected, **tolerance)
    gradient = ms.grad(lambda x: ops.smooth_l1_loss(x, y, beta, "sum"))(ms.Tensor(x))
    close(gradient, slope, **tolerance)
