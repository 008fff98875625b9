"""The end of a rank, and how the other ranks learn of it.

An uncaught error, or `sys.exit` with a status, ends all ranks through MPI's Abort, with the status
of the first rank that ends. A rank that ends normally sends the other ranks, for each group, the
number of collectives that it has joined. A rank that waits for it in a later collective gets an
error (`pending.py`), and so does one that waits in a collective that it left unfinished.
"""

import atexit
import collections
import functools
import os
import sys
import threading
import time

from .launcher import mpi

counts = collections.Counter()  # group's key -> collectives that this rank took part in
left = {}  # world rank -> the counts with which it ended
BROKEN = "broken"  # in `counts`: whether an exchange of this rank ended in the middle

_REPORT = 0.2  # seconds for other ranks that fail at the same moment to print their errors
_INTERRUPTED = 130  # the status of a process that SIGINT ended: 128 + 2


class Exchanges:
    """The exchanges that this rank has started, and whether an interrupt has made it differ from
    the others.

    Attributes:
        started (int): the number of exchanges.
        undone (bool): whether an interrupt has undone a training step on this rank after an
            exchange of the step. Other ranks may have completed the step.
    """

    started = 0
    undone = False


@functools.cache
def watch(progress):
    """Installs the hooks that end this rank together with the others, as the head of this file
    describes.

    Args:
        progress (Callable): advances the pending operations of this rank.
    """
    owner = os.getpid()
    show = sys.excepthook
    _channel()

    def mine():  # a forked child must not report for its parent
        return os.getpid() == owner and not mpi().Is_finalized()

    def hook(kind, error, trace):
        try:
            show(kind, error, trace)
            sys.stdout.flush()
            sys.stderr.flush()
            time.sleep(_REPORT if mine() else 0)
        finally:  # also after a second interrupt
            if mine():
                interrupted = issubclass(kind, KeyboardInterrupt)
                mpi().COMM_WORLD.Abort(_INTERRUPTED if interrupted else 1)

    sys.excepthook = hook
    sys.exit = _exit
    atexit.register(lambda: _leave(progress) if mine() and not _Exit.status else None)


def undone_steps(ranks):
    """Returns the error for ranks on which an interrupt undid a training step."""
    named = f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {', '.join(map(str, ranks))}"
    return RuntimeError(
        f"An interrupt or a lack of memory has undone a training step of {named} after the ranks "
        "had exchanged data in it. Other ranks may have completed this step, so the ranks may "
        "differ. End the job, and start it again from a checkpoint."
    )


def begin_exchange():
    """Counts an exchange that this rank starts.

    Raises:
        RuntimeError: if an exchange of this rank has ended in the middle. MPI would match the
            messages of that exchange with a later one.
    """
    Exchanges.started += 1
    if counts[BROKEN]:
        raise RuntimeError(
            "An interrupt or a lack of memory has ended an exchange between ranks in the middle, "
            "so this process can exchange nothing more. Let it end, and start the job again."
        )


class KnownLack(MemoryError):
    """A lack of memory after which this rank can continue its exchanges, because the other members
    have been told or the exchange was complete."""


def note_failure(error):
    """Records that an exchange ended in the middle: its error comes from MPI, or is a lack of
    memory that the other members were not told of. The other members are then still in the
    exchange.
    """
    if isinstance(error, (MemoryError, mpi().Exception)) and not isinstance(error, KnownLack):
        counts[BROKEN] = 1


def look():
    """Receives the reports of ranks that have ended."""
    channel = _channel()
    while channel.Iprobe():
        status = mpi().Status()
        report = channel.recv(status=status)
        left[status.Get_source()] = report


@functools.cache
def _channel():
    """Returns the communicator on which ranks report that they end."""
    return mpi().COMM_WORLD.Dup()


def _leave(progress):
    """Tells the other ranks that this rank ends, and advances pending operations until all ranks
    have told so."""
    channel = _channel()
    others = [rank for rank in range(channel.size) if rank != channel.rank]
    messages = [channel.isend(dict(counts), rank) for rank in others]
    while len(left) < len(others) or not mpi().Request.Testall(messages):
        progress()
        look()
        time.sleep(0.001)
    left.clear()  # all reports have arrived; the ranks may still exchange data while they end


def _exit(status=None, /):
    """Replaces `sys.exit`: raises `_Exit` in the main thread, SystemExit in any other."""
    main = threading.current_thread() is threading.main_thread()
    raise (_Exit if main else SystemExit)(status)  # in another thread only that thread ends


class _Exit(SystemExit):
    """The SystemExit of `sys.exit`, which ends the other ranks if it is not caught.

    The interpreter calls no hook for a SystemExit. But an uncaught one is freed after all functions
    have returned, and a caught one inside the function that caught it.
    """

    status = 0  # the status of the uncaught exit

    def __del__(self):
        if sys._getframe().f_back is None and not sys.is_finalizing():
            from mpi4py.run import set_abort_status

            _Exit.status = self.code if isinstance(self.code, int) else int(self.code is not None)
            set_abort_status(_Exit.status)
