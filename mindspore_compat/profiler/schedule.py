"""`mindspore.profiler.schedule`: the path of what says at which steps is recorded.

`mindspore.profiler` loads this file before it shows the class `schedule`, which so keeps the name.
"""

from .steps import ProfilerAction
from .steps import schedule as Schedule

__all__ = ["ProfilerAction", "Schedule"]
