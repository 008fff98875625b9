"""Seeded random streams: a seed and an offset determine each draw, on the host and on a GPU.

A `Stream` returns one generator per draw and advances its offset, so its whole state is two numbers
that can be saved, restored and printed (as mindspore.Generator does). `default` is the stream that
`mindspore.set_seed` seeds. An operator called with explicit seeds uses the stream of these seeds,
which continues from call to call; `set_seed` restarts these streams as well.
"""

import contextlib
import functools
import math
import secrets
import threading

import numpy

from ..cuda import bit_masks
from ..steps import current
from ..steps.refused import Reason
from ..threads.scheduler import blocks

_MASK = (1 << 64) - 1
_DRAWN = 1 << 16  # numbers that `random_bits` draws at a time


class Stream:
    """A sequence of generators, determined by `seed` and `offset`."""

    def __init__(self, seed=None):
        self.seed = secrets.randbits(31) if seed is None else seed
        self.offset = 0

    def next(self, xp):
        """Returns a generator for one draw on arrays of `xp`, with NumPy's methods (random, normal,
        ...). Within a vmap it draws the same numbers for every slice."""
        note_use(self)
        maker = _on_host if xp.module is numpy else _on_device
        make = functools.partial(maker, xp, self, self.offset)
        draws = getattr(xp, "draws", None)  # of a vmap's space
        generator = draws(make) if draws else make()
        self.offset += 1
        return generator

    def state(self):
        """Returns (seed, offset)."""
        recorder = current.running()
        if recorder is not None and recorder.apart is not None:
            recorder.refuse(Reason.HOST_DRAWS)
        return self.seed, self.offset

    def restore(self, state):
        """Restores a state that `state` returned."""
        self.seed, self.offset = state


def _key(stream, offset):
    return (stream.seed & _MASK) | ((offset & _MASK) << 64)


def refuse_in_recording():
    """Ends a recording in which NumPy draws numbers outside a recorded function."""
    if current.running() is not None:
        current.running().refuse(Reason.NUMPY_DRAWS)


def _on_host(xp, stream, offset):
    refuse_in_recording()
    return _HostGenerator(numpy.random.Philox(key=_key(stream, offset)))


def _on_device(xp, stream, offset):
    module = xp.module  # the library's module, even if `xp` is the space of a vmap
    if current.running() is not None:
        return _DeviceGenerator(module, _key(stream, offset), *current.running().draw(stream))
    numbers = [numpy.uint64(number & _MASK) for number in (stream.seed, offset)]
    return _DeviceGenerator(module, _key(stream, offset), *numbers, 0)


class _DeviceGenerator:
    """A random generator on a GPU. A kernel that takes the seed and the offset of the stream draws
    uniform float32 numbers, so replays of a captured step can use new ones; CuPy draws the rest.

    Args:
        module: CuPy.
        key: the seed of CuPy's generator.
        seed, offset: numbers, or 0-d arrays on the GPU.
        before: the number added to the offset.
    """

    def __init__(self, module, key, seed, offset, before):
        self._module, self._key = module, key
        self._place = seed, offset, numpy.uint64(before)

    def random(self, size=None, dtype=numpy.float64, out=None):
        """Draws numbers in [0, 1)."""
        if size is None or out is not None or dtype != numpy.float32:
            return self._library.random(size, dtype, out)
        numbers = self._module.empty(size, numpy.float32)
        _uniform(self._module)(*self._place, numbers)
        return numbers

    def below(self, size, limit):
        """Draws float32 numbers in [0, 1) as `random` does, and returns a mask of those below a
        limit."""
        mask = self._module.empty(size, bool)
        _below(self._module)(*self._place, numpy.float32(limit), mask)
        return mask

    def words_below(self, size, limit):
        """Draws the mask of `below` for `size` elements in bits (cuda/bit_masks.py)."""
        draw = _COUNTER + 10 * _ROUND
        return bit_masks.drawn(self._module, self._place, limit, size, draw, _NUMBER)

    def standard_gamma(self, shape, *arguments, **keywords):
        """Draws gamma distributed numbers; CuPy itself would accept negative shapes."""
        if (shape < 0).any():
            raise ValueError("shape < 0")
        return self._library.standard_gamma(shape, *arguments, **keywords)

    def poisson(self, lam, *arguments, **keywords):
        """Draws Poisson distributed numbers. Rejects negative and NaN rates, which CuPy itself
        accepts."""
        if not (lam >= 0).all():
            raise ValueError("lam < 0 or lam contains NaNs")
        return self._library.poisson(lam, *arguments, **keywords)

    def __getattr__(self, name):
        return getattr(self._library, name)

    @functools.cached_property
    def _library(self):
        if current.running() is not None:
            current.running().refuse(Reason.UNUSUAL_DRAWS)
        mixed = numpy.random.SeedSequence(self._key).generate_state(1, numpy.uint64)[0]
        random = self._module.random
        return random.Generator(random.Philox4x3210(int(mixed)))


class _HostGenerator(numpy.random.Generator):
    """A generator for the host."""

    def below(self, size, limit):
        """Draws float32 numbers in [0, 1), and returns a mask of those below a limit."""
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
    """Returns the kernel that draws uniform numbers by Philox 4x32-10 (Salmon et al., 2011). The
    seed is the key; the offset and the index of the element are the counter; 24 bits of each result
    become a number in [0, 1)."""
    return module.ElementwiseKernel(
        "uint64 seed, uint64 offset, uint64 before",
        "float32 y",
        _COUNTER + 10 * _ROUND + f"y = {_NUMBER};",
        "uniform_numbers",
    )


@functools.cache
def _below(module):
    """Returns the kernel that draws the numbers of `_uniform` and writes whether each is below a
    limit."""
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


def note_use(stream):
    """Notes the offset of a stream, or of another counter, that `replaying` restores."""
    for log in _replays.logs:
        log.setdefault(stream, stream.offset)


@contextlib.contextmanager
def replaying():
    """A context that makes random draws repeatable.

    Yields a function without arguments. It sets every stream that was used since the context began
    back to the offset of its first use, so that later draws repeat the earlier ones.
    """
    log = {}

    def again():
        for stream, offset in log.items():
            stream.offset = offset

    again.log = log
    _replays.logs.append(log)
    try:
        yield again
    finally:
        _replays.logs.pop()


@contextlib.contextmanager
def repeating(log):
    """A context in which draws repeat those of a context `replaying`, whose function has the
    attribute `log`. Afterwards the streams continue where they were."""
    now = {stream: stream.offset for stream in log}
    for stream, offset in log.items():
        stream.offset = offset
    try:
        yield
    finally:
        for stream, offset in now.items():
            stream.offset = offset


default = Stream()


def start(seed, seed2=0):
    """Returns a new stream, determined by a pair of seeds."""
    return Stream((seed or 0) * 1_000_003 + (seed2 or 0))


_of_seeds = functools.lru_cache(1 << 16)(start)


def stream(seed=None, seed2=None):
    """Returns the stream of all calls with these seeds; the default stream without seeds."""
    return _of_seeds(seed, seed2) if seed or seed2 else default


resets = 0  # how often the streams of explicit seeds have been restarted
global_seed = None  # the last seed of `set_seed`


def set_seed(seed):
    """Restarts the default stream, and the streams of explicit seeds."""
    global resets, global_seed
    resets += 1
    global_seed = seed
    default.restore((seed, 0))
    _of_seeds.cache_clear()


# Functions of xp ----------------------------------------------------------------------------------


def random_uniform(xp, shape, low=0.0, high=1.0, source=None):
    """Draws uniform float32 numbers in [low, high), from the default stream or a given one."""
    numbers = (default if source is None else source).next(xp).random(shape, dtype=numpy.float32)
    return numbers if (low, high) == (0.0, 1.0) else numbers * (high - low) + low


def random_keep(xp, shape, keep, seed0=0, seed1=0, source=None):
    """Returns a bool mask that is true with probability `keep`, from a given stream or that of the
    seeds."""
    return _keep(xp, shape, keep, stream(seed0, seed1) if source is None else source)


def _keep(xp, shape, keep, source):
    return xp.ones(shape, bool) if keep >= 1 else source.next(xp).below(shape, keep)


def dropout_mask(xp, shape, dtype, keep, seed0=0, seed1=0, source=None):
    """Draws the mask of `random_keep` in the form that `dropped` takes for arrays of `dtype`: in
    bits on a GPU. The numbers are those of the stream `source`, if given."""
    source = stream(seed0, seed1) if source is None else source
    if 0 < keep < 1 and bit_masks.takes(xp, dtype, shape) and not getattr(xp, "draws", None):
        return source.next(xp).words_below(math.prod(shape), keep)
    return _keep(xp, shape, keep, source)


def kept_ones(xp, mask, shape, dtype):
    """Returns the mask of `dropout_mask` as ones and zeros of a dtype."""
    if mask.dtype == numpy.uint16:
        return bit_masks.ones(xp.module, mask, shape, dtype)
    return xp.cast(mask, dtype)


def random_bits(xp, shape, keep, source=None):
    """Draws a mask as `random_keep` does, from the default stream or a given one, and returns it
    packed in bits: a byte holds eight elements of the last axis. On the host the mask is drawn in
    blocks."""
    *lead, last = shape
    lead = tuple(lead)
    if xp.module is not numpy or keep >= 1 or getattr(xp, "draws", None):
        return _pack_bits(xp, random_keep(xp, shape, keep, source=source))
    generator = (default if source is None else source).next(xp)
    bits = numpy.empty((math.prod(lead), -(-last // 8)), numpy.uint8)
    for rows in blocks(len(bits), max(_DRAWN // max(last, 1), 1)):
        mask = generator.below((rows.stop - rows.start, last), keep)
        bits[rows] = numpy.packbits(mask, axis=-1)
    return bits.reshape(*lead, -1)


def _pack_bits(xp, mask):
    """Returns a bool mask packed in bits: a byte holds eight elements of the last axis."""
    missing = -mask.shape[-1] % 8
    if missing:
        mask = xp.pad(mask, ((0, 0),) * (mask.ndim - 1) + ((0, missing),))
    bits = xp.packbits(xp.ravel(mask))
    return xp.reshape(bits, (*mask.shape[:-1], mask.shape[-1] // 8))
