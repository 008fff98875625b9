"""Primitives of `ops.auto_generate` for attention, experts and products with exchanges."""

from .alias import alias, ops


def _ones(indices, copies, like):
    """A weight of 1 for each copy of each token."""
    return ops.ones((indices.shape[0] // copies, copies), like.dtype)


alias(
    "ops.auto_generate.AllGatherMatmul()(input, x2, group, world_size, bias=None, "
    "gather_index=0, gather_output=True, comm_turn=0, trans_input=False, trans_x2=False)",
    "ops.all_gather_matmul",
)
alias(
    "ops.auto_generate.BatchNormGatherStatsWithCounts()(input, mean, invstd, "
    "running_mean=None, running_var=None, momentum=0.1, eps=1e-05, counts=None)",
    "mint.batch_norm_gather_stats_with_counts",
)


@alias(
    "ops.auto_generate.FusedInferAttentionScore(num_heads=1, scale_value=1.0, "
    "pre_tokens=2147483647, next_tokens=2147483647, input_layout='BSH', num_key_value_heads=0, "
    "sparse_mode=0, inner_precise=1, block_size=0, antiquant_mode=0, softmax_lse_flag=False, "
    "key_antiquant_mode=0, value_antiquant_mode=0)(query, key, value, pse_shift=None, "
    "attn_mask=None, actual_seq_lengths=None, actual_seq_lengths_kv=None, dequant_scale1=None, "
    "quant_scale1=None, dequant_scale2=None, quant_scale2=None, quant_offset2=None, "
    "antiquant_scale=None, antiquant_offset=None, block_table=None, query_padding_size=None, "
    "kv_padding_size=None, key_antiquant_scale=None, key_antiquant_offset=None, "
    "value_antiquant_scale=None, value_antiquant_offset=None, key_shared_prefix=None, "
    "value_shared_prefix=None, actual_shared_prefix_len=None)"
)
def fused_infer_attention_score(
    query,
    key,
    value,
    pse_shift,
    attn_mask,
    actual_seq_lengths,
    actual_seq_lengths_kv,
    dequant_scale1,
    quant_scale1,
    dequant_scale2,
    quant_scale2,
    quant_offset2,
    antiquant_scale,
    antiquant_offset,
    block_table,
    query_padding_size,
    kv_padding_size,
    key_antiquant_scale,
    key_antiquant_offset,
    value_antiquant_scale,
    value_antiquant_offset,
    key_shared_prefix,
    value_shared_prefix,
    actual_shared_prefix_len,
    num_heads,
    scale_value,
    pre_tokens,
    next_tokens,
    input_layout,
    num_key_value_heads,
    sparse_mode,
    inner_precise,
    block_size,
    antiquant_mode,
    softmax_lse_flag,
    key_antiquant_mode,
    value_antiquant_mode,
):
    return ops.fused_infer_attention_score(
        query,
        key,
        value,
        pse_shift=pse_shift,
        atten_mask=attn_mask,
        actual_seq_lengths=actual_seq_lengths,
        actual_seq_lengths_kv=actual_seq_lengths_kv,
        dequant_scale1=dequant_scale1,
        quant_scale1=quant_scale1,
        dequant_scale2=dequant_scale2,
        quant_scale2=quant_scale2,
        quant_offset2=quant_offset2,
        antiquant_scale=antiquant_scale,
        antiquant_offset=antiquant_offset,
        key_antiquant_scale=key_antiquant_scale,
        key_antiquant_offset=key_antiquant_offset,
        value_antiquant_scale=value_antiquant_scale,
        value_antiquant_offset=value_antiquant_offset,
        block_table=block_table,
        query_padding_size=query_padding_size,
        kv_padding_size=kv_padding_size,
        key_shared_prefix=key_shared_prefix,
        value_shared_prefix=value_shared_prefix,
        actual_shared_prefix_len=actual_shared_prefix_len,
        num_heads=num_heads,
        scale=scale_value,
        pre_tokens=pre_tokens,
        next_tokens=next_tokens,
        input_layout=input_layout,
        num_key_value_heads=num_key_value_heads,
        sparse_mode=sparse_mode,
        inner_precise=inner_precise,
        block_size=block_size,
        antiquant_mode=antiquant_mode,
        key_antiquant_mode=key_antiquant_mode,
        value_antiquant_mode=value_antiquant_mode,
        softmax_lse_flag=softmax_lse_flag,
    )


alias("ops.auto_generate.GatherNdExt()(input, indices)", "ops.gather_nd")
alias(
    "ops.auto_generate.GroupedMatmulV2()(x, weight, bias=None, scale=None, offset=None, "
    "antiquant_scale=None, antiquant_offset=None, group_list=None, split_item=0, group_type=-1)",
    "ops.auto_generate.grouped_matmul",
)


@alias(
    "ops.auto_generate.IncreFlashAttention(num_heads=1, input_layout='BSH', scale_value=1.0, "
    "num_key_value_heads=0, block_size=0, inner_precise=1)(query, key, value, attn_mask=None, "
    "actual_seq_lengths=None, pse_shift=None, dequant_scale1=None, quant_scale1=None, "
    "dequant_scale2=None, quant_scale2=None, quant_offset2=None, antiquant_scale=None, "
    "antiquant_offset=None, block_table=None, kv_padding_size=None)"
)
def incre_flash_attention(
    query,
    key,
    value,
    attn_mask,
    actual_seq_lengths,
    pse_shift,
    dequant_scale1,
    quant_scale1,
    dequant_scale2,
    quant_scale2,
    quant_offset2,
    antiquant_scale,
    antiquant_offset,
    block_table,
    kv_padding_size,
    num_heads,
    input_layout,
    scale_value,
    num_key_value_heads,
    block_size,
    inner_precise,
):
    return ops.incre_flash_attention(
        query,
        key,
        value,
        attn_mask,
        actual_seq_lengths,
        pse_shift,
        dequant_scale1,
        quant_scale1,
        dequant_scale2,
        quant_scale2,
        quant_offset2,
        antiquant_scale,
        antiquant_offset,
        block_table,
        num_heads,
        input_layout,
        scale_value,
        num_key_value_heads,
        block_size,
        inner_precise,
        kv_padding_size,
    )


alias(
    "ops.auto_generate.InnerMoeTokenUnpermute()(permuted_tokens, sorted_indices, probs=None, "
    "padded_mode=False, restore_shape=None)",
    "ops.moe_token_unpermute",
)
alias(
    "ops.auto_generate.LightningIndexer()(query, key, weights, actual_seq_lengths_query=None, "
    "actual_seq_lengths_key=None, block_table=None, layout_query='BSND', layout_key='BSND', "
    "sparse_count=2048, sparse_mode=3, pre_tokens=9223372036854775807, "
    "next_tokens=9223372036854775807, return_value=False)",
    "ops.lightning_indexer",
)
alias(
    "ops.auto_generate.MatmulReduceScatter()(input, x2, group, world_size, reduce_op='sum', "
    "bias=None, comm_turn=0, trans_input=False, trans_x2=False)",
    "ops.matmul_reduce_scatter",
)
alias(
    "ops.auto_generate.MoeDistributeCombine()(expand_x, expert_ids, expand_idx, "
    "ep_send_counts, expert_scales, ep_world_size, ep_rank_id, moe_expert_num, "
    "tp_send_counts=None, x_active_mask=None, activate_scale=None, weight_scale=None, "
    "group_list=None, expand_scales=None, group_ep=None, group_tp=None, tp_world_size=0, "
    "tp_rank_id=0, expert_shard_type=0, shared_expert_num=0, shared_export_rank_num=0, "
    "global_bs=0, out_dtype=0, common_quant_mode=0, group_list_type=0)",
    "ops.moe_distribute_combine",
)
alias(
    "ops.auto_generate.MoeDistributeDispatch()(x, expert_ids, ep_world_size, ep_rank_id, "
    "moe_expert_num, expert_scales=None, scales=None, x_active_mask=None, group_ep=None, "
    "group_tp=None, tp_world_size=0, tp_rank_id=0, expert_shard_type=0, shared_expert_num=0, "
    "shared_expert_rank_num=0, quant_mode=0, global_bs=0, expert_token_nums_type=0)",
    "ops.moe_distribute_dispatch",
)
alias(
    "ops.auto_generate.NsaCompress()(input, weight, compress_block_size, compress_stride, "
    "actual_seq_len=None)",
    "ops.nsa_compress",
)


@alias(
    "ops.auto_generate.MoeTokenPermuteGrad()(permuted_tokens_grad, sorted_indices, num_topk=1, "
    "padded_mode=False)"
)
def moe_token_permute_grad(permuted_tokens_grad, sorted_indices, num_topk, padded_mode):
    return ops.moe_token_unpermute(
        permuted_tokens_grad,
        sorted_indices,
        _ones(sorted_indices, num_topk, permuted_tokens_grad),
        padded_mode,
    )


alias(
    "ops.auto_generate.NsaCompressAttention()(query, key, value, scale_value, head_num, "
    "compress_block_size, compress_stride, select_block_size, select_block_count, "
    "topk_mask=None, atten_mask=None, actual_seq_qlen=None, actual_cmp_seq_kvlen=None, "
    "actual_sel_seq_kvlen=None)",
    "ops.nsa_compress_attention",
)
alias(
    "ops.auto_generate.NsaSelectAttention()(query, key, value, topk_indices, scale_value, "
    "head_num, select_block_size, select_block_count, atten_mask=None, actual_seq_qlen=None, "
    "actual_seq_kvlen=None)",
    "ops.nsa_select_attention",
)
alias(
    "ops.auto_generate.PromptFlashAttention(num_heads=1, scale_value=1.0, "
    "pre_tokens=2147483647, next_tokens=0, input_layout='BSH', num_key_value_heads=0, "
    "sparse_mode=0, inner_precise=1)(query, key, value, attn_mask=None, "
    "actual_seq_lengths=None, actual_seq_lengths_kv=None, pse_shift=None, deq_scale1=None, "
    "quant_scale1=None, deq_scale2=None, quant_scale2=None, quant_offset2=None)",
    "ops.prompt_flash_attention",
)
alias(
    "ops.auto_generate.SparseFlashAttention()(query, key, value, sparse_indices, scale_value, "
    "block_table=None, actual_seq_lengths_query=None, actual_seq_lengths_kv=None, "
    "query_rope=None, key_rope=None, sparse_block_size=1, layout_query='BSND', "
    "layout_kv='BSND', sparse_mode=3, pre_tokens=9223372036854775807, "
    "next_tokens=9223372036854775807, attention_mode=0, return_softmax_lse=False)",
    "ops.sparse_flash_attention",
)
