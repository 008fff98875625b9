"""Remainders of float32 arrays of the host, with the bits of NumPy's `remainder`.

NumPy calls the C library's fmod for each element. In float64 the quotient of two float32 numbers,
its product with the divisor and the remainder are exact while the quotient is below 2^29, so array
functions compute it. Other numbers are left to NumPy.
"""

import numpy

from ..threads import scheduler
from ..thresholds import Least
from .ufuncs import Ufunc

PIECE = 1 << 13  # elements whose float64 copies fit the cache
_MOST = 1 << 29
_remainder = Ufunc(numpy.remainder)


def remainder(xp, x, y):
    """Computes NumPy's `remainder`."""
    if type(x) is not numpy.ndarray and type(y) is not numpy.ndarray:
        return xp.module.remainder(x, y)
    if not _are_taken(x, y):
        return _remainder(x, y)
    out = numpy.empty(x.shape, numpy.float32)
    flat, target = x.reshape(-1), out.reshape(-1)
    divisors = y.reshape(-1) if y.shape == x.shape else numpy.broadcast_to(y, flat.shape)
    parts = scheduler.blocks(flat.size, PIECE)

    def work(number):
        part = parts[number]
        if not _write(flat[part], divisors[part], target[part]):
            numpy.remainder(flat[part], divisors[part], out=target[part])

    scheduler.run(work, len(parts))
    return out


def _are_taken(x, y):
    """True for large float32 arrays of one shape, or with a single divisor."""
    return (
        type(x) is type(y) is numpy.ndarray
        and x.dtype == y.dtype == numpy.float32
        and x.size >= Least.REMAINDER
        and x.flags.c_contiguous
        and (y.shape == x.shape or not y.ndim)
        and y.flags.c_contiguous
    )


def _write(x, y, out):
    """Writes remainders to `out`; returns False if some are not exact."""
    with numpy.errstate(all="ignore"):
        divisor = y.astype(numpy.float64)
        quotient = numpy.divide(x, divisor)
        if not max(quotient.max(), -quotient.min()) < _MOST or not numpy.isfinite(divisor).all():
            return False
        numpy.floor(quotient, out=quotient)
        found = numpy.multiply(quotient, divisor, out=quotient)
        numpy.subtract(x, found, out=found)
        # A quotient that was rounded up to an integer.
        numpy.add(found, divisor, out=found, where=found * divisor < 0)
        out[...] = found
        numpy.copysign(out, y, out=out, where=out == 0)
    return True
