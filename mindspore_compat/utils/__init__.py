"""mindspore.utils: memory shared with other libraries, and the order of collectives."""

from .dlpack import from_dlpack, to_dlpack
from .runtime_execution_order_check import comm_exec_order_check, runtime_execution_order_check

__all__ = ["comm_exec_order_check", "from_dlpack", "runtime_execution_order_check", "to_dlpack"]
