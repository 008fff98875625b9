"""Arrays between processes: all-reduce and its kin, over MPI on the host and NCCL between GPUs.

A `Group` is a set of ranks that act together. Alone (a group of one) every operation gives a copy
of what it was given. Otherwise arrays of the host travel through mpi4py; arrays of a GPU through
NCCL where each rank has a GPU of its own, else over the host. There is no transport of our own, and
nothing here knows a Tensor.

Each operation returns a `Pending`; `wait()` gives the array. The ranks of a group must call the
same operations in the same order, with arrays of the same shape and dtype.
"""

import atexit
import contextlib
import functools
import math
import os
import sys

import numpy

from . import arrays, nccl

# What launchers tell the processes they start: (rank, size, rank on the machine).
LAUNCHERS = (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"),
             ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"),
             ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"))
REDUCTIONS = ("sum", "prod", "max", "min")


def launched():
    """(rank, size) as the launcher's environment tells; None outside a launcher."""
    for rank, size, _ in LAUNCHERS:
        if rank in os.environ and size in os.environ:
            return int(os.environ[rank]), int(os.environ[size])
    return None


def launched_local_rank():
    """The rank on this machine as the launcher's environment tells, else 0."""
    return next((int(os.environ[local]) for _, _, local in LAUNCHERS if local in os.environ), 0)


@functools.cache
def mpi():
    """mpi4py's MPI; importing it joins this process to the others."""
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise RuntimeError("Several processes need mpi4py and an MPI library: install the extra "
                           f"'mpi' of mindspore_compat. ({error})") from error
    return MPI


def world():
    """The group of all ranks that the launcher started.

    Raises:
        RuntimeError: Outside a launcher, or where MPI cannot be loaded.
    """
    if launched() is None:
        raise RuntimeError("This process was not started by a launcher, so there are no others to "
                           "talk to. Start it with 'mpiexec -n <processes> ...' or 'msrun'.")
    communicator = mpi().COMM_WORLD
    if communicator.size > 1:
        end_together()
    return Group(tuple(range(communicator.size)), communicator)


@functools.cache
def end_together():
    """From now on an error that ends this process ends the others, which would wait for it.

    An end without error tells MPI what is complete, so that it has nothing left to complain of.
    """
    show = sys.excepthook

    def hook(kind, error, trace):
        show(kind, error, trace)
        sys.stdout.flush()
        sys.stderr.flush()
        mpi().COMM_WORLD.Abort(1)

    sys.excepthook = hook
    atexit.register(_forget_complete)


def alone():
    """The group of this process and no other."""
    return Group((0,), None)


def own_device(group):
    """The number of the GPU that this process should use."""
    return group.local_rank % nccl.device_count()


class Pending:
    """An operation under way: `out` is the array it fills, complete after `wait()`."""

    def __init__(self, out, request=None, finish=None):
        self.out = out
        self.request = request
        self.finish = finish

    def wait(self):
        """Wait until the operation is complete, and return the array."""
        if self.request is not None:
            self.request.Wait()
            self.request = None
        if self.finish is not None:
            self.finish()
            self.finish = None
        return self.out

    def done(self):
        """Whether the operation is complete, without waiting."""
        return self.request is None or bool(self.request.Test())

    def __del__(self):
        """Memory that MPI still reads or fills outlives an operation nobody waits for."""
        if self.request is None or sys.is_finalizing():
            return
        _abandoned.append((self.request, self.out, self.finish))
        _forget_complete()


_abandoned = []  # (request, array, what holds further arrays) of operations nobody waits for


def _forget_complete():
    """Drops the abandoned operations that are complete."""
    _abandoned[:] = [each for each in _abandoned if not each[0].Test()]


class Group:
    """Ranks that act together.

    Args:
        ranks (tuple[int]): the world's numbers of the members, in the order of their numbers here.
        communicator: mpi4py's; None for a process alone.
    """

    def __init__(self, ranks, communicator):
        self.ranks = ranks
        self.communicator = communicator
        self.rank = 0 if communicator is None else communicator.rank
        self.size = len(ranks)

    @functools.cached_property
    def neighbours(self):
        """The communicator of the members on this machine; None for a process alone."""
        if self.communicator is None:
            return None
        return self.communicator.Split_type(mpi().COMM_TYPE_SHARED)

    @property
    def local_rank(self):
        """This process's number among the members on its machine."""
        return 0 if self.neighbours is None else self.neighbours.rank

    @property
    def local_size(self):
        """How many members are on this machine."""
        return 1 if self.neighbours is None else self.neighbours.size

    @functools.cached_property
    def nccl(self):
        """NCCL's communicator where each member has a GPU of its own, else None."""
        return nccl.connect(self.communicator, self.neighbours) if self.size > 1 else None

    def subgroup(self, ranks):
        """The group of some of the world's ranks; every member, and no other rank, must call it."""
        if self.communicator is None:
            return Group(tuple(ranks), None)
        chosen = self.communicator.group.Incl(list(ranks))
        tag = sum((position + 1) * rank for position, rank in enumerate(ranks)) % 32767
        return Group(tuple(ranks), self.communicator.Create_group(chosen, tag))

    def free(self):
        """Give the communicators back; the group cannot be used afterwards."""
        made = vars(self).pop("nccl", None), vars(self).pop("neighbours", None)
        if made[0] is not None:
            made[0].destroy()
        if made[1] is not None:
            made[1].Free()
        if self.communicator is not None and self.communicator != mpi().COMM_WORLD:
            self.communicator.Free()
        self.communicator = None

    def all_reduce(self, array, operation="sum"):
        """The members' arrays combined element by element; every member gets the result."""
        if self.size == 1:
            return Pending(array.copy())
        if self._on_gpu(array):
            return Pending(self.nccl.all_reduce(array, operation))
        sent, kind = _to_reduce(array, operation)
        got = numpy.empty_like(sent)
        return _arriving(got, self.communicator.Iallreduce(sent, got, kind), array, array.shape)

    def reduce(self, array, root, operation="sum"):
        """As `all_reduce`, for member `root` only; the others get their own array back."""
        if self.size == 1:
            return Pending(array.copy())
        if self._on_gpu(array):
            return Pending(self.nccl.reduce(array, root, operation))
        sent, kind = _to_reduce(array, operation)
        got = sent.copy()
        request = self.communicator.Ireduce(sent, got if self.rank == root else None, kind, root)
        return _arriving(got, request, array, array.shape, keep=sent)

    def reduce_scatter(self, array, operation="sum"):
        """The combination of the members' arrays, cut along axis 0; each member gets its part."""
        if self.size == 1:
            return Pending(array.copy())
        if self._on_gpu(array):
            return Pending(self.nccl.reduce_scatter(array, operation))
        sent, kind = _to_reduce(array, operation)
        shape = self._part(array.shape)
        got = numpy.empty(shape, sent.dtype)
        request = self.communicator.Ireduce_scatter_block(sent, got, kind)
        return _arriving(got, request, array, shape, keep=sent)

    def all_gather(self, array):
        """The members' arrays joined along axis 0; every member gets the result."""
        if self.size == 1:
            return Pending(_at_least_1d(array).copy())
        if self._on_gpu(array):
            return Pending(self.nccl.all_gather(array))
        shape = self.whole(array.shape)
        sent, got = _bytes_of(array), _room_for(shape, array.dtype)
        return _arriving(got, self.communicator.Iallgather(sent, got), array, shape, keep=sent)

    def gather(self, array, root):
        """As `all_gather`, for member `root` only; the others get their own array back."""
        if self.size == 1:
            return Pending(_at_least_1d(array).copy())
        if self._on_gpu(array):
            joined = self.nccl.all_gather(array)
            return Pending(joined if self.rank == root else array.copy())
        shape = self.whole(array.shape) if self.rank == root else array.shape
        sent, got = _bytes_of(array), _room_for(shape, array.dtype)
        if self.rank != root:
            got[:] = sent
        request = self.communicator.Igather(sent, got if self.rank == root else None, root)
        return _arriving(got, request, array, shape, keep=sent)

    def broadcast(self, array, root):
        """Member `root`'s array, for every member; the others' arrays give shape and dtype."""
        if self.size == 1:
            return Pending(array.copy())
        if self._on_gpu(array):
            return Pending(self.nccl.broadcast(array, root))
        got = _bytes_of(array).copy()
        return _arriving(got, self.communicator.Ibcast(got, root), array, array.shape)

    def scatter(self, array, root):
        """Member `root`'s array cut along axis 0; each member gets its part."""
        if self.size == 1:
            return Pending(array.copy())
        shape = self._part(array.shape)
        if self._on_gpu(array):
            whole = self.nccl.broadcast(array, root)
            return Pending(whole[self.rank * shape[0]:(self.rank + 1) * shape[0]].copy())
        sent = _bytes_of(array) if self.rank == root else None
        got = _room_for(shape, array.dtype)
        request = self.communicator.Iscatter(sent, got, root)
        return _arriving(got, request, array, shape, keep=sent)

    def all_to_all(self, array, sent_rows, got_rows):
        """Rows of axis 0 exchanged: `sent_rows[i]` go to member i, `got_rows[i]` come from it."""
        shape = (sum(got_rows), *array.shape[1:])
        if self.size == 1:
            return Pending(array.copy())
        if self._on_gpu(array):
            return Pending(self.nccl.all_to_all(array, sent_rows, got_rows, shape))
        width = math.prod(array.shape[1:]) * array.dtype.itemsize
        sent, got = _bytes_of(array), _room_for(shape, array.dtype)
        request = self.communicator.Ialltoallv(
            [sent, [rows * width for rows in sent_rows], mpi().BYTE],
            [got, [rows * width for rows in got_rows], mpi().BYTE])
        return _arriving(got, request, array, shape, keep=sent)

    def send(self, array, to, tag=0):
        """Send to member `to`."""
        if self._on_gpu(array):
            self.nccl.send(array, to)
            return Pending(array)
        sent = _bytes_of(array)
        return Pending(array, self.communicator.Isend(sent, to, tag), lambda: sent.size)

    def receive(self, array, source, tag=0):
        """Receive from member `source`; `array` gives shape and dtype."""
        if self._on_gpu(array):
            return Pending(self.nccl.receive(array, source))
        got = _room_for(array.shape, array.dtype)
        return _arriving(got, self.communicator.Irecv(got, source, tag), array, array.shape)

    def together(self, array):
        """A context in which sends and receives of arrays like this one start as one."""
        return self.nccl.together() if self._on_gpu(array) else contextlib.nullcontext()

    def barrier(self):
        """Wait until every member has come here."""
        if self.size > 1:
            self.communicator.Barrier()

    def arrive(self):
        """As `barrier`, under way: complete when every member has come here."""
        return Pending(None, self.communicator.Ibarrier() if self.size > 1 else None)

    def objects(self, value):
        """What every member gave (anything that pickles), as a list in their order."""
        return [value] if self.size == 1 else self.communicator.allgather(value)

    def broadcast_object(self, value, root):
        """What member `root` gave, for every member."""
        return value if self.size == 1 else self.communicator.bcast(value, root)

    def gather_objects(self, value, root):
        """What every member gave, as a list, for member `root`; None for the others."""
        return [value] if self.size == 1 else self.communicator.gather(value, root)

    def scatter_objects(self, values, root):
        """This member's entry of the list that member `root` gave."""
        return values[0] if self.size == 1 else self.communicator.scatter(values, root)

    def send_object(self, value, to):
        """Sends anything that pickles to member `to`."""
        self.communicator.send(value, to)

    def receive_object(self, source):
        """What member `source` sent."""
        return self.communicator.recv(source=source)

    def _on_gpu(self, array):
        """Whether an array goes through NCCL."""
        return arrays.on_device(array) and self.nccl is not None

    def whole(self, shape):
        """The shape of all members' arrays joined along axis 0."""
        return (self.size * shape[0], *shape[1:]) if shape else (self.size,)

    def _part(self, shape):
        """The shape of one member's part of an array cut along axis 0."""
        if not shape or shape[0] % self.size:
            raise ValueError(f"An array of shape {tuple(shape)} cannot be cut along axis 0 into "
                             f"{self.size} equal parts.")
        return (shape[0] // self.size, *shape[1:])


def _to_reduce(array, operation):
    """An array as MPI can combine it, and MPI's name for the operation.

    MPI knows no half precision: those travel, and are summed, as float32. Of bools, the sum and the
    largest are 'any', the product and the smallest 'all'.
    """
    host = numpy.ascontiguousarray(arrays.to_host(array)).reshape(array.shape)
    if host.dtype in arrays.HOST.narrow:
        host = host.astype(numpy.float32)
    if host.dtype == numpy.bool_:
        host = host.view(numpy.uint8)
        operation = {"sum": "max", "prod": "min"}.get(operation, operation)
    return host, getattr(mpi(), operation.upper())


def _bytes_of(array):
    """The bytes of an array, one after the other, in the memory of the host."""
    return numpy.ascontiguousarray(arrays.to_host(array)).reshape(-1).view(numpy.uint8)


def _room_for(shape, dtype):
    """Bytes for an array of this shape and dtype."""
    return numpy.empty(math.prod(shape) * dtype.itemsize, numpy.uint8)


def _arriving(got, request, like, shape, keep=None):
    """A Pending whose array has the dtype and place of `like` and is filled from `got`.

    `keep` is held until then: MPI still reads it.
    """
    space = arrays.space_of(like)
    same_bytes = (got.dtype in (numpy.uint8, like.dtype)
                  and like.dtype.itemsize * math.prod(shape) == got.nbytes)
    if same_bytes:
        filled = got.view(like.dtype).reshape(shape)
        if space is arrays.HOST:
            return Pending(filled, request, lambda sent=keep: sent)
    out = space.module.empty(shape, like.dtype)

    def finish(sent=keep):
        arrived = filled if same_bytes else got.astype(like.dtype)
        out[...] = arrays.to_space(space, arrived)

    return Pending(out, request, finish)


def _at_least_1d(array):
    """A 0-d array as one of one element, others as they are."""
    return array if array.shape else array.reshape(1)
