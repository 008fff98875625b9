"""Contention is noticed by the switches that the operating system counts."""

import numpy as np
import pytest

from mindspore_compat._backend.threads import contention, scheduler

pytestmark = pytest.mark.host


class Machine:
    """A clock, and a count of switches that grows at a rate for each second."""

    def __init__(self, rate):
        self.time, self.rate, self.count = 0.0, rate, 0.0

    def pass_by(self, seconds):
        self.time += seconds
        self.count += seconds * self.rate


def contended_by(machine, state, seconds):
    """Returns the part of some seconds, in hundredths, in which there is contention."""
    steps = round(seconds * 100)
    found = 0
    for _ in range(steps):
        machine.pass_by(0.01)
        found += state.update()
    return found / steps


@pytest.fixture
def machine():
    return Machine(0)


@pytest.fixture
def state(machine):
    return contention.Contention(lambda: machine.time, lambda: machine.count)


def test_idle_cores(machine, state):
    machine.rate = 10
    assert contended_by(machine, state, 20) == 0


def test_contention_lasts_and_is_checked_more_and_more_rarely(machine, state):
    machine.rate = 200
    assert contended_by(machine, state, 40) > 0.9
    assert state.now


def test_it_ends_with_the_other_work(machine, state):
    machine.rate = 200
    contended_by(machine, state, 3)
    machine.rate = 0
    contended_by(machine, state, contention.LONGEST)
    assert not state.now and contended_by(machine, state, 5) == 0


def test_a_single_interruption_is_none(machine, state):
    machine.count += contention.SWITCHES - 1
    assert contended_by(machine, state, 5) == 0


def test_loops_of_few_pieces_then_stay_on_their_thread(monkeypatch):
    scheduler.limit(2)
    try:
        monkeypatch.setattr(contention.contention, "now", True)
        assert scheduler.helpers(scheduler.FEW - 1) == 0
        assert scheduler.helpers(scheduler.FEW) == 1
        monkeypatch.setattr(contention.contention, "now", False)
        assert scheduler.helpers(2) == 1
    finally:
        scheduler.limit(0)


def test_the_count_is_the_systems():
    before = contention._switches()
    np.linalg.inv(np.eye(50))
    assert contention._switches() >= before >= 0
