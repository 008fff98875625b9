"""Fills the memory that CuPy's pool hands out and takes back, so that reads of uninitialized or
freed memory become visible. The simulated runtime cannot do this, because the pool recycles memory
without calling it.

CuPy's hooks belong to a thread, so only the thread that imports CuPy is watched.
"""

import atexit
import ctypes

FRESH, STALE = 0xFFF5, 0xFFFD  # the patterns in the runtime's host.h


def install(cupy, runtime):
    """Watches CuPy's memory pools in this thread from now on."""
    fill = runtime.host_fill
    fill.argtypes = (ctypes.c_void_p, ctypes.c_uint, ctypes.c_size_t)
    fill.restype = None

    class Poison(cupy.cuda.MemoryHook):
        name = "simulated_cuda.poison"

        def malloc_postprocess(self, **block):
            if block["mem_ptr"]:
                fill(block["mem_ptr"], FRESH, block["mem_size"])

        def free_preprocess(self, **block):
            if block["mem_ptr"]:
                fill(block["mem_ptr"], STALE, block["mem_size"])

    hook = Poison()
    hook.__enter__()
    atexit.register(hook.__exit__)  # later calls would run while the interpreter shuts down
