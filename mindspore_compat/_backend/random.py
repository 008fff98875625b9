"""Seeded random streams: a seed and an offset name each draw, on the host and on a GPU.

A `Stream` hands out one generator per draw and moves its offset on, so its whole state is two
numbers that can be saved, restored and printed (as mindspore.Generator does). `default` is the
stream that `mindspore.set_seed` seeds; an op called with a seed of its own uses a stream of its
own, which goes on from call to call, and `set_seed` starts those anew as well.
"""

import contextlib
import functools
import secrets
import threading

import numpy

_MASK = (1 << 64) - 1


class Stream:
    """A sequence of generators, fixed by `seed` and `offset`."""

    def __init__(self, seed=None):
        self.seed = secrets.randbits(31) if seed is None else seed
        self.offset = 0

    def next(self, xp):
        """A generator for one draw on arrays of `xp`; its methods are NumPy's (random, normal,
        ...). Within a vmap it draws the same for every slice."""
        for log in _replays.logs:
            log.setdefault(self, self.offset)
        key = (self.seed & _MASK) | ((self.offset & _MASK) << 64)
        self.offset += 1
        draws = getattr(xp, "draws", None)  # of a vmap's space
        return draws(lambda: _generator(xp, key)) if draws else _generator(xp, key)

    def state(self):
        """(seed, offset)."""
        return self.seed, self.offset

    def restore(self, state):
        """Go back to a state that `state` returned."""
        self.seed, self.offset = state


def _generator(xp, key):
    if xp.module is numpy:
        return numpy.random.Generator(numpy.random.Philox(key=key))
    mixed = numpy.random.SeedSequence(key).generate_state(1, numpy.uint64)[0]
    random = xp.module.random  # of the library, where `xp` is the space of a vmap
    return random.Generator(random.Philox4x3210(int(mixed)))


class _Replays(threading.local):
    def __init__(self):
        self.logs = []


_replays = _Replays()


@contextlib.contextmanager
def replaying():
    """A context that gives a function which sets every stream drawn from since its start back to
    where it stood then, so that what follows draws the same again."""
    log = {}

    def again():
        for stream, offset in log.items():
            stream.offset = offset

    _replays.logs.append(log)
    try:
        yield again
    finally:
        _replays.logs.pop()


default = Stream()


def start(seed, seed2=0):
    """A new stream that a pair of seeds fixes."""
    return Stream((seed or 0) * 1_000_003 + (seed2 or 0))


_of_seeds = functools.lru_cache(1 << 16)(start)


def stream(seed=None, seed2=None):
    """The stream of all calls with these seeds; the default one if there are none."""
    return _of_seeds(seed, seed2) if seed or seed2 else default


def set_seed(seed):
    """Start the default stream and those of pairs of seeds anew."""
    default.restore((seed, 0))
    _of_seeds.cache_clear()
