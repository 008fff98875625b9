"""`mindspore.profiler`: records the number and time of calls of operators and Cells.

It records calls of operators, of their gradients, and of Cells, with the host's clock; on a GPU it
waits for each operator, unless `sync_enable=False`. `recorder.py` records, `writing.py` writes the
files, `profile.py` defines Profiler and profile. Options for an Ascend only are accepted and have
no effect.
"""

from . import schedule as _schedule  # noqa: F401 - before the class of the same name
from .dynamic_profiler import DynamicProfilerMonitor
from .envprofiler import EnvProfiler
from .options import (
    AicoreMetrics,
    ExportType,
    HostSystem,
    ProfilerActivity,
    ProfilerLevel,
    _ExperimentalConfig,
)
from .profile import Profiler, mstx, profile, tensorboard_trace_handler
from .steps import ProfilerAction, schedule

__all__ = [
    "AicoreMetrics",
    "DynamicProfilerMonitor",
    "EnvProfiler",
    "ExportType",
    "HostSystem",
    "Profiler",
    "ProfilerAction",
    "ProfilerActivity",
    "ProfilerLevel",
    "_ExperimentalConfig",
    "mstx",
    "profile",
    "schedule",
    "tensorboard_trace_handler",
]
