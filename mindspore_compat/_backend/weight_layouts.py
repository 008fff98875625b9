"""Weights in the order in which compiled loops read them (recurrent_loops.py).

A step that is replayed lays a weight out once, although 32 cells may use it: within `kept` a layout
is used again until the step writes to any array, which it announces by `forget`. So the threads
that share a product also find it in their caches.
"""

import functools
import threading

import numpy

from . import compiled, parallel_loops, recurrent_loops, scheduler
from .loop_text import FLOAT

VECTOR = 16  # elements of the longest vectors
PANEL = 48  # columns of a panel, a multiple of those of shorter vectors
LINE = 64  # bytes of a cache line, where the longest vectors begin


class _Kept(threading.local):
    """A context of a replay, with its layouts: by weight, the weight itself and the layout."""

    layouts = None

    def __enter__(self):
        self.layouts = {}

    def __exit__(self, *error):
        self.layouts = None


kept = _Kept()


def forget():
    """Has weights laid out anew: an array is about to be written to."""
    if kept.layouts:
        kept.layouts.clear()


def is_ready():
    """True if `laid_out` can be called; has its loop compiled."""
    return _loop().is_ready()


def laid_out(weight, transposed):
    """A weight (count, width), stored as (width, count) where it is `transposed`, in panels."""
    layouts, key = kept.layouts, (id(weight), transposed)
    if layouts is not None and key in layouts:
        return layouts[key][1]
    count, width = reversed(weight.shape) if transposed else weight.shape
    out = numpy.empty(count * (width + VECTOR) + LINE // FLOAT.itemsize, FLOAT)
    start = -out.__array_interface__["data"][0] % LINE // FLOAT.itemsize
    out = out[start:]
    _loop().run(pieces(width, PANEL), compiled.flat(weight), int(transposed), count, width, out)
    if layouts is not None:
        layouts[key] = weight, out  # the weight, so that no other array gets its id
    return out


@functools.lru_cache(maxsize=256)
def pieces(count, size):
    """The beginnings and ends of the pieces of range(count), as a table for a ParallelLoop."""
    return numpy.array([[part.start, part.stop] for part in scheduler.blocks(count, size)])


@functools.cache
def _loop():
    array, number, piece = parallel_loops.array, parallel_loops.number, parallel_loops.piece
    parameters = [array(FLOAT), number(), number(), number(), array(FLOAT), piece(0), piece(1)]
    text = functools.partial(compiled.text_of, recurrent_loops.lay_out)
    library = recurrent_loops.LIBRARY
    return parallel_loops.ParallelLoop(text, parameters, False, "weight", library)
