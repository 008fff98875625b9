"""Random masks of one bit per element, and the kernels that draw and apply them.

A mask is an array of uint16 words. Element 16 * i + k in C order is kept if bit k of word i is set.
Dropout of n float32 elements therefore moves 8.25 n bytes, where a mask of bools would take 10 n.
"""

import functools
from math import prod

import numpy

from ..bodies.c_code import TYPES, load, preamble, store, supported

BITS = 16
_THREADS, _BLOCKS = 256, 1 << 16
_DRAW = """
extern "C" __global__ void words_below(
    {wide} {seed_pointer}given_seed, {wide} {offset_pointer}given_offset, {wide} before, float most,
    unsigned short* words, long long count) {{
    const {wide} seed = {seed_pointer}given_seed, offset = {offset_pointer}given_offset;
    for (long long word = blockIdx.x * (long long)blockDim.x + threadIdx.x; word < count;
         word += (long long)gridDim.x * blockDim.x) {{
        unsigned kept = 0;
        for (int k = 0; k < {bits}; ++k) {{
            const long long i = word * {bits} + k;
            {draw}
            if ({number} < most) kept |= 1u << k;
        }}
        words[word] = (unsigned short)kept;
    }}
}}
"""
_KEEP = """
extern "C" __global__ void scale_kept(
    const {kind}* x, const unsigned short* words, {kind}* out, long long size, float scale) {{
    for (long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x; at < size;
         at += (long long)gridDim.x * blockDim.x) {{
        const {real} value = {value};
        const {real} factor = words[at / {bits}] >> at % {bits} & 1 ? ({real})scale : 0;
        const {real} result = value * factor;
        out[at] = {result};
    }}
}}
"""


def takes(xp, dtype, shape):
    """Returns True if the kernels of a GPU draw and apply masks for arrays of this dtype."""
    kernels = getattr(xp, "kernels", None)
    return xp.module is not numpy and kernels is not None and prod(shape) and supported([dtype])


def drawn(module, place, limit, size, draw, number):
    """Returns the words of a mask of `size` elements that is true where a random number is below
    `limit`.

    Args:
        module: CuPy.
        place: the seed and the offset, each a number or a 0-d array on the GPU, and the number that
            is added to the offset.
        limit: the probability that a bit is set.
        draw, number: C code that draws the number of element `i`, and the expression for it.
    """
    words = module.empty(-(-size // BITS), numpy.uint16)
    pointers = tuple("*" if isinstance(value, module.ndarray) else "" for value in place[:2])
    kernel = _draw(module, pointers, draw, number)
    arguments = (*place, numpy.float32(limit), words, numpy.int64(words.size))
    kernel(_grid(words.size), (_THREADS,), arguments)
    return words


def scaled(module, x, words, scale):
    """Returns `x` times `scale` where the bit is set, and times 0 elsewhere."""
    x = module.ascontiguousarray(x)
    return _run(module, _keep(module, x.dtype, "x[at]"), words, x, x.shape, x.dtype, scale)


def ones(module, words, shape, dtype):
    """Returns an array of a shape and dtype with 1 where the bit is set, and 0 elsewhere."""
    return _run(module, _keep(module, numpy.dtype(dtype), None), words, None, shape, dtype, 1)


def _run(module, kernel, words, x, shape, dtype, scale):
    out = module.empty(shape, dtype)
    arguments = (x, words, out, numpy.int64(out.size), numpy.float32(scale))
    kernel(_grid(out.size), (_THREADS,), arguments)
    return out


def unpacked(xp, words, shape):
    """Returns the mask with a bool for each element."""
    bits = xp.right_shift(xp.reshape(words, (-1, 1)), xp.arange(BITS, dtype=numpy.uint16))
    return xp.reshape(xp.reshape(bits & 1, (-1,))[: prod(shape)], shape) != 0


def _grid(count):
    return (min(-(-count // _THREADS), _BLOCKS),)


@functools.cache
def _draw(module, pointers, draw, number):
    seed, offset = pointers
    text = _DRAW.format(
        wide="unsigned long long",
        seed_pointer=seed,
        offset_pointer=offset,
        bits=BITS,
        draw=draw,
        number=number,
    )
    return module.RawKernel(text, "words_below")


@functools.cache
def _keep(module, dtype, element):
    """Returns the kernel that scales `element`, a C expression, or ones if it is None."""
    real = "double" if dtype == numpy.float64 else "float"
    text = _KEEP.format(
        kind=TYPES[dtype],
        real=real,
        bits=BITS,
        value="1" if element is None else load(dtype, element),
        result=store(dtype, "result"),
    )
    return module.RawKernel(preamble([dtype]) + text, "scale_kept")
