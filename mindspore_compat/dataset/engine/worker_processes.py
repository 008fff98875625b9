"""One worker process of a pool: what starts it, what it does with rows, and how it ends.

The outcome of a row is a pair: what the work made of it and None, or None and the error.
"""

import contextlib
import multiprocessing
import os
import signal
import traceback
from multiprocessing.reduction import ForkingPickler

from ..._backend.ranks import children
from ..._backend.threads import affinity
from . import config

_SECONDS = 1  # how long an idle process may take to end, and between two looks at a busy one


class WorkerFailed(RuntimeError):
    """A worker ended or hung: an error of the pool, not of a row."""


class _Traceback(Exception):
    """Where in a worker process an error was raised, as the cause of the error here."""

    def __str__(self):
        return f'\n"""\n{self.args[0]}"""'


def outcome(work, item):
    """The outcome of an item."""
    try:
        return work(item), None
    except BaseException as error:
        return None, error


class WorkerProcess:
    """A process that does some work on items. One thread at a time may call it.

    Args:
        work (Callable): takes an item.
    """

    def __init__(self, work):
        context = multiprocessing.get_context(config.get_multiprocessing_start_method())
        self._connection, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve,
            args=(theirs, work, affinity.of_workers(), children.parent()),
            daemon=True,
        )
        self._process.start()
        self._owner = os.getpid()
        theirs.close()
        self.name = f"the worker process {self._process.pid}"

    def __call__(self, items):
        """The outcomes of a list of items. Errors are RuntimeErrors whose cause says where.

        Raises:
            WorkerFailed: the process ended meanwhile.
        """
        try:
            self._connection.send(items)
            while not self._connection.poll(_SECONDS):
                if not self._process.is_alive() and not self._connection.poll():
                    raise EOFError
            answers = self._connection.recv()
        except (EOFError, OSError) as lost:
            self._process.join(_SECONDS)
            raise WorkerFailed(
                f"{self.name[0].upper()}{self.name[1:]} ended with the exit code "
                f"{self._process.exitcode} while it worked on a row."
            ) from lost
        return [(result, failure and _error(*failure)) for result, failure in answers]

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
    children.end_with_parent(*parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    affinity.bind_workers(cores)
    with contextlib.suppress(EOFError):  # the parent is gone
        while (items := connection.recv()) is not None:
            answers = [_as_picklable(*outcome(work, item)) for item in items]
            del items
            try:
                sent = ForkingPickler.dumps(answers)
            except Exception:  # a result is of a kind that cannot be sent
                sent = ForkingPickler.dumps([_sendable(each) for each in answers])
            connection.send_bytes(sent)


def _as_picklable(result, error):
    """An outcome with, for the error, its text and traceback: a traceback itself cannot be sent."""
    if error is None:
        return result, None
    text = str(error) if isinstance(error, RuntimeError) else f"{type(error).__name__}: {error}"
    return None, (text, "".join(traceback.format_exception(error)))


def _sendable(answer):
    try:
        ForkingPickler.dumps(answer)
    except Exception as error:
        return _as_picklable(None, error)
    return answer


def _error(text, where):
    error = RuntimeError(text)
    error.__cause__ = _Traceback(where)
    return error
