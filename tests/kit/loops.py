"""Compiled loops that Python runs, so that tests of what they mean need no Numba."""

from mindspore_compat._backend import compiled


class ByPython(compiled.Loop):
    """A loop that Python runs, one element at a time."""

    def request(self):
        self.ready = self.python()
        return True
