"""The primitives of _grad_ops against differences of the operations that they differentiate.

Those that 2.10 runs on a CPU were also compared with it, including the order of inputs.
"""

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops._primitive_aliases import alias
from mindspore_compat.ops.operations import _grad_ops as g


def x(*shape, seed=0, low=-0.9, high=0.9):
    return np.random.default_rng(seed + sum(shape)).uniform(low, high, shape)


def t(values, dtype=None):
    return Tensor(np.asarray(values, dtype))


A, S, B = x(2, 3), x(2, 3, low=0.1, high=0.9), x(2, 3, low=-4, high=8, seed=5)
P, SIGNS = x(2, 3, low=1.2, high=2.0), np.sign(x(2, 3, seed=3))
IMAGE, VOLUME = x(1, 2, 6, 6), x(1, 2, 4, 4, 4)
CLASS = t([0, 2], np.int32)
WEIGHT = t([1.0, 2.0, 3.0], np.float32)
PLACES = t([[0, 0], [2, 1]], np.int64)
MASK = t([[True, False, True], [False, True, False]])
REGIONS = t([[[0.0, 0.0], [0.0, 1.2], [1.0, 0.0], [4.0, 5.0], [3.4, 4.0]]])
BOXES = t([[0, 1, 1, 4, 4]], np.float32)
KERNEL = x(2, 2, 2)
SINGLE = np.float32

IMAGES, SCALES, SLOPES = x(4, 3, 5, 5), t(x(1, 3, 1, 1, low=0.5)), x(3)
GRID, GRID3 = t(x(1, 3, 4, 2, low=-1.3, high=1.3)), t(x(1, 2, 3, 2, 3))


def _statistics(a, axes, keepdims=False):
    mean = a.mean(axes, True)
    variance = ((a - mean) ** 2).mean(axes, True)
    return (mean, variance) if keepdims else (mean.reshape(-1), variance.reshape(-1))


def _standard(a, axes, epsilon=1e-5):
    mean, variance = _statistics(a, axes, True)
    return (a - mean) / (variance + epsilon) ** 0.5


# name -> (operation of one input, where, the Primitive called on (input, result, gradient), dtype)
CASES = {
    "ACosGrad": (ops.acos, A, lambda a, y, d: g.ACosGrad()(a, d)),
    "AbsGrad": (ops.abs, A, lambda a, y, d: g.AbsGrad()(a, d)),
    "AcoshGrad": (ops.acosh, P, lambda a, y, d: g.AcoshGrad()(y, d)),
    "AdaptiveAvgPool2DGrad": (
        lambda a: ops.adaptive_avg_pool2d(a, (3, 2)),
        IMAGE,
        lambda a, y, d: g.AdaptiveAvgPool2DGrad()(d, (1, 2, 6, 6)),
    ),
    "AdaptiveAvgPool3DGrad": (
        lambda a: ops.adaptive_avg_pool3d(a, (2, 1, 3)),
        VOLUME,
        lambda a, y, d: g.AdaptiveAvgPool3DGrad()(d, t([1, 2, 4, 4, 4])),
    ),
    "AdaptiveMaxPool2DGrad": (
        lambda a: ops.AdaptiveMaxPool2D((3, 2))(a)[0],
        IMAGE,
        lambda a, y, d: g.AdaptiveMaxPool2DGrad()(d, a, ops.AdaptiveMaxPool2D((3, 2))(a)[1]),
    ),
    "AdaptiveMaxPool3DGrad": (
        lambda a: ops.AdaptiveMaxPool3D()(a, t([2, 2, 2], np.int32))[0],
        VOLUME,
        lambda a, y, d: g.AdaptiveMaxPool3DGrad()(
            d, a, ops.AdaptiveMaxPool3D()(a, t([2, 2, 2], np.int32))[1]
        ),
    ),
    "AffineGridGrad": (
        lambda a: ops.affine_grid(a, (1, 2, 3, 4)),
        x(1, 2, 3),
        lambda a, y, d: g.AffineGridGrad()(d, (1, 2, 3, 4)),
        SINGLE,
    ),
    "AsinGrad": (ops.asin, A, lambda a, y, d: g.AsinGrad()(a, d)),
    "AsinhGrad": (ops.asinh, A, lambda a, y, d: g.AsinhGrad()(y, d)),
    "AtanGrad": (ops.atan, A, lambda a, y, d: g.AtanGrad()(a, d)),
    "AvgPool3DGrad": (
        ops.AvgPool3D(2, 2, "pad", 1),
        VOLUME,
        lambda a, y, d: g.AvgPool3DGrad(2, 2, 1)((1, 2, 4, 4, 4), d),
        SINGLE,
    ),
    "AvgPoolGrad": (
        ops.AvgPool((3, 2), (2, 1), "SAME"),
        IMAGE,
        lambda a, y, d: g.AvgPoolGrad((3, 2), (2, 1), "SAME")(a, y, d),
    ),
    "AvgPoolGradGe": (
        ops.AvgPool((3, 2), (2, 1), "SAME"),
        IMAGE,
        lambda a, y, d: g.AvgPoolGradGe((3, 2), (2, 1), "SAME")((1, 2, 6, 6), d),
    ),
    "AvgPoolGradVm": (
        ops.AvgPool(2, 2),
        IMAGE,
        lambda a, y, d: g.AvgPoolGradVm(2, 2)((1, 2, 6, 6), d, None, None),
        SINGLE,
    ),
    "BNTrainingReduceGrad": (
        lambda a: _standard(a, (0, 2, 3)) * SCALES,
        IMAGES,
        lambda a, y, d: g.BNTrainingReduceGrad(1e-5)(
            d,
            a,
            *g.BNTrainingUpdateGrad(1e-5)(d, a, *_statistics(a, (0, 2, 3))),
            SCALES.reshape(3),
            *_statistics(a, (0, 2, 3)),
        ),
    ),
    "BNTrainingUpdateGrad": (
        lambda s: _standard(t(IMAGES), (0, 2, 3)) * s.reshape(1, 3, 1, 1),
        x(3),
        lambda s, y, d: g.BNTrainingUpdateGrad(1e-5)(
            d, t(IMAGES), *_statistics(t(IMAGES), (0, 2, 3))
        )[0],
    ),
    "BNTrainingUpdateGrad of the shift": (
        lambda s: t(IMAGES) + s.reshape(1, 3, 1, 1),
        x(3),
        lambda s, y, d: g.BNTrainingUpdateGrad(1e-5)(
            d, t(IMAGES), *_statistics(t(IMAGES), (0, 2, 3))
        )[1],
    ),
    "BatchNormGrad": (
        lambda a: _standard(a, (0, 2, 3)) * SCALES,
        IMAGES,
        lambda a, y, d: g.BatchNormGrad(True)(
            d, a, SCALES.reshape(3), *_statistics(a, (0, 2, 3)), None
        )[0],
    ),
    "BatchNormGrad of the scale": (
        lambda s: _standard(t(IMAGES), (0, 2, 3)) * s.reshape(1, 3, 1, 1),
        x(3),
        lambda s, y, d: g.BatchNormGrad(True)(
            d, t(IMAGES), s, *_statistics(t(IMAGES), (0, 2, 3)), None
        )[1],
    ),
    "BatchNormGrad of known statistics": (
        lambda a: (a - 0.1) / (0.5 + 1e-5) ** 0.5 * SCALES.reshape(3),
        x(4, 3, low=1.0, high=2.0),
        lambda a, y, d: g.BatchNormGrad(False, 1e-5, "NHWC")(
            d, a, SCALES.reshape(3), t([0.1] * 3), t([0.5] * 3), None
        )[0],
    ),
    "BiasAddGrad": (
        lambda a: ops.BiasAdd()(t(np.zeros((2, 3, 4, 1))), a),
        x(3),
        lambda a, y, d: g.BiasAddGrad()(d),
    ),
    "BinaryCrossEntropyGrad": (
        lambda a: ops.binary_cross_entropy(a, t(S[::-1], SINGLE), t(P, SINGLE)),
        S,
        lambda a, y, d: g.BinaryCrossEntropyGrad()(a, t(S[::-1], SINGLE), d, t(P, SINGLE)),
        SINGLE,
    ),
    "CholeskyGrad": (
        lambda a: ops.cholesky(a @ a.T + t(3 * np.eye(2))),
        x(2, 2),
        lambda a, y, d: _symmetric(g.CholeskyGrad()(y, d)) @ a,
    ),
    "Conv2DBackpropFilter": (
        lambda w: ops.Conv2D(3, (3, 2), 1, "pad", 1)(t(IMAGE), w),
        x(3, 2, 3, 2),
        lambda w, y, d: g.Conv2DBackpropFilter(3, (3, 2), "pad", 1)(d, t(IMAGE), (3, 2, 3, 2)),
    ),
    "Conv2DBackpropFilter pad_list": (
        lambda w: ops.Conv2D(3, 3, 1, "pad", (1, 0, 2, 1))(t(IMAGE), w),
        x(3, 2, 3, 3),
        lambda w, y, d: g.Conv2DBackpropFilter(3, 3, "pad", 0, (1, 0, 2, 1))(
            d, t(IMAGE), (3, 2, 3, 3)
        ),
    ),
    "Conv3DBackpropFilter": (
        lambda w: ops.Conv3D(3, 2)(t(VOLUME), w),
        x(3, 2, 2, 2, 2),
        lambda w, y, d: g.Conv3DBackpropFilter(3, 2)(t(VOLUME), d, (3, 2, 2, 2, 2)),
    ),
    "Dilation2DBackpropFilter": (
        lambda w: ops.Dilation2D((1, 1), (1, 1), "VALID")(t(IMAGE), w),
        KERNEL,
        lambda w, y, d: g.Dilation2DBackpropFilter((1, 1), (1, 1), "VALID")(t(IMAGE), w, d),
    ),
    "Dilation2DBackpropInput": (
        lambda a: ops.Dilation2D((2, 2), (1, 1), "SAME")(a, t(KERNEL)),
        IMAGE,
        lambda a, y, d: g.Dilation2DBackpropInput((2, 2), (1, 1), "SAME")(a, t(KERNEL), d),
    ),
    "DropoutGrad": (
        lambda a: a * t([[2.0, 0, 2], [0, 2, 2]]),
        A,
        lambda a, y, d: g.DropoutGrad(0.5)(d, t([[1.0, 0, 1], [0, 1, 1]])),
    ),
    "EinsumGrad": (
        lambda a: ops.einsum("ij,jk->ik", a, t(A.T)),
        A,
        lambda a, y, d: g.EinsumGrad("ij,jk->ik")((a, t(A.T)), d)[0],
    ),
    "EluGrad": (ops.elu, A, lambda a, y, d: g.EluGrad()(d, y), SINGLE),
    "FastGeLUGrad": (ops.FastGeLU(), B, lambda a, y, d: g.FastGeLUGrad()(d, a), SINGLE),
    "FlattenGrad": (ops.Flatten(), x(2, 3, 2), lambda a, y, d: g.FlattenGrad()(d, (2, 3, 2))),
    "GatherDGradV2": (
        lambda a: ops.gather_d(a, 1, PLACES),
        A,
        lambda a, y, d: g.GatherDGradV2()(a, 1, PLACES, d),
    ),
    "GeLUGrad": (ops.GeLU(), B, lambda a, y, d: g.GeLUGrad()(d, a, y), SINGLE),
    "GluGrad": (lambda a: ops.glu(a, 0), A, lambda a, y, d: g.GluGrad(0)(d, a)),
    "GridSampler2DGrad": (
        lambda a: ops.grid_sample(a, GRID, "bilinear", "border", True),
        IMAGE,
        lambda a, y, d: g.GridSampler2DGrad("bilinear", "border", True)(d, a, GRID)[0],
    ),
    "GridSampler2DGrad of the grid": (
        lambda p: ops.grid_sample(t(IMAGE), p),
        x(1, 3, 4, 2),
        lambda p, y, d: g.GridSampler2DGrad()(d, t(IMAGE), p)[1],
    ),
    "GridSampler3DGrad": (
        lambda a: ops.grid_sample(a, GRID3),
        VOLUME,
        lambda a, y, d: g.GridSampler3DGrad()(d, a, GRID3)[0],
    ),
    "HShrinkGrad": (
        lambda a: ops.HShrink(0.3)(a),
        A,
        lambda a, y, d: g.HShrinkGrad(0.3)(d, a),
        SINGLE,
    ),
    "HSigmoidGrad": (ops.HSigmoid(), B, lambda a, y, d: g.HSigmoidGrad()(d, a), SINGLE),
    "HSwishGrad": (ops.HSwish(), B, lambda a, y, d: g.HSwishGrad()(d, a), SINGLE),
    "IgammaGradA": (
        lambda a: ops.igamma(a, t(P[::-1])),
        P,
        lambda a, y, d: g.IgammaGradA()(a, t(P[::-1])) * d,
    ),
    "InvGrad": (ops.reciprocal, P, lambda a, y, d: g.InvGrad()(y, d)),
    "KLDivLossGrad": (
        lambda a: ops.KLDivLoss("none")(a, t(S)),
        A,
        lambda a, y, d: g.KLDivLossGrad("none")(d, a, t(S)),
    ),
    "L2NormalizeGrad": (ops.L2Normalize(1), A, lambda a, y, d: g.L2NormalizeGrad(1)(a, y, d)),
    "LRNGrad": (
        ops.LRN(2, 1.0, 0.5, 0.6),
        IMAGE,
        lambda a, y, d: g.LRNGrad(2, 1.0, 0.5, 0.6)(d, a, y),
        SINGLE,
    ),
    "LayerNormGrad": (
        lambda a: _standard(a, (1, 2), 0) * t(SLOPES),
        x(4, 2, 3),
        lambda a, y, d: g.LayerNormGrad(1, 2)(a, d, *_statistics(a, (1, 2), True)[::-1], t(SLOPES))[
            0
        ],
    ),
    "LayerNormGrad of the scale": (
        lambda s: _standard(t(VOLUME[0]), (1, 2, 3), 0) * s,
        x(4),
        lambda s, y, d: g.LayerNormGrad(1, 3)(
            t(VOLUME[0]), d, *_statistics(t(VOLUME[0]), (1, 2, 3), True)[::-1], s
        )[1],
    ),
    "LogSoftmaxGrad": (
        lambda a: ops.log_softmax(a, 0),
        A,
        lambda a, y, d: g.LogSoftmaxGrad(0)(y, d),
    ),
    "LogitGrad": (ops.Logit(0.2), S, lambda a, y, d: g.LogitGrad(0.2)(d, a)),
    "MaskedSelectGrad": (
        lambda a: ops.masked_select(a, MASK),
        A,
        lambda a, y, d: g.MaskedSelectGrad()(a, MASK, d),
    ),
    "MaxPool3DGrad": (
        ops.MaxPool3D(2, 2),
        VOLUME,
        lambda a, y, d: g.MaxPool3DGrad((1, 1, 2, 2, 2), (1, 1, 2, 2, 2))(a, y, d),
    ),
    "MaxPoolGrad": (
        ops.MaxPool(3, 2, "SAME"),
        IMAGE,
        lambda a, y, d: g.MaxPoolGrad(3, 2, "SAME")(a, y, d),
    ),
    "MaxPool3DGradGrad": (
        lambda e: g.MaxPool3DGrad((1, 1, 2, 2, 2), (1, 1, 2, 2, 2))(t(VOLUME), e, e),
        x(1, 2, 2, 2, 2),
        lambda e, y, d: g.MaxPool3DGradGrad((1, 1, 2, 2, 2), (1, 1, 2, 2, 2))(t(VOLUME), e, d),
    ),
    "MaxPool3DGradWithArgmax": (
        lambda a: ops.MaxPool3DWithArgmax(2, 2, 0)(a)[0],
        VOLUME,
        lambda a, y, d: g.MaxPool3DGradWithArgmax(2, 2, 0)(
            a, d, ops.MaxPool3DWithArgmax(2, 2, 0)(a)[1]
        ),
        SINGLE,
    ),
    "MaxPoolGradGrad": (
        lambda e: g.MaxPoolGrad(2, 2)(t(IMAGE), e, e),
        x(1, 2, 3, 3),
        lambda e, y, d: g.MaxPoolGradGrad(2, 2)(t(IMAGE), e, d),
    ),
    "MaxPoolGradWithArgmaxV2": (
        lambda a: ops.MaxPoolWithArgmaxV2(2, 2)(a)[0],
        IMAGE,
        lambda a, y, d: g.MaxPoolGradWithArgmaxV2(2, 2)(a, d, ops.MaxPoolWithArgmaxV2(2, 2)(a)[1]),
        SINGLE,
    ),
    "MaximumGradGrad": (
        lambda e: ops.stack(g.MaximumGrad()(t(A), t(A[::-1]), e)),
        A,
        lambda e, y, d: g.MaximumGradGrad()(t(A), t(A[::-1]), d[0], d[1])[2],
    ),
    "MinimumGradGrad": (
        lambda e: ops.stack(g.MinimumGrad()(t(A), t(A[::-1]), e)),
        A,
        lambda e, y, d: g.MinimumGradGrad()(t(A), t(A[::-1]), d[0], d[1])[2],
    ),
    "MaximumGrad": (
        lambda a: ops.maximum(a, t(A[::-1] * 0.3)),
        A,
        lambda a, y, d: g.MaximumGrad()(a, t(A[::-1] * 0.3), d)[0],
    ),
    "MinimumGrad": (
        lambda a: ops.minimum(t(A * 0.3), a),
        A[::-1],
        lambda a, y, d: g.MinimumGrad()(t(A * 0.3), a, d)[1],
    ),
    "MirrorPadGrad": (
        lambda a: ops.MirrorPad("SYMMETRIC")(a, t([[1, 2], [2, 1]])),
        A,
        lambda a, y, d: g.MirrorPadGrad("SYMMETRIC")(d, t([[1, 2], [2, 1]])),
    ),
    "MultiMarginLossGrad": (
        lambda a: ops.MultiMarginLoss(2, 0.5, "none")(a, t([0, 2]), t([1.0, 2, 3])),
        A,
        lambda a, y, d: g.MultiMarginLossGrad(2, 0.5, "none")(d, a, t([0, 2]), t([1.0, 2, 3])),
    ),
    "MultilabelMarginLossGrad": (
        lambda a: ops.multilabel_margin_loss(a, t([[1, 2, -1], [0, -1, -1]], np.int32)),
        A,
        lambda a, y, d: g.MultilabelMarginLossGrad()(
            d, a, t([[1, 2, -1], [0, -1, -1]], np.int32), None
        ),
        SINGLE,
    ),
    "MvlgammaGrad": (lambda a: ops.mvlgamma(a, 2), P, lambda a, y, d: g.MvlgammaGrad(2)(d, a)),
    "NLLLossGrad": (
        lambda a: ops.NLLLoss("mean")(a, CLASS, WEIGHT)[0],
        A,
        lambda a, y, d: g.NLLLossGrad("mean")(a, d, CLASS, WEIGHT, t(4.0)),
        SINGLE,
    ),
    "PReLUGrad": (
        lambda a: ops.PReLU()(a, t([0.1, 0.2], SINGLE)),
        IMAGE,
        lambda a, y, d: g.PReLUGrad()(d, a, t([0.1, 0.2], SINGLE))[0],
        SINGLE,
    ),
    "PReLUGrad of the weight": (
        lambda w: ops.PReLU()(t(IMAGE, SINGLE), w),
        x(2),
        lambda w, y, d: g.PReLUGrad()(d, t(IMAGE, SINGLE), w)[1],
        SINGLE,
    ),
    "PadV3Grad": (
        lambda a: ops.PadV3("edge", False)(a, t([1, 2, 2, 1])),
        x(1, 2, 3, 3),
        lambda a, y, d: g.PadV3Grad("edge", False)(d, t([1, 2, 2, 1])),
    ),
    "PadV3Grad in pairs": (
        lambda a: ops.PadV3("reflect")(a, t([1, 2])),
        x(2, 3, 4),
        lambda a, y, d: g.PadV3Grad("reflect")(d, t([1, 2])),
    ),
    "PdistGrad": (lambda a: ops.pdist(a, 3.0), A, lambda a, y, d: g.PdistGrad(3.0)(d, a, y)),
    "PSROIPoolingGrad": (
        lambda a: ops.PSROIPooling(1.0, 2, 1)(a, REGIONS),
        x(1, 4, 6, 6),
        lambda a, y, d: g.PSROIPoolingGrad((6, 6), 1.0, 2, 1)(d, REGIONS),
    ),
    "ROIAlignGrad": (
        lambda a: ops.ROIAlign(2, 2, 1.0)(a, BOXES),
        IMAGE,
        lambda a, y, d: g.ROIAlignGrad(2, 2, 1.0)(d, BOXES, (1, 2, 6, 6)),
        SINGLE,
    ),
    "ReLU6Grad": (ops.relu6, B, lambda a, y, d: g.ReLU6Grad()(d, a), SINGLE),
    "ReciprocalGrad": (ops.reciprocal, P, lambda a, y, d: g.ReciprocalGrad()(y, d)),
    "ReluGrad": (ops.relu, A, lambda a, y, d: g.ReluGrad()(d, a)),
    "ResizeBicubicGrad": (
        lambda a: ops.ResizeBicubic()(a, (4, 5)),
        IMAGE,
        lambda a, y, d: g.ResizeBicubicGrad()(d, a),
    ),
    "ResizeBilinearGrad": (
        lambda a: ops.ResizeBilinearV2(True)(a, (4, 5)),
        IMAGE,
        lambda a, y, d: g.ResizeBilinearGrad(True)(d, a),
    ),
    "ResizeLinear1DGrad": (
        lambda a: ops.ResizeLinear1D("half_pixel")(a, (5,)),
        x(1, 2, 3),
        lambda a, y, d: g.ResizeLinear1DGrad("half_pixel")(d, a),
    ),
    "ResizeNearestNeighborGrad": (
        ops.ResizeNearestNeighbor((4, 5), True),
        x(1, 2, 2, 3),
        lambda a, y, d: g.ResizeNearestNeighborGrad(True)(d, (2, 3)),
    ),
    "ResizeNearestNeighborV2Grad": (
        ops.ResizeNearestNeighbor((4, 5)),
        x(1, 2, 2, 3),
        lambda a, y, d: g.ResizeNearestNeighborV2Grad()(d, t([2, 3], np.int32)),
    ),
    "RmsNormGrad": (
        lambda a: ops.rms_norm(a, t(SLOPES, SINGLE))[0],
        x(4, 2, 3),
        lambda a, y, d: g.RmsNormGrad()(
            d, a, ops.rms_norm(a, t(SLOPES, SINGLE))[1], t(SLOPES, SINGLE)
        )[0],
        SINGLE,
    ),
    "RmsNormGrad of the scale": (
        lambda s: ops.rms_norm(t(A, SINGLE), s)[0],
        x(3),
        lambda s, y, d: g.RmsNormGrad()(d, t(A, SINGLE), ops.rms_norm(t(A, SINGLE), s)[1], s)[1],
        SINGLE,
    ),
    "RsqrtGrad": (ops.rsqrt, P, lambda a, y, d: g.RsqrtGrad()(y, d)),
    "ScaleAndTranslateGrad": (
        lambda a: ops.ScaleAndTranslate("triangle")(
            a, t([3, 4], np.int32), t([1, 1.5], SINGLE), t([0.2, 0.1], SINGLE)
        ),
        x(1, 5, 4, 2),
        lambda a, y, d: g.ScaleAndTranslateGrad("triangle")(
            d, a, t([1, 1.5], SINGLE), t([0.2, 0.1], SINGLE)
        ),
        SINGLE,
    ),
    "SeluGrad": (ops.selu, A, lambda a, y, d: g.SeluGrad()(d, y)),
    "SiLUGrad": (ops.silu, A, lambda a, y, d: g.SiLUGrad()(d, a)),
    "SigmoidCrossEntropyWithLogitsGrad": (
        lambda a: ops.SigmoidCrossEntropyWithLogits()(a, t(S)),
        A,
        lambda a, y, d: g.SigmoidCrossEntropyWithLogitsGrad()(a, t(S), d),
    ),
    "SigmoidGrad": (ops.sigmoid, A, lambda a, y, d: g.SigmoidGrad()(y, d)),
    "SliceGrad": (
        lambda a: ops.slice(a, (1, 1), (1, 2)),
        A,
        lambda a, y, d: g.SliceGrad()(d, a, (1, 1), (1, 2)),
    ),
    "SmoothL1LossGrad": (
        lambda a: ops.SmoothL1Loss(0.5)(a, t(S)),
        A,
        lambda a, y, d: g.SmoothL1LossGrad(0.5)(a, t(S), d),
    ),
    "SoftMarginLossGrad": (
        lambda a: ops.SoftMarginLoss()(a, t(SIGNS, SINGLE)),
        A,
        lambda a, y, d: g.SoftMarginLossGrad()(a, t(SIGNS, SINGLE), d),
        SINGLE,
    ),
    "SoftShrinkGrad": (ops.SoftShrink(0.3), A, lambda a, y, d: g.SoftShrinkGrad(0.3)(d, a), SINGLE),
    "SoftmaxGrad": (ops.softmax, A, lambda a, y, d: g.SoftmaxGrad()(y, d)),
    "SoftplusGrad": (ops.Softplus(), A, lambda a, y, d: g.SoftplusGrad()(d, a)),
    "SqrtGrad": (ops.sqrt, P, lambda a, y, d: g.SqrtGrad()(y, d)),
    "StridedSliceGrad": (
        lambda a: ops.StridedSlice()(a, (0, 0), (1, 3), (1, 2)),
        A,
        lambda a, y, d: g.StridedSliceGrad()(d, (2, 3), (0, 0), (1, 3), (1, 2)),
    ),
    "TanhGrad": (ops.tanh, A, lambda a, y, d: g.TanhGrad()(y, d)),
    "TraceGrad": (ops.trace, A, lambda a, y, d: g.TraceGrad()(d, t([2, 3]))),
    "UpsampleNearest3DGrad": (
        lambda a: ops.UpsampleNearest3D()(a, [3, 4, 5], None),
        x(1, 2, 2, 2, 3),
        lambda a, y, d: g.UpsampleNearest3DGrad()(d, (1, 2, 2, 2, 3), [3, 4, 5], None),
    ),
    "UpsampleTrilinear3DGrad": (
        lambda a: ops.UpsampleTrilinear3D(True)(a, [3, 4, 5], None),
        x(1, 2, 2, 2, 3),
        lambda a, y, d: g.UpsampleTrilinear3DGrad(True)(d, (1, 2, 2, 2, 3), [3, 4, 5], None),
    ),
}


# In test_grad_ops_spatial.py.
MORE = {
    "AvgPoolGradV1",
    "DeformableOffsetsGrad",
    "DynamicGRUV2Grad",
    "FractionalAvgPoolGrad",
    "FractionalMaxPool3DGradWithFixedKsize",
    "LSTMGrad",
    "FractionalMaxPoolGrad",
    "FractionalMaxPoolGradWithFixedKsize",
    "BatchNormGradGrad",
    "InstanceNormV2Grad",  # with these two in test_generated_normalization.py
    "LayerNormGradGrad",
    "LuUnpackGrad",
    "MaxPoolGradGradWithArgmax",
    "MaxPoolGradV1",
    "MaxPoolGradWithArgmax",
    "MaxUnpool2DGrad",
    "MaxUnpool3DGrad",
    "MedianGrad",
    "RandomGammaGrad",
    "RefToEmbed",  # in test_multitype_ops.py
    "SparseSegmentMeanGrad",
    "SparseSegmentSqrtNGrad",
    "SparseSegmentSumGrad",
    "SparseSliceGrad",
    "UniqueGrad",
}


def _symmetric(gradient):
    return gradient + gradient.T


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_differences(name):
    forward, at, back, *dtype = CASES[name]
    dtype = dtype[0] if dtype else np.float64
    step, tolerance = (1e-2, 2e-3) if dtype is SINGLE else (1e-5, 1e-6)
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


def test_every_primitive_has_a_case():
    tested = {name.split(" ")[0] for name in CASES}
    apart = {name for name in g.__all__ if name.startswith("Depthwise")}  # with their operation
    apart |= {"ConcatOffset", "SparseFillEmptyRowsGrad"}  # below
    apart |= MORE
    assert set(g.__all__) == tested | apart
    assert set(alias.ALIASES[g.AREA]) <= tested | MORE


@pytest.mark.parametrize("name", ["ACosGrad", "TanhGrad", "MaxPoolGrad", "SoftmaxGrad"])
def test_gradients_of_gradients(name):
    """The Primitive is linear in the gradient, so its derivative with respect to the gradient is
    the Primitive itself."""
    forward, at, back = CASES[name]
    given = t(at)
    result = forward(given)
    sens = t(x(*result.shape, seed=7))
    first = ms.grad(lambda d: (back(given, result, d) * t(at)).sum())(sens)
    along = x(*result.shape, seed=9)
    found = (first.asnumpy() * along).sum()
    close(found, (back(given, result, t(along)).asnumpy() * at).sum())


def test_ties_are_shared_as_in_the_original():
    gradients = g.MaximumGrad()(t([1.0, 2]), t([1.0, 3]), t([5.0, 7]))
    assert [s.asnumpy().tolist() for s in gradients] == [[2.5, 0], [2.5, 7]]


def test_numbers_of_the_original():
    values, default = g.SparseFillEmptyRowsGrad()(t([0, 2]), t([1.0, 2, 3]))
    assert values.asnumpy().tolist() == [1, 3] and float(default) == 2
    begins = g.ConcatOffset(3, 1)((t(x(2, 3)), t(x(2, 5)), t(x(2, 1))))
    assert begins.dtype == ms.int64 and begins.asnumpy().tolist() == [[0, 0], [0, 3], [0, 8]]
    with pytest.raises(ValueError):
        g.ConcatOffset(2, 1)((t(A),))
    for made in (g.MaximumGradGrad(), g.MinimumGradGrad()):
        zeros = made(t(A), t(A), t(A), t(A))[:2]
        assert [each.asnumpy().any() for each in zeros] == [False, False]


def test_only_names_of_the_path_are_shown():
    assert not hasattr(ops, "TanhGrad")
    with pytest.raises(AttributeError):
        g.NoSuchGrad
    with pytest.raises(TypeError):
        g.TanhGrad()(1.0, t(A))


def test_attention_has_one_gradient_under_both_paths():
    assert g.FlashAttentionScoreGrad is ops.auto_generate.FlashAttentionScoreGrad
