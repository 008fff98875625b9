"""Parts of multi-head attention by the private names that scripts import from
`ops.function.nn_func`."""

from ..._core.declare.public_api import build
from ..._core.tensor.dtype import bool_


def linear(x, w, b):
    """Multiplies by a transposed weight and adds a bias.

    Args:
        x (Tensor): shape (..., in_features).
        w (Tensor): shape (out_features, in_features).
        b (Union[Tensor, None]): shape (out_features,).

    Returns:
        Tensor of shape (..., out_features).
    """
    return build("ops", "dense")(x, w, b)


def _in_projection(q, k, v, w_q, w_k, w_v, b_q=None, b_k=None, b_v=None):
    """Returns the tuple of `q`, `k` and `v`, each multiplied by its weight, plus its bias."""
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _in_projection_packed(q, k, v, w, b, k_is_v, q_is_k):
    """Returns the list of `q`, `k` and `v`, each multiplied by its third of one weight.

    Args:
        q (Tensor): queries, shape (..., E); `k` and `v` likewise.
        k (Tensor): keys.
        v (Tensor): values.
        w (Tensor): shape (3 * E, E): the weights of queries, keys and values.
        b (Union[Tensor, None]): shape (3 * E,).
        k_is_v (bool): whether `k` and `v` are the same Tensor; one product then serves both.
        q_is_k (bool): whether `q` and `k` are the same Tensor.
    """
    size = q.shape[-1]
    chunk = build("ops", "chunk")
    if k_is_v and q_is_k:
        return list(chunk(linear(q, w, b), 3, -1))
    b_q, b_k, b_v = (None,) * 3 if b is None else chunk(b, 3)
    if k_is_v:
        b_kv = None if b is None else b[size:]
        return [linear(q, w[:size], b_q), *chunk(linear(k, w[size:], b_kv), 2, -1)]
    w_q, w_k, w_v = chunk(w, 3)
    return [linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)]


def _check_qkv_shape(query_ndim, key_ndim, value_ndim):
    """Returns whether the inputs of an attention have a batch axis.

    Raises:
        ValueError: if they do not all have two axes, or all three.
    """
    if query_ndim not in (2, 3):
        raise ValueError(
            "For 'multi_head_attention_forward', 'query' must have two axes, or three with a "
            f"batch, but has {query_ndim}."
        )
    if (key_ndim, value_ndim) != (query_ndim, query_ndim):
        raise ValueError(
            f"For 'multi_head_attention_forward', 'key' and 'value' must have {query_ndim} axes "
            f"as 'query' has, but have {key_ndim} and {value_ndim}."
        )
    return query_ndim == 3


def _check_kpm_shape(query_ndim, kmp_ndim):
    """Checks the number of axes of a key padding mask, which has one axis less than the query.

    Raises:
        ValueError: if it does not.
    """
    if kmp_ndim != query_ndim - 1:
        raise ValueError(
            "For 'multi_head_attention_forward', 'key_padding_mask' must be None or have "
            f"{query_ndim - 1} axes, but has {kmp_ndim}."
        )


def _check_attn_mask_shape(
    query_ndim, query_shape, key_shape, attn_mask_ndim, attn_mask_shape, num_heads
):
    """Checks the shape of an attention mask: (L, S), or three axes with one mask per head.

    Raises:
        ValueError: if it has another shape.
    """
    if attn_mask_ndim not in (2, 3):
        raise ValueError(
            "For 'multi_head_attention_forward', 'attn_mask' must be None or have two or three "
            f"axes, but has {attn_mask_ndim}."
        )
    if attn_mask_ndim == 3:
        heads = num_heads if query_ndim == 2 else num_heads * query_shape[1]
        expected = (heads, query_shape[0], key_shape[0])
        if tuple(attn_mask_shape) != expected:
            raise ValueError(
                f"For 'multi_head_attention_forward', 'attn_mask' must have the shape {expected}, "
                f"but has {tuple(attn_mask_shape)}."
            )


def _inner_dropout(x, p, training):
    """Returns `x` with elements zeroed with probability `p`, if `training` and `p` is above 0."""
    return build("ops", "dropout")(x, p) if training and 0.0 < p <= 1.0 else x


def _inner_pad(x, padding, value=None):
    """Returns `x` padded with `value`; accepts bool Tensors, too."""
    pad = build("ops", "pad")
    if x.dtype != bool_:
        return pad(x, padding, "constant", value)
    filling = 0 if value is None else int(value)
    return pad(x.astype("int32"), padding, "constant", filling).astype(bool_)


__all__ = [
    "_check_attn_mask_shape",
    "_check_kpm_shape",
    "_check_qkv_shape",
    "_in_projection",
    "_in_projection_packed",
    "_inner_dropout",
    "_inner_pad",
    "linear",
]
