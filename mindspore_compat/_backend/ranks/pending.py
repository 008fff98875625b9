"""Pending operations between ranks, and the one loop that waits for them.

An operation is a generator of MPI requests: it continues when the request it yielded is complete.
Nothing runs in the background: a wait for one operation advances all of them, so that two ranks
never wait for each other.
"""

import collections
import functools
import os
import time

from . import endings, heartbeat

_LOOK = 64  # iterations of the loop between two checks for ranks that have ended
_SPINS = 50  # iterations of the loop before it yields the processor to other processes
_GRACE = 0.3  # seconds for the last messages of an ended rank to arrive
_let_others_run = getattr(os, "sched_yield", functools.partial(time.sleep, 0))
_lines = {}  # the lines with pending operations, in the order of their start


class Pending:
    """An operation that may still be running. `Group` makes one for each exchange; the array `out`
    is complete after `wait()`.

    Args:
        out: the array; None if there is no result.
        steps (Iterator): yields the requests to wait for, one after the other; None if the
            operation is complete.
        absent (Callable): returns a sentence that names a rank that the operation needs and that
            has ended; None if there is no such rank.
    """

    def __init__(self, out, steps=None, absent=None):
        self.out = out
        self._steps = steps
        self._absent = absent
        self._request = None
        self._error = None
        self._turns = 0
        self._alone_since = None  # when a needed rank was first seen to have ended

    def advance(self):
        """Advances as far as possible without waiting; returns whether it is complete."""
        while self._steps is not None:
            try:
                if self._request is not None and not self._request.Test():
                    return False
                step = functools.partial(next, self._steps)
            except Exception as error:  # an error of MPI, which `steps` may handle
                step = functools.partial(self._steps.throw, error)
            try:
                self._request = step()
            except StopIteration:
                self._steps = None
            except Exception as error:  # `wait` raises it
                self._steps, self._error = None, error
                endings.note_failure(error)
            except BaseException:  # an interrupt, behind which the steps cannot continue
                endings.counts[endings.BROKEN] = 1
                self._steps = None
                raise
        return True

    def wait(self):
        """Waits until the operation is complete, and returns the array.

        Raises:
            RuntimeError: if the ranks disagree, or a needed rank has ended.
        """
        wait_for_all([self])
        return self.out

    def _settle(self):
        """Runs one iteration of a wait. Returns True if the operation is complete; raises its error
        if it has failed."""
        if self._steps is not None:
            progress()
            self._turns += 1
            if self._turns % _LOOK == 0 and self._steps is not None:
                self._look()
        if self._error is not None:
            raise self._error
        return self._steps is None

    def cancel(self):
        """Cancels a receive whose message has not arrived."""
        if self._steps is not None:
            self._request.Cancel()
            self._request.Wait()
            self._steps = None

    def _look(self):
        """Raises an error if a needed rank has ended, after a grace period."""
        endings.look()
        absent = self._absent() if endings.left and self._absent is not None else None
        if absent is None:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since > _GRACE:
            raise RuntimeError(absent)


def wait_for_all(pendings):
    """Waits until several operations are complete, or the first of them fails."""
    turns = 0
    with heartbeat.waiting():
        while not all([pending._settle() for pending in pendings]):
            turns += 1
            if turns > _SPINS:
                _let_others_run()


class Line:
    """The pending operations of one group.

    Collectives run one after the other in the order of their calls, because MPI matches them by
    order; sends and receives run in parallel.
    """

    def __init__(self):
        self.collectives = collections.deque()
        self.peers = []

    def collective(self, pending):
        """Queues a collective and returns it. It starts when all earlier ones are complete."""
        endings.begin_exchange()
        self.collectives.append(pending)
        return self._start(pending)

    def peer(self, pending):
        """Starts a send or receive, and returns it."""
        endings.begin_exchange()
        self.peers.append(pending)
        return self._start(pending)

    def _start(self, pending):
        _lines[self] = None
        self.advance()
        return pending

    def advance(self):
        """Advances all operations as far as possible without waiting."""
        while self.collectives and self.collectives[0].advance():
            self.collectives.popleft()
        if self.peers:
            self.peers = [pending for pending in self.peers if not pending.advance()]
        if not self.collectives and not self.peers:
            _lines.pop(self, None)


def progress():
    """Advances the operations of all groups as far as possible without waiting."""
    for line in list(_lines):
        line.advance()
