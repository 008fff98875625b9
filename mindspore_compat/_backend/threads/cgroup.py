"""The number of cores that the control group of this process may use, if a container limits it."""

import math
import os


def cores(root="/"):
    """Returns the number of cores that the control groups of this process allow, rounded up.

    Args:
        root (str): the root folder of the system's files.

    Returns:
        int, or None if there is no limit.
    """
    shares = [share for path in _groups(root) if (share := _share(path))]
    return max(math.ceil(min(shares)), 1) if shares else None


def _groups(root):
    """Yields the folders of the control groups of this process, and those of their parent
    groups."""
    lines = _read(os.path.join(root, "proc/self/cgroup")) or ""
    for line in lines.splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        base = os.path.join(root, "sys/fs/cgroup", "cpu" if controllers else "")
        parts = [part for part in path.split("/") if part not in ("", "..")]
        for length in range(len(parts) + 1):
            yield os.path.join(base, *parts[:length])


def _share(path):
    """Returns the number of cores that the group with this folder may use, as a float; None if it
    has no limit."""
    text = _read(os.path.join(path, "cpu.max"))  # of version 2
    if text is None:
        quota, period = (
            _read(os.path.join(path, f"cpu.cfs_{name}_us")) for name in ("quota", "period")
        )
        text = f"{quota} {period}" if quota and period else ""
    numbers = text.split()
    if len(numbers) != 2 or not all(number.isdecimal() for number in numbers):
        return None
    return int(numbers[0]) / int(numbers[1])


def _read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except OSError:
        return None
