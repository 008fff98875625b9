"""Checksums of matrix products: correct products pass, a wrong product is detected."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._backend.host import checksums

pytestmark = pytest.mark.quick


@pytest.fixture
def watch():
    ms.sdc_detect_start()
    yield
    ms.sdc_detect_stop()
    checksums._mismatches.clear()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64])
def test_right_products_pass(dtype, watch):
    rng = np.random.default_rng(0)
    x = (rng.standard_normal((3, 40, 300)) * 100).astype(dtype)
    y = rng.standard_normal((300, 50)).astype(dtype)
    ops.matmul(Tensor(x), Tensor(y))
    assert checksums._mismatches and ms.get_sdc_detect_result() is False


def test_training_passes(watch):
    net = nn.SequentialCell(nn.Conv2d(2, 4, 3), nn.ReLU(), nn.Flatten(), nn.Dense(64, 3))
    gradient = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
    gradient(Tensor(np.random.default_rng(0).standard_normal((2, 2, 4, 4)), ms.float32))
    assert ms.get_sdc_detect_result() is False


def test_infinities_and_nan_of_the_operands_pass(watch):
    x = np.array([[np.inf, 1.0], [np.nan, 0.0]], np.float32)
    ops.matmul(Tensor(x), Tensor(np.eye(2, dtype=np.float32)))
    assert ms.get_sdc_detect_result() is False


@pytest.mark.parametrize("wrong", [0.01, 1e30, np.nan])
def test_wrong_element_is_found_and_stays_found(wrong, watch, space):
    x = space.asarray(np.random.default_rng(0).standard_normal((8, 16), dtype=np.float32))
    product = space.matmul(x, x.T)
    product[1, 2] += wrong
    checksums.check(space.module, x, x.T, product)
    space.matmul(x, x.T)
    ms.sdc_detect_stop()
    assert ms.get_sdc_detect_result() is True
    ms.sdc_detect_start()
    assert ms.get_sdc_detect_result() is False


def test_nothing_is_checked_without_the_watch():
    ops.matmul(Tensor([[1.0]]), Tensor([[2.0]]))
    assert not checksums._mismatches
