"""Threads whose `start` cannot wait forever, and locks that are free in a forked process.

`threading.Thread.start` waits until the new thread reports that it runs. If memory runs out, the
thread may die before it can report, and `start` waits forever. This package uses the class below,
whose `start` gives up after a time. If `start` is interrupted before the thread runs, the thread
never runs, and it is removed from the list that `threading.enumerate` returns.
"""

import os
import threading

LONGEST = 10.0  # seconds that a thread may take to begin
_PARTS = 10  # waits into which this time is divided: a pause of the process ends only one of them


def lock_for_forks():
    """Returns a lock of a module that is free in a forked process, even if another thread held it.

    Such a thread does not exist in the new process and would never release the lock.
    """
    lock = threading.Lock()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lock._at_fork_reinit)
    return lock


class Thread(threading.Thread):
    """A thread whose `start` raises RuntimeError if the thread does not begin.

    Attributes:
        runs (bool): whether the thread has begun. It stays False if `start` raised before that.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._started = _Begun()
        self.runs = self._is_given_up = False
        self._ending = threading.Lock()  # released when the thread ends
        self._ending.acquire()

    def start(self):
        try:
            super().start()
        except BaseException:
            with threading._active_limbo_lock:
                if not self.runs:
                    self._is_given_up = True
                    threading._limbo.pop(self, None)
            raise

    def finish(self):
        """Waits until the thread has ended. Returns at once if `start` was interrupted and the
        thread never runs.

        `join` is not used: after an interrupt in `join`, Python considers the thread ended.
        """
        if self.runs:
            with self._ending:
                pass

    def _bootstrap(self):
        """The first thing that the new thread calls."""
        with threading._active_limbo_lock:
            if self._is_given_up:
                return
            self.runs = True
        try:
            super()._bootstrap()
        finally:
            self._ending.release()


class _Begun(threading.Event):
    """The event that `Thread.start` waits for: it raises RuntimeError after LONGEST seconds."""

    def wait(self, timeout=None):
        wait = super().wait
        if timeout is None and not any(wait(LONGEST / _PARTS) for _ in range(_PARTS)):
            raise RuntimeError(
                f"A thread has not begun within {LONGEST:g} seconds; it may lack memory."
            )
        return super().wait(timeout)
