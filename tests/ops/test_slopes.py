"""First and second derivatives of convolution, pooling, normalisation, activations, losses, images.

Each case is an operation (its unchecked form, so that float64 may be given) and its inputs, kept
away from kinks; derivatives are compared with differences (tests/slopes.py).
"""

import numpy as np
import pytest
import slopes

from mindspore_compat._core.tensor import Tensor
from mindspore_compat.ops import (
    _activation,
    _conv,
    _dropout,
    _image,
    _image_boxes,
    _image_sample,
    _image_space,
    _loss,
    _loss_class,
    _loss_ctc,
    _norm,
    _norm_rows,
    _pool,
    _pool_fractional,
    _softmax,
)


def x(*shape, seed=0, scale=1.0, away=(), positive=False):
    """Normal numbers, moved off the kinks `away`."""
    values = np.random.default_rng(seed + sum(shape)).standard_normal(shape) * scale
    for kink in away:
        values = np.where(np.abs(values - kink) < .05, kink + .1, values)
    return np.abs(values) + .3 if positive else values


def ints(*values, dtype=np.int32):
    """Makes the integer Tensor when the test runs, on the device in force."""
    return lambda: Tensor(np.array(values, dtype))


def fixed(values):
    return lambda: Tensor(np.asarray(values, np.float64))


def call(op, *middle, at=1, **options):
    """`op.run` with what is not differentiated put in after the first `at` inputs."""
    def run(*inputs):
        rest = [m() if callable(m) else m for m in middle]
        return op.run(*inputs[:at], *rest, *inputs[at:], **options)
    return run


def first(function):
    """Only the first output."""
    return lambda *inputs: function(*inputs)[0]


ACTIVATIONS = {
    "relu": (0,), "relu6": (0, 6), "elu": (0,), "selu": (0,), "celu": (0,), "sigmoid": (),
    "logsigmoid": (), "silu": (), "mish": (), "softsign": (0,), "tanhshrink": (), "gelu": (),
    "fast_gelu": (), "hardsigmoid": (-3, 3), "hardswish": (-3, 3), "hardshrink": (-.5, .5),
    "softshrink": (-.5, .5), "hardtanh": (-1, 1), "softplus": (), "glu": (), "glu_primitive": (),
    "swiglu": (), "gelu_primitive": (), "gelu_layer": (), "leaky_relu": (0,),
    "leaky_relu_ext": (0,), "elu_ext": (0,), "relu6_ext": (0, 6),
}
a, c, d, p, q, n, r = (_activation, _conv, _dropout, _pool, _pool_fractional, _norm, _norm_rows)
e, k, s, i, m, b, w = (_loss, _loss_class, _loss_ctc, _image, _image_sample, _image_boxes,
                       _image_space)
POINTS = x(2, 4, 3, 2, scale=.9, away=(-1, 1))
ROIS = [[0, 1, 2, 9, 8], [1, 0, 0, 15, 14.]]
CTC = (ints([1, 2, 0], [2, 1, 2]), (6, 5), (2, 3))

CASES = {
    **{name: (getattr(a, name).run, x(3, 4, scale=3, away=kinks))
       for name, kinks in ACTIVATIONS.items()},
    **{name: (getattr(_softmax, name).run, x(3, 4))
       for name in ("softmax", "softmin", "log_softmax", "softmax_ext", "log_softmax_ext")},
    "celu, alpha 2": (call(a.celu, 2.0), x(3, 4, away=(0,))),
    "gelu, tanh": (call(a.gelu, "tanh"), x(3, 4)),
    "softplus, beta 2, threshold 1": (call(a.softplus, 2, 1), x(3, 4, away=(.5,))),
    "elu_ext, alpha 2": (call(a.elu_ext, 2.0), x(3, 4, away=(0,))),
    "prelu by channel": (a.prelu.run, x(2, 3, 4, away=(0,)), x(3)),
    "prelu with one weight": (a.prelu.run, x(2, 3, 4, away=(0,)), x(1)),
    "threshold": (call(a.threshold, .1, 2.0), x(3, 4, away=(.1,))),
    "softmax2d": (_softmax.softmax2d.run, x(2, 3, 2, 2)),
    "softmax over two axes": (call(_softmax.softmax_primitive, (0, 1)), x(3, 4)),
    "rrelu with one slope": (call(d.rrelu, .3, .3), x(3, 4, away=(0,))),

    "conv1d": (c.conv1d.run, x(2, 3, 7), x(4, 3, 3)),
    "conv2d, same, bias": (call(c.conv2d, 2, "same", at=3), x(2, 3, 5, 6), x(4, 3, 3, 2), x(4)),
    "conv2d, groups": (call(c.conv2d, None, 1, "pad", 1, 1, 2, at=2), x(2, 4, 4, 3),
                       x(4, 2, 3, 2)),
    "conv2d, depthwise": (call(c.conv2d, None, 2, "pad", 1, 1, 3, at=2), x(2, 3, 5, 4),
                          x(3, 1, 3, 2)),
    "conv3d": (c.conv3d.run, x(1, 2, 3, 4, 3), x(2, 2, 2, 2, 2)),
    "conv_transpose2d": (call(c.conv_transpose2d, 2, 1, 1, at=3), x(2, 3, 3, 4), x(3, 2, 3, 3),
                         x(2)),
    "Conv2DTranspose": (call(c.conv2d_transpose_primitive, (2, 3, 8, 10), 4, 3, "same", at=2,
                             stride=2), x(2, 4, 4, 5), x(4, 3, 3, 3)),
    "unfold": (call(c.unfold, (3, 2), 2, 1, 2), x(2, 3, 6, 7)),
    "fold": (call(c.fold, (6, 7), (2, 2)), x(2, 12, 30)),
    "deformable_conv2d": (call(m.deformable_conv2d, (2, 2), (1, 1, 1, 1), (0, 0, 0, 0), at=3),
                          x(1, 2, 4, 4), x(3, 2, 2, 2), x(1, 12, 3, 3, scale=.3)),

    "conv_tbc": (c.conv_tbc.run, x(7, 2, 3), x(3, 3, 4), x(4)),
    "Dilation2D": (call(c.dilation2d, (2, 1), 2, "SAME", at=2), x(2, 3, 5, 6), x(3, 2, 2)),
    "attention to points of maps": (call(m.multi_scale_deformable_attn, fixed([[2, 3], [1, 2]]),
                                         fixed([0, 6]), at=1), x(1, 8, 2, 8),
                                    x(1, 2, 2, 2, 2, 2, scale=.2) + .5, x(1, 2, 2, 2, 2)),
    "MaxPool": (call(p.max_pool_primitive, 3, 2, "same"), x(2, 3, 6, 7)),
    "max_pool2d with positions": (call(p.max_pool2d, 3, 2, 1, 1, True), x(2, 3, 6, 7)),
    "max_pool3d": (call(p.max_pool3d, 2), x(1, 2, 4, 4, 4)),
    "avg_pool2d": (call(p.avg_pool2d, 3, 2, 1, True, False), x(2, 3, 6, 7)),
    "AvgPool": (call(p.avg_pool_primitive, 3, 2, "same"), x(2, 3, 6, 7)),
    "adaptive_avg_pool2d": (call(p.adaptive_avg_pool2d, (4, 3)), x(2, 3, 6, 7)),
    "adaptive_avg_pool2d, even": (call(p.adaptive_avg_pool2d, (3, 7)), x(2, 3, 6, 7)),
    "adaptive_max_pool2d": (call(p.adaptive_max_pool2d, (4, 3)), x(2, 3, 6, 7)),
    "lp_pool2d": (call(p.lp_pool2d, 3, 2), x(2, 3, 4, 4, positive=True)),
    "max_unpool2d": (call(p.max_unpool2d, ints([[[0, 3], [8, 15]]]), 2), x(1, 1, 2, 2)),
    "fractional_max_pool2d": (call(q.fractional_max_pool2d, 2, (3, 3), None, False,
                                   fixed(np.full((2, 3, 2), .3))), x(2, 3, 6, 7)),

    "batch norm": (n.batch_standardize.run, x(3, 2, 4), x(2), x(2)),
    "batch norm of rows": (n.batch_standardize.run, x(5, 3), x(3), x(3)),
    "batch norm without weights": (n.batch_standardize.run, x(3, 2, 4)),
    "batch norm with given statistics": (n.batch_rescale.run, x(3, 2, 4), x(2),
                                         x(2, positive=True), x(2, seed=1), x(2, seed=2)),
    "statistics of a batch": (call(n.batch_norm_stats, 1e-5), x(3, 2, 4)),
    "batch norm in elements": (n.batch_norm_elemt.run, x(3, 2, 4), x(2), x(2, seed=1),
                               x(2, seed=2), x(2, seed=3)),
    "layer norm": (call(r.row_standardize, -2, at=3), x(3, 2, 4), x(2, 4), x(2, 4, seed=1)),
    "layer norm without weights": (r.row_standardize.run, x(3, 4)),
    "group norm": (call(r.group_standardize, 2, at=3), x(2, 4, 3), x(4), x(4, seed=1)),
    "rms norm": (r.rms_norm.run, x(3, 4), x(4)),
    "add_layer_norm": (r.add_layer_norm.run, x(3, 4), x(3, 4, seed=1), x(4), x(4, seed=1)),
    "L2Normalize": (call(n.l2_normalize, 1, 1e-4), x(3, 4)),
    "lrn": (call(n.lrn, 1, 2.0, .5, .75), x(2, 5, 2, 2)),
    "normalize": (n.normalize.run, x(3, 4)),
    "normalize, p 3": (call(n.normalize, 3.0, -1), x(3, 4, away=(0,))),

    **{name: (getattr(e, name).run, x(3, 4), x(3, 4, seed=1, scale=3))
       for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")},
    "gaussian_nll_loss": (e.gaussian_nll_loss.run, x(3, 4), x(3, 4, seed=1),
                          x(3, 4, positive=True)),
    "kl_div": (e.kl_div.run, x(3, 4), x(3, 4, positive=True)),
    "kl_div of logarithms": (call(e.kl_div_ext, "sum", True, at=2), x(3, 4), x(3, 4, seed=1)),
    "cosine_similarity": (e.cosine_similarity.run, x(3, 4), x(3, 4, seed=1)),
    "cosine_embedding_loss": (call(e.cosine_embedding_loss, ints(1, -1, 1), at=2), x(3, 4),
                              x(3, 4, seed=1)),
    "triplet_margin_loss": (e.triplet_margin_loss.run, x(3, 4), x(3, 4, seed=1), x(3, 4, seed=2)),
    "triplet_margin_loss, p 3, swap": (call(e.triplet_margin_loss, 5.0, 3, 1e-6, True, "none",
                                            at=3),
                                       x(3, 4), x(3, 4, seed=1), x(3, 4, seed=2)),
    "soft_margin_loss": (call(e.soft_margin_loss, fixed(np.sign(x(3, 4, seed=3)))), x(3, 4)),
    "hinge_embedding_loss": (call(e.hinge_embedding_loss, fixed(np.sign(x(3, 4, seed=3)))),
                             x(3, 4)),
    "margin_ranking_loss": (call(e.margin_ranking_loss, fixed(np.sign(x(4, seed=3))), at=2), x(4),
                            x(4, seed=1)),
    "L2Loss": (e.l2_loss.run, x(3, 4)),
    "cross_entropy": (call(k.cross_entropy, ints(1, 0, 4, 2)), x(4, 5)),
    "cross_entropy, weighted, smoothed": (
        call(k.cross_entropy, ints(1, 0, 4, 2), fixed(x(5, positive=True)), 4, "mean",
             .2), x(4, 5)),
    "cross_entropy with probabilities": (
        call(k.cross_entropy, fixed(x(5, positive=True)), -100, "none", .1, at=2), x(4, 5),
        x(4, 5, positive=True)),
    "cross_entropy of images": (call(k.cross_entropy, ints([[1, 0], [3, 2]])), x(1, 5, 2, 2)),
    "nll_loss": (call(k.nll_loss, ints(1, 0, 4, 2)), x(4, 5)),
    "SoftmaxCrossEntropyWithLogits": (k.softmax_cross_entropy_with_logits.run, x(3, 4),
                                      x(3, 4, positive=True)),
    "SparseSoftmaxCrossEntropyWithLogits": (
        call(k.sparse_softmax_cross_entropy_with_logits, ints(1, 0, 2)), x(3, 4)),
    "binary_cross_entropy": (k.binary_cross_entropy.run, 1 / (1 + np.exp(-x(3, 4))),
                             x(3, 4, positive=True)),
    "binary_cross_entropy_with_logits": (k.binary_cross_entropy_with_logits.run, x(3, 4),
                                         x(3, 4, seed=1), x(3, 4, seed=2), x(4)),
    "SigmoidCrossEntropyWithLogits": (k.sigmoid_cross_entropy_with_logits.run, x(3, 4),
                                      x(3, 4, seed=1)),
    "multi_margin_loss": (call(k.multi_margin_loss, ints(1, 0, 3, dtype=np.int64), 2), x(3, 4)),
    "multilabel_margin_loss": (call(k.multilabel_margin_loss,
                                    ints([1, 0, -1, 2], [3, -1, 0, 0], [0, 1, 2, 3])), x(3, 4)),
    "multilabel_soft_margin_loss": (call(k.multilabel_soft_margin_loss,
                                         fixed([[1, 0, 1, 0]] * 3)), x(3, 4)),
    "ctc_loss": (first(call(s.ctc_loss, *CTC, 0, "sum")), x(6, 2, 4)),
    "ctc_loss, repeated labels": (
        first(call(s.ctc_loss, ints([1, 1, 0], [2, 2, 1]), (6, 5), (2, 3), 0, "none")), x(6, 2, 4)),
    "CTCLoss": (first(call(s.ctc_loss_sparse, ints([0, 0], [0, 1], [1, 0], dtype=np.int64),
                           ints(1, 2, 0), ints(6, 5))), x(6, 2, 4)),

    "interpolate, bilinear": (call(i.interpolate, (8, 7), None, "bilinear"), x(2, 3, 5, 6)),
    "interpolate, nearest": (call(i.interpolate, (8, 7)), x(2, 3, 5, 6)),
    "interpolate, bicubic": (call(i.interpolate, (3, 4), None, "bicubic"), x(2, 3, 5, 6)),
    "interpolate, area": (call(i.interpolate, (3, 4), None, "area"), x(2, 3, 5, 6)),
    **{f"grid_sample, {padding}, corners {corners}": (
        call(m.grid_sample, "bilinear", padding, corners, at=2), x(2, 3, 5, 6), POINTS)
       for padding in ("zeros", "border", "reflection") for corners in (True, False)},
    "grid_sample of volumes": (m.grid_sample.run, x(2, 2, 3, 4, 3), x(2, 2, 3, 2, 3, scale=.6)),
    "affine_grid": (call(m.affine_grid, (2, 3, 2, 3)), x(2, 2, 3)),
    "ROIAlign": (call(m.roi_align, fixed(ROIS), 2, 3, .5, 2), x(2, 3, 8, 9)),
    "pixel_shuffle": (call(w.pixel_shuffle, 2), x(1, 8, 2, 3)),
    "RGBToHSV": (w.rgb_to_hsv.run, x(2, 3, 3, positive=True)),
    "ExtractVolumePatches": (call(w.extract_volume_patches, 2, 1, "VALID"), x(1, 2, 3, 3, 3)),
    "space_to_batch_nd": (call(w.space_to_batch_nd, 2, ((1, 1), (0, 2))), x(1, 2, 4, 4)),
    "iou": (b.iou.run, [[0, 0, 10, 10], [5, 5, 15, 20.]], [[1, 2, 8, 9], [4, 4, 20, 21.]]),
    "bounding_box_encode": (b.bounding_box_encode.run, [[2, 2, 7, 9], [1, 2, 5, 13.]],
                            [[1, 2, 11, 14], [1, 2, 8, 4.]]),
    "bounding_box_decode": (call(b.bounding_box_decode, (768, 1280), at=2),
                            [[14, 11, 22, 21], [20, 22, 40, 50.]],
                            [[.3, .1, .2, .2], [.1, .2, .1, .4]]),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_first_and_second_derivatives(case):
    slopes.check(case[0], *case[1:])


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_first_derivatives_on_every_array_type(case, space):
    slopes.check(case[0], *case[1:], order=1)
