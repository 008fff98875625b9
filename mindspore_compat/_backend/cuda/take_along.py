"""`take_along_axis` as one kernel on a GPU; CuPy computes the positions by several."""

import functools
from math import prod

import numpy

THREADS, MOST_BLOCKS = 256, 1 << 16
_WORDS = {1: "unsigned char", 2: "unsigned short", 4: "unsigned", 8: "unsigned long long"}
_TEXT = """
struct Pair {{ unsigned long long low, high; }};
extern "C" __global__ void __launch_bounds__({threads}) take_along(
    const {word}* x, const {index}* positions, {word}* out, {size} count, {size} length,
    {size} width, {size} inner) {{
    for ({size} at = blockIdx.x * ({size})blockDim.x + threadIdx.x; at < count;
         at += gridDim.x * ({size})blockDim.x) {{
        const {size} line = at / inner;
        {size} position = positions[at] % length;
        position += position < 0 ? length : 0;
        out[at] = x[(line / width * length + position) * inner + (at - line * inner)];
    }}
}}
"""


@functools.cache
def _kernel(module, itemsize, index, size):
    word = _WORDS.get(itemsize, "Pair")
    text = _TEXT.format(threads=THREADS, word=word, index=index, size=size)
    return module.RawKernel(text, "take_along")


def take_along(module, x, positions, axis):
    """Returns the elements of an array at the positions along an axis, as NumPy's
    `take_along_axis`; positions outside of the axis wrap around.

    Returns None for arrays whose other axes differ, or whose elements are not contiguous.
    """
    if x.ndim != positions.ndim or not (x.flags.c_contiguous and positions.flags.c_contiguous):
        return None
    axis = range(x.ndim)[axis]
    outer, inner = x.shape[:axis], x.shape[axis + 1 :]
    if positions.shape[:axis] != outer or positions.shape[axis + 1 :] != inner:
        return None
    if not (x.size and positions.size) or x.itemsize > 16:
        return None
    if positions.dtype.char not in "il":
        positions = positions.astype(numpy.int64)
    out = module.empty(positions.shape, x.dtype)
    is_small = max(x.size, out.size) < 2**31 - THREADS * MOST_BLOCKS
    number, size = (numpy.int32, "int") if is_small else (numpy.int64, "long long")
    index = "int" if positions.itemsize == 4 else "long long"
    sizes = [number(n) for n in (out.size, x.shape[axis], out.shape[axis], prod(inner))]
    blocks = min(-(-out.size // THREADS), MOST_BLOCKS)
    kernel = _kernel(module, x.itemsize, index, size)
    kernel((blocks,), (THREADS,), (x, positions, out, *sizes))
    return out
