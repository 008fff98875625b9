"""Powers of arrays on the host with a single integer exponent, and sums of exponentials.

NumPy's `power` takes fifty times as long for negative numbers as for others. So small exponents
become products, and others use the absolute value. NumPy's `logaddexp` is not vectorized, so large
arrays use exp and log1p, as a compiled loop if Numba is installed.
"""

import numpy

from ..threads import scheduler
from ..thresholds import Least, Most
from .ufuncs import Ufunc

_power, _logaddexp = Ufunc(numpy.power), Ufunc(numpy.logaddexp)
PIECE = 1 << 14  # elements of a piece, which stays in the cache
_EXACT = 1 << 24  # float32 represents all integers up to this one


def power(xp, x, y):
    """Computes NumPy's `power`."""
    if type(x) is not numpy.ndarray:
        return xp.module.power(x, y)
    exponent = _whole(x, y)
    if not exponent:  # not a single whole number, or 0
        return _power(x, y)
    if abs(exponent) <= Most.POWER_FACTORS:
        return _product(xp, x if exponent > 0 else xp.reciprocal(x), abs(exponent))
    magnitude = _power(xp.abs(x), y)
    return xp.copysign(magnitude, x) if exponent % 2 else magnitude


def logaddexp(xp, x, y):
    """Computes log(exp(x) + exp(y)) as max(x, y) + log1p(exp(-|x - y|))."""
    if type(x) is not numpy.ndarray or type(y) is not numpy.ndarray:
        return xp.module.logaddexp(x, y)
    same_layout = x.shape == y.shape and x.dtype == y.dtype and x.dtype.char in "fd"
    whole = x.flags.c_contiguous and y.flags.c_contiguous
    if not (same_layout and whole) or x.size < Least.LOGADDEXP:
        return _logaddexp(x, y)
    if x.dtype.char == "f" and xp.bodies is not None:
        if (out := xp.bodies.pointwise(_sum_of_powers, x, y)) is not None:
            return out
    out = numpy.empty(x.shape, x.dtype)
    flat = x.reshape(-1), y.reshape(-1), out.reshape(-1)
    parts = scheduler.blocks(x.size, PIECE)
    scheduler.run(lambda number: _add_powers(*(array[parts[number]] for array in flat)), len(parts))
    return out


def _sum_of_powers(xp, x, y):
    below = xp.where(x == y, 0.0, -xp.abs(x - y))
    return xp.maximum(x, y) + xp.log1p(xp.exp(below))


def _add_powers(x, y, out):
    with numpy.errstate(invalid="ignore"):  # infinities that are equal
        below = numpy.subtract(x, y)
    numpy.abs(below, out=below)
    numpy.negative(below, out=below)
    numpy.copyto(below, 0, where=x == y)
    numpy.log1p(numpy.exp(below, out=below), out=below)
    numpy.add(numpy.maximum(x, y, out=out), below, out=out)


def _whole(x, y):
    """Returns the exponent `y` as a Python number, if it is a single whole number and `x` is a
    float array with the dtype of the result; else None."""
    if x.dtype.char not in "fd":
        return None
    if type(y) is numpy.ndarray:
        if y.ndim or y.dtype != x.dtype:
            return None
        y = y.item()
    exact = type(y) in (int, float) and y % 1 == 0 and abs(y) <= _EXACT
    return y if exact else None


def _product(xp, x, count):
    """Returns the product of `count` factors `x`."""
    if count == 1:
        return x.copy()
    square = xp.multiply(x, x)
    if count < 4:
        return square if count == 2 else xp.multiply(square, x)
    rest = square if count == 4 else _product(xp, x, count - 2)
    return xp.multiply(square, rest)
