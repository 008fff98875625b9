"""The attention operators of inference: prompt_flash_attention and incre_flash_attention.

The first computes the attention of many queries. The second has one query per batch, and the keys
come from a cache. The operator that chooses between them is in _attention/fused_infer.py; shared
code is in _attention/inference.py. MindSpore runs these operators on Ascend only, so its
documentation of 2.10 is the reference.
"""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Float,
    Int,
    ListOf,
    OneDtype,
    OneOf,
    TensorOf,
    TupleOf,
    checked,
)
from ..._core.tensor.dtype import float16, float32
from .._rules import Float32, HalfPrecision
from .flash_masks import ALL_TOKENS
from .head_layouts import Counts
from .inference import Inference, Step

Plain = TensorOf("float16", "bfloat16", "int8")
Mask = TensorOf("bool", "int8", "uint8")
Scale = TensorOf("uint64", "float32")
OutScale = TensorOf("float32", "bfloat16")
Tables = TensorOf("int32")
Size = TensorOf("int64")
Listed = TupleOf(Plain) | ListOf(Plain)

_MODES = (0, 1, 2, 3, 4)


# Many queries -------------------------------------------------------------------------------------


@public("ops.prompt_flash_attention")
@checked(OneDtype("query key value"))
def prompt_flash_attention(
    query: Plain,
    key: Plain,
    value: Plain,
    attn_mask: TensorOf("bool", "int8", "uint8", "float16") = None,
    actual_seq_lengths: Counts = None,
    actual_seq_lengths_kv: Counts = None,
    pse_shift: HalfPrecision = None,
    deq_scale1: Scale = None,
    quant_scale1: Float32 = None,
    deq_scale2: Scale = None,
    quant_scale2: OutScale = None,
    quant_offset2: OutScale = None,
    num_heads: Int = 1,
    scale_value: Float = 1.0,
    pre_tokens: Int = ALL_TOKENS,
    next_tokens: Int = 0,
    input_layout: OneOf("BSH", "BNSD") = "BSH",
    num_key_value_heads: Int = 0,
    sparse_mode: Int = 0,
    inner_precise: OneOf(0, 1) = 1,
):
    """Computes flash attention of a prompt's queries: softmax(scale_value * query @ key.T +
    pse_shift) @ value.

    B is the number of batches, S1 of queries, S2 of keys; N and kvN are the numbers of query and
    key heads, of D features each. The result is computed in float32. The output of a query that is
    padding or may not attend to any key is 0.

    Args:
        query (Tensor): shape (B, S1, N * D) or (B, N, S1, D) by layout; float16, bfloat16 or int8.
        key (Tensor): shape (B, S2, kvN * D) or (B, kvN, S2, D), of the dtype of `query`.
        value (Tensor): as `key`.
        attn_mask (Tensor): nonzero where a key must not be attended to, shape (S1, S2), (B, S1,
            S2), (1, S1, S2), (B, 1, S1, S2) or (1, 1, S1, S2); for modes 2, 3 and 4 a lower
            triangle (2048, 2048), which is expanded to the mask of the mode. Default: None.
        actual_seq_lengths (Union[Tensor, tuple[int], list[int]]): the number of queries of each
            batch, (B,). Default: None, all of them.
        actual_seq_lengths_kv (Union[Tensor, tuple[int], list[int]]): the number of keys of each
            batch.
        pse_shift (Tensor): added to the scores, shape (B, N, S1, S2) or (1, N, S1, S2), or longer
            in the last two axes; bfloat16 if `query` is, else float16.
        deq_scale1 (Tensor): scales the int8 products of queries and keys; one number, float32, or
            uint64 whose lower half holds the bits of a float32. It is given together with
            `quant_scale1` and `deq_scale2`, and only for int8 queries.
        quant_scale1 (Tensor): scales the attention weights before they are rounded to int8;
            float32.
        deq_scale2 (Tensor): scales the int8 products of weights and values; of the dtype of
            `deq_scale1`.
        quant_scale2 (Tensor): scales the result before it is rounded to int8; one number, or one
            per channel. Default: None, a floating result.
        quant_offset2 (Tensor): added to the scaled result, of the shape and dtype of
            `quant_scale2`.
        num_heads (int): N, in [1, 256].
        scale_value (float): the factor of the products of queries and keys. Default: 1.0.
        pre_tokens (int): how many keys before its own position a query attends to; for modes 0
            (with a mask) and 4.
        next_tokens (int): how many keys after its own position a query attends to. Default: 0.
        input_layout (str): "BSH" or "BNSD". Default: "BSH".
        num_key_value_heads (int): kvN, a divisor of N; 0 for N. Default: 0.
        sparse_mode (int): which keys a query attends to. 0: the keys of a band from the upper left
            corner that the mask allows; 1: the keys that the mask allows; 2: a triangle from the
            upper left corner; 3: a triangle to the lower right corner; 4: a band to the lower right
            corner. Default: 0.
        inner_precise (int): 0 or 1; selects the precision on Ascend, without effect here.

    Returns:
        Tensor, of the shape of `query`; int8 if `quant_scale2` is given, float16 for other int8
        queries, else of the dtype of `query`.

    Raises:
        TypeError: if a dtype is not one of those listed, dtypes differ, or an argument has the
            wrong type.
        ValueError: if `input_layout` is unknown, axes or lengths do not fit, or only some of the
            scales that belong together are given.
        RuntimeError: if heads, features, the mask or `sparse_mode` do not fit.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import Tensor, ops
        >>> x = Tensor(np.ones((1, 4, 8, 16), np.float16))
        >>> out = ops.prompt_flash_attention(x, x, x, num_heads=4, input_layout="BNSD")
        >>> print(out.shape)
        (1, 4, 8, 16)

    Source: mindspore.ops.prompt_flash_attention of MindSpore 2.10.
    """
    api = "prompt_flash_attention"
    call = Inference(
        api,
        query,
        [key],
        [value],
        input_layout,
        num_heads,
        num_key_value_heads,
        scale_value,
        RuntimeError,
    )
    call.take()
    _need_prompt(call, sparse_mode, (pre_tokens, next_tokens))
    call.limit_queries("actual_seq_lengths", actual_seq_lengths)
    call.limit_keys("actual_seq_lengths_kv", actual_seq_lengths_kv)
    _set_mask_and_shift(call, attn_mask, sparse_mode, (pre_tokens, next_tokens), pse_shift)
    scales = deq_scale1, quant_scale1, deq_scale2
    return _result(call, _byte_scales(call, scales), quant_scale2, quant_offset2)


def _need_prompt(call, mode, reach):
    """Checks the limits of a prompt: heads, features and modes."""
    if call.heads > 256:
        call.refuse(f"'num_heads' must be in [1, 256], but got {call.heads}", RuntimeError)
    if mode not in _MODES:
        call.refuse(f"'sparse_mode' must be in [0, 4], but got {mode}", RuntimeError)
    if mode == 4 and min(reach) < 0:
        call.refuse(
            f"'pre_tokens' and 'next_tokens' must not be negative where 'sparse_mode' is "
            f"4, but got {reach[0]} and {reach[1]}",
            RuntimeError,
        )
    if str(call.dtype) == "BFloat16" and call.features % 16:
        call.refuse(
            f"the features of a head must be a multiple of 16 for bfloat16, but got "
            f"{call.features}",
            RuntimeError,
        )


def _set_mask_and_shift(call, mask, mode, reach, shift):
    """Sets the mask and the shift of a call."""
    expected_dtype = "BFloat16" if str(call.dtype) == "BFloat16" else "Float16"
    if shift is not None and str(shift.dtype) != expected_dtype:
        call.refuse(
            f"'pse_shift' must be of dtype {expected_dtype} with 'query' of {call.dtype}, but "
            f"got {shift.dtype}",
            TypeError,
        )
    call.set_mask(mask, mode, reach)
    call.set_shift("pse_shift", shift)


def _byte_scales(call, scales):
    """Returns the three scales of a call with int8 inputs; None for other inputs."""
    present = [x is not None for x in scales]
    if all(present) if str(call.dtype) == "Int8" else not any(present):
        if not all(present):
            return ()
        if any(x.size != 1 for x in scales) or scales[0].dtype != scales[2].dtype:
            call.refuse(
                f"the scales of the products must be one number each, and two of one "
                f"dtype, but got shapes {[x.shape for x in scales]} of "
                f"{[str(x.dtype) for x in scales]}"
            )
        return scales
    return call.refuse(
        f"the scales before and after both products must be given where 'query' is "
        f"of int8, and only there, but got dtype {call.dtype}"
    )


def _result(call, scales, scale, offset):
    """Computes the attention and returns it in the requested layout and dtype."""
    if offset is not None and scale is None:
        call.refuse("'quant_offset2' must be None where 'quant_scale2' is, but got a Tensor")
    if scale is None:
        out = call.run(*scales)
        return call.folded(out.astype(float16) if scales else out)
    if str(scale.dtype) == "BFloat16" != str(call.dtype):
        call.refuse(
            f"'quant_scale2' must be float32 with 'query' of {call.dtype}, but got {scale.dtype}",
            TypeError,
        )
    if not scales:
        # in float32, so that the result is rounded only once
        call.query, call.value = call.query.astype(float32), call.value.astype(float32)
    return call.folded(call.quantized(call.run(*scales), scale, offset))


# One query ----------------------------------------------------------------------------------------


@public("ops.incre_flash_attention")
@checked(OneDtype("query pse_shift antiquant_scale antiquant_offset"))
def incre_flash_attention(
    query: HalfPrecision,
    key: Listed,
    value: Listed,
    attn_mask: Mask = None,
    actual_seq_lengths: Counts = None,
    pse_shift: HalfPrecision = None,
    dequant_scale1: Scale = None,
    quant_scale1: Float32 = None,
    dequant_scale2: Scale = None,
    quant_scale2: Float32 = None,
    quant_offset2: Float32 = None,
    antiquant_scale: HalfPrecision = None,
    antiquant_offset: HalfPrecision = None,
    block_table: Tables = None,
    num_heads: Int = 1,
    input_layout: OneOf("BSH", "BNSD") = "BSH",
    scale_value: Float = 1.0,
    num_key_value_heads: Int = 0,
    block_size: Int = 0,
    inner_precise: OneOf(0, 1) = 1,
    kv_padding_size: Size = None,
):
    """Computes incremental flash attention of one query per batch to cached keys: softmax(scale * q
    @ k.T + pse) @ v.

    B is the number of batches, S of keys; N and kvN are the numbers of query and key heads, of D
    features each. The result is computed in float32. The output of a query that may not attend to
    any key is 0.

    Args:
        query (Tensor): shape (B, 1, N * D) or (B, N, 1, D) by layout; float16 or bfloat16.
        key (Union[tuple[Tensor], list[Tensor]]): a sequence of one Tensor, shape (B, S, kvN * D) or
            (B, kvN, S, D); in pages, shape (pages, block_size, kvN * D) or (pages, kvN, block_size,
            D). Of the dtype of `query`, or int8.
        value (Union[tuple[Tensor], list[Tensor]]): as `key`.
        attn_mask (Tensor): nonzero where a key must not be attended to, shape (B, S), (B, 1, S) or
            (B, 1, 1, S); bool, int8 or uint8. Default: None.
        actual_seq_lengths (Union[Tensor, tuple[int], list[int]]): the number of keys of each batch,
            (B,) or (1,). Default: None, all of them.
        pse_shift (Tensor): added to the scores, of the dtype of `query`, shape (B, N, 1, S) or
            (1, N, 1, S).
        dequant_scale1 (Tensor): disabled; must be None.
        quant_scale1 (Tensor): disabled; must be None.
        dequant_scale2 (Tensor): disabled; must be None.
        quant_scale2 (Tensor): scales the result before it is rounded to int8; float32. Default:
            None, a floating result.
        quant_offset2 (Tensor): added to the scaled result.
        antiquant_scale (Tensor): scales int8 keys and values, one per channel, shape (2, kvN, 1, D)
            or (2, kvN * D) by layout, of the dtype of `query`.
        antiquant_offset (Tensor): added to int8 keys and values before scaling, of the same shape.
        block_table (Tensor): the pages of each batch, int32, shape (B, pages). Default: None.
        num_heads (int): N.
        input_layout (str): "BSH" or "BNSD". Default: "BSH".
        scale_value (float): the factor of the products of queries and keys. Default: 1.0.
        num_key_value_heads (int): kvN, a divisor of N; 0 for N. Default: 0.
        block_size (int): the number of keys per page. Default: 0.
        inner_precise (int): 0 or 1; selects the precision on Ascend, without effect here.
        kv_padding_size (Tensor): the number of padding positions after the keys, if
            `actual_seq_lengths` is given; int64, one number. If no keys are left, the query attends
            to nothing.

    Returns:
        Tensor, of the shape of `query`; int8 if `quant_scale2` is given, else of the dtype of
        `query`.

    Raises:
        TypeError: if a dtype is not one of those listed, dtypes differ, or an argument has the
            wrong type.
        ValueError: if `input_layout` is unknown, heads, axes, lengths, pages or scales do not fit,
            or a disabled argument is given.
        RuntimeError: if `num_heads` is not above 0, there are several queries, keys or values, or
            other shapes do not fit.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import Tensor, ops
        >>> query = Tensor(np.ones((1, 1, 64), np.float16))
        >>> key = [Tensor(np.ones((1, 10, 16), np.float16))]
        >>> print(ops.incre_flash_attention(query, key, key, num_heads=4, num_key_value_heads=1)
        ...       .shape)
        (1, 1, 64)

    Source: mindspore.ops.incre_flash_attention of MindSpore 2.10.
    """
    api = "incre_flash_attention"
    call = Step(
        api,
        query,
        key,
        value,
        input_layout,
        num_heads,
        num_key_value_heads,
        scale_value,
        ValueError,
    )
    _need_none(
        call,
        "disabled",
        dequant_scale1=dequant_scale1,
        quant_scale1=quant_scale1,
        dequant_scale2=dequant_scale2,
    )
    if len(key) != 1 or len(value) != 1:
        call.refuse(
            f"'key' and 'value' must hold one Tensor each, but got {len(key)} and {len(value)}",
            RuntimeError,
        )
    halves = _halve(call, antiquant_scale), _halve(call, antiquant_offset)
    _take_cache(call, halves, False, (block_table, block_size), actual_seq_lengths, kv_padding_size)
    _set_mask_and_shift(call, attn_mask, 1, None, pse_shift)
    _need_whole_pages(call, quant_scale2)
    return _result(call, (), quant_scale2, quant_offset2)


def _need_none(call, why, **arguments):
    for name, tensor in arguments.items():
        if tensor is not None:
            call.refuse(f"'{name}' must be None: it is {why}, but got {tensor!r}")


def _need_whole_pages(call, scale):
    if call.paged and scale is not None and scale.size > 1:
        call.refuse(
            f"'quant_scale2' must be one number where there is a 'block_table', but got "
            f"shape {scale.shape}"
        )


def _halve(call, pair):
    """Splits a Tensor of scales into the halves for keys and for values; (None, None) without
    one."""
    if pair is None:
        return None, None
    if pair.ndim < 1 or pair.shape[0] != 2:
        call.refuse(
            f"the scales and offsets of keys and values must have a first axis of 2, but "
            f"got shape {pair.shape}"
        )
    return pair[0], pair[1]


def _need_dtypes(call, scales):
    """Rejects keys whose dtype differs from the dtype of the queries, except int8 keys with
    scales.
    """
    dtypes = {str(x.dtype) for x in [*call.keys, *call.values]}
    if dtypes == {"Int8"} and str(call.dtype) != "Int8":
        return True
    if dtypes != {str(call.dtype)}:
        call.refuse(
            f"'query', 'key' and 'value' must have the same dtype, but for keys and values "
            f"of int8, but got {call.dtype} and {sorted(dtypes)}",
            TypeError,
        )
    if any(x is not None for pair in scales for x in pair):
        call.refuse(
            f"the scales of keys and values must be None where these are of {call.dtype}, "
            f"but got Tensors"
        )
    return False


def _take_cache(call, scales, by_token, pages, lengths, padding):
    """Lays out the keys and values of one query: dense, from pages, or dequantized from int8."""
    if call.queries != 1:
        call.refuse(f"'query' must be one for each batch, but got {call.queries}", RuntimeError)
    bytes_ = _need_dtypes(call, scales)
    table, size = pages
    if table is None:
        call.take()
    else:
        _need_none(call, "not for pages", kv_padding_size=padding)
        call.take_pages(table, size, lengths)
    if bytes_:
        call.dequantize_keys(*scales, by_token)
    call.limit_keys(call.lengths_name, lengths, padding, one_for_all=True)
