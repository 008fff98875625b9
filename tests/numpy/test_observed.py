"""Where MindSpore 2.10's mindspore.numpy differs from NumPy: dtypes, kinds of arguments,
exceptions.
"""

import numpy
import pytest
from kit import close

import mindspore_compat as ms
import mindspore_compat.numpy as mnp
from mindspore_compat import Tensor

INTS = Tensor([1, 2, 4], ms.int32)
REALS = Tensor([0.5, -1.5, 2.0], ms.float32)
BOOLS = Tensor([True, False, True])
MATRIX = Tensor([[1.0, 2.0], [3.0, 4.0]], ms.float32)


@pytest.mark.parametrize(
    "found, dtype, values",
    [
        (lambda: mnp.around([-1.3, 0.0, 0.5, 1.5, 2.5]), ms.float32, [-1, 0, 0, 2, 2]),
        (lambda: mnp.round(Tensor([15, 25], ms.int32)), ms.int32, [15, 25]),
        (lambda: mnp.around(1.25, 1), ms.float32, 1.2),
        (lambda: mnp.matrix_power(MATRIX, 3), ms.float32, [[37, 54], [81, 118]]),
        (lambda: mnp.matrix_power([[1, 2], [3, 4]], 0), ms.int32, [[1, 0], [0, 1]]),
        (lambda: mnp.exp2(INTS), ms.int32, [2, 4, 16]),
        (lambda: mnp.reciprocal(Tensor([1, 2], ms.int32)), ms.int32, [1, 0]),
        (lambda: mnp.absolute(Tensor([3 + 4j], ms.complex64)), ms.complex64, [5 + 0j]),
        (lambda: mnp.copysign(INTS, -1.0), ms.int32, [-1, -2, -4]),
        (lambda: mnp.maximum(INTS, 2.5), ms.int32, [2, 2, 4]),
        (lambda: mnp.clip(INTS, 1.9, 3.9), ms.int32, [1, 2, 3]),
        (lambda: mnp.gcd(Tensor([0.5, 4.0], ms.float32), 6), ms.float32, [0.5, 2]),
        (lambda: mnp.lcm(Tensor([4, 6], ms.int16), 10), ms.int32, [20, 30]),
        (lambda: mnp.trapz(Tensor([1, 2, 4], ms.float64)), ms.float32, 4.5),
        (lambda: mnp.cumprod([1, 2, 3]), ms.int64, [1, 2, 6]),
        (lambda: mnp.cumsum(BOOLS), ms.int32, [1, 1, 2]),
        (lambda: mnp.trace(Tensor([[1, 2], [3, 4]], ms.int8)), ms.int64, 5),
        (lambda: mnp.trace(Tensor([[1.5, 0], [0, 2.6]]), dtype=ms.int32), ms.int32, 3),
        (lambda: mnp.nanmean(Tensor([1.5, 2.9]), dtype=ms.int32), ms.float32, 2),
        (lambda: ms.ops.squeeze(Tensor([[[5]]]), (2, 0, 2, -1))[0], ms.int64, 5),
        (lambda: mnp.nansum(BOOLS), ms.bool_, True),
        (lambda: mnp.diff(BOOLS), ms.bool_, [True, True]),
        (lambda: mnp.full_like(REALS, Tensor(2, ms.int64)), ms.int64, [2, 2, 2]),
        (lambda: mnp.asfarray([1, 2], None), ms.int32, [1, 2]),
        (lambda: mnp.zeros(2, "int"), ms.int32, [0, 0]),
        (lambda: mnp.zeros(Tensor([2], ms.int64), float), ms.float32, [0, 0]),
        (lambda: mnp.select([[True, False]], [[1, 2]], 9.5), ms.int32, [1, 9]),
        (lambda: mnp.intersect1d([3, 1], [1, 3, 3], assume_unique=True), ms.int32, [1, 3, 3]),
        (lambda: mnp.take(REALS, Tensor([-1, 9], ms.int32)), ms.float32, [2, 2]),
        (lambda: mnp.vstack(INTS), ms.int32, [1, 2, 4]),
        (lambda: mnp.squeeze(MATRIX, 1), ms.float32, [[1, 2], [3, 4]]),
        (lambda: mnp.vander([1, 2], 0), ms.int32, [[1, 1], [2, 1]]),
        (lambda: mnp.vander(Tensor([], ms.float32), 3), ms.float32, numpy.zeros((0, 3))),
        (lambda: mnp.polyder([5]), ms.float32, []),
        (
            lambda: mnp.histogram([1, 2, 1], weights=[1.0, 0.5, 2.0], bins=2)[0],
            ms.float32,
            [3, 0.5],
        ),
        (lambda: mnp.piecewise(INTS, [BOOLS], [5, 7.5]), ms.float32, [5, 7.5, 5]),
        (lambda: mnp.unravel_index(7.5, (7, 6))[0], ms.float32, 1),
        (lambda: mnp.empty((2,)), ms.float32, [0, 0]),
        (lambda: mnp.array(3, ndmin=2), ms.int32, [[3]]),
        (lambda: mnp.arange(True), ms.int32, [0]),
        (lambda: mnp.hypot(Tensor([3 + 0j], ms.complex64), 4), ms.complex64, [5 + 0j]),
    ],
)
def test_gives(found, dtype, values):
    found = found()
    assert found.dtype == dtype
    close(found, values, rtol=1e-6, atol=0)


def test_kinds_of_results():
    assert isinstance(mnp.split(REALS, 3), tuple) and isinstance(mnp.split(REALS, [1]), list)
    assert isinstance(mnp.atleast_1d(REALS, INTS), list)
    total = mnp.average(REALS, weights=INTS, returned=True)[1]
    assert total.dtype == ms.int32 and total.item() == 7
    assert mnp.linspace(0, 5, 1, retstep=True)[1] != mnp.linspace(0, 5, 1, retstep=True)[1]  # NaN
    assert mnp.result_type("i2", ms.float32, True) == ms.float32
    assert mnp.promote_types(ms.uint16, ms.int8) == ms.int32
    assert mnp.tril_indices(0)[0].dtype == ms.float32
    assert mnp.uint == ms.uint32


def test_private_helpers():
    assert mnp.utils._to_tensor(1, [2.5])[1].dtype == ms.float32
    with pytest.raises(ValueError, match="length 3"):
        mnp.utils_const._raise_value_error("length ", 3)
    with pytest.raises(TypeError, match="<class 'int'>"):
        mnp.utils_const._raise_type_error("got ", 3)


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: mnp.sin(0.5), TypeError),
        (lambda: mnp.sin(REALS, dtype="float16"), TypeError),
        (lambda: mnp.exp(INTS), TypeError),
        (lambda: mnp.add(REALS, 2 + 1j), TypeError),
        (lambda: mnp.multiply(REALS, 2), TypeError),
        (lambda: mnp.less_equal(REALS, 2), TypeError),
        (lambda: mnp.isclose(REALS, INTS), TypeError),
        (lambda: mnp.divmod(INTS, [1]), TypeError),
        (lambda: mnp.signbit(REALS, dtype=ms.int32), TypeError),
        (lambda: mnp.around(1.5, -1), ValueError),
        (lambda: mnp.around(BOOLS), TypeError),
        (lambda: mnp.matrix_power(MATRIX, -1), ValueError),
        (lambda: mnp.matrix_power(REALS, 2), ValueError),
        (lambda: mnp.arange(0), ValueError),
        (lambda: mnp.linspace(0, 1, 0), ValueError),
        (lambda: mnp.linspace(0, 1, endpoint=1), TypeError),
        (lambda: mnp.tri(0), RuntimeError),
        (lambda: mnp.tri(3, 0), RuntimeError),
        (lambda: mnp.tri(-1), ValueError),
        (lambda: mnp.zeros(2, dtype="complex64"), TypeError),
        (lambda: mnp.zeros(2, None), TypeError),
        (lambda: mnp.empty(2, dtype="float32"), TypeError),
        (lambda: mnp.ones(True), TypeError),
        (lambda: mnp.zeros_like("wrong"), ValueError),
        (lambda: mnp.rand(2, dtype=1), ValueError),
        (lambda: mnp.sum(REALS, keepdims=1), TypeError),
        (lambda: mnp.sum(REALS, 1), ValueError),
        (lambda: mnp.mean(BOOLS), TypeError),
        (lambda: mnp.std(REALS, ddof=0.5), TypeError),
        (lambda: mnp.amax([1.0]), TypeError),
        (lambda: mnp.amax(REALS, where=BOOLS), ValueError),
        (lambda: mnp.cumsum([1.0]), TypeError),
        (lambda: mnp.diff(INTS, 3), ValueError),
        (lambda: mnp.gradient(REALS, 1, 2), TypeError),
        (lambda: mnp.gradient([1.0]), ValueError),
        (lambda: mnp.cov(MATRIX, fweights=[0.5, 1.0]), TypeError),
        (lambda: mnp.cov(MATRIX, fweights=[1, 2, 3, 4]), RuntimeError),
        (lambda: mnp.cov(MATRIX, aweights=[[1, 2]]), RuntimeError),
        (lambda: mnp.average(REALS, weights=Tensor([1.0])), TypeError),
        (lambda: mnp.reshape([1.0], 1), TypeError),
        (lambda: mnp.moveaxis(MATRIX, 0, 2), ValueError),
        (lambda: mnp.broadcast_to(REALS, 3), TypeError),
        (lambda: mnp.stack(5), ValueError),
        (lambda: mnp.split(REALS, [2, 1]), ValueError),
        (lambda: mnp.hsplit(REALS, 3), ValueError),
        (lambda: mnp.repeat(BOOLS, 2), TypeError),
        (lambda: mnp.rot90(MATRIX, axes="ab"), TypeError),
        (lambda: mnp.choose(REALS, [1, 2]), ValueError),
        (lambda: mnp.take(REALS, [0]), TypeError),
        (lambda: mnp.unique([1]), TypeError),
        (lambda: mnp.unique(BOOLS), TypeError),
        (lambda: mnp.intersect1d([1], [1], assume_unique=1), TypeError),
        (lambda: mnp.searchsorted(REALS, 1, side=0), ValueError),
        (lambda: mnp.bincount(REALS), TypeError),
        (lambda: mnp.bincount(INTS, length=0), ValueError),
        (lambda: mnp.dot(REALS, INTS), TypeError),
        (lambda: mnp.matmul(MATRIX, REALS), ValueError),
        (lambda: mnp.tensordot(MATRIX, MATRIX, -1), ValueError),
        (lambda: mnp.norm(MATRIX, ord=3), ValueError),
        (lambda: mnp.norm(REALS, "fro"), ValueError),
        (lambda: mnp.correlate(REALS, INTS), TypeError),
        (lambda: mnp.convolve(REALS, []), ValueError),
        (lambda: mnp.polyint([1], k=[]), ValueError),
        (lambda: mnp.polyval([], 1), ValueError),
        (lambda: mnp.unwrap([1.0]), ValueError),
        (lambda: mnp.interp(1, [1], [1, 2]), ValueError),
        (lambda: mnp.meshgrid(REALS, indexing="wrong"), TypeError),
        (lambda: mnp.ix_(MATRIX), ValueError),
        (lambda: mnp.histogram([1], [[1, 2]]), ValueError),
        (lambda: mnp.histogram2d([1, 2], [1, 2], [2]), ValueError),
        (lambda: mnp.pad(REALS, 0.5), TypeError),
        (lambda: mnp.pad(REALS, [[1], [2]]), ValueError),
        (lambda: mnp.result_type([1]), TypeError),
        (lambda: mnp.promote_types("i2", int), TypeError),
    ],
)
def test_refuses(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: mnp.gradient(REALS, edge_order=2), NotImplementedError),
        (lambda: mnp.linspace(0, 5, 6, axis=(1, 2)), ValueError),
        (lambda: mnp.geomspace(1, 5, 6, axis=[1, 2]), ValueError),
        (lambda: mnp.diff(REALS, axis=(1, 2)), ValueError),
        (lambda: mnp.broadcast_to(REALS, "3"), ValueError),
        (lambda: mnp.broadcast_to(REALS, 3), TypeError),
        (lambda: mnp.diagonal(MATRIX, Tensor([1])), ValueError),
        (lambda: mnp.trace(MATRIX, Tensor(1.0)), TypeError),
    ],
)
def test_the_exception_is_that_of_the_original(call, error):
    with pytest.raises(error, match="For '"):
        call()


def test_numbers_are_read_from_tensors():
    assert mnp.trace(MATRIX, Tensor(1)).asnumpy() == 2
    numpy.testing.assert_array_equal(mnp.diagonal(MATRIX, Tensor(1)).asnumpy(), [2])
    numpy.testing.assert_array_equal(mnp.polyder([1, 2, 3], Tensor([1])).asnumpy(), [2, 2])
    assert mnp.broadcast_to(REALS, Tensor([2.0, 3.0])).shape == (2, 3)


def test_unique_keeps_the_order_of_first_appearance():
    found, inverse = mnp.unique(ms.Tensor([[5, 3], [5, 1]]), return_inverse=True)
    assert found.asnumpy().tolist() == [5, 3, 1]
    assert (inverse.asnumpy().tolist(), inverse.dtype) == ([0, 1, 0, 2], ms.int64)
    _, inverse = mnp.unique(ms.Tensor([5.0, 3.0, 5.0]), return_inverse=True)
    assert (inverse.asnumpy().tolist(), inverse.dtype) == ([0, 1, 0], ms.int32)
