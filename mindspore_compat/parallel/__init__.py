"""mindspore.parallel: settings and helpers of scripts for several devices.

`_core/sharding` divides networks over ranks. Otherwise every rank holds the whole network, and
gradients are combined (`nn.DistributedGradReducer`). The settings are in `context`, the ranks in
`communication`. The private modules `_utils` and `_auto_parallel_context` exist because public
scripts import them.
"""

from .._core.declare.public_api import Missing, submodule
from . import shard as _shard  # noqa: F401 - before the function of the same name
from .algo_parameter_config import get_algo_parameters, reset_algo_parameters, set_algo_parameters
from .checkpoint_convert import (
    convert_checkpoint_by_rank,
    convert_checkpoints,
    rank_list_for_convert,
)
from .checkpoint_transform import (
    build_searched_strategy,
    load_distributed_checkpoint,
    load_segmented_checkpoints,
    merge_pipeline_strategys,
    merge_sliced_parameter,
    rank_list_for_transform,
    restore_group_info_list,
    transform_checkpoint_by_rank,
    transform_checkpoints,
)
from .layout import Layout, shard
from .parameter_broadcast import parameter_broadcast
from .shared_parameters import sync_pipeline_shared_parameters
from .transform_safetensors import unified_safetensors

__all__ = [
    "Layout",
    "build_searched_strategy",
    "convert_checkpoint_by_rank",
    "convert_checkpoints",
    "get_algo_parameters",
    "load_distributed_checkpoint",
    "load_segmented_checkpoints",
    "merge_pipeline_strategys",
    "merge_sliced_parameter",
    "parameter_broadcast",
    "rank_list_for_convert",
    "rank_list_for_transform",
    "reset_algo_parameters",
    "restore_group_info_list",
    "set_algo_parameters",
    "shard",
    "sync_pipeline_shared_parameters",
    "transform_checkpoint_by_rank",
    "transform_checkpoints",
    "unified_safetensors",
]


def __getattr__(name):
    module = None if name.startswith("__") else submodule(__name__, name)
    if module is None:
        raise AttributeError(Missing(__name__, name, __all__))
    return module
