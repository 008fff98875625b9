"""The stand-in's ndarray: a NumPy array that behaves as if it were in GPU memory.

It rejects what CuPy rejects (a NumPy array as an operand, implicit conversion, an array as a Python
index) and returns what CuPy returns (0-d arrays where NumPy gives scalars, integer index arrays
that wrap around). Functions and ufuncs are in `functions.py`; this file only calls them.
"""

import functools

import ml_dtypes
import numpy

from . import counting, graphs, listing, memory

BFLOAT16 = numpy.dtype(ml_dtypes.bfloat16)
REFUSAL = (
    "Implicit conversion to a NumPy array is not allowed. "
    "Please use `.get()` to construct a NumPy array explicitly."
)
UFUNCS = {}  # filled by functions.py: name -> ufunc object
FUNCTIONS = {}  # filled by functions.py: "cupy.linalg" -> name -> function


class ndarray:
    """An array of the stand-in; `_host` holds its values."""

    __slots__ = ("_host", "__weakref__")
    __module__ = "cupy"
    __array_priority__ = 100
    __hash__ = None

    def __new__(cls, shape, dtype=float, memptr=None, strides=None, order="C"):
        if memptr is not None or strides is not None:
            raise NotImplementedError("the stand-in has no memory pointers")
        made = wrap(numpy.empty(shape, dtype, order))
        graphs.allocate([made])
        return made

    # -- leaving the device

    def __array__(self, dtype=None, copy=None):
        raise TypeError(REFUSAL)

    def get(self, stream=None, order="C", out=None, blocking=True):
        """Returns the values as a NumPy array."""
        counting.note("transfers", "get")
        FUNCTIONS["streams"]["copy"](stream, "to host", self.nbytes, blocking)
        counting.note("synchronisations", "get", int(blocking))
        if out is None:
            return self._host.copy(order)
        numpy.copyto(out, self._host)
        return out

    def set(self, arr, stream=None):
        """Takes the values of a NumPy array of the same shape and type."""
        if not isinstance(arr, numpy.ndarray):
            raise TypeError("Only numpy.ndarray can be set to cupy.ndarray")
        if arr.dtype != self.dtype or arr.shape != self.shape:
            raise TypeError(f"{arr.dtype} array cannot be set to {self.dtype} array")
        counting.note("transfers", "set")
        FUNCTIONS["streams"]["copy"](stream, "to device", self.nbytes, stream is None)
        self._host[...] = arr

    def item(self):
        """Returns the one element as a Python number."""
        counting.note("synchronisations", "item")
        return self._host.item()

    def tolist(self):
        counting.note("synchronisations", "tolist")
        return self._host.tolist()

    def tobytes(self, order="C"):
        counting.note("synchronisations", "tobytes")
        return self._host.tobytes(order)

    def __bool__(self):
        counting.note("synchronisations", "__bool__")
        return bool(self._host)

    def __int__(self):
        counting.note("synchronisations", "__int__")
        return int(self._host)

    def __float__(self):
        counting.note("synchronisations", "__float__")
        return float(self._host)

    def __complex__(self):
        counting.note("synchronisations", "__complex__")
        return complex(self._host)

    def __repr__(self):
        counting.note("synchronisations", "__repr__")
        return repr(self._host)

    def __str__(self):
        counting.note("synchronisations", "__str__")
        return str(self._host)

    def __format__(self, spec):
        counting.note("synchronisations", "__format__")
        return format(self._host[()] if self.ndim == 0 else self._host, spec)

    # -- shape and memory

    dtype = property(lambda self: self._host.dtype)
    ndim = property(lambda self: self._host.ndim)
    size = property(lambda self: self._host.size)
    nbytes = property(lambda self: self._host.nbytes)
    itemsize = property(lambda self: self._host.itemsize)
    strides = property(lambda self: self._host.strides)
    flags = property(lambda self: self._host.flags)
    T = property(lambda self: wrap(self._host.T))
    mT = property(lambda self: wrap(self._host.mT))
    base = property(lambda self: None if self._host.base is None else wrap(self._host.base))
    data = property(lambda self: Pointer(self._host))
    device = property(lambda self: FUNCTIONS["cupy.cuda"]["Device"](0))
    __cuda_array_interface__ = property(lambda self: self._host.__array_interface__)

    @property
    def shape(self):
        return self._host.shape

    @shape.setter
    def shape(self, shape):
        self._host = self._host.view()
        self._host.shape = shape

    @property
    def real(self):
        return wrap(self._host.real)

    @real.setter
    def real(self, value):
        wrap(self._host.real)[...] = value

    @property
    def imag(self):
        return wrap(self._host.imag)

    @imag.setter
    def imag(self, value):
        wrap(self._host.imag)[...] = value

    def __len__(self):
        return len(self._host)

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    def astype(self, dtype, order="K", casting=None, subok=None, copy=True):
        """Returns the values in another type; the array itself with copy=False and the same
        type."""
        dtype = numpy.dtype(dtype)
        if not copy and dtype == self.dtype:
            return self
        host = self._host
        with numpy.errstate(all="ignore"):
            if dtype.kind in "iu" and host.dtype == ml_dtypes.bfloat16:
                host = host.astype(numpy.float32)  # as CuPy does
            if dtype == numpy.uint32 and host.dtype.char in "fd":
                host = host.astype(numpy.int64)  # numbers out of range wrap around
            return wrap(host.astype(dtype, order, casting or "unsafe"))

    def view(self, *arguments, **keywords):
        return wrap(self._host.view(*arguments, **keywords))

    def fill(self, value):
        """Writes one number everywhere."""
        if isinstance(value, ndarray):
            value = value._host
        value = numpy.asarray(value, self.dtype)
        if value.shape != ():
            raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
        self._host[...] = value

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        return restore, (self._host,)

    # -- indexing

    def __getitem__(self, key):
        key = index(key, self.shape)
        if any(isinstance(k, numpy.ndarray) and k.dtype == bool for k in key):
            counting.wait("boolean index")
        if not any(k is Ellipsis or isinstance(k, numpy.ndarray) for k in key):
            key += (Ellipsis,)  # a 0-d view, where NumPy would copy one scalar
        return wrap(self._host[key])

    def __setitem__(self, key, value):
        key = index(key, self.shape)
        advanced = [k for k in key if isinstance(k, numpy.ndarray)]
        if sum(k.dtype == bool for k in advanced) > 1:
            raise ValueError("the stand-in, as CuPy, assigns through one boolean array at most")
        if isinstance(value, ndarray):
            value = value._host
        elif not advanced and numpy.ndim(value) > 0:
            raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
        with numpy.errstate(all="ignore"):
            self._host[key] = numpy.asarray(value).astype(self.dtype)

    def __delitem__(self, key):
        raise ValueError("Cannot delete elements")

    def _scatter(self, ufunc, key, value):
        """Does what `ufunc.at` does, in place."""
        if isinstance(value, ndarray):
            value = value._host
        elif isinstance(value, numpy.ndarray):
            raise TypeError(f"Unsupported type {type(value)}")
        ufunc.at(self._host, index(key, self.shape), numpy.asarray(value).astype(self.dtype))

    # -- NumPy's protocols

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **keywords):
        found = UFUNCS.get(ufunc.__name__) or FUNCTIONS["cupy"].get(ufunc.__name__)
        if found is None:
            return NotImplemented
        known = (ndarray, numpy.ndarray, numpy.generic, bool, int, float, complex)
        if not all(isinstance(x, known) for x in inputs):
            return NotImplemented
        if out:
            keywords["out"] = out[0]
        return (found if method == "__call__" else getattr(found, method))(*inputs, **keywords)

    def __array_function__(self, function, types, arguments, keywords):
        path = ".".join(["cupy"] + function.__module__.split(".")[1:])
        found = FUNCTIONS.get(path, {}).get(function.__name__)
        if found is None or not all(issubclass(t, (ndarray, numpy.ndarray)) for t in types):
            return NotImplemented
        return found(*arguments, **keywords)


class Pointer:
    """The address of an array's values, to be compared and passed on."""

    def __init__(self, host):
        self.ptr = host.__array_interface__["data"][0]
        if graphs.state.graph is not None:
            graphs.state.graph.use(host)
        self.device_id = 0
        self.device = FUNCTIONS["cupy.cuda"]["Device"](0)


def wrap(host):
    """Wraps NumPy values in an array of the stand-in. A scalar becomes a 0-d array. A dtype that
    GPUs lack raises an error.
    """
    host = numpy.asarray(host)
    if (
        host.dtype.kind not in "biufc"
        and host.dtype != BFLOAT16
        or host.dtype.itemsize > 16
        or host.dtype == numpy.longdouble
    ):
        raise ValueError(f"Unsupported dtype {host.dtype}")
    array = object.__new__(ndarray)
    array._host = host
    for block in memory.OPEN:
        block.take(host)
    return array


restore = wrap  # the name in pickles


def index(key, shape):
    """Converts `key` to an index for NumPy: unwraps device arrays, converts lists to arrays and
    wraps integers around. NumPy arrays are accepted because CuPy copies them to the device.
    """
    parts = [unwrapped(part) for part in (key if isinstance(key, tuple) else (key,))]
    taken = sum(consumed(part) for part in parts)
    axis = 0
    for i, part in enumerate(parts):
        if part is Ellipsis:
            axis += len(shape) - taken
            continue
        if isinstance(part, numpy.ndarray) and part.dtype != bool and axis < len(shape):
            parts[i] = part % shape[axis] if shape[axis] else part
        axis += consumed(part)
    return tuple(parts)


def unwrapped(part):
    """Returns one part of an index with its values on the host."""
    if isinstance(part, ndarray):
        return numpy.asarray(part._host)
    if isinstance(part, (list, tuple)):
        found = numpy.asarray([unwrapped(p) for p in part])
        return found.astype(numpy.int32) if found.size == 0 else found
    if isinstance(part, slice):
        for bound in (part.start, part.stop, part.step):
            if isinstance(bound, ndarray):
                raise TypeError(
                    "slice indices must be integers or None or have an __index__ method"
                )
    return part


def consumed(part):
    """Returns how many axes one part of an index takes."""
    if part is None or part is Ellipsis or isinstance(part, (bool, numpy.bool_)):
        return 0
    return part.ndim if isinstance(part, numpy.ndarray) and part.dtype == bool else 1


# -- operators and methods, made from the census

BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "divmod": "divmod",
    "pow": "power",
    "lshift": "left_shift",
    "rshift": "right_shift",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "matmul": "matmul",
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
UNARY = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}


def gives_way(x, y):
    """Returns True when CuPy leaves `x op y` to y's reflected operator."""
    missing = object()
    its_ufunc = getattr(y, "__array_ufunc__", missing)
    if its_ufunc is not missing:
        return its_ufunc is None
    return getattr(x, "__array_priority__", 0) < getattr(y, "__array_priority__", 0)


def operator(name, kind):
    """Returns the method behind an operator: kind is "plain", "reflected", "in place" or
    "unary"."""

    def run(self, *other):
        if kind == "unary":
            return UFUNCS[name](self)
        if gives_way(self, other[0]):
            return NotImplemented
        operation = UFUNCS.get(name) or FUNCTIONS["cupy"][name]
        if kind == "reflected":
            return operation(other[0], self)
        return (
            operation(self, other[0], out=self) if kind == "in place" else operation(self, other[0])
        )

    return run


def method(name, line):
    """Returns a method of NumPy's ndarray with the parameters of CuPy's method."""
    signature = listing.signature(line)

    def run(self, *arguments, **keywords):
        bound = listing.bind(name, signature, arguments, keywords)
        if name in VIA_FUNCTION:
            return FUNCTIONS["cupy"][name](self, **bound)
        with numpy.errstate(all="ignore"):
            found = getattr(self._host, name)(
                *unwrap(arguments), **{key: unwrap(value) for key, value in keywords.items()}
            )
        return wrapped(found) if bound.get("out") is None else bound["out"]

    run.__name__ = name
    return run


VIA_FUNCTION = {
    "argmax",
    "argmin",
    "take",
    "repeat",
    "dot",
    "mean",
    "sum",
    "prod",
    "var",
    "std",
    "searchsorted",
}


def unwrap(value):
    """Returns `value` with its device arrays unwrapped; a NumPy array in it raises an error."""
    if isinstance(value, ndarray):
        return value._host
    if isinstance(value, numpy.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
    if type(value) in (list, tuple):
        return type(value)(unwrap(v) for v in value)
    return value


def wrapped(found):
    """Converts a result of NumPy to the form that CuPy returns."""
    if isinstance(found, (numpy.ndarray, numpy.generic)):
        return wrap(found)
    if isinstance(found, (list, tuple)):
        parts = [wrapped(f) for f in found]
        return type(found)(*parts) if hasattr(found, "_fields") else type(found)(parts)
    return found


def complete(census):
    """Adds operators to ndarray, and those methods of the census that it does not define itself."""
    listed = census["classes"]["cupy.ndarray"]
    for short, name in BINARY.items():
        for prefix, kind in (("", "plain"), ("r", "reflected"), ("i", "in place")):
            if f"__{prefix}{short}__" in listed:
                setattr(ndarray, f"__{prefix}{short}__", operator(name, kind))
    for short, name in UNARY.items():
        setattr(ndarray, f"__{short}__", operator(name, "unary"))
    for name, reduction in (
        ("scatter_add", numpy.add),
        ("scatter_max", numpy.maximum),
        ("scatter_min", numpy.minimum),
    ):
        setattr(ndarray, name, functools.partialmethod(ndarray._scatter, reduction))
    for name, line in listed.items():
        if line.startswith("method") and name not in vars(ndarray) and hasattr(numpy.ndarray, name):
            setattr(ndarray, name, counting.through(name, method(name, line)))
    for name in ("astype", "view", "fill", "__getitem__", "__setitem__", "_scatter"):
        setattr(ndarray, name, counting.through(name, vars(ndarray)[name]))
