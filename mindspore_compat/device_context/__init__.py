"""`mindspore.device_context`: which devices compute, and settings of theirs, device by device.

Settings of an Ascend or of cuDNN's algorithms are checked and stored where `get_context` returns
them (`ascend_config`, `gpu_config`, `op_timeout`, ...), and change nothing; that of the CPU's
threads acts.
"""

from . import ascend, cpu, gpu

__all__ = ["ascend", "cpu", "gpu"]
