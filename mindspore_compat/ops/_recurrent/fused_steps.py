"""Recurrent steps as single kernels: one product and one kernel per step, forward and backward.

If the host has a compiled loop over all steps (_backend/recurrent/sequences.py), that loop runs
instead. The gates of a step are adjacent in one array. The kernels read and write the parts of such
arrays, and write their results directly into the sequence. A GPU has these kernels, and a host has
them if they are compiled; otherwise the functions return None. Formulas and shapes are as in
sequence.py, which names the arrays.

Of float16 and bfloat16, a GPU reads gates, weights and outputs as they are. Products, and what one
step hands to the next (cells, the states of a GRU, gradients), are float32.
"""

import numpy

from ..._backend.bodies.row_plan import Parts
from ..._backend.compiled import door
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

FLOAT32 = numpy.dtype(numpy.float32)


def _dtype_between_steps(dtype):
    return FLOAT32 if dtype.itemsize == 2 else dtype


def _product(xp, x, y):
    """Returns the product of two matrices, which only one kernel reads."""
    return xp.matmul_float32(x, y) if x.dtype.itemsize == 2 else xp.matmul(x, y)


def _rnn_step(xp, gate, recurrent, h, at, *, kind):
    total = gate + recurrent
    new = xp.tanh(total) if kind == "tanh" else xp.maximum(total, 0.0)
    return new if at is None else (new * at, masked(new, h, at))


def _rnn_back(xp, y, grad_out, flow, at, *, kind):
    """Returns the gradient of the gate. With a mask, also returns the gradient that passes directly
    to the previous state.
    """
    into = flow if grad_out is None else grad_out if flow is None else grad_out + flow
    into = into if at is None else into * at
    gradient = through_tanh(into, y) if kind == "tanh" else xp.where(y > 0, into, 0.0)
    return gradient if at is None else (gradient, flow * (1 - at))


def rnn(bodies, xp, order, gates, h, weight, mask, kind):
    """Runs `rnn_sequence` over the steps in `order`."""
    result = door.call("recurrence", kind, order, gates, weight, mask, (h,), None, None)
    if result is not None:
        return result
    weight_t, outputs = xp.swapaxes(weight, 0, 1), xp.empty((len(gates), *h.shape), h.dtype)
    for t in order:
        at = None if mask is None else mask[t]
        result = (outputs[t],) if at is None else (outputs[t], xp.empty(h.shape, h.dtype))
        arguments = gates[t], _product(xp, h, weight_t), h, at
        if bodies.pointwise(_rnn_step, *arguments, out=result, kind=kind) is None:
            return None
        h = result[-1]
    return outputs, h


def rnn_vjp(bodies, xp, order, outputs, weight, mask, g, kind):
    """Returns the gradients of the gates and of the first state."""
    grad_out, flow = g
    result = door.call("recurrence_vjp", kind, order, outputs, weight, mask, outputs, None, g)
    if result is not None:
        return result
    if mask is not None and flow is None:
        flow = xp.zeros_like(outputs[0])
    grads, between = xp.empty(outputs.shape, outputs.dtype), _dtype_between_steps(outputs.dtype)
    for t in reversed(order):
        at = None if mask is None else mask[t]
        result = (grads[t],) if at is None else (grads[t], xp.empty(flow.shape, between))
        arguments = outputs[t], None if grad_out is None else grad_out[t], flow, at
        if bodies.pointwise(_rnn_back, *arguments, out=result, kind=kind) is None:
            return None
        back = _product(xp, grads[t], weight)
        flow = back if at is None else back + result[1]
    return grads, flow


def _lstm_step(xp, gi, gf, gn, go, ri, rf, rn, ro, h, c, at, *, saves):
    """Returns the output and the new cell; with a mask also the new state; then the gates."""
    i, f, n, o = xp.sigmoid(gi + ri), xp.sigmoid(gf + rf), xp.tanh(gn + rn), xp.sigmoid(go + ro)
    gates = (i, f, n, o) if saves else ()
    new, cell = lstm_update(xp, i, f, n, o, c)
    if at is None:
        return new, cell, *gates
    return new * at, masked(cell, c, at), masked(new, h, at), *gates


def _lstm_cell(xp, i, f, n, o, c, at):
    return masked(lstm_cell(i, f, n, c), c, at)


def _lstm_back(xp, i, f, n, o, c, grad_out, flow, cell_flow, at):
    """Returns the gradients of the four gates and of the previous cell state. With a mask, also
    returns the gradient that passes directly to the previous hidden state.
    """
    into = flow if grad_out is None else grad_out + flow
    into = into if at is None else into * at
    through = cell_flow if at is None else cell_flow * at
    to_i, to_f, to_n, to_o, to_cell = lstm_update_vjp(xp, i, f, n, o, c, into, through)
    to_i, to_f, to_o = through_sigmoid(to_i, i), through_sigmoid(to_f, f), through_sigmoid(to_o, o)
    gradients = to_i, to_f, through_tanh(to_n, n), to_o, masked_flow(to_cell * f, cell_flow, at)
    return gradients if at is None else (*gradients, flow * (1 - at))


def lstm(bodies, xp, order, gates, h, c, weight, mask, activated):
    """Runs `lstm_sequence` over the steps in `order`. If `activated` has room for all steps, the
    gates are written to it after their activations."""
    saves = len(activated) > 0
    arguments = gates, weight, mask, (h, c), None, activated if saves else None
    result = door.call("recurrence", "lstm", order, *arguments)
    if result is not None:
        return *result, activated
    weight_t, outputs = xp.swapaxes(weight, 0, 1), xp.empty((len(gates), *h.shape), h.dtype)
    between = _dtype_between_steps(h.dtype)
    for t in order:
        at = None if mask is None else mask[t]
        arguments = Parts(gates[t], 4), Parts(_product(xp, h, weight_t), 4), h, c, at
        new = xp.empty(h.shape, h.dtype if t == order[-1] else between)
        result = [outputs[t], new] if at is None else [outputs[t], new, xp.empty(h.shape, h.dtype)]
        result += [Parts(activated[t], 4)] if saves else []
        if bodies.pointwise(_lstm_step, *arguments, out=result, saves=saves) is None:
            return None
        h, c = result[0] if at is None else result[2], new
    return outputs, h, c, activated


def lstm_vjp(bodies, xp, order, activated, before, c, weight, mask, g):
    """Returns the gradients of the gates, the first state and the first cell."""
    result = door.call("recurrence_vjp", "lstm", order, activated, weight, mask, before, c, g)
    if result is not None:
        return result
    grad_out, flow, cell_flow = g
    flow = xp.zeros_like(c) if flow is None else flow
    cell_flow = xp.zeros_like(c) if cell_flow is None else cell_flow
    ats, cells = {t: None if mask is None else mask[t] for t in order}, {}
    between = _dtype_between_steps(c.dtype)
    for t in order:
        cells[t] = c
        if t != order[-1]:
            cell = xp.empty(c.shape, between)
            if bodies.pointwise(_lstm_cell, Parts(activated[t], 4), c, ats[t], out=[cell]) is None:
                return None
            c = cell
    grads = xp.empty(activated.shape, activated.dtype)
    for t in reversed(order):
        result = [Parts(grads[t], 4), xp.empty(c.shape, between)]
        if mask is not None:
            result.append(xp.empty(c.shape, between))
        into = None if grad_out is None else grad_out[t]
        arguments = Parts(activated[t], 4), cells[t], into, flow, cell_flow, ats[t]
        if bodies.pointwise(_lstm_back, *arguments, out=result) is None:
            return None
        back = _product(xp, grads[t], weight)
        flow, cell_flow = back if mask is None else back + result[2], result[1]
    return grads, flow, cell_flow


def _bias_parts(bias):
    """Returns the biases of the three gates; [None, None, None] if `bias` is None."""
    return [None] * 3 if bias is None else [Parts(bias, 3)]


def _gru_step(xp, gr, gz, gn, rr, rz, rn, br, bz, bn, h, at, *, saves, repeats):
    """Returns the output; with a mask also the new state; if `repeats`, the new state once more;
    then the gates and the candidate's recurrent part."""
    if br is not None:
        rr, rz, rn = rr + br, rz + bz, rn + bn
    r, z = xp.sigmoid(gr + rr), xp.sigmoid(gz + rz)
    n = xp.tanh(gru_candidate(gn, r, rn))
    saved = (r, z, n, rn) if saves else ()
    new = gru_update(z, n, h)
    if at is None:
        return *(new,) * (1 + repeats), *saved
    return new * at, *(masked(new, h, at),) * (1 + repeats), *[gate * at for gate in saved]


def _gru_back(xp, r, z, n, inner, h, grad_out, flow, at):
    """Returns the gradients of the gates of a step, of the candidate's recurrent part, and of the
    state.
    """
    into = flow if grad_out is None else grad_out + flow
    into = into if at is None else into * at
    to_z, to_n = gru_into_gates(z, n, h, into)
    to_z, to_n = through_sigmoid(to_z, z), through_tanh(to_n, n)
    to_r = through_sigmoid(to_n * inner, r)
    direct = masked_flow(into * z, flow, at)
    return to_r, to_z, to_n, to_r, to_z, to_n * r, direct


def gru(bodies, xp, order, gates, h, weight, bias, mask, saves):
    """Runs `gru_sequence` over the steps in `order`."""
    activated = xp.empty((len(order) * saves, len(h), 4 * h.shape[-1]), gates.dtype)
    arguments = gates, weight, mask, (h,), bias, activated if saves else None
    result = door.call("recurrence", "gru", order, *arguments)
    if result is not None:
        return *result, activated
    weight_t, outputs = xp.swapaxes(weight, 0, 1), xp.empty((len(gates), *h.shape), h.dtype)
    state, between = h, _dtype_between_steps(h.dtype)
    options = {"saves": saves, "repeats": between != h.dtype}  # a product reads `h`, a step `state`
    for t in order:
        at = None if mask is None else mask[t]
        gate_parts = Parts(gates[t], 3), Parts(_product(xp, h, weight_t), 3)
        result = [outputs[t]] if at is None else [outputs[t], xp.empty(h.shape, h.dtype)]
        h = result[-1]
        result += [xp.empty(h.shape, between)] if options["repeats"] else []
        arguments, state = (*gate_parts, *_bias_parts(bias), state, at), result[-1]
        result += [Parts(activated[t], 4)] if saves else []
        if bodies.pointwise(_gru_step, *arguments, out=result, **options) is None:
            return None
    return outputs, h, activated


def gru_vjp(bodies, xp, order, activated, before, weight, mask, g):
    """Returns the gradients of the gates, their recurrent parts, and the first state."""
    result = door.call("recurrence_vjp", "gru", order, activated, weight, mask, before, None, g)
    if result is not None:
        return result
    grad_out, flow = g
    flow = xp.zeros_like(before[0]) if flow is None else flow
    shape = *activated.shape[:2], weight.shape[0]
    grads, states = (xp.empty(shape, activated.dtype) for _ in range(2))
    between = _dtype_between_steps(activated.dtype)
    for t in reversed(order):
        at = None if mask is None else mask[t]
        direct = xp.empty(flow.shape, between)
        into = None if grad_out is None else grad_out[t]
        arguments = Parts(activated[t], 4), before[t], into, flow, at
        result = [Parts(grads[t], 3), Parts(states[t], 3), direct]
        if bodies.pointwise(_gru_back, *arguments, out=result) is None:
            return None
        flow = _product(xp, states[t], weight) + direct
    return grads, states, flow
