"""`schedule` and its actions: select the steps of a training to record."""

from enum import Enum

from .. import log


class ProfilerAction(Enum):
    """The action of the profiler in one step.

    Example:
        >>> from mindspore_compat import profiler
        >>> [action.name for action in profiler.ProfilerAction]
        ['NONE', 'WARM_UP', 'RECORD', 'RECORD_AND_SAVE']
    """

    NONE = 0
    WARM_UP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class schedule:
    """A schedule of actions by step: skipped steps, then cycles of waiting, warming up and
    recording.

    A value that is not an int in its range is replaced by the default with a warning.

    Args:
        wait (int): steps of a cycle in which nothing happens.
        active (int): steps of a cycle that are recorded; at least 1.
        warmup (int): steps between the two. Default: ``0``.
        repeat (int): number of cycles. Default: ``0``, to the end.
        skip_first (int): steps before the first cycle. Default: ``0``.

    Example:
        >>> from mindspore_compat import profiler
        >>> plan = profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
        >>> [plan(step).name for step in range(4)]
        ['NONE', 'WARM_UP', 'RECORD', 'RECORD_AND_SAVE']

    Source: mindspore.profiler.schedule of MindSpore 2.10.
    """

    def __init__(self, *, wait, active, warmup=0, repeat=0, skip_first=0):
        self.wait = _count("wait", wait, 0)
        self.active = _count("active", active, 1)
        self.warmup = _count("warmup", warmup, 0)
        self.repeat = _count("repeat", repeat, 0)
        self.skip_first = _count("skip_first", skip_first, 0)

    def __call__(self, step):
        """Returns the action of a step, counted from 0."""
        length = self.wait + self.warmup + self.active
        step -= self.skip_first
        if step < 0 or self.repeat and step >= self.repeat * length:
            return ProfilerAction.NONE
        step %= length
        if step < self.wait:
            return ProfilerAction.NONE
        if step < self.wait + self.warmup:
            return ProfilerAction.WARM_UP
        return ProfilerAction.RECORD_AND_SAVE if step == length - 1 else ProfilerAction.RECORD

    def to_dict(self):
        """Returns the numbers, by name."""
        return {
            "wait": self.wait,
            "active": self.active,
            "warmup": self.warmup,
            "repeat": self.repeat,
            "skip_first": self.skip_first,
        }

    def __repr__(self):
        return f"Schedule({', '.join(f'{key}={value}' for key, value in self.to_dict().items())})"


def _count(name, value, least):
    """Returns a number of steps, or the minimum if it is invalid."""
    if type(value) is int and value >= least:
        return value
    log.warning(
        "For 'schedule', '%s' must be an int >= %s, but got %r; %s is taken.",
        name,
        least,
        value,
        least,
    )
    return least
