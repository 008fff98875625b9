"""mindspore.parallel.distributed: DistributedDataParallel."""

from .distributed_data_parallel import DistributedDataParallel

__all__ = ["DistributedDataParallel"]
