"""Collective communication of arrays (all-reduce, broadcast, ...) by MPI, and by NCCL between GPUs.

A `Group` is a set of ranks that act together. In a group of one rank every operation returns a copy
of its input. Otherwise arrays on the host travel through mpi4py. Arrays on GPUs travel through NCCL
if each rank has its own GPU, else over the host. Tensors are not used here.

Each operation returns a `Pending`; `wait()` returns the array. The ranks of a group must call the
same operations in the same order, with arrays of the same shape and dtype. A header precedes every
operation (`headers.py`). If the headers of the ranks differ, no data follow, `wait()` raises a
RuntimeError on each rank, and the group stays usable. Exchanges over NCCL have a header only the
first time; the next header of the group checks the later ones. A header also compares what `note`
was given since the last one: the settings and strategies of a divided network.
"""

import collections
import contextlib
import functools
import itertools
import math
import zlib

import numpy

from .. import arrays
from . import endings, headers, nccl, object_steps
from .buffers import at_least_1d, bytes_of, empty_for, landing, part_shape, to_reduce
from .launcher import launched, mpi
from .objects import ObjectExchangesMixin
from .pending import Line, Pending, progress, wait_for_all

REDUCTIONS = ("sum", "prod", "max", "min")
_NOTES = 256  # how many calls of `note` a group keeps, for an error
_group_counts = collections.Counter()  # ranks -> number of groups with these ranks so far


def world():
    """Returns the group of all ranks that the launcher started. A single rank needs no MPI.

    Raises:
        RuntimeError: if no launcher started this process, or MPI cannot be loaded.
    """
    if launched() is None:
        raise RuntimeError(
            "This process was not started by a launcher, so there are no others to "
            "talk to. Start it with 'mpiexec -n <processes> ...' or 'msrun-compat'."
        )
    if launched() == (0, 1):
        return alone()
    communicator = mpi().COMM_WORLD.Dup()
    if communicator.size > 1:
        endings.watch(progress)
    machine = communicator.Split_type(mpi().COMM_TYPE_SHARED)
    machines = communicator.allgather(machine.bcast(communicator.rank))
    machine.Free()
    return Group(tuple(range(communicator.size)), communicator, machines)


def alone():
    """Returns the group of this process alone."""
    return Group((0,), None)


def own_device(group):
    """Returns the number of the GPU that this process should use."""
    return group.local_rank % nccl.device_count()


class Group(ObjectExchangesMixin):
    """A set of ranks that exchange arrays with each other. communication/ makes the groups by
    `world`, `alone` and `subgroup`.

    Args:
        ranks (tuple[int]): the world ranks of the members, in the order of their ranks in the
            group.
        communicator: the communicator of mpi4py; None for a single process.
        machines (Sequence[int]): for each rank of the world, the first rank on its machine.
    """

    def __init__(self, ranks, communicator, machines=(0,)):
        self.ranks = ranks
        self.communicator = communicator
        self.machines = machines
        self.rank = 0 if communicator is None else communicator.rank
        self.size = len(ranks)
        _group_counts[ranks] += 1
        self.key = f"{ranks} {_group_counts[ranks]}"
        self._line = Line()
        self._agreed = set()  # descriptions of NCCL exchanges that the members have compared
        self._digest = 0  # digest of the exchanges over NCCL since the last header
        self._notes = collections.deque(maxlen=_NOTES)  # what `note` was given since then
        self._notes_digest = 0  # its digest
        self._is_due = False  # whether `compare` has to compare it
        self._messages = collections.Counter()
        self._parts = collections.Counter()  # of messages: the header, and the data if MPI has them

    @property
    def _neighbors(self):
        """The members on this process's machine, by their ranks in this group."""
        if self.communicator is None:
            return [0]
        machine = self.machines[self.ranks[self.rank]]
        return [index for index, rank in enumerate(self.ranks) if self.machines[rank] == machine]

    @property
    def local_rank(self):
        """This process's number among the members on its machine."""
        return self._neighbors.index(self.rank)

    @property
    def local_size(self):
        """The number of members on this machine."""
        return len(self._neighbors)

    @functools.cached_property
    def nccl(self):
        """The NCCL communicator if each member has its own GPU, else None."""
        if self.size == 1:
            return None
        self._agree("an exchange of arrays of a device").wait()
        return nccl.connect(self.communicator, self.machines[self.ranks[self.rank]])

    def own_gpu(self):
        """Returns the identity of this process's GPU among the GPUs of all ranks (nccl.own_gpu)."""
        return nccl.own_gpu(self.machines[self.ranks[self.rank]])

    def subgroup(self, ranks):
        """Returns the group of some of the world's ranks; every member, and no other rank, must
        call it.

        Raises:
            RuntimeError: if a member calls it with other ranks.
        """
        ranks = tuple(ranks)
        if self.communicator is None:
            return Group(ranks, None)
        self._same_members(ranks)
        members = self.communicator.group.Incl(list(ranks))
        tag = sum((position + 1) * rank for position, rank in enumerate(ranks)) % 32767
        return Group(ranks, self.communicator.Create_group(members, tag), self.machines)

    def free(self):
        """Frees the communicators; the group cannot be used afterwards."""
        for pending in tuple(self._line.collectives):
            with contextlib.suppress(RuntimeError):  # for the caller that waits for it
                pending.wait()
        communicator = vars(self).pop("nccl", None)
        if communicator is not None:
            communicator.destroy()
        if self.communicator is not None:
            self.communicator.Free()
        self.communicator = None

    def all_reduce(self, array, operation="sum"):
        """Combines the members' arrays element by element; every member gets the result.

        Args:
            array: this member's array.
            operation (str): "sum", "prod", "max", "min", or "avg", which returns the sum: the
                caller divides it.

        Returns:
            Pending, as for all exchanges of arrays below.
        """
        if self.size == 1:
            return Pending(array.copy())
        call = f"all_reduce ({operation}) of {headers.array_text(array)}"
        if self._on_gpu(array, call):
            return Pending(self.nccl.all_reduce(array, operation))
        payload, kind = to_reduce(array, operation)
        buffer = numpy.empty_like(payload)
        return self._start(
            call,
            buffer,
            array,
            array.shape,
            lambda: self.communicator.Iallreduce(payload, buffer, kind),
        )

    def reduce(self, array, root, operation="sum"):
        """Combines the members' arrays as `all_reduce` does; member `root` gets the result, the
        others get a copy of their own array."""
        if self.size == 1:
            return Pending(array.copy())
        call = f"reduce ({operation}) to {self._name_of(root)} of {headers.array_text(array)}"
        if self._on_gpu(array, call):
            return Pending(self.nccl.reduce(array, root, operation))
        payload, kind = to_reduce(array, operation)
        buffer = payload.copy()
        out = buffer if self.rank == root else None
        return self._start(
            call,
            buffer,
            array,
            array.shape,
            lambda: self.communicator.Ireduce(payload, out, kind, root),
        )

    def reduce_scatter(self, array, operation="sum"):
        """Combines the members' arrays and splits the result along axis 0 among the members."""
        if self.size == 1:
            return Pending(array.copy())
        shape = part_shape(array.shape, self.size)
        call = f"reduce_scatter ({operation}) of {headers.array_text(array)}"
        if self._on_gpu(array, call):
            return Pending(self.nccl.reduce_scatter(array, operation))
        payload, kind = to_reduce(array, operation)
        buffer = numpy.empty(shape, payload.dtype)
        return self._start(
            call,
            buffer,
            array,
            shape,
            lambda: self.communicator.Ireduce_scatter_block(payload, buffer, kind),
        )

    def all_gather(self, array):
        """Concatenates the members' arrays along axis 0; every member gets the result."""
        if self.size == 1:
            return Pending(at_least_1d(array).copy())
        call = f"all_gather of {headers.array_text(array)}"
        if self._on_gpu(array, call):
            return Pending(self.nccl.all_gather(array))
        shape = self.whole(array.shape)
        payload, buffer = bytes_of(array), empty_for(shape, array.dtype)
        return self._start(
            call, buffer, array, shape, lambda: self.communicator.Iallgather(payload, buffer)
        )

    def gather(self, array, root):
        """Concatenates the members' arrays along axis 0; member `root` gets the result, the others
        get their own array back."""
        if self.size == 1:
            return Pending(at_least_1d(array).copy())
        call = f"gather to {self._name_of(root)} of {headers.array_text(array)}"
        if self._on_gpu(array, call):
            gathered = self.nccl.all_gather(array)
            return Pending(gathered if self.rank == root else array.copy())
        shape = self.whole(array.shape) if self.rank == root else array.shape
        payload, buffer = bytes_of(array), empty_for(shape, array.dtype)
        if self.rank != root:
            buffer[:] = payload
        out = buffer if self.rank == root else None
        return self._start(
            call, buffer, array, shape, lambda: self.communicator.Igather(payload, out, root)
        )

    def broadcast(self, array, root):
        """Copies member `root`'s array to every member. The array that another member passes tells
        only the shape and the dtype."""
        if self.size == 1:
            return Pending(array.copy())
        call = f"broadcast from {self._name_of(root)} of {headers.array_text(array)}"
        if self._on_gpu(array, call):
            return Pending(self.nccl.broadcast(array, root))
        buffer = bytes_of(array).copy()
        return self._start(
            call, buffer, array, array.shape, lambda: self.communicator.Ibcast(buffer, root)
        )

    def scatter(self, array, root):
        """Cuts member `root`'s array into equal parts along axis 0; each member gets one part, in
        the order of ranks."""
        if self.size == 1:
            return Pending(array.copy())
        shape = part_shape(array.shape, self.size)
        call = f"scatter from {self._name_of(root)} of {headers.array_text(array)}"
        if self._on_gpu(array, call):
            whole = self.nccl.broadcast(array, root)
            return Pending(whole[self.rank * shape[0] : (self.rank + 1) * shape[0]].copy())
        payload = bytes_of(array) if self.rank == root else None
        buffer = empty_for(shape, array.dtype)
        return self._start(
            call, buffer, array, shape, lambda: self.communicator.Iscatter(payload, buffer, root)
        )

    def all_to_all(self, array, sent_rows, got_rows, use="all_to_all"):
        """Exchanges rows of axis 0: `sent_rows[i]` go to member i, `got_rows[i]` come from it.

        The members must also agree on `use`, the purpose of the exchange.
        """
        if self.size == 1:
            return Pending(array.copy())
        shape = (sum(got_rows), *array.shape[1:])
        call = f"{use} of rows of {headers.array_text(array[:0])}"
        if self._on_gpu(array, call):
            self._line.collective(Pending(None, self._same_rows(sent_rows, got_rows))).wait()
            return Pending(self.nccl.all_to_all(array, sent_rows, got_rows, shape))
        width = math.prod(array.shape[1:]) * array.dtype.itemsize
        payload, buffer = bytes_of(array), empty_for(shape, array.dtype)
        return self._start(
            call,
            buffer,
            array,
            shape,
            lambda: self.communicator.Ialltoallv(
                [payload, [rows * width for rows in sent_rows], mpi().BYTE],
                [buffer, [rows * width for rows in got_rows], mpi().BYTE],
            ),
            before=self._same_rows(sent_rows, got_rows),
        )

    def send(self, array, to, tag=0):
        """Sends an array to member `to`, who receives it with the same `tag`."""
        header = headers.packed(self._message("to", to, tag, headers.array_text(array)))
        if self._on_gpu(array):
            self.nccl.send(array, to)
            return self._send(array, to, tag, header)
        return self._send(array, to, tag, header, bytes_of(array))

    def receive(self, array, source, tag=0):
        """Receives an array that member `source` sends with the same `tag`. `array` tells only the
        shape and the dtype.

        `wait()` raises a RuntimeError if the sent array has another shape or dtype.
        """
        expected = self._message("from", source, tag, headers.array_text(array))
        if self._on_gpu(array):
            out, buffer, finish = self.nccl.receive(array, source), None, None
        else:
            buffer = empty_for(array.shape, array.dtype)
            out, finish = landing(buffer, array, array.shape)

        header = bytearray(headers.SIZE)

        def steps():
            self._parts["from", source, tag] += 1 if buffer is None else 2
            request = self.communicator.Irecv(header, source, tag)
            data = None if buffer is None else self.communicator.Irecv(buffer, source, tag)
            yield request
            if headers.text_of(header) != expected:
                with contextlib.suppress(mpi().Exception):  # the message may be longer
                    yield data
                self._refuse(expected, header, source)
            if data is not None:
                yield data
                finish()

        absent = self._absent_peer(source, "receive", expected, header)
        return self._line.peer(Pending(out, steps(), absent))

    def aside(self, array):
        """Returns a context in which NCCL exchanges of arrays like this one overlap with
        computation, until `join`; other exchanges overlap anyway."""
        return self.nccl.aside() if self._on_gpu(array) else contextlib.nullcontext()

    def join(self, array):
        """Makes later work on the GPU wait for the exchanges started in `aside`."""
        if self._on_gpu(array):
            self.nccl.join()

    def together(self, array):
        """Returns a context that groups sends and receives of arrays like this one into one
        operation."""
        return self.nccl.together() if self._on_gpu(array) else contextlib.nullcontext()

    def barrier(self):
        """Waits until every member has called this."""
        self.arrive().wait()

    def arrive(self):
        """Returns a Pending that is complete when every member has called this, without waiting for
        the others."""
        return Pending(None) if self.size == 1 else self._agree("barrier")

    def note(self, pairs, is_due=True, text=None):
        """Adds this member's arguments of a divided network to the next header of the group, so
        that members compare them. If two members differ, both raise a RuntimeError that names the
        first difference.

        Args:
            pairs (tuple): pairs of a name and a text.
            is_due (bool): whether `compare` compares them, if no header has done so before.
            text (str): stands for the pairs in the header. Default: their representation.
        """
        self._notes.append(pairs)
        self._notes_digest = zlib.crc32((text or repr(pairs)).encode(), self._notes_digest)
        self._is_due |= is_due

    def compare(self):
        """Compares what `note` was given, unless a header has done so already."""
        if self._is_due:
            self._agree("a comparison of settings").wait()

    def sent(self, to):
        """Returns how many messages this rank has sent to a member: for each tag, the number of
        messages and the number of their parts.
        """
        tags = [tag for way, peer, tag in self._messages if (way, peer) == ("to", to)]
        return {tag: (self._messages["to", to, tag], self._parts["to", to, tag]) for tag in tags}

    def discard(self, source, sent):
        """Receives and drops the messages of a member that this rank has not received. `sent` is
        the result of `sent(this rank)` on that member; no receive may be pending."""
        for tag, (messages, parts) in sent.items():
            for _ in range(parts - self._parts["from", source, tag]):
                status = mpi().Status()
                self.communicator.Probe(source, tag, status)
                self.communicator.Recv(bytearray(status.Get_count(mpi().BYTE)), source, tag)
            self._messages["from", source, tag] = messages
            self._parts["from", source, tag] = parts

    def _on_gpu(self, array, call=None):
        """Returns True if an array is exchanged through NCCL. In this case the members first
        compare `call`, the text of the exchange, unless it is None."""
        if not arrays.on_device(array) or self.nccl is None:
            return False
        if call is not None:
            self._agree_once(f"{call} of a device")
        return True

    def _agree_once(self, call):
        """Compares `call`, the text of an exchange over NCCL, among the members. It waits for them
        only if the text is new, or if pairs stored by `note` must be compared. Otherwise the text
        is added to a digest, and the next header of the group carries the digest.
        """
        if call not in self._agreed or self._is_due:
            self._agree(call).wait()
            self._agreed.add(call)
            return
        if endings.Exchanges.undone:
            raise endings.undone_steps([self.ranks[self.rank]])
        endings.look()
        endings.Exchanges.started += 1
        endings.counts[self.key] += 1
        absent_ranks = self._ended_members(endings.counts[self.key])
        if absent_ranks:
            raise RuntimeError(self._absence(absent_ranks[0], f"complete {call}"))
        self._digest = zlib.crc32(call.encode(), self._digest)

    def whole(self, shape):
        """Returns the shape of the members' arrays joined along axis 0."""
        return (self.size * shape[0], *shape[1:]) if shape else (self.size,)

    def _start(self, call, buffer, like, shape, begin, before=()):
        """Starts a collective over MPI, and returns its Pending.

        Args:
            call (str): the text that the members compare first.
            buffer: the host memory that the collective fills.
            like: an array with the dtype and device of the result.
            shape: the shape of the result.
            begin (Callable): starts the exchange, and returns MPI's request.
            before (Iterable): requests that must be complete before `begin` is called.
        """
        out, finish = landing(buffer, like, shape)

        def steps():
            yield from before
            yield begin()
            finish()

        return self._collective(call, steps(), out)

    def _agree(self, call):
        """Starts a collective that only compares the text `call` among the members, and returns its
        Pending."""
        return self._collective(call, (), None)

    def _collective(self, call, steps, out):
        """Starts a collective, and returns its Pending: the members exchange headers and, if these
        are equal, continue with `steps`.

        Args:
            call (str): the text of the header.
            steps (Iterable): yields the further requests to wait for.
            out: the array of the result, or None.
        """
        number = endings.counts[self.key] + 1
        call = f"{call} as exchange {number}"
        if self._digest:
            call, self._digest = f"{call} after others on GPUs ({self._digest:08x})", 0
        if self._notes_digest:
            call = f"{call} with settings ({self._notes_digest:08x})"
        if endings.Exchanges.undone:
            call = headers.UNDONE + call
        header, notes = headers.packed(call), tuple(self._notes)
        self._notes.clear()
        self._notes_digest, self._is_due = 0, False

        def run():
            gathered = bytearray(headers.SIZE * self.size)
            try:
                yield self.communicator.Iallgather(header, gathered)
                if not headers.same(gathered, header, self.ranks):
                    contents, pairs = [], list(itertools.chain(*notes))
                    yield from object_steps.gather(self, object_steps.content_of(pairs), contents)
                    raise headers.difference(gathered, contents, self.ranks)
                yield from steps
            except mpi().Exception as error:
                if "memory" not in str(error).lower():
                    raise
                raise MemoryError(f"MPI has no memory to complete {call}") from error

        def absent():
            ranks = self._ended_members(number)
            return self._absence(ranks[0], f"complete {call}") if ranks else None

        pending = self._line.collective(Pending(out, run(), absent))
        endings.counts[self.key] = number
        return pending

    def _ended_members(self, number):
        """Returns the world ranks of the members that ended before collective `number`."""
        return [
            rank
            for rank, counts in endings.left.items()
            if rank in self.ranks
            and (counts.get(self.key, 0) < number or counts.get(endings.BROKEN))
        ]

    def _same_rows(self, sent_rows, got_rows):
        """Yields the request that gathers the row counts of an all-to-all exchange, and then
        compares them; raises a RuntimeError if two do not match."""
        counts = numpy.array([sent_rows, got_rows], numpy.int64)
        gathered = numpy.empty((self.size, *counts.shape), numpy.int64)
        yield self.communicator.Iallgather(counts, gathered)
        headers.compare_rows(gathered[:, 0], gathered[:, 1], self.ranks)

    def _send(self, array, to, tag, header, data=None):
        """Sends a header, and the data unless they travel separately."""

        def steps():
            parts = (header,) if data is None else (header, data)
            self._parts["to", to, tag] += len(parts)
            yield from [self.communicator.Isend(part, to, tag) for part in parts]

        absent = self._absent_peer(to, "send", headers.text_of(header))
        return self._line.peer(Pending(array, steps(), absent))

    def _message(self, way, peer, tag, text):
        """Returns the text of a message "to" or "from" a member: its content and number."""
        if endings.Exchanges.undone and way == "from":
            raise endings.undone_steps([self.ranks[self.rank]])
        self._messages[way, peer, tag] += 1
        mark = headers.UNDONE if endings.Exchanges.undone else ""
        return f"{mark}{text} as message {self._messages[way, peer, tag]} of tag {tag}"

    def _refuse(self, expected, header, source):
        if headers.text_of(header).startswith(headers.UNDONE):
            raise endings.undone_steps([self.ranks[source]])
        raise RuntimeError(
            f"What is received must be of the dtype and shape that was sent, but "
            f"{self._name_of(self.rank)} expects {expected} from {self._name_of(source)}, which "
            f"sent {headers.text_of(header)}."
        )

    def _absent_peer(self, peer, verb, purpose, header=b"\0"):
        """Returns a function that describes a peer that ended before its header arrived, else
        None."""
        rank = self.ranks[peer]

        def absent():
            counts = endings.left.get(rank)
            has_left = counts is not None and (not header[0] or counts.get(endings.BROKEN))
            return self._absence(rank, f"{verb} {purpose}") if has_left else None

        return absent

    def _absence(self, rank, purpose):
        return f"Rank {rank} has ended, but {self._name_of(self.rank)} needs it to {purpose}."

    def _name_of(self, member):
        """Returns the name of a member in messages, by its world rank."""
        return f"rank {self.ranks[member]}"

    def _same_members(self, ranks):
        """Compares the ranks of a new group with the ranks that the other members pass."""
        tag = self.communicator.Get_attr(mpi().TAG_UB)  # a number that no script uses
        call = f"a new group of {list(ranks)}"
        packed = headers.packed(call)
        others = [rank for rank in ranks if rank != self.rank]
        requests = [self._send(None, rank, tag, packed) for rank in others]

        def steps(rank):
            header = bytearray(headers.SIZE)
            yield self.communicator.Irecv(header, rank, tag)
            pair = (packed, header) if self.rank < rank else (header, packed)
            both, gathered = sorted((self.rank, rank)), b"".join(pair)
            if not headers.same(gathered, packed, both):
                raise headers.difference(gathered, [], both)

        waiting = [
            Pending(None, steps(rank), self._absent_peer(rank, "make", call)) for rank in others
        ]
        for pending in waiting:
            self._line.peer(pending)
        try:
            wait_for_all(requests + waiting)
        finally:
            for pending in waiting:
                pending.cancel()
