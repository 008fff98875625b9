"""Starts processes so that an interrupt leaves them started and known, or not started.

Python's `Process.start` forks and then notes the number of the new process. If an interrupt comes
in between, nobody knows the process: it cannot be killed, and remains as a zombie when it ends. The
descriptors of its pipes stay open too.

Ctrl+C reaches the new process as well, and would end it before it can ignore the signal. In the
parent, the KeyboardInterrupt is lost if it is raised by one of the functions that Python calls
after a fork, such as that of `logging`, which then keeps its lock forever. The same is true of any
error that a signal handler raises. Therefore signals wait until the fork is done.
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

        Two finalizers, of which an interrupt lost one, would close a descriptor twice: the second
        time, it may be that of another file. Therefore interrupts wait for this too.
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

    SIGINT is blocked in this thread, and so in a process that is forked here. Another thread may
    still receive it; its Python handler runs in the main thread, and is called at the end. The same
    holds for other signals, whose handlers may raise errors too, such as that of an alarm.
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
    """Calls the handlers of the signals received, all of them even if some raise errors.

    contextlib.ExitStack would keep the frames of an error, and so iterators with their workers,
    until the next garbage collection.
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
