"""Work memory of OpenBLAS.

OpenBLAS takes a buffer for every product that runs at the same time, and keeps it for later
products. If none is free and the address space is used up, it tries again for ever. So the buffer
of the calling thread is made before its first large product, which raises a MemoryError if that
fails. The buffers of the pool are made before its threads start. If one cannot be made, the pool
has one thread less.
"""

import ctypes
import platform

# Bytes that OpenBLAS takes at most.
BUFFER = (33 if platform.machine() in ("x86_64", "AMD64") else 129) << 20


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


def is_limited():
    """Returns True if the address space of the process has a limit, as `ulimit -v` sets it."""
    try:
        import resource  # not on Windows
    except ImportError:
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def _require(size):
    """Raises MemoryError unless `size` bytes of address space are free."""
    import mmap  # here, because most processes never need it

    try:
        mmap.mmap(-1, size).close()
    except OSError as error:
        raise MemoryError(f"there is no address space for {size >> 20} MiB of BLAS") from error
