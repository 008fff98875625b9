"""Measures the memory of this process. A worker that has grown too much is replaced."""

import gc
import os
import sys

try:
    import resource
except ImportError:  # Windows lacks it
    resource = None


def is_beyond(limit):
    """Returns True if this process still uses more than `limit` MiB after a garbage collection."""
    if held() <= limit:
        return False
    gc.collect()
    return held() > limit


def held():
    """Returns the memory that this process uses now, in MiB; 0 if the system does not report it."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
    except OSError:  # not Linux
        return _most()


def _most():
    """Returns the peak memory of this process, in MiB."""
    if resource is None:
        return 0
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit
