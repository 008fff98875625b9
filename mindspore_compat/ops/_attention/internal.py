"""Attention, rotary embedding and feed-forward operators that MindSpore runs only on Ascend.

They are composed of public functions, so they have gradients and run on every device.
"""

import numpy as np

from ..._core.declare.public_api import public
from ..._core.tensor import tensor
from ..._core.tensor.dtype import float32, int8
from .._primitive_aliases.alias import alias, functional, ops, pull_back, require


@alias("ops.auto_generate.KVCacheScatterUpdate()(var, indices, updates, axis, reduce='none')")
def kv_cache_scatter_update(var, indices, updates, axis, reduce):
    """Writes `updates` into `var` in place along an axis. In each row the first written position is
    that in `indices`. `reduce` may be "none" or "update", which mean the same.
    """
    require("KVCacheScatterUpdate", "reduce", reduce, ("none", "update"))
    for row, start in enumerate(indices.asnumpy().tolist()):
        part = slice(start, start + updates.shape[axis])
        index = (row, ..., part) if axis in (-1, var.ndim - 1) else (row, ..., part, slice(None))
        var[index] = updates[row]
    return var


_ACTIVATIONS = {
    "relu": lambda x: ops.relu(x),
    "gelu": lambda x: functional.gelu(x),
    "fastgelu": lambda x: ops.FastGeLU()(x),
    "silu": lambda x: functional.silu(x),
    "sigmoid": lambda x: ops.sigmoid(x),
    "tanh": lambda x: ops.tanh(x),
    "geglu": lambda x: _gate(functional.gelu, x),
    "reglu": lambda x: _gate(ops.relu, x),
    "swiglu": lambda x: _gate(functional.silu, x),
}


@public("ops.auto_generate.apply_rotary_pos_emb_")
def apply_rotary_pos_emb_(query, key, cos, sin, position_ids, cos_format=0):
    """Applies rotary position embedding (RoPE) to a query and a key: x cos + rotate_half(x) sin.

    If `cos` and `sin` have one row per token or one per position of the sequence, the rows are used
    in order. Otherwise `position_ids` gives the row of each token.

    Args:
        query (Tensor): shape (batch, heads, sequence, width), where `width` is that of `cos`, or
            (batch, sequence, features) with the heads joined.
        key (Tensor): as `query`; it may have fewer heads.
        cos (Tensor): the cosines, one row per position.
        sin (Tensor): the sines, one row per position.
        position_ids (Tensor): the row of each token.
        cos_format (int): the layout of `cos` and `sin`. It has no effect, because their shapes show
            it. Default: 0.

    Returns:
        tuple[Tensor], the rotated query and key.

    Source: mindspore.ops.auto_generate.apply_rotary_pos_emb_ of MindSpore 2.10.
    """
    return ops.ApplyRotaryPosEmb(cos_format)(query, key, cos, sin, position_ids)


@alias(
    "ops.auto_generate.FlashAttentionScoreGrad(head_num, keep_prob=1.0, scale_value=1.0, "
    "pre_tokens=65536, next_tokens=65536, inner_precise=1, input_layout='BSH', sparse_mode=0)("
    "query, key, value, dy, pse_shift=None, drop_mask=None, padding_mask=None, atten_mask=None, "
    "softmax_max=None, softmax_sum=None, softmax_in=None, attention_in=None, prefix=None, "
    "actual_seq_qlen=None, actual_seq_kvlen=None)"
)
def flash_attention_score_grad(
    query,
    key,
    value,
    dy,
    pse_shift,
    drop_mask,
    padding_mask,
    atten_mask,
    softmax_max,
    softmax_sum,
    softmax_in,
    attention_in,
    prefix,
    actual_seq_qlen,
    actual_seq_kvlen,
    head_num,
    keep_prob,
    scale_value,
    pre_tokens,
    next_tokens,
    inner_precise,
    input_layout,
    sparse_mode,
):
    attention = ops.FlashAttentionScore(
        head_num,
        keep_prob,
        scale_value,
        pre_tokens,
        next_tokens,
        inner_precise,
        input_layout,
        sparse_mode,
    )
    others = drop_mask, padding_mask, atten_mask, prefix, actual_seq_qlen, actual_seq_kvlen
    inputs = (query, key, value) if pse_shift is None else (query, key, value, pse_shift)

    def run(query, key, value, real_shift=None):
        return attention(query, key, value, real_shift, *others)[3]

    gradients = pull_back(dy, run, *inputs)
    return (*gradients, None) if pse_shift is None else gradients


@alias(
    "ops.auto_generate.NsaCompressGrad()(grad, input, weight, compress_block_size, "
    "compress_stride, actual_seq_len)"
)
def nsa_compress_grad(grad, input, weight, compress_block_size, compress_stride, actual_seq_len):
    return pull_back(
        grad,
        lambda input, weight: ops.nsa_compress(
            input, weight, compress_block_size, compress_stride, actual_seq_len=actual_seq_len
        ),
        input,
        weight,
    )


_INPUTS = (
    "x, weight1, weight2, expertTokens=None, bias1=None, bias2=None, scale=None, offset=None, "
    "deqScale1=None, deqScale2=None, antiquant_scale1=None, antiquant_scale2=None, "
    "antiquant_offset1=None, antiquant_offset2=None"
)


@public("ops.auto_generate.ffn_ext")
def ffn_ext(
    x,
    weight1,
    weight2,
    expertTokens=None,
    bias1=None,
    bias2=None,
    scale=None,
    offset=None,
    deqScale1=None,
    deqScale2=None,
    antiquant_scale1=None,
    antiquant_scale2=None,
    antiquant_offset1=None,
    antiquant_offset2=None,
    activation="fastgelu",
    inner_precise=0,
):
    """Computes a feed-forward block, two linear layers with an activation between them: act(x @
    weight1 + bias1) @ weight2 + bias2.

    Args:
        x (Tensor): shape (..., features).
        weight1 (Tensor): the matrix of the first layer, or a stack of one matrix per expert.
        weight2 (Tensor): the matrix or matrices of the second layer.
        expertTokens (Union[Tensor, list]): the number of rows of each expert. Default: ``None``,
            there are no experts.
        bias1 (Tensor): the bias of the first layer. Default: ``None``.
        bias2 (Tensor): the bias of the second layer. Default: ``None``.
        scale (Tensor): quantizes the values between the layers to int8. Default: ``None``.
        offset (Tensor): added in this quantization. Default: ``None``.
        deqScale1 (Tensor): scales the int8 product of the first layer. Default: ``None``.
        deqScale2 (Tensor): scales the int8 product of the second layer. Default: ``None``.
        antiquant_scale1 (Tensor): scales an int8 `weight1`. Default: ``None``.
        antiquant_scale2 (Tensor): scales an int8 `weight2`. Default: ``None``.
        antiquant_offset1 (Tensor): added to `weight1` before scaling. Default: ``None``.
        antiquant_offset2 (Tensor): added to `weight2` before scaling. Default: ``None``.
        activation (str): "fastgelu", "gelu", "relu", "silu", "sigmoid", "tanh", "geglu", "reglu" or
            "swiglu", in any case. Default: "fastgelu".
        inner_precise (int): 0 for high precision or 1 for high performance; without effect here.
            Default: 0.

    Raises:
        ValueError: if `activation` is not one of these, or `inner_precise` is neither 0 nor 1.

    Source: mindspore.ops.auto_generate.ffn_ext of MindSpore 2.10.
    """
    if activation.lower() not in _ACTIVATIONS:
        raise ValueError(
            f"For 'ffn_ext', 'activation' must be one of {sorted(_ACTIVATIONS)}, but "
            f"got {activation!r}."
        )
    if inner_precise not in (0, 1):
        raise ValueError(
            f"For 'ffn_ext', 'inner_precise' must be 0 or 1, but got {inner_precise!r}."
        )
    by_expert = (
        weight1,
        bias1,
        deqScale1,
        antiquant_scale1,
        antiquant_offset1,
        weight2,
        bias2,
        deqScale2,
        antiquant_scale2,
        antiquant_offset2,
        scale,
        offset,
    )
    act = _ACTIVATIONS[activation.lower()]
    if expertTokens is None:
        return _layers(x, act, *by_expert)
    has_groups = isinstance(expertTokens, tensor.Tensor)
    ends = np.cumsum(expertTokens.asnumpy() if has_groups else expertTokens).tolist()
    rows = [
        _layers(
            x[start:end],
            act,
            *(None if parameter is None else parameter[expert] for parameter in by_expert),
        )
        for expert, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True))
    ]
    return ops.cat(rows, 0)


alias(f"ops.auto_generate.FFNExt(activation='fastgelu', inner_precise=0)({_INPUTS})", ffn_ext)


def _gate(function, x):
    """Multiplies one half of the features by a function of the other half."""
    half = x.shape[-1] // 2
    return function(x[..., :half]) * x[..., half:]


def _layers(x, act, *parameters):
    scale, offset = parameters[10:]
    hidden = act(_product(x, *parameters[:5]))
    if scale is not None:
        hidden = hidden * scale + (0 if offset is None else offset)
        hidden = ops.clamp(ops.round(hidden), -128, 127).astype(int8)
    return _product(hidden, *parameters[5:10])


def _product(x, weight, bias, scale, antiquant_scale, antiquant_offset):
    if antiquant_scale is not None:
        weight = weight.astype(x.dtype)
        weight = weight if antiquant_offset is None else weight + antiquant_offset
        weight = weight * antiquant_scale
    if scale is not None:
        x, weight = x.astype(float32), weight.astype(float32)
    product = ops.matmul(x, weight)
    product = product if bias is None else product + bias
    return product if scale is None else product * scale


@alias("ops.auto_generate.RotaryPositionEmbeddingGrad()(dy, cos, sin, dx=None, mode=0)")
def rotary_position_embedding_grad(dy, cos, sin, dx, mode):
    return pull_back(
        dy,
        lambda dx, cos, sin: ops.rotary_position_embedding(dx, cos, sin, mode),
        dy if dx is None else dx,
        cos,
        sin,
    )
