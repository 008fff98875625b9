"""Seeded random streams: a seed and an offset name each draw, on the host and on a GPU alike.

A `Stream` hands out one generator per draw and moves its offset on, so its whole state is two
numbers that can be saved, restored and printed (as mindspore.Generator does). `default` is the
stream that `mindspore.set_seed` seeds; an op called with a seed of its own uses a stream of its
own.
"""

import secrets

import numpy

_MASK = (1 << 64) - 1


class Stream:
    """A sequence of generators, fixed by `seed` and `offset`."""

    def __init__(self, seed=None):
        self.seed = secrets.randbits(31) if seed is None else seed
        self.offset = 0

    def next(self, xp):
        """A generator for one draw on arrays of `xp`; its methods are NumPy's (random, normal,
        ...)."""
        key = (self.seed & _MASK) | ((self.offset & _MASK) << 64)
        self.offset += 1
        if xp.module is numpy:
            return numpy.random.Generator(numpy.random.Philox(key=key))
        mixed = numpy.random.SeedSequence(key).generate_state(1, numpy.uint64)[0]
        return xp.random.Generator(xp.random.Philox4x3210(int(mixed)))

    def state(self):
        """(seed, offset)."""
        return self.seed, self.offset

    def restore(self, state):
        """Go back to a state that `state` returned."""
        self.seed, self.offset = state


default = Stream()


def set_seed(seed):
    """Start the default stream anew."""
    default.seed = seed
    default.offset = 0
