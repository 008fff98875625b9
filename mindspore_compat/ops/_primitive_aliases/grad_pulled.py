"""Primitives of `ops.operations._grad_ops` that pull a gradient back through a call.

Where the call is linear in an input that the Primitive is not given, it is pulled back from zeros.
Those of images are in _primitive_aliases/grad_pulled_spatial.py, those that are computed otherwise
in _primitive_aliases/grad_lines.py and next to their operations.
"""

from ..._backend.arrays import space_of
from ..._core.tensor.tensor import Tensor
from .._recurrent.steps import PLAIN_GRU, gru_steps_vjp, need_plain
from .alias import alias, ints, ops, pulled

alias("ops.operations._grad_ops.ACosGrad()(x, dout)", lambda x, dout: pulled(dout, ops.acos, x))
alias("ops.operations._grad_ops.AbsGrad()(x, dout)", lambda x, dout: pulled(dout, ops.abs, x))
alias("ops.operations._grad_ops.AsinGrad()(x, dout)", lambda x, dout: pulled(dout, ops.asin, x))
alias("ops.operations._grad_ops.AtanGrad()(x, dout)", lambda x, dout: pulled(dout, ops.atan, x))


@alias(
    "ops.operations._grad_ops.BinaryCrossEntropyGrad(reduction='mean')(input, target, "
    "grad_output, weight=None)"
)
def binary_cross_entropy_grad(input, target, grad_output, weight, reduction):
    return pulled(
        grad_output, lambda input: ops.binary_cross_entropy(input, target, weight, reduction), input
    )


alias("ops.operations._grad_ops.FastGeLUGrad()(dy, x)", lambda dy, x: pulled(dy, ops.FastGeLU(), x))


@alias("ops.operations._grad_ops.FlattenGrad()(x, shape)")
def flatten_grad(x, shape):
    return pulled(x, lambda y: ops.reshape(y, x.shape), ops.zeros(ints(shape), x.dtype))


alias(
    "ops.operations._grad_ops.GatherDGradV2()(x, dim, index, dout)",
    lambda x, dim, index, dout: pulled(dout, lambda x: ops.gather_d(x, dim, index), x),
)
alias("ops.operations._grad_ops.GeLUGrad()(dy, x, y)", lambda dy, x, y: pulled(dy, ops.GeLU(), x))
alias(
    "ops.operations._grad_ops.GluGrad(axis)(grads, x)",
    lambda grads, x, axis: pulled(grads, lambda x: ops.glu(x, axis), x),
)
alias(
    "ops.operations._grad_ops.HShrinkGrad(lambd=0.5)(gradients, features)",
    lambda gradients, features, lambd: pulled(gradients, ops.HShrink(lambd), features),
)
alias(
    "ops.operations._grad_ops.HSigmoidGrad()(grads, input_x)",
    lambda grads, input_x: pulled(grads, ops.HSigmoid(), input_x),
)
alias(
    "ops.operations._grad_ops.HSwishGrad()(y_grad, x)",
    lambda y_grad, x: pulled(y_grad, ops.HSwish(), x),
)


@alias("ops.operations._grad_ops.IgammaGradA()(a, x)")
def igamma_grad_a(a, x):
    return pulled(ops.ones_like(a), lambda a: ops.igamma(a, x), a + ops.zeros_like(x))


@alias("ops.operations._grad_ops.KLDivLossGrad(reduction='mean')(grad, x, target)")
def kl_div_loss_grad(grad, x, target, reduction):
    return pulled(grad, lambda x: ops.KLDivLoss(reduction)(x, target), x)


alias(
    "ops.operations._grad_ops.L2NormalizeGrad(axis=0, epsilon=0.0001)(x, out, dout)",
    lambda x, out, dout, axis, epsilon: pulled(dout, ops.L2Normalize(axis, epsilon), x),
)
alias(
    "ops.operations._grad_ops.LogitGrad(eps=-1.0)(grad, input)",
    lambda grad, input, eps: pulled(grad, ops.Logit(eps), input),
)
alias(
    "ops.operations._grad_ops.MaskedSelectGrad()(input, mask, grad)",
    lambda input, mask, grad: pulled(grad, lambda input: ops.masked_select(input, mask), input),
)
alias(
    "ops.operations._grad_ops.MaximumGrad(grad_x=True, grad_y=True)(x, y, grads)",
    lambda x, y, grads, grad_x, grad_y: pulled(grads, ops.maximum, x, y),
)
alias(
    "ops.operations._grad_ops.MinimumGrad(grad_x=True, grad_y=True)(x1, x2, grads)",
    lambda x1, x2, grads, grad_x, grad_y: pulled(grads, ops.minimum, x1, x2),
)


@alias(
    "ops.operations._grad_ops.MultiMarginLossGrad(p=1, margin=1.0, reduction='mean')(y_grad, "
    "x, target, weight=None)"
)
def multi_margin_loss_grad(y_grad, x, target, weight, p, margin, reduction):
    return pulled(y_grad, lambda x: ops.MultiMarginLoss(p, margin, reduction)(x, target, weight), x)


@alias(
    "ops.operations._grad_ops.MultilabelMarginLossGrad(reduction='mean')(y_grad, x, target, "
    "is_target)"
)
def multilabel_margin_loss_grad(y_grad, x, target, is_target, reduction):
    return pulled(y_grad, lambda x: ops.multilabel_margin_loss(x, target, reduction), x)


alias(
    "ops.operations._grad_ops.MvlgammaGrad(p)(y_grad, x)",
    lambda y_grad, x, p: pulled(y_grad, lambda x: ops.mvlgamma(x, p), x),
)


@alias(
    "ops.operations._grad_ops.NLLLossGrad(reduction='mean', ignore_index=-100)(logits, "
    "loss_grad, labels, weight, total_weight)"
)
def nll_loss_grad(logits, loss_grad, labels, weight, total_weight, reduction, ignore_index):
    return pulled(
        loss_grad,
        lambda logits: ops.NLLLoss(reduction, ignore_index)(logits, labels, weight)[0],
        logits,
    )


alias(
    "ops.operations._grad_ops.PReLUGrad()(dy, x, weight)",
    lambda dy, x, weight: pulled(dy, ops.PReLU(), x, weight),
)
alias(
    "ops.operations._grad_ops.PdistGrad(p=2.0)(y_grad, x, y)",
    lambda y_grad, x, y, p: pulled(y_grad, lambda x: ops.pdist(x, p), x),
)
alias(
    "ops.operations._grad_ops.ReLU6Grad()(y_backprop, x)",
    lambda y_backprop, x: pulled(y_backprop, ops.relu6, x),
)
alias(
    "ops.operations._grad_ops.ReluGrad()(y_backprop, x)",
    lambda y_backprop, x: pulled(y_backprop, ops.relu, x),
)
alias("ops.operations._grad_ops.SiLUGrad()(dout, x)", lambda dout, x: pulled(dout, ops.silu, x))
alias(
    "ops.operations._grad_ops.SigmoidCrossEntropyWithLogitsGrad()(x, y, dout)",
    lambda x, y, dout: pulled(dout, lambda x: ops.SigmoidCrossEntropyWithLogits()(x, y), x),
)
alias(
    "ops.operations._grad_ops.SliceGrad()(dy, x, begin, size)",
    lambda dy, x, begin, size: pulled(dy, lambda x: ops.slice(x, begin, size), x),
)


@alias(
    "ops.operations._grad_ops.SmoothL1LossGrad(beta=1.0, reduction='none')(prediction, target, "
    "dout)"
)
def smooth_l1_loss_grad(prediction, target, dout, beta, reduction):
    return pulled(
        dout, lambda prediction: ops.SmoothL1Loss(beta, reduction)(prediction, target), prediction
    )


@alias("ops.operations._grad_ops.SoftMarginLossGrad(reduction='mean')(predict, label, dout)")
def soft_margin_loss_grad(predict, label, dout, reduction):
    return pulled(dout, lambda predict: ops.SoftMarginLoss(reduction)(predict, label), predict)


alias(
    "ops.operations._grad_ops.SoftShrinkGrad(lambd=0.5)(input_grad, input_x)",
    lambda input_grad, input_x, lambd: pulled(input_grad, ops.SoftShrink(lambd), input_x),
)
alias(
    "ops.operations._grad_ops.SoftplusGrad()(gradients, features)",
    lambda gradients, features: pulled(gradients, ops.Softplus(), features),
)


@alias(
    "ops.operations._grad_ops.StridedSliceGrad(begin_mask=0, end_mask=0, ellipsis_mask=0, "
    "new_axis_mask=0, shrink_axis_mask=0)(dy, shapex, begin, end, strides)"
)
def strided_slice_grad(
    dy,
    shapex,
    begin,
    end,
    strides,
    begin_mask,
    end_mask,
    ellipsis_mask,
    new_axis_mask,
    shrink_axis_mask,
):
    return pulled(
        dy,
        lambda x: ops.StridedSlice(
            begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
        )(x, begin, end, strides),
        ops.zeros(ints(shapex), dy.dtype),
    )


alias(
    "ops.operations._grad_ops.TraceGrad()(y_grad, x_shape)",
    lambda y_grad, x_shape: pulled(y_grad, ops.trace, ops.zeros(ints(x_shape), y_grad.dtype)),
)


@alias(
    "ops.operations._grad_ops.LSTMGrad(input_size, hidden_size, num_layers, has_bias, "
    "bidirectional, dropout, proj_size=0)(x, hx, cx, w, y, hy, cy, dy, dhy, dcy, reserve)"
)
def lstm_grad(
    x,
    hx,
    cx,
    w,
    y,
    hy,
    cy,
    dy,
    dhy,
    dcy,
    reserve,
    input_size,
    hidden_size,
    num_layers,
    has_bias,
    bidirectional,
    dropout,
    proj_size,
):
    lstm = ops.LSTM(
        input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, proj_size
    )
    return pulled((dy, dhy, dcy), lambda *given: lstm(*given)[:3], x, hx, cx, w)


@alias(
    "ops.operations._grad_ops.BNTrainingUpdateGrad(epsilon=0.0001, data_format='NCHW')(grads, x, "
    "batch_mean, batch_variance)"
)
def bn_training_update_grad(grads, x, batch_mean, batch_variance, epsilon, data_format):
    """The gradients of the scale and of the shift."""
    standard = _standard(x, batch_mean, batch_variance, epsilon, data_format)
    axes = _other_axes(x, data_format)
    return (grads * standard).sum(axes), grads.sum(axes)


@alias(
    "ops.operations._grad_ops.BNTrainingReduceGrad(epsilon=0.0001, data_format='NCHW')(grads, x, "
    "diff_scale, diff_offset, scale, batch_mean, batch_variance)"
)
def bn_training_reduce_grad(
    grads, x, diff_scale, diff_offset, scale, batch_mean, batch_variance, epsilon, data_format
):
    """The gradient of the input, given those of the scale and of the shift."""
    count = x.size // batch_mean.size
    standard = _standard(x, batch_mean, batch_variance, epsilon, data_format)
    by_channel = [_by_channel(each, x, data_format) for each in (diff_scale, diff_offset)]
    centred = grads - (by_channel[1] + standard * by_channel[0]) / count
    rate = scale * ops.rsqrt(batch_variance + epsilon)
    return centred * _by_channel(rate, x, data_format)


def _channel(x, data_format):
    return x.ndim - 1 if data_format == "NHWC" else 1


def _other_axes(x, data_format):
    return tuple(axis for axis in range(x.ndim) if axis != _channel(x, data_format))


def _by_channel(values, x, data_format):
    shape = [1] * x.ndim
    shape[_channel(x, data_format)] = -1
    return values.reshape(shape)


def _standard(x, mean, variance, epsilon, data_format):
    rate = ops.rsqrt(variance + epsilon)
    centred = x - _by_channel(mean, x, data_format)
    return centred * _by_channel(rate, x, data_format)


@alias(
    "ops.operations._grad_ops.DynamicGRUV2Grad(direction='UNIDIRECTIONAL', cell_depth=1, "
    "keep_prob=1.0, cell_clip=-1.0, num_proj=0, time_major=True, gate_order='rzh', "
    "reset_after=True)(x, weight_input, weight_hidden, y, init_h, h, dy, dh, update, reset, new, "
    "hidden_new, seq_length=None, mask=None)"
)
def dynamic_gru_v2_grad(
    x,
    weight_input,
    weight_hidden,
    y,
    init_h,
    h,
    dy,
    dh,
    update,
    reset,
    new,
    hidden_new,
    seq_length,
    mask,
    direction,
    cell_depth,
    keep_prob,
    cell_clip,
    num_proj,
    time_major,
    gate_order,
    reset_after,
):
    """The gradients of both weights, of both biases, of the input and of the first state."""
    forward = ops.DynamicGRUV2(
        direction,
        cell_depth,
        keep_prob,
        cell_clip,
        num_proj,
        time_major,
        gate_order=gate_order,
        reset_after=reset_after,
    )
    need_plain("DynamicGRUV2Grad", vars(forward), PLAIN_GRU)
    xp = space_of(x._array)
    single = [
        xp.cast(each._array, "float32")
        for each in (x, weight_input, weight_hidden, init_h, h, update, reset, new, hidden_new, dy)
    ]
    *given, into = single
    into = xp.concatenate([into[:-1], into[-1:] + xp.cast(dh._array, "float32")], 0)
    inputs, out = given[:4], given[4:]
    gradients = (into, *[xp.zeros_like(into)] * 4)
    biases = (0.0, 0.0)  # whose values the rule of the forward steps does not read
    found = gru_steps_vjp(xp, gradients, *inputs, *biases, gate_order, reset_after, out)
    dx, dw_input, dw_hidden, dh_prev, db_input, db_hidden = found
    state = init_h._array.dtype
    kinds = [x._array.dtype] * 2 + [state] * 2 + [x._array.dtype, state]
    ordered = (dw_input, dw_hidden, db_input, db_hidden, dx, dh_prev)
    return tuple(
        Tensor._wrap(xp.cast(each, kind)) for each, kind in zip(ordered, kinds, strict=True)
    )
