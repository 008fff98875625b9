"""Compiles loops in another process, so that training does not compete with the compiler for the
interpreter lock.

The process runs only where a core is idle, so it delays no thread of its parent. It stores the
compiled code in the disk cache:

    this process                                the process of the compiler
    `Compiler.compile`: sends the loop          `serve`: compiles it into the disk cache
                        waits for the answer             answers
    loads the code from the disk cache

When the parent has ended, the process completes the loop that it is compiling, for later processes,
and ends. It reads and writes only pipes to its parent, so a program that reads the parent's output
does not wait for it.
"""

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time

from ..starting import Thread
from . import disk_cache

_LOW_PRIORITY = getattr(subprocess, "IDLE_PRIORITY_CLASS", 0)  # on Windows
PRIORITY_FLAGS = _LOW_PRIORITY | getattr(subprocess, "CREATE_NO_WINDOW", 0)
# At first the process takes no time from others. If they leave no core idle, no loop would ever be
# ready: after PATIENCE seconds, another compiling process takes some 7 % of a core.
LOWEST, LOW = 19, 10
PATIENCE = 60.0
LONGEST = 60.0  # seconds that the process may continue after its parent has ended
SECONDS = 0.05  # between two checks whether a process still runs
_CODE = "import sys; sys.path[:] = {}; from {} import serve; serve({}, {})"
_DONE, _FAILED = b"+", b"-"  # answers


class Compiler:
    """Compiles loops one after another in another process, which the first loop starts."""

    def __init__(self):
        self._process = self._answers = None
        self._niceness = LOWEST

    def compile(self, loop):
        """Has a loop compiled into the disk cache. Returns False if that failed, or if the main
        thread of this process has ended."""
        try:
            self._send(loop)
            limit = time.monotonic() + PATIENCE
            while threading.main_thread().is_alive():
                with contextlib.suppress(queue.Empty):
                    return self._answers.get(timeout=SECONDS)
                if self._niceness == LOWEST and time.monotonic() > limit:
                    self._kill()
                    self._niceness = LOW
                    self._send(loop)
        except (OSError, pickle.PicklingError, MemoryError):
            pass  # this process compiles the loop
        return False

    def processor_time(self):
        """Returns the processor time of the other process in seconds; 0 where the system does not
        tell it."""
        process = self._process
        if process is None:
            return 0.0
        try:
            with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
                fields = file.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, IndexError):
            return 0.0

    def _send(self, loop):
        text = pickle.dumps(loop)
        if self._process is None:
            self._start()
        self._process.stdin.write(text)
        self._process.stdin.flush()

    def _start(self):
        paths = [os.path.abspath(path) for path in sys.path]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CODE.format(paths, __name__, os.getpid(), self._niceness)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=PRIORITY_FLAGS,
            env={**os.environ, disk_cache.VARIABLE: str(disk_cache.folder())},
        )
        self._answers = queue.SimpleQueue()
        arguments = self._process, self._answers
        Thread(target=_read, args=arguments, name="mindspore_compat-compiled", daemon=True).start()

    def stop(self):
        """Ends the process. If this process ends, the other one completes its loop before."""
        if self._process is None:
            return
        if threading.main_thread().is_alive():
            self._kill()
        else:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            self._process.returncode = 0  # Popen would warn that it still runs
            self._process = None

    def _kill(self):
        process, self._process = self._process, None
        process.kill()
        process.wait()


def _read(process, answers):
    """Collects answers until the process ends, in a thread."""
    # The reader of a buffered file holds a lock, which may not be held when the interpreter ends.
    while answer := os.read(process.stdout.fileno(), 1):
        answers.put(answer == _DONE)
    answers.put(False)


def serve(parent, niceness):
    """The process: compiles the loops that arrive on standard input until it is closed.

    Args:
        parent (int): the id of the process that started it.
        niceness (int): LOWEST to run only where a core is idle; otherwise how much this process
            is to yield to others.
    """
    _lower_priority(niceness)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal
    compiling = threading.Lock()
    Thread(target=_end_after, args=(parent, compiling), daemon=True).start()
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    with contextlib.suppress(EOFError, OSError):  # the parent has ended
        while True:
            loop = pickle.load(sys.stdin.buffer)
            with compiling:
                loop.compile()
            answers.write(_FAILED if loop.ready is None else _DONE)
            answers.flush()


def _lower_priority(niceness):
    """Lowers the priority of this thread and of threads that it starts."""
    if hasattr(os, "nice"):
        os.nice(niceness)
    if niceness == LOWEST and hasattr(os, "SCHED_IDLE"):
        with contextlib.suppress(OSError):  # a sandbox may refuse it
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def _end_after(parent, compiling):
    """Ends this process once its parent has ended and the lock `compiling` is free (after LONGEST
    seconds, even if it is not). Standard input is not enough to detect the end of the parent: a
    forked process may have inherited the other end of the pipe, which then stays open."""
    while os.name == "nt" or os.getppid() == parent:
        time.sleep(SECONDS)
    compiling.acquire(timeout=LONGEST)
    os._exit(1)
