"""Operations between ranks that are under way, and the one loop that waits for them.

An operation is a generator of MPI's requests: it goes on when the request it gave is complete.
Nothing runs in the background: whoever waits for one operation carries on all of them, so that none
waits for another rank that in turn waits for this one.
"""

import collections
import functools
import os
import time

from . import endings, heartbeat

_LOOK = 64  # turns of the loop between two looks at who has ended
_SPINS = 50  # turns of the loop before it gives the processor away: it may be needed elsewhere
_GRACE = 0.3  # seconds in which what an ended rank sent before may still arrive
_let_others_run = getattr(os, "sched_yield", functools.partial(time.sleep, 0))
_lines = {}  # the lines with operations under way, in the order of their start


class Pending:
    """An operation: `out` is the array it fills, complete after `wait()`.

    Args:
        out: the array; None where there is no result.
        steps (Iterator): gives the requests to wait for, one after the other; none if the operation
            is complete.
        absent (Callable): names, as a sentence, the rank that it needs has ended; None for none.
    """

    def __init__(self, out, steps=None, absent=None):
        self.out = out
        self._steps = steps
        self._absent = absent
        self._request = None
        self._error = None
        self._turns = 0
        self._alone_since = None  # when a rank that it needs was first seen to have ended

    def advance(self):
        """Go on as far as possible without waiting; returns whether it is complete."""
        while self._steps is not None:
            try:
                if self._request is not None and not self._request.Test():
                    return False
                step = functools.partial(next, self._steps)
            except Exception as error:  # MPI's, for the operation to judge
                step = functools.partial(self._steps.throw, error)
            try:
                self._request = step()
            except StopIteration:
                self._steps = None
            except Exception as error:  # whoever waits for the operation gets it
                self._steps, self._error = None, error
        return True

    def wait(self):
        """Wait until the operation is complete, and return the array.

        Raises:
            RuntimeError: the ranks disagree, or one that is needed has ended.
        """
        wait_for_all([self])
        return self.out

    def _settled(self):
        """One turn of waiting: whether the operation is complete; raises what `wait` does."""
        if self._steps is not None:
            progress()
            self._turns += 1
            if self._turns % _LOOK == 0 and self._steps is not None:
                self._look()
        if self._error is not None:
            raise self._error
        return self._steps is None

    def cancel(self):
        """Give up a receive that nothing came for."""
        if self._steps is not None:
            self._request.Cancel()
            self._request.Wait()
            self._steps = None

    def _look(self):
        """Refuses to wait for a rank that has ended, after a grace."""
        endings.look()
        absent = self._absent() if endings.left and self._absent is not None else None
        if absent is None:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since > _GRACE:
            raise RuntimeError(absent)


def wait_for_all(pendings):
    """Wait until several operations are complete, or the first of them fails."""
    turns = 0
    with heartbeat.waiting():
        while not all([each._settled() for each in pendings]):
            turns += 1
            if turns > _SPINS:
                _let_others_run()


class Line:
    """The operations of one group that are under way.

    Collectives run one after the other in the order of their calls, since MPI matches them by it;
    sends and receives run in parallel.
    """

    def __init__(self):
        self.collectives = collections.deque()
        self.peers = []

    def collective(self, pending):
        """Takes up a collective, which starts when those before it are complete."""
        self.collectives.append(pending)
        return self._started(pending)

    def peer(self, pending):
        """Starts a send or receive."""
        self.peers.append(pending)
        return self._started(pending)

    def _started(self, pending):
        _lines[self] = None
        self.advance()
        return pending

    def advance(self):
        """Go on with all operations as far as possible without waiting."""
        while self.collectives and self.collectives[0].advance():
            self.collectives.popleft()
        if self.peers:
            self.peers = [each for each in self.peers if not each.advance()]
        if not self.collectives and not self.peers:
            _lines.pop(self, None)


def progress():
    """Go on with all operations as far as possible without waiting."""
    for line in list(_lines):
        line.advance()
