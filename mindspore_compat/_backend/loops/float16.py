"""Conversion of float16 to float32 and back as compiled loops for the host, shared by threads.

They use integer arithmetic on the bits, as host/float16.py does, with the same results.
"""

import numpy

from ..compiled import jit
from ..compiled.door import serves
from ..threads.parallel_loops import array, loop_of, piece

PIECE = 1 << 14  # elements of a piece, at least
PIECES = 16  # of a call
HALF, WORD, FLOAT = (numpy.dtype(kind) for kind in (numpy.int16, numpy.int32, numpy.float32))


def widen(
    halves: array(HALF), words: array(WORD), floats: array(FLOAT), first: piece(0), last: piece(1)
):
    """Converts elements `first` to `last` of a float16 array to float32.

    Args:
        halves: the bits of float16.
        words, floats: the memory of the result, as integers and as floats.
        first, last: the range of elements.
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
        if least < 0x400:  # subnormal numbers or zeros
            for i in range(h.size):
                size = h[i] & 0x7FFF
                if size < 0x400:
                    f[i] = size * 2.0**-24 if h[i] >= 0 else -(size * 2.0**-24)


def narrow(
    words: array(WORD), floats: array(FLOAT), halves: array(HALF), first: piece(0), last: piece(1)
) -> bool:
    """Converts elements `first` to `last` of a float32 array to the nearest float16, rounding ties
    to even.

    Args:
        words, floats: the memory of float32, as integers and as floats.
        halves: the bits of the result.
        first, last: the range of elements.

    Returns:
        False if one of the elements is NaN, so that NumPy must convert them.
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
            bits = min((size - 0x38000000 + 0xFFF + ((size >> 13) & 1)) >> 13, 0x7C00)
            bits = whole(spaced) if size < 0x38800000 else bits
            h[i] = bits | ((w[i] >> 16) & 0x8000)
    return largest <= 0x7F800000


def _loop(x, out):
    return loop_of(widen if out.dtype == FLOAT else narrow)


@serves(
    "cast_float16",
    least="CAST",
    takes=lambda x, out: {x.dtype.char, out.dtype.char} == {"e", "f"},
    loops=lambda x, out: [_loop(x, out)],
)
def cast(x, out):
    """Converts a float16 array to float32, or a float32 array to float16.

    Args:
        x, out: the array, and a contiguous array of one axis and of the other dtype for the result.

    Returns:
        `out`; None if a float32 is NaN, and then `out` is not complete.
    """
    x = jit.flat(x)
    half, single = (x, out) if out.dtype == FLOAT else (out, x)
    halves, words = half.view(HALF), single.view(WORD)
    arrays = (halves, words, single) if out.dtype == FLOAT else (words, single, halves)
    count = min(max(x.size // PIECE, 1), PIECES)
    ends = numpy.arange(count + 1) * x.size // count
    return out if _loop(x, out).run(numpy.stack([ends[:-1], ends[1:]], 1), *arrays) else None
