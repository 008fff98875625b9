"""`mindspore.device_context.gpu.op_tuning`: the convolution algorithms of cuDNN.

Convolutions use the algorithm preferred by cuDNN's heuristics among the deterministic ones. Each
setting is checked and stored as `set_context` stores `gpu_config`, and has no effect here. A second
call with another value is refused.
"""

from ..._core.context.config import GPU
from ..._core.rules.base import AsValue
from ..._core.rules.checked import checked
from ..._core.without_effect import without_effect
from .._store_once import store_once

__all__ = ["conv_dgrad_algo", "conv_fprop_algo", "conv_wgrad_algo", "function_status"]

function_status = {"conv_fprop_algo": False, "conv_wgrad_algo": False, "conv_dgrad_algo": False}


@without_effect(
    "device_context.gpu.op_tuning.conv_fprop_algo", "the algorithm follows from the shapes"
)
@checked
def conv_fprop_algo(mode: AsValue(GPU["conv_fprop_algo"])):
    """Sets cuDNN's algorithm of convolutions.

    Args:
        mode (str): the name of the algorithm, such as "normal" or "performance"; an error message
            lists all.

    Raises:
        ValueError: if there is no such algorithm.
        RuntimeError: if an earlier call has set another value.

    Source: mindspore.device_context.gpu.op_tuning.conv_fprop_algo of MindSpore 2.10.
    """
    store_once(function_status, "conv_fprop_algo", mode, "gpu_config")


@without_effect(
    "device_context.gpu.op_tuning.conv_wgrad_algo", "the algorithm follows from the shapes"
)
@checked
def conv_wgrad_algo(mode: AsValue(GPU["conv_wgrad_algo"])):
    """Sets cuDNN's algorithm of the gradients of weights.

    Args:
        mode (str): the name of the algorithm, such as "normal" or "performance"; an error message
            lists all.

    Raises:
        ValueError: if there is no such algorithm.
        RuntimeError: if an earlier call has set another value.

    Source: mindspore.device_context.gpu.op_tuning.conv_wgrad_algo of MindSpore 2.10.
    """
    store_once(function_status, "conv_wgrad_algo", mode, "gpu_config")


@without_effect(
    "device_context.gpu.op_tuning.conv_dgrad_algo", "the algorithm follows from the shapes"
)
@checked
def conv_dgrad_algo(mode: AsValue(GPU["conv_dgrad_algo"])):
    """Sets cuDNN's algorithm of the gradients of inputs.

    Args:
        mode (str): the name of the algorithm, such as "normal" or "performance"; an error message
            lists all.

    Raises:
        ValueError: if there is no such algorithm.
        RuntimeError: if an earlier call has set another value.

    Source: mindspore.device_context.gpu.op_tuning.conv_dgrad_algo of MindSpore 2.10.
    """
    store_once(function_status, "conv_dgrad_algo", mode, "gpu_config")
