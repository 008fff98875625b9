"""Exchanges of pickled objects among the members of a group: the steps after the header.

The members first exchange how many bytes each sends. Then each member allocates memory for the data
that it receives, and reports whether it succeeded. If one could not, it raises MemoryError and the
others RuntimeError; without this they would wait for it forever.
"""

import contextlib
import itertools
import pickle

import numpy

from . import endings
from .launcher import mpi


def content_of(value):
    """Returns the pickled bytes of a value."""
    return numpy.frombuffer(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), numpy.uint8)


def gather(group, content, out, root=None):
    """Yields the requests that add the values of all members to the list `out`, of member `root`,
    or of every member."""
    counts, receives = numpy.empty(group.size, numpy.int64), root in (None, group.rank)
    yield group.communicator.Iallgather(numpy.array([content.size]), counts)
    room = yield from _room(group, counts.sum() if receives else 0)
    target = [room, counts] if receives else None
    if root is None:
        yield group.communicator.Iallgatherv(content, target)
    else:
        yield group.communicator.Igatherv(content, target, root)
    if receives:
        ends = [0, *itertools.accumulate(counts.tolist())]
        out += [pickle.loads(room[first:last]) for first, last in itertools.pairwise(ends)]


def broadcast(group, content, out, root):
    """Yields the requests that add the value of member `root` to the list `out` of every other
    member."""
    is_root = group.rank == root
    count = numpy.array([content.size if is_root else 0])
    yield group.communicator.Ibcast(count, root)
    room = yield from _room(group, 0 if is_root else count[0])
    yield group.communicator.Ibcast(content if is_root else room, root)
    if not is_root:
        out.append(pickle.loads(room))


def scatter(group, contents, out, root):
    """Yields the requests that add an element of `contents`, a list of member `root`, to the list
    `out` of each member."""
    is_root, count = group.rank == root, numpy.empty(1, numpy.int64)
    counts = numpy.array([content.size for content in contents]) if is_root else None
    yield group.communicator.Iscatter(counts, count, root)
    room = yield from _room(group, count[0])
    source = [numpy.concatenate(contents), counts] if is_root else None
    yield group.communicator.Iscatterv(source, room, root)
    out.append(pickle.loads(room))


def receive(communicator, header, data, source, tag):
    """Yields the requests that receive a header and an object, whose bytes join the list `data`.

    Raises:
        MemoryError: if there is no memory for it; the object is discarded.
    """
    yield communicator.Irecv(header, source, tag)
    status = mpi().Status()
    communicator.Probe(source, tag, status)
    try:
        data.append(numpy.empty(status.Get_count(mpi().BYTE), numpy.uint8))
    except MemoryError as error:
        with contextlib.suppress(mpi().Exception):  # the object is longer
            yield communicator.Irecv(bytearray(1), source, tag)
        raise endings.KnownLack(str(error)) from None
    yield communicator.Irecv(data[0], source, tag)


def _room(group, size):
    """Yields the request that tells the members whether all have allocated memory; returns an array
    for `size` bytes.

    Raises:
        MemoryError: if there is no memory.
        RuntimeError: if another member has none.
    """
    room = failure = None
    try:
        room = numpy.empty(size, numpy.uint8)
    except MemoryError as error:
        failure = error
    having = numpy.empty(group.size, numpy.uint8)
    yield group.communicator.Iallgather(numpy.array([failure is None], numpy.uint8), having)
    if failure is not None:
        raise endings.KnownLack(str(failure))
    if not having.all():
        lacking = group.ranks[int(having.argmin())]
        raise RuntimeError(f"Rank {lacking} has no memory for the objects that it receives.")
    return room
