"""Order statistics: top k, the element of a rank, argmax, cumulative extremes, distinct values.

On the host, NumPy's partition finds the element of a rank several times as fast as a sort, and
comparisons then find the indices. On other arrays, and with NaNs, a stable sort is used.
"""

import functools
import math

import numpy

from ..compiled import door
from ..threads import scheduler
from ..thresholds import Least, Most
from .indices import positions_along

_PIECE = 1 << 16  # elements of a piece, about
_FEW = 1 << 10  # rows whose positions are kept

_UNSORTED = "bfloat16"  # NumPy does not sort its NaNs to the end


def top_k(xp, x, k, axis=-1, largest=True):
    """Returns the `k` largest (or smallest) values along `axis` in order, and their indices.

    Equal values keep the order of their indices, as in a stable sort.
    """
    if x.dtype.kind == "V" and x.dtype.name == _UNSORTED:
        values, order = xp.top_k(xp.cast(x, "float32"), k, axis, largest)
        return xp.cast(values, x.dtype), order
    if type(x) is numpy.ndarray and axis in (-1, x.ndim - 1) and x.ndim:
        results = door.call("top_k", x, k, largest)
        if results is not None:
            return results
    if 0 < k <= x.shape[axis] // Most.TOP_K_SHARE and _comparable(x):
        return _top_k_of_rows(xp, x, k, axis, largest)
    key = x
    if largest:
        key = xp.flip(x, axis)
    order = xp.argsort(key, axis=axis, kind="stable")
    if largest:
        order = x.shape[axis] - 1 - xp.flip(order, axis)
    order = xp.take(order, xp.arange(k), axis=axis)
    return xp.take_along_axis(x, order, axis), order


def _comparable(x):
    """Returns True for an array on the host without NaN."""
    if type(x) is not numpy.ndarray:
        return False
    if x.dtype.kind in "biu" or not x.size:
        return True
    largest = numpy.maximum.reduce(x, None)  # NaN if there is one
    return largest == largest


def _top_k_of_rows(xp, x, k, axis, largest):
    """Returns `top_k` by a sort of each short row, or a partition of each long one."""
    rows = x if axis in (-1, x.ndim - 1) else numpy.moveaxis(x, axis, -1)
    shape, length = rows.shape, rows.shape[-1]
    rows = rows.reshape(-1, length)
    if x.dtype.kind == "f" and length <= Most.TOP_K_SORT and rows.size <= _PIECE:
        results = _top_k_by_sort(rows, k, largest)
    else:
        results = _top_k_by_partition(xp, rows, k, largest)
    results = [result.reshape(*shape[:-1], k) for result in results]
    last = axis in (-1, x.ndim - 1)
    return tuple(results if last else [numpy.moveaxis(result, -1, axis) for result in results])


def _top_k_by_sort(rows, k, largest):
    """Returns the `k` largest (or smallest) values of each row in order, and their indices."""
    order = (-rows if largest else rows).argsort(1, kind="stable")[:, :k]
    return _of_rows(rows, order), order.copy()


def _top_k_by_partition(xp, rows, k, largest):
    """Returns the result of `_top_k_by_sort`; only the values that a partition finds are sorted."""
    indices = (_top_indices if rows.size <= _PIECE else _top_indices_by_threads)(rows, k, largest)
    values = _of_rows(rows, indices)
    if values.dtype.kind == "f":
        order = (-values if largest else values).argsort(1, kind="stable")
    else:
        order = top_k(xp, values, k, 1, largest)[1]
    return _of_rows(values, order), _of_rows(indices, order)


def _of_rows(rows, indices):
    """Returns the elements of each row at indices from 0."""
    count, length = rows.shape
    starts = (
        _starts(count, length) if count <= _FEW else numpy.arange(0, rows.size, length)[:, None]
    )
    return rows.reshape(-1).take(indices + starts)


@functools.lru_cache(maxsize=64)
def _starts(count, length):
    """Returns the positions of the first elements of rows, as a column."""
    starts = numpy.arange(0, count * length, length)[:, None]
    starts.flags.writeable = False
    return starts


def _top_indices_by_threads(rows, k, largest):
    """Returns the result of `_top_indices`; threads share the rows."""
    indices = numpy.empty((len(rows), k), numpy.int64)
    parts = scheduler.blocks(len(rows), max(_PIECE // rows.shape[1], 1))

    def work(number):
        indices[parts[number]] = _top_indices(rows[parts[number]], k, largest)

    scheduler.run(work, len(parts))
    return indices


def _top_indices(rows, k, largest):
    """Returns the indices of the k largest (or smallest) elements of each row, in ascending order.
    If only some of several equal elements belong to them, these are the first ones."""
    if rows.shape[1] >= Least.TOP_K_COLUMNS * k:
        indices = _top_indices_by_columns(rows, k, largest)
        if indices is not None:
            return indices
    return _top_indices_of_all(rows, k, largest)


def _top_indices_by_columns(rows, k, largest):
    """Returns `_top_indices` of long rows; None if equal elements compete.

    Each row is cut into parts of one length, which are laid below each other. The k largest
    elements of the row are in the k columns with the largest maxima. So only the maxima of all
    columns and the elements of these columns need a partition.
    """
    count, length = rows.shape
    parts = math.isqrt(length // k)
    width = length // parts
    whole = rows[:, : parts * width].reshape(count, parts, width)
    extremes = (numpy.max if largest else numpy.min)(whole, 1)
    last = width - k if largest else k - 1
    edge = _partitioned(extremes, last, 1)[:, last : last + 1]
    selected = extremes >= edge if largest else extremes <= edge
    if numpy.count_nonzero(selected) != k * count:
        return None
    columns = numpy.flatnonzero(selected).reshape(count, k) % width
    positions = (numpy.arange(parts)[:, None] * width + columns[:, None]).reshape(count, -1)
    rest = numpy.broadcast_to(numpy.arange(parts * width, length), (count, length % parts))
    positions = numpy.concatenate([positions, rest], 1)
    candidates = _of_rows(rows, positions)
    return _of_rows(positions, _top_indices_of_all(candidates, k, largest))


def _partitioned(x, rank, axis):
    """Computes NumPy's `partition` without its Python wrapper."""
    x = x.copy(order="K")
    x.partition(rank, axis)
    return x


def _top_indices_of_all(rows, k, largest):
    """Returns `_top_indices` by a partition of whole rows."""
    length = rows.shape[1]
    last = length - k if largest else k - 1
    edge = _partitioned(rows, last, 1)[:, last : last + 1]
    selected = rows >= edge if largest else rows <= edge
    if numpy.count_nonzero(selected) > k * len(rows):
        equal = rows == edge
        selected ^= equal
        remaining = k - numpy.count_nonzero(selected, axis=1, keepdims=True)
        selected |= equal & (numpy.cumsum(equal, axis=1, dtype=numpy.int32) <= remaining)
    return selected.reshape(-1).nonzero()[0].reshape(-1, k) % length


def argmax(xp, x, axis=None, keepdims=False):
    """Computes NumPy's `argmax`."""
    return _argmax_or_min(xp, xp.module.argmax, x, axis, keepdims)


def argmin(xp, x, axis=None, keepdims=False):
    """Computes NumPy's `argmin`."""
    return _argmax_or_min(xp, xp.module.argmin, x, axis, keepdims)


def _argmax_or_min(xp, function, x, axis, keepdims):
    large = type(x) is numpy.ndarray and x.size >= Least.ARGMAX and type(axis) is int
    if large and -x.ndim <= axis < x.ndim and axis not in (-1, x.ndim - 1):
        indices = door.call("argmax", x, axis % x.ndim, function is xp.module.argmax)
        if indices is not None:
            return numpy.expand_dims(indices, axis) if keepdims else indices
    if type(x) is numpy.ndarray:
        method = x.argmax if function is numpy.argmax else x.argmin
        return method(axis, keepdims=keepdims)
    return function(x, axis, keepdims=keepdims)


def extremes(xp, x, axis, largest=True):
    """Returns the largest (or smallest) elements along `axis`, which is kept with length 1, and
    their indices; of equal elements the first one counts, and NaN before all numbers."""
    at = xp.expand_dims((xp.argmax if largest else xp.argmin)(x, axis), axis)
    if type(x) is numpy.ndarray and x.flags.c_contiguous and at.size <= Most.ALONG_FLAT:
        return x.reshape(-1).take(positions_along(x.shape, at, axis)), at
    return xp.take_along_axis(x, at, axis), at


def index_of_rank(xp, x, axis=-1, rank=0, nan_first=False):
    """Returns the index of the element with the given rank along `axis`; the result has length 1
    along it. Rank 0 is the smallest element; equal values rank by index. With `nan_first`, a row
    with NaN gives the index of its first NaN."""
    x = xp.cast(x, "float32") if x.dtype.kind == "V" and x.dtype.name == _UNSORTED else x
    if not _comparable(x):
        at = xp.take(xp.argsort(x, axis=axis, kind="stable"), xp.arange(rank, rank + 1), axis)
        if not nan_first or x.dtype.kind != "f":
            return at
        nan = xp.isnan(x)
        first = xp.expand_dims(xp.argmax(nan, axis), axis)
        return xp.where(xp.any(nan, axis, keepdims=True), xp.cast(first, at.dtype), at)
    axis %= x.ndim
    value = _partitioned(x, rank, axis)[(slice(None),) * axis + (slice(rank, rank + 1),)]
    equal = x == value
    if numpy.count_nonzero(equal) > value.size:
        nth = rank + 1 - numpy.count_nonzero(x < value, axis=axis, keepdims=True)
        equal &= numpy.cumsum(equal, axis, dtype=numpy.int32) == nth
    return equal.argmax(axis, keepdims=True)


def index_of_median(xp, x, axis=-1):
    """Returns the index of the lower median of the elements along `axis` that are not NaN; the
    result has length 1 along it. Equal values rank by index; of NaN alone the first counts."""
    x = xp.cast(x, "float32") if x.dtype.kind == "V" and x.dtype.name == _UNSORTED else x
    if _comparable(x):
        return index_of_rank(xp, x, axis, (x.shape[axis] - 1) // 2)
    count = xp.sum(xp.logical_not(xp.isnan(x)), axis, keepdims=True)
    rank = xp.maximum((count - 1) // 2, 0)
    value = xp.take_along_axis(xp.sort(x, axis), rank, axis)  # NaN is sorted last
    equal = x == value
    if type(x) is not numpy.ndarray or numpy.count_nonzero(equal) > value.size:
        nth = rank + 1 - xp.sum(x < value, axis, keepdims=True)
        equal = xp.logical_and(equal, xp.cumsum(xp.cast(equal, "int32"), axis) == nth)
    return xp.expand_dims(xp.argmax(equal, axis), axis)


def extremes_so_far(xp, x, axis, largest=True):
    """Returns, for each index along `axis`, the largest (or smallest) element up to there, and its
    index; of equal elements the last one counts. NaN counts as larger (or smaller) than all
    numbers."""
    if type(x) is not numpy.ndarray:
        indices = _index_so_far(xp, x, axis, largest)
        return xp.take_along_axis(x, indices, axis), indices
    last = axis in (-1, x.ndim - 1)
    rows = numpy.ascontiguousarray(x if last else numpy.moveaxis(x, axis, -1))
    results = door.call("extremes_so_far", rows, largest) if rows.size else None
    if results is None:
        indices = _index_so_far(xp, rows, -1, largest)
        results = xp.take_along_axis(rows, indices, -1), indices
    return results if last else tuple([numpy.moveaxis(result, -1, axis) for result in results])


def _index_so_far(xp, x, axis, largest):
    """Returns the indices of `extremes_so_far`; of contiguous rows if the host has `x`."""
    length = x.shape[axis]
    if type(x) is numpy.ndarray:
        best = (numpy.maximum if largest else numpy.minimum).accumulate(x, -1)
        # `leads` always contains the first element of each row.
        leads = numpy.flatnonzero((x == best) | (x != x))
        ends = numpy.empty_like(leads)
        ends[:-1], ends[-1:] = leads[1:], x.size
        return (leads % length).repeat(ends - leads).reshape(x.shape)
    x = xp.moveaxis(x, axis, 0)
    indices = xp.reshape(xp.arange(length), (-1, *[1] * (x.ndim - 1)))
    indices = xp.broadcast_to(indices, x.shape)
    reach = 1
    while reach < length:  # each turn doubles the range of elements that an index covers
        behind, current = indices[:-reach], indices[reach:]
        a, b = xp.take_along_axis(x, behind, 0), xp.take_along_axis(x, current, 0)
        outdone = (a > b if largest else a < b) | (a != a) & (b == b)
        indices = xp.concatenate([indices[:reach], xp.where(outdone, behind, current)], 0)
        reach *= 2
    return xp.moveaxis(indices, 0, axis)


def maximum_so_far(xp, x, axis):
    """Returns the largest value up to each element along `axis`; NaN from the first NaN on."""
    if type(x) is numpy.ndarray:
        return numpy.maximum.accumulate(x, axis)
    x, reach = xp.moveaxis(x, axis, 0), 1
    while reach < x.shape[0]:  # each turn doubles the range of elements that a maximum covers
        x = xp.concatenate([x[:reach], xp.maximum(x[:-reach], x[reach:])], 0)
        reach *= 2
    return xp.moveaxis(x, 0, axis)


def distinct(xp, x):
    """Returns the distinct values of `x`, which has one axis, in order of appearance, and the index
    of every element among them."""
    if type(x) is numpy.ndarray and x.dtype.char in "bBhHiIlq" and x.size:  # keys fit int64
        low, high = int(x.min()), int(x.max())
        if high - low < 2 * x.size:
            return _distinct_of_few(x, low, high)
    values, first, inverse = xp.unique(x, return_index=True, return_inverse=True)
    order = xp.argsort(first)
    return values[order], xp.argsort(order)[xp.ravel(inverse)]


def _distinct_of_few(x, low, high):
    """Returns `distinct` for integers of a short range, by a table."""
    keys = x.astype(numpy.int64) - low
    table = numpy.full(high - low + 1, x.size)
    table[keys[::-1]] = numpy.arange(x.size - 1, -1, -1)  # the first of equal elements stays
    first_keys = numpy.flatnonzero(table < x.size)
    first_keys = first_keys[numpy.argsort(table[first_keys])]
    table[first_keys] = numpy.arange(first_keys.size)
    return (first_keys + low).astype(x.dtype), table[keys]
