"""Work memory of OpenBLAS for the threads of the pool.

OpenBLAS takes a buffer for every product that runs at the same time, and keeps it for later
products. If none is free and the address space is used up, it tries again for ever. So the buffers
are made before a thread starts, when their absence only means that there is one thread fewer.
"""

import ctypes

BUFFER = 1 << 27  # bytes; OpenBLAS takes 32 MiB on x86-64, up to 128 MiB on other processors


def reserve(libraries, count):
    """Makes OpenBLAS keep buffers for `count` products at a time. Does nothing for another library.

    Args:
        libraries: the controllers of BLAS libraries, from threadpoolctl.
        count (int): the number of threads that may run products.

    Raises:
        MemoryError: if there may be too little address space for them.
    """
    for library in libraries:
        take = getattr(library.dynlib, "blas_memory_alloc", None)
        release = getattr(library.dynlib, "blas_memory_free", None)
        if library.internal_api == "openblas" and take and release:
            _require(count * BUFFER)
            take.restype, take.argtypes = ctypes.c_void_p, [ctypes.c_int]
            release.restype, release.argtypes = None, [ctypes.c_void_p]
            buffers = [take(0) for _ in range(count)]  # one that is in use is not given again
            for buffer in buffers:
                release(buffer)


def _require(size):
    """Raises MemoryError unless `size` bytes of address space are free."""
    import mmap  # here, because most processes never need it

    try:
        mmap.mmap(-1, size).close()
    except OSError as error:
        raise MemoryError(f"there is no address space for {size >> 20} MiB of BLAS") from error
