"""`mindspore.device_context.ascend.op_precision`: precision of operations on an Ascend.

Each is checked and stored as `set_context` stores `ascend_config`, and has no effect here. A second
call with another value is refused.
"""

from ..._core.context.config import ASCEND
from ..._core.rules.checked import checked
from ..._core.rules.comparisons import Instead
from ..._core.rules.vocabulary import OneOf, Str
from ..._core.without_effect import without_effect
from .._store_once import store_once

__all__ = [
    "conv_allow_hf32",
    "matmul_allow_hf32",
    "op_precision_mode",
    "precision_mode",
    "function_status",
]

function_status = {
    "precision_mode": False,
    "op_precision_mode": False,
    "matmul_allow_hf32": False,
    "conv_allow_hf32": False,
}


@without_effect("device_context.ascend.op_precision.precision_mode", "there is no Ascend")
@checked
def precision_mode(mode: ASCEND["precision_mode"]):
    """Sets the float types that operations of an Ascend may cast to.

    Args:
        mode (str): "force_fp16", "force_fp32", "allow_fp32_to_fp16", "allow_fp32_to_bf16",
            "allow_mix_precision", "allow_mix_precision_fp16", "allow_mix_precision_bf16" or
            "must_keep_origin_dtype".

    Raises:
        TypeError: if `mode` is not a str.
        ValueError: if `mode` is not one of these.
        RuntimeError: if an earlier call has set another value.

    Source: mindspore.device_context.ascend.op_precision.precision_mode of MindSpore 2.10.
    """
    store_once(function_status, "precision_mode", mode, "ascend_config")


@without_effect("device_context.ascend.op_precision.op_precision_mode", "there is no Ascend")
@checked
def op_precision_mode(path: Str):
    """Sets the file that sets the precision of single operations of an Ascend.

    Args:
        path (str): the file, of CANN's kind.

    Raises:
        TypeError: if `path` is not a str.
        RuntimeError: if an earlier call has set another value.

    Source: mindspore.device_context.ascend.op_precision.op_precision_mode of MindSpore 2.10.
    """
    store_once(function_status, "op_precision_mode", path, "ascend_config")


@without_effect("device_context.ascend.op_precision.matmul_allow_hf32", "there is no Ascend")
@checked
def matmul_allow_hf32(value: Instead(ASCEND["matmul_allow_hf32"], ValueError, OneOf(0, 1))):
    """Sets whether an Ascend may multiply matrices of float32 in HF32.

    Args:
        value (bool): whether to allow it.

    Raises:
        ValueError: if `value` is not a bool; a TypeError for 0 and 1.
        RuntimeError: if an earlier call has set another value.

    Source: mindspore.device_context.ascend.op_precision.matmul_allow_hf32 of MindSpore 2.10.
    """
    store_once(function_status, "matmul_allow_hf32", value, "ascend_config")


@without_effect("device_context.ascend.op_precision.conv_allow_hf32", "there is no Ascend")
@checked
def conv_allow_hf32(value: Instead(ASCEND["conv_allow_hf32"], ValueError, OneOf(0, 1))):
    """Sets whether an Ascend may convolve float32 in HF32.

    Args:
        value (bool): whether to allow it.

    Raises:
        ValueError: if `value` is not a bool; a TypeError for 0 and 1.
        RuntimeError: if an earlier call has set another value.

    Source: mindspore.device_context.ascend.op_precision.conv_allow_hf32 of MindSpore 2.10.
    """
    store_once(function_status, "conv_allow_hf32", value, "ascend_config")
