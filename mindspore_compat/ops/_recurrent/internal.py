"""Gradients of recurrent Primitives, which MindSpore exposes under an internal path."""

from ..._backend.arrays import space_of
from ..._core.tensor.tensor import Tensor
from .._primitive_aliases.alias import alias, ops, pull_back
from .._recurrent.steps import PLAIN_GRU, gru_steps_vjp, need_plain


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
    return pull_back((dy, dhy, dcy), lambda *given: lstm(*given)[:3], x, hx, cx, w)


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
    """Returns the gradients of both weights, of both biases, of the input and of the first
    state."""
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
        xp.cast(tensor._array, "float32")
        for tensor in (
            x,
            weight_input,
            weight_hidden,
            init_h,
            h,
            update,
            reset,
            new,
            hidden_new,
            dy,
        )
    ]
    *arrays, into = single
    into = xp.concatenate([into[:-1], into[-1:] + xp.cast(dh._array, "float32")], 0)
    inputs, out = arrays[:4], arrays[4:]
    gradients = (into, *[xp.zeros_like(into)] * 4)
    biases = (0.0, 0.0)  # the gradient does not depend on their values
    by_input = gru_steps_vjp(xp, gradients, *inputs, *biases, gate_order, reset_after, out)
    dx, dw_input, dw_hidden, dh_prev, db_input, db_hidden = by_input
    state = init_h._array.dtype
    kinds = [x._array.dtype] * 2 + [state] * 2 + [x._array.dtype, state]
    results = (dw_input, dw_hidden, db_input, db_hidden, dx, dh_prev)
    return tuple(
        Tensor._wrap(xp.cast(tensor, kind)) for tensor, kind in zip(results, kinds, strict=True)
    )
