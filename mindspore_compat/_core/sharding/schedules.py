"""Schedules of pipelines: the order in which the ranks of a stage take the passes of micro-batches.

With 2 stages and 4 micro-batches, forward passes F and backward passes B:

    gpipe   stage 0: F0 F1 F2 F3 .. .. B0 B1 B2 B3
            stage 1: .. F0 F1 F2 F3 B0 B1 B2 B3
    1f1b    stage 0: F0 F1 .. B0 F2 B1 F3 B2 .. B3
            stage 1: .. F0 B0 F1 B1 F2 B2 F3 B3

Interleaved stages have several segments of the network each: a micro-batch runs through segment 0
of all stages, then through segment 1 of all stages, and so on. The passes of a segment are shorter,
and so are the pauses at the start and the end of a step.
"""

from typing import NamedTuple


class Pass(NamedTuple):
    """A pass of one micro-batch through one segment of a stage; `kind` is "forward" or
    "backward"."""

    kind: str
    micro: int
    segment: int


def schedule(kind, stage, stages, count, segments=1):
    """Returns the passes of one stage in their order.

    With "1f1b" and one segment, a stage holds the activations of at most `stages - stage`
    micro-batches at a time. With "gpipe" it holds the activations of all micro-batches.

    Args:
        kind (str): "gpipe", or "1f1b" or a name of another schedule, which run as "1f1b".
        stage (int): the stage.
        stages (int): the number of stages.
        count (int): the number of micro-batches, at least `stages`.
        segments (int): the number of segments of each stage.
    """
    forward = [Pass("forward", *pair) for pair in _order(stages, count, range(segments))]
    backward = backward_passes(stages, count, segments)
    ahead = len(forward)
    if kind != "gpipe":
        ahead = stages - stage - 1
        if segments > 1:
            ahead = 2 * ahead + (segments - 1) * (stages + count % stages)
        ahead = min(ahead, len(forward))
    passes = forward[:ahead]
    for number, later in enumerate(backward):
        passes += [*forward[ahead + number : ahead + number + 1], later]
    return passes


def backward_passes(stages, count, segments=1):
    """Returns the backward passes in their order, which is the same on all stages."""
    pairs = _order(stages, count, range(segments)[::-1])
    return [Pass("backward", *pair) for pair in pairs]


def _order(stages, count, segments):
    """Returns pairs of a micro-batch and a segment: groups of as many micro-batches as there are
    stages go through all segments, one group after the other. The last group also contains the
    remaining micro-batches.
    """
    ends = [stages * number for number in range(1, count // stages)] + [count]
    starts = [0, *ends]
    return [
        (micro, segment)
        for start, end in zip(starts, ends)
        for segment in segments
        for micro in range(start, end)
    ]
