"""Communication groups by name, and the public functions that create and query them.

All three world names ("hccl_world_group", "nccl_world_group", "mccl_world_group") mean the world
group. The communication itself is in `_backend/ranks/collective.py`.
"""

from .._backend import arrays
from .._backend.ranks import collective, heartbeat, launcher
from .._core.context.config import config
from .._core.context.parallel_config import ParallelMode
from .._core.rules.vocabulary import InstanceOf, Int, ListOf, Str, checked
from .._core.sharding import network
from .._core.without_effect import without_effect

HCCL_WORLD_COMM_GROUP = "hccl_world_group"
NCCL_WORLD_COMM_GROUP = "nccl_world_group"
MCCL_WORLD_COMM_GROUP = "mccl_world_group"
WORLD = [HCCL_WORLD_COMM_GROUP, NCCL_WORLD_COMM_GROUP, MCCL_WORLD_COMM_GROUP]

# Device target -> the name of its library; only names, because MPI and NCCL do the work.
LIBRARIES = {"CPU": "mccl", "GPU": "nccl", "Ascend": "hccl"}

_groups = {}  # name -> collective.Group; the world under HCCL_WORLD_COMM_GROUP


class GlobalComm:
    """Properties of the world group.

    Attributes:
        BACKEND (str): the library that fits the device target: "hccl", "nccl" or "mccl".
        WORLD_COMM_GROUP (str): the name of the group of all ranks.
        INITED (bool): whether `init` has been called.
        CHECK_ENVS (bool): exists for scripts that set it; it has no effect here.

    Example:
        >>> from mindspore_compat.communication import GlobalComm
        >>> GlobalComm.INITED  # before `init`
        False

    Source: mindspore.communication.GlobalComm of MindSpore 2.10.
    """

    BACKEND = "hccl"
    WORLD_COMM_GROUP = HCCL_WORLD_COMM_GROUP
    INITED = False
    CHECK_ENVS = True


class GroupOptions:
    """Settings of a group for the library of an Ascend device; stored here without effect.

    Attributes:
        hccl_config (dict[str, Union[int, str]]): the settings by name. Setting a dict of another
            kind raises a TypeError, and leaves it unchanged.
        use_async (bool): whether the group is created in the background.
    """

    __slots__ = ("_hccl_config", "use_async")

    def __init__(self):
        self._hccl_config = {}
        self.use_async = False

    @property
    def hccl_config(self):
        """The settings by name."""
        return self._hccl_config

    @without_effect("_c_expression.GroupOptions.hccl_config", "there is no HCCL")
    @hccl_config.setter
    def hccl_config(self, config):
        if not isinstance(config, dict) or any(
            type(key) is not str or not isinstance(value, (int, str))
            for key, value in config.items()
        ):
            raise TypeError(
                "For 'GroupOptions', 'hccl_config' must be a dict of ints or strs by "
                f"str, but got {config!r}."
            )
        self._hccl_config = dict(config)


@checked
def init(backend_name: Str = None):
    """Joins this process to the others that the launcher started. Calling it again does nothing.

    On a GPU each process takes the GPU with its own number on the machine.

    Args:
        backend_name: the library's name; it must fit the device target: "mccl" for a CPU, "nccl"
            for a GPU, "hccl" for Ascend. By default the one that fits.

    Raises:
        RuntimeError: if `backend_name` is unknown or does not fit the device target; the process
            was not started by a launcher; or mpi4py cannot be loaded.

    Source: mindspore.communication.management.init of MindSpore 2.10.
    """
    library = LIBRARIES[config.device_target]
    if backend_name is not None and backend_name not in LIBRARIES.values():
        raise RuntimeError(
            "For 'init', 'backend_name' must be 'hccl', 'nccl' or 'mccl', "
            f"but got '{backend_name}'."
        )
    if backend_name not in (None, library):
        raise RuntimeError(
            f"For 'init', 'backend_name' must be '{library}' for the device target "
            f"'{config.device_target}', but got '{backend_name}'."
        )
    if not GlobalComm.INITED:
        with heartbeat.joining():
            join(collective.world())


def join(world, name=""):
    """Makes a collective.Group the world group, optionally under an additional name."""
    library = LIBRARIES[config.device_target]
    _groups[HCCL_WORLD_COMM_GROUP] = world
    network.join(world)
    GlobalComm.BACKEND = library
    GlobalComm.WORLD_COMM_GROUP = name or f"{library}_world_group"
    GlobalComm.INITED = True
    if name:
        WORLD.append(name)
    if arrays.current_space() is not arrays.HOST and config.device_id == 0:
        config.device_id = collective.own_device(world)
        arrays.set_target("GPU", config.device_id)


def release():
    """Leaves all groups. Does nothing unless `init` was called.

    Example:
        >>> from mindspore_compat import communication
        >>> communication.release()
        >>> communication.GlobalComm.INITED
        False

    Source: mindspore.communication.management.release of MindSpore 2.10.
    """
    for group in reversed(list(_groups.values())):
        group.free()
    _groups.clear()
    network.join(None)
    del WORLD[3:]
    GlobalComm.BACKEND = "hccl"
    GlobalComm.WORLD_COMM_GROUP = HCCL_WORLD_COMM_GROUP
    GlobalComm.INITED = False


@checked
def get_rank(group: Str = GlobalComm.WORLD_COMM_GROUP):
    """Returns the rank of this process in a group; before `init`, the launcher's rank, else 0.

    Args:
        group: the group's name.

    Raises:
        RuntimeError: if there is no such group.

    Example:
        >>> from mindspore_compat import communication
        >>> communication.get_rank()  # of a process that no launcher started
        0

    Source: mindspore.communication.management.get_rank of MindSpore 2.10.
    """
    return group_named(group).rank if GlobalComm.INITED else _rank_and_size()[0]


@checked
def get_group_size(group: Str = GlobalComm.WORLD_COMM_GROUP):
    """Returns the number of ranks in a group; before `init`, the launcher's number, else 1.

    Args:
        group: the group's name.

    Raises:
        RuntimeError: if there is no such group.

    Example:
        >>> from mindspore_compat import communication
        >>> communication.get_group_size()  # of a process that no launcher started
        1

    Source: mindspore.communication.management.get_group_size of MindSpore 2.10.
    """
    return group_named(group).size if GlobalComm.INITED else _rank_and_size()[1]


def device_count():
    """Returns the number of devices that work together: the `device_num` of the context or, if a
    parallel mode is set without one, the number of all ranks."""
    settings = config.parallel
    if settings.parallel_mode == ParallelMode.STAND_ALONE or settings.device_num_is_set:
        return settings.device_num
    return get_group_size()


@checked
def get_local_rank(group: Str = GlobalComm.WORLD_COMM_GROUP):
    """Returns the local rank of this process: its number among a group's members on its machine.

    Before `init` it is the launcher's local rank, else 0.

    Args:
        group: the group's name.

    Raises:
        RuntimeError: if there is no such group.

    Example:
        >>> from mindspore_compat import communication
        >>> communication.get_local_rank()  # of a process that no launcher started
        0

    Source: mindspore.communication.management.get_local_rank of MindSpore 2.10.
    """
    if GlobalComm.INITED:
        return group_named(group).local_rank
    return launcher.launched_local_rank()


@checked
def get_local_rank_size(group: Str = GlobalComm.WORLD_COMM_GROUP):
    """Returns the number of a group's members on this process's machine; 1 before `init`.

    Args:
        group: the group's name.

    Raises:
        RuntimeError: if there is no such group.

    Example:
        >>> from mindspore_compat import communication
        >>> communication.get_local_rank_size()  # of a process that no launcher started
        1

    Source: mindspore.communication.management.get_local_rank_size of MindSpore 2.10.
    """
    return group_named(group).local_size if GlobalComm.INITED else 1


@checked
def get_world_rank_from_group_rank(group: Str, group_rank_id: Int):
    """Returns the world rank of a member of a group.

    Args:
        group: the group's name.
        group_rank_id: the member's rank in the group.

    Raises:
        ValueError: if `group` is "hccl_world_group".
        RuntimeError: if `init` was not called, there is no such group, or no such member.

    Source: mindspore.communication.management.get_world_rank_from_group_rank of MindSpore 2.10.
    """
    members = _of_members("get_world_rank_from_group_rank", group)
    if not 0 <= group_rank_id < members.size:
        raise RuntimeError(
            f"For 'get_world_rank_from_group_rank', the group '{group}' has no "
            f"member {group_rank_id}: its size is {members.size}."
        )
    return members.ranks[group_rank_id]


@checked
def get_group_rank_from_world_rank(world_rank_id: Int, group: Str):
    """Returns the group rank of a process, given its world rank.

    Args:
        world_rank_id: the world rank.
        group: the group's name.

    Raises:
        ValueError: if `group` is "hccl_world_group".
        RuntimeError: if `init` was not called, there is no such group, or the rank is not a member.

    Source: mindspore.communication.management.get_group_rank_from_world_rank of MindSpore 2.10.
    """
    members = _of_members("get_group_rank_from_world_rank", group)
    return member("get_group_rank_from_world_rank", members, group, world_rank_id)


@checked
def get_process_group_ranks(group: Str = GlobalComm.WORLD_COMM_GROUP):
    """Returns the world ranks of a group's members, in their order in the group.

    Args:
        group: the group's name.

    Raises:
        RuntimeError: if `init` was not called, or there is no such group.

    Source: mindspore.communication.management.get_process_group_ranks of MindSpore 2.10.
    """
    return list(group_named(group).ranks)


@checked
def get_comm_name(group: Str = GlobalComm.WORLD_COMM_GROUP):
    """Returns the name of a group in the library of an Ascend device; here always "".

    Args:
        group: the group's name.

    Raises:
        RuntimeError: if `init` was not called, or there is no such group.

    Source: mindspore.communication.management.get_comm_name of MindSpore 2.10.
    """
    group_named(group)
    return ""


@checked
def create_group(
    group: Str, rank_ids: ListOf(Int), options: InstanceOf(GroupOptions) | None = None
):
    """Creates a group of some ranks. Every member must call this, and no other rank may.

    An existing name, or a name of the world, keeps its group.

    Args:
        group: the new group's name.
        rank_ids: the world ranks of its members, without repetition.
        options: settings for the library of an Ascend device; stored without effect.

    Raises:
        ValueError: if `rank_ids` is empty or names a rank twice.
        RuntimeError: if `init` was not called, a rank is not in the world, or this process is not
            among them.

    Source: mindspore.communication.management.create_group of MindSpore 2.10.
    """
    world = group_named(HCCL_WORLD_COMM_GROUP)
    if not rank_ids:
        raise ValueError("For 'create_group', 'rank_ids' must name at least one rank, but got [].")
    if len(set(rank_ids)) != len(rank_ids):
        raise ValueError(
            f"For 'create_group', 'rank_ids' must not name a rank twice, but got {rank_ids}."
        )
    if not set(rank_ids) <= set(world.ranks):
        raise RuntimeError(
            "For 'create_group', 'rank_ids' must be ranks of the world of size "
            f"{world.size}, but got {rank_ids}."
        )
    if world.rank not in rank_ids:
        raise RuntimeError(
            f"For 'create_group', only the members of '{group}' may create it: rank "
            f"{world.rank} is not in {rank_ids}."
        )
    if group not in _groups and group not in WORLD:
        _groups[group] = world.subgroup(rank_ids)


@checked
def destroy_group(group: Str):
    """Destroys a group made by `create_group`.

    Args:
        group: the group's name.

    Raises:
        ValueError: if `group` is the world's.
        RuntimeError: if `init` was not called, or there is no such group.

    Source: mindspore.communication.management.destroy_group of MindSpore 2.10.
    """
    members = group_named(group)
    if group in WORLD:
        raise ValueError(
            f"For 'destroy_group', 'group' must not be the group of the world, but got '{group}'."
        )
    members.free()
    del _groups[group]


def group_named(name):
    """Returns the group with a name; None means the world.

    Raises:
        RuntimeError: if `init` was not called, or there is no such group.
    """
    if not GlobalComm.INITED:
        raise RuntimeError(
            "The processes are not connected: call mindspore.communication.init() first."
        )
    members = _groups.get(HCCL_WORLD_COMM_GROUP if name is None or name in WORLD else name)
    if members is None:
        raise RuntimeError(f"There is no group '{name}'.")
    return members


def partners(name):
    """Returns the group with a name for an exchange; a process without a launcher is a group of its
    own.

    Raises:
        RuntimeError: if a launcher started several processes and `init` was not called, or there is
            no such group.
    """
    alone = not GlobalComm.INITED and _rank_and_size()[1] == 1 and (name is None or name in WORLD)
    return collective.alone() if alone else group_named(name)


def all_groups():
    """Returns the distinct groups that this process belongs to."""
    return list({id(group): group for group in _groups.values()}.values())


def created_groups():
    """Returns {name: ranks} of the groups that `create_group` made."""
    return {name: list(group.ranks) for name, group in _groups.items() if name not in WORLD}


def forget_group(name):
    """Drops the name of a group that `create_group` made, if there is one."""
    if name not in WORLD:
        _groups.pop(name, None)


def is_group(name):
    """Returns True if there is a group with that name; None means the world."""
    return name is None or name in WORLD or name in _groups


def member(api, group, name, rank):
    """Returns the group rank of a world rank.

    Raises:
        RuntimeError: if the rank is not a member.
    """
    if rank not in group.ranks:
        raise RuntimeError(
            f"For '{api}', rank {rank} of the world is not in the group '{name}' of "
            f"{list(group.ranks)}."
        )
    return group.ranks.index(rank)


def _of_members(api, name):
    """Returns the group with a name, which must not be Ascend's world."""
    members = group_named(name)
    if name == HCCL_WORLD_COMM_GROUP:
        raise ValueError(f"For '{api}', 'group' must not be '{HCCL_WORLD_COMM_GROUP}'.")
    return members


def _rank_and_size():
    """Returns (rank, size) before `init`."""
    return launcher.launched() or (0, 1)
