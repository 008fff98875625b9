"""The number of cores that the control group of this process may use, if a container limits it, and
the time that they were used."""

import math
import os


def cores(root="/"):
    """Returns the number of cores that the control groups of this process allow, rounded up.

    Args:
        root (str): the root folder of the system's files.

    Returns:
        int, or None if there is no limit.
    """
    group = limited(root)
    return group and max(math.ceil(group[0]), 1)


def limited(root="/"):
    """Returns (cores, folder) of the control group that allows this process the fewest cores, a
    float; None if there is no limit."""
    groups = [(share, path) for path in _groups(root) if (share := _share(path))]
    return min(groups, default=None)


def used(folder):
    """Returns the processor time in seconds that a control group's processes have used; None if
    it is not counted."""
    text = _read(os.path.join(folder, "cpu.stat")) or ""  # of version 2
    for line in text.splitlines():
        name, _, number = line.partition(" ")
        if name == "usage_usec":
            return int(number) / 1e6
    text = _read(os.path.join(folder, "cpuacct.usage")) or ""
    return int(text) / 1e9 if text.strip().isdecimal() else None


def _groups(root):
    """Yields the folders of the control groups of this process and of their parent groups."""
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
