"""The recursions over time of connectionist temporal classification (CTC), as compiled loops of the
host. They compute what `ops/_loss/ctc.py` computes with a call of array functions for each step."""

import functools

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..compiled.vector_math import log_sum_exp
from ..threads.parallel_loops import FLOAT, INDEX, array, blocks, loop_of, memory, number, piece


def reach_states(
    emit: array(FLOAT),
    stay: array(FLOAT),
    skip: array(FLOAT),
    out: array(FLOAT),
    wide: memory(FLOAT),
    none: number(FLOAT),
    times: number(),
    count: number(),
    states: number(),
    first: piece(0),
    last: piece(1),
):
    """Writes the log probability of reaching each state at each time, including its emission, for
    sequences `first` to `last`.

    Args:
        emit, out: (times, count, states), as arrays of one axis.
        stay, skip: (count, states), costs of staying and of skipping a state.
        wide: memory for the states and two impossible ones before them.
        none: the logarithm of an impossible event.
        times, count, states: the lengths of the axes.
        first, last: the range of sequences.
    """
    for n in range(first, last):
        own = n * states
        stays, skips = stay[own : own + states], skip[own : own + states]
        wide[0], wide[1] = none, none
        for s in range(states):
            out[own + s] = emit[own + s] if s < 2 else none
        for t in range(1, times):
            at = (t - 1) * count * states + own
            for s in range(states):
                wide[s + 2] = out[at + s]
            at += count * states
            emitted, target = emit[at : at + states], out[at : at + states]
            for s in range(states):
                a, b, c = wide[s + 2] + stays[s], wide[s + 1], wide[s] + skips[s]
                target[s] = log_sum_exp(a, b, c) + emitted[s]


def finish_states(
    emit: array(FLOAT),
    stay: array(FLOAT),
    skip: array(FLOAT),
    ends: array(FLOAT),
    steps: array(INDEX),
    out: array(FLOAT),
    wide: memory(FLOAT),
    none: number(FLOAT),
    times: number(),
    count: number(),
    states: number(),
    first: piece(0),
    last: piece(1),
):
    """Writes the log probability of finishing from each state at each time, excluding its emission,
    for sequences `first` to `last`.

    Args:
        ends: (count, states), the values at the last time of each sequence.
        steps: the number of times of each sequence.
        wide: memory for the states and two impossible ones after them, twice.
        emit, stay, skip, out, none, times, count, states, first, last: as for `reach_states`.
    """
    for n in range(first, last):
        own = n * states
        stays = stay[own : own + states]
        onward, skipped = wide[: states + 2], wide[states + 2 :]
        for s in range(2):
            onward[states + s] = none
            skipped[states + s] = none
        at = (times - 1) * count * states + own
        for s in range(states):
            out[at + s] = ends[own + s]
        for t in range(times - 2, -1, -1):
            for s in range(states):
                onward[s] = out[at + s] + emit[at + s]
                skipped[s] = onward[s] + skip[own + s]
            at -= count * states
            target = out[at : at + states]
            if steps[n] - 1 <= t:
                for s in range(states):
                    target[s] = ends[own + s]
                continue
            for s in range(states):
                a, b, c = onward[s] + stays[s], onward[s + 1], skipped[s + 2]
                target[s] = log_sum_exp(a, b, c)


def _is_taken(emit, *rest):
    return type(emit) is numpy.ndarray and emit.dtype == FLOAT and emit.size > 0


@serves(
    "ctc_forward",
    least="CTC",
    takes=_is_taken,
    loop=functools.partial(loop_of, reach_states, None, True),
)
def forward(emit, stay, skip, none):
    """Returns the log probabilities of reaching the states, in the shape of `emit`."""
    out = numpy.empty(emit.shape, FLOAT)
    arrays = jit.flat(emit), jit.flat(stay), jit.flat(skip), out.reshape(-1)
    sizes = emit.shape[2] + 2, FLOAT.type(none), *emit.shape
    loop_of(reach_states, None, True).run(blocks(emit.shape[1], 1), *arrays, *sizes)
    return out


@serves(
    "ctc_backward",
    least="CTC",
    takes=_is_taken,
    loop=functools.partial(loop_of, finish_states, None, True),
)
def backward(emit, stay, skip, ends, steps, none):
    """Returns the log probabilities of finishing from the states, in the shape of `emit`."""
    out = numpy.empty(emit.shape, FLOAT)
    arrays = (jit.flat(given) for given in (emit, stay, skip, ends, steps))
    sizes = 2 * emit.shape[2] + 4, FLOAT.type(none), *emit.shape
    loop_of(finish_states, None, True).run(
        blocks(emit.shape[1], 1), *arrays, out.reshape(-1), *sizes
    )
    return out
