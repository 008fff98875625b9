"""The arithmetic of an LSTM step between its two products, written once against `xp`.

sequence.py, steps.py and flat_weights.py run it on arrays; fused_steps.py makes a kernel of it. The
gates are given after their activations: input `i`, forget `f`, candidate `n`, output `o`.
"""


def lstm_cell(i, f, n, c):
    """Computes the cell after a step."""
    return f * c + i * n


def lstm_update(xp, i, f, n, o, c):
    """Computes the output of a step and the cell after it."""
    cell = lstm_cell(i, f, n, c)
    return o * xp.tanh(cell), cell


def lstm_update_vjp(xp, i, f, n, o, c, into, through):
    """Returns the gradients of the gates i, f, n, o of a step, and of the cell after the step.

    Args:
        i, f, n, o: the gates.
        c: the cell before the step.
        into: the gradient of the output.
        through: the gradient of the cell after the step, except for what flows through the output.
    """
    bent = xp.tanh(lstm_cell(i, f, n, c))
    to_cell = into * o * (1 - bent * bent) + through
    return to_cell * n, to_cell * c, to_cell * i, into * bent, to_cell


def masked(new, old, mask):
    """Returns the state after a step: `new`, or `old` where the mask is 0; a mask of None is
    ignored."""
    return new if mask is None else new * mask + old * (1 - mask)
