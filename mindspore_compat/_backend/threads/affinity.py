"""Binds threads to processor cores.

Only Linux binds single threads; on other systems `bind` does nothing and returns False.
"""

import os
import threading

_cores = {}  # purpose of threads -> their cores


def available():
    """Returns the cores that this process may use, in order."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(os.getpid()))
    return list(range(os.cpu_count() or 1))


def bind(cores):
    """Binds the main thread at once, and threads for other purposes when they start.

    Args:
        cores (dict[str, Iterable[int]]): cores by purpose, "main" for the main thread.

    Returns:
        bool, whether the system can bind threads.

    Raises:
        OSError: if a core does not exist.
    """
    if not hasattr(os, "sched_setaffinity"):
        return False
    if "main" in cores:
        os.sched_setaffinity(threading.main_thread().native_id, cores["main"])
    _cores.update(cores)
    return True


def of_workers():
    """Returns the cores that `bind` got for the workers of data pipelines ("minddata"), or None."""
    return _cores.get("minddata")


def bind_workers(cores):
    """Binds the calling thread of a data pipeline's worker to `cores`; None does nothing."""
    if cores is not None:
        os.sched_setaffinity(threading.get_native_id(), cores)
