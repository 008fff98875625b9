"""Finds equal numbers in an array on a GPU without waiting for it, as the sums of the rows of a
sparse gradient need.

CuPy's `unique` returns as many numbers as there are different ones, so the host waits. Here the
results have the length of the array. A kernel writes each number into a hash table with open
addressing, twice as long as the array at least, where equal numbers meet.
"""

import functools

import numpy

THREADS = 256
_TEXT = f"""
extern "C" __global__ void __launch_bounds__({THREADS}) meet(
    const long long* numbers, long long* keys, int* firsts, int* places, int count,
    unsigned mask) {{
    const int own = blockIdx.x * blockDim.x + threadIdx.x;
    if (own >= count) return;
    const unsigned long long key = numbers[own], none = ~0ull;
    if (key == none) {{
        places[own] = -1;
        return;
    }}
    unsigned place = (unsigned)(key * 0x9e3779b97f4a7c15ull >> 32) & mask;
    for (;; place = (place + 1) & mask) {{
        const unsigned long long found = atomicCAS((unsigned long long*)keys + place, none, key);
        if (found == none || found == key) break;
    }}
    places[own] = place;
    atomicMin(firsts + place, own);
}}
extern "C" __global__ void __launch_bounds__({THREADS}) first(
    const long long* numbers, const int* firsts, const int* places, long long* equal,
    long long* once, int count) {{
    const int own = blockIdx.x * blockDim.x + threadIdx.x;
    if (own >= count) return;
    const int at = places[own] < 0 ? own : firsts[places[own]];
    equal[own] = at;
    once[own] = at == own ? numbers[own] : -1;
}}
"""


@functools.cache
def _kernel(module, name):
    return module.RawKernel(_TEXT, name)


def first_equal(module, numbers):
    """Returns where each number occurs first.

    Args:
        module: CuPy.
        numbers: int64 array of one axis; -1 is no number, and equals nothing.

    Returns:
        Two int64 arrays of the same length: the first index of each number, and the numbers with -1
        in place of repetitions.
    """
    count = numbers.size
    equal, once = (module.empty(count, numpy.int64) for _ in range(2))
    if not count:
        return equal, once
    numbers = module.ascontiguousarray(numbers)
    length = 1 << (2 * count - 1).bit_length()
    keys = module.full(length, -1, numpy.int64)
    firsts = module.full(length, count, numpy.int32)
    places = module.empty(count, numpy.int32)
    blocks, size = (-(-count // THREADS),), numpy.int32(count)
    table = keys, firsts, places, size, numpy.uint32(length - 1)
    _kernel(module, "meet")(blocks, (THREADS,), (numbers, *table))
    _kernel(module, "first")(blocks, (THREADS,), (numbers, firsts, places, equal, once, size))
    return equal, once
