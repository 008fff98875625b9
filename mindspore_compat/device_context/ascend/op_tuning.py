"""`mindspore.device_context.ascend.op_tuning`: how an Ascend's operations are compiled and tuned.

Each is checked and stored as `set_context` stores `ascend_config`, and changes nothing here. A
second call with another value is refused.
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
    """Sets whether an Ascend's operations are compiled as they are met. Kept as `jit_compile`.

    Args:
        value (bool): whether they are.

    Raises:
        TypeError: `value` is no bool.
        RuntimeError: it has been set to something else.

    Source: mindspore.device_context.ascend.op_tuning.op_compile of MindSpore 2.10.
    """
    store_once(function_status, "op_compile", value, "ascend_config", "jit_compile")


@without_effect("device_context.ascend.op_tuning.aoe_tune_mode", "there is no Ascend")
@checked
def aoe_tune_mode(tune_mode: OneOf("online", "offline")):
    """Sets when the tuner of an Ascend, AOE, works. Kept as `aoe_tune_mode`.

    Args:
        tune_mode (str): "online" or "offline".

    Raises:
        TypeError: `tune_mode` is no str.
        ValueError: it is none of these.
        RuntimeError: it has been set to something else.

    Source: mindspore.device_context.ascend.op_tuning.aoe_tune_mode of MindSpore 2.10.
    """
    store_once(function_status, "aoe_tune_mode", tune_mode)


@without_effect("device_context.ascend.op_tuning.aoe_job_type", "there is no Ascend")
@checked
def aoe_job_type(config: OneOf("1", "2")):
    """Sets what the tuner of an Ascend, AOE, tunes. Kept in `aoe_config`.

    Args:
        config (str): "1" for graphs or "2" for operations.

    Raises:
        TypeError: `config` is no str.
        ValueError: it is none of these.
        RuntimeError: it has been set to something else.

    Source: mindspore.device_context.ascend.op_tuning.aoe_job_type of MindSpore 2.10.
    """
    store_once(function_status, "aoe_job_type", config, "aoe_config", "job_type")


@without_effect("device_context.ascend.op_tuning.aclnn_cache", "there is no Ascend")
@checked
def aclnn_cache(enable_global_cache: Bool = False, cache_queue_length: Int(ge=0) = 10000):
    """Sets the store of an Ascend's prepared calls.

    Args:
        enable_global_cache (bool, optional): whether threads share one in graph mode.
        cache_queue_length (int, optional): how many calls it holds.

    Raises:
        TypeError: an argument is of another type.
        ValueError: `cache_queue_length` is negative.
        RuntimeError: it has been set to something else.

    Source: mindspore.device_context.ascend.op_tuning.aclnn_cache of MindSpore 2.10.
    """
    store_once(
        function_status, "aclnn_cache", (enable_global_cache, cache_queue_length), "ascend_config"
    )
