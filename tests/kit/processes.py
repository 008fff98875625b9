"""Processes that a test has started: whether they run, and waiting until they end."""

import os
import time


def alive(pid):
    """Returns whether a process runs; one that has ended and nobody has asked about does not."""
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # it ended just now, or this is no Linux
        return not os.path.isdir("/proc/self")


def until(condition, what):
    """Waits for a condition that is expected to be true soon."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)
