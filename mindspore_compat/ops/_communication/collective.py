"""Collective and point-to-point Primitives: AllReduce, AllGather, Broadcast, Send, Receive, ...

The equivalent functions are in `communication/comm_func.py`. Both call `communication/transfer.py`,
whose functions have gradients. `Broadcast`, `CollectiveScatter` and `CollectiveGather` take world
ranks, the others take ranks in the group.
"""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import DType, Int, ListOf, Str, TensorOf, TupleOf, checked, number
from ..._core.tensor.tensor import Tensor
from ...communication import (
    comm_func,
    inplace,  # noqa: F401 - its declarations make functions of ops
    point_to_point,
    transfer,
    transfer_peers,
)
from ...communication.groups import HCCL_WORLD_COMM_GROUP, member, partners
from .._rules import Anything
from ..primitive import Primitive, WithoutArguments

WORLD = HCCL_WORLD_COMM_GROUP
Ints = ListOf(Int) | TupleOf(Int)


@public("ops.ReduceOp")
class ReduceOp:
    """The names of the reductions that an `op` argument accepts.

    Example:
        >>> ms.ops.ReduceOp.SUM, ms.ops.ReduceOp.MAX
        ('sum', 'max')

    Source: mindspore.ops.ReduceOp of MindSpore 2.10.
    """

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"
    AVG = "avg"


@public("ops.AllReduce")
class AllReduce(Primitive):
    """Reduces the members' Tensors element by element; every member gets the result.

    Args:
        op (str): "sum", "prod", "max", "min" or "avg". Default: ``ReduceOp.SUM``.
        group (str): the group's name. Default: the world.

    Inputs:
        - **input_x** (Tensor) - of equal shape and dtype on all members; not bool.

    Outputs:
        Tensor, of the shape of `input_x`.

    Raises:
        TypeError: if `op` or `group` is not a str, or `input_x` is a bool Tensor.
        ValueError: if `op` is not one of the five, when called.
        RuntimeError: if `init` was not called, or there is no such group, when called.

    Source: mindspore.ops.AllReduce of MindSpore 2.10.
    """

    @checked
    def __init__(self, op: Str = ReduceOp.SUM, group: Str = WORLD):
        super().__init__("AllReduce")
        self.op = op
        self.group = group

    @checked
    def __call__(self, input_x: TensorOf(number)):
        return transfer.all_reduce_op.run(input_x, _check_op(self), partners(self.group))


@public("ops.AllGather")
class AllGather(Primitive):
    """Concatenates the members' Tensors along axis 0; every member gets the result.

    Args:
        group (str): the group's name. Default: the world.

    Inputs:
        - **input_x** (Tensor) - of equal shape and dtype on all members.

    Outputs:
        Tensor; its length along axis 0 is that of `input_x` times the number of members.

    Raises:
        TypeError: if `group` is not a str.
        RuntimeError: if `init` was not called, or there is no such group, when called.

    Source: mindspore.ops.AllGather of MindSpore 2.10.
    """

    @checked
    def __init__(self, group: Str = WORLD):
        super().__init__("AllGather")
        self.group = group

    @checked
    def __call__(self, input_x: Anything):
        return transfer.all_gather_op.run(input_x, partners(self.group))


@public("ops.ReduceScatter")
class ReduceScatter(Primitive):
    """Reduces the members' Tensors and splits the result along axis 0; each member gets its part.

    Args:
        op (str): "sum", "prod", "max", "min" or "avg". Default: ``ReduceOp.SUM``.
        group (str): the group's name. Default: the world.

    Inputs:
        - **input_x** (Tensor) - of equal shape and dtype on all members.

    Outputs:
        Tensor, the part of this member.

    Raises:
        TypeError: if `op` or `group` is not a str.
        ValueError: if `op` is not one of the five, or axis 0 cannot be cut into equal parts, when
            called.
        RuntimeError: if `init` was not called, or there is no such group, when called.

    Source: mindspore.ops.ReduceScatter of MindSpore 2.10.
    """

    @checked
    def __init__(self, op: Str = ReduceOp.SUM, group: Str = WORLD):
        super().__init__("ReduceScatter")
        self.op = op
        self.group = group

    @checked
    def __call__(self, input_x: TensorOf(number)):
        return transfer.reduce_scatter_op.run(input_x, _check_op(self), partners(self.group))


@public("ops.Broadcast")
class Broadcast(Primitive):
    """Broadcasts the Tensors of one member to all.

    Args:
        root_rank (int): the world rank of the sender.
        group (str): the group's name. Default: the world.

    Inputs:
        - **input_x** (Union[Tensor, tuple[Tensor]]) - the Tensors to send; the other members pass
          Tensors of the same shapes and dtypes.

    Outputs:
        tuple[Tensor], the Tensors of `root_rank`.

    Raises:
        TypeError: if `root_rank` is not an int, or `group` not a str.
        RuntimeError: if `init` was not called, there is no such group, or `root_rank` is not in it,
            when called.

    Source: mindspore.ops.Broadcast of MindSpore 2.10.
    """

    @checked
    def __init__(self, root_rank: Int, group: Str = WORLD):
        super().__init__("Broadcast")
        self.root_rank = root_rank
        self.group = group

    @checked
    def __call__(self, input_x: Anything | TupleOf(Anything)):
        group = partners(self.group)
        root = member("Broadcast", group, self.group, self.root_rank)
        tensors = (input_x,) if isinstance(input_x, Tensor) else input_x
        return tuple(transfer.broadcast_op.run(tensor, root, group) for tensor in tensors)


@public("ops.Reduce")
class Reduce(Primitive):
    """Reduces the members' Tensors; one member gets the result.

    Args:
        dest_rank (int): the rank in the group of the member that gets the result.
        op (str): "sum", "prod", "max" or "min". Default: ``ReduceOp.SUM``.
        group (str): the group's name. Default: the world.

    Inputs:
        - **input_x** (Tensor) - of equal shape and dtype on all members.

    Outputs:
        Tensor, the result on `dest_rank`; on other members a placeholder of shape (1,).

    Raises:
        TypeError: if `dest_rank` is not an int, `op` or `group` not a str.
        RuntimeError: if `init` was not called, there is no such group, or `dest_rank` is not in it,
            when called.

    Source: mindspore.ops.Reduce of MindSpore 2.10.
    """

    @checked
    def __init__(self, dest_rank: Int, op: Str = ReduceOp.SUM, group: Str = WORLD):
        super().__init__("Reduce")
        self.dest_rank = dest_rank
        self.op = op
        self.group = group

    @checked
    def __call__(self, input_x: TensorOf(number)):
        world_rank = _in_world("Reduce", self.group, self.dest_rank)
        return comm_func.reduce(input_x, world_rank, self.op, self.group)


@public("ops.CollectiveScatter")
class CollectiveScatter(Primitive):
    """Scatters one member's Tensor along axis 0; each member gets its part.

    Args:
        src_rank (int): the world rank of the member whose Tensor is split. Default: ``0``.
        group (str): the group's name. Default: the world.

    Inputs:
        - **input_x** (Tensor) - the Tensor to split; the other members pass one of the same shape
          and dtype.

    Outputs:
        Tensor, the part of this member.

    Raises:
        TypeError: if `src_rank` is not an int, or `group` not a str.
        ValueError: if axis 0 cannot be split into equal parts, when called.
        RuntimeError: if `init` was not called, there is no such group, or `src_rank` is not in it,
            when called.

    Source: mindspore.ops.CollectiveScatter of MindSpore 2.10.
    """

    @checked
    def __init__(self, src_rank: Int = 0, group: Str = WORLD):
        super().__init__("CollectiveScatter")
        self.src_rank = src_rank
        self.group = group

    def __call__(self, input_x):
        return comm_func.scatter_tensor(input_x, self.src_rank, self.group)


@public("ops.CollectiveGather")
class CollectiveGather(Primitive):
    """Gathers the members' Tensors along axis 0; one member gets the result.

    Args:
        dest_rank (int): the world rank of the member that gets the result.
        group (str): the group's name. Default: the world.

    Inputs:
        - **input_x** (Tensor) - of equal shape and dtype on all members.

    Outputs:
        Tensor, the result on `dest_rank`; on other members a placeholder of shape (1,).

    Raises:
        TypeError: if `dest_rank` is not an int, or `group` not a str.
        RuntimeError: if `init` was not called, there is no such group, or `dest_rank` is not in it,
            when called.

    Source: mindspore.ops.CollectiveGather of MindSpore 2.10.
    """

    @checked
    def __init__(self, dest_rank: Int, group: Str = WORLD):
        super().__init__("CollectiveGather")
        self.dest_rank = dest_rank
        self.group = group

    def __call__(self, input_x):
        return comm_func.gather_into_tensor(input_x, self.dest_rank, self.group)


@public("ops.Barrier")
class Barrier(Primitive):
    """Waits until every member has reached the barrier.

    Args:
        group (str): the group's name. Default: the world.

    Raises:
        TypeError: if `group` is not a str.
        RuntimeError: if `init` was not called, or there is no such group, when called.

    Source: mindspore.ops.Barrier of MindSpore 2.10.
    """

    @checked
    def __init__(self, group: Str = WORLD):
        super().__init__("Barrier")
        self.group = group

    def __call__(self):
        partners(self.group).barrier()


@public("ops.Send")
class Send(Primitive):
    """Sends a Tensor to another rank, and receives its gradient from there.

    To take a gradient, make the loss depend on the result, as in `depend(x, send(x))`. The backward
    pass then waits for the gradient that the matching Receive sends back.

    Args:
        sr_tag (int): the tag, the same number as the receiver's.
        dest_rank (int): the receiver's rank in the group.
        group (str): the group's name. Default: the world.
        group_back (str): the group through which the gradient arrives. Default: the world.

    Inputs:
        - **input_x** (Tensor) - the Tensor to send.

    Outputs:
        Tensor, `input_x`.

    Raises:
        TypeError: if `sr_tag` or `dest_rank` is not an int, `group` or `group_back` not a str.
        RuntimeError: if `init` was not called, there is no such group, or `dest_rank` is not in it,
            when called.

    Source: mindspore.ops.Send of MindSpore 2.10.
    """

    @checked
    def __init__(self, sr_tag: Int, dest_rank: Int, group: Str = WORLD, group_back: Str = WORLD):
        super().__init__("Send")
        self.sr_tag = sr_tag
        self.dest_rank = dest_rank
        self.group = group
        self.group_back = group_back

    @checked
    def __call__(self, input_x: Anything):
        _in_world("Send", self.group, self.dest_rank)
        return transfer_peers.send_op.run(
            transfer_peers.anchored(input_x), self.dest_rank, self.sr_tag, *_ways(self)
        )


@public("ops.Receive")
class Receive(Primitive):
    """Receives a Tensor from another rank, and sends its gradient back.

    In the backward pass, the gradient of the result is sent to the matching Send, which must expect
    it.

    Args:
        sr_tag (int): the tag, the same number as the sender's.
        src_rank (int): the sender's rank in the group.
        shape (Union[list[int], tuple[int]]): the shape of the received Tensor.
        dtype (mindspore.dtype): the dtype of the received Tensor.
        group (str): the group's name. Default: the world.
        group_back (str): the group through which the gradient is sent. Default: the world.

    Outputs:
        Tensor, the received one. Arguments of the call are ignored.

    Raises:
        TypeError: if `sr_tag` or `src_rank` is not an int, `shape` not a list or tuple of ints,
            `dtype` not a dtype, `group` or `group_back` not a str.
        RuntimeError: if `init` was not called, there is no such group, or `src_rank` is not in it,
            when called.

    Source: mindspore.ops.Receive of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        sr_tag: Int,
        src_rank: Int,
        shape: Ints,
        dtype: DType,
        group: Str = WORLD,
        group_back: Str = WORLD,
    ):
        super().__init__("Receive")
        self.sr_tag = sr_tag
        self.src_rank = src_rank
        self.shape = shape
        self.dtype = dtype
        self.group = group
        self.group_back = group_back

    def __call__(self, *ignored):
        _in_world("Receive", self.group, self.src_rank)
        like = point_to_point.empty_for(tuple(self.shape), self.dtype)
        return transfer_peers.receive_op.run(
            transfer_peers.anchored(like), self.src_rank, self.sr_tag, *_ways(self)
        )


def _check_op(primitive):
    """Returns the `op` of a primitive; rejects an unknown one."""
    if primitive.op not in ("sum", "prod", "max", "min", "avg"):
        raise ValueError(
            f"For '{primitive.name}', 'op' must be 'sum', 'prod', 'max', 'min' or "
            f"'avg', but got '{primitive.op}'."
        )
    return primitive.op


def _ways(primitive):
    """Returns the group of a Send or Receive and the group of its gradient. Rejects groups of
    different members.
    """
    group, back = partners(primitive.group), partners(primitive.group_back)
    if group.ranks != back.ranks:
        raise RuntimeError(
            f"For '{primitive.name}', 'group' and 'group_back' must have the same "
            f"members, but got {list(group.ranks)} and {list(back.ranks)}."
        )
    return group, back


def _in_world(api, name, rank):
    """Returns the world rank of a member of a group."""
    group = partners(name)
    if not 0 <= rank < group.size:
        raise RuntimeError(
            f"For '{api}', the group '{name}' has no member {rank}: its size is {group.size}."
        )
    return group.ranks[rank]


@public("ops._VirtualDataset")
class _VirtualDataset(WithoutArguments):
    """Marks the inputs of a network that MindSpore divides by batch over devices. It returns
    them unchanged: a tuple if there are several."""

    def __call__(self, *inputs):
        return inputs if len(inputs) > 1 else inputs[0]
