"""mindspore.parallel.function: functions that lay Tensors out over devices."""

from ..ops._reshard import reshard

__all__ = ["reshard"]
