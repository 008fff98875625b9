"""Recurrences over a sequence: plain, LSTM and GRU, one direction of one layer at a time.

An op receives the contribution of the inputs to the gates, which the layers in `nn` compute for all
steps at once, and runs the steps. The gradient uses saved outputs: the state before a step is the
output of the step before. An LSTM and a GRU also save their gates after their activations, and a
GRU the candidate's recurrent part, so the gradient needs no product to recompute them. On a GPU,
and on a host with compiled loops, the arithmetic between two products is one kernel
(fused_steps.py).

Shapes: T steps, N sequences, H units. `mask` is (T, N, 1), one inside a sequence and zero beyond
its end. A masked step keeps the state and outputs zeros, so that the backward direction starts at
each sequence's own end.
"""

from ..._backend.bodies.gpu import bodies_of
from ..._backend.recurrent.formulas import (
    gru_candidate,
    gru_into_gates,
    gru_update,
    lstm_cell,
    lstm_update,
    lstm_update_vjp,
    masked,
    masked_flow,
    through_sigmoid,
    through_tanh,
)
from ..._backend.steps.weight_products import weight_product
from ..._core.declare.op import op
from ..._core.declare.values import upcast
from ..._core.rules.vocabulary import Bool, OneOf
from .._rules import Floats
from . import fused_steps


def steps(count, reverse):
    return range(count - 1, -1, -1) if reverse else range(count)


def _states_before(xp, outputs, first, mask, reverse):
    """Returns the states before each step, from the outputs (T, N, H) and the first state."""
    first = xp.expand_dims(first, 0)
    if outputs.shape[0] == 1:
        return first
    if reverse:
        before = xp.concatenate([outputs[1:], first], 0)
        shifted_mask = None if mask is None else xp.concatenate([mask[1:], mask[:1] * 0], 0)
    else:
        before = xp.concatenate([first, outputs[:-1]], 0)
        shifted_mask = None if mask is None else xp.concatenate([mask[:1] * 0, mask[:-1]], 0)
    return before if shifted_mask is None else before * shifted_mask + first * (1 - shifted_mask)


def _weight_vjp(xp, grads, states):
    """Returns the gradient of a recurrent weight, as one product over all steps."""
    width = grads.shape[-1]
    rows, columns = xp.reshape(grads, (-1, width)), xp.reshape(states, (-1, states.shape[-1]))
    return weight_product(xp, rows, columns)


def stacked(xp, by_step):
    """Stacks the arrays in a dict, keyed by step, into one array."""
    return xp.stack([by_step[t] for t in range(len(by_step))], 0)


def _all_upcast(xp, *arrays):
    """Casts arrays of low precision to float32. Other arrays and None are returned as they are."""
    return [upcast(xp, array) for array in arrays]


def _all_rounded(xp, dtype, *arrays):
    """Returns arrays cast to a dtype, as a tuple."""
    return tuple([array if array.dtype == dtype else xp.cast(array, dtype) for array in arrays])


# Plain --------------------------------------------------------------------------------------------


def _activate(xp, x, kind):
    return xp.tanh(x) if kind == "tanh" else xp.maximum(x, 0)


@op(compute="kernels")
def rnn_sequence(
    xp,
    gates: Floats,
    h0: Floats,
    weight: Floats,
    mask: Floats = None,
    kind: OneOf("tanh", "relu") = "tanh",
    reverse: Bool = False,
):
    """Computes h = kind(gates[t] + h @ weight.T) step by step, from the last step on if `reverse`.

    `gates` is the projected input. Where `mask` is 0, the output is 0 and h stays.

    Returns:
        The outputs (T, N, H) and the last state (N, H).
    """
    order = steps(gates.shape[0], reverse)
    if order and (bodies := bodies_of(xp, gates, h0, weight, mask)):
        if (
            result := fused_steps.rnn(bodies, xp, order, gates, h0, weight, mask, kind)
        ) is not None:
            return result
    dtype = gates.dtype
    gates, h, weight, mask = _all_upcast(xp, gates, h0, weight, mask)
    weight_t, outputs = xp.swapaxes(weight, 0, 1), {}
    for t in order:
        new = _activate(xp, gates[t] + xp.matmul(h, weight_t), kind)
        mask_t = None if mask is None else mask[t]
        outputs[t] = new if mask_t is None else new * mask_t
        h = masked(new, h, mask_t)
    return _all_rounded(xp, dtype, stacked(xp, outputs), h)


@rnn_sequence.vjp_joint
def rnn_sequence_vjp(xp, g, gates, h0, weight, mask, kind, reverse, out):
    """Returns gradients of the gates, the first state and the weight."""
    grad_out, flow = g
    outputs = out[0]
    before = _states_before(xp, outputs, h0, mask, reverse)
    order = steps(gates.shape[0], reverse)
    if order and (bodies := bodies_of(xp, gates, h0, weight, mask, *g)):
        result = fused_steps.rnn_vjp(bodies, xp, order, outputs, weight, mask, g, kind)
        if result is not None:
            return *result, _weight_vjp(xp, result[0], before), None
    arrays = grad_out, flow, outputs, before, h0, weight, mask
    grad_out, flow, outputs, before, h0, weight, mask = _all_upcast(xp, *arrays)
    grad_out = xp.zeros_like(outputs) if grad_out is None else grad_out
    flow = xp.zeros_like(h0) if flow is None else flow
    by_step = {}
    for t in reversed(order):
        mask_t = None if mask is None else mask[t]
        into = grad_out[t] + flow if mask_t is None else (grad_out[t] + flow) * mask_t
        y = outputs[t]
        by_step[t] = through_tanh(into, y) if kind == "tanh" else into * (y > 0)
        flow = masked_flow(xp.matmul(by_step[t], weight), flow, mask_t)
    grads = stacked(xp, by_step)
    return grads, flow, _weight_vjp(xp, grads, before), None


rnn_sequence_vjp.fills = False  # no zeros: a cell uses only the state, most layers the outputs


# LSTM: the gates are input, forget, candidate, output ---------------------------------------------


def lstm_gates(xp, total):
    """Computes the four gates from their sums (..., 4H); sigmoid(x) is (1 + tanh(x / 2)) / 2."""
    width = total.shape[-1] // 4
    gate_values = xp.tanh(0.5 * total[..., : 2 * width]) * 0.5 + 0.5
    candidate = xp.tanh(total[..., 2 * width : 3 * width])
    output_gate = xp.tanh(0.5 * total[..., 3 * width :]) * 0.5 + 0.5
    return gate_values[..., :width], gate_values[..., width:], candidate, output_gate


@op(compute="kernels")
def lstm_sequence(
    xp,
    gates: Floats,
    h0: Floats,
    c0: Floats,
    weight: Floats,
    mask: Floats = None,
    reverse: Bool = False,
    saves: Bool = True,
):
    """Computes c = f c + i g and h = o tanh(c) step by step; the gates are activations of gates[t]
    + h @ weight.T.

    Args:
        saves (bool): whether the gates after their activations are returned; without them, there is
            no gradient.

    Returns:
        The outputs (T, N, H), the last state and the last cell (N, H), and the gates after their
        activations (T, N, 4H), or (0, N, 4H) if `saves` is false.
    """
    order = steps(gates.shape[0], reverse)
    if order and (bodies := bodies_of(xp, gates, h0, c0, weight, mask)):
        activated = xp.empty((len(order) * saves, *gates.shape[1:]), gates.dtype)
        result = fused_steps.lstm(bodies, xp, order, gates, h0, c0, weight, mask, activated)
        if result is not None:
            return result
    dtype = gates.dtype
    gates, h, c, weight, mask = _all_upcast(xp, gates, h0, c0, weight, mask)
    weight_t, outputs, activated = xp.swapaxes(weight, 0, 1), {}, {}
    for t in order:
        input_gate, forget_gate, candidate, output_gate = lstm_gates(
            xp, gates[t] + xp.matmul(h, weight_t)
        )
        if saves:
            activated[t] = xp.concatenate([input_gate, forget_gate, candidate, output_gate], -1)
        mask_t = None if mask is None else mask[t]
        new, cell = lstm_update(xp, input_gate, forget_gate, candidate, output_gate, c)
        c = masked(cell, c, mask_t)
        outputs[t] = new if mask_t is None else new * mask_t
        h = masked(new, h, mask_t)
    saved = stacked(xp, activated) if saves else xp.zeros((0, *gates.shape[1:]), dtype)
    return _all_rounded(xp, dtype, stacked(xp, outputs), h, c, saved)


def lstm(gates, h0, c0, weight, mask=None, reverse=False):
    """Runs `lstm_sequence` on Tensors; returns the outputs, the last state and the last cell."""
    saves = any(tensor._node is not None for tensor in (gates, h0, c0, weight))
    return lstm_sequence.run(gates, h0, c0, weight, mask, reverse, saves)[:3]


@lstm_sequence.vjp_joint
def lstm_sequence_vjp(xp, g, h0, c0, weight, mask, reverse, out):
    """Returns gradients of the gates, the first state and cell, and the weight."""
    grad_out, flow, cell_flow, by_activated = g
    outputs, _, _, activated = out
    before = _states_before(xp, outputs, h0, mask, reverse)
    order = steps(len(activated), reverse)
    bodies = bodies_of(xp, activated, h0, c0, weight, mask, *g) if by_activated is None else None
    if order and bodies:
        result = fused_steps.lstm_vjp(bodies, xp, order, activated, before, c0, weight, mask, g[:3])
        if result is not None:
            return *result, _weight_vjp(xp, result[0], before), None
    arrays = grad_out, flow, cell_flow, by_activated, outputs, activated
    grad_out, flow, cell_flow, by_activated, outputs, activated = _all_upcast(xp, *arrays)
    before, h0, c0, weight, mask = _all_upcast(xp, before, h0, c0, weight, mask)
    grad_out = xp.zeros_like(outputs) if grad_out is None else grad_out
    flow = xp.zeros_like(h0) if flow is None else flow
    cell_flow = xp.zeros_like(c0) if cell_flow is None else cell_flow
    width = h0.shape[-1]
    parts = [activated[..., at * width : (at + 1) * width] for at in range(4)]
    input_gate, forget_gate, candidate, output_gate = parts
    derivatives = [1 - part * part if part is candidate else part * (1 - part) for part in parts]
    derivatives = xp.concatenate(derivatives, -1)
    cells, c = {}, c0
    for t in order:
        cells[t] = c
        cell = lstm_cell(input_gate[t], forget_gate[t], candidate[t], c)
        c = masked(cell, c, None if mask is None else mask[t])
    by_step = {}
    for t in reversed(order):
        mask_t = None if mask is None else mask[t]
        into = grad_out[t] + flow if mask_t is None else (grad_out[t] + flow) * mask_t
        through = cell_flow if mask_t is None else cell_flow * mask_t
        gates = input_gate[t], forget_gate[t], candidate[t], output_gate[t]
        *to_gates, to_cell = lstm_update_vjp(xp, *gates, cells[t], into, through)
        to_gates = xp.concatenate(to_gates, -1)
        if by_activated is not None:
            to_gates = to_gates + by_activated[t]
        by_step[t] = to_gates * derivatives[t]
        flow = masked_flow(xp.matmul(by_step[t], weight), flow, mask_t)
        cell_flow = masked_flow(to_cell * forget_gate[t], cell_flow, mask_t)
    grads = stacked(xp, by_step)
    return grads, flow, cell_flow, _weight_vjp(xp, grads, before), None


lstm_sequence_vjp.fills = False  # the saved gates have a gradient only in second order


# GRU: the gates are reset, update, candidate ------------------------------------------------------


def _gru_gates(xp, sums, recurrent):
    """Computes reset, update, candidate, and the candidate's recurrent part, from the sums (...,
    3H)."""
    width = sums.shape[-1] // 3
    total = sums[..., : 2 * width] + recurrent[..., : 2 * width]
    gate_values = xp.tanh(0.5 * total) * 0.5 + 0.5
    reset, update = gate_values[..., :width], gate_values[..., width:]
    inner = recurrent[..., 2 * width :]
    return reset, update, xp.tanh(gru_candidate(sums[..., 2 * width :], reset, inner)), inner


def _gru_recurrent(xp, h, weight, bias):
    sums = xp.matmul(h, xp.swapaxes(weight, 0, 1))
    return sums if bias is None else sums + bias


@op(compute="kernels")
def gru_sequence(
    xp,
    gates: Floats,
    h0: Floats,
    weight: Floats,
    bias: Floats = None,
    mask: Floats = None,
    reverse: Bool = False,
    saves: Bool = True,
):
    """Computes h = (1 - z) n + z h step by step, with n = tanh(gates_n + r (h @ weight_n.T +
    bias_n)).

    Args:
        saves (bool): whether the values that the gradient needs are returned.

    Returns:
        The outputs (T, N, H), the last state (N, H), and r, z, n and n's recurrent part joined
        along the last axis (T, N, 4H), or (0, N, 4H) if `saves` is false. The values of masked
        steps are not used.
    """
    order = steps(gates.shape[0], reverse)
    if order and (bodies := bodies_of(xp, gates, h0, weight, bias, mask)):
        result = fused_steps.gru(bodies, xp, order, gates, h0, weight, bias, mask, saves)
        if result is not None:
            return result
    dtype = gates.dtype
    gates, h, weight, bias, mask = _all_upcast(xp, gates, h0, weight, bias, mask)
    outputs, activated = {}, {}
    for t in order:
        recurrent = _gru_recurrent(xp, h, weight, bias)
        _, update, candidate, _ = parts = _gru_gates(xp, gates[t], recurrent)
        new = gru_update(update, candidate, h)
        mask_t = None if mask is None else mask[t]
        if saves:
            saved = xp.concatenate(list(parts), -1)
            activated[t] = saved if mask_t is None else saved * mask_t
        outputs[t] = new if mask_t is None else new * mask_t
        h = masked(new, h, mask_t)
    saved = stacked(xp, activated) if saves else xp.zeros((0, *h0.shape), dtype)
    return _all_rounded(xp, dtype, stacked(xp, outputs), h, saved)


def gru(gates, h0, weight, bias=None, mask=None, reverse=False):
    """Runs `gru_sequence` on Tensors; returns the outputs and the last state."""
    saves = any(
        tensor._node is not None for tensor in (gates, h0, weight, bias) if tensor is not None
    )
    return gru_sequence.run(gates, h0, weight, bias, mask, reverse, saves)[:2]


@gru_sequence.vjp_joint
def gru_sequence_vjp(xp, g, h0, weight, bias, mask, reverse, out):
    """Returns gradients of the gates, the first state, the weight and the bias."""
    grad_out, flow, by_activated = g
    outputs, _, activated = out
    before = _states_before(xp, outputs, h0, mask, reverse)
    order = steps(len(activated), reverse)
    bodies = bodies_of(xp, activated, h0, weight, mask, *g) if by_activated is None else None
    if order and bodies:
        result = fused_steps.gru_vjp(bodies, xp, order, activated, before, weight, mask, g[:2])
        if result is not None:
            grads, state_grads, flow = result
            wide = {"dtype": "float32"} if state_grads.dtype.itemsize == 2 else {}
            by_bias = None if bias is None else xp.sum(state_grads, (0, 1), **wide)
            return grads, flow, _weight_vjp(xp, state_grads, before), by_bias, None
    arrays = grad_out, flow, by_activated, outputs, activated
    grad_out, flow, by_activated, outputs, activated = _all_upcast(xp, *arrays)
    before, h0, weight, mask = _all_upcast(xp, before, h0, weight, mask)
    grad_out = xp.zeros_like(outputs) if grad_out is None else grad_out
    flow = xp.zeros_like(h0) if flow is None else flow
    by_step, by_state = {}, {}
    for t in reversed(order):
        mask_t = None if mask is None else mask[t]
        into = grad_out[t] + flow if mask_t is None else (grad_out[t] + flow) * mask_t
        r, z, n, inner = _quarters(activated[t])
        to_z, to_n = gru_into_gates(z, n, before[t], into)
        to_r, to_inner = 0, 0
        if by_activated is not None:
            gate_gradient = by_activated[t] if mask_t is None else by_activated[t] * mask_t
            more_r, more_z, more_n, more_inner = _quarters(gate_gradient)
            to_r, to_z, to_n, to_inner = more_r, to_z + more_z, to_n + more_n, more_inner
        to_n = through_tanh(to_n, n)
        to_z = through_sigmoid(to_z, z)
        to_r = through_sigmoid(to_n * inner + to_r, r)
        by_step[t] = xp.concatenate([to_r, to_z, to_n], -1)
        by_state[t] = xp.concatenate([to_r, to_z, to_n * r + to_inner], -1)
        flow = masked_flow(xp.matmul(by_state[t], weight) + into * z, flow, mask_t)
    grads, state_grads = stacked(xp, by_step), stacked(xp, by_state)
    by_bias = None if bias is None else xp.sum(state_grads, (0, 1))
    return grads, flow, _weight_vjp(xp, state_grads, before), by_bias, None


gru_sequence_vjp.fills = False


def _quarters(x):
    """Returns the four parts of the last axis."""
    width = x.shape[-1] // 4
    return [x[..., at * width : (at + 1) * width] for at in range(4)]
