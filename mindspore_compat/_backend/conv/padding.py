"""The sizes of windows over padded data, and the padding of arrays on the host or a GPU.

Sizes are tuples with one number per spatial dimension, padding is one (before, after) pair for
each. Results that depend on these numbers alone are cached, because they take longer to compute
than a small array takes to pool.
"""

from functools import lru_cache


@lru_cache(maxsize=1024)
def output_size(size, kernel, stride, pads, dilation, ceil_mode=False):
    """Returns the number of windows per dimension; with `ceil_mode` the last window may extend
    beyond the end.

    A window that would start beyond the data and its leading padding is not counted.
    """
    sizes = []
    for n, k, s, (before, after), d in zip(size, kernel, stride, pads, dilation):
        span = n + before + after - d * (k - 1) - 1
        count = (-(-span // s) if ceil_mode else span // s) + 1
        if ceil_mode and (count - 1) * s >= n + before:
            count -= 1
        sizes.append(count)
    return tuple(sizes)


@lru_cache(maxsize=1024)
def fit_padding(size, kernel, stride, pads, dilation, out):
    """Returns `pads` with the padding at the end adjusted, so that the padded data end where the
    last window stops; it may become negative."""
    return tuple(
        (before, (o - 1) * s + d * (k - 1) + 1 - n - before)
        for n, k, s, (before, _), d, o in zip(size, kernel, stride, pads, dilation, out)
    )


def padded(xp, x, pads, fill=0):
    """Pads the spatial dimensions of `x` with `fill`; a negative pad removes elements instead.

    Args:
        xp: The array namespace of `x`.
        x: Array whose last len(pads) dimensions are spatial.
        pads: One (before, after) pair per spatial dimension.
        fill: The value outside.

    Returns:
        `x` itself if all pads are 0, otherwise a new array or a view of one.
    """
    inside, shape, target = _padding(tuple(x.shape), tuple(pads))
    if inside is not None:
        x = x[inside]
    if shape is None:
        return x
    padded_x = xp.zeros(shape, x.dtype) if fill == 0 else xp.full(shape, fill, x.dtype)
    padded_x[target] = x
    return padded_x


@lru_cache(maxsize=1024)
def _padding(shape, pads):
    """Returns the index of the elements that stay, the padded shape, and the index of these
    elements in it. The first is None if all stay, the others if nothing grows."""
    lead = shape[: len(shape) - len(pads)]
    sides = list(zip(shape[len(lead) :], pads))
    slices = [slice(max(-b, 0), n - max(-a, 0)) for n, (b, a) in sides]
    inside = (..., *slices) if any(b < 0 or a < 0 for b, a in pads) else None
    if not any(b > 0 or a > 0 for b, a in pads):
        return inside, None, None
    size = [len(range(n)[part]) for (n, _), part in zip(sides, slices)]
    grow = [(max(b, 0), max(a, 0)) for b, a in pads]
    grown = lead + tuple(n + b + a for n, (b, a) in zip(size, grow))
    return inside, grown, (..., *(slice(b, b + n) for n, (b, _) in zip(size, grow)))
