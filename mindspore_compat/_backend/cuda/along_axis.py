"""`take_along_axis` and `scatter_along_axis` on a GPU, each as one kernel.

CuPy's own versions launch several kernels to compute the positions first.
"""

import functools
from math import prod

import numpy

THREADS, MOST_BLOCKS = 256, 1 << 16
_WORDS = {1: "unsigned char", 2: "unsigned short", 4: "unsigned", 8: "unsigned long long"}
_SUMS = {numpy.dtype(numpy.float32): "float", numpy.dtype(numpy.float64): "double"}
_TEXT = """
struct Pair {{ unsigned long long low, high; }};
extern "C" __global__ void __launch_bounds__({threads}) {name}(
    const {word}* x, const {index}* positions, {word}* out, {size} count, {size} length,
    {size} width, {size} inner) {{
    for ({size} at = blockIdx.x * ({size})blockDim.x + threadIdx.x; at < count;
         at += gridDim.x * ({size})blockDim.x) {{
        const {size} line = at / inner;
        {size} position = positions[at] % length;
        position += position < 0 ? length : 0;
        const {size} place = (line / width * length + position) * inner + (at - line * inner);
        {step}
    }}
}}
"""
_STEPS = {
    "take_along": "out[at] = x[place];",
    "put_along": "out[place] = x[at];",
    "add_along": "atomicAdd(out + place, x[at]);",
}


@functools.cache
def _kernel(module, name, word, index, size):
    text = _TEXT.format(
        threads=THREADS, name=name, word=word, index=index, size=size, step=_STEPS[name]
    )
    return module.RawKernel(text, name)


def take_along(module, x, positions, axis):
    """Returns the elements of an array at the positions along an axis, as NumPy's
    `take_along_axis`; positions outside of the axis wrap around.

    Returns None for arrays whose other axes differ, or whose elements are not contiguous.
    """
    if not (x.flags.c_contiguous and _fit(x, positions, axis)):
        return None
    out = module.empty(positions.shape, x.dtype)
    _run(module, "take_along", _word(x), x, positions, out, x.shape, axis)
    return out


def scatter_along(module, x, positions, values, axis, add):
    """Returns a copy of `x` with `values` written, or added, at the elements that `take_along`
    reads.

    Returns None for arrays whose other axes differ, values whose shape or dtype differs from the
    elements', and sums of integers and complex numbers. float16 and bfloat16 are added in float32.
    """
    same = values.shape == positions.shape and values.dtype == x.dtype
    if not (same and _fit(x, positions, axis)):
        return None
    if add and x.dtype not in _SUMS:
        if x.itemsize > 2 or x.dtype.kind not in "fV":
            return None
        wide = [array.astype(numpy.float32) for array in (x, values)]
        return scatter_along(module, wide[0], positions, wide[1], axis, add).astype(x.dtype)
    name, word = ("add_along", _SUMS[x.dtype]) if add else ("put_along", _word(x))
    out = module.array(x, order="C")
    _run(module, name, word, module.ascontiguousarray(values), positions, out, x.shape, axis)
    return out


def _fit(x, positions, axis):
    """Returns True if there are elements, and the shapes differ only along an axis."""
    if x.ndim != positions.ndim or not positions.flags.c_contiguous or x.itemsize > 16:
        return False
    axis = range(x.ndim)[axis]
    others, along = list(x.shape), list(positions.shape)
    del others[axis], along[axis]
    return bool(x.size and positions.size) and others == along


def _word(x):
    return _WORDS.get(x.itemsize, "Pair")


def _run(module, name, word, given, positions, out, shape, axis):
    axis = range(len(shape))[axis]
    if positions.dtype.char not in "il":
        positions = positions.astype(numpy.int64)
    is_small = max(prod(shape), positions.size) < 2**31 - THREADS * MOST_BLOCKS
    number, size = (numpy.int32, "int") if is_small else (numpy.int64, "long long")
    index = "int" if positions.itemsize == 4 else "long long"
    inner = prod(shape[axis + 1 :])
    sizes = [number(n) for n in (positions.size, shape[axis], positions.shape[axis], inner)]
    blocks = min(-(-positions.size // THREADS), MOST_BLOCKS)
    kernel = _kernel(module, name, word, index, size)
    kernel((blocks,), (THREADS,), (given, positions, out, *sizes))
