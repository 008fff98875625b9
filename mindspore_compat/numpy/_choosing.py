"""mindspore.numpy: choosing elements, positions, sets, searching. `array_ops` publishes them."""

import math

import numpy

from .._core.declare.public_api import build
from .._core.rules.checked import checked
from .._core.rules.vocabulary import Bool, Int, Str
from .._core.tensor import dtype as dtypes
from .._core.tensor.promotion import promote_np
from .._core.tensor.tensor import Tensor
from ..ops._elementwise.cast import cast
from ..ops._indexing import gather, masks
from ..ops._reduction import histogram, min_max
from ..ops._reduction import unique as unique_ops
from ..ops._shape import flip_roll, join_split, repeat, reshape
from ._convert import as_tensor, axis_of, meet, need_tensor, refuse_complex, shape_tuple, spread

__all__ = [
    "argmax",
    "argmin",
    "argwhere",
    "bincount",
    "choose",
    "digitize",
    "in1d",
    "intersect1d",
    "isin",
    "piecewise",
    "ravel_multi_index",
    "searchsorted",
    "select",
    "setdiff1d",
    "take",
    "take_along_axis",
    "unique",
    "unravel_index",
    "where",
]


def common_shape(shapes, api):
    """The shape that several are repeated to.

    Raises:
        ValueError: if there is none.
    """
    rank = max(map(len, shapes), default=0)
    found = [1] * rank
    for shape in shapes:
        for place, n in enumerate(shape, rank - len(shape)):
            if n != 1 and found[place] not in (1, n):
                raise ValueError(f"For '{api}', shapes {shapes} can not be repeated to one.")
            found[place] = n if n != 1 else found[place]
    return tuple(found)


# Choosing -----------------------------------------------------------------------------------------


def where(condition, x=None, y=None):
    """x where the condition is true, y elsewhere; all are broadcast.

    Raises:
        TypeError: if an argument is not array-like. ValueError: if the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.where(ms.Tensor([True, False]), ms.Tensor([1, 2]), ms.Tensor([10, 20])))
        [ 1 20]
    """
    condition, x, y = (as_tensor(each, "where") for each in (condition, x, y))
    common_shape([condition.shape, x.shape, y.shape], "where")
    return build("ops", "where")(cast.run(condition, "bool"), *meet(x, y))


def _rows(value, api):
    """A list or Tensor as a list of Tensors.

    Raises:
        TypeError: if it is no array-like value. ValueError: if it has no axis.
    """
    if isinstance(value, (list, tuple)):
        return [as_tensor(each, api) for each in value]
    value = as_tensor(value, api)
    if not value.ndim and api == "piecewise":  # one condition, for one number
        return [value]
    if not value.ndim:
        raise ValueError(f"For '{api}', the input must have an axis, but got {value}.")
    return [value[i] for i in range(value.shape[0])]


def select(condlist, choicelist, default=0):
    """Of several choices, at each place the first whose condition is true; else the default.

    Args:
        condlist (Union[list, tuple, Tensor]): the conditions.
        choicelist (Union[list, tuple, Tensor]): as many choices; the result has their dtype.
        default (Union[number, Tensor]): what stands where no condition is true.

    Raises:
        TypeError: if an argument has another type.
        ValueError: if there are not as many choices as conditions, or the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Tensor([1, 2, 3])
        >>> print(ms.numpy.select([x < 2, x > 2], [x, x * 10]))
        [ 1  0 30]
    """
    conditions, choices = _rows(condlist, "select"), _rows(choicelist, "select")
    if len(conditions) != len(choices):
        raise ValueError(
            f"For 'select', there must be as many choices as conditions, but got "
            f"{len(choices)} and {len(conditions)}."
        )
    if not isinstance(default, (int, float)):
        if not isinstance(default, Tensor):
            raise TypeError(f"For 'select', 'default' must be a number, but got {default!r}.")
        raise ValueError("For 'select', 'default' must be a number, but got a Tensor.")
    found = as_tensor(default, "select")
    if not choices:
        return cast.run(found, "float32")
    choices = meet(*choices)
    found = cast.run(found, choices[0]._array.dtype)
    common_shape([each.shape for each in conditions + choices], "select")
    for condition, choice in list(zip(conditions, choices))[::-1]:
        found = where(condition, choice, found)
    return found


def piecewise(x, condlist, funclist, *args, **kw):
    """At each place the function (or number) whose condition is the first true one; one more is
    for the rest, which else is 0.

    Args:
        x (Union[number, list, tuple, Tensor]): the values.
        condlist (Union[list, tuple, Tensor]): the conditions.
        funclist (list): functions of `x`, or numbers, one for each condition or one more.
        *args, **kw: passed on to the functions.

    Raises:
        TypeError: if an argument has another type.
        ValueError: if the numbers of conditions and functions do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Tensor([-1.0, 2.0])
        >>> print(ms.numpy.piecewise(x, [x < 0, x >= 0], [-1, 1]))
        [-1  1]
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

    values = meet(*map(value, funclist))
    found = values.pop() if len(values) > len(conditions) else values[0] * 0
    for condition, choice in list(zip(conditions, values))[::-1]:
        found = where(condition, choice, found)
    return found


_MODES = ("clip", "wrap", "raise")


def choose(a, choices, mode="clip"):
    """At each place the element of the choice whose number stands there; numbers out of range are
    clipped or wrap.

    Args:
        a (Union[list, tuple, Tensor]): numbers of choices, ints.
        choices (Union[number, list, tuple, Tensor]): the choices, which are broadcast.
        mode (str): "clip" or "wrap"; with "raise" a number out of range is an error.

    Raises:
        TypeError: if an argument has another type.
        ValueError: if `mode` is something else, or the shapes do not fit.
        IndexError: if a number is out of range and `mode` is "raise".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.choose([0, 1, 0], [[1, 2, 3], [10, 20, 30]]))
        [ 1 20  3]
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
    shape = common_shape([each.shape for each in (*whole, a)], "choose")
    places = _in_range(a, len(whole), mode, "choose")
    table = join_split.stack.run([repeat.broadcast_to.run(c, shape) for c in meet(*whole)], 0)
    places = repeat.broadcast_to.run(places, shape)
    return gather.gather_elements.run(table, 0, reshape.expand_dims.run(places, 0))[0]


def _check_mode(mode, api):
    if not isinstance(mode, str) or mode not in _MODES:
        raise ValueError(
            f"For '{api}', 'mode' must be 'clip', 'wrap' or 'raise', but got {mode!r}."
        )


def _in_range(places, length, mode, api):
    """Positions below `length`.

    Raises:
        IndexError: if one is out of range and `mode` is "raise".
    """
    if mode == "wrap":
        return places % length
    if mode == "clip":
        return build("ops", "clamp")(places, 0, length - 1)
    if bool(((places < -length) | (places >= length)).any()):
        raise IndexError(f"For '{api}', a position is out of range of {length}.")
    return places


@checked
def take(a, indices, axis: Int = None, mode: Str = "clip"):
    """The elements of a Tensor at positions along an axis; without an axis of the flattened one.

    Args:
        a (Tensor): the elements.
        indices (Tensor): positions, int32 or int64; negative ones count from the end.
        axis (int): the axis.
        mode (str): "clip" moves positions out of range to the nearest one, "wrap" counts them
            around, "raise" refuses them.

    Raises:
        TypeError: if an argument has another type.
        ValueError: if the axis is out of range, `a` is empty, or `mode` is something else.
        IndexError: if a position is out of range and `mode` is "raise".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.take(ms.Tensor([10, 20, 30]), ms.Tensor([2, 0])))
        [30 10]
    """
    _check_mode(mode, "take")
    a, indices = need_tensor(a, "take"), _positions(indices, "take")
    if axis is not None and not a.ndim:
        raise ValueError(f"For 'take', the input has no axis, but got axis {axis}.")
    a, axis = (a.reshape(-1), 0) if axis is None else (a, axis_of(axis, a.ndim, "take"))
    length = a.shape[axis]
    if not length:
        raise ValueError("For 'take', 'a' must have elements.")
    if mode == "clip":  # from the end first, as the original does
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
    """Element by element along an axis of a Tensor, at positions (int32 or int64) that broadcast
    with it; without an axis in the flattened one.

    Raises:
        TypeError: if an argument has another type.
        ValueError: if the axis is out of range, or the shapes do not fit.
        IndexError: if a position is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.take_along_axis(ms.Tensor([[10, 30, 20]]), ms.Tensor([[2, 0]]), 1))
        [[20 10]]
    """
    arr, indices = (need_tensor(each, "take_along_axis") for each in (arr, indices))
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
    indices = spread(indices, tuple(map(int, shape)), "take_along_axis")
    shape[axis] = arr.shape[axis]
    arr = spread(arr, tuple(map(int, shape)), "take_along_axis")
    return gather.gather_elements.run(arr, axis, indices)


def argwhere(a):
    """The positions of the elements that are not 0, one row for each; int64.

    Raises:
        TypeError: if `a` is not array-like. ValueError: if it has no axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.argwhere(ms.Tensor([0, 5, 7])))
        [[1]
         [2]]
    """
    a = as_tensor(a, "argwhere")
    if not a.ndim:
        raise ValueError("For 'argwhere', 'a' must have an axis.")
    return masks.argwhere.run(a)


def _extreme_place(a, axis, op, api):
    a = as_tensor(a, api)
    refuse_complex(api, a)
    if not a.size:
        raise ValueError(f"For '{api}', 'a' must have elements, but got shape {a.shape}.")
    return a, op.run(a) if axis is None else op.run(a, axis_of(axis, a.ndim, api))


@checked
def argmax(a, axis: Int = None):
    """The position of the largest element along an axis, or in order; int64.

    Raises:
        TypeError: if an argument has another type, or `a` is complex.
        ValueError: if the axis is out of range, or `a` is empty.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.argmax([[1, 5], [4, 3]], axis=1))
        [1 0]
    """
    return _extreme_place(a, axis, min_max.argmax, "argmax")[1]


@checked
def argmin(a, axis: Int = None):
    """The position of the smallest element along an axis, or in order; int32.

    Raises:
        TypeError: if an argument has another type, or `a` is complex.
        ValueError: if the axis is out of range, or `a` is empty.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.argmin([[1, 5], [4, 3]], axis=1))
        [0 1]
    """
    a, found = _extreme_place(a, axis, min_max.argmin, "argmin")
    return found.astype(dtypes.int32 if a.ndim else dtypes.int64)


# Sets and searching -------------------------------------------------------------------------------


def _comparable(value, api):
    """An array-like value of numbers that have an order, flattened.

    Raises:
        TypeError: if it is something else, bools among it.
    """
    found = as_tensor(value, api)
    refuse_complex(api, found)
    if found.dtype == dtypes.bool_:
        raise TypeError(f"For '{api}', the inputs must not hold bools.")
    return found.reshape(-1)


def _sorted_set(values):
    return unique_ops.mint_unique(values) if values.size else values


def unique(x, return_inverse=False):
    """Each value of a Tensor once, in ascending order; with the position (int32) of every element
    among them if asked.

    Raises:
        TypeError: if `x` is not a Tensor, or holds bools or complex numbers.
        ValueError: if it has no axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.unique(ms.Tensor([3, 1, 3])))
        [1 3]
    """
    values = _comparable(need_tensor(x, "unique"), "unique")
    if not x.ndim:
        raise ValueError("For 'unique', 'x' must have an axis.")
    if not return_inverse:
        return _sorted_set(values)
    found = unique_ops.mint_unique(values, return_inverse=True)
    return found[0], found[1].astype(dtypes.int32)


def isin(element, test_elements, invert=False):
    """True where the element is among others (or where it is not, with `invert`).

    Raises:
        TypeError: if an argument is not array-like.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.isin([1, 2, 3], [2, 5]))
        [False  True False]
    """
    element, others = as_tensor(element, "isin"), as_tensor(test_elements, "isin").reshape(-1)
    found = (
        (reshape.expand_dims.run(element, -1) == others).any(-1)
        if others.size
        else element != element
    )
    return build("ops", "logical_not")(found) if invert else found


def in1d(ar1, ar2, invert=False):
    """`isin` on all elements in order.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.in1d([1, 2, 3], [2, 5]))
        [False  True False]
    """
    return isin(as_tensor(ar1, "in1d").reshape(-1), ar2, invert)


@checked
def intersect1d(ar1, ar2, assume_unique: Bool = False, return_indices: Bool = False):
    """The values in both, in ascending order; with their first positions (int32) in each if asked.

    Raises:
        TypeError: if an argument has another type, or an input holds bools or complex numbers.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.intersect1d([1, 2, 3], [2, 3, 4]))
        [2 3]
    """
    one, two = meet(*(_comparable(each, "intersect1d") for each in (ar1, ar2)))
    both = [each if assume_unique else _sorted_set(each) for each in (one, two)]
    both = join_split.cat.run(both, 0)
    both = build("ops", "sort")(both)[0] if both.size else both
    values = build("ops", "masked_select")(both[1:], both[1:] == both[:-1])
    if not return_indices:
        return values
    places = [
        min_max.argmax.run((reshape.expand_dims.run(values, 1) == other).astype(dtypes.int32), 1)
        for other in (one, two)
    ]
    return values, *[p.astype(dtypes.int32) for p in places]


@checked
def setdiff1d(ar1, ar2, assume_unique: Bool = False):
    """The values of one that are not in the other, in ascending order unless they are assumed
    unique.

    Raises:
        TypeError: if an argument has another type, or an input holds bools or complex numbers.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.setdiff1d([1, 2, 3], [2]))
        [1 3]
    """
    one, two = (_comparable(each, "setdiff1d") for each in (ar1, ar2))
    values = one if assume_unique else _sorted_set(one)
    return build("ops", "masked_select")(values, isin(values, two, invert=True))


@checked
def searchsorted(a, v, side="left", sorter=None):
    """Where values would stand in an ordered vector; int32.

    Args:
        a (Union[list, tuple, Tensor]): the vector.
        v (Union[number, list, tuple, Tensor]): the values.
        side (str): "left" before equal elements, "right" after them.
        sorter (Union[list, tuple, Tensor]): the order that sorts `a`, ints.

    Raises:
        TypeError: if an argument has another type.
        ValueError: if `a` is no vector, `side` is something else or the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.searchsorted([1, 3, 5], [2, 3]))
        [1 1]
    """
    if not isinstance(side, str) or side not in ("left", "right"):
        raise ValueError(f"For 'searchsorted', 'side' must be 'left' or 'right', but got {side!r}.")
    a, v = as_tensor(a, "searchsorted"), as_tensor(v, "searchsorted")
    refuse_complex("searchsorted", v)
    if sorter is not None and not isinstance(sorter, Tensor):
        raise TypeError(f"For 'searchsorted', 'sorter' must be a Tensor, but got {sorter!r}.")
    if (
        a.ndim != 1
        or sorter is not None
        and (sorter.shape != a.shape or sorter._array.dtype.kind not in "iu")
    ):
        raise ValueError(
            f"For 'searchsorted', 'a' must be a vector and 'sorter' as many ints, but "
            f"got shape {a.shape}."
        )
    a, v = (cast.run(t, "float32") if t.dtype == dtypes.bool_ else t for t in (a, v))
    if sorter is not None:
        a = gather.gather.run(a, sorter, 0)
    if a._array.dtype.kind == "c":
        a = cast.run(a, "float32")
    common = promote_np(a._array.dtype, v._array.dtype)
    found = build("ops", "searchsorted")(cast.run(a, common), cast.run(v, common), side=side)
    return found.astype(dtypes.int32)


def digitize(x, bins, right=False):
    """The bin of each value: how many edges lie below it (or up to it); edges may descend.
    int32.

    Args:
        x (Union[number, list, tuple, Tensor]): the values.
        bins (Union[list, tuple, Tensor]): the edges, a vector.
        right (bool): whether a value on an edge belongs below it.

    Raises:
        TypeError: if an argument has another type. ValueError: if `bins` is no vector.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.digitize([0.5, 1.5], [0.0, 1.0, 2.0]))
        [1 2]
    """
    x, bins = as_tensor(x, "digitize"), as_tensor(bins, "digitize")
    refuse_complex("digitize", x, bins)
    side = "left" if right else "right"
    if bins.ndim != 1:
        raise ValueError(f"For 'digitize', 'bins' must have one axis, but got shape {bins.shape}.")
    if not x.size:
        return x
    if not bins.size:
        return cast.run(x, "int32") * 0
    if bins.size > 1 and bool(bins[0] > bins[-1]):
        return bins.shape[0] - searchsorted(flip_roll.flip.run(bins, (0,)), x, side)
    return searchsorted(bins, x, side)


@checked
def bincount(x, weights=None, minlength=0, length: Int(ge=1) = None):
    """How often each number appears (or the sum of its weights), float32; `length` fixes how many
    are counted.

    Args:
        x (Union[list, tuple, Tensor]): numbers from 0, ints, a vector.
        weights (Union[list, tuple, Tensor]): what each counts.
        minlength (int): the least number of counts.
        length (int): the number of counts.

    Raises:
        TypeError: if an argument has another type.
        ValueError: if `x` is no vector, the shapes differ or `length` is not positive.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.bincount([0, 1, 1, 3]))
        [1. 2. 0. 1.]
    """
    x = as_tensor(x, "bincount")
    if x.ndim != 1:
        raise ValueError(f"For 'bincount', 'x' must be a vector, but got shape {x.shape}.")
    if x.dtype not in (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64):
        raise TypeError(f"For 'bincount', 'x' must hold ints, but got dtype {x.dtype}.")
    if not isinstance(minlength, (int, float)) and not (
        isinstance(minlength, Tensor) and minlength.size == 1
    ):
        raise TypeError(f"For 'bincount', 'minlength' must be an int, but got {minlength!r}.")
    minlength = max(math.ceil(float(minlength)), 0)
    weights = None if weights is None else as_tensor(weights, "bincount")
    if weights is not None and weights.shape != x.shape:
        raise ValueError(
            f"For 'bincount', 'weights' must have the shape {x.shape}, but got {weights.shape}."
        )
    if length is not None:
        inside = x < length
        weights = inside.astype(dtypes.float32) if weights is None else where(inside, weights, 0)
        x, minlength = build("ops", "clamp")(x, 0, length - 1), length
    return cast.run(histogram.bincount.run(x, weights, minlength), "float32")


def unravel_index(indices, shape, order="C"):
    """Places in a flattened array as places along each axis, clipped to the array; a tuple in the
    dtype of the places.

    Args:
        indices (Union[number, list, tuple, Tensor]): places; negative ones count from the end.
        shape (Union[int, tuple, list, Tensor]): the array's shape; of floats if a Tensor holds
            them, and then so are the places.
        order (str): "C" if the last axis runs fastest, "F" if the first.

    Raises:
        TypeError: if an argument has another type.
        ValueError: if `order` is neither "C" nor "F".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.unravel_index([1, 5], (2, 3))[0])
        [0 1]
    """
    if not isinstance(order, str) or order not in ("C", "F"):
        raise ValueError(f"For 'unravel_index', 'order' must be 'C' or 'F', but got {order!r}.")
    shape = shape.tolist() if isinstance(shape, numpy.ndarray) else shape
    if isinstance(shape, Tensor) and shape.ndim == 1 and shape._array.dtype.kind == "f":
        shape = tuple(shape.asnumpy().tolist())
    else:
        shape = int(shape) if isinstance(shape, bool) else shape
        shape = shape_tuple(shape, "unravel_index", negative=True)
    total = math.prod(shape)
    rest = as_tensor(indices, "unravel_index")
    refuse_complex("unravel_index", rest)
    narrow = rest._array.dtype.kind in "biu" and rest._array.dtype.itemsize < 4
    rest = cast.run(rest, "int32") if narrow else rest
    clamp = build("ops", "clamp")
    rest = clamp(clamp(where(rest < 0, rest + total, rest), max=total - 1), min=0)
    rest = cast.run(rest, "float32") if isinstance(total, float) else rest
    found = []
    for n in shape[:0:-1] if order == "C" else shape[:-1]:
        found.append(rest % n)
        rest = rest // n
    found += [rest] * bool(shape)
    return tuple(found[::-1] if order == "C" else found)


def ravel_multi_index(multi_index, dims, mode="clip", order="C"):
    """Places along each axis as places in the flattened array; float32.

    Args:
        multi_index (Union[list, tuple, Tensor]): the places along each axis, ints.
        dims (Union[tuple, list, Tensor]): the lengths.
        mode (str): "clip" or "wrap" places out of range; "raise" refuses them.
        order (str): "C" if the last axis runs fastest, "F" if the first.

    Raises:
        TypeError: if an argument has another type.
        ValueError: if `mode` or `order` is something else, or there are not as many axes.
        IndexError: if a place is out of range and `mode` is "raise".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.ravel_multi_index([[0, 1], [2, 0]], (2, 3)))
        [2. 3.]
    """
    _check_mode(mode, "ravel_multi_index")
    if not isinstance(order, str) or order not in ("C", "F"):
        raise ValueError(f"For 'ravel_multi_index', 'order' must be 'C' or 'F', but got {order!r}.")
    if not isinstance(multi_index, (list, tuple, Tensor)):
        raise TypeError(
            f"For 'ravel_multi_index', 'multi_index' must be a Tensor, list or tuple, "
            f"but got {multi_index!r}."
        )
    sizes = shape_tuple(dims, "ravel_multi_index")
    places = as_tensor(multi_index, "ravel_multi_index")
    refuse_complex("ravel_multi_index", places)
    if places.size and places._array.dtype.kind not in "biu" or not sizes:
        raise TypeError(
            f"For 'ravel_multi_index', 'multi_index' and 'dims' must hold ints, but "
            f"got dtype {places.dtype} and {dims}."
        )
    if not places.ndim or places.shape[0] != len(sizes):
        raise ValueError(
            f"For 'ravel_multi_index', there must be places along {len(sizes)} axes, "
            f"but got shape {places.shape}."
        )
    rows = [_in_range(places[i], n, mode, "ravel_multi_index") for i, n in enumerate(sizes)]
    if order == "F":
        rows, sizes = rows[::-1], sizes[::-1]
    found = rows[0] * 0
    for row, n in zip(rows, sizes):
        found = found * n + row
    return found.astype(dtypes.float32)
