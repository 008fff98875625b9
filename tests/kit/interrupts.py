"""Interrupts a function at chosen lines, or at a random moment.

`half_changed(step, tensors, 60)` runs a step repeatedly. Each run raises an Interrupt at a
different line that the step executes, in the package or in a library. The lines are counted, so the
moments are the same in each run of a test. Lines before which a real interrupt cannot occur are
excluded: those that begin with `with`, which Python reports again at the end of their block, and
the first line of each `finally` block. Where the package blocks SIGINT, the Interrupt is raised at
the first line after it.

`half_changed(step, tensors, random_moments(step, 60))` raises a KeyboardInterrupt from a timer, as
Ctrl+C does. It may come between any two bytecode instructions.
"""

import contextlib
import functools
import linecache
import logging
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


@contextlib.contextmanager
def state_of_libraries():
    """Restores NumPy's error state and unlocks the lock of `logging` at the end.

    An interrupt within `np.errstate.__enter__` leaves the new state set, since `__exit__` is then
    never called. After one in `np.linalg`, every invalid value would raise "Singular matrix". After
    one where `logging` releases its lock, other threads that log or fork would wait forever.
    """
    actions, handler = np.geterr(), np.geterrcall()
    try:
        yield
    finally:
        np.seterr(**actions)
        np.seterrcall(handler)
        while logging._lock._is_owned():
            logging._lock.release()


@state_of_libraries()
def stop_at(number, function):
    """Calls a function and raises Interrupt before its line `number`. Returns False if the function
    ends before that line."""
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
        if event == "line" and not _is_excluded(frame.f_code.co_filename, frame.f_lineno):
            if lines >= last and not _is_postponed():
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


def _is_postponed():
    """Tells whether the package holds back interrupts here, as it does while it forks a process."""
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


@functools.cache
def _is_excluded(file, number):
    before, line = linecache.getline(file, number - 1), linecache.getline(file, number)
    return line.lstrip().startswith("with ") or before.strip() == "finally:"


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


@state_of_libraries()
def stop_after(seconds, function):
    """Calls a function and raises KeyboardInterrupt in it after some seconds. Returns False if the
    function ended before, or caught the interrupt."""
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
    """Returns `count` functions. Each calls a function and interrupts it at a random moment within
    the usual duration of `function`."""
    durations = []
    for _ in range(5):
        start = time.perf_counter()
        function()
        durations.append(time.perf_counter() - start)
    draw, most = random.Random(seed), sorted(durations)[2]
    return [functools.partial(stop_after, draw.uniform(0, most)) for _ in range(count)]


def half_changed(step, tensors, stops):
    """Interrupts a step several times.

    After each interrupt, the state must be that before or after a complete step. One more step is
    then run and its result compared too, which detects damage that shows only later.

    Args:
        step: a function without arguments that changes only the Tensors.
        tensors: the Tensors.
        stops: functions that call a function, interrupt it, and return whether they did; or the
            maximum number of lines at which to interrupt the step.

    Returns:
        The number of interrupts, and a list that describes those after which the state was wrong.
    """
    state = State(tensors)
    states = [state.values()]
    for _ in range(2):
        step()
        states.append(state.values())
    state.restore(states[0])
    if isinstance(stops, int):
        stops = [functools.partial(stop_at, number) for number in moments(step, stops)]
    wrong = []
    for stop in stops:
        state.restore(states[0])
        is_stopped = stop(step)
        not_old, not_new = state.differences(states[0]), state.differences(states[1])
        if not_new and (not_old or not is_stopped):
            wrong.append((stop.args, "half", not_old, not_new))
            continue
        step()
        if later := state.differences(states[1 if not_new else 2]):
            wrong.append((stop.args, "later", later))
    state.restore(states[0])
    return len(stops), wrong
