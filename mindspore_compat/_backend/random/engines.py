"""The engines of MindSpore's random CPU kernels, and the numbers made of their words.

Philox4x32-10 turns a pair of seeds into the seed of an engine. Uniform numbers and integers come
from the Mersenne Twister (MT19937), masks, normal numbers and those of Laplace and multinomial
distributions from the minimal standard generator, x' = 16807 x mod (2**31 - 1) (Park and Miller,
1988). Masks of channels come from it too, but from its first state; Bernoulli numbers come from
Philox.

`first` is the number of words that the engine has given before.
"""

import functools
import threading

import numpy as np

from ..compiled import door
from . import philox
from .twister import Twister

_ROUND_KEYS = philox.round_keys(0x3EC8F720, 0x02461E29)
_MODULUS = (1 << 31) - 1
_MULTIPLIER = 16807
# Scalars of NumPy, because it takes as long to make one as to add small arrays:
_ONE, _UNSIGNED_MODULUS = np.uint64(1), np.uint64(_MODULUS)
_FLOAT_ONE, _MINUS_TWO, _HALF_RANGE = np.float32(1), np.float32(-2), np.float32(2.0**-30)
_BLOCK = 1 << 13  # numbers that are computed at a time, so that they stay in the cache
_FEW = 1 << 11  # states: below, a division costs less than the calls that replace it


@functools.lru_cache(1 << 10)
def _mixed(seeds):
    """Returns two random words, determined by a pair of seeds."""
    a, b = seeds
    counter = a & 0xFFFFFFFF, a >> 32 & 0xFFFFFFFF, b & 0xFFFFFFFF, b >> 32 & 0xFFFFFFFF
    return philox.block(_ROUND_KEYS, counter)[:2]


# The Mersenne Twister -----------------------------------------------------------------------------


class _Shared(threading.local):
    """The twister of all streams that draw only once, because a new one costs more than a draw."""

    @functools.cached_property
    def twister(self):
        return Twister()


_shared = _Shared()


def shared_twister():
    """Returns a twister of this thread."""
    return _shared.twister


def uniform(twister, seeds, first, count):
    """Returns float32 numbers in [0, 1), each made of two words."""
    engine = twister.at(_mixed(seeds)[0], first, 2 * count)
    numbers = np.empty(count, np.float32)
    for begin in range(0, count, _BLOCK):
        engine.fill(numbers[begin : begin + _BLOCK])
    return numbers


def integers(twister, seeds, first, count, low, high):
    """Returns int64 numbers in [low, high), and how many words they took. The difference is below
    2**32. Words beyond its last whole multiple are skipped."""
    engine = twister.at(_mixed(seeds)[0], first, count)
    scale = np.uint32(0xFFFFFFFF // (high - low))
    limit, low = scale * np.uint32(high - low), np.int64(low)
    numbers, drawn, taken = np.empty(count, np.int64), 0, 0
    while drawn < count:
        words = engine.words(min(count - drawn, _BLOCK))
        taken += words.size
        is_kept = words < limit
        if not is_kept.all():
            words = words[is_kept]
        np.add(words // scale, low, out=numbers[drawn : drawn + words.size])
        drawn += words.size
    return numbers, taken


# The minimal standard generator -------------------------------------------------------------------


@functools.cache
def _powers():
    """Returns the powers 1 to _BLOCK of the multiplier."""
    powers = np.array([_MULTIPLIER], np.uint64)
    while powers.size < _BLOCK:
        powers = np.append(powers, _reduced(powers * powers[-1]))
    return powers


def _reduced(products):
    """Returns numbers below 2**62 modulo 2**31 - 1, in place."""
    if products.size < _FEW:
        products %= _UNSIGNED_MODULUS
        return products
    for _ in range(2):
        carried = products >> np.uint64(31)
        products &= _UNSIGNED_MODULUS
        products += carried
    return products


def _state(seeds, first):
    """Returns the state of a pair of seeds after the first ones."""
    low, high = _mixed(seeds)
    start = (low | high << 32) % _MODULUS or 1
    return np.uint64(start * pow(_MULTIPLIER, first, _MODULUS) % _MODULUS)


def _states(state, count):
    """Returns at most _BLOCK states after a state."""
    return _reduced(_powers()[:count] * state)


def floats(seeds, first, count):
    """Returns float32 numbers in [0, 1], one of each state."""
    numbers, state = np.empty(count, np.float32), _state(seeds, first)
    for begin in range(0, count, _BLOCK):
        part = numbers[begin : begin + _BLOCK]
        states = _states(state, part.size)
        part[...] = states - _ONE
        state = states[-1]
    numbers *= np.float32(2.0**-31)
    return numbers


def below(seeds, first, count, limit):
    """Returns a mask of float32 numbers in [0, 1) that are below a limit."""
    mask = np.empty(count, bool)
    most = np.uint64(_states_below(limit))
    for begin in range(0, count, _BLOCK):
        part = mask[begin : begin + _BLOCK]
        np.less_equal(_states(_state(seeds, first + begin), part.size), most, out=part)
    return mask


def channels_below(first, count, limit):
    """Returns a mask of float64 numbers in [0, 1) that are below a limit. Each is made of two
    states; the first state follows 1."""
    mask, scale = np.empty(count, bool), float(_MODULUS - 1)
    state = np.uint64(pow(_MULTIPLIER, first, _MODULUS))
    for begin in range(0, count, _BLOCK // 2):
        part = mask[begin : begin + _BLOCK // 2]
        states = _states(state, 2 * part.size)
        state = states[-1]
        digits = (states - _ONE).astype(np.float64)
        np.less((digits[::2] + digits[1::2] * scale) / (scale * scale), limit, out=part)
    return mask


@functools.lru_cache
def _states_below(limit):
    """Returns how many states have a number, rounded to float32, below a limit."""
    bound = np.float32(limit) * np.float32(1 << 31)
    count = (int(bound) + int(np.nextafter(bound, np.float32(0)))) // 2
    return count if np.float32(count) >= bound else count + 1


def standard_normal(seeds, first, count):
    """Returns float32 numbers of the standard normal distribution by Marsaglia's polar method, and
    how many states they took. The second number of the last pair may be unused."""
    state = _state(seeds, first)
    result = door.call("standard_normal", _powers(), state, count)
    return _polar(state, count) if result is None else result


def _polar(state, count):
    """Computes `standard_normal` with NumPy."""
    numbers, drawn, taken = np.empty(((count + 1) // 2, 2), np.float32), 0, 0
    while drawn < len(numbers):
        tried = int(1.3 * (len(numbers) - drawn)) + 8  # of which 79 % lie within the unit circle
        states = _states(state, 2 * tried)
        points = (states - _ONE).astype(np.float32)
        points *= _HALF_RANGE
        points -= _FLOAT_ONE
        x, y = points[::2], points[1::2]
        square = x * x  # of the distance; never 0: no two successive states are near the middle
        square += y * y
        inside = (square <= _FLOAT_ONE).nonzero()[0][: len(numbers) - drawn]
        square = square[inside]
        factor = np.log(square, dtype=np.float64).astype(np.float32)
        factor *= _MINUS_TWO
        factor /= square
        np.sqrt(factor, factor)
        part = numbers[drawn : drawn + inside.size]
        part[:, 0] = y[inside] * factor
        part[:, 1] = x[inside] * factor
        drawn += inside.size
        taken += states.size if drawn < len(numbers) else 2 * (int(inside[-1]) + 1)
        state = states[-1]
    return numbers.reshape(-1)[:count], taken


# Philox -------------------------------------------------------------------------------------------


def bernoulli(seed, count):
    """Returns float32 numbers in [0, 1) of 23 bits each, always the same for a seed."""
    numbers = np.empty(count, np.float32)
    philox.fill(seed, numbers, lambda words: (words & 0x7FFFFF) * np.float32(2.0**-23), 0)
    return numbers
