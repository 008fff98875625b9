"""NCCL through CuPy: the collectives of collective.py on arrays of GPUs, one GPU for each rank.

Work is put on CuPy's current stream and not waited for; later work on that stream comes after it.
The ranks find each other over MPI, once, when a group first sees an array of a GPU; then they also
compare which GPUs they use.
"""

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
_UINT64 = 5  # ncclUint64, which some releases of CuPy have no name for


def device_count():
    """How many GPUs this machine has."""
    return importlib.import_module("cupy").cuda.runtime.getDeviceCount()


def own_gpu(cupy, machine):
    """What names the GPU in use among those of all machines. Its number does not: a process may see
    no GPU but its own."""
    device = cupy.cuda.Device()
    properties = cupy.cuda.runtime.getDeviceProperties(device.id)
    return machine, device.pci_bus_id, bytes(properties.get("uuid", b""))


def connect(communicator, machine):
    """NCCL's side of a group; None unless it is installed and each rank has a GPU of its own.

    Args:
        communicator: mpi4py's.
        machine: the number of this rank's machine.
    """
    cupy = importlib.import_module("cupy")
    try:
        nccl = importlib.import_module("cupy.cuda.nccl")
        usable = nccl.available
    except ImportError:
        usable = False
    gpus = communicator.allgather(own_gpu(cupy, machine) if usable else None)
    if None in gpus or len(set(gpus)) < len(gpus):
        if communicator.rank == 0:
            reason = "NCCL is not installed" if None in gpus else "ranks share a GPU"
            _log.warning("Arrays of GPUs are exchanged over the host, as %s.", reason)
        return None
    name = communicator.bcast(nccl.get_unique_id() if communicator.rank == 0 else None, 0)
    return Nccl(cupy, nccl, nccl.NcclCommunicator(communicator.size, name, communicator.rank))


class Nccl:
    """The operations, on arrays of this rank's GPU."""

    def __init__(self, cupy, nccl, communicator):
        self.cupy = cupy
        self.nccl = nccl
        self.communicator = communicator
        self.rank = communicator.rank_id()
        self.size = communicator.size()
        self.stream = cupy.cuda.Stream(non_blocking=True)

    @contextlib.contextmanager
    def aside(self):
        """Within it work goes to a stream of its own, which first waits for what was given to the
        current one so far."""
        self.stream.wait_event(self.cupy.cuda.get_current_stream().record())
        with self.stream:
            yield

    def join(self):
        """Has the current stream wait for what was given to the other one."""
        self.cupy.cuda.get_current_stream().wait_event(self.stream.record())

    def destroy(self):
        """Give the communicator back."""
        self.communicator.destroy()

    def all_reduce(self, array, operation):
        """Combine; every rank gets the result."""
        array = self.cupy.ascontiguousarray(array)
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
        """Combine; `root` gets the result, the others their own array."""
        array = self.cupy.ascontiguousarray(array)
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
        """Combine and cut along axis 0."""
        array = self.cupy.ascontiguousarray(array)
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
        """Join along axis 0."""
        array = self.cupy.ascontiguousarray(array)
        shape = (self.size * array.shape[0], *array.shape[1:]) if array.shape else (self.size,)
        out = self.cupy.empty(shape, array.dtype)
        self.communicator.allGather(
            array.data.ptr, out.data.ptr, array.nbytes, self.nccl.NCCL_INT8, self._stream()
        )
        return out

    def broadcast(self, array, root):
        """`root`'s array for every rank."""
        array = self.cupy.ascontiguousarray(array)
        out = self.cupy.empty_like(array)
        self.communicator.broadcast(
            array.data.ptr, out.data.ptr, array.nbytes, self.nccl.NCCL_INT8, root, self._stream()
        )
        return out

    def all_to_all(self, array, sent_rows, got_rows, shape):
        """Exchange rows of axis 0, as one group of sends and receives."""
        array = self.cupy.ascontiguousarray(array)
        out = self.cupy.empty(shape, array.dtype)
        here = there = 0
        with self.together():
            for rank in range(self.size):
                self.send(array[here : here + sent_rows[rank]], rank)
                self._receive_into(out[there : there + got_rows[rank]], rank)
                here += sent_rows[rank]
                there += got_rows[rank]
        return out

    @contextlib.contextmanager
    def together(self):
        """Start the sends and receives in the block as one; alone, two ranks could wait forever.
        An error in the block ends the group too: whatever follows would wait in it."""
        self.nccl.groupStart()
        try:
            yield
        finally:
            self.nccl.groupEnd()

    def send(self, array, to):
        """Send to one rank."""
        array = self.cupy.ascontiguousarray(array)
        self.communicator.send(
            array.data.ptr, array.nbytes, self.nccl.NCCL_INT8, to, self._stream()
        )

    def receive(self, array, source):
        """Receive from one rank an array like the given one."""
        out = self.cupy.empty(array.shape, array.dtype)
        self._receive_into(out, source)
        return out

    def _receive_into(self, out, source):
        self.communicator.recv(
            out.data.ptr, out.nbytes, self.nccl.NCCL_INT8, source, self._stream()
        )

    def _reduction(self, array, operation):
        """NCCL's codes of dtype and operation; of bools the sum is 'any', the product 'all'."""
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
