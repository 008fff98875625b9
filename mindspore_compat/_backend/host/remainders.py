"""Remainders and hypotenuses of float32 arrays on the host, with the bits of NumPy's `remainder`,
`fmod` and `hypot`, except in two cases: what remains of a division by infinity is NaN, and a
remainder of zero is positive, as in the formula x - floor(x / y) * y.

NumPy calls the C library for each element. In float64 the quotient of two float32 numbers, its
product with the divisor and the remainder are exact while the quotient is below 2^29, and so are
the squares of the sides of a triangle. So compiled loops compute all three in float64, and array
functions compute remainders. Other numbers are left to NumPy.
"""

import numpy

from ..compiled import door
from ..threads import scheduler
from ..thresholds import Least
from .ufuncs import Ufunc

PIECE = 1 << 13  # elements whose float64 copies fit the cache
_MOST = 1 << 29
_remainder, _fmod, _hypot = Ufunc(numpy.remainder), Ufunc(numpy.fmod), Ufunc(numpy.hypot)


def remainder(xp, x, y):
    """Computes x - floor(x / y) * y without rounding the quotient; it has the sign of `y`."""
    return _compute(xp, _remainder, numpy.floor, x, y)


def fmod(xp, x, y):
    """Computes x - trunc(x / y) * y without rounding the quotient; it has the sign of `x`."""
    return _compute(xp, _fmod, numpy.trunc, x, y)


def hypot(xp, x, y):
    """Computes NumPy's `hypot`, the root of the sum of two squares."""
    if type(x) is not numpy.ndarray and type(y) is not numpy.ndarray:
        return xp.module.hypot(x, y)
    if _are_taken(x, y) and x.shape == y.shape:
        out = door.call("float32_pairs", "hypot", x, y)
        if out is not None:
            return out
    return _hypot(x, y)


def _compute(xp, ufunc, rounded, x, y):
    """Computes a remainder; `rounded` is the ufunc that rounds its quotient."""
    if type(x) is not numpy.ndarray and type(y) is not numpy.ndarray:
        return _nan_by_infinity(getattr(xp.module, ufunc.__name__)(x, y), y)
    if not _are_taken(x, y):
        return _nan_by_infinity(ufunc(x, y), y)
    out = door.call("float32_pairs", ufunc.__name__, x, y)
    if out is not None:
        return out

    out = numpy.empty(x.shape, numpy.float32)
    flat, target = x.reshape(-1), out.reshape(-1)
    divisors = y.reshape(-1) if y.shape == x.shape else numpy.broadcast_to(y, flat.shape)
    parts = scheduler.blocks(flat.size, PIECE)

    def work(number):
        part = parts[number]
        pieces = flat[part], divisors[part], target[part]
        if not _write(rounded, *pieces):
            target[part] = _nan_by_infinity(getattr(numpy, ufunc.__name__)(*pieces[:2]), pieces[1])

    scheduler.run(work, len(parts))
    return out


def _nan_by_infinity(rest, y):
    """Returns remainders of NumPy, but NaN where the divisor is infinite, and +0 in place of -0."""
    return rest + (y - y) if rest.dtype.kind in "fV" else rest


def _are_taken(x, y):
    """Returns True for large float32 arrays of one shape, or with a single number as the second."""
    return (
        type(x) is type(y) is numpy.ndarray
        and x.dtype == y.dtype == numpy.float32
        and x.size >= Least.REMAINDER
        and x.flags.c_contiguous
        and (y.shape == x.shape or not y.ndim)
        and y.flags.c_contiguous
    )


def _write(rounded, x, y, out):
    """Writes remainders to `out`; returns False if some are not exact."""
    with numpy.errstate(all="ignore"):
        divisor = y.astype(numpy.float64)
        quotient = numpy.divide(x, divisor)
        if not max(quotient.max(), -quotient.min()) < _MOST or not numpy.isfinite(divisor).all():
            return False
        rounded(quotient, out=quotient)
        product = numpy.multiply(quotient, divisor, out=quotient)
        numpy.subtract(x, product, out=product)
        sign = y if rounded is numpy.floor else x
        # A quotient that was rounded up to an integer leaves a remainder of the other sign.
        numpy.add(product, numpy.copysign(divisor, sign), out=product, where=product * sign < 0)
        out[...] = product
    return True
