"""Work memory of OpenBLAS.

OpenBLAS takes a buffer for every product that runs at the same time, and keeps it for later
products. If none is free and the address space is used up, it tries again forever. So the buffer of
the calling thread is made before its first large product, which raises a MemoryError if that fails.
The buffers of the pool are made before its threads start. If one cannot be made, the pool has one
thread less.

A forked process has lost OpenBLAS's own threads. OpenBLAS starts them in the middle of the first
product, or when their number is set, and waits forever for one that cannot start. So they are
started before, when there is memory for their stacks and buffers.
"""

import ctypes
import platform

try:
    import resource
except ImportError:  # on Windows
    resource = None

# Bytes that OpenBLAS takes at most.
BUFFER = (33 if platform.machine() in ("x86_64", "AMD64") else 129) << 20
_STACK = 8 << 20  # bytes of a thread's stack that has no limit

has_lost_threads = False  # whether this process was forked, and OpenBLAS has no threads yet


def reserve(libraries, count):
    """Makes OpenBLAS keep buffers for `count` products at a time. Does nothing for another library.

    Args:
        libraries: the controllers of BLAS libraries, from threadpoolctl.
        count (int): the number of threads that may run products.

    Raises:
        MemoryError: if there may be too little address space for them.
    """
    for library in filter(_has_buffers, libraries):
        _require(count * BUFFER)
        _reserve(library, count)


def restart_threads(libraries):
    """Makes OpenBLAS start its threads in a forked process, with a buffer each.

    Args:
        libraries: the controllers of BLAS libraries, from threadpoolctl.

    Raises:
        MemoryError: if there may be too little address space for them.
    """
    global has_lost_threads
    for library in filter(_has_buffers, libraries):
        count = library.get_num_threads()
        _require(count * BUFFER + (count - 1) * _stack_size())
        _reserve(library, count)
        library.set_num_threads(count)
    has_lost_threads = False


def _has_buffers(library):
    functions = ("blas_memory_alloc", "blas_memory_free")
    return library.internal_api == "openblas" and all(
        hasattr(library.dynlib, name) for name in functions
    )


def _reserve(library, count):
    take, release = library.dynlib.blas_memory_alloc, library.dynlib.blas_memory_free
    take.restype, take.argtypes = ctypes.c_void_p, [ctypes.c_int]
    release.restype, release.argtypes = None, [ctypes.c_void_p]
    buffers = [take(0) for _ in range(count)]  # one that is in use is not given again
    for buffer in buffers:
        release(buffer)


def _stack_size():
    size = resource.getrlimit(resource.RLIMIT_STACK)[0]
    return _STACK if size == resource.RLIM_INFINITY else size


def after_fork():
    """Records in a forked process that OpenBLAS has no threads."""
    global has_lost_threads
    has_lost_threads = True


def is_limited():
    """Returns True if the address space of the process has a limit, as `ulimit -v` sets it."""
    return (
        resource is not None and resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
    )


def _require(size):
    """Raises MemoryError unless `size` bytes of address space are free."""
    import mmap  # here, because most processes never need it

    try:
        mmap.mmap(-1, size).close()
    except OSError as error:
        raise MemoryError(f"there is no address space for {size >> 20} MiB of BLAS") from error
