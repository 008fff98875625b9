"""Elementary functions of float32 that Numba compiles into vector instructions.

A library's `exp` is one call for each element, and a loop with a call is not vectorized. These
functions are branch-free arithmetic: a multiple of ln 2 is subtracted from the argument in two
parts, a polynomial approximates the function of the remainder, and powers of two are assembled from
bits. Results are within 2 units in the last place of the exact value
(`tests/_backend/compiled/test_vector_math.py`), also near infinity, for subnormal numbers,
infinities and NaN. The coefficients are this project's own minimax fits by Remez' algorithm.

Numba compiles these functions in jit.py; this module does not import it. Python can run them too,
one element at a time. Products and sums may be contracted to one rounding, but not reordered,
except in `sum_in_any_order`.
"""

import math

import numpy

single, whole = numpy.float32, numpy.int32

_PER_LN2 = single(1.442695)
_LN2_HIGH = single(0.69314575)  # 16 bits, so its product with an exponent is exact
_LN2_LOW = single(1.4286068e-06)
_LN2 = single(0.6931472)
_HIGH_PER_LN2, _LOW_PER_LN2 = single(1.4423828), single(0.0003122284)  # 1 / ln 2 in two parts
_PER_LN10 = single(0.4342945)
_HIGH_PER_LN10, _LOW_PER_LN10 = single(0.43408203), single(0.00021245066)
_LOG10_2_HIGH, _LOG10_2_LOW = single(0.3010254), single(4.605039e-06)
_ROUNDING = single(12582912.0)  # 1.5 * 2**23: adding it rounds to an integer, in the low bits
_ROUNDING_BITS = whole(0x4B400000)
_BIAS, _FRACTION_BITS = whole(127), whole(23)
_REST = whole(0x7FFFFFFF)
_ROOT_HALF_BITS = whole(0x3F3504F3)  # the bits of sqrt(1/2)
_FRACTION = whole(0x007FFFFF)


def bits_of(x):
    """Returns the bits of a float32 as an int32."""
    return single(x).view(numpy.int32)


def of_bits(bits):
    """Returns the float32 of these bits."""
    return whole(bits).view(numpy.float32)


def power_of_two(exponent):
    """Computes 2**exponent for an int32 in [-126, 127]."""
    return of_bits(whole(whole(exponent + _BIAS) << _FRACTION_BITS))


def sum_in_any_order(total, x):
    """Computes total + x. A loop of such additions may be split among the lanes of a vector."""
    return total + x


def ordered(x):
    """Returns an int32 key with the order of float32 values; NaN has the largest key."""
    bits = bits_of(x)
    magnitude = whole(bits & _REST)
    key = whole(bits ^ whole(whole(bits >> whole(31)) & _REST))
    return _REST if magnitude > whole(0x7F800000) else key


def of_ordered(key):
    """Returns the float32 with this key: the inverse of `ordered`."""
    return of_bits(whole(key ^ whole(whole(key >> whole(31)) & _REST)))


def reduced(x):
    """Returns `x` as k ln 2 + r with |r| <= ln 2 / 2: k as an int32 and as a float32, and r."""
    shifted = x * _PER_LN2 + _ROUNDING
    k = shifted - _ROUNDING
    return whole(bits_of(shifted) - _ROUNDING_BITS), k, (x - k * _LN2_HIGH) - k * _LN2_LOW


def exp(x):
    x = single(89.0) if x > single(89.0) else x
    x = single(-104.0) if x < single(-104.0) else x
    exponent, factor = exp_parts(x)
    half = whole(exponent >> whole(1))  # two factors, because 2**128 and 2**-149 overflow
    return factor * power_of_two(half) * power_of_two(whole(exponent - half))


def exp_parts(x):
    """Computes exp(x) for an `x` in [-104, 89] as a power of two, an int32, and a factor near 1."""
    exponent, _, r = reduced(x)
    return exponent, exp_rest(r)


def exp_rest(r):
    """Computes exp(r) for an `r` in [-ln 2 / 2, ln 2 / 2]."""
    rest = single(0.001395054)
    rest = rest * r + single(0.008368918)
    rest = rest * r + single(0.041666206)
    rest = rest * r + single(0.16666518)
    rest = rest * r + single(0.5)
    return (rest * r * r + r) + single(1.0)


def exp_normal(x):
    """Computes exp(x) for an `x` in [-87, 89], never a subnormal number; infinity from 88.38 on."""
    exponent, factor = exp_parts(x)
    return factor * power_of_two(exponent)


def sigmoid(x):
    """Computes 1 / (1 + exp(-x)). Both terms are scaled by 2**-24, so that no power overflows."""
    x = single(60.0) if x > single(60.0) else x
    x = single(-104.0) if x < single(-104.0) else x
    exponent, factor = exp_parts(-x)
    power = factor * power_of_two(whole(exponent - whole(24)))
    return single(5.9604645e-08) / (single(5.9604645e-08) + power)


def quick_ndtr(x):
    """Computes the normal distribution function. Beyond `x`, the probability is exp(-x * x / 2)
    times a polynomial in x / (1 + 0.24 x)."""
    u = abs(x)
    u = u / (single(0.24) * u + single(1.0))
    square = u * u
    low = (single(-0.398942571) * u + single(0.5)) + (
        single(-0.0359609563) * u + single(0.154255335)
    ) * square
    high = (single(-4.30955204e-05) * u + single(0.00443425006)) + (
        single(5.96331669e-06) * u + single(-6.21977753e-05)
    ) * square
    tail = (high * (square * square) + low) * exp(single(-0.5) * x * x)
    tail = single(0.0) if abs(x) >= single(5.65) else tail  # as in MindSpore's float32
    return single(1.0) - tail if x > single(0.0) else tail


def expm1(x):
    argument = x
    x = single(89.0) if x > single(89.0) else x
    x = single(-25.0) if x < single(-25.0) else x
    exponent, k, r = reduced(x)
    rest = single(0.00019914229)
    rest = rest * r + single(0.001394105)
    rest = rest * r + single(0.008333273)
    rest = rest * r + single(0.041666355)
    rest = rest * r + single(0.16666667)
    rest = rest * r + single(0.5)
    small = rest * r * r + r
    scale = power_of_two(whole(exponent - whole(1)))  # half, because 2**128 overflows
    result = (small * scale + (scale - single(0.5))) * single(2.0)
    return argument if k == single(0.0) and small == argument else result


def exp2(x):
    x = single(129.0) if x > single(129.0) else x
    x = single(-151.0) if x < single(-151.0) else x
    shifted = x + _ROUNDING
    exponent = whole(bits_of(shifted) - _ROUNDING_BITS)
    factor = exp_rest((x - (shifted - _ROUNDING)) * _LN2)
    half = whole(exponent >> whole(1))
    return factor * power_of_two(half) * power_of_two(whole(exponent - half))


def log(x):
    k, f, rest = log_parts(x)
    return _log_result(x, k * _LN2_HIGH + ((k * _LN2_LOW + rest) + f))


def log_parts(x):
    """Computes log(x) of a positive number as k ln 2 + (f + rest): an integer, a number in
    [-0.3, 0.42] and its correction. All are float32."""
    tiny = x < single(1.1754944e-38)
    scaled = x * single(8388608.0) if tiny else x
    bits = whole(bits_of(scaled) - _ROOT_HALF_BITS)
    exponent = whole(bits >> _FRACTION_BITS)
    f = of_bits(whole(whole(bits & _FRACTION) + _ROOT_HALF_BITS)) - single(1.0)
    k = single(exponent) - (single(23.0) if tiny else single(0.0))
    rest = single(-0.0763439)
    rest = rest * f + single(0.12765428)
    rest = rest * f + single(-0.13162003)
    rest = rest * f + single(0.14201368)
    rest = rest * f + single(-0.16623144)
    rest = rest * f + single(0.20001236)
    rest = rest * f + single(-0.25000826)
    rest = rest * f + single(0.3333333)
    return k, f, (rest * f - single(0.5)) * (f * f)


def _log_result(x, result):
    """Returns the logarithm of `x`, given that of a positive finite number."""
    result = x if x == single(math.inf) else result
    result = single(-math.inf) if x == single(0.0) else result
    return result if x >= single(0.0) else single(math.nan)


def log2(x):
    k, f, rest = log_parts(x)
    result = k + (f * _HIGH_PER_LN2 + (rest * _PER_LN2 + f * _LOW_PER_LN2))
    return _log_result(x, result)


def log10(x):
    k, f, rest = log_parts(x)
    small = k * _LOG10_2_LOW + (rest * _PER_LN10 + f * _LOW_PER_LN10)
    return _log_result(x, k * _LOG10_2_HIGH + (small + f * _HIGH_PER_LN10))


def log1p(x):
    near = x + single(1.0)
    missed = x - (near - single(1.0))  # the rounding error of the sum
    result = log(near) + missed / near
    return result if near < single(math.inf) and near > single(0.0) else log(near)


def log_sum_exp(a, b, c):
    """Computes log(exp(a) + exp(b) + exp(c)); -infinity if all three are."""
    top = a if a > b else b
    top = c if c > top else top
    top = single(0.0) if top == single(-math.inf) else top
    return top + log(exp(a - top) + exp(b - top) + exp(c - top))


def tanh(x):
    size = abs(x)
    square = x * x
    small = single(-0.0051551154)
    small = small * square + single(0.02011166)
    small = small * square + single(-0.05356699)
    small = small * square + single(0.13329244)
    small = small * square + single(-0.33333197)
    small = small * square * x + x
    bounded = single(20.0) if size > single(20.0) else size  # from 9.1 on the result is 1
    large = single(1.0) - single(2.0) / (exp_normal(bounded + bounded) + single(1.0))
    large = -large if x < single(0.0) else large
    return small if size < single(0.7) else large


def erf(x):
    size = abs(x)
    square = x * x
    small = single(-0.00059994066)
    small = small * square + single(0.0049948306)
    small = small * square + single(-0.02676772)
    small = small * square + single(0.11281846)
    small = small * square + single(-0.37612498)
    small = small * square + single(0.12837915)
    small = small * x + x
    t = single(4.0) if size > single(4.0) else size
    power = single(0.00019593722)  # ln(1 - erf(t))
    power = power * t + single(-0.0030432171)
    power = power * t + single(0.02222692)
    power = power * t + single(-0.1039316)
    power = power * t + single(-0.63718224)
    power = power * t + single(-1.1276757)
    power = power * t + single(-0.0001956758)
    large = single(1.0) - exp_normal(power)
    large = -large if x < single(0.0) else large
    return small if size < single(0.92) else large
