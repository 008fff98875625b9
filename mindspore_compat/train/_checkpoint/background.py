"""Writes checkpoints in the background, one at a time, and reports failures."""

import multiprocessing
import os

from ... import log
from ..._backend.starting import Thread

_NAME = "asyn_save_ckpt"
_latest = None  # the last BackgroundSave that has not been waited for


class BackgroundSave:
    """A file that a thread or a process is writing.

    Args:
        how (Union[bool, str]): "process" for a process; any other value for a thread.
        write (Callable): a module-level function, called with `path`, `values` and `options`.
        path (str): The file.
        values (list): the values to write; nothing else may change them.
        options (dict): additional arguments of `write`.
    """

    def __init__(self, how, write, path, values, options):
        self.path, self.owner = path, os.getpid()
        self._error = self._answer = None
        if how == "process":
            self._answer, connection = multiprocessing.Pipe(duplex=False)
            self._worker = multiprocessing.Process(
                target=_write_and_report,
                args=(connection.send, write, path, values, options),
                name=_NAME,
            )
        else:
            self._worker = Thread(
                target=_write_and_report,
                args=(self._fail, write, path, values, options),
                name=_NAME,
            )
        self._worker.start()
        if how == "process":
            connection.close()

    def _fail(self, error):
        self._error = error

    def is_alive(self):
        """Returns whether the file is still being written."""
        return self._worker.is_alive()

    def result(self):
        """Waits until the file is written.

        Raises:
            OSError: if it could not be written, or the process that wrote it died.
        """
        global _latest
        if _latest is self:
            _latest = None
        self._worker.join()
        if self._answer is not None:
            self._error = _process_failure(self._answer, self._worker.exitcode, self.path)
            self._answer.close()
            self._answer = None
        if self._error is not None:
            raise self._error


def begin(*arguments):
    """Starts a BackgroundSave; if it fails, the next save raises the error."""
    global _latest
    _latest = BackgroundSave(*arguments)


def is_alive():
    """Returns whether a file is still being written; raises the error of a write that failed."""
    if latest() is not None and not _latest.is_alive():
        wait()
    return latest() is not None


def wait():
    """Waits for the last file, unless that was done before, and raises its error."""
    if latest() is not None:
        _latest.result()


def latest():
    """Returns the last BackgroundSave that this process began and did not wait for, or None."""
    return None if _latest is None or _latest.owner != os.getpid() else _latest


def _write_and_report(fail, write, path, values, options):
    """Writes a file; passes an error to `fail`, and logs it in case nobody asks for it later."""
    try:
        write(path, values, **options)
    except Exception as error:
        log.error("The checkpoint %s is not written: %s", path, error)
        fail(error)


def _process_failure(answer, exitcode, path):
    """Returns the error of a writing process that has ended, or None."""
    try:
        return answer.recv()
    except EOFError:
        return (
            None
            if exitcode == 0
            else ChildProcessError(
                f"The process that wrote the checkpoint {path} ended with the exit code {exitcode}."
            )
        )
