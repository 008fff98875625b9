"""mindspore.parallel.nn: cells that call a network on slices of the batch, and their gradients."""

from ...nn import PipelineGradReducer
from .parallel_cell_wrapper import GradAccumulation, MicroBatchInterleaved, Pipeline, PipelineCell

__all__ = [
    "GradAccumulation",
    "MicroBatchInterleaved",
    "Pipeline",
    "PipelineCell",
    "PipelineGradReducer",
]
