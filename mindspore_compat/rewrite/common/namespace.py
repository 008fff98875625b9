"""Which user-defined Cells are read as trees of statements of their own."""

from ...nn import CellList, SequentialCell
from .. import sources

_subtree_black_list = [CellList, SequentialCell]
"""Classes whose instances are plain calls; a library appends its own."""


def is_subtree(cls_inst):
    """Returns whether the computation of a Cell is read too. It is for a user-defined class, unless
    `_subtree_black_list` contains the class or a base class of it.

    Args:
        cls_inst (Cell): the Cell.

    Returns:
        bool.
    """
    return sources.is_users(type(cls_inst)) and not isinstance(cls_inst, tuple(_subtree_black_list))
