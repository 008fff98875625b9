"""More names for `operators.py`: attention, mixtures of experts, communication in a group of one
rank, and updates of Parameters.
"""

import torch

from .operators import named, upcast

# Attention and mixtures of experts.


def _heads(x, count, layout):
    """Returns an array of one of the documented layouts as [batch, head, position, feature]."""
    if layout in ("BSH", "SBH"):
        x = x.reshape(*x.shape[:2], count, -1)
        return x.permute(0, 2, 1, 3) if layout == "BSH" else x.permute(1, 2, 0, 3)
    return x if layout == "BNSD" else x.permute(0, 2, 1, 3)  # BSND


def _joined(x, layout):
    if layout == "BNSD":
        return x
    x = x.permute(2, 0, 1, 3) if layout == "SBH" else x.permute(0, 2, 1, 3)
    return x if layout == "BSND" else x.flatten(-2)


def _attention(query, key, value, count, layout, scale, mask, count_kv=0):
    q, k, v = (
        _heads(x, n, layout)
        for x, n in zip(
            (query, key, value), (count, count_kv or count, count_kv or count), strict=True
        )
    )
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = q @ k.transpose(-1, -2) * scale
    if mask is not None:
        scores = scores.masked_fill(mask.bool(), -1e30)
    return _joined(scores.softmax(-1) @ v, layout)


@named("ops.flash_attention_score")
@upcast
def flash_attention_score(
    query,
    key,
    value,
    head_num,
    real_shift=None,
    drop_mask=None,
    padding_mask=None,
    attn_mask=None,
    prefix=None,
    actual_seq_qlen=None,
    actual_seq_kvlen=None,
    keep_prob=1.0,
    scalar_value=1.0,
    pre_tokens=2147483647,
    next_tokens=2147483647,
    inner_precise=0,
    input_layout="BSH",
    sparse_mode=0,
):
    assert drop_mask is padding_mask is prefix is actual_seq_qlen is actual_seq_kvlen is None
    assert keep_prob == 1 and sparse_mode == 0 and real_shift is None
    assert pre_tokens == next_tokens == 2147483647
    return _attention(query, key, value, head_num, input_layout, scalar_value, attn_mask)


@named("ops.prompt_flash_attention")
@upcast
def prompt_flash_attention(
    query,
    key,
    value,
    attn_mask=None,
    actual_seq_lengths=None,
    actual_seq_lengths_kv=None,
    pse_shift=None,
    deq_scale1=None,
    quant_scale1=None,
    deq_scale2=None,
    quant_scale2=None,
    quant_offset2=None,
    num_heads=1,
    scale_value=1.0,
    pre_tokens=2147483647,
    next_tokens=0,
    input_layout="BSH",
    num_key_value_heads=0,
    sparse_mode=0,
    inner_precise=1,
):
    assert actual_seq_lengths is actual_seq_lengths_kv is pse_shift is quant_scale1 is None
    assert pre_tokens == 2147483647 and next_tokens == 0 and sparse_mode == 0
    return _attention(
        query, key, value, num_heads, input_layout, scale_value, attn_mask, num_key_value_heads
    )


@named("ops.rotary_position_embedding")
@upcast
def rotary_position_embedding(x, cos, sin, mode=0):
    if mode == 0:
        left, right = x.chunk(2, -1)
        turned = torch.cat([-right, left], -1)
    else:
        turned = torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)
    return x * cos + turned * sin


@named("ops.moe_token_permute")
def moe_token_permute(tokens, indices, num_out_tokens=None, padded_mode=False):
    assert not padded_mode
    per_token = 1 if indices.ndim == 1 else indices.shape[1]
    order = torch.argsort(indices.reshape(-1), stable=True)
    places = torch.argsort(order, stable=True).int()
    kept = order if num_out_tokens is None else order[:num_out_tokens]
    return tokens[kept // per_token], places


@named("ops.moe_token_unpermute")
@upcast
def moe_token_unpermute(
    permuted_tokens, sorted_indices, probs=None, padded_mode=False, restore_shape=None
):
    assert not padded_mode and restore_shape is None
    rows = permuted_tokens[sorted_indices.long()]
    if probs is None:
        return rows
    rows = rows.reshape(*probs.shape, -1) * probs[..., None]
    return rows.sum(1)


# Communication in a group of one rank: each result is the rank's own part.


@named(
    "communication.comm_func.all_reduce",
    "communication.comm_func.reduce_scatter_tensor",
    "communication.comm_func.all_gather_into_tensor",
)
def with_handle(tensor, op=None):
    return tensor.clone(), None


@named(
    "communication.comm_func.broadcast",
    "communication.comm_func.gather_into_tensor",
    "communication.comm_func.scatter_tensor",
)
def own_part(tensor):
    return tensor.clone()


@named("communication.comm_func.reduce", "ops.Reduce")
def reduce_to(tensor, dst):
    return tensor.clone()


@named("communication.comm_func.all_to_all_with_output_shape")
def all_to_all(output_shape_list, input_tensor_list):
    assert [tuple(t.shape) for t in input_tensor_list] == [tuple(s) for s in output_shape_list]
    return tuple(t.clone() for t in input_tensor_list), None


@named("communication.comm_func.all_to_all_single_with_output_shape")
def all_to_all_single(output_shape, tensor):
    assert tuple(tensor.shape) == tuple(output_shape)
    return tensor.clone(), None


@named("communication.comm_func.barrier")
def barrier():
    return None


@named(
    "mint.distributed.all_gather_into_tensor_uneven",
    "mint.distributed.reduce_scatter_tensor",
    "mint.distributed.reduce_scatter_tensor_uneven",
    "mint.distributed.all_to_all_single",
)
def into(output, input):
    output.copy_(input)


@named("mint.distributed.reduce_scatter")
def reduce_scatter(output, input_list):
    output.copy_(input_list[0])


@named("mint.distributed.scatter")
def scatter(tensor, scatter_list):
    tensor.copy_(scatter_list[0])


@named("mint.distributed.gather")
def gather(tensor, gather_list):
    gather_list[0].copy_(tensor)


@named("mint.distributed.reduce")
def reduce_in_place(tensor, dst):
    return None


@named("mint.distributed.all_to_all")
def all_to_all_lists(output_tensor_list, input_tensor_list):
    for out, tensor in zip(output_tensor_list, input_tensor_list, strict=True):
        out.copy_(tensor)


@named("communication.init", "communication.release")
def nothing():
    return None


# Updates of Parameters.


@named("ops.LARSUpdate")
def lars_update(
    weight,
    gradient,
    norm_weight,
    norm_gradient,
    weight_decay,
    learning_rate,
    epsilon=1e-05,
    hyperpara=0.001,
    use_clip=False,
):
    size = norm_weight.sqrt()
    rate = hyperpara * size / (norm_gradient.sqrt() + weight_decay * size + epsilon)
    rate = torch.clamp(rate / learning_rate, max=1) if use_clip else rate
    return rate * (gradient + weight_decay * weight)


@named("ops.ApplyKerasMomentum")
def keras_momentum(var, accum, lr, grad, momentum, use_locking=False, use_nesterov=False):
    accum.copy_(accum * momentum - grad * lr)
    var.copy_(var + (accum * momentum - grad * lr if use_nesterov else accum))
    return var, accum


@named("ops.SparseApplyAdadelta")
def sparse_adadelta(
    var, accum, accum_update, lr, rho, grad, indices, epsilon=1e-6, use_locking=False
):
    for place, row in zip(indices.tolist(), grad, strict=True):
        accum[place] = rho * accum[place] + (1 - rho) * row**2
        update = (accum_update[place] + epsilon).sqrt() / (accum[place] + epsilon).sqrt() * row
        accum_update[place] = rho * accum_update[place] + (1 - rho) * update**2
        var[place] -= lr * update
    return var, accum, accum_update


@named("ops.SparseApplyProximalAdagrad")
def sparse_proximal_adagrad(var, accum, lr, l1, l2, grad, indices, use_locking=False):
    for place, row in zip(indices.tolist(), grad, strict=True):
        accum[place] += row**2
        rate = lr / accum[place].sqrt()
        moved = var[place] - rate * row
        var[place] = moved.sign() * (moved.abs() - rate * l1).clamp(min=0) / (1 + l2 * rate)
    return var, accum
