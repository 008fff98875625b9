"""Queries of the current parallel settings, under the private names that scripts import.

If the number of devices or the rank is not set, it comes from `communication`, unless the mode is
"stand_alone".
"""

from .. import communication
from .._core.context.config import config
from .._core.context.parallel_config import ParallelMode
from .._core.tensor.tensor import Tensor
from ..communication.groups import device_count

_ranked = (
    ParallelMode.DATA_PARALLEL,
    ParallelMode.HYBRID_PARALLEL,
    ParallelMode.SEMI_AUTO_PARALLEL,
    ParallelMode.AUTO_PARALLEL,
)


def _get_parallel_mode():
    """Returns the parallel mode, such as "data_parallel"."""
    return config.parallel.parallel_mode


def _is_in_data_parallel_mode():
    """Returns whether the parallel mode is "data_parallel"."""
    return config.parallel.parallel_mode == ParallelMode.DATA_PARALLEL


def _is_in_auto_parallel_mode():
    """Returns whether operators are divided between devices, by strategies or automatically."""
    return config.parallel.parallel_mode in (
        ParallelMode.SEMI_AUTO_PARALLEL,
        ParallelMode.AUTO_PARALLEL,
    )


def _get_device_num():
    """Returns the number of devices that work together."""
    return device_count()


def _get_stage_device_num():
    """Returns the number of devices that work together on one stage of a pipeline."""
    return _get_device_num() // config.parallel.pipeline_stages


def _get_global_rank():
    """Returns the global rank of this process."""
    if config.parallel.parallel_mode in _ranked and not config.parallel.global_rank_is_set:
        return communication.get_rank()
    return config.parallel.global_rank


def _get_gradients_mean():
    """Returns whether combined gradients are divided by the number of devices."""
    return config.parallel.gradients_mean


def _get_parameter_broadcast():
    """Returns whether rank 0's parameters go to all before training."""
    return config.parallel.parameter_broadcast


def _get_enable_parallel_optimizer():
    """Returns whether the work of the optimizer should be divided among devices."""
    return config.parallel.enable_parallel_optimizer


def _get_pipeline_stages():
    """Returns the number of pipeline stages set."""
    return config.parallel.pipeline_stages


def _get_full_batch():
    """Returns whether every device should load the whole batch."""
    return config.parallel.full_batch


def _is_sharding_propagation():
    """Returns whether strategies should propagate from the operators that have one."""
    return config.parallel.sharding_propagation


def _need_to_full():
    """Returns whether inputs are parts of a batch that must be made whole: never in data
    parallelism."""
    return False


def _device_number_check(parallel_mode, device_number):
    """Raises ValueError for more than one device in the mode "stand_alone".

    Raises:
        ValueError: if `device_number` is not 1 there.
    """
    if parallel_mode == ParallelMode.STAND_ALONE and device_number != 1:
        raise ValueError(
            "For 'set_auto_parallel_context', 'device_num' must be 1 where "
            f"'parallel_mode' is 'stand_alone', but got {device_number}."
        )


def _to_full_tensor(elem, global_device_num, global_rank, scaling_sens=None):
    """Returns the inputs as Tensors, followed by the loss scale, if any."""
    elements = elem if isinstance(elem, (list, tuple)) else [elem]
    tensors = [element if isinstance(element, Tensor) else Tensor(element) for element in elements]
    if scaling_sens is not None:
        tensors.append(Tensor(scaling_sens, dtype=tensors[0].dtype if tensors else None))
    return tuple(tensors)
