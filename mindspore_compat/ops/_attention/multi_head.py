"""multi_head_attention_forward: projections, masks and heads around _attention/attention.py.

nn.MultiheadAttention calls this function with its Parameters. The checks of shapes are here, so
both reject the same arguments.
"""

import math
from typing import NamedTuple

from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, DType, Int, Number, checked
from ..._core.tensor.dtype import float32
from ..._core.tensor.precision import state as precision
from ..._core.tensor.tensor import Tensor
from .._indexing.masks import masked_fill
from .._linalg.matmul import bmm, dense
from .._random.dropout import dropout
from .._rules import Anything
from .._shape.join_split import cat, split_at
from .attention import attend_with_dropout, attention_weights
from .ring import attended


@public("ops.multi_head_attention_forward")
@checked
def multi_head_attention_forward(
    query: Anything,
    key: Anything,
    value: Anything,
    embed_dim_to_check: Int(ge=1),
    num_heads: Int(ge=1),
    in_proj_weight,
    in_proj_bias,
    bias_k,
    bias_v,
    add_zero_attn,
    dropout_p: Number,
    out_proj_weight: Anything,
    out_proj_bias,
    training: Bool = True,
    key_padding_mask=None,
    attn_mask=None,
    use_separate_proj_weight: Bool = False,
    q_proj_weight=None,
    k_proj_weight=None,
    v_proj_weight=None,
    static_k=None,
    static_v=None,
    average_attn_weights: Bool = True,
    is_causal: Bool = False,
    k_is_v: Bool = False,
    q_is_k: Bool = False,
    dtype: DType = float32,
):
    """Computes multi-head attention of queries to keys and values, with the given weights.

    Args:
        query (Tensor): shape (L, N, E), or (L, E).
        key (Tensor): shape (S, N, E), or (S, E); with separate weights it may have other features.
        value (Tensor): as `key`.
        embed_dim_to_check (int): E.
        num_heads (int): the number of heads, a divisor of E.
        in_proj_weight (Union[Tensor, None]): shape (3 * E, E); None with separate weights.
        in_proj_bias (Union[Tensor, None]): shape (3 * E,), or None.
        bias_k (Union[Tensor, None]): a key to append, shape (1, 1, E), or None.
        bias_v (Union[Tensor, None]): the value to append with it, or None.
        add_zero_attn (bool): whether to append a key and a value of zeros.
        dropout_p (float): the probability that a weight is set to zero in training.
        out_proj_weight (Tensor): shape (E, E).
        out_proj_bias (Union[Tensor, None]): shape (E,), or None.
        training (bool): whether dropout is applied. Default: True.
        key_padding_mask (Tensor): shape (N, S), or (S): bools, true where a key must not be
            attended to, or floats that are added to the scores.
        attn_mask (Tensor): shape (L, S) or (N * num_heads, L, S); as `key_padding_mask`.
        use_separate_proj_weight (bool): whether the three following weights are used.
        q_proj_weight (Tensor): shape (E, E).
        k_proj_weight (Tensor): shape (E, features of `key`).
        v_proj_weight (Tensor): shape (E, features of `value`).
        static_k (Tensor): projected keys instead of those of `key`, shape (N * num_heads, S,
            E / num_heads).
        static_v (Tensor): projected values.
        average_attn_weights (bool): whether the weights are averaged over the heads. Default: True.
        is_causal (bool): adds 1 to the scores of the keys up to the query's own, as MindSpore does,
            if `attn_mask` is not used. Default: False.
        k_is_v (bool): whether `value` is `key`, so that one product projects both.
        q_is_k (bool): whether `key` is `query`.
        dtype (mindspore.dtype): the dtype that bool masks are converted to. Default: float32.

    Returns:
        tuple[Tensor]: the result (L, N, E), and the weights (N, L, S) or (N, num_heads, L, S).

    Raises:
        ValueError: if shapes do not fit, or a mask is of integers.

    Example:
        >>> x, eye = ms.ops.ones((2, 1, 4)), ms.ops.eye(4)
        >>> out, weights = ms.ops.multi_head_attention_forward(
        ...     x, x, x, 4, 2, ms.ops.cat([eye, eye, eye]), None, None, None, False, 0.0, eye, None)
        >>> out.shape, weights.shape
        ((2, 1, 4), (1, 2, 2))

    Source: mindspore.ops.function.nn_func of MindSpore 2.10, observed.
    """
    separate = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    inputs = attention_inputs(
        query,
        key,
        value,
        width=embed_dim_to_check,
        num_heads=num_heads,
        in_proj_weight=in_proj_weight,
        in_proj_bias=in_proj_bias,
        bias_k=bias_k,
        bias_v=bias_v,
        add_zero_attn=add_zero_attn,
        out_proj_weight=out_proj_weight,
        key_padding_mask=key_padding_mask,
        attn_mask=attn_mask,
        weights=separate,
        same=k_is_v and q_is_k,
        dtype=dtype,
        static=(static_k, static_v),
        is_causal=is_causal,
    )
    chance = float(dropout_p) if training else 0.0
    query, key, value = inputs.heads
    weights = attention_weights.run(query, key, inputs.shift, None, inputs.scale)
    dropped = dropout.run(weights, chance) if chance else weights
    out = inputs.projected(bmm.run(dropped, value), out_proj_weight, out_proj_bias)
    weights = weights.reshape((*inputs.sizes[:2], *weights.shape[1:]))
    weights = weights.mean(1) if average_attn_weights else weights
    return out, weights if inputs.batched else weights.squeeze(0)


def attention_output(inputs, chance, out_proj_weight, out_proj_bias):
    """Returns the first result of `multi_head_attention_forward`, without storing the weights.

    Args:
        inputs (AttentionInputs): the result of `attention_inputs`.
        chance (float): the probability that a weight is dropped.
        out_proj_weight, out_proj_bias: as for `multi_head_attention_forward`.
    """
    if chance:
        out, _ = attend_with_dropout.run(*inputs.heads, inputs.shift, inputs.scale, 1 - chance)
    else:
        out, _ = attended(*inputs.heads, inputs.shift, None, None, inputs.scale)
    return inputs.projected(out, out_proj_weight, out_proj_bias)


class AttentionInputs(NamedTuple):
    """The inputs of multi-head attention after projection."""

    heads: list  # queries, keys and values, (batch * heads, steps, features of a head)
    shift: Tensor  # added to the scores, or None
    sizes: tuple  # batch, heads, queries, keys
    batched: bool  # whether the inputs have a batch axis

    @property
    def scale(self):
        """The number that the scores are multiplied by."""
        return self.heads[0].shape[-1] ** -0.5

    def projected(self, out, weight, bias):
        """Projects the outputs of all heads to the result."""
        batch, heads, steps, _ = self.sizes
        out = out.swapaxes(0, 1).reshape((steps, batch, heads * out.shape[-1]))
        out = dense.run(out, weight, bias)
        return out if self.batched else out.squeeze(1)


def attention_inputs(
    query,
    key,
    value,
    width,
    num_heads,
    in_proj_weight,
    in_proj_bias,
    bias_k,
    bias_v,
    add_zero_attn,
    out_proj_weight,
    key_padding_mask,
    attn_mask,
    weights,
    same,
    dtype,
    static=(None, None),
    is_causal=False,
):
    """Returns the AttentionInputs for arguments of `multi_head_attention_forward`.

    `weights` are the three separate weights or None, `static` the static keys and values; `same`
    says that queries, keys and values are projected from the same Tensor.
    """
    batched = _need_shapes(query, key, value, width, num_heads, weights)
    _need_dtype(out_proj_weight, query=query, key=key, value=value)
    if not batched:
        query, key, value = (x.expand_dims(1) for x in (query, key, value))
    sizes = (query.shape[1], num_heads, query.shape[0], key.shape[0])
    projected = _project(query, key, value, weights or in_proj_weight, in_proj_bias, same)
    extra = _append_keys(projected[1:], bias_k, bias_v, add_zero_attn)
    heads = [_split_heads(x, num_heads) for x in (projected[0], *extra)]
    heads[1] = heads[1] if static[0] is None else static[0]
    heads[2] = heads[2] if static[1] is None else static[1]
    if is_causal:
        attn_mask = _lower_ones(query, key.shape[0], dtype)
    shift = _shift(attn_mask, key_padding_mask, sizes, batched, dtype, heads[1].shape[1])
    return AttentionInputs(heads, shift, sizes, batched)


def _need_dtype(weight, **inputs):
    """Rejects inputs whose dtype differs from the dtype of the weights, unless a Cell casts
    floats.
    """
    for name, x in inputs.items():
        casts_once = precision.dtype is not None and x._array.dtype.kind in "fV"
        if x._array.dtype != weight._array.dtype and not casts_once:
            raise TypeError(
                f"For 'MultiheadAttention', '{name}' must have the dtype of the "
                f"weights, {weight.dtype}, but got {x.dtype}."
            )


def _need_shapes(query, key, value, width, num_heads, weights):
    """Rejects inputs of the wrong shape; returns whether they have a batch axis."""
    api = "MultiheadAttention"
    if query.ndim not in (2, 3):
        raise ValueError(
            f"For '{api}', 'query' must have 2 or 3 axes, but got shape {query.shape}."
        )
    widths = (width,) * 3 if weights is None else [weight.shape[-1] for weight in weights]
    for name, tensor, features in zip(("query", "key", "value"), (query, key, value), widths):
        if tensor.ndim != query.ndim:
            raise ValueError(
                f"For '{api}', '{name}' must have {query.ndim} axes as 'query' has, "
                f"but got shape {tensor.shape}."
            )
        if tensor.shape[-1] != features:
            raise ValueError(
                f"For '{api}', '{name}' must have {features} features, but got shape "
                f"{tensor.shape}."
            )
    if width % num_heads:
        raise ValueError(
            f"For '{api}', 'embed_dim' must be divisible by 'num_heads', but got "
            f"{width} and {num_heads}."
        )
    if key.shape[:-1] != value.shape[:-1]:
        raise ValueError(
            f"For '{api}', 'key' and 'value' must be as long as each other, but got "
            f"shapes {key.shape} and {value.shape}."
        )
    if query.ndim == 3 and query.shape[1] != key.shape[1]:
        raise ValueError(
            f"For '{api}', 'query' and 'key' must have as many batches, but got "
            f"shapes {query.shape} and {key.shape}."
        )
    return query.ndim == 3


def _project(query, key, value, weight, bias, same):
    """Returns the projected queries, keys and values; uses one product if the three inputs are the
    same."""
    width = query.shape[-1]
    edges = [width, 2 * width]
    if same and isinstance(weight, Tensor):
        return split_at.run(dense.run(query, weight, bias), edges, -1)
    weights = split_at.run(weight, edges, 0) if isinstance(weight, Tensor) else weight
    biases = (None,) * 3 if bias is None else split_at.run(bias, edges, 0)
    return tuple(map(dense.run, (query, key, value), weights, biases))


def _append_keys(pair, bias_k, bias_v, zero):
    """Appends the learned key and value, and a key and value of zeros if `zero`, to the keys and
    values."""
    shape = (1, *pair[0].shape[1:])
    for extra in (
        (bias_k, bias_v) if bias_k is not None else None,
        _zeros(pair[0], shape) * 2 if zero else None,
    ):
        if extra is not None:
            pair = [cat.run([x, row.broadcast_to(shape)], 0) for x, row in zip(pair, extra)]
    return pair


def _zeros(like, shape):
    return [Tensor._wrap(space_for(like._array).zeros(shape, like._array.dtype))]


def _split_heads(x, heads):
    """Reshapes (steps, batch, features) to (batch * heads, steps, features of a head)."""
    steps, batch, features = x.shape
    return x.reshape((steps, batch * heads, features // heads)).swapaxes(0, 1)


# Masks --------------------------------------------------------------------------------------------


def _shift(attn_mask, key_padding_mask, sizes, batched, dtype, longer):
    """Returns the shift that is added to the scores, or None; appended keys have a shift of 0."""
    batch, heads, steps, sources = sizes
    total = None
    if attn_mask is not None:
        need_mask(attn_mask, "attn_mask")
        shape = (steps, sources) if attn_mask.ndim == 2 else (batch * heads, steps, sources)
        total = _longer(_float_mask(attn_mask, "attn_mask", shape, dtype), longer)
    if key_padding_mask is not None:
        shape = (batch, sources) if batched else (sources,)
        mask = _float_mask(key_padding_mask, "key_padding_mask", shape, dtype)
        mask = _longer(mask.reshape((batch, sources)), longer)
        mask = mask.repeat_interleave(heads, 0).expand_dims(1)
        total = mask if total is None else total + mask
    return total


def _longer(mask, count):
    count_missing = count - mask.shape[-1]
    return (
        cat.run([mask, *_zeros(mask, (*mask.shape[:-1], count_missing))], -1)
        if count_missing > 0
        else mask
    )


def _lower_ones(query, sources, dtype):
    xp = space_for(query._array)
    return Tensor._wrap(xp.tri(query.shape[0], sources, dtype="float32")).astype(dtype)


def _float_mask(mask, name, shape, dtype):
    """Converts a mask to floats that are added to the scores; True becomes minus infinity."""
    need_mask(mask, name)
    if mask.shape != shape:
        raise ValueError(
            f"For 'MultiheadAttention', '{name}' must have shape {shape}, but got {mask.shape}."
        )
    if mask._array.dtype.kind in "bu":
        return masked_fill.run(_zeros(mask.astype(dtype), shape)[0], mask.bool(), -math.inf)
    return mask if mask.dtype == dtype else mask.astype(dtype)


def need_mask(mask, name, error=ValueError):
    """Rejects a mask that is not a Tensor, or that is of signed integers or complex numbers."""
    if not isinstance(mask, Tensor) or mask._array.dtype.kind not in "bfVu":
        kind = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise error(
            f"For 'MultiheadAttention', '{name}' must be a Tensor of bool or floats, but "
            f"got {kind}."
        )
