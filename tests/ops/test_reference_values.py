"""Numbers for which a plain implementation differs from MindSpore 2.10."""

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, mint, nn, ops


@pytest.mark.parametrize(
    "layer",
    [lambda: nn.GroupNorm(2, 4), lambda: nn.LayerNorm((8,)), lambda: nn.InstanceNorm2d(4)],
    ids=["group", "layer", "instance"],
)
def test_norms_of_numbers_far_from_zero(layer):
    x = (1e4 + np.random.default_rng(0).random((2, 4, 8, 8))).astype(np.float32)
    near = layer()(Tensor(x)).asnumpy()
    centred = layer()(Tensor(x.astype(np.float64) - 1e4).astype(ms.float32)).asnumpy()
    # The spacing of float32 numbers near 1e4 is 1e-3; a layer that adds no further error passes.
    np.testing.assert_allclose(near, centred, atol=2e-6)


def test_complex_numbers_with_an_infinite_part():
    real, imag = Tensor([1.0, np.inf, np.inf, 0.0, -0.0]), Tensor([np.inf, 1, np.nan, -np.inf, 1])
    for found in (ops.Complex()(real, imag), ms.jit(ops.complex)(real, imag)):
        np.testing.assert_array_equal(found.asnumpy().real, real.asnumpy())
        np.testing.assert_array_equal(found.asnumpy().imag, imag.asnumpy())
    assert np.signbit(found.asnumpy().real).tolist() == [False, False, False, False, True]


@pytest.mark.parametrize("count", [1, 1 << 18])
def test_the_gamma_function_at_infinities(count):
    x = Tensor(np.array([-np.inf, np.inf, -1, 0], np.float32)).tile((count,))
    assert (ops.lgamma(x).asnumpy() == np.inf).all()


def test_gelu_is_zero_far_below():
    found = ops.gelu(Tensor([-7.5, -20.0, -4.0, 4.0, 20.0])).asnumpy()
    assert found[:2].tolist() == [0, 0] and found[-1] == 20
    assert np.isnan(ops.gelu(Tensor([np.nan])).asnumpy()).all()


@pytest.mark.parametrize(
    "dtype, quotient, remainder",
    [
        (ms.int32, [2**31 - 1, -(2**31), 0], [-(2**31)] * 3),
        (ms.int64, [2**63 - 1, -(2**63), 0], [-(2**63)] * 3),
        (ms.int8, [127, -128, 0], [0] * 3),
    ],
)
def test_whole_numbers_divided_by_zero(dtype, quotient, remainder):
    x, zero = Tensor([5, -5, 0], dtype), Tensor([0, 0, 0], dtype)
    assert (x // zero).asnumpy().tolist() == quotient
    assert (x % zero).asnumpy().tolist() == remainder
    assert (Tensor([5, 0], ms.uint8) // Tensor([0, 0], ms.uint8)).asnumpy().tolist() == [255, 0]
    assert (x // Tensor([2, 2, 2], dtype)).asnumpy().tolist() == [2, -3, 0]
    assert (x % Tensor([3, 3, 3], dtype)).asnumpy().tolist() == [2, 1, 0]


def test_shifts_count_modulo_the_number_of_bits():
    x = Tensor([1, -1, 5], ms.int32)
    assert ops.bitwise_left_shift(x, 33).asnumpy().tolist() == [2, -2, 10]
    assert ops.bitwise_right_shift(x, Tensor([33] * 3, ms.int32)).asnumpy().tolist() == [0, -1, 2]
    assert ops.bitwise_left_shift(x, 4).asnumpy().tolist() == [16, -16, 80]


def test_the_norm_of_tiny_numbers_is_zero():
    assert float(ops.norm(Tensor([1e-30] * 4))) == 0


def test_the_third_output_of_layer_norm_is_the_variance():
    for axes in ((1, 1), (1, -1)):
        out = ops.LayerNorm(*axes)(Tensor([[1.0, 2.0, 6.0]]), ops.ones(3), ops.zeros(3))
        close(out[2], [[14 / 3]], atol=0)
        close(out[1], [[3]], atol=0)


def test_what_is_added_at_indices_has_a_gradient():
    weights = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    indices = Tensor([0, 2], ms.int32)
    table = Parameter(Tensor(np.ones((3, 2), np.float32)), name="table")

    def total(y):
        return (ops.IndexAdd(0)(table, indices, y) * weights).sum()

    gradient = ms.grad(total)(Tensor([[1.0, 1.0], [2.0, 2.0]]))
    assert gradient.asnumpy().tolist() == [[1, 2], [5, 6]]
    assert table.asnumpy().tolist() == [[2, 2], [1, 1], [3, 3]]


@pytest.mark.parametrize(
    "refused",
    [
        lambda: ops.randint(5, 2, (3,)),
        lambda: ops.randint(0, 2, (-3,)),
        lambda: ops.rand(-3),
        lambda: ops.randn(-3),
        lambda: ops.standard_normal((-1,)),
        lambda: ops.randperm(-2),
        lambda: mint.rand(-3),
        lambda: mint.randperm(-1),
        lambda: ops.gamma((2,), Tensor([-1.0]), Tensor([1.0])),
        lambda: ops.random_poisson(Tensor([2]), Tensor([np.nan])),
    ],
)
def test_a_refused_call_draws_nothing(space, refused):
    ms.set_seed(3)
    expected = ops.rand(4).asnumpy()
    ms.set_seed(3)
    with pytest.raises((ValueError, RuntimeError, TypeError)):
        refused()
    assert ops.rand(4).asnumpy().tolist() == expected.tolist()
