"""`mindspore.parallel.checkpoint_transform`: parameters that ranks hold in slices.

A facade: the functions are in `train._checkpoint.strategy` and `train._checkpoint.transform`.
"""

from ..train._checkpoint.distributed_loading import load_distributed_checkpoint
from ..train._checkpoint.loading import load_segmented_checkpoints
from ..train._checkpoint.strategy import (
    build_searched_strategy,
    merge_pipeline_strategys,
    merge_sliced_parameter,
    restore_group_info_list,
)
from ..train._checkpoint.transform import (
    rank_list_for_transform,
    transform_checkpoint_by_rank,
    transform_checkpoints,
)

__all__ = [
    "build_searched_strategy",
    "load_distributed_checkpoint",
    "load_segmented_checkpoints",
    "merge_pipeline_strategys",
    "merge_sliced_parameter",
    "rank_list_for_transform",
    "restore_group_info_list",
    "transform_checkpoint_by_rank",
    "transform_checkpoints",
]
