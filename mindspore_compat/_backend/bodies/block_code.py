"""CUDA C functions that generated kernels (row_kernels.py) call: sums and maxima over the threads
of a block, and vector loads and stores.

The threads of a warp add their values with butterfly shuffles, and the sums of the warps are added
in the same way. Every thread gets the result, and the order of additions is fixed. A thread that
works on `width` neighbouring elements loads them as one `Pack`, with loads of up to 16 bytes.
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
    """Returns the CUDA source of functions that reduce over threads.

    The functions are `warp_sum(value, threads)`, `block_sum(lanes, value)` and
    `column_sum(lanes, value)`; for the name "max" in place of "sum", `warp_max` and so on. They
    expect full warps, and a power of two as the number of warps in a block. `lanes` is shared
    memory: `block_sum` needs one number per warp. `column_sum` adds over threads that are one warp
    apart and needs one number per thread.

    Args:
        real (str): the C type of the values.
        names (str): "sum", "max".
    """
    return "".join(
        text.format(real=real, name=name, join=_JOINS[name], warp=WARP)
        for name in names
        for text in (_OF_WARP, _OF_BLOCK, _OF_COLUMN)
    )


def pack_width(dtypes):
    """Returns the number of neighbouring elements that a thread loads at once: as many elements of
    the smallest dtype as fit 16 bytes.
    """
    return 16 // max(2, min(dtype.itemsize for dtype in dtypes))


def packs(dtypes, width):
    """Returns the CUDA source of the struct types `Pack_float`, ..., one for each dtype; a struct
    holds `width` neighbouring elements."""
    sizes = {TYPES[dtype]: dtype.itemsize for dtype in dtypes}
    return "".join(
        _PACK.format(name=pack_name(kind), kind=kind, width=width, bytes=min(16, width * size))
        for kind, size in sizes.items()
    )


def pack_name(kind):
    """Returns the suffix in the name of the pack type for a C type: "long_long" for "long long"."""
    return kind.replace(" ", "_")
