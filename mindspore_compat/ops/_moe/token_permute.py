"""Mixture of experts: sorts tokens by expert and merges them again.

MindSpore runs these operators on Ascend only, so its documentation of 2.10 is the reference.
Positions are integers, so gradients flow only through the tokens and their weights. The products in
between are in _moe/grouped_matmul.py.
"""

from ..._backend.arrays import to_host
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Int, ListOf, TensorOf, TupleOf, checked
from .._precision import at_least_float32
from .._rules import Floats, FloatsUpTo32, Index
from ..primitive import Primitive

Int32 = TensorOf("int32")


def _inverse(xp, order):
    """Returns the inverse permutation: the destination of each element, given the source of each
    position."""
    return xp.scatter_set(
        xp.zeros(order.shape, "int32"), (order,), xp.cast(xp.arange(order.shape[0]), "int32")
    )


# Tokens sorted by expert, and back ----------------------------------------------------------------


@op(
    "ops.moe_token_permute(tokens, indices, num_out_tokens=None, padded_mode=False)",
    "ops.auto_generate.MoeTokenPermute()(tokens, indices, num_out_tokens=None, padded_mode=False)",
    compute="native",
)
def moe_token_permute(
    xp, tokens: Floats, indices: Index, num_out_tokens: Int(ge=0) = None, padded_mode: Bool = False
):
    """Sorts tokens by their expert in `indices`. Tokens of the same expert stay in order.

    Args:
        tokens (Tensor): shape (tokens, features).
        indices (Tensor): int32 or int64, shape (tokens, k) for k copies of each token, at most 512,
            or (tokens,).
        num_out_tokens (int): the number of sorted tokens to return. Default: None, which means all,
            as 0 does.
        padded_mode (bool): must be False; MindSpore accepts no other value.

    Shapes:
        `tokens` is (tokens, features), `indices` is (tokens, k) or (tokens,). The sorted tokens are
        (tokens * k, features), their indices (tokens * k,).

    Returns:
        tuple[Tensor]: the sorted tokens, and the int32 index of each copy of each token among them.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if shapes do not fit, `num_out_tokens` is negative or `padded_mode` is true.
        RuntimeError: if `indices` does not have one row per token.

    Example:
        >>> out, indices = ms.ops.moe_token_permute(ms.Tensor([[1.0], [2.0], [3.0]], ms.float16),
        ...                                        ms.Tensor([2, 0, 1]))
        >>> print(out.reshape(3), indices)
        [2. 3. 1.] [2 0 1]

    Source: mindspore.ops.moe_token_permute of MindSpore 2.10.
    """
    api = "moe_token_permute"
    if padded_mode:
        raise ValueError(f"For '{api}', 'padded_mode' must be False, but got True.")
    if tokens.ndim != 2 or indices.ndim not in (1, 2):
        raise ValueError(
            f"For '{api}', 'tokens' must have 2 axes and 'indices' 1 or 2, but got "
            f"shapes {tokens.shape} and {indices.shape}."
        )
    copies = 1 if indices.ndim == 1 else indices.shape[1]
    if not 1 <= copies <= 512:
        raise ValueError(
            f"For '{api}', the second axis of 'indices' must be in [1, 512], but got {copies}."
        )
    if indices.shape[0] != tokens.shape[0]:
        raise RuntimeError(
            f"For '{api}', 'indices' must have a row for each token, but got shapes "
            f"{indices.shape} and {tokens.shape}."
        )
    order = xp.argsort(xp.reshape(indices, (-1,)), -1, kind="stable")
    rows = order[:num_out_tokens] if num_out_tokens else order
    return xp.getitem(tokens, (rows // copies,)), _inverse(xp, order)


@op(
    "ops.moe_token_unpermute(permuted_tokens, sorted_indices, probs=None, padded_mode=False, "
    "restore_shape=None)",
    "ops.auto_generate.MoeTokenUnpermute()(permuted_tokens, sorted_indices, probs=None, "
    "padded_mode=False, restore_shape=None)",
    compute="native",
)
def moe_token_unpermute(
    xp,
    permuted_tokens: Floats,
    sorted_indices: Int32,
    probs: Floats = None,
    padded_mode: Bool = False,
    restore_shape: TupleOf(Int) | ListOf(Int) = None,
):
    """Restores the order of sorted tokens and sums the copies of each, weighted by `probs`.

    Args:
        permuted_tokens (Tensor): shape (tokens * k, features). If the last rows were dropped, there
            are fewer; the missing ones count as zeros.
        sorted_indices (Tensor): the index of each copy of each token, int32, shape (tokens * k,).
        probs (Tensor): the weights, shape (tokens, k). Default: None, for k = 1 and no weights.
        padded_mode (bool): must be False; MindSpore accepts no other value.
        restore_shape (Union[tuple[int], list[int]]): used only in padded mode.

    Shapes:
        `permuted_tokens` is (tokens * k, features), `sorted_indices` is (tokens * k,), `probs` is
        (tokens, k). The result is (tokens, features), of the dtype of `permuted_tokens`.

    Returns:
        Tensor, shape (tokens, features), of the dtype of `permuted_tokens`.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if shapes do not fit, or `padded_mode` is true.

    Example:
        >>> indices = ms.Tensor([2, 0, 1], ms.int32)
        >>> print(ms.ops.moe_token_unpermute(ms.Tensor([[2.0], [3.0], [1.0]], ms.float16),
        ...                                  indices).reshape(3))
        [1. 2. 3.]

    Source: mindspore.ops.moe_token_unpermute of MindSpore 2.10.
    """
    api = "moe_token_unpermute"
    if padded_mode:
        raise ValueError(f"For '{api}', 'padded_mode' must be False, but got True.")
    rows = permuted_tokens.shape[0]
    if permuted_tokens.ndim != 2 or sorted_indices.ndim != 1 or sorted_indices.shape[0] < rows:
        raise ValueError(
            f"For '{api}', 'permuted_tokens' must have 2 axes and 'sorted_indices' a "
            f"index for each row, but got shapes {permuted_tokens.shape} and "
            f"{sorted_indices.shape}."
        )
    token_rows = permuted_tokens
    if sorted_indices.shape[0] > rows:
        token_rows = xp.concatenate(
            [token_rows, xp.zeros((1, token_rows.shape[1]), token_rows.dtype)], 0
        )
        sorted_indices = xp.minimum(sorted_indices, rows)
    token_rows = xp.getitem(token_rows, (sorted_indices,))
    if probs is None:
        return token_rows
    if probs.ndim != 2 or probs.shape[0] * probs.shape[1] != token_rows.shape[0]:
        raise ValueError(
            f"For '{api}', 'probs' must have shape (tokens, k) for tokens * k rows, "
            f"but got {probs.shape} for {token_rows.shape[0]}."
        )
    copies = xp.reshape(at_least_float32(xp, token_rows), (*probs.shape, -1))
    summed = xp.sum(copies * xp.expand_dims(at_least_float32(xp, probs), -1), 1)
    return xp.cast(summed, permuted_tokens.dtype)


@op(compute="native")
def routed(
    xp,
    x: FloatsUpTo32,
    expert_idx: Int32,
    active_num: Int,
    expert_capacity: Int,
    expert_num: Int,
    drop_pad_mode: Int,
):
    """Returns the rows sorted by expert, and the index of each copy of each row among them, or
    -1."""
    copies = expert_idx.shape[1]
    flat = xp.reshape(expert_idx, (-1,))
    order = xp.argsort(flat, -1, kind="stable")
    if drop_pad_mode == 0:
        rows = order[:active_num] if active_num else order
        return xp.getitem(x, (rows // copies,)), _inverse(xp, order)
    experts = xp.take(flat, order)
    firsts = xp.searchsorted(experts, xp.cast(xp.arange(expert_num), "int32"))
    within = xp.arange(flat.shape[0]) - xp.take(firsts, experts)
    indices = xp.where(within < expert_capacity, experts * expert_capacity + within, -1)
    indices = xp.cast(indices, "int32")
    count = expert_num * expert_capacity
    # one extra destination for dropped rows, and one extra source for rows of zeros
    slots = xp.full((count + 1,), x.shape[0], "int32")
    slots = xp.scatter_set(slots, (indices,), xp.cast(order // copies, "int32"))[:count]
    padded = xp.concatenate([x, xp.zeros((1, x.shape[1]), x.dtype)], 0)
    by_expert = xp.reshape(xp.getitem(padded, (slots,)), (expert_num, expert_capacity, x.shape[1]))
    back = xp.scatter_set(xp.zeros(flat.shape, "int32"), (order,), indices)
    return by_expert, back


@op(compute="native")
def tokens_of_experts(xp, expert_idx: Int32, expert_num: Int, sums: Bool):
    """Returns the number of rows of each expert, or their running totals, int32."""
    flat = xp.sort(xp.reshape(expert_idx, (-1,)))
    ends = xp.searchsorted(flat, xp.cast(xp.arange(expert_num), "int32"), side="right")
    if not sums:
        starts = xp.searchsorted(flat, xp.cast(xp.arange(expert_num), "int32"))
        ends = ends - starts
    return xp.cast(ends, "int32")


@public("ops.moe_init_routing_v2")
@checked
def moe_init_routing_v2(
    x: FloatsUpTo32,
    expert_idx: Int32,
    active_num: Int(ge=0),
    expert_capacity: Int(ge=0),
    expert_num: Int(ge=0),
    drop_pad_mode: Int(ge=0, le=1),
    expert_tokens_count_or_cumsum_flag: Int(ge=0, le=2),
    expert_tokens_before_capacity_flag: Bool,
):
    """Copies rows and sorts them by their experts.

    Args:
        x (Tensor): shape (rows, features); float16, bfloat16 or float32.
        expert_idx (Tensor): the experts of each row, int32, shape (rows, k).
        active_num (int): in mode 0, the number of sorted rows to return; 0 for all.
        expert_capacity (int): in mode 1, the maximum number of rows of an expert; further rows are
            dropped.
        expert_num (int): the number of experts.
        drop_pad_mode (int): 0 for sorted rows, 1 for the same number of rows for each expert.
        expert_tokens_count_or_cumsum_flag (int): in mode 0, whether the numbers of rows per expert
            are returned cumulatively (1) or separately (2).
        expert_tokens_before_capacity_flag (bool): in mode 1, whether the numbers of rows per expert
            before dropping are returned.

    Returns:
        tuple[Tensor]: the rows, (rows * k or `active_num`, features), or (experts, capacity,
        features) padded with zeros; the index of each copy of each row, -1 for dropped ones, int32,
        shape (rows * k,); and, if requested, the number of rows of each expert, int32.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if a number is out of range.
        RuntimeError: if shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> x, experts = ms.Tensor([[1.0], [2.0]]), ms.Tensor([[1], [0]], ms.int32)
        >>> print(ms.ops.moe_init_routing_v2(x, experts, 0, 0, 2, 0, 0, False)[0])
        [[2.]
         [1.]]

    Source: mindspore.ops.moe_init_routing_v2 of MindSpore 2.10.
    """
    api = "moe_init_routing_v2"
    if x.ndim != 2 or expert_idx.ndim != 2 or x.shape[0] != expert_idx.shape[0]:
        raise RuntimeError(
            f"For '{api}', 'x' and 'expert_idx' must have 2 axes and as many rows, "
            f"but got shapes {x.shape} and {expert_idx.shape}."
        )
    flag = expert_tokens_count_or_cumsum_flag
    if drop_pad_mode == 1 and not 1 <= expert_capacity <= x.shape[0]:
        raise ValueError(
            f"For '{api}', 'expert_capacity' must be in [1, {x.shape[0]}], but got "
            f"{expert_capacity}."
        )
    if (drop_pad_mode == 1 or flag) and expert_num < 1:
        raise ValueError(f"For '{api}', 'expert_num' must be at least 1, but got {expert_num}.")
    if drop_pad_mode == 1 or flag:
        _need_experts(api, expert_idx, expert_num)
    results = routed.run(x, expert_idx, active_num, expert_capacity, expert_num, drop_pad_mode)
    if drop_pad_mode == 0 and flag:
        results += (tokens_of_experts.run(expert_idx, expert_num, flag == 1),)
    if drop_pad_mode == 1 and expert_tokens_before_capacity_flag:
        results += (tokens_of_experts.run(expert_idx, expert_num, False),)
    return results


def _need_experts(api, expert_idx, expert_num):
    experts = to_host(expert_idx._array)
    if experts.size and (experts.min() < 0 or experts.max() >= expert_num):
        raise ValueError(
            f"For '{api}', 'expert_idx' must be in [0, {expert_num}), but got values "
            f"from {experts.min()} to {experts.max()}."
        )


@public("ops.auto_generate.MoeInitRoutingV2")
class MoeInitRoutingV2(Primitive):
    """Copies rows and sorts them by their experts: `ops.moe_init_routing_v2`.

    Source: mindspore.ops.auto_generate.MoeInitRoutingV2 of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("MoeInitRoutingV2")

    def __call__(
        self,
        x,
        expert_idx,
        active_num,
        expert_capacity,
        expert_num,
        drop_pad_mode,
        expert_tokens_count_or_cumsum_flag,
        expert_tokens_before_capacity_flag,
    ):
        return moe_init_routing_v2(
            x,
            expert_idx,
            active_num,
            expert_capacity,
            expert_num,
            drop_pad_mode,
            expert_tokens_count_or_cumsum_flag,
            expert_tokens_before_capacity_flag,
        )


@op(
    "ops.auto_generate.moe_compute_expert_tokens(sorted_experts, num_expert)",
    "ops.auto_generate.MoeComputeExpertTokens()(sorted_experts, num_expert)",
    compute="native",
)
def moe_compute_expert_tokens(xp, sorted_experts: Int32, num_expert: Int(ge=1)):
    """Returns the cumulative number of sorted tokens of each expert.

    Args:
        sorted_experts (Tensor): the expert of each token, in order, shape (tokens,).
        num_expert (int): the number of experts, at least 1.

    Shapes:
        `sorted_experts` is (tokens,), of int32. The result is (num_expert,), of int32.

    Returns:
        Tensor, shape (num_expert,).

    Raises:
        TypeError: if `sorted_experts` is not a Tensor of int32.
        ValueError: if it has more than one axis, or `num_expert` is less than 1.

    Example:
        >>> count = ms.ops.auto_generate.moe_compute_expert_tokens
        >>> print(count(ms.Tensor([0, 0, 2], ms.int32), 3))
        [2 2 3]

    Source: mindspore.ops.auto_generate.moe_compute_expert_tokens of MindSpore 2.10.
    """
    if sorted_experts.ndim != 1:
        raise ValueError(
            f"For 'moe_compute_expert_tokens', 'sorted_experts' must have 1 axis, but "
            f"got shape {sorted_experts.shape}."
        )
    experts = xp.cast(xp.arange(num_expert), "int32")
    return xp.cast(xp.searchsorted(sorted_experts, experts, side="right"), "int32")


@op(
    "ops.auto_generate.moe_finalize_routing(expanded_x, x1, x2=None, bias=None, scales=None, "
    "expanded_row_idx=None, expanded_expert_idx=None)",
    "ops.auto_generate.MoeFinalizeRouting()(expanded_x, x1, x2=None, bias=None, scales=None, "
    "expanded_row_idx=None, expanded_expert_idx=None)",
    compute="native",
)
def moe_finalize_routing(
    xp,
    expanded_x: Floats,
    x1: Floats,
    x2: Floats = None,
    bias: Floats = None,
    scales: Floats = None,
    expanded_row_idx: Int32 = None,
    expanded_expert_idx: Int32 = None,
):
    """Merges the experts' results for each token, and adds them to the residual.

    Row i is x1 + x2, plus the sum over k of scales[i, k] * (expanded_x[expanded_row_idx[i + k N]] +
    bias[expanded_expert_idx[i, k]]).

    Args:
        expanded_x (Tensor): the results of the experts, shape (K * N, features).
        x1 (Tensor): shape (N, features).
        x2 (Tensor): of the shape of `x1`. Default: None.
        bias (Tensor): the bias of each expert, shape (experts, features).
        scales (Tensor): shape (N, K).
        expanded_row_idx (Tensor): int32, shape (K * N,).
        expanded_expert_idx (Tensor): int32, shape (N, K).

    Shapes:
        With N tokens, K experts for each and D features: `expanded_x` is (K * N, D), `x1` and the
        result are (N, D).

    Returns:
        Tensor, of the shape of `x1` and the dtype of `expanded_x`.

    Raises:
        TypeError: if a Tensor other than `x2` is missing, or has another dtype.
        ValueError: if shapes do not fit.

    Example:
        >>> one, zero = ms.Tensor([[1.0]]), ms.Tensor([0], ms.int32)
        >>> merge = ms.ops.auto_generate.moe_finalize_routing
        >>> print(merge(2 * one, one, None, one, one, zero, ms.Tensor([[0]], ms.int32)))
        [[4.]]

    Source: mindspore.ops.auto_generate.moe_finalize_routing of MindSpore 2.10.
    """
    api = "moe_finalize_routing"
    required = {
        "bias": bias,
        "scales": scales,
        "expanded_row_idx": expanded_row_idx,
        "expanded_expert_idx": expanded_expert_idx,
    }
    for name, tensor in required.items():
        if tensor is None:
            raise TypeError(f"For '{api}', '{name}' must be a Tensor, but got None.")
    floats = [x for x in (expanded_x, x1, x2, bias, scales) if x is not None]
    if len({x.dtype for x in floats}) > 1:
        raise TypeError(
            f"For '{api}', the floats must have one dtype, but got "
            f"{', '.join(str(x.dtype) for x in floats)}."
        )
    rows, copies = scales.shape if scales.ndim == 2 else (-1, -1)
    width = x1.shape[-1]
    if (
        x1.shape != (rows, width)
        or expanded_x.shape != (rows * copies, width)
        or x2 is not None
        and x2.shape != x1.shape
        or bias.shape != (bias.shape[0], width)
        or expanded_row_idx.shape != (rows * copies,)
        or expanded_expert_idx.shape != (rows, copies)
    ):
        raise ValueError(
            f"For '{api}', the shapes must fit (N, features) and (N, K), but got "
            f"{expanded_x.shape}, {x1.shape}, {bias.shape}, {scales.shape}, "
            f"{expanded_row_idx.shape} and {expanded_expert_idx.shape}."
        )
    indices = xp.swapaxes(xp.reshape(expanded_row_idx, (copies, rows)), 0, 1)
    expert_rows = at_least_float32(xp, xp.getitem(expanded_x, (indices,)))
    expert_rows = expert_rows + at_least_float32(xp, xp.getitem(bias, (expanded_expert_idx,)))
    scales, x1, x2 = at_least_float32(xp, scales, x1, x2)
    merged_rows = xp.sum(expert_rows * xp.expand_dims(scales, -1), 1) + x1
    merged_rows = merged_rows if x2 is None else merged_rows + x2
    return xp.cast(merged_rows, expanded_x.dtype)
