"""Heartbeats: reports of a rank to its `msrun`, through small files in a folder of the job.

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
    _waits.append(time.monotonic())
    try:
        yield
    finally:
        _waits.pop()


@functools.cache
def _begin():
    report("beat", "1 joined 0")
    Thread(target=_beat, name="heartbeat", daemon=True).start()


def _beat():
    with contextlib.suppress(OSError):  # msrun has gone, and its folder
        for number in itertools.count(2):
            time.sleep(_SECONDS)
            since = _waits[:1] or [time.monotonic()]
            report("beat", f"{number} joined {time.monotonic() - since[0]:.0f}")
