"""Products of sparse matrices, which have a few weights in each row, as one kernel on a GPU.

A product with the dense matrix would be as fast, but 0 times NaN is NaN, so it would spread a NaN
or an infinity to all elements of the axis. The host looks for them, which a GPU would wait for.
"""

import functools

import numpy

from ..bodies.c_code import TYPES, load, preamble, store

THREADS, MOST_BLOCKS = 256, 1 << 16
_TEXT = """
extern "C" __global__ void __launch_bounds__({threads}) weigh_rows(
    const {type}* x, const int* index, const {real}* weight, {type}* out,
    {size} count, {size} length, {size} rows, {size} inner, int taps) {{
    for ({size} at = blockIdx.x * ({size})blockDim.x + threadIdx.x; at < count;
         at += gridDim.x * ({size})blockDim.x) {{
        const {size} line = at / inner, matrix = line / rows;
        const {type}* source = x + matrix * length * inner + (at - line * inner);
        const {size} first = (line - matrix * rows) * taps;
        {real} total = weight[first] * {first};
        for (int tap = 1; tap < taps; tap++)
            total += weight[first + tap] * {other};
        out[at] = {total};
    }}
}}
"""


def _index(taps):
    """Returns the columns of the weights."""
    return taps.index.astype(numpy.int32)


def _weight(taps, dtype):
    """Returns the weights."""
    return taps.weight.astype(dtype)


@functools.cache
def _kernel(module, dtype, real, size):
    text = preamble([dtype]) + _TEXT.format(
        threads=THREADS,
        type=TYPES[dtype],
        real=TYPES[real],
        size=size,
        first=load(dtype, "source[index[first] * inner]"),
        other=load(dtype, "source[index[first + tap] * inner]"),
        total=store(dtype, "total"),
    )
    return module.RawKernel(text, "weigh_rows")


def product(space, x, taps):
    """Returns the middle axis of `x` multiplied by a sparse matrix; None if no kernel can be made
    for the dtype. float16 and bfloat16 are summed in float32.

    Args:
        space: the functions of a GPU.
        x: a 3-D array.
        taps (Taps): the matrix, on the host.
    """
    if space.kernels is None or x.dtype not in TYPES or x.dtype.kind in "iub":
        return None
    module, real = space.module, numpy.dtype(numpy.float64 if x.itemsize == 8 else numpy.float32)
    rows, count = taps.index.shape
    out = module.empty((len(x), rows, x.shape[2]), x.dtype)
    if not out.size:
        return out
    is_small = max(x.size, out.size) < 2**31 - THREADS * MOST_BLOCKS
    number, size = (numpy.int32, "int") if is_small else (numpy.int64, "long long")
    sizes = [number(n) for n in (out.size, x.shape[1], rows, x.shape[2])]
    tables = space.table(_index, taps), space.table(_weight, taps, real)
    blocks = min(-(-out.size // THREADS), MOST_BLOCKS)
    kernel = _kernel(module, x.dtype, real, size)
    x = module.ascontiguousarray(x)
    kernel((blocks,), (THREADS,), (x, *tables, out, *sizes, numpy.int32(count)))
    return out
