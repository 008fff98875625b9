"""A worker process of a pool: its start, its work on rows, and its end.

The outcome of a row is a pair: the result and None, or None and the error.
"""

import contextlib
import multiprocessing
import os
import signal
import traceback
import weakref
from multiprocessing.reduction import ForkingPickler

from ..._backend.ranks import children, forking
from ..._backend.threads import affinity
from ..._core.frames import hide_package_frames, shows_all_frames
from . import config

_connections = weakref.WeakSet()  # the ends of this process, which forked processes inherit
_SECONDS = 1  # the time limit for an idle process to end, and the polling interval of a busy one


class WorkerFailed(RuntimeError):
    """The error of a pool, not of a row: a worker ended or hung."""


class _Traceback(Exception):
    """The text of a traceback from a worker process. The error raised in the parent process has
    it as its `__cause__`, so Python prints both."""

    def __str__(self):
        return f'\n"""\n{self.args[0]}"""'


def call_all(functions):
    """Calls every function of a list, even if one of them raises an error or is interrupted.

    After an error or an interrupt, all functions are called a second time, so a second call must be
    harmless; then the error is raised again. (An ExitStack would skip the remaining functions if an
    interrupt came between two calls.)
    """
    try:
        for function in functions:
            function()
    except BaseException:
        for function in functions:
            with contextlib.suppress(Exception):
                function()
        raise


def outcome(work, item):
    """Applies `work` to an item; returns (result, None), or (None, error) if it fails."""
    try:
        return work(item), None
    except BaseException as error:
        return None, error


class WorkerProcess:
    """A process that applies some work to items. Only one thread at a time may call it.

    The process is killed if nothing refers to this object.

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
        _connections.add(self._connection)
        self._unreferenced = weakref.finalize(self, kill, self._process, os.getpid())
        try:
            forking.start(self._process)
        except BaseException:
            self._connection.close()
            self.kill()
            raise
        finally:
            theirs.close()
        self.name = f"the worker process {self._process.pid}"

    def __call__(self, items):
        """Returns the outcomes of a list of items. Errors are RuntimeErrors whose cause holds the
        traceback.

        Raises:
            WorkerFailed: if the process has ended.
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
        """Ends the idle process."""
        with contextlib.suppress(OSError):  # the process has ended already
            self._connection.send(None)

    def kill(self):
        """Kills the process. May be called again, so also after an interrupt: the finalizer itself
        would be lost if an interrupt came before it calls its function."""
        arguments = self._unreferenced.peek()
        if arguments is not None:
            kill(*arguments[2])
            self._unreferenced.detach()

    def join(self):
        """Waits until the process has ended; kills it after the time limit."""
        self._process.join(_SECONDS)
        self.kill()


def kill(process, owner):
    """Kills a process that has started. Does nothing in a forked copy of the process that started
    it."""
    try:
        _end(process, owner)
    except BaseException:  # an interrupt; a finalizer is called only once
        _end(process, owner)
        raise


def _end(process, owner):
    """Kills a process and waits for its end."""
    if os.getpid() == owner and process.pid is not None:
        process.kill()
        children.wait_for(process, -signal.SIGKILL)


def leave_to_parent(pid, by_kernel):
    """Makes this worker process end when its parent does, and leaves signals to the parent: Ctrl-C
    reaches all processes of the terminal, and a forked process inherits the parent's handlers.

    Args:
        pid, by_kernel: see `children.end_with_parent`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    children.end_with_parent(pid, by_kernel)


def _serve(connection, work, cores, parent):
    """The main loop of the process: works on items until it receives None."""
    for inherited in list(_connections):  # otherwise no process sees that its parent's end closes
        inherited.close()
    leave_to_parent(*parent)
    affinity.bind_workers(cores)
    with contextlib.suppress(EOFError):  # the parent is gone
        while (items := connection.recv()) is not None:
            answers = [_as_picklable(*outcome(work, item)) for item in items]
            del items
            try:
                message = ForkingPickler.dumps(answers)
            except Exception:  # a result cannot be pickled
                message = ForkingPickler.dumps([_sendable(answer) for answer in answers])
            connection.send_bytes(message)


def _as_picklable(result, error):
    """Returns the message of a worker for one item: (result, None), or after an error (None,
    (message, traceback as text)), because traceback objects cannot be pickled."""
    if error is None:
        return result, None
    text = str(error) if isinstance(error, RuntimeError) else f"{type(error).__name__}: {error}"
    summary = traceback.TracebackException.from_exception(error)
    if not shows_all_frames():
        hide_package_frames(summary)
    return None, (text, "".join(summary.format()))


def _sendable(answer):
    try:
        ForkingPickler.dumps(answer)
    except Exception as error:
        text = f"{type(error).__name__}{str(error) and ': '}{error}"
        unsent = RuntimeError(f"The result for a row cannot be sent by a worker process: {text}")
        unsent.__cause__ = error
        return _as_picklable(None, unsent)
    return answer


def _error(text, where):
    error = RuntimeError(text)
    error.__cause__ = _Traceback(where)
    return error
