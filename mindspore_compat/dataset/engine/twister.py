"""Random numbers of the C++ standard library, so that seeded orders equal MindSpore's.

`Twister` is std::mt19937 with the libstdc++ distributions that MindSpore's samplers and image
operations use; `Twister64` is std::mt19937_64, which its shuffle buffer uses. The 32-bit generator
is NumPy's MT19937, read in blocks; the 64-bit generator is implemented here.

Worked example. `Twister(1).shuffle([0, 1, 2, 3])` gives the same result as

    std::mt19937 generator(1);
    std::shuffle(numbers.begin(), numbers.end(), generator);

std::shuffle draws one number for two swaps while n * n fits in 32 bits, and
std::uniform_int_distribution rejects the few draws that would favour small numbers.

Sources: the C++ standard, [rand.predef] and [alg.random.shuffle]; Matsumoto and Nishimura,
"Mersenne Twister" (1998); Nishimura, "Tables of 64-bit Mersenne Twisters" (2000).
"""

import math
import threading
from bisect import bisect_left
from itertools import accumulate

import numpy as np

_ALL = 0xFFFFFFFF
_FIRST, _BLOCK = 16, 624  # sizes of the first block of numbers and of later blocks
_of_thread = threading.local()


def _seed_source(source, seed):
    """Seeds NumPy's generator like the C++ generator."""
    source._legacy_seeding(seed)
    return source


def _shared_source():
    """Returns a shared generator for the first numbers of streams: most streams are short, and
    creating a generator takes longer.

    Each thread has its own, as another thread could reseed it in between.
    """
    if not hasattr(_of_thread, "source"):
        _of_thread.source = np.random.MT19937()
    return _of_thread.source


class Twister:
    """std::mt19937 with distributions of libstdc++.

    Args:
        seed (int): the seed, of 32 bits.
    """

    def __init__(self, seed):
        self.seed(seed)

    def seed(self, seed):
        """Restarts the generator with a seed."""
        self._seed, self._source = seed & _ALL, None
        self._block, self._next, self._begun = [], 0, False
        self._spare = self._floats = None

    def draw(self):
        """Returns a random integer of 32 bits."""
        if self._next == len(self._block):
            self._block, self._next = self._draw_words(_BLOCK if self._begun else _FIRST), 0
        self._next += 1
        return self._block[self._next - 1]

    def _draw_words(self, count):
        """Returns the next 32-bit numbers, as a list."""
        if not self._begun and count == _FIRST:
            self._begun = True
            return _seed_source(_shared_source(), self._seed).random_raw(_FIRST).tolist()
        if self._source is None:
            self._source = _seed_source(np.random.MT19937(), self._seed)
            self._source.random_raw(_FIRST if self._begun else 0)
            self._begun = True
        return self._source.random_raw(count).tolist()

    def integer(self, low, high):
        """Returns a random integer from `low` to `high`, both included."""
        count = high - low + 1
        scale = _ALL // count if count <= _ALL else 1
        limit = count * scale
        while True:
            number = self.draw()
            if number < limit or count > _ALL:
                return low + number // scale

    def unit(self):
        """Returns a random float with 53 bits in [0, 1)."""
        low = self.draw()
        number = (low + self.draw() * 4294967296.0) / 18446744073709551616.0
        return number if number < 1.0 else math.nextafter(1.0, 0.0)

    def unit32(self):
        """Returns a random float with 24 bits in [0, 1), drawn like a C++ float."""
        number = np.float32(self.draw()) / np.float32(4294967296.0)
        return float(number) if number < 1 else float(np.nextafter(np.float32(1), np.float32(0)))

    def uniform(self, low, high):
        """Returns a random double in [low, high)."""
        return self.unit() * (high - low) + low

    def uniform32(self, low, high):
        """Returns a random C++ float in [low, high)."""
        low, high = np.float32(low), np.float32(high)
        return float(np.float32(self.unit32()) * (high - low) + low)

    def chance(self, probability):
        """Returns True with this probability."""
        return self.unit() < probability

    def normal(self):
        """Returns a standard normal number by Marsaglia's polar method: two numbers per pair of
        draws.
        """
        if self._spare is not None:
            number, self._spare = self._spare, None
            return number
        while True:
            x, y = 2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0
            square = x * x + y * y
            if 0.0 < square <= 1.0:
                factor = math.sqrt(-2 * math.log(square) / square)
                self._spare = x * factor
                return y * factor

    def normal32(self):
        """Returns `normal` as C++ floats."""
        if self._floats is None:
            self._floats = Normal32(self)
        return float(self._floats())

    def normals(self, count):
        """Returns the next numbers of `normal` as an array; the spare number of a pair is
        dropped.
        """
        chunks = [] if self._spare is None else [np.array([self._spare])]
        self._spare = None
        while (missing := count - sum(map(len, chunks))) > 0:
            pairs = -(-missing // 2)
            words = np.array(self._block[self._next :], np.float64)
            lacking = 4 * pairs - len(words)
            if lacking > 0:
                words = np.concatenate([words, self._draw_words(lacking)])
            self._block, self._next = words[4 * pairs :].astype(np.int64).tolist(), 0
            low, high = words[: 4 * pairs].reshape(-1, 2, 2).transpose(2, 0, 1)
            units = np.minimum(
                (low + high * 4294967296.0) / 18446744073709551616.0, math.nextafter(1.0, 0.0)
            )
            x, y = (2.0 * units - 1.0).T
            square = x * x + y * y
            is_inside = (0.0 < square) & (square <= 1.0)
            x, y, square = x[is_inside], y[is_inside], square[is_inside]
            logarithm = np.array(
                list(map(math.log, square.tolist()))
            )  # NumPy's logarithm rounds differently
            factor = np.sqrt(-2 * logarithm / square)
            chunks.append(np.stack([y * factor, x * factor], 1).reshape(-1))
        return np.concatenate(chunks)[:count] if chunks else np.zeros(0)

    def gamma(self, shape):
        """Returns a number of the gamma distribution with scale 1 (Marsaglia and Tsang, 2000)."""
        if shape < 1:
            return self.gamma(shape + 1) * (1.0 - self.unit()) ** (1.0 / shape)
        start = shape - 1 / 3
        scale = 1 / math.sqrt(9 * start)
        while True:
            x = self.normal()
            cube = (1 + scale * x) ** 3
            if cube > 0:
                limit = 0.5 * x * x + start - start * cube + start * math.log(cube)
                if math.log(1.0 - self.unit()) < limit:
                    return start * cube

    def shuffle(self, numbers):
        """Shuffles a list in place and returns it."""
        count = len(numbers)
        if count < 2:
            return numbers
        if count > _ALL // count:
            for index in range(1, count):
                other = self.integer(0, index)
                numbers[index], numbers[other] = numbers[other], numbers[index]
            return numbers
        index = 1
        if count % 2 == 0:
            other = self.integer(0, 1)
            numbers[1], numbers[other] = numbers[other], numbers[1]
            index = 2
        while index < count:
            size = index + 1
            first, second = divmod(self.integer(0, size * (size + 1) - 1), size + 1)
            numbers[index], numbers[first] = numbers[first], numbers[index]
            numbers[size], numbers[second] = numbers[second], numbers[size]
            index += 2
        return numbers

    def sample(self, total, count):
        """Returns `count` different numbers below `total`, in order, as chosen by std::sample.

        Each number is selected with the probability that makes all selections equally likely (Fan,
        Muller and Rezucha, 1962); one draw decides on two numbers while there are two.
        """
        numbers, number, remaining = [], 0, total
        while len(numbers) < count and remaining >= 2:
            pair = divmod(self.integer(0, remaining * (remaining - 1) - 1), remaining - 1)
            for position in pair:
                if position < count - len(numbers):
                    numbers.append(number)
                number, remaining = number + 1, remaining - 1
                if len(numbers) == count:
                    break
        while len(numbers) < count:
            remaining -= 1
            if self.integer(0, remaining) < count - len(numbers):
                numbers.append(number)
            number += 1
        return numbers

    def draw_weighted(self, weights, count):
        """Draws `count` indices with probabilities proportional to `weights`."""
        total = math.fsum(weights)
        bounds = list(accumulate(weight / total for weight in weights))
        bounds[-1] = 1.0
        return [bisect_left(bounds, self.unit()) for _ in range(count)]

    def draw_weighted_once(self, weights, count):
        """Draws `count` different indices; heavier ones are more likely (Efraimidis and
        Spirakis).
        """
        waits = [
            -math.log(1.0 - self.unit()) / weight if weight > 0 else math.inf for weight in weights
        ]
        return sorted(range(len(weights)), key=waits.__getitem__)[:count]


class Normal32:
    """std::normal_distribution<float>: `Twister.normal` with one draw for each number of a pair."""

    def __init__(self, twister):
        self._unit, self._spare = twister.unit32, None

    def __call__(self):
        """Returns a standard normal number."""
        if self._spare is not None:
            number, self._spare = self._spare, None
            return number
        one, two = np.float32(1), np.float32(2)
        while True:
            x, y = (two * np.float32(self._unit()) - one for _ in range(2))
            square = x * x + y * y
            if 0 < square <= 1:
                factor = np.sqrt(-two * np.log(square) / square)
                self._spare = x * factor
                return y * factor


class Gamma32:
    """std::gamma_distribution<float> with scale 1 and its own normal distribution.

    Args:
        twister (Twister): the source of random bits.
        shape (float): the shape parameter, above 0.

    Source: Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables" (2000).
    """

    def __init__(self, twister, shape):
        self._unit, self._normal, self._shape = twister.unit32, Normal32(twister), shape
        self._start = np.float32(shape if shape >= 1 else shape + 1) - np.float32(1) / np.float32(3)
        self._spread = np.float32(1) / np.sqrt(np.float32(9) * self._start)

    def __call__(self):
        """Returns a number of the distribution as float32."""
        number = self._start * self._cube()
        if self._shape >= 1:
            return number
        unit = 0.0
        while unit == 0:
            unit = self._unit()
        return np.float32(unit) ** (np.float32(1) / np.float32(self._shape)) * number

    def _cube(self):
        one, half, small = np.float32(1), np.float32(0.5), np.float32(0.0331)
        while True:
            x = self._normal()
            root = one + self._spread * x
            if root <= 0:
                continue
            cube, unit = root * root * root, np.float32(self._unit())
            if unit <= one - small * x * x * x * x:
                return cube
            if np.log(unit) <= half * x * x + self._start * (one - cube + np.log(cube)):
                return cube


class Twister64:
    """std::mt19937_64.

    Args:
        seed (int): the seed, of 64 bits.
    """

    _half, _size = 156, 312
    _upper, _lower = np.uint64(0xFFFFFFFF80000000), np.uint64(0x7FFFFFFF)
    _matrix = np.uint64(0xB5026F5AA96619E9)

    def __init__(self, seed):
        words = [seed & 0xFFFFFFFFFFFFFFFF]
        for index in range(1, self._size):
            word = words[-1] ^ (words[-1] >> 62)
            words.append((6364136223846793005 * word + index) & 0xFFFFFFFFFFFFFFFF)
        self._state = np.array(words, np.uint64)
        self._block, self._next = [], 0

    def draw(self):
        """Returns a random integer of 64 bits."""
        if self._next == len(self._block):
            self._block, self._next = self._refill(), 0
        self._next += 1
        return self._block[self._next - 1]

    def _refill(self):
        """Computes the next 312 numbers. The second half of the state depends on the new first
        half.
        """
        state, half = self._state, self._half
        last = self._size - 1
        for start, stop, other in ((0, half, half), (half, last, 0), (last, None, half - 1)):
            part = state[start:stop]
            after = np.roll(state, -1)[start:stop]
            words = (part & self._upper) | (after & self._lower)
            new_words = words >> np.uint64(1) ^ np.where(
                words & np.uint64(1), self._matrix, np.uint64(0)
            )
            state[start:stop] = state[other : other + len(part)] ^ new_words
        x = state.copy()
        x ^= (x >> np.uint64(29)) & np.uint64(0x5555555555555555)
        x ^= (x << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000)
        x ^= (x << np.uint64(37)) & np.uint64(0xFFF7EEE000000000)
        return (x ^ (x >> np.uint64(43))).tolist()
