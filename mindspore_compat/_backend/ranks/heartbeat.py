"""Heartbeats: reports of a rank to its `msrun-compat`, through small files in a folder of the job.

A rank reports that it is joining the others. Afterwards a thread reports once a second that the
rank is alive, and how long it has been waiting for others. `communication/job.py` evaluates the
reports.
"""

import contextlib
import functools
import itertools
import os
import time

from ..starting import Thread

JOB = "MINDSPORE_COMPAT_JOB"  # the environment variable with the folder and the rank
_SECONDS = 1  # between two beats


class Clock:
    """A clock that stands still while its process does not run, because it is stopped or the
    machine is paused. What then takes long does not count as hung.

    Args:
        longest (float): how many seconds count at most between two calls of `tick`.
    """

    def __init__(self, longest):
        self._longest = longest
        self._last, self._lost = time.monotonic(), 0.0

    def tick(self):
        """Returns the time. Only one thread calls this, often."""
        now = time.monotonic()
        self._lost += max(now - self._last - self._longest, 0.0)
        self._last = now
        return now - self._lost

    def time(self):
        """Returns the time that any thread may ask for."""
        return time.monotonic() - self._lost


_clock = Clock(2 * _SECONDS)
_waits = []  # the start times of the current waits for other ranks


def report(kind, text):
    """Writes this rank's file of a kind; readers never see a partial file."""
    path = f"{os.environ[JOB]}.{kind}"
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write(text)
    os.replace(path + ".new", path)


@contextlib.contextmanager
def joining():
    """A context in which this rank waits for all ranks to join; heartbeats begin afterwards."""
    if JOB not in os.environ:
        yield
        return
    report("beat", "0 joining 0")
    try:
        yield
    except BaseException:
        os.remove(f"{os.environ[JOB]}.beat")
        raise
    _begin()


@contextlib.contextmanager
def waiting():
    """A context in which this rank waits for others in an exchange."""
    _waits.append(_clock.time())
    try:
        yield
    finally:
        _waits.pop()


@functools.cache
def _begin():
    report("beat", "1 joined 0")
    Thread(target=_beat, name="heartbeat", daemon=True).start()


def _beat():
    _clock.tick()
    with contextlib.suppress(OSError):  # msrun-compat is gone, and its folder
        for number in itertools.count(2):
            time.sleep(_SECONDS)
            with contextlib.suppress(MemoryError):  # the next beat may find some
                now = _clock.tick()
                since = (_waits[:1] or [now])[0]
                report("beat", f"{number} joined {max(now - since, 0):.0f}")
