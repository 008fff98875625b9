"""The path `mindspore.profiler.schedule`, which has the name of a class.

`mindspore.profiler` imports this file before the class `schedule`, so that the name refers to the
class.
"""

from .steps import ProfilerAction
from .steps import schedule as Schedule

__all__ = ["ProfilerAction", "Schedule"]
