"""Primitives of ops.auto_generate that draw random numbers, write in place, slice or resize. Those
that MindSpore 2.10 runs on a CPU were compared with it: SliceExt, SolveTriangular, TraceV2,
ToOther, DCT, the nearest Upsamples, ViewDtype and others. The rest was computed by hand.
"""

import numpy as np
import pytest
from kit import close, close_sums, same

import mindspore_compat as ms
from mindspore_compat import Generator, Tensor, mint, ops
from mindspore_compat.ops import auto_generate as a

SEED, LATER = Tensor(np.array(7, np.int64)), Tensor(np.array(1, np.int64))


def floats(*values):
    return Tensor(np.array(values, np.float32))


def ints(*values):
    return Tensor(np.array(values, np.int64))


ROWS = ((1.0, -4.0, 0.5), (3.0, 2.0, -1.0))
CHANCES = ((0.0, 1.0, 0.5), (1.0, 0.0, 0.5))

# name -> its call with (Primitive, seed, offset), shape and dtype of the result
DRAWS = {
    "BernoulliExt": (lambda p, *at: p(floats(*CHANCES), *at), (2, 3), ms.float32),
    "InplaceBernoulliScalar": (lambda p, *at: p(floats(*ROWS), 0.5, *at), (2, 3), ms.float32),
    "InplaceBernoulliTensor": (
        lambda p, *at: p(floats(*ROWS), floats(*CHANCES), *at),
        (2, 3),
        ms.float32,
    ),
    "InplaceExponential": (lambda p, *at: p(floats(*ROWS), 2.0, *at), (2, 3), ms.float32),
    "InplaceNormal": (lambda p, *at: p(floats(*ROWS), 1.0, 2.0, *at), (2, 3), ms.float32),
    "InplaceRandom": (lambda p, *at: p(floats(*ROWS), 0, 1000, *at), (2, 3), ms.float32),
    "InplaceUniform": (lambda p, *at: p(floats(*ROWS), 2.0, 3.0, *at), (2, 3), ms.float32),
    "MultinomialExt": (lambda p, *at: p(floats(*[0.1] * 10), 9, False, *at), (9,), ms.int64),
    "NormalFloatFloat": (lambda p, *at: p(1.0, 2.0, (2, 3), *at), (2, 3), ms.float32),
    "NormalFloatTensor": (lambda p, *at: p(1.0, floats(1, 2, 3), *at), (3,), ms.float32),
    "NormalTensorFloat": (lambda p, *at: p(floats(1, 2, 3), 1.0, *at), (3,), ms.float32),
    "NormalTensorTensor": (lambda p, *at: p(floats(1, 2), floats(1, 2), *at), (2,), ms.float32),
    "RandExt": (lambda p, *at: p((2, 3), *at), (2, 3), ms.float32),
    "RandInt": (lambda p, *at: p(0, 1000, (2, 3), *at), (2, 3), ms.int64),
    "RandIntLike": (lambda p, *at: p(floats(*ROWS), 0, 1000, *at), (2, 3), ms.float32),
    "RandLikeExt": (lambda p, *at: p(floats(*ROWS), *at, ms.float16), (2, 3), ms.float16),
    "Randn": (lambda p, *at: p((2, 3), *at, ms.float16), (2, 3), ms.float16),
    "RandnLike": (lambda p, *at: p(floats(*ROWS), *at), (2, 3), ms.float32),
    "RandpermExt": (lambda p, *at: p(20, *at), (20,), ms.int64),
    "UniformExt": (lambda p, *at: p(floats(*ROWS), 2.0, 3.0, *at), (2, 3), ms.float32),
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws_are_determined_by_seed_and_offset(name):
    call, shape, dtype = DRAWS[name]
    draw = getattr(a, name)()
    first, again, later = (call(draw, SEED, offset) for offset in (ints(0)[0], 0, LATER))
    assert first.shape == shape and first.dtype == dtype
    np.testing.assert_array_equal(first.asnumpy(), again.asnumpy())
    if "Bernoulli" not in name:
        assert (first.asnumpy() != later.asnumpy()).any()


def test_draws_are_those_of_a_generator():
    generator = Generator().manual_seed(7)
    for offset in (0, 1):
        wanted = mint.rand(2, 3, generator=generator)
        np.testing.assert_array_equal(a.RandExt()((2, 3), SEED, offset).asnumpy(), wanted.asnumpy())


def test_a_draw_leaves_the_default_generator_alone():
    state = ms.get_rng_state().asnumpy()
    a.Randn()((4,), SEED, LATER)
    np.testing.assert_array_equal(ms.get_rng_state().asnumpy(), state)


def test_uniform_ext_does_not_write():
    x = floats(1, 2)
    out = a.UniformExt()(x, 5.0, 6.0, SEED, LATER)
    assert x.asnumpy().tolist() == [1, 2] and (out.asnumpy() >= 5).all()


# name -> (the call, what the first input holds afterwards)
WRITES = {
    "InplaceAddmm": (
        lambda p, x: p(x, floats([1], [2]), floats([1, 0, 1]), 2, 3),
        [[5, -8, 4], [12, 4, 4]],
    ),
    "InplaceAddr": (
        lambda p, x: p(x, floats(1, 2), floats(1, 0, 1), 2, 3),
        [[5, -8, 4], [12, 4, 4]],
    ),
    "InplaceClampScalar": (lambda p, x: p(x, -1, 2), [[1, -1, 0.5], [2, 2, -1]]),
    "InplaceClampTensor": (lambda p, x: p(x, floats(-1), floats(2)), [[1, -1, 0.5], [2, 2, -1]]),
    "InplaceDivMod": (lambda p, x: p(x, floats(2, 3, 1), "floor"), [[0, -2, 0], [1, 0, -1]]),
    "InplaceDivMods": (lambda p, x: p(x, 2.0, "trunc"), [[0, -2, 0], [1, 1, 0]]),
    "InplaceElu": (lambda p, x: p(x, 2.0), [[1, 2 * np.expm1(-4), 0.5], [3, 2, 2 * np.expm1(-1)]]),
    "InplaceFillDiagonal": (lambda p, x: p(x, 9.0), [[9, -4, 0.5], [3, 9, -1]]),
    "InplaceFloorDivide": (lambda p, x: p(x, floats(2, 3, 1)), [[0, -2, 0], [1, 0, -1]]),
    "InplaceFloorDivides": (lambda p, x: p(x, 2), [[0, -2, 0], [1, 1, -1]]),
    "InplaceHardtanh": (lambda p, x: p(x, -2, 2), [[1, -2, 0.5], [2, 2, -1]]),
    "InplaceIndexAddExt": (
        lambda p, x: p(x, 1, ints(2), floats([1], [2]), 2),
        [[1, -4, 2.5], [3, 2, 3]],
    ),
    "InplaceIndexCopy": (lambda p, x: p(x, 1, ints(2), floats([7], [8])), [[1, -4, 7], [3, 2, 8]]),
    "InplaceIndexFillScalar": (lambda p, x: p(x, 1, ints(0), 6.0), [[6, -4, 0.5], [6, 2, -1]]),
    "InplaceIndexFillTensor": (
        lambda p, x: p(x, 1, ints(0), floats(6)[0]),
        [[6, -4, 0.5], [6, 2, -1]],
    ),
    "InplaceIndexPut": (
        lambda p, x: p(x, (ints(1, 1), ints(0, 0)), floats(2, 3), True),
        [[1, -4, 0.5], [8, 2, -1]],
    ),
    "InnerInplaceIndexPut": (
        lambda p, x: p(x, (ints(1), ints(0)), floats(2)),
        [[1, -4, 0.5], [2, 2, -1]],
    ),
    "InplacePut": (lambda p, x: p(x, ints(1, 5), floats(7, 8)), [[1, 7, 0.5], [3, 2, 8]]),
    "InplaceReLU": (lambda p, x: p(x), [[1, 0, 0.5], [3, 2, 0]]),
    "InplaceRemainderTensorScalar": (lambda p, x: p(x, 3), [[1, 2, 0.5], [0, 2, 2]]),
    "InplaceRemainderTensorTensor": (lambda p, x: p(x, floats(3, 3, 2)), [[1, 2, 0.5], [0, 2, 1]]),
    "InplaceScatterSrcReduce": (
        lambda p, x: p(x, 1, ints([0], [2]), floats([2], [3]), "multiply"),
        [[2, -4, 0.5], [3, 2, -3]],
    ),
    "InplaceScatterValue": (lambda p, x: p(x, 1, ints([0], [2]), 9), [[9, -4, 0.5], [3, 2, 9]]),
    "InplaceScatterValueReduce": (
        lambda p, x: p(x, 1, ints([0], [2]), 9, "add"),
        [[10, -4, 0.5], [3, 2, 8]],
    ),
    "InplaceSiLU": (lambda p, x: p(x), [[v / (1 + np.exp(-v)) for v in row] for row in ROWS]),
    "InplaceSigmoid": (lambda p, x: p(x), [[1 / (1 + np.exp(-v)) for v in row] for row in ROWS]),
    "InplaceSign": (lambda p, x: p(x), [[1, -1, 1], [1, 1, -1]]),
    "InplaceThreshold": (lambda p, x: p(x, 0.75, 9), [[1, 9, 9], [3, 2, 9]]),
    "InplaceErfinv": (lambda p, x: p(x.mul_(0.0)), np.zeros((2, 3))),
}


@pytest.mark.parametrize("name", WRITES)
def test_writes(name):
    call, wanted = WRITES[name]
    x = floats(*ROWS)
    memory = x._array
    out = call(getattr(a, name)(), x)
    close(x, wanted)
    np.testing.assert_array_equal(out.asnumpy(), x.asnumpy())
    assert x._array is memory


def test_no_gradient_passes_inplace_stop_gradient():
    gradient = ms.grad(lambda x: (a.InplaceStopGradient()(x * 2.0) + x).sum())(floats(1.0, 2.0))
    np.testing.assert_array_equal(gradient.asnumpy(), [1, 1])


IMAGE = np.arange(8, dtype=np.float32).reshape(1, 1, 2, 4)

# name -> the call and the result
VALUES = {
    "Any": (lambda p: p()(Tensor([False, True])), True),
    "Clone": (lambda p: p()(floats(1, 2)), [1, 2]),
    "Col2ImGrad": (
        lambda p: p()(Tensor(IMAGE), (2, 2)),
        [[[0, 1, 2], [1, 2, 3], [4, 5, 6], [5, 6, 7]]],
    ),
    "Diagonal": (lambda p: p(1, 0, 1)(floats(*ROWS)), [-4, -1]),
    "DiagonalView": (lambda p: p()(floats(*ROWS), -1), [3]),
    "EinsumExt": (lambda p: p()("i,i->", (floats(1, 2), floats(3, 4))), 11),
    "Embedding": (lambda p: p()(ints(1, 0), floats([1, 2], [3, 4])), [[3, 4], [1, 2]]),
    "FFTFreq": (lambda p: p()(5, 0.5), [0, 0.4, 0.8, -0.8, -0.4]),
    "RFFTFreq": (lambda p: p()(5), [0, 0.2, 0.4]),
    "FillScalar": (lambda p: p()((2,), 3.0), [3, 3]),
    "FillTensor": (lambda p: p()((2,), floats(3)), [3, 3]),
    "RealView": (lambda p: p()(Tensor(np.array([1 + 2j], np.complex64))), [1]),
    "ImagView": (lambda p: p()(Tensor(np.array([1 + 2j], np.complex64))), [2]),
    "Index": (lambda p: p()(floats(*ROWS), [ints(1, 0), ints(2, 1)]), [-1, -4]),
    "InnerIndex": (lambda p: p()(floats(*ROWS), (ints(1),)), [[3, 2, -1]]),
    "IndexFillScalar": (lambda p: p()(floats(1, 2), 0, Tensor([1], ms.int32), 5.0), [1, 5]),
    "IndexFillTensor": (
        lambda p: p()(floats(1, 2), 0, Tensor([1], ms.int32), floats(5)[0]),
        [1, 5],
    ),
    "InnerNonZero": (lambda p: p()(floats(0, 2, 3)), [[1], [2]]),
    "PixelShuffle": (
        lambda p: p()(Tensor(IMAGE.reshape(1, 4, 1, 2)), 2),
        [[[[0, 2, 1, 3], [4, 6, 5, 7]]]],
    ),
    "RepeatInterleaveInt": (lambda p: p()(floats(1, 2), 2, 0), [1, 1, 2, 2]),
    "RepeatInterleaveTensor": (lambda p: p()(floats(1, 2), ints(1, 2), 0), [1, 2, 2]),
    "SequenceConcat": (lambda p: p(0)((floats(1), floats(2))), [1, 2]),
    "SliceExt": (lambda p: p()(floats(*ROWS), -1, 0, 3, 2), [[1, 0.5], [3, -1]]),
    "SliceExtView": (lambda p: p()(floats(*ROWS), 1, -2, 3, 1), [[-4, 0.5], [2, -1]]),
    "SolveTriangular": (
        lambda p: p()(floats([2, 0], [1, 3]), floats([4], [6]), 1, True, True),
        [[-2], [6]],
    ),
    "ToDtype": (lambda p: p()(floats(1.5), ms.int32), [1]),
    "ToOther": (lambda p: p()(floats(1.5), ints(1)), [1]),
    "TraceV2": (lambda p: p()(floats(*ROWS), 1, 0, 1), -5),
    "View": (lambda p: p()(floats(*ROWS), (3, 2)), [[1, -4], [0.5, 3], [2, -1]]),
    "ViewDtype": (lambda p: p()(floats(1.0), ms.int32), [0x3F800000]),
    "UpsampleNearest1D": (lambda p: p()(floats([[1, 2]]), (4,)), [[[1, 1, 2, 2]]]),
    "UpsampleNearest2D": (lambda p: p()(Tensor(IMAGE), None, (1.0, 0.5)), [[[[0, 2], [4, 6]]]]),
    "UpsampleLinear1D": (lambda p: p()(floats([[1, 2]]), (3,), None, True), [[[1, 1.5, 2]]]),
    "UpsampleBilinear2D": (
        lambda p: p()(Tensor(IMAGE), (2, 7), None, True),
        [[[np.arange(0, 3.5, 0.5), np.arange(4, 7.5, 0.5)]]],
    ),
    "UpsampleBicubic2D": (lambda p: p()(Tensor(IMAGE), (2, 4)), IMAGE),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name):
    call, wanted = VALUES[name]
    close(call(getattr(a, name)), wanted)


def test_pools_give_indices():
    values, indices = a.MaxPoolWithIndices(2)(Tensor(IMAGE))
    assert values.asnumpy().tolist() == [[[[5, 7]]]] and indices.asnumpy().tolist() == [[[[5, 7]]]]
    assert indices.dtype == ms.int64
    values, indices = a.AdaptiveMaxPool1D()(floats([[3, 1, 2, 5]]), (2,))
    assert values.asnumpy().tolist() == [[[3, 5]]] and indices.asnumpy().tolist() == [[[0, 3]]]


def test_layers_added_and_normalized():
    parts = a.AddLayerNormV2()(floats([1, 2]), floats([1, 4]), floats(1, 1), floats(0, 0))
    assert [part.shape for part in parts] == [(1, 2), (1, 1), (1, 1), (1, 2)]
    close_sums(parts[0], [[-1, 1]])


def test_empty_ones():
    for made in (
        a.Empty()((2, 3), ms.float16),
        a.EmptyLike()(floats(*ROWS), ms.float16),
        a.NewEmpty()(floats(1), (2, 3), ms.float16),
    ):
        assert made.shape == (2, 3) and made.dtype == ms.float16


def test_dct_of_ones():
    close(a.DCT()(floats(1, 1)), [2**0.5, 0])
    close(a.IDCT()(a.DCT()(floats(3, 1, 2))), [3, 1, 2])
    both = a.DCTN()(floats(*ROWS))
    close(both, a.DCT()(a.DCT()(floats(*ROWS)), 2, None, 0))
    close(a.IDCTN()(both), ROWS)
    assert a.Contiguous()(floats(1)).is_contiguous()


def test_slices_refuse_axes_that_are_not_there():
    with pytest.raises(ValueError, match="^For 'SliceExt', 'dim'"):
        a.SliceExt()(floats(*ROWS), 2, 0, 1, 1)


def test_gradients_pass_what_is_more_than_a_call():
    gradient = ms.grad(lambda x: a.SliceExt()(x, 0, 1, 2, 1).sum())(floats(1.0, 2.0))
    np.testing.assert_array_equal(gradient.asnumpy(), [0, 1])
    solve = ms.grad(lambda b: a.SolveTriangular()(floats([2.0, 0], [0, 4.0]), b).sum())
    same(solve(floats([1.0], [1.0])), [[0.5], [0.25]])
    assert ops.Primitive in a.SliceExt.__mro__
