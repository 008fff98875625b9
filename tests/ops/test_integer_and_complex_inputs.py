"""Integer, bool and complex inputs of functions that usually take floats: values and dtypes.

Observed in MindSpore 2.10.
"""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, nn, ops


def whole(*values, dtype=np.int32):
    return Tensor(np.array(values, dtype))


@pytest.mark.parametrize("divide", [ops.RealDiv(), ops.tensor_div, ops.TruncateDiv()])
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64"])
def test_quotients_of_ints_are_cut_and_by_zero_reach_the_bound(divide, dtype):
    bounds = np.iinfo(dtype)
    low = -7 if bounds.min else 7
    found = divide(whole(7, low, 7, low, 0, dtype=dtype), whole(2, 2, 0, 0, 0, dtype=dtype))
    assert str(found.dtype).lower() == dtype
    far = bounds.min or bounds.max
    assert found.asnumpy().tolist() == [3, int(low / 2), bounds.max, far, 0]


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "uint64"])
def test_floors_of_quotients_of_ints(space, dtype):
    bounds = np.iinfo(dtype)
    low, least = (-7, bounds.min) if bounds.min else (7, bounds.max)
    found = ops.floor_div(whole(7, low, 7, low, 0, dtype=dtype), whole(2, 2, 0, 0, 0, dtype=dtype))
    assert found.asnumpy().tolist() == [3, low // 2, bounds.max, least, 0]
    assert (True // whole(1, 2, dtype=dtype)).asnumpy().tolist() == [1, 0]


def test_quotients_of_large_ints_are_exact():
    assert ops.RealDiv()(whole(2**53 + 1, dtype=np.int64), 1).asnumpy().tolist() == [2**53 + 1]
    assert ops.RealDiv()(whole(7, -7), 2.0).asnumpy().tolist() == [3.5, -3.5]
    assert ops.div(whole(7, -7), 2).asnumpy().tolist() == [3.5, -3.5]
    with pytest.raises(TypeError, match="For 'RealDiv'.*bools"):
        ops.RealDiv()(whole(1) > 0, True)


@pytest.mark.parametrize("power", [ops.pow, ops.Pow(), lambda x, n: x**n])
def test_powers_of_ints_have_gradients(power):
    assert ms.grad(lambda x: power(x, 3))(whole(3, -4)).asnumpy().tolist() == [27, 48]
    assert power(whole(2), -1).asnumpy().tolist() == [0]


@pytest.mark.parametrize("total", [ops.nansum, mint.nansum, lambda x, **k: x.nansum(**k)])
def test_nansum_keeps_the_dtype_or_takes_the_one_given(total):
    x = Tensor(np.array([1.5, np.nan, 1.5], np.float32))
    assert total(whole(100, 100, dtype=np.int8)).asnumpy() == np.int8(-56)
    for given, wanted in ((ms.int32, 3), (ms.float16, 3), (ms.bool_, True)):
        found = total(x, dtype=given)
        assert found.dtype == given and found.asnumpy() == wanted
    assert total(x > 0).dtype == ms.int64
    with pytest.raises(TypeError):
        total(x.astype(ms.complex64))
    with pytest.raises(TypeError):
        total(x, dtype=ms.complex64)


@pytest.mark.parametrize("product", [ops.cumprod, mint.cumprod, Tensor.cumprod])
def test_cumulative_products_of_ints_are_int64_or_what_is_given(product):
    x = whole(100, 2, 3, dtype=np.uint8)
    assert product(x, 0).dtype == ms.int64
    found = product(x, 0, dtype=ms.int8)
    assert found.dtype == ms.int8 and found.asnumpy().tolist() == [100, -56, 88]


@pytest.mark.parametrize("given", [ms.float16, ms.bfloat16])
@pytest.mark.parametrize(
    "call", [mint.cumprod, ops.cumsum, ops.cumprod, ops.sum, mint.sum, mint.prod, mint.nansum]
)
def test_a_dtype_asked_for_is_given_for_narrow_floats(call, given):
    assert call(Tensor([1.0, 2.0], given), 0, dtype=ms.float32).dtype == ms.float32
    assert call(Tensor([1.0, 2.0], given), 0).dtype == given


def test_two_narrow_floats_make_a_float32():
    half, brain = Tensor([1.0, 4.0], ms.float16), Tensor([2.0, 2.0], ms.bfloat16)
    for x, y in ((half, brain), (brain, half)):
        found = ops.smooth_l1_loss(x, y)
        assert found.dtype == ms.float32 and found.asnumpy().tolist() == [0.5, 1.5]
        gradient = ms.grad(lambda x: ops.smooth_l1_loss(x, y).sum())(x)  # noqa: B023
        assert gradient.dtype == x.dtype


@pytest.mark.parametrize("dtype", [ms.complex64, ms.complex128])
def test_norms_of_complex_vectors_are_complex(dtype):
    x = Tensor(np.array([3 + 4j, 0]), dtype)
    for found in (ops.norm(x), x.norm(2, 0), ops.vector_norm(x), ops.matrix_norm(x.reshape(1, 2))):
        assert found.dtype == dtype and abs(found.asnumpy() - 5) < 1e-6
    assert ops.norm(x.reshape(1, 2), "nuc").is_floating_point()


def test_relu_documents_any_number_and_its_layer_no_complex_ones():
    complex_numbers = Tensor(np.array([1 + 1j, -1 + 1j], np.complex64))
    assert ops.relu(complex_numbers).asnumpy().tolist() == [1 + 1j, 0]
    with pytest.raises(TypeError, match="'input' must be a Tensor of dtype"):
        nn.ReLU()(complex_numbers)
