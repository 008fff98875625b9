"""Primitives without a public function: MindSpore's numbers, rejected calls, derivatives."""

import os
import subprocess
import sys

import numpy as np
import pytest
from kit import close
from kit.gradients import check_gradients

import mindspore_compat as ms
from mindspore_compat import COOTensor, CSRTensor, Tensor, ops
from mindspore_compat.ops._elementwise import arithmetic
from mindspore_compat.ops._embedding import lookup
from mindspore_compat.ops._linalg import matmul
from mindspore_compat.ops._reduction import cumulative, segment, statistics
from mindspore_compat.ops._sparse import components


def ints(*values):
    return Tensor(np.array(values, np.int32))


FIRST = Tensor(np.array(0))  # an axis, as a Tensor for Primitives that require one


def longs(*values):
    return Tensor(np.array(values, np.int64))


def floats(*values):
    return Tensor(np.array(values, np.float32))


def numbers(*shape, seed=0):
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape)


A = floats([1, 2], [3, 4])
LOWEST = np.finfo(np.float32).min

# What MindSpore gives.
OBSERVED = {
    "SegmentMax": (lambda: ops.SegmentMax()(ints(1, 2, 3), ints(0, 0, 2)), [2, 0, 3]),
    "SegmentMin": (lambda: ops.SegmentMin()(floats(1, 2, 3), ints(0, 0, 2)), [1, 0, 3]),
    "SegmentSum": (lambda: ops.SegmentSum()(A, ints(0, 0)), [[4, 6]]),
    "SegmentMean": (lambda: ops.SegmentMean()(A, ints(0, 2)), [[1, 2], [0, 0], [3, 4]]),
    "SegmentProd": (lambda: ops.SegmentProd()(A, ints(1, 2)), [[1, 1], [1, 2], [3, 4]]),
    "EditDistance": (
        lambda: ops.EditDistance()(
            longs([0, 0, 0], [1, 0, 1], [1, 1, 1]),
            floats(1, 2, 3),
            longs(2, 2, 2),
            longs([0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1]),
            floats(1, 3, 2, 1),
            longs(2, 2, 2),
        ),
        [[1, 1], [1, 1]],
    ),
    "ListDiff": (lambda: ops.ListDiff()(ints(1, 2, 3, 4, 2), ints(2)), ([1, 3, 4], [0, 2, 3])),
    "NthElement": (lambda: ops.NthElement()(floats([1, 2, 3], [6, 5, 4]), 1), [2, 5]),
    "LowerBound": (lambda: ops.LowerBound()(ints([0, 1, 2, 3]), ints([2, 5])), [[2, 4]]),
    "UpperBound": (lambda: ops.UpperBound()(ints([0, 1, 2, 3]), ints([2, 5])), [[3, 4]]),
    "Bucketize": (lambda: ops.Bucketize([1.0, 3.0])(floats(0, 1, 2, 3, 4)), [0, 1, 1, 2, 2]),
    "SearchSorted": (lambda: ops.SearchSorted()(ints([0, 1, 3]), ints([1, 2])), [[1, 2]]),
    "Bincount": (lambda: ops.Bincount()(ints(0, 1, 1, 4), 3, floats(1, 2, 3, 4)), [1, 5, 0]),
    "Histogram": (lambda: ops.Histogram(4, 0.0, 3.0)(floats(1, 2, 1)), [0, 2, 1, 0]),
    "HistogramFixedWidth": (
        lambda: ops.HistogramFixedWidth(5)(floats(-1, 0, 1.5, 2, 5, 15), floats(0, 5)),
        [2, 1, 1, 0, 2],
    ),
    "CompareAndBitpack": (lambda: ops.CompareAndBitpack()(floats(*range(1, 9)), Tensor(3.0)), [31]),
    "DataFormatDimMap": (lambda: ops.DataFormatDimMap()(ints(0, 1, 2, 3, -1)), [0, 3, 1, 2, 2]),
    "DataFormatVecPermute": (
        lambda: ops.DataFormatVecPermute("NHWC", "NCHW")(ints(1, 2, 3, 4)),
        [1, 4, 2, 3],
    ),
    "MulNoNan": (lambda: ops.MulNoNan()(floats(np.inf, 1), floats(0, 2)), [0, 2]),
    "NoRepeatNGram": (
        lambda: ops.NoRepeatNGram(2)(ints([[1, 2, 1, 2, 5, 1, 2]]), floats([[0.5] * 6])),
        [[[0.5, LOWEST, 0.5, 0.5, 0.5, LOWEST]]],
    ),
    "Padding": (lambda: ops.Padding(4)(floats([8], [10])), [[8, 0, 0, 0], [10, 0, 0, 0]]),
    "RaggedRange": (
        lambda: ops.RaggedRange(Tsplits=ms.int64)(longs(2, 5, 8), longs(3, 5, 12), longs(1, 1, 1)),
        ([0, 1, 1, 5], [2, 8, 9, 10, 11]),
    ),
    "SparseSlice": (
        lambda: ops.SparseSlice()(
            longs([0, 1], [1, 2]), floats(1, 2), longs(2, 3), longs(0, 0), longs(2, 2)
        ),
        ([[0, 1]], [1], [2, 2]),
    ),
    "SparseTensorDenseAdd": (
        lambda: ops.SparseTensorDenseAdd()(longs([0, 0], [0, 1]), floats(1, 1), longs(2, 2), A),
        [[2, 3], [3, 4]],
    ),
    "SquareSumAll": (lambda: ops.SquareSumAll()(A, A), (30, 30)),
    "SubAndFilter": (
        lambda: ops.SubAndFilter()(ints(1, 3, 5, 8, 9, 16), 10, 5),
        ([0, 3, 4], [2, 3, 4]),
    ),
    "TrilIndices": (lambda: ops.TrilIndices(3, 4, -1)(), [[1, 2, 2], [0, 0, 1]]),
    "UnravelIndex": (lambda: ops.UnravelIndex()(ints(2, 5), ints(3, 3)), [[0, 1], [2, 2]]),
    "UniqueWithPad": (
        lambda: ops.UniqueWithPad()(ints(1, 2, 2, 3), 8),
        ([1, 2, 3, 8], [0, 1, 1, 2]),
    ),
    "ScatterAddWithAxis": (
        lambda: ops.ScatterAddWithAxis(0)(
            ops.zeros((3, 3)), ints([1, 0, 2], [0, 2, 1]), ops.ones((2, 3))
        ),
        [[1, 1, 0], [1, 0, 1], [0, 1, 1]],
    ),
    "Coalesce": (
        lambda: ops.Coalesce()(longs([0, 0, 1], [1, 1, 2]), floats(1, 5, 4), longs(3, 3)),
        ([[0, 1], [1, 2]], [6, 4], [3, 3]),
    ),
    "ComputeAccidentalHits": (
        lambda: ops.ComputeAccidentalHits(2)(longs([1, 2], [0, 4], [3, 3]), longs(0, 1, 2, 3, 4)),
        ([0, 0, 1, 1, 2, 2], [1, 2, 0, 4, 3, 3], [LOWEST] * 6),
    ),
    "ConfusionMatrix": (
        lambda: ops.ConfusionMatrix(4)(ints(0, 1, 1, 3), ints(1, 2, 1, 3)),
        [[0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 1]],
    ),
    "CumulativeLogsumexp": (
        lambda: ops.CumulativeLogsumexp(True, True)(floats(1, 2, 3), FIRST),
        [3.3132617, 3, LOWEST],
    ),
    "EmbeddingLookup": (
        lambda: ops.EmbeddingLookup()(
            floats([8, 9], [10, 11], [12, 13], [14, 15]), ints([5, 2], [8, 5]), 4
        ),
        [[[10, 11], [0, 0]], [[0, 0], [10, 11]]],
    ),
    "EqualCount": (lambda: ops.EqualCount()(ints(1, 2, 3), ints(1, 2, 4)), [2]),
    "IndexPut": (lambda: ops.IndexPut(1)(A, floats(3), [ints(0, 0), ints(0, 1)]), [[4, 5], [3, 4]]),
    "MapUniform": (lambda: ops.MapUniform()(ints(*range(8)), 4, 2), [0, 4, 1, 5, 2, 6, 3, 7]),
    "Betainc": (lambda: ops.Betainc()(floats(1), floats(2), floats(0.5)), [0.75]),
    "SplitV": (
        lambda: ops.SplitV([1, -1], 0, 2)(ints([1, 2], [3, 4], [5, 6])),
        ([[1, 2]], [[3, 4], [5, 6]]),
    ),
    "ForiLoop": (lambda: ops.ForiLoop()(0, 3, lambda i, x: x + i, A), [[4, 5], [6, 7]]),
    "population_count": (lambda: ops.population_count(Tensor([-1, 3], ms.int16)), [16, 2]),
    "blackman_window": (
        lambda: ops.blackman_window(5),
        [0, 0.20077013, 0.8492298, 0.8492298, 0.20077013],
    ),
    "hamming_window": (lambda: ops.hamming_window(5, False), [0.08, 0.54, 1, 0.54, 0.08]),
    "kaiser_window": (
        lambda: ops.kaiser_window(5),
        [
            5.2773441320097665e-05,
            0.10171968770956323,
            0.7929398341014605,
            0.7929398341014605,
            0.10171968770956323,
        ],
    ),
    "logspace": (lambda: ops.logspace(Tensor(1.0), Tensor(3.0), 3), [10, 100, 1000]),
    "take": (lambda: A.take(ints(-1, 9)), [4, 4]),
    "choose": (lambda: ints(0, 5).choose([1, 2]), [1, 2]),
    "choose by floats": (lambda: Tensor([0.9, 1.5]).choose([1, 2]), [1, 2]),
    "resize": (lambda: A.resize(2, 3), [[1, 2, 3], [4, 0, 0]]),
    "csr_gather": (
        lambda: ops.csr_gather(ints(0, 1, 2), ints(0, 1), ops.ones((2, 4)), (2, 4)),
        [1, 1],
    ),
    "coo_concat": (
        lambda: (
            ops.coo_concat(
                (
                    COOTensor(longs([0, 1], [1, 2]), ints(1, 2), (3, 4)),
                    COOTensor(longs([0, 0], [1, 1]), ints(3, 4), (3, 4)),
                ),
                1,
            ).indices
        ),
        [[0, 1], [0, 4], [1, 2], [1, 5]],
    ),
}


@pytest.mark.parametrize("name", OBSERVED)
def test_the_result_is_the_originals(name):
    call, expected = OBSERVED[name]
    found = call()
    outs, wanted = (found, expected) if isinstance(found, tuple) else ((found,), (expected,))
    assert len(outs) == len(wanted)
    for out, one in zip(outs, wanted, strict=True):
        close(out, one)


def test_short_fourier_transforms_agree_with_a_sum():
    x, window = numbers(16), numbers(4, seed=2)
    out = ops.stft(Tensor(x), 4, 2, 4, Tensor(window), center=False, return_complex=True).asnumpy()
    for frequency in range(3):
        for index in range(out.shape[-1]):
            turn = np.exp(-2j * np.pi * frequency * np.arange(4) / 4)
            expected = (x[2 * index : 2 * index + 4] * window * turn).sum()
            close(out[frequency, index], expected)
    assert ops.stft(Tensor(x), 4).shape == (3, 17, 2)


def test_parts_of_sparse_tensors():
    coo = COOTensor(ints([0, 1], [1, 0]), floats(3, 4), (2, 2))
    csr = CSRTensor(ints(0, 1, 2), ints(1, 0), floats(3, 4), (2, 2))
    assert ops.coo_tensor_get_dense_shape(coo) == (2, 2) == ops.csr_tensor_get_dense_shape(csr)
    np.testing.assert_array_equal(ops.csr_tensor_get_indptr(csr).asnumpy(), [0, 1, 2])
    with pytest.raises(TypeError, match="coo_tensor_get_values"):
        ops.coo_tensor_get_values(csr)


def test_loops_and_python_functions():
    assert ops.WhileLoop()(lambda x: x < 10, lambda x: x + 3, 1) == 10
    assert ops.Scan()(lambda total, x: (total + x, total), 0, [1, 2, 3]) == (6, [0, 1, 3])
    double = ops.PyFunc(lambda x: 2 * x, [ms.float32], [(2, 2)], [ms.float32], [(2, 2)])
    np.testing.assert_array_equal(double(A)[0].asnumpy(), 2 * A.asnumpy())


def test_random_primitives_follow_their_law_and_seed():
    one, same = ops.RandomPoisson(3, 1), ops.RandomPoisson(3, 1)
    rate = floats(4)
    first = one(ints(2000), rate).asnumpy()
    np.testing.assert_array_equal(first, same(ints(2000), rate).asnumpy())
    assert (one(ints(2000), rate).asnumpy() != first).any()
    assert abs(first.mean() - 4) < 0.2
    numbers_ = ops.TruncatedNormal(seed=2)(ints(5000)).asnumpy()
    assert np.abs(numbers_).max() <= 2 and abs(numbers_.std() - 0.88) < 0.03
    cut = ops.ParameterizedTruncatedNormal(1)(
        ints(1, 5000), floats(1), floats(2), floats(0), floats(3)
    ).asnumpy()
    assert cut.min() >= 0 and cut.max() <= 3
    out = ops.Randperm(max_length=5)(ints(3)).asnumpy()
    assert sorted(out[:3]) == [0, 1, 2] and (out[3:] == -1).all()
    assert set(ops.Multinomial(1)(floats([0, 1, 0]), 4).asnumpy().ravel()) == {1}


@pytest.mark.parametrize(
    "call, error, part",
    [
        (lambda: ops.SegmentSum()(A, ints(1, 0)), ValueError, "segment_ids"),
        (lambda: ops.SegmentSum()(A, floats(0, 1)), TypeError, "segment_ids"),
        (lambda: ops.InvertPermutation()((0, 0)), ValueError, "permutation"),
        (lambda: ops.NthElement()(A, 2), ValueError, "'n'"),
        (lambda: ops.UnravelIndex()(ints(9), ints(3, 3)), ValueError, "indices"),
        (lambda: ops.ListDiff()(A, ints(1)), TypeError, "dtypes"),
        (lambda: ops.ConfusionMatrix(2)(ints(2), ints(0)), ValueError, "classes"),
        (lambda: ops.CompareAndBitpack()(A, Tensor(1.0)), ValueError, "multiple"),
        (lambda: ops.NoRepeatNGram(9)(ints([[1]]), floats([[1]])), ValueError, "ngram_size"),
        (lambda: ops.Padding(4)(A), ValueError, "'x'"),
        (lambda: ops.SplitV([1, 2], 0, 2)(A), ValueError, "size_splits"),
        (lambda: ops.ParallelConcat()([A]), ValueError, "values"),
        (lambda: ops.CheckNumerics()(floats(np.nan)), RuntimeError, "NaN"),
        (lambda: ops.Assert()(Tensor(False), [A]), RuntimeError, "false"),
        (lambda: ops.hann_window(-1), ValueError, "window_length"),
        (lambda: ops.stft(A, 3, 0), ValueError, "hop_length"),
        (lambda: ops.Coalesce()(longs([3], [0]), floats(1), longs(3, 3)), ValueError, "axis 0"),
        (lambda: ops.coo_concat((COOTensor(longs([0, 0]), floats(1), (1, 1)),)), ValueError, "two"),
        (lambda: ops.Randperm(2)(ints(3)), ValueError, "'n'"),
        (lambda: ops.Scan()(lambda r, x: (r, x), 0, [1], 2), ValueError, "length"),
        (lambda: ops.PyFunc(abs, [1], [], [], []), ValueError, "in_types"),
        (lambda: ops.scalar_add("1", 2), TypeError, "'x'"),
        (lambda: ops.embedding(ints(2), A), IndexError, "input"),
        (lambda: A.select(0, 2), ValueError, "index"),
        (lambda: A.sum_to_size((3, 2)), ValueError, "size"),
        (lambda: A.choose(1), TypeError, "choices"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, part):
    with pytest.raises(error, match=part):
        call()


CASES = {
    "SegmentSum": (lambda x: segment.by_segment.run(x, ints(0, 0, 2), 3, "add"), numbers(3, 2)),
    "SegmentMean": (lambda x: segment.by_segment.run(x, ints(0, 0, 2), 3, "mean"), numbers(3, 2)),
    "SegmentMax": (lambda x: segment.by_segment.run(x, ints(0, 0, 2), 3, "max"), numbers(3, 2)),
    "MulNoNan": (arithmetic.mul_no_nan.run, numbers(3), numbers(3, seed=1)),
    "TridiagonalMatMul": (
        matmul.tridiagonal_matmul.run,
        numbers(1, 3),
        numbers(1, 3, seed=1),
        numbers(1, 3, seed=2),
        numbers(3, 2),
    ),
    "CumulativeLogsumexp": (
        lambda x: cumulative.cumulative_logsumexp.run(x, FIRST, False, True),
        numbers(4),
    ),
    "EmbeddingLookup": (lambda x: lookup.embedding_lookup.run(x, ints(5, 8), 4), numbers(3, 2)),
    "sparse_segment_mean": (
        lambda x: components.sparse_segment_mean.run(x, ints(0, 2, 2), ints(0, 0, 1)),
        numbers(3, 2),
    ),
    "embedding": (lambda w: lookup.rows_of.run(w, ints(0, 2, 2)), numbers(3, 2)),
    "var_mean": (statistics.mint_var_mean.run, numbers(3, 2)),
    "stft": (lambda x: ops.stft(x, 4, 2), numbers(9)),
    "kthvalue": (lambda x: x.kthvalue(2)[0], numbers(2, 3)),
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives_agree_with_differences(name):
    check_gradients(*CASES[name])


def test_the_incomplete_beta_function_has_the_density_as_its_gradient():
    a, b = Tensor(np.array([2.0])), Tensor(np.array([3.0]))
    check_gradients(lambda x: ops.Betainc()(a, b, x), np.array([0.4]), order=1)


def test_the_gradient_of_a_padding_row_is_zero_and_rows_met_often_may_count_once():
    table = Tensor(numbers(3, 2))
    for options, expected in (
        ({}, [1, 2, 1]),
        ({"padding_idx": 1}, [1, 0, 1]),
        ({"scale_grad_by_freq": True}, [1, 1, 1]),
    ):
        gradient = ms.grad(lambda w, o=options: ops.embedding(ints(0, 1, 1, 2), w, **o).sum())(
            table
        )
        close(gradient.asnumpy()[:, 0], expected, atol=0)


@pytest.mark.parametrize("value, shown", [("0", "False"), ("1", "True")])
def test_names_of_older_releases_can_be_switched_off(value, shown):
    code = "from mindspore_compat import ops; print(hasattr(ops, 'power') and 'power' in dir(ops))"
    process = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "MINDSPORE_COMPAT_LEGACY": value},
    )
    assert process.stdout.strip() == shown


def test_three_paddings_of_a_pool_of_volumes_count_for_both_sides():
    x = ms.Tensor(np.random.default_rng(0).normal(size=(1, 2, 3, 5, 5)).astype(np.float32))
    three, six = (
        ops.MaxPool3D(kernel_size=(1, 3, 3), strides=2, pad_mode="pad", pad_list=pads)(x)
        for pads in ((0, 1, 1), (0, 0, 1, 1, 1, 1))
    )
    assert three.shape == (1, 2, 2, 3, 3) and (three == six).all()
    with pytest.raises(ValueError, match="'pad_list'"):
        ops.MaxPool3D(kernel_size=3, pad_mode="pad", pad_list=(1, 1))(x)
