"""`mindspore.device_context`: availability and settings of each kind of device.

Settings of an Ascend or of cuDNN's algorithms are checked and stored where `get_context` returns
them (`ascend_config`, `gpu_config`, `op_timeout`, ...), and have no effect; the setting of CPU
threads has.
"""

from . import ascend, cpu, gpu

__all__ = ["ascend", "cpu", "gpu"]
