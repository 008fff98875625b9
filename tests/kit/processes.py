"""Helpers for processes that a test has started: tests whether one runs, waits for conditions."""

import os
import time


def alive(pid):
    """Returns whether a process is running; False for a zombie."""
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # the process ended just now, or the system has no /proc
        return not os.path.isdir("/proc/self")


def until(condition, message):
    """Waits up to a minute for a condition; then fails with a message."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, message
        time.sleep(0.01)
