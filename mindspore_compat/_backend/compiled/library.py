"""Functions that compiled loops of the host call, with those of tiles.py."""

import functools
import inspect
import types

from . import tiles

NAMES = {
    "LANES",
    "ROWS",
    "VECTORS",
    "DOT_ROWS",
    "STREAMS",
    "tile",
    "gather_tile",
    "panel_tile",
    "dots",
    "copy_vector",
    "prefetch",
    "clear_vector",
    "transpose_square",
    "pointer",
}


class Library:
    """Functions that compiled loops may call.

    Args:
        *functions: Python functions, which may call `tile`, `dots` and the functions before them.
        further: an object with more functions to call: its `definitions()` and `intrinsics()`, by
            name, and its `text()` (winograd_tiles.Method).
        **constants: numbers.
    """

    def __init__(self, *functions, further=None, **constants):
        self.python = {name: getattr(tiles, name) for name in NAMES}
        self.python |= (further.definitions() if further else {}) | constants
        for function in functions:
            self.python[function.__name__] = _bound(function, self.python)
        self._functions, self._further, self._constants = functions, further, constants

    def text(self):
        """Returns their source, part of the key of cached loops."""
        texts = map(inspect.getsource, (tiles, *self._functions))
        further = self._further.text() if self._further else ""
        return "".join(texts) + further + repr(self._constants)

    @functools.cache  # noqa: B019 - libraries are constants of modules
    def compiled(self):
        """Returns the functions by name, to be compiled into the loops that call them."""
        import numba

        further = self._further.intrinsics() if self._further else {}
        scope = {**tiles.intrinsics(), **further, **self._constants}
        for function in self._functions:
            jitted = numba.njit(error_model="numpy")(_bound(function, scope))
            scope[function.__name__] = jitted
        return scope


def _bound(function, scope):
    """Returns a copy of a function, with the names of a scope in place of its module's globals."""
    return types.FunctionType(
        function.__code__, {**function.__globals__, **scope}, function.__name__
    )


LIBRARY = Library()
