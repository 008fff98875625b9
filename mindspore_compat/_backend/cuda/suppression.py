"""`survivors` as one kernel on a GPU, where the host would wait for the answer on each candidate.

A block has all candidates of a group. All its threads learn in the same order which candidates
stay, and each such candidate is compared with later ones by all threads at once.
"""

import functools

import numpy

THREADS = 1024
_TEXT = f"""
extern "C" __global__ void __launch_bounds__({THREADS}) survivors(
    const bool* close, bool* alive, int count) {{
    close += blockIdx.x * (long long)count * count;
    alive += blockIdx.x * (long long)count;
    for (int i = threadIdx.x; i < count; i += blockDim.x) alive[i] = true;
    __syncthreads();
    for (int i = 0; i < count; ++i) {{
        if (!alive[i]) continue;  /* the same in all threads: row i has changed before a barrier */
        const bool* row = close + (long long)i * count;
        for (int j = i + 1 + threadIdx.x; j < count; j += blockDim.x)
            if (row[j]) alive[j] = false;
        __syncthreads();
    }}
}}
"""


@functools.cache
def _kernel(module):
    return module.RawKernel(_TEXT, "survivors")


def survivors(module, close):
    """Returns a mask (..., N) of the candidates that stay, given a mask (..., N, N) of close pairs
    in each group."""
    count = close.shape[-1]
    alive = module.empty(close.shape[:-1], bool)
    if alive.size:
        threads = min(THREADS, -(-count // 32) * 32)
        close = module.ascontiguousarray(close)
        _kernel(module)((alive.size // count,), (threads,), (close, alive, numpy.int32(count)))
    return alive
