"""`mindspore.device_context.ascend.op_tuning`: compilation and tuning of operations on an Ascend.

Each is checked and stored as `set_context` stores `ascend_config`, and has no effect here. A second
call with another value is refused.
"""

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Int, OneOf
from ..._core.without_effect import without_effect
from .._store_once import store_once

__all__ = ["aclnn_cache", "aoe_job_type", "aoe_tune_mode", "op_compile", "function_status"]

function_status = {
    "op_compile": False,
    "aoe_tune_mode": False,
    "aoe_job_type": False,
    "aclnn_cache": False,
}


@without_effect("device_context.ascend.op_tuning.op_compile", "there is no Ascend")
@checked
def op_compile(value: Bool):
    """Sets whether an Ascend compiles operations just in time. Stored as `jit_compile`.

    Args:
        value (bool): whether to compile them.

    Raises:
        TypeError: if `value` is not a bool.
        RuntimeError: if an earlier call has set another value.

    Source: mindspore.device_context.ascend.op_tuning.op_compile of MindSpore 2.10.
    """
    store_once(function_status, "op_compile", value, "ascend_config", "jit_compile")


@without_effect("device_context.ascend.op_tuning.aoe_tune_mode", "there is no Ascend")
@checked
def aoe_tune_mode(tune_mode: OneOf("online", "offline")):
    """Sets the mode of the tuner of an Ascend, AOE. Stored as `aoe_tune_mode`.

    Args:
        tune_mode (str): "online" or "offline".

    Raises:
        TypeError: if `tune_mode` is not a str.
        ValueError: if `tune_mode` is not one of these.
        RuntimeError: if an earlier call has set another value.

    Source: mindspore.device_context.ascend.op_tuning.aoe_tune_mode of MindSpore 2.10.
    """
    store_once(function_status, "aoe_tune_mode", tune_mode)


@without_effect("device_context.ascend.op_tuning.aoe_job_type", "there is no Ascend")
@checked
def aoe_job_type(config: OneOf("1", "2")):
    """Sets the kind of job of the tuner of an Ascend, AOE. Stored in `aoe_config`.

    Args:
        config (str): "1" for graphs or "2" for operations.

    Raises:
        TypeError: if `config` is not a str.
        ValueError: if `config` is not one of these.
        RuntimeError: if an earlier call has set another value.

    Source: mindspore.device_context.ascend.op_tuning.aoe_job_type of MindSpore 2.10.
    """
    store_once(function_status, "aoe_job_type", config, "aoe_config", "job_type")


@without_effect("device_context.ascend.op_tuning.aclnn_cache", "there is no Ascend")
@checked
def aclnn_cache(enable_global_cache: Bool = False, cache_queue_length: Int(ge=0) = 10000):
    """Sets the cache of an Ascend's prepared calls.

    Args:
        enable_global_cache (bool, optional): whether threads share a cache in graph mode.
        cache_queue_length (int, optional): the number of calls in the cache.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `cache_queue_length` is negative.
        RuntimeError: if it was set before, to other values.

    Source: mindspore.device_context.ascend.op_tuning.aclnn_cache of MindSpore 2.10.
    """
    store_once(
        function_status, "aclnn_cache", (enable_global_cache, cache_queue_length), "ascend_config"
    )
