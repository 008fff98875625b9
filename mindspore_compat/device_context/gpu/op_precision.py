"""`mindspore.device_context.gpu.op_precision`: precision of operations on a GPU.

Each is checked and stored as `set_context` stores `gpu_config`. A second call with another value is
refused.
"""

from ..._core.context.config import GPU, allow_tf32
from ..._core.rules.checked import checked
from .._store_once import store_once

__all__ = ["conv_allow_tf32", "matmul_allow_tf32", "function_status"]

function_status = {"matmul_allow_tf32": False, "conv_allow_tf32": False}


@checked
def matmul_allow_tf32(value: GPU["matmul_allow_tf32"]):
    """Sets whether a GPU may multiply matrices of float32 in TF32.

    TF32 has the range of float32 and ten bits of precision. GPUs before compute capability 8.0 do
    not have it. Without cuBLAS, set it before the first product, when CuPy reads it; later it has
    no effect and causes a warning.

    Args:
        value (bool): whether to allow it.

    Raises:
        TypeError: if `value` is not a bool.
        RuntimeError: if an earlier call has set another value.

    Source: mindspore.device_context.gpu.op_precision.matmul_allow_tf32 of MindSpore 2.10.
    """
    store_once(function_status, "matmul_allow_tf32", value, "gpu_config")
    allow_tf32(value)


@checked
def conv_allow_tf32(value: GPU["conv_allow_tf32"]):
    """Sets whether a GPU may convolve float32 in TF32.

    Convolutions are computed by matrix products here, which may then use TF32. Unlike in
    MindSpore, they do not by default.

    Args:
        value (bool): whether to allow it.

    Raises:
        TypeError: if `value` is not a bool.
        RuntimeError: if an earlier call has set another value.

    Source: mindspore.device_context.gpu.op_precision.conv_allow_tf32 of MindSpore 2.10.
    """
    store_once(function_status, "conv_allow_tf32", value, "gpu_config")
    allow_tf32(value, "conv")
