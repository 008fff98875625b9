"""Sends Tensors from one rank to another. `comm_func` exports the functions; they have no
gradients."""

from .._backend import arrays
from .._core.rules.base import show_with_type
from .._core.rules.vocabulary import Any, DType, InstanceOf, Int, Str, checked
from .._core.tensor import dtype as dtypes
from .._core.tensor.tensor import Tensor
from .groups import GlobalComm, group_named, member
from .transfer import CommHandle, Given, nothing, under_way

WORLD = GlobalComm.WORLD_COMM_GROUP


@checked
def send(tensor: Given, dst: Int = 0, group: Str = WORLD, tag: Int = 0):
    """Sends a Tensor to another rank; blocks until the Tensor may be changed again.

    Args:
        tensor: the Tensor to send.
        dst: the world rank of the receiver.
        group: the group's name.
        tag: a tag that the receiver must use too.

    Raises:
        RuntimeError: if `init` was not called, there is no such group, `dst` is not in it,
            or the group has no other rank.

    Source: mindspore.communication.comm_func.send of MindSpore 2.10.
    """
    _sent("send", tensor, dst, group, tag).wait()


@checked
def recv(tensor: Given, src: Int = 0, group: Str = WORLD, tag: Int = 0):
    """Receives a Tensor from another rank.

    Args:
        tensor: gives the shape and dtype; its values are ignored.
        src: the world rank of the sender.
        group: the group's name.
        tag: the tag that the sender uses.

    Returns:
        Tensor, what was received.

    Raises:
        RuntimeError: if `init` was not called, there is no such group, `src` is not in it, the
            group has no other rank, or what it sends is of another shape or dtype.

    Source: mindspore.communication.comm_func.recv of MindSpore 2.10.
    """
    received, handle = _received("recv", tensor, src, group, tag)
    handle.wait()
    return received


@checked
def isend(tensor: Given, dst: Int = 0, group: Str = WORLD, tag: Int = 0):
    """Non-blocking `send`: returns immediately.

    Args:
        tensor: the Tensor to send; it must not change before the handle's `wait()`.
        dst: the world rank of the receiver.
        group: the group's name.
        tag: a tag that the receiver must use too.

    Returns:
        CommHandle.

    Raises:
        RuntimeError: if `init` was not called, there is no such group, `dst` is not in it,
            or the group has no other rank.

    Source: mindspore.communication.comm_func.isend of MindSpore 2.10.
    """
    return _sent("isend", tensor, dst, group, tag)


@checked
def irecv(tensor: Given, src: Int = 0, group: Str = WORLD, tag: Int = 0):
    """Non-blocking `recv`: returns immediately.

    Args:
        tensor: gives the shape and dtype; its values are ignored.
        src: the world rank of the sender.
        group: the group's name.
        tag: the tag that the sender uses.

    Returns:
        (Tensor, CommHandle), the Tensor filled after the handle's `wait()`.

    Raises:
        RuntimeError: if `init` was not called, there is no such group, `src` is not in it,
            or the group has no other rank.

    Source: mindspore.communication.comm_func.irecv of MindSpore 2.10.
    """
    return _received("irecv", tensor, src, group, tag)


class P2POp:
    """One send or receive for `batch_isend_irecv`.

    Args:
        op (Union[str, function]): "isend" or "irecv", or the function of that name.
        tensor (Union[Tensor, tuple[int]]): the Tensor to send; for a receive, a Tensor that gives
            the shape and dtype, or the shape alone.
        peer (int): the world rank of the peer.
        group (str): the group's name. Default: ``None``, the world.
        tag (int): 0.
        recv_dtype (mindspore.dtype): the dtype, where `tensor` is a shape. Default: ``None``.

    Raises:
        TypeError: if `op` is neither a str nor a function, `tensor` neither a Tensor nor a tuple,
            `peer` is not an int, or `recv_dtype` is missing.
        ValueError: if `op` is another name or function.
        NotImplementedError: if `tag` is not 0.

    Source: mindspore.communication.comm_func.P2POp of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        op: Any,
        tensor: Given | Any,
        peer: Int,
        group: Any = None,
        tag: Any = 0,
        *,
        recv_dtype: DType = None,
    ):
        name = op if isinstance(op, str) else getattr(op, "__name__", None)
        InstanceOf(Tensor, tuple).called("a Tensor or a tuple of ints").refuse(
            "P2POp", "tensor", tensor
        )
        if not (isinstance(op, str) or callable(op)):
            raise TypeError(
                f"For 'P2POp', 'op' must be a str or a function, but got {show_with_type(op)}."
            )
        if name not in ("isend", "irecv"):
            raise ValueError(
                "For 'P2POp', 'op' must be 'isend' or 'irecv', or the function of "
                f"that name, but got {op!r}."
            )
        if isinstance(tensor, tuple) and (name == "isend" or recv_dtype is None):
            raise TypeError(
                "For 'P2POp', 'tensor' must be a Tensor unless 'op' is 'irecv' and "
                f"'recv_dtype' is given, but got the shape {tensor}."
            )
        if not isinstance(tag, (int, float)) or tag != 0:
            raise NotImplementedError(f"For 'P2POp', 'tag' must be 0, but got {tag!r}.")
        self.op, self.tensor, self.recv_dtype = name, tensor, recv_dtype
        self.peer, self.group, self.tag = peer, group, tag


def batch_isend_irecv(p2p_op_list):
    """Runs a batch of sends and receives.

    Args:
        p2p_op_list (list[P2POp]): of one group, in an order that fits the order of the other ranks.

    Returns:
        tuple[Tensor], what was received, and a Tensor of one number without meaning for each send.

    Raises:
        TypeError: if `p2p_op_list` is not a list or tuple of P2POp.
        RuntimeError: if `init` was not called, there is no such group, a peer is not in it, or
            the group has no other rank.

    Source: mindspore.communication.comm_func.batch_isend_irecv of MindSpore 2.10.
    """
    if (
        not isinstance(p2p_op_list, (list, tuple))
        or not p2p_op_list
        or not all(isinstance(p2p_op, P2POp) for p2p_op in p2p_op_list)
    ):
        raise TypeError(
            "For 'batch_isend_irecv', 'p2p_op_list' must be a list of P2POp, but got "
            f"{p2p_op_list!r}."
        )
    group = group_named(p2p_op_list[0].group)
    peers = [_peer("batch_isend_irecv", group, p2p_op.group, p2p_op.peer) for p2p_op in p2p_op_list]
    operations = [_like(p2p_op) for p2p_op in p2p_op_list]
    with group.together(operations[0]._array):
        pending = [
            group.send(tensor._array, peer)
            if p2p_op.op == "isend"
            else group.receive(tensor._array, peer)
            for p2p_op, tensor, peer in zip(p2p_op_list, operations, peers, strict=True)
        ]
    results = [handle.wait() for handle in pending]
    return tuple(
        Tensor._wrap(result) if p2p_op.op == "irecv" else nothing(tensor, ())
        for p2p_op, tensor, result in zip(p2p_op_list, operations, results, strict=True)
    )


def empty_for(shape, dtype):
    """Returns a Tensor of a shape and dtype whose values do not matter."""
    return Tensor._wrap(arrays.current_space().module.empty(shape, dtypes.to_numpy(dtype)))


def _sent(api, tensor, dst, group, tag):
    """Starts to send; returns the handle."""
    members = group_named(group)
    return CommHandle(members.send(tensor._array, _peer(api, members, group, dst), tag))


def _received(api, tensor, src, group, tag):
    """Starts to receive; returns the Tensor to fill and the handle."""
    members = group_named(group)
    return under_way(members.receive(tensor._array, _peer(api, members, group, src), tag))


def _peer(api, members, group, rank):
    """Returns the group rank of a world rank with which a Tensor is exchanged."""
    peer = member(api, members, group, rank)
    if members.size == 1:
        raise RuntimeError(
            f"For '{api}', the group '{group}' must have another rank, but it has only {rank}."
        )
    return peer


def _like(operation):
    """Returns the Tensor of a P2POp, or one of its shape."""
    if isinstance(operation.tensor, Tensor):
        return operation.tensor
    return empty_for(operation.tensor, operation.recv_dtype)
