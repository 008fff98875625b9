"""Gradients of pooling and unpooling, which scatter to or gather from the positions of the maxima.

Gradients that differentiate a call are in internal.py.
"""

import math

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.gradients.transforms import vjp
from ..._core.rules.vocabulary import Any, Bool, OneOf, TensorOf, checked, real
from .._pooling.fractional import tile_max, tile_mean, tiles
from .._rules import Floats, Index
from .._shape.create import zeros
from ..primitive import Primitive


@op("ops.operations._grad_ops.AdaptiveMaxPool2DGrad()(y_grad, x, argmax)")
def adaptive_max_pool2d_grad(xp, y_grad: Floats, x: Floats, argmax: Index):
    """Computes the gradient of `ops.AdaptiveMaxPool2D`: adds each gradient at the position of its
    maximum.

    Shapes:
        `y_grad` and `argmax` are (..., C, H', W'), `x` and the result are (..., C, H, W).

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> print(_grad_ops.AdaptiveMaxPool2DGrad()(ms.Tensor([[[5.0]]]), ms.Tensor([[[1.0, 2.0]]]),
        ...                                         ms.Tensor([[[1]]])))
        [[[0. 5.]]]
    """
    return xp.add_spatial(y_grad, argmax, tuple(x.shape[-2:]))


@op("ops.operations._grad_ops.AdaptiveMaxPool3DGrad()(input_grad, x, argmax)")
def adaptive_max_pool3d_grad(xp, input_grad: Floats, x: Floats, argmax: Index):
    """Computes the gradient of `ops.AdaptiveMaxPool3D`: adds each gradient at the position of its
    maximum.

    Shapes:
        `input_grad` and `argmax` are (..., C, D', H', W'), `x` and the result are (..., C, D, H,
        W).

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> back = _grad_ops.AdaptiveMaxPool3DGrad()
        >>> print(back(ms.Tensor([[[[5.0]]]]), ms.Tensor([[[[1.0, 2.0]]]]),
        ...            ms.Tensor([[[[1]]]], ms.int32)))
        [[[[0. 5.]]]]
    """
    return xp.add_spatial(input_grad, argmax, tuple(x.shape[-3:]))


@op(
    "ops.operations._grad_ops.MaxPoolGradWithArgmaxV2(kernel_size, strides=None, pads=0, "
    "dilation=(1, 1), ceil_mode=False, argmax_type=int64)(x, grad, argmax)"
)
def max_pool2d_argmax_grad(xp, x: Floats, grad: Floats, argmax: Index):
    """Computes the gradient of `ops.MaxPoolWithArgmaxV2`: adds each gradient at the position of its
    maximum.

    Shapes:
        `x` is (N, C, H, W), `grad` and `argmax` are (N, C, H', W'). The result has the shape of
        `x`.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> back = _grad_ops.MaxPoolGradWithArgmaxV2(2)
        >>> print(back(ms.Tensor([[[[1.0, 2.0]]]]), ms.Tensor([[[[5.0]]]]), ms.Tensor([[[[1]]]])))
        [[[[0. 5.]]]]
    """
    return xp.add_spatial(grad, argmax, tuple(x.shape[-2:]))


@op(
    "ops.operations._grad_ops.MaxPool3DGradWithArgmax(ksize, strides, pads, "
    "dilation=(1, 1, 1), ceil_mode=False, data_format='NCDHW')(x, grads, argmax)"
)
def max_pool3d_argmax_grad(xp, x: Floats, grads: Floats, argmax: Index):
    """Computes the gradient of `ops.MaxPool3DWithArgmax`: adds each gradient at the position of its
    maximum.

    Shapes:
        `x` is (N, C, D, H, W), `grads` and `argmax` are (N, C, D', H', W'). The result has the
        shape of `x`.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> back = _grad_ops.MaxPool3DGradWithArgmax(2, 1, 0)
        >>> print(back(ms.Tensor([[[[[1.0, 2.0]]]]]), ms.Tensor([[[[[5.0]]]]]),
        ...            ms.Tensor([[[[[1]]]]])))
        [[[[[0. 5.]]]]]
    """
    return xp.add_spatial(grads, argmax, tuple(x.shape[-3:]))


@op(
    "ops.auto_generate.MaxPoolGradWithIndices(kernel_size, strides=None, pads=0, dilation=(1, 1), "
    "ceil_mode=False, argmax_type=int64)(x, grad, argmax)"
)
def max_pool_indices_grad(xp, x: Floats, grad: Floats, argmax: Index):
    """Computes the gradient of `MaxPoolWithIndices`: adds each gradient at the position of its
    maximum, a flat index into the H x W plane.

    Shapes:
        `x` is (N, C, H, W), `grad` and `argmax` are (N, C, H', W'). The result has the shape of
        `x`.

    Example:
        >>> back = ms.ops.auto_generate.MaxPoolGradWithIndices(2)
        >>> print(back(ms.Tensor([[[[1.0, 2.0]]]]), ms.Tensor([[[[5.0]]]]), ms.Tensor([[[[1]]]])))
        [[[[0. 5.]]]]
    """
    return xp.add_spatial(grad, argmax, tuple(x.shape[-2:]))


@op(
    "ops.operations._grad_ops.MaxPoolGradWithArgmax(kernel_size=1, strides=1, pad_mode='VALID', "
    "data_format='NCHW')(x, grad, argmax)"
)
def max_pool_argmax_grad(
    xp, x: Floats, grad: Floats, argmax: Index, data_format: OneOf("NCHW", "NHWC") = "NCHW"
):
    """Computes the gradient of `ops.MaxPoolWithArgmax`: adds each gradient at the position of its
    maximum in C * H * W.

    Shapes:
        `x` is (N, C, H, W), `grad` and `argmax` are (N, C, H', W'). The result has the shape of
        `x`.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> back = _grad_ops.MaxPoolGradWithArgmax(2)
        >>> print(back(ms.Tensor([[[[1.0, 2.0]]]]), ms.Tensor([[[[5.0]]]]),
        ...            ms.Tensor([[[[1]]]], ms.int32)))
        [[[[0. 5.]]]]
    """
    last = data_format == "NHWC"
    x, grad, argmax = (xp.moveaxis(array, -1, 1) if last else array for array in (x, grad, argmax))
    rows = (xp.reshape(array, (array.shape[0], -1)) for array in (grad, argmax))
    result = xp.reshape(xp.add_spatial(*rows, (math.prod(x.shape[1:]),)), x.shape)
    return xp.moveaxis(result, 1, -1) if last else result


@op(
    "ops.operations._grad_ops.MaxPoolGradGradWithArgmax(kernel_size=1, strides=1, "
    "pad_mode='VALID')(x, grad, argmax)"
)
def max_pool_argmax_grad_grad(xp, x: Floats, grad: Floats, argmax: Index):
    """Computes the gradient of `MaxPoolGradWithArgmax` with respect to its incoming gradient: the
    elements of `grad` at the maxima.

    Shapes:
        `x` and `grad` are (N, C, H, W), `argmax` is (N, C, H', W'). The result has the shape of
        `argmax`.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> back = _grad_ops.MaxPoolGradGradWithArgmax(2)
        >>> print(back(ms.Tensor([[[[1.0, 2.0]]]]), ms.Tensor([[[[5.0, 6.0]]]]),
        ...            ms.Tensor([[[[1]]]], ms.int32)))
        [[[[6.]]]]
    """
    rows = (xp.reshape(array, (array.shape[0], -1)) for array in (grad, argmax))
    return xp.reshape(xp.take_spatial(*rows, 1), argmax.shape)


@op(compute="native")
def tiled(xp, x: Floats, rows: Any, columns: Any, overlapping: Bool, reduce: Any):
    """Reduces the windows between boundaries, for the fractional pools."""
    return tiles(xp, x, (rows, columns), overlapping, reduce)


def _through_tiles(x, gradient, rows, columns, overlapping, reduce):
    cuts = [tensor.asnumpy().tolist() for tensor in (rows, columns)]
    return vjp(lambda given: tiled.run(given, *cuts, overlapping, reduce), x)[1](gradient)[0]


class _Fractional(Primitive):
    @checked
    def __init__(self, overlapping: Bool = False):
        super().__init__(type(self).__name__)
        self.overlapping = overlapping


@public("ops.operations._grad_ops.FractionalAvgPoolGrad")
class FractionalAvgPoolGrad(_Fractional):
    """Computes the gradient of `ops.FractionalAvgPool`: distributes each window's gradient equally
    among its elements.

    Inputs: the shape (N, H, W, C) of the input as a Tensor, the output's gradient, and the
    boundaries of rows and of columns that the pool returned.

    Raises:
        TypeError: if `overlapping` is not a bool, or an input is not a Tensor.

    Source: mindspore.ops.operations._grad_ops.FractionalAvgPoolGrad of MindSpore 2.10.
    """

    @checked
    def __call__(
        self,
        orig_input_tensor_shape: Index,
        out_backprop: Floats,
        row_pooling_sequence: Index,
        col_pooling_sequence: Index,
    ):
        x = zeros(tuple(orig_input_tensor_shape.asnumpy().tolist()), out_backprop.dtype)
        cuts = row_pooling_sequence, col_pooling_sequence
        return _through_tiles(x, out_backprop, *cuts, self.overlapping, tile_mean)


@public("ops.operations._grad_ops.FractionalMaxPoolGrad")
class FractionalMaxPoolGrad(_Fractional):
    """Computes the gradient of `ops.FractionalMaxPool`: adds each gradient at the position of its
    maximum.

    Inputs: the input (N, H, W, C) and the output of the pool, the output's gradient, and the
    boundaries of rows and of columns that the pool returned.

    Raises:
        TypeError: if `overlapping` is not a bool, or an input is not a Tensor.

    Source: mindspore.ops.operations._grad_ops.FractionalMaxPoolGrad of MindSpore 2.10.
    """

    @checked
    def __call__(
        self,
        orig_input: Floats,
        orig_output: Floats,
        out_backprop: Floats,
        row_pooling_sequence: Index,
        col_pooling_sequence: Index,
    ):
        cuts = row_pooling_sequence, col_pooling_sequence
        return _through_tiles(orig_input, out_backprop, *cuts, self.overlapping, tile_max)


@op(
    "ops.operations._grad_ops.FractionalMaxPoolGradWithFixedKsize(data_format='NCHW')"
    "(origin_input, out_backprop, argmax)"
)
def fractional_max_pool_grad(
    xp,
    origin_input: TensorOf(real),
    out_backprop: TensorOf(real),
    argmax: TensorOf("int64"),
    data_format: OneOf("NCHW") = "NCHW",
):
    """Computes the gradient of `ops.FractionalMaxPoolWithFixedKsize`: adds each gradient at the
    position of its maximum.

    Shapes:
        `origin_input` is (N, C, H, W), `out_backprop` and `argmax` are (N, C, H', W'). The result
        has the shape of `origin_input`.

    Raises:
        ValueError: if batches or channels differ, or the gradient and the indices differ in shape.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> back = _grad_ops.FractionalMaxPoolGradWithFixedKsize()
        >>> print(back(ms.Tensor([[[[1.0, 2.0]]]]), ms.Tensor([[[[5.0]]]]), ms.Tensor([[[[1]]]])))
        [[[[0. 5.]]]]
    """
    _need_indices("FractionalMaxPoolGradWithFixedKsize", origin_input, out_backprop, argmax)
    return xp.add_spatial(out_backprop, argmax, tuple(origin_input.shape[-2:]))


@op(
    "ops.operations._grad_ops.FractionalMaxPool3DGradWithFixedKsize(data_format='NCDHW')"
    "(origin_input, out_backprop, argmax)"
)
def fractional_max_pool3d_grad(
    xp,
    origin_input: TensorOf(real),
    out_backprop: TensorOf(real),
    argmax: Index,
    data_format: OneOf("NCDHW", "NDHWC") = "NCDHW",
):
    """Computes the gradient of `ops.FractionalMaxPool3DWithFixedKsize`: adds each gradient at the
    position of its maximum.

    Shapes:
        `origin_input` is (N, C, D, H, W), `out_backprop` and `argmax` are (N, C, D', H', W'). The
        result has the shape of `origin_input`.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> back = _grad_ops.FractionalMaxPool3DGradWithFixedKsize()
        >>> print(back(ms.Tensor([[[[[1.0, 2.0]]]]]), ms.Tensor([[[[[5.0]]]]]),
        ...            ms.Tensor([[[[[1]]]]])))
        [[[[[0. 5.]]]]]
    """
    last = data_format == "NDHWC"
    arrays = (origin_input, out_backprop, argmax)
    x, y, at = (xp.moveaxis(array, -1, 1) if last else array for array in arrays)
    _need_indices("FractionalMaxPool3DGradWithFixedKsize", x, y, at)
    result = xp.add_spatial(y, at, tuple(x.shape[-3:]))
    return xp.moveaxis(result, 1, -1) if last else result


def _need_indices(api, x, y, indices):
    if tuple(y.shape) != tuple(indices.shape) or tuple(y.shape[:2]) != tuple(x.shape[:2]):
        raise ValueError(
            f"For '{api}', 'out_backprop' and 'argmax' must have the same shape, of the batch and "
            f"channels of 'origin_input', but got {tuple(y.shape)}, {tuple(indices.shape)} and "
            f"{tuple(x.shape)}."
        )


@op(
    "ops.operations._grad_ops.MaxUnpool2DGrad(ksize, strides=0, pads=0, output_shape=(), "
    "data_format='NCHW')(x, grads, argmax)"
)
def max_unpool2d_grad(
    xp,
    x: TensorOf(real),
    grads: TensorOf(real),
    argmax: Index,
    data_format: OneOf("NCHW", "NHWC") = "NCHW",
):
    """Computes the gradient of `ops.MaxUnpool2D`: the elements of the gradient at the positions to
    which the values were written.

    Shapes:
        `x` and `argmax` are (N, C, H', W'), `grads` is (N, C, H, W). The result has the shape of
        `x`.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> back = _grad_ops.MaxUnpool2DGrad(2)
        >>> print(back(ms.Tensor([[[[1.0]]]]), ms.Tensor([[[[5.0, 6.0], [7.0, 8.0]]]]),
        ...            ms.Tensor([[[[3]]]])))
        [[[[8.]]]]
    """
    return _take(xp, grads, argmax, 2, data_format)


@op(
    "ops.operations._grad_ops.MaxUnpool3DGrad(ksize, strides=0, pads=0, output_shape=(), "
    "data_format='NCDHW')(x, grads, argmax)"
)
def max_unpool3d_grad(
    xp,
    x: TensorOf(real),
    grads: TensorOf(real),
    argmax: Index,
    data_format: OneOf("NCDHW", "NDHWC") = "NCDHW",
):
    """Computes the gradient of `ops.MaxUnpool3D`: the elements of the gradient at the positions to
    which the values were written.

    Shapes:
        `x` and `argmax` are (N, C, D', H', W'), `grads` is (N, C, D, H, W). The result has the
        shape of `x`.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> back = _grad_ops.MaxUnpool3DGrad(2)
        >>> print(back(ms.Tensor([[[[[1.0]]]]]), ms.ops.ones((1, 1, 2, 2, 2)),
        ...            ms.Tensor([[[[[3]]]]])))
        [[[[[1.]]]]]
    """
    return _take(xp, grads, argmax, 3, data_format)


def _take(xp, grads, indices, spatial, data_format):
    if data_format.endswith("C"):
        channels_first = (xp.moveaxis(array, -1, 1) for array in (grads, indices))
        return xp.moveaxis(xp.take_spatial(*channels_first, spatial), 1, -1)
    return xp.take_spatial(grads, indices, spatial)
