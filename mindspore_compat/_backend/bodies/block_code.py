"""The C text of what the threads of a block do together: sums and maxima over threads, and elements
that are loaded and stored several at once.

A warp adds by shuffles in the order of a butterfly, and the sums of warps are added in the same
way: every thread has the result, and the order is fixed. A thread that works on `width` elements
side by side loads them as one `Pack`, by loads of 16 bytes, where they lie on such a boundary.
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
    """The functions `warp_sum(value, threads)`, `block_sum(lanes, value)`, `column_sum(lanes,
    value)`, and those of "max".

    A block has a power of two of whole warps. `lanes` is shared memory, for `block_sum` a number of
    each warp, for `column_sum`, which adds over threads that are a warp apart, one of each thread.
    """
    return "".join(
        text.format(real=real, name=name, join=_JOINS[name], warp=WARP)
        for name in names
        for text in (_OF_WARP, _OF_BLOCK, _OF_COLUMN)
    )


def pack_width(dtypes):
    """How many elements side by side a thread works on: 16 bytes of the smallest dtype."""
    return 16 // max(2, min(dtype.itemsize for dtype in dtypes))


def packs(dtypes, width):
    """The types `Pack_float`, ... of as many elements side by side."""
    sizes = {TYPES[dtype]: dtype.itemsize for dtype in dtypes}
    return "".join(
        _PACK.format(name=pack_name(kind), kind=kind, width=width, bytes=min(16, width * size))
        for kind, size in sizes.items()
    )


def pack_name(kind):
    """The last part of the name of a pack's type."""
    return kind.replace(" ", "_")
