"""Powers of arrays of the host with a single integer exponent.

NumPy's `power` takes fifty times as long for negative numbers as for others. So small exponents
become products, and others use the absolute value.
"""

import numpy

from ..thresholds import Most
from .ufuncs import Ufunc

_power = Ufunc(numpy.power)
_EXACT = 1 << 24  # float32 represents all integers up to this one


def power(xp, x, y):
    """Computes NumPy's `power`."""
    if type(x) is not numpy.ndarray:
        return xp.module.power(x, y)
    exponent = _whole(x, y)
    if not exponent:
        return _power(x, y)
    if abs(exponent) <= Most.POWER_FACTORS:
        return _product(xp, x if exponent > 0 else xp.reciprocal(x), abs(exponent))
    size = _power(xp.abs(x), y)
    return xp.copysign(size, x) if exponent % 2 else size


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
    """Returns the product of `count` (1 to 4) factors `x`."""
    if count == 1:
        return x.copy()
    square = xp.multiply(x, x)
    return square if count == 2 else xp.multiply(square, x if count == 3 else square)
