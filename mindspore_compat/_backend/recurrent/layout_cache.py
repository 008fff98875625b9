"""Layouts of weights (weight_layouts.py) that a replayed step uses again.

A step that is replayed lays a weight out once, although 32 cells may use it: within `cache` a
layout is used again until the step writes to any array, which it announces by `forget`. So the
threads that share a product also find it in their caches.
"""

import threading


class _Cache(threading.local):
    """A context of a replay, with its layouts: by weight, the weight itself and the layout."""

    layouts = None

    def __enter__(self):
        self.layouts = {}

    def __exit__(self, *error):
        self.layouts = None


cache = _Cache()


def forget():
    """Has weights laid out anew: an array is about to be written to."""
    if cache.layouts:
        cache.layouts.clear()
