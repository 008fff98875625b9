"""Schedules of pipelines: every pass runs once, no rank waits forever, memory is bounded."""

import pytest

from mindspore_compat._core.sharding.schedules import schedule


def run(kind, stages, count):
    """Returns the largest number of micro-batches alive on each stage. The stages advance in turn,
    each until it needs activations or gradients that have not arrived."""
    left = [schedule(kind, stage, stages, count) for stage in range(stages)]
    forward, backward = [0] * (stages + 1), [0] * (stages + 1)
    forward[0] = backward[-1] = count
    alive, most = [0] * stages, [0] * stages
    while any(left):
        before = sum(map(len, left))
        for stage, steps in enumerate(left):
            while steps:
                step, number, _ = steps[0]
                ready = forward[stage] if step == "forward" else backward[stage + 1]
                if ready <= number or step == "backward" and forward[stage + 1] <= number:
                    break
                done = forward[1:] if step == "forward" else backward
                assert done[stage] == number  # each once, in order
                if step == "forward":
                    forward[stage + 1] += 1
                    alive[stage] += 1
                    most[stage] = max(most[stage], alive[stage])
                else:
                    backward[stage] += 1
                    alive[stage] -= 1
                steps.pop(0)
        assert sum(map(len, left)) < before, "all stages wait"
    assert forward[1:] == backward[:-1] == [count] * stages
    return most


@pytest.mark.parametrize("stages", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("count", [1, 2, 4, 5, 9])
def test_every_stage_ends(stages, count):
    assert run("1f1b", stages, count) == [min(stages - stage, count) for stage in range(stages)]
    assert run("gpipe", stages, count) == [count] * stages


def duration(kind, stages, count, segments):
    """Returns the time of a step if a forward pass of a whole stage takes 1 and a backward pass 2.
    A pass starts as soon as its stage is free and the pass that it needs has ended."""
    left = [schedule(kind, stage, stages, count, segments) for stage in range(stages)]
    ends, now, last = {}, [0.0] * stages, stages * segments - 1
    while any(left):
        before = sum(map(len, left))
        for stage, passes in enumerate(left):
            while passes:
                step, micro, segment = passes[0]
                place = segment * stages + stage
                is_forward = step == "forward"
                if place == (0 if is_forward else last):
                    needed = None if is_forward else ("forward", micro, place)
                else:
                    needed = step, micro, place + (-1 if is_forward else 1)
                if needed is not None and needed not in ends:
                    break
                start = max(now[stage], ends.get(needed, 0.0))
                now[stage] = start + (1 if is_forward else 2) / segments
                assert (step, micro, place) not in ends
                ends[step, micro, place] = now[stage]
                passes.pop(0)
        assert sum(map(len, left)) < before, "all stages wait"
    assert len(ends) == 2 * count * (last + 1)
    return max(now)


@pytest.mark.parametrize("stages", [1, 2, 3, 4, 5, 7])
@pytest.mark.parametrize("segments", [1, 2, 3, 4])
def test_every_interleaved_stage_ends(stages, segments):
    for count in range(stages, 3 * stages + 2):
        for kind in ("1f1b", "gpipe"):
            duration(kind, stages, count, segments)


@pytest.mark.parametrize("stages,count", [(2, 4), (4, 8), (8, 16)])
def test_segments_shorten_the_pauses(stages, count):
    """With `n` segments they take one `n`-th of the time."""
    for segments in (1, 2, 4):
        pause = duration("1f1b", stages, count, segments) - 3 * count
        assert pause == pytest.approx(3 * (stages - 1) / segments)
