"""Samples of images at points inside them, and their gradients, as one kernel each.

They compute what ops/_image/bilinear.py computes with array functions. Images are read as they lie,
with channels second or last, and so are gradients. In `sample_inside` and `spread_inside`, a
thread computes one channel of a point, and neighbouring threads use neighbouring elements. In
`slope_inside`, a thread computes a point and loops over the channels.
"""

import functools
from math import prod

import numpy

THREADS, MOST_BLOCKS = 256, 1 << 16
_TYPES = {numpy.dtype(numpy.float32): "float", numpy.dtype(numpy.float64): "double"}
_TEXT = """
typedef {real} T;
typedef {size} Size;

/* The pixels around a point, the first and the last along an axis, and the place between them. */
__device__ T around(T at, Size length, Size* first, Size* last) {{
    const T low = floor(at);
    *first = low > 0 ? (Size)(low < length ? low : length - 1) : 0;
    *last = *first + ({by_ceil} ? at > low : 1);
    if (*last >= length) *last = length - 1;
    return at - low;
}}

extern "C" __global__ void __launch_bounds__({threads}) {name}(
    {given}, const long long* images, const T* ys, const T* xs, T* out, Size count, Size points,
    Size channels, Size most, Size height, Size width, Size image_step, Size channel_step,
    Size row_step, Size column_step, Size region_step, Size point_step, Size part_step) {{
    for (Size at = blockIdx.x * (Size)blockDim.x + threadIdx.x; at < count;
         at += gridDim.x * (Size)blockDim.x) {{
        {split}
        const Size point = region * points + place;
        Size top, bottom, left, right, image = images[region] % most;
        image += image < 0 ? most : 0;
        const T y = around(ys[point], height, &top, &bottom);
        const T x_ = around(xs[point], width, &left, &right);
        const Size base = image * image_step, own = region * region_step + place * point_step;
        const Size corners[4] = {{
            base + top * row_step + left * column_step, base + top * row_step + right * column_step,
            base + bottom * row_step + left * column_step,
            base + bottom * row_step + right * column_step}};
        {body}
    }}
}}
"""
_SPLITS = {  # what a thread has, by `last`: whether channels lie last; None for all channels
    True: """const Size channel = at % channels, place = at / channels % points;
        const Size region = at / channels / points;""",
    False: """const Size place = at % points, channel = at / points % channels;
        const Size region = at / points / channels;""",
    None: "const Size place = at % points, region = at / points;",
}
_SHARES = "const T shares[4] = {(1 - y) * (1 - x_), (1 - y) * x_, y * (1 - x_), y * x_};"
_SAMPLE = f"""{_SHARES}
        T total = 0;
        for (int k = 0; k < 4; ++k) total += x[corners[k] + channel * channel_step] * shares[k];
        out[own + channel * part_step] = total;"""
_SPREAD = f"""{_SHARES}
        const T part = g[own + channel * part_step];
        for (int k = 0; k < 4; ++k)
            atomicAdd(out + corners[k] + channel * channel_step, part * shares[k]);"""
_SLOPE = """T sums[4] = {0, 0, 0, 0};
        for (Size channel = 0; channel < channels; ++channel) {
            const T part = g[own + channel * part_step];
            for (int k = 0; k < 4; ++k) sums[k] += x[corners[k] + channel * channel_step] * part;
        }
        out[point] = (1 - x_) * (sums[2] - sums[0]) + x_ * (sums[3] - sums[1]);
        out[count + point] = (1 - y) * (sums[1] - sums[0]) + y * (sums[3] - sums[2]);"""
_KERNELS = {
    "sample_inside": ("const T* x", _SAMPLE),
    "spread_inside": ("const T* g", _SPREAD),
    "slope_inside": ("const T* g, const T* x", _SLOPE),
}


@functools.cache
def _kernel(module, name, dtype, size, last, by_ceil):
    given, body = _KERNELS[name]
    text = _TEXT.format(
        real=_TYPES[dtype],
        size=size,
        by_ceil=int(by_ceil),
        threads=THREADS,
        name=name,
        given=given,
        split=_SPLITS[last],
        body=body,
    )
    return module.RawKernel(text, name)


def takes(space, *arrays):
    """Returns True if there are kernels for such arrays: all float32, or all float64."""
    dtypes = {array.dtype for array in arrays}
    return space.kernels is not None and len(dtypes) == 1 and dtypes <= _TYPES.keys()


def sample(space, x, images, ys, xs):
    """Returns the samples (R, P, C) of images (N, C, H, W) at points (R, P)."""
    last = _are_last(x, 1)
    out = _new(space.module.empty, (*ys.shape, x.shape[1]), x.dtype, 2, last)
    return _run(space, "sample_inside", (x,), images, ys, xs, out, x, out, last)


def spread(space, g, images, ys, xs, x_shape):
    """Returns the gradient of `sample` for the images, which have the shape `x_shape`."""
    last = _are_last(g, 2)
    out = _new(space.module.zeros, x_shape, g.dtype, 1, last)
    return _run(space, "spread_inside", (g,), images, ys, xs, out, out, g, last)


def slope(space, g, x, images, ys, xs, by_ceil):
    """Returns the gradients of `sample` for the vertical and the horizontal coordinates."""
    out = space.module.empty((2, *ys.shape), x.dtype)
    _run(space, "slope_inside", (g, x), images, ys, xs, out, x, g, None, by_ceil)
    return out[0], out[1]


def _are_last(array, axis):
    """Returns True if the channels, the axis `axis`, lie side by side in memory."""
    return array.strides[axis] == array.itemsize


def _new(create, shape, dtype, axis, last):
    """Returns a new array whose axis of channels lies last in memory, or second."""
    rank = len(shape)
    order = [*range(axis), *range(axis + 1, rank), axis] if last else [0, axis]
    order += [] if last else [other for other in range(1, rank) if other != axis]
    array = create([shape[axis] for axis in order], dtype)
    return array.transpose([order.index(axis) for axis in range(rank)])


def _run(space, name, given, images, ys, xs, out, planes, values, last, by_ceil=False):
    """Launches a kernel; `planes` is an array (N, C, H, W), and `values` one (R, P, C)."""
    most, channels, height, width = planes.shape
    count = ys.size * (1 if last is None else channels)
    if not (count and channels and planes.size):
        out.fill(0)
        return out
    contiguous, itemsize = space.module.ascontiguousarray, out.itemsize
    arrays = (*given, contiguous(images.astype(numpy.int64, copy=False)))
    steps = [step // itemsize for step in (*planes.strides, *values.strides)]
    farthest = max(
        sum((n - 1) * abs(step) for n, step in zip(array.shape, array.strides)) // itemsize
        for array in (planes, values)
    )
    is_small = max(farthest, 2 * count, prod(values.shape)) < 2**31 - THREADS * MOST_BLOCKS
    number, size = (numpy.int32, "int") if is_small else (numpy.int64, "long long")
    numbers = map(number, (count, ys.shape[1], channels, most, height, width, *steps))
    blocks = min(-(-count // THREADS), MOST_BLOCKS)
    kernel = _kernel(space.module, name, out.dtype, size, last, by_ceil)
    kernel((blocks,), (THREADS,), (*arrays, contiguous(ys), contiguous(xs), out, *numbers))
    return out
