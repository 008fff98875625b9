"""Synchronizes Parameters that several stages of a pipeline share."""

from .._core.rules.checked import checked
from .._core.rules.vocabulary import CellOf
from .._core.without_effect import without_effect
from ..nn.cell import Cell  # noqa: F401 - CellOf reads the class by name

__all__ = ["sync_pipeline_shared_parameters"]


@without_effect("parallel.sync_pipeline_shared_parameters", "every process holds all stages")
@checked
def sync_pipeline_shared_parameters(net: CellOf):
    """Synchronizes the parameters that several stages of a pipeline share.

    Every process holds all stages here, and a shared parameter is one object, so there is nothing
    to copy. The original does nothing either if a network has only one stage.

    Args:
        net (Cell): the network.

    Raises:
        TypeError: if `net` is not a Cell.

    Source: mindspore.parallel.sync_pipeline_shared_parameters of MindSpore 2.10.
    """
