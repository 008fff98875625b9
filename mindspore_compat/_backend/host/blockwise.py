"""Runs functions of several passes block by block, in the host's cache.

NumPy writes every intermediate array to memory, which limits a formula of ten passes over a large
array. `xp.blockwise` and `xp.by_rows` call the formula on blocks that fit the cache, which is about
three times as fast, and threads share the blocks. On a GPU `xp.blockwise` compiles the formula into
one kernel; `xp.pointwise` does that too, and changes nothing on the host. On other arrays (small
ones, batches) and on traced values they just call the formula.
"""

import math
import threading

import numpy as np

from ..compiled.jit import is_repeated
from ..threads import scheduler
from ..thresholds import Least
from .indices import are_within

BLOCK = 1 << 15
FLOAT32 = np.dtype(np.float32)
RUNS = 16  # partial sums that are added in parallel


def blockwise(xp, function, *arrays, **scalars):
    """Computes `function(xp, *arrays, **scalars)` block by block, for an elementwise function and
    arrays of one shape. Returns its result.

    The function must not have a closure, because its kernel on a GPU is cached.
    """
    if xp.bodies is not None:
        if (result := xp.bodies.pointwise(function, *arrays, **scalars)) is not None:
            return result
    first = arrays[0]
    if (
        type(first) is not np.ndarray
        or first.size <= BLOCK
        or not all(
            a.shape == first.shape and (a.flags.c_contiguous or is_repeated(a)) for a in arrays
        )
    ):
        return function(xp, *arrays, **scalars)
    flat = [a.reshape(-1) for a in arrays]
    (out,), _ = _in_parts(lambda *parts: function(xp, *parts, **scalars), flat, BLOCK)
    return out.reshape(first.shape)


def pointwise(xp, function, *arrays, **scalars):
    """Computes `function(xp, *arrays, **scalars)`, for an elementwise function; on a GPU as one
    kernel. Returns its result.

    The function must not have a closure. For integers, the library's functions run one by one, so
    that results are rounded as the library rounds them. Low precision is computed in float32.
    """
    bodies = xp.bodies
    takes_floats = bodies is not None and bodies.takes_floats  # only, and refuses other arrays
    if takes_floats or bodies is not None and all([a.dtype.kind in "fV" for a in arrays]):
        if (result := bodies.pointwise(function, *arrays, **scalars)) is not None:
            return result
    dtype = arrays[0].dtype
    if dtype is FLOAT32 or dtype not in xp.low_precision:
        return function(xp, *arrays, **scalars)
    result = function(xp, *[xp.cast(a, FLOAT32) for a in arrays], **scalars)
    if type(result) is tuple:
        return tuple([xp.cast(array, dtype) for array in result])
    return xp.cast(result, dtype)


def by_rows(xp, function, *arrays):
    """Computes `function(xp, *arrays)` for blocks of rows, and returns the joined results. The
    function must treat each row (along the first axis) independently.

    The function returns an array or a tuple of arrays, with the rows as first axis.
    """
    first = arrays[0]
    rows = first.shape[0] if first.ndim else 0
    if type(first) is not np.ndarray or first.size <= 2 * BLOCK or rows < 2:
        return function(xp, *arrays)
    step = max(BLOCK * rows // first.size, 1)
    outs, is_tuple = _in_parts(lambda *parts: function(xp, *parts), arrays, step)
    return tuple(outs) if is_tuple else outs[0]


def _in_parts(function, arrays, step):
    """Calls `function` for blocks of `step` rows of all arrays, and joins the results.

    Returns:
        A list of the results, and whether `function` returns several.
    """
    rows = arrays[0].shape[0]
    parts = scheduler.blocks(rows, step)
    outs, single, making = [], [], threading.Lock()

    def work(number):
        part = parts[number]
        results = function(*(a[part] for a in arrays))
        if type(results) is not tuple:
            results = (results,)
            single.append(True)
        with making:
            if not outs:
                outs.extend([np.empty((rows, *p.shape[1:]), p.dtype) for p in results])
        for out, p in zip(outs, results):
            out[part] = p

    scheduler.run(work, len(parts))
    return outs, not single


def share(xp, work, count, like):
    """Returns the list [work(0), ..., work(count - 1)]. Threads share the calls if `like` is an
    array on the host."""
    if type(like) is not np.ndarray or count == 1:
        return [work(number) for number in range(count)]
    results = [None] * count

    def keep(number):
        results[number] = work(number)

    scheduler.run(keep, count)
    return results


def sum_by_rows(xp, function, *arrays):
    """Computes a sum over all rows block by block: `function(xp, *arrays)` returns the sum over the
    rows that it gets."""
    first = arrays[0]
    if type(first) is not np.ndarray or first.size <= 2 * BLOCK:
        return function(xp, *arrays)
    rows = first.shape[0]
    parts = scheduler.blocks(rows, max(BLOCK * rows // first.size, 1))
    runs = scheduler.blocks(len(parts), -(-len(parts) // RUNS))
    sums = [None] * len(runs)

    def work(number):
        total = None
        for part in parts[runs[number]]:
            partial_sum = function(xp, *(a[part] for a in arrays))
            if total is None:
                total = partial_sum
            else:
                total += partial_sum
        sums[number] = total

    scheduler.run(work, len(runs))
    total = sums[0]
    for partial in sums[1:]:
        total += partial
    return total


def over_queries(xp, function, queries, others):
    """Evaluates a function of rows (`queries`) and of arrays that each row needs as a whole
    (`others`). On arrays that are not divided over ranks, this is a single call."""
    return function(xp, 0, queries, others)


def over_keys(xp, function, rows, keys):
    """Evaluates a function of rows and of keys that can process the keys in several parts. On
    arrays that are not divided over ranks, this is a single call.

    `function(xp, row, key, rows, keys, state)` gets rows from number `row` on, keys from number
    `key` on, and the state that it returned for the previous keys (None at first). It returns the
    state, a list of arrays of rows, and a list of sums over the rows. That list has one sum in the
    shape of each of the keys, or is empty.
    """
    return function(xp, 0, 0, rows, keys, None)


def pick_column(xp, x, column):
    """Returns the element of each row of a matrix in the row's `column`."""
    if type(x) is type(column) is np.ndarray:
        places = _places(x, column)
        return x[np.arange(len(x)), column] if places is None else x.reshape(-1).take(places)
    return xp.squeeze(xp.take_along_axis(x, xp.expand_dims(column, 1), 1), 1)


def add_at_column(xp, x, column, values):
    """Returns a matrix with each row's value added in the row's `column`. May change `x` in place
    and return it."""
    if type(x) is type(column) is type(values) is np.ndarray:
        places = _places(x, column)
        if places is None:
            x[np.arange(len(x)), column] += values  # no row repeats
        else:
            x.reshape(-1)[places] += values
        return x
    return xp.scatter_add(x, (xp.arange(x.shape[0]), column), values)


def _places(x, column):
    """Returns the positions of each row's `column` in the memory of a contiguous matrix; None for
    few rows, and for columns that NumPy must count from the end or reject."""
    if column.size < Least.PICK_COLUMN or column.shape != x.shape[:1] or not x.flags.c_contiguous:
        return None
    if column.dtype.kind not in "iu" or not are_within(column, x.shape[1]):
        return None
    places = np.arange(0, x.size, x.shape[1])
    places += column.astype(np.int64, copy=False)
    return places


def progression(xp, start, step, count, dtype, last=None):
    """Returns `start + step * i` for each i below `count`, computed in float64; `last` replaces the
    last one."""
    if xp.module is not np:
        numbers = start + step * xp.arange(count, dtype="float64")
        if last is not None:
            numbers[-1] = last
        return numbers.astype(dtype)
    out, parts = np.empty(count, dtype), scheduler.blocks(count, BLOCK)
    indices = np.arange(min(count, BLOCK), dtype=np.float64)

    def work(number):
        part = parts[number]
        numbers = indices[: part.stop - part.start] + part.start
        numbers *= step
        numbers += start
        if last is not None and part.stop == count:
            numbers[-1] = last
        out[part] = numbers

    if len(parts) == 1:
        work(0)
    else:
        scheduler.run(work, len(parts))
    return out


# The normal distribution function in single precision. SciPy's is not vectorized: it takes seventy
# times as long as NumPy's exp. The log-odds, ln(Phi(x) / (1 - Phi(x))), are x times a smooth
# function of x^2, and with this polynomial x Phi(x) has an error of 4e-8. The lower tail stays
# precise, because 1 is never added to a number near -1.
_LOG_ODDS = (
    1.59577167,
    0.0726604611,
    -5.97483013e-05,
    -0.000112801019,
    8.35074297e-06,
    -3.04487287e-07,
    5.27060573e-09,
    -2.77886065e-11,
)
_LARGEST = np.float32(5.65)  # for larger numbers the distribution function is 1 in float32


def quick_ndtr(xp, x):
    """Computes the normal distribution function of `x`. The error is at most 6e-8 for float32 on
    the host; elsewhere the function is computed from erf."""
    if type(x) is not np.ndarray or x.dtype != np.float32 or not x.ndim:
        return 0.5 * (1 + xp.cast(xp.erf(x * math.sqrt(0.5)), x.dtype))  # CuPy's erf widens float16
    near = np.clip(x, -_LARGEST, _LARGEST)
    square = near * near
    out = np.full_like(square, _LOG_ODDS[-1])
    for factor in _LOG_ODDS[-2::-1]:
        out *= square
        out += np.float32(factor)
    out *= np.negative(near, out=near)
    np.exp(out, out=out)
    out += 1
    np.reciprocal(out, out=out)
    np.copyto(out, 0, where=x <= -_LARGEST)  # as of MindSpore's 1 + erf(x / sqrt 2) in float32
    return out
