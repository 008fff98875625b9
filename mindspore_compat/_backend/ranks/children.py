"""Worker processes that end with the process that started them, however that one ends.

A process that is killed cannot end its workers, so each worker watches: on Linux the kernel kills
it (the parent-death signal), everywhere a thread looks twice a second whether the parent is there.
"""

import ctypes
import functools
import os
import signal
import sys
import threading

_SECONDS = 0.5  # between two looks at the parent
_PARENT_DEATH = 1  # prctl's number for the signal that comes when the parent ends


def executor(workers, method=None):
    """An executor of calls in processes that end with this one.

    Args:
        workers (int): how many.
        method (str, optional): how they start, "fork" or "spawn"; by default as suits the system.

    Returns:
        concurrent.futures.ProcessPoolExecutor.
    """
    import multiprocessing  # these take time to load, and many need only the functions below
    from concurrent.futures import ProcessPoolExecutor

    method = method or ("fork" if sys.platform == "linux" else "spawn")
    return ProcessPoolExecutor(
        workers, multiprocessing.get_context(method), end_with_parent, parent()
    )


def parent():
    """What a worker knows about the process that starts it: the arguments of `end_with_parent`.

    Returns:
        tuple[int, bool]: the process id, and whether the starting thread lives as long as the
        process: the kernel's parent-death signal comes when the starting *thread* ends.
    """
    return os.getpid(), threading.current_thread() is threading.main_thread()


def end_with_parent(pid, by_kernel):
    """Makes this worker process, forked or spawned, end when its parent does.

    Args:
        pid (int): the parent's process id.
        by_kernel (bool): whether the kernel may watch; see `parent`.
    """
    if by_kernel and sys.platform == "linux":
        signal_at_parent_death(pid, signal.SIGKILL)
    threading.Thread(target=_watch, args=(pid,), name="parent watch", daemon=True).start()


def before_start():
    """What `subprocess` runs in a new process so that it is killed when this one ends.

    Returns:
        Callable for `preexec_fn`; None where the system is not Linux.
    """
    if sys.platform != "linux":
        return None
    return functools.partial(signal_at_parent_death, os.getpid(), signal.SIGKILL)


def signal_at_parent_death(pid, number):
    """On Linux, makes the kernel send this process a signal when its parent ends.

    Args:
        pid (int): the parent's process id.
        number (signal.Signals): the signal; it is also sent where the parent has ended already.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PARENT_DEATH, int(number))
    if os.getppid() != pid:
        os.kill(os.getpid(), number)


def _watch(pid):
    """Ends this process once its parent is gone.

    A pipe from the parent reports it at once, unless a sibling has inherited the other end; an
    orphan gets another parent, which POSIX systems show.
    """
    import multiprocessing

    starter = multiprocessing.parent_process()
    while starter.is_alive() and (os.name == "nt" or os.getppid() == pid):
        starter.join(_SECONDS)
    os._exit(1)
