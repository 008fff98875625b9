"""ring_attention_update: merges the attention outputs of two parts of the keys."""

from ..._core.declare.op import op
from ..._core.rules.vocabulary import OneOf, TensorOf, floating
from .head_layouts import numbers_of


@op(
    "ops.ring_attention_update(prev_attn_out, prev_softmax_max, prev_softmax_sum, cur_attn_out, "
    "cur_softmax_max, cur_softmax_sum, actual_seq_qlen=None, layout='SBH')",
    "ops.auto_generate.RingAttentionUpdate()(prev_attn_out, prev_softmax_max, prev_softmax_sum, "
    "cur_attn_out, cur_softmax_max, cur_softmax_sum, actual_seq_qlen=None, layout='SBH')",
    compute="native",
)
def ring_attention_update(
    xp,
    prev_attn_out: TensorOf("float16", "bfloat16", "float32"),
    prev_softmax_max: TensorOf(floating),
    prev_softmax_sum: TensorOf(floating),
    cur_attn_out: TensorOf("float16", "bfloat16", "float32"),
    cur_softmax_max: TensorOf(floating),
    cur_softmax_sum: TensorOf(floating),
    actual_seq_qlen: TensorOf("int32", "int64") = None,
    layout: OneOf("SBH", "TND") = "SBH",
):
    """Merges the attention outputs for two parts of the keys into the output for both (ring
    attention).

    Let m be the larger of the two maxima, and s_i = sum_i * exp(m_i - m). The output is (out_1 s_1
    + out_2 s_2) / (s_1 + s_2), with the maximum m and the sum s_1 + s_2.

    Args:
        prev_attn_out (Tensor): the attention output for the first part, (S, B, H), or (T, N, D) for
            "TND".
        prev_softmax_max (Tensor): its largest scores, (B, N, S, 8), or (T, N, 8), with each value
            repeated eight times.
        prev_softmax_sum (Tensor): its sums of exp(score - largest score), of the same shape.
        cur_attn_out (Tensor): the attention output for the second part; `cur_softmax_max` and
            `cur_softmax_sum` are its largest scores and sums.
        actual_seq_qlen (Tensor): the boundaries of the sequences, from 0 to T, for "TND".
        layout (str): "SBH" or "TND". Default: "SBH".

    Shapes:
        For "SBH" the attention outputs are (S, B, H), the maxima and sums (B, N, S, 8). For "TND"
        they are (T, N, D) and (T, N, 8). The results have the shapes and dtypes of the first part.

    Returns:
        tuple[Tensor]: the attention output, the largest scores and the sums.

    Raises:
        RuntimeError: if for "TND" the features exceed the limit or are not a multiple of 64, or
            `actual_seq_qlen` is missing or does not grow from 0 to T.

    Example:
        >>> out, total = ms.ops.ones((1, 1, 2)), ms.ops.ones((1, 1, 1, 8))
        >>> score = 0 * total
        >>> print(ms.ops.ring_attention_update(out, score, total, 3 * out, score, total)[0])
        [[[2. 2.]]]

    Source: mindspore.ops.ring_attention_update of MindSpore 2.10.
    """
    if layout == "TND":
        _need_ring(prev_attn_out, actual_seq_qlen)
    top = xp.maximum(prev_softmax_max, cur_softmax_max)
    before = prev_softmax_sum * xp.exp(prev_softmax_max - top)
    now = cur_softmax_sum * xp.exp(cur_softmax_max - top)
    total = before + now
    merged_sum = 0
    for out, part in ((prev_attn_out, before), (cur_attn_out, now)):
        share = (part / total)[..., :1]
        if layout == "SBH":
            share = xp.transpose(share, (2, 0, 1, 3))  # (B, N, S, 1) for (S, B, N, D)
        upcast = xp.cast(out, "float32") if out.dtype in xp.low_precision else out
        merged_sum = merged_sum + xp.reshape(upcast, (*share.shape[:-1], -1)) * share
    merged_sum = xp.cast(xp.reshape(merged_sum, prev_attn_out.shape), prev_attn_out.dtype)
    return merged_sum, top, total


def _need_ring(out, lengths):
    """Checks the documented limits of joined sequences."""
    heads, features = out.shape[-2:]
    api = "ring_attention_update"
    if features % 64:
        raise RuntimeError(
            f"For '{api}', the features of 'prev_attn_out' must be a multiple of 64 "
            f"for layout 'TND', but got {features}."
        )
    size = 4 if out.dtype.itemsize == 4 else 2
    workspace = -(-heads * features // 64) * 64 * (size * 6 + 8) + -(-heads * 8 // 64) * 64 * 56
    if workspace > 192 * 1024:
        raise RuntimeError(
            f"For '{api}', the heads times features of 'prev_attn_out' must fit "
            f"{192 * 1024} bytes of workspace, but got {heads} and {features}."
        )
    ends = numbers_of(lengths)
    if not ends or sorted(ends) != ends or ends[0] != 0 or ends[-1] != out.shape[0]:
        raise RuntimeError(
            f"For '{api}', 'actual_seq_qlen' must grow from 0 to {out.shape[0]} for "
            f"layout 'TND', but got {ends}."
        )
