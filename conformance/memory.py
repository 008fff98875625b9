"""The memory use of this process. A worker that has grown too much is replaced."""

import gc
import os
import sys

try:
    import resource
except ImportError:  # not on Windows
    resource = None


def is_beyond(limit):
    """Whether this process holds more MiB than `limit`, what no one refers to any more apart."""
    if held() <= limit:
        return False
    gc.collect()
    return held() > limit


def held():
    """The memory that this process holds now, in MiB; 0 where the system does not report it."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
    except OSError:  # not Linux
        return _most()


def _most():
    """The most memory that this process has held, in MiB."""
    if resource is None:
        return 0
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit
