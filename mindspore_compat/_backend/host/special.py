"""The complementary error function, the inverse error function and the derivative of digamma for
float32 arrays on the host.

SciPy computes one element at a time. The formulas here consist of array functions, which take about
half of that time, and a tenth of it as compiled loops; the derivative of digamma, which is not
compiled, takes a tenth. Results are within 8 units in the last place of the exact value
(`tests/_backend/host/test_special.py`). Small arrays, other dtypes and other array libraries use
SciPy's functions or their counterparts. The coefficients of the error functions are this project's
own minimax fits.
"""

import math

import numpy

from ..thresholds import Least

_LARGEST = 10.1  # erfc of a larger number is 0 in float32
_ROUNDING = 98304.0  # 1.5 * 2**16: adding it rounds a float32 to a multiple of 2**-7
# erfc(x) exp(x * x) (1 + 2 x), as a polynomial in (x - 2) / (x + 2).
_SCALED = (
    -0.00040057654,
    -0.0012299268,
    0.0013135227,
    0.00863168,
    -0.008059875,
    -0.0542043,
    0.16405535,
    -0.16603142,
    -0.09276398,
    1.2769784,
)
# erfinv(x) / x, as a polynomial in w - 2.5 where w = -ln(1 - x * x) is below 5, and as one in
# sqrt(w) - 3 above.
_CENTRE = (
    -8.794676e-09,
    2.3227091e-08,
    4.662145e-07,
    -3.4626444e-06,
    -4.9635205e-06,
    0.00021834424,
    -0.0012527417,
    -0.0041773864,
    0.24664028,
    1.5014094,
)
_TAIL = (
    0.000116688534,
    -0.00031276504,
    -5.5454806e-05,
    0.0014882302,
    -0.0035993138,
    0.0056860154,
    -0.0076367264,
    0.009445383,
    1.0016749,
    2.8329768,
)


def erfc(xp, x):
    """Computes 1 - erf(x), precise where it is small."""
    if _is_taken(xp, x):
        return xp.blockwise(_erfc, x)
    return xp.from_scipy("scipy.special", "erfc")(x)


def erfinv(xp, x):
    """Computes the inverse of the error function."""
    if _is_taken(xp, x):
        return xp.blockwise(_erfinv, x)
    return xp.from_scipy("scipy.special", "erfinv")(x)


def polygamma(xp, n, x):
    """Computes the n-th derivative of digamma; CuPy needs an array for `n`."""
    if _is_taken(xp, x, Least.TRIGAMMA) and getattr(n, "size", 1) == 1 and n == 1:
        with numpy.errstate(divide="ignore", invalid="ignore"):  # infinite at 0, -1, ...
            return xp.blockwise(_trigamma, x)
    n = n if hasattr(n, "dtype") else xp.module.asarray(n)
    return xp.from_scipy("scipy.special", "polygamma")(n, x)


def _is_taken(xp, x, least=None):
    """Returns True for arrays that a formula computes in less time than SciPy does."""
    least = least or (Least.SPECIAL if xp.bodies is None else Least.BODY_POINT)
    return type(x) is numpy.ndarray and x.dtype == numpy.float32 and x.size >= least


def _erfc(xp, x):
    """Computes erfc of an array of any size. exp(-x * x) is a product of two powers: the square of
    `x`, rounded to few bits, is exact."""
    size = xp.at_most(xp.abs(x), _LARGEST)
    rounded = (size + _ROUNDING) - _ROUNDING
    rest = (size - rounded) * (size + rounded)
    scaled = _polynomial((size - 2.0) / (size + 2.0), _SCALED) / (1.0 + 2.0 * size)
    upper = xp.exp(-(rounded * rounded)) * (xp.exp(-rest) * scaled)
    return xp.where(x < 0.0, 2.0 - upper, upper)


def _erfinv(xp, x):
    """Computes erfinv of an array of any size."""
    w = -xp.log((1.0 - x) * (1.0 + x))
    centre = _polynomial(w - 2.5, _CENTRE)
    tail = _polynomial(xp.sqrt(w) - 3.0, _TAIL)
    result = x * xp.where(w < 5.0, centre, tail)
    with numpy.errstate(invalid="ignore"):  # 0 * inf, which is not selected
        return xp.where(xp.abs(x) == 1.0, x * numpy.inf, result)


def _trigamma(xp, x):
    """Computes the derivative of digamma: a sum of 1 / (x + k)^2 and Stirling's series at x + 6.
    Below 1/2 it is pi^2 / sin(pi x)^2 minus the result for 1 - x."""
    low = x < 0.5
    y = xp.where(low, 1.0 - x, x)
    w = 1.0 / (y + 6.0)
    square = w * w
    total = w + square * (0.5 + w * (1 / 6 - square * (1 / 30 - square * (1 / 42))))
    for k in range(5, -1, -1):
        inverse = 1.0 / (y + k)
        total = total + inverse * inverse
    rest = xp.where(x < -1e7, 0.0, x - xp.floor(x + 0.5))  # -infinity counts as an integer
    sine = xp.sin(rest * math.pi)
    mirrored = math.pi / xp.where(low, sine, 1.0)
    return xp.where(low, mirrored * mirrored - total, total)


def _polynomial(x, factors):
    """Evaluates a polynomial at `x`. `factors` begins with the coefficient of the highest power."""
    result = x * factors[0] + factors[1]
    for factor in factors[2:]:
        result *= x
        result += factor
    return result
