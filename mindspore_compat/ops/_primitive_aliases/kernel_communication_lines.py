"""Collectives of `ops.auto_generate` that the original runs on an Ascend alone.

A collective writes into the Tensors it is given and gives (what it gives, a handle to wait on);
members of a group are given by their rank in the group. What is more than one expression is in
kernel_communication.py.
"""

from . import kernel_communication
from .alias import Names, alias

communication, distributed = Names("ops.communication"), Names("mint.distributed")


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
    return kernel_communication.exchanged_into(
        other, input, group, send_numel_list, recv_numel_list, async_op
    )


@alias(
    "ops.auto_generate.DistCommAllToAllVSingle()(other, input, group, send_numel_list, "
    "recv_numel_list, rank_size, split_sizes_empty, async_op=True)"
)
def dist_comm_all_to_all_v_single(
    other, input, group, send_numel_list, recv_numel_list, rank_size, split_sizes_empty, async_op
):
    return kernel_communication.exchanged_into(
        other, input, group, send_numel_list, recv_numel_list, async_op
    )


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


@alias("ops.auto_generate.DistCommBatchIsendIrecv()(input, group, op_types, remotes_ranks)")
def dist_comm_batch_isend_irecv(input, group, op_types, remotes_ranks):
    return kernel_communication.started(input, group, op_types, remotes_ranks)


@alias("ops.auto_generate.DistCommBroadcast()(input, src, rank_id, group, async_op=True)")
def dist_comm_broadcast(input, src, rank_id, group, async_op):
    return (
        input,
        distributed.broadcast(input, kernel_communication.member(group, src), group, async_op),
    )


@alias(
    "ops.auto_generate.DistCommGather()(input, gather_list, rank_size, dst, rank_id, group, "
    "async_op=True)"
)
def dist_comm_gather(input, gather_list, rank_size, dst, rank_id, group, async_op):
    return (
        gather_list,
        distributed.gather(
            input, gather_list, kernel_communication.member(group, dst), group, async_op
        ),
    )


@alias(
    "ops.auto_generate.DistCommGatherIntoTensor()(other, input, rank_size, dst, rank_id, "
    "group, async_op=True)"
)
def dist_comm_gather_into_tensor(other, input, rank_size, dst, rank_id, group, async_op):
    return (
        other,
        communication.gather_into_tensor(
            other, input, kernel_communication.member(group, dst), group, async_op
        ),
    )


@alias("ops.auto_generate.DistCommIrecv()(input, tag, src, group)")
def dist_comm_irecv(input, tag, src, group):
    return (input, distributed.irecv(input, kernel_communication.member(group, src), group, tag))


@alias("ops.auto_generate.DistCommIsend()(input, dst, group, tag)")
@alias("ops.auto_generate.InnerCommIsend()(input, dst, group, tag)")
def comm_isend(input, dst, group, tag):
    return (input, distributed.isend(input, kernel_communication.member(group, dst), group, tag))


@alias("ops.auto_generate.DistCommReduce()(input, op_type, dst, group, async_op=True)")
def dist_comm_reduce(input, op_type, dst, group, async_op):
    return (
        input,
        distributed.reduce(
            input, kernel_communication.member(group, dst), op_type, group, async_op
        ),
    )


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
    return (
        other,
        distributed.scatter(
            other, scatter_list, kernel_communication.member(group, src), group, async_op
        ),
    )


@alias(
    "ops.auto_generate.DistCommScatterTensor()(other, input, rank_size, src, rank_id, group, "
    "async_op=True)"
)
def dist_comm_scatter_tensor(other, input, rank_size, src, rank_id, group, async_op):
    return (
        other,
        communication.scatter_tensor(
            other, input, kernel_communication.member(group, src), group, async_op
        ),
    )


alias(
    "ops.auto_generate.InnerCommAllGather()(input, rank_size, group, async_op=True)",
    kernel_communication.gathered,
)
alias(
    "ops.auto_generate.InnerCommAllReduce()(input, op_type, group, async_op=True)",
    kernel_communication.reduced,
)


@alias(
    "ops.auto_generate.InnerCommAllToAllV()(input, group, send_numel_list, recv_numel_list, "
    "rank_size, split_sizes_empty, async_op=True)"
)
def inner_comm_all_to_all_v(
    input, group, send_numel_list, recv_numel_list, rank_size, split_sizes_empty, async_op
):
    return kernel_communication.exchanged(input, group, send_numel_list, recv_numel_list, async_op)


alias(
    "ops.auto_generate.InnerCommIrecv()(tag, src, shape, group, dtype)",
    kernel_communication.received,
)
alias(
    "ops.auto_generate.InnerCommReduceScatter()(input, rank_size, op_type, group, async_op=True)",
    kernel_communication.reduced_parts,
)
