"""Collectives on one Tensor: all_reduce, broadcast, reduce, all_gather_into_tensor and others.

Ranks are world ranks. `group` names a group of `new_group` or `create_group`; None is the
world. All members of the group must make the same calls in the same order.
"""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Bool, Int, ListOf, Str, checked
from .. import transfer
from ..groups import member, partners
from ..transfer import CommHandle
from ._documented import documented
from .writing import (
    Given,
    Into,
    carry,
    check_dtype,
    check_reduction,
    check_rows,
    check_shape,
    whole_shape,
)


@public("mint.distributed.all_reduce")
@checked
@documented
def all_reduce(tensor: Given, op: Str = "sum", group: Str = None, async_op: Bool = False):
    """Combines the members' Tensors element by element; every member's Tensor becomes the result.

    Args:
        tensor: this member's part, overwritten by the result; of equal shape and dtype on all.
        op: "sum", "prod", "max", "min" or "avg", the sum divided by the group's size.

    Raises:
        TypeError: if `op` is not one of the five.
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> x = ms.Tensor([1.0, 2.0])
        >>> dist.all_reduce(x)  # the sum over all processes, of which this is the only one
        >>> print(x)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.all_reduce of MindSpore 2.10.
    """
    check_reduction("all_reduce", op)
    return carry(
        transfer.all_reduce_op,
        tensor,
        op,
        group=partners(group),
        write=Into("all_reduce", tensor),
        async_op=async_op,
    )


@public("mint.distributed.reduce", "ops.communication.reduce", "ops.reduce")
@checked
@documented
def reduce(tensor: Given, dst: Int, op: Str = "sum", group: Str = None, async_op: Bool = False):
    """Reduces the members' Tensors element by element and writes the result to one of them.

    Args:
        tensor: this member's part, on `dst` overwritten by the result; of equal shape and dtype on
            all. On the other members it does not change.
        dst: the world rank of the member that receives the result.
        op: "sum", "prod", "max", "min" or "avg", the sum divided by the group's size.

    Raises:
        TypeError: if `op` is not one of the five.
        RuntimeError: if the processes are not connected, there is no such group, or `dst` is not in
            it.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> x = ms.Tensor([1.0, 2.0])
        >>> dist.reduce(x, dst=0, op="max")
        >>> print(x)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.reduce of MindSpore 2.10.
    """
    check_reduction("reduce", op)
    members = partners(group)
    root = member("reduce", members, group, dst)
    write = Into("reduce", *([tensor] if members.rank == root else []))
    return carry(
        transfer.reduce_op, tensor, root, op, group=members, write=write, async_op=async_op
    )


@public("mint.distributed.broadcast", "ops.communication.broadcast", "ops.broadcast")
@checked
@documented
def broadcast(tensor: Given, src: Int, group: Str = None, async_op: Bool = False):
    """Broadcasts the Tensor of one member to all members.

    Args:
        tensor: on `src` what is sent, on the others where it is put; of equal shape and dtype.
        src: the world rank of the sender.

    Raises:
        RuntimeError: if the processes are not connected, there is no such group, or `src` is not in
            it.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> x = ms.Tensor([1.0, 2.0])
        >>> dist.broadcast(x, src=0)
        >>> print(x)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.broadcast of MindSpore 2.10.
    """
    members = partners(group)
    root = member("broadcast", members, group, src)
    return carry(
        transfer.broadcast_op,
        tensor,
        root,
        group=members,
        write=Into("broadcast", *([] if members.rank == root else [tensor])),
        async_op=async_op,
    )


@public("mint.distributed.all_gather_into_tensor")
@checked
@documented
def all_gather_into_tensor(
    output_tensor: Given, input_tensor: Given, group: Str = None, async_op: Bool = False
):
    """Gathers the members' Tensors along axis 0; every member gets the result.

    Args:
        output_tensor: receives the result: the rows of `input_tensor` times the number of
            members.
        input_tensor: this member's part; of equal shape and dtype on all.

    Raises:
        TypeError: if the dtypes differ.
        ValueError: if `output_tensor` has another shape.
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> whole = ms.ops.zeros((2 * dist.get_world_size(), 1))
        >>> dist.all_gather_into_tensor(whole, ms.Tensor([[1.0], [2.0]]))
        >>> print(whole.flatten())
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.all_gather_into_tensor of MindSpore 2.10.
    """
    api = "all_gather_into_tensor"
    check_dtype(api, "output_tensor", output_tensor, input_tensor.dtype)
    members = partners(group)
    check_shape(api, "output_tensor", output_tensor, whole_shape(input_tensor, members.size))
    return carry(
        transfer.all_gather_op,
        input_tensor,
        group=members,
        write=Into(api, output_tensor),
        async_op=async_op,
    )


@public(
    "mint.distributed.all_gather_into_tensor_uneven",
    "ops.communication.all_gather_into_tensor_uneven",
    "ops.all_gather_into_tensor_uneven",
)
@checked
@documented
def all_gather_into_tensor_uneven(
    output: Given,
    input: Given,
    output_split_sizes: ListOf(Int) = None,
    group: Str = None,
    async_op: Bool = False,
):
    """Gathers the members' Tensors of different lengths along axis 0; all members get the result.

    Args:
        output: receives the result.
        input: this member's part; of equal dtype and, but for axis 0, equal shape on all.
        output_split_sizes: for each member the length of its part. By default they are equal.

    Raises:
        TypeError: if the dtypes differ.
        ValueError: if a shape does not fit `output_split_sizes`.
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> whole = ms.ops.zeros(2)
        >>> dist.all_gather_into_tensor_uneven(whole, ms.Tensor([1.0, 2.0]), output_split_sizes=[2])
        >>> print(whole)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.all_gather_into_tensor_uneven of MindSpore 2.10.
    """
    api = "all_gather_into_tensor_uneven"
    check_dtype(api, "output", output, input.dtype)
    members = partners(group)
    sizes = _sizes(api, "output_split_sizes", output_split_sizes, "output", output, members.size)
    check_shape(api, "input", input, (sizes[members.rank], *output.shape[1:]))
    repeated = transfer.repeated_op.run(input, members.size)
    return carry(
        transfer.exchange_op,
        repeated,
        [sizes[members.rank]] * members.size,
        sizes,
        group=members,
        write=Into(api, output),
        async_op=async_op,
    )


@public("mint.distributed.reduce_scatter_tensor")
@checked
@documented
def reduce_scatter_tensor(
    output: Given, input: Given, op: Str = "sum", group: Str = None, async_op: Bool = False
):
    """Reduces the members' Tensors and splits the result along axis 0; each member gets its part.

    Args:
        output: receives this member's part of the result.
        input: this member's part of the combination; of equal shape and dtype on all.
        op: "sum", "prod", "max", "min" or "avg", the sum divided by the group's size.

    Raises:
        TypeError: if `op` is not one of the five, or the dtypes differ.
        ValueError: if axis 0 of `input` cannot be split into equal parts, or `output` has another
            shape than a part.
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> part = ms.ops.zeros(2)
        >>> dist.reduce_scatter_tensor(part, ms.Tensor([1.0, 2.0]))
        >>> print(part)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.reduce_scatter_tensor of MindSpore 2.10.
    """
    api = "reduce_scatter_tensor"
    check_reduction(api, op)
    check_dtype(api, "output", output, input.dtype)
    members = partners(group)
    check_rows(api, "input", input, members.size)
    check_shape(api, "output", output, (input.shape[0] // members.size, *input.shape[1:]))
    return carry(
        transfer.reduce_scatter_op,
        input,
        op,
        group=members,
        write=Into(api, output),
        async_op=async_op,
    )


@public(
    "mint.distributed.reduce_scatter_tensor_uneven",
    "ops.communication.reduce_scatter_tensor_uneven",
    "ops.reduce_scatter_tensor_uneven",
)
@checked
@documented
def reduce_scatter_tensor_uneven(
    output: Given,
    input: Given,
    input_split_sizes: ListOf(Int) = None,
    op: Str = "sum",
    group: Str = None,
    async_op: Bool = False,
):
    """Reduces the members' Tensors; each member gets a part of its own length.

    Args:
        output: receives this member's part of the result.
        input: this member's part of the combination; of equal shape and dtype on all.
        input_split_sizes: for each member the length of its part of axis 0. By default they are
            equal.
        op: "sum", "max", "min" or "avg", the sum divided by the group's size.

    Raises:
        TypeError: if `op` is not one of the four, or the dtypes differ.
        ValueError: if a shape does not fit `input_split_sizes`.
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> part = ms.ops.zeros(2)
        >>> dist.reduce_scatter_tensor_uneven(part, ms.Tensor([1.0, 2.0]), input_split_sizes=[2])
        >>> print(part)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.reduce_scatter_tensor_uneven of MindSpore 2.10.
    """
    api = "reduce_scatter_tensor_uneven"
    check_reduction(api, op, ("sum", "min", "max", "avg"))
    check_dtype(api, "output", output, input.dtype)
    members = partners(group)
    sizes = _sizes(api, "input_split_sizes", input_split_sizes, "input", input, members.size)
    row_count = sizes[members.rank]
    check_shape(api, "output", output, (row_count, *input.shape[1:]))

    def combined(parts):
        return transfer.combined_op.run(parts, op, members.size)

    return carry(
        transfer.exchange_op,
        input,
        sizes,
        [row_count] * members.size,
        group=members,
        write=Into(api, output, first=combined),
        async_op=async_op,
        use=f"reduce_scatter_uneven ({op})",
    )


@public("ops.communication.gather_into_tensor", "ops.gather_into_tensor")
@checked
@documented
def gather_into_tensor(
    output_tensor: Given,
    input_tensor: Given,
    dst: Int = 0,
    group: Str = None,
    async_op: Bool = False,
):
    """Gathers the members' Tensors along axis 0; one member gets the result.

    Args:
        output_tensor: on `dst`, receives the result; on the other members it does not change.
        input_tensor: this member's part; of equal shape and dtype on all.
        dst: the world rank of the member that receives the result.

    Raises:
        TypeError: on `dst`, the dtypes differ.
        ValueError: on `dst`, `output_tensor` has another shape.
        RuntimeError: if the processes are not connected, there is no such group, or `dst` is not in
            it.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> whole = ms.ops.zeros(2)
        >>> ms.ops.gather_into_tensor(whole, ms.Tensor([1.0, 2.0]), dst=0)
        >>> print(whole)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.ops.communication.gather_into_tensor of MindSpore 2.10.
    """
    api = "gather_into_tensor"
    members = partners(group)
    root = member(api, members, group, dst)
    write = Into(api)
    if members.rank == root:
        check_dtype(api, "output_tensor", output_tensor, input_tensor.dtype)
        check_shape(api, "output_tensor", output_tensor, whole_shape(input_tensor, members.size))
        write = Into(api, output_tensor)
    return carry(
        transfer.gather_op, input_tensor, root, group=members, write=write, async_op=async_op
    )


@public("ops.communication.scatter_tensor", "ops.scatter_tensor")
@checked
@documented
def scatter_tensor(
    output_tensor: Given,
    input_tensor: Given,
    src: Int = 0,
    group: Str = None,
    async_op: Bool = False,
):
    """Scatters one member's Tensor along axis 0; each member gets its part.

    Args:
        output_tensor: receives this member's part; of equal shape and dtype on all.
        input_tensor: on `src`, the Tensor to split; ignored on the other members.
        src: the world rank of the member whose Tensor is split.

    Raises:
        TypeError: on `src`, the dtypes differ.
        ValueError: on `src`, `input_tensor` has another shape than all parts together.
        RuntimeError: if the processes are not connected, there is no such group, or `src` is not in
            it.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> part = ms.ops.zeros(2)
        >>> ms.ops.scatter_tensor(part, ms.Tensor([1.0, 2.0]), src=0)
        >>> print(part)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.ops.communication.scatter_tensor of MindSpore 2.10.
    """
    api = "scatter_tensor"
    members = partners(group)
    root = member(api, members, group, src)
    if members.rank == root:
        check_dtype(api, "input_tensor", input_tensor, output_tensor.dtype)
        check_shape(api, "input_tensor", input_tensor, whole_shape(output_tensor, members.size))
    else:
        input_tensor = transfer.empty_like(output_tensor, whole_shape(output_tensor, members.size))
    return carry(
        transfer.scatter_op,
        input_tensor,
        root,
        group=members,
        write=Into(api, output_tensor),
        async_op=async_op,
    )


@public("mint.distributed.barrier", "ops.communication.barrier", "ops.barrier")
@checked
@documented
def barrier(group: Str = None, async_op: Bool = False, device_ids: Any = None):
    """Barrier: waits until all members of the group have called it.

    Args:
        async_op: whether to return immediately, and wait in the handle's `wait()`.
        device_ids: not used.

    Raises:
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> dist.barrier()
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.barrier of MindSpore 2.10.
    """
    members = partners(group)
    if async_op:
        return CommHandle(members.arrive())
    members.barrier()
    return None


def _sizes(api, name, sizes, of, tensor, count):
    """Returns, for each member, the length of its part of axis 0 of a Tensor."""
    if sizes is None:
        check_rows(api, of, tensor, count)
        return [tensor.shape[0] // count] * count
    rows = tensor.shape[0] if tensor.shape else 0
    if len(sizes) != count or sum(sizes) != rows or min(sizes) < 0:
        raise ValueError(
            f"For '{api}', '{name}' must hold {count} lengths that add up to the "
            f"{rows} rows of '{of}', but got {sizes}."
        )
    return sizes
