"""One worker process of a pool: what starts it, what it does with rows, and how it ends."""

import contextlib
import multiprocessing
import os
import signal
import traceback
from multiprocessing.reduction import ForkingPickler

from ..._backend import affinity, processes
from . import config

_SECONDS = 1  # how long an idle process may take to end, and between two looks at a busy one


class WorkerFailed(RuntimeError):
    """A worker ended or hung: an error of the pool, not of a row."""


class _Traceback(Exception):
    """Where in a worker process an error was raised, as the cause of the error here."""

    def __str__(self):
        return f'\n"""\n{self.args[0]}"""'


class WorkerProcess:
    """A process that does some work on one item at a time. One thread at a time may call it.

    Args:
        work (Callable): takes an item.
    """

    def __init__(self, work):
        context = multiprocessing.get_context(config.get_multiprocessing_start_method())
        self._connection, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, work, affinity.of_workers(), processes.parent()),
            daemon=True)
        self._process.start()
        self._owner = os.getpid()
        theirs.close()
        self.name = f"the worker process {self._process.pid}"

    def __call__(self, item):
        """What the work makes of an item.

        Raises:
            RuntimeError: the work failed; the cause tells where.
            WorkerFailed: the process ended meanwhile.
        """
        try:
            self._connection.send(item)
            while not self._connection.poll(_SECONDS):
                if not self._process.is_alive() and not self._connection.poll():
                    raise EOFError
            result, error, where = self._connection.recv()
        except (EOFError, OSError) as lost:
            self._process.join(_SECONDS)
            raise WorkerFailed(f"{self.name[0].upper()}{self.name[1:]} ended with the exit code "
                               f"{self._process.exitcode} while it worked on a row.") from lost
        if error is not None:
            raise RuntimeError(error) from _Traceback(where)
        return result

    def finish(self):
        """Ends the process, which is idle."""
        with contextlib.suppress(OSError):  # it has ended already
            self._connection.send(None)

    def join(self):
        """Waits until the process has ended; one that does not is killed."""
        self._process.join(_SECONDS)
        self.kill()

    def kill(self):
        """Ends the process at once. In a forked copy of the process that started it: nothing."""
        if os.getpid() == self._owner:
            self._process.kill()
            self._process.join()


def _serve(connection, work, cores, parent):
    """What the process does: work on items until there is None.

    A signal that is meant for the parent is the parent's affair: Ctrl-C reaches all processes of
    the terminal, and a forked process has the parent's handlers.
    """
    processes.end_with_parent(*parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    affinity.bind_workers(cores)
    with contextlib.suppress(EOFError):  # the parent is gone
        while (item := connection.recv()) is not None:
            connection.send_bytes(_answer(work, item))


def _answer(work, item):
    """The pickled result, error and traceback. A traceback itself cannot be sent."""
    try:
        return ForkingPickler.dumps((work(item), None, None))
    except BaseException as error:
        told = str(error)
        if not isinstance(error, RuntimeError):
            told = f"{type(error).__name__}: {told}"
        return ForkingPickler.dumps((None, told, traceback.format_exc()))
