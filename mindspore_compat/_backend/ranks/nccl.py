"""NCCL through CuPy: the collectives of collective.py on GPU arrays, with one GPU for each rank.

Operations run on CuPy's current stream without blocking the host; later work on that stream follows
them. When a group first gets a GPU array, the ranks connect over MPI and compare their GPUs.
"""

import collections
import contextlib
import importlib
import logging

_log = logging.getLogger(__name__)
CODES = {"sum": "NCCL_SUM", "prod": "NCCL_PROD", "max": "NCCL_MAX", "min": "NCCL_MIN"}
TYPES = {
    "int8": "NCCL_INT8",
    "uint8": "NCCL_UINT8",
    "bool": "NCCL_UINT8",
    "int32": "NCCL_INT32",
    "uint32": "NCCL_UINT32",
    "int64": "NCCL_INT64",
    "uint64": "NCCL_UINT64",
    "float16": "NCCL_FLOAT16",
    "bfloat16": "NCCL_BFLOAT16",
    "float32": "NCCL_FLOAT32",
    "float64": "NCCL_FLOAT64",
}
_UINT64 = 5  # ncclUint64, which has no name in some releases of CuPy


def device_count():
    """Returns the number of GPUs of this machine."""
    return importlib.import_module("cupy").cuda.runtime.getDeviceCount()


def _library():
    """Returns CuPy's module for NCCL, or None if NCCL is missing."""
    try:
        library = importlib.import_module("cupy.cuda.nccl")
    except ImportError:
        return None
    return library if library.available else None


def own_gpu(machine):
    """Returns values that identify the GPU in use among the GPUs of all machines; None if NCCL is
    missing. Its device number is not enough, because a process may see only its own GPU.

    Args:
        machine: the number of this rank's machine.
    """
    if _library() is None:
        return None
    cupy = importlib.import_module("cupy")
    device = cupy.cuda.Device()
    properties = cupy.cuda.runtime.getDeviceProperties(device.id)
    return machine, device.pci_bus_id, bytes(properties.get("uuid", b""))


def connect(communicator, machine):
    """Returns the Nccl of a group; None if NCCL is missing or ranks share a GPU.

    Args:
        communicator: the communicator of mpi4py.
        machine: the number of this rank's machine.
    """
    gpus = communicator.allgather(own_gpu(machine))
    if None in gpus or len(set(gpus)) < len(gpus):
        if communicator.rank == 0:
            reason = "NCCL is not installed" if None in gpus else "ranks share a GPU"
            _log.warning("Arrays of GPUs are exchanged over the host, as %s.", reason)
        return None
    name = communicator.bcast(new_name() if communicator.rank == 0 else None, 0)
    return _joined(name, communicator.size, communicator.rank)


def new_name():
    """Returns a new identifier of NCCL. Ranks that pass the same one join one communicator."""
    return _library().get_unique_id()


def _joined(name, size, rank):
    """Returns the Nccl of `size` ranks that all join a name; waits for them."""
    library = _library()
    communicator = library.NcclCommunicator(size, name, rank)
    return Nccl(importlib.import_module("cupy"), library, communicator)


class Nccl:
    """The NCCL communicator of a group, with the exchanges of `Group` for arrays of this rank's
    GPU. `connect` makes it."""

    def __init__(self, cupy, nccl, communicator):
        self.cupy = cupy
        self.nccl = nccl
        self.communicator = communicator
        self.rank = communicator.rank_id()
        self.size = communicator.size()
        self.stream = cupy.cuda.Stream(non_blocking=True)

    @contextlib.contextmanager
    def aside(self):
        """A context in which work goes to a separate stream, which first waits for the work of the
        current stream so far."""
        self.stream.wait_event(self.cupy.cuda.get_current_stream().record())
        with self.stream:
            yield

    def join(self):
        """Makes the current stream wait for the separate one."""
        self.cupy.cuda.get_current_stream().wait_event(self.stream.record())

    def destroy(self):
        """Frees the communicator."""
        self.communicator.destroy()

    def all_reduce(self, array, operation):
        """Combines the ranks' arrays element by element; every rank gets the result."""
        array = self._contiguous(array)
        out = self.cupy.empty_like(array)
        self.communicator.allReduce(
            array.data.ptr,
            out.data.ptr,
            array.size,
            *self._reduction(array, operation),
            self._stream(),
        )
        return out

    def reduce(self, array, root, operation):
        """Combines the ranks' arrays; rank `root` gets the result, the others get a copy of their
        own array."""
        array = self._contiguous(array)
        out = array.copy()
        self.communicator.reduce(
            array.data.ptr,
            out.data.ptr,
            array.size,
            *self._reduction(array, operation),
            root,
            self._stream(),
        )
        return out

    def reduce_scatter(self, array, operation):
        """Combines the ranks' arrays and cuts the result along axis 0; each rank gets one part."""
        array = self._contiguous(array)
        out = self.cupy.empty((array.shape[0] // self.size, *array.shape[1:]), array.dtype)
        self.communicator.reduceScatter(
            array.data.ptr,
            out.data.ptr,
            out.size,
            *self._reduction(array, operation),
            self._stream(),
        )
        return out

    def all_gather(self, array):
        """Concatenates the ranks' arrays along axis 0; every rank gets the result."""
        array = self._contiguous(array)
        shape = (self.size * array.shape[0], *array.shape[1:]) if array.shape else (self.size,)
        out = self.cupy.empty(shape, array.dtype)
        self.communicator.allGather(
            array.data.ptr, out.data.ptr, array.nbytes, self.nccl.NCCL_INT8, self._stream()
        )
        return out

    def broadcast(self, array, root):
        """Copies the array of rank `root` to every rank."""
        array = self._contiguous(array)
        out = self.cupy.empty_like(array)
        self.communicator.broadcast(
            array.data.ptr, out.data.ptr, array.nbytes, self.nccl.NCCL_INT8, root, self._stream()
        )
        return out

    def all_to_all(self, array, sent_rows, got_rows, shape):
        """Exchanges rows of axis 0, as one group of sends and receives; returns the received rows,
        an array of `shape`."""
        array = self._contiguous(array)
        out = self.cupy.empty(shape, array.dtype)
        send_at = receive_at = 0
        with self.together():
            for rank in range(self.size):
                self.send(array[send_at : send_at + sent_rows[rank]], rank)
                self._receive_into(out[receive_at : receive_at + got_rows[rank]], rank)
                send_at += sent_rows[rank]
                receive_at += got_rows[rank]
        return out

    @contextlib.contextmanager
    def together(self):
        """Returns a context whose sends and receives start as one group. If they started
        separately, two ranks could wait for each other forever. The group also ends after an error;
        otherwise later work would wait in it.
        """
        self.nccl.groupStart()
        try:
            yield
        finally:
            self.nccl.groupEnd()

    def send(self, array, to):
        """Sends an array to rank `to`."""
        array = self._contiguous(array)
        self.communicator.send(
            array.data.ptr, array.nbytes, self.nccl.NCCL_INT8, to, self._stream()
        )

    def receive(self, array, source):
        """Receives from rank `source` an array with the shape and dtype of `array`."""
        out = self.cupy.empty(array.shape, array.dtype)
        self._receive_into(out, source)
        return out

    def _receive_into(self, out, source):
        self.communicator.recv(
            out.data.ptr, out.nbytes, self.nccl.NCCL_INT8, source, self._stream()
        )

    def _contiguous(self, array):
        """Returns the array, copied if its elements are not contiguous. CuPy's function gives a 0-d
        array an axis."""
        return self.cupy.ascontiguousarray(array).reshape(array.shape)

    def _reduction(self, array, operation):
        """Returns NCCL's codes of dtype and operation; for bools the sum is 'any', the product
        'all'."""
        name, operation = array.dtype.name, "sum" if operation == "avg" else operation
        if name not in TYPES:
            raise TypeError(f"NCCL cannot combine arrays of dtype {name}.")
        if name == "bool":
            operation = {"sum": "max", "prod": "min"}.get(operation, operation)
        codes = vars(self.nccl)
        dtype = codes.get("NCCL_UINT64", _UINT64) if name == "uint64" else codes[TYPES[name]]
        return dtype, codes[CODES[operation]]

    def _stream(self):
        return self.cupy.cuda.get_current_stream().ptr


class Channel:
    """A one-way connection from one rank to another, for messages that wait for nothing but their
    receiver.

    An exchange of NCCL ends when both ranks have started it. The exchanges of a communicator run
    one after the other. If each of two ranks sent before it received, both would wait forever. Each
    channel therefore has its own communicator and stream.

    Args:
        name: the name that both ranks join; the call waits for the other rank.
        sends (bool): whether this rank sends.
    """

    def __init__(self, name, sends):
        self._pair = _joined(name, 2, int(not sends))
        self._sent = collections.deque()  # arrays that NCCL may still read: (event, array)

    def send(self, array):
        """Sends an array after the work that the current stream has been given so far. The array is
        contiguous and must not change before `settle`."""
        while self._sent and self._sent[0][0].done:
            self._sent.popleft()
        with self._pair.aside():
            self._pair.send(array, 1)
            self._sent.append((self._pair.stream.record(), array))

    def receive(self, like):
        """Returns an array of the shape and dtype of `like` for the next message; later work of the
        current stream waits for it."""
        out = self._pair.cupy.empty(like.shape, like.dtype)
        with self._pair.aside():
            self._pair._receive_into(out, 0)
        self._pair.join()
        return out

    def settle(self):
        """Makes the current stream wait for all messages so far; their memory can be reused."""
        self._pair.join()
        self._sent.clear()

    def abort(self):
        """Ends messages that the other rank does not take."""
        self._pair.communicator.abort()
        self._sent.clear()
