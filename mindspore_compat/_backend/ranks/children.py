"""Worker processes that end with their parent process, even if the parent is killed.

A killed process cannot end its workers, so each worker watches its parent: on Linux the kernel
kills the worker (the parent-death signal); on all systems a thread checks for the parent twice a
second.
"""

import ctypes
import functools
import os
import signal
import sys
import threading

from ..starting import Thread

_SECONDS = 0.5  # between two checks whether the parent lives
_PARENT_DEATH = 1  # prctl's number for the signal that comes when the parent ends


def executor(workers, method=None):
    """Returns an executor whose worker processes end with this process.

    Args:
        workers (int): the number of processes.
        method (str, optional): the start method, "fork" or "spawn"; by default the system's own.

    Returns:
        concurrent.futures.ProcessPoolExecutor.
    """
    import multiprocessing  # slow imports, and many callers need only the functions below
    from concurrent.futures import ProcessPoolExecutor

    method = method or ("fork" if sys.platform == "linux" else "spawn")
    return ProcessPoolExecutor(
        workers, multiprocessing.get_context(method), end_with_parent, parent()
    )


def parent():
    """Returns the arguments of `end_with_parent` for workers that this process starts.

    Returns:
        tuple[int, bool]: the process id, and whether the starting thread lives as long as the
        process, because the kernel sends the parent-death signal when the starting *thread* ends.
    """
    return os.getpid(), threading.current_thread() is threading.main_thread()


def end_with_parent(pid, by_kernel):
    """Makes this worker process, forked or spawned, end when its parent does.

    Args:
        pid (int): the parent's process id.
        by_kernel (bool): whether the kernel may watch the parent; see `parent`.
    """
    if by_kernel and sys.platform == "linux":
        signal_at_parent_death(pid, signal.SIGKILL)
    Thread(target=_watch, args=(pid,), name="parent watch", daemon=True).start()


def wait_for(process, lost):
    """Waits for the end of a worker process.

    The system reports an exit code only once. Python takes a process for running forever if an
    interrupt came between the answer and the line that keeps it.

    Args:
        process (multiprocessing.Process): the process.
        lost (int): what counts as its exit code if that got lost.
    """
    process.join()
    if process.exitcode is None:
        process._popen.returncode = lost
        process.join()


def before_start():
    """Returns a `preexec_fn` for `subprocess`, so that the new process is killed when this one
    ends.

    Returns:
        Callable; None if the system is not Linux.
    """
    if sys.platform != "linux":
        return None
    return functools.partial(signal_at_parent_death, os.getpid(), signal.SIGKILL)


def signal_at_parent_death(pid, number):
    """On Linux, makes the kernel send this process a signal when its parent ends.

    Args:
        pid (int): the parent's process id.
        number (signal.Signals): the signal; it is also sent if the parent has ended already.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PARENT_DEATH, int(number))
    if os.getppid() != pid:
        os.kill(os.getpid(), number)


def _watch(pid):
    """Waits until the parent has ended, and then ends this process.

    A pipe to the parent closes at that moment, unless a sibling has inherited the parent's end of
    the pipe. So this also checks the parent id, which changes on POSIX systems.
    """
    import multiprocessing

    starter = multiprocessing.parent_process()
    while starter.is_alive() and (os.name == "nt" or os.getppid() == pid):
        starter.join(_SECONDS)
    os._exit(1)
