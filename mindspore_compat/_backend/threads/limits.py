"""The number of threads that share large work."""

import functools
import os

from . import affinity, cgroup

_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_limits = {}  # name of a setting -> its number of threads


def threads():
    """Returns the number of threads that share large work, including the calling thread."""
    return _limits.get("exactly") or min([_thread_limit(), *_limits.values()])


def limit(count, setting="exactly"):
    """Sets the number of threads that share large work.

    Args:
        count (int): the number of threads; 0 removes the setting.
        setting (str): "exactly" for this number; any other name sets an upper bound.
    """
    _limits.pop(setting, None)
    if count:
        _limits[setting] = count


@functools.cache
def _thread_limit():
    """Returns the maximum number of threads of the process: the least of its cores, the share of
    its control group, and the environment variables that limit libraries."""
    counts = [len(affinity.available()), cgroup.cores()]
    counts += [
        int(value) for name in _VARIABLES if (value := os.environ.get(name, "").strip()).isdecimal()
    ]
    return max(min(count for count in counts if count), 1)


recount = _thread_limit.cache_clear  # must be called when the process has been bound to other cores
