"""float16 to float32 and back as compiled loops of the host, which threads share.

They work on the bits, as host/float16.py does with NumPy's functions, and give the same results.
"""

import functools

import numpy

from ..compiled import jit
from ..threads.parallel_loops import ParallelLoop, array, piece

LEAST = 1 << 12  # elements from which the loops are faster than NumPy
PIECE = 1 << 14  # elements of a piece, at least
PIECES = 16  # of a call
HALF, WORD, FLOAT = (numpy.dtype(each) for each in (numpy.int16, numpy.int32, numpy.float32))


def widen(halves, words, floats, first, last):
    """Writes the float32 of elements `first` to `last`.

    Args:
        halves: the bits of float16.
        words, floats: the memory of the result, twice.
        first, last: which elements.
    """
    for start in range(first, last, 1024):
        end = min(start + 1024, last)
        h, w, f = halves[start:end], words[start:end], floats[start:end]
        least = 0x7FFF
        for i in range(h.size):
            size = h[i] & 0x7FFF
            word = (size << 13) + (112 << 23)
            word += (112 << 23) if size >= 0x7C00 else 0  # infinities and NaN
            w[i] = word | ((h[i] & 0x8000) << 16)
            least = min(least, size)
        if least < 0x400:  # evenly spaced ones, or zeros
            for i in range(h.size):
                size = h[i] & 0x7FFF
                if size < 0x400:
                    f[i] = size * 2.0**-24 if h[i] >= 0 else -(size * 2.0**-24)


def narrow(words, floats, halves, first, last):
    """Writes the float16 nearest to elements `first` to `last`, the even one of two.

    Args:
        words, floats: the memory of float32, twice.
        halves: the bits of the result.
        first, last: which elements.

    Returns:
        False if a NaN is among them, which is left to NumPy.
    """
    one, scale, rounding = numpy.float32(1), numpy.float32(2.0**24), numpy.float32(12582912)
    whole = numpy.int32
    largest = 0
    for start in range(first, last, 1024):
        end = min(start + 1024, last)
        h, w, f = halves[start:end], words[start:end], floats[start:end]
        for i in range(h.size):
            size = w[i] & 0x7FFFFFFF
            largest = max(largest, size)
            spaced = min(abs(f[i]), one) * scale
            spaced = (spaced + rounding) - rounding
            found = min((size - 0x38000000 + 0xFFF + ((size >> 13) & 1)) >> 13, 0x7C00)
            found = whole(spaced) if size < 0x38800000 else found
            h[i] = found | ((w[i] >> 16) & 0x8000)
    return largest <= 0x7F800000


@jit.made_once
def _loop(function):
    kinds = (HALF, WORD, FLOAT) if function is widen else (WORD, FLOAT, HALF)
    parameters = [*map(array, kinds), piece(0), piece(1)]
    text = functools.partial(jit.text_of, function)
    checks = function is narrow
    return ParallelLoop(text, parameters, False, function.__name__, checks=checks)


def cast(x, out):
    """Writes a float16 or float32 array to one of the other dtype.

    Args:
        x, out: contiguous arrays of one axis.

    Returns:
        bool: False where there is no loop yet, or a NaN is to be rounded; `out` is not complete.
    """
    function = widen if out.dtype == FLOAT else narrow
    if x.size < LEAST or not jit.available() or not _loop(function).is_ready():
        return False
    x = jit.flat(x)
    half, single = (x, out) if function is widen else (out, x)
    halves, words = half.view(HALF), single.view(WORD)
    given = (halves, words, single) if function is widen else (words, single, halves)
    count = min(max(x.size // PIECE, 1), PIECES)
    ends = numpy.arange(count + 1) * x.size // count
    return _loop(function).run(numpy.stack([ends[:-1], ends[1:]], 1), *given)
