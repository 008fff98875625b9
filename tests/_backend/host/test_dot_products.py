"""Dot products and sums of squares over the last axis, computed by the BLAS library."""

import numpy as np
import pytest
from kit import normal

import mindspore_compat as ms
from mindspore_compat import Tensor, mint
from mindspore_compat._backend.arrays import HOST
from mindspore_compat._backend.threads import scheduler

pytestmark = pytest.mark.host

LENGTHS = [0, 1, 7, 8191, 8193, 20001]


def wide(array):
    return array.astype(np.float64)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("lead", [(), (3,), (2, 2)], ids=str)
def test_dot_products_are_those_of_float64(lead, length, dtype):
    x, y = (normal(*lead, length, seed=seed).astype(dtype) for seed in (1, 2))
    found = HOST.vecdot(x, y)
    assert found.dtype == dtype and np.shape(found) == lead
    scale = np.sqrt((wide(x) ** 2).sum(-1) * (wide(y) ** 2).sum(-1))
    error = np.abs(found - (wide(x) * wide(y)).sum(-1))
    assert (error <= 4 * np.finfo(dtype).eps * scale).all()


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1), (1,)], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("layout", ["rows", "columns", "every other", "integers"])
def test_sums_of_squares_over_axes(layout, axis, keepdims):
    x = normal(6, 10).astype(np.float32)
    x = {
        "columns": np.asfortranarray(x),
        "every other": x[::2],
        "integers": (x * 9).astype(int),
    }.get(layout, x)
    found = HOST.sum_of_squares(x, axis, keepdims=keepdims)
    want = np.sum(wide(x) ** 2, axis, keepdims=keepdims)
    assert np.shape(found) == want.shape
    np.testing.assert_allclose(found, want, rtol=1e-6)


def test_the_bits_do_not_depend_on_the_number_of_threads():
    x, y = (normal(100_003, seed=seed).astype(np.float32) for seed in (1, 2))
    found = []
    for count in (1, 2, 4):
        scheduler.limit(count)
        try:
            found.append((HOST.vecdot(x, y), HOST.sum_of_squares(x)))
        finally:
            scheduler.limit(0)
    assert found[0] == found[1] == found[2]


def test_gradients_of_dot_products_and_norms():
    x, y = (normal(3, 5, seed=seed).astype(np.float32) for seed in (1, 2))
    by_both = ms.grad(mint.dot, (0, 1))(Tensor(x[0]), Tensor(y[0]))
    np.testing.assert_array_equal(by_both[0].asnumpy(), y[0])
    np.testing.assert_array_equal(by_both[1].asnumpy(), x[0])
    for axes in ((), (1,), (0,)):
        found = ms.grad(lambda x, axes=axes: mint.norm(x, 2, *axes).sum())(Tensor(x)).asnumpy()
        length = np.sqrt((wide(x) ** 2).sum(*axes, keepdims=True))
        np.testing.assert_allclose(found, x / length, rtol=1e-6)


def test_the_square_root_of_a_norm_has_no_slope_at_zero():
    x = Tensor([[0.0, 0.0], [3.0, 4.0], [float("nan"), 1.0]])
    out, by_x = ms.value_and_grad(lambda x: mint.norm(x, 2, 1))(x)
    np.testing.assert_allclose(out.asnumpy(), [0, 5, np.nan])
    np.testing.assert_allclose(by_x.asnumpy()[:2], [[0, 0], [0.6, 0.8]], rtol=1e-6)
    second = ms.grad(lambda x: ms.grad(lambda x: mint.norm(x))(x).sum())(Tensor([0.0, 0.0]))
    assert np.isfinite(second.asnumpy()).all()
