"""`mindspore.parallel.strategy`: how the parameters of a network are cut among the ranks.

Every rank holds the whole network here, so there is no cut to tell of, and None is returned, as the
original does where a network has not been divided.
"""

from .._core.rules.checked import checked
from .._core.rules.vocabulary import CellOf, Int

__all__ = [
    "clear_strategy_metadata",
    "enable_save_strategy_online",
    "get_current_strategy_metadata",
    "get_strategy_metadata",
]


def enable_save_strategy_online():
    """Has cuts of parameters kept while networks are made ready; those there are, are none.

    Examples:
        >>> from mindspore_compat.parallel import strategy
        >>> strategy.enable_save_strategy_online()

    Source: mindspore.parallel.strategy.enable_save_strategy_online of MindSpore 2.10.
    """


def clear_strategy_metadata():
    """Forgets the cuts that were kept.

    Examples:
        >>> from mindspore_compat.parallel import strategy
        >>> strategy.clear_strategy_metadata()

    Source: mindspore.parallel.strategy.clear_strategy_metadata of MindSpore 2.10.
    """


@checked
def get_strategy_metadata(network: CellOf, rank_id: Int | None = None):
    """Returns how the parameters of a network are cut.

    Args:
        network (Cell): the network.
        rank_id (int, optional): of which rank; by default of all.

    Returns:
        None: its parameters are whole on every rank.

    Raises:
        TypeError: `network` is no Cell, or `rank_id` no int.

    Examples:
        >>> from mindspore_compat import nn
        >>> from mindspore_compat.parallel import strategy
        >>> print(strategy.get_strategy_metadata(nn.Dense(2, 3)))
        None

    Source: mindspore.parallel.strategy.get_strategy_metadata of MindSpore 2.10.
    """
    return None


@checked
def get_current_strategy_metadata(network: CellOf):
    """Returns how the parameters of a network are cut on this rank. Argument, result and error as
    for `get_strategy_metadata`.

    Examples:
        >>> from mindspore_compat import nn
        >>> from mindspore_compat.parallel import strategy
        >>> print(strategy.get_current_strategy_metadata(nn.Dense(2, 3)))
        None

    Source: mindspore.parallel.strategy.get_current_strategy_metadata of MindSpore 2.10.
    """
    return None
