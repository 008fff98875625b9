"""Primitives of `ops.operations._grad_ops` with formulas of their own.

Some are given the result of an operation instead of its input, and use that operation's own rule
(`_of_result`). The others are written out, as they are given what an operation found on its way:
masks, indices, statistics. Those that pull a gradient back through a call are in
_primitive_aliases/grad_pulled.py.
"""

from ..._core.autograd.transforms import vjp
from ..._core.autograd.vjp_rules import TABLE
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Bool,
    Float,
    Int,
    ListOf,
    OneOf,
    Str,
    TensorOf,
    TupleOf,
    checked,
)
from ..._core.tensor.dtype import int64
from ..._core.tensor.tensor import Tensor
from .._activation.elu import elu, selu
from .._activation.sigmoid import sigmoid
from .._activation.softmax import log_softmax, softmax
from .._linalg.matmul import einsum
from .._rules import Floats, Index
from ..primitive import Primitive


def _of_result(line, printed, rule):
    """Declares the Primitive of a line whose rule needs the result alone, `out`, and settings.

    `printed` is what it prints for a result of [[0.5]] and a gradient of [[1.0]].
    """

    def back(xp, out: Floats, g: Floats, axis: Int = -1, alpha: Float = 1.0):
        known = {"out": out, "axis": axis, "alpha": alpha}
        found = rule()
        return found.pull(xp, g, tuple(known[name] for name in found.saves), (True,))[0]

    area, _, name = line.partition("(")[0].rpartition(".")
    result_first = line.rpartition("(")[2].partition(",")[0].endswith("out")
    given = "out, grad" if result_first else "grad, out"
    back.__doc__ = f"""Computes the gradient of an operation, given its result and its gradient.

    Shapes:
        `out` and `g` have one shape and dtype, which are also those of the gradient.

    Example:
        >>> from mindspore_compat.{area} import {name}
        >>> out, grad = ms.Tensor([[0.5]]), ms.Tensor([[1.0]])
        >>> print({name}()({given}))
        {printed}
    """
    op(line)(back)


def _function(name):
    """The rule of a function of `xp`."""
    return lambda: TABLE[name].rule


_of_result(
    "ops.operations._grad_ops.CholeskyGrad()(x: out, grad: g)",
    "[[1.]]",
    _function("linalg_cholesky"),
)
_of_result("ops.operations._grad_ops.EluGrad()(dout: g, out)", "[[1.]]", lambda: elu.rule)
_of_result(
    "ops.operations._grad_ops.InvGrad()(x: out, grad: g)", "[[-0.25]]", _function("reciprocal")
)
_of_result(
    "ops.operations._grad_ops.LogSoftmaxGrad(axis=-1)(logits: out, grad: g)",
    "[[-0.6487212]]",
    lambda: log_softmax.rule,
)
_of_result(
    "ops.operations._grad_ops.ReciprocalGrad()(y: out, dy: g)", "[[-0.25]]", _function("reciprocal")
)
_of_result(
    "ops.operations._grad_ops.RsqrtGrad()(y_backprop: out, x: g)", "[[-0.0625]]", _function("rsqrt")
)
_of_result(
    "ops.operations._grad_ops.SeluGrad()(gradient: g, result: out)",
    "[[1.050701]]",
    lambda: selu.rule,
)
_of_result(
    "ops.operations._grad_ops.SigmoidGrad()(y: out, dy: g)", "[[0.25]]", lambda: sigmoid.rule
)
_of_result(
    "ops.operations._grad_ops.SoftmaxGrad()(y: out, dy: g)", "[[0.25]]", lambda: softmax.rule
)
_of_result("ops.operations._grad_ops.SqrtGrad()(dy: out, y: g)", "[[1.]]", _function("sqrt"))
_of_result("ops.operations._grad_ops.TanhGrad()(y: out, dy: g)", "[[0.75]]", _function("tanh"))
_of_result(
    "ops.auto_generate.SoftmaxBackward()(dout: g, out, dim: axis=-1)",
    "[[0.25]]",
    lambda: softmax.rule,
)


@op("ops.operations._grad_ops.AcoshGrad()(out, dout)")
def acosh_grad(xp, out: Floats, dout: Floats):
    """Computes the gradient of `ops.acosh` from its result.

    Shapes:
        `out` and `dout` have one shape and dtype, which are also those of the result.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> print(_grad_ops.AcoshGrad()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 1.0])))
        [0.8509181  0.27572057]
    """
    return dout / xp.sinh(out)


@op("ops.operations._grad_ops.AsinhGrad()(out, dout)")
def asinh_grad(xp, out: Floats, dout: Floats):
    """Computes the gradient of `ops.asinh` from its result.

    Shapes:
        `out` and `dout` have one shape and dtype, which are also those of the result.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> print(_grad_ops.AsinhGrad()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 1.0])))
        [0.64805424 0.26580223]
    """
    return dout / xp.cosh(out)


@op("ops.operations._grad_ops.DropoutGrad(keep_prob=0.5)(dy, mask)")
def dropout_grad(xp, dy: Floats, mask: TensorOf(), keep_prob: Float(gt=0.0, le=1.0) = 0.5):
    """Computes the gradient of `ops.Dropout`, whose mask is given.

    Shapes:
        `dy` and `mask` have one shape, which is that of the result.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> print(_grad_ops.DropoutGrad(0.5)(ms.Tensor([1.0, 1.0]), ms.Tensor([1.0, 0.0])))
        [2. 0.]
    """
    return dy * xp.cast(mask, dy.dtype) / keep_prob


@op("ops.operations._grad_ops.AdaptiveMaxPool2DGrad()(y_grad, x, argmax)")
def adaptive_max_pool2d_grad(xp, y_grad: Floats, x: Floats, argmax: Index):
    """Computes the gradient of `ops.AdaptiveMaxPool2D`: adds each gradient up where its maximum
    was.

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
    """Computes the gradient of `ops.AdaptiveMaxPool3D`: adds each gradient up where its maximum
    was.

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


@op("ops.operations._grad_ops.BiasAddGrad(data_format='NCHW')(dout)")
def bias_add_grad(xp, dout: Floats, data_format: OneOf("NCHW", "NHWC", "NCDHW") = "NCHW"):
    """Computes the gradient of the bias of `ops.BiasAdd`: sums over all axes but the channels.

    Shapes:
        `dout` is (N, C, ...), or has its channels last for "NHWC". The result is (C,), of the same
        dtype.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> print(_grad_ops.BiasAddGrad()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [4. 6.]
    """
    channels = dout.ndim - 1 if data_format == "NHWC" else 1
    return xp.sum(dout, tuple(axis for axis in range(dout.ndim) if axis != channels))


@op(
    "ops.operations._grad_ops.MaxPoolGradWithArgmaxV2(kernel_size, strides=None, pads=0, "
    "dilation=(1, 1), ceil_mode=False, argmax_type=int64)(x, grad, argmax)"
)
def max_pool2d_argmax_grad(xp, x: Floats, grad: Floats, argmax: Index):
    """Computes the gradient of `ops.MaxPoolWithArgmaxV2`: adds each gradient up where its maximum
    was.

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
    """Computes the gradient of `ops.MaxPool3DWithArgmax`: adds each gradient up where its maximum
    was.

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


@op("ops.operations._grad_ops.MaximumGradGrad(grad_x=True, grad_y=True)(x, y, dx, dy)")
def maximum_grad_grad(xp, x: Floats, y: Floats, dx: Floats, dy: Floats):
    """Computes the gradients of `MaximumGrad`: zeros for both inputs, and that of the larger side
    for its gradient.

    Shapes:
        `x`, `y`, `dx` and `dy` have one shape, which is that of the results.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> one, two = ms.Tensor([1.0]), ms.Tensor([2.0])
        >>> print(_grad_ops.MaximumGradGrad()(one, two, ms.Tensor([3.0]), ms.Tensor([4.0]))[2])
        [4.]
    """
    return xp.zeros_like(x), xp.zeros_like(y), xp.where(x >= y, dx, dy)


@op("ops.operations._grad_ops.MinimumGradGrad()(x1, x2, grad_y1, grad_y2)")
def minimum_grad_grad(xp, x1: Floats, x2: Floats, grad_y1: Floats, grad_y2: Floats):
    """Computes the gradients of `MinimumGrad`: zeros for both inputs, and that of the smaller side
    for its gradient.

    Shapes:
        `x1`, `x2`, `grad_y1` and `grad_y2` have one shape, which is that of the results.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> one, two = ms.Tensor([1.0]), ms.Tensor([2.0])
        >>> print(_grad_ops.MinimumGradGrad()(one, two, ms.Tensor([3.0]), ms.Tensor([4.0]))[2])
        [3.]
    """
    return xp.zeros_like(x1), xp.zeros_like(x2), xp.where(x1 <= x2, grad_y1, grad_y2)


@op(
    "ops.operations._grad_ops.BatchNormGrad(is_training=False, epsilon=1e-05, "
    "data_format='NCHW')(dout, x, scale, saved_mean, saved_variance, reserve)"
)
def batch_norm_grad(
    xp,
    dout: Floats,
    x: Floats,
    scale: Floats,
    saved_mean: Floats,
    saved_variance: Floats,
    reserve: Floats = None,
    is_training: Bool = False,
    epsilon: Float = 1e-5,
    data_format: OneOf("NCHW", "NHWC") = "NCHW",
):
    """Computes the gradients of `ops.BatchNorm` for the input, the scale and the bias.

    With `is_training` the mean and the variance depend on the input. `reserve` holds what other
    libraries keep.

    Shapes:
        `dout` and `x` are (N, C, ...), scale and statistics are (C,). The gradients are (N, C,
        ...), (C,) and (C,).

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> x, one = ms.Tensor([[1.0], [3.0]]), ms.Tensor([1.0])
        >>> print(_grad_ops.BatchNormGrad()(x, x, one, 2 * one, one, one)[2])
        [4.]
    """
    channel = x.ndim - 1 if data_format == "NHWC" else 1
    axes = tuple(axis for axis in range(x.ndim) if axis != channel)
    shape = tuple(n if axis == channel else 1 for axis, n in enumerate(x.shape))
    mean, variance, scale = (
        xp.reshape(each, shape) for each in (saved_mean, saved_variance, scale)
    )
    inverse = xp.rsqrt(variance + epsilon)
    normal, gradient = _through_mean(xp, x, dout * scale, mean, inverse, axes)
    gradient = gradient if is_training else dout * scale * inverse
    return gradient, xp.sum(dout * normal, axes), xp.sum(dout, axes)


@op(
    "ops.operations._grad_ops.LayerNormGrad(begin_norm_axis=1, begin_params_axis=1)"
    "(x, dy, variance, mean, gamma)"
)
def layer_norm_grad(
    xp,
    x: Floats,
    dy: Floats,
    variance: Floats,
    mean: Floats,
    gamma: Floats,
    begin_norm_axis: Int = 1,
    begin_params_axis: Int = 1,
):
    """Computes the gradients of `ops.LayerNorm` for the input, the scale and the bias.

    Shapes:
        `x` and `dy` are (..., *gamma.shape); the statistics have length 1 along the normalised
        axes. The gradients have the shapes of `x`, `gamma` and `gamma`.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> x, one = ms.Tensor([[1.0, 3.0]]), ms.Tensor([[1.0]])
        >>> print(_grad_ops.LayerNormGrad()(x, x, one, 2 * one, ms.Tensor([1.0, 1.0]))[2])
        [1. 3.]
    """
    axes = tuple(range(begin_norm_axis % x.ndim, x.ndim))
    inverse = xp.rsqrt(variance + 1e-12)
    normal, gradient = _through_mean(xp, x, dy * gamma, mean, inverse, axes)
    outer = tuple(range(begin_params_axis % x.ndim))
    return gradient, xp.sum(dy * normal, outer), xp.sum(dy, outer)


def _through_mean(xp, x, gradient, mean, inverse, axes):
    """What `x` is after it is standardised over `axes`, and the gradient before."""
    normal = (x - mean) * inverse
    inner = xp.mean(gradient, axes, keepdims=True)
    inner = inner + normal * xp.mean(gradient * normal, axes, keepdims=True)
    return normal, inverse * (gradient - inner)


@op("ops.operations._grad_ops.RmsNormGrad()(dy, x, rstd, gamma)")
def rms_norm_grad(xp, dy: Floats, x: Floats, rstd: Floats, gamma: Floats):
    """Computes the gradients of `ops.RmsNorm` for its input and its scale, from the `rstd` that it
    gave.

    Shapes:
        `dy` and `x` are (..., *gamma.shape). The gradients have the shapes of `x` and `gamma`.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> x, one = ms.Tensor([[1.0, 1.0]]), ms.Tensor([1.0, 1.0])
        >>> print(_grad_ops.RmsNormGrad()(x, x, ms.Tensor([[1.0]]), one)[1])
        [1. 1.]
    """
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    normal, gradient = x * rstd, dy * gamma
    inner = xp.mean(gradient * normal, axes, keepdims=True)
    return rstd * (gradient - normal * inner), xp.sum(dy * normal, tuple(range(axes[0])))


@op("ops.operations._grad_ops.SparseFillEmptyRowsGrad()(reverse_index_map, grad_values)")
def fill_empty_rows_grad(xp, grad_values: Floats, reverse_index_map: Index):
    """Computes the gradients of `ops.SparseFillEmptyRows` for the values and for the default.

    Shapes:
        `grad_values` is (M,), `reverse_index_map` is (N,). The gradients are (N,) and ().

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> values, rest = _grad_ops.SparseFillEmptyRowsGrad()(ms.Tensor([0, 2]),
        ...         ms.Tensor([1.0, 2.0, 3.0]))
        >>> print(values, rest)
        [1. 3.] 2.0
    """
    found = xp.take(grad_values, reverse_index_map, 0)
    return found, xp.sum(grad_values) - xp.sum(found)


@public("ops.operations._grad_ops.EinsumGrad")
class EinsumGrad(Primitive):
    """The gradients of `ops.einsum` for each of its inputs: `EinsumGrad(equation)(x, dout)`."""

    @checked
    def __init__(self, equation: Str):
        super().__init__("EinsumGrad")
        self.equation = equation

    @checked
    def __call__(self, x: TupleOf(Floats) | ListOf(Floats), dout: Floats):
        found = vjp(lambda *given: einsum(self.equation, *given), *x)[1](dout)
        return tuple(found) if isinstance(found, (tuple, list)) else (found,)


@public("ops.operations._grad_ops.ConcatOffset")
class ConcatOffset(Primitive):
    """Where each of the Tensors that `ops.Concat` joins begins: `ConcatOffset(N, axis)(input_x)`.

    Returns:
        Tensor (N, rank), int64; zero but along `axis`.
    """

    @checked
    def __init__(self, N: Int(ge=1) = 2, axis: Int = 0):
        super().__init__("ConcatOffset")
        self.N, self.axis = N, axis

    @checked
    def __call__(self, input_x: TupleOf(TensorOf()) | ListOf(TensorOf())):
        if len(input_x) != self.N:
            raise ValueError(
                f"For 'ConcatOffset', 'input_x' must have 'N' Tensors, {self.N}, but "
                f"got {len(input_x)}."
            )
        rows, start = [], 0
        for each in input_x:
            row = [0] * each.ndim
            row[self.axis] = start
            rows.append(row)
            start += each.shape[self.axis]
        return Tensor(rows, int64)
