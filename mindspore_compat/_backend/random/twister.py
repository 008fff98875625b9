"""The Mersenne Twister (MT19937; Matsumoto, Nishimura, 1998), on the host.

An `Engine` gives the words of a seed one after the other. `Twister` chooses the engine for a draw:
NumPy's, or for many words the compiled one (loops/twister.py).
"""

import numpy

from ..compiled import door

WORD = numpy.dtype(numpy.uint32)
_HALF, _WHOLE = numpy.dtype("<u4"), numpy.dtype("<u8")
_FEW = 1 << 10  # words or numbers: below, fewer calls cost less than quicker ones


class Engine:
    """An engine of MT19937. `place` is its seed and the number of words that it has given."""

    place = None

    def start(self, seed, first):
        """Starts at a seed, and skips words."""
        self._seed(seed)
        if first:
            self._skip(first)
        self.place = seed, first

    def words(self, count):
        """Returns an array of the next words."""
        seed, first = self.place
        self.place = seed, first + count
        return self._words(count)

    def fill(self, out):
        """Fills an array with float32 numbers in [0, 1). Two words are the lower and the upper half
        of 64 bits, which are rounded to a float64, scaled, and rounded to a float32."""
        self._convert(self.words(2 * out.size).astype(_HALF, copy=False).view(_WHOLE), out)

    def _convert(self, words, out):
        if out.size < _FEW:
            numpy.multiply(words, 2.0**-64, out=out, casting="unsafe")
            return
        # NumPy converts signed numbers faster. The lowest bit matters only for whether others are
        # zero, so it may be joined to the next.
        halves = words >> numpy.uint64(1)
        words &= numpy.uint64(1)
        halves |= words
        numpy.multiply(halves.view(numpy.int64), 2.0**-63, out=out, casting="unsafe")


class _NumPyEngine(Engine):
    """The engine of NumPy."""

    def __init__(self):
        self._bits = numpy.random.MT19937(0)
        self._state = numpy.random.RandomState(self._bits)

    def _seed(self, seed):
        self._state.seed(seed)

    def _skip(self, count):
        self._bits.random_raw(count, False)

    def _words(self, count):
        if count < _FEW:
            return self._bits.random_raw(count).astype(WORD)
        return self._state.randint(0, 1 << 32, count, WORD)


class Twister:
    """Gives MT19937 engines at any position. A draw that starts where the last one ended continues
    the same engine; any other starts from the seed and skips words."""

    def __init__(self):
        self._of_numpy = _NumPyEngine()
        self._engine = self._of_numpy

    def at(self, seed, first, count):
        """Returns the engine of a seed after its first words, for a draw of about `count` words."""
        if self._engine.place != (seed, first):
            self._engine = door.call("twister", count) or self._of_numpy
            self._engine.start(seed, first)
        return self._engine
