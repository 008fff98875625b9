"""Spin waits of bounded time, for threads that hand work to each other.

A sleeping thread runs again 50 to 200 microseconds after it is woken, longer than many pieces of
work take. Instead, `wait` runs compiled code that watches a flag without the interpreter lock, and
gives up after SECONDS; the caller then sleeps. Without Numba, while the loop is not compiled yet,
and beside other processes (contention.py), it returns at once.

    flag = numpy.zeros(1, numpy.int64)
    wait(flag, 0)  # returns when another thread has changed flag[0], or after SECONDS
"""

import functools
import time

import numpy

from ..compiled import jit
from . import job_slot
from .contention import contention

SECONDS = 300e-6  # the longest wait
# After a thread changes the flag, it has this much time to release the interpreter lock.
GRACE = 5e-6
_INDEX = numpy.dtype(numpy.int64)
_ignored = numpy.zeros(1, _INDEX)
_TEXT = """def {}(left, flag, value, limit, grace):
    left[0] = 1
    while limit > 0 and flag[0] == value:
        limit -= pause()
    while limit > 0 and grace > 0:
        grace -= pause()
"""
# The length of a `pause` is measured over _COUNTS counts, _TRIES times. The shortest time is used:
# no other process interrupted that measurement.
_COUNTS, _TRIES = 1 << 16, 20


_ARRAY, _NUMBER = (_INDEX, True), (_INDEX, False)
_loop = jit.Loop(
    _TEXT.format, (_ARRAY, _ARRAY, _NUMBER, _NUMBER, _NUMBER), False, "spinning", job_slot.Library
)
_serve = jit.Loop(
    functools.partial(jit.text_of, job_slot.serve),
    (_ARRAY, _NUMBER, _ARRAY, _NUMBER, _NUMBER),
    False,
    "serving",
    job_slot.Library,
)


@functools.cache
def _limits():
    """Returns SECONDS and GRACE in units of `job_slot.pause`."""
    flag, times = numpy.zeros(1, _INDEX), []
    for _ in range(_TRIES):
        start = time.perf_counter()
        _loop.ready(flag.copy(), flag, 0, _COUNTS, 0)
        times.append((time.perf_counter() - start) / _COUNTS)
    return int(SECONDS / min(times)), int(GRACE / min(times))


def _limits_now():
    """Returns the limits of a wait that begins now; 1 looks at the flag once."""
    longest, grace = _limits()
    return (1 if contention.update() else longest), grace


def wait(flag, value, left=None):
    """Returns when a flag has changed, or after some time.

    Args:
        flag (numpy.ndarray): one int64, which another thread changes.
        value (int): its value before the change.
        left (numpy.ndarray): one int64, which is set to 1 when this thread has released the
            interpreter lock. A thread that needs the lock can wait for this flag.
    """
    if _loop.ready is not None:
        _loop.ready(_ignored if left is None else left, flag, value, *_limits_now())
    elif jit.is_used() and jit.available():  # not for scripts without larger loops
        _request()


def longest():
    """Returns the longest wait in units of `job_slot.pause`; 0 while nothing is compiled."""
    return _limits_now()[0] if _loop.ready is not None else 0


def serve(slot, before, left=None):
    """Runs the jobs of a slot (job_slot.py) until none comes for some time, or its CALLS differ
    from `before`; `left` as for `wait`."""
    if _serve.ready is not None and _loop.ready is not None:
        _serve.ready(slot, before, _ignored if left is None else left, *_limits_now())
    elif jit.is_used() and jit.available():
        _request()


@functools.cache
def _request():
    """Requests the loops of this module, once, because a request takes as long as a short wait."""
    _loop.request()
    _serve.request()
