"""Keeps equal the Parameters that stages of a pipeline share."""

from .._core.rules.checked import checked
from .._core.rules.vocabulary import CellOf
from .._core.without_effect import without_effect
from ..nn.cell import Cell  # noqa: F401 - CellOf reads the class by name

__all__ = ["sync_pipeline_shared_parameters"]


@without_effect("parallel.sync_pipeline_shared_parameters", "every process holds all stages")
@checked
def sync_pipeline_shared_parameters(net: CellOf):
    """Makes the parameters that several stages of a pipeline share equal.

    Here every process holds all stages of a network, and one that is shared is one object in it:
    what one stage writes the others have. So there is nothing left to copy, as in the original
    where a network has one stage.

    Args:
        net (Cell): the network.

    Raises:
        TypeError: if `net` is not a Cell.

    Source: mindspore.parallel.sync_pipeline_shared_parameters of MindSpore 2.10.
    """
