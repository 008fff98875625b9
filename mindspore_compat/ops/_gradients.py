"""The Primitives of `ops.operations._grad_ops`, each derived from the operation it differentiates.

Most pull a gradient back through a call: of `_PULLED` a line is the Primitive's signature, what is
pulled back, the call it is pulled through and the inputs whose gradients are wanted (the first one
by itself), with a place to start from where the call is linear. The others are given the result of
an operation instead of its input, and use that operation's own rule (`_of_result`). The last few
are written out: those of a mask, a bias, places of maxima and inverse hyperbolic functions.
"""

import ast
import functools
import re

from .._core.derivatives import TABLE
from .._core.dtype import int32
from .._core.op import op
from .._core.rules import Float, Int, OneOf, TensorOf, floating
from .._core.source import compiled
from .._core.surface import _groups as groups
from .._core.surface import build
from .._core.tensor import Tensor
from .._core.transforms import vjp
from ._activation import elu, selu, sigmoid
from ._softmax import log_softmax, softmax
from .primitive import Primitive

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
HShrinkGrad(lambd=0.5)(gradients, features): gradients through ops.HShrink(lambd)(features)
    for features
HSigmoidGrad()(grads, input_x): grads through ops.HSigmoid()(input_x) for input_x
HSwishGrad()(y_grad, x): y_grad through ops.HSwish()(x) for x
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
MaxPoolGrad(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')(x_origin, out_origin,
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


class _Ops:
    """The names of `mindspore.ops` as attributes."""

    def __getattr__(self, name):
        return build("ops", name, Primitive, "mindspore_compat.ops")


def _ints(value):
    """A shape given as numbers or as an integer Tensor, as a tuple."""
    value = value.asnumpy().tolist() if isinstance(value, Tensor) else value
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _whole(values):
    return Tensor(list(values), int32)


def _unpadded(shape, paddings):
    return tuple(n - int(sum(pair)) for n, pair in zip(shape, paddings.asnumpy().tolist()))


def _pulled(function, inputs, sens):
    """`sens` pulled back through a call of `function` at `inputs`."""
    found = vjp(function, *inputs)[1](sens)
    return found[0] if len(inputs) == 1 else tuple(found)


_SCOPE = {
    "base": Primitive,
    "pulled": _pulled,
    "ops": _Ops(),
    "ints": _ints,
    "whole": _whole,
    "unpadded": _unpadded,
}
LINES = {line.split("(", 1)[0]: line for line in re.sub(r"\n +", " ", _PULLED).strip().split("\n")}


def _class_of(line):
    """The Primitive that a line of the table tells."""
    signature, _, rest = line.partition("): ")
    settings, inputs = groups(signature + ")")
    name = line.split("(", 1)[0]
    sens, call, wanted, start = re.fullmatch(
        r"(\w+) through (.*) for ([\w, ]+?)(?: from (.*))?", rest
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
    scope = compiled(lines, dict(_SCOPE), f"{AREA}.{name}")
    return type(
        name,
        (Primitive,),
        {
            "__init__": scope["__init__"],
            "__call__": scope["__call__"],
            "__module__": f"mindspore_compat.{AREA}",
            "__doc__": f"The gradient `{sens}` pulled back through `{call}` for `{wanted}`: "
            f"`{name}({settings})({inputs})`.\n\n"
            f"Source: mindspore.{AREA}.{name} of MindSpore 2.10.\n",
        },
    )


@functools.cache
def made(name):
    """The Primitive of this name, or None if the table has none."""
    return _class_of(LINES[name]) if name in LINES else None


# Of the result of an operation --------------------------------------------------------------------


def _of_result(line, rule):
    """Declares the Primitive of a line whose rule needs the result alone, `out`, and settings."""

    @op(f"{AREA}.{line}")
    def back(xp, out: Floats, g: Floats, axis: Int = -1, alpha: Float = 1.0):
        """The gradient of an operation whose result was `out`, by that operation's own rule."""
        known = {"out": out, "axis": axis, "alpha": alpha}
        found = rule()
        return found.pull(xp, g, tuple(known[name] for name in found.keeps), (True,))[0]


def _function(name):
    """The rule of a function of `xp`."""
    return lambda: TABLE[name].rule


for _line, _rule in {
    "CholeskyGrad()(x: out, grad: g)": _function("linalg_cholesky"),
    "EluGrad()(dout: g, out)": lambda: elu.rule,
    "InvGrad()(x: out, grad: g)": _function("reciprocal"),
    "LogSoftmaxGrad(axis=-1)(logits: out, grad: g)": lambda: log_softmax.rule,
    "ReciprocalGrad()(y: out, dy: g)": _function("reciprocal"),
    "RsqrtGrad()(y_backprop: out, x: g)": _function("rsqrt"),
    "SeluGrad()(gradient: g, result: out)": lambda: selu.rule,
    "SigmoidGrad()(y: out, dy: g)": lambda: sigmoid.rule,
    "SoftmaxGrad()(y: out, dy: g)": lambda: softmax.rule,
    "SqrtGrad()(dy: out, y: g)": _function("sqrt"),
    "TanhGrad()(y: out, dy: g)": _function("tanh"),
}.items():
    _of_result(_line, _rule)


@op(f"{AREA}.AcoshGrad()(out, dout)")
def acosh_grad(xp, out: Floats, dout: Floats):
    """The gradient of `ops.acosh` whose result was `out`."""
    return dout / xp.sinh(out)


@op(f"{AREA}.AsinhGrad()(out, dout)")
def asinh_grad(xp, out: Floats, dout: Floats):
    """The gradient of `ops.asinh` whose result was `out`."""
    return dout / xp.cosh(out)


@op(f"{AREA}.DropoutGrad(keep_prob=0.5)(dy, mask)")
def dropout_grad(xp, dy: Floats, mask: TensorOf(), keep_prob: Float(gt=0.0, le=1.0) = 0.5):
    """The gradient of `ops.Dropout` whose mask is given."""
    return dy * xp.cast(mask, dy.dtype) / keep_prob


@op(f"{AREA}.AdaptiveMaxPool2DGrad()(y_grad, x, argmax)")
def adaptive_max_pool2d_grad(xp, y_grad: Floats, x: Floats, argmax: Places):
    """The gradient of `ops.AdaptiveMaxPool2D`: added up where each maximum was."""
    return xp.add_places(y_grad, argmax, tuple(x.shape[-2:]))


@op(f"{AREA}.AdaptiveMaxPool3DGrad()(input_grad, x, argmax)")
def adaptive_max_pool3d_grad(xp, input_grad: Floats, x: Floats, argmax: Places):
    """The gradient of `ops.AdaptiveMaxPool3D`: added up where each maximum was."""
    return xp.add_places(input_grad, argmax, tuple(x.shape[-3:]))


@op(f"{AREA}.BiasAddGrad(data_format='NCHW')(dout)")
def bias_add_grad(xp, dout: Floats, data_format: OneOf("NCHW", "NHWC", "NCDHW") = "NCHW"):
    """The gradient of the bias of `ops.BiasAdd`: sums over all axes but the channels."""
    channels = dout.ndim - 1 if data_format == "NHWC" else 1
    return xp.sum(dout, tuple(axis for axis in range(dout.ndim) if axis != channels))
