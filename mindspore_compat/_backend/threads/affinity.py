"""Which cores threads run on.

Only the kernel of Linux binds single threads; elsewhere nothing is bound, and `bind` says so.
"""

import os
import threading

_cores = {}  # by what threads are for


def available():
    """The cores that this process may use, in order."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(os.getpid()))
    return list(range(os.cpu_count() or 1))


def bind(cores):
    """Binds the main thread at once, and threads for other purposes as they start.

    Args:
        cores (dict[str, Iterable[int]]): cores by purpose, "main" for the main thread.

    Returns:
        bool, whether the system can do so.

    Raises:
        OSError: there are no such cores.
    """
    if not hasattr(os, "sched_setaffinity"):
        return False
    if "main" in cores:
        os.sched_setaffinity(threading.main_thread().native_id, cores["main"])
    _cores.update(cores)
    return True


def of_workers():
    """The cores for the workers of data pipelines; None where none were given."""
    return _cores.get("minddata")


def bind_workers(cores):
    """Binds the thread that calls, one of a worker, if there are cores for it."""
    if cores is not None:
        os.sched_setaffinity(threading.get_native_id(), cores)
