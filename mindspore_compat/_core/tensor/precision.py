"""The float dtype that inputs are cast to while a Cell with `to_float` runs.

Worked example. In `net.to_float(float16)` the inputs of `construct` are float16, `self.weight` is
still float32, and `x * self.weight` has both; `Op.general` then casts every float to float16
instead of promoting to float32. Ops that only move values leave them as they are.
"""

import threading


class _State(threading.local):
    """The NumPy dtype in force in this thread, or None; and the dtype of low precision while
    operations cast for themselves, by lists of their names (`amp`, level "auto").
    """

    dtype = None
    low = None


class _Casting:
    """In how many contexts, of all threads, operations cast for themselves. The call paths of such
    operations look here first: it is quicker than a look at what belongs to the thread."""

    def __init__(self):
        self.active = 0
        self.lock = threading.Lock()


state = _State()
casting = _Casting()


class precision:
    """A context in which floats are brought to `dtype` (a NumPy dtype); contexts nest."""

    def __init__(self, dtype):
        self.dtype = dtype

    def __enter__(self):
        self.outer = state.dtype
        state.dtype = self.dtype

    def __exit__(self, *error):
        state.dtype = self.outer
