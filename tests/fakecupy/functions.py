"""The stand-in's ufuncs and functions: NumPy's and SciPy's own, with the names and parameters of
the census.

A ufunc chooses its loop from the types that the wheel lists, as CuPy does. A function unwraps
device arrays, calls the NumPy function and wraps the result. If CuPy's rule differs from NumPy's,
there is a definition below, marked `@own`. Devices, streams, random numbers and kernels are in
`modules.py` and `kernels.py`.
"""

import functools
import inspect
import os

import numpy

from . import counting, listing
from .arrays import BFLOAT16, FUNCTIONS, ndarray, unwrap, wrap, wrapped

SCALARS = (numpy.generic, bool, int, float, complex)
SCATTERS = {  # ufuncs with `.at`, and the types it takes
    "add": "iIlLqQefd",
    "subtract": "iI",
    "maximum": "iIlLqQfd",
    "minimum": "iIlLqQfd",
    "bitwise_and": "iIlLqQ",
    "bitwise_or": "iIlLqQ",
    "bitwise_xor": "iIlLqQ",
}
# A first parameter of these names is an array that CuPy uses as it is: a list or a number fails
# there.
ARRAY_FIRST = {"a", "x", "m", "ary", "arr", "condition", "y", "v"}
NO_SCALAR = {"polygamma", "broadcast_to"}  # functions whose first parameter has another name
SCALAR_TOO = {
    "isclose",
    "allclose",
    "array_equal",
    "array_equiv",
    "kron",
    "ndim",
    "shape",
    "size",
    "isscalar",
    "iterable",
    "min_scalar_type",
    "nan_to_num",
    "binary_repr",
    "round",
    "around",
    "permutation",
    "choice",
    "interp",
}


class ufunc:
    """A universal function of the stand-in."""

    def __init__(self, name, nin, nout, types, host):
        self.name = f"cupy_{name}"
        self.__name__ = name
        self.nin, self.nout, self.nargs = nin, nout, nin + nout
        self.types = types
        self._host = host
        self._loops = [
            tuple(tuple(dtype_of(c) for c in side) for side in line.split("->")) for line in types
        ]

    def __repr__(self):
        return f"<ufunc '{self.name}'>"

    def __call__(self, *arguments, **keywords):
        return counting.call(self.__name__, self._run, arguments, keywords)

    def _run(self, *arguments, out=None, dtype=None, casting="same_kind", **rest):
        if rest:
            raise TypeError(f"Wrong arguments {rest}")
        if not self.nin <= len(arguments) <= self.nargs:
            raise TypeError(f"Wrong number of arguments for '{self.name}'")
        outs = self._outs(arguments[self.nin :], out)
        inputs = arguments[: self.nin]
        for x in inputs:
            if not isinstance(x, (ndarray, *SCALARS)):
                raise TypeError(f"Unsupported type {type(x)}")
        if all(type(x) in (int, float, complex) for x in inputs):
            inputs = [numpy.asarray(x)[()] for x in inputs]  # numbers alone have NumPy's dtypes
        takes, gives = self._loop(inputs, dtype)
        with numpy.errstate(all="ignore"):
            found = self._compute([self._cast(x, t) for x, t in zip(inputs, takes, strict=False)])
            found = [
                numpy.asarray(f).astype(t, copy=False) for f, t in zip(found, gives, strict=False)
            ]
        answers = [store(f, o, casting) for f, o in zip(found, outs, strict=True)]
        return answers[0] if self.nout == 1 else tuple(answers)

    def _outs(self, positional, out):
        """Returns an array for each result, or None for a new one."""
        if positional:
            return (*positional, *(None,) * (self.nout - len(positional)))
        if out is not None and self.nout > 1 and not isinstance(out, tuple):
            raise ValueError("Wrong number of outputs")
        return out if isinstance(out, tuple) else (out,) * self.nout

    def _loop(self, inputs, dtype):
        """Returns the first listed loop whose input types the inputs can be cast to. With `dtype`,
        returns the first loop whose results have that type.
        """
        for takes, gives in self._loops:
            if dtype is not None:
                if all(t == numpy.dtype(dtype) for t in gives):
                    return takes, gives
            elif all(fits(x, t) for x, t in zip(inputs, takes, strict=False)):
                return takes, gives
        given = tuple(getattr(x, "dtype", type(x)) for x in inputs)
        raise TypeError(f"Wrong type ({dtype or given}) of arguments for {self.name}")

    @staticmethod
    def _cast(x, dtype):
        if type(x) is int and dtype.kind in "iu":
            return numpy.array(x, dtype)  # or OverflowError
        host = x._host if isinstance(x, ndarray) else numpy.asarray(x)
        return host.astype(dtype, copy=False)

    def _compute(self, hosts):
        try:
            found = self._host(*hosts)
        except TypeError:  # no bfloat16 loop on the host
            found = self._host(
                *[h.astype(numpy.float32) if h.dtype == BFLOAT16 else h for h in hosts]
            )
        return found if self.nout > 1 else (found,)

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False):
        """Sums or multiplies along an axis; CuPy can reduce by no other ufunc."""
        name = {"add": "sum", "multiply": "prod"}.get(self.__name__)
        if name is None:
            raise NotImplementedError(f"`{self.name}.reduce` is not supported yet")
        return FUNCTIONS["cupy"][name](array, axis, dtype, out, keepdims)

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """Computes a running sum or product; CuPy can accumulate by no other ufunc."""
        name = {"add": "cumsum", "multiply": "cumprod"}.get(self.__name__)
        if name is None:
            raise NotImplementedError(f"`{self.name}.accumulate` is not supported yet")
        return FUNCTIONS["cupy"][name](array, axis, dtype, out)

    def outer(self, A, B, **keywords):
        """Applies the ufunc to every pair of elements."""
        A, B = own_array(A), own_array(B)
        return self(
            A.reshape(A.shape + (1,) * B.ndim), B.reshape((1,) * A.ndim + B.shape), **keywords
        )

    def at(self, a, indices, b=None):
        """Applies the ufunc in place at `indices`; repeated ones count each time."""
        listed = SCATTERS.get(self.__name__)
        if listed is None:
            raise NotImplementedError(f"`{self.name}.at` is not supported yet")
        if a.dtype.char not in listed:
            raise TypeError(f"cupy.{self.__name__}.at does not support {a.dtype} as data type")
        ufunc = getattr(numpy, self.__name__)
        if a.dtype.kind == "f" and self.__name__ in ("maximum", "minimum"):
            ufunc = {"maximum": numpy.fmax, "minimum": numpy.fmin}[self.__name__]
            b = b.astype(numpy.float32).astype(a.dtype)  # CuPy compares by fmaxf and fminf
        a._scatter(ufunc, indices, b)


def dtype_of(char):
    return BFLOAT16 if char == "E" else numpy.dtype(char)


def fits(x, dtype):
    """Returns True if CuPy casts `x` to a loop of this type; a Python number fits any type of its
    kind or a wider kind.
    """
    if type(x) in (int, float, complex):
        try:
            return numpy.result_type(type(x)(0), dtype) == dtype
        except TypeError:
            return False
    try:
        return numpy.can_cast(x.dtype if hasattr(x, "dtype") else numpy.dtype(type(x)), dtype)
    except TypeError:
        return False


def store(host, out, casting):
    """Writes `host` into the device array `out`."""
    if out is None:
        return wrap(host)
    if not isinstance(out, ndarray):
        raise TypeError(f"Unsupported type {type(out)}")
    if not numpy.can_cast(host.dtype, out.dtype, casting):
        raise TypeError(
            f"Cannot cast output from {host.dtype} to {out.dtype} with casting rule {casting}"
        )
    if host.shape != out.shape:
        raise ValueError(f"non-broadcastable output operand with shape {out.shape}")
    out._host[...] = host
    return out


def function(name, line, host):
    """Returns `host` with the parameters that the census lists for the function of CuPy."""
    listed = listing.signature(line)
    names = translation(listed, host)
    first = next(iter(listed.parameters), None)
    must_be_array = (first in ARRAY_FIRST or name in NO_SCALAR) and name not in SCALAR_TOO

    @functools.wraps(host)
    def run(*arguments, **keywords):
        bound = listing.bind(name, listed, arguments, keywords)
        if must_be_array and not isinstance(bound[first], ndarray):
            raise TypeError(f"{name}() wants a cupy.ndarray, but got {type(bound[first]).__name__}")
        rest = unwrap(bound.pop("*", ()))
        given = {
            names.get(key, key): unwrap(value)
            for key, value in bound.items()
            if key not in listed.parameters or value is not listed.parameters[key].default
        }
        leading = [given.pop(key) for key in positional(host, listed) if key in given]
        with numpy.errstate(all="ignore"):
            found = host(*leading, *rest, **given)
        return wrapped(found) if bound.get("out") is None else bound["out"]

    return run


@functools.cache
def host_parameters(host):
    """Returns the parameters of a host function, or None where Python cannot tell."""
    try:
        return inspect.signature(host).parameters
    except (TypeError, ValueError):
        return None


def positional(host, listed):
    """Returns the parameters of a host function that must go by position, in order.

    If Python cannot read the signature (`arange` of older NumPy releases), these are the parameters
    that CuPy requires.
    """
    theirs = host_parameters(host)
    if theirs is None:
        return [key for key, p in listed.parameters.items() if p.default is p.empty]
    return [key for key, p in theirs.items() if p.kind is p.POSITIONAL_ONLY]


def translation(listed, host):
    """Maps each parameter name of CuPy to the host's name at the same position, where the two
    differ. They differ where NumPy has an older name, such as `newshape` of `reshape`."""
    theirs = host_parameters(host)
    if theirs is None:
        return {}
    names = list(theirs)
    return {
        key: names[i]
        for i, (key, parameter) in enumerate(listed.parameters.items())
        if (key not in theirs or theirs[key].kind is not parameter.kind)
        and i < len(names)
        and names[i] not in listed.parameters
    }


# -- functions whose rule is CuPy's own

OWN = {}


def own(function):
    """Marks a definition used instead of the host's function; `own_` is cut from its name."""
    OWN[function.__name__.removeprefix("own_")] = function
    return function


@own
def own_array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, blocking=False):
    if subok:
        raise NotImplementedError
    if isinstance(obj, ndarray):
        if not copy and (dtype is None or numpy.dtype(dtype) == obj.dtype) and ndmin <= obj.ndim:
            return obj
        return wrap(numpy.array(obj._host, dtype=dtype, order=order, ndmin=ndmin))
    if isinstance(obj, (list, tuple)):
        obj = nested(obj)
    return wrap(numpy.array(obj, dtype=dtype, order=order, ndmin=ndmin))


@own
def own_unpackbits(a, axis=None, bitorder="big"):
    need_arrays(a)
    if axis is not None:
        raise NotImplementedError("axis option is not supported yet")
    return wrap(numpy.unpackbits(a._host, bitorder=bitorder))


@own
def own_packbits(a, axis=None, bitorder="big"):
    if axis is not None:
        raise NotImplementedError("axis option is not supported yet")
    return wrap(numpy.packbits(a._host, bitorder=bitorder))


def nested(values):
    """Returns a nested sequence with its device arrays unwrapped. A mixture of host and device
    arrays raises an error.
    """
    kinds = set()

    def walk(value):
        if isinstance(value, (list, tuple)):
            return [walk(v) for v in value]
        kinds.add(
            ndarray
            if isinstance(value, ndarray)
            else type(value)
            if isinstance(value, numpy.ndarray)
            else None
        )
        return value._host if isinstance(value, ndarray) else value

    found = walk(values)
    if ndarray in kinds and len(kinds) > 1:
        raise TypeError(REFUSAL_OF_A_MIXTURE)
    return found


REFUSAL_OF_A_MIXTURE = "Unsupported dtype object: a sequence mixes cupy.ndarray with something else"


@own
def own_asarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    return own_array(a, dtype, bool(copy), order or "K")


@own
def own_asanyarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    return own_array(a, dtype, bool(copy), order or "K")


@own
def own_ascontiguousarray(a, dtype=None):
    need_arrays(a)
    made = own_array(a, dtype, False)
    if made._host.flags.c_contiguous and made.ndim:
        return made
    return wrap(numpy.ascontiguousarray(made._host))


@own
def own_asfortranarray(a, dtype=None):
    return wrap(numpy.asfortranarray(own_array(a, dtype, False)._host))


@own
def own_asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    if isinstance(a, ndarray):
        return a.get(order=order, out=out)
    return numpy.asarray(a, order=order)


@own
def own_diagonal(a, offset=0, axis1=0, axis2=1):
    """Returns a view that can be written to, where NumPy's cannot."""
    view = numpy.diagonal(a._host, offset, axis1, axis2)
    view.flags.writeable = a._host.flags.writeable
    return wrap(view)


@own
def own_where(condition, x=None, y=None):
    if (x is None) != (y is None):
        raise ValueError("Must provide both 'x' and 'y' or neither.")
    if not isinstance(condition, ndarray):
        raise AttributeError(f"'{type(condition).__name__}' object has no attribute 'astype'")
    if x is None:
        return FUNCTIONS["cupy"]["nonzero"](condition)
    for value in (x, y):
        if not isinstance(value, (ndarray, *SCALARS)):
            raise TypeError(f"Unsupported type {type(value)}")
    for value, other in ((x, y), (y, x)):
        if type(value) is int and value >= 2**63 and getattr(other, "dtype", None) != numpy.uint64:
            raise OverflowError("Python int too large to convert to C long")
    return wrap(numpy.where(condition._host.astype(bool), _chosen(x), _chosen(y)))


def _chosen(value):
    """Returns the value with which CuPy chooses a loop: float32 instead of bfloat16, because CuPy
    has no loop for bfloat16."""
    host = unwrap(value)
    return host.astype(numpy.float32) if getattr(host, "dtype", None) == BFLOAT16 else host


@own
def own_tril(m, k=0):
    return wrap(_chosen(wrap(numpy.tril(m._host, k))))


@own
def own_triu(m, k=0):
    return wrap(_chosen(wrap(numpy.triu(m._host, k))))


@own
def own_take(a, indices, axis=None, out=None):
    indices = indices._host if isinstance(indices, ndarray) else numpy.asarray(indices, dtype=int)
    found = numpy.take(a._host, indices, axis, mode="wrap")
    return store(numpy.asarray(found), out, "same_kind")


@own
def own_dot(a, b, out=None):
    for value in (a, b):
        if not isinstance(value, ndarray):
            raise TypeError(
                f"Argument has incorrect type (expected _ndarray_base, got {type(value).__name__})"
            )
    return store(numpy.asarray(numpy.dot(a._host, b._host)), out, "same_kind")


@own
def own_einsum(*operands, dtype=None, optimize=False, **rest):
    if rest:
        raise TypeError(f"Did not understand the following kwargs: {list(rest)}")
    return wrapped(numpy.einsum(*unwrap(operands), dtype=dtype, optimize=optimize))


@own
def own_matmul(
    *arrays,
    axes=None,
    axis=None,
    keepdims=False,
    casting="same_kind",
    dtype=None,
    signature=None,
    order="K",
    out=None,
):
    if len(arrays) != 2:
        raise TypeError("matmul() takes 2 arrays by position, and `out` by name")
    x1, x2 = arrays
    for x in (x1, x2):
        if not isinstance(x, ndarray):
            raise TypeError(f"Unsupported type {type(x)}")
    note_product([x1, x2])
    found = numpy.asarray(numpy.matmul(x1._host, x2._host, dtype=dtype))
    if x1.dtype == x2.dtype == BFLOAT16:
        found = found.astype(BFLOAT16)
    return store(found, out[0] if isinstance(out, tuple) else out, casting)


TF32 = []  # whether products of float32 are made in TF32, as CuPy was set at the first of them


def note_product(arrays):
    """Reads CuPy's environment variable at the first product of float32, as CuPy does."""
    if not TF32 and any(x.dtype == numpy.float32 for x in arrays):
        TF32.append(os.environ.get("CUPY_TF32", "0") == "1")


@own
def own_result_type(*arrays_and_dtypes):
    return numpy.result_type(*unwrap(arrays_and_dtypes))


@own
def own_copyto(dst, src, casting="same_kind", where=None):
    numpy.copyto(dst._host, unwrap(src), casting, True if where is None else unwrap(where))


@own
def own_get_array_module(*arguments):
    return FUNCTIONS["module"] if any(isinstance(a, ndarray) for a in arguments) else numpy


@own
def own_array_equal(a1, a2, equal_nan=False):
    need_arrays(a1, a2)
    return wrap(numpy.array_equal(a1._host, a2._host, equal_nan))


@own
def own_allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return wrap(numpy.allclose(unwrap(a), unwrap(b), rtol, atol, equal_nan))


def need_arrays(*values):
    """Rejects values that are not device arrays in functions of which CuPy reads an attribute."""
    for value in values:
        if not isinstance(value, ndarray):
            raise TypeError(f"Unsupported type {type(value)}")


@own
def own_inner(a, b):
    need_arrays(a, b)
    return wrap(numpy.inner(a._host, b._host))


@own
def own_kron(a, b):
    a, b = unwrap(a), unwrap(b)
    dtype = numpy.result_type(a, b)  # in which a Python number is weak
    return wrap(numpy.kron(a, b).astype(dtype))


@own
def own_choose(a, choices, out=None, mode="raise"):
    need_arrays(a, choices)
    return store(numpy.choose(a._host, choices._host, mode=mode), out, "same_kind")


@own
def own_isin(element, test_elements, assume_unique=False, invert=False):
    need_arrays(element, test_elements)
    return wrap(
        numpy.isin(element._host, test_elements._host, assume_unique=assume_unique, invert=invert)
    )


@own
def own_lexsort(keys):
    need_arrays(keys)
    return wrap(numpy.lexsort(keys._host))


@own
def own_roll(a, shift, axis=None):
    need_arrays(a)
    if isinstance(shift, ndarray) and shift.dtype.kind == "f":
        raise TypeError("the shift must be of integers")
    return wrap(numpy.roll(a._host, unwrap(shift), axis))


@own
def own_sort(a, axis=-1, kind=None):
    need_arrays(a)
    refuse_bfloat16(a, "sort")
    return wrap(numpy.sort(a._host, axis, kind))


@own
def own_cumsum(a, axis=None, dtype=None, out=None):
    need_arrays(a)
    refuse_bfloat16(a, "cumsum")
    return store(numpy.asarray(numpy.cumsum(a._host, axis, dtype)), out, "same_kind")


def refuse_bfloat16(a, name):
    """Rejects bfloat16: Thrust and CUB lack it, and CuPy's own kernel for it does not compile."""
    if a.dtype == BFLOAT16:
        raise TypeError(f"{name} does not support bfloat16")


@own
def own_arange(start, stop=None, step=1, dtype=None):
    for value in (start, stop, step):
        if isinstance(value, ndarray):
            raise TypeError("bounds on the device would be read, and truncated")
    return wrap(numpy.arange(*((start, stop) if stop is not None else (0, start)), step, dtype))


@own
def own_count_nonzero(a, axis=None):
    return wrap(numpy.asarray(numpy.count_nonzero(a._host, axis)))


@own
def own_argmax(a, axis=None, dtype=None, out=None, keepdims=False):
    return store(
        numpy.asarray(numpy.argmax(a._host, axis, keepdims=keepdims)).astype(dtype or "l"),
        out,
        "same_kind",
    )


@own
def own_argmin(a, axis=None, dtype=None, out=None, keepdims=False):
    return store(
        numpy.asarray(numpy.argmin(a._host, axis, keepdims=keepdims)).astype(dtype or "l"),
        out,
        "same_kind",
    )
