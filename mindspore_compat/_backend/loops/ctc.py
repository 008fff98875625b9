"""Connectionist temporal classification (CTC) as compiled loops for the host: losses, forward
variables and the gradient. They compute what `ops/_loss/ctc.py` computes with array functions.

The states of a sequence of labels are a blank, the first label, a blank, and so on. A thread
computes them in its memory, where they are padded to whole vectors: the remainder of a short row
would take longer than a vector.
"""

import functools

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..compiled.library import Library
from ..compiled.vector_math import exp, log_sum_exp, single
from ..threads.parallel_loops import FLOAT, INDEX, array, blocks, loop_of, memory, number, piece

LANES = 16  # states of a vector


def set_states(targets, labels, rows, padded, none, blank, merge):
    """Writes the label of each state, and the costs of staying and of skipping a state to the first
    two rows. States of the padding cannot be reached."""
    stay, skip = rows[:padded], rows[padded : 2 * padded]
    for s in range(len(labels), padded):
        stay[s], skip[s] = none, none
    for s in range(len(labels)):
        label = targets[s // 2] if s % 2 else blank
        labels[s] = label
        stay[s] = single(0.0) if label == blank or merge else none
        differs = not merge or s < 2 or label != labels[s - 2]
        skip[s] = single(0.0) if s > 1 and label != blank and differs else none
    return stay, skip


def align(
    logs: array(FLOAT),
    targets: array(INDEX),
    steps: array(INDEX),
    lengths: array(INDEX),
    alpha: array(FLOAT),
    losses: array(FLOAT),
    labels: memory(INDEX),
    rows: memory(FLOAT),
    none: number(FLOAT),
    times: number(),
    count: number(),
    classes: number(),
    longest: number(),
    padded: number(),
    blank: number(),
    merge: number(),
    first: piece(0),
    last: piece(1),
) -> bool:
    """Writes the log probability of reaching each state at each time, including its emission, and
    minus the log probability of each target, for sequences `first` to `last`. Returns False if a
    label is not a class.

    Args:
        logs: (times, count, classes), flattened; so are all arrays.
        targets: (count, longest).
        steps, lengths, losses: a number for each sequence, the first two of times and labels.
        alpha: (count, times, 2 longest + 1), -infinity for what is impossible, and outside the
            times and states of a sequence.
        labels, rows: memory for the labels, and for five rows of `padded` states.
        none: the logarithm of an impossible event.
        times, count, classes, longest: the lengths of the axes.
        blank, merge: the class of the blank; whether equal neighbours are one label.
        first, last: the range of sequences.
    """
    states = 2 * longest + 1
    emit, now = rows[2 * padded : 3 * padded], rows[3 * padded : 4 * padded]
    before = rows[4 * padded : 5 * padded + 2]  # two impossible states come first
    for n in range(first, last):
        target = targets[n * longest : (n + 1) * longest]
        for label in target:
            if not 0 <= label < classes:
                return False
        stay, skip = set_states(target, labels[:states], rows, padded, none, blank, merge)
        for s in range(padded):
            before[s], emit[s] = none, single(0.0)
        before[padded], before[padded + 1] = none, none
        end, used, total = (steps[n] - 1) % times, 2 * lengths[n] + 1, none
        for t in range(times):
            start = (t * count + n) * classes
            for s in range(states):
                emit[s] = logs[start + labels[s]]
            for s in range(padded):
                a, b, c = before[s + 2] + stay[s], before[s + 1], before[s] + skip[s]
                now[s] = log_sum_exp(a, b, c) + emit[s]
            if t == 0:
                for s in range(padded):
                    now[s] = emit[s] if s < min(2, states) else none
            for s in range(padded):
                before[s + 2] = now[s]
            if t == end:
                total = log_sum_exp(before[used + 1], before[used], none)
            place = alpha[(n * times + t) * states : (n * times + t + 1) * states]
            for s in range(states):
                inside = now[s] > single(0.1) * none and s < used and t < steps[n]
                place[s] = now[s] if inside else single(-numpy.inf)
        if steps[n] == 0:
            total = single(0.0) if lengths[n] == 0 else none
        losses[n] = single(numpy.inf) if -total > single(-0.1) * none else -total
    return True


def occupy(
    logs: array(FLOAT),
    targets: array(INDEX),
    steps: array(INDEX),
    lengths: array(INDEX),
    alpha: array(FLOAT),
    losses: array(FLOAT),
    out: array(FLOAT),
    labels: memory(INDEX),
    rows: memory(FLOAT),
    none: number(FLOAT),
    times: number(),
    count: number(),
    classes: number(),
    longest: number(),
    padded: number(),
    blank: number(),
    merge: number(),
    first: piece(0),
    last: piece(1),
):
    """Adds the probability that each label is emitted at each time, given the target, to `out`
    (times, count, classes), for sequences `first` to `last`.

    `beta` is the log probability of finishing from a state, excluding its emission. The arguments
    are those of `align`, with memory for two rows more.
    """
    states = 2 * longest + 1
    beta, share = rows[2 * padded : 3 * padded], rows[3 * padded : 4 * padded]
    onward = rows[4 * padded : 5 * padded + 2]  # two impossible states come last
    skipped = rows[5 * padded + 2 : 6 * padded + 4]
    for n in range(first, last):
        if not losses[n] < single(numpy.inf):  # impossible, or NaN
            continue
        target = targets[n * longest : (n + 1) * longest]
        stay, skip = set_states(target, labels[:states], rows, padded, none, blank, merge)
        for s in range(padded + 2):
            onward[s], skipped[s] = none, none
        for s in range(padded):
            beta[s] = single(0.0) if 2 * lengths[n] - 1 <= s <= 2 * lengths[n] else none
            share[s] = none
        for t in range(steps[n] - 1, -1, -1):
            start = (t * count + n) * classes
            reached = alpha[(n * times + t) * states : (n * times + t + 1) * states]
            for s in range(states):
                share[s] = reached[s] + beta[s] + losses[n]
            for s in range(padded):
                share[s] = exp(share[s] if share[s] < single(0.0) else single(0.0))
            for s in range(states):
                out[start + labels[s]] += share[s]
                onward[s] = beta[s] + logs[start + labels[s]]
                skipped[s] = onward[s] + skip[s]
            for s in range(padded):
                beta[s] = log_sum_exp(onward[s] + stay[s], onward[s + 1], skipped[s + 2])


_LIBRARY = Library(set_states)


def _loop(function):
    return functools.partial(loop_of, function, _LIBRARY, True)


_align, _occupy = _loop(align), _loop(occupy)


def _are_taken(logs, targets, *rest):
    return type(logs) is numpy.ndarray and logs.dtype == FLOAT and logs.size > 0


def _count(logs, targets, *rest):
    """Returns the number of states at all times."""
    return logs.shape[0] * (2 * targets.size + len(targets))


def _run(loop, results, logs, targets, steps, lengths, none, blank, merge):
    """Runs a loop; returns whether all labels are classes."""
    arrays = jit.flat(logs), jit.flat(targets), jit.flat(steps), jit.flat(lengths)
    longest = targets.shape[1]
    states = 2 * longest + 1
    padded = -(-states // LANES) * LANES
    numbers = FLOAT.type(none), *logs.shape, longest, padded, blank, int(merge)
    results = [result.reshape(-1) for result in results]
    table = blocks(len(targets), 1)
    return loop.run(table, *arrays, *results, states, 6 * padded + 4, *numbers)


@serves("ctc_losses", least="CTC", size=_count, takes=_are_taken, loop=_align)
def losses(logs, targets, *rest):
    """Returns minus the log probability of each target, and the log probabilities of reaching the
    states, (N, T, 2 S + 1); None if a label is not a class."""
    states = 2 * targets.shape[1] + 1
    alpha = numpy.empty((len(targets), len(logs), states), FLOAT)
    result = numpy.empty(len(targets), FLOAT)
    are_classes = _run(_align(), (alpha, result), logs, targets, *rest)
    return (result, alpha) if are_classes else None


@serves(
    "ctc_occupation",
    least="CTC",
    size=_count,
    takes=_are_taken,
    loops=lambda *_: [_align(), _occupy()],
)
def occupation(logs, targets, *rest):
    """Returns the probability that each label is emitted at each time, given the target; None if a
    label is not a class."""
    results = losses(logs, targets, *rest)
    if results is None:
        return None
    out = numpy.zeros(logs.shape, FLOAT)
    _run(_occupy(), (results[1], results[0], out), logs, targets, *rest)
    return out
