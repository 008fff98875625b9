"""Recurrent steps as single kernels: one product and one kernel for each step, forward and
backward.

Where all steps together are one compiled loop of the host (_backend/recurrent/sequences.py), that
runs instead.

The gates of a step lie side by side in one array; the kernels read and write the parts of such
arrays, and write what they find straight to its step of the sequence. A GPU has these kernels, and
the host where they are compiled; the functions give None where there is none yet. The formulas and
shapes are those of sequence.py, which names the arrays.
"""

from ..._backend.bodies.row_plan import Parts
from ..._backend.compiled import door
from .formulas import lstm_cell, lstm_update, lstm_update_vjp, masked


def _rnn_step(xp, gate, recurrent, h, at, *, kind):
    total = gate + recurrent
    new = xp.tanh(total) if kind == "tanh" else xp.maximum(total, 0.0)
    return new if at is None else (new * at, new * at + h * (1 - at))


def _rnn_back(xp, y, grad_out, flow, at, *, kind):
    """The gradient that a step passes to its gate; with a mask also to the state."""
    into = flow if grad_out is None else grad_out if flow is None else grad_out + flow
    into = into if at is None else into * at
    found = into * (1 - y * y) if kind == "tanh" else xp.where(y > 0, into, 0.0)
    return found if at is None else (found, flow * (1 - at))


def rnn(bodies, xp, order, gates, h, weight, mask, kind):
    """`rnn_sequence` over the steps in `order`."""
    made = door.call("recurrence", kind, order, gates, weight, mask, (h,), None, None)
    if made is not None:
        return made
    turned, outputs = xp.swapaxes(weight, 0, 1), xp.empty((len(gates), *h.shape), h.dtype)
    for t in order:
        at = None if mask is None else mask[t]
        made = (outputs[t],) if at is None else (outputs[t], xp.empty(h.shape, h.dtype))
        given = gates[t], xp.matmul(h, turned), h, at
        if bodies.pointwise(_rnn_step, *given, out=made, kind=kind) is None:
            return None
        h = made[-1]
    return outputs, h


def rnn_vjp(bodies, xp, order, outputs, weight, mask, g, kind):
    """The gradients of the gates and of the first state."""
    grad_out, flow = g
    made = door.call("recurrence_vjp", kind, order, outputs, weight, mask, outputs, None, g)
    if made is not None:
        return made
    if mask is not None and flow is None:
        flow = xp.zeros_like(outputs[0])
    grads = xp.empty(outputs.shape, outputs.dtype)
    for t in reversed(order):
        at = None if mask is None else mask[t]
        made = (grads[t],) if at is None else (grads[t], xp.empty(flow.shape, flow.dtype))
        given = outputs[t], None if grad_out is None else grad_out[t], flow, at
        if bodies.pointwise(_rnn_back, *given, out=made, kind=kind) is None:
            return None
        back = xp.matmul(grads[t], weight)
        flow = back if at is None else back + made[1]
    return grads, flow


def _lstm_step(xp, gi, gf, gn, go, ri, rf, rn, ro, h, c, at, *, saves):
    """The output and the new cell; with a mask also the new state; then the gates."""
    i, f, n, o = xp.sigmoid(gi + ri), xp.sigmoid(gf + rf), xp.tanh(gn + rn), xp.sigmoid(go + ro)
    gates = (i, f, n, o) if saves else ()
    new, cell = lstm_update(xp, i, f, n, o, c)
    if at is None:
        return new, cell, *gates
    return new * at, masked(cell, c, at), masked(new, h, at), *gates


def _lstm_cell(xp, i, f, n, o, c, at):
    return masked(lstm_cell(i, f, n, c), c, at)


def _lstm_back(xp, i, f, n, o, c, grad_out, flow, cell_flow, at):
    """The gradients that a step passes to its four gates and the cell before; with a mask also to
    the state.
    """
    into = flow if grad_out is None else grad_out + flow
    into = into if at is None else into * at
    through = cell_flow if at is None else cell_flow * at
    to_i, to_f, to_n, to_o, to_cell = lstm_update_vjp(xp, i, f, n, o, c, into, through)
    found = to_i * i * (1 - i), to_f * f * (1 - f), to_n * (1 - n * n), to_o * o * (1 - o)
    if at is None:
        return *found, to_cell * f
    return *found, to_cell * f + cell_flow * (1 - at), flow * (1 - at)


def lstm(bodies, xp, order, gates, h, c, weight, mask, activated):
    """`lstm_sequence` over the steps in `order`; the gates are written to `activated` after their
    activations if it has as many steps."""
    saves = len(activated) > 0
    given = gates, weight, mask, (h, c), None, activated if saves else None
    made = door.call("recurrence", "lstm", order, *given)
    if made is not None:
        return *made, activated
    turned, outputs = xp.swapaxes(weight, 0, 1), xp.empty((len(gates), *h.shape), h.dtype)
    for t in order:
        at = None if mask is None else mask[t]
        given = Parts(gates[t], 4), Parts(xp.matmul(h, turned), 4), h, c, at
        new = xp.empty(h.shape, h.dtype)
        made = [outputs[t], new] if at is None else [outputs[t], new, xp.empty(h.shape, h.dtype)]
        made += [Parts(activated[t], 4)] if saves else []
        if bodies.pointwise(_lstm_step, *given, out=made, saves=saves) is None:
            return None
        h, c = made[0] if at is None else made[2], new
    return outputs, h, c, activated


def lstm_vjp(bodies, xp, order, activated, before, c, weight, mask, g):
    """The gradients of the gates, the first state and the first cell."""
    made = door.call("recurrence_vjp", "lstm", order, activated, weight, mask, before, c, g)
    if made is not None:
        return made
    grad_out, flow, cell_flow = g
    flow = xp.zeros_like(c) if flow is None else flow
    cell_flow = xp.zeros_like(c) if cell_flow is None else cell_flow
    ats, cells = {t: None if mask is None else mask[t] for t in order}, {}
    for t in order:
        cells[t] = c
        if t != order[-1]:
            cell = xp.empty(c.shape, c.dtype)
            if bodies.pointwise(_lstm_cell, Parts(activated[t], 4), c, ats[t], out=[cell]) is None:
                return None
            c = cell
    grads = xp.empty(activated.shape, activated.dtype)
    for t in reversed(order):
        made = [Parts(grads[t], 4), xp.empty(c.shape, c.dtype)]
        if mask is not None:
            made.append(xp.empty(c.shape, c.dtype))
        into = None if grad_out is None else grad_out[t]
        given = Parts(activated[t], 4), cells[t], into, flow, cell_flow, ats[t]
        if bodies.pointwise(_lstm_back, *given, out=made) is None:
            return None
        back = xp.matmul(grads[t], weight)
        flow, cell_flow = back if mask is None else back + made[2], made[1]
    return grads, flow, cell_flow


def _bias_parts(bias):
    """The biases of the three gates; three times None for None."""
    return [None] * 3 if bias is None else [Parts(bias, 3)]


def _gru_step(xp, gr, gz, gn, rr, rz, rn, br, bz, bn, h, at, *, saves):
    """The output; with a mask also the new state; then the gates and the candidate's recurrent
    part."""
    if br is not None:
        rr, rz, rn = rr + br, rz + bz, rn + bn
    r, z = xp.sigmoid(gr + rr), xp.sigmoid(gz + rz)
    n = xp.tanh(gn + r * rn)
    saved = (r, z, n, rn) if saves else ()
    new = n + z * (h - n)
    if at is None:
        return new, *saved
    return new * at, new * at + h * (1 - at), *[each * at for each in saved]


def _gru_back(xp, r, z, n, inner, h, grad_out, flow, at):
    """The gradients that a step passes to its gates, to the candidate's recurrent part, and to the
    state.
    """
    into = flow if grad_out is None else grad_out + flow
    into = into if at is None else into * at
    to_n = into * (1 - z) * (1 - n * n)
    to_z = into * (h - n) * z * (1 - z)
    to_r = to_n * inner * r * (1 - r)
    direct = into * z if at is None else into * z + flow * (1 - at)
    return to_r, to_z, to_n, to_r, to_z, to_n * r, direct


def gru(bodies, xp, order, gates, h, weight, bias, mask, saves):
    """`gru_sequence` over the steps in `order`."""
    activated = xp.empty((len(order) * saves, len(h), 4 * h.shape[-1]), gates.dtype)
    given = gates, weight, mask, (h,), bias, activated if saves else None
    made = door.call("recurrence", "gru", order, *given)
    if made is not None:
        return *made, activated
    turned, outputs = xp.swapaxes(weight, 0, 1), xp.empty((len(gates), *h.shape), h.dtype)
    for t in order:
        at = None if mask is None else mask[t]
        given = Parts(gates[t], 3), Parts(xp.matmul(h, turned), 3), *_bias_parts(bias), h, at
        made = [outputs[t]] if at is None else [outputs[t], xp.empty(h.shape, h.dtype)]
        h = made[-1]
        made += [Parts(activated[t], 4)] if saves else []
        if bodies.pointwise(_gru_step, *given, out=made, saves=saves) is None:
            return None
    return outputs, h, activated


def gru_vjp(bodies, xp, order, activated, before, weight, mask, g):
    """The gradients of the gates, their recurrent parts, and the first state."""
    made = door.call("recurrence_vjp", "gru", order, activated, weight, mask, before, None, g)
    if made is not None:
        return made
    grad_out, flow = g
    flow = xp.zeros_like(before[0]) if flow is None else flow
    shape = *activated.shape[:2], weight.shape[0]
    grads, states = (xp.empty(shape, activated.dtype) for _ in range(2))
    for t in reversed(order):
        at = None if mask is None else mask[t]
        direct = xp.empty(flow.shape, flow.dtype)
        into = None if grad_out is None else grad_out[t]
        given = Parts(activated[t], 4), before[t], into, flow, at
        made = [Parts(grads[t], 3), Parts(states[t], 3), direct]
        if bodies.pointwise(_gru_back, *given, out=made) is None:
            return None
        flow = xp.matmul(states[t], weight) + direct
    return grads, states, flow
