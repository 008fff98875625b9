"""Elementary functions of large float32 arrays on the host where NumPy is slow.

NumPy has its best vector instructions for tan, sinh, log1p and others only on processors with
AVX-512. On others it computes exp, log, sin and cos in about 3 ns for each element, and calls the C
library for the rest, which takes 5 to 30 ns. The formulas here become compiled loops, which take
0.5 to 2 ns. Results are within 4 units in the last place of the exact value
(`tests/_backend/host/test_elementary.py`). Small arrays, other dtypes and other processors use
NumPy's functions, and so does everything without Numba: as array functions the formulas take longer
than the C library. The coefficients are this project's own minimax fits.
"""

import functools

import numpy

from ..thresholds import Least
from .ufuncs import Ufunc

FLOAT = numpy.dtype(numpy.float32)

# The coefficients of the polynomials p in x + x^3 p(x^2), of the highest power first.
_SINH = (2.8169513e-06, 0.0001983616, 0.00833335, 0.16666667)
_TAN = (0.0043900344, 6.235772e-05, 0.0108566675, 0.021274377, 0.054061383, 0.13332652, 0.3333335)
_SIN = (2.7180258e-06, -0.00019839303, 0.008333329, -0.16666667)
_ARCSIN = (0.03751648, 0.014438586, 0.031807724, 0.044516955, 0.07500504, 0.1666666)
_ARCTAN = (
    -0.0017936223,
    0.010914609,
    -0.03117785,
    0.0579576,
    -0.08403451,
    0.10952186,
    -0.14264242,
    0.19998549,
    -0.333333,
)
_ARCTANH = (0.17594254, 0.02452192, 0.10282689, 0.109671816, 0.14294852, 0.19999728, 0.33333337)
# expm1(x) = x + x^2 p(x)
_EXPM1 = (
    2.756967e-06,
    2.5296953e-05,
    0.00019845465,
    0.0013885972,
    0.008333307,
    0.041666728,
    0.16666667,
    0.5,
)
# cos(x) = 1 - x^2 / 2 + x^4 p(x^2)
_COS = (2.443221e-05, -0.0013887308, 0.041666646)
_E = 2.7182817
_HALF_PI, _HALF_PI_LOW = 1.5707964, -4.371139e-08
_PI, _PI_LOW = 3.1415927, -8.742278e-08
# pi / 2 in parts of 11 bits, whose products with an integer of 13 bits are exact, and the rest.
_PARTS = (1.5703125, 0.0004837513, 7.5495336e-08, 2.5633442e-12)
_MOST_ANGLE = 8192.0  # for larger numbers the integer has more bits
_ROUNDING = 12582912.0  # 1.5 * 2**23: adding it rounds to an integer


def _sinh(xp, x):
    size = xp.abs(x)
    small = _odd(x, _SINH)
    half = _half_power(xp, size)
    large = half - 0.25 / half
    return xp.where(size < 1.0, small, xp.where(x < 0.0, -large, large))


def _cosh(xp, x):
    half = _half_power(xp, xp.abs(x))
    return half + 0.25 / half


def _half_power(xp, size):
    """Computes exp(size) / 2, which is finite up to 89.4; exp(size) is not."""
    is_large = size > 88.0
    half = 0.5 * xp.exp(xp.where(is_large, size - 1.0, size))
    return xp.where(is_large, half * _E, half)


def _tan(xp, x):
    turns, rest = _turned(x)
    result = _odd(rest, _TAN)
    return xp.where(_is_whole(turns * 0.5), result, -1.0 / result)


def _sin(xp, x):
    turns, rest = _turned(x)
    result = _sin_of_rest(xp, turns, rest)
    return xp.where(x == 0.0, x, result)


def _cos(xp, x):
    turns, rest = _turned(x)
    return _sin_of_rest(xp, turns + 1.0, rest)


def _turned(x):
    """Returns k and r such that `x`, at most _MOST_ANGLE, is k pi / 2 + r with |r| <= pi / 4."""
    turns = (x * (2.0 / numpy.pi) + _ROUNDING) - _ROUNDING
    rest = x
    for part in _PARTS:
        rest = rest - turns * part
    return turns, rest


def _sin_of_rest(xp, turns, rest):
    """Computes sin(turns pi / 2 + rest)."""
    square = rest * rest
    cosine = _polynomial(square, _COS) * (square * square) + (1.0 - 0.5 * square)
    is_even = _is_whole(turns * 0.5)
    result = xp.where(is_even, _odd(rest, _SIN), cosine)
    pairs = 0.5 * xp.where(is_even, turns, turns - 1.0)
    return xp.where(_is_whole(pairs * 0.5), result, -result)


def _is_whole(x):
    return (x + _ROUNDING) - _ROUNDING == x


def _half_arcsin(xp, x, size):
    """Computes arcsin(|x|) if |x| is below 0.5, else arccos(|x|) / 2."""
    is_small = size < 0.5
    square = xp.where(is_small, x * x, (1.0 - size) * 0.5)
    root = xp.where(is_small, size, xp.sqrt(square))
    return root + root * square * _polynomial(square, _ARCSIN)


def _arcsin(xp, x):
    size = xp.abs(x)
    angle = _half_arcsin(xp, x, size)
    angle = xp.where(size < 0.5, angle, _HALF_PI - (2.0 * angle - _HALF_PI_LOW))
    return xp.where(x < 0.0, -angle, xp.where(x == 0.0, x, angle))


def _arccos(xp, x):
    size = xp.abs(x)
    angle = _half_arcsin(xp, x, size)
    signed = xp.where(x < 0.0, -angle, angle)
    small = _HALF_PI - (signed - _HALF_PI_LOW)
    double = 2.0 * angle
    large = xp.where(x < 0.0, _PI - (double - _PI_LOW), double)
    return xp.where(size < 0.5, small, large)


def _arctan(xp, x):
    size = xp.abs(x)
    is_large = size > 1.0
    angle = _odd(xp.where(is_large, 1.0 / size, size), _ARCTAN)
    angle = xp.where(is_large, _HALF_PI - (angle - _HALF_PI_LOW), angle)
    return xp.where(x < 0.0, -angle, xp.where(x == 0.0, x, angle))


def _arctan2(xp, y, x):
    height, width = xp.abs(y), xp.abs(x)
    is_flat = width > height
    least, most = xp.where(is_flat, height, width), xp.where(is_flat, width, height)
    is_origin = width + height == 0.0
    is_infinite = xp.logical_and(least == numpy.inf, most == numpy.inf)
    ratio = xp.where(is_infinite, 1.0, least / most)
    angle = _odd(xp.where(is_origin, 0.0, ratio), _ARCTAN)
    steep = _HALF_PI - (angle - _HALF_PI_LOW)
    angle = xp.where(is_flat, angle, xp.where(is_origin, angle, steep))
    angle = xp.where(_is_negative(xp, x), _PI - (angle - _PI_LOW), angle)
    return xp.where(_is_negative(xp, y), -angle, angle)


def _is_negative(xp, x):
    """Returns a mask of the negative numbers, -0 included."""
    return xp.where(x == 0.0, 1.0 / x, x) < 0.0


def _arctanh(xp, x):
    size = xp.abs(x)
    large = 0.5 * xp.log((1.0 + size) / (1.0 - size))
    return xp.where(size < 0.5, _odd(x, _ARCTANH), xp.where(x < 0.0, -large, large))


def _expm1(xp, x):
    small = xp.where(x == 0.0, x, _polynomial(x, _EXPM1) * (x * x) + x)
    return xp.where(xp.abs(x) < 0.9, small, xp.exp(x) - 1.0)


def _log1p(xp, x):
    near = 1.0 + x
    missed = x - (near - 1.0)  # the rounding error of the sum
    result = xp.log(near)
    is_normal = xp.logical_and(near > 0.0, near < numpy.inf)
    return xp.where(is_normal, xp.where(x == 0.0, x, result + missed / near), result)


def _odd(x, factors):
    square = x * x
    return _polynomial(square, factors) * square * x + x


def _polynomial(x, factors):
    """Evaluates a polynomial at `x`. `factors` begins with the coefficient of the highest power."""
    result = x * factors[0] + factors[1]
    for factor in factors[2:]:
        result = result * x + factor
    return result


def _exp(xp, x):
    return xp.exp(x)


def _log(xp, x):
    return xp.log(x)


def _exp2(xp, x):
    return xp.exp2(x)


def _log2(xp, x):
    return xp.log2(x)


def _log10(xp, x):
    return xp.log10(x)


FORMULAS = {
    "arccos": _arccos,
    "arcsin": _arcsin,
    "arctan": _arctan,
    "arctan2": _arctan2,
    "arctanh": _arctanh,
    "cosh": _cosh,
    "expm1": _expm1,
    "log1p": _log1p,
    "sinh": _sinh,
    "sin": _sin,
    "cos": _cos,
    "tan": _tan,
    "exp": _exp,
    "log": _log,
    "exp2": _exp2,
    "log2": _log2,
    "log10": _log10,
}


class Elementary:
    """A function that computes large float32 arrays by the formula of a ufunc, as a compiled loop.
    It has the attributes of the ufunc.

    Args:
        xp (Space): a space for the host.
        name (str): the name of the ufunc.
        otherwise (Callable): what computes everything else, a numpy.ufunc or a Ufunc.
    """

    def __init__(self, xp, name, otherwise):
        self._xp = xp
        self._formula = FORMULAS[name]
        self._otherwise = otherwise
        self._most = _MOST_ANGLE if name in ("sin", "cos", "tan") else None

    def __getattr__(self, name):
        return getattr(self._otherwise, name)

    def __call__(self, *args, **kwargs):
        first = args[0] if args else None
        if type(first) is numpy.ndarray and first.size >= Least.BODY_POINT and not kwargs:
            bodies, formula = self._bodies, self._formula
            if bodies is not None and bodies.pays(formula, first.size) and self._takes(args):
                result = bodies.pointwise(formula, *args)
                if result is not None:
                    return result
        return self._otherwise(*args, **kwargs)

    @property
    def _bodies(self):
        """The compiled bodies for the host; None without Numba."""
        return self._xp.bodies

    def _takes(self, args):
        """Returns True if these arguments are contiguous float32 arrays within the domain of the
        formula."""
        for arg in args:
            if type(arg) is not numpy.ndarray or arg.dtype != FLOAT or not arg.flags.c_contiguous:
                return False
        return self._most is None or -self._most <= args[0].min() <= args[0].max() <= self._most


def wrapped(xp, name, function):
    """Returns an Elementary if NumPy has no vector instructions of this processor for a ufunc, or
    not its widest ones and `function` is for large arrays; else `function`.

    Args:
        xp (Space): a space for the host.
        name (str): the name of the ufunc.
        function (Callable): the ufunc; a Ufunc in the space for large arrays.
    """
    targets = _targets(name) if name in FORMULAS else []
    scalar = any([target["current"].startswith("baseline") for target in targets])
    narrow = any([not target["available"].startswith(target["current"]) for target in targets])
    if scalar or narrow and type(function) is Ufunc:
        return Elementary(xp, name, function)
    return function


@functools.cache
def _targets(name):
    """Returns NumPy's report of the vector instructions for a function of float32: the "current"
    instructions and the "available" ones, the widest first. NumPy before 2.1 reports nothing.
    """
    try:
        from numpy.lib.introspect import opt_func_info
    except ImportError:
        return []
    return list(opt_func_info(func_name=f"^{name}$", signature="float32").get(name, {}).values())
