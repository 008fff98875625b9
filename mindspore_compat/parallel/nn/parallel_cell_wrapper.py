"""The Cells of `nn` that call a network on slices of the batch, under the names used here."""

from ...nn.wrap.cell_wrapper import GradAccumulationCell, MicroBatchInterleaved, PipelineCell

__all__ = ["GradAccumulation", "MicroBatchInterleaved", "Pipeline", "PipelineCell"]


class Pipeline(PipelineCell):
    """Calls a network on slices of the batch and returns the sum of its outputs, on the stages of a
    pipeline if there are any (`nn.PipelineCell`).

    Args:
        network (Cell): the network; it returns one Tensor.
        micro_size (int): how many slices the first axis is cut into.
        stage_config (dict): the `pipeline_stage` of sub-cells by name.
        segment_config (dict): the `pipeline_segment` of sub-cells by name.

    Raises:
        KeyError: if a sub-cell named in a config does not exist.

    Source: mindspore.parallel.nn.Pipeline of MindSpore 2.10.
    """


class GradAccumulation(GradAccumulationCell):
    """Calls a network on slices of the batch and returns the sum of its outputs.

    Args:
        network (Cell): the network; it returns one Tensor.
        micro_size (int): how many slices the first axis is cut into.

    Source: mindspore.parallel.nn.GradAccumulation of MindSpore 2.10.
    """
