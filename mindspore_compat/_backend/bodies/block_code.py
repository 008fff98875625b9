"""CUDA C functions for a block of threads: sums and maxima over threads, and vector loads and
stores.

A warp adds with butterfly shuffles, and the sums of the warps are added in the same way. Every
thread gets the result, and the order of additions is fixed. A thread that works on `width`
neighbouring elements loads them as one `Pack`, with 16-byte loads where the address is aligned.
"""

from .c_code import TYPES

WARP = 32
_JOINS = {"sum": "a + b", "max": "a > b || a != a ? a : b"}
_OF_WARP = """
__device__ {real} warp_{name}({real} a, int width) {{
    for (int other = width / 2; other > 0; other /= 2) {{
        const {real} b = __shfl_xor_sync(0xffffffffu, a, other);
        a = {join};
    }}
    return a;
}}
"""
_OF_BLOCK = """
__device__ {real} block_{name}({real}* lanes, {real} a) {{
    a = warp_{name}(a, {warp});
    if (threadIdx.x % {warp} == 0) lanes[threadIdx.x / {warp}] = a;
    __syncthreads();
    a = lanes[threadIdx.x % (blockDim.x / {warp})];
    a = warp_{name}(a, blockDim.x / {warp});
    __syncthreads();
    return a;
}}
"""
_OF_COLUMN = """
__device__ {real} column_{name}({real}* lanes, {real} a) {{
    lanes[threadIdx.x] = a;
    __syncthreads();
    for (int half = blockDim.x / {warp} / 2; half > 0; half /= 2) {{
        if (threadIdx.x / {warp} < half) {{
            const {real} b = lanes[threadIdx.x + half * {warp}];
            a = {join};
            lanes[threadIdx.x] = a;
        }}
        __syncthreads();
    }}
    a = lanes[threadIdx.x % {warp}];
    __syncthreads();
    return a;
}}
"""
_PACK = "struct alignas({bytes}) Pack_{name} {{ {kind} at[{width}]; }};\n"


def reductions(real, *names):
    """Returns the text of `warp_sum(value, threads)`, `block_sum(lanes, value)`,
    `column_sum(lanes, value)`, and of the same functions for "max".

    The number of warps in a block is a power of two, and all are full. `lanes` is shared memory:
    `block_sum` needs one number per warp. `column_sum` adds over threads that are one warp apart
    and needs one number per thread.
    """
    return "".join(
        text.format(real=real, name=name, join=_JOINS[name], warp=WARP)
        for name in names
        for text in (_OF_WARP, _OF_BLOCK, _OF_COLUMN)
    )


def pack_width(dtypes):
    """Returns the number of neighbouring elements per thread: 16 bytes of the smallest dtype."""
    return 16 // max(2, min(dtype.itemsize for dtype in dtypes))


def packs(dtypes, width):
    """Returns the struct types `Pack_float`, ... that hold `width` neighbouring elements."""
    sizes = {TYPES[dtype]: dtype.itemsize for dtype in dtypes}
    return "".join(
        _PACK.format(name=pack_name(kind), kind=kind, width=width, bytes=min(16, width * size))
        for kind, size in sizes.items()
    )


def pack_name(kind):
    """Returns the suffix of the name of a pack type."""
    return kind.replace(" ", "_")
