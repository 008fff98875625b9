"""Small constant arrays that are made on the host and stay on a GPU.

The divisors of average pooling or the weights of an interpolation follow from sizes alone. A copy
from the host takes longer than the kernel that reads it, and cannot be captured, so each table is
copied once. A captured graph keeps the tables that it may read (steps/cuda_graph.py), since a table
that has not been used for long is given up.
"""

import threading

MOST = 256  # tables that are kept


class Tables:
    """The tables of one CuPy.

    Args:
        module: CuPy, or its stand-in.
    """

    def __init__(self, module):
        self.module = module
        self._arrays = {}  # (GPU, function, arguments) -> array, the least recently used first
        self._lock = threading.Lock()

    def array(self, function, *arguments):
        """The array `function(*arguments)` on the current GPU; arguments are hashable."""
        cuda = self.module.cuda
        key = cuda.get_device_id(), function, arguments
        with self._lock:
            array = self._arrays.pop(key, None)
        if array is None:  # not from the pool of a capture, which must not own it
            with cuda.using_allocator(self.module.get_default_memory_pool().malloc):
                array = self.module.asarray(function(*arguments))
        with self._lock:
            self._arrays[key] = array
            while len(self._arrays) > MOST:
                del self._arrays[next(iter(self._arrays))]
        return array

    def arrays(self):
        """All tables; who holds them keeps them in place."""
        with self._lock:
            return list(self._arrays.values())
