"""mindspore.profiler: how often operators and Cells run, and how long they take.

What is recorded are the calls of operators, of their gradients, and of Cells, by the clock of the
host; on a GPU each operator is waited for, unless `sync_enable=False`. `recorder.py` does it,
`writing.py` makes the files, `profile.py` holds Profiler and profile. Options that only an Ascend
device knows are taken and change nothing.
"""

from . import schedule as _schedule  # noqa: F401 - the file first: the class keeps the name
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
