"""Tests of compiled loops: those that need Numba, and loops that Python runs for the others."""

import numpy as np
import pytest

from mindspore_compat._backend import compiled, parallel_loops


def needs_numba(test):
    """Marks a test that is for where Numba is installed."""
    skip = pytest.mark.skipif(not compiled.available(), reason="needs Numba")
    return pytest.mark.numba(skip(test))


class ByPython(compiled.Loop):
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
