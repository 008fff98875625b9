"""Attention on a device gives the host's numbers, in memory proportional to the length. In low
precision there are no casts around the products.
"""

import ml_dtypes
import numpy as np
import pytest
from fakecupy import memory
from kit import close

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat._backend import arrays

from . import counters
from .host import host

on_devices = pytest.mark.parametrize("space", counters.DEVICES, indirect=True)
on_cupy = pytest.mark.parametrize("space", ["cupy"] * counters.SIMULATED, indirect=True)
TOLERANCES = {ms.float16: 2**-9, ms.bfloat16: 2**-6}


def operands(dtype, length=12, heads=2, features=8):
    """Queries, keys, values and a gradient, (batch, length, heads * features)."""
    rng = np.random.default_rng(0)
    shape = 2, length, heads * features
    return [ms.Tensor(rng.standard_normal(shape).astype(np.float32)).astype(dtype) for _ in "qkvg"]


def attention(q, k, v):
    return ops.flash_attention_score(q, k, v, 2, scalar_value=8**-0.5)


def causal(q, k, v):
    mask = ms.Tensor(np.triu(np.ones((12, 12), bool), 1))
    return ops.flash_attention_score(q, k, v, 2, attn_mask=mask, scalar_value=8**-0.5)


def result_and_gradients(function, dtype):
    *given, g = operands(dtype)
    out, pull = ms.vjp(function, *given)
    return [one.asnumpy() for one in (out, *pull(g))]


@on_devices
@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize("function", [attention, causal])
def test_low_precision_is_as_exact_as_on_the_host(space, function, dtype):
    results = result_and_gradients(function, dtype)
    with host():
        expected = result_and_gradients(function, dtype)
    for value, right in zip(results, expected, strict=True):
        assert value.dtype == right.dtype
        value, right = value.astype(np.float64), right.astype(np.float64)
        bound = TOLERANCES[dtype]
        close(value, right, rtol=bound, atol=bound * np.abs(right).max())


@on_cupy
@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
def test_products_read_low_precision(space, dtype):
    *given, g = operands(dtype)
    ms.vjp(attention, *given)[1](g)
    with counters.counted() as forward:
        _, pull = ms.vjp(attention, *given)
    with counters.counted() as backward:
        pull(g)
    # one launch per product and sample, then softmax, its rounding and the layout of the result
    assert dict(forward.names["launches"]) == {"launches": 3, "matrix_products": 4}
    # softmax and its gradient, the rounding of both, and rounding and layout of three gradients
    assert backward.names["launches"]["matrix_products"] == 10
    assert backward.launches <= 10 + 11, backward.names["launches"]


@on_cupy
@pytest.mark.parametrize("dtype", ["float16", ml_dtypes.bfloat16], ids=str)
@pytest.mark.parametrize("turned", [False, True])
def test_a_product_in_float32_of_views(space, dtype, turned):
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((2, 5, 3, 4)).astype(dtype) for _ in range(2))
    expected = 0.5 * x.astype("f4").swapaxes(1, 2) @ y.astype("f4").transpose(0, 2, 3, 1)
    x, y = space.array(x).swapaxes(1, 2), space.array(y).transpose(0, 2, 3, 1)
    if turned:
        expected = expected.swapaxes(-1, -2)
        x, y = y.swapaxes(-1, -2), x.swapaxes(-1, -2)
    product = space.matmul_float32(x, y, 0.5)
    assert product.dtype == np.float32
    close(product.get(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
@pytest.mark.parametrize("layer", ["flash", "multi-head"])
def test_memory_is_proportional_to_the_length(space, layer, monkeypatch):
    monkeypatch.setattr(type(space), "at_once", lambda self: 1 << 12, raising=False)
    attend = attention
    if layer == "multi-head":
        cell = nn.MultiheadAttention(16, 2, batch_first=True)
        attend = lambda q, k, v: cell(q, k, v, need_weights=False)[0]  # noqa: E731

    def peak(length):
        *given, g = operands(ms.float16 if layer == "flash" else ms.float32, length)
        with memory.tracked() as usage:
            _, pull = ms.vjp(attend, *given)
            pull(g)
        return usage.peak

    short, long = peak(128), peak(512)
    assert long < 6 * short
    assert arrays.current_space() is space
