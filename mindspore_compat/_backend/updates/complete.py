"""Updates of parameters that are either complete or not begun, even if an exception interrupts
them. Optimizers and loss scales make their writes through this module.

A KeyboardInterrupt, or an exception that another signal handler, a thread or a debugger raises, may
come between any two instructions of Python. An update of parameters and states is therefore a list
of *units*. A unit first prepares: it computes new values in separate memory. Then it writes, by
calls of functions written in C, which one `list.extend` of a `map` makes. No Python runs between
these calls, so nothing is raised there, and the length of the list tells how many have returned.

    def prepare():
        return assigned([parameter, moments], adam(parameter, moments, gradient))

    complete([Unit(prepare), Unit(lambda: assigned([count], [count + 1]))])

`complete` runs units. If something is raised before the first write, it propagates at once; later,
the remaining units run first. If memory is lacking then, they use the memory of a `Reserve`. What a
step changes before is undone (steps/journal.py).
"""

import itertools
import operator
import traceback

import numpy

from .. import arrays
from ..steps.journal import journal
from ..threads import scheduler

MOST_ATTEMPTS = 100  # so that an error that recurs ends the update
_call = operator.methodcaller("__call__")
_DONE = []


def assigned(targets, values):
    """Returns the calls that assign each of `values` to the array in `targets`, in the form that
    the `prepare` of a Unit returns."""
    return operator.setitem, targets, [...] * len(targets), values


def called(functions):
    """Returns the calls of functions without arguments, in the form that the `prepare` of a Unit
    returns. The functions must be written in C."""
    return _call, functions


class Unit:
    """A group of writes of an update; `complete` makes all of them or none.

    Args:
        prepare: a function without arguments that writes to nothing that outlives the update, and
            returns a function written in C and a list for each of its arguments, or a list of such
            tuples. It may be called again as long as nothing is written.
    """

    __slots__ = ("_calls", "_prepare", "_returned")

    def __init__(self, prepare):
        self._prepare = prepare
        self._calls = None
        self._returned = []

    def within(self, before, after):
        """Returns this unit between a function that writes to nothing that outlives the update,
        and the calls that another one returns as `prepare` does."""
        prepare = self._prepare

        def whole():
            before()
            return [*_groups(prepare()), after()]

        return Unit(whole)

    def begun(self):
        """Returns True if the unit has written anything."""
        return bool(self._returned)

    def finished(self):
        """Returns True if the unit has made all its writes."""
        return self._calls is _DONE

    def run(self):
        """Prepares unless the unit has begun to write, and makes the writes that are left."""
        returned = self._returned
        if returned:
            groups = _left(self._calls, len(returned))
        else:
            groups = self._calls = _groups(self._prepare())
        if len(groups) == 1:
            returned.extend(map(*groups[0]))
        else:
            returned.extend(itertools.chain.from_iterable([map(*group) for group in groups]))
        self._calls = _DONE


def _groups(calls):
    return calls if type(calls) is list else [calls]


def _left(groups, count):
    """Returns the calls of groups without the first `count` ones."""
    left = []
    for function, *columns in groups:
        left.append((function, *[column[count:] for column in columns]))
        count = max(count - len(columns[0]), 0)
    return left


class Several:
    """A list of units that is made only when `complete` reaches it; it counts as one unit.

    Args:
        make: a function without arguments that writes to nothing and returns the units.
        shared: whether the units are independent, so that threads may share them.
    """

    __slots__ = ("_make", "_shared", "_units")

    def __init__(self, make, shared=False):
        self._make = make
        self._shared = shared
        self._units = None

    def within(self, before, after):
        """Returns these units between two functions, as `Unit.within`."""

        def units():
            before()
            return [self, Unit(after)]

        return Several(units)

    def begun(self):
        """Returns True if one of the units has written anything."""
        return any([unit.begun() for unit in self._units or ()])

    def finished(self):
        """Returns True if all units have made all their writes."""
        return self._units is not None and all([unit.finished() for unit in self._units])

    def run(self):
        """Creates the units unless they exist, and runs the unfinished ones."""
        if self._units is None:
            self._units = self._make()
        units = [unit for unit in self._units if not unit.finished()]
        if self._shared:
            scheduler.run(lambda number: units[number].run(), len(units))
            return
        for unit in units:
            unit.run()


class Reserve:
    """Reserves memory for the units behind it. It is allocated before they write, and freed if one
    of them runs out of memory, so that all can be completed. None of its pages is touched.

    Args:
        count (int): the number of bytes.
    """

    __slots__ = ("_count", "_memory")

    def __init__(self, count):
        self._count = count
        self._memory = None

    def run(self):
        """Takes the memory, unless it has been taken before."""
        if self._count:
            self._memory, self._count = numpy.empty(self._count, numpy.uint8), 0

    def give_up(self):
        """Frees the memory."""
        self._memory = None

    def begun(self):
        """Returns False: it writes nothing."""
        return False


def _make_room(units, error):
    """Frees memory: the local variables of the frames of a MemoryError, and the reserves among the
    units.
    """
    traceback.clear_frames(error.__traceback__)
    for unit in units:
        if type(unit) is Reserve:
            unit.give_up()


def complete(units, final=False):
    """Runs units in their order, all of them or none.

    Args:
        units: the units.
        final: whether this is the last part of the running step, so that nothing undoes the step
            afterwards.

    Raises:
        BaseException: the last exception that interrupted the units.
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
                if isinstance(error, MemoryError):
                    _make_room(units, error)
    if raised is not None:
        try:
            raise raised
        finally:
            raised = None  # its traceback has this frame, and all that the callers' frames hold
    if arrays.blocking:
        arrays.synchronize()
