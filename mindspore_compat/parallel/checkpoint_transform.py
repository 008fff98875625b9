"""`mindspore.parallel.checkpoint_transform`: parameters that ranks hold in slices.

A facade: the functions are in `train._strategy` and `train._checkpoint_transform`.
"""

from ..train._checkpoint_transform import (
    rank_list_for_transform,
    transform_checkpoint_by_rank,
    transform_checkpoints,
)
from ..train._distributed_loading import load_distributed_checkpoint
from ..train._loading import load_segmented_checkpoints
from ..train._strategy import (
    build_searched_strategy,
    merge_pipeline_strategys,
    merge_sliced_parameter,
    restore_group_info_list,
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
