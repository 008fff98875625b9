"""Writes checkpoints in the background, one at a time, and reports failures."""

import multiprocessing
import os
import signal

from ... import log
from ..._backend.ranks import children, forking
from ..._backend.starting import Thread

_NAME = "asyn_save_ckpt"
_latest = None  # the last BackgroundSave that has not been waited for


class BackgroundSave:
    """A file that a thread or a process is writing, once `start` is called.

    Args:
        how (Union[bool, str]): "process" for a process; any other value for a thread.
        write (Callable): a module-level function, called with `path`, `values` and `options`.
        path (str): The file.
        values (list): the values to write; nothing else may change them.
        options (dict): additional arguments of `write`.
    """

    def __init__(self, how, write, path, values, options):
        self.path, self.owner = path, os.getpid()
        self._error = self._answer = self._theirs = None
        self._has_answered = False
        if how == "process":
            self._answer, self._theirs = multiprocessing.Pipe(duplex=False)
            self._worker = multiprocessing.Process(
                target=_write_in_process,
                args=(self._theirs.send, write, path, values, options),
                name=_NAME,
            )
        else:
            self._worker = Thread(
                target=_write_and_report,
                args=(self._fail, write, path, values, options),
                name=_NAME,
            )

    def start(self):
        """Starts to write."""
        if self._theirs is None:
            self._worker.start()
            return
        try:
            forking.start(self._worker)
        finally:
            self._theirs.close()

    def _fail(self, error):
        self._error = error

    def is_alive(self):
        """Returns whether the file is still being written."""
        if self._answer is None:
            return self._worker.is_alive()
        ended = self._has_answered or self._worker.exitcode is not None
        return not ended and not self._answer.poll()

    def result(self):
        """Waits until the file is written. If an interrupt ends this, it may be called again.

        Raises:
            OSError: if it could not be written, or the process that wrote it died.
        """
        global _latest
        if self._answer is not None:
            self._theirs.close()
            self._wait_for_process()
            self._answer.close()
            self._answer = None
        elif self._theirs is None:
            self._worker.finish()
        if _latest is self:
            _latest = None
        if self._error is not None:
            raise self._error

    def _wait_for_process(self):
        """Waits for the process's answer and for its end. There is no process if its start was
        interrupted.
        """
        if not self._has_answered:
            try:
                self._error, self._has_answered = self._answer.recv(), True
            except EOFError:
                pass
        if self._worker.pid is None:
            return
        children.wait_for(self._worker, lost=int(not self._has_answered))
        if not self._has_answered and self._worker.exitcode != 0:
            self._error = ChildProcessError(
                f"The process that wrote the checkpoint {self.path} ended with the exit code "
                f"{self._worker.exitcode}."
            )


def begin(*arguments):
    """Starts a BackgroundSave; if it fails, the next save raises the error."""
    global _latest
    _latest = BackgroundSave(*arguments)
    _latest.start()


def is_alive():
    """Returns whether a file is still being written; raises the error of a write that failed."""
    if latest() is not None and not _latest.is_alive():
        wait()
    return latest() is not None


def wait():
    """Waits for the last file and raises its error; does nothing if a wait already did."""
    if latest() is not None:
        _latest.result()


def latest():
    """Returns the last BackgroundSave that this process began and did not wait for, or None."""
    return None if _latest is None or _latest.owner != os.getpid() else _latest


def _write_and_report(fail, write, path, values, options):
    """Writes a file; passes an error to `fail`, and logs it in case no later call reads it."""
    try:
        write(path, values, **options)
    except Exception as error:
        log.error("The checkpoint %s is not written: %s", path, error)
        fail(error)
        return False
    return True


def _write_in_process(send, *arguments):
    """Writes a file and sends the error, or None. A terminal sends SIGINT to this process, too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if _write_and_report(send, *arguments):
        send(None)
