"""The handles of cuBLAS and cuDNN. A thread has one for each GPU, and leaves them to other threads
when it ends, because a handle holds memory of the GPU and takes long to create.
"""

import collections
import threading


class Handles:
    """The handles of a library.

    Args:
        create: returns a new handle for the current GPU.
    """

    def __init__(self, create):
        self._create = create
        self._leases = threading.local()
        self._free = collections.defaultdict(list)  # GPU -> handles of threads that have ended

    def lease(self, gpu):
        """Returns this thread's Lease of a handle for the current GPU, whose number is `gpu`."""
        leases = self._leases.__dict__
        lease = leases.get(gpu)
        if lease is None:
            lease = leases[gpu] = self._new_lease(self._free[gpu])
        return lease

    def _new_lease(self, free):
        try:
            return Lease(free, free.pop())
        except IndexError:
            return Lease(free, self._create())


class Lease:
    """A thread's reservation of a handle. It ends with the thread, and another thread may then
    reuse the handle.

    Args:
        free (list): the handles that no thread uses.
        handle: the handle of this thread.

    Attributes:
        stream: the stream that this thread has set the handle to; None before.
    """

    def __init__(self, free, handle):
        self._free, self.handle = free, handle
        self.stream = None

    def __del__(self):
        self._free.append(self.handle)
