"""Collectives of `ops.auto_generate` that MindSpore runs only on Ascend.

The `InnerComm` collectives return new Tensors; the `DistComm` collectives write into their
arguments. Both return (result, handle to wait on); the handle is None if the result is already
complete. Members are given by their rank in the group.
"""

from ..._core.tensor.tensor import Tensor
from .._primitive_aliases.alias import alias, communication, distributed, methods, ops


def member(group, rank):
    """Returns the world rank of a member of a group."""
    return distributed.get_global_rank(group, rank)


class _Filling:
    """A pending exchange into one flat Tensor; `wait` copies its parts into other Tensors."""

    def __init__(self, flat, targets, pending):
        self.flat, self.targets, self.pending = flat, targets, pending

    def wait(self):
        """Waits for the exchange, and fills the Tensors."""
        self.pending.wait()
        start = 0
        for target in self.targets:
            part = self.flat[start : start + target.size]
            methods.copy_(target, ops.reshape(part, target.shape))
            start += target.size


@alias("ops.auto_generate.InnerCommAllGather()(input, rank_size, group, async_op=True)")
def gathered(input, rank_size, group, async_op):
    """Returns the Tensors of all members, concatenated along axis 0."""
    result = ops.zeros((rank_size * input.shape[0], *input.shape[1:]), input.dtype)
    return result, distributed.all_gather_into_tensor(result, input, group, async_op)


@alias("ops.auto_generate.InnerCommAllReduce()(input, op_type, group, async_op=True)")
def reduced(input, op_type, group, async_op):
    """Returns the Tensors of all members, reduced."""
    result = methods.copy(input)
    return result, distributed.all_reduce(result, op_type, group, async_op)


@alias(
    "ops.auto_generate.InnerCommReduceScatter()(input, rank_size, op_type, group, async_op=True)"
)
def reduced_parts(input, rank_size, op_type, group, async_op):
    """Returns this member's part of the reduced Tensors of all members."""
    result = ops.zeros((input.shape[0] // rank_size, *input.shape[1:]), input.dtype)
    return result, distributed.reduce_scatter_tensor(result, input, op_type, group, async_op)


@alias("ops.auto_generate.InnerCommIrecv()(tag, src, shape, group, dtype)")
def received(tag, src, shape, group, dtype):
    """Returns the Tensor that a member sends."""
    result = ops.zeros(tuple(shape), dtype)
    return result, distributed.irecv(result, member(group, src), group, tag)


def exchanged(input, group, send_counts, receive_counts, async_op):
    """Exchanges elements: sends `send_counts` of them to each member and receives `receive_counts`
    from each."""
    result = ops.zeros((sum(receive_counts),), input.dtype)
    handle = distributed.all_to_all_single(
        result, ops.reshape(input, (-1,)), list(receive_counts), list(send_counts), group, async_op
    )
    return result, handle


def exchanged_into(other, input, group, send_counts, receive_counts, async_op):
    """Writes the result of `exchanged` into a Tensor, or its parts into a list of Tensors in
    order."""
    targets = [other] if isinstance(other, Tensor) else list(other)
    flat, pending = exchanged(input, group, send_counts, receive_counts, True)
    handle = _Filling(flat, targets, pending)
    if async_op:
        return other, handle
    handle.wait()
    return other, None


@alias("ops.auto_generate.DistCommBatchIsendIrecv()(input, group, op_types, remotes_ranks)")
def dist_comm_batch_isend_irecv(input, group, op_types, remotes_ranks):
    """Starts several sends and receives together; returns (the received Tensors, a handle)."""
    calls = {"isend": distributed.isend, "irecv": distributed.irecv}
    requests = [
        distributed.P2POp(calls[kind], tensor, member(group, rank), group)
        for tensor, kind, rank in zip(input, op_types, remotes_ranks, strict=True)
    ]
    return input, distributed.batch_isend_irecv(requests)[-1]


@alias("ops.auto_generate.DistCommAllGather()(tensor_list, input, rank_size, group, async_op=True)")
def dist_comm_all_gather(tensor_list, input, rank_size, group, async_op):
    return (tensor_list, distributed.all_gather(tensor_list, input, group, async_op))


@alias(
    "ops.auto_generate.DistCommAllGatherIntoTensor()(other, input, rank_size, group, async_op=True)"
)
def dist_comm_all_gather_into_tensor(other, input, rank_size, group, async_op):
    return (other, distributed.all_gather_into_tensor(other, input, group, async_op))


@alias(
    "ops.auto_generate.DistCommAllGatherIntoTensorUneven()(other, input, output_split_sizes, "
    "rank_size, group, async_op=True)"
)
def dist_comm_all_gather_into_tensor_uneven(
    other, input, output_split_sizes, rank_size, group, async_op
):
    return (
        other,
        distributed.all_gather_into_tensor_uneven(
            other, input, output_split_sizes or None, group, async_op
        ),
    )


@alias("ops.auto_generate.DistCommAllReduce()(input, op_type, group, async_op=True)")
def dist_comm_all_reduce(input, op_type, group, async_op):
    return (input, distributed.all_reduce(input, op_type, group, async_op))


@alias(
    "ops.auto_generate.DistCommAllToAllV()(other, input, group, send_numel_list, "
    "recv_numel_list, rank_size, async_op=True)"
)
def dist_comm_all_to_all_v(
    other, input, group, send_numel_list, recv_numel_list, rank_size, async_op
):
    return exchanged_into(other, input, group, send_numel_list, recv_numel_list, async_op)


@alias(
    "ops.auto_generate.DistCommAllToAllVSingle()(other, input, group, send_numel_list, "
    "recv_numel_list, rank_size, split_sizes_empty, async_op=True)"
)
def dist_comm_all_to_all_v_single(
    other, input, group, send_numel_list, recv_numel_list, rank_size, split_sizes_empty, async_op
):
    return exchanged_into(other, input, group, send_numel_list, recv_numel_list, async_op)


@alias(
    "ops.auto_generate.DistCommAllToAllVC()(other, input, group, send_count_matrix, rank_size, "
    "rank_id, async_op=True)"
)
def dist_comm_all_to_all_vc(other, input, group, send_count_matrix, rank_size, rank_id, async_op):
    return (other, communication.all_to_all_v_c(other, input, send_count_matrix, group, async_op))


alias(
    "ops.auto_generate.DistCommBarrier()(group, async_op=True)",
    lambda group, async_op: (None, distributed.barrier(group, async_op)),
)


@alias("ops.auto_generate.DistCommBroadcast()(input, src, rank_id, group, async_op=True)")
def dist_comm_broadcast(input, src, rank_id, group, async_op):
    return (input, distributed.broadcast(input, member(group, src), group, async_op))


@alias(
    "ops.auto_generate.DistCommGather()(input, gather_list, rank_size, dst, rank_id, group, "
    "async_op=True)"
)
def dist_comm_gather(input, gather_list, rank_size, dst, rank_id, group, async_op):
    return (
        gather_list,
        distributed.gather(input, gather_list, member(group, dst), group, async_op),
    )


@alias(
    "ops.auto_generate.DistCommGatherIntoTensor()(other, input, rank_size, dst, rank_id, "
    "group, async_op=True)"
)
def dist_comm_gather_into_tensor(other, input, rank_size, dst, rank_id, group, async_op):
    return (
        other,
        communication.gather_into_tensor(other, input, member(group, dst), group, async_op),
    )


@alias("ops.auto_generate.DistCommIrecv()(input, tag, src, group)")
def dist_comm_irecv(input, tag, src, group):
    return (input, distributed.irecv(input, member(group, src), group, tag))


@alias("ops.auto_generate.DistCommIsend()(input, dst, group, tag)")
@alias("ops.auto_generate.InnerCommIsend()(input, dst, group, tag)")
def comm_isend(input, dst, group, tag):
    return (input, distributed.isend(input, member(group, dst), group, tag))


@alias("ops.auto_generate.DistCommReduce()(input, op_type, dst, group, async_op=True)")
def dist_comm_reduce(input, op_type, dst, group, async_op):
    return (input, distributed.reduce(input, member(group, dst), op_type, group, async_op))


@alias(
    "ops.auto_generate.DistCommReduceScatter()(other, input_list, rank_size, op_type, group, "
    "async_op=True)"
)
def dist_comm_reduce_scatter(other, input_list, rank_size, op_type, group, async_op):
    return (other, distributed.reduce_scatter(other, input_list, op_type, group, async_op))


@alias(
    "ops.auto_generate.DistCommReduceScatterTensor()(other, input, rank_size, op_type, group, "
    "async_op=True)"
)
def dist_comm_reduce_scatter_tensor(other, input, rank_size, op_type, group, async_op):
    return (other, distributed.reduce_scatter_tensor(other, input, op_type, group, async_op))


@alias(
    "ops.auto_generate.DistCommReduceScatterTensorUneven()(other, input, input_split_size, "
    "rank_size, op_type, group, async_op=True)"
)
def dist_comm_reduce_scatter_tensor_uneven(
    other, input, input_split_size, rank_size, op_type, group, async_op
):
    return (
        other,
        distributed.reduce_scatter_tensor_uneven(
            other, input, input_split_size or None, op_type, group, async_op
        ),
    )


@alias(
    "ops.auto_generate.DistCommScatter()(other, scatter_list, rank_size, src, rank_id, group, "
    "async_op=True)"
)
def dist_comm_scatter(other, scatter_list, rank_size, src, rank_id, group, async_op):
    return (other, distributed.scatter(other, scatter_list, member(group, src), group, async_op))


@alias(
    "ops.auto_generate.DistCommScatterTensor()(other, input, rank_size, src, rank_id, group, "
    "async_op=True)"
)
def dist_comm_scatter_tensor(other, input, rank_size, src, rank_id, group, async_op):
    return (other, communication.scatter_tensor(other, input, member(group, src), group, async_op))


@alias(
    "ops.auto_generate.InnerCommAllToAllV()(input, group, send_numel_list, recv_numel_list, "
    "rank_size, split_sizes_empty, async_op=True)"
)
def inner_comm_all_to_all_v(
    input, group, send_numel_list, recv_numel_list, rank_size, split_sizes_empty, async_op
):
    return exchanged(input, group, send_numel_list, recv_numel_list, async_op)
