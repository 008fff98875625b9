"""Collectives on lists of Tensors: all_gather, gather, scatter, reduce_scatter.

A list contains one Tensor per member of the group, in the order of the members, all of one shape.
"""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Int, Str, checked
from .. import transfer
from ..groups import member, partners
from ._documented import documented
from .writing import Given, Into, Several, carry, check_list, check_reduction


@public("mint.distributed.all_gather", "ops.communication.all_gather", "ops.all_gather")
@checked
@documented
def all_gather(tensor_list: Several, tensor: Given, group: Str = None, async_op: Bool = False):
    """Gathers the Tensors of all members on every member.

    Args:
        tensor_list: receives the members' Tensors.
        tensor: this member's Tensor; of equal shape and dtype on all.

    Raises:
        TypeError: if `tensor_list` has another length than the group, or a Tensor of another shape
            or dtype than `tensor`.
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> parts = [ms.ops.zeros(2) for _ in range(dist.get_world_size())]
        >>> dist.all_gather(parts, ms.Tensor([1.0, 2.0]))
        >>> print(*parts)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.all_gather of MindSpore 2.10.
    """
    members = partners(group)
    check_list("all_gather", "tensor_list", tensor_list, tensor, members.size)
    return carry(
        transfer.all_gather_op,
        transfer.flat_op.run((tensor,)),
        group=members,
        write=Into("all_gather", *tensor_list),
        async_op=async_op,
    )


@public("mint.distributed.gather", "ops.communication.gather")
@checked
@documented
def gather(
    tensor: Given, gather_list: Several, dst: Int = 0, group: Str = None, async_op: Bool = False
):
    """Gathers the Tensors of all members on one member.

    Args:
        tensor: this member's Tensor; of equal shape and dtype on all.
        gather_list: on `dst`, receives the members' Tensors; on the others it does not change.
        dst: the world rank of the member that receives them.

    Raises:
        TypeError: on `dst`, `gather_list` has another length than the group, or a Tensor of another
            shape or dtype than `tensor`.
        RuntimeError: if the processes are not connected, there is no such group, or `dst` is not in
            it.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> parts = [ms.ops.zeros(2) for _ in range(dist.get_world_size())]
        >>> dist.gather(ms.Tensor([1.0, 2.0]), parts, dst=0)
        >>> print(*parts)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.gather of MindSpore 2.10.
    """
    members = partners(group)
    root = member("gather", members, group, dst)
    write = Into("gather")
    if members.rank == root:
        check_list("gather", "gather_list", gather_list, tensor, members.size)
        write = Into("gather", *gather_list)
    return carry(
        transfer.gather_op,
        transfer.flat_op.run((tensor,)),
        root,
        group=members,
        write=write,
        async_op=async_op,
    )


@public("mint.distributed.scatter", "ops.communication.scatter")
@checked
@documented
def scatter(
    tensor: Given, scatter_list: Several, src: Int = 0, group: Str = None, async_op: Bool = False
):
    """Scatters a list of Tensors from one member: each member gets one Tensor.

    Args:
        tensor: receives this member's Tensor; of equal shape and dtype on all.
        scatter_list: on `src`, a Tensor for each member; ignored on the other members.
        src: the world rank of the member that has the list.

    Raises:
        TypeError: on `src`, `scatter_list` has another length than the group, or a Tensor of
            another shape or dtype than `tensor`.
        RuntimeError: if the processes are not connected, there is no such group, or `src` is not in
            it.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> part = ms.ops.zeros(2)
        >>> dist.scatter(part, [ms.Tensor([1.0, 2.0])], src=0)
        >>> print(part)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.scatter of MindSpore 2.10.
    """
    members = partners(group)
    root = member("scatter", members, group, src)
    if members.rank == root:
        check_list("scatter", "scatter_list", scatter_list, tensor, members.size)
        whole = transfer.flat_op.run(tuple(scatter_list))
    else:
        whole = transfer.empty_like(tensor, (members.size * tensor.size,))
    return carry(
        transfer.scatter_op,
        whole,
        root,
        group=members,
        write=Into("scatter", tensor),
        async_op=async_op,
    )


@public("mint.distributed.reduce_scatter", "ops.communication.reduce_scatter", "ops.reduce_scatter")
@checked
@documented
def reduce_scatter(
    output: Given, input_list: Several, op: Str = "sum", group: Str = None, async_op: Bool = False
):
    """Reduces the members' lists Tensor by Tensor; each member gets one of the results.

    Args:
        output: receives this member's result.
        input_list: a Tensor for each member; of equal shape and dtype on all.
        op: "sum", "prod", "max", "min" or "avg", the sum divided by the group's size.

    Raises:
        TypeError: if `op` is not one of the five, or `input_list` has another length than the
            group, or a Tensor of another shape or dtype than `output`.
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> part = ms.ops.zeros(2)
        >>> dist.reduce_scatter(part, [ms.Tensor([1.0, 2.0])])
        >>> print(part)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.reduce_scatter of MindSpore 2.10.
    """
    check_reduction("reduce_scatter", op)
    members = partners(group)
    check_list("reduce_scatter", "input_list", input_list, output, members.size)
    return carry(
        transfer.reduce_scatter_op,
        transfer.flat_op.run(tuple(input_list)),
        op,
        group=members,
        write=Into("reduce_scatter", output),
        async_op=async_op,
    )
