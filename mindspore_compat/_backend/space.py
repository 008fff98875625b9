"""`Space`, the `xp` of NumPy and CuPy arrays: looks up the functions of the catalogue.

A `Space` takes `xp.exp` from the array library, `xp.erf` from its special functions, and
`xp.scatter_add` from the module that the catalogue names. A name is looked up once and is a plain
attribute from then on; a name that is not in the catalogue raises an AttributeError. Some functions
without a better place are below.
"""

import functools
import importlib

import numpy

from .catalogue import FUNCTIONS, LIBRARY
from .host.indices import nonzero
from .host.triangles import tril, triu
from .thresholds import Least

REDUCERS = {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum"}


def _reducer(ufunc):
    """Returns the reduction by a ufunc without NumPy's Python wrapper, which costs more than
    summing a small array."""
    reduce = ufunc.reduce

    def reduced(x, axis=None, dtype=None, keepdims=False):
        return reduce(x, axis, dtype, None, keepdims)

    return reduced


def _reshape(x, shape):
    """Computes NumPy's `reshape` by the array's method, three times as fast as the function."""
    return x.reshape(shape) if type(x) is numpy.ndarray else numpy.reshape(x, shape)


def _mean(x, axis=None, dtype=None, keepdims=False):
    """Computes NumPy's `mean` without its Python wrapper, which takes longer than the mean of a
    small array."""
    if type(axis) is tuple and type(x) is numpy.ndarray and axis == tuple(range(x.ndim)):
        axis = None
    if axis is None and dtype is None and type(x) is numpy.ndarray and x.dtype.char in "fd":
        if 0 < x.size < 1 << 24:  # a float32, so that the quotient equals NumPy's
            return numpy.add.reduce(x, None, None, None, keepdims) / x.size
    return numpy.mean(x, axis, dtype, None, keepdims)


def _broadcast_to(x, shape):
    """Computes NumPy's `broadcast_to`. For an array of one element it omits NumPy's checks, which
    take most of the time."""
    if not (type(x) is numpy.ndarray and x.size == 1 and x.dtype.char in "fd"):
        return numpy.broadcast_to(x, shape)
    if type(shape) is not tuple or x.ndim > len(shape) or 0 in shape:
        return numpy.broadcast_to(x, shape)
    out = numpy.ndarray(shape, x.dtype, x, 0, (0,) * len(shape))
    out.flags.writeable = False
    return out


def _swapaxes(x, axis1, axis2):
    """Computes NumPy's `swapaxes` by the array's method, as in `_reshape`."""
    return x.swapaxes(axis1, axis2) if type(x) is numpy.ndarray else numpy.swapaxes(x, axis1, axis2)


def _squeeze(x, axis=None):
    """Computes NumPy's `squeeze` by the array's method, as in `_reshape`."""
    return x.squeeze(axis) if type(x) is numpy.ndarray else numpy.squeeze(x, axis)


def _moveaxis(x, source, destination):
    """Computes NumPy's `moveaxis`, whose checks take several times as long as the view."""
    if type(x) is numpy.ndarray and type(source) is type(destination) is int:
        if -x.ndim <= source < x.ndim and -x.ndim <= destination < x.ndim:
            order = list(range(x.ndim))
            order.insert(destination % x.ndim, order.pop(source))
            return x.transpose(order)
    return numpy.moveaxis(x, source, destination)


def _roll(x, shift, axis=None):
    """Computes NumPy's `roll`, whose checks take longer than to move a small array."""
    one_axis = type(x) is numpy.ndarray and type(shift) is type(axis) is int
    if not (one_axis and -x.ndim <= axis < x.ndim and x.size):
        return numpy.roll(x, shift, axis)
    out = numpy.empty_like(x)
    before = (slice(None),) * (axis % x.ndim)
    shift %= x.shape[axis]
    rest = x.shape[axis] - shift
    out[(*before, slice(shift, None))] = x[(*before, slice(None, rest))]
    out[(*before, slice(None, shift))] = x[(*before, slice(rest, None))]
    return out


def _tile(x, reps):
    """Computes NumPy's `tile`, which copies the whole array once for each axis that is repeated;
    this writes each element once if several are."""
    several = type(x) is numpy.ndarray and type(reps) is tuple and sum([n > 1 for n in reps]) > 1
    if not several or not x.ndim or x.shape[-1] < Least.TILE_ROW:
        return numpy.tile(x, reps)
    rank = max(len(reps), x.ndim)
    shape, reps = ((1,) * (rank - len(pair)) + pair for pair in (x.shape, reps))
    out = numpy.empty([n for pair in zip(reps, shape) for n in pair], x.dtype)
    out[...] = x.reshape([n for length in shape for n in (1, length)])
    return out.reshape([n * length for n, length in zip(reps, shape)])


def reciprocal_by(divide):
    """Returns NumPy's `reciprocal`, which divides many floats with vector instructions."""

    def reciprocal(x):
        pays = type(x) is numpy.ndarray and x.size >= Least.DIVIDE and x.dtype.kind == "f"
        return divide(1, x) if pays else numpy.reciprocal(x)

    return reciprocal


_QUICKER = {
    "reciprocal": reciprocal_by(numpy.divide),
    "roll": _roll,
    "tile": _tile,
    "nonzero": nonzero,
    "tril": tril,
    "triu": triu,
    "reshape": _reshape,
    "squeeze": _squeeze,
    "moveaxis": _moveaxis,
    "mean": _mean,
    "broadcast_to": _broadcast_to,
    "swapaxes": _swapaxes,
}


class Space:
    """The functions of one array library, NumPy's names first."""

    bodies = None  # single kernels for whole bodies (bodies/gpu.py), if the library runs them
    upcast_kernels = None  # kernels of functions in low precision (bodies/upcast.py), or None
    # Class attributes, because looking up a missing attribute is slow:
    draws = None  # of a vmap: takes a function that makes a generator, returns one for all slices
    level = 0  # nesting depth of vmap
    by_operator = False  # whether operators are passed to `run_apart` before their bodies run
    hides_axis = False  # whether its arrays have an axis that bodies do not see
    merges_axes = True  # whether reshape merges axes without an exchange between ranks

    def __init__(self, module, special, linalg, low_precision, kernels=None, bodies=None):
        self.module = module
        if bodies is not None:
            self.bodies = bodies
        # Hand-written kernels (conv/cuda_kernels.py), if the library runs them.
        self.kernels = kernels
        # Dtypes computed in float32 and rounded when stored; the same of products, and of ops that
        # are whole kernels on a GPU.
        self.low_precision = low_precision
        self.low_precision_products = low_precision
        self.low_precision_kernels = low_precision
        self._special = special
        self._linalg = linalg

    @functools.cached_property
    def number(self):
        """A function `number(value, dtype)` that returns a 0-d array. Nobody may write to the
        array, since a space may keep it for later calls."""
        return self.asarray

    def __getattr__(self, name):
        entry = FUNCTIONS.get(name)
        if entry is None:
            raise AttributeError(f"xp.{name} is not in the catalogue (_backend/catalogue/)")
        if name in REDUCERS and self.module is numpy:
            function = _reducer(getattr(numpy, REDUCERS[name]))
        elif name in _QUICKER and self.module is numpy:
            function = _QUICKER[name]
        elif entry.home not in LIBRARY:
            function = implementation(name).__get__(self)
        elif entry.home == "numpy":
            function = getattr(self.module, name)
        else:
            function = self.from_scipy(entry.home, name)
        setattr(self, name, function)
        return function

    def from_scipy(self, home, name):
        """Returns a function of SciPy, or the array library's counterpart."""
        from .host.float16 import through_float32  # here: only these functions need it

        module = self._special if home == "scipy.special" else self._linalg
        function = getattr(importlib.import_module(module), name)
        return function if self.module is numpy else through_float32(function)

    def __repr__(self):
        return f"Space({self.module.__name__})"


_implementations = {}


def implements(function):
    """Registers `function(xp, ...)`, which a higher package defines, as the implementation of the
    catalogue's function with its name. Used as a decorator."""
    if not FUNCTIONS[function.__name__].provided:
        raise ValueError(f"The catalogue has '{function.__name__}' in the backend.")
    _implementations[function.__name__] = function
    return function


def is_implementation(function):
    """Returns True if a function implements the function of `xp` with its name."""
    entry = FUNCTIONS.get(function.__name__)
    is_ours = entry is not None and entry.home not in LIBRARY
    return is_ours and implementation(entry.name) is function


def implementation(name):
    """Returns the function that implements `xp.<name>`, with `xp` as its first parameter."""
    function = _implementations.get(name)
    if function is None:
        entry = FUNCTIONS[name]
        if entry.provided:
            raise AttributeError(f"xp.{name} needs 'mindspore_compat.{entry.home}' to be imported")
        home = importlib.import_module(f".{entry.home}", __package__)
        function = _implementations[name] = getattr(home, entry.target)
    return function


def expand_dims(xp, a, axis):
    """Computes NumPy's `expand_dims`, whose checks take several times as long as the view."""
    if type(a) is numpy.ndarray and type(axis) is int:
        if 0 <= axis <= a.ndim:
            return a[(slice(None),) * axis + (None,)]
        if -a.ndim <= axis + 1 <= 0:
            return a[(..., None) + (slice(None),) * (-1 - axis)]
    return xp.module.expand_dims(a, axis)


def at_once(xp):
    """Returns the number of elements that a body should process at a time. On the host these fit a
    processor's cache; on a GPU the number is larger, because each call is expensive."""
    return 1 << 18 if xp.module is numpy else 1 << 26


def rsqrt(xp, x):
    """Computes 1 / sqrt(x)."""
    if type(x) is numpy.ndarray and xp.bodies is not None:
        if (result := xp.bodies.pointwise(_rsqrt, x)) is not None:
            return result
    return 1 / xp.sqrt(x)


def _rsqrt(xp, x):
    return 1 / xp.sqrt(x)


def safe_sqrt(xp, x):
    """Computes sqrt(x). The derivative at 0 is 0 (../_core/autograd/vjp_rules.py)."""
    return xp.sqrt(x)


def sigmoid(xp, x):
    """Computes 1 / (1 + exp(-x)). This formula is precise for negative `x`, where one that uses
    tanh would return 0 below -17."""
    return 1 / (1 + xp.exp(-x))


def gammaln(xp, x):
    """Computes the logarithm of the absolute value of the gamma function; SciPy returns -infinity
    at -infinity, where the limit and C's lgamma are +infinity."""
    result = xp.from_scipy("scipy.special", "gammaln")(x)
    return xp.where(result == -numpy.inf, numpy.inf, result)


def softplus(xp, x):
    """Computes log(1 + exp(x)).

    NumPy's logaddexp is not vectorized: it takes thirty times as long as exp and log1p.
    """
    if type(x) is not numpy.ndarray:
        return xp.logaddexp(x, xp.zeros((), x.dtype))
    return xp.maximum(x, 0) + xp.log1p(xp.exp(-xp.abs(x)))


def from_parts(xp, x, y):
    """Returns complex numbers with real parts `x` and imaginary parts `y`. A sum x + 1j * y would
    be NaN where a part is infinite."""
    shape = xp.module.broadcast_shapes(x.shape, y.shape)
    out = xp.empty(shape, "complex128" if x.dtype == "float64" else "complex64")
    out.real[...], out.imag[...] = x, y
    return out


def diagonal(xp, x, offset=0, axis1=0, axis2=1):
    """Returns the diagonal over two axes, a writable view of `x`; NumPy's own is read-only."""
    out = xp.module.diagonal(x, offset, axis1, axis2)
    if type(out) is numpy.ndarray and x.flags.writeable:
        out.flags.writeable = True
    return out


def stop(xp, x):
    """Returns `x` itself. On a traced value, the function of this name stops the gradient."""
    return x


def table(xp, function, *arguments):
    """Returns the array `function(*arguments)`, which is computed on the host. The space of a GPU
    keeps it for later calls (cuda/tables.py)."""
    return xp.asarray(function(*arguments))


def einsum_list(xp, operands, equation):
    """Computes NumPy's `einsum` of a list of operands and an equation. On the host, pairs of
    operands become matrix products if possible."""
    if xp.module.__name__ == "numpy" and len(operands) > 1:
        return xp.einsum(equation, *operands, optimize=True)
    return xp.einsum(equation, *operands)


def scatter_diagonal(xp, values, shape, offset=0, axis1=0, axis2=1):
    """Returns an array of zeros of `shape`, with `values` on the diagonal that `xp.diagonal`
    returns."""
    out = xp.zeros(shape, values.dtype)
    front = xp.moveaxis(out, (axis1, axis2), (-2, -1))
    at = xp.arange(values.shape[-1])
    front[..., at + max(-offset, 0), at + max(offset, 0)] = values
    return out
