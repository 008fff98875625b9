"""Counts the bytes that the stand-in's arrays would take on a device, now and at most.

    with memory.tracked() as held:
        step(x, y)
    held.peak

An array that is created in the block counts until its last view is deleted. The sum is what CuPy's
pool would have in use, without rounding and without the workspaces of libraries.
"""

import contextlib
import weakref

import numpy


class Held:
    """Bytes in use now, and the most so far."""

    def __init__(self):
        self.now = self.peak = 0
        self._known = {}

    def take(self, host):
        """Counts the memory behind an array, once."""
        while isinstance(host.base, numpy.ndarray):
            host = host.base
        key, size = id(host), host.nbytes
        if key not in self._known:
            self._known[key] = weakref.finalize(host, self._give_back, key, size)
            self.now += size
            self.peak = max(self.peak, self.now)

    def _give_back(self, key, size):
        self._known.pop(key, None)
        self.now -= size


OPEN = []  # what is being filled


@contextlib.contextmanager
def tracked():
    """Tracks the arrays that are made while the block runs."""
    found = Held()
    OPEN.append(found)
    try:
        yield found
    finally:
        OPEN.remove(found)
