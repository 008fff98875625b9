"""Waits of a bounded time without sleeping, for threads that hand work to each other.

A thread that sleeps runs again some 50 to 200 microseconds after it is woken, which is more than
many pieces of work take. `wait` runs compiled code that watches a flag instead, without the
interpreter's lock, and gives up after SECONDS; the caller sleeps then. Where Numba is missing, or
has not compiled the loop yet, it returns at once.

    flag = numpy.zeros(1, numpy.int64)
    wait(flag, 0)  # returns when another thread has changed flag[0], or after SECONDS
"""

import functools
import sys
import time

import numpy

from ..compiled import jit
from . import job_slot

SECONDS = 300e-6  # that a wait lasts at most
# After a change: time in which the thread that made it may release the interpreter's lock.
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
# Counts of `pause` by which it is found how long one is: in the shortest of so many tries, no other
# process has had the processor meanwhile.
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
    """SECONDS and GRACE, as `job_slot.pause` counts."""
    flag, taken = numpy.zeros(1, _INDEX), []
    for _ in range(_TRIES):
        start = time.perf_counter()
        _loop.ready(flag.copy(), flag, 0, _COUNTS, 0)
        taken.append((time.perf_counter() - start) / _COUNTS)
    return int(SECONDS / min(taken)), int(GRACE / min(taken))


def wait(flag, value, left=None):
    """Returns when a flag has changed, or after some time.

    Args:
        flag (numpy.ndarray): one int64, which another thread changes.
        value (int): what it is until then.
        left (numpy.ndarray): one int64, which is set to 1 when this thread has released the
            interpreter's lock, so that a thread that waits for it need not wait for the lock too.
    """
    if _loop.ready is not None:
        _loop.ready(_ignored if left is None else left, flag, value, *_limits())
    elif "numba" in sys.modules and jit.available():  # it is imported for larger loops only
        _loop.request()


def longest():
    """How long a wait is, as `job_slot.pause` counts; 0 while nothing is compiled."""
    return _limits()[0] if _loop.ready is not None else 0


def serve(slot, before, left=None):
    """Does the jobs of a slot (job_slot.py) until none has come for some time, or its CALLS are not
    `before` any more; `left` as for `wait`."""
    if _serve.ready is not None and _loop.ready is not None:
        _serve.ready(slot, before, _ignored if left is None else left, *_limits())
    elif "numba" in sys.modules and jit.available():  # it is imported for larger loops only
        _loop.request()
        _serve.request()
