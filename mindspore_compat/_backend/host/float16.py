"""Conversion of dtypes on the host; of float16 to float32 and back by integer arithmetic on blocks.

NumPy converts one element at a time. A float16 below 6.1e-5, common among gradients, takes it five
times as long (to float32) or a hundred times as long (from float32). The results are NumPy's.
"""

import functools

import ml_dtypes
import numpy as np

from ..compiled import door
from ..thresholds import Least
from .ufuncs import astype

_BLOCK = 1 << 15  # elements of a block, which stays in the cache
_WORD = np.uint32
_SIGN, _LEAST, _ENDLESS = _WORD(0x8000), _WORD(0x400), _WORD(0x7C00)  # -0, 2^-14, inf in float16
_SPARE = _WORD(13)  # the additional fraction bits of float32
_BIAS = _WORD(112 << 23)  # the difference of the exponent biases
_LEAST_SINGLE = _WORD(113 << 23)  # 2^-14, below which float16 are evenly spaced
_PAST = _WORD(143 << 23)  # 2^16, which is rounded to infinity
_EXPONENT, _MAGNITUDE = _WORD(0xFF << 23), _WORD(0x7FFFFFFF)


def cast(xp, x, dtype):
    """Returns `x` with another dtype; `x` itself if it has this dtype."""
    if x.dtype == dtype:
        return x
    if type(x) is not np.ndarray:
        return x.astype(dtype)
    x = _widened(x, np.dtype(dtype))
    if x.size < Least.CAST:
        return x.astype(dtype)
    dtype = np.dtype(dtype)
    way = _WAYS.get(x.dtype.char + dtype.char)
    return astype(x, dtype) if way is None else _in_blocks(way, x, dtype)


def _widened(x, dtype):
    """Returns `x` itself, or in a wider dtype from which numbers out of the range of the integers
    `dtype` wrap around, as in MindSpore: float32 for bfloat16, int64 before uint32."""
    if dtype.kind in "iu" and x.dtype == ml_dtypes.bfloat16:
        x = x.astype(np.float32)
    return x.astype(np.int64) if dtype == np.uint32 and x.dtype.char in "fd" else x


def _in_blocks(way, x, dtype):
    out = np.empty(x.shape, dtype)
    source, target = np.ascontiguousarray(x).reshape(-1), out.reshape(-1)
    if door.call("cast_float16", source, target) is not None:
        return out
    for start in range(0, x.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        way(source[block], target[block])
    return out


def _to_float32(source, target):
    """Converts each float16 of `source` to float32 in `target`."""
    word = target.view(_WORD)
    word[...] = source.view(np.uint16)
    sign = word & _SIGN
    word ^= sign
    small, endless = word < _LEAST, word.max() >= _ENDLESS
    word <<= _SPARE
    word += _BIAS
    if small.any():  # these bits count from 2^-14, which is subtracted again
        exponent_shift = small.astype(_WORD)
        word += exponent_shift << _WORD(23)
        exponent_shift *= _LEAST_SINGLE
        target -= exponent_shift.view(np.float32)
    if endless:
        word += (word >= _PAST) * _BIAS
    sign <<= _WORD(16)
    word |= sign


def _to_float16(source, target):
    """Converts each float32 of `source` to the nearest float16 in `target`, rounding ties to
    even."""
    word = source.view(_WORD)
    size = word & _MAGNITUDE
    if size.max() > _EXPONENT:  # a NaN
        target[...] = source
        return
    np.minimum(size, _PAST, out=size)
    scale = size & _EXPONENT
    np.maximum(scale, _LEAST_SINGLE, out=scale)
    power = scale + (_SPARE << _WORD(23))
    total = size.view(np.float32)
    total += power.view(np.float32)  # rounds at the last place of a float16
    size -= power
    scale >>= _SPARE
    size += scale
    size -= _LEAST_SINGLE >> _SPARE
    size |= (word >> _WORD(16)) & _SIGN
    target.view(np.uint16)[...] = size


_WAYS = {"ef": _to_float32, "fe": _to_float16}


def through_float32(function):
    """Wraps a library function that refuses float16 arrays or returns a wider dtype for them. The
    wrapped function computes float16 in float32 and rounds the results to float16."""

    @functools.wraps(function, updated=())
    def call(*args, **kwargs):
        if all(getattr(a, "dtype", None) != np.float16 for a in args):
            return function(*args, **kwargs)
        out = function(*map(_to_single, args), **kwargs)
        return tuple(map(_to_half, out)) if isinstance(out, tuple) else _to_half(out)

    return call


def _to_single(value):
    return value.astype(np.float32) if getattr(value, "dtype", None) == np.float16 else value


def _to_half(value):
    return value.astype(np.float16) if value.dtype == np.float32 else value
