"""Contention is the time that other processes use, in the counts of the operating system."""

import sys
import time

import pytest

from mindspore_compat._backend.threads import affinity, cgroup, contention, scheduler

pytestmark = pytest.mark.host


class Machine:
    """A clock and the counts of a machine; rates are cores."""

    def __init__(self, cores=2):
        self.cores, self.time, self.own_time, self.idle_time = cores, 0.0, 0.0, 0.0
        self.own, self.others, self.reads = float(cores), 0.0, 0
        self.group_time, self.group_others, self.share = None, 0.0, 0.0

    def pass_by(self, seconds):
        self.time += seconds
        self.own_time += seconds * self.own
        self.idle_time += seconds * max(self.cores - self.own - self.others, 0)
        if self.group_time is not None:
            self.group_time += seconds * (self.own + self.group_others)

    def times(self):
        self.reads += 1
        return contention.Times(
            self.time,
            self.own_time,
            self.idle_time,
            self.cores * self.time,
            self.cores,
            self.group_time,
            self.share,
        )

    def contended_by(self, state, seconds):
        """Returns the percentage of some seconds in which there is contention."""
        steps = round(seconds * 100)
        found = 0
        for _ in range(steps):
            self.pass_by(0.01)
            found += state.update()
        return found / steps


def state_of(machine, wanted=2):
    return contention.Contention(lambda: machine.time, machine.times, lambda: wanted)


@pytest.fixture
def machine():
    return Machine()


@pytest.fixture
def state(machine):
    return state_of(machine)


@pytest.mark.parametrize("own", [0.1, 1.0, 1.9, 2.0])
def test_own_threads_are_no_competition(machine, state, own):
    """Any number of own threads may run, and interrupt each other any number of times."""
    machine.own = own
    assert machine.contended_by(state, 20) == 0


@pytest.mark.parametrize("own, others", [(1.3, 0.7), (1.0, 1.0), (0.9, 1.1), (0.4, 1.6), (0.5, 1)])
def test_contention_lasts_and_is_checked_more_and_more_rarely(machine, state, own, others):
    machine.own, machine.others = own, others
    assert machine.contended_by(state, 40) > 0.9
    reads = machine.reads
    machine.contended_by(state, 40)
    assert state.now and machine.reads - reads < 15


def test_it_ends_with_the_other_work(machine, state):
    machine.own, machine.others = 1.0, 1.0
    machine.contended_by(state, 3)
    machine.own, machine.others = 2.0, 0.0
    machine.contended_by(state, contention.LONGEST)
    assert not state.now and machine.contended_by(state, 5) == 0


def test_a_daemon_is_none(machine, state):
    machine.own, machine.others = 1.8, 0.2
    assert machine.contended_by(state, 5) == 0


def test_a_pause_of_this_process_tells_nothing(machine, state):
    for _ in range(20):
        assert machine.contended_by(state, 0.7) == 0
        machine.own, machine.others = 0.0, 2.0
        machine.pass_by(1.5)
        machine.own, machine.others = 2.0, 0.0


@pytest.mark.parametrize(
    "wanted, others, expected", [(2, 6, 0), (2, 7, 1), (8, 1, 0), (8, 2, 1), (1, 7, 0), (99, 2, 1)]
)
def test_other_cores_may_be_busy(wanted, others, expected):
    machine = Machine(8)
    machine.own, machine.others = min(wanted, 8 - others), others
    state = state_of(machine, wanted)
    machine.contended_by(state, 5)
    assert state.now == expected


@pytest.mark.parametrize("own, others, expected", [(2, 0, 0), (1, 1, 1), (0.5, 1, 1), (1, 0.2, 0)])
def test_processes_of_a_control_group_share_its_cores(own, others, expected):
    machine = Machine(64)
    machine.own, machine.group_time, machine.group_others, machine.share = own, 0.0, others, 2.0
    state = state_of(machine)
    machine.contended_by(state, 5)
    assert state.now == expected


def test_without_counts_there_is_no_contention(machine):
    calls = []
    state = contention.Contention(lambda: machine.time, lambda: calls.append(1))
    assert machine.contended_by(state, 5) == 0
    assert calls == [1]


def test_counts_that_stand_still_tell_nothing(machine):
    """Example: sandboxes that imitate /proc, where the busy and idle times of cores never
    change."""
    imitation = contention.Times(0.0, 0.0, 0.0, 0.0, 2)
    state = contention.Contention(
        lambda: machine.time, lambda: imitation._replace(now=machine.time)
    )
    assert machine.contended_by(state, 5) == 0


def test_a_forked_process_starts_counting(machine, state):
    machine.contended_by(state, 1)
    machine.own_time = 0.0
    assert machine.contended_by(state, 5) == 0


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


STAT = """cpu  50 0 0 900 50 0 0 0 0 0
cpu0 10 0 10 100 20 5 5 50 3 0
cpu1 1 1 1 200 1 1 1 1 0 0
cpu10 9 9 9 9 9 9 9 9 9 9
intr 5 0 0
"""


@pytest.mark.parametrize(
    "cores, expected",
    [([0, 1], (3.21, 4.07)), ([1], (2.01, 2.07)), ([1, 2], None), ([10], (0.18, 0.72))],
)
def test_times_of_the_cores_that_this_process_may_use(cores, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(contention.os, "sysconf", lambda name: 100)
    (tmp_path / "stat").write_text(STAT)
    found = contention._idle_time(cores, tmp_path / "stat")
    assert found == (expected and pytest.approx(expected))


@pytest.mark.parametrize("text", [None, "cpu0 a b c\n", ""])
def test_other_systems_have_no_times(text, tmp_path):
    if text is not None:
        (tmp_path / "stat").write_text(text)
    assert contention._idle_time([0], tmp_path / "stat") is None


@pytest.mark.parametrize(
    "files, expected",
    [
        ({"cpu.stat": "usage_usec 2500000\nuser_usec 1\n"}, 2.5),
        ({"cpu.stat": "nr_periods 0\n", "cpuacct.usage": "1500000000\n"}, 1.5),
        ({"cpu.stat": "nr_periods 0\n"}, None),
        ({}, None),
    ],
)
def test_time_used_by_a_control_group(files, expected, tmp_path):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert cgroup.used(tmp_path) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/stat")
def test_the_counts_are_the_systems():
    before, end = contention._times(), time.process_time() + 0.05
    while time.process_time() < end:
        pass
    after = contention._times()
    assert before.cores == after.cores == len(affinity.available())
    assert after.own - before.own >= 0.05
    assert after.counted > before.counted > before.idle > 0
    assert 0 <= after.idle - before.idle <= after.cores * (after.now - before.now + 0.02)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/stat")
def test_the_compiler_of_this_process_is_no_competition(monkeypatch):
    """It runs on an idle core, and yields the core when this process needs it."""
    before = contention._times()
    monkeypatch.setattr(contention.jit, "compiler_time", lambda: 1000.0)
    assert 1000 <= contention._times().own - before.own < 2000
