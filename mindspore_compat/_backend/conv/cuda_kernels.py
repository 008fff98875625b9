"""Hand-written CUDA kernels for im2col, col2im and pooling.

Each kernel needs one pass over memory, where array functions need one pass per window position. A
thread processes one window, or one element of the data, in several planes. No two threads write to
the same element, so results do not depend on thread scheduling. The first grid axis is the position
within a plane, whose indices are computed once and in 32 bits; the second is the plane. Data are
(..., spatial) in C order with up to three spatial dimensions; missing ones count as length 1. If a
kernel does not apply (another dtype, more dimensions), convolution.py and pooling.py compute the
same result without it.

The windows of adaptive pooling are *parts*: along an axis of d elements, part w of o runs from
floor(w d / o) to ceil((w + 1) d / o).
"""

from functools import lru_cache
from math import prod
from typing import NamedTuple

import ml_dtypes
import numpy as np

from ..bodies import c_code

THREADS = 256  # threads of a block
MOST_BLOCKS, MOST_ROWS = 1 << 13, 65535  # beyond these, a thread loops over planes
LARGEST = 2**30  # elements of a plane, limited by 32-bit indices
LARGEST_DIVIDEND = 2**31  # the quotients of larger numbers are not exact
FLOAT32 = np.dtype(np.float32)
DTYPES = (FLOAT32, *map(np.dtype, (np.float64, np.float16, ml_dtypes.bfloat16)))

# d: size of the data, k: kernel, o: windows, s: stride, p: padding before, l: dilation. A number
# n < 2^31 is divided by a product: (the high half of n * multiplier, plus n) >> shift.
_SIZES = ", ".join(f"int {letter}{axis}" for letter in "dkospl" for axis in range(3))
_DIVISORS = {
    "windows": ("o1", "o2"),
    "data": ("d1", "d2", *(f"{letter}{axis}" for letter in "sl" for axis in range(3))),
    "parts": ("o0", "o1", "o2"),
    "data of parts": tuple(f"{letter}{axis}" for letter in "do" for axis in range(3)),
}
_HEAD = """{halves}
typedef {element} T;
typedef {real} Real;
#define LOAD(x) {load}
#define STORE(x) {store}
#define DILATED {dilated}
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
"""
_FRAME = """
__device__ unsigned quotient(unsigned n, unsigned multiplier, unsigned shift) {{
    return ((unsigned)((unsigned long long)n * multiplier >> 32) + n) >> shift;
}}
extern "C" __global__ void __launch_bounds__({threads}) {name}(
    {arguments}, unsigned planes, unsigned count, {sizes}, {divisors}) {{
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count) return;
    {place}
    for (unsigned plane = blockIdx.y * blockDim.y + threadIdx.y; plane < planes;
         plane += gridDim.y * blockDim.y) {{
        {body}
    }}
}}
"""
# The first and the last of the windows along an axis that reach as far as an element.
_REACH = """
    int e{axis} = i{axis} - l{axis} * (k{axis} - 1) + s{axis} - 1;
    int y{axis} = e{axis} < s{axis} ? 0 : quotient(e{axis}, s{axis}_multiplier, s{axis}_shift);
    int z{axis} = quotient(i{axis}, s{axis}_multiplier, s{axis}_shift);
    z{axis} = z{axis} < o{axis} ? z{axis} : o{axis} - 1;
"""
# The first element of a part, and one past its last.
_FIRST = "(int)quotient({w} * d{axis}, o{axis}_multiplier, o{axis}_shift)"
_STOP = "(int)quotient(({w} + 1) * d{axis} + o{axis} - 1, o{axis}_multiplier, o{axis}_shift)"
_PART = f"""
    int i{{axis}} = {_FIRST.format(w="w{axis}", axis="{axis}")};
    k{{axis}} = {_STOP.format(w="w{axis}", axis="{axis}")} - i{{axis}};
"""
# The first and the last of the parts along an axis that contain an element.
_PARTS_OF = """
    int y{axis} = quotient(i{axis} * o{axis}, d{axis}_multiplier, d{axis}_shift), z{axis} =
        (int)quotient((i{axis} + 1) * o{axis} + d{axis} - 1, d{axis}_multiplier, d{axis}_shift) - 1;
"""
_WINDOW = """
    unsigned row = quotient(at, o2_multiplier, o2_shift);
    int w2 = at - row * o2, w0 = quotient(row, o1_multiplier, o1_shift), w1 = row - w0 * o1;
"""
_ELEMENT = """
    unsigned row = quotient(at, d2_multiplier, d2_shift);
    int i2 = at - row * d2, i0 = quotient(row, d1_multiplier, d1_shift), i1 = row - i0 * d1;
"""


def _each_axis(text):
    """Returns `text` for each of the three axes."""
    return "".join(text.format(axis=axis) for axis in range(3))


# Code that computes the start of a thread's window in the data, or the position of its element in
# the padded data.
_PLACES = {
    "windows": _WINDOW + _each_axis("int i{axis} = w{axis} * s{axis} - p{axis};"),
    "data": _ELEMENT + "i0 += p0, i1 += p1, i2 += p2;" + _each_axis(_REACH),
    "parts": _WINDOW + _each_axis(_PART),
    "data of parts": _ELEMENT + _each_axis(_PARTS_OF),
}

_COLUMNS = (
    "int channels, unsigned channels_multiplier, unsigned channels_shift, "
    "long long by_sample, long long by_channel, long long by_position"
)
# The loops over the positions of a window along each axis; positions outside the data are skipped.
_OVER_DATA = """
        #pragma unroll 1
        for (int t{axis} = 0; t{axis} < k{axis}; ++t{axis}) {{
            int a{axis} = i{axis} + t{axis} * l{axis};
            if ((unsigned)a{axis} >= (unsigned)d{axis}) continue;
"""
# The loops over the windows that may contain an element. Without dilation, all of them contain it,
# at the position i - w s. With dilation, the element may lie between the positions of a window.
_OVER_WINDOWS = """
        #pragma unroll 1
        for (int w{axis} = {first}{axis}; {goes}; {step}w{axis}) {{
"""
_POSITION = """
            int t{axis} = i{axis} - w{axis} * s{axis};
            #if DILATED
            int b{axis} = t{axis};
            t{axis} = quotient(b{axis}, l{axis}_multiplier, l{axis}_shift);
            if (t{axis} * l{axis} != b{axis}) continue;
            #endif
"""


def _over_data(text):
    """Returns CUDA loops that run `text` for each position of a window that lies within the data;
    a0, a1, a2 are the position in the data."""
    return _each_axis(_OVER_DATA) + text + "}}}"


def _over_windows(axes, backward):
    """Returns the heads of CUDA loops over the windows w0, w1, w2 that contain an element, along
    some axes. `backward` starts with the last window and sets t0, t1, t2, the position of the
    element in the window."""
    loops = []
    for axis in axes:
        forward = {"first": "y", "goes": f"w{axis} <= z{axis}", "step": "++"}
        backwards = {"first": "z", "goes": f"w{axis} >= y{axis}", "step": "--"}
        loops.append(_OVER_WINDOWS.format(axis=axis, **(backwards if backward else forward)))
        loops.append(_POSITION.format(axis=axis) if backward else "")
    return "".join(loops)


_LENGTH = f"{_STOP} - {_FIRST}".format(w="w{axis}", axis="{axis}")
# The gradients of the windows whose index names the element are added.
_ADD_AT_INDEX = (
    """
        long long first = (long long)plane * (o0 * o1 * o2);
        Real sum = 0;
"""
    + _over_windows((0, 1), backward=False)
    + """
            long long row = first + (w0 * o1 + w1) * o2;
            const long long* named = index + row + y2;
            const T* from = g + row + y2;
            #pragma unroll 1
            for (int w2 = y2; w2 <= z2; ++w2, ++named, ++from)
                if (*named == at) sum += LOAD(*from);
        }}
        out[(long long)plane * count + at] = STORE(sum);
"""
)


class _Kernel(NamedTuple):
    """A kernel's parts of the CUDA source.

    Attributes:
        arguments: its arguments apart from the sizes.
        grid: what a thread writes in each plane: the columns or the result of a window ("windows",
            "parts"), or an element of data ("data", "data of parts").
        body: what a thread does in each plane.
    """

    arguments: str
    grid: str
    body: str


KERNELS = {
    "im2col": _Kernel(
        f"const T* x, T* out, {_COLUMNS}",
        "windows",
        """
        unsigned sample = quotient(plane, channels_multiplier, channels_shift);
        const T* from = x + (long long)plane * (d0 * d1 * d2);
        T* to = out + sample * by_sample + (plane - sample * channels) * by_channel + at;
        #pragma unroll 1
        for (int t0 = 0; t0 < k0; ++t0) {
            int a0 = i0 + t0 * l0;
            #pragma unroll 1
            for (int t1 = 0; t1 < k1; ++t1) {
                int a1 = i1 + t1 * l1, a2 = i2, row = (a0 * d1 + a1) * d2;
                bool inside = (unsigned)a0 < (unsigned)d0 && (unsigned)a1 < (unsigned)d1;
                #pragma unroll 1
                for (int t2 = 0; t2 < k2; ++t2, a2 += l2, to += by_position)
                    *to = inside && (unsigned)a2 < (unsigned)d2 ? from[row + a2] : (T)0;
            }
        }
""",
    ),
    # The columns that an element was copied to are added, from the last window to the first. From
    # one window of a row to the one before, the position grows by the stride.
    "col2im": _Kernel(
        f"const T* g, T* out, {_COLUMNS}",
        "data",
        """
        unsigned sample = quotient(plane, channels_multiplier, channels_shift);
        const T* from = g + sample * by_sample + (plane - sample * channels) * by_channel;
        Real sum = 0;
"""
        + _over_windows((0, 1), backward=True)
        + """
            const T* row = from + (w0 * o1 + w1) * o2;
            #if DILATED
"""
        + _over_windows((2,), backward=True)
        + """
            sum += LOAD(row[((t0 * k1 + t1) * k2 + t2) * by_position + w2]);
            }
            #else
            row += ((t0 * k1 + t1) * k2 + (i2 - z2 * s2)) * by_position + z2;
            #pragma unroll 1
            for (int w2 = z2; w2 >= y2; --w2, row += s2 * by_position - 1) sum += LOAD(*row);
            #endif
        }}
        out[(long long)plane * count + at] = STORE(sum);
""",
    ),
    # A NaN stays, a window over padding alone gives -infinity.
    "maximum": _Kernel(
        "const T* x, T* out",
        "windows",
        """
        const T* data = x + (long long)plane * (d0 * d1 * d2);
        Real best = -INFINITY;
"""
        + _over_data("""
            Real value = LOAD(data[(a0 * d1 + a1) * d2 + a2]);
            if (value > best || value != value) best = value;
    """)
        + """
        out[(long long)plane * count + at] = STORE(best);
""",
    ),
    # The first offset that holds the maximum, or `none`. A maximum of NaN has an offset unless
    # `none` is negative: its gradient goes nowhere.
    "index_of_maximum": _Kernel(
        "const T* x, const T* largest, long long* out, long long none",
        "windows",
        """
        const T* data = x + (long long)plane * (d0 * d1 * d2);
        Real best = LOAD(largest[(long long)plane * count + at]);
        int offset = -1;
"""
        + _over_data("""
            int here = (a0 * d1 + a1) * d2 + a2;
            Real value = LOAD(data[here]);
            if (offset < 0 && (value == best || (none >= 0 && value != value))) offset = here;
    """)
        + """
        out[(long long)plane * count + at] = offset < 0 ? none : offset;
""",
    ),
    "add_at_index": _Kernel("const T* g, const long long* index, T* out", "data", _ADD_AT_INDEX),
    "add_at_adaptive_index": _Kernel(
        "const T* g, const long long* index, T* out", "data of parts", _ADD_AT_INDEX
    ),
    "average": _Kernel(
        "const T* x, const Real* divisors, int several, T* out",
        "windows",
        """
        const T* data = x + (long long)plane * (d0 * d1 * d2);
        Real sum = 0;
"""
        + _over_data("sum += LOAD(data[(a0 * d1 + a1) * d2 + a2]);")
        + """
        out[(long long)plane * count + at] = STORE(sum / divisors[several * at]);
""",
    ),
    "average_gradient": _Kernel(
        "const T* g, const Real* divisors, int several, T* out",
        "data",
        """
        const T* from = g + (long long)plane * (o0 * o1 * o2);
        Real sum = 0;
"""
        + _over_windows((0, 1, 2), backward=False)
        + """
            int window = (w0 * o1 + w1) * o2 + w2;
            sum += LOAD(from[window]) / divisors[several * window];
        }}}
        out[(long long)plane * count + at] = STORE(sum);
""",
    ),
    "adaptive_average": _Kernel(
        "const T* x, T* out",
        "parts",
        """
        const T* data = x + (long long)plane * (d0 * d1 * d2);
        Real sum = 0;
"""
        + _over_data("sum += LOAD(data[(a0 * d1 + a1) * d2 + a2]);")
        + """
        out[(long long)plane * count + at] = STORE(sum / (Real)(k0 * k1 * k2));
""",
    ),
    "adaptive_gradient": _Kernel(
        "const T* g, T* out",
        "data of parts",
        """
        const T* from = g + (long long)plane * (o0 * o1 * o2);
        Real sum = 0;
"""
        + _over_windows((0, 1, 2), backward=False)
        + f"""
            int size = ({_LENGTH.format(axis=0)}) * ({_LENGTH.format(axis=1)})
                * ({_LENGTH.format(axis=2)});
            sum += LOAD(from[(w0 * o1 + w1) * o2 + w2]) / (Real)size;
        }}}}}}
        out[(long long)plane * count + at] = STORE(sum);
""",
    ),
    # The first NaN, or else the first offset that holds the maximum.
    "index_of_adaptive_maximum": _Kernel(
        "const T* x, long long* out",
        "parts",
        """
        const T* data = x + (long long)plane * (d0 * d1 * d2);
        Real best = -INFINITY;
        int offset = (i0 * d1 + i1) * d2 + i2;
"""
        + _over_data("""
            int here = (a0 * d1 + a1) * d2 + a2;
            Real value = LOAD(data[here]);
            if (value > best || value != value && best == best) best = value, offset = here;
    """)
        + """
        out[(long long)plane * count + at] = offset;
""",
    ),
}


def source(name, dtype=FLOAT32, dilated=False):
    """Returns the CUDA source of a kernel for elements of a dtype; half types are computed in
    float32.

    Args:
        dilated (bool): whether a window may leave out elements between its positions; only
            "col2im" depends on it.
    """
    kernel = KERNELS[name]
    divisors = (f"unsigned {d}_multiplier, unsigned {d}_shift" for d in _DIVISORS[kernel.grid])
    head = _HEAD.format(
        halves=c_code.preamble([dtype]),
        element=c_code.TYPES[dtype],
        real=c_code.TYPES[c_code.compute_dtype([dtype])],
        load=c_code.load(dtype, "(x)"),
        store=c_code.store(dtype, "(x)"),
        dilated=int(dilated),
    )
    return head + _FRAME.format(
        name=name,
        threads=THREADS,
        arguments=kernel.arguments,
        sizes=_SIZES,
        divisors=", ".join(divisors),
        place=_PLACES[kernel.grid].strip(),
        body=kernel.body.strip(),
    )


class Windows(NamedTuple):
    """The sizes of windows over data; one entry per spatial dimension."""

    size: tuple
    kernel: tuple
    out: tuple
    stride: tuple
    pads: tuple
    dilation: tuple


def kernels_of(xp, x, kernel):
    """Returns the Kernels of `xp`, or None if they do not support arrays like `x` with windows of
    the shape `kernel`."""
    kernels = getattr(xp, "kernels", None)
    return kernels if kernels is not None and kernels.apply(x, kernel) else None


class Kernels:
    """The kernels for arrays of one CuPy, compiled on first use."""

    def __init__(self, module):
        self.module = module
        self._compiled = {}

    def apply(self, x, kernel):
        """Returns True if the kernels support arrays like `x`, with windows of the shape
        `kernel`."""
        plane = prod(x.shape[max(x.ndim - len(kernel), 0) :])
        planes = x.size // max(plane, 1)
        return (
            x.dtype in DTYPES
            and len(kernel) <= 3
            and plane <= LARGEST
            and planes < LARGEST_DIVIDEND
        )

    def im2col(self, x, out, geo, strides):
        """Copies the windows of `x`, (samples, channels, spatial...), into `out`.

        Args:
            x: the data, without padding.
            out: the columns, with `strides` elements between samples, channels and kernel
                positions.
            geo: the sizes: channels, size, kernel, out, stride, pads, dilation.
            strides: three numbers.
        """
        x = self.module.ascontiguousarray(x)
        planes = x.shape[0] * x.shape[1]
        self._run("im2col", planes, geo, x, out, *_columns(x.shape[1], strides))
        return out

    def col2im(self, g, shape, geo, strides):
        """Adds the windows in `g`, in the layout of `im2col`, into data of this shape."""
        g = self.module.ascontiguousarray(g)
        out = self.module.empty(shape, g.dtype)
        self._run("col2im", shape[0] * shape[1], geo, g, out, *_columns(shape[1], strides))
        return out

    def maximum(self, x, geo):
        """Returns the largest value of each window of `x`, (planes, spatial...)."""
        out = self.module.empty((x.shape[0], *geo.out), x.dtype)
        self._run("maximum", len(x), geo, self.module.ascontiguousarray(x), out)
        return out

    def index_of_maximum(self, x, largest, geo, none=0):
        """Returns the first position of the value `largest` in each window of `x`; `none` if it is
        absent."""
        out = self.module.empty(largest.shape, np.int64)
        x, largest = map(self.module.ascontiguousarray, (x, largest))
        self._run("index_of_maximum", len(x), geo, x, largest, out, np.int64(none))
        return out

    def add_at_index(self, g, index, shape, geo):
        """Returns an array of the given shape: zeros, with `g` added at the positions `index`, one
        per window."""
        out = self.module.empty(shape, g.dtype)
        g, index = map(self.module.ascontiguousarray, (g, index))
        planes = prod(shape[: len(shape) - len(geo.size)])
        self._run("add_at_index", planes, geo, g, index, out)
        return out

    def average(self, x, geo, divisors):
        """Returns the sum of each window of `x`, (planes, spatial...), divided by its divisor.

        Args:
            divisors: an array with one number for all windows, or one for each window of a plane,
                in the dtype of the sums.
        """
        out = self.module.empty((x.shape[0], *geo.out), x.dtype)
        x = self.module.ascontiguousarray(x)
        self._run("average", len(x), geo, x, divisors, np.int32(divisors.ndim > 0), out)
        return out

    def average_gradient(self, g, shape, geo, divisors):
        """Returns the gradient of `average` for an input of this shape."""
        out, g = self.module.empty(shape, g.dtype), self.module.ascontiguousarray(g)
        planes = prod(shape[: len(shape) - len(geo.size)])
        self._run("average_gradient", planes, geo, g, divisors, np.int32(divisors.ndim > 0), out)
        return out

    def of_parts(self, name, x, parts, dtype=None):
        """Returns a value for each part of `x`, (..., spatial...).

        Args:
            name: "adaptive_average" for the mean, "index_of_adaptive_maximum" for the position of
                the maximum in a plane.
            parts: the number of parts along each spatial axis.
            dtype: the dtype of the result; None means the dtype of `x`.
        """
        lead, size = x.shape[: x.ndim - len(parts)], x.shape[x.ndim - len(parts) :]
        out = self.module.empty((*lead, *parts), dtype or x.dtype)
        geo = _parts(size, tuple(parts))
        self._run(name, prod(lead), geo, self.module.ascontiguousarray(x), out)
        return out

    def from_parts(self, name, g, size, *index):
        """Computes the gradient of adaptive pooling for its input.

        Args:
            name: "adaptive_gradient" for the gradient of the mean, "add_at_adaptive_index" for the
                gradient of the maximum.
            g: the gradient of the result, (..., parts...).
            size: the spatial size of the input.
            index: for the maximum, an array of the positions of the maxima.
        """
        lead, parts = g.shape[: g.ndim - len(size)], g.shape[g.ndim - len(size) :]
        out = self.module.empty((*lead, *size), g.dtype)
        arrays = map(self.module.ascontiguousarray, (g, *index))
        self._run(name, prod(lead), _parts(tuple(size), parts), *arrays, out)
        return out

    def _run(self, name, planes, geo, *arguments):
        grid = KERNELS[name].grid
        count = prod(geo.out if grid in ("windows", "parts") else geo.size)
        if planes * count == 0:
            return
        width = min(max(1 << (count - 1).bit_length(), 32), THREADS)
        height = THREADS // width
        columns = -(-count // width)
        rows = min(-(-planes // height), max(MOST_BLOCKS // columns, 1), MOST_ROWS)
        signature = name, arguments[0].dtype, name == "col2im" and max(geo.dilation) > 1
        compiled = self._compiled.get(signature)
        if compiled is None:
            compiled = self.module.RawKernel(source(*signature), name)
            self._compiled[signature] = compiled
        counts = np.uint32(planes), np.uint32(count)
        compiled((columns, rows), (width, height), (*arguments, *counts, *_numbers(grid, geo)))


def kernels_of_parts(xp, x, size, parts):
    """Returns the Kernels of `xp`, or None if they do not support arrays like `x` for data of
    spatial `size`, divided into `parts`."""
    if 0 in size or 0 in parts:
        return None
    if any((n + 1) * (o + 1) >= LARGEST_DIVIDEND for n, o in zip(size, parts, strict=True)):
        return None
    return kernels_of(xp, x, parts) if prod(size) <= LARGEST else None


def _parts(size, parts):
    """Returns the Windows of adaptive pooling. Its kernels compute the sizes of the parts."""
    ones = (1,) * len(size)
    return Windows(size, ones, parts, ones, ((0, 0),) * len(size), ones)


def _columns(channels, strides):
    """Returns the kernel arguments that locate a plane in the columns: the number of channels and
    the three steps."""
    return np.int32(channels), *_divisor(channels), *map(np.int64, strides)


@lru_cache(maxsize=1024)
def _numbers(grid, geo):
    """Returns the sizes and divisors as kernel arguments; missing leading dimensions have length
    1."""
    lacking = 3 - len(geo.kernel)
    numbers = {}
    before = tuple(pad[0] for pad in geo.pads)
    all_sizes = (geo.size, geo.kernel, geo.out, geo.stride, before, geo.dilation)
    for letter, values, fill in zip("dkospl", all_sizes, (1, 1, 1, 1, 0, 1), strict=True):
        for axis, value in enumerate((fill,) * lacking + tuple(values)):
            numbers[f"{letter}{axis}"] = np.int32(value)
    divisors = (_divisor(int(numbers[name])) for name in _DIVISORS[grid])
    return (*numbers.values(), *(number for divisor in divisors for number in divisor))


@lru_cache(maxsize=1024)
def _divisor(number):
    """Returns the multiplier and shift that replace division by a number."""
    shift = (number - 1).bit_length()
    multiplier = ((1 << 32) * ((1 << shift) - number)) // number + 1
    return np.uint32(multiplier), np.uint32(shift)
