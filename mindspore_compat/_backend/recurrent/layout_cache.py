"""Cache of packed weights (weight_layouts.py) in a replayed step.

A replayed step (steps/recording.py) packs a weight once, although 32 cells may use it. Inside the
context `cache`, a packed weight is reused until the step calls `forget`, which it does before it
writes to any array. The threads that share a product then also find the packed weight in their
processor caches.
"""

import threading


class _Cache(threading.local):
    """The context of a replay, with its packed weights: id of a weight -> (weight, layout)."""

    layouts = None

    def __enter__(self):
        self.layouts = {}

    def __exit__(self, *error):
        self.layouts = None


cache = _Cache()


def forget():
    """Clears the cache, because an array is about to be written to."""
    if cache.layouts:
        cache.layouts.clear()
