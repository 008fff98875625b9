"""Exchanges of picklable objects: the object collectives, and sending lists of objects.

If an object cannot be pickled, the error is sent instead and raised on every member. Received
objects are unpickled, which can run any code of the sender; so processes must trust each other, as
processes of one job do.
"""

import pickle

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Int, Str, checked
from ..groups import member, partners
from .peers import peer_of


@public(
    "mint.distributed.all_gather_object",
    "ops.communication.all_gather_object",
    "ops.all_gather_object",
)
@checked
def all_gather_object(object_list: Any, obj: Any, group: Str = None):
    """Gathers the objects of all members on every member.

    Args:
        object_list: a list with an entry for each member, which receives the objects.
        obj: this member's object, which must be picklable.
        group: the group's name.

    Raises:
        TypeError: if `object_list` is not a list of the group's length.
        RuntimeError: if the processes are not connected, there is no such group, or another
            member's object cannot be pickled.

    Example:
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> found = [None] * dist.get_world_size()
        >>> dist.all_gather_object(found, {"rank": dist.get_rank()})
        >>> found
        [{'rank': 0}]
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.all_gather_object of MindSpore 2.10.
    """
    api = "all_gather_object"
    _check_list(api, "object_list", object_list)
    members = partners(group)
    _check_length(api, "object_list", object_list, members.size)
    parcel = _Parcel(obj)
    object_list[:] = _unpack_objects(api, parcel, members.objects(parcel.content))


@public(
    "mint.distributed.broadcast_object_list",
    "ops.communication.broadcast_object_list",
    "ops.broadcast_object_list",
)
@checked
def broadcast_object_list(object_list: Any, src: Int = 0, group: Str = None, device: Str = None):
    """Broadcasts the list of objects of one member to all members.

    Args:
        object_list: on `src`, the objects to send; on the others, receives them; of equal length.
        src: the world rank of the sender.
        group: the group's name.
        device: not used.

    Raises:
        TypeError: if `object_list` is not a list, or is empty.
        ValueError: if the sender's list has another length.
        RuntimeError: if the processes are not connected, there is no such group, `src` is not in
            it, or its objects cannot be pickled.

    Example:
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> settings = ["sgd", 0.1]
        >>> dist.broadcast_object_list(settings, src=0)
        >>> settings
        ['sgd', 0.1]
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.broadcast_object_list of MindSpore 2.10.
    """
    api = "broadcast_object_list"
    _check_list(api, "object_list", object_list)
    members = partners(group)
    root = member(api, members, group, src)
    parcel = _Parcel(object_list) if members.rank == root else _Parcel(None)
    (objects,) = _unpack_objects(api, parcel, [members.broadcast_object(parcel.content, root)])
    if members.rank != root:
        _put(api, object_list, objects)


@public("mint.distributed.gather_object", "ops.communication.gather_object", "ops.gather_object")
@checked
def gather_object(obj: Any, object_gather_list: Any = None, dst: Int = 0, group: Str = None):
    """Gathers the objects of all members on one member.

    Args:
        obj: this member's object, which must be picklable.
        object_gather_list: on `dst` a list with an entry for each member, which receives the
            objects; ignored on the other members.
        dst: the world rank of the member that receives them.
        group: the group's name.

    Raises:
        TypeError: on `dst`, `object_gather_list` is not a list of the group's length.
        RuntimeError: if the processes are not connected, there is no such group, `dst` is not in
            it, or, on `dst`, another member's object cannot be pickled.

    Example:
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> found = [None] * dist.get_world_size()
        >>> dist.gather_object("here", found, dst=0)
        >>> found
        ['here']
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.gather_object of MindSpore 2.10.
    """
    api = "gather_object"
    members = partners(group)
    root = member(api, members, group, dst)
    if members.rank == root:
        _check_list(api, "object_gather_list", object_gather_list)
        _check_length(api, "object_gather_list", object_gather_list, members.size)
    parcel = _Parcel(obj)
    gathered = _unpack_objects(api, parcel, members.gather_objects(parcel.content, root) or [])
    if members.rank == root:
        object_gather_list[:] = gathered


@public(
    "mint.distributed.scatter_object_list",
    "ops.communication.scatter_object_list",
    "ops.scatter_object_list",
)
@checked
def scatter_object_list(
    scatter_object_output_list: Any, scatter_object_input_list: Any, src: Int = 0, group: Str = None
):
    """Scatters a list of objects from one member: each member gets one object.

    Args:
        scatter_object_output_list: a list whose first entry becomes this member's object.
        scatter_object_input_list: on `src` an object for each member; ignored on the other
            members.
        src: the world rank of the member that has the list.
        group: the group's name.

    Raises:
        TypeError: if `scatter_object_output_list` is not a list, or is empty; or, on `src`,
            `scatter_object_input_list` is not a list of the group's length.
        RuntimeError: if the processes are not connected, there is no such group, `src` is not in
            it, or its objects cannot be pickled.

    Example:
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> own = [None]
        >>> dist.scatter_object_list(own, ["first"], src=0)
        >>> own
        ['first']
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.scatter_object_list of MindSpore 2.10.
    """
    api = "scatter_object_list"
    _check_list(api, "scatter_object_output_list", scatter_object_output_list)
    members = partners(group)
    root = member(api, members, group, src)
    parcels = None
    if members.rank == root:
        _check_list(api, "scatter_object_input_list", scatter_object_input_list)
        _check_length(api, "scatter_object_input_list", scatter_object_input_list, members.size)
        parcels = [_Parcel(parcel) for parcel in scatter_object_input_list]
    failure = next((parcel for parcel in parcels or () if parcel.error), None)
    contents = parcels and [(failure or parcel).content for parcel in parcels]
    received = _unpack_objects(
        api, failure or _Parcel(None), [members.scatter_objects(contents, root)]
    )
    scatter_object_output_list[0] = received[0]


@public(
    "mint.distributed.send_object_list",
    "ops.communication.send_object_list",
    "ops.send_object_list",
)
@checked
def send_object_list(object_list: Any, dst: Int, group: Str = None, device: Str = None):
    """Sends a list of objects to another rank.

    Args:
        object_list: a list of picklable objects.
        dst: the world rank of the receiver.
        group: the group's name.
        device: not used.

    Raises:
        TypeError: if `object_list` is not a list, or is empty.
        ValueError: if `dst` is this process, or not in the group.
        RuntimeError: if the processes are not connected, or there is no such group.

    Source: mindspore.mint.distributed.send_object_list of MindSpore 2.10.
    """
    api = "send_object_list"
    _check_list(api, "object_list", object_list)
    members = partners(group)
    parcel = _Parcel(object_list)
    members.send_object(parcel.content, peer_of(api, "dst", members, group, dst)).wait()
    _unpack_objects(api, parcel, [])


@public(
    "mint.distributed.recv_object_list",
    "ops.communication.recv_object_list",
    "ops.recv_object_list",
)
@checked
def recv_object_list(object_list: Any, src: Int = 0, group: Str = None, device: Str = None):
    """Receives a list of objects from another rank.

    Args:
        object_list: the list that receives the objects; as long as the list of the sender.
        src: the world rank of the sender.
        group: the group's name.
        device: not used.

    Returns:
        int, 0.

    Raises:
        TypeError: if `object_list` is not a list, or is empty.
        ValueError: if `src` is this process, or not in the group; or the sender's list has another
            length.
        RuntimeError: if the processes are not connected, there is no such group, or the sender's
            objects cannot be pickled.

    Source: mindspore.mint.distributed.recv_object_list of MindSpore 2.10.
    """
    api = "recv_object_list"
    _check_list(api, "object_list", object_list)
    members = partners(group)
    message = members.receive_object(peer_of(api, "src", members, group, src))
    (objects,) = _unpack_objects(api, _Parcel(None), [message])
    _put(api, object_list, objects)
    return 0


class _Parcel:
    """Pickles an object to bytes; if it cannot be pickled, returns the text of the error
    instead."""

    def __init__(self, value):
        self.error = None
        try:
            self.content = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # any error: the other members wait for an answer
            self.error = error
            self.content = f"{type(error).__name__}: {error}"


def _unpack_objects(api, parcel, contents):
    """Returns the objects of parcels. Raises this process's own pickling error, or a RuntimeError
    with the object of another process."""
    if parcel.error is not None:
        raise parcel.error
    for content in contents:
        if isinstance(content, str):
            raise RuntimeError(
                f"For '{api}', another process could not send its objects. ({content})"
            )
    return [pickle.loads(content) for content in contents]


def _put(api, object_list, objects):
    if len(object_list) != len(objects):
        raise ValueError(
            f"For '{api}', 'object_list' must be as long as the sender's of "
            f"{len(objects)}, but got {len(object_list)}."
        )
    object_list[:] = objects


def _check_list(api, name, value):
    if not isinstance(value, list) or not value:
        raise TypeError(
            f"For '{api}', '{name}' must be a list with at least one entry, but got {value!r}."
        )


def _check_length(api, name, value, size):
    if len(value) != size:
        raise TypeError(
            f"For '{api}', '{name}' must have an entry for each of the {size} members, "
            f"but got {len(value)}."
        )
