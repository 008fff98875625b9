"""moe_distribute_dispatch sends tokens to the ranks of their experts, moe_distribute_combine sends
the results back.

MindSpore runs these operators on Ascend only, so its documentation of 2.10 is the reference. It
allows only certain numbers of ranks and features; these functions allow any. The products in
between are in _moe/grouped_matmul.py; experts of a single rank are in _moe/token_permute.py.
"""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Int, OneOf, Str, TensorOf, checked
from ..._core.tensor.dtype import float32
from ...communication import transfer
from .._communication.all_to_all import all_gather_uneven
from .._elementwise.quantize import quantized_by_rows
from .._rules import Float32, HalfPrecision
from .expert_ranks import (
    Ranks,
    by_expert,
    need_reserved,
    numbers,
    ordinals,
    rows_or_zeros,
    summed_parts,
    tensor_like,
    weighted_rows,
)

Given = TensorOf("float16", "bfloat16", "int8")
Int32 = TensorOf("int32")


# Dispatch -----------------------------------------------------------------------------------------


@public("ops.moe_distribute_dispatch")
@checked
def moe_distribute_dispatch(
    x: HalfPrecision,
    expert_ids: Int32,
    ep_world_size: Int,
    ep_rank_id: Int,
    moe_expert_num: Int,
    expert_scales: Float32 = None,
    scales: Float32 = None,
    x_active_mask: Any = None,
    group_ep: Str = None,
    group_tp: Str = None,
    tp_world_size: Int = 0,
    tp_rank_id: Int = 0,
    expert_shard_type: Int = 0,
    shared_expert_num: Int = 0,
    shared_expert_rank_num: Int = 0,
    quant_mode: OneOf(0, 2) = 0,
    global_bs: Int(ge=0) = 0,
    expert_token_nums_type: OneOf(0, 1) = 0,
):
    """Sends each token to the ranks of its experts.

    Every rank of the group calls it with its own tokens. Each rank gets the rows for its experts,
    sorted by expert, then by sending rank, then in the order of the sending rank; zeros follow. The
    ranks of the shared expert come first. Each of them serves an equal range of sending ranks.

    Args:
        x (Tensor): this rank's tokens, shape (tokens, features); float16 or bfloat16; at most 512.
        expert_ids (Tensor): the experts of each token, int32, shape (tokens, k), k at most 8.
        ep_world_size (int): the number of ranks of the group.
        ep_rank_id (int): the rank of this process in the group.
        moe_expert_num (int): the number of experts, without the shared one; at most 256, and a
            multiple of the number of ranks that hold them.
        expert_scales (Tensor): the weights of the experts' results, float32, of the shape of
            `expert_ids`; sent along with the tokens. Default: ``None``.
        scales (Tensor): for `quant_mode` 2, the factors by which features are multiplied first, one
            row per expert; float32, shape (shared_expert_num + moe_expert_num, features). Default:
            ``None``.
        x_active_mask (Tensor): reserved.
        group_ep (str): the group's name. Default: ``None``, the world.
        group_tp (str): the name of the group of ranks that share an expert (tensor parallelism).
            Default: ``None``.
        tp_world_size (int): 2 if there is such a group; else 0 or 1. Default: 0.
        tp_rank_id (int): the rank of this process in that group. Default: 0.
        expert_shard_type (int): must be 0: the ranks of the shared expert come first.
        shared_expert_num (int): 1 if there is a shared expert, which every token is sent to.
        shared_expert_rank_num (int): the number of ranks that hold it. Default: 0.
        quant_mode (int): 2 to send int8, with the scale of a row its largest magnitude / 127; else
            0.
        global_bs (int): the number of tokens of all ranks; if the ranks have different numbers, the
            largest number times the ranks; 0 if they have equal numbers. Default: 0.
        expert_token_nums_type (int): whether the numbers of rows per expert are returned
            cumulatively (0) or separately (1). Default: 0.

    Returns:
        tuple of 7 Tensors:

        - **expand_x** - the rows, shape (A, features), of the dtype of `x` or int8. A is global_bs
          (or tokens * ep_world_size) times min(experts of a rank, k); on a rank of the shared
          expert it is divided by the number of these ranks. With tensor parallelism it holds the
          rows of both ranks, 2 * A.
        - **dynamic_scales** - the scales of the rows, float32, (A,); empty for `quant_mode` 0.
        - **expand_idx** - for each copy of each token the number of earlier copies to the same
          expert, int32, (tokens * k,).
        - **expert_token_nums** - the number of rows of each of this rank's experts, int64.
        - **ep_recv_counts** - the number of rows of each of this rank's experts from each rank,
          int32, (experts of a rank * ep_world_size,), for each rank of tensor parallelism.
        - **tp_recv_counts** - the number of rows of each rank of tensor parallelism, int32; empty
          without tensor parallelism.
        - **expand_scales** - the `expert_scales` of the rows, float32, (A,), 1 for the shared
          expert; empty without `expert_scales`.

    Raises:
        TypeError: if a dtype is not one of those listed, or an argument has the wrong type.
        ValueError: if shapes or numbers are not as described.
        RuntimeError: if a group does not exist, or its size or this process's rank in it differs
            from the arguments.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import Tensor, ops
        >>> x = Tensor(np.array([[1, 2], [3, 4]], np.float16))
        >>> ids = Tensor(np.array([[2, 0], [1, 0]], np.int32))
        >>> found = ops.moe_distribute_dispatch(x, ids, 1, 0, 3, expert_token_nums_type=1)
        >>> print(found[0].tolist(), found[2], found[3])
        [[1.0, 2.0], [3.0, 4.0], [3.0, 4.0], [1.0, 2.0]] [0 0 0 1] [2 1 1]

    Source: mindspore.ops.moe_distribute_dispatch of MindSpore 2.10.
    """
    ranks = Ranks(
        "moe_distribute_dispatch",
        (group_ep, ep_world_size, ep_rank_id),
        (group_tp, tp_world_size, tp_rank_id),
        moe_expert_num,
        (shared_expert_num, shared_expert_rank_num),
    )
    need_reserved(ranks, x_active_mask=x_active_mask, expert_shard_type=expert_shard_type)
    copies = ranks.copies(expert_ids)
    _need_tokens(ranks, x, expert_ids, expert_scales, scales, quant_mode)
    order = sorted(range(len(copies)), key=copies.__getitem__)
    rows = _rows(x, expert_ids, order)
    payload = [rows] if quant_mode == 0 else _in_bytes(ranks, rows, order, copies, scales)
    if expert_scales is not None:
        payload.append(_row_scales(expert_scales, order))
    sizes = *expert_ids.shape, global_bs
    payload, arrivals = _send(ranks, payload, copies, sizes)
    nothing = tensor_like(x, [], "float32")
    expand_x, units = payload[0], payload[1] if quant_mode else nothing
    weights = nothing if expert_scales is None else payload[-1]
    return (
        expand_x,
        units,
        tensor_like(x, ordinals(copies[: expert_ids.size])),
        *_counts_for_combine(ranks, x, arrivals, expert_token_nums_type),
        weights,
    )


def _need_tokens(ranks, x, expert_ids, expert_scales, scales, quant_mode):
    """Checks the shapes to send."""
    rows = ranks.experts + (1 if ranks.holders else 0)
    if x.ndim != 2 or x.shape[0] != expert_ids.shape[0]:
        ranks.refuse(f"'x' must have shape ({expert_ids.shape[0]}, features), but got {x.shape}")
    if expert_scales is not None and expert_scales.shape != expert_ids.shape:
        ranks.refuse(
            f"'expert_scales' must have the shape of 'expert_ids', {expert_ids.shape}, "
            f"but got {expert_scales.shape}"
        )
    if scales is not None and (not quant_mode or scales.shape != (rows, x.shape[1])):
        ranks.refuse(
            f"'scales' must be given for 'quant_mode' 2 only, with shape "
            f"({rows}, {x.shape[1]}), but got {scales.shape} for {quant_mode}"
        )


def _rows(x, expert_ids, order):
    """Returns the token of each copy."""
    count, k = expert_ids.size, expert_ids.shape[1]
    return rows_or_zeros.run(x, tensor_like(x, [i // k if i < count else i - count for i in order]))


def _in_bytes(ranks, rows, order, copies, scales):
    """Quantizes rows to int8; returns them and their scales."""
    if scales is not None:
        first = ranks.holders  # the ranks of the shared expert use one row of scales
        at = [max(0, copies[i] - first + (1 if first else 0)) for i in order]
        rows = rows * rows_or_zeros.run(scales, tensor_like(rows, at))
    return list(quantized_by_rows.run(rows))


def _row_scales(expert_scales, order):
    """Returns the scale of each copy; 1 for copies to the shared expert."""
    flat, count = expert_scales.reshape(-1), expert_scales.size
    scales = rows_or_zeros.run(flat, tensor_like(flat, [i if i < count else -1 for i in order]))
    return scales + tensor_like(flat, [float(i >= count) for i in order], "float32")


def _send(ranks, rows, copies, sizes):
    """Sends rows to the ranks of their experts.

    Returns a Tensor for each Tensor of `rows`: the rows that arrive at this rank, sorted by expert
    and padded with zeros. Also returns the counts of the arriving rows, a table for each rank of
    tensor parallelism.
    """
    tokens, k, global_bs = sizes
    counts = ranks.counts(copies)
    table = ranks.group.objects((tokens, counts))
    if not global_bs and any(count != tokens for count, _ in table):
        ranks.refuse(
            f"'global_bs' must be given where the ranks have different numbers of tokens, "
            f"but got 0 for {[count for count, _ in table]}"
        )
    table = [part for _, part in table]
    for rank in range(ranks.size):
        capacity = ranks.capacity(rank, tokens, k, global_bs)
        coming = sum(ranks.by_rank(part)[rank] for part in table)
        if coming > capacity:
            ranks.refuse(
                f"'global_bs' must leave room for the {coming} rows of rank {rank}, but "
                f"got {global_bs} for {capacity}"
            )
    arriving = ranks.arriving(table)
    indices, receive_counts = by_expert(arriving), [sum(part) for part in arriving]
    capacity = ranks.capacity(ranks.rank, tokens, k, global_bs) * ranks.parts
    lengths, arrivals = [len(indices)], [arriving]
    if ranks.tensor is not None:
        lengths, arrivals = map(list, zip(*ranks.tensor.objects((len(indices), arriving))))
    results = []
    for part in rows:
        part = transfer.exchange_op.run(part, ranks.by_rank(counts), receive_counts, ranks.group)
        part = rows_or_zeros.run(part, tensor_like(part, indices))
        if ranks.tensor is not None:
            part = all_gather_uneven.run(part, lengths, ranks.tensor)
        row_indices = [*range(sum(lengths)), *[-1] * (capacity - sum(lengths))]
        results.append(rows_or_zeros.run(part, tensor_like(part, row_indices)))
    return results, arrivals


def _counts_for_combine(ranks, x, arrivals, kind):
    """Returns three Tensors of row counts: for each expert of this rank, for each expert and each
    sending rank, and for each rank of tensor parallelism.

    If `kind` is 0, the first holds running totals. Without tensor parallelism the third is empty.
    """
    expert_count = len(ranks.slots(ranks.rank))
    totals, running = (
        [sum(counts[e] for part in arrivals for counts in part) for e in range(expert_count)],
        [],
    )
    for count in totals:
        running.append(count + (running[-1] if running else 0))
    by_rank = [counts[e] for part in arrivals for e in range(expert_count) for counts in part]
    parts = [] if ranks.tensor is None else [sum(map(sum, part)) for part in arrivals]
    return (
        tensor_like(x, totals if kind else running, "int64"),
        tensor_like(x, by_rank),
        tensor_like(x, parts),
    )


# Combine ------------------------------------------------------------------------------------------


@public("ops.moe_distribute_combine")
@checked
def moe_distribute_combine(
    expand_x: Given,
    expert_ids: Int32,
    expand_idx: Int32,
    ep_send_counts: Int32,
    expert_scales: Float32,
    ep_world_size: Int,
    ep_rank_id: Int,
    moe_expert_num: Int,
    tp_send_counts: Int32 = None,
    x_active_mask: Any = None,
    activate_scale: Any = None,
    weight_scale: Any = None,
    group_list: Any = None,
    expand_scales: Float32 = None,
    group_ep: Str = None,
    group_tp: Str = None,
    tp_world_size: Int = 0,
    tp_rank_id: Int = 0,
    expert_shard_type: Int = 0,
    shared_expert_num: Int = 0,
    shared_export_rank_num: Int = 0,
    global_bs: Int(ge=0) = 0,
    out_dtype: Int = 0,
    common_quant_mode: Int = 0,
    group_list_type: Int = 0,
):
    """Sends the experts' results back to their tokens, and sums them.

    The result of a token is the sum of its experts' rows, each times its scale, plus the row of the
    shared expert. Sums are computed in float32.

    Args:
        expand_x (Tensor): the results of this rank's experts for the rows of `expand_x` that
            `moe_distribute_dispatch` returned, in the same order, shape (A, features); float16,
            bfloat16 or int8. With tensor parallelism, each rank passes its part of the sums.
        expert_ids (Tensor): the experts of each token, int32, shape (tokens, k).
        expand_idx (Tensor): as returned by `moe_distribute_dispatch`.
        ep_send_counts (Tensor): the `ep_recv_counts` that it returned.
        expert_scales (Tensor): the weights of the experts' results, float32, of the shape of
            `expert_ids`.
        ep_world_size (int): the number of ranks of the group.
        ep_rank_id (int): the rank of this process in the group.
        moe_expert_num (int): the number of experts, without the shared one.
        tp_send_counts (Tensor): the `tp_recv_counts` that `moe_distribute_dispatch` returned, with
            tensor parallelism.
        x_active_mask (Tensor): reserved.
        activate_scale (Tensor): reserved.
        weight_scale (Tensor): reserved.
        group_list (Tensor): reserved.
        expand_scales (Tensor): as returned by `moe_distribute_dispatch`, float32, (A,). If given,
            the rows are multiplied by it before they are sent, and not by `expert_scales`
            afterwards. Default: ``None``.
        group_ep (str): the group's name. Default: ``None``, the world.
        group_tp (str): the name of the group of ranks that share an expert (tensor parallelism).
            Default: ``None``.
        tp_world_size (int): 2 if there is such a group; else 0 or 1. Default: 0.
        tp_rank_id (int): the rank of this process in that group. Default: 0.
        expert_shard_type (int): must be 0: the ranks of the shared expert come first.
        shared_expert_num (int): 1 if there is a shared expert. Default: 0.
        shared_export_rank_num (int): the number of ranks that hold it. Default: 0.
        global_bs (int): as for `moe_distribute_dispatch`; it determines the rows of `expand_x`.
        out_dtype (int): reserved.
        common_quant_mode (int): reserved.
        group_list_type (int): reserved.

    Returns:
        Tensor, shape (tokens, features), of the dtype of `expand_x`.

    Raises:
        TypeError: if a dtype is not one of those listed, or an argument has the wrong type.
        ValueError: if shapes or numbers are not as described, or the counts of a rank differ from
            what the others sent.
        RuntimeError: if a group does not exist, or its size or this process's rank in it differs
            from the arguments.

    Source: mindspore.ops.moe_distribute_combine of MindSpore 2.10.
    """
    ranks = Ranks(
        "moe_distribute_combine",
        (group_ep, ep_world_size, ep_rank_id),
        (group_tp, tp_world_size, tp_rank_id),
        moe_expert_num,
        (shared_expert_num, shared_export_rank_num),
    )
    dtype = str(expand_x.dtype).lower()
    need_reserved(
        ranks,
        x_active_mask=x_active_mask,
        activate_scale=activate_scale,
        weight_scale=weight_scale,
        group_list=group_list,
        out_dtype=out_dtype,
        common_quant_mode=common_quant_mode,
        group_list_type=group_list_type,
        expert_shard_type=expert_shard_type,
    )
    copies = ranks.copies(expert_ids)
    _need_results(ranks, expand_x, expert_ids, expand_idx, expert_scales, expand_scales)
    capacity = ranks.capacity(ranks.rank, *expert_ids.shape, global_bs) * ranks.parts
    if expand_x.shape[0] < capacity:
        ranks.refuse(f"'expand_x' must have {capacity} rows, but got {expand_x.shape[0]}")
    if expand_scales is not None:
        expand_x = expand_x.astype(float32) * expand_scales.expand_dims(-1)
    back = _return_rows(ranks, expand_x, copies, numbers(ep_send_counts), numbers(tp_send_counts))
    starts, count = [0], expert_ids.size
    for rows_of_slot in ranks.counts(copies):
        starts.append(starts[-1] + rows_of_slot)
    indices = [starts[slot] + i for slot, i in zip(copies, numbers(expand_idx))]
    shared = [starts[slot] + t for t, slot in enumerate(copies[count:])]
    indices = tensor_like(back, indices).reshape(expert_ids.shape)
    return weighted_rows.run(
        back,
        indices,
        expert_scales if expand_scales is None else None,
        tensor_like(back, shared) if shared else None,
        dtype,
    )


def _need_results(ranks, expand_x, expert_ids, expand_idx, expert_scales, expand_scales):
    """Checks the shapes to return."""
    if expand_x.ndim != 2:
        ranks.refuse(f"'expand_x' must have shape (rows, features), but got {expand_x.shape}")
    if expert_scales.shape != expert_ids.shape:
        ranks.refuse(
            f"'expert_scales' must have the shape of 'expert_ids', {expert_ids.shape}, "
            f"but got {expert_scales.shape}"
        )
    if expand_scales is not None and expand_scales.shape != expand_x.shape[:1]:
        ranks.refuse(
            f"'expand_scales' must have shape {expand_x.shape[:1]}, but got {expand_scales.shape}"
        )
    if numbers(expand_idx) != ordinals(numbers(expert_ids)):
        ranks.refuse(
            "'expand_idx' must count the copies for each expert, as the dispatch of these "
            f"'expert_ids' gave it, but got {numbers(expand_idx)}"
        )


def _return_rows(ranks, x, copies, counts, parts):
    """Returns the rows of this rank's copies, in the order in which they were sent."""
    expert_count = len(ranks.slots(ranks.rank))
    step = expert_count * ranks.size
    lengths = [sum(counts[i : i + step]) for i in range(0, len(counts), step)]
    shares = [] if ranks.tensor is None else parts
    if len(counts) != step * ranks.parts or ranks.parts > 1 and shares != lengths:
        ranks.refuse(
            f"'ep_send_counts' must hold {step * ranks.parts} counts, and "
            f"'tp_send_counts' their sums, but got {counts} and {parts}"
        )
    if ranks.tensor is not None:
        x = x[: sum(lengths)]
        mine = [lengths[ranks.tensor.rank]] * ranks.parts
        x = transfer.exchange_op.run(x, lengths, mine, ranks.tensor)
        x = summed_parts.run(x, ranks.parts)
        counts = counts[step * ranks.tensor.rank :][:step]
    back = ranks.counts(copies)
    arriving = [counts[source :: ranks.size] for source in range(ranks.size)]
    table = ranks.group.objects((back, arriving))
    for rank, (_, received) in enumerate(table):
        own_counts = [
            [counts_of_ranks[slot] for slot in ranks.slots(rank)] for counts_of_ranks, _ in table
        ]
        if received != own_counts:
            ranks.refuse(
                f"'ep_send_counts' of rank {rank} must be what the others sent, {own_counts}, "
                f"but got {received}"
            )
    order = by_expert(arriving)
    inverse = sorted(range(len(order)), key=order.__getitem__)
    x = rows_or_zeros.run(x, tensor_like(x, inverse))
    return transfer.exchange_op.run(
        x, [sum(counts_of_rank) for counts_of_rank in arriving], ranks.by_rank(back), ranks.group
    )
