"""`Library`: the functions that a compiled loop for the host may call. Every library contains those
of tiles.py."""

import functools
import inspect
import types

from . import tiles, vector_sizes

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
    """A set of functions that compiled loops may call; each module of loops makes its own.

    Args:
        *functions: Python functions, which may call `tile`, `dots` and the functions before them.
        further: an object with more functions (winograd_tiles.Method). Its `definitions()` returns
            them by name as Python functions, `intrinsics()` for compiled code, and `text()` their
            source.
        **constants: numbers that the functions and loops refer to by name.
    """

    def __init__(self, *functions, further=None, **constants):
        self.python = {name: getattr(tiles, name) for name in NAMES}
        self.python |= (further.definitions() if further else {}) | constants
        for function in functions:
            self.python[function.__name__] = _bound(function, self.python)
        self._functions, self._further, self._constants = functions, further, constants

    def __reduce__(self):
        return _unpickled, (self._functions, self._further, tuple(self._constants.items()))

    @functools.cache  # noqa: B019 - libraries are constants of modules
    def text(self):
        """Returns the source of the functions, which is part of the key of cached loops."""
        texts = map(inspect.getsource, (vector_sizes.sizes_of, tiles, *self._functions))
        further = self._further.text() if self._further else ""
        return "".join(texts) + further + repr(self._constants)

    @functools.cache  # noqa: B019 - libraries are constants of modules
    def compiled(self):
        """Returns the functions by name, in the form in which Numba compiles them into loops."""
        import numba

        further = self._further.intrinsics() if self._further else {}
        scope = {**tiles.intrinsics(), **further, **self._constants}
        for function in self._functions:
            jitted = numba.njit(error_model="numpy")(_bound(function, scope))
            scope[function.__name__] = jitted
        return scope


def _bound(function, scope):
    """Returns a copy of a function in which the names of `scope` replace globals of its module."""
    return types.FunctionType(
        function.__code__, {**function.__globals__, **scope}, function.__name__
    )


@functools.cache  # so that all loops share the compiled functions
def _unpickled(functions, further, constants):
    return Library(*functions, further=further, **dict(constants))


LIBRARY = Library()
