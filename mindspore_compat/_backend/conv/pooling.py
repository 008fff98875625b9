"""Max and average pooling over windows in any number of spatial dimensions, with gradients.

Every function takes the array namespace first and works on NumPy and on CuPy arrays. Arrays are
(batch, channels, spatial...) and may have any number of leading dimensions. Maximum and sum are
taken along one dimension after the other, so a k by k window costs 2 k passes instead of k squared.
The gradient of the maximum goes to the first position of the window, in row-major order, that holds
it. On the host, threads process a few planes at a time, so that these fit the cache.

`max_gradient` and `max_pick` are each other's gradient, as are `average` and `average_gradient`.
Callers compose Lp pooling; adaptive pooling is in adaptive_pooling.py. `resolve_pads` turns padding
modes ("same", "valid", "pad") into numbers, also for convolutions.
"""

from functools import lru_cache
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from ..bodies.c_code import compute_dtype
from ..compiled import door, jit
from ..host.select import keep
from ..threads import scheduler
from ..thresholds import Most
from .cuda_kernels import LARGEST, Windows, kernels_of, kernels_of_parts
from .padding import fit_padding, output_size, padded

# Elements of input planes that are processed together, so that they stay in the host's cache.
BLOCK = 1 << 17


def resolve_pads(mode, size, kernel, stride, dilation, pads=None):
    """Returns the padding in numbers for a padding mode.

    Args:
        mode: "same", "valid" or "pad", in any case.
        size: Spatial size of the input.
        kernel, stride, dilation: One number per spatial dimension.
        pads: For "pad", the (before, after) pairs.

    Returns:
        One (before, after) pair per dimension. "same" gives ceil(size / stride) outputs, and adds
        the odd element at the end.
    """
    mode = mode.lower()
    if mode == "pad":
        return tuple(map(tuple, pads))
    if mode == "valid":
        return ((0, 0),) * len(size)
    numbers = []
    for n, k, s, d in zip(size, kernel, stride, dilation):
        total = max((-(-n // s) - 1) * s + d * (k - 1) + 1 - n, 0)
        numbers.append((total // 2, total - total // 2))
    return tuple(numbers)


def _lowest(dtype):
    if dtype.kind in "iu":
        return np.iinfo(dtype).min
    return -np.inf if dtype.kind == "f" else dtype.type("-inf")


def _along(x, axis, start, count, step):
    index_tuple = [slice(None)] * x.ndim
    index_tuple[axis] = slice(start, start + (count - 1) * step + 1, step)
    return x[tuple(index_tuple)]


def _separable(combine, x, kernel, stride, dilation, out, target):
    """Reduces the windows of padded data `x` by the ufunc `combine`, one dimension after the other,
    and writes the result to `target`."""
    last = max((i for i, k in enumerate(kernel) if k > 1), default=None)
    for i, (k, s, d, o) in enumerate(zip(kernel, stride, dilation, out)):
        axis = x.ndim - len(kernel) + i
        if k == 1:
            x = _along(x, axis, 0, o, s)
            continue
        final = target if i == last and x.ndim - axis == 1 else None
        total = combine(_along(x, axis, 0, o, s), _along(x, axis, d, o, s), out=final)
        for position in range(2, k):
            combine(total, _along(x, axis, position * d, o, s), out=total)
        x = total
    if x is not target:
        target[...] = x


def _reduce_windows(xp, combine, x, kernel, stride, pads, dilation, out, fill):
    """Pads `x` with `fill`, and reduces every window by the ufunc `combine`. Returns a new array
    (planes, out...)."""
    lead, size = _split_shape(x, kernel)
    result = xp.empty((prod(lead), *out), x.dtype)
    planes = x.reshape(prod(lead), *size)

    def work(block):
        part = padded(xp, planes[block], pads, fill)
        _separable(combine, part, kernel, stride, dilation, out, result[block])

    _share(planes, work)
    return result.reshape(*lead, *out)


def _split_shape(x, kernel):
    """Returns the shape of `x` in two parts: leading and spatial, the last len(kernel) axes."""
    lead = x.ndim - len(kernel)
    return x.shape[:lead], x.shape[lead:]


def _share(planes, work, block=BLOCK):
    """Calls `work` with slices of the planes. On the host, each slice fits the cache and threads
    share them; on a device, one slice covers all planes."""
    count = planes.shape[0]
    if isinstance(planes, np.ndarray):
        parts = scheduler.blocks(count, max(block * count // max(planes.size, 1), 1))
        if len(parts) == 1:
            work(parts[0])
        else:
            scheduler.run(lambda number: work(parts[number]), len(parts))
    elif count:
        work(slice(0, count))


# Maximum.


def maximum(xp, x, kernel, stride, pads, dilation, ceil_mode=False):
    """Returns the largest value of each window; padding is never the maximum.

    Args:
        xp: The array namespace of `x`.
        x: Array of shape (..., spatial...).
        kernel, stride, dilation: One number per spatial dimension.
        pads: One (before, after) pair per spatial dimension.
        ceil_mode: Whether a last, incomplete window counts.

    Returns:
        Array of shape (..., out...), `out` as in `output_size`.
    """
    lead, size = _split_shape(x, kernel)
    out = output_size(size, kernel, stride, pads, dilation, ceil_mode)
    if fast := kernels_of(xp, x, kernel):
        geo = Windows(size, kernel, out, stride, pads, dilation)
        return fast.maximum(x.reshape(prod(lead), *size), geo).reshape(*lead, *out)
    fitted = fit_padding(size, kernel, stride, pads, dilation, out)
    small = x.size <= Most.POOL_PADDED
    images, none = _padded_images(xp, x, pads, fitted, -np.inf) if small else (x, pads)
    result = door.call("max_pool", images, out, kernel, stride, none, dilation)
    if result is not None:
        return result
    pads = fitted
    return _reduce_windows(xp, xp.maximum, x, kernel, stride, pads, dilation, out, _lowest(x.dtype))


def _padded_images(xp, x, pads, fitted, fill):
    """Returns images for the compiled loops, which take no padding, and their padding of 0. Float32
    images on the host are padded with `fill`; others are returned with their padding."""
    if not any([before for before, _ in pads]) or len(pads) != 2:
        return x, pads
    if type(x) is not np.ndarray or x.dtype != np.float32 or not x.size or not jit.available():
        return x, pads
    return padded(xp, x, fitted, fill), ((0, 0),) * len(pads)


def _without_padding(grad, shape, fitted):
    """Returns the gradient of images of a shape, given the gradient of the padded images."""
    out = np.zeros(shape, grad.dtype)
    source, target = [...], [...]
    for n, (before, after) in zip(shape[-len(fitted) :], fitted):
        source.append(slice(before, before + n + min(after, 0)))
        target.append(slice(0, n + min(after, 0)))
    out[tuple(target)] = grad[tuple(source)]
    return out


def index_of_maximum(xp, x, largest, kernel, stride, pads, dilation):
    """Returns the positions of the values `largest` that `maximum` returned.

    Returns:
        Int64 array of flat positions in the unpadded spatial dimensions of `x`; for equal values
        and for several NaN, the first in row-major order.
    """
    (lead, size), (_, out) = _split_shape(x, kernel), _split_shape(largest, kernel)
    if fast := kernels_of(xp, x, kernel):
        geo = Windows(size, kernel, out, stride, pads, dilation)
        return fast.index_of_maximum(x.reshape(prod(lead), *size), largest, geo)
    index = _index_of_maximum(xp, x, largest, kernel, stride, pads, dilation)
    is_nan = largest != largest
    if is_nan.any():
        masks = (x != x).view(np.uint8), is_nan.view(np.uint8)
        index_of_nan = _index_of_maximum(xp, *masks, kernel, stride, pads, dilation)
        xp.copyto(index, index_of_nan, where=is_nan)
    return index


def _index_of_maximum(xp, x, largest, kernel, stride, pads, dilation):
    """Returns the positions of the values `largest`; 0 for a NaN."""
    (lead, _), (_, out) = _split_shape(x, kernel), _split_shape(largest, kernel)
    index = xp.empty((prod(lead), *out), np.int64)

    def work(block, indices, inside):
        index[block] = indices if inside is None else indices * inside

    _maxima(xp, x, largest, kernel, stride, pads, dilation, work)
    return index.reshape(largest.shape)


class _KernelPosition(NamedTuple):
    """One position of the kernel, as offsets that are the same for all windows."""

    shift: int  # its flat distance from the window's corner, in the unpadded data
    phase: tuple  # the first of the `stride`-spaced elements of the padded input that it reads
    ahead: int  # its flat distance from the first of these, where rows are `pitch` long


@lru_cache(maxsize=256)
def _kernel_positions(size, kernel, stride, dilation, pitch):
    """Returns the kernel positions in row-major order."""
    positions = []
    for position in product(*map(range, kernel)):
        shift = ahead = 0
        for i, n, s, d, row in zip(position, size, stride, dilation, pitch):
            shift = shift * n + i * d
            ahead = ahead * row + i * d // s
        positions.append(
            _KernelPosition(
                shift, tuple(i * d % s for i, d, s in zip(position, dilation, stride)), ahead
            )
        )
    return positions


def _maxima(xp, x, largest, kernel, stride, pads, dilation, work):
    """Passes the first position of each window's maximum to `work`, for some planes at a time.

    The input is divided by phase (even and odd indices, for a stride of 2), and all rows get the
    same length, so the elements of all windows at one kernel position are contiguous. The position
    in a window is the smallest number whose element equals the maximum.

    Args:
        work: receives the slice of planes, int64 flat positions in each plane, (planes, out...),
            and None or a mask of the windows with a position (a NaN equals nothing). On the host,
            threads call it concurrently.
    """
    (lead, size), (_, out) = _split_shape(x, kernel), _split_shape(largest, kernel)
    pitch = tuple(o + (k - 1) * d // s for o, k, s, d in zip(out, kernel, stride, dilation))
    positions = _kernel_positions(size, kernel, stride, dilation, pitch)
    none = len(positions)
    shifts = xp.asarray(np.array([position.shift for position in positions] + [0]))
    corner = 0
    for n, o, s, (before, _) in zip(size, out, stride, pads):
        corner = np.add.outer(corner * n, np.arange(o) * s - before)
    corner = xp.asarray(corner)
    planes, best = x.reshape(prod(lead), *size), largest.reshape(prod(lead), *out)
    inner = (..., *(slice(0, o) for o in out))

    def one(block):
        part = planes[block]
        parts = {
            phase: _phase(xp, part, phase, stride, pads, pitch)
            for phase in {position.phase for position in positions}
        }
        tops = xp.zeros((part.shape[0], *pitch), x.dtype)
        tops[inner] = best[block]
        first = xp.full(tops.size, none, np.uint8 if none < 256 else np.uint16)
        for number, position in reversed(list(enumerate(positions))):
            values, mask = parts[position.phase]
            matches = values[position.ahead :] == tops.reshape(-1)[: tops.size - position.ahead]
            if mask is not None:
                matches &= mask[position.ahead :]
            _choose(xp, first[: matches.size], matches, number)
        first = first.reshape(tops.shape)[inner]
        inside = first != none
        work(block, xp.take(shifts, first) + corner, None if inside.all() else inside)

    _share(planes, one, 4 * BLOCK)


def _phase(xp, x, phase, stride, pads, pitch):
    """Returns every `stride`-th element of the padded `x` from the indices `phase` on, in rows of
    `pitch`.

    Returns:
        The flat elements, and None or a mask of those that are data. Padding is NaN, which equals
        nothing, if the dtype has NaN.
    """
    source, target = [...], [...]
    for n, p, s, (before, _), length in zip(x.shape[1:], phase, stride, pads, pitch):
        first = max(-(-(before - p) // s), 0)
        start = first * s + p - before
        count = max(min(-(-(n - start) // s), length - first), 0)
        source.append(slice(start, start + count * s, s))
        target.append(slice(first, first + count))
    source, target = x[tuple(source)], tuple(target)
    plane = xp.empty((x.shape[0], *pitch), x.dtype)
    if plane.shape == source.shape:
        plane[...] = source
        return plane.reshape(-1), None
    whole = x.dtype.kind in "iu"
    plane[...] = 0 if whole else x.dtype.type("nan")
    plane[target] = source
    if not whole:
        return plane.reshape(-1), None
    mask = xp.zeros(plane.shape, bool)
    mask[target] = True
    return plane.reshape(-1), mask.reshape(-1)


def _choose(xp, target, mask, number):
    """Writes `number` where the mask holds, by arithmetic on bytes without branches."""
    if target.dtype != np.uint8:
        xp.copyto(target, number, where=mask)
        return
    mask = mask.view(np.uint8)
    xp.negative(mask, out=mask)  # 0 or 255
    target &= ~mask
    mask &= np.uint8(number)
    target |= mask


def max_gradient(xp, g, x, largest, kernel, stride, pads, dilation):
    """Computes the gradient of `maximum`: each window's gradient goes to the first index that holds
    its maximum.

    Args:
        xp: The array namespace of the arrays.
        g: Output gradient.
        x: Input of the pooling.
        largest: Output of the pooling, whose shape gives the number of windows.
        kernel, stride, pads, dilation: As in `maximum`.

    Returns:
        Array shaped like `x`.
    """
    (lead, size), (_, out) = _split_shape(x, kernel), _split_shape(largest, kernel)
    if fast := kernels_of(xp, x, kernel):
        geo = Windows(size, kernel, out, stride, pads, dilation)
        index = fast.index_of_maximum(x.reshape(prod(lead), *size), largest, geo, none=-1)
        return fast.add_at_index(g, index, x.shape, geo)
    fitted = fit_padding(size, kernel, stride, pads, dilation, out)
    images, none = _padded_images(xp, x, pads, fitted, -np.inf)
    # In a window of -inf, as in one of NaN, the padding could hold the maximum.
    if images is x or largest.size and largest.min() > -np.inf:
        result = door.call("max_pool_gradient", g, images, largest, kernel, stride, none, dilation)
        if result is not None:
            return result if images is x else _without_padding(result, x.shape, fitted)
    area = prod(size)
    grad, g = xp.zeros((prod(lead), *size), g.dtype), g.reshape(prod(lead), *out)

    def work(block, indices, inside):
        _add_planes(xp, grad[block].reshape(-1), indices, g[block], area, inside)

    _maxima(xp, x, largest, kernel, stride, pads, dilation, work)
    return grad.reshape(x.shape)


def _add_planes(xp, flat, indices, values, area, inside):
    """Adds values to planes that follow one another in `flat`.

    Args:
        xp: The array namespace of the arrays.
        flat: The planes, of `area` elements each.
        indices: Flat positions in a plane, (planes, ...).
        values: The values to add, of the same shape.
        inside: Mask of the values to add; None for all.
    """
    count = indices.shape[0]
    indices += (xp.arange(count) * area).reshape(count, *(1,) * (indices.ndim - 1))
    if inside is not None:
        indices, values = indices[inside], values[inside]
    xp.add.at(flat, indices.reshape(-1), values.reshape(-1))


def max_pick(xp, u, x, largest, kernel, stride, pads, dilation):
    """Returns the entries of `u` at the indices where `maximum` found its values; linear in `u`.

    Args:
        xp: The array namespace of the arrays.
        u: Array shaped like `x`.
        x, largest, kernel, stride, pads, dilation: As in `max_gradient`.

    Returns:
        Array shaped like `largest`.
    """
    (lead, size), (_, out) = _split_shape(x, kernel), _split_shape(largest, kernel)
    u = u.reshape(prod(lead), prod(size))
    values = xp.zeros((prod(lead), *out), u.dtype)

    def work(block, indices, inside):
        if inside is not None:
            indices *= inside
        elements = xp.take_along_axis(u[block], indices.reshape(indices.shape[0], -1), 1)
        elements = elements.reshape(indices.shape)
        values[block] = elements if inside is None else keep(xp, inside, elements)

    _maxima(xp, x, largest, kernel, stride, pads, dilation, work)
    return values.reshape(largest.shape)


# Average.


@lru_cache(maxsize=512)
def _counts(size, kernel, stride, pads, out, include):
    """Returns the divisor of each window: its number of data elements, or of data and padding
    elements."""
    total = np.ones((), np.int64)
    for n, k, s, (before, after), o in zip(size, kernel, stride, pads, out):
        low, high = (-before, n + after) if include else (0, n)
        first = np.arange(o) * s - before
        count = np.minimum(first + k, high) - np.maximum(first, low)
        total = np.multiply.outer(total, np.maximum(count, 1))
    return total


@lru_cache(maxsize=512)
def _common_count(*windows):
    """Returns the divisor of all windows if it is the same, else None."""
    counts = _counts(*windows)
    if not counts.size or (counts == counts.flat[0]).all():
        return int(counts.flat[0]) if counts.size else 1
    return None


def _divisor(xp, size, kernel, stride, pads, out, include, divisor, dtype):
    """Returns the divisor of each window: a number where all are equal, otherwise an array."""
    divisor = divisor or _common_count(size, kernel, stride, pads, out, include)
    if divisor is not None:
        return divisor
    return xp.table(_counts_in, dtype, size, kernel, stride, pads, out, include)


def _counts_in(dtype, *arguments):
    """Returns the divisors of `_counts` in a dtype; `xp.table` calls it and keeps the result."""
    return _counts(*arguments).astype(dtype)


def _divisors(xp, dtype, *arguments):
    """Returns the divisor as an array, 0-d if it is one number, for a kernel on data of a dtype."""
    dtype = compute_dtype([dtype])
    divisor = _divisor(xp, *arguments, dtype)
    return divisor if isinstance(divisor, xp.module.ndarray) else xp.number(divisor, dtype)


def average(xp, x, kernel, stride, pads, ceil_mode=False, include=True, divisor=None):
    """Returns the mean of each window.

    Args:
        xp: The array namespace of `x`.
        x: Floating array of shape (..., spatial...).
        kernel, stride: One number per spatial dimension.
        pads: One (before, after) pair per spatial dimension.
        ceil_mode: Whether a last, incomplete window counts.
        include: Whether padding counts in the divisor (the part that `ceil_mode` adds never does).
        divisor: A number to divide by instead.

    Returns:
        Array of shape (..., out...).
    """
    size, ones = x.shape[x.ndim - len(kernel) :], (1,) * len(kernel)
    out = output_size(size, kernel, stride, pads, ones, ceil_mode)
    if fast := kernels_of(xp, x, kernel):
        geo, lead = Windows(size, kernel, out, stride, pads, ones), x.shape[: x.ndim - len(kernel)]
        divisors = _divisors(xp, x.dtype, size, kernel, stride, pads, out, include, divisor)
        return fast.average(x.reshape(prod(lead), *size), geo, divisors).reshape(*lead, *out)
    fitted = fit_padding(size, kernel, stride, pads, ones, out)
    divisor = _divisor(xp, size, kernel, stride, pads, out, include, divisor, x.dtype)
    if type(divisor) is int and type(x) is np.ndarray:
        small = x.size <= Most.POOL_PADDED
        images, none = _padded_images(xp, x, pads, fitted, 0) if small else (x, pads)
        result = door.call("average_pool", images, out, divisor, kernel, stride, none)
        if result is not None:
            return result
    total = _reduce_windows(xp, xp.add, x, kernel, stride, fitted, ones, out, 0)
    total /= divisor
    return total


def average_gradient(xp, g, x_shape, kernel, stride, pads, include=True, divisor=None):
    """Computes the gradient of `average`; linear in `g`, whose shape gives the number of windows.

    Args:
        xp: The array namespace of `g`.
        g: Output gradient.
        x_shape: Shape of the input.
        kernel, stride, pads, include, divisor: As in `average`.

    Returns:
        Array of shape `x_shape`.
    """
    split = len(x_shape) - len(kernel)
    lead, size, out = tuple(x_shape[:split]), tuple(x_shape[split:]), g.shape[split:]
    if (fast := kernels_of(xp, g, kernel)) and prod(size) <= LARGEST:
        geo = Windows(size, kernel, out, stride, pads, (1,) * len(kernel))
        divisors = _divisors(xp, g.dtype, size, kernel, stride, pads, out, include, divisor)
        return fast.average_gradient(g, (*lead, *size), geo, divisors)
    divisor = _divisor(xp, size, kernel, stride, pads, out, include, divisor, g.dtype)
    if type(divisor) is int and type(g) is np.ndarray:
        result = door.call("average_pool_gradient", g, size, divisor, kernel, stride, pads)
        if result is not None:
            return result
    grad = xp.empty((prod(lead), *size), g.dtype)
    g = g.reshape(prod(lead), *out)

    def work(block):
        grad[block] = _average_gradient(xp, g[block] / divisor, size, kernel, stride, pads)

    _share(grad, work)
    return grad.reshape(x_shape)


def _average_gradient(xp, g, size, kernel, stride, pads):
    """Adds each element of `g` to all positions of its window, one dimension after the other, the
    last one first. Returns an array (planes, size...)."""
    out = g.shape[1:]
    for i in reversed(range(len(kernel))):
        k, s, n, o, before = kernel[i], stride[i], size[i], out[i], pads[i][0]
        after = (o - 1) * s + k - n - before
        shape = list(g.shape)
        shape[1 + i] = n + before + after
        dilated = xp.zeros(shape, g.dtype)
        for position in range(k):
            target = _along(dilated, 1 + i, position, o, s)
            if s >= k:
                target[...] = g
            else:
                target += g
        g = padded(xp, dilated, ((-before, -after),) + ((0, 0),) * (len(kernel) - 1 - i))
    return g


def average_pool_gradient(xp, g, x_shape, kernel, stride, pads, ceil_mode, include, divisor):
    """Computes `average_gradient`. It ignores the additional parameter `ceil_mode`, but the
    gradient rule of this function needs it.
    """
    return average_gradient(xp, g, x_shape, kernel, stride, pads, include, divisor)


def take_at(xp, u, index, spatial, adaptive=False):
    """Returns the entries of `u` at flat positions `index` of its last `spatial` dimensions.

    Args:
        adaptive: Whether each position lies in the window of adaptive pooling that its place in
            `index` names. The gradient needs no atomic additions then.
    """
    lead = u.shape[: u.ndim - spatial]
    flat = u.reshape(*lead, prod(u.shape[len(lead) :]))
    elements = xp.take_along_axis(flat, index.reshape(*lead, prod(index.shape[len(lead) :])), -1)
    return elements.reshape(index.shape)


def put_at(xp, y, index, size):
    """Returns zeros of spatial `size` with `y` written at flat positions `index`; of several values
    at one position the last one stays."""
    lead = y.shape[: y.ndim - len(size)]
    flat = xp.zeros((prod(lead), prod(size)), y.dtype)
    rows = xp.arange(prod(lead)).reshape(-1, 1)
    flat[rows, index.reshape(prod(lead), -1)] = y.reshape(prod(lead), -1)
    return flat.reshape(*lead, *size)


def add_at(xp, g, index, size, adaptive=False):
    """Returns the gradient of `take_at`: `g` added into zeros of spatial `size` at positions
    `index`."""
    lead = g.shape[: g.ndim - len(size)]
    if adaptive and (fast := kernels_of_parts(xp, g, size, g.shape[len(lead) :])):
        return fast.from_parts("add_at_adaptive_index", g, size, index)
    rows, area = prod(lead), prod(size)
    positions = index.reshape(rows, prod(index.shape[len(lead) :]))
    positions = (positions + xp.arange(rows).reshape(-1, 1) * area).reshape(-1)
    if type(g) is np.ndarray:
        sums = xp.bincount(positions, g.reshape(-1), rows * area)
    else:  # CuPy's bincount waits for the device
        sums = xp.zeros(rows * area, np.float64)
        xp.add.at(sums, positions, g.reshape(-1).astype(np.float64))
    return sums.astype(g.dtype).reshape(*lead, *size)
