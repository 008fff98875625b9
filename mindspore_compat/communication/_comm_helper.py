"""`mindspore.communication._comm_helper`: a module path of MindSpore that scripts import from.

Its functions come from `groups`; the names of communication libraries are defined here.
"""

from .._core.rules.vocabulary import Str
from . import groups
from .groups import (
    HCCL_WORLD_COMM_GROUP,
    LIBRARIES,
    MCCL_WORLD_COMM_GROUP,
    NCCL_WORLD_COMM_GROUP,
    GlobalComm,
    GroupOptions,
)

__all__ = [
    "Backend",
    "DEFAULT_BACKEND",
    "DEVICE_TO_BACKEND",
    "GlobalComm",
    "GroupOptions",
    "HCCL_WORLD_COMM_GROUP",
    "MCCL_WORLD_COMM_GROUP",
    "NCCL_WORLD_COMM_GROUP",
]

DEVICE_TO_BACKEND = {device: LIBRARIES[device] for device in ("Ascend", "GPU", "CPU")}


class Backend:
    """The name of a library: `Backend("NCCL")` is "nccl".

    Raises:
        TypeError: if the name is not a str.
        ValueError: if no library has this name.
    """

    UNDEFINED = "undefined"
    HCCL = "hccl"
    NCCL = "nccl"
    MCCL = "mccl"

    def __new__(cls, name):
        Str.refuse("Backend", "name", name)
        if name.lower() not in DEVICE_TO_BACKEND.values():
            raise ValueError(
                f"For 'Backend', 'name' must be 'hccl', 'nccl' or 'mccl', but got {name!r}."
            )
        return name.lower()


DEFAULT_BACKEND = Backend("hccl")

_get_rank_helper = groups.get_rank
_get_local_rank_helper = groups.get_local_rank
_get_size_helper = groups.get_group_size
_get_local_size_helper = groups.get_local_rank_size
_get_world_rank_from_group_rank_helper = groups.get_world_rank_from_group_rank
_get_group_rank_from_world_rank_helper = groups.get_group_rank_from_world_rank
_get_group_ranks = groups.get_process_group_ranks
_create_group_helper = groups.create_group
_destroy_group_helper = groups.destroy_group
_get_comm_name_helper = groups.get_comm_name


def _is_initialized():
    """Returns whether `init` has been called."""
    return GlobalComm.INITED


def _get_backend():
    """Returns the name of the library in use."""
    return GlobalComm.BACKEND


def _get_group_map():
    """Returns {name: ranks} of the groups that `create_group` made."""
    return groups.created_groups()


def _remove_group_info(group_name):
    """Forgets a group that `create_group` made; has no effect on another name."""
    groups.forget_group(group_name)
