"""Functions of several passes, run over parts that fit the host's cache.

NumPy writes every intermediate array to memory; a formula of ten passes over a large array is bound
by that. `xp.blockwise` and `xp.by_rows` call the formula on a cache's worth at a time instead,
which makes it about three times as fast, and threads share these parts. On a GPU `xp.blockwise`
makes the formula one kernel, and so does `xp.pointwise`, which leaves the host alone. On other
arrays (small ones, batches) and on traced values they just call it.
"""

import math
import threading

import numpy as np

from ..compiled.jit import is_repeated
from ..threads import scheduler

BLOCK = 1 << 15
RUNS = 16  # partial sums that are added in parallel


def blockwise(xp, function, *arrays, **scalars):
    """`function(xp, *arrays, **scalars)`, which works element by element on arrays of one shape.

    It is a function without a closure, so that a GPU can keep the kernel it has become.
    """
    if xp.bodies is not None:
        if (made := xp.bodies.pointwise(function, *arrays, **scalars)) is not None:
            return made
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
    """`function(xp, *arrays, **scalars)`, which works element by element, as one kernel of a GPU.

    It is a function without a closure. Integers are left to the functions of the library, which
    round as they do.
    """
    if xp.bodies is not None and all(a.dtype.kind == "f" for a in arrays):
        if (made := xp.bodies.pointwise(function, *arrays, **scalars)) is not None:
            return made
    return function(xp, *arrays, **scalars)


def by_rows(xp, function, *arrays):
    """`function(xp, *arrays)`, which treats each row (the first axis) by itself.

    It returns one array or a tuple of them, each with the rows first.
    """
    first = arrays[0]
    rows = first.shape[0] if first.ndim else 0
    if type(first) is not np.ndarray or first.size <= 2 * BLOCK or rows < 2:
        return function(xp, *arrays)
    step = max(BLOCK * rows // first.size, 1)
    outs, several = _in_parts(lambda *parts: function(xp, *parts), arrays, step)
    return tuple(outs) if several else outs[0]


def _in_parts(function, arrays, step):
    """What `function` gives for parts of `step` rows of all arrays, put together.

    Returns:
        The list of results, and whether `function` gives several.
    """
    rows = arrays[0].shape[0]
    parts = scheduler.blocks(rows, step)
    outs, single, making = [], [], threading.Lock()

    def work(number):
        part = parts[number]
        found = function(*(a[part] for a in arrays))
        if type(found) is not tuple:
            found = (found,)
            single.append(True)
        with making:
            if not outs:
                outs.extend([np.empty((rows, *p.shape[1:]), p.dtype) for p in found])
        for out, p in zip(outs, found):
            out[part] = p

    scheduler.run(work, len(parts))
    return outs, not single


def sum_by_rows(xp, function, *arrays):
    """The sum over all rows, of which `function(xp, *arrays)` gives that over some."""
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
            found = function(xp, *(a[part] for a in arrays))
            if total is None:
                total = found
            else:
                total += found
        sums[number] = total

    scheduler.run(work, len(runs))
    total = sums[0]
    for each in sums[1:]:
        total += each
    return total


def pick_column(xp, x, column):
    """The element of each row of a matrix in the row's `column`."""
    if type(x) is type(column) is np.ndarray:
        return x[np.arange(len(x)), column]
    return xp.squeeze(xp.take_along_axis(x, xp.expand_dims(column, 1), 1), 1)


def add_at_column(xp, x, column, values):
    """A matrix with each row's value added in the row's `column`; it may be `x` itself."""
    if type(x) is type(column) is type(values) is np.ndarray:
        x[np.arange(len(x)), column] += values  # no row is named twice
        return x
    return xp.scatter_add(x, (xp.arange(x.shape[0]), column), values)


# The normal distribution function in single precision. SciPy's goes element by element, seventy
# times slower than NumPy's exp. Its log-odds, ln(Phi(x) / (1 - Phi(x))), are x times a smooth
# function of x^2, and this polynomial gives x Phi(x) to 4e-8. No 1 is added to a number near -1,
# which would round away what the lower tail is made of.
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
_LARGEST = np.float32(5.65)  # from here on the distribution function is 1 in float32


def quick_ndtr(xp, x):
    """The normal distribution function: of float32 on the host to 6e-8, exact elsewhere."""
    if type(x) is not np.ndarray or x.dtype != np.float32:
        return 0.5 * (1 + xp.cast(xp.erf(x * math.sqrt(0.5)), x.dtype))  # CuPy's erf widens float16
    near = np.clip(x, -_LARGEST, _LARGEST)
    square = near * near
    found = np.full_like(square, _LOG_ODDS[-1])
    for factor in _LOG_ODDS[-2::-1]:
        found *= square
        found += np.float32(factor)
    found *= np.negative(near, out=near)
    np.exp(found, out=found)
    found += 1
    np.reciprocal(found, out=found)
    np.copyto(found, 0, where=x <= -_LARGEST)  # as of MindSpore's 1 + erf(x / sqrt 2) in float32
    return found
