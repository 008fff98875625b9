"""MindSpore's compiled module: types that pickles name, and functions that a few scripts call.

Classes that the public ones are derived from in MindSpore are the public classes here.
"""

import importlib

from .._backend.threads import scheduler
from .._core.without_effect import without_effect
from ..common._helpers.ms_context import MSContext
from ..common._param_info import ParamInfo
from ..common.api import _cell_graph_executor
from ..common.jit import ms_memory_recycle as _ms_memory_recycle
from ..communication.groups import GroupOptions
from ..communication.order import CommExecOrderChecker

__all__ = ["CommExecOrderChecker", "GroupOptions", "MSContext", "ParamInfo", "_ms_memory_recycle"]

_ELSEWHERE = {  # name -> the module that defines it; looked up on first use
    "TensorPy": ("common", "Tensor"),
    "Cell_": ("nn", "Cell"),
    "MixedPrecisionType": ("nn.cell", "MixedPrecisionType"),
    "GradOperation_": ("ops", "GradOperation"),
}


def __getattr__(name):
    if name not in _ELSEWHERE:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    package, public = _ELSEWHERE[name]
    attribute = getattr(importlib.import_module(f"..{package}", __name__), public)
    globals()[name] = attribute
    return attribute


def _empty_instance(*, size, **settings):
    """Returns the result of `mint.empty` for a shape given by keyword.

    Args:
        size (Union[tuple[int], list[int]]): the shape.
        **settings: the arguments of `mint.empty`, such as `dtype`.

    Returns:
        Tensor.
    """
    return importlib.import_module("..mint", __name__).empty(size, **settings)


def disable_multi_thread():
    """Limits large computations to one thread, for the rest of the process."""
    scheduler.limit(1, "disable_multi_thread")


def init_exec_dataset(
    queue_name, size, batch_size, types, shapes, input_indexs, phase="dataset", need_run=True
):
    """Announces a dataset; see `_cell_graph_executor.init_dataset`.

    Returns:
        bool, True.
    """
    return _cell_graph_executor.init_dataset(
        queue_name, size, batch_size, types, shapes, input_indexs, phase, need_run
    )


@without_effect("_c_expression.reset_op_id", "operations have no numbers")
def reset_op_id():
    """Restarts the numbers of operations in the names of a graph's nodes."""


@without_effect("_c_expression.update_pijit_default_config", "'jit' runs functions as they are")
def update_pijit_default_config(**kwargs):
    """Takes settings of the compiler of bytecode; any name is accepted."""


@without_effect("_c_expression._framework_profiler_step_start", "'Profiler' times whole steps")
def _framework_profiler_step_start():
    """Marks the beginning of a step for the profiler of the framework."""


@without_effect("_c_expression._framework_profiler_step_end", "'Profiler' times whole steps")
def _framework_profiler_step_end():
    """Marks the end of a step for the profiler of the framework."""


def is_reboot_node():
    """Returns whether a cluster has restarted this process after a failure, which is always False
    here."""
    return False


def pyboost_dense(primitive, inputs):
    """Returns the output of a Primitive, such as `ops.Dense()`, for a list of its inputs.

    Args:
        primitive (Primitive): the Primitive.
        inputs (Union[list, tuple]): its inputs.

    Returns:
        Tensor.
    """
    return primitive(*inputs)


def swap_cache(host, device, block_mapping, is_device_to_host):
    """Copies blocks of a cache between two Tensors, in place.

    Args:
        host (Tensor): the blocks on the host, along the first axis.
        device (Tensor): the blocks on the device.
        block_mapping (Tensor): pairs (block to read, block to write).
        is_device_to_host (bool): whether to copy from `device` to `host`, instead of the other way.

    Raises:
        ValueError: `block_mapping` holds no pairs.
    """
    pairs = block_mapping.asnumpy()
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(
            f"For 'swap_cache', 'block_mapping' must have the shape (N, 2), but got {pairs.shape}."
        )
    source, target = (device, host) if is_device_to_host else (host, device)
    for read, written in pairs.tolist():
        target[written] = source[read]
