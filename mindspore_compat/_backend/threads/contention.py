"""Measures whether other processes compete for the cores.

A thread that spins for work (spinning.py) saves time if cores are idle. Beside other processes, it
takes time from threads that compute, including threads of its own process.

The cores available to this process are those that it uses and those that are idle: its own
processor time plus the idle time of the cores, per second. (The process that compiles loops for
this one runs only on idle cores, so its time counts as this process's.) If fewer cores are
available than the pool has threads, other processes use the rest. Threads of this process that
compete with each other do not change the sum. If a control group limits the process, the available
cores are also at most those of the group minus those that its other processes use.

Worked example: two cores, and two threads that share work. In the last 0.2 s this process used
0.26 s, and the cores were idle for 0.02 s: 1.4 cores are available, fewer than 0.85 x 2. There is
contention for the next 0.5 s. If the next measurement is similar, contention lasts for 1 s, then
2 s, and at most LONGEST.

Only Linux has these counts. Without them there is no contention.
"""

import functools
import math
import os
import time
from typing import NamedTuple

from ..compiled import jit
from . import affinity, cgroup
from .limits import threads

WINDOW = 0.2  # seconds over which times are compared, at least
STALE = 0.6  # a longer window is ignored: this process was paused in it
ENOUGH = 0.85  # a smaller share of the cores that the threads could use is contention
SHORTEST, LONGEST = 0.5, 8.0  # seconds


class Times(NamedTuple):
    """Times in seconds since a fixed moment, and the number of cores."""

    now: float  # the clock
    own: float  # processor time of this process and of the process that compiles loops for it
    idle: float  # the sum of the idle times of `cores`
    counted: float  # the sum of all their times; constant in sandboxes that do not count
    cores: int  # the number of cores that this process may use
    group: float | None = None  # processor time of the control group that limits this process
    share: float = 0.0  # the number of cores that the group may use


class Contention:
    """The state of contention as measured by this process.

    Attributes:
        now (bool): whether there is contention.
    """

    def __init__(self, clock=time.monotonic, times=None, wanted=threads):
        self._clock, self._times, self._wanted = clock, times or _times, wanted
        self.now = False
        self._period = SHORTEST
        self._before = None  # Times at the start of the window
        self._next = 0.0

    def update(self):
        """Returns whether there is contention, and compares the times again if they are due."""
        moment = self._clock()
        if moment < self._next:
            return self.now
        self._next = moment + WINDOW  # so that other threads do not measure, too
        before, self._before = self._before, None
        if self.now:  # threads spin again, to measure whether contention lasts
            self.now, before = False, None
        after = self._times()
        if after is None:  # the system does not count
            self._next = float("inf")
            return False
        if before is not None and WINDOW <= after.now - before.now <= STALE:
            self.now = _compete(before, after, self._wanted())
            if self.now:
                self._next, self._period = moment + self._period, min(2 * self._period, LONGEST)
            else:
                self._period = SHORTEST
        self._before = after
        return self.now


def _compete(before, after, wanted):
    """Returns whether other processes use cores that `wanted` threads of this one could use."""
    time, own, idle, counted = (b - a for a, b in zip(before[:4], after[:4]))
    if own < 0 or not counted or before.cores != after.cores:  # a forked process; a sandbox
        return False
    if own + idle < ENOUGH * min(wanted, after.cores) * time:
        return True
    if None in (before.group, after.group):
        return False
    others = after.group - before.group - own
    return after.share * time - others < ENOUGH * min(wanted, after.share) * time


def _times():
    """Returns the Times now; None where the system does not count them."""
    cores = affinity.available()
    now, own = time.monotonic(), time.process_time() + jit.compiler_time()
    idle = _idle_time(cores)
    if idle is None:
        return None
    limit = _limited_group()
    if limit is None:
        return Times(now, own, *idle, len(cores))
    share, folder = limit
    return Times(now, own, *idle, len(cores), cgroup.used(folder), share)


_limited_group = functools.cache(cgroup.limited)


def _idle_time(cores, path="/proc/stat"):
    """Returns (idle, total): seconds that some cores have counted since the start of the system.
    Returns None if the system does not list one of the cores."""
    names = {f"cpu{core}" for core in cores}
    idle = counted = 0
    try:
        with open(path, encoding="ascii") as file:
            for line in file:
                name, *fields = line.split()
                if not name.startswith("cpu"):
                    break
                if name in names:
                    names.remove(name)
                    ticks = [int(field) for field in fields[:8]]  # the rest is part of these
                    idle += sum(ticks[3:5])  # idle, and waiting for a disk
                    counted += sum(ticks)
    except (OSError, ValueError):
        return None
    unit = os.sysconf("SC_CLK_TCK")
    return None if names else (idle / unit, counted / unit)


def _cores():
    """Returns how many cores this process may use."""
    return min(len(affinity.available()), cgroup.cores() or math.inf)


def _spare_time():
    """Returns the seconds during which cores were idle or compiled loops for this process, and the
    seconds that the system has counted in all; zeros on systems without these counts."""
    idle, counted = _idle_time(affinity.available()) or (0.0, 0.0)
    return idle + jit.compiler_time(), counted


jit.limit_beside(_cores, _spare_time)
contention = Contention()
