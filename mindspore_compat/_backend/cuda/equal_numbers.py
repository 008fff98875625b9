"""Finds equal numbers in an array on a GPU without waiting for it, as the sums of the rows of a
sparse gradient need.

CuPy's `unique` returns as many numbers as there are different ones, so the host waits. Here the
results have the length of the array. A kernel writes each number into a hash table with open
addressing, twice as long as the array at least, where equal numbers meet.
"""

import functools

import numpy

THREADS = 256
SMALL = 1 << 30  # up to this length, places in the table and indices are 32-bit integers
_TEXT = """
extern "C" __global__ void __launch_bounds__({threads}) meet(
    const long long* numbers, long long* keys, {index}* firsts, {index}* places, long long count,
    long long mask, int shift) {{
    const long long own = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (own >= count) return;
    const unsigned long long key = numbers[own], none = ~0ull;
    if (key == none) {{
        places[own] = -1;
        return;
    }}
    long long place = (long long)(key * 0x9e3779b97f4a7c15ull >> shift);
    for (;; place = (place + 1) & mask) {{
        const unsigned long long found = atomicCAS((unsigned long long*)keys + place, none, key);
        if (found == none || found == key) break;
    }}
    places[own] = ({index})place;
    atomicMin(firsts + place, ({index})own);
}}
extern "C" __global__ void __launch_bounds__({threads}) first(
    const long long* numbers, const {index}* firsts, const {index}* places, long long* equal,
    long long* once, long long count) {{
    const long long own = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (own >= count) return;
    const long long at = places[own] < 0 ? own : firsts[places[own]];
    equal[own] = at;
    once[own] = at == own ? numbers[own] : -1;
}}
"""


@functools.cache
def _kernel(module, name, index):
    return module.RawKernel(_TEXT.format(threads=THREADS, index=index), name)


def first_equal(module, numbers):
    """Returns where each number occurs first.

    Args:
        module: CuPy.
        numbers: 1-D int64 array; -1 marks an absent number, which equals nothing.

    Returns:
        Two int64 arrays of the same length: the first index of each number, and the numbers with -1
        in place of repetitions.
    """
    count = numbers.size
    equal, once = (module.empty(count, numpy.int64) for _ in range(2))
    if not count:
        return equal, once
    numbers = module.ascontiguousarray(numbers)
    bits = (2 * count - 1).bit_length()
    index, dtype = ("int", numpy.int32) if count <= SMALL else ("long long", numpy.int64)
    keys = module.full(1 << bits, -1, numpy.int64)
    firsts = module.full(1 << bits, count, dtype)
    places = module.empty(count, dtype)
    blocks, size = (-(-count // THREADS),), numpy.int64(count)
    table = keys, firsts, places, size, numpy.int64((1 << bits) - 1), numpy.int32(64 - bits)
    _kernel(module, "meet", index)(blocks, (THREADS,), (numbers, *table))
    given = numbers, firsts, places, equal, once, size
    _kernel(module, "first", index)(blocks, (THREADS,), given)
    return equal, once
