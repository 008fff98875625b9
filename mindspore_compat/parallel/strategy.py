"""`mindspore.parallel.strategy`: how the parameters of a network are divided over ranks.

Parameters are divided when a network first runs in the mode "semi_auto_parallel" or
"auto_parallel". Before that, and in other modes, the functions return nothing.
"""

from .._core.declare.public_api import public
from .._core.rules.vocabulary import CellOf, Int
from .._core.sharding.array import Sharded
from ..train._checkpoint.divisions import grid_of
from .layout import Layout

__all__ = [
    "clear_strategy_metadata",
    "enable_save_strategy_online",
    "get_current_strategy_metadata",
    "get_strategy_metadata",
]

_RankId = Int(ge=0) | None
_kept = {"enabled": False}


@public("parallel.strategy.enable_save_strategy_online")
def enable_save_strategy_online():
    """Starts to collect the divisions of networks for `get_strategy_metadata`."""
    _kept["enabled"] = True


@public("parallel.strategy.clear_strategy_metadata")
def clear_strategy_metadata():
    """Ends the collection that `enable_save_strategy_online` started."""
    _kept["enabled"] = False


@public("parallel.strategy.get_current_strategy_metadata")
def get_current_strategy_metadata(network):
    """Returns how the parameters of a network are divided, under the key 0.

    Args:
        network (Cell): the network.

    Returns:
        dict {0: {parameter name: [(Layout, dtype, shape)]}}, with the name of the dtype and the
        text of the whole shape; None if no parameter is divided, or without
        `enable_save_strategy_online`.

    Raises:
        TypeError: if `network` is not a Cell.
    """
    CellOf.refuse("get_current_strategy_metadata", "network", network)
    _, layouts = _divided(network)
    return {0: layouts} if layouts else None


@public("parallel.strategy.get_strategy_metadata")
def get_strategy_metadata(network, rank_id=None):
    """Returns how the parameters of a network are divided, by rank.

    Args:
        network (Cell): the network.
        rank_id (int, optional): a rank; by default all ranks of this process's pipeline stage.

    Returns:
        dict {rank: {parameter name: [(Layout, dtype, shape)]}}; None as in
        `get_current_strategy_metadata`, and for a rank that does not hold the network.

    Raises:
        TypeError: if `network` is not a Cell, or `rank_id` not an int.
        ValueError: if `rank_id` is negative.

    Example:
        >>> from mindspore_compat import nn
        >>> from mindspore_compat.parallel.strategy import get_strategy_metadata
        >>> print(get_strategy_metadata(nn.Dense(2, 3)))  # it is not divided
        None
    """
    CellOf.refuse("get_strategy_metadata", "network", network)
    _RankId.refuse("get_strategy_metadata", "rank_id", rank_id)
    ranks, layouts = _divided(network)
    if rank_id is not None:
        ranks = [rank for rank in ranks if rank == rank_id]
    return {rank: layouts for rank in ranks} if layouts and ranks else None


def _divided(network):
    """Returns the ranks that hold a network, and {parameter name: [(Layout, dtype, shape)]}."""
    arrays = {p.name: p._array for p in network.get_parameters() if type(p._array) is Sharded}
    if not arrays or not _kept["enabled"]:
        return [], {}
    ranks = list(next(iter(arrays.values())).space.mesh.ranks)
    return ranks, {
        name: [(_layout(array, ranks), str(array.dtype), str(list(array.shape)))]
        for name, array in arrays.items()
    }


def _layout(array, ranks):
    grid, cuts = grid_of(array, array.space.mesh)
    names = tuple(f"axis{number}" for number in range(len(grid)))

    def named(number):
        return "None" if number < 0 else names[len(grid) - 1 - number]

    axes = [tuple(map(named, cut)) if len(cut) > 1 else named(cut[0]) for cut in cuts]
    return Layout(tuple(grid), names, ranks)(*axes)
