"""`mindspore.parallel.checkpoint_transform`: parameters that ranks hold in slices.

A window: the functions are in `train._strategy`.
"""

from ..train._loading import load_segmented_checkpoints
from ..train._strategy import (
    build_searched_strategy,
    merge_pipeline_strategys,
    merge_sliced_parameter,
    restore_group_info_list,
)

__all__ = ["build_searched_strategy", "load_segmented_checkpoints", "merge_pipeline_strategys",
           "merge_sliced_parameter", "restore_group_info_list"]
