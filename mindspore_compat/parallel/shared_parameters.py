"""Synchronizes Parameters that several stages of a pipeline share."""

from .._core.context.config import config
from .._core.rules.checked import checked
from .._core.rules.vocabulary import CellOf
from .._core.sharding.network import mesh_of
from .._core.sharding.stage_cells import planned
from ..nn.cell import Cell  # noqa: F401 - CellOf reads the class by name
from .auto_parallel import AutoParallel

__all__ = ["sync_pipeline_shared_parameters"]


@checked
def sync_pipeline_shared_parameters(net: CellOf):
    """Copies the values of Parameters that several pipeline stages share from the first of these
    stages to the others. All processes must call it. It is needed only if values were changed on
    some stages alone; training keeps shared Parameters equal. With one stage there is nothing to
    do.

    Args:
        net (Cell): the network. An AutoParallel has its own number of stages; for other Cells
            the context sets it.

    Raises:
        TypeError: if `net` is not a Cell.
        RuntimeError: if the number of processes is not a multiple of the number of stages.

    Source: mindspore.parallel.sync_pipeline_shared_parameters of MindSpore 2.10.
    """
    inner = isinstance(net, AutoParallel)
    mesh = mesh_of(net.get_pipeline_stages() if inner else config.parallel.pipeline_stages)
    if mesh is None or mesh.stages is None:
        return
    for parameter, holders in planned(net, mesh.stages).parameters:
        mesh.stages.equalize(parameter._array, holders)
