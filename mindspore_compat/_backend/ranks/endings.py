"""How a rank ends, and how the others learn of it.

An error that nobody catches, or `sys.exit` with a status, ends all ranks through MPI's Abort, with
the status of the rank that began. A rank that ends otherwise sends the others how many collectives
of each group it took part in; whoever waits for it in a further one gets an error (`pending.py`).
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

_REPORT = 0.2  # seconds in which ranks that fail at the same moment still show their errors
_INTERRUPTED = 130  # the status of a process that SIGINT ended: 128 + 2


@functools.cache
def watch(progress):
    """From now on the ranks end together.

    Args:
        progress (Callable): goes on with the operations that are under way.
    """
    owner = os.getpid()
    show = sys.excepthook
    _channel()

    def mine():  # a forked child must not speak for its parent
        return os.getpid() == owner and not mpi().Is_finalized()

    def hook(kind, error, trace):
        try:
            show(kind, error, trace)
            sys.stdout.flush()
            sys.stderr.flush()
            time.sleep(_REPORT if mine() else 0)
        finally:  # also where a second interrupt comes
            if mine():
                interrupted = issubclass(kind, KeyboardInterrupt)
                mpi().COMM_WORLD.Abort(_INTERRUPTED if interrupted else 1)

    sys.excepthook = hook
    sys.exit = _exit
    atexit.register(lambda: _leave(progress) if mine() and not _Exit.status else None)


def look():
    """Takes note of the ranks that have ended."""
    channel = _channel()
    while channel.Iprobe():
        status = mpi().Status()
        report = channel.recv(status=status)
        left[status.Get_source()] = report


@functools.cache
def _channel():
    """The communicator on which ranks report that they end."""
    return mpi().COMM_WORLD.Dup()


def _leave(progress):
    """Tells the others that this rank ends, and carries on what is under way until all do."""
    channel = _channel()
    others = [rank for rank in range(channel.size) if rank != channel.rank]
    sent = [channel.isend(dict(counts), rank) for rank in others]
    while len(left) < len(others) or not mpi().Request.Testall(sent):
        progress()
        look()
        time.sleep(0.001)
    left.clear()  # all are here, and may exchange more while they end


def _exit(status=None, /):
    """As `sys.exit`, which it replaces."""
    main = threading.current_thread() is threading.main_thread()
    raise (_Exit if main else SystemExit)(status)  # in another thread it ends that thread alone


class _Exit(SystemExit):
    """The SystemExit of `sys.exit`, which ends the other ranks if nobody catches it.

    The interpreter shows a SystemExit to no hook. But where nobody caught it, it is freed when all
    functions have been left; where a handler did, by the function with the handler.
    """

    status = 0  # that of the exit that nobody caught

    def __del__(self):
        if sys._getframe().f_back is None and not sys.is_finalizing():
            from mpi4py.run import set_abort_status

            _Exit.status = self.code if isinstance(self.code, int) else int(self.code is not None)
            set_abort_status(_Exit.status)
