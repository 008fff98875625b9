"""fused_infer_attention_score: prompt and incremental attention for inference in one op.

The shape of the queries decides between the attention of many queries and that of one query per
batch. Both support padding on the left, keys of bytes, and the logarithms of the sums of
exponentials. What it shares with the two is in _attention/prompt_incre.py and
_attention/inference.py. The documentation of 2.10 is the reference; the original runs it on Ascend
only.
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
    _see,
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

    With B batches, S1 queries, S2 keys, N heads of the queries and kvN of the keys, of D features
    each. It is computed in float32. A query that may see nothing, or is none, gathers zeros. Where
    S1 is 1, pages and separate scales are at hand, and modes, reach, `actual_seq_lengths` and
    `query_padding_size` are without effect.

    Args:
        query (Tensor): shape (B, S1, N * D), (B, N, S1, D) or (B, S1, N, D) by layout; float16,
            bfloat16, or, where S1 is not 1, int8.
        key (Union[Tensor, tuple[Tensor], list[Tensor]]): as `query`, with S2 and kvN, one for all
            batches or one for each; in pages (pages, block_size, kvN * D) or
            (pages, kvN, block_size, D). Of the dtype of `query`, or int8.
        value (Union[Tensor, tuple[Tensor], list[Tensor]]): as `key`.
        pse_shift (Tensor): added to the scores, shape (B, N, S1, S2) or (1, N, S1, S2), or longer;
            bfloat16 as `query`, else float16. Default: None.
        atten_mask (Tensor): nonzero where a key is left out, shape (S1, S2), (B, S1, S2),
            (1, S1, S2), (B, 1, S1, S2) or (1, 1, S1, S2); for modes 2, 3 and 4 a lower triangle
            (2048, 2048), which stands for what the mode says; where S1 is 1, shape (B, S2),
            (B, 1, S2) or (B, 1, 1, S2).
        actual_seq_lengths (Union[tuple[int], list[int], Tensor]): how many queries each batch has,
            (B,) or (1,). Default: None, for all.
        actual_seq_lengths_kv (Union[tuple[int], list[int], Tensor]): how many keys each batch has.
        dequant_scale1 (Tensor): of the products of bytes, one number, uint64 with the bits of a
            float32 in its lower half, or float32. With `quant_scale1` and `dequant_scale2` for
            queries of int8, and only for those.
        quant_scale1 (Tensor): of the weights, before they are rounded to bytes; float32.
        dequant_scale2 (Tensor): of the result, of the dtype of `dequant_scale1`.
        quant_scale2 (Tensor): of the result, before it is rounded to bytes; one number, or one for
            each channel. Default: None, for a result of floats.
        quant_offset2 (Tensor): added to the result with it, of its shape and dtype.
        antiquant_scale (Tensor): of keys and values of int8: (2,), or one of each channel, (2,
            kvN * D), (2, kvN, 1, D) or (2, kvN, D), or one of each token, (2, B, S2).
        antiquant_offset (Tensor): added to them before, of the same shape.
        key_antiquant_scale (Tensor): of keys alone, without the axis of 2; where S1 is 1.
        key_antiquant_offset (Tensor): added to keys before.
        value_antiquant_scale (Tensor): of values alone.
        value_antiquant_offset (Tensor): added to values before.
        block_table (Tensor): the pages of each batch, int32, shape (B, pages); where S1 is 1, with
            `actual_seq_lengths_kv`.
        query_padding_size (Tensor): by how many empty positions the queries are followed, where
            `actual_seq_lengths` is given; int64, one number.
        kv_padding_size (Tensor): the same of the keys and `actual_seq_lengths_kv`. Where sequences
            leave no key, nothing is seen.
        key_shared_prefix (Tensor): reserved; None. So are `value_shared_prefix` and
            `actual_shared_prefix_len`.
        num_heads (int): N. Default: 1.
        scale (float): the factor of the products of queries and keys. Default: 1.0.
        pre_tokens (int): how many keys back a query sees, for modes 0 (with a mask, and no padding
            on the left) and 4.
        next_tokens (int): how many keys ahead it sees.
        input_layout (str): "BSH", "BNSD", "BSND", or, where S1 is not 1, "BNSD_BSND", for a result
            in the latter of the two. Default: "BSH".
        num_key_value_heads (int): kvN, a divisor of N; 0 for N. Default: 0.
        sparse_mode (int): 0 to 4, as in `ops.prompt_flash_attention`. Default: 0.
        inner_precise (int): 0 to 3, or 0 and 1 where S1 is 1: how exact the original is, and what
            it does where a query sees nothing; without effect.
        block_size (int): how many keys a page holds. Default: 0.
        antiquant_mode (int): 0 for scales of all or of each channel, 1 for those of each token.
        key_antiquant_mode (int): the same of `key_antiquant_scale`; that of the values, too.
        value_antiquant_mode (int): the same.
        softmax_lse_flag (bool): whether the second result is computed. Default: False.

    Returns:
        tuple[Tensor]: the attention, of the shape of `query`, or (B, S1, N, D) for "BNSD_BSND";
        int8 with `quant_scale2`, float16 of other bytes, else of the dtype of `query`. And the
        logarithm of the sum of the exponentials of each query's scores, float32, shape
        (B, N, S1, 1), minus infinity where none is seen, or one zero, shape (1,).

    Raises:
        TypeError: if a dtype is another one, or dtypes differ, or an argument is of another type.
        ValueError: if `input_layout` is another one, axes, lengths, pages or scales do not fit, or
            a reserved argument is given.
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
    _see(call, atten_mask, call.mode, reach, pse_shift)
    _need_whole_pages(call, quant_scale2)
    sums = Tensor._wrap(call.space.zeros((1,), "float32"))
    out = _result(call, bytes_, quant_scale2, quant_offset2)
    return out, call.log_sums() if softmax_lse_flag else sums


class _Queries(Inference):
    """The attention of several queries of each batch."""

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
    """The attention of one query of each batch."""

    mask_name, lengths_name = "atten_mask", "actual_seq_lengths_kv"
    mode = 1  # the mask alone

    def prepare(self, scales, by_token, pages, lengths, padding, mode, reach, precise):
        """Lays out keys and values, from pages too, and sets the lengths of each batch."""
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
    """(the scales, the offsets) of keys and values, and whether they are per token."""
    both, added, mode = whole
    apart = [x is not None for x in (*scales, *offsets)]
    if not any(apart):
        return (_halve(call, both), _halve(call, added)), mode == 1
    paired = all(
        (a is None) == (b is None) and (a is None or a.shape == b.shape)
        for a, b in (scales, offsets)
    )
    if (
        call.queries != 1
        or both is not None
        or added is not None
        or not paired
        or (modes[0] != modes[1])
    ):
        call.refuse(
            "the scales of keys and of values must be given for one query of each batch, "
            "both of them, of one shape and mode, and without those of both in one"
        )
    return (scales, offsets), modes[0] == 1
