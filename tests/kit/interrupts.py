"""Interrupts at chosen lines: what a KeyboardInterrupt does at a moment of its own choosing.

`stops(function)` runs a function again and again, each time with an Interrupt raised at another
line that it executes, in the package or in a library. The lines are counted, so the moments are the
same in each run of a test. A line `with` is none of them: it is run again at the end of its block,
where Python itself raises nothing, so that locks are released.
"""

import functools
import linecache
import os
import sys

import numpy as np

TESTS = os.path.dirname(os.path.dirname(__file__)) + os.sep


# The lines of worker processes are not counted.
os.register_at_fork(after_in_child=lambda: sys.settrace(None))


class Interrupt(BaseException):
    """Raised from outside."""


def lines_of(function):
    """The number of lines that a call of a function executes outside of the tests."""
    return _traced(function, sys.maxsize)


def stop_at(number, function):
    """Calls a function and raises Interrupt before line `number`; returns whether it got there."""
    try:
        _traced(function, number)
    except Interrupt:
        return True
    return False


def moments(function, count):
    """At most `count` numbers of lines, spread over those that a call of a function executes."""
    total = lines_of(function)
    return sorted(set(np.linspace(0, total - 1, min(count, total)).astype(int).tolist()))


def _traced(function, last):
    """Calls a function, with an Interrupt before line `last`; returns the number of lines."""
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
        """Copies of their arrays."""
        return [np.array(tensor.asnumpy()) for tensor in self.tensors]

    def restore(self, values):
        """Writes such copies back."""
        for tensor, value in zip(self.tensors, values, strict=True):
            tensor._array[...] = value

    def differences(self, values):
        """The names of the Tensors that differ from such copies in any bit."""
        return [
            tensor.name
            for tensor, value in zip(self.tensors, values, strict=True)
            if tensor.asnumpy().tobytes() != value.tobytes()
        ]


def half_changed(step, tensors, count):
    """Interrupts a step at up to `count` lines: (interrupts, those that left it half done).

    After each interrupt the state is compared with those before and after a whole step, and so is
    the state after one more step, which finds what an interrupt has broken for later.

    Args:
        step: a function without arguments that changes the Tensors, and nothing else that counts.
        tensors: the Tensors.
    """
    state = State(tensors)
    course = [state.values()]
    for _ in range(2):
        step()
        course.append(state.values())
    state.restore(course[0])
    chosen = moments(step, count)
    wrong = []
    for number in chosen:
        state.restore(course[0])
        if not stop_at(number, step):
            continue
        not_old, not_new = state.differences(course[0]), state.differences(course[1])
        if not_old and not_new:
            wrong.append((number, "half", not_old, not_new))
            continue
        step()
        if later := state.differences(course[1 if not_new else 2]):
            wrong.append((number, "later", later))
    state.restore(course[0])
    return len(chosen), wrong
