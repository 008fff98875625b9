"""The few hand-written CUDA kernels: im2col and col2im, and maximum pooling.

Each does in one pass over memory what array functions do in one pass per window position. One
thread makes one element of the result and no two threads write one element, so results do not
depend on the order of threads. Data are (..., spatial) in C order with up to three spatial
dimensions; missing ones count as length 1. Where a kernel does not apply (another dtype, more
dimensions), convolution.py and pooling.py do without it, with the same result.
"""

from math import prod
from typing import NamedTuple

import numpy as np

THREADS = 256
MOST_BLOCKS = 1 << 20  # a thread goes on with further elements beyond this
TYPES = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}

# d: size of the data, k: kernel, o: windows, s: stride, p: padding before, l: dilation.
_SIZES = ", ".join(f"int {letter}{axis}" for letter in "dkospl" for axis in range(3))
_FRAME = """
extern "C" __global__ void __launch_bounds__({threads}) {name}(
    {arguments}, long long total, {sizes}) {{
    for (long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x; at < total;
         at += (long long)gridDim.x * blockDim.x) {{
        long long rest = at;
        {body}
    }}
}}
"""

_ARGUMENTS = {
    "im2col": "const T* x, T* out, int channels, long long by_sample, long long by_channel, "
    "long long by_position",
    "col2im": "const T* g, T* out, int channels, long long by_sample, long long by_channel, "
    "long long by_position",
    "maximum": "const T* x, T* out",
    "index_of_maximum": "const T* x, const T* largest, long long* out, long long none",
    "add_at_index": "const T* g, const long long* index, T* out",
}

_BODIES = {
    # One element per (sample, channel, kernel position, window).
    "im2col": """
        int w2 = rest % o2; rest /= o2;
        int w1 = rest % o1; rest /= o1;
        int w0 = rest % o0; rest /= o0;
        int t2 = rest % k2; rest /= k2;
        int t1 = rest % k1; rest /= k1;
        int t0 = rest % k0; rest /= k0;
        int channel = rest % channels;
        long long sample = rest / channels;
        int i0 = w0 * s0 - p0 + t0 * l0, i1 = w1 * s1 - p1 + t1 * l1, i2 = w2 * s2 - p2 + t2 * l2;
        bool inside = i0 >= 0 && i0 < d0 && i1 >= 0 && i1 < d1 && i2 >= 0 && i2 < d2;
        long long to = sample * by_sample + channel * by_channel
            + ((t0 * k1 + t1) * k2 + t2) * by_position + ((long long)w0 * o1 + w1) * o2 + w2;
        long long plane = sample * channels + channel;
        out[to] = inside ? x[((plane * d0 + i0) * d1 + i1) * d2 + i2] : (T)0;
""",
    # One element per data element: the columns that it was copied to are added.
    "col2im": """
        int i2 = rest % d2; rest /= d2;
        int i1 = rest % d1; rest /= d1;
        int i0 = rest % d0; rest /= d0;
        int channel = rest % channels;
        long long sample = rest / channels;
        const T* from = g + sample * by_sample + channel * by_channel;
        T sum = 0;
        for (int t0 = 0; t0 < k0; ++t0) {
            int a0 = i0 + p0 - t0 * l0, w0 = a0 / s0;
            if (a0 < 0 || w0 * s0 != a0 || w0 >= o0) continue;
            for (int t1 = 0; t1 < k1; ++t1) {
                int a1 = i1 + p1 - t1 * l1, w1 = a1 / s1;
                if (a1 < 0 || w1 * s1 != a1 || w1 >= o1) continue;
                for (int t2 = 0; t2 < k2; ++t2) {
                    int a2 = i2 + p2 - t2 * l2, w2 = a2 / s2;
                    if (a2 < 0 || w2 * s2 != a2 || w2 >= o2) continue;
                    sum += from[((t0 * k1 + t1) * k2 + t2) * by_position
                                + ((long long)w0 * o1 + w1) * o2 + w2];
                }
            }
        }
        out[at] = sum;
""",
    # One element per window; a NaN stays, a window over padding alone gives -infinity.
    "maximum": """
        int w2 = rest % o2; rest /= o2;
        int w1 = rest % o1; rest /= o1;
        int w0 = rest % o0;
        const T* data = x + rest / o0 * d0 * d1 * d2;
        T best = (T)(-INFINITY);
        for (int t0 = 0; t0 < k0; ++t0) {
            int i0 = w0 * s0 - p0 + t0 * l0;
            if (i0 < 0 || i0 >= d0) continue;
            for (int t1 = 0; t1 < k1; ++t1) {
                int i1 = w1 * s1 - p1 + t1 * l1;
                if (i1 < 0 || i1 >= d1) continue;
                for (int t2 = 0; t2 < k2; ++t2) {
                    int i2 = w2 * s2 - p2 + t2 * l2;
                    if (i2 < 0 || i2 >= d2) continue;
                    T value = data[((long long)i0 * d1 + i1) * d2 + i2];
                    if (value > best || value != value) best = value;
                }
            }
        }
        out[at] = best;
""",
    # One element per window: the first offset that holds its maximum, or `none`.
    "index_of_maximum": """
        int w2 = rest % o2; rest /= o2;
        int w1 = rest % o1; rest /= o1;
        int w0 = rest % o0;
        const T* data = x + rest / o0 * d0 * d1 * d2;
        T best = largest[at];
        long long found = -1;
        for (int t0 = 0; t0 < k0 && found < 0; ++t0) {
            int i0 = w0 * s0 - p0 + t0 * l0;
            if (i0 < 0 || i0 >= d0) continue;
            for (int t1 = 0; t1 < k1 && found < 0; ++t1) {
                int i1 = w1 * s1 - p1 + t1 * l1;
                if (i1 < 0 || i1 >= d1) continue;
                for (int t2 = 0; t2 < k2 && found < 0; ++t2) {
                    int i2 = w2 * s2 - p2 + t2 * l2;
                    if (i2 < 0 || i2 >= d2) continue;
                    long long offset = ((long long)i0 * d1 + i1) * d2 + i2;
                    if (data[offset] == best) found = offset;
                }
            }
        }
        out[at] = found < 0 ? none : found;
""",
    # One element per data element: the gradients of the windows whose index names it are added.
    "add_at_index": """
        int i2 = rest % d2; rest /= d2;
        int i1 = rest % d1; rest /= d1;
        int i0 = rest % d0;
        long long first = rest / d0 * o0 * o1 * o2;
        long long own = ((long long)i0 * d1 + i1) * d2 + i2;
        T sum = 0;
        for (int t0 = k0 - 1; t0 >= 0; --t0) {
            int a0 = i0 + p0 - t0 * l0, w0 = a0 / s0;
            if (a0 < 0 || w0 * s0 != a0 || w0 >= o0) continue;
            for (int t1 = k1 - 1; t1 >= 0; --t1) {
                int a1 = i1 + p1 - t1 * l1, w1 = a1 / s1;
                if (a1 < 0 || w1 * s1 != a1 || w1 >= o1) continue;
                for (int t2 = k2 - 1; t2 >= 0; --t2) {
                    int a2 = i2 + p2 - t2 * l2, w2 = a2 / s2;
                    if (a2 < 0 || w2 * s2 != a2 || w2 >= o2) continue;
                    long long window = first + ((long long)w0 * o1 + w1) * o2 + w2;
                    if (index[window] == own) sum += g[window];
                }
            }
        }
        out[at] = sum;
""",
}


def source(name, ctype="float"):
    """The CUDA text of a kernel, for elements of the C type `ctype`."""
    text = _FRAME.format(
        name=name,
        threads=THREADS,
        arguments=_ARGUMENTS[name],
        sizes=_SIZES,
        body=_BODIES[name].strip(),
    )
    return (
        f"typedef {ctype} T;\n#ifndef INFINITY\n#define INFINITY __int_as_float(0x7f800000)\n"
        f"#endif\n{text}"
    )


KERNELS = {name: source(name) for name in _BODIES}


class Windows(NamedTuple):
    """The sizes of windows over data; one entry per spatial dimension."""

    size: tuple
    kernel: tuple
    out: tuple
    stride: tuple
    pads: tuple
    dilation: tuple


def kernels_of(xp, x, kernel):
    """The kernels for `x` and windows of this many dimensions, or None where there are none."""
    found = getattr(xp, "kernels", None)
    return found if found is not None and found.apply(x, kernel) else None


class Kernels:
    """The kernels, compiled when they are first needed, for arrays of one CuPy."""

    def __init__(self, module):
        self.module = module
        self._made = {}

    def apply(self, x, kernel):
        """True if there are kernels for arrays like `x` and this many spatial dimensions."""
        return x.dtype in TYPES and len(kernel) <= 3 and x.size < 2**62

    def im2col(self, x, out, geo, strides):
        """Copies the windows of `x`, (samples, channels, spatial...), into `out`.

        Args:
            x: the data, without padding.
            out: where each window position goes, at `strides` elements per sample, channel, kernel
                position.
            geo: the sizes: channels, size, kernel, out, stride, pads, dilation.
            strides: three numbers.
        """
        x = self.module.ascontiguousarray(x)
        total = x.shape[0] * x.shape[1] * prod(geo.kernel) * prod(geo.out)
        self._run("im2col", total, geo, x, out, np.int32(x.shape[1]), *map(np.int64, strides))
        return out

    def col2im(self, g, shape, geo, strides):
        """The windows in `g`, in the layout of `im2col`, added back to data of this shape."""
        g = self.module.ascontiguousarray(g)
        out = self.module.empty(shape, g.dtype)
        self._run("col2im", out.size, geo, g, out, np.int32(shape[1]), *map(np.int64, strides))
        return out

    def maximum(self, x, geo):
        """The largest value of each window of `x`, (planes, spatial...)."""
        out = self.module.empty((x.shape[0], *geo.out), x.dtype)
        self._run("maximum", out.size, geo, self.module.ascontiguousarray(x), out)
        return out

    def index_of_maximum(self, x, largest, geo, none=0):
        """Where each window of `x` first holds the value in `largest`; `none` where it does not."""
        out = self.module.empty(largest.shape, np.int64)
        x, largest = map(self.module.ascontiguousarray, (x, largest))
        self._run("index_of_maximum", out.size, geo, x, largest, out, np.int64(none))
        return out

    def add_at_index(self, g, index, shape, geo):
        """Data of this shape in which each window's `g` is added at its index."""
        out = self.module.empty(shape, g.dtype)
        g, index = map(self.module.ascontiguousarray, (g, index))
        self._run("add_at_index", out.size, geo, g, index, out)
        return out

    def _run(self, name, total, geo, *arguments):
        if total == 0:
            return
        blocks = min(-(-total // THREADS), MOST_BLOCKS)
        dtype = arguments[0].dtype
        compiled = self._made.get((name, dtype))
        if compiled is None:
            compiled = self.module.RawKernel(source(name, TYPES[dtype]), name)
            self._made[name, dtype] = compiled
        compiled((blocks,), (THREADS,), (*arguments, np.int64(total), *_sizes(geo)))


def _sizes(geo):
    """The sizes as the kernels take them; missing leading dimensions are of length 1."""
    lacking = 3 - len(geo.kernel)
    before = tuple(pad[0] for pad in geo.pads)
    for values, fill in (
        (geo.size, 1),
        (geo.kernel, 1),
        (geo.out, 1),
        (geo.stride, 1),
        (before, 0),
        (geo.dilation, 1),
    ):
        for value in (fill,) * lacking + tuple(values):
            yield np.int32(value)
