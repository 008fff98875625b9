"""Small constant arrays that are made on the host and stay on a GPU.

The divisors of average pooling or the weights of an interpolation follow from sizes alone. A copy
from the host takes longer than the kernel that reads it, and cannot be captured, so each table is
copied once. The host waits for this copy, since work on any stream may read the table. A captured
graph keeps the tables that it may read (steps/cuda_graph.py), since a table that has not been used
for long is given up.

The memory pool hands freed memory to later work of the stream that allocated it. Before a table is
given up, this stream therefore waits for the other streams that read the table. The host does not.
"""

import threading
from typing import NamedTuple

import numpy

from .streams import PER_THREAD

MOST = 256  # tables that are kept


def _number(kind, text, dtype):
    return numpy.array(kind(text) if kind is not bool else text == "True", dtype)


class _Table(NamedTuple):
    """An array, the stream that its memory was allocated on, and the other streams that may read
    it. Streams are given by address."""

    array: object
    stream: object
    readers: dict


class Tables:
    """The constant arrays that the space of a GPU keeps (`xp.table`, `xp.number`).

    Args:
        module: CuPy, or its stand-in.
    """

    def __init__(self, module):
        self.module = module
        self._tables = {}  # (GPU, function, arguments) -> _Table, the least recently used first
        self._lock = threading.Lock()

    def array(self, function, *arguments):
        """Returns the array `function(*arguments)` on the current GPU; arguments are hashable."""
        cuda = self.module.cuda
        key = cuda.get_device_id(), function, arguments
        stream = cuda.get_current_stream()
        if stream.ptr == PER_THREAD:
            key = (*key, threading.get_ident())
        with self._lock:
            table = self._read(key, stream)
        if table is not None:
            return table.array
        if stream.is_capturing():
            return self.module.asarray(function(*arguments))  # captured: only replays fill it
        # the array must not be in the pool of a capture, because it outlives the capture
        with cuda.using_allocator(self.module.get_default_memory_pool().malloc):
            array = self.module.asarray(function(*arguments))
        stream.synchronize()
        with self._lock:
            table = self._read(key, stream)  # another thread may have been faster
            if table is None:
                table = self._tables[key] = _Table(array, stream, {})
                self._give_up(key)
        return table.array

    def _read(self, key, stream):
        """Returns the table of a key, read by a stream from now on, or None."""
        table = self._tables.pop(key, None)
        if table is not None:
            self._tables[key] = table
            if stream is not table.stream:
                table.readers[stream.ptr] = stream
        return table

    def _give_up(self, newest):
        """Gives up the tables that were not used for longest, until few enough are left. A table
        that a capture may read is kept."""
        for key in list(self._tables):
            if len(self._tables) <= MOST or key == newest:
                return
            table = self._tables[key]
            if any(map(_captures, (table.stream, *table.readers.values()))):
                continue
            with self.module.cuda.Device(key[0]):
                for reader in table.readers.values():
                    table.stream.wait_event(reader.record())
            del self._tables[key]

    def number(self, value, dtype):
        """Returns a number as a 0-d array that must not be written to. The array is cached, because
        filling one takes a launch."""
        if type(value) not in (int, float, bool):
            return self.module.asarray(value, dtype)
        # The key is the text of the number: 0.0 equals -0.0, and NaN does not equal NaN.
        return self.array(_number, type(value), repr(value), dtype)

    def arrays(self):
        """Returns a list of all kept arrays. A caller that holds the list keeps their memory in
        place."""
        with self._lock:
            return [table.array for table in self._tables.values()]


def _captures(stream):
    """Returns True if work on a stream is captured, even by another thread."""
    try:
        return stream.is_capturing()
    except RuntimeError:  # a capture that an error has ended already
        return True
