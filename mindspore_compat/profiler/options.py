"""Enumerations of the profiler's options: levels, activities, metrics, kinds of files."""

from enum import Enum


class ProfilerLevel(Enum):
    """The level of detail that an Ascend records.

    Example:
        >>> from mindspore_compat import profiler
        >>> [level.name for level in profiler.ProfilerLevel]
        ['LevelNone', 'Level0', 'Level1', 'Level2']

    Source: mindspore.profiler.ProfilerLevel of MindSpore 2.10.
    """

    LevelNone = "LevelNone"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class ProfilerActivity(Enum):
    """The devices to record.

    Example:
        >>> from mindspore_compat import profiler
        >>> [activity.name for activity in profiler.ProfilerActivity]
        ['NPU', 'GPU', 'CPU']

    Source: mindspore.profiler.ProfilerActivity of MindSpore 2.10.
    """

    NPU = "NPU"
    GPU = "GPU"
    CPU = "CPU"


class AicoreMetrics(Enum):
    """The metrics that the cores of an Ascend count.

    Example:
        >>> from mindspore_compat import profiler
        >>> profiler.AicoreMetrics.PipeUtilization.name
        'PipeUtilization'

    Source: mindspore.profiler.AicoreMetrics of MindSpore 2.10.
    """

    PipeUtilization = "PipeUtilization"
    ArithmeticUtilization = "ArithmeticUtilization"
    Memory = "Memory"
    MemoryL0 = "MemoryL0"
    MemoryUB = "MemoryUB"
    ResourceConflictRatio = "ResourceConflictRatio"
    L2Cache = "L2Cache"
    MemoryAccess = "MemoryAccess"
    AiCoreNone = "None"


class ExportType(Enum):
    """Kinds of result files; here they are always text.

    Example:
        >>> from mindspore_compat import profiler
        >>> [form.name for form in profiler.ExportType]
        ['Db', 'Text']
    """

    Db = "db"
    Text = "text"


class HostSystem(Enum):
    """The host metrics that are recorded in addition to operators.

    Example:
        >>> from mindspore_compat import profiler
        >>> [part.name for part in profiler.HostSystem]
        ['CPU', 'MEM', 'DISK', 'NETWORK', 'OSRT']

    Source: mindspore.profiler.HostSystem of MindSpore 2.10.
    """

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"


class _ExperimentalConfig:
    """Options of an Ascend device, stored as attributes.

    Args:
        profiler_level (ProfilerLevel): Default: ``ProfilerLevel.Level0``.
        aic_metrics (AicoreMetrics): Default: ``AicoreMetrics.AiCoreNone``.
        l2_cache (bool): Default: ``False``.
        mstx (bool): Default: ``False``.
        data_simplification (bool): Default: ``True``.
        export_type (list[ExportType]): Default: ``None``, text.
        mstx_domain_include (list[str]): Default: ``None``.
        mstx_domain_exclude (list[str]): Default: ``None``.
        sys_io (bool): Default: ``False``.
        sys_interconnection (bool): Default: ``False``.
        host_sys (list[HostSystem]): Default: ``None``.

    Example:
        >>> from mindspore_compat import profiler
        >>> level = profiler.ProfilerLevel.Level1
        >>> settings = profiler._ExperimentalConfig(profiler_level=level, l2_cache=False)
    """

    def __init__(
        self,
        profiler_level=ProfilerLevel.Level0,
        aic_metrics=AicoreMetrics.AiCoreNone,
        l2_cache=False,
        mstx=False,
        data_simplification=True,
        export_type=None,
        mstx_domain_include=None,
        mstx_domain_exclude=None,
        sys_io=False,
        sys_interconnection=False,
        host_sys=None,
    ):
        self.profiler_level = profiler_level
        self.aic_metrics = aic_metrics
        self.l2_cache = l2_cache
        self.mstx = mstx
        self.data_simplification = data_simplification
        self.export_type = export_type
        self.mstx_domain_include = mstx_domain_include
        self.mstx_domain_exclude = mstx_domain_exclude
        self.sys_io = sys_io
        self.sys_interconnection = sys_interconnection
        self.host_sys = host_sys
