"""Process groups: joining the processes, and creating and querying groups.

The processes of a job are those that a launcher (`mpiexec`, `msrun-compat`) started, as everywhere
in this package. Through `init_method` or `store` they find each other before they connect.
"""

import datetime
import hashlib
import re

from ..._backend.ranks import collective, heartbeat, launcher
from ..._core.declare.public_api import public
from ..._core.rules.base import show
from ..._core.rules.vocabulary import Any, InstanceOf, Int, ListOf, Str, checked
from .. import groups
from ..groups import GlobalComm, group_named, member
from .store import TCPStore, seconds_of

ADDRESS = re.compile(r"tcp://((?:\d{1,3}\.){3}\d{1,3}):(\d+)")
WAIT = datetime.timedelta(seconds=300)


@public("mint.distributed.is_available", "ops.communication.is_available", "ops.is_available")
def is_available():
    """Returns True: distributed communication is always available.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.communication.is_available())
        True

    Source: mindspore.mint.distributed.is_available of MindSpore 2.10.
    """
    return True


@public("mint.distributed.is_initialized", "ops.communication.is_initialized", "ops.is_initialized")
def is_initialized():
    """Returns whether the processes are connected.

    Example:
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> dist.is_initialized()
        True
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.is_initialized of MindSpore 2.10.
    """
    return GlobalComm.INITED


@public(
    "mint.distributed.init_process_group",
    "ops.communication.init_process_group",
    "ops.init_process_group",
)
@checked
def init_process_group(
    backend: Str = "hccl",
    init_method: Str = None,
    timeout: Any = None,
    world_size: Int = -1,
    rank: Int = -1,
    store: Any = None,
    group_name: Str = "",
    pg_options: Any = None,
    device_id: Int = None,
):
    """Joins this process to the others that the launcher started.

    A process without a launcher can be the only one: with `world_size` 1, `rank` 0 and
    `init_method` or `store`.

    Args:
        backend: "hccl" for every device, because MPI and NCCL do the work.
        init_method: `"tcp://<IPv4 address>:<port>"`, where process 0 listens while the others
            report; then `world_size` and `rank` must be given.
        timeout (datetime.timedelta): how long the processes wait for each other at `init_method` or
            `store`. Default: 300 seconds.
        world_size: the number of processes; -1 for the number that the launcher started.
        rank: the rank of this process, as set by the launcher; -1 to leave it to the launcher.
        store (TCPStore): where the processes report instead of `init_method`.
        group_name: an additional name for the group of all processes.
        pg_options: not used.
        device_id: not used.

    Raises:
        TypeError: if `timeout` is not a timedelta, or `store` is not a TCPStore.
        ValueError: if `backend` is not "hccl"; `init_method` and `store` are both given, or
            `init_method` is not such an address; `world_size` or `rank` has a wrong value.
        RuntimeError: if the process was not started by a launcher, mpi4py cannot be loaded, or the
            others do not report in time.

    Example:
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> dist.get_rank(), dist.get_world_size()
        (0, 1)
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.init_process_group of MindSpore 2.10.
    """
    api = "init_process_group"
    wait = WAIT if timeout is None else timeout
    seconds_of(api, wait)
    if store is not None:
        InstanceOf(TCPStore).refuse(api, "store", store)
    if backend != "hccl":
        raise ValueError(f"For '{api}', 'backend' must be 'hccl', but got '{backend}'.")
    address = _address(api, init_method, store, world_size, rank)
    if GlobalComm.INITED:
        return
    world = _world(api, world_size, rank, is_explicit=address is not None or store is not None)
    if address is not None:
        store = TCPStore(*address, world_size, is_master=rank == 0, timeout=wait)
    if store is not None:
        _report(store, world_size, rank)
        world.barrier()  # no process reads from the store any more, so it may end
    groups.join(world, group_name)


def _address(api, init_method, store, world_size, rank):
    """Returns (host, port) of `init_method`; rejects arguments that contradict it."""
    if init_method is not None and store is not None:
        raise ValueError(f"For '{api}', 'init_method' and 'store' must not both be given.")
    if init_method is None and store is None:
        return None
    if world_size < 1:
        raise ValueError(
            f"For '{api}', 'world_size' must be positive with 'init_method' or "
            f"'store', but got {world_size}."
        )
    if not 0 <= rank < world_size:
        raise ValueError(
            f"For '{api}', 'rank' must be in [0, {world_size}) with 'init_method' "
            f"or 'store', but got {rank}."
        )
    if init_method is None:
        return None
    match = ADDRESS.fullmatch(init_method)
    numbers = [int(part) for part in match[1].split(".")] if match else [256]
    if max(numbers) > 255 or not 1 <= int(match[2]) <= 65535:
        raise ValueError(
            f"For '{api}', 'init_method' must be 'tcp://<IPv4 address>:<port>', but "
            f"got '{init_method}'."
        )
    return match[1], int(match[2])


def _world(api, world_size, rank, is_explicit):
    """Returns the group of all processes, which must be the given one."""
    if is_explicit and world_size == 1 and launcher.launched() is None:
        return collective.alone()
    with heartbeat.joining():
        world = collective.world()
    if world_size not in (-1, world.size):
        raise ValueError(
            f"For '{api}', 'world_size' must be -1 or the {world.size} processes of "
            f"the launcher, but got {world_size}."
        )
    if rank not in (-1, world.rank):
        raise ValueError(
            f"For '{api}', 'rank' must be -1 or the launcher's number {world.rank}, but got {rank}."
        )
    return world


def _report(store, world_size, rank):
    """Reports this process to the store, and waits until all others have reported."""
    store.set(f"init_process_group/{rank}", b"")
    for other in range(world_size):
        store.get(f"init_process_group/{other}")


@public(
    "mint.distributed.destroy_process_group",
    "ops.communication.destroy_process_group",
    "ops.destroy_process_group",
)
@checked
def destroy_process_group(group: Str = None):
    """Destroys a group; for the world group, destroys all groups and closes the connection, if any.

    Args:
        group: the group's name; None is the world.

    Raises:
        RuntimeError: if there is no such group.

    Example:
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.destroy_process_group of MindSpore 2.10.
    """
    if group is None or group in groups.WORLD:
        groups.release()
    else:
        groups.destroy_group(group)


@public("mint.distributed.new_group", "ops.communication.new_group", "ops.new_group")
@checked
def new_group(
    ranks: ListOf(Int) = None,
    timeout: Any = None,
    backend: Any = None,
    pg_options: Any = None,
    use_local_synchronization: Any = False,
    group_desc: Any = None,
):
    """Creates a group of some processes and returns its name.

    All members must call it. Other processes may call it too and get "". The same ranks in the same
    order give the same group.

    Args:
        ranks: the world ranks of the members. Default: the world group; no second group is created
            for it.
        timeout: not used.
        backend: not used: MPI and NCCL do the work.
        pg_options: settings for the library of an Ascend device; not used.
        use_local_synchronization: accepted but ignored.
        group_desc: accepted but ignored.

    Returns:
        str, the group's name; "" if `ranks` is empty, holds an invalid rank or lacks this process,
        or if the processes are not connected.

    Raises:
        TypeError: if `ranks` names a rank twice, or `backend` is neither "hccl" nor "mccl" with
            `ranks`.

    Example:
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> group = dist.new_group([0])
        >>> dist.get_world_size(group)
        1
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.new_group of MindSpore 2.10.
    """
    if ranks is None:
        return GlobalComm.WORLD_COMM_GROUP
    if not (backend is None or isinstance(backend, str) and backend in ("hccl", "mccl")):
        raise TypeError(
            f"For 'new_group', 'backend' must be 'hccl' or 'mccl', but got {show(backend)}."
        )
    if len(set(ranks)) != len(ranks):
        raise TypeError(f"For 'new_group', 'ranks' must not name a rank twice, but got {ranks}.")
    if not GlobalComm.INITED:
        return ""
    world = group_named(None)
    if world.rank not in ranks or not set(ranks) <= set(world.ranks):
        return ""
    text = "_".join(map(str, ranks))
    name = f"hccl_{len(ranks)}_{hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()}"
    groups.create_group(name, ranks)
    return name


@public("mint.distributed.get_rank", "ops.communication.get_rank", "ops.get_rank")
@checked
def get_rank(group: Str = None):
    """Returns the rank of this process in a group; -1 if this process has no such group.

    Before the processes are connected, it is the rank from the launcher, else 0.

    Args:
        group: the group's name; None is the world.

    Example:
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> dist.get_rank()
        0
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.get_rank of MindSpore 2.10.
    """
    if not GlobalComm.INITED:
        return groups.get_rank()
    return group_named(group).rank if groups.is_group(group) else -1


@public("mint.distributed.get_world_size", "ops.communication.get_world_size", "ops.get_world_size")
@checked
def get_world_size(group: Str = None):
    """Returns the number of processes in a group; -1 if this process has no such group.

    Before the processes are connected, it is the number from the launcher, else 1.

    Args:
        group: the group's name; None is the world.

    Example:
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> dist.get_world_size()
        1
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.get_world_size of MindSpore 2.10.
    """
    if not GlobalComm.INITED:
        return groups.get_group_size()
    return group_named(group).size if groups.is_group(group) else -1


@public("mint.distributed.get_backend", "ops.communication.get_backend", "ops.get_backend")
@checked
def get_backend(group: Str = None):
    """Returns the name of the library that fits the device: "hccl", "nccl" or "mccl".

    It is only a name: MPI and NCCL do the work. Before the processes are connected it is "hccl".

    Args:
        group: the group's name; all have the same library.

    Example:
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> dist.get_backend()  # of a CPU
        'mccl'
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.get_backend of MindSpore 2.10.
    """
    return GlobalComm.BACKEND


@public(
    "mint.distributed.get_process_group_ranks",
    "ops.communication.get_process_group_ranks",
    "ops.get_process_group_ranks",
)
@checked
def get_process_group_ranks(group: Str = None):
    """Returns the world ranks of the members of a group, in the order of their group ranks.

    Args:
        group: the group's name; None is the world.

    Raises:
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> dist.get_process_group_ranks()
        [0]
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.get_process_group_ranks of MindSpore 2.10.
    """
    return list(group_named(group).ranks)


@public(
    "mint.distributed.get_global_rank", "ops.communication.get_global_rank", "ops.get_global_rank"
)
@checked
def get_global_rank(group: Str | None, group_rank: Int):
    """Returns the world rank of a member of a group.

    Args:
        group: the group's name; None is the world.
        group_rank: the group rank of the member.

    Raises:
        RuntimeError: if the processes are not connected, there is no such group, or no such member.

    Example:
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> dist.get_global_rank(dist.new_group([0]), 0)
        0
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.get_global_rank of MindSpore 2.10.
    """
    members = group_named(group)
    if not 0 <= group_rank < members.size:
        raise RuntimeError(
            f"For 'get_global_rank', 'group_rank' must be in [0, {members.size}), but "
            f"got {group_rank}."
        )
    return members.ranks[group_rank]


@public("mint.distributed.get_group_rank", "ops.communication.get_group_rank", "ops.get_group_rank")
@checked
def get_group_rank(group: Str | None, global_rank: Int):
    """Returns the group rank of a member, given its world rank.

    Args:
        group: the group's name; None is the world.
        global_rank: the world rank of the member.

    Raises:
        RuntimeError: if the processes are not connected, there is no such group, or it has no such
            member.

    Example:
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> dist.get_group_rank(dist.new_group([0]), 0)
        0
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.get_group_rank of MindSpore 2.10.
    """
    return member("get_group_rank", group_named(group), group, global_rank)
