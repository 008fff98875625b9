"""What mindspore.numpy takes: Tensors, numbers, lists and tuples; ints are int32 and floats
float32."""

import numpy

from .._core import dtype as dtypes
from .._core.tensor import Tensor
from ..ops._cast import cast, named_dtype


def as_tensor(value, api="asarray"):
    """A Tensor of an array-like value: numbers and nests of them, not NumPy arrays.

    Raises:
        TypeError: if `value` is something else.
    """
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (bool, int, float, complex, list, tuple)):
        found = Tensor(value)
        return found.astype(dtypes.int32) if found._array.dtype == numpy.int64 else found
    raise TypeError(f"For '{api}', an input must be a Tensor, number, list or tuple, but got "
                    f"{type(value).__name__}.")


def need_tensor(value, api):
    """`value`, refused with a TypeError unless it is a Tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"For '{api}', the input must be a Tensor, but got {type(value).__name__}.")
    return value


def with_dtype(tensor, dtype, api):
    """`tensor` as `dtype` (a MindSpore, NumPy or Python type, or a name); as it is for None."""
    if dtype is None:
        return tensor
    return cast.run(tensor, dtypes.to_numpy(named_dtype(api, dtype)))


def floats(tensor):
    """Ints and bools as float32."""
    return tensor if tensor._array.dtype.kind in "fcV" else cast.run(tensor, numpy.float32)


def shape_tuple(shape, api):
    """A shape given as an int, tuple or list.

    Raises:
        TypeError: if it is none of these. ValueError: if a length is negative.
    """
    shape = (shape,) if isinstance(shape, int) and not isinstance(shape, bool) else shape
    if not isinstance(shape, (tuple, list)) or not all(isinstance(n, int) and not isinstance(n,
            bool) for n in shape):
        raise TypeError(f"For '{api}', 'shape' must be an int, or a tuple or list of ints, but "
                        f"got {shape!r}.")
    if min(shape, default=0) < 0:
        raise ValueError(f"For '{api}', 'shape' must not hold negative lengths, but got "
                         f"{tuple(shape)}.")
    return tuple(shape)


def axis_of(axis, rank, api):
    """One axis, counted from 0.

    Raises:
        TypeError: if it is no int. ValueError: if it is out of range.
    """
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise TypeError(f"For '{api}', 'axis' must be an int, but got {axis!r} of type "
                        f"{type(axis).__name__}.")
    if not -rank <= axis < max(rank, 1):
        raise ValueError(f"For '{api}', 'axis' must be in [{-rank}, {rank}), but got {axis}.")
    return axis % rank if rank else 0


def axes_of(axis, rank, api):
    """Several axes (None for all), counted from 0, as a tuple."""
    if axis is None:
        return tuple(range(rank))
    return tuple(axis_of(a, rank, api) for a in (axis if isinstance(axis,
                                                                    (tuple, list)) else (axis,)))
