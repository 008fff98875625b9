"""Minstd: C++'s std::default_random_engine, which shuffles MindRecord rows in MindSpore.

In libstdc++ it is std::minstd_rand0: x becomes 16807 x modulo 2^31 - 1. It draws one of 2^31 - 2
values, which is not a power of two, so its distributions differ slightly from the distributions of
`twister`.

Source: the C++ standard, [rand.predef]; Park and Miller, "Random number generators" (1988).
"""

from .twister import Twister

_MODULUS = 2**31 - 1
_ALL = _MODULUS - 2


class Minstd(Twister):
    """std::minstd_rand0, for integers and shuffling.

    Args:
        seed (int): the seed, of 32 bits.
    """

    def __init__(self, seed):
        self.seed(seed)

    def seed(self, seed):
        """Restarts the generator with a seed."""
        self._state = seed % _MODULUS or 1

    def draw(self):
        """Returns a random integer in [0, 2^31 - 3]."""
        self._state = self._state * 16807 % _MODULUS
        return self._state - 1

    def integer(self, low, high):
        """Returns a random integer from `low` to `high`, both included."""
        scale = _ALL // (high - low + 1)
        while True:
            number = self.draw()
            if number < scale * (high - low + 1):
                return low + number // scale

    def shuffle(self, numbers):
        """Shuffles a list in place and returns it."""
        if len(numbers) < 2 or len(numbers) <= _ALL // len(numbers):
            return super().shuffle(numbers)
        for index in range(1, len(numbers)):
            other = self.integer(0, index)
            numbers[index], numbers[other] = numbers[other], numbers[index]
        return numbers
