"""`survivors` as one kernel on a GPU. A loop on the host would wait for the GPU at each candidate.

A block processes all candidates of a group, from the best on. If a candidate stays, the threads of
the block share its comparisons with the later candidates.
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
