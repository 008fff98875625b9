"""`flops_collection`: the floating-point operations of a Cell that `Cell.compile` has prepared.

`mindspore.common.api` shows it too.
"""

from .._core.declare.public_api import public
from .._core.rules.vocabulary import Str, checked
from ..common.api import _cell_graph_executor
from ..communication.groups import get_group_size
from ._utils import without_optimizer

__all__ = ["flops_collection"]


@public("common.api.flops_collection")
@checked
def flops_collection(phase: Str = "train"):
    """Counts the operations of the matrix products and convolutions of a compiled Cell.

    Args:
        phase (str): `current_phase` of a Cell after `compile`, or the name that
            `_cell_graph_executor.compile` returned. Gradients are counted if it begins with
            "train".

    Returns:
        tuple of five items: the model's and the hardware's operations of all processes, both for
        this process alone, and False, because shapes are not dynamic. Model and hardware
        operations are equal, because recomputation is not counted.

    Raises:
        TypeError: if `phase` is not a str.
        RuntimeError: if no Cell has been compiled for the phase, or a graph cannot express it.
    """
    from .summary._flops import count_flops  # the tracer is large and rarely needed

    compiled = _cell_graph_executor.compiled.get(phase)
    if compiled is None:
        raise RuntimeError(
            f"For 'flops_collection', 'phase' must be that of a compiled Cell, but got {phase!r}."
        )
    cell, inputs = compiled
    train = phase.startswith("train")
    shard = float(count_flops(without_optimizer(cell) if train else cell, inputs, backward=train))
    full = shard * get_group_size()
    return full, full, shard, shard, False
