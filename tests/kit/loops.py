"""Tests of compiled loops: those that need Numba, and loops that Python runs for the others."""

import pytest

from mindspore_compat._backend import compiled


def needs_numba(test):
    """Marks a test that is for where Numba is installed."""
    skip = pytest.mark.skipif(not compiled.available(), reason="needs Numba")
    return pytest.mark.numba(skip(test))


class ByPython(compiled.Loop):
    """A loop that Python runs, one element at a time."""

    def request(self):
        self.ready = self.python()
        return True
