"""mindspore.numpy: selection of elements by conditions and positions; public through
`array_ops`."""

import math

import numpy

from .._core.declare.public_api import build
from .._core.rules.checked import checked
from .._core.rules.vocabulary import AsValue, Bool, InstanceOf, Int, OneOf, Str
from .._core.tensor import dtype as dtypes
from .._core.tensor.tensor import Tensor
from ..ops._elementwise.cast import cast
from ..ops._indexing import gather
from ..ops._shape import join_split, repeat, reshape
from ._convert import (
    as_tensor,
    axis_of,
    broadcast,
    need_tensor,
    promoted,
    refuse_complex,
    shape_tuple,
)

_Order = AsValue(OneOf("C", "F")).called("'C' or 'F'")
_Mode = AsValue(OneOf("clip", "wrap", "raise")).called("'clip', 'wrap' or 'raise'")

_MultiIndex = InstanceOf(list, tuple, Tensor).called("a Tensor, list or tuple")
_Default = InstanceOf(Tensor).called("a number")

__all__ = [
    "choose",
    "piecewise",
    "ravel_multi_index",
    "select",
    "take",
    "take_along_axis",
    "unravel_index",
    "where",
]


def common_shape(shapes, api):
    """Returns the common shape of several shapes after broadcasting.

    Raises:
        ValueError: if the shapes do not broadcast.
    """
    rank = max(map(len, shapes), default=0)
    shape_ = [1] * rank
    for shape in shapes:
        for index, n in enumerate(shape, rank - len(shape)):
            if n != 1 and shape_[index] not in (1, n):
                raise ValueError(f"For '{api}', shapes {shapes} can not be repeated to one.")
            shape_[index] = n if n != 1 else shape_[index]
    return tuple(shape_)


# Selection ----------------------------------------------------------------------------------------


def where(condition, x=None, y=None):
    """Selects elements of `x` where the condition is true and of `y` elsewhere; all inputs are
    broadcast.

    Raises:
        TypeError: if an argument is not array-like.
        ValueError: if the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.where(ms.Tensor([True, False]), ms.Tensor([1, 2]), ms.Tensor([10, 20])))
        [ 1 20]

    Source: mindspore.numpy.where of MindSpore 2.10.
    """
    condition, x, y = (as_tensor(value, "where") for value in (condition, x, y))
    common_shape([condition.shape, x.shape, y.shape], "where")
    return build("ops", "where")(cast.run(condition, "bool"), *promoted(x, y))


def _rows(value, api):
    """Converts a list or Tensor to a list of Tensors.

    Raises:
        TypeError: if `value` is not array-like.
        ValueError: if `value` has no axis.
    """
    if isinstance(value, (list, tuple)):
        return [as_tensor(value_, api) for value_ in value]
    value = as_tensor(value, api)
    if not value.ndim and api == "piecewise":  # a single condition for a single number
        return [value]
    if not value.ndim:
        raise ValueError(f"For '{api}', the input must have an axis, but got {value}.")
    return [value[i] for i in range(value.shape[0])]


def select(condlist, choicelist, default=0):
    """Selects, at each index, the first choice whose condition is true, or the default.

    Args:
        condlist (Union[list, tuple, Tensor]): the conditions.
        choicelist (Union[list, tuple, Tensor]): equally many choices; the result has their dtype.
        default (Union[number, Tensor]): the value where no condition is true.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the numbers of choices and conditions differ, or the shapes do not match.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Tensor([1, 2, 3])
        >>> print(ms.numpy.select([x < 2, x > 2], [x, x * 10]))
        [ 1  0 30]

    Source: mindspore.numpy.select of MindSpore 2.10.
    """
    conditions, choices = _rows(condlist, "select"), _rows(choicelist, "select")
    if len(conditions) != len(choices):
        raise ValueError(
            f"For 'select', there must be as many choices as conditions, but got "
            f"{len(choices)} and {len(conditions)}."
        )
    if not isinstance(default, (int, float)):
        _Default.refuse("select", "default", default)
        raise ValueError("For 'select', 'default' must be a number, but got a Tensor.")
    result = as_tensor(default, "select")
    if not choices:
        return cast.run(result, "float32")
    choices = promoted(*choices)
    result = cast.run(result, choices[0]._array.dtype)
    common_shape([array.shape for array in conditions + choices], "select")
    for condition, choice in list(zip(conditions, choices))[::-1]:
        result = where(condition, choice, result)
    return result


def piecewise(x, condlist, funclist, *args, **kw):
    """Evaluates a piecewise-defined function: at each index, the function (or number) of the first
    true condition is used. An additional function applies where no condition is true; without it,
    the result there is 0.

    Args:
        x (Union[number, list, tuple, Tensor]): the values.
        condlist (Union[list, tuple, Tensor]): the conditions.
        funclist (list): functions of `x`, or numbers, one for each condition or one more.
        *args, **kw: passed on to the functions.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the numbers of conditions and functions do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Tensor([-1.0, 2.0])
        >>> print(ms.numpy.piecewise(x, [x < 0, x >= 0], [-1, 1]))
        [-1  1]

    Source: mindspore.numpy.piecewise of MindSpore 2.10.
    """
    x = as_tensor(x, "piecewise")
    conditions = _rows(condlist, "piecewise")
    if not conditions or len(funclist) not in (len(conditions), len(conditions) + 1):
        raise ValueError(
            f"For 'piecewise', there must be as many functions as conditions or one more, but got "
            f"{len(funclist)} and {len(conditions)}."
        )

    def value(function):
        return as_tensor(function(x, *args, **kw) if callable(function) else function, "piecewise")

    values = promoted(*map(value, funclist))
    result = values.pop() if len(values) > len(conditions) else values[0] * 0
    for condition, choice in list(zip(conditions, values))[::-1]:
        result = where(condition, choice, result)
    return result


_MODES = ("clip", "wrap", "raise")


def choose(a, choices, mode="clip"):
    """Selects, at each index i, the element of `choices[a[i]]`; numbers out of range are clipped or
    wrapped.

    Args:
        a (Union[list, tuple, Tensor]): the numbers of the choices, ints.
        choices (Union[number, list, tuple, Tensor]): the choices, which are broadcast.
        mode (str): "clip" or "wrap"; "raise" rejects numbers out of range.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `mode` is unknown, or the shapes do not fit.
        IndexError: if a number is out of range and `mode` is "raise".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.choose([0, 1, 0], [[1, 2, 3], [10, 20, 30]]))
        [ 1 20  3]

    Source: mindspore.numpy.choose of MindSpore 2.10.
    """
    _check_mode(mode, "choose")
    a = as_tensor(a, "choose")
    if not a.ndim or a._array.dtype.kind not in "iu" or a._array.dtype.itemsize < 4:
        raise ValueError(
            f"For 'choose', 'a' must be an array of int32 or int64, but got dtype "
            f"{a.dtype} and shape {a.shape}."
        )
    whole = [as_tensor(choices, "choose")] if not isinstance(choices, (list, tuple)) else None
    if whole is None or whole[0].ndim:
        whole = _rows(choices, "choose")
    if not whole:
        raise IndexError("For 'choose', there must be a choice.")
    shape = common_shape([tensor.shape for tensor in (*whole, a)], "choose")
    indices = _in_range(a, len(whole), mode, "choose")
    table = join_split.stack.run([repeat.broadcast_to.run(c, shape) for c in promoted(*whole)], 0)
    indices = repeat.broadcast_to.run(indices, shape)
    return gather.gather_elements.run(table, 0, reshape.expand_dims.run(indices, 0))[0]


def _check_mode(mode, api):
    _Mode.refuse(api, "mode", mode)


def _in_range(indices, length, mode, api):
    """Applies `mode` to indices of an axis of `length` elements, and returns the resulting indices.

    Raises:
        IndexError: if a position is out of range and `mode` is "raise".
    """
    if mode == "wrap":
        return indices % length
    if mode == "clip":
        return build("ops", "clamp")(indices, 0, length - 1)
    if bool(((indices < -length) | (indices >= length)).any()):
        raise IndexError(f"For '{api}', a position is out of range of {length}.")
    return indices


@checked
def take(a, indices, axis: Int = None, mode: Str = "clip"):
    """Takes elements of a Tensor at indices along an axis, or of the flattened Tensor.

    Args:
        a (Tensor): the elements.
        indices (Tensor): positions, int32 or int64; negative ones count from the end.
        axis (int): the axis.
        mode (str): "clip" moves positions out of range to the nearest valid one, "wrap" counts them
            modulo the length, "raise" rejects them.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the axis is out of range, `a` is empty, or `mode` is unknown.
        IndexError: if a position is out of range and `mode` is "raise".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.take(ms.Tensor([10, 20, 30]), ms.Tensor([2, 0])))
        [30 10]

    Source: mindspore.numpy.take of MindSpore 2.10.
    """
    _check_mode(mode, "take")
    a, indices = need_tensor(a, "take"), _positions(indices, "take")
    if axis is not None and not a.ndim:
        raise ValueError(f"For 'take', the input has no axis, but got axis {axis}.")
    a, axis = (a.reshape(-1), 0) if axis is None else (a, axis_of(axis, a.ndim, "take"))
    length = a.shape[axis]
    if not length:
        raise ValueError("For 'take', 'a' must have elements.")
    if mode == "clip":  # negative positions first count from the end, as in MindSpore
        indices = build("ops", "where")(indices < 0, indices + length, indices)
    return gather.gather.run(a, _in_range(indices, length, mode, "take"), axis)


def _positions(indices, api):
    indices = need_tensor(indices, api)
    if indices.dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(
            f"For '{api}', 'indices' must hold int32 or int64, but got {indices.dtype}."
        )
    return indices


@checked
def take_along_axis(arr, indices, axis: Int | Bool | None):
    """Takes elements of a Tensor along an axis at broadcast indices (int32 or int64); without an
    axis, from the flattened Tensor.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the axis is out of range, or the shapes do not fit.
        IndexError: if a position is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.take_along_axis(ms.Tensor([[10, 30, 20]]), ms.Tensor([[2, 0]]), 1))
        [[20 10]]

    Source: mindspore.numpy.take_along_axis of MindSpore 2.10.
    """
    arr, indices = (need_tensor(value, "take_along_axis") for value in (arr, indices))
    arr, axis = (
        (arr.reshape(-1), 0)
        if axis is None
        else (arr, axis_of(axis, arr.ndim, "take_along_axis", bools=True))
    )
    if indices.ndim != arr.ndim:
        raise ValueError(
            f"For 'take_along_axis', the inputs must have as many axes, but got "
            f"{arr.shape} and {indices.shape}."
        )
    _positions(indices, "take_along_axis")
    shape = [numpy.maximum(m, n) for m, n in zip(arr.shape, indices.shape)]
    shape[axis] = indices.shape[axis]
    indices = broadcast(indices, tuple(map(int, shape)), "take_along_axis")
    shape[axis] = arr.shape[axis]
    arr = broadcast(arr, tuple(map(int, shape)), "take_along_axis")
    return gather.gather_elements.run(arr, axis, indices)


@checked
def unravel_index(indices, shape, order: _Order = "C"):
    """Converts flat indices to a tuple of indices along each axis, in the dtype of the flat
    indices; indices out of range are clipped.

    Args:
        indices (Union[number, list, tuple, Tensor]): indices; negative ones count from the end.
        shape (Union[int, tuple, list, Tensor]): the array's shape; if it is a floating Tensor, the
            results are floating, too.
        order (str): "C" if the last axis varies fastest, "F" if the first does.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `order` is neither "C" nor "F".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.unravel_index([1, 5], (2, 3))[0])
        [0 1]

    Source: mindspore.numpy.unravel_index of MindSpore 2.10.
    """
    shape = shape.tolist() if isinstance(shape, numpy.ndarray) else shape
    if isinstance(shape, Tensor) and shape.ndim == 1 and shape._array.dtype.kind == "f":
        shape = tuple(shape.asnumpy().tolist())
    else:
        shape = int(shape) if isinstance(shape, bool) else shape
        shape = shape_tuple(shape, "unravel_index", negative=True)
    total = math.prod(shape)
    rest = as_tensor(indices, "unravel_index")
    refuse_complex("unravel_index", rest)
    is_small = rest._array.dtype.kind in "biu" and rest._array.dtype.itemsize < 4
    rest = cast.run(rest, "int32") if is_small else rest
    clamp = build("ops", "clamp")
    rest = clamp(clamp(where(rest < 0, rest + total, rest), max=total - 1), min=0)
    rest = cast.run(rest, "float32") if isinstance(total, float) else rest
    columns = []
    for n in shape[:0:-1] if order == "C" else shape[:-1]:
        columns.append(rest % n)
        rest = rest // n
    columns += [rest] * bool(shape)
    return tuple(columns[::-1] if order == "C" else columns)


def ravel_multi_index(multi_index, dims, mode="clip", order="C"):
    """Converts indices along each axis to flat indices, as float32.

    Args:
        multi_index (Union[list, tuple, Tensor]): the indices along each axis, ints.
        dims (Union[tuple, list, Tensor]): the lengths.
        mode (str): "clip" or "wrap" for indices out of range; "raise" rejects them.
        order (str): "C" if the last axis varies fastest, "F" if the first does.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `mode` or `order` is unknown, or the numbers of axes differ.
        IndexError: if an index is out of range and `mode` is "raise".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.ravel_multi_index([[0, 1], [2, 0]], (2, 3)))
        [2. 3.]

    Source: mindspore.numpy.ravel_multi_index of MindSpore 2.10.
    """
    _check_mode(mode, "ravel_multi_index")
    _Order.refuse("ravel_multi_index", "order", order)
    _MultiIndex.refuse("ravel_multi_index", "multi_index", multi_index)
    sizes = shape_tuple(dims, "ravel_multi_index")
    indices = as_tensor(multi_index, "ravel_multi_index")
    refuse_complex("ravel_multi_index", indices)
    if indices.size and indices._array.dtype.kind not in "biu" or not sizes:
        raise TypeError(
            f"For 'ravel_multi_index', 'multi_index' and 'dims' must hold ints, but "
            f"got dtype {indices.dtype} and {dims}."
        )
    if not indices.ndim or indices.shape[0] != len(sizes):
        raise ValueError(
            f"For 'ravel_multi_index', there must be indices along {len(sizes)} axes, "
            f"but got shape {indices.shape}."
        )
    rows = [_in_range(indices[i], n, mode, "ravel_multi_index") for i, n in enumerate(sizes)]
    if order == "F":
        rows, sizes = rows[::-1], sizes[::-1]
    positions = rows[0] * 0
    for row, n in zip(rows, sizes):
        positions = positions * n + row
    return positions.astype(dtypes.float32)
