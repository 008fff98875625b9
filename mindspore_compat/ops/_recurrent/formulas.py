"""The arithmetic of one step of an LSTM between two products, once: written against `xp`, it is
computed on arrays (sequence.py, steps.py, flat_weights.py) and made a kernel (fused_steps.py).

The gates are those after their activations: input `i`, forget `f`, candidate `n`, output `o`.
"""


def lstm_cell(i, f, n, c):
    """The cell after a step."""
    return f * c + i * n


def lstm_update(xp, i, f, n, o, c):
    """The output of a step and the cell after it."""
    cell = lstm_cell(i, f, n, c)
    return o * xp.tanh(cell), cell


def lstm_update_vjp(xp, i, f, n, o, c, into, through):
    """The gradients that a step passes to its gates i, f, n, o and to the cell after the step.

    Args:
        i, f, n, o: the gates.
        c: the cell before the step.
        into: the gradient of the output.
        through: the gradient of the cell after the step, apart from that by the output.
    """
    bent = xp.tanh(lstm_cell(i, f, n, c))
    to_cell = into * o * (1 - bent * bent) + through
    return to_cell * n, to_cell * c, to_cell * i, into * bent, to_cell


def masked(new, old, mask):
    """The state after a step; `old` where the step is masked, None for no mask."""
    return new if mask is None else new * mask + old * (1 - mask)
