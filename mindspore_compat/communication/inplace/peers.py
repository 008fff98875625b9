"""Point-to-point communication of Tensors: send, recv, isend, irecv and batches of them.

Received data is written into the Tensor argument. Ranks are world ranks.
"""

from ..._core.declare.public_api import public
from ..._core.declare.writing import overwrite
from ..._core.rules.vocabulary import Any, Bool, Int, Str, checked
from ..._core.tensor.tensor import Tensor
from ..groups import group_named
from ..transfer import CommHandle
from .writing import Arriving, Given, Into

_Group = (Str | None).called("a str")


@public("mint.distributed.send", "ops.communication.send", "ops.send")
@checked
def send(tensor: Given, dst: Int = 0, group: Str = None, tag: Int = 0):
    """Sends a Tensor to another rank; blocks until the Tensor may be changed again.

    Args:
        tensor: the Tensor to send.
        dst: the world rank of the receiver.
        group: the group's name.
        tag: a tag that the receiver must use too.

    Raises:
        ValueError: if `dst` is this process, or not in the group.
        RuntimeError: if the processes are not connected, or there is no such group.

    Source: mindspore.mint.distributed.send of MindSpore 2.10.
    """
    members = group_named(group)
    members.send(tensor._array, peer_of("send", "dst", members, group, dst), tag).wait()


@public("mint.distributed.recv")
@checked
def recv(tensor: Given, src: Int = 0, group: Str = None, tag: Int = 0):
    """Receives a Tensor from another rank.

    Args:
        tensor: receives the data; of the shape and dtype of the sent Tensor.
        src: the world rank of the sender.
        group: the group's name.
        tag: the tag that the sender uses.

    Returns:
        int, 0.

    Raises:
        ValueError: if `src` is this process, or not in the group.
        RuntimeError: if the processes are not connected, there is no such group, or what is sent is
            of another shape or dtype.

    Source: mindspore.mint.distributed.recv of MindSpore 2.10.
    """
    members = group_named(group)
    peer = peer_of("recv", "src", members, group, src)
    overwrite("recv", tensor, Tensor._wrap(members.receive(tensor._array, peer, tag).wait()))
    return 0


@public("mint.distributed.isend", "ops.communication.isend", "ops.isend")
@checked
def isend(tensor: Given, dst: Int = 0, group: Str = None, tag: Int = 0):
    """Non-blocking `send`: returns immediately.

    Args:
        tensor: the Tensor to send; it must not change before the handle's `wait()`.
        dst: the world rank of the receiver.
        group: the group's name.
        tag: a tag that the receiver must use too.

    Returns:
        CommHandle.

    Raises:
        ValueError: if `dst` is this process, or not in the group.
        RuntimeError: if the processes are not connected, or there is no such group.

    Source: mindspore.mint.distributed.isend of MindSpore 2.10.
    """
    members = group_named(group)
    return CommHandle(
        members.send(tensor._array, peer_of("isend", "dst", members, group, dst), tag)
    )


@public("mint.distributed.irecv")
@checked
def irecv(tensor: Given, src: Int = 0, group: Str = None, tag: Int = 0):
    """Non-blocking `recv`: returns immediately.

    Args:
        tensor: receives the data, which is complete after the handle's `wait()`.
        src: the world rank of the sender.
        group: the group's name.
        tag: the tag that the sender uses.

    Returns:
        CommHandle.

    Raises:
        ValueError: if `src` is this process, or not in the group.
        RuntimeError: if the processes are not connected, or there is no such group.

    Source: mindspore.mint.distributed.irecv of MindSpore 2.10.
    """
    members = group_named(group)
    peer = peer_of("irecv", "src", members, group, src)
    return CommHandle(Arriving(members.receive(tensor._array, peer, tag), Into("irecv", tensor)))


@public("mint.distributed.P2POp", "ops.communication.P2POp", "ops.P2POp")
class P2POp:
    """One send or receive for `batch_isend_irecv`.

    Args:
        op (Union[str, function]): "isend" or "irecv", or the function of that name.
        tensor (Tensor): the Tensor to send, or the Tensor that receives the data.
        peer (int): the world rank of the peer.
        group (str): the group's name. Default: ``None``, the world. Looked at when the operations
            start.
        tag (int): 0.

    Raises:
        TypeError: if `op` is neither, `tensor` is not a Tensor, or `peer` not an int.
        NotImplementedError: if `tag` is not 0.

    Source: mindspore.mint.distributed.P2POp of MindSpore 2.10.
    """

    @checked
    def __init__(self, op: Any, tensor: Given, peer: Int | Bool, group: Any = None, tag: Any = 0):
        name = op if isinstance(op, str) else getattr(op, "__name__", None)
        if name not in ("isend", "irecv"):
            raise TypeError(
                "For 'P2POp', 'op' must be 'isend' or 'irecv', or the function of that "
                f"name, but got {op!r}."
            )
        if not isinstance(tag, (int, float)) or tag != 0:
            raise NotImplementedError(f"For 'P2POp', 'tag' must be 0, but got {tag!r}.")
        self.op = name
        self.tensor = tensor
        self.peer = peer
        self.group = group
        self.tag = tag


@public(
    "mint.distributed.batch_isend_irecv",
    "ops.communication.batch_isend_irecv",
    "ops.batch_isend_irecv",
)
def batch_isend_irecv(p2p_op_list):
    """Starts a batch of sends and receives.

    Args:
        p2p_op_list (list[P2POp]): of one group, in an order that fits the order of the other ranks.
            What is received is in the Tensors after the handle's `wait()`.

    Returns:
        list[CommHandle], one handle for all.

    Raises:
        TypeError: if it is empty, or not a list or tuple of P2POp, or they name different groups or
            none by its name.
        ValueError: if a peer is this process, or not in the group.
        RuntimeError: if the processes are not connected, or there is no such group.

    Source: mindspore.mint.distributed.batch_isend_irecv of MindSpore 2.10.
    """
    api = "batch_isend_irecv"
    if (
        not isinstance(p2p_op_list, (list, tuple))
        or not p2p_op_list
        or not all(isinstance(p2p_op, P2POp) for p2p_op in p2p_op_list)
    ):
        raise TypeError(
            f"For '{api}', 'p2p_op_list' must be a list of P2POp, but got {p2p_op_list!r}."
        )
    for p2p_op in p2p_op_list:
        _Group.refuse_part(api, "a 'group'", p2p_op.group)
    names = {p2p_op.group for p2p_op in p2p_op_list}
    if len(names) > 1:
        raise TypeError(f"For '{api}', all in 'p2p_op_list' must be of one group, but got {names}.")
    name = names.pop()
    group = group_named(name)
    peers = [peer_of(api, "peer", group, name, p2p_op.peer) for p2p_op in p2p_op_list]
    with group.together(p2p_op_list[0].tensor._array):
        pending = [
            _start(group, p2p_op, peer) for p2p_op, peer in zip(p2p_op_list, peers, strict=True)
        ]
    return [CommHandle(_All(pending))]


class _All:
    """Several exchanges under way."""

    def __init__(self, pending):
        self.pending = pending

    def wait(self):
        """Waits until all are complete."""
        for handle in self.pending:
            handle.wait()


def _start(group, operation, peer):
    tensor = operation.tensor
    if operation.op == "isend":
        return group.send(tensor._array, peer)
    return Arriving(group.receive(tensor._array, peer), Into("batch_isend_irecv", tensor))


def peer_of(api, name, group, group_name, rank):
    """Returns the group rank of another process, given its world rank.

    Raises:
        ValueError: if it is this process, or not a member.
    """
    if rank not in group.ranks:
        raise ValueError(
            f"For '{api}', '{name}' must be in the group '{group_name or 'world'}' of "
            f"{list(group.ranks)}, but got {rank}."
        )
    if group.ranks.index(rank) == group.rank:
        raise ValueError(
            f"For '{api}', '{name}' must be another process, but got its own number {rank}."
        )
    return group.ranks.index(rank)
