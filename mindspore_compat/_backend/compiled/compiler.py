"""Compiles loops in another process, so that training does not compete with the compiler for the
interpreter lock.

The process has a low priority. It stores the compiled code in the disk cache:

    this process                                the process of the compiler
    `Compiler.compile`: sends the loop          `serve`: compiles it into the disk cache
                        waits for the answer             answers
    loads the code from the disk cache

It ends with its starter, and when there is nothing left to compile.
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

NICENESS = 10  # beside busy processes it gets some 7 % of a core, on idle cores all
_LOW_PRIORITY = getattr(subprocess, "IDLE_PRIORITY_CLASS", 0)  # on Windows
PRIORITY_FLAGS = _LOW_PRIORITY | getattr(subprocess, "CREATE_NO_WINDOW", 0)
SECONDS = 0.2  # between two looks whether a process still runs
_CODE = "import sys; sys.path[:] = {}; from {} import serve; serve({})"
_DONE = b"\n"


class Compiler:
    """Another process that compiles loops, one after the other; the first loop starts it."""

    def __init__(self):
        self._process = self._answers = None

    def compile(self, loop):
        """Has a loop compiled into the disk cache. Returns False if that failed, or if the main
        thread of this process has ended."""
        try:
            if self._process is None:
                self._start()
            pickle.dump(loop, self._process.stdin)
            self._process.stdin.flush()
        except (OSError, pickle.PicklingError, MemoryError):
            return False
        while threading.main_thread().is_alive():
            with contextlib.suppress(queue.Empty):
                return self._answers.get(timeout=SECONDS)
        return False

    def _start(self):
        code = _CODE.format(repr(sys.path), __name__, os.getpid())
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=PRIORITY_FLAGS,
        )
        self._answers = queue.SimpleQueue()
        reader = Thread(target=self._read, name="mindspore_compat-compiled", daemon=True)
        reader.start()

    def _read(self):
        """Collects answers until the process ends, in a thread."""
        for answer in self._process.stdout:
            self._answers.put(answer == _DONE)
        self._answers.put(False)

    def stop(self):
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def serve(parent):
    """The process: compiles the loops that arrive on standard input until it is closed.

    Args:
        parent (int): the id of the process that started it.
    """
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal
    Thread(target=_end_with, args=(parent,), daemon=True).start()
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    with contextlib.suppress(EOFError):
        while True:
            loop = pickle.load(sys.stdin.buffer)
            loop.compile()
            answers.write(_DONE if loop.ready is not None else b"failed\n")
            answers.flush()


def _end_with(parent):
    """Ends this process when its parent has ended. Standard input tells so only if no forked
    process has inherited its other end."""
    while os.name == "nt" or os.getppid() == parent:
        time.sleep(SECONDS)
    os._exit(1)
