"""Packs weights in the order in which compiled loops read them (loops.py)."""

from ..compiled import jit
from ..threads.parallel_loops import aligned, blocks, loop_of
from . import loops
from .layout_cache import cache

VECTOR = 16  # elements of the longest vectors
PANEL = 48  # columns of a panel, a multiple of those of shorter vectors


def _loop():
    return loop_of(loops.lay_out, loops.LIBRARY)


def is_ready():
    """Returns True if the loop of `pack` is compiled; otherwise requests its compilation."""
    return _loop().is_ready()


def pack(weight, transposed):
    """Returns a weight (count, width), stored as (width, count) if `transposed`, packed in
    panels."""
    layouts, key = cache.layouts, (id(weight), transposed)
    if layouts is not None and key in layouts:
        return layouts[key][1]
    count, width = reversed(weight.shape) if transposed else weight.shape
    out = aligned(count * (width + VECTOR))
    _loop().run(blocks(width, PANEL), jit.flat(weight), int(transposed), count, width, out)
    if layouts is not None:
        layouts[key] = weight, out  # kept, so that no other array gets the weight's id
    return out
