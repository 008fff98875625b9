"""Conversions of the arguments of mindspore.numpy: values, dtypes, shapes and axes. Accepted values
are Tensors, numbers, lists and tuples; ints become int32 and floats float32."""

import numpy

from .._core.rules.error_kinds import error_kinds, kind_of
from .._core.rules.number_forms import plain_numbers
from .._core.rules.python_numbers import python_only
from .._core.rules.vocabulary import InstanceOf
from .._core.tensor import dtype as dtypes
from .._core.tensor.promotion import promote_np
from .._core.tensor.tensor import Tensor
from ..ops._elementwise.cast import cast, named_dtype
from ..ops._shape import repeat

_ATensor = InstanceOf(Tensor)

_SCALARS = (bool, int, float)


def as_tensor(value, api="asarray"):
    """Converts an array-like value to a Tensor: a Tensor, a real number, or nested lists of these.

    Raises:
        TypeError: if `value` is anything else, or holds complex numbers or text.
        ValueError: if lists differ in length.
    """
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (*_SCALARS, list, tuple)):
        tensor = Tensor(_plain(value))
        kind = tensor._array.dtype
        if kind.kind not in "biuf":
            raise TypeError(f"For '{api}', an input must hold real numbers, but got {value!r}.")
        default_dtype = {"int64": "int32", "float64": "float32"}.get(kind.name)
        return cast.run(tensor, default_dtype) if default_dtype else tensor
    raise TypeError(
        f"For '{api}', an input must be a Tensor, number, list or tuple, but got "
        f"{type(value).__name__}."
    )


def _plain(value):
    """Replaces Tensors in nested lists by numbers; returns other values unchanged."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, Tensor):
        return value.asnumpy().tolist()
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
        raise ValueError(f"An int must fit into 64 bits, but got {value}.")
    return value


def need_tensor(value, api):
    """Returns `value`; raises a TypeError unless it is a Tensor, or an AttributeError where
    MindSpore reads one of its attributes first."""
    if isinstance(value, Tensor):
        return value
    errors = error_kinds(f"numpy.{api}").items()
    kind = kind_of(value)
    reads_first = any(at[1] == kind and error is AttributeError for at, error in errors)
    try:
        _ATensor.refuse_part(api, "the input", value)
    except TypeError as usual:
        if reads_first:
            raise AttributeError(str(usual)) from None
        raise


def with_dtype(tensor, dtype, api):
    """Casts `tensor` to `dtype` (a MindSpore, NumPy or Python type, or a name); None keeps its
    dtype."""
    if dtype is None:
        return tensor
    return cast.run(tensor, dtypes.to_numpy(named_dtype(api, dtype)))


_MADE = {
    name: getattr(dtypes, name)
    for name in (
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
    )
}
_MADE |= {"bool": dtypes.bool_, "int": dtypes.int32, "uint": dtypes.uint32, "float": dtypes.float32}
_PYTHON = {bool: "bool", int: "int", float: "float", numpy.bool_: "bool"}


def new_dtype(dtype, api):
    """Returns the dtype of a new Tensor, given a MindSpore, NumPy or Python type, or a name.

    `int` and `float` mean 32 bits.

    Raises:
        TypeError: if it is not one of these, or not a real dtype.
    """
    name = dtype.lower() if isinstance(dtype, str) else None
    if isinstance(dtype, dtypes.Type):
        name = {"bool_": "bool"}.get(str(dtype).lower(), str(dtype).lower())
    elif isinstance(dtype, type):
        name = _PYTHON.get(dtype, dtype.__name__ if issubclass(dtype, numpy.generic) else None)
    if name not in _MADE:
        raise TypeError(
            f"For '{api}', 'dtype' must be a dtype of real numbers or the name of one, "
            f"but got {dtype!r} of type {type(dtype).__name__}."
        )
    return _MADE[name]


def promoted(*tensors):
    """Casts Tensors to their promoted dtype.

    Raises:
        TypeError: if they have no promoted dtype.
    """
    kind = tensors[0]._array.dtype
    for other in tensors[1:]:
        if kind != other._array.dtype and "c" in (kind.kind, other._array.dtype.kind):
            raise TypeError(
                f"Complex numbers are promoted with their own dtype only, but got {kind} and "
                f"{other._array.dtype}."
            )
        kind = _with_unsigned(kind, other._array.dtype)
    return [t if t._array.dtype == kind else cast.run(t, kind) for t in tensors]


def _with_unsigned(first, second):
    """Returns the promoted dtype of two; unsigned ints mix as in NumPy, and take the dtype of
    floats."""
    unsigned = [kind for kind in (first, second) if kind.kind == "u" and kind.itemsize > 1]
    if first == second or not unsigned or "V" in (first.kind, second.kind):
        return promote_np(first, second)
    inexact = [kind for kind in (first, second) if kind.kind in "fc"]
    return inexact[0] if inexact else numpy.promote_types(first, second)


def floats(tensor):
    """Casts ints and bools to float32."""
    return tensor if tensor._array.dtype.kind in "fcV" else cast.run(tensor, numpy.float32)


def refuse_complex(api, *tensors):
    """Rejects complex Tensors with a TypeError."""
    for tensor in tensors:
        if tensor._array.dtype.kind == "c":
            raise TypeError(
                f"For '{api}', the inputs must hold real numbers, but got dtype {tensor.dtype}."
            )


def scalar(value, name, api):
    """Returns a number, or a 0-D Tensor, as a Tensor.

    Raises:
        TypeError: if it is neither.
    """
    if not isinstance(value, (int, float)) and not (isinstance(value, Tensor) and not value.ndim):
        raise TypeError(f"For '{api}', '{name}' must be a number, but got {value!r}.")
    return as_tensor(value, api)


def is_int(value, bools=False):
    """Returns whether a value is an int; a bool counts if `bools` is true."""
    return isinstance(value, int) and (bools or not isinstance(value, bool))


def _python_numbers(value, name, api):
    """Returns NumPy scalars as Python numbers where the function takes them for the parameter."""
    return value if name in python_only(f"numpy.{api}") else plain_numbers(value)


def whole_numbers(value, name, api, bools=False):
    """Returns an int, or a tuple or list of ints, as a tuple.

    Raises:
        TypeError: if it is not one of these.
    """
    value = _python_numbers(value, name, api)
    numbers = (value,) if is_int(value, bools) else value
    if not isinstance(numbers, (tuple, list)) or not all(is_int(n, bools) for n in numbers):
        raise TypeError(
            f"For '{api}', '{name}' must be an int, or a tuple or list of ints, but got {value!r}."
        )
    return tuple(numbers)


def shape_tuple(shape, api, negative=False):
    """Converts a shape to a tuple: an int, tuple, list, or a Tensor of ints or bools.

    Raises:
        TypeError: if it is not one of these.
        ValueError: if a length is negative, unless `negative` is true.
    """
    if (
        isinstance(shape, Tensor)
        and shape.ndim < 2
        and (shape._array.dtype.kind in "biu" or not shape.size)
    ):
        shape = tuple(map(int, shape.asnumpy().reshape(-1)))
    shape = whole_numbers(shape, "shape", api)
    if not negative and min(shape, default=0) < 0:
        raise ValueError(f"For '{api}', 'shape' must not hold negative lengths, but got {shape}.")
    return shape


def axis_of(axis, rank, api, bools=False):
    """Returns an axis counted from 0; a 0-D Tensor counts as one with a single axis.

    Raises:
        TypeError: if it is not an int.
        ValueError: if it is out of range.
    """
    axis = _python_numbers(axis, "axis", api)
    if not is_int(axis, bools):
        raise TypeError(
            f"For '{api}', 'axis' must be an int, but got {axis!r} of type {type(axis).__name__}."
        )
    rank = max(rank, 1)
    if not -rank <= axis < rank:
        raise ValueError(f"For '{api}', 'axis' must be in [{-rank}, {rank}), but got {axis}.")
    return axis % rank


def own_axis(axis, tensor, api):
    """Returns an axis of the Tensor, counted from 0; a bool counts as an int.

    Raises:
        TypeError: if it is not an int.
        ValueError: if it is out of range.
    """
    index = axis_of(axis, tensor.ndim, api, bools=True)
    if not tensor.ndim:
        raise ValueError(f"For '{api}', the input has no axis, but got axis {axis}.")
    return index


def axes_of(axis, rank, api, bools=False):
    """Returns several axes (None for all), counted from 0, as a tuple.

    Raises:
        TypeError: if they are not ints.
        ValueError: if an axis is out of range or occurs twice.
    """
    if axis is None:
        return tuple(range(rank))
    indices = tuple(
        axis_of(a, rank, api, bools) for a in (axis if isinstance(axis, (tuple, list)) else (axis,))
    )
    if len(set(indices)) < len(indices):
        raise ValueError(f"For '{api}', 'axis' must not name an axis twice, but got {axis}.")
    return indices if rank else ()


def broadcast(tensor, shape, api):
    """Broadcasts `tensor` to a shape.

    Raises:
        ValueError: if the shapes do not fit.
    """
    try:
        return repeat.broadcast_to.run(tensor, shape)
    except ValueError:
        raise ValueError(
            f"For '{api}', shape {tensor.shape} can not be repeated to {shape}."
        ) from None
