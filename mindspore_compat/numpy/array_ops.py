"""mindspore.numpy: shapes, order of elements, functions along axes. Joining and splitting,
selection and sets are in separate files."""

import numpy

from .._core.declare.public_api import build
from .._core.rules.checked import checked
from .._core.rules.vocabulary import Bool, Callable, InstanceOf, Int
from .._core.tensor.tensor import Tensor
from ..ops._shape import flip_roll, join_split
from ..ops._shape import repeat as repeat_ops
from ..ops._shape import reshape as reshape_ops
from ..ops._shape import transpose as transpose_ops
from . import _choosing, _joining, _searching, _sets
from ._choosing import *  # noqa: F403
from ._convert import (
    as_tensor,
    axes_of,
    axis_of,
    broadcast,
    is_int,
    need_tensor,
    own_axis,
    shape_tuple,
    whole_numbers,
)
from ._joining import *  # noqa: F403
from ._searching import *  # noqa: F403
from ._sets import *  # noqa: F403

_Shape = InstanceOf(tuple, list, str).called("a tuple, list or Tensor")
_Axes = InstanceOf(tuple, list).called("a tuple or list of ints")

__all__ = [
    "apply_along_axis",
    "apply_over_axes",
    "array_str",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "moveaxis",
    "ravel",
    "reshape",
    "roll",
    "rollaxis",
    "rot90",
    "size",
    "squeeze",
    "swapaxes",
    "transpose",
]
__all__ += _choosing.__all__
__all__ += _joining.__all__
__all__ += _searching.__all__
__all__ += _sets.__all__


# Shapes -------------------------------------------------------------------------------------------


def reshape(x, new_shape):
    """Reshapes a Tensor to a shape given as an int, tuple, list or integer Tensor.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the number of elements does not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.reshape(ms.Tensor([1, 2, 3, 4]), (2, 2)))
        [[1 2]
         [3 4]]

    Source: mindspore.numpy.reshape of MindSpore 2.10.
    """
    x = need_tensor(x, "reshape")
    if (
        isinstance(new_shape, Tensor)
        and new_shape.ndim < 2
        and new_shape._array.dtype in ("int32", "int64")
    ):
        new_shape = tuple(map(int, new_shape.asnumpy().reshape(-1)))
    return x.reshape(whole_numbers(new_shape, "new_shape", "reshape"))


def ravel(x):
    """Flattens a Tensor; raises a TypeError for other values.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.ravel(ms.Tensor([[1, 2], [3, 4]])))
        [1 2 3 4]

    Source: mindspore.numpy.ravel of MindSpore 2.10.
    """
    return need_tensor(x, "ravel").reshape(-1)


def transpose(a, axes=None):
    """Permutes the axes of a Tensor; reverses them by default.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `axes` is not a permutation of the axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.transpose(ms.numpy.ones((2, 3))).shape)
        (3, 2)

    Source: mindspore.numpy.transpose of MindSpore 2.10.
    """
    a = need_tensor(a, "transpose")
    if axes is None:
        return a.transpose()
    order = whole_numbers(axes, "axes", "transpose")
    if len(order) != a.ndim:
        raise ValueError(f"For 'transpose', 'axes' must name {a.ndim} axes, but got {axes}.")
    return a.transpose(axes_of(order, a.ndim, "transpose"))


@checked
def swapaxes(x, axis1: Int | Bool, axis2: Int | Bool):
    """Swaps two axes of a Tensor.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if an axis is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.swapaxes(ms.numpy.ones((2, 3)), 0, 1).shape)
        (3, 2)

    Source: mindspore.numpy.swapaxes of MindSpore 2.10.
    """
    x = need_tensor(x, "swapaxes")
    return transpose_ops.swapaxes.run(x, *(own_axis(a, x, "swapaxes") for a in (axis1, axis2)))


def moveaxis(a, source, destination):
    """Moves axes of a Tensor from `source` to `destination`, which are ints, or sequences of equal
    length.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if an axis is out of range or occurs twice, or the lengths differ.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.moveaxis(ms.numpy.ones((2, 3, 4)), 0, 2).shape)
        (3, 4, 2)

    Source: mindspore.numpy.moveaxis of MindSpore 2.10.
    """
    a = need_tensor(a, "moveaxis")
    if not a.ndim or source is None or destination is None:
        raise ValueError(
            f"For 'moveaxis', axes of the input must be named, but got {source} and {destination}."
        )
    indices = [
        axes_of(whole_numbers(positions, name, "moveaxis", bools=True), a.ndim, "moveaxis", True)
        for name, positions in (("source", source), ("destination", destination))
    ]
    if len(indices[0]) != len(indices[1]):
        raise ValueError(
            f"For 'moveaxis', 'source' and 'destination' must be as many axes, but "
            f"got {source} and {destination}."
        )
    return transpose_ops.moveaxis.run(a, *indices)


@checked
def rollaxis(x, axis: Int | Bool, start: Int | Bool = 0):
    """Rolls an axis of a Tensor back until it precedes `start`.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if an axis is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.rollaxis(ms.numpy.ones((2, 3, 4)), 2).shape)
        (4, 2, 3)

    Source: mindspore.numpy.rollaxis of MindSpore 2.10.
    """
    x = need_tensor(x, "rollaxis")
    axis = own_axis(axis, x, "rollaxis")
    if not -x.ndim <= start <= x.ndim:
        raise ValueError(
            f"For 'rollaxis', 'start' must be in [{-x.ndim}, {x.ndim}], but got {start}."
        )
    start = start + x.ndim if start < 0 else start
    return transpose_ops.moveaxis.run(x, axis, start - 1 if axis < start else start)


def expand_dims(a, axis):
    """Inserts axes of length 1 into a Tensor; `axis` counts axes of the result.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if an axis is out of range or occurs twice, or no axis is given.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.expand_dims(ms.Tensor([1, 2]), 0).shape)
        (1, 2)

    Source: mindspore.numpy.expand_dims of MindSpore 2.10.
    """
    a = need_tensor(a, "expand_dims")
    axes = whole_numbers(axis, "axis", "expand_dims")
    if not axes:
        raise ValueError("For 'expand_dims', 'axis' must name an axis.")
    for position in sorted(axes_of(axes, a.ndim + len(axes), "expand_dims")):
        a = reshape_ops.expand_dims.run(a, position)
    return a


def squeeze(a, axis=None):
    """Removes axes of length 1 from a Tensor: all of them, or the given ones.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if an axis is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.squeeze(ms.Tensor([[1, 2]])).shape)
        (2,)

    Source: mindspore.numpy.squeeze of MindSpore 2.10.
    """
    a = need_tensor(a, "squeeze")
    if axis is not None and axis not in ((), []):
        axis = {
            axis_of(number, a.ndim, "squeeze") for number in whole_numbers(axis, "axis", "squeeze")
        }
        axis = {index for index in axis if a.shape[index : index + 1] == (1,)}
        return a.reshape([n for index, n in enumerate(a.shape) if index not in axis])
    return reshape_ops.squeeze.run(a, None)


def broadcast_to(array, shape):
    """Broadcasts a Tensor to a shape given as a tuple, list or Tensor of ints.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the Tensor does not fit, or a length is not an int.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.broadcast_to(ms.Tensor([1, 2]), (2, 2)))
        [[1 2]
         [1 2]]

    Source: mindspore.numpy.broadcast_to of MindSpore 2.10.
    """
    array = need_tensor(array, "broadcast_to")
    shape = shape.tolist() if isinstance(shape, numpy.ndarray) else shape
    if isinstance(shape, Tensor) and shape.ndim:
        shape = shape.asnumpy().astype(int).tolist()
    _Shape.refuse("broadcast_to", "shape", shape)
    if isinstance(shape, str) or not all(map(is_int, shape)):
        raise ValueError(f"For 'broadcast_to', 'shape' must hold ints, but got {shape!r}.")
    shape = shape_tuple(shape, "broadcast_to")
    if len(shape) < array.ndim or (0 in shape and array.size):
        raise ValueError(f"For 'broadcast_to', shape {array.shape} can not be repeated to {shape}.")
    return broadcast(array, shape, "broadcast_to")


def broadcast_arrays(*args):
    """Broadcasts Tensors to their common shape; returns a list.

    Raises:
        TypeError: if an argument is not a Tensor.
        ValueError: if the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print([each.shape for each in ms.numpy.broadcast_arrays(ms.Tensor([1, 2]),
        ...         ms.Tensor([[1], [2]]))])
        [(2, 2), (2, 2)]

    Source: mindspore.numpy.broadcast_arrays of MindSpore 2.10.
    """
    arrays = [need_tensor(a, "broadcast_arrays") for a in args]
    shape = _choosing.common_shape([a.shape for a in arrays], "broadcast_arrays")
    return [repeat_ops.broadcast_to.run(a, shape) for a in arrays]


def _atleast(count, arrays):
    name = f"atleast_{count}d"
    tensors = [build("ops", name)(need_tensor(a, name)) for a in arrays]
    return tensors[0] if len(tensors) == 1 else tensors


def atleast_1d(*arys):
    """Returns Tensors with at least one axis, several as a list; raises a TypeError for other
    values.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.atleast_1d(ms.Tensor(1)).shape)
        (1,)

    Source: mindspore.numpy.atleast_1d of MindSpore 2.10.
    """
    return _atleast(1, arys)


def atleast_2d(*arys):
    """Returns Tensors with at least two axes, several as a list; raises a TypeError for other
    values.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.atleast_2d(ms.Tensor([1, 2])).shape)
        (1, 2)

    Source: mindspore.numpy.atleast_2d of MindSpore 2.10.
    """
    return _atleast(2, arys)


def atleast_3d(*arys):
    """Returns Tensors with at least three axes, several as a list; raises a TypeError for other
    values.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.atleast_3d(ms.Tensor([1, 2])).shape)
        (1, 2, 1)

    Source: mindspore.numpy.atleast_3d of MindSpore 2.10.
    """
    return _atleast(3, arys)


@checked
def size(a, axis: Int | Bool = None):
    """Returns the number of elements, or the length of an axis, as an int.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the axis is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.size(ms.Tensor([[1, 2], [3, 4]])))
        4

    Source: mindspore.numpy.size of MindSpore 2.10.
    """
    a = as_tensor(a, "size")
    if axis is None:
        return a.size
    if not a.ndim:
        raise ValueError(f"For 'size', a Tensor without axes has no axis {axis!r}.")
    return a.shape[axis_of(axis, a.ndim, "size", bools=True)]


# Order --------------------------------------------------------------------------------------------


def flip(m, axis=None):
    """Reverses the order of the elements of a Tensor along axes, by default along all.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if an axis is out of range or occurs twice.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.flip(ms.Tensor([1, 2, 3])))
        [3 2 1]

    Source: mindspore.numpy.flip of MindSpore 2.10.
    """
    m = need_tensor(m, "flip")
    axes = axes_of(axis, m.ndim, "flip", bools=True)
    if axis is not None:
        whole_numbers(axis, "axis", "flip", bools=True)
    return flip_roll.flip.run(m, axes) if axes else m


def flipud(m):
    """Reverses a Tensor along the first axis; raises a ValueError if it has none.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.flipud(ms.Tensor([[1, 2], [3, 4]])))
        [[3 4]
         [1 2]]

    Source: mindspore.numpy.flipud of MindSpore 2.10.
    """
    return _flip(m, 0, "flipud")


def fliplr(m):
    """Reverses a Tensor along the second axis; raises a ValueError if it has none.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.fliplr(ms.Tensor([[1, 2], [3, 4]])))
        [[2 1]
         [4 3]]

    Source: mindspore.numpy.fliplr of MindSpore 2.10.
    """
    return _flip(m, 1, "fliplr")


def _flip(m, axis, api):
    if need_tensor(m, api).ndim <= axis:
        raise ValueError(f"For '{api}', 'm' must have more than {axis} axes, but got {m.shape}.")
    return flip_roll.flip.run(m, (axis,))


def roll(a, shift, axis=None):
    """Rolls the elements of a Tensor along axes; elements moved beyond the end reappear at the
    start.

    Args:
        a (Tensor): the elements.
        shift (Union[int, tuple, list]): the number of positions, for all axes or for each of them.
        axis (Union[int, tuple, list, None]): the axes; None rolls the flattened elements.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if an axis is out of range, or the numbers of shifts and axes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.roll(ms.Tensor([1, 2, 3]), 1))
        [3 1 2]

    Source: mindspore.numpy.roll of MindSpore 2.10.
    """
    a = need_tensor(a, "roll")
    shifts = whole_numbers(shift, "shift", "roll", bools=True)
    if axis is None:
        if not shifts:
            raise ValueError("For 'roll', 'shift' must hold a number.")
        total = 0
        for shift_by in shifts:
            total += shift_by
        return flip_roll.roll.run(a.reshape(-1), total, None).reshape(a.shape) if a.size else a
    axes = tuple(own_axis(number, a, "roll") for number in whole_numbers(axis, "axis", "roll"))
    if 1 not in (len(shifts), len(axes)) and len(shifts) != len(axes) or not shifts or not axes:
        raise ValueError(
            f"For 'roll', there must be as many shifts as axes, but got {shift} and {axis}."
        )
    count = max(len(shifts), len(axes))
    shifts = shifts * count if len(shifts) == 1 else shifts
    axes = axes * count if len(axes) == 1 else axes
    for shift_by, index in zip(shifts, axes):
        a = flip_roll.roll.run(a, int(shift_by), index) if a.size else a
    return a


@checked
def rot90(a, k: Int | Bool = 1, axes=(0, 1)):
    """Rotates a Tensor `k` times by 90 degrees in the plane of two axes.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `axes` are not two different axes of the Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.rot90(ms.Tensor([[1, 2], [3, 4]])))
        [[2 4]
         [1 3]]

    Source: mindspore.numpy.rot90 of MindSpore 2.10.
    """
    a = need_tensor(a, "rot90")
    _Axes.refuse("rot90", "axes", axes)
    plane = whole_numbers(axes, "axes", "rot90")
    if len(plane) != 2 or a.ndim < 2 or len(set(axes_of(plane, a.ndim, "rot90"))) < 2:
        raise ValueError(
            f"For 'rot90', 'axes' must be two axes of the input, but got {axes} for {a.shape}."
        )
    return flip_roll.rot90.run(a, int(k), plane)


# Functions along axes -----------------------------------------------------------------------------


@checked
def apply_along_axis(func1d: Callable, axis: Int | Bool, arr, *args, **kwargs):
    """Applies a function of vectors to every vector along an axis of a Tensor.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the axis is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.apply_along_axis(lambda row: row.sum(), 1, ms.numpy.ones((2, 3))))
        [3. 3.]

    Source: mindspore.numpy.apply_along_axis of MindSpore 2.10.
    """
    arr = need_tensor(arr, "apply_along_axis")
    axis = own_axis(axis, arr, "apply_along_axis")
    rows = transpose_ops.moveaxis.run(arr, axis, -1)
    lead = rows.shape[:-1]
    flat = rows.reshape(-1, rows.shape[-1])
    outs = [
        as_tensor(func1d(flat[i], *args, **kwargs), "apply_along_axis")
        for i in range(flat.shape[0])
    ]
    result = join_split.stack.run(outs, 0).reshape(lead + outs[0].shape)
    inner = outs[0].ndim
    return (
        result
        if inner == 0
        else transpose_ops.moveaxis.run(
            result, tuple(range(len(lead), len(lead) + inner)), tuple(range(axis, axis + inner))
        )
    )


@checked
def apply_over_axes(func: Callable, a, axes):
    """Applies a function of (array, axis) to the Tensor for each of several axes in turn; reduced
    axes are kept with length 1.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if an axis is out of range or occurs twice.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.apply_over_axes(ms.numpy.sum, ms.numpy.ones((2, 3)), (0, 1)))
        [[6.]]

    Source: mindspore.numpy.apply_over_axes of MindSpore 2.10.
    """
    a = as_tensor(a, "apply_over_axes")
    indices = [
        axis_of(number, a.ndim, "apply_over_axes")
        for number in whole_numbers(_as_list(axes), "axes", "apply_over_axes")
    ]
    if len(set(indices)) < len(indices):
        raise ValueError(
            f"For 'apply_over_axes', 'axes' must not name an axis twice, but got {axes}."
        )
    for axis in indices:
        result = func(a, axis)
        a = result if result.ndim == a.ndim else reshape_ops.expand_dims.run(result, axis)
    return a


def _as_list(axes):
    """Converts a vector of ints, or the keys of a dict, to a list; other values are returned
    unchanged."""
    if isinstance(axes, dict):
        return list(axes)
    whole = (
        isinstance(axes, Tensor)
        and axes.ndim == 1
        and (axes._array.dtype.kind == "i" or not axes.size)
    )
    return [int(n) for n in axes.asnumpy()] if whole else axes


def array_str(a):
    """Returns the values of a Tensor as printed text; raises a TypeError for other values.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.array_str(ms.Tensor([1, 2])))
        [1 2]

    Source: mindspore.numpy.array_str of MindSpore 2.10.
    """
    return str(need_tensor(a, "array_str"))
