"""Gather and scatter: takes, writes, adds or combines values at indices, which may repeat, or at a
mask.

On the host, a product with a sparse matrix of ones adds rows five to forty times as fast as NumPy's
`add.at`, which adds element by element, and is fast only with a single index array.
"""

import math

import numpy

from ..compiled import door
from ..thresholds import Least
from .indices import are_within, at_mask, copied, flat_along, from_zero, is_zeros

_WHOLE = slice(None)


def getitem(xp, x, index):
    """Returns x[index]."""
    if type(index) is numpy.ndarray and index.dtype.char == "?":
        rows, places = at_mask(x, index)
        return rows[index] if places is None else rows.take(places, 0)
    return x[index]


def take(xp, x, indices, axis=None):
    """Computes NumPy's `take`, by the array's method, which has less overhead than the function."""
    if type(x) is not numpy.ndarray:
        return xp.module.take(x, indices, axis)
    out = None
    if axis == 0 and x.ndim and type(indices) is numpy.ndarray:
        if indices.size >= Least.TAKE_INDICES and x.size:
            out = door.call("take", x, indices)
    elif x.size >= Least.TAKE_COLUMNS and axis is not None and type(indices) is numpy.ndarray:
        if axis in (-1, x.ndim - 1):
            out = door.call("take_columns", x, indices)
    return x.take(indices, axis) if out is None else out


def take_along_axis(xp, x, indices, axis):
    """Computes NumPy's `take_along_axis`."""
    if type(x) is type(indices) is numpy.ndarray and x.ndim == indices.ndim:
        if indices.size >= Least.ALONG_AXIS and -x.ndim <= axis < x.ndim:
            elements = door.call("take_along_axis", x, indices, axis % x.ndim)
            if elements is not None:
                return elements
        if x.flags.c_contiguous:
            flat = flat_along(x.shape, indices, axis)
            if flat is not None:
                return x.reshape(-1).take(flat)
    return xp.module.take_along_axis(x, indices, axis)


def segment_sum(xp, index, values, count):
    """Segment sum: row `r` of the result is the sum of the `values[i]` with `index[i] == r`, or 0
    if there are none. float16 and bfloat16 are added in float32.

    Args:
        index: ints of any shape, in [-count, count).
        values: its shape begins with that of `index`; the rest is the shape of a row.
        count (int): the number of rows.
    """
    row = values.shape[index.ndim :]
    flat = xp.reshape(index, (-1,)).astype("int64", copy=False)  # int8 may not hold `count`
    rows = xp.reshape(values, (index.size, math.prod(row)))
    if _is_half(values.dtype):
        rows = rows.astype("float32")
    out = _sum_of_rows(flat, rows, count) if type(rows) is numpy.ndarray else None
    if out is None:
        out = _add_into(xp, xp.zeros((count, rows.shape[1]), rows.dtype), flat, rows)
    return xp.reshape(out.astype(values.dtype, copy=False), (count, *row))


def _sum_of_rows(index, rows, count):
    """Computes `segment_sum` for a matrix on the host, by a loop or a product; None where NumPy's
    `add.at` is faster."""
    if rows.dtype.char == "f" and rows.size >= Least.SUM_SLICES:
        if count * rows.shape[1] < Least.TAKE_ROWS:
            out = numpy.zeros((count, rows.shape[1]), rows.dtype)
            if _add_slices(out, index, rows):
                return out
    if rows.dtype.char not in "fd" or rows.size < Least.ADD_AT:
        return None
    index = from_zero(index, index.min(), count)
    out = door.call("segment_sum", index, rows, count)
    return _sparse_product(index, rows, count) if out is None else out


def _is_half(dtype):
    """Returns True for float16 and bfloat16."""
    return dtype.char == "e" or dtype.kind == "V"


def occurrences(xp, index, count):
    """Returns how often each number in [0, count) occurs in `index`, which has no others. CuPy's
    `bincount` would wait for the GPU twice, to find the largest number."""
    if type(index) is numpy.ndarray:
        return numpy.bincount(index.reshape(-1), minlength=count)
    return _add_into(xp, xp.zeros(count, "int64"), index, numpy.int64(1))


def scatter_add(xp, x, index, values):
    """Returns a copy of `x` with `values` added at `index`; repeated indices add up."""
    basic = is_basic(index)
    if basic and is_zeros(x):
        out = numpy.zeros(x.shape, x.dtype)
        out[index] = values
        return out
    out = copied(x) if type(x) is numpy.ndarray else xp.array(x, order="C")
    if basic:
        out[index] += values
    elif type(out) is type(index) is numpy.ndarray and index.dtype.char == "?":  # no repeats
        rows, places = at_mask(out, index)
        rows[index if places is None else places] += values
    elif not (
        type(out) is numpy.ndarray
        and (_add_slices(out, index, values) or _add_at_indices(out, index, values))
    ):
        out = _add_into(xp, out, index, values)
    return out


def add_slices(xp, slices, indices, shape):
    """Returns zeros of `shape`, with each of `slices` added at its index of integers and slices;
    the index `...` stands for the whole array."""
    out = xp.zeros(shape, slices[0].dtype)
    out[indices[0]] = slices[0]
    for index, values in zip(indices[1:], slices[1:], strict=True):
        out[index] += values
    return out


_ADDED_BY_GPU = (
    "iIlLqQfd"  # the dtypes that CuPy's add.at supports, without float16, which it rounds
)


def _add_into(xp, out, index, values):
    """Returns `out` with `values` added at `index`, in place if the library adds its dtype.
    bfloat16, and float16 on a GPU, are rounded once, at the end; integers wrap around as in their
    own arithmetic."""
    if type(out) is numpy.ndarray and out.dtype.kind != "V" or out.dtype.char in _ADDED_BY_GPU:
        _at(xp.add, out, index, values)
    elif out.dtype.kind == "c":
        _at(xp.add, out.real, index, values.real)
        _at(xp.add, out.imag, index, values.imag)
    else:
        sums = out.astype("int32" if out.dtype.kind in "biu" else "float32")
        _at(xp.add, sums, index, values.astype(sums.dtype))
        out = sums.astype(out.dtype)
    return out


def _at(ufunc, out, index, values):
    """Calls `ufunc.at`, with axes added to `values`: if they had fewer axes than the indices, NumPy
    2.4 would read past the end."""
    missing = _rank(out, index) - values.ndim if values.ndim else 0
    ufunc.at(out, index, values.reshape((1,) * missing + values.shape))


def _rank(x, index):
    """Returns the number of axes of x[index], without indexing, which would take as long as
    adding."""
    whole, indices = x.ndim, 0
    for part in index if isinstance(index, tuple) else (index,):
        if type(part) is numpy.ndarray and part.dtype.kind != "b":
            whole, indices = whole - 1, max(indices, part.ndim)
        elif part is None:
            whole += 1
        elif isinstance(part, bool) or getattr(part, "dtype", None) == "bool":
            whole, indices = whole - numpy.ndim(part), max(indices, 1)
        elif part is not Ellipsis and not isinstance(part, slice):
            whole, indices = whole - 1, max(indices, numpy.ndim(part))
    return whole + indices


def _add_slices(out, index, values):
    """Adds `values` into the contiguous `out`, if `index` consists of full slices followed by one
    index array from 0 of one axis, and `values` has its slices. Returns whether it did."""
    index = index if isinstance(index, tuple) else (index,)
    axis, at = len(index) - 1, index[-1]
    if not type(at) is type(values) is numpy.ndarray or at.dtype.kind not in "iu" or at.ndim != 1:
        return False
    if any([type(part) is not slice or part != _WHOLE for part in index[:axis]]):
        return False
    shape = out.shape
    if values.shape != shape[:axis] + at.shape + shape[axis + 1 :] or not values.size:
        return False
    if not are_within(at, shape[axis]):
        return False
    stack, inner = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
    blocks, slices = out.reshape(stack, shape[axis], inner), values.reshape(stack, at.size, inner)
    at = at.astype(numpy.int64, copy=False)
    return door.call("add_slices", blocks, at, slices) is not None


def _add_at_indices(out, index, values):
    """Adds `values` into the contiguous `out`, if `index` consists of full slices followed by index
    arrays within bounds. Returns whether it did."""
    index = index if isinstance(index, tuple) else (index,)
    largest = max([getattr(part, "size", 1) for part in (values, *index)])
    if largest < Least.ADD_AT or out.dtype.kind == "V":
        return False
    skipped = sum(1 for part in index if isinstance(part, slice) and part == slice(None))
    indices = index[skipped:]
    lengths = out.shape[skipped : len(index)]
    if not indices or any(
        type(part) is not numpy.ndarray
        or part.dtype.kind not in "iu"
        or not part.size
        or part.min() < -n
        or part.max() >= n
        for part, n in zip(indices, lengths)
    ):
        return False
    indices = numpy.broadcast_arrays(*(part.astype(numpy.int64, copy=False) for part in indices))
    flat = numpy.ravel_multi_index([p % n for p, n in zip(indices, lengths)], lengths).reshape(-1)
    if len(index) == out.ndim and not skipped:
        numpy.add.at(
            out.reshape(-1), flat, numpy.broadcast_to(values, indices[0].shape).reshape(-1)
        )
        return True
    whole = out.shape[:skipped] + indices[0].shape + out.shape[len(index) :]
    if out.dtype.char not in "fd" or numpy.size(values) < Least.ADD_AT:
        return False
    front, inner = math.prod(out.shape[:skipped]), math.prod(out.shape[len(index) :])
    # A view by `broadcast_to` is read-only, so that a loop would copy it.
    slices = values if values.shape == whole else numpy.broadcast_to(values, whole)
    slices = slices.reshape(front, flat.size, inner)
    blocks = out.reshape(front, math.prod(lengths), inner)
    if door.call("add_slices", blocks, flat, slices) is not None:
        return True
    axes = range(skipped, skipped + indices[0].ndim)
    rows = numpy.moveaxis(numpy.broadcast_to(values, whole), axes, range(indices[0].ndim))
    unique, inverse = numpy.unique(flat, return_inverse=True)
    sums = _sparse_product(inverse, rows.reshape(flat.size, -1).astype(out.dtype), unique.size)
    front = numpy.moveaxis(out, range(skipped, len(index)), range(len(indices)))
    front[numpy.unravel_index(unique, lengths)] += sums.reshape(-1, *front.shape[len(indices) :])
    return True


def _sparse_product(index, rows, count):
    from scipy import sparse  # here, because its import is slow

    ones = numpy.ones(index.size, rows.dtype)
    selection = sparse.csr_matrix((ones, index, numpy.arange(index.size + 1)), (index.size, count))
    return numpy.asarray(selection.T @ rows)


def scatter_set(xp, x, index, values):
    """Returns a copy of `x` with `values` written at `index`."""
    out = xp.array(x)
    write(out, index, values)
    return out


def write(x, index, values):
    """Writes `values` at `index`, in place."""
    if type(index) is numpy.ndarray and index.dtype.char == "?":
        rows, places = at_mask(x, index)
        rows[index if places is None else places] = values
    else:
        x[index] = values


_REDUCERS = {"mul": "multiply", "div": "divide", "max": "maximum", "min": "minimum"}
_ON_DEVICE = ("max", "min")  # the functions whose `ufunc.at` CuPy has


def scatter_reduce(xp, x, index, values, how):
    """Returns a copy of `x` in which the elements at `index` are combined with `values` by "mul",
    "div", "max" or "min"; for a repeated index, one value after the other."""
    if xp.module.__name__ != "numpy" and how not in _ON_DEVICE:
        host = [a.get() if hasattr(a, "get") else a for a in (x, values, *index)]
        getattr(numpy, _REDUCERS[how]).at(host[0], tuple(host[2:]), host[1])
        return xp.asarray(host[0])
    if xp.module.__name__ != "numpy" and x.itemsize < 4:
        upcast = "int32" if x.dtype.kind in "iu" else "float32"
        wide = xp.scatter_reduce(x.astype(upcast), index, values.astype(upcast), how)
        return wide.astype(x.dtype)
    if type(x) is not numpy.ndarray and x.dtype.kind == "f":
        keys = xp.scatter_reduce(_keys(xp, x, how), index, _keys(xp, values, how), how)
        return _flip_negatives(xp, keys).view(x.dtype)
    out = xp.array(x)
    reducer = getattr(xp, _REDUCERS[how])
    if type(out) is not numpy.ndarray or not _reduce_rows(reducer, out, index, values):
        _at(reducer, out, index, values)
    return out


def _reduce_rows(ufunc, out, index, values):
    """Combines float `values` with the rows of `out` at one index array, in place and in the order
    of `ufunc.at`: first with the first value of each row, then with the second, and so on. Returns
    False where `ufunc.at` is faster, or the arguments do not fit."""
    at = index[0] if len(index) == 1 else None
    if type(at) is not numpy.ndarray or at.dtype.kind not in "iu" or not at.size:
        return False
    row = out.shape[1:]
    if math.prod(row) < Least.REDUCED_ROW or values.shape != at.shape + row:
        return False
    if out.dtype.kind != "f" or values.dtype != out.dtype or not are_within(at, out.shape[0]):
        return False
    at, values = at.reshape(-1), values.reshape(at.size, *row)
    rows, counts = numpy.unique(at, return_counts=True)
    if counts.max() * Least.REDUCED_TURN > values.size:
        return False
    order, starts = at.argsort(kind="stable"), counts.cumsum() - counts
    for turn in range(counts.max()):
        more = counts > turn
        places, sources = rows[more], order[starts[more] + turn]
        out[places] = ufunc(out[places], values[sources])
    return True


def _keys(xp, x, how):
    """Returns integer keys with the order of the floats `x`, with NaN last for "max" and first for
    "min", because NumPy propagates NaN. CuPy's ufunc.at compares in float32 for every dtype, and
    ignores NaN."""
    bits = _flip_negatives(xp, xp.ascontiguousarray(x).view(f"int{8 * x.itemsize}"))
    ends = numpy.iinfo(bits.dtype)
    return xp.where(xp.isnan(x), bits.dtype.type(ends.max if how == "max" else ends.min), bits)


def _flip_negatives(xp, bits):
    """Converts the bits of floats, as integers, to integers with the order of the floats, and back.
    Negative floats need it: read as integers, their bits are in descending order."""
    return xp.where(bits < 0, bits ^ numpy.iinfo(bits.dtype).max, bits)


def scatter_along_axis(xp, x, index, values, axis, add=False):
    """Returns a copy of `x` with `values` written (or added) at the elements that
    `take_along_axis` reads for the same `index`."""
    axis = axis % x.ndim
    if type(x) is type(index) is numpy.ndarray and x.ndim == index.ndim:
        out = None
        if type(values) is numpy.ndarray:
            if add:
                out = door.call("add_along_axis", x, index, values, axis)
            else:
                out = door.call("set_along_axis", x, index, values, axis)
        one = type(values) in (int, float) and not add
        if out is None and (one or getattr(values, "shape", None) == index.shape):
            out = _scatter_flat(x, index, values, axis, add)
        if out is not None:
            return out
    indices = list(xp.ogrid[tuple(slice(n) for n in index.shape)])
    indices = [xp.asarray(index_array) for index_array in indices]
    indices[axis] = index
    return (xp.scatter_add if add else xp.scatter_set)(x, tuple(indices), values)


def _scatter_flat(x, index, values, axis, add):
    """Returns the result of `scatter_along_axis` by positions in flat memory, or None."""
    flat = flat_along(x.shape, index, axis)
    if flat is None:
        return None
    out = copied(x)
    if add:
        numpy.add.at(out.reshape(-1), flat.reshape(-1), values.reshape(-1))
    else:
        out.reshape(-1)[flat] = values
    return out


def is_basic(index):
    """Returns True if an index holds only integers, slices, None and Ellipsis, so that no index
    repeats."""
    if not isinstance(index, tuple):
        index = (index,)
    for part in index:
        if not (part is None or part is Ellipsis or isinstance(part, (int, slice))):
            return False
    return True
