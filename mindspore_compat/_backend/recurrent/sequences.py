"""Whole recurrences as compiled loops of the host: plain, LSTM and GRU, forward and backward.

The rows of a batch are independent, so threads take rows through all steps and wait for each other
at the end only; a product of matrices for each step would have to be begun, cut and awaited. The
loops are in loops.py. They are for float32 and weights that fit a core's cache; the
functions give None for other cases, and while there is no loop yet.

Shapes are those of `ops/_recurrent/sequence.py`: gates (steps, batch, parts * units), states
(batch, units), weight (parts * units, units), mask (steps, batch, 1).
"""

import functools

import numpy

from ..compiled import jit
from ..compiled.expressions import FLOAT
from ..threads import parallel_loops
from . import loops, weight_layouts
from .weight_layouts import VECTOR

LEAST = 1 << 18  # multiplications below which a call costs as much as it saves
FEWEST = 16  # rows of all steps below which to lay a weight out costs more than it saves
PIECE = 1 << 19  # multiplications of a piece, at least
MOST = 1 << 18  # elements of a weight, beyond which a product for each step is as fast
ROWS = 8  # rows of a tile, at most


def forward(kind, order, gates, states, weight, bias, mask, activated=None):
    """All steps of a recurrence.

    Args:
        kind (str): "tanh", "relu", "lstm" or "gru".
        order (range): the steps.
        gates: what the inputs add to the gates.
        states (tuple): the first states; of "lstm" also the first cells.
        weight, bias: of the states; only "gru" has a bias, which may be None.
        mask: an array, or None.
        activated: (steps, batch, 4 * units), what the gates of "lstm" are written to after their
            activations, or those of "gru" and the candidate's recurrent part; None if they are not
            needed.

    Returns:
        The outputs (steps, batch, units) and the last states; or None.
    """
    if not _fits(gates, weight, *states, bias, mask, activated):
        return None
    found = _sequence("forward", kind, mask is not None, activated is not None)
    if not found.is_ready():
        return None
    states = [numpy.array(state, order="C") for state in states]
    outputs = numpy.empty((*gates.shape[:2], weight.shape[1]), FLOAT)
    given = {"states": states[0], "cells": states[-1], "mask": mask, "outputs": outputs}
    given["activated"] = activated
    found.run(order, gates, weight, bias, given)
    return outputs, *states


def backward(kind, order, gates, before, cells, weight, mask, g):
    """The gradients of `forward`.

    Args:
        kind, order, gates, weight, mask: those of `forward`; of "lstm" and "gru" the gates are
            `activated`.
        before: the states before each step; of "tanh" and "relu" the outputs.
        cells: the first cells of "lstm", else None.
        g (tuple): the gradients of the outputs and of the last states; None for zeros.

    Returns:
        The gradients of the gates, of "gru" also those of their recurrent parts, and those of the
        first states; or None.
    """
    if not _fits(gates, weight, before, cells, mask, *g):
        return None
    found = _sequence("backward", kind, mask is not None)
    if not found.is_ready():
        return None
    shapes = before.shape, *[before.shape[1:]] * len(g[1:])
    g = [numpy.zeros(n, FLOAT) if each is None else each for each, n in zip(g, shapes)]
    flows = [numpy.array(each, order="C") for each in g[1:]]
    shape = *gates.shape[:2], weight.shape[0]
    grads = [numpy.empty(shape, FLOAT) for _ in range(2 if kind == "gru" else 1)]
    given = {"before": before, "grad_out": g[0], "states": flows[0], "cells": flows[-1]}
    given |= {"first_cells": cells, "mask": mask, "grads": grads[0], "carried": grads[-1]}
    found.run(order, gates, weight, None, given)
    return *grads, *flows


def _fits(gates, weight, *others):
    """True if loops take these arrays."""
    return (
        jit.available()
        and weight.size <= MOST
        and gates.shape[0] * gates.shape[1] >= FEWEST
        and gates.shape[0] * gates.shape[1] * weight.size >= LEAST
        and all(
            type(array) is numpy.ndarray and array.dtype == FLOAT
            for array in (gates, weight, *others)
            if array is not None
        )
    )


@jit.made_once
def _sequence(direction, kind, *options):
    return _Sequence(direction, kind, *options)


class _Sequence:
    """One kind of recurrence in one direction; with a mask or not, and with gates
    that are saved or not."""

    def __init__(self, direction, kind, *options):
        self.arrays = loops.arrays(direction, kind, *options)
        text = functools.partial(getattr(loops, direction), kind, *options)
        parameters = [_parameter(name) for name in self.arrays]
        parameters += [parallel_loops.number()] * 4
        parameters += [parallel_loops.piece(0), parallel_loops.piece(1)]
        library = loops.LIBRARY
        self._steps = parallel_loops.ParallelLoop(text, parameters, True, "recurrence", library)

    def is_ready(self):
        """True if its loops can run; has them compiled."""
        return all([each.is_ready() for each in (weight_layouts, self._steps)])

    def run(self, order, gates, weight, bias, given):
        """Writes the results into the arrays that are given by their names."""
        steps, batch = gates.shape[:2]
        width, units = weight.shape
        given["gates"] = gates
        given["bias"] = numpy.zeros(width, FLOAT) if bias is None else bias
        for name, transposed in (("w", True), ("v", False)):
            if name in self.arrays:
                given[name] = weight_layouts.laid_out(weight, transposed)
        buffers = {
            "sums": ROWS * (max(width, units) + VECTOR),
            "into": 3 * units,
            "old": ROWS * (steps + 1) * units,
            "bent": ROWS * steps * units,
        }
        given = [
            buffers[name] if name in buffers else jit.flat(given[name]) for name in self.arrays
        ]
        pieces = parallel_loops.blocks(
            batch, ROWS * max(PIECE // (steps * ROWS * units * width), 1)
        )
        self._steps.run(pieces, *given, steps, batch, units, int(order[0] > order[-1]))


def _parameter(name):
    if name in loops.BUFFERS:
        return parallel_loops.memory(FLOAT)
    return parallel_loops.array(FLOAT)
