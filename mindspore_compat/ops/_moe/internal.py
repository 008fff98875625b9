"""Primitives of experts and grouped products that MindSpore exposes under internal paths only."""

import numpy as np

from ..._core.declare.public_api import public
from ..._core.tensor.dtype import float32, int32
from ..._core.tensor.tensor import Tensor
from .._linalg.internal import transpose
from .._primitive_aliases.alias import alias, methods, ops, pull_back, require


def _ones(indices, copies, like):
    """Returns a weight of 1 for each copy of each token."""
    return ops.ones((indices.shape[0] // copies, copies), like.dtype)


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


@alias(
    "ops.auto_generate.FusedAddTopKDiv()(x, add_num, group_num, group_topk, n, k, "
    "activate_type=0, is_norm=True, scale=2.5, mapping_num=None, mapping_table=None, "
    "enable_expert_mapping=False)"
)
def fused_add_topk_div(
    x,
    add_num,
    group_num,
    group_topk,
    n,
    k,
    activate_type=0,
    is_norm=True,
    scale=2.5,
    mapping_num=None,
    mapping_table=None,
    enable_expert_mapping=False,
):
    """Selects the experts of each token from the best `group_topk` groups; returns (weights,
    experts) of the `k` best.

    The score of a group is the sum of its `n` best values of sigmoid(x) + add_num. The weights are
    sigmoid(x) of the selected experts, divided by their sum if `is_norm` is set, times `scale`. If
    `mapping_table` lists several indices for an expert, token i gets entry i modulo their number.
    The only `activate_type` is 0, the sigmoid.
    """
    require("FusedAddTopKDiv", "activate_type", activate_type, (0,))
    rows, experts = x.shape
    chance = ops.sigmoid(x.astype(float32))
    scores = (chance + add_num.astype(float32)).asnumpy().reshape(rows, group_num, -1)
    groups = -np.sort(-scores, -1)[..., :n].sum(-1)
    best = np.argsort(-groups, -1, kind="stable")[:, :group_topk]
    open_ = np.zeros(groups.shape, bool)
    np.put_along_axis(open_, best, True, -1)
    scores = np.where(open_[..., None], scores, -np.inf).reshape(rows, experts)
    winners = np.argsort(-scores, -1, kind="stable")[:, :k]
    weights = ops.gather_elements(chance, 1, Tensor(winners, int32))
    if is_norm:
        weights = weights / ops.sum(weights, -1, True)
    if enable_expert_mapping:
        turn = np.arange(rows)[:, None] % mapping_num.asnumpy()[winners]
        winners = mapping_table.asnumpy()[winners, turn]
    return weights * scale, Tensor(winners, int32)


@alias("ops.auto_generate.MoeGatingTopKSoftmax()(x, finished=None, k=1)")
def moe_gating_top_k_softmax(x, finished=None, k=1):
    """Returns (the `k` largest of softmax(x), their experts, the index of each among all rows).

    The expert of a finished token is set to the number of experts.
    """
    values, experts = ops.topk(ops.softmax(x.astype(float32), -1), k)
    if finished is not None:
        mask = ops.expand_dims(finished, -1).astype(experts.dtype)
        experts = experts * (1 - mask) + x.shape[-1] * mask
    rows = int(np.prod(x.shape[:-1]))
    indices = np.arange(k)[None] * rows + np.arange(rows)[:, None]
    return (
        values.astype(x.dtype),
        experts.astype(int32),
        Tensor(indices.reshape(values.shape), int32),
    )


@alias("ops.auto_generate.MoeInitRouting()(x, row_idx, expert_idx, active_num)")
def moe_init_routing(x, row_idx, expert_idx, active_num):
    """Sorts rows by expert; returns (sorted rows, the new position of each copy, sorted
    experts)."""
    experts, rows = expert_idx.asnumpy().reshape(-1), row_idx.asnumpy().reshape(-1)
    order = np.argsort(experts, kind="stable")
    sources = rows[order]
    went = np.empty_like(sources)
    went[sources] = np.arange(sources.size)
    count = min(x.shape[0], active_num) * expert_idx.shape[-1]
    source_rows = Tensor((sources[:count] % x.shape[0]).astype(np.int32))
    return ops.gather(x, source_rows, 0), Tensor(went, int32), Tensor(experts[order], int32)


def probs_of(sorted_indices, tokens, probs):
    """Returns the weights of tokens, or ones if there are none."""
    return ops.ones((sorted_indices.size, 1), tokens.dtype) if probs is None else probs


def _parts(group_list, group_list_type):
    """Returns (start, end) of each group, from ends, or from lengths if `group_list_type` is 1."""
    numbers = group_list.asnumpy() if isinstance(group_list, Tensor) else np.asarray(group_list)
    ends = np.cumsum(numbers) if group_list_type == 1 else numbers
    return list(zip([0, *ends[:-1].tolist()], ends.tolist()))


@alias(
    "ops.auto_generate.Gmm()(x, weight, bias=None, group_list=None, group_type=0, "
    "group_list_type=0)"
)
@alias(
    "ops.auto_generate.GmmV2()(x, weight, bias=None, group_list=None, group_type=0, "
    "group_list_type=0)"
)
def gmm(x, weight, bias=None, group_list=None, group_type=0, group_list_type=0):
    """Multiplies matrices; returns a tuple. The products are pair by pair (`group_type` -1), groups
    of rows of one matrix by one weight each (0), or groups of its columns by the same rows of the
    weight (2)."""
    if group_type == -1:
        products = tuple(ops.matmul(a, b) for a, b in zip(x, weight, strict=True))
        return products if bias is None else tuple(a + b for a, b in zip(products, bias))
    parts = _parts(group_list, group_list_type)
    if group_type == 2:
        return (ops.stack([ops.matmul(x[0][:, a:b], weight[0][a:b]) for a, b in parts]),)
    matrices = [part for stack in weight for part in (stack if stack.ndim == 3 else [stack])]
    biases = (
        [0] * len(parts)
        if bias is None
        else [part for stack in bias for part in (stack if stack.ndim == 2 else [stack])]
    )
    rows = [ops.matmul(x[0][a:b], w) + c for (a, b), w, c in zip(parts, matrices, biases)]
    return (ops.cat(rows, 0),)


@alias("ops.auto_generate.GmmBackwardFusion()(grad, weight, group_list=None, group_list_type=0)")
@alias("ops.auto_generate.GmmV2BackwardFusion()(grad, weight, group_list=None, group_list_type=0)")
def gmm_to_inputs(grad, weight, group_list=None, group_list_type=0):
    """Returns the gradients of `gmm` with respect to its matrices, a tuple."""
    return gmm(
        grad,
        tuple(transpose(matrix) for matrix in weight),
        None,
        group_list,
        -1 if group_list is None else 0,
        group_list_type,
    )


@alias("ops.auto_generate.GmmBackward()(grad, x, weight, group_list=None, group_list_type=0)")
@alias("ops.auto_generate.GmmV2Backward()(grad, x, weight, group_list=None, group_list_type=0)")
def gmm_backward(grad, x, weight, group_list=None, group_list_type=0):
    """Returns the gradients of `gmm` with respect to its matrices and then its weights, a tuple."""
    if group_list is None:
        of_weights = tuple(ops.matmul(transpose(a), g) for a, g in zip(x, grad, strict=True))
    else:
        parts = _parts(group_list, group_list_type)
        products = [ops.matmul(transpose(x[0][a:b]), grad[0][a:b]) for a, b in parts]
        of_weights = (ops.stack(products),) if weight[0].ndim == 3 else tuple(products)
    return gmm_to_inputs(grad, weight, group_list, group_list_type) + of_weights


@public("ops.auto_generate.grouped_matmul_add_")
@alias("ops.auto_generate.InplaceGroupedMatmulAdd()(x, weight, group_list, out)")
def grouped_matmul_add_(x, weight, group_list, out):
    """Adds a product to each part of `out`, in place: a group of rows of `x`, transposed, times the
    same rows of `weight`.

    Source: mindspore.ops.auto_generate.grouped_matmul_add_ of MindSpore 2.10.
    """
    products = [ops.matmul(transpose(x[a:b]), weight[a:b]) for a, b in _parts(group_list, 0)]
    return methods.add_(out, ops.reshape(ops.stack(products), out.shape).astype(out.dtype))


@alias(
    "ops.auto_generate.MoeTokenUnpermuteGrad()(permuted_tokens, unpermuted_tokens_grad, "
    "sorted_indices, probs=None, padded_mode=False, restore_shape=None)"
)
def moe_token_unpermute_grad(
    permuted_tokens, unpermuted_tokens_grad, sorted_indices, probs, padded_mode, restore_shape
):
    return pull_back(
        unpermuted_tokens_grad,
        lambda permuted_tokens, probs: ops.moe_token_unpermute(
            permuted_tokens, sorted_indices, probs, padded_mode, restore_shape
        ),
        permuted_tokens,
        probs_of(sorted_indices, permuted_tokens, probs),
    )
