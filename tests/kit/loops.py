"""Helpers for tests of compiled loops, with Numba or as Python."""

import contextlib

import numpy as np
import pytest

from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.threads import parallel_loops, scheduler


def needs_numba(test):
    """Marks a test that is for where Numba is installed."""
    skip = pytest.mark.skipif(not jit.available(), reason="needs Numba")
    return pytest.mark.numba(skip(test))


@contextlib.contextmanager
def made_anew(monkeypatch, module, **constants):
    """A context in which arrays wait for the loops of a module, which are made anew.

    Args:
        constants: what numbers of the module are meanwhile.
    """
    for name, value in constants.items():
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(jit, "available", lambda: True)
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    loops = module._loop
    loops.cache_clear()
    yield
    loops.cache_clear()


@contextlib.contextmanager
def on_threads(count):
    """A context in which so many threads share large work."""
    scheduler.limit(count)
    try:
        yield
    finally:
        scheduler.limit(0)


class ByPython(jit.Loop):
    """A loop that Python runs, one element at a time."""

    def request(self):
        self.ready = self.python()
        return True


class ParallelByPython(parallel_loops.ParallelLoop):
    """The same of a loop that threads share; it does piece by piece."""

    def request(self):
        self.ready = self.python()
        return True

    def run(self, table, *given):
        fits = True
        for row in table:
            rest = iter(given)
            arguments = []
            for kind, dtype, column in self._parameters:
                value = None if kind == "piece" else next(rest)
                if kind == "piece":
                    value = int(row[column])
                elif kind == "memory":
                    value = np.empty(value, dtype)
                elif kind == "part":
                    value = value[row[column] : row[column + 1]]
                arguments.append(value)
            fits = self.ready(*arguments) is not False and fits
        return fits
