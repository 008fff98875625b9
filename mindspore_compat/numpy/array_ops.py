"""mindspore.numpy: shapes, joining and splitting, selection, sets, searching."""

import math

from .._core import dtype as dtypes
from .._core.surface import build
from .._core.tensor import Tensor
from ..ops import _arrange, _index, _reduce, _shape, _statistics
from ._convert import as_tensor, axis_of, need_tensor, shape_tuple

__all__ = [
    "append", "apply_along_axis", "apply_over_axes", "argmax", "argmin", "argwhere", "array_split",
    "array_str",
    "atleast_1d", "atleast_2d", "atleast_3d", "bincount", "broadcast_arrays", "broadcast_to",
    "choose", "column_stack",
    "concatenate", "digitize", "dsplit", "dstack", "expand_dims", "flip", "fliplr", "flipud",
    "hsplit", "hstack", "in1d",
    "intersect1d", "isin", "moveaxis", "piecewise", "ravel", "ravel_multi_index", "repeat",
    "reshape", "roll", "rollaxis",
    "rot90", "searchsorted", "select", "setdiff1d", "size", "split", "squeeze", "stack", "swapaxes",
    "take",
    "take_along_axis", "tile", "transpose", "unique", "unravel_index", "vsplit", "vstack", "where",
]


# Shapes -------------------------------------------------------------------------------------------


def reshape(x, new_shape):
    """The same elements in another shape. A TypeError or ValueError if they do not fit."""
    return as_tensor(x, "reshape").reshape(new_shape)


def ravel(x):
    """All elements along one axis."""
    return as_tensor(x, "ravel").reshape(-1)


def transpose(a, axes=None):
    """The axes in another order, reversed by default."""
    a = as_tensor(a, "transpose")
    return a.transpose() if axes is None else a.transpose(tuple(axes) if isinstance(axes,
                                                                                    list) else axes)


def swapaxes(x, axis1, axis2):
    """Two axes change places."""
    x = as_tensor(x, "swapaxes")
    return _shape.swapaxes.run(x, axis_of(axis1, x.ndim, "swapaxes"),
                               axis_of(axis2, x.ndim, "swapaxes"))


def moveaxis(a, source, destination):
    """Axes move from `source` to `destination`."""
    return _shape.moveaxis.run(as_tensor(a, "moveaxis"), source, destination)


def rollaxis(x, axis, start=0):
    """An axis moves back until it stands before `start`."""
    x = as_tensor(x, "rollaxis")
    axis = axis_of(axis, x.ndim, "rollaxis")
    start = start + x.ndim if start < 0 else start
    if not 0 <= start <= x.ndim:
        raise ValueError(f"For 'rollaxis', 'start' must be in [{-x.ndim}, {x.ndim}], but got "
                         f"{start}.")
    return _shape.moveaxis.run(x, axis, start - 1 if axis < start else start)


def expand_dims(a, axis):
    """New axes of length 1."""
    a = as_tensor(a, "expand_dims")
    for one in sorted((axis if isinstance(axis, (tuple, list)) else (axis,)),
                      key=lambda v: v % (a.ndim + 1)):
        a = _shape.expand_dims.run(a, axis_of(one, a.ndim + 1, "expand_dims"))
    return a


def squeeze(a, axis=None):
    """Without axes of length 1: all of them, or those named."""
    return _shape.squeeze.run(as_tensor(a, "squeeze"), axis)


def broadcast_to(array, shape):
    """The array repeated to a shape."""
    return _shape.broadcast_to.run(as_tensor(array, "broadcast_to"),
                                   shape_tuple(shape, "broadcast_to"))


def broadcast_arrays(*args):
    """The arrays repeated to their common shape, as a list."""
    arrays = [as_tensor(a, "broadcast_arrays") for a in args]
    total = arrays[0] * 0
    for one in arrays[1:]:
        total = total + one * 0
    return [_shape.broadcast_to.run(a, total.shape) for a in arrays]


def _atleast(count, arrays):
    found = tuple(build("ops", f"atleast_{count}d")(as_tensor(a,
                                                              f"atleast_{count}d")) for a in arrays)
    return found[0] if len(found) == 1 else list(found)


def atleast_1d(*arys):
    """Arrays with at least one axis, as a list if there are several."""
    return _atleast(1, arys)


def atleast_2d(*arys):
    """Arrays with at least two axes, as a list if there are several."""
    return _atleast(2, arys)


def atleast_3d(*arys):
    """Arrays with at least three axes, as a list if there are several."""
    return _atleast(3, arys)


def size(a, axis=None):
    """The number of elements, or the length of an axis."""
    a = as_tensor(a, "size")
    return a.size if axis is None else a.shape[axis_of(axis, a.ndim, "size")]


# Joining and splitting ----------------------------------------------------------------------------


def _arrays(arrays, api):
    if isinstance(arrays, Tensor):
        return [arrays[i] for i in range(arrays.shape[0])]
    if not isinstance(arrays, (tuple, list)):
        raise TypeError(f"For '{api}', the arrays must be a tuple, list or Tensor, but got "
                        f"{type(arrays).__name__}.")
    if not arrays:
        raise ValueError(f"For '{api}', there must be at least one array.")
    return [as_tensor(a, api) for a in arrays]


def concatenate(arrays, axis=0):
    """Arrays joined along an axis; with axis None, all their elements."""
    arrays = _arrays(arrays, "concatenate")
    if axis is None:
        arrays, axis = [a.reshape(-1) for a in arrays], 0
    return _shape.cat.run(arrays, axis_of(axis, arrays[0].ndim, "concatenate"))


def append(arr, values, axis=None):
    """Values joined to the end along an axis; with axis None, all elements in order."""
    return concatenate([as_tensor(arr, "append"), as_tensor(values, "append")], axis)


def stack(arrays, axis=0):
    """Arrays joined along a new axis."""
    return _shape.stack.run(_arrays(arrays, "stack"), axis)


def vstack(tup):
    """Arrays joined along the first axis, vectors as rows."""
    return _arrange.vstack(_arrays(tup, "vstack"))


def hstack(tup):
    """Arrays joined along the second axis, vectors along their only one."""
    return _arrange.hstack(_arrays(tup, "hstack"))


def dstack(tup):
    """Arrays joined along the third axis."""
    return _arrange.dstack(_arrays(tup, "dstack"))


def column_stack(tup):
    """Arrays joined along the second axis, vectors as columns."""
    return _arrange.column_stack(_arrays(tup, "column_stack"))


def split(x, indices_or_sections, axis=0):
    """Equal parts along an axis, or the parts between indices. A ValueError if it can not be cut
    so."""
    x = need_tensor(x, "split")
    axis = axis_of(axis, x.ndim, "split")
    if isinstance(indices_or_sections,
                  int) and (indices_or_sections < 1 or x.shape[axis] % indices_or_sections):
        raise ValueError(f"For 'split', 'indices_or_sections' must divide the length "
                         f"{x.shape[axis]}, but got "
                         f"{indices_or_sections}.")
    return _arrange.tensor_split(x, indices_or_sections, axis)


def array_split(x, indices_or_sections, axis=0):
    """Parts as equal as can be along an axis, or the parts between indices."""
    x = need_tensor(x, "array_split")
    return _arrange.tensor_split(x, indices_or_sections, axis_of(axis, x.ndim, "array_split"))


def hsplit(x, indices_or_sections):
    """The parts along the second axis (of a vector, along its only one)."""
    return split(x, indices_or_sections, 1 if x.ndim > 1 else 0)


def vsplit(x, indices_or_sections):
    """The parts along the first axis."""
    return split(x, indices_or_sections, 0)


def dsplit(x, indices_or_sections):
    """The parts along the third axis."""
    return split(x, indices_or_sections, 2)


def tile(a, reps):
    """The array repeated along each axis."""
    return as_tensor(a, "tile").tile(*((reps,) if isinstance(reps, int) else tuple(reps)))


def repeat(a, repeats, axis=None):
    """Every element along an axis repeated."""
    a = as_tensor(a, "repeat")
    a, axis = (a.reshape(-1), 0) if axis is None else (a, axis_of(axis, a.ndim, "repeat"))
    if isinstance(repeats, (tuple, list)) and len(repeats) == 1:
        repeats = repeats[0]
    return _shape.repeat_interleave(a, repeats, axis)


# Order --------------------------------------------------------------------------------------------


def flip(m, axis=None):
    """The elements in reverse order along the axes given, all by default."""
    m = as_tensor(m, "flip")
    return _shape.flip.run(m, tuple(range(m.ndim)) if axis is None else axis)


def flipud(m):
    """The first axis in reverse order."""
    return flip(m, 0)


def fliplr(m):
    """The second axis in reverse order."""
    return flip(m, 1)


def roll(a, shift, axis=None):
    """The elements moved along axes; those pushed over the end come back at the start."""
    return _shape.roll.run(as_tensor(a, "roll"), shift, axis)


def rot90(a, k=1, axes=(0, 1)):
    """Turned k times by 90 degrees in a plane."""
    return _arrange.rot90.run(as_tensor(a, "rot90"), k, tuple(axes))


# Choosing -----------------------------------------------------------------------------------------


def where(condition, x=None, y=None):
    """x where the condition is true, y elsewhere.

    Raises:
        TypeError: if `x` or `y` is not array-like.
    """
    return build("ops", "where")(as_tensor(condition, "where"), as_tensor(x, "where"),
                                 as_tensor(y, "where"))


def select(condlist, choicelist, default=0):
    """Of several choices, at each place the first whose condition is true; else the default.

    Raises:
        ValueError: if there are not as many choices as conditions.
    """
    if len(condlist) != len(choicelist):
        raise ValueError(f"For 'select', there must be as many choices as conditions, but got "
                         f"{len(choicelist)} and "
                         f"{len(condlist)}.")
    found = as_tensor(default, "select")
    for condition, choice in list(zip(condlist, choicelist))[::-1]:
        found = where(condition, choice, found)
    return found


def piecewise(x, condlist, funclist, *args, **kw):
    """At each place the function (or number) whose condition is the last true one; one more is for
    the rest.

    Raises:
        ValueError: if the numbers of conditions and functions do not fit.
    """
    x = as_tensor(x, "piecewise")
    conditions = [condlist] if not isinstance(condlist, (list, tuple)) else list(condlist)
    if len(funclist) not in (len(conditions), len(conditions) + 1):
        raise ValueError(f"For 'piecewise', there must be {len(conditions)} or "
                         f"{len(conditions) + 1} functions, but got "
                         f"{len(funclist)}.")

    def value(function):
        return function(x, *args, **kw) if callable(function) else as_tensor(function, "piecewise")

    found = value(funclist[-1]) if len(funclist) > len(conditions) else x * 0
    for condition, function in zip(conditions, funclist):
        found = where(condition, value(function), found)
    return found.astype(x.dtype)


def choose(a, choices, mode="clip"):
    """At each place the element of the choice whose number stands there; numbers out of range are
    clipped or wrap.

    Raises:
        ValueError: if `mode` is neither "clip" nor "wrap", or the shapes do not fit.
    """
    a = as_tensor(a, "choose")
    whole = [as_tensor(c, "choose") for c in (choices if isinstance(choices,
            (tuple, list)) else list(choices))]
    places = _in_range(a, len(whole), mode, "choose")
    table = _shape.stack.run(broadcast_arrays(*whole, places)[:-1], 0)
    places = _shape.broadcast_to.run(places, table.shape[1:])
    return _index.gather_elements.run(table, 0, _shape.expand_dims.run(places, 0))[0]


def _in_range(places, length, mode, api):
    if mode == "wrap":
        return places % length
    if mode == "clip":
        return build("ops", "clamp")(places, 0, length - 1)
    if mode == "raise":
        return places
    raise ValueError(f"For '{api}', 'mode' must be 'clip', 'wrap' or 'raise', but got {mode!r}.")


def take(a, indices, axis=None, mode="clip"):
    """The elements at places along an axis; places out of range are clipped or wrap."""
    a, indices = as_tensor(a, "take"), as_tensor(indices, "take")
    a, axis = (a.reshape(-1), 0) if axis is None else (a, axis_of(axis, a.ndim, "take"))
    return _index.gather.run(a, _in_range(indices, a.shape[axis], mode, "take"), axis)


def take_along_axis(arr, indices, axis):
    """Element by element along an axis, at places that broadcast with the array."""
    arr, indices = as_tensor(arr, "take_along_axis"), as_tensor(indices, "take_along_axis")
    arr, axis = (arr.reshape(-1), 0) if axis is None else (arr,
            axis_of(axis, arr.ndim, "take_along_axis"))
    shape = tuple(indices.shape[i] if i == axis else n for i, n in enumerate(arr.shape))
    return _index.gather_elements.run(arr, axis, _shape.broadcast_to.run(indices, shape))


def argwhere(a):
    """The positions of the elements that are not 0, one row for each."""
    return _index.argwhere.run(as_tensor(a, "argwhere"))


def argmax(a, axis=None):
    """The position of the largest element along an axis, or in order."""
    a = as_tensor(a, "argmax")
    return _reduce.argmax.run(a) if axis is None else _reduce.argmax.run(a,
            axis_of(axis, a.ndim, "argmax"))


def argmin(a, axis=None):
    """The position of the smallest element along an axis, or in order; int32."""
    a = as_tensor(a, "argmin")
    found = _reduce.argmin.run(a) if axis is None else _reduce.argmin.run(a,
            axis_of(axis, a.ndim, "argmin"))
    return found.astype(dtypes.int32)


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """A function of vectors, applied to every vector along an axis."""
    arr = as_tensor(arr, "apply_along_axis")
    axis = axis_of(axis, arr.ndim, "apply_along_axis")
    rows = _shape.moveaxis.run(arr, axis, -1)
    lead = rows.shape[:-1]
    flat = rows.reshape(-1, rows.shape[-1])
    outs = [as_tensor(func1d(flat[i], *args, **kwargs)) for i in range(flat.shape[0])]
    found = _shape.stack.run(outs, 0).reshape(lead + outs[0].shape)
    inner = outs[0].ndim
    return found if inner == 0 else _shape.moveaxis.run(found,
                                                        tuple(range(len(lead), len(lead) + inner)),
                                                        tuple(range(axis, axis + inner)))


def apply_over_axes(func, a, axes):
    """A function of (array, axis), applied along several axes; reduced axes come back with length
    1."""
    a = as_tensor(a, "apply_over_axes")
    for axis in (axes,) if isinstance(axes, int) else axes:
        found = func(a, axis_of(axis, a.ndim, "apply_over_axes"))
        a = found if found.ndim == a.ndim else _shape.expand_dims.run(found,
                axis_of(axis, a.ndim, "apply_over_axes"))
    return a


# Sets and searching -------------------------------------------------------------------------------


def unique(x, return_inverse=False):
    """Each value once, in ascending order; with the position of every element among them if
    asked."""
    x = as_tensor(x, "unique")
    found = _statistics.mint_unique(x.reshape(-1), return_inverse=return_inverse)
    return (found[0], found[1].astype(dtypes.int32)) if return_inverse else found


def isin(element, test_elements, invert=False):
    """True where the element is among others (or where it is not, with `invert`)."""
    element, others = as_tensor(element, "isin"), as_tensor(test_elements, "isin").reshape(-1)
    found = (_shape.expand_dims.run(element,
                                    -1) == others).any(-1) if others.size else element != element
    return build("ops", "logical_not")(found) if invert else found


def in1d(ar1, ar2, invert=False):
    """`isin` on all elements in order."""
    return isin(as_tensor(ar1, "in1d").reshape(-1), ar2, invert)


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The values in both, in ascending order; with their first positions in each if asked."""
    one, two = as_tensor(ar1, "intersect1d").reshape(-1), as_tensor(ar2, "intersect1d").reshape(-1)
    values = one if assume_unique else unique(one)
    values = build("ops", "sort")(build("ops", "masked_select")(values, isin(values, two)))[0]
    if not return_indices:
        return values
    places = [_reduce.argmax.run((_shape.expand_dims.run(values, 1) == other).astype(dtypes.int32),
                                 1) for other in (one, two)]
    return values, *[p.astype(dtypes.int32) for p in places]


def setdiff1d(ar1, ar2, assume_unique=False):
    """The values of one that are not in the other."""
    one = as_tensor(ar1, "setdiff1d").reshape(-1)
    values = one if assume_unique else unique(one)
    return build("ops", "masked_select")(values, isin(values, ar2, invert=True))


def searchsorted(a, v, side="left", sorter=None):
    """Where values would stand in an ordered vector; int32."""
    a, v = as_tensor(a, "searchsorted"), as_tensor(v, "searchsorted")
    sorter = None if sorter is None else as_tensor(sorter, "searchsorted")
    return build("ops", "searchsorted")(a, v, side=side, sorter=sorter).astype(dtypes.int32)


def digitize(x, bins, right=False):
    """The bin of each value: how many edges lie below it (or up to it); edges may descend.
    int32."""
    x, bins = as_tensor(x, "digitize"), as_tensor(bins, "digitize")
    if bins.ndim != 1:
        raise ValueError(f"For 'digitize', 'bins' must have one axis, but got shape {bins.shape}.")
    falling = bins.size > 1 and bool(bins[0] > bins[-1])
    if falling:
        return bins.shape[0] - searchsorted(flip(bins), x, "left" if right else "right")
    return searchsorted(bins, x, "left" if right else "right")


def bincount(x, weights=None, minlength=0, length=None):
    """How often each number appears (or the sum of its weights), float32; `length` fixes how many
    are counted."""
    x = as_tensor(x, "bincount").reshape(-1)
    weights = None if weights is None else as_tensor(weights, "bincount").reshape(-1)
    if length is not None:
        inside = x < length
        weights = inside.astype(dtypes.float32) if weights is None else where(inside, weights, 0)
        x, minlength = build("ops", "clamp")(x, 0, length - 1), length
    return _statistics.bincount.run(x, weights, minlength)


def unravel_index(indices, shape, order="C"):
    """Places in a flattened array as places along each axis, clipped to the array; a tuple of
    int32.

    Raises:
        ValueError: if `order` is neither "C" nor "F".
    """
    if order not in ("C", "F"):
        raise ValueError(f"For 'unravel_index', 'order' must be 'C' or 'F', but got {order!r}.")
    shape = shape_tuple(shape, "unravel_index")
    total = math.prod(shape)
    rest = as_tensor(indices, "unravel_index").astype(dtypes.int32)
    rest = build("ops", "clamp")(where(rest < 0, rest + total, rest), 0, total - 1)
    found = []
    for n in shape[::-1] if order == "C" else shape:
        found.append(rest % n)
        rest = rest // n
    return tuple(found[::-1] if order == "C" else found)


def ravel_multi_index(multi_index, dims, mode="clip", order="C"):
    """Places along each axis as places in the flattened array; float32.

    Raises:
        ValueError: if `mode` or `order` is none of those known.
    """
    if mode not in ("clip", "wrap", "raise") or order not in ("C", "F"):
        raise ValueError(f"For 'ravel_multi_index', 'mode' and 'order' must be known, but got "
                         f"{mode!r} and {order!r}.")
    rows = _arrays(multi_index, "ravel_multi_index")
    rows = [_in_range(r, n, mode, "ravel_multi_index") for r, n in zip(rows, dims)]
    sizes = list(dims)
    if order == "F":
        rows, sizes = rows[::-1], sizes[::-1]
    found = rows[0] * 0
    for row, n in zip(rows, sizes):
        found = found * n + row
    return found.astype(dtypes.float32)


def array_str(a):
    """The text of an array's values, as `print` shows them."""
    return str(need_tensor(a, "array_str"))

