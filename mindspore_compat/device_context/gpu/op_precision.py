"""`mindspore.device_context.gpu.op_precision`: which precision a GPU's operations take.

Each is checked and kept as `set_context` keeps `gpu_config`, and changes nothing here. A second
call with another value is refused.
"""

from ..._core.context.config import GPU
from ..._core.rules.checked import checked
from .._kept import keep

__all__ = ["conv_allow_tf32", "matmul_allow_tf32", "function_status"]

function_status = {"matmul_allow_tf32": False, "conv_allow_tf32": False}


@checked
def matmul_allow_tf32(value: GPU["matmul_allow_tf32"]):
    """Sets whether a GPU may multiply matrices of float32 in TF32.

    It may, but does not: products of float32 are in float32 here with either.

    Args:
        value (bool): whether it may.

    Raises:
        TypeError: `value` is no bool.
        RuntimeError: it has been set to something else.

    Source: mindspore.device_context.gpu.op_precision.matmul_allow_tf32 of MindSpore 2.10.
    """
    keep(function_status, "matmul_allow_tf32", value, "gpu_config")


@checked
def conv_allow_tf32(value: GPU["conv_allow_tf32"]):
    """Sets whether a GPU may convolve float32 in TF32.

    It may, but does not: convolutions of float32 are in float32 here with either.

    Args:
        value (bool): whether it may.

    Raises:
        TypeError: `value` is no bool.
        RuntimeError: it has been set to something else.

    Source: mindspore.device_context.gpu.op_precision.conv_allow_tf32 of MindSpore 2.10.
    """
    keep(function_status, "conv_allow_tf32", value, "gpu_config")
