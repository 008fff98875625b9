"""The door to the compiled loops: the registry of functions that have loops. It decides for each
call whether a loop is used.

A module of loops registers the functions that it serves. Worked example, rows taken at indices:

    @serves("take", least="TAKE_ROWS", takes=_are_rows, loop=partial(loop_of, take_rows))
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

providers = []  # names of modules and packages whose import registers loops
_complete = False  # whether all providers are imported
_registered = {}  # name of a function -> its Loops; the first that accepts the arguments runs
_LEAST = vars(Least)


class Loop(NamedTuple):
    """A function that runs compiled loops, and the conditions for its use.

    Attributes:
        run: the function.
        least: the name of its least size in `Least`, or None.
        size: returns the size of the arguments in the unit of `least`; None for the number of
            elements of the first argument.
        takes: whether it accepts the dtypes, layouts and shapes of the arguments.
        loop: returns the only jit.Loop that `run` uses; None if `loops` is given.
        loops: takes the arguments, and returns the jit.Loops that must be ready for them; None if
            `loop` is given.
    """

    run: object
    least: str
    size: object
    takes: object
    loop: object
    loops: object


def serves(name, *, least, takes, loop=None, loops=None, size=None):
    """Returns a decorator that registers a function that runs loops.

    Args:
        name (str): the name of a function of `xp`, or of a part of one.
        least, takes, loop, loops, size: see Loop.
    """

    def register(run):
        entry = Loop(run, least, size, takes, loop, loops)
        _registered.setdefault(name, []).append(entry)
        return run

    return register


def call(name, *args):
    """Calls the first registered function for `name` whose loops accept the arguments and are
    ready, and returns its result; None if there is no such function."""
    for entry in registered(name):
        if _fits(entry, args):
            return entry.run(*args)
    return None


def find(name, *args):
    """Returns the Loop that `call` would run, or None."""
    return next((entry for entry in registered(name) if _fits(entry, args)), None)


def names():
    """Returns the names that have loops."""
    _import_providers()
    return _registered.keys()


def registered(name):
    """Returns the Loops for a name; empty if loops are switched off, or while they rest."""
    if not jit.available() or jit.rests():
        return ()
    if not _complete:
        _import_providers()
    return _registered.get(name, ())


def _fits(entry, args):
    """Returns True if a Loop accepts the arguments and is ready. If it accepts them but is not
    ready, requests its compilation.

    It runs before each use of a loop, so it is written to take half a microsecond.
    """
    _, least, size, takes, loop, loops = entry
    if least is not None:
        amount = args[0].size if size is None else size(*args)
        if amount < _LEAST[least]:
            return False
    if not takes(*args):
        return False
    if loops is None:
        return loop().is_ready()
    return all([compiled.is_ready() for compiled in loops(*args)])


def _import_providers():
    global _complete
    for module in providers:
        importlib.import_module(module)
    _complete = True
