"""Schedules of pipelines: every pass runs once, no rank waits in vain, memory is bounded."""

import pytest

from mindspore_compat._core.sharding.micro_batches import schedule


def run(kind, stages, count):
    """The most micro-batches alive on each stage. The stages advance in turn, each as far as the
    activations and gradients that it needs have come."""
    left = [schedule(kind, stage, stages, count) for stage in range(stages)]
    forward, backward = [0] * (stages + 1), [0] * (stages + 1)
    forward[0] = backward[-1] = count
    alive, most = [0] * stages, [0] * stages
    while any(left):
        before = sum(map(len, left))
        for stage, steps in enumerate(left):
            while steps:
                step, number = steps[0]
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
