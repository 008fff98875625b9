"""`mindspore.device_context.ascend.op_debug`: error detection on an Ascend.

Each is checked and stored as `set_context` stores `ascend_config`, and has no effect here. A second
call with another value is refused.
"""

from ..._core.context.settings import DictOf
from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Int, OneOf, Str
from ..._core.without_effect import without_effect
from .._store_once import store_once

__all__ = ["aclinit_config", "debug_option", "execute_timeout", "function_status"]

function_status = {"execute_timeout": False, "debug_option": False, "aclinit_config": False}

_ACL = DictOf(
    max_opqueue_num=Str,
    err_msg_mode=OneOf("0", "1"),
    dump=DictOf(dump_scene=OneOf("lite_exception", "lite_exception:disable")),
)


@without_effect("device_context.ascend.op_debug.execute_timeout", "there is no Ascend")
@checked
def execute_timeout(op_timeout: Int(ge=0)):
    """Sets the time limit of an operation on an Ascend. Stored as `op_timeout`.

    Args:
        op_timeout (int): the limit in seconds; 0 means no limit.

    Raises:
        TypeError: if `op_timeout` is not an int.
        ValueError: if `op_timeout` is negative.
        RuntimeError: if an earlier call has set another value.

    Source: mindspore.device_context.ascend.op_debug.execute_timeout of MindSpore 2.10.
    """
    store_once(function_status, "execute_timeout", op_timeout, key="op_timeout")


@without_effect("device_context.ascend.op_debug.debug_option", "there is no Ascend")
@checked
def debug_option(option_value: OneOf("oom")):
    """Sets the errors that an Ascend checks operations for. Stored as `op_debug_option`.

    Args:
        option_value (str): "oom" for addresses outside its memory.

    Raises:
        TypeError: if `option_value` is not a str.
        ValueError: if `option_value` is something else.
        RuntimeError: if an earlier call has set another value.

    Source: mindspore.device_context.ascend.op_debug.debug_option of MindSpore 2.10.
    """
    store_once(function_status, "debug_option", option_value, "ascend_config", "op_debug_option")


@without_effect("device_context.ascend.op_debug.aclinit_config", "there is no Ascend")
@checked
def aclinit_config(config: _ACL):
    """Sets the start configuration of AscendCL. Stored as `aclinit`.

    Args:
        config (dict): values for the keys "max_opqueue_num" (str), "err_msg_mode" ("0" or "1") and
            "dump". The last is a dict whose "dump_scene" is "lite_exception" or
            "lite_exception:disable".

    Raises:
        TypeError: if `config` is not a dict, or a value in it is of the wrong type.
        ValueError: if a key or a value is not one of these.
        RuntimeError: if an earlier call has set another value.

    Source: mindspore.device_context.ascend.op_debug.aclinit_config of MindSpore 2.10.
    """
    store_once(function_status, "aclinit_config", config, "ascend_config", "aclinit")
