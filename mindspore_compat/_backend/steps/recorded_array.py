"""Recorded arrays and their space: a step runs on them while its calls are recorded (recording.py).

A Recorded array behaves like the NumPy array of its values. Its operators and methods and the
functions of its space report their calls to the running recorder; without one they just compute.
"""

import operator
import types

import numpy

from .. import arrays
from ..arrays import HOST, LARGE
from ..space import REDUCERS
from . import current
from .refused import Reason

# Functions whose results depend on shapes and dtypes alone.
STATIC = {"ndim", "shape", "size", "result_type", "can_cast", "iscomplexobj", "isrealobj"}
LAYOUT = {"flags", "strides"}
VIEWS = {"T", "mT", "real", "imag"}
IN_PLACE = {"fill", "put", "sort", "partition", "resize", "setfield", "byteswap"}
READS = {"item", "tolist", "tobytes", "tofile", "dump", "dumps", "data", "ctypes", "base", "flat"}
_WRITERS = {"copyto", "put", "putmask", "place", "put_along_axis", "fill_diagonal", "at"}


class Recorded:
    """An array on the host and its slot in the plan of the step that is recorded.

    Args:
        value (numpy.ndarray): the values.
        slot (str): its name in the plan; None until the plan reads it from `holder`.
        holder: the object whose `_array` it is.
    """

    __slots__ = ("value", "slot", "holder", "__weakref__")
    __hash__ = None
    of_host = True

    def __init__(self, value, slot, holder=None):
        self.value, self.slot, self.holder = value, slot, holder

    shape = property(lambda self: self.value.shape)
    dtype = property(lambda self: self.value.dtype)
    ndim = property(lambda self: self.value.ndim)
    size = property(lambda self: self.value.size)
    nbytes = property(lambda self: self.value.nbytes)
    itemsize = property(lambda self: self.value.itemsize)
    space = property(lambda self: RECORDED)

    def __len__(self):
        return len(self.value)

    def __iter__(self):
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index):
        if _has_mask(index):
            _refuse(Reason.SHAPE_OF_VALUES)
        return call(operator.getitem, (self, index))

    def __setitem__(self, index, value):
        _note_write()
        call(operator.setitem, (self, index, value))

    def get(self):
        """Returns the values, for code that reads them."""
        _refuse(Reason.VALUE_READ)
        return self.value

    def __array__(self, dtype=None, copy=None):
        return numpy.array(self.get(), dtype, copy=copy)

    def __bool__(self):
        return bool(self.get())

    def __int__(self):
        return int(self.get())

    def __index__(self):
        return operator.index(self.get())

    def __float__(self):
        return float(self.get())

    def __complex__(self):
        return complex(self.get())

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return call(getattr(ufunc, method), inputs, kwargs)

    def __array_function__(self, function, kinds, args, kwargs):
        return call(function, args, kwargs)

    def __getattr__(self, name):
        if name in VIEWS:
            return call(getattr, (self, name))
        if name.startswith("__") or not hasattr(numpy.ndarray, name):
            raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")
        if name in LAYOUT:
            recorder = current.running()
            if recorder is not None:
                recorder.reads_layout = True
            return getattr(self.value, name)
        if name in READS:
            return getattr(self.get(), name)
        method = getattr(numpy.ndarray, name)

        def bound(*args, **kwargs):
            if name in IN_PLACE:
                _note_write()
            return call(method, (self, *args), kwargs)

        return bound

    def __repr__(self):
        return f"Recorded({self.slot}, {self.value!r})"


def _operators():
    binary = ("add sub mul truediv floordiv mod pow matmul and or xor lshift rshift").split()
    for name in binary:
        function = getattr(operator, f"{name}_" if name in ("and", "or") else name)
        in_place = getattr(operator, f"i{name}")
        setattr(Recorded, f"__{name}__", _operator(function))
        setattr(Recorded, f"__r{name}__", _operator(function, reflected=True))
        setattr(Recorded, f"__i{name}__", _operator(in_place, writes=True))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Recorded, f"__{name}__", _operator(getattr(operator, name)))
    for name in ("neg", "pos", "invert", "abs"):
        setattr(Recorded, f"__{name}__", _operator(getattr(operator, name)))


def _operator(function, reflected=False, writes=False):
    def apply(*operands):
        if any(getattr(operand, "__array_ufunc__", True) is None for operand in operands):
            return NotImplemented  # the other class has the operator
        if writes:
            _note_write()
        return call(function, operands[::-1] if reflected else operands)

    return apply


_operators()


class RecordedSpace:
    """The functions of NumPy and of the host's space on Recorded arrays."""

    bodies = kernels = None
    level = 0
    hides_axis = False
    module = numpy
    low_precision = low_precision_products = low_precision_kernels = HOST.low_precision

    def asarray(self, value, dtype=None):
        """Converts `value` to an array: a Recorded array stays unchanged, a Python number becomes a
        constant of the plan."""
        if type(value) is Recorded:
            return value if dtype is None else self.cast(value, dtype)
        recorder = arrays.running_recorder()
        if recorder is None:
            return HOST.asarray(bare(value), dtype)
        if isinstance(value, numpy.ndarray):
            return self.to_device(value)
        return recorder.number(HOST.asarray(value, dtype))

    number = asarray

    def cast(self, x, dtype):
        """Returns `x` with another dtype; `x` itself where it has it already."""
        return x if x.dtype == dtype else call(HOST.cast, (x, dtype))

    def getitem(self, x, index):
        """Returns x[index]."""
        if _has_mask(index):
            _refuse(Reason.SHAPE_OF_VALUES)
        return call(HOST.getitem, (x, index))

    def to_device(self, array):
        """Returns a plain array on the host unchanged, and prevents replays of the step: the
        recorder cannot tell whether another step would pass the same values."""
        _refuse(Reason.HOST_DATA)
        return array

    def __getattr__(self, name):
        attribute = getattr(LARGE if name in REDUCERS else HOST, name)
        if isinstance(attribute, types.ModuleType):
            result = _Functions(attribute)
        elif callable(attribute) and not isinstance(attribute, type) and name not in STATIC:
            result = _Function(attribute, name)
        elif name in STATIC:
            result = _static(attribute)
        else:
            result = attribute
        setattr(self, name, result)
        return result

    def __repr__(self):
        return "RecordedSpace()"


class _Functions:
    """A submodule of NumPy (`xp.linalg`) whose functions take Recorded arrays."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        return _Function(getattr(self._module, name), name)


class _Function:
    """A host function that takes Recorded arrays and records its calls; also a method of such a
    function (`add.at`)."""

    def __init__(self, function, name):
        self._function, self._name = function, name

    def __call__(self, *args, **kwargs):
        if self._name in _WRITERS:
            _note_write()
        if self._name in ("nonzero", "unique", "argwhere", "flatnonzero", "compress", "extract"):
            _refuse(Reason.SHAPE_OF_VALUES)
        return call(self._function, args, kwargs)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Function(getattr(self._function, name), name)


def _static(function):
    return lambda *args, **kwargs: function(*bare(args), **bare(kwargs))


def call_body(body, args):
    """Calls the body of an operator on Recorded arrays, and records the call if a recorder runs.

    Returns the body's results, as Recorded arrays if a recorder runs.
    """
    recorder = arrays.running_recorder()
    space = arrays.for_size(HOST, args)
    if recorder is None:
        return body(space, *bare(args))
    return recorder.call(body, (space, *args), checked=True)


def call_pull(pull, g, saved, needed, pure):
    """Calls the vjp of an operation on Recorded arrays, and records the call if a recorder runs.

    Args:
        pull (Callable): `pull(xp, g, saved, needed)`, which returns the gradients of the inputs.
        g, saved: the gradient of the output, and the saved tensors.
        needed: tells `pull` which inputs need a gradient.
        pure (bool): whether `pull` computes on arrays alone. If it works on Tensors, its single
            operations are recorded instead.
    """
    recorder = arrays.running_recorder()
    if recorder is None:
        return pull(HOST, *bare((g, saved)), needed)
    return (
        recorder.call_pull(pull, (g, saved, needed)) if pure else pull(RECORDED, g, saved, needed)
    )


def bare(value):
    """Returns a value in which each Recorded array is replaced by its plain array, including in
    tuples, lists, dicts and slices."""
    kind = type(value)
    if kind is Recorded:
        return value.value
    if kind is tuple or kind is list:
        return kind([bare(item) for item in value])
    if kind is dict:
        return {key: bare(item) for key, item in value.items()}
    if kind is slice:
        return slice(bare(value.start), bare(value.stop), bare(value.step))
    return value


def give_up(rows, reason):
    """Yields each row of arrays with plain arrays in place of Recorded ones, for code that accepts
    only plain arrays. A row with a Recorded array prevents replays of the step, for `reason`."""
    for row in rows:
        if any([type(item) is Recorded for item in row]):
            _refuse(reason)
        yield bare(tuple(row))


def operands(values):
    """Returns the operands that an operation computes with: Recorded arrays while a recorder runs,
    plain arrays otherwise.

    An operation without any Recorded operand uses Tensors that the recorder does not know, and so
    prevents replays of the step.
    """
    recorder = arrays.running_recorder()
    recorded = [item for item in values if type(item) is Recorded]
    if recorder is not None and not recorded and any([item is not None for item in values]):
        recorder.refuse(Reason.UNREACHABLE_TENSORS)
    elif recorder is not None:
        return values
    return [bare(item) for item in values] if recorded else values


def call(function, args, kwargs={}):  # noqa: B006 - it is only read
    """Calls a host function on Recorded arrays, and records the call.

    Returns the results as Recorded arrays; as plain arrays if no recorder runs.
    """
    recorder = current.running()
    if recorder is None:
        _refuse(Reason.CLOSURE)
        return function(*bare(tuple(args)), **bare(dict(kwargs)))
    return recorder.call(function, args, kwargs)


def _refuse(reason):
    recorder = current.running() or current.suspended_recorder()
    if recorder is not None:
        recorder.refuse(reason)


def _note_write():
    recorder = current.running()
    if recorder is not None:
        recorder.note_write()


def _has_mask(index):
    if type(index) is tuple:
        return any(map(_has_mask, index))
    return type(index) is Recorded and index.dtype == bool


RECORDED = RecordedSpace()
arrays.SPACES[Recorded] = RECORDED
