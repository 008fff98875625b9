"""Starts processes so that an interrupt leaves them started and known, or not started.

Python's `Process.start` forks and then stores the process ID. After an interrupt in between, the ID
is lost: the process cannot be killed, becomes a zombie when it ends, and leaves its pipes open.

Two more things can go wrong during a fork. Ctrl+C reaches the new process too, and would end it
before it can ignore the signal. And the parent loses a KeyboardInterrupt that is raised inside a
function that Python calls after a fork. If that is the function of `logging`, its lock is never
released. Any error raised by a signal handler has the same effect. Therefore signal handlers run
only after the fork is complete.
"""

import contextlib
import itertools
import multiprocessing
import multiprocessing.process
import os
import signal
import threading
from multiprocessing import popen_fork, util


def start(process):
    """Starts a process; a forked one ignores SIGINT. After an interrupt its `pid` is None only if
    there is no process.

    Args:
        process (multiprocessing.Process): the process.
    """
    method = process._start_method or multiprocessing.get_start_method()
    if method != "fork":
        process.start()
        return
    forked = _Forked()
    process._Popen = forked.launch
    try:
        process.start()
    except BaseException:
        forked.settle(process)
        raise
    finally:
        process.__dict__.pop("_Popen", None)


class _Forked(popen_fork.Popen):
    """Does what Python's class of this name does, without losing the results of system calls: each
    list is extended in one instruction, and interrupts come between instructions.
    """

    def __init__(self):
        self.pid = self.returncode = self.finalizer = None
        self._ends, self._pids, self._spare = [], [], []

    def launch(self, process):
        """Forks; returns this object in the parent, and runs the process in the child."""
        util._flush_std_streams()
        self._ends.extend(itertools.chain.from_iterable(itertools.islice(iter(os.pipe, None), 2)))
        with _postponed_signals() as handlers:
            self._pids.extend(itertools.islice(iter(os.fork, None), 1))
            if self._pids[0] == 0:
                self._run(process, handlers)
            self._complete()
        return self

    def _run(self, process, handlers):
        code = 1
        try:
            _handle({**handlers, signal.SIGINT: signal.SIG_IGN})
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
            parent_reads, _, child_reads, parent_writes = self._ends
            os.close(parent_reads)
            os.close(parent_writes)
            code = process._bootstrap(parent_sentinel=child_reads)
        finally:
            os._exit(code)

    def _complete(self):
        """Stores the process id and closes the child's ends of the pipes.

        Interrupts are postponed until this is done. Otherwise an interrupt could lose the
        reference to one finalizer, and a second one would be made. Both would then close the same
        descriptor, which by then may belong to another file.
        """
        if self.pid is None:
            self.sentinel, *self._spare, parent_writes = self._ends
            self.finalizer = util.Finalize(self, util.close_fds, (self.sentinel, parent_writes))
            self.pid = self._pids[0]
        self._close(self._spare)

    def settle(self, process):
        """After an interrupt, makes a forked process known to Python, or closes the pipes."""
        if not self._pids:
            self._close(self._ends)
        elif process._popen is None:
            self._complete()
            process._popen, process._sentinel = self, self.sentinel
            multiprocessing.process._children.add(process)

    @staticmethod
    def _close(ends):
        while ends:
            os.close(ends.pop())


@contextlib.contextmanager
def _postponed_signals():
    """Postpones the calls of Python's signal handlers until the block ends; yields the handlers.

    SIGINT is blocked in this thread, and so also in a process that is forked inside the block. The
    operating system may still deliver SIGINT, and any other signal, to another thread. Python runs
    all handlers in the main thread, so each is replaced by one that only notes the signal. The real
    handlers, which may raise errors (an alarm's, for example), are called when the block ends.
    """
    handlers, received = {}, {}
    if threading.current_thread() is threading.main_thread():
        found = {number: signal.getsignal(number) for number in signal.valid_signals()}
        handlers = {number: handler for number, handler in found.items() if callable(handler)}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])

    def restore():
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        _handle(handlers)

    try:
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
            _handle(dict.fromkeys(handlers, received.__setitem__))
            yield handlers
        finally:
            restore()
    finally:
        restore()  # a handler that raised an error may have interrupted the first call
    _call(handlers, received)


def _call(handlers, received):
    """Calls the handler of every received signal, even if an earlier handler raises an error.

    The function calls itself instead of using contextlib.ExitStack. An ExitStack would keep the
    frames of an error alive until the next garbage collection, and with them iterators and their
    worker processes.
    """
    if received:
        number, frame = received.popitem()
        try:
            handlers[number](number, frame)
        finally:
            _call(handlers, received)


def _handle(handlers):
    for number, handler in handlers.items():
        signal.signal(number, handler)
