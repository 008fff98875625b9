"""Operands of activations, convolution, pooling, normalisation, losses, recurrence and images.

A line gives the operands for the parameters of the operator's body and avoids kinks (`away`).
Operators without a line use the operands of their documented call (documented.py).
"""

import numpy as np

from .operands import among_attributes, apart, bools, fixed, ints, of, positive, unit, x

KINKS = {
    "relu.relu": (0,),
    "relu.relu6": (0, 6),
    "elu.elu": (0,),
    "elu.selu": (0,),
    "sigmoid.sigmoid": (),
    "sigmoid.logsigmoid": (),
    "sigmoid.silu": (),
    "sigmoid.mish": (),
    "sigmoid.softsign": (0,),
    "shrink.tanhshrink": (),
    "gelu.fast_gelu": (),
    "hard.hardsigmoid": (-3, 3),
    "hard.hardswish": (-3, 3),
    "shrink.hardshrink": (-0.5, 0.5),
    "shrink.softshrink": (-0.5, 0.5),
    "hard.hardtanh": (-1, 1),
    "hard.hardtanh_ext": (-1, 1),
    "glu.glu": (),
    "glu.glu_primitive": (),
    "glu.swiglu": (),
    "gelu.gelu_primitive": (),
    "gelu.gelu_layer": (),
    "relu.leaky_relu": (0,),
    "relu.leaky_relu_ext": (0,),
    "relu.relu6_ext": (0, 6),
}
POINTS = x(2, 4, 3, 2, scale=0.9, away=(-1, 1))
ROIS = [[0, 1, 2, 9, 8], [1, 0, 0, 15, 14.0]]
LABELS = (ints([[1, 2, 0], [2, 1, 2]], np.int32), (6, 5), (2, 3))
IMAGES = x(2, 3, 5, 6)
SIGNS = fixed(np.sign(x(3, 4, seed=3)))

ACTIVATIONS = {
    **{f"_activation.{name}": of(x(3, 4, scale=3, away=kinks)) for name, kinks in KINKS.items()},
    **{f"_activation.softmax.{name}": of(x(3, 4)) for name in ("softmin", "log_softmax")},
    "_activation.elu.celu": [
        of(x(3, 4, away=(0,))),
        of(x(3, 4, away=(0,)), 2.0).labelled("alpha 2"),
    ],
    "_activation.elu.elu_ext": [
        of(x(3, 4, away=(0,))),
        of(x(3, 4, away=(0,)), 2.0).labelled("alpha 2"),
    ],
    "_activation.gelu.gelu": [of(x(3, 4)), of(x(3, 4), "tanh").labelled("tanh")],
    "_activation.sigmoid.softplus": [
        of(x(3, 4, scale=3)),
        of(x(3, 4, away=(0.5,)), 2, 1).labelled("beta 2, threshold 1"),
    ],
    "_activation.sigmoid.softplus_by_tensor": [
        of(x(3, 4, scale=3), x(scale=0.1) + 2.0, x() * 0 + 20.0)
    ],
    "_activation.relu.prelu": [
        of(x(2, 3, 4, away=(0,)), x(3)).labelled("by channel"),
        of(x(2, 3, 4, away=(0,)), x(1)).labelled("one weight"),
        of(x(2, 3, away=(0,)), x(3)).labelled("of a matrix"),
        of(x(4, away=(0,)), x(1)).labelled("of a vector"),
    ],
    "_activation.shrink.threshold": of(x(3, 4, away=(0.1,)), 0.1, 2.0),
    "_activation.shrink.threshold_ext": of(x(3, 4, away=(0.1,)), 0.1, 2.0),
    "_activation.softmax.softmax": of(x(3, 4), 0),
    "_activation.softmax.softmax2d": of(x(2, 3, 2, 2)),
    "_activation.softmax.softmax_ext": of(x(3, 4)),
    "_activation.softmax.log_softmax_ext": of(x(3, 4)),
    "_activation.softmax.log_softmax_as": of(x(3, 4)),
    "_activation.softmax.softmax_primitive": of(x(3, 4), (0, 1)),
    "_random.dropout.rrelu": of(x(3, 4, away=(0,)), 0.3, 0.3),
    "_random.dropout.dropout_do_mask": of(
        x(4, 4), ints([0b10110101, 0b00011011], np.uint8), fixed(0.5)
    ),
}
CONVOLUTIONS = {
    "_conv.conv.conv1d": of(x(2, 3, 7), x(4, 3, 3)),
    "_conv.conv.conv1d_ext": of(x(2, 3, 7), x(4, 3, 3), x(4), 1, 1),
    "_conv.conv.conv2d": [
        of(x(2, 3, 5, 6), x(4, 3, 3, 2), x(4), 2, "same").labelled("same, bias"),
        of(x(2, 4, 4, 3), x(4, 2, 3, 2), None, 1, "pad", 1, 1, 2).labelled("groups"),
        of(x(2, 3, 5, 4), x(3, 1, 3, 2), None, 2, "pad", 1, 1, 3).labelled("depthwise"),
    ],
    "_conv.conv.conv2d_ext": of(x(1, 2, 4, 5), x(3, 2, 3, 2), x(3), 1, 1),
    "_conv.conv.conv2d_primitive": of(x(1, 2, 4, 5), x(3, 2, 3, 2), 3, (3, 2), pad_mode="same"),
    "_conv.conv_transpose.conv2d_transpose_primitive": of(
        x(1, 3, 2, 3), x(3, 2, 3, 3), (1, 2, 4, 6), 3, 3, "same", stride=2
    ),
    "_conv.conv.conv3d": of(x(1, 2, 3, 3, 3), x(2, 2, 2, 2, 2)),
    "_conv.conv.conv3d_ext": of(x(1, 1, 3, 3, 3), x(2, 1, 2, 2, 2), x(2)),
    "_conv.conv.conv3d_primitive": of(x(1, 1, 3, 3, 3), x(2, 1, 2, 2, 2), 2, 2),
    "_conv.conv_transpose.conv3d_transpose": of(x(1, 2, 2, 2, 2), x(2, 1, 2, 2, 2)),
    "_conv.conv_transpose.conv3d_transpose_primitive": of(
        x(1, 2, 2, 2, 2), x(2, 1, 2, 2, 2), 2, 1, 2
    ),
    "_conv.conv_transpose.conv_transpose2d": of(x(1, 3, 3, 4), x(3, 2, 3, 3), x(2), 2, 1, 1),
    "_conv.conv.conv_tbc": of(x(7, 2, 3), x(3, 3, 4), x(4)),
    "_conv.dilation2d.dilation2d": of(x(2, 3, 5, 6), x(3, 2, 2), (2, 1), 2),
    "_conv.unfold.unfold": of(x(2, 3, 6, 7), (3, 2), 2, 1, 2),
    "_conv.unfold.im2col": of(x(1, 2, 4, 5), 2),
    "_conv.unfold.fold": of(x(2, 12, 30), (6, 7), (2, 2)),
    "_conv.unfold.col2im": of(x(2, 3, 4, 30), (6, 7), (2, 2), (1, 1), (0, 0), (1, 1)),
    "_image.deformable.deformable_conv2d": of(
        x(1, 2, 4, 4), x(3, 2, 2, 2), x(1, 12, 3, 3, scale=0.3), (2, 2), (1, 1, 1, 1), (0, 0, 0, 0)
    ),
    "_image.deformable.deformable_offsets": of(
        x(1, 2, 4, 4), x(1, 12, 3, 3, scale=0.3), (1, 1, 1, 1), (0, 0, 0, 0), (2, 2)
    ),
    "_image.deformable.multi_scale_deformable_attn": of(
        x(1, 8, 2, 8),
        ints([[2, 3], [1, 2]]),
        ints([0, 6]),
        x(1, 2, 2, 2, 2, 2, scale=0.2) + 0.5,
        x(1, 2, 2, 2, 2),
    ).unchanged(),
}
POOLING = {
    "_pooling.max_pool.max_pool_primitive": of(x(2, 3, 6, 7), 3, 2, "same"),
    "_pooling.max_pool.max_pool2d": [
        of(x(2, 3, 6, 7), 3, 2, 1, 1, True).labelled("with positions"),
        of(x(1, 2, 5, 5), 2).labelled("plain"),
    ],
    "_pooling.max_pool.max_pool2d_ext": of(x(1, 2, 5, 5), 3, 2, 1),
    "_pooling.max_pool.max_pool3d": of(x(1, 2, 4, 4, 4), 2),
    "_pooling.max_pool.max_pool3d_primitive": of(x(1, 2, 3, 4, 3), 2, 1, "SAME"),
    "_pooling.max_pool.max_pool3d_with_argmax": of(
        x(1, 1, 3, 4, 3), 2, 1, 0, argmax_type=np.dtype("int64")
    ),
    "_pooling.max_pool.max_pool_with_argmax": of(x(1, 2, 4, 5), 2, 1, "same"),
    "_pooling.max_pool.max_pool_with_argmax_v2": of(
        x(1, 2, 5, 6), 3, 2, 1, argmax_type=np.dtype("int64")
    ),
    "_pooling.average_pool.avg_pool2d": of(x(2, 3, 6, 7), 3, 2, 1, True, False),
    "_pooling.average_pool.avg_pool2d_ext": of(x(1, 2, 4, 5), 2, 1),
    "_pooling.average_pool.avg_pool3d": of(x(1, 2, 3, 4, 3), 2, 1, 1),
    "_pooling.average_pool.avg_pool3d_ext": of(x(1, 2, 3, 4, 3), 2, 1),
    "_pooling.average_pool.avg_pool3d_primitive": of(x(1, 2, 3, 4, 3), 2, 1, "same"),
    "_pooling.average_pool.avg_pool_primitive": of(x(2, 3, 6, 7), 3, 2, "same"),
    "_pooling.adaptive.adaptive_avg_pool2d": [
        of(x(2, 3, 6, 7), (4, 3)),
        of(x(2, 3, 6, 7), (3, 7)).labelled("even"),
    ],
    "_pooling.adaptive.adaptive_max_pool2d": of(x(2, 3, 6, 7), (4, 3)),
    "_pooling.lp_pool.lp_pool1d": of(positive(2, 3, 6), 3, 2),
    "_pooling.lp_pool.lp_pool2d": of(positive(2, 3, 4, 4), 3, 2),
    "_pooling.max_unpool.max_unpool1d": of(x(1, 1, 2), ints([[[1, 2]]]), 2),
    "_pooling.max_unpool.max_unpool2d": of(x(1, 1, 2, 2), ints([[[[0, 3], [8, 15]]]]), 2),
    "_pooling.max_unpool.max_unpool2d_ext": of(x(1, 1, 2, 2), ints([[[[0, 3], [8, 15]]]]), 2),
    "_pooling.max_unpool.max_unpool2d_primitive": of(
        x(1, 1, 2, 2), ints([[[[0, 3], [8, 15]]]]), 2, 2
    ),
    "_pooling.max_unpool.max_unpool3d": of(x(1, 1, 1, 2, 2), ints([[[[[0, 3], [8, 15]]]]]), 2),
    "_pooling.max_unpool.max_unpool3d_primitive": of(
        x(1, 1, 1, 2, 2), ints([[[[[0, 3], [8, 15]]]]]), 2, 2
    ),
    "_pooling.fractional.fractional_max_pool2d": of(
        x(2, 3, 6, 7), 2, (3, 3), None, False, fixed(np.full((2, 3, 2), 0.3))
    ),
    "_pooling.fractional.fractional_max_pool3d": of(
        x(1, 2, 4, 4, 4), 2, (2, 2, 2), None, False, fixed(np.full((1, 2, 3), 0.3))
    ),
    "_pooling.fractional.fractional_max_pool2d_primitive": of(
        x(1, 2, 5, 5), fixed(np.full((1, 2, 2), 0.3)), (2, 2), (3, 3)
    ),
    "_pooling.fractional.fractional_max_pool3d_primitive": of(
        x(1, 2, 4, 4, 4), fixed(np.full((1, 2, 3), 0.3)), (2, 2, 2), (2, 2, 2)
    ),
    "_pooling.fractional.fractional_avg_pool": of(
        apart(1, 4, 4, 1), (1.0, 1.4, 1.4, 1.0), deterministic=True, seed=3, seed2=4
    ),
    "_pooling.fractional.fractional_max_pool": of(
        apart(1, 4, 4, 1), (1.0, 1.4, 1.4, 1.0), deterministic=True, seed=3, seed2=4
    ),
    "maximum.pool_largest": of(
        x(1, 2, 5, 5), (2, 2), (1, 1), "valid", (0, 0), (1, 1), False, False
    ),
    "average.pool_means": of(x(1, 2, 5, 5), (2, 2), (1, 1), "valid", (0, 0), False, True, None),
}
NORMALISATION = {
    "_normalization.batch_norm.batch_standardize": [
        of(x(3, 2, 4), x(2), x(2)),
        of(x(5, 3), x(3), x(3)).labelled("rows"),
        of(x(3, 2, 4)).labelled("without weights"),
    ],
    "_normalization.batch_norm.batch_rescale": of(
        x(3, 2, 4), x(2), positive(2), x(2, seed=1), x(2, seed=2)
    ),
    "_normalization.sync_batch_norm.batch_norm_stats": of(x(3, 2, 4), 1e-5),
    "_normalization.sync_batch_norm.batch_norm_elemt": of(
        x(3, 2, 4), x(2), x(2, seed=1), x(2, seed=2), x(2, seed=3)
    ),
    "_normalization.sync_batch_norm.joined_statistics": of(
        x(3, 2), positive(3, 2), fixed([4, 5, 3]), 1e-5
    ),
    "_normalization.batch_norm.channels_first": of(x(2, 3, 4, 2)),
    "_normalization.batch_norm.channels_last": of(x(2, 3, 4, 2)),
    "_normalization.normalize.l2_normalize": of(x(3, 4), 1, 1e-4),
    "_normalization.normalize.lrn": of(x(2, 5, 2, 2), 1, 2.0, 0.5, 0.75),
    "_normalization.normalize.normalize": [
        of(x(3, 4)),
        of(x(3, 4, away=(0,)), 3.0, -1).labelled("p 3"),
    ],
    "_normalization.layer_norm.row_standardize": [
        of(x(3, 2, 4), x(2, 4), x(2, 4, seed=1), -2),
        of(x(3, 4)).labelled("without weights"),
    ],
    "_normalization.group_norm.group_standardize": of(x(2, 4, 3), x(4), x(4, seed=1), 2),
    "_normalization.layer_norm.multiply_add": of(x(2, 4, 3), x(4, 1), x(4, 1, seed=1)),
    "_normalization.layer_norm.variance_of": of(positive(3, 1), 1e-5),
    "_normalization.rms_norm.rms_norm": of(x(3, 4), x(4)),
    "_normalization.rms_norm.add_rms_norm": of(x(3, 4), x(3, 4, seed=1), x(4)),
    "_normalization.layer_norm.add_layer_norm": of(x(3, 4), x(3, 4, seed=1), x(4), x(4, seed=1)),
    "math.moments": of(x(3, 4), (0,), True),
    "math.log_beta": of(positive(3), positive(3, seed=1)),
    "wrappers.clip_by_norm": of(x(3, 4), x(1, low=0.5, high=0.6)),
    "wrappers.euclidean_norm": of(x(3, 4), (1,)),
}
PAIRS = x(3, 4), x(3, 4, seed=1, scale=3)
LOSSES = {
    **{f"_loss.regression.{name}": of(*PAIRS) for name in ("mse_loss", "mse_loss_ext", "l1_loss")},
    **{
        f"_loss.regression.{name}": of(x(3, 4), x(3, 4, seed=1) + [2.0, 0.1, -0.2, -3.0])
        for name in ("smooth_l1_loss", "smooth_l1_loss_ext", "huber_loss")
    },
    "_loss.regression.gaussian_nll_loss": of(x(3, 4), x(3, 4, seed=1), positive(3, 4)),
    "_loss.divergence.kl_div": of(x(3, 4), fixed(positive(3, 4))),
    "_loss.divergence.kl_div_ext": of(x(3, 4), x(3, 4, seed=1), "sum", True),
    "_loss.cosine.cosine_similarity": of(x(3, 4), x(3, 4, seed=1)),
    "_loss.cosine.cosine_embedding_loss": of(x(3, 4), x(3, 4, seed=1), ints([1, -1, 1])),
    "_loss.cosine.cosine_embedding_loss_ext": of(x(3, 4), x(3, 4, seed=1), ints([1, -1, 1])),
    "_loss.margin.triplet_margin_loss": [
        of(x(3, 4), x(3, 4, seed=1), x(3, 4, seed=2)),
        of(x(3, 4), x(3, 4, seed=1), x(3, 4, seed=2), 5.0, 3, 1e-6, True, "none").labelled(
            "p 3, swap"
        ),
    ],
    "_loss.margin.triplet_margin_loss_primitive": of(
        x(3, 4), x(3, 4, seed=1), x(3, 4, seed=2), fixed(1.0)
    ),
    "_loss.margin.soft_margin_loss": of(x(3, 4), SIGNS),
    "_loss.margin.hinge_embedding_loss": of(x(3, 4), SIGNS),
    "_loss.margin.margin_ranking_loss": of(x(3, 4), x(3, 4, seed=1), SIGNS),
    "_loss.regression.l2_loss": of(x(3, 4)),
    "_loss.cross_entropy.cross_entropy": [
        of(x(4, 5), ints([1, 0, 4, 2])),
        of(x(4, 5), ints([1, 0, 4, 2]), fixed(positive(5)), 4, "mean", 0.2).labelled(
            "weighted, smoothed"
        ),
        of(x(4, 5), positive(4, 5), fixed(positive(5)), -100, "none", 0.1).labelled(
            "probabilities"
        ),
        of(x(1, 5, 2, 2), ints([[[1, 0], [3, 2]]])).labelled("images"),
    ],
    "_loss.cross_entropy.nll_loss": of(x(4, 5), ints([1, 0, 4, 2])),
    "_loss.cross_entropy.nll_loss_ext": of(x(4, 5), ints([1, 0, 4, 2]), fixed(positive(5))),
    "_loss.cross_entropy.nll_loss_primitive": of(
        x(4, 5), ints([1, 0, 4, 2], np.int32), fixed(positive(5))
    ),
    "_loss.cross_entropy.softmax_cross_entropy_with_logits": of(x(3, 4), positive(3, 4)),
    "_loss.cross_entropy.sparse_softmax_cross_entropy_with_logits": of(x(3, 4), ints([1, 0, 2])),
    "_loss.binary_cross_entropy.binary_cross_entropy": of(unit(3, 4), unit(3, 4, seed=1)),
    "_loss.binary_cross_entropy.binary_cross_entropy_ext": of(unit(3, 4), unit(3, 4, seed=1)),
    "_loss.binary_cross_entropy.binary_cross_entropy_with_logits": of(
        x(3, 4), x(3, 4, seed=1), x(3, 4, seed=2), x(4)
    ),
    "_loss.binary_cross_entropy.sigmoid_cross_entropy_with_logits": of(x(3, 4), x(3, 4, seed=1)),
    "_loss.margin.multi_margin_loss": of(x(3, 4), ints([1, 0, 3]), 2),
    "_loss.margin.multi_margin_loss_primitive": of(x(3, 4), ints([1, 0, 3]), fixed(positive(4))),
    "_loss.margin.multilabel_margin_loss": of(
        x(3, 4), ints([[1, 0, -1, 2], [3, -1, 0, 0], [0, 1, 2, 3]], np.int32)
    ),
    "_loss.margin.multilabel_margin_loss_primitive": of(
        x(3, 4), ints([[1, 0, -1, 2], [3, -1, 0, 0], [0, 1, 2, 3]], np.int32)
    ),
    "_loss.margin.multilabel_soft_margin_loss": of(x(3, 4), fixed([[1, 0, 1, 0]] * 3)),
    "_loss.ctc.ctc_loss": [
        of(x(6, 2, 4), *LABELS, 0, "sum").first(),
        of(x(6, 2, 4), ints([[1, 1, 0], [2, 2, 1]], np.int32), (6, 5), (2, 3), 0, "none")
        .labelled("repeated labels")
        .first(),
    ],
    "_loss.ctc.ctc_loss_v2": of(x(6, 2, 4), *LABELS).first(),
    "_loss.ctc.ctc_loss_sparse": of(
        x(6, 2, 4),
        among_attributes(ints([[0, 0], [0, 1], [1, 0]])),
        among_attributes(ints([1, 2, 0], np.int32)),
        among_attributes(ints([6, 5], np.int32)),
    )
    .unchanged()
    .first(),
    "_loss.rnnt.rnnt_loss": of(
        x(2, 3, 3, 4),
        *(among_attributes(ints(given, np.int32)) for given in ([[1, 2], [3, 1]], [3, 2], [2, 1])),
    ),
}
_GATES = x(3, 2, 8), x(2, 2), x(2, 2, seed=1), x(8, 2)
_MASK = fixed([[[1], [1]], [[1], [0]], [[1], [0]]])
RECURRENCE = {
    "_recurrent.sequence.lstm_sequence": [
        of(*_GATES),
        of(*_GATES, _MASK, True).labelled("masked, reverse"),
    ],
    "_recurrent.sequence.gru_sequence": [
        of(x(3, 2, 6), x(2, 2), x(6, 2), x(6)),
        of(x(3, 2, 6), x(2, 2), x(6, 2), x(6), _MASK).labelled("masked"),
    ],
    "_recurrent.sequence.rnn_sequence": [
        of(x(3, 2, 2), x(2, 2), x(2, 2, seed=1)),
        of(x(3, 2, 2), x(2, 2), x(2, 2, seed=1), None, "relu", True).labelled("relu, reverse"),
    ],
    "_recurrent.whole_layer.recurrent_layer": [  # without `saves`: only cuDNN saves
        of(x(3, 2, 4), x(1, 2, 2), x(64), x(1, 2, 2, seed=1), "lstm", True, False),
        of(x(3, 2, 3), x(2, 2, 2), x(60), None, "gru", False, False).labelled("gru, both ways"),
    ],
    "_recurrent.flat_weights.lstm_projected": of(
        x(3, 2, 8), x(2, 1), x(2, 2, seed=1), x(8, 1), x(1, 2)
    ),
    "_recurrent.steps.lstm_steps": of(x(3, 2, 2), x(4, 8), x(8), x(2, 2), x(2, 2, seed=1)),
    "_recurrent.steps.gru_steps": of(
        x(3, 2, 2), x(2, 6), x(2, 6, seed=1), x(2, 2), x(6), x(6, seed=1)
    ),
}
PICTURES = {
    "_image.interpolate.interpolate": [
        of(IMAGES, (8, 7), None, "bilinear").labelled("bilinear"),
        of(IMAGES, (8, 7)).labelled("nearest"),
        of(IMAGES, (3, 4), None, "bicubic").labelled("bicubic"),
        of(IMAGES, (3, 4), None, "area").labelled("area"),
    ],
    "_image.resize.resize_area": of(x(1, 2, 3, 1), ints([2, 4], np.int32)).unchanged(),
    "_image.interpolate.upsampling_bilinear2d": of(x(1, 2, 3, 2), (4, 4)),
    "_image.interpolate.upsample_trilinear3d": of(x(1, 1, 2, 3, 2), (3, 4, 3)),
    "_image.interpolate.upsample_nearest3d": of(x(1, 1, 2, 3, 2), (3, 4, 3)),
    "_image.grid_sample.grid_sample": [
        *(
            of(IMAGES, POINTS, "bilinear", padding, corners).labelled(f"{padding}, {corners}")
            for padding in ("zeros", "border", "reflection")
            for corners in (True, False)
        ),
        of(x(2, 2, 3, 4, 3), x(2, 2, 3, 2, 3, scale=0.6)).labelled("volumes"),
    ],
    "_image.grid_sample.affine_grid": of(x(2, 2, 3), (2, 3, 2, 3)),
    "_image.roi_align.roi_align": of(x(2, 3, 8, 9), fixed(ROIS), 2, 3, 0.5, 2),
    "_image.roi_pooling.position_sensitive_pooling": of(
        x(2, 4, 6, 7), fixed([[[0, 1], [0, 1.2], [1, 0], [6, 7], [5.4, 4]]] * 2), 0.7, 2, 1
    ),
    "_image.roi_pooling.ps_roi_pooling": of(
        x(1, 8, 6, 6), fixed([[0, 0, 0, 8, 9], [0, 2, 1, 10, 11]]), 2, 2, 2, 0.5, 2, 2
    ),
    "_image.crop.crop_and_resize_grad_boxes": of(
        x(1, 2, 3, 2), x(1, 4, 5, 2, seed=1), [[0.1, 0.2, 0.7, 0.9]], ints([0], np.int32)
    ),
    "_image.crop.crop_and_resize": of(
        x(1, 4, 5, 2), [[0.1, 0.2, 0.7, 0.9]], ints([0], np.int32), (2, 3)
    ),
    "_image.pixel_shuffle.pixel_shuffle": of(x(1, 8, 2, 3), 2),
    "_image.pixel_shuffle.rgb_to_hsv": of(x(2, 3, 3, low=0.1, high=0.9)),
    "_image.pixel_shuffle.hsv_to_rgb": of(x(1, 2, 3, 3, low=0.15, high=0.8)),
    "_image.pixel_shuffle.adjust_hue": of(x(2, 3, 3, low=0.1, high=0.9), 0.1),
    "_image.pixel_shuffle.adjust_saturation": of(x(2, 3, 3, low=0.1, high=0.9), 0.7),
    "_image.pixel_shuffle.extract_volume_patches": of(x(1, 2, 3, 3, 3), 2, 1, "VALID"),
    "_image.pixel_shuffle.space_to_batch_nd": of(x(1, 2, 4, 4), 2, ((1, 1), (0, 2))),
    "_image.boxes.iou": of([[0, 0, 10, 10], [5, 5, 15, 20.0]], [[1, 2, 8, 9], [4, 4, 20, 21.0]]),
    "_image.boxes.bounding_box_encode": of(
        [[2, 2, 7, 9], [1, 2, 5, 13.0]], [[1, 2, 11, 14], [1, 2, 8, 4.0]]
    ),
    "_image.boxes.bounding_box_decode": of(
        [[14, 11, 22, 21], [20, 22, 40, 50.0]],
        [[0.3, 0.1, 0.2, 0.2], [0.1, 0.2, 0.1, 0.4]],
        (768, 1280),
    ),
    "image.image_differences": of(x(1, 2, 3, 4)),
    "image.powered": of(positive(2, 3), 1.7),
    "image.signal_to_noise": of(x(1, 2, 3, 3), x(1, 2, 3, 3, seed=1), 1.0),
    "image.similarity": of(
        x(1, 1, 2, 3),
        x(1, 1, 2, 3, seed=1),
        positive(1, 1, 2, 3) + 3,
        positive(1, 1, 2, 3, seed=1) + 3,
        x(1, 1, 2, 3, seed=2),
        0.01,
        0.03,
    ),
}
_ASKED = x(1, 3, 4), x(1, 5, 4)
_BARRED = bools([[0, 1, 0, 0, 0], [0, 0, 0, 1, 1], [0, 0, 0, 0, 0]])
ATTENTION = {
    "_attention.attention.attention_weights": of(*_ASKED, x(3, 5), _BARRED, 0.5),
    "_attention.attention.attention_extent": of(*_ASKED, x(3, 5), _BARRED, 0.5),
    "_attention.attention.attend": [
        of(*_ASKED, x(1, 5, 2), x(3, 5), _BARRED, None, 0.5),
        of(*_ASKED, x(1, 5, 2), None, None, ints([[176]] * 3, "uint8"), 0.5, 0.6).labelled(
            "dropped"
        ),
    ],
    "_attention.ring.ring_attend": of(*_ASKED, x(1, 5, 2), x(3, 5), _BARRED, None, 0.5).first(),
    "_attention.ring_attention.ring_attention_update": of(
        x(2, 1, 4),
        x(1, 2, 2, 8),
        positive(1, 2, 2, 8),
        x(2, 1, 4, seed=1),
        x(1, 2, 2, 8, seed=1),
        positive(1, 2, 2, 8, seed=1),
    ),
    "_attention.sparse_flash.indexer_scores": of(x(3, 2, 4), x(5, 4), x(3, 2)),
    "_attention.sparse_flash.best_keys": [
        of(apart(3, 5), ints([5, 4, 3]), 3).first().labelled("seen"),
        of(apart(3, 5), ints([5, 5, 5]), 5).labelled("all"),
    ],
    "_attention.sparse_flash.attend_chosen": of(
        x(3, 2, 4),
        x(5, 4),
        x(5, 3),
        ints([[0, 1, 1, -1], [3, 2, 4, 0], [0, 1, 2, 3]]),
        ints([2, 4, 0]),
        0.5,
    ),
    "_attention.sparse_flash.chosen_extent": of(
        x(3, 2, 4), x(5, 4), ints([[0, 1, 1, -1], [3, 2, 4, 0], [0, 1, 2, 3]]), ints([2, 4, 1]), 0.5
    ),
    "_attention.inference.from_bytes": of(
        ints([[3, -4], [0, 9]], np.int8), x(2), x(2, seed=1), "float64"
    ),
    "_attention.inference.to_bytes": of(x(2, 3), fixed([9.0]), fixed([1.0])),
    "_attention.inference.attend_bytes": of(
        ints([[3, -4], [0, 9]], np.int8),
        ints([[1, 5], [-2, 2], [3, 0]], np.int8),
        ints([[1], [5], [-2]], np.int8),
        x(2, 3),
        bools([[0, 1, 0], [0, 0, 0]]),
        0.1,
        99.0,
        0.5,
    ),
    "_attention.inference.log_sums": of(x(2, 3), positive(2, 3)),
    "_attention.nsa_compress.nsa_compress": of(x(40, 1, 16), x(16, 1), 16, 16, (35, 40)),
    "_image.rotated_iou.rotated_overlap": of(
        [[[0.1, 0.2, 2.0, 1.5, 20.0], [3.0, 1.0, 1.0, 2.0, -65.0]]],
        [[[0.6, 0.4, 1.2, 1.9, -33.0], [2.7, 1.3, 1.6, 1.1, 10.0], [0.3, 0.1, 0.4, 0.5, 70.0]]],
        False,
        0,
        True,
        0.0,
        0.0,
    ),
    "_attention.nsa_compress_attention.favoured_blocks": of(
        x(2, 2, 3, 4), x(2, 1, 5, 4), bools([[0, 1, 0, 0, 0]]), bools([[0, 0, 1]]), 0.4, 2, 2, 3, 2
    ),
    "_moe.group_topk.best_groups": of(apart(2, 6), ints(range(6), np.int32), 3, 2, 1),
    "_attention.paged.paged": of(x(3, 2, 1, 2), ints([[2, 0], [1, 1]], np.int32), 3),
    "_moe.expert_ranks.rows_or_zeros": of(x(3, 2), ints([2, -1, 0, 2])),
    "_moe.expert_ranks.summed_parts": of(x(4, 3), 2),
    "_moe.expert_ranks.weighted_rows": of(
        x(5, 2), ints([[0, 3], [1, 1]]), x(2, 2), ints([4, 2]), "float64"
    ),
    "_image.glimpse.glimpse": of(x(1, 4, 5, 2), fixed([[0.1, -0.2]]), (2, 3), noise="zero"),
    "_image.glimpse.scaled_and_moved": of(x(1, 3, 4, 2), x(2, 3), x(5, 4)),
    "_conv.patches.patches": of(x(1, 2, 4, 5), (2, 2), (1, 2), (1, 1), "valid"),
    "_conv.patches.extract_image_patches": of(
        x(1, 2, 4, 5), (1, 1, 2, 2), (1, 1, 1, 2), (1, 1, 1, 1)
    ),
    "_conv.patches.depthwise": of(x(1, 2, 4, 5), x(1, 2, 2, 2), 1, (2, 2)),
    "_conv.patches.depthwise_input": of(x(1, 2, 2, 2), x(1, 2, 3, 4), (1, 2, 4, 5), 1, (2, 2)),
    "_conv.patches.depthwise_filter": of(x(1, 2, 4, 5), x(1, 2, 3, 4), (1, 2, 2, 2), 1, (2, 2)),
}
_EXPERTS = ints([[0, 2], [2, 1], [0, 0]], np.int32)
EXPERTS = {
    "_moe.token_permute.routed": [
        of(x(3, 4), _EXPERTS, 0, 0, 3, 0).labelled("sorted"),
        of(x(3, 4), _EXPERTS, 0, 2, 3, 1).labelled("by capacity"),
    ],
    "_moe.token_permute.tokens_of_experts": of(_EXPERTS, 3, True),
    "_moe.token_permute.moe_compute_expert_tokens": of(ints([0, 0, 1, 3], np.int32), 4),
    "_moe.token_permute.moe_finalize_routing": of(
        x(6, 4),
        x(3, 4),
        x(3, 4, seed=1),
        x(3, 4, seed=2),
        x(3, 2),
        ints([2, 3, 1, 0, 5, 4], np.int32),
        _EXPERTS,
    ),
    "_attention.rotary.rotary_position_embedding": [
        of(x(2, 3, 4, 6), x(1, 1, 4, 6), x(1, 1, 4, 6, seed=1)).labelled("halves"),
        of(x(2, 3, 4, 6), x(2, 1, 4, 6), x(2, 1, 4, 6, seed=1), 1).labelled("neighbours"),
    ],
    "_attention.rotary.apply_rotary_pos_emb": of(
        x(2, 3, 8), x(2, 3, 4), x(3, 4), x(3, 4, seed=1), ints([0, 1, 2], np.int32)
    ),
    "_attention.kv_cache.rows_cached": of(x(2, 3, 2, 2), x(2, 4), ints([4, 1], np.int32)),
    "_moe.grouped_matmul.expert_product": of(x(3, 4), x(4, 2), x(2), x(2, seed=1), x(2, seed=2)),
    "_legacy.replay_buffer.discounted": of(x(4, 2), bools([[0, 0], [1, 0], [0, 0], [0, 1]]), x(2)),
    "_communication.fused_matmul.matrix_product": of(x(2, 3), x(4, 3), True),
}
LINES = {
    **ACTIVATIONS,
    **CONVOLUTIONS,
    **POOLING,
    **NORMALISATION,
    **LOSSES,
    **RECURRENCE,
    **PICTURES,
    **ATTENTION,
    **EXPERTS,
}
