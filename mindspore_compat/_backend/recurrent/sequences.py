"""RNN, LSTM and GRU over all steps as compiled loops for the host, forward and backward.

The rows of a batch are independent, so threads take rows through all steps and wait for each other
only at the end; with a matrix product for each step, threads would wait at every step. The loops
are in loops.py. They are for float32 and weights that fit a core's cache.

Shapes are those of `ops/_recurrent/sequence.py`: gates (steps, batch, parts * units), states
(batch, units), weight (parts * units, units), mask (steps, batch, 1).
"""

import functools

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..threads import parallel_loops
from ..threads.parallel_loops import FLOAT
from ..thresholds import Least, Most
from . import loops, weight_layouts
from .weight_layouts import VECTOR

PIECE = 1 << 19  # multiplications of a piece, at least
ROWS = 8  # rows of a tile, at most


def _multiplications(kind, order, gates, weight, *_):
    return gates.shape[0] * gates.shape[1] * weight.size


def _are_taken(kind, order, gates, weight, *others):
    """Returns True for float32 arrays with enough rows, and a weight that fits a cache."""
    arrays = [gates, weight]
    for value in others:
        arrays += value if type(value) is tuple else (value,)
    return (
        weight.size <= Most.RECURRENCE_WEIGHT
        and gates.shape[0] * gates.shape[1] >= Least.RECURRENCE_ROWS
        and all(
            type(value) is numpy.ndarray and value.dtype == FLOAT
            for value in arrays
            if value is not None
        )
    )


def _forward(kind, order, gates, weight, mask, states, bias, activated):
    return _sequence(loops.FORWARD, kind, mask is not None, activated is not None)


@serves(
    "recurrence",
    least="RECURRENCE",
    size=_multiplications,
    takes=_are_taken,
    loops=lambda *args: [_forward(*args)],
)
def forward(kind, order, gates, weight, mask, states, bias, activated):
    """Runs all steps of a recurrence.

    Args:
        kind (str): "tanh", "relu", "lstm" or "gru".
        order (range): the steps.
        gates: the contribution of the inputs to the gates.
        weight: the weight of the states.
        mask: an array, or None.
        states (tuple): the first states; for "lstm" also the first cells.
        bias: the bias of the states; only "gru" has one, which may be None.
        activated: (steps, batch, 4 * units), an output: the gates of "lstm" after their
            activations, or those of "gru" and the candidate's recurrent part; None if they are not
            needed.

    Returns:
        The outputs (steps, batch, units) and the last states.
    """
    states = [numpy.array(state, order="C") for state in states]
    outputs = numpy.empty((*gates.shape[:2], weight.shape[1]), FLOAT)
    arrays = {"states": states[0], "cells": states[-1], "mask": mask, "outputs": outputs}
    arrays["activated"] = activated
    sequence = _forward(kind, order, gates, weight, mask, states, bias, activated)
    sequence.run(order, gates, weight, bias, arrays)
    return outputs, *states


def _backward(kind, order, gates, weight, mask, *_):
    return _sequence(loops.BACKWARD, kind, mask is not None)


@serves(
    "recurrence_vjp",
    least="RECURRENCE",
    size=_multiplications,
    takes=_are_taken,
    loops=lambda *args: [_backward(*args)],
)
def backward(kind, order, gates, weight, mask, before, cells, g):
    """Returns the gradients of `forward`.

    Args:
        kind, order, gates, weight, mask: as for `forward`; for "lstm" and "gru", `gates` is its
            `activated`.
        before: the states before each step; for "tanh" and "relu" the outputs.
        cells: the first cells of "lstm", else None.
        g (tuple): the gradients of the outputs and of the last states; None for zeros.

    Returns:
        The gradients of the gates, for "gru" also of their recurrent parts, and the gradients of
        the first states.
    """
    shapes = before.shape, *[before.shape[1:]] * len(g[1:])
    g = [numpy.zeros(n, FLOAT) if x is None else x for x, n in zip(g, shapes)]
    flows = [numpy.array(x, order="C") for x in g[1:]]
    shape = *gates.shape[:2], weight.shape[0]
    grads = [numpy.empty(shape, FLOAT) for _ in range(2 if kind == "gru" else 1)]
    arrays = {"before": before, "grad_out": g[0], "states": flows[0], "cells": flows[-1]}
    arrays |= {"first_cells": cells, "mask": mask, "grads": grads[0], "carried": grads[-1]}
    _backward(kind, order, gates, weight, mask).run(order, gates, weight, None, arrays)
    return *grads, *flows


@jit.made_once
def _sequence(direction, kind, *options):
    return _Sequence(direction, kind, *options)


class _Sequence:
    """The loops of one kind of recurrence in one direction, with or without a mask and saved
    gates."""

    def __init__(self, direction, kind, *options):
        self.arrays = direction.arrays(kind, *options)
        text = functools.partial(direction.text, kind, *options)
        parameters = [*self.arrays.values(), *[parallel_loops.number()] * 4]
        parameters += [parallel_loops.piece(0), parallel_loops.piece(1)]
        library = loops.LIBRARY
        self._steps = parallel_loops.ParallelLoop(text, parameters, True, "recurrence", library)

    def is_ready(self):
        """Returns True if its loops are compiled; otherwise requests their compilation."""
        return all([part.is_ready() for part in (weight_layouts, self._steps)])

    def run(self, order, gates, weight, bias, arrays):
        """Runs the loops; the arrays are passed by name, and the results are written to them."""
        steps, batch = gates.shape[:2]
        width, units = weight.shape
        arrays["gates"] = gates
        arrays["bias"] = numpy.zeros(width, FLOAT) if bias is None else bias
        for name, transposed in (("w", True), ("v", False)):
            if name in self.arrays:
                arrays[name] = weight_layouts.pack(weight, transposed)
        buffers = {
            "sums": ROWS * (max(width, units) + VECTOR),
            "into": 3 * units,
            "old": ROWS * (steps + 1) * units,
            "bent": ROWS * steps * units,
        }
        arrays = [
            buffers[name] if parameter.kind == "memory" else jit.flat(arrays[name])
            for name, parameter in self.arrays.items()
        ]
        pieces = parallel_loops.blocks(
            batch, ROWS * max(PIECE // (steps * ROWS * units * width), 1)
        )
        self._steps.run(pieces, *arrays, steps, batch, units, int(order[0] > order[-1]))
