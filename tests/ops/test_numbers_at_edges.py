"""At the largest numbers, infinities, NaN, zeros and single elements, operators and gradients give
what float64 gives, or what MindSpore does.
"""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops

MAX, INF, NAN = np.finfo(np.float32).max, np.inf, np.nan


def T(*numbers):
    return Tensor(np.array(numbers, np.float32))


@pytest.mark.parametrize("dtype", "int8 int16 int32 int64 float16 float32 float64".split())
def test_hard_swish_keeps_the_ends_of_each_dtype(dtype):
    ends = np.iinfo(dtype) if dtype.startswith("int") else np.finfo(dtype)
    found = ops.hardswish(Tensor(np.array([ends.max, ends.min, 3, -3], dtype))).asnumpy()
    np.testing.assert_array_equal(found, np.array([ends.max, 0, 3, 0], dtype))


def test_hard_swish_of_infinities_and_nan():
    np.testing.assert_array_equal(ops.hardswish(T(INF, -INF, NAN)).asnumpy(), [INF, 0, NAN])


@pytest.mark.parametrize("scale", [1e10, 1e15, 1e18])
def test_cosine_embedding_loss_of_large_vectors_is_that_of_small_ones(scale):
    x, y = np.float32([[1, 2, 3], [-1, 2, 0.5]]), np.float32([[2, -1, 1], [1, 1, 1]])
    target = Tensor(np.int32([1, -1]))

    def loss(x, y):
        return ops.cosine_embedding_loss(x, y, target)

    large = [Tensor(v * np.float32(scale)) for v in (x, y)]
    np.testing.assert_allclose(loss(*large), loss(Tensor(x), Tensor(y)), rtol=1e-6)
    slopes = ms.grad(loss, (0, 1))
    for found, wanted in zip(slopes(*large), slopes(Tensor(x), Tensor(y)), strict=True):
        np.testing.assert_allclose(found.asnumpy() * scale, wanted.asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "function, numbers, slopes",
    [
        (ops.fast_gelu, [MAX, -MAX], [1, 0]),
        (ops.bessel_i1, [100, -100], [INF, INF]),
        (ops.logit, [-1, 2, 0.5], [NAN, NAN, 4]),
        (lambda x: ops.logaddexp(x, T(1)), [INF, -INF, 1], [1, 0, 0.5]),
        (lambda x: ops.logaddexp2(T(1), x), [INF, -INF, 1], [1, 0, 0.5]),
        (lambda x: ops.norm(x.reshape((2, 2)), dim=1), [0, 0, NAN, 1], [0, 0, NAN, NAN]),
        (lambda x: ops.vector_norm(x.reshape((2, 2)), 3, 1), [0, 0, NAN, 1], [0, 0, NAN, NAN]),
    ],
)
def test_gradients(function, numbers, slopes):
    np.testing.assert_allclose(ms.grad(function)(T(*numbers)).asnumpy(), slopes, rtol=1e-6)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_rows_of_zeros_are_normalized_with_a_gradient(p):
    rows = T(0, 0, 3, 4).reshape((2, 2))
    slopes = ms.grad(lambda x: mint.nn.functional.normalize(x, p, 1, 1e-3))(rows).asnumpy()
    np.testing.assert_allclose(slopes[0], 1000, rtol=1e-6)
    assert np.isfinite(slopes).all()


def test_bessel_i0_reaches_the_largest_numbers():
    from scipy import special

    numbers = np.array([0, 89, -91.9], np.float32)
    expected = special.i0(numbers.astype(np.float64))
    np.testing.assert_allclose(ops.i0(Tensor(numbers)).asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("masked", [-INF, -MAX, -1e9])
@pytest.mark.parametrize("label", [0, 2])
def test_cross_entropy_of_a_masked_class_has_the_gradient_of_softmax(masked, label):
    rows = np.array([[1, 2, masked], [4, 4, 4]], np.float32)
    target = Tensor(np.array([label, -100], np.int32))
    slopes = ms.grad(lambda x: ops.cross_entropy(x, target, reduction="sum"))(Tensor(rows))
    expected = np.array([1 / (1 + np.e), np.e / (1 + np.e), 0])
    expected[label] -= 1
    np.testing.assert_allclose(slopes.asnumpy(), [expected, [0, 0, 0]], rtol=1e-6)


@pytest.mark.parametrize("name", ["irfft", "hfft", "irfft2", "hfft2", "irfftn", "hfftn"])
def test_the_signal_of_one_frequency_is_empty(name):
    found = getattr(ops, name)(T(1.5).reshape((1, 1)))
    assert found.shape == (1, 0) and found.dtype == ms.float32


def test_the_product_of_one_vector_has_one_column():
    np.testing.assert_array_equal(ops.cartesian_prod(Tensor([1, 2])).asnumpy(), [[1], [2]])
    assert ops.cartesian_prod(Tensor(3)).shape == (1, 1)
    with pytest.raises(ValueError):
        ops.cartesian_prod(Tensor([[1, 2]]))
