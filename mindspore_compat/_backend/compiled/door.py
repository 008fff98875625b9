"""The door to the compiled loops: the registry of functions with loops, and when they are used.

A module of loops registers the functions that it serves. Worked example, rows taken at indices:

    @serves("take", least="TAKE_ROWS", loops=lambda *_: [_loop(take_rows)], takes=_are_rows)
    def take(x, indices):
        ...  # runs the loop, which is ready

The NumPy implementation calls the door first, and computes the result itself if that returns None:

    result = door.call("take", x, indices)
    return x.take(indices, axis) if result is None else result

The result is None without Numba, below the least size (thresholds.py), for arguments that the loop
does not accept, and while the loop is being compiled. The registered function may return None too,
for reasons that only the values show: an index is out of range, a result is not finite.

Only the door knows the loops. It imports them at the first call, from the modules in `providers`;
without providers, NumPy is used everywhere.
"""

import importlib
from typing import NamedTuple

from ..thresholds import Least
from . import jit

providers = []  # names of the modules and packages whose import registers loops
_registered = {}  # name of a function -> its Loops; the first that accepts the arguments runs
_imported = set()


class Loop(NamedTuple):
    """A function that runs compiled loops, and the conditions for its use.

    Attributes:
        run: the function.
        least: the name of its least size in `Least`, or None.
        size: returns the size of the arguments in the unit of `least`; None for the number of
            elements of the first argument.
        takes: whether it accepts the dtypes, layouts and shapes of the arguments.
        loops: returns the jit.Loops that must be ready for the arguments.
    """

    run: object
    least: str
    size: object
    takes: object
    loops: object

    def fits(self, *args):
        """True if it accepts the arguments and its loops are ready; else requests the loops."""
        _, least, size, takes, loops = self
        if least is not None:
            amount = args[0].size if size is None else size(*args)
            if amount < getattr(Least, least):
                return False
        return takes(*args) and all([loop.is_ready() for loop in loops(*args)])


def serves(name, *, least, takes, loops, size=None):
    """Registers a function that runs loops.

    Args:
        name (str): the name of a function of `xp`, or of a part of one.
        least, takes, loops, size: see Loop.
    """

    def register(run):
        _registered.setdefault(name, []).append(Loop(run, least, size, takes, loops))
        return run

    return register


def call(name, *args):
    """The result of the compiled loops for `name`; None if none accepts the arguments or is
    ready."""
    for loop in registered(name):
        if loop.fits(*args):
            return loop.run(*args)
    return None


def find(name, *args):
    """The Loop that `call` would run, or None."""
    return next((loop for loop in registered(name) if loop.fits(*args)), None)


def registered(name):
    """The Loops for a name; empty if loops are switched off."""
    if not jit.available():
        return ()
    if len(_imported) < len(providers):
        _import_providers()
    return _registered.get(name, ())


def names():
    """The names that have loops."""
    _import_providers()
    return _registered.keys()


def _import_providers():
    for name in providers:
        importlib.import_module(name)
        _imported.add(name)
