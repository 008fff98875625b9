"""mindspore.communication.comm_func: collectives on Tensors, and sending from one rank to another.

Ranks are world ranks. Results are new Tensors; the arguments do not change. With `async_op=True` a
call returns immediately, and its Tensor is complete after the handle's `wait()`. Gradients flow
through synchronous calls only. If the operations of the members, their shapes, dtypes or
roots differ, each member gets a RuntimeError that names them. Sends and receives are in
`point_to_point`, all-to-all exchanges in `all_to_all`.
"""

from .._core.rules.vocabulary import Bool, Int, Str, checked
from . import transfer
from .all_to_all import (
    all_to_all_single_with_output_shape,
    all_to_all_v_c,
    all_to_all_with_output_shape,
)
from .groups import GlobalComm, member, partners
from .point_to_point import P2POp, batch_isend_irecv, irecv, isend, recv, send
from .transfer import Given, under_way

__all__ = [
    "P2POp",
    "all_gather_into_tensor",
    "all_reduce",
    "all_to_all_single_with_output_shape",
    "all_to_all_v_c",
    "all_to_all_with_output_shape",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "gather_into_tensor",
    "irecv",
    "isend",
    "recv",
    "reduce",
    "reduce_scatter_tensor",
    "scatter_tensor",
    "send",
]

WORLD = GlobalComm.WORLD_COMM_GROUP
REDUCTIONS = ("sum", "prod", "max", "min")


@checked
def all_reduce(tensor: Given, op: Str = "sum", group: Str = WORLD, async_op: Bool = False):
    """Reduces the members' Tensors element by element; every member gets the result.

    Args:
        tensor: this member's part; of equal shape and dtype on all.
        op: "sum", "prod", "max" or "min".
        group: the group's name.
        async_op: whether to return before the result is complete.

    Returns:
        (Tensor, CommHandle), the handle None unless `async_op` is set.

    Raises:
        TypeError: if `op` is not one of the four.
        RuntimeError: if `init` was not called, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.communication import comm_func
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> print(comm_func.all_reduce(ms.Tensor([1.0, 2.0]))[0])
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.communication.comm_func.all_reduce of MindSpore 2.10.
    """
    _check_reduction("all_reduce", op)
    members = partners(group)
    if async_op:
        return under_way(members.all_reduce(tensor._array, op))
    return transfer.all_reduce_op.run(tensor, op, members), None


@checked
def all_gather_into_tensor(tensor: Given, group: Str = WORLD, async_op: Bool = False):
    """Gathers the members' Tensors along axis 0; every member gets the result.

    Args:
        tensor: this member's part; of equal shape and dtype on all.
        group: the group's name.
        async_op: whether to return before the result is complete.

    Returns:
        (Tensor, CommHandle), the handle None unless `async_op` is set.

    Raises:
        RuntimeError: if `init` was not called, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.communication import comm_func
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> print(comm_func.all_gather_into_tensor(ms.Tensor([1.0, 2.0]))[0])
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.communication.comm_func.all_gather_into_tensor of MindSpore 2.10.
    """
    members = partners(group)
    if async_op:
        return under_way(members.all_gather(tensor._array))
    return transfer.all_gather_op.run(tensor, members), None


@checked
def reduce_scatter_tensor(
    tensor: Given, op: Str = "sum", group: Str = WORLD, async_op: Bool = False
):
    """Reduces the members' Tensors and splits the result along axis 0; each member gets its part.

    Args:
        tensor: this member's part; of equal shape and dtype on all.
        op: "sum", "prod", "max" or "min".
        group: the group's name.
        async_op: whether to return before the result is complete.

    Returns:
        (Tensor, CommHandle), the handle None unless `async_op` is set.

    Raises:
        TypeError: if `op` is not one of the four.
        ValueError: if axis 0 cannot be split into one equal part for each member.
        RuntimeError: if `init` was not called, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.communication import comm_func
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> print(comm_func.reduce_scatter_tensor(ms.Tensor([1.0, 2.0]))[0])
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.communication.comm_func.reduce_scatter_tensor of MindSpore 2.10.
    """
    _check_reduction("reduce_scatter_tensor", op)
    members = partners(group)
    _check_parts("reduce_scatter_tensor", tensor, members)
    if async_op:
        return under_way(members.reduce_scatter(tensor._array, op))
    return transfer.reduce_scatter_op.run(tensor, op, members), None


@checked
def broadcast(tensor: Given, src: Int = 0, group: Str = WORLD):
    """Broadcasts the Tensor of one member to all members.

    Args:
        tensor: the Tensor to send; on the other members it gives the shape and dtype.
        src: the world rank of the sender.
        group: the group's name.

    Returns:
        Tensor, the value of `src`.

    Raises:
        RuntimeError: if `init` was not called, there is no such group, or `src` is not in it.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.communication import comm_func
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> print(comm_func.broadcast(ms.Tensor([1.0, 2.0]), src=0))
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.communication.comm_func.broadcast of MindSpore 2.10.
    """
    members = partners(group)
    return transfer.broadcast_op.run(tensor, member("broadcast", members, group, src), members)


@checked
def reduce(tensor: Given, dst: Int, op: Str = "sum", group: Str = WORLD):
    """Reduces the members' Tensors element by element; one member gets the result.

    Args:
        tensor: this member's part; of equal shape and dtype on all.
        dst: the world rank of the member that receives the result.
        op: "sum", "prod", "max" or "min".
        group: the group's name.

    Returns:
        Tensor, the result on `dst`; on the others a meaningless Tensor of shape (1,).

    Raises:
        TypeError: if `op` is not one of the four.
        RuntimeError: if `init` was not called, there is no such group, or `dst` is not in it.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.communication import comm_func
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> print(comm_func.reduce(ms.Tensor([1.0, 2.0]), dst=0))
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.communication.comm_func.reduce of MindSpore 2.10.
    """
    _check_reduction("reduce", op)
    members = partners(group)
    root = member("reduce", members, group, dst)
    return transfer.reduce_op.run(tensor, root, op, members)


@checked
def gather_into_tensor(tensor: Given, dst: Int = 0, group: Str = WORLD):
    """Gathers the members' Tensors along axis 0; one member gets the result.

    Args:
        tensor: this member's part; of equal shape and dtype on all.
        dst: the world rank of the member that receives the result.
        group: the group's name.

    Returns:
        Tensor, the result on `dst`; on the others a meaningless Tensor of shape (1,).

    Raises:
        RuntimeError: if `init` was not called, there is no such group, or `dst` is not in it.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.communication import comm_func
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> print(comm_func.gather_into_tensor(ms.Tensor([1.0, 2.0])))
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.communication.comm_func.gather_into_tensor of MindSpore 2.10.
    """
    members = partners(group)
    root = member("gather_into_tensor", members, group, dst)
    return transfer.gather_op.run(tensor, root, members)


@checked
def scatter_tensor(tensor: Given, src: Int = 0, group: Str = WORLD):
    """Scatters one member's Tensor along axis 0; each member gets its part.

    Args:
        tensor: the Tensor to split; on the other members it gives the shape and dtype.
        src: the world rank of the member whose Tensor is split.
        group: the group's name.

    Returns:
        Tensor, this member's part.

    Raises:
        ValueError: if axis 0 cannot be split into one equal part for each member.
        RuntimeError: if `init` was not called, there is no such group, or `src` is not in it.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.communication import comm_func
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> print(comm_func.scatter_tensor(ms.Tensor([1.0, 2.0])))
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.communication.comm_func.scatter_tensor of MindSpore 2.10.
    """
    members = partners(group)
    root = member("scatter_tensor", members, group, src)
    _check_parts("scatter_tensor", tensor, members)
    return transfer.scatter_op.run(tensor, root, members)


@checked
def barrier(group: Str = WORLD):
    """Barrier: waits until all members of the group have called it.

    Args:
        group: the group's name.

    Raises:
        RuntimeError: if `init` was not called, or there is no such group.

    Example:
        >>> from mindspore_compat.communication import comm_func
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> comm_func.barrier()
        >>> dist.destroy_process_group()

    Source: mindspore.communication.comm_func.barrier of MindSpore 2.10.
    """
    partners(group).barrier()


def _check_reduction(api, op):
    if op not in REDUCTIONS:
        raise TypeError(f"For '{api}', 'op' must be one of {REDUCTIONS}, but got '{op}'.")


def _check_parts(api, tensor, group):
    if tensor.ndim == 0 or tensor.shape[0] % group.size:
        raise ValueError(
            f"For '{api}', axis 0 of 'tensor' must be divisible by the group's size "
            f"{group.size}, but got the shape {tensor.shape}."
        )
