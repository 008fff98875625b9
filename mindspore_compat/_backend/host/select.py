"""Selection of elements by a mask or a bound (where, maximum, minimum), as fast as multiplication.

NumPy's `where` branches on each element, and takes several times as long as arithmetic; a product
with the mask would turn infinities into NaN. So on the host the mask is expanded to all bits of the
elements, which are combined by `and` and `xor`. NumPy's `maximum` with a single number is slower
than `clip`. With Numba, compiled loops select elements of four bytes.
"""

import numpy as np

from ..compiled import door
from ..compiled.jit import is_repeated
from ..threads.scheduler import blocks, run
from ..thresholds import Least
from .ufuncs import by_elements

_WORDS = {size: np.dtype(f"i{size}") for size in (1, 2, 4, 8)}
_BLOCK = 1 << 15  # elements of a block, which stays in the cache


def keep(xp, mask, x):
    """Returns the elements of `x` where `mask` holds, 0 elsewhere; `mask` and `x` have one shape.

    Args:
        mask: bool array.
        x: array of numbers.
    """
    kind = _WORDS[x.itemsize] if type(x) is np.ndarray and x.dtype.kind == "f" else None
    if kind is None or x.ndim == 0 or mask.shape != x.shape:
        return xp.where(mask, x, zero_of(xp, x))
    if x.size < Least.KEEP:
        return np.where(mask, x, 0)
    if x.size >= Least.WHERE:
        words = x.reshape(-1)[:1] if is_repeated(x) else np.ascontiguousarray(x)
        out = door.call("where", mask, words.view(kind), kind.type(0))
        if out is not None:
            return out.view(x.dtype)
    x = np.ascontiguousarray(x)
    if x.nbytes >= Least.UFUNC:
        return by_elements(_write_where, (mask, x.view(kind)), kind).view(x.dtype)
    return _write_where(mask, x.view(kind), np.empty(x.shape, kind)).view(x.dtype)


def _write_where(mask, words, out):
    """Writes to `out` the elements of `words` where `mask` holds, and 0 elsewhere."""
    np.copyto(out, mask)
    np.negative(out, out=out)
    return np.bitwise_and(out, words, out=out)


def zero_of(xp, x):
    """Returns a zero of the dtype of `x`, without a launch on a GPU.

    For NumPy it is a 0-d array, which is faster than a number. For CuPy it is a number, or for
    bfloat16, of which CuPy takes no numbers, a cached array.
    """
    if type(x) is np.ndarray:
        return xp.zeros((), x.dtype)
    return xp.table(np.zeros, (), x.dtype) if x.dtype.kind == "V" else x.dtype.type(0)


def where(xp, condition, *choices):
    """Computes NumPy's `where`."""
    if type(condition) is np.ndarray and condition.size >= Least.WHERE and len(choices) == 2:
        dtype = _one_dtype(*choices) if condition.dtype == bool else None
        if dtype is not None:
            return _choose(condition, dtype, *choices)
    return xp.module.where(condition, *choices)


def _one_dtype(x, y):
    """Returns the dtype that two choices share: two arrays, or an array and a number that its dtype
    can hold. Returns None if they share none, or its elements do not have the size of a word."""
    dtype = next((c.dtype for c in (x, y) if isinstance(c, np.ndarray)), None)
    if dtype is None or dtype.kind not in "fiuc" or dtype.itemsize not in _WORDS:
        return None
    fits = all(getattr(c, "dtype", None) == dtype or _holds(dtype, c) for c in (x, y))
    return dtype if fits else None


def _holds(dtype, number):
    """Returns True for a Python number that `dtype` represents, possibly after rounding."""
    if dtype.kind in "fc":
        return type(number) in (int, float)
    return type(number) is int and np.iinfo(dtype).min <= number <= np.iinfo(dtype).max


def _choose(mask, dtype, *choices):
    """Returns the elements of the first choice where `mask` is true, elsewhere the elements of the
    second.
    """
    x, y = (np.asarray(choice, dtype) for choice in choices)
    shape = mask.shape
    if not (x.shape == shape or x.ndim == 0) or not (y.shape == shape or y.ndim == 0):
        shape = np.broadcast_shapes(shape, x.shape, y.shape)
    mask, x, y = _elements(mask, shape), _elements(x, shape), _elements(y, shape)
    word = _WORDS[dtype.itemsize]
    x, y = x.view(word), y.view(word)
    result = door.call("where", mask, x, y)
    if result is not None:
        return result.view(dtype).reshape(shape)
    out = np.empty(shape, word)
    flat = out.reshape(-1)
    drops, leaves = (array.size == 1 and not array.any() for array in (y, x))  # 0 in one's place
    # With small blocks, threads would wait for each other between functions.
    large = flat.nbytes >= Least.UFUNC
    parts = blocks(flat.size, 4 * _BLOCK if large else _BLOCK)

    def work(number):
        block = parts[number]
        bits = mask[block].astype(word)
        x_block, y_block = (array[block] if array.size > 1 else array for array in (x, y))
        if leaves:
            bits -= 1
            np.bitwise_and(y_block, bits, out=flat[block])
            return
        np.negative(bits, out=bits)
        if drops:
            np.bitwise_and(x_block, bits, out=flat[block])
        else:
            np.bitwise_xor(x_block, y_block, out=flat[block])
            flat[block] &= bits
            flat[block] ^= y_block

    if large:
        run(work, len(parts))
    else:
        for number in range(len(parts)):
            work(number)
    return out.view(dtype)


def _elements(array, shape):
    """Returns the elements of an array that is broadcast to `shape`; of one element, this alone."""
    if array.size > 1 and not (array.shape == shape and array.flags.c_contiguous):
        array = np.ascontiguousarray(np.broadcast_to(array, shape))
    return array.reshape(-1)


def at_least(xp, x, low):
    """Computes max(x, low) in the dtype of `x`; NaN if either is NaN. Where both are equal, the
    gradient goes to `x`."""
    if x.size >= Least.WHERE and _clips(x, low):
        clipped = door.call("clip_one_side", x, "<", low)
        return _clip(xp, x, low=low) if clipped is None else clipped
    return xp.maximum(x, low)


def at_most(xp, x, high):
    """Computes min(x, high) in the dtype of `x`; NaN if either is NaN. Where both are equal, the
    gradient goes to `x`."""
    if x.size >= Least.WHERE and _clips(x, high):
        clipped = door.call("clip_one_side", x, ">", high)
        return _clip(xp, x, high=high) if clipped is None else clipped
    return xp.minimum(x, high)


def clip(xp, x, low, high):
    """Computes NumPy's `clip`: min(max(x, low), high)."""
    if not (_clips(x, low) and _clips(x, high)):
        return xp.module.clip(x, low, high)
    if x.size < Least.WHERE:  # the Python code of NumPy's `clip` takes longer than its ufunc
        return np._core.umath.clip(x, low, high)
    return _clip(xp, x, low, high)


def _clips(x, bound):
    """Returns True if the host's `clip` can apply the bound: `x` is an array on the host, and
    `bound` is one number that has its dtype or converts to it."""
    if type(x) is not np.ndarray or x.dtype.char not in "efdilqBHILQbh":
        return False
    if isinstance(bound, np.ndarray):
        return not bound.ndim and bound.dtype == x.dtype
    return x.dtype.kind == "f" or type(bound) is not float


def _clip(xp, x, low=None, high=None):
    """Returns `x` clipped by NumPy's `clip`, with the end of the dtype's range in place of a bound
    that is None."""
    kind = x.dtype
    dtype = np.dtype(np.float32) if kind == np.float16 else kind
    ends = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    low, high = (end if bound is None else bound for bound, end in zip((low, high), ends))
    x = xp.cast(x, dtype)
    share = x.nbytes >= 2 * Least.UFUNC
    out = by_elements(np.clip, (x, low, high), dtype) if share else np.clip(x, low, high)
    return xp.cast(out, kind)
