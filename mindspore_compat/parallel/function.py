"""mindspore.parallel.function: functions that lay Tensors out over devices."""

from ..ops._communication.reshard import reshard

__all__ = ["reshard"]
