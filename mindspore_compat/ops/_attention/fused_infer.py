"""fused_infer_attention_score: prompt and incremental attention for inference in one op.

If there is one query per batch, the call is incremental attention, otherwise attention of a prompt.
Both support padding on the left, int8 keys and values, and the logarithms of the sums of
exponentials. The shared code is in _attention/prompt_incre.py and _attention/inference.py.
MindSpore runs this operator on Ascend only, so its documentation of 2.10 is the reference.
"""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, Int, OneOf, TensorOf, any_dtype, checked
from ..._core.tensor.tensor import Tensor
from .._rules import Float32, FloatsUpTo32, HalfPrecision
from .flash_masks import ALL_TOKENS
from .head_layouts import Counts
from .inference import Inference, Step
from .prompt_incre import (
    Listed,
    Mask,
    OutScale,
    Plain,
    Scale,
    Size,
    Tables,
    _byte_scales,
    _halve,
    _need_dtypes,
    _need_none,
    _need_prompt,
    _need_whole_pages,
    _result,
    _set_mask_and_shift,
    _take_cache,
)

Mode = OneOf(0, 1)


@public("ops.fused_infer_attention_score")
@checked
def fused_infer_attention_score(
    query: Plain,
    key: Plain | Listed,
    value: Plain | Listed,
    *,
    pse_shift: HalfPrecision = None,
    atten_mask: Mask = None,
    actual_seq_lengths: Counts = None,
    actual_seq_lengths_kv: Counts = None,
    dequant_scale1: Scale = None,
    quant_scale1: Float32 = None,
    dequant_scale2: Scale = None,
    quant_scale2: OutScale = None,
    quant_offset2: OutScale = None,
    antiquant_scale: FloatsUpTo32 = None,
    antiquant_offset: FloatsUpTo32 = None,
    key_antiquant_scale: FloatsUpTo32 = None,
    key_antiquant_offset: FloatsUpTo32 = None,
    value_antiquant_scale: FloatsUpTo32 = None,
    value_antiquant_offset: FloatsUpTo32 = None,
    block_table: Tables = None,
    query_padding_size: Size = None,
    kv_padding_size: Size = None,
    key_shared_prefix: TensorOf(any_dtype) = None,
    value_shared_prefix: TensorOf(any_dtype) = None,
    actual_shared_prefix_len: Counts = None,
    num_heads: Int = 1,
    scale: Float = 1.0,
    pre_tokens: Int = ALL_TOKENS,
    next_tokens: Int = ALL_TOKENS,
    input_layout: OneOf("BSH", "BNSD", "BSND", "BNSD_BSND") = "BSH",
    num_key_value_heads: Int = 0,
    sparse_mode: Int = 0,
    inner_precise: OneOf(0, 1, 2, 3) = 1,
    block_size: Int = 0,
    antiquant_mode: Mode = 0,
    key_antiquant_mode: Mode = 0,
    value_antiquant_mode: Mode = 0,
    softmax_lse_flag: Bool = False,
):
    """Computes attention for inference: softmax(scale * query @ key.T + pse_shift) @ value.

    B is the number of batches, S1 of queries, S2 of keys; N and kvN are the numbers of query and
    key heads, of D features each. The result is computed in float32. The output of a query that is
    padding or may not attend to any key is 0. Only if S1 is 1, pages and separate scales are
    available; the modes, `pre_tokens`, `next_tokens`, `actual_seq_lengths` and `query_padding_size`
    then have no effect.

    Args:
        query (Tensor): shape (B, S1, N * D), (B, N, S1, D) or (B, S1, N, D) by layout; float16,
            bfloat16, or, where S1 is not 1, int8.
        key (Union[Tensor, tuple[Tensor], list[Tensor]]): as `query`, with S2 keys and kvN heads;
            one Tensor for all batches or one per batch; in pages, shape (pages, block_size, kvN *
            D) or (pages, kvN, block_size, D). Of the dtype of `query`, or int8.
        value (Union[Tensor, tuple[Tensor], list[Tensor]]): as `key`.
        pse_shift (Tensor): added to the scores, shape (B, N, S1, S2) or (1, N, S1, S2), or longer
            in the last two axes; bfloat16 if `query` is, else float16. Default: None.
        atten_mask (Tensor): nonzero where a key must not be attended to, shape (S1, S2), (B, S1,
            S2), (1, S1, S2), (B, 1, S1, S2) or (1, 1, S1, S2); for modes 2, 3 and 4 a lower
            triangle (2048, 2048), which is expanded to the mask of the mode; if S1 is 1, shape (B,
            S2), (B, 1, S2) or (B, 1, 1, S2).
        actual_seq_lengths (Union[tuple[int], list[int], Tensor]): the number of queries of each
            batch, (B,) or (1,). Default: None, all of them.
        actual_seq_lengths_kv (Union[tuple[int], list[int], Tensor]): the number of keys of each
            batch.
        dequant_scale1 (Tensor): scales the int8 products of queries and keys; one number, float32,
            or uint64 whose lower half holds the bits of a float32. It is given together with
            `quant_scale1` and `dequant_scale2`, and only for int8 queries.
        quant_scale1 (Tensor): scales the attention weights before they are rounded to int8;
            float32.
        dequant_scale2 (Tensor): scales the int8 products of weights and values; of the dtype of
            `dequant_scale1`.
        quant_scale2 (Tensor): scales the result before it is rounded to int8; one number, or one
            per channel. Default: None, a floating result.
        quant_offset2 (Tensor): added to the scaled result, of the shape and dtype of
            `quant_scale2`.
        antiquant_scale (Tensor): scales int8 keys and values: shape (2,); per channel (2, kvN * D),
            (2, kvN, 1, D) or (2, kvN, D); per token (2, B, S2).
        antiquant_offset (Tensor): added to int8 keys and values before scaling, of the same shape.
        key_antiquant_scale (Tensor): scales the keys alone, without the axis of length 2; only if
            S1 is 1.
        key_antiquant_offset (Tensor): added to the keys before scaling.
        value_antiquant_scale (Tensor): scales the values alone.
        value_antiquant_offset (Tensor): added to the values before scaling.
        block_table (Tensor): the pages of each batch, int32, shape (B, pages); only if S1 is 1, and
            together with `actual_seq_lengths_kv`.
        query_padding_size (Tensor): the number of padding positions after the queries, if
            `actual_seq_lengths` is given; int64, one number.
        kv_padding_size (Tensor): the number of padding positions after the keys, if
            `actual_seq_lengths_kv` is given. A batch that has no keys left attends to nothing.
        key_shared_prefix (Tensor): reserved; must be None, as `value_shared_prefix` and
            `actual_shared_prefix_len`.
        num_heads (int): N. Default: 1.
        scale (float): the factor of the products of queries and keys. Default: 1.0.
        pre_tokens (int): how many keys before its own position a query attends to; for modes 0
            (with a mask, and no padding on the left) and 4.
        next_tokens (int): how many keys after its own position a query attends to.
        input_layout (str): "BSH", "BNSD", "BSND", or, if S1 is not 1, "BNSD_BSND", which takes
            "BNSD" and returns "BSND". Default: "BSH".
        num_key_value_heads (int): kvN, a divisor of N; 0 for N. Default: 0.
        sparse_mode (int): 0 to 4, as in `ops.prompt_flash_attention`. Default: 0.
        inner_precise (int): 0 to 3, or 0 and 1 if S1 is 1; selects the precision on Ascend, without
            effect here.
        block_size (int): the number of keys per page. Default: 0.
        antiquant_mode (int): 0 for one scale or one per channel, 1 for one per token.
        key_antiquant_mode (int): the same for `key_antiquant_scale`; must equal that of the values.
        value_antiquant_mode (int): the same for `value_antiquant_scale`.
        softmax_lse_flag (bool): whether the second result is computed. Default: False.

    Returns:
        tuple[Tensor]: the attention, and the logarithm of the sum of exponentials of each query's
        scores. The attention has the shape of `query`, or (B, S1, N, D) for "BNSD_BSND"; it is int8
        if `quant_scale2` is given, float16 for other int8 queries, else of the dtype of `query`.
        The logarithm is float32, shape (B, N, S1, 1), minus infinity for a query without keys;
        without `softmax_lse_flag` it is a 0 of shape (1,).

    Raises:
        TypeError: if a dtype is not one of those listed, dtypes differ, or an argument has the
            wrong type.
        ValueError: if `input_layout` is unknown, axes, lengths, pages or scales do not fit, or a
            reserved argument is given.
        RuntimeError: if heads, features, the mask or `sparse_mode` do not fit.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import Tensor, ops
        >>> x = Tensor(np.ones((1, 4, 8, 16), np.float16))
        >>> out, _ = ops.fused_infer_attention_score(x, x, x, num_heads=4, input_layout="BNSD")
        >>> print(out.shape)
        (1, 4, 8, 16)

    Source: mindspore.ops.fused_infer_attention_score of MindSpore 2.10.
    """
    api = "fused_infer_attention_score"
    single = query.ndim in (3, 4) and query.shape[2 if input_layout.startswith("BN") else 1] == 1
    kind = _OneQuery if single else _Queries
    keys, values = ([x] if isinstance(x, Tensor) else list(x) for x in (key, value))
    call = kind(
        api, query, keys, values, input_layout, num_heads, num_key_value_heads, scale, RuntimeError
    )
    _need_none(
        call,
        "reserved",
        key_shared_prefix=key_shared_prefix,
        value_shared_prefix=value_shared_prefix,
        actual_shared_prefix_len=actual_shared_prefix_len,
    )
    whole = antiquant_scale, antiquant_offset, antiquant_mode
    apart = (
        (key_antiquant_scale, value_antiquant_scale),
        (key_antiquant_offset, value_antiquant_offset),
        (key_antiquant_mode, value_antiquant_mode),
    )
    scales, by_token = _key_scales(call, whole, *apart)
    reach, padding = (pre_tokens, next_tokens), (query_padding_size, kv_padding_size)
    lengths, pages = (actual_seq_lengths, actual_seq_lengths_kv), (block_table, block_size)
    bytes_ = _byte_scales(call, (dequant_scale1, quant_scale1, dequant_scale2))
    call.prepare(scales, by_token, pages, lengths, padding, sparse_mode, reach, inner_precise)
    _set_mask_and_shift(call, atten_mask, call.mode, reach, pse_shift)
    _need_whole_pages(call, quant_scale2)
    sums = Tensor._wrap(call.space.zeros((1,), "float32"))
    out = _result(call, bytes_, quant_scale2, quant_offset2)
    return out, call.log_sums() if softmax_lse_flag else sums


class _Queries(Inference):
    """Computes the attention of several queries per batch."""

    mask_name, paged = "atten_mask", False

    def prepare(self, scales, by_token, pages, lengths, padding, mode, reach, precise):
        """Lays out keys and values, and sets the lengths of each batch."""
        _need_prompt(self, mode, reach)
        _need_none(self, "for one query of each batch", block_table=pages[0])
        if by_token:
            self.refuse("'antiquant_mode' must be 0 where there are several queries, but got 1")
        bytes_ = _need_dtypes(self, scales)
        if bytes_ and str(self.dtype) != "Float16":
            self.refuse(
                f"'query' must be float16 with keys of int8, but got {self.dtype}", TypeError
            )
        self.mode = mode
        self.take()
        if bytes_:
            self.dequantize_keys(*scales)
        self.limit_queries("actual_seq_lengths", lengths[0], padding[0], one_for_all=True)
        self.limit_keys("actual_seq_lengths_kv", lengths[1], padding[1], one_for_all=True)


class _OneQuery(Step):
    """Computes the attention of one query per batch."""

    mask_name, lengths_name = "atten_mask", "actual_seq_lengths_kv"
    mode = 1  # only the mask counts

    def prepare(self, scales, by_token, pages, lengths, padding, mode, reach, precise):
        """Lays out keys and values, also from pages, and sets the lengths of each batch."""
        if str(self.dtype) == "Int8" or precise > 1 or self.layout == "BNSD_BSND":
            self.refuse(
                f"'query' must be of floats, 'inner_precise' 0 or 1 and 'input_layout' not "
                f"'BNSD_BSND' where there is one query, but got {self.dtype}, {precise} "
                f"and '{self.layout}'"
            )
        if pages[0] is not None and lengths[1] is None:
            self.refuse(
                "'actual_seq_lengths_kv' must be given with a 'block_table', but got None",
                RuntimeError,
            )
        _take_cache(self, scales, by_token, pages, lengths[1], padding[1])


def _key_scales(call, whole, scales, offsets, modes):
    """Returns the scales and offsets of keys and values, and whether they are per token."""
    both_scales, both_offsets, mode = whole
    apart = [x is not None for x in (*scales, *offsets)]
    if not any(apart):
        return (_halve(call, both_scales), _halve(call, both_offsets)), mode == 1
    are_alike = all(
        (a is None) == (b is None) and (a is None or a.shape == b.shape)
        for a, b in (scales, offsets)
    )
    if (
        call.queries != 1
        or both_scales is not None
        or both_offsets is not None
        or not are_alike
        or (modes[0] != modes[1])
    ):
        call.refuse(
            "the scales of keys and of values must be given for one query of each batch, "
            "both of them, of one shape and mode, and without those of both in one"
        )
    return (scales, offsets), modes[0] == 1
