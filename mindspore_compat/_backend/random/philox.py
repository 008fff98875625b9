"""Philox4x32-10, the counter-based generator from which MindSpore draws initial weights and the
seeds of its CPU kernels.

Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3" (2011). NumPy's `Philox`
is the variant with four 64-bit words.
"""

import numpy as np

_MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_WEYL = 0x9E3779B9, 0xBB67AE85  # added to the two words of the key after each round
_ROUNDS = 10
_BLOCK = 1 << 12  # counters at a time, so that their words stay in the cache
_FEW = 16  # counters: below, Python computes as fast as array functions
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def fill(seed, out, convert, upper=None):
    """Fills a flat array with converted random words of 32 bits.

    Args:
        seed (int): the key, of 64 bits.
        out: the array.
        convert: a function from an array of words to an array of values of the same length. The
            number of words that it receives is a multiple of four.
        upper (int, optional): the upper half of the counter, of 64 bits; None for the seed.
    """
    upper = seed if upper is None else upper
    for first in range(0, out.size, 4 * _BLOCK):
        part = out[first : first + 4 * _BLOCK]
        part[...] = convert(_words(seed, upper, first // 4, -(-part.size // 4)))[: part.size]


def _words(seed, upper, first, count):
    """Returns the words of `count` counters from `first` on, four of each."""
    if count < _FEW:
        half, keys = upper & int(_LOW), round_keys(seed & int(_LOW), seed >> 32)
        counters = [
            (n & int(_LOW), n >> 32, half, upper >> 32) for n in range(first, first + count)
        ]
        return np.array([block(keys, c) for c in counters], np.uint32).reshape(-1)
    key = [seed & int(_LOW), seed >> 32]
    c0 = np.arange(first, first + count, dtype=np.uint64)
    c1 = c0 >> _HALF
    c0 &= _LOW
    c2, c3 = (np.full(count, word, np.uint64) for word in (upper & int(_LOW), upper >> 32))
    for _ in range(_ROUNDS):
        c0 *= _MULTIPLIERS[0]
        c2 *= _MULTIPLIERS[1]
        c1 ^= np.uint64(key[0])
        c1 ^= c2 >> _HALF
        c3 ^= np.uint64(key[1])
        c3 ^= c0 >> _HALF
        c2 &= _LOW
        c0 &= _LOW
        c0, c1, c2, c3 = c1, c2, c3, c0
        key = [word + step & int(_LOW) for word, step in zip(key, _WEYL, strict=True)]
    return np.stack([c0, c1, c2, c3], 1).astype(np.uint32).reshape(-1)


def round_keys(low, high):
    """Returns the two words of the key for each round."""
    first, second = _WEYL
    return [(low + i * first & int(_LOW), high + i * second & int(_LOW)) for i in range(_ROUNDS)]


def block(keys, counter):
    """Returns the four words of one counter.

    Args:
        keys (list): what `round_keys` returns.
        counter (tuple): four words of 32 bits.
    """
    c0, c1, c2, c3 = counter
    for low, high in keys:
        p, q = c0 * 0xD2511F53, c2 * 0xCD9E8D57
        c0, c1, c2, c3 = q >> 32 ^ c1 ^ low, q & 0xFFFFFFFF, p >> 32 ^ c3 ^ high, p & 0xFFFFFFFF
    return c0, c1, c2, c3
