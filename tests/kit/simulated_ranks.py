"""Ranks as threads of one process that exchange arrays through shared memory.

results = on_ranks(4, lambda world: world.all_reduce(numpy.ones(2)).wait())
"""

import contextlib
import functools
import queue
import sys
import threading
import traceback

import numpy

PATIENCE = 60  # seconds that a rank waits for the others


class World:
    """A group of simulated ranks with the exchanges that a Mesh and a pipeline need."""

    def __init__(self, ranks, own, shared):
        self.ranks, self.own = tuple(ranks), own
        self.rank, self.size = self.ranks.index(own), len(ranks)
        self.shared = shared
        self.notes, self.is_due = [], False

    def subgroup(self, ranks):
        return World(ranks, self.own, self.shared)

    def _all(self, value):
        """Returns the values of all members, in the order of the ranks."""
        barrier, slots = self.shared.meeting_place(self.ranks)
        slots[self.own] = value.copy() if hasattr(value, "copy") else value
        self.shared.wait(barrier)
        values = [slots[rank] for rank in self.ranks]
        self.shared.wait(barrier)
        return values

    def all_reduce(self, array, operation="sum"):
        ufunc = {"sum": "add", "max": "maximum", "min": "minimum", "prod": "multiply"}[operation]
        combined = functools.reduce(getattr(numpy, ufunc), self._all(array))
        return Done(numpy.asarray(combined) if numpy.isscalar(combined) else combined)

    def all_gather(self, array):
        return Done(numpy.concatenate(self._all(array)))

    def reduce_scatter(self, array, operation="sum"):
        total = functools.reduce(numpy.add, self._all(array))
        return Done(numpy.split(total, self.size)[self.rank].copy())

    def all_to_all(self, array, sent_rows, got_rows):
        assert set(sent_rows) == set(got_rows) == {1}
        return Done(numpy.stack([sent[self.rank] for sent in self._all(array)]))

    def broadcast(self, array, root):
        return Done(self._all(array)[root].copy())

    def objects(self, value):
        return self._all(value)

    def note(self, pairs, is_due=True, text=None):
        self.notes.append(pairs)
        self.is_due |= is_due

    def compare(self):
        """Asserts that the notes of all members are equal. In Group, each exchange compares them;
        here the exchanges do not."""
        if self.is_due:
            notes, self.notes, self.is_due = tuple(self.notes), [], False
            assert len(set(self._all(notes))) == 1

    def broadcast_object(self, value, root):
        return self._all(value)[root]

    def own_gpu(self):
        """Returns an identifier of the rank's GPU; None without NCCL."""
        return None

    def send(self, array, to, tag=0):
        self.shared.queue(self.own, self.ranks[to], tag).put(array.copy())
        return Done(array)

    def receive(self, array, source, tag=0):
        received = self.shared.queue(self.ranks[source], self.own, tag).get(timeout=PATIENCE)
        assert (received.shape, received.dtype) == (array.shape, array.dtype)
        return Done(received)

    def aside(self, array):
        return contextlib.nullcontext()

    def together(self, array):
        return contextlib.nullcontext()

    def join(self, array):
        """Does nothing: there are no streams."""

    def send_object(self, value, to, tag=0):
        self.shared.queue(self.own, self.ranks[to], tag).put(value)
        return Done(None)

    def receive_object(self, source, tag=0):
        return self.shared.queue(self.ranks[source], self.own, tag).get(timeout=PATIENCE)


class Done:
    """A completed exchange."""

    def __init__(self, out):
        self.out = out

    def wait(self):
        return self.out

    def advance(self):
        return True


class _Shared:
    def __init__(self):
        self.places, self.queues, self.lock = {}, {}, threading.Lock()
        self.threads, self.failed = [], False

    def wait(self, barrier):
        """Waits for the other ranks.

        Raises:
            TimeoutError: if a rank does not come in time; with the stack of every rank.
            BrokenBarrierError: if a rank has failed, or another rank raised the TimeoutError.
        """
        try:
            barrier.wait()
        except threading.BrokenBarrierError:
            with self.lock:
                is_first, self.failed = not self.failed, True
            if is_first:
                raise TimeoutError(f"no meeting within {PATIENCE} s\n{self._stacks()}") from None
            raise

    def _stacks(self):
        frames = sys._current_frames()
        return "\n".join(
            f"{thread.name}\n{''.join(traceback.format_stack(frames[thread.ident]))}"
            for thread in self.threads
            if thread.ident in frames
        )

    def queue(self, *key):
        with self.lock:
            return self.queues.setdefault(key, queue.Queue())

    def meeting_place(self, ranks):
        with self.lock:
            return self.places.setdefault(
                ranks, (threading.Barrier(len(ranks), timeout=PATIENCE), {})
            )


def on_ranks(count, function):
    """Returns the result of `function(world)` on each of `count` ranks. An error on one rank ends
    all ranks."""
    shared, results, errors = _Shared(), [None] * count, []

    def run(rank):
        try:
            results[rank] = function(World(range(count), rank, shared))
        except BaseException as error:
            errors.append(error)
            shared.failed = True
            for barrier, _ in list(shared.places.values()):
                barrier.abort()

    shared.threads = [
        threading.Thread(target=run, args=(rank,), name=f"rank {rank}") for rank in range(count)
    ]
    for thread in shared.threads:
        thread.start()
    for thread in shared.threads:
        thread.join()
    broken = [e for e in errors if not isinstance(e, threading.BrokenBarrierError)]
    if errors:
        raise (broken or errors)[0]
    return results
