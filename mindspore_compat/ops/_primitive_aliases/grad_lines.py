"""The Primitives of `ops.operations._grad_ops`, each derived from the operation it differentiates.

Most pull a gradient back through a call: of `_PULLED` a line is the Primitive's signature, what is
pulled back, the call it is pulled through and the inputs whose gradients are wanted (the first one
by itself), with a place to start from where the call is linear. Some are given the result of an
operation instead of its input, and use that operation's own rule (`_of_result`). The others are
written out, as they are given what an operation found on its way: masks, places, statistics.
"""

import ast
import functools
import re

from ..._core.autograd.transforms import vjp
from ..._core.autograd.vjp_rules import TABLE
from ..._core.declare.op import op
from ..._core.declare.public_api import _groups as groups
from ..._core.declare.public_api import build, public
from ..._core.declare.source import compiled
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
    floating,
)
from ..._core.tensor.dtype import int32, int64
from ..._core.tensor.tensor import Tensor
from .._activation.pointwise import elu, selu, sigmoid
from .._activation.softmax import log_softmax, softmax
from .._linalg.matmul import einsum
from ..primitive import Primitive

Floats = TensorOf(floating)
Places = TensorOf("int32", "int64")
AREA = "ops.operations._grad_ops"

_PULLED = """
ACosGrad()(x, dout): dout through ops.acos(x) for x
AbsGrad()(x, dout): dout through ops.abs(x) for x
AdaptiveAvgPool2DGrad()(input_grad, orig_input_shape):
    input_grad through ops.adaptive_avg_pool2d(x, input_grad.shape[-2:]) for x
    from ops.zeros(ints(orig_input_shape), input_grad.dtype)
AdaptiveAvgPool3DGrad()(y_grad, orig_input_shape):
    y_grad through ops.adaptive_avg_pool3d(x, y_grad.shape[-3:]) for x
    from ops.zeros(ints(orig_input_shape), y_grad.dtype)
AffineGridGrad(align_corners=False)(y_grad, x_size):
    y_grad through ops.affine_grid(theta, ints(x_size), align_corners) for theta
    from ops.zeros((y_grad.shape[0], y_grad.shape[-1], y_grad.shape[-1] + 1), y_grad.dtype)
AsinGrad()(x, dout): dout through ops.asin(x) for x
AtanGrad()(x, dout): dout through ops.atan(x) for x
AvgPool3DGrad(kernel_size=1, strides=1, pads=0, ceil_mode=False, count_include_pad=True,
    divisor_override=0, data_format='NCDHW', pad_mode='pad')(origin_input_shape, grads):
    grads through ops.AvgPool3D(kernel_size, strides, pad_mode, pads, ceil_mode, count_include_pad,
    divisor_override, data_format)(x) for x from ops.zeros(ints(origin_input_shape), grads.dtype)
AvgPoolGradV1(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')(orig_input_shape,
    input_grad): input_grad through ops.AvgPool(kernel_size, strides, pad_mode, data_format)(x)
    for x from ops.zeros(ints(orig_input_shape), input_grad.dtype)
AvgPoolGrad(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')(x, out, dout):
    dout through ops.AvgPool(kernel_size, strides, pad_mode, data_format)(x) for x
BinaryCrossEntropyGrad(reduction='mean')(input, target, grad_output, weight=None):
    grad_output through ops.binary_cross_entropy(input, target, weight, reduction) for input
Conv2DBackpropFilter(out_channel, kernel_size, pad_mode='valid', pad=0, pad_list=(0, 0, 0, 0),
    mode=1, stride=(1, 1), dilation=(1, 1, 1, 1), group=1, data_format='NCHW')(out_backprop, input,
    filter_sizes): out_backprop through ops.Conv2D(out_channel, kernel_size, mode, pad_mode,
    pad_list if any(pad_list) and pad_mode == 'pad' else pad, stride, dilation, group,
    data_format)(input, x) for x from ops.zeros(ints(filter_sizes), input.dtype)
Conv3DBackpropFilter(out_channel, kernel_size, mode=1, pad_mode='valid', pad=0,
    stride=(1, 1, 1, 1, 1), dilation=(1, 1, 1, 1, 1), group=1, data_format='NCDHW')(x, out_backprop,
    filter_size): out_backprop through ops.Conv3D(out_channel, kernel_size, mode, pad_mode, pad,
    stride, dilation, group, data_format)(x, w) for w from ops.zeros(ints(filter_size), x.dtype)
DeformableOffsetsGrad(strides, pads, kernel_size, dilations=(1, 1, 1, 1), data_format='NCHW',
    deformable_groups=1, modulated=True)(grad, x, offsets): grad through
    ops.DeformableOffsets(strides, pads, kernel_size, dilations, data_format, deformable_groups,
    modulated)(x, offsets) for x, offsets
Dilation2DBackpropFilter(stride, dilation, pad_mode='SAME', data_format='NCHW')(x, filter,
    out_backprop): out_backprop through ops.Dilation2D(stride, dilation, pad_mode,
    data_format)(x, filter) for filter
Dilation2DBackpropInput(stride, dilation, pad_mode='SAME', data_format='NCHW')(x, filter,
    out_backprop): out_backprop through ops.Dilation2D(stride, dilation, pad_mode,
    data_format)(x, filter) for x
FastGeLUGrad()(dy, x): dy through ops.FastGeLU()(x) for x
FlattenGrad()(x, shape): x through ops.reshape(y, x.shape) for y
    from ops.zeros(ints(shape), x.dtype)
GatherDGradV2()(x, dim, index, dout): dout through ops.gather_d(x, dim, index) for x
GeLUGrad()(dy, x, y): dy through ops.GeLU()(x) for x
GluGrad(axis)(grads, x): grads through ops.glu(x, axis) for x
GridSampler2DGrad(interpolation_mode='bilinear', padding_mode='zeros', align_corners=False,
    output_mask=(1, 1))(grad, input_x, grid): grad through ops.grid_sample(input_x, grid,
    interpolation_mode, padding_mode, align_corners) for input_x, grid
GridSampler3DGrad(interpolation_mode='bilinear', padding_mode='zeros', align_corners=False,
    output_mask=(1, 1))(grad, input_x, grid): grad through ops.grid_sample(input_x, grid,
    interpolation_mode, padding_mode, align_corners) for input_x, grid
HShrinkGrad(lambd=0.5)(gradients, features): gradients through ops.HShrink(lambd)(features)
    for features
HSigmoidGrad()(grads, input_x): grads through ops.HSigmoid()(input_x) for input_x
HSwishGrad()(y_grad, x): y_grad through ops.HSwish()(x) for x
IgammaGradA()(a, x): ops.ones_like(a) through ops.igamma(a, x) for a from a + ops.zeros_like(x)
KLDivLossGrad(reduction='mean')(grad, x, target): grad through ops.KLDivLoss(reduction)(x, target)
    for x
L2NormalizeGrad(axis=0, epsilon=0.0001)(x, out, dout): dout through ops.L2Normalize(axis,
    epsilon)(x) for x
LRNGrad(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5)(grads, x, y): grads through
    ops.LRN(depth_radius, bias, alpha, beta)(x) for x
LogitGrad(eps=-1.0)(grad, input): grad through ops.Logit(eps)(input) for input
MaskedSelectGrad()(input, mask, grad): grad through ops.masked_select(input, mask) for input
MaxPool3DGrad(kernel_size=(1, 1, 1, 1, 1), strides=(1, 1, 1, 1, 1), pad_mode='VALID', pad_list=0,
    data_format='NCDHW')(x_origin, out_origin, grad): grad through ops.MaxPool3D(kernel_size[-3:] if
    isinstance(kernel_size, tuple) else kernel_size, strides[-3:] if isinstance(strides, tuple)
    else strides, pad_mode, pad_list, None, data_format)(x_origin) for x_origin
MaxPool3DGradGrad(kernel_size=(1, 1, 1, 1, 1), strides=(1, 1, 1, 1, 1), pad_mode='VALID',
    data_format='NCDHW')(x, y, grad): grad through made('MaxPool3DGrad')(kernel_size, strides,
    pad_mode, 0, data_format)(x, y, d) for d from ops.zeros_like(y)
MaxPoolGradGrad(kernel_size=1, strides=1, pad_mode='VALID')(x, y, grad): grad through
    made('MaxPoolGrad')(kernel_size, strides, pad_mode)(x, y, d) for d from ops.zeros_like(y)
MaxPoolGrad(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')(x_origin, out_origin,
    grad): grad through ops.MaxPool(kernel_size, strides, pad_mode, data_format)(x_origin)
    for x_origin
MaxPoolGradV1(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')(x_origin, out_origin,
    grad): grad through ops.MaxPool(kernel_size, strides, pad_mode, data_format)(x_origin)
    for x_origin
MaximumGrad(grad_x=True, grad_y=True)(x, y, grads): grads through ops.maximum(x, y) for x, y
MinimumGrad(grad_x=True, grad_y=True)(x1, x2, grads): grads through ops.minimum(x1, x2) for x1, x2
MirrorPadGrad(mode='REFLECT')(dy, paddings): dy through ops.MirrorPad(mode)(x, paddings) for x
    from ops.zeros(unpadded(dy.shape, paddings), dy.dtype)
MultiMarginLossGrad(p=1, margin=1.0, reduction='mean')(y_grad, x, target, weight=None):
    y_grad through ops.MultiMarginLoss(p, margin, reduction)(x, target, weight) for x
MultilabelMarginLossGrad(reduction='mean')(y_grad, x, target, is_target):
    y_grad through ops.multilabel_margin_loss(x, target, reduction) for x
MvlgammaGrad(p)(y_grad, x): y_grad through ops.mvlgamma(x, p) for x
NLLLossGrad(reduction='mean', ignore_index=-100)(logits, loss_grad, labels, weight, total_weight):
    loss_grad through ops.NLLLoss(reduction, ignore_index)(logits, labels, weight)[0] for logits
PadV3Grad(mode='reflect', paddings_contiguous=True)(x, paddings): x through
    ops.PadV3(mode, paddings_contiguous)(y, paddings) for y
    from ops.zeros(unpadded_last(x.shape, paddings, paddings_contiguous), x.dtype)
PReLUGrad()(dy, x, weight): dy through ops.PReLU()(x, weight) for x, weight
PdistGrad(p=2.0)(y_grad, x, y): y_grad through ops.pdist(x, p) for x
ROIAlignGrad(pooled_height, pooled_width, spatial_scale, sample_num=2)(dy, rois, xdiff_shape):
    dy through ops.ROIAlign(pooled_height, pooled_width, spatial_scale, sample_num)(x, rois) for x
    from ops.zeros(ints(xdiff_shape), dy.dtype)
ReLU6Grad()(y_backprop, x): y_backprop through ops.relu6(x) for x
ReluGrad()(y_backprop, x): y_backprop through ops.relu(x) for x
ResizeBicubicGrad(align_corners=False, half_pixel_centers=False)(grads, image):
    grads through ops.ResizeBicubic(align_corners, half_pixel_centers)(image, grads.shape[2:])
    for image
ResizeBilinearGrad(align_corners=False, half_pixel_centers=False)(grads, image):
    grads through ops.ResizeBilinearV2(align_corners, half_pixel_centers)(image, grads.shape[2:])
    for image
ResizeLinear1DGrad(coordinate_transformation_mode='align_corners')(grads, x): grads through
    ops.ResizeLinear1D(coordinate_transformation_mode)(x, (grads.shape[2],)) for x
ResizeNearestNeighborGrad(align_corners=False, half_pixel_centers=False)(grads, size): grads through
    ops.ResizeNearestNeighbor(grads.shape[2:], align_corners, half_pixel_centers)(x) for x
    from ops.zeros(grads.shape[:2] + ints(size), grads.dtype)
ResizeNearestNeighborV2Grad(align_corners=False, half_pixel_centers=False)(grads, size):
    grads through ops.ResizeNearestNeighbor(grads.shape[2:], align_corners, half_pixel_centers)(x)
    for x from ops.zeros(grads.shape[:2] + ints(size), grads.dtype)
ScaleAndTranslateGrad(kernel_type='lanczos3', antialias=True)(grads, original_image, scale,
    translation): grads through ops.ScaleAndTranslate(kernel_type, antialias)(original_image,
    whole(grads.shape[1:3]), scale, translation) for original_image
SiLUGrad()(dout, x): dout through ops.silu(x) for x
SigmoidCrossEntropyWithLogitsGrad()(x, y, dout): dout through
    ops.SigmoidCrossEntropyWithLogits()(x, y) for x
SliceGrad()(dy, x, begin, size): dy through ops.slice(x, begin, size) for x
SmoothL1LossGrad(beta=1.0, reduction='none')(prediction, target, dout): dout through
    ops.SmoothL1Loss(beta, reduction)(prediction, target) for prediction
SoftMarginLossGrad(reduction='mean')(predict, label, dout): dout through
    ops.SoftMarginLoss(reduction)(predict, label) for predict
SoftShrinkGrad(lambd=0.5)(input_grad, input_x): input_grad through ops.SoftShrink(lambd)(input_x)
    for input_x
SoftplusGrad()(gradients, features): gradients through ops.Softplus()(features) for features
StridedSliceGrad(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)(dy,
    shapex, begin, end, strides): dy through ops.StridedSlice(begin_mask, end_mask, ellipsis_mask,
    new_axis_mask, shrink_axis_mask)(x, begin, end, strides) for x
    from ops.zeros(ints(shapex), dy.dtype)
TraceGrad()(y_grad, x_shape): y_grad through ops.trace(x) for x
    from ops.zeros(ints(x_shape), y_grad.dtype)
UpsampleNearest3DGrad()(dy, input_size, output_size=None, scales=None):
    dy through ops.UpsampleNearest3D()(x, output_size, scales) for x
    from ops.zeros(ints(input_size), dy.dtype)
UpsampleTrilinear3DGrad(align_corners=False)(dy, input_size, output_size=None, scales=None):
    dy through ops.UpsampleTrilinear3D(align_corners)(x, output_size, scales) for x
    from ops.zeros(ints(input_size), dy.dtype)
"""


# Pulled back through a call -----------------------------------------------------------------------


class _Names:
    """The names of a public path as attributes."""

    def __init__(self, area):
        self._area = area

    def __getattr__(self, name):
        return build(self._area, name, Primitive, f"mindspore_compat.{self._area}")


def _ints(value):
    """A shape given as numbers or as an integer Tensor, as a tuple."""
    value = value.asnumpy().tolist() if isinstance(value, Tensor) else value
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _whole(values):
    return Tensor(list(values), int32)


def _unpadded(shape, paddings):
    return tuple(n - int(sum(pair)) for n, pair in zip(shape, paddings.asnumpy().tolist()))


def _unpadded_last(shape, paddings, contiguous):
    """The shape before a padding of the last axes, told from the last one on."""
    ends = _ints(paddings)
    half = len(ends) // 2
    sums = [
        ends[2 * i] + ends[2 * i + 1] if contiguous else ends[i] + ends[i + half]
        for i in range(half)
    ]
    cut = [0] * (len(shape) - half) + sums[::-1]
    return tuple(n - c for n, c in zip(shape, cut))


def _pulled(function, inputs, sens):
    """`sens` pulled back through a call of `function` at `inputs`."""
    found = vjp(function, *inputs)[1](sens)
    return found[0] if len(inputs) == 1 else tuple(found)


_SCOPE = {
    "base": Primitive,
    "pulled": _pulled,
    "ops": _Names("ops"),
    "functional": _Names("mint.nn.functional"),
    "Tensor": _Names("Tensor"),
    "ints": _ints,
    "whole": _whole,
    "unpadded": _unpadded,
    "unpadded_last": _unpadded_last,
    "made": lambda name: made(name),
}


def lines_of(table):
    """The lines of a table by the names of their Primitives."""
    lines = re.sub(r"\n +", " ", table).strip().split("\n")
    return {line.split("(", 1)[0]: line for line in lines}


LINES = lines_of(_PULLED)


def class_of(line, area=AREA, names=None):
    """The Primitive that a line of a table tells; `names` are further ones that it uses."""
    signature, _, rest = line.partition("): ")
    settings, inputs = groups(signature + ")")
    name = line.split("(", 1)[0]
    sens, call, wanted, start = re.fullmatch(
        r"(.+?) through (.*) for ([\w, ]+?)(?: from (.*))?", rest
    ).groups()
    held = [each.arg for each in ast.parse(f"def f({settings}): pass").body[0].args.args]
    lines = [
        f"def __init__({', '.join(filter(None, ['self', settings]))}):",
        f"    base.__init__(self, {name!r})",
        *(f"    self.{n} = {n}" for n in held),
        "",
        f"def __call__(self, {inputs}):",
        *(f"    {n} = self.{n}" for n in held),
    ]
    if start:
        lines.append(f"    {wanted} = {start}")
    lines.append(f"    return pulled(lambda {wanted}: {call}, ({wanted},), {sens})")
    scope = compiled(lines, {**_SCOPE, **(names or {})}, f"{area}.{name}")
    return type(
        name,
        (Primitive,),
        {
            "__init__": scope["__init__"],
            "__call__": scope["__call__"],
            "__module__": f"mindspore_compat.{area}",
            "__doc__": f"The gradient `{sens}` pulled back through `{call}` for `{wanted}`: "
            f"`{name}({settings})({inputs})`.\n\n"
            f"Source: mindspore.{area}.{name} of MindSpore 2.10.\n",
        },
    )


@functools.cache
def made(name):
    """The Primitive of this name, or None if the table has none."""
    return class_of(LINES[name]) if name in LINES else None


# Of the result of an operation --------------------------------------------------------------------


def _of_result(line, printed, rule):
    """Declares the Primitive of a line whose rule needs the result alone, `out`, and settings.

    `printed` is what it prints for a result of [[0.5]] and a gradient of [[1.0]].
    """

    def back(xp, out: Floats, g: Floats, axis: Int = -1, alpha: Float = 1.0):
        known = {"out": out, "axis": axis, "alpha": alpha}
        found = rule()
        return found.pull(xp, g, tuple(known[name] for name in found.keeps), (True,))[0]

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


_of_result("ops.operations._grad_ops.CholeskyGrad()(x: out, grad: g)", "[[1.]]",
           _function("linalg_cholesky"))
_of_result("ops.operations._grad_ops.EluGrad()(dout: g, out)", "[[1.]]", lambda: elu.rule)
_of_result("ops.operations._grad_ops.InvGrad()(x: out, grad: g)", "[[-0.25]]",
           _function("reciprocal"))
_of_result("ops.operations._grad_ops.LogSoftmaxGrad(axis=-1)(logits: out, grad: g)",
           "[[-0.6487212]]",
           lambda: log_softmax.rule)
_of_result("ops.operations._grad_ops.ReciprocalGrad()(y: out, dy: g)", "[[-0.25]]",
           _function("reciprocal"))
_of_result("ops.operations._grad_ops.RsqrtGrad()(y_backprop: out, x: g)", "[[-0.0625]]",
           _function("rsqrt"))
_of_result("ops.operations._grad_ops.SeluGrad()(gradient: g, result: out)", "[[1.050701]]",
           lambda: selu.rule)
_of_result("ops.operations._grad_ops.SigmoidGrad()(y: out, dy: g)", "[[0.25]]",
           lambda: sigmoid.rule)
_of_result("ops.operations._grad_ops.SoftmaxGrad()(y: out, dy: g)", "[[0.25]]",
           lambda: softmax.rule)
_of_result("ops.operations._grad_ops.SqrtGrad()(dy: out, y: g)", "[[1.]]", _function("sqrt"))
_of_result("ops.operations._grad_ops.TanhGrad()(y: out, dy: g)", "[[0.75]]", _function("tanh"))
_of_result("ops.auto_generate.SoftmaxBackward()(dout: g, out, dim: axis=-1)", "[[0.25]]",
           lambda: softmax.rule)


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
def adaptive_max_pool2d_grad(xp, y_grad: Floats, x: Floats, argmax: Places):
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
    return xp.add_places(y_grad, argmax, tuple(x.shape[-2:]))


@op("ops.operations._grad_ops.AdaptiveMaxPool3DGrad()(input_grad, x, argmax)")
def adaptive_max_pool3d_grad(xp, input_grad: Floats, x: Floats, argmax: Places):
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
    return xp.add_places(input_grad, argmax, tuple(x.shape[-3:]))


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
def max_pool2d_argmax_grad(xp, x: Floats, grad: Floats, argmax: Places):
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
    return xp.add_places(grad, argmax, tuple(x.shape[-2:]))


@op(
    "ops.operations._grad_ops.MaxPool3DGradWithArgmax(ksize, strides, pads, "
    "dilation=(1, 1, 1), ceil_mode=False, data_format='NCDHW')(x, grads, argmax)"
)
def max_pool3d_argmax_grad(xp, x: Floats, grads: Floats, argmax: Places):
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
    return xp.add_places(grads, argmax, tuple(x.shape[-3:]))


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
    normal, slope = _through_mean(xp, x, dout * scale, mean, inverse, axes)
    slope = slope if is_training else dout * scale * inverse
    return slope, xp.sum(dout * normal, axes), xp.sum(dout, axes)


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
    normal, slope = _through_mean(xp, x, dy * gamma, mean, inverse, axes)
    outer = tuple(range(begin_params_axis % x.ndim))
    return slope, xp.sum(dy * normal, outer), xp.sum(dy, outer)


def _through_mean(xp, x, slope, mean, inverse, axes):
    """What `x` is after it is standardised over `axes`, and the gradient before."""
    normal = (x - mean) * inverse
    inner = xp.mean(slope, axes, keepdims=True)
    inner = inner + normal * xp.mean(slope * normal, axes, keepdims=True)
    return normal, inverse * (slope - inner)


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
    normal, slope = x * rstd, dy * gamma
    inner = xp.mean(slope * normal, axes, keepdims=True)
    return rstd * (slope - normal * inner), xp.sum(dy * normal, tuple(range(axes[0])))


@op("ops.operations._grad_ops.SparseFillEmptyRowsGrad()(reverse_index_map, grad_values)")
def fill_empty_rows_grad(xp, grad_values: Floats, reverse_index_map: Places):
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
