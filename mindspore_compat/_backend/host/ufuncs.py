"""Elementwise functions (ufuncs) and copies of large arrays on the host, shared by threads.

`LARGE` of arrays.py is the host's space for large arrays, with these functions in place of
NumPy's. The caller of a body or a vjp checks the size of an array once, so small arrays have no
overhead. Results have NumPy's bits, dtypes and memory order; errors and warnings follow the
caller's `numpy.errstate`.

    xp = for_size(HOST, [x])  # HOST for a small array, LARGE for a large one
    xp.exp(x)  # in pieces, each written to its part of one result

Sums and other reductions are in reductions.py.
"""

import itertools
import math

import numpy

from ..compiled import door
from ..threads.scheduler import blocks, is_alone, run
from ..thresholds import Least

PIECE = 1 << 17  # elements of a piece, about
FEW, MOST = 4, 16  # the least and the most pieces of a call
BUFFER = 1 << 13  # elements that NumPy casts at a time; pieces of one axis are multiples of it
# The least sizes for ufuncs limited by memory bandwidth, and for those limited by arithmetic; for
# all others it is Least.UFUNC.
THRESHOLDS = dict.fromkeys(
    """absolute add bitwise_and bitwise_or bitwise_xor ceil divide equal floor fmax fmin greater
    greater_equal invert isfinite isinf isnan less less_equal maximum minimum multiply negative
    not_equal positive reciprocal rint signbit sqrt square subtract trunc""".split(),
    "UFUNC_BY_MEMORY",
) | dict.fromkeys(
    """arccosh beta betainc betaln digamma entr erf erfc erfinv expit float_power floor_divide fmod
    gamma gammainc gammaincc gammaln heaviside hypot i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e lcm gcd
    log_ndtr logaddexp logaddexp2 logit ndtr ndtri nextafter power remainder spacing xlog1py xlogy
    y0 y1 zeta""".split(),
    "UFUNC_BY_PROCESSOR",
)
_KINDS = "biufcV"  # kinds of dtypes: numbers, including those of ml_dtypes
_NUMBERS = (int, float, complex)


class Ufunc:
    """A wrapper of a NumPy ufunc with one result: threads share its calls on large arrays. It has
    the attributes of the ufunc."""

    def __init__(self, ufunc):
        self._ufunc = ufunc
        self._name = ufunc.__name__
        self._threshold = THRESHOLDS.get(ufunc.__name__, "UFUNC")

    def __call__(self, *args, **kwargs):
        bytes_of = [arg.nbytes for arg in args if type(arg) is numpy.ndarray]
        if len(bytes_of) == 2 and not kwargs and args[0].shape != args[1].shape:
            result = door.call("broadcast", self._name, *args)
            if result is not None:
                return result
        large = bytes_of and max(bytes_of) >= getattr(Least, self._threshold)
        if large and not kwargs and not is_alone():
            dtype = _result_dtype(self._ufunc, args)
            if dtype is not None:
                return by_elements(self._ufunc, args, dtype)
        return self._ufunc(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self._ufunc, name)


def _result_dtype(ufunc, args):
    """Returns the dtype of the ufunc's result for these arguments. Returns None if NumPy must
    handle them, as for invalid ones."""
    kinds = []
    for arg in args:
        if type(arg) in _NUMBERS:
            kinds.append(type(arg))  # NumPy converts it to the arrays' dtype
        elif type(arg) is not numpy.ndarray or arg.dtype.kind not in _KINDS:
            return None
        else:
            kinds.append(arg.dtype)
    if len(args) != ufunc.nin or ufunc.nout != 1:
        return None
    try:
        if 0 in _shape_of(args):
            return None
        return ufunc.resolve_dtypes((*kinds, None))[-1]
    except (TypeError, ValueError):
        return None


def _shape_of(args):
    """Returns the shape to which arrays among the arguments broadcast."""
    first, *others = [arg.shape for arg in args if type(arg) is numpy.ndarray]
    same_shape = all([shape == first for shape in others])
    return first if same_shape else numpy.broadcast_shapes(first, *others)


def by_elements(function, args, dtype):
    """Calls an elementwise function on pieces of its arguments, which threads share.

    Args:
        function (Callable): called with parts of the arguments, and `out`.
        args (Sequence): arrays, which broadcast, and numbers.
        dtype (numpy.dtype): the dtype of the result.

    Returns:
        numpy.ndarray, in NumPy's memory order.
    """
    arrays = [arg for arg in args if type(arg) is numpy.ndarray]
    shape = _shape_of(args)
    if all([a.size == 1 or a.shape == shape and a.flags.c_contiguous for a in arrays]):
        out = numpy.empty(shape, dtype)
        views = [_flat(arg) for arg in args]
        write_pieces(function, views, out.reshape(-1))
        return out
    flags = [["readonly"]] * len(arrays) + [["writeonly", "allocate"]]
    dtypes = [None] * len(arrays) + [dtype]
    out = numpy.nditer((*arrays, None), [], flags, dtypes).operands[-1]
    order = sorted(range(out.ndim), key=lambda axis: -out.strides[axis])
    views = [
        numpy.broadcast_to(arg, shape).transpose(order)
        if type(arg) is numpy.ndarray and arg.size > 1
        else _flat(arg)
        for arg in args
    ]
    write_pieces(function, views, out.transpose(order))
    return out


def _flat(value):
    """Returns an array flattened to 1-D, or to 0-d if it has one element; a number unchanged."""
    if type(value) is not numpy.ndarray:
        return value
    return value.reshape(-1) if value.size > 1 else value.reshape(())


def write_pieces(function, args, out):
    """Calls `function(*args, out=out)` on pieces of the leading axes of `out`, which threads share.
    Each argument has the shape of `out`, or no axes. One thread alone makes a single call."""
    if is_alone():
        function(*args, out=out)
        return
    indices = pieces(out.shape)

    def work(number):
        index = indices[number]
        parts = [arg[index] if type(arg) is numpy.ndarray and arg.ndim else arg for arg in args]
        function(*parts, out=out[index])

    run(work, len(indices))


def pieces(shape, size=None):
    """Returns the indices that cut an array into pieces along its leading axes. They depend on the
    shape alone.

    Args:
        shape (tuple): the shape of the array.
        size (int): the number of elements that the work processes, if it differs from the array's.
    """
    count = min(max((size or math.prod(shape)) // PIECE, FEW), MOST)
    if len(shape) == 1:
        length = -(-shape[0] // count)
        if size is None:
            length = -(-length // BUFFER) * BUFFER
        return [(part,) for part in blocks(shape[0], length)]
    axis, lead = 0, 1
    while axis < len(shape) - 1 and lead * shape[axis] < count:
        lead *= shape[axis]
        axis += 1
    parts = blocks(shape[axis], -(-shape[axis] // -(-count // lead)))
    whole = itertools.product(*[range(length) for length in shape[:axis]])
    return [(*first, part) for first in whole for part in parts]


# Copies -------------------------------------------------------------------------------------------


def _copy(x, out):
    numpy.copyto(out, x, casting="unsafe")


def contiguous(x, dtype=None):
    """Returns a row-major copy of an array, optionally with another dtype."""
    out = numpy.empty(x.shape, x.dtype if dtype is None else dtype)
    write_pieces(_copy, [x], out)
    return out


def ascontiguousarray(x):
    """Computes NumPy's `ascontiguousarray`; threads share the copy of a large array of numbers."""
    if type(x) is not numpy.ndarray or x.flags.c_contiguous or x.nbytes < Least.UFUNC:
        return numpy.ascontiguousarray(x)
    return contiguous(x) if x.dtype.kind in _KINDS else numpy.ascontiguousarray(x)


def array(x, *args, **kwargs):
    """Computes NumPy's `array`; a compiled loop copies an array whose last axis is reversed."""
    if type(x) is numpy.ndarray and not (args or kwargs) and x.ndim and x.strides[-1] < 0:
        out = door.call("reversed_rows", x[..., ::-1])
        if out is not None:
            return out
    return numpy.array(x, *args, **kwargs)


def diff(x, n=1, axis=-1):
    """Computes NumPy's `diff`; a compiled loop subtracts neighbours along the last axis."""
    if type(x) is numpy.ndarray and x.ndim and n == 1 and axis in (-1, x.ndim - 1):
        out = door.call("differences_of_rows", x)
        if out is not None:
            return out
    return numpy.diff(x, n, axis)


def astype(x, dtype):
    """Computes NumPy's `astype`, for numbers."""
    if x.nbytes < Least.UFUNC or x.dtype.kind not in _KINDS or dtype.kind not in _KINDS:
        return x.astype(dtype)
    return by_elements(_copy, [x], dtype)


def reshape(x, shape):
    """Computes NumPy's `reshape`; threads share the copy if one is needed."""
    if type(x) is not numpy.ndarray:
        return numpy.reshape(x, shape)
    if x.flags.c_contiguous or x.nbytes < Least.UFUNC or x.dtype.kind not in _KINDS:
        return x.reshape(shape)
    try:
        return x.reshape(shape, copy=False)
    except TypeError:  # NumPy 2.0 has no parameter `copy`
        return x.reshape(shape)
    except ValueError:  # the reshape needs a copy, or the shape is wrong
        return contiguous(x).reshape(shape)
