"""Samples of images and volumes at the points of a grid, and their gradients, as one kernel each.

They compute what ops/_image/grid_points.py computes with array functions. A thread has one point,
and loops over channels; several rows of blocks share the channels of few points.
"""

import functools
from math import prod

import numpy

THREADS, MOST_BLOCKS = 256, 1 << 16
ENOUGH = 1 << 17  # threads that keep a GPU busy
_TYPES = {numpy.dtype(numpy.float32): "float", numpy.dtype(numpy.float64): "double"}
_SETTINGS = """
typedef {real} T;
typedef {size} Size;
#define AXES {axes}
#define CORNERS {corners}
#define LINEAR {linear}
#define ALIGNED {aligned}
#define PIXELS {pixels}
#define REFLECTS {reflects}
#define CLAMPS {clamps}
"""
_TEXT = """
/* Keeps a product and a sum from being rounded once, so that points equal those of the host. */
__device__ T rounded(T value) {{ volatile T kept = value; return kept; }}

/* The pixel coordinate of a coordinate in [-1, 1], or of a pixel coordinate with PIXELS, and its
   derivative. A NaN becomes the lowest. */
__device__ T placed(T at, T length, T* slope) {{
    *slope = PIXELS ? (T)1 : (ALIGNED ? length - 1 : length) / 2;
    if (!PIXELS) at = ALIGNED ? (at + 1) * *slope : (rounded((at + 1) * length) - 1) / 2;
    if (REFLECTS) {{
        const T first = ALIGNED ? (T)0 : (T)-0.5, span = ALIGNED ? length - 1 : length;
        const T away = span > 0 ? fabs(at - first) : (T)0, extra = span > 0 ? fmod(away, span) : 0;
        const bool even = span <= 0 || fmod(floor(away / span), (T)2) == 0;
        if (span <= 0 || at == first) *slope = 0;
        else if (even != at > first) *slope = -*slope;
        if (at == at) at = (even ? extra : span - extra) + (span > 0 ? first : (T)0);
    }}
    const T low = CLAMPS ? 0 : -2, high = CLAMPS ? length - 1 : length + 1;
    if (at > low && at < high) return at;
    *slope = 0;
    return at > low ? high : low;
}}

/* The flat positions of the pixels around a point, -1 outside, and their weights. Further the place
   of the point between them, and its derivative, along each axis. */
__device__ void surround(const T* point, const int* length, Size* pixel, T* weight, T* share,
                         T* slope) {{
    int low[AXES];
    for (int axis = 0; axis < AXES; ++axis) {{
        const T at = placed(point[AXES - 1 - axis], (T)length[axis], slope + axis);
        const T whole = LINEAR ? floor(at) : rint(at);
        low[axis] = (int)whole;
        share[axis] = at - whole;
    }}
    for (int corner = 0; corner < CORNERS; ++corner) {{
        bool inside = true;
        Size flat = 0;
        weight[corner] = 1;
        for (int axis = 0; axis < AXES; ++axis) {{
            const int up = corner >> (AXES - 1 - axis) & 1, index = low[axis] + up;
            inside = inside && index >= 0 && index < length[axis];
            flat = flat * length[axis] + index;
            if (LINEAR) weight[corner] *= up ? share[axis] : 1 - share[axis];
        }}
        pixel[corner] = inside ? flat : (Size)-1;
    }}
}}

extern "C" __global__ void __launch_bounds__({threads}) {name}(
    {arguments}, Size count, Size points, Size channels, Size area, int length0, int length1,
    int length2) {{
    const int length[3] = {{length0, length1, length2}};
    for (Size at = blockIdx.x * (Size)blockDim.x + threadIdx.x; at < count;
         at += gridDim.x * (Size)blockDim.x) {{
        Size pixel[CORNERS];
        T weight[CORNERS], share[AXES], slope[AXES];
        surround(grid + at * AXES, length, pixel, weight, share, slope);
        const Size row = at / points, place = at - row * points;
        {body}
    }}
}}
"""
_EACH_CHANNEL = """
        for (Size channel = blockIdx.y; channel < channels; channel += gridDim.y) {{
            const Size plane = row * channels + channel;
            {body}
        }}
"""
_EACH_CORNER = "for (int corner = 0; corner < CORNERS; ++corner) if (pixel[corner] >= 0)"
_SAMPLE = f"""
            T total = 0;
            {_EACH_CORNER} total += x[plane * area + pixel[corner]] * weight[corner];
            out[plane * points + place] = total;
"""
_SPREAD = f"""
            const T part = g[plane * points + place];
            {_EACH_CORNER} atomicAdd(out + plane * area + pixel[corner], part * weight[corner]);
"""
_SUM = f"""
            const T part = g[plane * points + place];
            {_EACH_CORNER} sum[corner] += x[plane * area + pixel[corner]] * part;
"""
_SLOPE = f"""
        T sum[CORNERS];
        for (int corner = 0; corner < CORNERS; ++corner) sum[corner] = 0;
        {_EACH_CHANNEL.format(body=_SUM)}
        for (int axis = 0; axis < AXES; ++axis) {{
            T total = 0;
            for (int corner = 0; corner < CORNERS; ++corner) {{
                T part = corner >> (AXES - 1 - axis) & 1 ? sum[corner] : -sum[corner];
                for (int other = 0; other < AXES; ++other) if (other != axis)
                    part *= corner >> (AXES - 1 - other) & 1 ? share[other] : 1 - share[other];
                total += part;
            }}
            out[at * AXES + AXES - 1 - axis] = total * slope[axis];
        }}
"""
_KERNELS = {
    "sample_points": ("const T* x, const T* grid, T* out", _EACH_CHANNEL.format(body=_SAMPLE)),
    "spread_points": ("const T* g, const T* grid, T* out", _EACH_CHANNEL.format(body=_SPREAD)),
    "slope_points": ("const T* g, const T* x, const T* grid, T* out", _SLOPE),
}


@functools.cache
def _kernel(module, name, dtype, size, axes, mode, padding, corners):
    linear = int(mode == "bilinear")
    settings = _SETTINGS.format(
        real=_TYPES[dtype],
        size=size,
        axes=axes,
        corners=1 << axes if linear else 1,
        linear=linear,
        aligned=int(corners is not False),
        pixels=int(corners is None),
        reflects=int(padding == "reflection"),
        clamps=int(padding != "zeros"),
    )
    arguments, body = _KERNELS[name]
    text = _TEXT.format(threads=THREADS, name=name, arguments=arguments, body=body)
    return module.RawKernel(settings + text, name)


def takes(space, *arrays):
    """Returns True if there are kernels for such arrays: all float32, or all float64."""
    dtypes = {array.dtype for array in arrays}
    return space.kernels is not None and len(dtypes) == 1 and dtypes <= _TYPES.keys()


def sample(space, x, grid, mode, padding, corners):
    """Returns the samples of images (N, C, ...) at the points of a grid, (N, C, ...)."""
    out = space.module.empty((len(grid), x.shape[1], *grid.shape[1:-1]), x.dtype)
    return _run(space, "sample_points", (x,), grid, out, x.shape, mode, padding, corners)


def spread(space, g, grid, x_shape, mode, padding, corners):
    """Returns the gradient of `sample` for images of the shape `x_shape`."""
    out = space.module.zeros(x_shape, g.dtype)
    return _run(space, "spread_points", (g,), grid, out, x_shape, mode, padding, corners)


def slope(space, g, x, grid, padding, corners):
    """Returns the gradient of `sample` for the grid, for linear interpolation."""
    out, settings = space.module.empty(grid.shape, grid.dtype), ("bilinear", padding, corners)
    return _run(space, "slope_points", (g, x), grid, out, x.shape, *settings)


def _run(space, name, given, grid, out, x_shape, *settings):
    most, channels, *lengths = x_shape
    points = prod(grid.shape[1:-1])
    count, area = len(grid) * points, prod(lengths)
    if not (count and channels and area and most):
        out.fill(0)
        return out
    largest = channels * max(count, most * area, len(lengths) * count)
    is_small = largest < 2**31 - THREADS * MOST_BLOCKS
    number, size = (numpy.int32, "int") if is_small else (numpy.int64, "long long")
    numbers = [number(n) for n in (count, points, channels, area)]
    numbers += [numpy.int32(n) for n in (*lengths, 1)[:3]]
    blocks = min(-(-count // THREADS), MOST_BLOCKS)
    rows = 1 if name == "slope_points" else min(channels, -(-ENOUGH // count), MOST_BLOCKS - 1)
    kernel = _kernel(space.module, name, out.dtype, size, len(lengths), *settings)
    arrays = [space.module.ascontiguousarray(array) for array in (*given, grid)]
    kernel((blocks, rows), (THREADS,), (*arrays, out, *numbers))
    return out
