"""Sizes and ranks of groups, which collectives defined by scripts read often."""

from .groups import get_group_size, get_rank

__all__ = ["get_cache_group_rank", "get_cache_group_size"]
_WORLD = "hccl_world_group"


def get_cache_group_size(group=_WORLD):
    """Returns the number of members of a group, by default of the world."""
    return get_group_size(group)


def get_cache_group_rank(group=_WORLD):
    """Returns the rank of this process in a group, by default in the world."""
    return get_rank(group)
