"""Gradients of products of matrices with vectors."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

RANDOM = np.random.default_rng(3)


@pytest.mark.parametrize("shape", [(5, 3), (2, 4, 3), (2, 1, 3, 3), (0, 3)])
def test_the_gradient_of_a_vector_is_a_sum_over_rows(shape):
    x, y = RANDOM.standard_normal(shape), RANDOM.standard_normal(shape[-1])
    g = RANDOM.standard_normal(shape[:-1])
    gradient = ms.grad(lambda x, y: (ops.matmul(x, y) * Tensor(g)).sum(), (0, 1))
    by_x, by_y = gradient(Tensor(x), Tensor(y))
    np.testing.assert_allclose(by_x.asnumpy(), g[..., None] * y, rtol=1e-12)
    rows = (x * g[..., None]).reshape(-1, shape[-1])
    np.testing.assert_allclose(by_y.asnumpy(), rows.sum(0), rtol=1e-12, atol=1e-12)
