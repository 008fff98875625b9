"""Small constant arrays that are made on the host and stay on a GPU.

The divisors of average pooling or the weights of an interpolation follow from sizes alone. A copy
from the host takes longer than the kernel that reads it, and cannot be captured, so each table is
copied once. The host waits for this copy, since work on any stream may read the table. A captured
graph keeps the tables that it may read (steps/cuda_graph.py), since a table that has not been used
for long is given up.
"""

import threading

import numpy

MOST = 256  # tables that are kept


def _number(kind, text, dtype):
    return numpy.array(kind(text) if kind is not bool else text == "True", dtype)


class Tables:
    """The constant arrays that the space of a GPU keeps (`xp.table`, `xp.number`).

    Args:
        module: CuPy, or its stand-in.
    """

    def __init__(self, module):
        self.module = module
        self._arrays = {}  # (GPU, function, arguments) -> array, the least recently used first
        self._lock = threading.Lock()

    def array(self, function, *arguments):
        """Returns the array `function(*arguments)` on the current GPU; arguments are hashable."""
        cuda = self.module.cuda
        key = cuda.get_device_id(), function, arguments
        with self._lock:
            array = self._arrays.pop(key, None)
        if array is None:
            stream = cuda.get_current_stream()
            if stream.is_capturing():
                return self.module.asarray(function(*arguments))  # only replays fill this array
            # not from the pool of a capture, which must not own it
            with cuda.using_allocator(self.module.get_default_memory_pool().malloc):
                array = self.module.asarray(function(*arguments))
            stream.synchronize()
        with self._lock:
            self._arrays[key] = array
            while len(self._arrays) > MOST:
                del self._arrays[next(iter(self._arrays))]
        return array

    def number(self, value, dtype):
        """Returns a number as a 0-d array, which nobody may write to. The array is kept, because
        filling one takes a launch."""
        if type(value) not in (int, float, bool):
            return self.module.asarray(value, dtype)
        # keyed by text, because 0.0 equals -0.0, and NaN does not equal NaN
        return self.array(_number, type(value), repr(value), dtype)

    def arrays(self):
        """Returns a list of all kept arrays. A caller that holds the list keeps their memory in
        place."""
        with self._lock:
            return list(self._arrays.values())
