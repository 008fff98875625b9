"""Operands of gradient primitives, which are next to the operators that they differentiate."""

import numpy as np

from mindspore_compat.ops._pooling.fractional import tile_mean

from .operands import among_attributes, bools, fixed, ints, of, positive, x

GRADIENTS = {
    **{
        f"_elementwise.gradients.{name}Grad": of(positive(3, 4), x(3, 4))
        for name in (
            "Elu",
            "Inv",
            "LogSoftmax",
            "Reciprocal",
            "Rsqrt",
            "Selu",
            "Sigmoid",
            "Softmax",
            "Sqrt",
            "Tanh",
        )
    },
    "_elementwise.gradients.CholeskyGrad": of(np.tril(x(3, 3)) + 2 * np.eye(3), x(3, 3)),
    "_elementwise.gradients.acosh_grad": of(positive(3), x(3)),
    "_elementwise.gradients.asinh_grad": of(positive(3), x(3)),
    "_random.gradients.dropout_grad": of(x(3, 4), bools(np.arange(12).reshape(3, 4) % 3)),
    "_pooling.gradients.adaptive_max_pool2d_grad": of(
        x(1, 2, 1, 2), x(1, 2, 3, 4), ints([[[[0, 7]], [[5, 2]]]])
    ),
    "_pooling.gradients.adaptive_max_pool3d_grad": of(
        x(1, 1, 1, 1, 2), x(1, 1, 2, 3, 4), ints([[[[[0, 17]]]]], np.int32)
    ),
    "_normalization.gradients.bias_add_grad": of(x(2, 3, 4)),
    "_pooling.gradients.max_pool2d_argmax_grad": of(
        x(1, 2, 3, 4), x(1, 2, 1, 2), ints([[[[0, 7]], [[5, 2]]]])
    ),
    "_pooling.gradients.max_pool3d_argmax_grad": of(
        x(1, 1, 2, 3, 4), x(1, 1, 1, 1, 2), ints([[[[[0, 17]]]]], np.int32)
    ),
    "_elementwise.gradients.maximum_grad_grad": of(
        x(3, 4), x(3, 4, seed=1), x(3, 4, seed=2), x(3, 4, seed=3)
    ),
    "_elementwise.gradients.minimum_grad_grad": of(
        x(3, 4), x(3, 4, seed=1), x(3, 4, seed=2), x(3, 4, seed=3)
    ),
    "_normalization.gradients.batch_norm_grad": [
        of(
            x(3, 2, 2, 2), x(3, 2, 2, 2, seed=1), x(2), x(2, seed=1), positive(2), None, training
        ).labelled("training" if training else "given statistics")
        for training in (True, False)
    ],
    "_normalization.gradients.layer_norm_grad": of(
        x(3, 4), x(3, 4, seed=1), positive(3, 1), x(3, 1), x(4)
    ),
    "_normalization.gradients.rms_norm_grad": of(x(3, 4), x(3, 4, seed=1), positive(3, 1), x(4)),
    "_sparse.gradients.fill_empty_rows_grad": of(x(5), ints([3, 0, 1])),
    "_elementwise.gradients.SoftmaxBackward": of(positive(3, 4), x(3, 4)),
}
_PLACES = ints([[[[0, 7]], [[5, 2]]]])
_SEGMENTS = ints([0, 2, 0]), ints([0, 0, 1]), among_attributes(ints(4))
MORE_GRADIENTS = {
    "_elementwise.gradients.elu_grad_ext": [
        of(x(3, 4), x(3, 4, seed=1, away=(0,)), 1.5, given).labelled(f"result {given}")
        for given in (False, True)
    ],
    "_elementwise.gradients.leaky_relu_grad_ext": of(x(3, 4), x(3, 4, seed=1, away=(0,)), 0.1),
    "_pooling.gradients.max_pool_indices_grad": of(x(1, 2, 3, 4), x(1, 2, 1, 2), _PLACES),
    "_pooling.gradients.max_pool_argmax_grad": of(
        x(1, 2, 3, 4), x(1, 2, 1, 2), ints([[[[0, 7]], [[17, 14]]]])
    ),
    "_pooling.gradients.max_pool_argmax_grad_grad": of(
        x(1, 2, 1, 2), x(1, 2, 3, 4), ints([[[[0, 7]], [[17, 14]]]])
    ),
    "_pooling.gradients.tiled": of(x(1, 4, 5, 2), [0, 1, 4], [0, 3, 5], True, tile_mean),
    "_pooling.gradients.fractional_max_pool_grad": of(x(1, 2, 3, 4), x(1, 2, 1, 2), _PLACES),
    "_pooling.gradients.fractional_max_pool3d_grad": of(
        x(1, 1, 2, 3, 4), x(1, 1, 1, 1, 2), ints([[[[[0, 17]]]]])
    ),
    "_pooling.gradients.max_unpool2d_grad": of(x(1, 2, 1, 2), x(1, 2, 3, 4), _PLACES),
    "_pooling.gradients.max_unpool3d_grad": of(
        x(1, 1, 1, 1, 2), x(1, 1, 2, 3, 4), ints([[[[[0, 17]]]]])
    ),
    "_linalg.gradients.lu_unpack_grad": of(x(4, 3), x(3, 3), x(4, 3, seed=1), True, True),
    "_reduction.gradients.median_grad": [
        of(x(2), x(2, 3), x(2, seed=1), ints([1, 2]), False, 1),
        of(x(1)[0], fixed([3, 1, 2, 2]), fixed(2), ints(0), True).labelled("of all"),
    ],
    **{
        f"_sparse.gradients.SparseSegment{name}Grad": of(x(2, 3), *_SEGMENTS).unchanged()
        for name in ("Mean", "SqrtN", "Sum")
    },
    "_sparse.gradients.sparse_slice_grad": of(
        x(2), ints([[0, 1], [1, 2], [2, 3]]), ints([0, 1]), ints([[0, 0], [1, 1]])
    ).unchanged(),
    "_normalization.statistics.layer_norm_ext": of(
        x(2, 3, 4), (3, 4), x(3, 4, seed=1), x(3, 4, seed=2)
    ),
    "_normalization.statistics.layer_norm_v3": of(x(2, 3, 4), x(3, 4), x(3, 4, seed=1)),
    "_normalization.statistics.group_norm_statistics": of(x(2, 4, 3), 2, x(4), x(4, seed=1)),
    "_normalization.statistics.group_norm_grad": of(
        x(2, 4, 3), x(2, 4, 3, seed=1), x(2, 2), positive(2, 2), x(4), 2
    ),
    "_normalization.statistics.layer_normal": of(x(2, 3, 4), x(3, 4), x(3, 4, seed=1), 1, 1e-5),
    "_normalization.statistics.batch_normal": of(x(3, 2, 4), x(2), x(2, seed=1)),
    "_normalization.statistics.instance_norm_grad": [
        of(
            x(2, 3, 4), x(2, 3, 4, seed=1), *(positive(2, 3, 1, seed=i) for i in range(5)), training
        ).labelled("training" if training else "given statistics")
        for training in (True, False)
    ],
    "_signal.correlate.correlate": [
        of(x(5), x(3), "same"),
        of(x(3), x(4), "full").labelled("shorter first"),
    ],
    "_elementwise.quantize.quantized": of(x(2, 3), x(3), x(3, seed=1)),
    "_elementwise.quantize.quantized_by_rows": of(fixed(x(2, 3)), fixed(x(3))),
    "_signal.correlate.fft_shape_copy": of(x(2, 3), (3, 2)),
    "_random.gradients.gamma_draw_gradient": of(x(4), positive(4), positive(4, seed=1)),
}
LINES = {**GRADIENTS, **MORE_GRADIENTS}
