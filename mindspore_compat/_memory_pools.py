"""GPU memory pools with allocation functions of a shared library: `mindspore.runtime.MemPool`.

A PluggableAllocator loads the two functions from a shared library and a MemPool holds it. Within
`use_mem_pool`, arrays of the current thread on a GPU are allocated from the pool. CPU memory is not
affected.
"""

import contextlib
import ctypes

from ._backend import device
from ._core.rules.checked import checked
from ._core.rules.vocabulary import InstanceOf, Str

_ALLOCATE = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p)
_FREE = (None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)


class PluggableAllocator:
    """The functions of a shared library that allocate and free device memory.

    Args:
        path_to_so_file (str): the path of the library.
        alloc_fn_name (str): the name of `void* f(size_t size, int device, stream)`.
        free_fn_name (str): the name of `void f(void* memory, size_t size, stream)`.

    Raises:
        TypeError: if an argument is not a str.
        OSError: if there is no such library, or it cannot be loaded.
        AttributeError: if it has no function of that name.

    Examples:
        >>> import mindspore_compat as ms
        >>> allocator = ms.runtime.PluggableAllocator("libc.so.6", "malloc", "free")
        >>> allocator.alloc_fn_ptr > 0
        True

    Source: mindspore.runtime.PluggableAllocator of MindSpore 2.10.
    """

    @checked
    def __init__(self, path_to_so_file: Str, alloc_fn_name: Str, free_fn_name: Str):
        library = ctypes.CDLL(path_to_so_file)
        self._pointers = [
            ctypes.cast(getattr(library, name), ctypes.c_void_p).value
            for name in (alloc_fn_name, free_fn_name)
        ]

    @property
    def alloc_fn_ptr(self):
        """The address of the allocating function, an int."""
        return self._pointers[0]

    @property
    def free_fn_ptr(self):
        """The address of the freeing function, an int."""
        return self._pointers[1]


class MemPool:
    """A memory pool with user-defined allocation functions.

    Args:
        allocator (PluggableAllocator): the functions.

    Raises:
        TypeError: if `allocator` is not a PluggableAllocator.

    Examples:
        >>> import mindspore_compat as ms
        >>> allocator = ms.runtime.PluggableAllocator("libc.so.6", "malloc", "free")
        >>> ms.runtime.MemPool(allocator).allocator is allocator
        True

    Source: mindspore.runtime.MemPool of MindSpore 2.10.
    """

    def __init__(self, allocator):
        InstanceOf(PluggableAllocator).refuse("MemPool", "allocator", allocator)
        self._allocator = allocator
        self._allocate = ctypes.CFUNCTYPE(*_ALLOCATE)(allocator.alloc_fn_ptr)
        self._free = ctypes.CFUNCTYPE(*_FREE)(allocator.free_fn_ptr)
        self._sizes = {}  # address -> size: the function that frees takes the size too

    @property
    def allocator(self):
        """The functions, a PluggableAllocator."""
        return self._allocator

    def _give(self, size, number):
        address = self._allocate(size, number, device.current_stream_pointer())
        if not address:
            raise MemoryError(f"The allocator of a MemPool has not given {size} bytes.")
        self._sizes[address] = size
        return address

    def _release(self, address, number):
        self._free(address, self._sizes.pop(address), device.current_stream_pointer())


@contextlib.contextmanager
def use_mem_pool(pool):
    """Within a `with` block, allocates the GPU arrays of the current thread from a pool.

    Arrays of other threads and on the CPU are not affected.

    Args:
        pool (MemPool): the pool.

    Raises:
        TypeError: if `pool` is not a MemPool.

    Examples:
        >>> import mindspore_compat as ms
        >>> allocator = ms.runtime.PluggableAllocator("libc.so.6", "malloc", "free")
        >>> with ms.runtime.use_mem_pool(ms.runtime.MemPool(allocator)):
        ...     print("arrays of a GPU come from the pool")
        arrays of a GPU come from the pool

    Source: mindspore.runtime.use_mem_pool of MindSpore 2.10.
    """
    InstanceOf(MemPool).refuse("use_mem_pool", "pool", pool)
    with device.using_allocator(pool._give, pool._release):
        yield
