"""Waits of a bounded time without sleeping, for threads that hand work to each other.

A thread that sleeps runs again some 50 to 200 microseconds after it is woken, which is more than
many pieces of work take. `wait` runs compiled code that watches a flag instead, without the
interpreter's lock, and gives up after SECONDS; the caller sleeps then. Where Numba is missing, or
has not compiled the loop yet, it returns at once.

    flag = numpy.zeros(1, numpy.int64)
    wait(flag, 0)  # returns when another thread has changed flag[0], or after SECONDS
"""

import functools
import inspect
import platform
import sys
import time

import numpy

from . import compiled

SECONDS = 300e-6  # that a wait lasts at most
# After a change: time in which the thread that made it may release the interpreter's lock.
GRACE = 5e-6
_INDEX = numpy.dtype(numpy.int64)
_ignored = numpy.zeros(1, _INDEX)
_TEXT = """def {}(left, flag, value, turns, grace):
    left[0] = 1
    while turns > 0 and flag[0] == value:
        pause()
        turns -= 1
    if turns > 0:
        for turn in range(grace):
            pause()
    return turns
"""


def pause():
    """Lets a moment pass; after it, compiled code reads memory anew."""


@functools.cache
def _compiled_pause():
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    x86 = platform.machine() in ("x86_64", "AMD64", "i686")

    def code(context, builder, signature, arguments):
        if x86:
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", (), kind), [])
        builder.fence("acquire")
        return context.get_dummy_value()

    @intrinsic
    def pause(context):
        return types.void(), code

    return pause


class _Library:
    """What the loop calls (compiled.Loop)."""

    python = {"pause": pause}

    def text(self):
        return inspect.getsource(sys.modules[__name__])

    def compiled(self):
        return {"pause": _compiled_pause()}


_ARRAY, _NUMBER = (_INDEX, True), (_INDEX, False)
_loop = compiled.Loop(
    _TEXT.format, (_ARRAY, _ARRAY, _NUMBER, _NUMBER, _NUMBER), False, "spinning", _Library()
)


@functools.cache
def _turns():
    """How many turns of the loop last SECONDS, and how many GRACE."""
    flag, taken = numpy.zeros(1, _INDEX), []
    for _ in range(3):
        start = time.perf_counter()
        _loop.ready(flag.copy(), flag, 0, 400, 0)
        taken.append((time.perf_counter() - start) / 400)
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
        turns, grace = _turns()
        _loop.ready(_ignored if left is None else left, flag, value, turns, grace)
    elif "numba" in sys.modules and compiled.available():  # it is imported for larger loops only
        _loop.request()
