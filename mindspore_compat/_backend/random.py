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

from .steps import current

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
        made = _on_host if xp.module is numpy else _on_device
        make = functools.partial(made, xp, self, self.offset)
        draws = getattr(xp, "draws", None)  # of a vmap's space
        found = draws(make) if draws else make()
        self.offset += 1
        return found

    def state(self):
        """(seed, offset)."""
        recorder = current.running()
        if recorder is not None and recorder.apart is not None:
            recorder.refuse("random numbers that it draws on its own")
        return self.seed, self.offset

    def restore(self, state):
        """Go back to a state that `state` returned."""
        self.seed, self.offset = state


def _key(stream, offset):
    return (stream.seed & _MASK) | ((offset & _MASK) << 64)


def _on_host(xp, stream, offset):
    if current.running() is not None:
        current.running().refuse("random numbers that are drawn on the host")
    return _HostGenerator(numpy.random.Philox(key=_key(stream, offset)))


def _on_device(xp, stream, offset):
    module = xp.module  # of the library, where `xp` is the space of a vmap
    if current.running() is not None:
        return _DeviceGenerator(module, _key(stream, offset), *current.running().draw(stream))
    numbers = [numpy.uint64(each & _MASK) for each in (stream.seed, offset)]
    return _DeviceGenerator(module, _key(stream, offset), *numbers, 0)


class _DeviceGenerator:
    """A generator of a GPU. Uniform numbers of float32 are drawn by a kernel that takes the seed
    and the offset of its stream, so a captured step can go on with others; all else is CuPy's.

    Args:
        module: CuPy.
        key: what CuPy's generator is started with.
        seed, offset: numbers, or 0-d arrays of the GPU.
        before: what is added to the offset.
    """

    def __init__(self, module, key, seed, offset, before):
        self._module, self._key = module, key
        self._place = seed, offset, numpy.uint64(before)

    def random(self, size=None, dtype=numpy.float64, out=None):
        """Numbers in [0, 1)."""
        if size is None or out is not None or dtype != numpy.float32:
            return self._library.random(size, dtype, out)
        made = self._module.empty(size, numpy.float32)
        _uniform(self._module)(*self._place, made)
        return made

    def below(self, size, limit):
        """Whether numbers in [0, 1), drawn as by `random` in float32, are below a limit."""
        made = self._module.empty(size, bool)
        _below(self._module)(*self._place, numpy.float32(limit), made)
        return made

    def standard_gamma(self, shape, *arguments, **keywords):
        """Numbers of the gamma distribution; CuPy draws for shapes below 0 too."""
        if (shape < 0).any():
            raise ValueError("shape < 0")
        return self._library.standard_gamma(shape, *arguments, **keywords)

    def poisson(self, lam, *arguments, **keywords):
        """Numbers of the Poisson distribution; CuPy draws for rates below 0 and NaN too."""
        if not (lam >= 0).all():
            raise ValueError("lam < 0 or lam contains NaNs")
        return self._library.poisson(lam, *arguments, **keywords)

    def __getattr__(self, name):
        return getattr(self._library, name)

    @functools.cached_property
    def _library(self):
        if current.running() is not None:
            current.running().refuse("random numbers other than uniform ones of float32")
        mixed = numpy.random.SeedSequence(self._key).generate_state(1, numpy.uint64)[0]
        random = self._module.random
        return random.Generator(random.Philox4x3210(int(mixed)))


class _HostGenerator(numpy.random.Generator):
    """A generator of the host."""

    def below(self, size, limit):
        """As of `_DeviceGenerator`."""
        return self.random(size, dtype=numpy.float32) < limit


_COUNTER = """
unsigned int k0 = (unsigned int)seed, k1 = (unsigned int)(seed >> 32);
unsigned long long at = (unsigned long long)i, draw = offset + before;
unsigned int c0 = (unsigned int)at, c1 = (unsigned int)(at >> 32);
unsigned int c2 = (unsigned int)draw, c3 = (unsigned int)(draw >> 32);
unsigned long long p, q;
"""
_ROUND = """
p = (unsigned long long)c0 * 0xD2511F53u; q = (unsigned long long)c2 * 0xCD9E8D57u;
c0 = (unsigned int)(q >> 32) ^ c1 ^ k0; c2 = (unsigned int)(p >> 32) ^ c3 ^ k1;
c1 = (unsigned int)q; c3 = (unsigned int)p;
k0 = k0 + 0x9E3779B9u; k1 = k1 + 0xBB67AE85u;
"""


_NUMBER = "(float)(c0 >> 8) * 5.9604644775390625e-8f"


@functools.cache
def _uniform(module):
    """A kernel of Philox 4x32-10 (Salmon et al., 2011): the seed is the key, the offset and the
    element are the counter; of each result 24 bits become a number in [0, 1)."""
    return module.ElementwiseKernel(
        "uint64 seed, uint64 offset, uint64 before",
        "float32 y",
        _COUNTER + 10 * _ROUND + f"y = {_NUMBER};",
        "uniform_numbers",
    )


@functools.cache
def _below(module):
    """A kernel that compares the numbers of `_uniform` with a limit."""
    return module.ElementwiseKernel(
        "uint64 seed, uint64 offset, uint64 before, float32 most",
        "bool y",
        _COUNTER + 10 * _ROUND + f"y = {_NUMBER} < most;",
        "numbers_below",
    )


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


resets = 0  # how often the streams of seeds have been started anew


def set_seed(seed):
    """Start the default stream and those of pairs of seeds anew."""
    global resets
    resets += 1
    default.restore((seed, 0))
    _of_seeds.cache_clear()


# Functions of xp ----------------------------------------------------------------------------------


def random_uniform(xp, shape, low=0.0, high=1.0, seed0=0, seed1=0):
    """Numbers in [low, high), float32."""
    drawn = stream(seed0, seed1).next(xp).random(shape, dtype=numpy.float32)
    return drawn if (low, high) == (0.0, 1.0) else drawn * (high - low) + low


def random_keep(xp, shape, keep, seed0=0, seed1=0):
    """A bool mask that is true with probability `keep`."""
    if keep >= 1:
        return xp.ones(shape, bool)
    return stream(seed0, seed1).next(xp).below(shape, keep)
