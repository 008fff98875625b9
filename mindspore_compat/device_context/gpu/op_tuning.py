"""`mindspore.device_context.gpu.op_tuning`: which of cuDNN's algorithms convolve.

Convolutions take the algorithm that cuDNN's heuristics prefer, of those that always give the same
bits. Each setting is checked and stored as `set_context` stores `gpu_config`, and changes nothing
here. A second call with another value is refused.
"""

from ..._core.context.config import GPU
from ..._core.rules.checked import checked
from ..._core.without_effect import without_effect
from .._store_once import store_once

__all__ = ["conv_dgrad_algo", "conv_fprop_algo", "conv_wgrad_algo", "function_status"]

function_status = {"conv_fprop_algo": False, "conv_wgrad_algo": False, "conv_dgrad_algo": False}


@without_effect(
    "device_context.gpu.op_tuning.conv_fprop_algo", "the algorithm follows from the shapes"
)
@checked
def conv_fprop_algo(mode: GPU["conv_fprop_algo"]):
    """Sets which of cuDNN's algorithms convolves.

    Args:
        mode (str): its name, such as "normal" or "performance"; an error message lists all.

    Raises:
        TypeError: `mode` is no str.
        ValueError: there is no such algorithm.
        RuntimeError: it has been set to something else.

    Source: mindspore.device_context.gpu.op_tuning.conv_fprop_algo of MindSpore 2.10.
    """
    store_once(function_status, "conv_fprop_algo", mode, "gpu_config")


@without_effect(
    "device_context.gpu.op_tuning.conv_wgrad_algo", "the algorithm follows from the shapes"
)
@checked
def conv_wgrad_algo(mode: GPU["conv_wgrad_algo"]):
    """Sets which of cuDNN's algorithms makes the gradients of weights.

    Args:
        mode (str): its name, such as "normal" or "performance"; an error message lists all.

    Raises:
        TypeError: `mode` is no str.
        ValueError: there is no such algorithm.
        RuntimeError: it has been set to something else.

    Source: mindspore.device_context.gpu.op_tuning.conv_wgrad_algo of MindSpore 2.10.
    """
    store_once(function_status, "conv_wgrad_algo", mode, "gpu_config")


@without_effect(
    "device_context.gpu.op_tuning.conv_dgrad_algo", "the algorithm follows from the shapes"
)
@checked
def conv_dgrad_algo(mode: GPU["conv_dgrad_algo"]):
    """Sets which of cuDNN's algorithms makes the gradients of inputs.

    Args:
        mode (str): its name, such as "normal" or "performance"; an error message lists all.

    Raises:
        TypeError: `mode` is no str.
        ValueError: there is no such algorithm.
        RuntimeError: it has been set to something else.

    Source: mindspore.device_context.gpu.op_tuning.conv_dgrad_algo of MindSpore 2.10.
    """
    store_once(function_status, "conv_dgrad_algo", mode, "gpu_config")
