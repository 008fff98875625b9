"""All-to-all exchanges: all_to_all, all_to_all_single, all_to_all_v_c."""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Int, ListOf, Str, TupleOf, checked
from .. import transfer
from ..all_to_all import rows_of
from ..groups import partners
from ._documented import documented
from .writing import Given, Into, Several, carry, check_dtype, check_shape

Sizes = ListOf(Int) | TupleOf(Int)


@public("mint.distributed.all_to_all")
@checked
@documented
def all_to_all(
    output_tensor_list: Several,
    input_tensor_list: Several,
    group: Str = None,
    async_op: Bool = False,
):
    """Sends one Tensor to each member and receives one from each.

    Args:
        output_tensor_list: for each member, the Tensor that receives its data.
        input_tensor_list: for each member, the Tensor to send to it; all of one dtype.

    Raises:
        TypeError: if a list has another length than the group, or the dtypes differ.
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> received = [ms.ops.zeros(2)]
        >>> dist.all_to_all(received, [ms.Tensor([1.0, 2.0])])
        >>> print(*received)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.all_to_all of MindSpore 2.10.
    """
    members = partners(group)
    lists = {"output_tensor_list": output_tensor_list, "input_tensor_list": input_tensor_list}
    for name, tensors in lists.items():
        if len(tensors) != members.size:
            raise TypeError(
                f"For 'all_to_all', '{name}' must hold a Tensor for each of the "
                f"{members.size} members, but got {len(tensors)}."
            )
        for index, tensor in enumerate(tensors):
            check_dtype("all_to_all", f"{name}[{index}]", tensor, input_tensor_list[0].dtype)
    send_counts, received = (
        [tensor.size for tensor in tensors] for tensors in (input_tensor_list, output_tensor_list)
    )
    return carry(
        transfer.exchange_op,
        transfer.flat_op.run(tuple(input_tensor_list)),
        send_counts,
        received,
        group=members,
        write=Into("all_to_all", *output_tensor_list),
        async_op=async_op,
    )


@public("mint.distributed.all_to_all_single")
@checked
@documented
def all_to_all_single(
    output: Given,
    input: Given,
    output_split_sizes: Sizes = None,
    input_split_sizes: Sizes = None,
    group: Str = None,
    async_op: Bool = False,
):
    """Sends rows of axis 0 to each member and joins the rows from all members along axis 0.

    Args:
        output: the Tensor that receives the data.
        input: the Tensor to send.
        output_split_sizes: the rows from each member. If None or empty, equal parts.
        input_split_sizes: the rows to each member. If None or empty, equal parts.

    Raises:
        TypeError: if the dtypes differ.
        ValueError: if split sizes do not fit the shapes, or axis 0 cannot be cut into equal parts.
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> received = ms.ops.zeros(2)
        >>> dist.all_to_all_single(received, ms.Tensor([1.0, 2.0]))
        >>> print(received)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.mint.distributed.all_to_all_single of MindSpore 2.10.
    """
    api = "all_to_all_single"
    check_dtype(api, "output", output, input.dtype)
    members = partners(group)
    send_counts = rows_of(
        api, "input_split_sizes", input_split_sizes or None, input.shape, members.size
    )
    received = rows_of(
        api, "output_split_sizes", output_split_sizes or None, output.shape, members.size
    )
    check_shape(api, "output", output, (sum(received), *input.shape[1:]))
    return carry(
        transfer.exchange_op,
        input,
        send_counts,
        received,
        group=members,
        write=Into(api, output),
        async_op=async_op,
    )


@public("ops.communication.all_to_all_v_c", "ops.all_to_all_v_c")
@checked
@documented
def all_to_all_v_c(
    output: Given,
    input: Given,
    send_count_matrix: ListOf(Int),
    group: Str = None,
    async_op: Bool = False,
):
    """Sends rows of axis 0 to each member and joins the rows from all members along axis 0.

    Args:
        output: the Tensor that receives the data.
        input: the Tensor to send.
        send_count_matrix: for each sender, for each receiver, how many rows; one list, the same on
            all members.

    Raises:
        TypeError: if the matrix has another size than the group's squared, or the dtypes differ.
        ValueError: if the counts do not fit the shapes.
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> received = ms.ops.zeros(2)
        >>> ms.ops.all_to_all_v_c(received, ms.Tensor([1.0, 2.0]), send_count_matrix=[2])
        >>> print(received)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.ops.communication.all_to_all_v_c of MindSpore 2.10.
    """
    api = "all_to_all_v_c"
    check_dtype(api, "output", output, input.dtype)
    members = partners(group)
    size = members.size
    if len(send_count_matrix) != size * size:
        raise TypeError(
            f"For '{api}', 'send_count_matrix' must hold {size * size} counts, but got "
            f"{len(send_count_matrix)}."
        )
    send_counts = send_count_matrix[members.rank * size : (members.rank + 1) * size]
    received = send_count_matrix[members.rank :: size]
    if min(send_count_matrix) < 0:
        raise ValueError(
            f"For '{api}', 'send_count_matrix' must hold counts, but got {send_count_matrix}."
        )
    check_shape(api, "input", input, (sum(send_counts), *output.shape[1:]))
    check_shape(api, "output", output, (sum(received), *input.shape[1:]))
    return carry(
        transfer.exchange_op,
        input,
        send_counts,
        received,
        group=members,
        write=Into(api, output),
        async_op=async_op,
    )
