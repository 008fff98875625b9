"""Dtypes and values of results with mixed dtypes, or with integers instead of floats.

Observed in MindSpore 2.10.
"""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, nn, ops


def T(values, dtype="float32"):
    if dtype == "bfloat16":
        return Tensor(np.array(values, np.float32)).astype("bfloat16")
    return Tensor(np.array(values, dtype))


M = [[1, 2], [3, 4]]
PLUS = {  # functions of the dtype of the summand and of the factors
    ops.addmm: lambda a, b: ops.addmm(T(M, a), T(M, b), T(M, b)),
    ops.addmv: lambda a, b: ops.addmv(T([1, 2], a), T(M, b), T([1, 2], b)),
    ops.addr: lambda a, b: ops.addr(T(M, a), T([1, 2], b), T([1, 2], b)),
    ops.addbmm: lambda a, b: ops.addbmm(T(M, a), T([M], b), T([M], b)),
    ops.bidense: lambda a, b: ops.bidense(T([[1, 2]], b), T([[1, 2]], a), T([M], b)),
    ops.vecdot: lambda a, b: ops.vecdot(T([1, 2], a), T([1, -2], b)),
}


@pytest.mark.parametrize("api", PLUS, ids=lambda api: api.__name__)
@pytest.mark.parametrize(
    "one, other, found",
    [
        ("int32", "float32", "Float32"),
        ("int64", "float16", "Float16"),
        ("float16", "int32", "Float16"),
        ("float32", "int64", "Float32"),
        ("float16", "float32", "Float32"),
        ("float32", "float64", "Float64"),
    ],
)
def test_integers_never_widen_floats(api, one, other, found):
    assert str(PLUS[api](one, other).dtype) == found


@pytest.mark.parametrize(
    "call, found",
    [
        (lambda: ops.addmm(True, T(M), T(M)), "Float32"),
        (lambda: ops.addmm(T(M, "int32"), T(M, "int32"), T(M, "int32"), beta=0.5), "Float32"),
        (lambda: ops.addbmm(T(M, "int8"), T([M], "uint8"), T([M], "uint8")), "Int64"),
        (lambda: ops.vecdot(T([1, 2], "uint8"), T([1, 2], "int8")), "Int64"),
        (lambda: ops.vecdot(T([1, 2], "uint64"), T([1, 2], "uint64")), "UInt64"),
        (lambda: ops.addbmm(T(M, "uint16"), T([M], "uint16"), T([M], "uint16")), "UInt16"),
        (lambda: ops.copysign(T([1, 2], "float16"), T([1, -2], "float64")), "Float16"),
        (lambda: ops.copysign(T([1, 2], "int8"), T([1, -2], "float64")), "Float32"),
        (lambda: ops.ldexp(T([1, 2], "float16"), T([1, -2], "int32")), "Float32"),
        (lambda: ops.ldexp(T([1, 2], "int32"), T([1, -2], "float16")), "Float16"),
        (lambda: ops.exp2(T([1, 2], "bfloat16")), "Float32"),
        (lambda: ops.exp2(T([1, 2], "float16")), "Float16"),
        (lambda: ops.cov(T(M, "float16")), "Float32"),
        (lambda: ops.trapz(T(M, "float64")), "Float32"),
        (lambda: ops.trapz(T(M, "float16")), "Float16"),
        (lambda: ops.trapz(T(M, "float16"), T([1, 2], "float16")), "Float32"),
        (lambda: ops.trapz(T(M), T([1, 2], "int64")), "Float32"),
        (lambda: ops.histc(T([1, 2], "float16"), 2, 0.0, 3.0), "Float32"),
        (lambda: ops.Histogram(2, 0.0, 3.0)(T([1, 2], "int32")), "Int32"),
        (lambda: ops.gcd(T([4], "int8"), T([6], "uint8")), "Int16"),
        (lambda: ops.Lcm()(T([4], "int8"), T([6], "int32")), "Int32"),
        (lambda: ops.vector_norm(T([3, 4], "int8")), "Float32"),
        (lambda: ops.cosine_similarity(T(M, "float16"), T(M)), "Float32"),
        (lambda: ops.dist(T(M, "bfloat16"), T(M)), "Float32"),
        (lambda: ops.matrix_set_diag(T(M, "int32"), T([1, 2], "float16")), "Float16"),
        (lambda: ops.clip_by_norm(T([1, 2], "int32"), 1.0), "Float32"),
        (lambda: ops.cross(T([1, 2, 3], "int32"), T([1, 2, 3], "int64")), "Int32"),
        (lambda: ops.cross(T([1, 2, 3], "float16"), T([1, 2, 3])), "Float16"),
        (lambda: ops.multilabel_soft_margin_loss(T(M), T(M, "float64")), "Float64"),
        (lambda: ops.multilabel_soft_margin_loss(T(M), T(M, "int8"), 2), "Float32"),
        (lambda: ops.NLLLoss()(T(M, "float16"), T([1, 0], "int16"), T([1, 1]))[1], "Float16"),
        (lambda: ops.DataFormatDimMap()(T([0, 1], "int64")), "Int64"),
        (lambda: ops.cholesky(T([[4, 0], [0, 4]], "float16")), "Float16"),
        (lambda: ops.ROIAlign(1, 1, 0.5)(T([[M]], "float16"), T([[0, 0, 0, 1, 1]])), "Float16"),
        (lambda: ops.randn_like(T(M, "int32")), "Float32"),
        (lambda: ops.normal((2,), T(0, "float64"), T(1)), "Float64"),
        (lambda: ops.normal((2,), 0.5, T(1, "float64")), "Float32"),
        (
            lambda: ops.STFT(4, 1, 4, False, True, True)(T([1] * 9), T([1] * 4, "float64")),
            "Complex128",
        ),
    ],
)
def test_dtype(call, found):
    assert str(call().dtype) == found


@pytest.mark.parametrize(
    "call, dtype, values",
    [
        (lambda: ops.leaky_relu(T([-1, 4, -8], "int32"), 0.5), "Int32", [0, 4, 0]),
        (lambda: ops.leaky_relu(T([-1, 4, -8], "int8"), 2.5), "Int8", [-2, 4, -16]),
        (lambda: nn.LeakyReLU(-1.5)(T([-1, 4, -8], "int32")), "Int32", [1, 4, 8]),
        (lambda: ops.selu(T([-17, -18, 100], "int8")), "Int8", [0, -1, 100]),
        (lambda: ops.Inv()(T([1, 2, -1], "int16")), "Int16", [1, 0, -1]),
        (lambda: T([1, 2, -1]).inv(), "Float32", [1, 0.5, -1]),
        (lambda: ops.CumProd()(T([1, 20, 30], "uint8"), 0), "UInt8", [1, 20, 88]),
        (lambda: ops.cumprod(T([1, 20, 30], "uint8"), 0), "Int64", [1, 20, 600]),
        (lambda: ops.cumprod(T([1, 20, 30]), 0, dtype=ms.int16), "Int16", [1, 20, 600]),
        (lambda: ops.vander(T([2], "uint8"), 10), "Int64", [[2**n for n in range(9, -1, -1)]]),
        (lambda: ops.frac(T([True, False], "bool")), "Int64", [0, 0]),
        (lambda: ops.adjoint(T(M, "bool")), "Bool", [[True, True], [True, True]]),
        (lambda: ops.ConjugateTranspose()(T(M, "bool"), (1, 0)), "Bool", [[True, True]] * 2),
        (lambda: ops.intopk(T(M), T([1, 0], "int64"), 1), "Bool", [True, False]),
        (lambda: ops.Bucketize([2.0])(T([1, 3], "float16")), "Int32", [0, 1]),
        (lambda: ops.scatter(T([[1, 2]]), 1, T([[1]], "int16"), T([[8]])), "Float32", [[1, 8]]),
        (
            lambda: ops.BoundingBoxDecode(max_shape=(10, 12))(
                T([[4, 1, 8, 7]]), T([[1, 1, 1.3, 1.5]])
            )[:, 2:],
            "Float32",
            [[12, 10]],
        ),
    ],
)
def test_value(call, dtype, values):
    found = call()
    assert str(found.dtype) == dtype
    assert found.asnumpy().tolist() == values


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.gcd(T([4], "int8"), T([6], "int8")),  # nothing wider to promote to
        lambda: ops.lcm(T([4], "uint8"), T([6], "uint8")),
        lambda: ops.dist(T(M, "bfloat16"), T(M, "int32")),
        lambda: ops.cosine_similarity(T(M, "float16"), T(M, "float64")),
        lambda: ops.copysign(T([1], "complex64"), 1),
        lambda: ops.inner(T([4, 5]), T([1, 2], "int32")),
        lambda: ops.interpolate(T([[[1, 2]]], "uint8"), size=(4,), mode="linear"),
    ],
)
def test_what_is_not_promoted_is_refused(call):
    with pytest.raises(TypeError):
        call()


@pytest.mark.parametrize(
    "call, dtype, values",
    [
        (lambda: ops.div(T([1, 2], "uint8"), -1), "Float32", [-1, -2]),
        (lambda: T([1, 3], "uint16") / -1, "Float32", [-1, -3]),
        (lambda: ops.inner(T([4, 5]), T(2, "int32")), "Float32", [8, 10]),
        (lambda: T([1, np.nan], "complex64").isnan(), "Bool", [False, True]),
        (lambda: T([4, 5]).gather(T([1], "int16"), 0), "Float32", [5]),
        (lambda: ops.div(10**10, T([2, 4], "int32")), "Float32", [5e9, 2.5e9]),
        (lambda: ops.huber_loss(T([1, 2], "int8"), T([1, 5], "int8")), "Float32", 1.25),
        (lambda: ops.addcdiv(*(T(n, "int64") for n in ([1, 1], [-7, 7], [4, 2]))), "Int64", [0, 4]),
        (lambda: ops.hann_window(1, dtype=ms.float32), "Float64", [1]),
        (lambda: ops.bartlett_window(T(1, "int32")), "Float32", [1]),
        (lambda: T(M).ptp(()), "Float32", 3),
        (
            lambda: ops.interpolate(T([[[1, 2]]], "uint8"), size=(4,), mode="nearest"),
            "UInt8",
            [[[1, 1, 2, 2]]],
        ),
        (
            lambda: nn.Upsample(size=(1, 4), mode="nearest")(T([[[[1, 2]]]], "uint8")),
            "UInt8",
            [[[[1, 1, 2, 2]]]],
        ),
        (lambda: T([1, 2]).itemset(0, T(5)), "Float32", [5, 2]),
        (lambda: ops.argmin(T(3)), "Int64", 0),
        (lambda: ops.fftshift(T(3)), "Float32", 3),
        (lambda: ops.ArgMaxWithValue()(T(3))[1], "Float32", 3),
        (lambda: ops.nanmedian(T(3))[0], "Float32", 3),
        (lambda: mint.nn.functional.softmax(T(3)), "Float32", 1),
        (lambda: ops.gather_nd(T(M), T(1, "int32")), "Float32", [3, 4]),
        (lambda: ops.nll_loss(T(M), T([[1], [0]], "int32")), "Float32", -2.5),
        (lambda: ops.cross_entropy(T([[0, 0]]), T([[1]], "int32")), "Float32", np.log(2)),
        (lambda: ops.matrix_norm(T(M), T(1)), "Float32", 6),
        (
            lambda: ops.diagonal_scatter(T(np.zeros((2, 2)), "int32"), T([1, 2], "float16")),
            "Float16",
            [[1, 0], [0, 2]],
        ),
    ],
)
def test_further_values(call, dtype, values):
    found = call()
    assert str(found.dtype) == dtype
    # Results of 16 bits are integers here, and exact.
    np.testing.assert_allclose(found.asnumpy(), values, rtol=1e-6)


@pytest.mark.parametrize(
    "call, values",
    [
        (lambda: mint.max(T([3, -1]), 1.0), [3, 1]),
        (lambda: mint.min(T([3, -1]), True), [1, -1]),
        (lambda: mint.max(T([1, 2], "int32"), 1.5), [1.5, 2]),
        (lambda: mint.flatten(T(M), np.int64(0)), [1, 2, 3, 4]),
        (lambda: mint.flatten(T(M), T(0, "int32")), [1, 2, 3, 4]),
        (lambda: mint.prod(T(M), T(1, "int32")), [2, 12]),
        (lambda: ops.log_softmax(T(2), 0), 0),
    ],
)
def test_numbers_of_other_kinds_are_taken(call, values):
    assert call().asnumpy().tolist() == values


def test_the_name_that_was_called_is_reported():
    with pytest.raises(TypeError, match="^For 'max', 'dim' must be an int"):
        mint.max(T(M), "0")
