"""Arrays whose dtype object is not NumPy's own, as in unpickled arrays and Tensors.

They compute as others do.
"""

import pickle

import numpy
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, ops
from mindspore_compat._core.tensor import dtype as dtypes
from mindspore_compat._core.tensor import promotion


def again(value):
    return pickle.loads(pickle.dumps(value))


def made(way, dtype):
    values = numpy.arange(1, 7).reshape(2, 3).astype(dtype)
    if way == "array":
        return Tensor(again(values))
    return ms.from_numpy(again(values)) if way == "shared" else again(Tensor(values))


@pytest.mark.parametrize("way", ["array", "shared", "tensor"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "uint8", "int32", "int64"])
def test_arithmetic(way, dtype):
    given, plain = made(way, dtype), Tensor(numpy.arange(1, 7).reshape(2, 3).astype(dtype))
    one = Tensor(numpy.full(3, 2, dtype))
    for function in (
        lambda x: x + 1,
        lambda x: x * 2.5,
        lambda x: 7 - x,
        lambda x: x + x,
        lambda x: x / one,
        lambda x: one - x,
        lambda x: x.sum(),
        lambda x: x > 3,
        lambda x: ops.exp(x.astype(ms.float32)),
        lambda x: x.astype(ms.float16) + 1,
    ):
        found, wanted = function(given), function(plain)
        assert found.dtype == wanted.dtype
        numpy.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())
    assert given.dtype == plain.dtype and (given == plain).all()


def test_another_byte_order_is_converted():
    values = numpy.arange(6).reshape(2, 3)
    for dtype in (">i4", "<i4", ">f8"):
        tensor = ms.from_numpy(values.astype(dtype))
        assert tensor.dtype == (ms.float64 if dtype == ">f8" else ms.int32)
        numpy.testing.assert_array_equal((tensor + 1).asnumpy(), values + 1)


@pytest.mark.parametrize("way", ["array", "tensor"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_gradients(way, dtype):
    given = made(way, dtype)
    gradient = ms.grad(lambda x: (x * x + ops.softmax(x)).sum())(given)
    assert gradient.dtype == given.dtype
    close(gradient, 2 * given.asnumpy())


@pytest.mark.parametrize("dtype", [ms.bfloat16, ms.float16, ms.float32])
def test_parameters(dtype):
    weight = again(Parameter(Tensor([1.0, 2.0], dtype), name="w"))
    assert (weight + 1).dtype == ops.exp(weight).dtype == dtype
    ops.assign_add(weight, Tensor([1.0, 1.0], dtype))
    assert weight.asnumpy().astype("float32").tolist() == [2, 3]


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "bfloat16"])
def test_rules_of_promotion_return_the_dtype_of_numpy(dtype):
    own = dtypes.to_numpy(getattr(ms, dtype))
    foreign = again(numpy.zeros(1, own)).dtype
    for function in (promotion.promote_np, promotion.product_np, promotion.promote_weak_0d_np):
        function.cache_clear()
        assert function(foreign, foreign) is function(own, own) is own
    promotion.scalar_np.cache_clear()
    assert promotion.scalar_np(foreign, int) is promotion.scalar_np(own, int)
