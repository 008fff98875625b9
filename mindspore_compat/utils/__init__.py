"""`mindspore.utils`: DLPack, interception of operations, checks of the order of collectives, and
hardware tests of an Ascend."""

from .dlpack import from_dlpack, to_dlpack
from .ms_dispatch import MsDispatchMode
from .runtime_execution_order_check import comm_exec_order_check, runtime_execution_order_check
from .sdc_detect import get_sdc_detect_result, sdc_detect_start, sdc_detect_stop
from .stress_detect import stress_detect
from .utils import ExitByRequest, TFTCommValue

__all__ = [
    "ExitByRequest",
    "MsDispatchMode",
    "TFTCommValue",
    "comm_exec_order_check",
    "from_dlpack",
    "get_sdc_detect_result",
    "runtime_execution_order_check",
    "sdc_detect_start",
    "sdc_detect_stop",
    "stress_detect",
    "to_dlpack",
]
