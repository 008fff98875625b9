"""Gradient primitives with their own arithmetic, and those of ops.auto_generate, against
differences.

Those that 2.10 runs on a CPU were compared with it: LstsqV2Grad, TraceV2Grad, CdistGrad, the
nearest UpsampleGrads, and all of `_grad_ops` here except those listed below.
"""

import numpy as np
import pytest
from kit import close, close_sums

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops
from mindspore_compat.ops import auto_generate as a
from mindspore_compat.ops._primitive_aliases import alias
from mindspore_compat.ops.operations import _grad_ops as g

F = mint.nn.functional


def x(*shape, seed=0, low=-0.9, high=0.9):
    return np.random.default_rng(seed + sum(shape)).uniform(low, high, shape)


def t(values, dtype=None):
    return Tensor(np.asarray(values, dtype))


def whole(*values):
    return t(values, np.int64)


A, B, WIDE = x(2, 3), x(2, 3, seed=5), x(2, 4)
ROW, IMAGE, VOLUME = x(1, 2, 6), x(1, 2, 4, 6), x(1, 2, 4, 4, 4)
WEIGHT = t(x(3, low=0.5), np.float32)
SINGLE = np.float32
SHARE = x(2, 3, low=0.1, high=0.8)
ROWS, COLUMNS = whole(0, 1, 4), whole(0, 2, 3, 6)


CLASSES = t(np.arange(24).reshape(1, 4, 6) % 2, np.int32)
ANGLES = (t(x(1, 1, 3, 4), SINGLE), t(x(1, 1, 3, 4, seed=1), SINGLE))


def standardized_grad(v, d):
    """The gradient of a batch normalization in training, from sums over the batch."""
    axes, eps = (0, 2, 3), 1e-5
    mean = v.mean(axes)
    centred = v - mean.reshape(1, -1, 1, 1)
    invstd = 1 / ms.ops.sqrt((centred * centred).mean(axes) + eps)
    sums = d.sum(axes), (d * centred).sum(axes)
    count = t([v.size // v.shape[1]], np.int32)
    return a.BatchNormElemtGrad()(d, v, mean, invstd, WEIGHT[:2], *sums, count)


def size(name, *at, goal, mode, **more):
    """Returns a case of an Upsample primitive: the function, its input, and the primitive."""
    shape = at[0].shape
    return (
        lambda v: F.interpolate(v, goal, None, mode, **more),
        at[0],
        lambda v, y, d: getattr(a, name)()(d, shape, goal, None, *more.values()),
        SINGLE,
    )


def padded(name, mode, at, pads):
    return (
        lambda v: F.pad(v, pads, mode),
        at,
        lambda v, y, d: getattr(a, name)()(d, v, pads),
        SINGLE,
    )


# Tested beside their forward Primitives in test_ascend_kernels.py and test_generated_moe.py, or
# below. The GmmV2 classes are the Gmm classes.
APART = """AddLayerNormGrad BatchNormGradExt BatchNormReduceGrad ConvolutionGrad ConvolutionStrGrad
    CrossEntropyLossGrad DropoutGradExt FlashAttentionScoreGrad GmmBackward GmmBackwardFusion
    GmmV2Backward GmmV2BackwardFusion LayerNormGradExt MoeTokenPermuteGrad NsaCompressGrad
    RepeatInterleaveGrad""".split()

# name -> (operation of one input, where, the Primitive called on (input, result, gradient), dtype)
CASES = {
    "AdaptiveAvgPool2DGradExt": (
        lambda v: ops.adaptive_avg_pool2d(v, (3, 2)),
        IMAGE,
        lambda v, y, d: a.AdaptiveAvgPool2DGradExt()(d, v),
    ),
    "AdaptiveAvgPool3DGradExt": (
        lambda v: ops.adaptive_avg_pool3d(v, (2, 1, 3)),
        VOLUME,
        lambda v, y, d: a.AdaptiveAvgPool3DGradExt()(d, v),
    ),
    "AvgPool2DGrad": (
        lambda v: F.avg_pool2d(v, 2, 1, 1, False, False),
        IMAGE,
        lambda v, y, d: a.AvgPool2DGrad()(d, v, 2, 1, 1, False, False),
        SINGLE,
    ),
    "AvgPool3DGradExt": (
        lambda v: F.avg_pool3d(v, 2, 1),
        VOLUME,
        lambda v, y, d: a.AvgPool3DGradExt()(d, v, 2, 1),
        SINGLE,
    ),
    "BinaryCrossEntropyWithLogitsBackward": (
        lambda v: F.binary_cross_entropy_with_logits(v, t(SHARE, SINGLE), WEIGHT, "none"),
        A,
        lambda v, y, d: a.BinaryCrossEntropyWithLogitsBackward()(
            d, v, t(SHARE, SINGLE), WEIGHT, None, "none"
        ),
        SINGLE,
    ),
    "CdistGrad": (
        lambda v: ops.cdist(v, t(x(4, 3, seed=3), SINGLE), 3.0),
        A,
        lambda v, y, d: a.CdistGrad(3.0)(d, v, t(x(4, 3, seed=3), SINGLE), y),
        SINGLE,
    ),
    "EluGradExt": (lambda v: F.elu(v, 1.5), A, lambda v, y, d: a.EluGradExt()(d, v, 1.5), SINGLE),
    "EluGradExt of results": (
        lambda v: F.elu(v, 1.5),
        A,
        lambda v, y, d: a.EluGradExt()(d, y, 1.5, True),
        SINGLE,
    ),
    "EmbeddingDenseBackward": (
        lambda v: F.embedding(t([0, 1, 0]), v, 1),
        x(2, 3),
        lambda v, y, d: a.EmbeddingDenseBackward()(d, t([0, 1, 0]), 2),
        SINGLE,
    ),
    "GeluGradExt": (
        lambda v: F.gelu(v, approximate="tanh"),
        A,
        lambda v, y, d: a.GeluGradExt()(d, v, "tanh"),
        SINGLE,
    ),
    "HardtanhGrad": (
        lambda v: F.hardtanh(v, -0.5, 0.5),
        A,
        lambda v, y, d: a.HardtanhGrad()(d, v, -0.5, 0.5),
        SINGLE,
    ),
    "KLDivGrad": (
        lambda v: F.kl_div(v, t(SHARE, SINGLE), "none", True),
        A,
        lambda v, y, d: a.KLDivGrad()(d, v, t(SHARE, SINGLE), "none", True),
        SINGLE,
    ),
    "L1LossBackwardExt": (
        lambda v: F.l1_loss(v, t(B, SINGLE), "none"),
        A,
        lambda v, y, d: a.L1LossBackwardExt()(d, v, t(B, SINGLE), "none"),
        SINGLE,
    ),
    "LeakyReLUGradExt": (
        lambda v: F.leaky_relu(v, 0.1),
        A,
        lambda v, y, d: a.LeakyReLUGradExt()(d, v, 0.1),
        SINGLE,
    ),
    "LeakyReLUGradExt of results": (
        lambda v: F.leaky_relu(v, 0.1),
        A,
        lambda v, y, d: a.LeakyReLUGradExt()(d, y, 0.1, True),
        SINGLE,
    ),
    "LogSigmoidGrad": (
        lambda v: F.logsigmoid(v),
        A,
        lambda v, y, d: a.LogSigmoidGrad()(d, v, y),
        SINGLE,
    ),
    "LstsqV2Grad": (
        lambda v: ops.matmul(ops.pinv(v), t(x(4, 1))),
        x(4, 2),
        lambda v, y, d: a.LstsqV2Grad()(d, v, t(x(4, 1)))[0],
    ),
    "MSELossGradExt": (
        lambda v: F.mse_loss(v, t(B, SINGLE), "none"),
        A,
        lambda v, y, d: a.MSELossGradExt()(d, v, t(B, SINGLE), "none"),
        SINGLE,
    ),
    "MaxPoolGradWithIndices": (
        lambda v: a.MaxPoolWithIndices(2)(v)[0],
        IMAGE,
        lambda v, y, d: a.MaxPoolGradWithIndices(2)(v, d, a.MaxPoolWithIndices(2)(v)[1]),
    ),
    "MishGradExt": (lambda v: F.mish(v), A, lambda v, y, d: a.MishGradExt()(d, v), SINGLE),
    "ReflectionPad1DGrad": padded("ReflectionPad1DGrad", "reflect", ROW, (1, 2)),
    "ReflectionPad2DGrad": padded("ReflectionPad2DGrad", "reflect", IMAGE, (1, 2, 2, 1)),
    "ReflectionPad3DGrad": padded("ReflectionPad3DGrad", "reflect", VOLUME, (1, 2, 2, 1, 1, 1)),
    "ReplicationPad1DGrad": padded("ReplicationPad1DGrad", "replicate", ROW, (1, 2)),
    "ReplicationPad2DGrad": padded("ReplicationPad2DGrad", "replicate", IMAGE, (1, 2, 2, 1)),
    "ReplicationPad3DGrad": padded("ReplicationPad3DGrad", "replicate", VOLUME, (1, 2, 2, 1, 1, 1)),
    "SoftmaxBackward": (
        lambda v: ops.softmax(v, 0),
        A,
        lambda v, y, d: a.SoftmaxBackward()(d, y, 0),
    ),
    "SoftplusGradExt": (
        lambda v: F.softplus(v, 2, 0.5),
        A,
        lambda v, y, d: a.SoftplusGradExt()(d, v, 2, 0.5),
        SINGLE,
    ),
    "SwigluGrad": (
        lambda v: ops.swiglu(v, -1),
        WIDE,
        lambda v, y, d: a.SwigluGrad()(d, v, -1),
        SINGLE,
    ),
    "ThresholdGrad": (
        lambda v: F.threshold(v, 0.1, 7),
        A,
        lambda v, y, d: a.ThresholdGrad()(d, v, 0.1),
        SINGLE,
    ),
    "TraceV2Grad": (
        lambda v: v.trace(1, 0, 1),
        A,
        lambda v, y, d: a.TraceV2Grad()(d, whole(2, 3), 1, 0, 1),
    ),
    "UpsampleBicubic2DGrad": size(
        "UpsampleBicubic2DGrad", IMAGE, goal=(6, 7), mode="bicubic", align_corners=False
    ),
    "UpsampleBilinear2DGrad": size(
        "UpsampleBilinear2DGrad", IMAGE, goal=(6, 7), mode="bilinear", align_corners=True
    ),
    "UpsampleLinear1DGrad": size(
        "UpsampleLinear1DGrad", ROW, goal=(9,), mode="linear", align_corners=False
    ),
    "UpsampleNearest1DGrad": size("UpsampleNearest1DGrad", ROW, goal=(9,), mode="nearest"),
    "UpsampleNearest2DGrad": size("UpsampleNearest2DGrad", IMAGE, goal=(6, 7), mode="nearest"),
    # of _grad_ops
    "AvgPoolGradV1": (
        lambda v: ops.AvgPool(2, 2)(v),
        IMAGE,
        lambda v, y, d: g.AvgPoolGradV1(2, 2)(whole(1, 2, 4, 6), d),
    ),
    "MaxPoolGradV1": (
        lambda v: ops.MaxPool(2, 2)(v),
        IMAGE,
        lambda v, y, d: g.MaxPoolGradV1(2, 2)(v, y, d),
    ),
    "DeformableOffsetsGrad": (
        lambda v: ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))(
            v, t(x(1, 12, 3, 5), SINGLE)
        ),
        IMAGE,
        lambda v, y, d: g.DeformableOffsetsGrad((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))(
            d, v, t(x(1, 12, 3, 5), SINGLE)
        )[0],
        SINGLE,
    ),
    "MaxPoolGradWithArgmax": (
        lambda v: ops.MaxPoolWithArgmax(2, 2)(v)[0],
        x(2, 2, 4, 4),
        lambda v, y, d: g.MaxPoolGradWithArgmax(2, 2)(v, d, ops.MaxPoolWithArgmax(2, 2)(v)[1]),
    ),
    "MaxPoolGradWithArgmax of channels last": (
        lambda v: ops.MaxPoolWithArgmax(2, 2, "valid", "NHWC")(v)[0],
        x(2, 4, 4, 3),
        lambda v, y, d: g.MaxPoolGradWithArgmax(2, 2, "VALID", "NHWC")(
            v, d, ops.MaxPoolWithArgmax(2, 2, "valid", "NHWC")(v)[1]
        ),
    ),
    "MaxPoolGradGradWithArgmax": (
        lambda v: g.MaxPoolGradWithArgmax(2, 2)(
            t(IMAGE), v, ops.MaxPoolWithArgmax(2, 2)(t(IMAGE))[1]
        ),
        x(1, 2, 2, 3),
        lambda v, y, d: g.MaxPoolGradGradWithArgmax(2, 2)(
            t(IMAGE), d, ops.MaxPoolWithArgmax(2, 2)(t(IMAGE))[1]
        ),
    ),
    "FractionalMaxPoolGradWithFixedKsize": (
        lambda v: ops.FractionalMaxPoolWithFixedKsize(2, (2, 3))(v, t(x(1, 2, 2, low=0.1)))[0],
        IMAGE,
        lambda v, y, d: g.FractionalMaxPoolGradWithFixedKsize()(
            v, d, ops.FractionalMaxPoolWithFixedKsize(2, (2, 3))(v, t(x(1, 2, 2, low=0.1)))[1]
        ),
    ),
    "FractionalMaxPool3DGradWithFixedKsize": (
        lambda v: ops.FractionalMaxPool3DWithFixedKsize(2, (2, 3, 2))(v, t(x(1, 2, 3, low=0.1)))[0],
        VOLUME,
        lambda v, y, d: g.FractionalMaxPool3DGradWithFixedKsize()(
            v, d, ops.FractionalMaxPool3DWithFixedKsize(2, (2, 3, 2))(v, t(x(1, 2, 3, low=0.1)))[1]
        ),
    ),
    "MaxUnpool2DGrad": (
        lambda v: ops.MaxUnpool2D(2)(v, t([[[[0, 3]], [[5, 6]]]], np.int64)),
        x(1, 2, 1, 2),
        lambda v, y, d: g.MaxUnpool2DGrad((1, 1, 2, 2))(v, d, t([[[[0, 3]], [[5, 6]]]], np.int64)),
    ),
    "MaxUnpool3DGrad": (
        lambda v: ops.MaxUnpool3D(2)(v, t([[[[[0, 3]]]]], np.int64)),
        x(1, 1, 1, 1, 2),
        lambda v, y, d: g.MaxUnpool3DGrad((1, 1, 2, 2, 2))(v, d, t([[[[[0, 3]]]]], np.int64)),
    ),
    "LuUnpackGrad": (
        lambda v: ops.LuUnpack()(v, t([1, 2], np.int32))[1],
        x(2, 3),
        lambda v, y, d: g.LuUnpackGrad(True, False)(d, t(x(2, 3)), v)[0],
    ),
    "LuUnpackGrad of U": (
        lambda v: ops.LuUnpack()(v, t([1, 2, 3], np.int32))[2],
        x(4, 3),
        lambda v, y, d: g.LuUnpackGrad(False, True)(t(x(4, 3)), d, v)[1],
    ),
    "MedianGrad": (
        lambda v: ops.Median(False, 1)(v)[0],
        A,
        lambda v, y, d: g.MedianGrad(False, 1)(d, v, *ops.Median(False, 1)(v)),
    ),
    "MedianGrad of all": (
        lambda v: ops.Median(True)(v)[0],
        A,
        lambda v, y, d: g.MedianGrad(True)(d, v, y, whole(0)[0]),
    ),
    "MedianGrad with kept axes": (
        lambda v: ops.Median(False, 0, True)(v)[0],
        A,
        lambda v, y, d: g.MedianGrad(False, 0, True)(d, v, *ops.Median(False, 0, True)(v)),
    ),
    "BatchNormElemtGrad": (
        lambda v: F.batch_norm(v, None, None, WEIGHT[:2], WEIGHT[1:], True),
        IMAGE,
        lambda v, y, d: standardized_grad(v, d),
        SINGLE,
    ),
    "NLLLoss2dGrad": (
        lambda v: F.nll_loss(v, CLASSES, WEIGHT[:2], 7, "sum"),
        IMAGE,
        lambda v, y, d: a.NLLLoss2dGrad()(d, v, CLASSES, WEIGHT[:2], "sum", 7, d),
        SINGLE,
    ),
    "RotaryPositionEmbeddingGrad": (
        lambda v: ops.rotary_position_embedding(v, *ANGLES),
        x(1, 2, 3, 4),
        lambda v, y, d: a.RotaryPositionEmbeddingGrad()(d, *ANGLES, v)[0],
        SINGLE,
    ),
    "MoeTokenUnpermuteGrad": (
        lambda v: ops.moe_token_unpermute(v, t([1, 0, 3, 2], np.int32), None),
        x(4, 3),
        lambda v, y, d: a.MoeTokenUnpermuteGrad()(v, d, t([1, 0, 3, 2], np.int32))[0],
        SINGLE,
    ),
    "UniqueGrad": (lambda v: v, A[0], lambda v, y, d: g.UniqueGrad()((d, d), (y, t([0, 1, 2])))),
}


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_differences(name):
    forward, at, back, *dtype = CASES[name]
    dtype = dtype[0] if dtype else np.float64
    step, tolerance = (1e-2, 4e-3) if dtype is SINGLE else (1e-6, 1e-6)
    given = t(at, dtype)
    result = forward(given)
    sens, along = x(*result.shape, seed=7), x(*np.shape(at), seed=8)
    gradient = back(given, result, t(sens, dtype))
    assert gradient.shape == given.shape
    ends = [
        (forward(t(at + s * along, dtype)).asnumpy().astype(np.float64) * sens).sum()
        for s in (-step, step)
    ]
    expected = (ends[1] - ends[0]) / (2 * step)
    found = (gradient.asnumpy() * along).sum()
    assert abs(found - expected) <= tolerance * max(1, abs(expected))


def test_every_line_has_a_case():
    lines = {
        name
        for name, (_, target) in alias.ALIASES["ops.auto_generate"].items()
        if callable(target) and ("Grad" in name or "Backward" in name)
    }
    assert lines <= set(dir(a))
    assert sorted(lines - {*CASES}) == sorted(APART)


def test_gradients_of_compressed_tokens():
    tokens, weight = t(x(48, 2, 16), np.float16), t(x(16, 2), np.float16)
    settings = dict(compress_block_size=16, compress_stride=16, actual_seq_len=(40, 48))
    sens = t(x(2, 2, 16), np.float16)

    def total(tokens, weight):
        return (ops.nsa_compress(tokens, weight, **settings) * sens).sum()

    expected = ms.grad(total, (0, 1))(tokens, weight)
    found = a.NsaCompressGrad()(sens, tokens, weight, *settings.values())
    for of_each, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(of_each.asnumpy(), wanted.asnumpy())


@pytest.mark.parametrize("overlapping", [False, True])
def test_fractional_pools_give_back_to_their_windows(overlapping):
    image = np.random.RandomState(0).permutation(48).reshape(1, 4, 6, 2).astype(np.float32)
    gradient = np.random.RandomState(1).rand(1, 2, 3, 2).astype(np.float32)
    means, largest = np.zeros_like(image), np.zeros_like(image)
    for i, (top, bottom) in enumerate(((0, 1), (1, 4))):
        for j, (left, right) in enumerate(((0, 2), (2, 3), (3, 6))):
            bottom_, right_ = min(bottom + overlapping, 4), min(right + overlapping, 6)
            window = image[0, top:bottom_, left:right_]
            means[0, top:bottom_, left:right_] += gradient[0, i, j] / window[..., 0].size
            for c in range(2):
                at = np.unravel_index(window[..., c].argmax(), window.shape[:2])
                largest[0, top + at[0], left + at[1], c] += gradient[0, i, j, c]
    shape = whole(1, 4, 6, 2)
    found = g.FractionalAvgPoolGrad(overlapping)(shape, t(gradient), ROWS, COLUMNS)
    close(found, means)
    found = g.FractionalMaxPoolGrad(overlapping)(t(image), t(gradient), t(gradient), ROWS, COLUMNS)
    close(found, largest)


@pytest.mark.parametrize(
    "name, power",
    [("SparseSegmentMeanGrad", 1), ("SparseSegmentSqrtNGrad", 0.5), ("SparseSegmentSumGrad", 0)],
)
def test_segments_give_back_to_their_rows(name, power):
    given = (t(A), t([0, 2, 0], np.int32), t([0, 0, 1], np.int32), t(4, np.int32))
    found = getattr(g, name)()(*given).asnumpy()
    share = A[0] / 2**power
    close(found, [share + A[1], 0 * share, share, 0 * share], atol=0)
    for index, wrong in [
        (1, t([0, 4, 0], np.int32)),
        (1, t([0, 2], np.int32)),
        (2, t([0, 2, 1], np.int32)),
        (2, t([0, 0, 2], np.int32)),
        (3, t([4], np.int32)),
    ]:
        with pytest.raises(ValueError, match=name):
            getattr(g, name)()(*given[:index], wrong, *given[index + 1 :])
    with pytest.raises(TypeError, match=name):
        getattr(g, name)()(*given[:3], 4)


def test_what_a_slice_cuts_off_has_no_gradient():
    at, cut = t([[0, 1], [1, 2], [2, 3]]), t([[0, 0], [1, 1]])
    found = g.SparseSliceGrad()(t([5.0, 7.0]), at, t([0, 1]), cut)
    assert found.asnumpy().tolist() == [5, 7, 0] and found.dtype == ms.float64
    with pytest.raises(RuntimeError, match="SparseSliceGrad"):
        g.SparseSliceGrad()(t([5.0, 7.0]), at, t([0, 0]), cut)
    with pytest.raises(ValueError, match="SparseSliceGrad"):
        g.SparseSliceGrad()(t([5.0]), at, t([0, 1]), cut)


def test_medians_of_equal_elements_share():
    gradient = g.MedianGrad(True)(
        t(2.0, np.float32), t([3, 1, 2, 2], np.float32), t(2.0, np.float32), whole(0)[0]
    )
    assert gradient.asnumpy().tolist() == [0, 0, 1, 1]
    assert g.MedianGrad(False, 0)(t(2), t([1, 2]), t(1), whole(0)[0]).dtype == ms.float32
    with pytest.raises(ValueError, match="MedianGrad"):
        g.MedianGrad()(t([1.0]), t([1.0]), t(1.0), whole(0)[0])


def test_gradients_of_draws_as_documented():
    alpha, draws = t([1.0, 0.6, 3.0, 26.0], SINGLE), t([6.0, 7.0, 11.0, 0.5], SINGLE)
    found = g.RandomGammaGrad()(alpha, draws).asnumpy()
    close_sums(found, [2.5142431, 3.4334087, 1.8847835, 0.07780622])
    with pytest.raises(TypeError, match="RandomGammaGrad"):
        g.RandomGammaGrad()(alpha, t([1.0]))


def test_unique_elements_give_back():
    found = g.UniqueGrad()((t([5.0, 7.0]), t([0, 0, 0])), (t([1.0, 3.0]), t([1, 0, 1])))
    assert found.asnumpy().tolist() == [7, 5, 7]


def test_both_inputs_of_deformable_offsets_and_least_squares():
    offsets = t(x(1, 12, 3, 5), SINGLE)
    run = ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))
    image, gradient = t(IMAGE, SINGLE), t(x(1, 2, 6, 10), SINGLE)
    found = g.DeformableOffsetsGrad((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))(gradient, image, offsets)
    wanted = ms.grad(lambda o: (run(image, o) * gradient).sum())(offsets)
    close(found[1], wanted.asnumpy())
    matrix, right = t(x(4, 2)), t(x(4, 1))
    by_right = a.LstsqV2Grad()(t([[1.0], [0.0]]), matrix, right)[1].asnumpy()
    close(by_right, np.linalg.pinv(x(4, 2)).T[:, :1])


def test_embeddings_leave_an_index_out():
    found = a.EmbeddingDenseBackward()(t([[1.0], [2.0], [4.0]], SINGLE), t([0, 1, 0]), 3, 1, True)
    assert found.asnumpy().tolist() == [[2.5], [0], [0]]


def test_refusals_of_indices():
    run = g.FractionalMaxPoolGradWithFixedKsize()
    image, y, at = t(IMAGE), t(x(1, 2, 1, 2)), t([[[[0, 3]], [[5, 6]]]], np.int64)
    with pytest.raises(ValueError, match="FractionalMaxPoolGradWithFixedKsize"):
        run(image, t(x(1, 2, 2, 1)), at)
    with pytest.raises(TypeError):
        run(image, y, t([[[[0, 3]], [[5, 6]]]], np.int32))
    with pytest.raises(ValueError, match="LeakyReLUGradExt"):
        a.LeakyReLUGradExt()(t(A), t(A), -0.1, True)
