"""Fractional pooling: windows of one size whose distances vary, at random or as given.

Along an axis of n elements, with windows of length k and o outputs, let a = (n - k) / (o - 1).
Window i starts at floor((i + u) a) - floor(u a), the last one at n - k. u in [0, 1) is drawn for
each plane. Graham, "Fractional Max-Pooling" (2014). Pooling with a constant stride is in
_pooling/max_pool.py.
"""

import math

import numpy as np

from ..._backend.arrays import HOST
from ..._backend.random import streams
from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Any, AsValue, Bool, Float, Int, ListOf, OneOf, TensorOf
from .._conv.sizes import need_rank, per_dimension
from .._rules import Float16To64, Positive, length_first, listed, sizes

Plain = TensorOf("float16", "float32", "float64", "int32", "int64")
Pair = AsValue(sizes(Positive, 2))  # as the page says; a TypeError in 2.10
Ratio = Float(gt=0.0, lt=1.0)


def _begins(xp, u, n, o, k):
    """Returns where the windows of one dimension begin, (batch, channels, o)."""
    last = xp.full((*u.shape, 1), n - k, "int64")
    if o == 1:
        return last
    step = (n - k) / (o - 1)
    u = xp.expand_dims(u, -1)
    inner = xp.floor((xp.arange(o - 1) + u) * step) - xp.floor(u * step)
    return xp.concatenate([xp.cast(inner, "int64"), last], -1)


def _positions(xp, samples, size, out, kernel):
    """Returns the flat positions of all windows' elements, (batch, channels, out..., kernel
    positions)."""
    count = len(size)
    total = 0
    for i, (n, o, k) in enumerate(zip(size, out, kernel)):
        begin = _begins(xp, samples[..., count - 1 - i if count == 2 else i], n, o, k)
        reach = xp.expand_dims(begin, -1) + xp.arange(k)
        shape = [*begin.shape[:2]] + [1] * (2 * count)
        shape[2 + i], shape[2 + count + i] = o, k
        total = total * n + xp.reshape(reach, tuple(shape))
    kernel_elements = 1
    for k in kernel:
        kernel_elements *= k
    return xp.reshape(total, (*total.shape[: 2 + count], kernel_elements))


def _fractional(xp, api, x, samples, kernel, out, count):
    """Returns the maximum of each window, and its flat position."""
    need_rank(api, "random_samples", samples, 3, error=TypeError if count == 3 else ValueError)
    size, kernel, out = tuple(x.shape[2:]), per_dimension(kernel, count), per_dimension(out, count)
    if any(k + o - 1 > n for k, o, n in zip(kernel, out, size)):
        raise ValueError(
            f"For '{api}', kernel and output size less 1 must fit into the input together, but "
            f"got kernel {kernel}, output {out} and input {size}."
        )
    if tuple(samples.shape) != (*x.shape[:2], count):
        raise ValueError(
            f"For '{api}', 'random_samples' must have shape {(*x.shape[:2], count)}, but got "
            f"{tuple(samples.shape)}."
        )
    indices = _positions(xp, xp.cast(samples, "float64"), size, out, kernel)
    flat = xp.reshape(indices, (*indices.shape[:2], -1))
    values = xp.reshape(xp.take_spatial(x, flat, count), indices.shape)
    best = xp.expand_dims(xp.argmax(values, -1), -1)
    index = xp.squeeze(xp.take_along_axis(indices, best, -1), -1)
    return xp.take_spatial(x, index, count), index


def _sample(xp, api, x, samples, kernel, size, ratio, indices, count):
    """Runs the functional forms, in which the output size may be a ratio and the samples may be
    random."""
    need_rank(api, "input", x, count + 1, count + 2, error=TypeError if count == 3 else ValueError)
    if size is None and ratio is None:
        raise ValueError(f"For '{api}', 'output_size' or 'output_ratio' must be given.")
    alone = x.ndim == count + 1
    planes = xp.expand_dims(x, 0) if alone else x
    if size is None:
        listed(Ratio, count).refuse(api, "output_ratio", ratio)
        size = tuple(int(n * r) for n, r in zip(planes.shape[2:], per_dimension(ratio, count)))
    if samples is None:
        samples = xp.random_uniform((*planes.shape[:2], count))
    top, index = _fractional(xp, api, planes, samples, kernel, size, count)
    if alone:
        top, index = xp.squeeze(top, 0), xp.squeeze(index, 0)
    return (top, index) if indices else top


@op(
    "ops.fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None, "
    "return_indices=False, _random_samples=None)"
)
def fractional_max_pool2d(
    xp,
    input: Plain,
    kernel_size: Pair,
    output_size: Pair = None,
    output_ratio: Any = None,
    return_indices: Bool = False,
    _random_samples: Float16To64 = None,
):
    """Applies 2-D fractional max pooling: the maximum of windows of images whose distances vary at
    random.

    The output size is `output_size`, or `output_ratio` times the input size if that is None.
    `_random_samples`, (N, C, 2) in [0, 1), fixes the distances.

    Shapes:
        `input` is (N, C, H, W) or (C, H, W). The result has the lengths `output_size` along the
        last two axes and the same dtype. With `return_indices`, a second result holds int64
        positions in H * W.

    Example:
        >>> print(ms.ops.fractional_max_pool2d(ms.ops.ones((1, 1, 6, 6)), 2, output_size=3).shape)
        (1, 1, 3, 3)
    """
    return _sample(
        xp,
        "fractional_max_pool2d",
        input,
        _random_samples,
        kernel_size,
        output_size,
        output_ratio,
        return_indices,
        2,
    )


@op(
    "ops.fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None, "
    "return_indices=False, _random_samples=None)",
    types=SameDtype("input _random_samples"),
)
def fractional_max_pool3d(
    xp,
    input: Float16To64,
    kernel_size: length_first(Positive, 3, lists=False),
    output_size: sizes(Positive, 3) = None,
    output_ratio: Any = None,
    return_indices: Bool = False,
    _random_samples: Float16To64 = None,
):
    """Applies 3-D fractional max pooling: the maximum of windows of volumes whose distances vary at
    random.

    The output size is `output_size`, or `output_ratio` times the input size if that is None.
    `_random_samples`, (N, C, 3) in [0, 1), fixes the distances.

    Shapes:
        `input` is (N, C, D, H, W) or (C, D, H, W). The result has the lengths `output_size` along
        the last three axes and the same dtype. With `return_indices`, a second result holds
        positions in D * H * W.

    Example:
        >>> x = ms.ops.ones((1, 1, 6, 6, 6))
        >>> print(ms.ops.fractional_max_pool3d(x, 2, output_size=3).shape)
        (1, 1, 3, 3, 3)
    """
    return _sample(
        xp,
        "fractional_max_pool3d",
        input,
        _random_samples,
        kernel_size,
        output_size,
        output_ratio,
        return_indices,
        3,
    )


@op(
    "ops.FractionalMaxPoolWithFixedKsize(ksize, output_shape, data_format='NCHW')(input_x, "
    "random_samples)"
)
def fractional_max_pool2d_primitive(
    xp,
    input_x: Plain,
    random_samples: Float16To64,
    ksize: sizes(Positive, 2),
    output_shape: sizes(Positive, 2),
    data_format: AsValue(OneOf("NCHW")) = "NCHW",
):
    """Applies 2-D fractional max pooling: the maximum of each window of images, and its int64
    position in H * W.

    Shapes:
        `input_x` is (N, C, H, W), `random_samples` is (N, C, 2) in [0, 1). Both results are (N, C,
        *output_shape).

    Example:
        >>> pool = ms.ops.FractionalMaxPoolWithFixedKsize(2, 1)
        >>> v, i = pool(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), ms.Tensor([[[0.5, 0.5]]]))
        >>> print(v, i)
        [[[[4.]]]] [[[[3]]]]
    """
    need_rank("FractionalMaxPoolWithFixedKsize", "input_x", input_x, 4)
    return _fractional(
        xp, "FractionalMaxPoolWithFixedKsize", input_x, random_samples, ksize, output_shape, 2
    )


@op(
    "ops.FractionalMaxPool3DWithFixedKsize(ksize, output_shape, data_format='NCDHW')(x, "
    "random_samples)"
)
def fractional_max_pool3d_primitive(
    xp,
    x: Plain,
    random_samples: Float16To64,
    ksize: sizes(Positive, 3),
    output_shape: sizes(Positive, 3),
    data_format: AsValue(OneOf("NCDHW", "NDHWC")) = "NCDHW",
):
    """Applies 3-D fractional max pooling: the maximum of each window of volumes, and its int64
    position in D * H * W.

    Shapes:
        `x` is (N, C, D, H, W), `random_samples` is (N, C, 3) in [0, 1). Both results are (N, C,
        *output_shape).

    Example:
        >>> pool = ms.ops.FractionalMaxPool3DWithFixedKsize(2, 1)
        >>> v, i = pool(ms.ops.ones((1, 1, 2, 2, 2)), ms.Tensor([[[0.5, 0.5, 0.5]]]))
        >>> print(v, i)
        [[[[[1.]]]]] [[[[[0]]]]]
    """
    need_rank("FractionalMaxPool3DWithFixedKsize", "x", x, 4, 5, error=TypeError)
    last, alone = data_format == "NDHWC", x.ndim == 4
    x = xp.moveaxis(x, -1, x.ndim - 4) if last else x
    x = xp.expand_dims(x, 0) if alone else x
    results = _fractional(
        xp, "FractionalMaxPool3DWithFixedKsize", x, random_samples, ksize, output_shape, 3
    )
    results = [xp.moveaxis(f, 1, -1) if last else f for f in results]
    return tuple(xp.squeeze(f, 0) if alone else f for f in results)


# Windows that tile images (N, H, W, C), between random boundaries ---------------------------------


def _boundaries(n, ratio, pseudo, fixed, stream):
    """Returns the starts of the windows along one axis, and its end; a host list of ints."""
    count = int(n / ratio)
    small = n // count
    if pseudo:
        u = stream.random()
        cuts = [int(math.ceil(n / count * (i + u))) for i in range(count + 1)]
        cuts = [min(max(c - cuts[0], 0), n) for c in cuts]
        return [*cuts[:-1], n]
    lengths = np.full(count, small)
    lengths[count - (n - small * count) :] += 1
    lengths = lengths if fixed else stream.permutation(lengths)
    return [0, *np.cumsum(lengths).tolist()]


def _tile(xp, api, x, ratio, pseudo, overlapping, deterministic, seeds, reduce):
    """Reduces the windows between boundaries; returns the result and the boundaries of rows and
    columns."""
    need_rank(api, "x", x, 4, error=TypeError)
    if ratio[0] != 1.0 or ratio[3] != 1.0 or min(ratio) < 1.0:
        raise ValueError(
            f"For '{api}', 'pooling_ratio' must be at least 1.0, and 1.0 for batch and channels, "
            f"but got {ratio}."
        )
    if any(seeds) and not deterministic:
        raise ValueError(
            f"For '{api}', 'seed' and 'seed2' must be 0 unless 'deterministic' is "
            f"True, but got {seeds[0]} and {seeds[1]}."
        )
    stream = streams.Stream(seeds[0] << 32 | seeds[1]) if any(seeds) else streams.default
    draw = stream.next(HOST)
    cuts = [
        _boundaries(n, r, pseudo, deterministic, draw) for n, r in zip(x.shape[1:3], ratio[1:3])
    ]
    x = tiles(xp, x, cuts, overlapping, reduce)
    return x, xp.asarray(cuts[0], "int64"), xp.asarray(cuts[1], "int64")


def tiles(xp, x, cuts, overlapping, reduce):
    """Reduces (N, H, W, C) between lists of boundaries of rows and of columns."""
    for axis, positions in zip((1, 2), cuts):
        front = (slice(None),) * axis
        reach = [(a, min(b + overlapping, x.shape[axis])) for a, b in zip(positions, positions[1:])]
        x = xp.stack([reduce(xp, x[front + (slice(a, b),)], axis) for a, b in reach], axis)
    return x


def tile_mean(xp, part, axis):
    """Computes the mean along an axis; a `reduce` of `tiles`."""
    return xp.sum(part, axis) / part.shape[axis]


def tile_max(xp, part, axis):
    """Computes the maximum along an axis; a `reduce` of `tiles`."""
    return xp.max(part, axis)


Ratios = ListOf(Float, length=4)
Float32OrWider = TensorOf("float32", "float64", "int32", "int64")


@op(
    "ops.FractionalMaxPool(pooling_ratio, pseudo_random=False, overlapping=False, "
    "deterministic=False, seed=0, seed2=0)(x)",
    quirks=Quirks(shapes_first=True),
)
def fractional_max_pool(
    xp,
    x: Float32OrWider,
    pooling_ratio: Ratios,
    pseudo_random: Bool = False,
    overlapping: Bool = False,
    deterministic: Bool = False,
    seed: Int = 0,
    seed2: Int = 0,
):
    """Applies fractional max pooling: the maximum of each of the windows that tile images.

    There are floor(size / ratio) windows along an axis, of two successive lengths in random order;
    with `pseudo_random`, in a regular order with a random start. With `overlapping`, a window
    includes the first element of the next.

    Shapes:
        `x` is (N, H, W, C). The result is (N, H', W', C), of the same dtype.

    Returns:
        The result, and the boundaries of the windows in rows and in columns.

    Example:
        >>> pool = ms.ops.FractionalMaxPool([1.0, 2.0, 2.0, 1.0])
        >>> print(pool(ms.ops.ones((1, 4, 4, 1), ms.float32))[0].shape)
        (1, 2, 2, 1)
    """
    return _tile(
        xp,
        "FractionalMaxPool",
        x,
        pooling_ratio,
        pseudo_random,
        overlapping,
        deterministic,
        (seed, seed2),
        tile_max,
    )


@op(
    "ops.FractionalAvgPool(pooling_ratio, pseudo_random=False, overlapping=False, "
    "deterministic=False, seed=0, seed2=0)(x)",
    quirks=Quirks(shapes_first=True),
)
def fractional_avg_pool(
    xp,
    x: Float32OrWider,
    pooling_ratio: Ratios,
    pseudo_random: Bool = False,
    overlapping: Bool = False,
    deterministic: Bool = False,
    seed: Int = 0,
    seed2: Int = 0,
):
    """Applies fractional average pooling: the mean of each of the windows that tile images.

    There are floor(size / ratio) windows along an axis, of two successive lengths in random order;
    with `pseudo_random`, in a regular order with a random start. With `overlapping`, a window
    includes the first element of the next.

    Shapes:
        `x` is (N, H, W, C). The result is (N, H', W', C), of the same dtype.

    Example:
        >>> pool = ms.ops.FractionalAvgPool([1.0, 2.0, 2.0, 1.0])
        >>> print(pool(ms.ops.ones((1, 4, 4, 1), ms.float32))[0].shape)
        (1, 2, 2, 1)
    """
    result = _tile(
        xp,
        "FractionalAvgPool",
        xp.cast(x, "float64"),
        pooling_ratio,
        pseudo_random,
        overlapping,
        deterministic,
        (seed, seed2),
        tile_mean,
    )
    return (xp.cast(result[0], x.dtype), *result[1:])
