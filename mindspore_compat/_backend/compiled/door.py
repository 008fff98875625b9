"""The door to the compiled loops: what they serve, and the one place where they are refused.

A module of loops registers what it serves. Worked example, of rows that are taken at indices:

    @serves("take", least="TAKE_ROWS", loops=lambda *_: [_loop(take_rows)], takes=_are_rows)
    def take(x, indices):
        ...  # runs the loop, which is ready

NumPy's way asks at the door, and goes on where the answer is None:

    found = door.call("take", x, indices)
    return x.take(indices, axis) if found is None else found

The answer is None without Numba, below the least size (thresholds.py), for arguments that the loop
does not take, and while the loop is being compiled. A function that is called may give None too,
where only the values tell: an index is out of range, a result is not finite.

Nothing but the door knows the loops. They are imported when one is first asked for, from the
modules that `providers` names; without a provider, NumPy's way is taken everywhere.
"""

import importlib
from typing import NamedTuple

from ..thresholds import Least
from . import jit

providers = []  # names of the modules and packages whose import registers loops
_registered = {}  # name of what is served -> its Loops; the first that takes the arguments is run
_imported = set()


class Loop(NamedTuple):
    """A function that runs compiled loops, and when it does.

    Attributes:
        run: the function.
        least: the name of its least size in `Least`; None for none.
        size: gives the size of the arguments in the unit of `least`; None for the elements of the
            first one.
        takes: whether it takes the arguments: their dtypes, layout and shapes.
        loops: gives the jit.Loops that must be ready for the arguments.
    """

    run: object
    least: str
    size: object
    takes: object
    loops: object

    def fits(self, *args):
        """True if it takes the arguments, and its loops are ready; has them compiled."""
        _, least, size, takes, loops = self
        if least is not None:
            given = args[0].size if size is None else size(*args)
            if given < getattr(Least, least):
                return False
        return takes(*args) and all([each.is_ready() for each in loops(*args)])


def serves(name, *, least, takes, loops, size=None):
    """Registers a function that runs loops.

    Args:
        name (str): what it serves, a function of `xp` or a part of one.
        least, takes, loops, size: see Loop.
    """

    def register(run):
        _registered.setdefault(name, []).append(Loop(run, least, size, takes, loops))
        return run

    return register


def call(name, *args):
    """What compiled loops give for what `name` serves; None where they are not for the arguments,
    or not ready."""
    for loop in registered(name):
        if loop.fits(*args):
            return loop.run(*args)
    return None


def find(name, *args):
    """The Loop that `call` would run, or None."""
    return next((loop for loop in registered(name) if loop.fits(*args)), None)


def registered(name):
    """The Loops that serve a name; none where loops are switched off."""
    if not jit.available():
        return ()
    if len(_imported) < len(providers):
        _import_providers()
    return _registered.get(name, ())


def names():
    """What has loops."""
    _import_providers()
    return _registered.keys()


def _import_providers():
    for name in providers:
        importlib.import_module(name)
        _imported.add(name)
