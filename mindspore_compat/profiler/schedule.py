"""`mindspore.profiler.schedule`: a path of the class `schedule`.

`mindspore.profiler` loads this file before it exports the class `schedule`, which so keeps the
name.
"""

from .steps import ProfilerAction
from .steps import schedule as Schedule

__all__ = ["ProfilerAction", "Schedule"]
