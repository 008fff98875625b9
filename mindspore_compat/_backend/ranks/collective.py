"""Arrays between processes: all-reduce and its kin, over MPI on the host and NCCL between GPUs.

A `Group` is a set of ranks that act together. Alone (a group of one) every operation gives a copy
of what it was given. Otherwise arrays of the host travel through mpi4py; arrays of a GPU through
NCCL where each rank has a GPU of its own, else over the host. There is no transport of our own, and
nothing here knows a Tensor.

Each operation returns a `Pending`; `wait()` gives the array. The ranks of a group must call the
same operations in the same order, with arrays of the same shape and dtype. A header goes ahead of
every operation (`headers.py`), and nothing follows it where the ranks disagree: then `wait()` is a
RuntimeError on each of them, and the group can be used as before. Exchanges over NCCL have a header
the first time only; those that follow are compared by the next header of the group.
"""

import collections
import contextlib
import functools
import math
import pickle
import zlib

import numpy

from .. import arrays
from . import endings, headers, nccl
from .launcher import launched, mpi
from .pending import Line, Pending, progress, wait_for_all

REDUCTIONS = ("sum", "prod", "max", "min")
_made = collections.Counter()  # ranks -> how many groups of them there were


def world():
    """The group of all ranks that the launcher started.

    Raises:
        RuntimeError: Outside a launcher, or where MPI cannot be loaded.
    """
    if launched() is None:
        raise RuntimeError(
            "This process was not started by a launcher, so there are no others to "
            "talk to. Start it with 'mpiexec -n <processes> ...' or 'msrun'."
        )
    communicator = mpi().COMM_WORLD.Dup()
    if communicator.size > 1:
        endings.watch(progress)
    machine = communicator.Split_type(mpi().COMM_TYPE_SHARED)
    machines = communicator.allgather(machine.bcast(communicator.rank))
    machine.Free()
    return Group(tuple(range(communicator.size)), communicator, machines)


def alone():
    """The group of this process and no other."""
    return Group((0,), None)


def own_device(group):
    """The number of the GPU that this process should use."""
    return group.local_rank % nccl.device_count()


class Group:
    """Ranks that act together.

    Args:
        ranks (tuple[int]): the world's numbers of the members, in the order of their numbers here.
        communicator: mpi4py's; None for a process alone.
        machines (Sequence[int]): for each rank of the world the first rank on its machine.
    """

    def __init__(self, ranks, communicator, machines=(0,)):
        self.ranks = ranks
        self.communicator = communicator
        self.machines = machines
        self.rank = 0 if communicator is None else communicator.rank
        self.size = len(ranks)
        _made[ranks] += 1
        self.key = f"{ranks} {_made[ranks]}"
        self._line = Line()
        self._agreed = set()  # the exchanges over NCCL that the members have compared
        self._digest = 0  # of those since the last header
        self._messages = collections.Counter()

    @property
    def _neighbors(self):
        """The members on this process's machine, by their numbers here."""
        if self.communicator is None:
            return [0]
        own = self.machines[self.ranks[self.rank]]
        return [index for index, rank in enumerate(self.ranks) if self.machines[rank] == own]

    @property
    def local_rank(self):
        """This process's number among the members on its machine."""
        return self._neighbors.index(self.rank)

    @property
    def local_size(self):
        """How many members are on this machine."""
        return len(self._neighbors)

    @functools.cached_property
    def nccl(self):
        """NCCL's communicator where each member has a GPU of its own, else None."""
        if self.size == 1:
            return None
        self._agree("an exchange of arrays of a device").wait()
        return nccl.connect(self.communicator, self.machines[self.ranks[self.rank]])

    def subgroup(self, ranks):
        """The group of some of the world's ranks; every member, and no other rank, must call it.

        Raises:
            RuntimeError: a member calls it with other ranks.
        """
        ranks = tuple(ranks)
        if self.communicator is None:
            return Group(ranks, None)
        self._same_members(ranks)
        chosen = self.communicator.group.Incl(list(ranks))
        tag = sum((position + 1) * rank for position, rank in enumerate(ranks)) % 32767
        return Group(ranks, self.communicator.Create_group(chosen, tag), self.machines)

    def free(self):
        """Give the communicators back; the group cannot be used afterwards."""
        for pending in tuple(self._line.collectives):
            with contextlib.suppress(RuntimeError):  # for whoever waits for it
                pending.wait()
        made = vars(self).pop("nccl", None)
        if made is not None:
            made.destroy()
        if self.communicator is not None:
            self.communicator.Free()
        self.communicator = None

    def all_reduce(self, array, operation="sum"):
        """The members' arrays combined element by element; every member gets the result.

        "avg" is the sum, which the caller divides.
        """
        if self.size == 1:
            return Pending(array.copy())
        what = f"all_reduce ({operation}) of {headers.array_text(array)}"
        if self._on_gpu(array, what):
            return Pending(self.nccl.all_reduce(array, operation))
        sent, kind = _to_reduce(array, operation)
        got = numpy.empty_like(sent)
        return self._start(
            what, got, array, array.shape, lambda: self.communicator.Iallreduce(sent, got, kind)
        )

    def reduce(self, array, root, operation="sum"):
        """As `all_reduce`, for member `root` only; the others get their own array back."""
        if self.size == 1:
            return Pending(array.copy())
        what = f"reduce ({operation}) to {self._named(root)} of {headers.array_text(array)}"
        if self._on_gpu(array, what):
            return Pending(self.nccl.reduce(array, root, operation))
        sent, kind = _to_reduce(array, operation)
        got = sent.copy()
        out = got if self.rank == root else None
        return self._start(
            what, got, array, array.shape, lambda: self.communicator.Ireduce(sent, out, kind, root)
        )

    def reduce_scatter(self, array, operation="sum"):
        """The combination of the members' arrays, cut along axis 0; each member gets its part."""
        if self.size == 1:
            return Pending(array.copy())
        shape = self._part(array.shape)
        what = f"reduce_scatter ({operation}) of {headers.array_text(array)}"
        if self._on_gpu(array, what):
            return Pending(self.nccl.reduce_scatter(array, operation))
        sent, kind = _to_reduce(array, operation)
        got = numpy.empty(shape, sent.dtype)
        return self._start(
            what,
            got,
            array,
            shape,
            lambda: self.communicator.Ireduce_scatter_block(sent, got, kind),
        )

    def all_gather(self, array):
        """The members' arrays joined along axis 0; every member gets the result."""
        if self.size == 1:
            return Pending(_at_least_1d(array).copy())
        what = f"all_gather of {headers.array_text(array)}"
        if self._on_gpu(array, what):
            return Pending(self.nccl.all_gather(array))
        shape = self.whole(array.shape)
        sent, got = _bytes_of(array), _empty_for(shape, array.dtype)
        return self._start(what, got, array, shape, lambda: self.communicator.Iallgather(sent, got))

    def gather(self, array, root):
        """As `all_gather`, for member `root` only; the others get their own array back."""
        if self.size == 1:
            return Pending(_at_least_1d(array).copy())
        what = f"gather to {self._named(root)} of {headers.array_text(array)}"
        if self._on_gpu(array, what):
            joined = self.nccl.all_gather(array)
            return Pending(joined if self.rank == root else array.copy())
        shape = self.whole(array.shape) if self.rank == root else array.shape
        sent, got = _bytes_of(array), _empty_for(shape, array.dtype)
        if self.rank != root:
            got[:] = sent
        out = got if self.rank == root else None
        return self._start(
            what, got, array, shape, lambda: self.communicator.Igather(sent, out, root)
        )

    def broadcast(self, array, root):
        """Member `root`'s array, for every member; the others' arrays give shape and dtype."""
        if self.size == 1:
            return Pending(array.copy())
        what = f"broadcast from {self._named(root)} of {headers.array_text(array)}"
        if self._on_gpu(array, what):
            return Pending(self.nccl.broadcast(array, root))
        got = _bytes_of(array).copy()
        return self._start(
            what, got, array, array.shape, lambda: self.communicator.Ibcast(got, root)
        )

    def scatter(self, array, root):
        """Member `root`'s array cut along axis 0; each member gets its part."""
        if self.size == 1:
            return Pending(array.copy())
        shape = self._part(array.shape)
        what = f"scatter from {self._named(root)} of {headers.array_text(array)}"
        if self._on_gpu(array, what):
            whole = self.nccl.broadcast(array, root)
            return Pending(whole[self.rank * shape[0] : (self.rank + 1) * shape[0]].copy())
        sent = _bytes_of(array) if self.rank == root else None
        got = _empty_for(shape, array.dtype)
        return self._start(
            what, got, array, shape, lambda: self.communicator.Iscatter(sent, got, root)
        )

    def all_to_all(self, array, sent_rows, got_rows, use="all_to_all"):
        """Rows of axis 0 exchanged: `sent_rows[i]` go to member i, `got_rows[i]` come from it.

        `use` is what the members must agree on besides: what the exchange is for.
        """
        if self.size == 1:
            return Pending(array.copy())
        shape = (sum(got_rows), *array.shape[1:])
        what = f"{use} of rows of {headers.array_text(array[:0])}"
        if self._on_gpu(array, what):
            self._line.collective(Pending(None, self._same_rows(sent_rows, got_rows))).wait()
            return Pending(self.nccl.all_to_all(array, sent_rows, got_rows, shape))
        width = math.prod(array.shape[1:]) * array.dtype.itemsize
        sent, got = _bytes_of(array), _empty_for(shape, array.dtype)
        return self._start(
            what,
            got,
            array,
            shape,
            lambda: self.communicator.Ialltoallv(
                [sent, [rows * width for rows in sent_rows], mpi().BYTE],
                [got, [rows * width for rows in got_rows], mpi().BYTE],
            ),
            before=self._same_rows(sent_rows, got_rows),
        )

    def send(self, array, to, tag=0):
        """Send to member `to`."""
        header = headers.packed(self._message("to", to, tag, headers.array_text(array)))
        if self._on_gpu(array):
            self.nccl.send(array, to)
            return self._send(array, to, tag, header)
        return self._send(array, to, tag, header, _bytes_of(array))

    def receive(self, array, source, tag=0):
        """Receive from member `source`; `array` gives shape and dtype.

        `wait()` is a RuntimeError where something of another shape or dtype was sent.
        """
        wanted = self._message("from", source, tag, headers.array_text(array))
        if self._on_gpu(array):
            out, got, finish = self.nccl.receive(array, source), None, None
        else:
            got = _empty_for(array.shape, array.dtype)
            out, finish = _landing(got, array, array.shape)

        header = bytearray(headers.SIZE)

        def steps():
            request = self.communicator.Irecv(header, source, tag)
            data = None if got is None else self.communicator.Irecv(got, source, tag)
            yield request
            if headers.text_of(header) != wanted:
                with contextlib.suppress(mpi().Exception):  # what came may be longer
                    yield data
                self._refuse(wanted, header, source)
            if data is not None:
                yield data
                finish()

        absent = self._absent_peer(source, "receive", wanted, header)
        return self._line.peer(Pending(out, steps(), absent))

    def aside(self, array):
        """Has exchanges of arrays like this one run beside what is computed meanwhile, where NCCL
        makes them, until `join`; others are under way by themselves."""
        return self.nccl.aside() if self._on_gpu(array) else contextlib.nullcontext()

    def join(self, array):
        """Has what comes next on the GPU wait for the exchanges within `aside`."""
        if self._on_gpu(array):
            self.nccl.join()

    def together(self, array):
        """A context in which sends and receives of arrays like this one start as one."""
        return self.nccl.together() if self._on_gpu(array) else contextlib.nullcontext()

    def barrier(self):
        """Wait until every member has come here."""
        self.arrive().wait()

    def arrive(self):
        """As `barrier`, under way: complete when every member has come here."""
        return Pending(None) if self.size == 1 else self._agree("barrier")

    def objects(self, value):
        """What every member gave (anything that pickles), as a list in their order."""
        if self.size == 1:
            return [value]
        self._agree("all_gather of objects").wait()
        return self.communicator.allgather(value)

    def broadcast_object(self, value, root):
        """What member `root` gave, for every member."""
        if self.size == 1:
            return value
        self._agree(f"broadcast from {self._named(root)} of an object").wait()
        return self.communicator.bcast(value, root)

    def gather_objects(self, value, root):
        """What every member gave, as a list, for member `root`; None for the others."""
        if self.size == 1:
            return [value]
        self._agree(f"gather to {self._named(root)} of objects").wait()
        return self.communicator.gather(value, root)

    def scatter_objects(self, values, root):
        """This member's entry of the list that member `root` gave."""
        if self.size == 1:
            return values[0]
        self._agree(f"scatter from {self._named(root)} of objects").wait()
        return self.communicator.scatter(values, root)

    def send_object(self, value, to):
        """Sends anything that pickles to member `to`."""
        header = headers.packed(self._message("to", to, 0, "an object"))
        self._send(None, to, 0, header, pickle.dumps(value, pickle.HIGHEST_PROTOCOL)).wait()

    def receive_object(self, source):
        """What member `source` sent with `send_object`; nothing else is unpickled."""
        wanted = self._message("from", source, 0, "an object")
        header, data = bytearray(headers.SIZE), bytearray()

        def steps():
            yield self.communicator.Irecv(header, source, 0)
            status = mpi().Status()
            self.communicator.Probe(source, 0, status)
            data.extend(bytes(status.Get_count(mpi().BYTE)))
            yield self.communicator.Irecv(data, source, 0)
            if headers.text_of(header) != wanted:
                self._refuse(wanted, header, source)

        absent = self._absent_peer(source, "receive", wanted, header)
        self._line.peer(Pending(None, steps(), absent)).wait()
        return pickle.loads(data)

    def _on_gpu(self, array, what=None):
        """Whether an array goes through NCCL; the members agree on `what` before."""
        if not arrays.on_device(array) or self.nccl is None:
            return False
        if what is not None:
            self._agree_once(f"{what} of a device")
        return True

    def _agree_once(self, what):
        """Compares an exchange over NCCL when its like first comes. Later ones are not waited for:
        the next header of the group compares how many there were, and which ones."""
        if what not in self._agreed:
            self._agree(what).wait()
            self._agreed.add(what)
            return
        endings.look()
        endings.counts[self.key] += 1
        gone = self._gone(endings.counts[self.key])
        if gone:
            raise RuntimeError(self._absence(gone[0], f"complete {what}"))
        self._digest = zlib.crc32(what.encode(), self._digest)

    def whole(self, shape):
        """The shape of all members' arrays joined along axis 0."""
        return (self.size * shape[0], *shape[1:]) if shape else (self.size,)

    def _part(self, shape):
        """The shape of one member's part of an array cut along axis 0."""
        if not shape or shape[0] % self.size:
            raise ValueError(
                f"An array of shape {tuple(shape)} cannot be cut along axis 0 into "
                f"{self.size} equal parts."
            )
        return (shape[0] // self.size, *shape[1:])

    def _start(self, what, got, like, shape, begin, before=()):
        """A collective that fills `got`, once all have agreed on `what` and run `before`."""
        out, finish = _landing(got, like, shape)

        def steps():
            yield from before
            yield begin()
            finish()

        return self._collective(what, steps(), out)

    def _agree(self, what):
        """A collective that does nothing but compare `what`."""
        return self._collective(what, (), None)

    def _collective(self, what, steps, out):
        """Starts an exchange of headers; where they are equal, the steps follow."""
        endings.counts[self.key] += 1
        number = endings.counts[self.key]
        what = f"{what} as exchange {number}"
        if self._digest:
            what, self._digest = f"{what} after others on GPUs ({self._digest:08x})", 0
        own = headers.packed(what)

        def run():
            gathered = bytearray(headers.SIZE * self.size)
            yield self.communicator.Iallgather(own, gathered)
            headers.compare(gathered, own, self.ranks)
            yield from steps

        def absent():
            gone = self._gone(number)
            return self._absence(gone[0], f"complete {what}") if gone else None

        return self._line.collective(Pending(out, run(), absent))

    def _gone(self, number):
        """The members that have ended before this exchange."""
        return [
            rank
            for rank in self.ranks
            if rank in endings.left and endings.left[rank].get(self.key, 0) < number
        ]

    def _same_rows(self, sent_rows, got_rows):
        """Compares the counts of rows of an exchange of all with all."""
        own = numpy.array([sent_rows, got_rows], numpy.int64)
        gathered = numpy.empty((self.size, *own.shape), numpy.int64)
        yield self.communicator.Iallgather(own, gathered)
        headers.compare_rows(gathered[:, 0], gathered[:, 1], self.ranks)

    def _send(self, array, to, tag, header, data=None):
        """Sends a header and, unless it goes another way, the data."""

        def steps():
            requests = [
                self.communicator.Isend(part, to, tag)
                for part in (header, data)
                if part is not None
            ]
            yield from requests

        absent = self._absent_peer(to, "send", headers.text_of(header))
        return self._line.peer(Pending(array, steps(), absent))

    def _message(self, way, peer, tag, text):
        """The text of a message "to" or "from" a member: what it is, and its number."""
        self._messages[way, peer, tag] += 1
        return f"{text} as message {self._messages[way, peer, tag]} of tag {tag}"

    def _refuse(self, wanted, header, source):
        raise RuntimeError(
            f"What is received must be of the dtype and shape that was sent, but "
            f"{self._named(self.rank)} expects {wanted} from {self._named(source)}, which sent "
            f"{headers.text_of(header)}."
        )

    def _absent_peer(self, peer, verb, what, header=b"\0"):
        """A function that returns whether a peer has ended and the header has not come before."""
        rank = self.ranks[peer]

        def absent():
            gone = rank in endings.left and not header[0]
            return self._absence(rank, f"{verb} {what}") if gone else None

        return absent

    def _absence(self, rank, what):
        return f"Rank {rank} has ended, but {self._named(self.rank)} needs it to {what}."

    def _named(self, member):
        """A member as words, by its number in the world."""
        return f"rank {self.ranks[member]}"

    def _same_members(self, ranks):
        """Compares the ranks of a new group with what each of the others calls it with."""
        tag = self.communicator.Get_attr(mpi().TAG_UB)  # a number that no script uses
        what = f"a new group of {list(ranks)}"
        own = headers.packed(what)
        others = [rank for rank in ranks if rank != self.rank]
        sent = [self._send(None, rank, tag, own) for rank in others]

        def steps(rank):
            header = bytearray(headers.SIZE)
            yield self.communicator.Irecv(header, rank, tag)
            pair = (own, header) if self.rank < rank else (header, own)
            headers.compare(b"".join(pair), own, sorted((self.rank, rank)))

        waiting = [
            Pending(None, steps(rank), self._absent_peer(rank, "make", what)) for rank in others
        ]
        for each in waiting:
            self._line.peer(each)
        try:
            wait_for_all(sent + waiting)
        finally:
            for each in waiting:
                each.cancel()


def _to_reduce(array, operation):
    """An array as MPI can combine it, and MPI's name for the operation.

    MPI knows no half precision: those travel, and are summed, as float32. Of bools, the sum and the
    largest are 'any', the product and the smallest 'all'.
    """
    operation = "sum" if operation == "avg" else operation
    host = numpy.ascontiguousarray(arrays.to_host(array)).reshape(array.shape)
    if host.dtype in arrays.HOST.low_precision:
        host = host.astype(numpy.float32)
    if host.dtype == numpy.bool_:
        host = host.view(numpy.uint8)
        operation = {"sum": "max", "prod": "min"}.get(operation, operation)
    return host, getattr(mpi(), operation.upper())


def _bytes_of(array):
    """The bytes of an array, one after the other, in the memory of the host."""
    return numpy.ascontiguousarray(arrays.to_host(array)).reshape(-1).view(numpy.uint8)


def _empty_for(shape, dtype):
    """Bytes for an array of this shape and dtype."""
    return numpy.empty(math.prod(shape) * dtype.itemsize, numpy.uint8)


def _landing(got, like, shape):
    """An array of the dtype and device of `like`, and what fills it once `got` is filled."""
    space = arrays.space_of(like)
    same_bytes = (
        got.dtype in (numpy.uint8, like.dtype)
        and like.dtype.itemsize * math.prod(shape) == got.nbytes
    )
    if same_bytes and space is arrays.HOST:
        return got.view(like.dtype).reshape(shape), lambda: None
    out = space.module.empty(shape, like.dtype)

    def finish():
        arrived = got.view(like.dtype).reshape(shape) if same_bytes else got.astype(like.dtype)
        out[...] = arrays.to_space(space, arrived)

    return out, finish


def _at_least_1d(array):
    """A 0-d array as one of one element, others as they are."""
    return array if array.shape else array.reshape(1)
