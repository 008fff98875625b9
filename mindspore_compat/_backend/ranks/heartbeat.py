"""What a rank reports to the `msrun` that started it, through small files in a folder of the job.

A rank that joins the others reports that it does; afterwards a thread reports once a second that it
lives, and how long it has waited for others. What `msrun` makes of it is in `communication/job.py`.
"""

import contextlib
import functools
import itertools
import os
import threading
import time

JOB = "MINDSPORE_COMPAT_JOB"  # the environment variable that names the folder, then the rank in it
_SECONDS = 1  # between two beats

_waits = []  # when each wait for other ranks that is under way began


def report(kind, text):
    """Writes this rank's file of a kind, which is complete whenever it is read."""
    path = f"{os.environ[JOB]}.{kind}"
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write(text)
    os.replace(path + ".new", path)


@contextlib.contextmanager
def joining():
    """While the block runs, this rank waits until all are there; from then on it shows life."""
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
    """While the block runs, this rank waits for others in an exchange."""
    _waits.append(time.monotonic())
    try:
        yield
    finally:
        _waits.pop()


@functools.cache
def _begin():
    report("beat", "1 joined 0")
    threading.Thread(target=_beat, name="heartbeat", daemon=True).start()


def _beat():
    with contextlib.suppress(OSError):  # msrun has gone, and its folder
        for number in itertools.count(2):
            time.sleep(_SECONDS)
            since = _waits[:1] or [time.monotonic()]
            report("beat", f"{number} joined {time.monotonic() - since[0]:.0f}")
