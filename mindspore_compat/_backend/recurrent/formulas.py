"""The arithmetic of recurrent steps between two products: RNN, LSTM and GRU, forward and backward.

Each formula is written once, for anything that adds and multiplies. It is computed on arrays
(ops/_recurrent/sequence.py), becomes a kernel for each step (ops/_recurrent/fused_steps.py), and
becomes the text of the compiled loop over all steps (loops.py), which runs it on Terms.

The gates of an LSTM are those after their activations: input `i`, forget `f`, candidate `n` and
output `o`. Those of a GRU are reset `r`, update `z` and candidate `n`. `into` is the gradient of
the output of a step, `h` the state and `c` the cell before it.
"""


def through_tanh(g, y):
    """Returns the gradient of x, for y = tanh(x) with the gradient `g`."""
    return g * (1 - y * y)


def through_sigmoid(g, y):
    """Returns the gradient of x, for y = sigmoid(x) with the gradient `g`."""
    return g * y * (1 - y)


def masked(new, old, mask):
    """Returns the state after a step: `new` where `mask` is 1, `old` where it is 0. None stands for
    no mask."""
    return new if mask is None else new * mask + old * (1 - mask)


def masked_flow(passed, flow, mask):
    """Returns the gradient of the state before a step: `passed`, the gradient that the step passes
    back, plus `flow`, the gradient of the state after the step, where `mask` is 0."""
    return passed if mask is None else passed + flow * (1 - mask)


# LSTM ---------------------------------------------------------------------------------------------


def lstm_cell(i, f, n, c):
    """Returns the cell after a step."""
    return f * c + i * n


def lstm_update(xp, i, f, n, o, c):
    """Returns the output of a step and the cell after it."""
    cell = lstm_cell(i, f, n, c)
    return o * xp.tanh(cell), cell


def lstm_into_cell(o, tanh_cell, into, through):
    """Returns the gradient of the cell after a step.

    Args:
        o: the output gate.
        tanh_cell: tanh of the cell after the step.
        into: the gradient of the output.
        through: the gradient that later steps pass to the cell after the step.
    """
    return into * o * (1 - tanh_cell * tanh_cell) + through


def lstm_into_gates(i, n, c, tanh_cell, into, to_cell):
    """Returns the gradients of the gates i, f, n, o; `to_cell` is the gradient of the cell after
    the step."""
    return to_cell * n, to_cell * c, to_cell * i, into * tanh_cell


def lstm_update_vjp(xp, i, f, n, o, c, into, through):
    """Returns the gradients of the gates i, f, n, o and of the cell after the step; the vjp of
    `lstm_update`.

    Args:
        xp: the array namespace.
        i, f, n, o, c: the gates, and the cell before the step.
        into, through: as for `lstm_into_cell`.
    """
    tanh_cell = xp.tanh(lstm_cell(i, f, n, c))
    to_cell = lstm_into_cell(o, tanh_cell, into, through)
    return *lstm_into_gates(i, n, c, tanh_cell, into, to_cell), to_cell


# GRU ----------------------------------------------------------------------------------------------


def gru_candidate(x, r, inner):
    """Returns the candidate before its activation, from the part `x` that the input adds, the reset
    gate and the recurrent part `inner`."""
    return x + r * inner


def gru_update(z, n, h):
    """Returns the output of a GRU step, which is also the state after it."""
    return n + z * (h - n)


def gru_into_gates(z, n, h, into):
    """Returns the gradients of the gates z and n of a GRU step."""
    return into * (h - n), into * (1 - z)
