"""Updates that are finished or not begun, whatever is raised in between.

A KeyboardInterrupt, or what another signal handler, a thread or a debugger raises, may come between
any two instructions of Python. An update of parameters and states is therefore a list of *units*.
A unit first prepares: it computes new values in memory of its own. Then it writes, by calls of
functions written in C, which `list.extend(map(...))` makes in one go. No Python runs in between, so
nothing is raised there, and the list tells how many calls have returned.

    def prepare():
        return assigned([parameter, moments], adam(parameter, moments, gradient))

    complete([Unit(prepare), Unit(lambda: assigned([count], [count + 1]))])

`complete` runs units. If something is raised before the first write, it propagates at once; later,
the remaining units run first. What a step changes before is undone (steps/journal.py).
"""

import operator

import numpy

from .. import arrays
from ..steps.journal import journal
from ..threads import scheduler

MOST_ATTEMPTS = 100  # so that an error that recurs ends the update
_call = operator.methodcaller("__call__")
_DONE = (None, ())


def assigned(targets, values):
    """The calls that assign values to arrays, for a Unit."""
    return operator.setitem, targets, [...] * len(targets), values


def called(functions):
    """The calls of functions without arguments, for a Unit; they must be written in C."""
    return _call, functions


class Unit:
    """Writes that are all made, or none.

    Args:
        prepare: a function without arguments that writes to nothing that outlives the update, and
            returns a function written in C and a list for each of its arguments. It may be called
            again as long as nothing is written.
    """

    __slots__ = ("_calls", "_prepare", "_returned")

    def __init__(self, prepare):
        self._prepare = prepare
        self._calls = None
        self._returned = []

    def begun(self):
        """True if it has written."""
        return bool(self._returned)

    def finished(self):
        """True if nothing is left to do."""
        return self._calls is _DONE

    def run(self):
        """Does what has not been done."""
        returned = self._returned
        if not returned:
            self._calls = self._prepare()
        function, *columns = self._calls
        if returned:
            columns = [column[len(returned) :] for column in columns]
        returned.extend(map(function, *columns))
        self._calls = _DONE


class Several:
    """Units that are made when their turn comes.

    Args:
        make: a function without arguments that writes to nothing and returns the units.
        shared: whether they are independent, so that threads may share them.
    """

    __slots__ = ("_make", "_shared", "_units")

    def __init__(self, make, shared=False):
        self._make = make
        self._shared = shared
        self._units = None

    def begun(self):
        """True if one of them has written."""
        return any([unit.begun() for unit in self._units or ()])

    def finished(self):
        """True if nothing is left to do."""
        return self._units is not None and all([unit.finished() for unit in self._units])

    def run(self):
        """Does what has not been done."""
        if self._units is None:
            self._units = self._make()
        units = [unit for unit in self._units if not unit.finished()]
        if self._shared:
            scheduler.run(lambda number: units[number].run(), len(units))
            return
        for unit in units:
            unit.run()


def complete(units, final=False):
    """Runs units in their order, all of them or none.

    Args:
        units: the units.
        final: whether the running step, of which this is the last part, is not undone afterwards.

    Raises:
        BaseException: what was raised last in between.
    """
    raised = None
    with numpy.errstate(all="ignore"):
        for attempt in range(MOST_ATTEMPTS):
            try:
                for unit in units:
                    unit.run()
                if final:
                    journal.saved = None
                break
            except BaseException as error:
                raised = error
                if attempt == MOST_ATTEMPTS - 1 or not any([unit.begun() for unit in units]):
                    raise
    if raised is not None:
        raise raised
    if arrays.blocking:
        arrays.synchronize()
