"""The float dtype that inputs are cast to while a Cell with `to_float` runs.

Worked example. In `net.to_float(float16)` the inputs of `construct` are float16, `self.weight` is
still float32, and `x * self.weight` has both; `Op.general` then casts every float to float16
instead of promoting to float32. Ops that only move values leave them as they are.
"""

import threading

from ..._backend.starting import lock_for_forks
from ..._backend.steps.journal import LOCALS


class _State(threading.local):
    """The casting state of this thread: the NumPy dtype to which floats are cast, or None; and the
    low-precision dtype while operations are cast by lists of their names (`amp`, level "auto").
    `strategy` replaces these lists if a script has set its own (../../train/_amp_strategy.py).
    """

    dtype = None
    low = None
    strategy = None


class _Casting:
    """The number of contexts, in all threads, in which operations cast by name (`active`), and in
    which all cast to a float dtype (`floats`). The call paths of operations check them first,
    because they are faster to read than thread-local state."""

    def __init__(self):
        self.active = self.floats = 0
        self.lock = lock_for_forks()

    def add_floats(self, contexts):
        """Adds 1 or -1 to `floats`."""
        with self.lock:
            self.floats += contexts


state = _State()
LOCALS.append(state)
casting = _Casting()


class precision:
    """A context that casts floats to `dtype` (a NumPy dtype); contexts nest."""

    def __init__(self, dtype):
        self.dtype = dtype

    def __enter__(self):
        self.outer = state.dtype
        state.dtype = self.dtype
        if self.outer is None:
            casting.add_floats(1)

    def __exit__(self, *error):
        if self.outer is None:
            casting.add_floats(-1)
        state.dtype = self.outer
