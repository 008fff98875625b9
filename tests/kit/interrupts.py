"""Interrupts a function at chosen lines, or at a random moment.

`half_changed(step, tensors, 60)` runs a step repeatedly. Each run raises an Interrupt at another
line that the step executes, in the package or in a library. The lines are counted, so the moments
are the same in each run of a test. A line with `with` is excluded, because it is executed again at
the end of its block. Python itself raises no interrupt there, so that locks are released.

`half_changed(step, tensors, random_moments(step, 60))` raises a KeyboardInterrupt from a timer, as
Ctrl+C does. It may come between any two bytecode instructions.
"""

import functools
import linecache
import os
import random
import signal
import sys
import time

import numpy as np

TESTS = os.path.dirname(os.path.dirname(__file__)) + os.sep


# The lines of worker processes are not counted.
os.register_at_fork(after_in_child=lambda: sys.settrace(None))


class Interrupt(BaseException):
    """Raised from outside."""


def lines_of(function):
    """Returns the number of lines that a call of a function executes outside of the tests."""
    return _traced(function, sys.maxsize)


def stop_at(number, function):
    """Calls a function and raises Interrupt before line `number`; returns whether it got there."""
    try:
        _traced(function, number)
    except Interrupt:
        return True
    return False


def moments(function, count):
    """Returns at most `count` line numbers, spread over the lines that a call of a function
    executes."""
    total = lines_of(function)
    return sorted(set(np.linspace(0, total - 1, min(count, total)).astype(int).tolist()))


def _traced(function, last):
    """Calls a function and raises an Interrupt before line `last`; returns the number of lines."""
    lines = 0

    def local(frame, event, arg):
        nonlocal lines
        if event == "line" and not _is_with(frame.f_code.co_filename, frame.f_lineno):
            if lines == last:
                sys.settrace(None)
                lines += 1
                raise Interrupt
            lines += 1
        return local

    def enter(frame, event, arg):
        return None if frame.f_code.co_filename.startswith(TESTS) else local

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        function()
    finally:
        sys.settrace(before)
    return lines


@functools.cache
def _is_with(file, number):
    return linecache.getline(file, number).lstrip().startswith("with ")


class State:
    """The values of Tensors, to be compared and restored.

    Args:
        tensors: the Tensors.
    """

    def __init__(self, tensors):
        self.tensors = list({id(tensor): tensor for tensor in tensors}.values())

    def values(self):
        """Returns copies of the Tensors' arrays."""
        return [np.array(tensor.asnumpy()) for tensor in self.tensors]

    def restore(self, values):
        """Writes copies back into the Tensors."""
        for tensor, value in zip(self.tensors, values, strict=True):
            tensor._array[...] = value

    def differences(self, values):
        """Returns the names of the Tensors that differ from copies in any bit."""
        return [
            tensor.name
            for tensor, value in zip(self.tensors, values, strict=True)
            if tensor.asnumpy().tobytes() != value.tobytes()
        ]


def stop_after(seconds, function):
    """Calls a function and raises KeyboardInterrupt after some seconds, unless it has returned;
    returns whether the interrupt left the function."""
    due = [True]

    def interrupt(*_):
        if due:
            due.clear()
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))
        function()
        due.clear()
    except KeyboardInterrupt:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return False


def random_moments(function, count, seed=0):
    """Returns `count` functions, each of which interrupts a call of a function at a
    random moment."""
    durations = []
    for _ in range(5):
        start = time.perf_counter()
        function()
        durations.append(time.perf_counter() - start)
    draw, most = random.Random(seed), sorted(durations)[2]
    return [functools.partial(stop_after, draw.uniform(0, most)) for _ in range(count)]


def half_changed(step, tensors, stops):
    """Interrupts a step several times: (tries, those that left it half done).

    After each interrupt the state is compared with those before and after a whole step, and so is
    the state after one more step, which finds what an interrupt has broken for later.

    Args:
        step: a function without arguments that changes the Tensors, and nothing else that counts.
        tensors: the Tensors.
        stops: functions that interrupt a call of a function and return whether they have; or at
            most how many lines to interrupt it at.
    """
    state = State(tensors)
    course = [state.values()]
    for _ in range(2):
        step()
        course.append(state.values())
    state.restore(course[0])
    if isinstance(stops, int):
        stops = [functools.partial(stop_at, number) for number in moments(step, stops)]
    wrong = []
    for stop in stops:
        state.restore(course[0])
        stopped = stop(step)
        not_old, not_new = state.differences(course[0]), state.differences(course[1])
        if not_new and (not_old or not stopped):
            wrong.append((stop.args, "half", not_old, not_new))
            continue
        step()
        if later := state.differences(course[1 if not_new else 2]):
            wrong.append((stop.args, "later", later))
    state.restore(course[0])
    return len(stops), wrong
