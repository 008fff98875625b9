"""Weights in the order in which compiled loops read them (loops.py).

A step that is replayed lays a weight out once, although 32 cells may use it: within `cache` a
layout is used again until the step writes to any array, which it announces by `forget`. So the
threads that share a product also find it in their caches.
"""

import functools
import threading

from ..compiled import jit
from ..compiled.expressions import FLOAT
from ..threads import parallel_loops
from . import loops

VECTOR = 16  # elements of the longest vectors
PANEL = 48  # columns of a panel, a multiple of those of shorter vectors


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


def is_ready():
    """True if `laid_out` can be called; has its loop compiled."""
    return _loop().is_ready()


def laid_out(weight, transposed):
    """A weight (count, width), stored as (width, count) where it is `transposed`, in panels."""
    layouts, key = cache.layouts, (id(weight), transposed)
    if layouts is not None and key in layouts:
        return layouts[key][1]
    count, width = reversed(weight.shape) if transposed else weight.shape
    out = parallel_loops.aligned(count * (width + VECTOR))
    _loop().run(
        parallel_loops.blocks(width, PANEL), jit.flat(weight), int(transposed), count, width, out
    )
    if layouts is not None:
        layouts[key] = weight, out  # the weight, so that no other array gets its id
    return out


@jit.made_once
def _loop():
    array, number, piece = parallel_loops.array, parallel_loops.number, parallel_loops.piece
    parameters = [array(FLOAT), number(), number(), number(), array(FLOAT), piece(0), piece(1)]
    text = functools.partial(jit.text_of, loops.lay_out)
    library = loops.LIBRARY
    return parallel_loops.ParallelLoop(text, parameters, False, "weight", library)
