"""mindspore.nn.wrap: Cells that wrap networks to train or evaluate them."""

from .cell_wrapper import (
    ForwardValueAndGrad,
    GradAccumulationCell,
    MicroBatchInterleaved,
    ParameterUpdate,
    PipelineCell,
    TrainOneStepCell,
    VirtualDatasetCellTriple,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
)
from .grad_reducer import DistributedGradReducer
from .loss_scale import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepWithLossScaleCell,
)
from .pipeline import PipelineGradReducer

__all__ = [
    "DistributedGradReducer",
    "DynamicLossScaleUpdateCell",
    "FixedLossScaleUpdateCell",
    "ForwardValueAndGrad",
    "GradAccumulationCell",
    "MicroBatchInterleaved",
    "ParameterUpdate",
    "PipelineCell",
    "PipelineGradReducer",
    "TrainOneStepCell",
    "TrainOneStepWithLossScaleCell",
    "VirtualDatasetCellTriple",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
]
