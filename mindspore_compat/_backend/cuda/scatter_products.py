"""`scatter_reduce` by products and quotients on a GPU.

GPUs have no atomic instructions for these operations. A thread therefore repeats its operation
until no other thread has changed the element in between (compare and swap). Values of one element
are applied in any order.
"""

import functools
from math import prod

import numpy

THREADS, MOST_BLOCKS = 256, 1 << 16
_TYPES = {  # the C type of an element, and an integer of its size
    numpy.dtype(numpy.float32): ("float", "unsigned"),
    numpy.dtype(numpy.float64): ("double", "unsigned long long"),
    numpy.dtype(numpy.int32): ("int", "unsigned"),
    numpy.dtype(numpy.uint32): ("unsigned", "unsigned"),
    numpy.dtype(numpy.int64): ("long long", "unsigned long long"),
    numpy.dtype(numpy.uint64): ("unsigned long long", "unsigned long long"),
}
_SIGNS = {"mul": "*", "div": "/"}
_TEXT = """
union Element {{ {kind} value; {word} bits; }};
extern "C" __global__ void __launch_bounds__({threads}) scatter_{how}(
    const {kind}* values, const long long* rows, {kind}* out, long long count, long long inner) {{
    for (long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x; at < count;
         at += gridDim.x * (long long)blockDim.x) {{
        const long long number = at / inner;
        {word}* const place = ({word}*)(out + rows[number] * inner + at - number * inner);
        Element before, after;
        {word} seen = *place;
        do {{
            before.bits = seen;
            after.value = before.value {sign} values[at];
            seen = atomicCAS(place, before.bits, after.bits);
        }} while (seen != before.bits);
    }}
}}
"""
_POSITION = """const long long p{0} = (long long)i{0} % n{0};
row = row * n{0} + (p{0} < 0 ? p{0} + n{0} : p{0});"""


@functools.cache
def _kernel(module, dtype, how):
    kind, word = _TYPES[dtype]
    text = _TEXT.format(kind=kind, word=word, how=how, sign=_SIGNS[how], threads=THREADS)
    return module.RawKernel(text, f"scatter_{how}")


@functools.cache
def _rows_kernel(module, count):
    """Returns the kernel that computes flat positions from `count` arrays of positions."""
    given = [f"{chr(ord('A') + axis)} i{axis}" for axis in range(count)]
    given += [f"int64 n{axis}" for axis in range(count)]
    lines = ["row = 0;", *map(_POSITION.format, range(count))]
    return module.ElementwiseKernel(", ".join(given), "int64 row", "\n".join(lines), "flat_rows")


def scattered(space, x, index, values, how):
    """Returns a copy of `x` whose elements at `index` are multiplied or divided by `values`; None
    if there are no kernels for these arrays. Positions outside `x` wrap around.

    Args:
        space: the space of the GPU.
        x, values: arrays.
        index: a sequence of arrays, on the host or the GPU, for the first axes of `x`.
        how (str): "mul" or "div".
    """
    if space.kernels is None or how not in _SIGNS or not x.size:
        return None
    if how == "div" and x.dtype.kind in "iu":
        return None
    kind = space.module.ndarray
    index = [space.asarray(a) if type(a) is numpy.ndarray else a for a in index]
    if not all(type(a) is kind and a.dtype.kind in "iu" for a in index):
        return None
    if x.dtype not in _TYPES:
        if x.itemsize > 2 or x.dtype.kind not in "iufV":
            return None
        wide = numpy.dtype("int32" if x.dtype.kind in "iu" else "float32")
        return scattered(space, x.astype(wide), index, values.astype(wide), how).astype(x.dtype)
    lengths = x.shape[: len(index)]
    rows = _rows_kernel(space.module, len(index))(*index, *lengths)
    out = space.module.array(x, order="C")
    inner = prod(x.shape[len(index) :])
    shape = (*rows.shape, *x.shape[len(index) :])
    values = space.module.broadcast_to(values.astype(x.dtype, copy=False), shape)
    if values.size:
        blocks = min(-(-values.size // THREADS), MOST_BLOCKS)
        sizes = numpy.int64(values.size), numpy.int64(inner)
        given = space.module.ascontiguousarray(values), rows, out, *sizes
        _kernel(space.module, x.dtype, how)((blocks,), (THREADS,), given)
    return out
