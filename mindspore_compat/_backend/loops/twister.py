"""The Mersenne Twister as compiled loops of the host.

NumPy makes a call for each word; these loops compute several words at a time with vector
instructions.
"""

import functools

import numpy

from ..compiled.door import serves
from ..random.twister import WORD, Engine
from ..threads.parallel_loops import FLOAT, INDEX, array, blocks, loop_of, piece

LONG = numpy.dtype(numpy.uint64)
WORDS = 624  # of the state


def seed_state(state: array(WORD), seed: array(WORD), first: piece(0), last: piece(1)):
    """Writes the words `first` to `last` of the state of a seed, an array of one word."""
    word = seed[0]
    for i in range(first, last):
        state[i] = word
        word = numpy.uint32(
            numpy.uint64(1812433253) * numpy.uint64(word ^ (word >> numpy.uint32(30)))
            + numpy.uint64(i + 1)
            & numpy.uint64(0xFFFFFFFF)
        )


def next_words(
    state: array(WORD), used: array(INDEX), out: array(WORD), first: piece(0), last: piece(1)
):
    """Generates the next random words and writes them to `out[first:last]`.

    Args:
        state: the 624 words of the generator's state; updated.
        used: how many words of the state have been returned, an array of one element; updated.
        out: the random words.
        first, last: the range of `out` to fill.
    """
    zero, one, odd = numpy.uint32(0), numpy.uint32(1), numpy.uint32(0x9908B0DF)
    high, low = numpy.uint32(0x80000000), numpy.uint32(0x7FFFFFFF)
    near, far = numpy.uint32(11), numpy.uint32(18)
    left, left_mask = numpy.uint32(7), numpy.uint32(0x9D2C5680)
    further, further_mask = numpy.uint32(15), numpy.uint32(0xEFC60000)
    while first < last:
        if used[0] == 624:  # in three parts, each of which reads words that it does not write
            for i in range(227):
                word = (state[i] & high) | (state[i + 1] & low)
                state[i] = state[i + 397] ^ (word >> one) ^ (odd if word & one else zero)
            for i in range(396):
                word = (state[i + 227] & high) | (state[i + 228] & low)
                state[i + 227] = state[i] ^ (word >> one) ^ (odd if word & one else zero)
            word = (state[623] & high) | (state[0] & low)
            state[623] = state[396] ^ (word >> one) ^ (odd if word & one else zero)
            used[0] = 0
        count = min(624 - used[0], last - first)
        source, target = state[used[0] : used[0] + count], out[first : first + count]
        for i in range(count):
            word = source[i]
            word ^= word >> near
            word ^= (word << left) & left_mask
            word ^= (word << further) & further_mask
            target[i] = word ^ (word >> far)
        first += count
        used[0] += count


def convert(words: array(LONG), out: array(FLOAT), first: piece(0), last: piece(1)):
    """Writes the numbers `first` to `last` in [0, 1) of which `words` are the bits."""
    for i in range(first, last):
        out[i] = numpy.float64(words[i]) * 2.0**-64


_seeding, _giving, _converting = (
    functools.partial(loop_of, loop) for loop in (seed_state, next_words, convert)
)


class _CompiledEngine(Engine):
    """The engine that runs the loops."""

    def __init__(self):
        self._state = numpy.empty(WORDS, WORD)
        self._used = numpy.empty(1, INDEX)

    def _seed(self, seed):
        _seeding().run(blocks(WORDS, WORDS), self._state, numpy.array([seed], WORD))
        self._used[0] = WORDS

    def _skip(self, count):
        self._words(count)

    def _words(self, count):
        out = numpy.empty(count, WORD)
        _giving().run(blocks(count, count), self._state, self._used, out)
        return out

    def _convert(self, words, out):
        _converting().run(blocks(out.size, out.size), words, out)


@serves(
    "twister",
    least="TWISTER",
    size=lambda count: count,
    takes=lambda count: True,
    loops=lambda count: [_seeding(), _giving(), _converting()],
)
def engine(count):
    """Returns a new engine, for a draw of about `count` words."""
    return _CompiledEngine()
