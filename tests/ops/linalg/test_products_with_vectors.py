"""Gradients of products of matrices with vectors."""

import tracemalloc

import numpy as np
import pytest
from kit import normal

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops

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


@pytest.mark.parametrize("outer", [ops.outer, mint.outer])
def test_the_gradient_of_an_outer_product_needs_no_array_of_its_shape(outer):
    x, y = (Tensor(normal(count, seed=count).astype(np.float32)) for count in (400, 500))
    weights = Tensor(normal(400, 500).astype(np.float32))
    gradient = ops.GradOperation(get_all=True, sens_param=True)(outer)
    by_x, by_y = gradient(x, y, weights)
    rows, columns, matrix = (tensor.asnumpy().astype(float) for tensor in (x, y, weights))
    for found, first, second in ((by_x, matrix, columns), (by_y, rows, matrix)):
        rounding = np.finfo(np.float32).eps * (abs(first) @ abs(second))  # of all terms of a sum
        assert (abs(found.asnumpy() - first @ second) < 2 * rounding).all()
    tracemalloc.start()
    gradient(x, y, weights)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * weights.nbytes  # the result alone, without a temporary product of its shape
