"""mindspore.numpy: creation of Tensors from values, ranges and grids.

Random numbers, window functions, triangles, histograms and padding are in separate files.
"""

import math

import numpy

from .._backend.arrays import current_space
from .._core.declare.public_api import build
from .._core.rules.checked import checked
from .._core.rules.vocabulary import Any, Bool, DType, InstanceOf, Int, InTensor, Number
from .._core.tensor import dtype as dtypes
from .._core.tensor.tensor import Tensor
from ..ops._elementwise.cast import cast, named_dtype
from ..ops._shape import grid, join_split, transpose
from . import _histograms, _random, _triangles, _windows
from ._convert import (
    as_tensor,
    axis_of,
    broadcast,
    need_tensor,
    new_dtype,
    refuse_complex,
    shape_tuple,
    with_dtype,
)
from ._histograms import *  # noqa: F403
from ._padding import pad
from ._random import *  # noqa: F403
from ._triangles import *  # noqa: F403
from ._windows import *  # noqa: F403

_Dimensions = InstanceOf(tuple, list).called("a tuple or list")

__all__ = [
    "arange",
    "array",
    "asarray",
    "asfarray",
    "copy",
    "empty",
    "empty_like",
    "full",
    "full_like",
    "geomspace",
    "indices",
    "ix_",
    "linspace",
    "logspace",
    "meshgrid",
    "mgrid",
    "ogrid",
    "ones",
    "ones_like",
    "pad",
    "zeros",
    "zeros_like",
]
__all__ += _histograms.__all__
__all__ += _random.__all__
__all__ += _triangles.__all__
__all__ += _windows.__all__

float32, int32 = dtypes.float32, dtypes.int32


def _as_new(tensor, dtype, api):
    """Casts `tensor` to the dtype of a new Tensor; its own dtype, or None, returns it unchanged."""
    target = tensor.dtype if dtype is None else new_dtype(dtype, api)
    return tensor if target == tensor.dtype else cast.run(tensor, dtypes.to_numpy(target))


def _fill(shape, value, dtype, api):
    target = dtypes.to_numpy(new_dtype(dtype, api))
    return Tensor._wrap(current_space().full(shape_tuple(shape, api), value, target))


@checked
def array(obj, dtype=None, copy: Any = True, ndmin: InTensor(Number | Bool) = 0):
    """Creates a Tensor from an array-like value; ints become int32 and floats float32.

    Args:
        obj (Union[int, float, bool, list, tuple, Tensor]): the values.
        dtype (Union[mindspore.dtype, type, str]): the dtype of the result.
        copy (bool): False to return a matching Tensor itself. Default: True.
        ndmin (int): the minimum number of axes; new ones come first. Default: 0.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the lists differ in length.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.array([[1, 2], [3, 4]]))
        [[1 2]
         [3 4]]

    Source: mindspore.numpy.array of MindSpore 2.10.
    """
    tensor = _as_new(as_tensor(obj, "array"), dtype, "array")
    if copy and tensor is obj:
        tensor = build("Tensor", "copy")(tensor)
    missing = ndmin - tensor.ndim
    if missing > 0 and not isinstance(ndmin, int):
        raise TypeError(f"For 'array', 'ndmin' must be an int, but got {ndmin}.")
    return tensor.reshape((1,) * missing + tensor.shape) if missing > 0 else tensor


def asarray(a, dtype=None):
    """Converts an array-like value to a Tensor; a Tensor of the right dtype is returned unchanged.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.asarray([1, 2]))
        [1 2]

    Source: mindspore.numpy.asarray of MindSpore 2.10.
    """
    return array(a, dtype, copy=False)


def asfarray(a, dtype=float32):
    """Converts an array-like value to a Tensor of a floating dtype, float32 by default.

    A dtype of ints or bools means float32; None keeps the value's own dtype, which may be an int.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.asfarray([1, 2]))
        [1. 2.]

    Source: mindspore.numpy.asfarray of MindSpore 2.10.
    """
    if dtype is not None:
        target = new_dtype(dtype, "asfarray")
        dtype = target if target in (dtypes.float16, float32, dtypes.float64) else float32
    return array(a, dtype, copy=False)


def copy(a):
    """Copies an array-like value to a new Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.copy(ms.Tensor([1, 2])))
        [1 2]
    """
    return build("Tensor", "copy")(as_tensor(a, "copy"))


def zeros(shape, dtype=float32):
    """Returns a Tensor of zeros of a shape (an int, tuple, list or Tensor of ints); float32 by
    default.

    Raises:
        TypeError: if `shape` is not an int or ints, or `dtype` is not a dtype.
        ValueError: if a size is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.zeros((2,)))
        [0. 0.]

    Source: mindspore.numpy.zeros of MindSpore 2.10.
    """
    return _fill(shape, 0, dtype, "zeros")


def ones(shape, dtype=float32):
    """Returns a Tensor of ones of a shape (an int, tuple, list or Tensor of ints); float32 by
    default.

    Raises:
        TypeError: if `shape` is not an int or ints, or `dtype` is not a dtype.
        ValueError: if a size is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.ones((2,)))
        [1. 1.]

    Source: mindspore.numpy.ones of MindSpore 2.10.
    """
    return _fill(shape, 1, dtype, "ones")


@checked
def empty(shape, dtype: DType | None = float32):
    """Returns a Tensor of a shape with unspecified values; float32 by default.

    The memory is cleared, as MindSpore's usually is. If `shape` is a Tensor of a dtype other than
    int32 or int64, a TypeError is raised.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.empty((2, 3)).shape)
        (2, 3)

    Source: mindspore.numpy.empty of MindSpore 2.10.
    """
    if isinstance(shape, Tensor) and shape.dtype not in (int32, dtypes.int64):
        raise TypeError(f"For 'empty', 'shape' must hold int32 or int64, but got {shape.dtype}.")
    return Tensor._wrap(
        current_space().zeros(shape_tuple(shape, "empty"), dtypes.to_numpy(dtype or float32))
    )


def full(shape, fill_value, dtype=None):
    """Returns a Tensor of a shape filled with an array-like value, in the value's dtype by default.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the value does not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.full((2,), 7))
        [7 7]

    Source: mindspore.numpy.full of MindSpore 2.10.
    """
    shape = shape_tuple(shape, "full")
    value = _as_new(as_tensor(fill_value, "full"), dtype, "full")
    return build("Tensor", "copy")(broadcast(value, shape, "full"))


def _like(a, fill, dtype, shape, api):
    """Repeats `fill`: a number in the dtype of `a`, anything else in its own dtype.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `a` is not array-like, or `fill` does not fit.
    """
    a = _model(a, api)
    refuse_complex(api, a)
    shape = a.shape if shape is None or _nothing(shape) else shape_tuple(shape, api)
    tensor = as_tensor(fill, api)
    if dtype is not None:
        tensor = _as_new(tensor, dtype, api)
    elif isinstance(fill, (int, float)):
        tensor = cast.run(tensor, a._array.dtype)
    return build("Tensor", "copy")(broadcast(tensor, shape, api))


def _model(value, api):
    """Converts an array-like value whose shape and dtype are taken.

    Raises:
        ValueError: if it is anything else, as documented for these functions only.
    """
    try:
        return as_tensor(value, api)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _nothing(shape):
    """Returns whether a shape is an empty list or tuple, which MindSpore treats as omitted."""
    return isinstance(shape, (tuple, list)) and not shape


def zeros_like(a, dtype=None, shape=None):
    """Returns zeros; shape and dtype default to the shape and dtype of an array-like value.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.zeros_like(ms.Tensor([1, 2])))
        [0 0]

    Source: mindspore.numpy.zeros_like of MindSpore 2.10.
    """
    return _like(a, 0, dtype, shape, "zeros_like")


def ones_like(a, dtype=None, shape=None):
    """Returns ones; shape and dtype default to the shape and dtype of an array-like value.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.ones_like(ms.Tensor([1, 2])))
        [1 1]

    Source: mindspore.numpy.ones_like of MindSpore 2.10.
    """
    return _like(a, 1, dtype, shape, "ones_like")


@checked
def empty_like(prototype, dtype: DType = None, shape=None):
    """Returns unspecified values. Shape and dtype default to the shape and dtype of `prototype`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.empty_like(ms.Tensor([1, 2])).shape)
        (2,)

    Source: mindspore.numpy.empty_like of MindSpore 2.10.
    """
    a = _model(prototype, "empty_like")
    return empty(
        a.shape if shape is None or _nothing(shape) else shape, a.dtype if dtype is None else dtype
    )


def full_like(a, fill_value, dtype=None, shape=None):
    """Returns a Tensor filled with an array-like value; shape and dtype default to those of another
    value.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.full_like(ms.Tensor([1, 2]), 7))
        [7 7]

    Source: mindspore.numpy.full_like of MindSpore 2.10.
    """
    return _like(a, fill_value, dtype, shape, "full_like")


# Ranges -------------------------------------------------------------------------------------------


def _bound(value):
    """Converts a bound of a range to a number; returns it and whether it was a Python int."""
    if isinstance(value, (Tensor, numpy.ndarray, numpy.generic)):
        if value.size != 1:
            error = ValueError if isinstance(value, Tensor) else TypeError
            raise error(f"For 'arange', a bound must have one element, but got {value.shape}.")
        number = value.item()
        if not isinstance(number, complex):
            return float(number), False
    elif isinstance(value, (int, float)):
        return value, isinstance(value, int)
    raise TypeError(
        f"For 'arange', the arguments must be numbers, but got {value!r} of type "
        f"{type(value).__name__}."
    )


def arange(start, stop=None, step=None, dtype=None):
    """Returns numbers from `start` to below `stop` in steps of `step`; int32 for ints, otherwise
    float32.

    Args:
        start (Union[int, float, Tensor]): the first number; the end if `stop` is None.
        stop (Union[int, float, Tensor]): the end.
        step (Union[int, float, Tensor]): the distance. Default: 1.
        dtype (Union[mindspore.dtype, type, str]): the dtype of the result.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `step` is 0, or the range is empty.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.arange(1, 4))
        [1 2 3]

    Source: mindspore.numpy.arange of MindSpore 2.10.
    """
    bounds = [None if value is None else _bound(value) for value in (start, stop, step)]
    if bounds[0] is None:
        raise TypeError("For 'arange', 'start' must be a number, but got None.")
    whole = all(pair[1] for pair in bounds if pair is not None)
    first, last, gap = (None if pair is None else pair[0] for pair in bounds)
    first, last = (0, first) if last is None else (first, last)
    gap = 1 if gap is None else gap
    if gap == 0 or math.ceil((last - first) / gap) <= 0:
        raise ValueError(
            f"For 'arange', there must be a number from {first} to {last} in steps of {gap}."
        )
    result = Tensor._wrap(current_space().arange(first, last, gap))
    return with_dtype(result, (int32 if whole else float32) if dtype is None else dtype, "arange")


def _ends(start, stop, api):
    """Returns both ends of a range as float32."""
    ends = as_tensor(start, api), as_tensor(stop, api)
    refuse_complex(api, *ends)
    for end in ends:
        if not end.size:
            raise ValueError(f"For '{api}', the ends must have elements, but got {end.shape}.")
    return [cast.run(end, "float32") for end in ends]


@checked
def linspace(
    start,
    stop,
    num: Int | Bool = 50,
    endpoint: Bool = True,
    retstep: Bool = False,
    dtype=None,
    axis=0,
):
    """Returns `num` evenly spaced numbers from `start` to `stop` along an axis; float32 by default.

    Args:
        start, stop (Union[number, list, tuple, Tensor]): the ends, which are broadcast.
        num (int): the number of values. Default: 50.
        endpoint (bool): whether `stop` is included. Default: True.
        retstep (bool): whether the distance is returned, too. Default: False.
        dtype (Union[mindspore.dtype, type, str]): the dtype of the result.
        axis (int): the position of the new axis. Default: 0.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `num` is less than 1, or `axis` is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.linspace(0, 1, 3))
        [0.  0.5 1. ]

    Source: mindspore.numpy.linspace of MindSpore 2.10.
    """
    numbers, step = _even(start, stop, num, endpoint, axis, "linspace")
    numbers = _as_new(numbers, dtype, "linspace")
    return (numbers, step) if retstep else numbers


def _single(axis, api):
    """Returns `axis`, or the only element of a tuple or list."""
    if not isinstance(axis, (tuple, list)):
        return axis
    if len(axis) != 1:
        raise ValueError(f"For '{api}', 'axis' must be one axis, but got {axis}.")
    return axis[0]


def _even(start, stop, num, endpoint, axis, api):
    """Returns the numbers of `linspace`, and their distance (NaN for a single number with
    `endpoint`)."""
    first, last = _ends(start, stop, api)
    if num < 1:
        raise ValueError(f"For '{api}', 'num' must be at least 1, but got {num}.")
    parts = num - 1 if endpoint else num
    step = (last - first) / parts if parts else float("nan")
    rank = (first + last).ndim
    axis = axis_of(_single(axis, api), rank + 1, api, bools=True)
    counts = Tensor([float(i) for i in range(num)]).reshape((-1,) + (1,) * rank)
    numbers = first + counts * (step if parts else last * 0)
    if endpoint and num > 1:  # set the end exactly, free of rounding errors
        final = (first * 0 + last).reshape((1, *numbers.shape[1:]))
        numbers = join_split.cat.run([numbers[:-1], final], 0)
    return transpose.moveaxis.run(numbers, 0, axis), step


@checked
def logspace(
    start,
    stop,
    num: Int | Bool = 50,
    endpoint: Bool = True,
    base: Number | Bool = 10.0,
    dtype=None,
    axis=0,
):
    """Returns numbers evenly spaced on a log scale: `base` to the powers of `linspace`. The other
    arguments and the errors are the same as for `linspace`; `base` is a number.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.logspace(0, 2, 3))
        [  1.  10. 100.]

    Source: mindspore.numpy.logspace of MindSpore 2.10.
    """
    powers, _ = _even(start, stop, num, endpoint, axis, "logspace")
    return _as_new(build("ops", "pow")(float(base), powers), dtype, "logspace")


@checked
def geomspace(start, stop, num: Int | Bool = 50, endpoint: Bool = True, dtype=None, axis=0):
    """Returns `num` numbers in geometric progression from `start` to `stop`.

    The arguments and errors are the same as for `linspace`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.geomspace(1, 8, 4))
        [1. 2. 4. 8.]

    Source: mindspore.numpy.geomspace of MindSpore 2.10.
    """
    first, last = _ends(start, stop, "geomspace")
    shares, _ = _even(first * 0, last * 0 + 1, num, endpoint, 0, "geomspace")
    numbers = first * build("ops", "pow")(last / first, shares)
    axis = axis_of(_single(axis, "geomspace"), numbers.ndim, "geomspace", bools=True)
    return _as_new(transpose.moveaxis.run(numbers, 0, axis), dtype, "geomspace")


# Grids --------------------------------------------------------------------------------------------


@checked
def meshgrid(*xi, sparse: Bool = False, indexing="xy"):
    """Returns the coordinate grids of vectors, as a list; `sparse` keeps axes of length 1.

    Raises:
        TypeError: if an argument has the wrong type, or `indexing` is neither "xy" nor "ij".

    Example:
        >>> import mindspore_compat as ms
        >>> print([each.shape for each in ms.numpy.meshgrid(ms.Tensor([1, 2]),
        ...         ms.Tensor([3, 4, 5]))])
        [(3, 2), (3, 2)]

    Source: mindspore.numpy.meshgrid of MindSpore 2.10.
    """
    for x in xi:
        need_tensor(x, "meshgrid")
    if not isinstance(indexing, str) or indexing not in ("xy", "ij"):
        raise TypeError(f"For 'meshgrid', 'indexing' must be 'xy' or 'ij', but got {indexing!r}.")
    return _grid([x.reshape(-1) for x in xi], sparse, indexing)


def _grid(vectors, sparse, indexing):
    if not vectors:
        return []
    if not sparse:
        return list(grid.meshgrid(*vectors, indexing=indexing))
    rank = len(vectors)
    order = [1, 0, *range(2, rank)] if indexing == "xy" and rank > 1 else list(range(rank))
    return [v.reshape((1,) * a + (-1,) + (1,) * (rank - a - 1)) for v, a in zip(vectors, order)]


@checked
def indices(dimensions, dtype=int32, sparse: Bool = False):
    """Returns the index grids of a shape, as a list.

    Raises:
        TypeError: if `dimensions` is not a tuple or list of numbers, or another argument has the
            wrong type.
        ValueError: if a length is less than 1.

    Example:
        >>> import mindspore_compat as ms
        >>> print(len(ms.numpy.indices((2, 2))))
        2

    Source: mindspore.numpy.indices of MindSpore 2.10.
    """
    _Dimensions.refuse("indices", "dimensions", dimensions)
    if dtype is not None:
        named_dtype("indices", dtype)
    vectors = [arange(n).astype(int32) for n in dimensions]
    return [with_dtype(vector, dtype, "indices") for vector in _grid(vectors, sparse, "ij")]


def ix_(*args):
    """Reshapes vectors to an open mesh: a tuple of Tensors that index a grid together.

    Raises:
        TypeError: if an argument is not a Tensor.
        ValueError: if it is not a vector.

    Example:
        >>> import mindspore_compat as ms
        >>> print([each.shape for each in ms.numpy.ix_(ms.Tensor([0, 1]), ms.Tensor([2]))])
        [(2, 1), (1, 1)]

    Source: mindspore.numpy.ix_ of MindSpore 2.10.
    """
    for arg in args:
        if need_tensor(arg, "ix_").ndim != 1:
            raise ValueError(f"For 'ix_', the arguments must be vectors, but got {arg.shape}.")
    return tuple(_grid(list(args), True, "ij"))


class _Grid:
    """Makes coordinates from slices, as in `mgrid[0:3, 0:2]` and `ogrid[...]`; a step of 4j means
    four points, ends included."""

    def __init__(self, whole):
        self.whole = whole

    def __getitem__(self, key):
        parts = key if isinstance(key, tuple) else (key,)
        vectors = [self._vector(part) for part in parts]
        if not isinstance(key, tuple):
            return vectors[0]
        grids = _grid(vectors, not self.whole, "ij")
        return join_split.stack.run(grids, 0) if self.whole else grids

    def _vector(self, part):
        start = 0 if part.start is None else part.start
        if isinstance(part.step, complex):
            return linspace(start, part.stop, int(abs(part.step)))
        return arange(start, part.stop, 1 if part.step is None else part.step)


mgrid, ogrid = _Grid(True), _Grid(False)
