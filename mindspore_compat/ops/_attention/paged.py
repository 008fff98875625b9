"""PagedAttention, PagedAttentionMask: attention to keys in the blocks of a cache.

Each token has a row of a table that lists its blocks. MindSpore keeps these operators for exported
networks, so its documentation of 2.10 is the reference. Caches are written by
_attention/kv_cache.py; the arithmetic of scores is in _attention/attention.py.
"""

import struct

from ..._backend.arrays import to_host
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Int, Number, OneDtype, OneOf, TensorOf, checked, floating
from ..._core.tensor.dtype import float32
from ..._core.tensor.tensor import Tensor
from .._rules import HalfPrecision
from ..primitive import Primitive
from .attention import attend
from .head_layouts import numbers_of
from .inference import from_bytes

Cache = TensorOf("float16", "bfloat16", "int8")
Int32 = TensorOf("int32")
Scale = TensorOf("float16", "bfloat16", "int64")
Offset = TensorOf("float16", "bfloat16", "int32")
Quant = OneOf("DEFAULT", "PERTOKEN")


@op(compute="native")
def paged(xp, cache: TensorOf("int8", floating), table: Int32, keys: Any):
    """Returns the first `keys` rows of each token's blocks, (tokens, keys, heads, features)."""
    rows = xp.getitem(cache, (table,))
    return xp.reshape(rows, (table.shape[0], -1, *cache.shape[2:]))[:, :keys]


class _Paged(Primitive):
    """The base class of both operators: checks, reads keys and values from a cache, and lays out
    the result."""

    def _attend(
        self, query, caches, table, lengths, quant, shift, counts=None, value_width=0, last=False
    ):
        """Computes the attention output of each token, laid out as `query`."""
        tokens = query.shape[0]
        heads = self.head_num
        _need_shapes(self.name, query, caches, heads, self.kv_head_num, value_width)
        rows, key_counts = _tables(self.name, tokens, table, lengths, counts, caches[0].shape, last)
        keys = max(key_counts, default=0)
        xp = space_for(query._array)
        indices = Tensor._wrap(xp.asarray(rows, "int32"))
        key, value = (paged.run(cache_part, indices, keys) for cache_part in caches)
        if quant is not None:
            dtype = str(query.dtype).lower()
            key, value = (
                from_bytes.run(cache_part, *(None if x is None else x[i] for x in quant), dtype)
                for i, cache_part in enumerate((key, value))
            )
        value = value[..., :value_width] if value_width else value
        groups, features = key.shape[2], key.shape[3]
        query = query.reshape((tokens, groups, heads // groups, features))
        key, value = (x.swapaxes(1, 2) for x in (key, value))
        hidden = xp.arange(keys) >= xp.asarray(key_counts, "int64")[:, None]
        hidden = Tensor._wrap(hidden[:, None, None, :])
        if shift is not None:
            shift = shift[..., :keys].reshape((tokens, *_split(shift.shape[1], groups), keys))
        return attend.run(query, key, value, shift, hidden, None, self.scale_value, 1.0, False)


def _split(heads, groups):
    """Groups the heads of a shift by key head; a single head stays single."""
    return (1, 1) if heads == 1 else (groups, heads // groups)


def _need_shapes(api, query, caches, heads, groups, value_width):
    """Checks heads and features."""
    key, value = caches
    features = query.shape[-1] if query.shape[1:-1] == (heads,) else query.shape[-1] // heads
    whole = 1
    for n in query.shape[1:]:
        whole *= n
    if query.ndim not in (2, 3) or whole != heads * features:
        raise ValueError(
            f"For '{api}', 'query' must have shape (tokens, {heads}, features), or (tokens, 1, all "
            f"features), or (tokens, all features), but got {query.shape}."
        )
    if key.ndim != 4 or key.shape[2:] != (groups, features) or value.shape[:3] != key.shape[:3]:
        raise ValueError(
            f"For '{api}', the caches must have shape (blocks, block size, {groups}, {features}), "
            f"but got {key.shape} and {value.shape}."
        )
    if value.shape[3] < value_width:
        raise ValueError(
            f"For '{api}', 'mla_v_dim' must be at most {value.shape[3]}, but got {value_width}."
        )


def _tables(api, tokens, table, lengths, counts, shape, last):
    """Returns the blocks and the number of keys of each token; reads them on the host.

    With `counts`, the number of queries of each sequence, the table has one row per sequence, which
    is used for all its tokens. With `last`, each token of a sequence attends to one key fewer than
    the next token.
    """
    rows, key_counts = to_host(table._array).tolist(), numbers_of(lengths)
    counts = [1] * tokens if counts is None else counts
    fits = sum(counts) == tokens and min(counts, default=0) >= 0 and table.ndim == 2
    behind = [count - 1 - i for count in counts for i in range(count)]
    if fits and len(rows) == len(counts):
        rows = [row for row, count in zip(rows, counts) for _ in range(count)]
    if fits and len(key_counts) == len(counts):
        key_counts = [n for n, count in zip(key_counts, counts) for _ in range(count)]
    if not fits or len(rows) != tokens or len(key_counts) != tokens:
        raise ValueError(
            f"For '{api}', 'block_tables' and 'context_lens' must describe {tokens} tokens each, "
            f"or of each sequence of 'q_seq_lens', which add up to them, but got shapes "
            f"{table.shape} and {lengths.shape}, and lengths {counts}."
        )
    key_counts = [n - back for n, back in zip(key_counts, behind)] if last else key_counts
    tables = []
    for row, n in zip(rows, key_counts):
        page_count = -(-n // shape[1])
        if (
            n < 0
            or page_count > len(row)
            or any(not 0 <= block < shape[0] for block in row[:page_count])
        ):
            raise ValueError(
                f"For '{api}', 'block_tables' must name a block in [0, {shape[0]}) for every "
                f"{shape[1]} of {n} keys, but got {row}."
            )
        tables.append(row[:page_count] + [0] * (len(row) - page_count))
    return tables, key_counts


def _scales(api, mode, scale, offset, cache, tokens):
    """Returns the scales of int8 values, and the offsets added before scaling, as (2, ...) that
    broadcasts."""
    bytes_given = str(cache.dtype) == "Int8"
    if bytes_given != (scale is not None) or offset is not None and scale is None:
        raise ValueError(
            f"For '{api}', 'antiquant_scale' must be given for caches of int8, and only for those, "
            f"with or without 'antiquant_offset', but got a cache of {cache.dtype}."
        )
    if scale is None:
        return None
    groups, features = cache.shape[2:]
    sizes = (2, tokens) if mode == "PERTOKEN" else (2, groups * features)
    final = (2, tokens, 1, 1, 1) if mode == "PERTOKEN" else (2, groups, features)
    for x in (scale, offset):
        if x is not None and x.shape != sizes:
            raise ValueError(
                f"For '{api}', 'antiquant_scale' and 'antiquant_offset' must have shape {sizes} "
                f"for mode '{mode}', but got {x.shape}."
            )
    if str(scale.dtype) == "Int64":
        scale = _from_bits(scale)
    return scale.astype(float32).reshape(final), (
        None if offset is None else offset.astype(float32).reshape(final)
    )


def _from_bits(scale):
    """Reads the lower 32 bits of each int64 as a float32."""
    values = to_host(scale._array).reshape(-1).tolist()
    floats = [struct.unpack("<f", struct.pack("<I", n & 0xFFFFFFFF))[0] for n in values]
    return Tensor._wrap(space_for(scale._array).asarray(floats, "float32")).reshape(scale.shape)


def _shift(api, name, mask, tokens, keys, heads=1):
    """Returns the shift that is added to the scores, (tokens, heads, keys or more)."""
    flat = (
        mask.reshape((tokens, heads, -1)) if mask.size == tokens * heads * mask.shape[-1] else None
    )
    if flat is None or flat.shape[-1] < keys:
        raise ValueError(
            f"For '{api}', '{name}' must hold a number for each of {tokens} tokens and at least "
            f"{keys} keys, but got shape {mask.shape}."
        )
    return flat


def _need_dtypes(api, query, caches):
    if any(str(x.dtype) not in ("Int8", str(query.dtype)) for x in caches):
        raise TypeError(
            f"For '{api}', the caches must be of int8 or of the dtype of 'query', {query.dtype}, "
            f"but got {[str(x.dtype) for x in caches]}."
        )


@public("ops.PagedAttention")
class PagedAttention(_Paged):
    """Computes paged attention: tokens attend to keys in the blocks of a key-value cache.

    It is softmax(scale_value * query @ key.T + attn_mask + alibi_mask) @ value for each token over
    the first `context_lens` keys of its blocks, computed in float32. An int8 value stands for
    (value + offset) * scale.

    MindSpore's documentation leaves four points open; this implementation decides them so. Masks
    are added to the scores. With "TRAPEZOIDAL", the last token of a sequence attends to all keys,
    and each token to one key fewer than the next. "PERTOKEN" scales are one number for the keys and
    one for the values of each query token, as their shape suggests. `mla_v_dim` means that the
    values are the first features of `value_cache`, as in multi-head latent attention (arXiv
    2405.04434).

    Args:
        head_num (int): the number of query heads.
        scale_value (float): the factor of the products of queries and keys.
        kv_head_num (int): the number of key heads, a divisor of `head_num`.
        kv_cache_quant_mode (str): "DEFAULT" for one scale per channel, or "PERTOKEN".
            Default: "DEFAULT".
        mask_mode (str): "MASK_DEFAULT" or "TRAPEZOIDAL". Default: "MASK_DEFAULT".
        mla_v_dim (int): the number of features of `value_cache` that are values; 0 for all.
            Default: 0.

    Inputs:
        - **query** (Tensor) - shape (tokens, head_num, features), or with the last two axes joined;
          float16 or bfloat16.
        - **key_cache** (Tensor) - shape (blocks, block size, kv_head_num, features), int8 or of the
          dtype of `query`.
        - **value_cache** (Tensor) - of the shape and dtype of `key_cache`.
        - **block_tables** (Tensor) - the blocks of each token, or of each sequence if `q_seq_lens`
          is given, int32, shape (tokens, blocks).
        - **context_lens** (Tensor) - the number of keys of each row of `block_tables`, int32, shape
          (tokens,).
        - **antiquant_scale** (Tensor) - scales of int8 keys and values, shape (2, kv_head_num *
          features) or (2, tokens); floats, or int64 with the bits of a float32 in its lower half.
          Default: ``None``.
        - **antiquant_offset** (Tensor) - added before scaling, of the same shape; floats or int32.
          Default: ``None``.
        - **attn_mask** (Tensor) - shape (tokens, keys). Default: ``None``.
        - **q_seq_lens** (Tensor) - the number of tokens of each sequence, int32. Default: ``None``,
          one token each.
        - **alibi_mask** (Tensor) - shape (tokens, keys). Default: ``None``.

    Outputs:
        Tensor, of the shape and dtype of `query`; with `mla_v_dim`, each head has that number of
        features.

    Raises:
        TypeError: if a dtype is not one of those listed, or a Tensor is missing.
        ValueError: if shapes, heads, lengths or blocks do not fit, scales do not fit the dtype of
            the caches, or a mode is unknown.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import Tensor, ops
        >>> query, cache = (Tensor(np.ones(shape, np.float16)) for shape in ((1, 8), (3, 4, 1, 4)))
        >>> table, length = (Tensor(np.array(x, np.int32)) for x in ([[2, 0]], [5]))
        >>> print(ops.PagedAttention(2, 0.5, 1)(query, cache, cache, table, length))
        [[1. 1. 1. 1. 1. 1. 1. 1.]]

    Source: mindspore.ops.PagedAttention of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        head_num: Int(ge=1),
        scale_value: Number,
        kv_head_num: Int(ge=1),
        kv_cache_quant_mode: Quant = "DEFAULT",
        mask_mode: OneOf("MASK_DEFAULT", "TRAPEZOIDAL") = "MASK_DEFAULT",
        mla_v_dim: Int(ge=0) = 0,
    ):
        super().__init__("PagedAttention")
        _need_divisor(self.name, head_num, kv_head_num)
        self.head_num, self.scale_value, self.kv_head_num = head_num, scale_value, kv_head_num
        self.kv_cache_quant_mode, self.mask_mode = kv_cache_quant_mode, mask_mode
        self.mla_v_dim = mla_v_dim

    @checked(OneDtype("key_cache value_cache"))
    def __call__(
        self,
        query: HalfPrecision,
        key_cache: Cache,
        value_cache: Cache = None,
        block_tables: Int32 = None,
        context_lens: Int32 = None,
        antiquant_scale: Scale = None,
        antiquant_offset: Offset = None,
        attn_mask: HalfPrecision = None,
        q_seq_lens: Int32 = None,
        alibi_mask: HalfPrecision = None,
    ):
        _need_tensors(
            self.name, value_cache=value_cache, block_tables=block_tables, context_lens=context_lens
        )
        caches, tokens = (key_cache, value_cache), query.shape[0]
        _need_dtypes(self.name, query, caches)
        quant = _scales(
            self.name,
            self.kv_cache_quant_mode,
            antiquant_scale,
            antiquant_offset,
            key_cache,
            tokens,
        )
        keys = max(numbers_of(context_lens), default=0)
        shift = None
        for name, mask in (("attn_mask", attn_mask), ("alibi_mask", alibi_mask)):
            if mask is not None:
                mask = _shift(self.name, name, mask, tokens, keys)[..., :keys].astype(float32)
                shift = mask if shift is None else shift + mask
        last = self.mask_mode == "TRAPEZOIDAL"
        counts, value_width = numbers_of(q_seq_lens), self.mla_v_dim
        out = self._attend(
            query, caches, block_tables, context_lens, quant, shift, counts, value_width, last
        )
        if not value_width:
            return out.reshape(query.shape)
        is_joined = query.shape[1:-1] != (self.head_num,)
        lead = query.shape[:-1]
        return out.reshape((*lead, self.head_num * value_width if is_joined else value_width))


@public("ops.PagedAttentionMask")
class PagedAttentionMask(_Paged):
    """Computes paged attention with a shift for each head: tokens attend to keys in the blocks of a
    key-value cache.

    It is softmax(scale_value * query @ key.T + alibi_mask) @ value for each token over the first
    `context_lens` keys of its blocks, computed in float32; otherwise as `ops.PagedAttention`.

    Args:
        head_num (int): the number of query heads.
        scale_value (float): the factor of the products of queries and keys.
        kv_head_num (int): the number of key heads, a divisor of `head_num`.
        kv_cache_quant_mode (str): "DEFAULT" for one scale per channel, or "PERTOKEN".
            Default: "DEFAULT".

    Inputs:
        - **query** (Tensor) - shape (tokens, head_num, features), or with the last two axes joined;
          float16 or bfloat16.
        - **key_cache** (Tensor) - shape (blocks, block size, kv_head_num, features), int8 or of the
          dtype of `query`.
        - **value_cache** (Tensor) - of the shape and dtype of `key_cache`.
        - **block_tables** (Tensor) - the blocks of each token, int32, shape (tokens, blocks).
        - **context_lens** (Tensor) - the number of keys of each token, int32, shape (tokens,).
        - **antiquant_scale** (Tensor) - as for `ops.PagedAttention`. Default: ``None``.
        - **antiquant_offset** (Tensor) - as for `ops.PagedAttention`. Default: ``None``.
        - **alibi_mask** (Tensor) - added to the scores, of the dtype of `query`, shape (tokens,
          head_num, 1, keys). Default: ``None``.

    Outputs:
        Tensor, of the shape and dtype of `query`.

    Raises:
        TypeError: if a dtype is not one of those listed, or dtypes differ.
        ValueError: if shapes, heads, lengths or blocks do not fit, scales do not fit the dtype of
            the caches, or a mode is unknown.

    Source: mindspore.ops.PagedAttentionMask of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        head_num: Int(ge=1),
        scale_value: Number,
        kv_head_num: Int(ge=1),
        kv_cache_quant_mode: Quant = "DEFAULT",
    ):
        super().__init__("PagedAttentionMask")
        _need_divisor(self.name, head_num, kv_head_num)
        self.head_num, self.scale_value, self.kv_head_num = head_num, scale_value, kv_head_num
        self.kv_cache_quant_mode = kv_cache_quant_mode

    @checked(OneDtype("key_cache value_cache"), OneDtype("query alibi_mask"))
    def __call__(
        self,
        query: HalfPrecision,
        key_cache: Cache,
        value_cache: Cache,
        block_tables: Int32,
        context_lens: Int32,
        antiquant_scale: Scale = None,
        antiquant_offset: Offset = None,
        alibi_mask: HalfPrecision = None,
    ):
        caches, tokens = (key_cache, value_cache), query.shape[0]
        _need_dtypes(self.name, query, caches)
        quant = _scales(
            self.name,
            self.kv_cache_quant_mode,
            antiquant_scale,
            antiquant_offset,
            key_cache,
            tokens,
        )
        if alibi_mask is not None:
            keys = max(numbers_of(context_lens), default=0)
            alibi_mask = _shift(self.name, "alibi_mask", alibi_mask, tokens, keys, self.head_num)
        out = self._attend(query, caches, block_tables, context_lens, quant, alibi_mask)
        return out.reshape(query.shape)


def _need_divisor(api, heads, groups):
    if heads % groups:
        raise ValueError(
            f"For '{api}', 'kv_head_num' must divide 'head_num' {heads}, but got {groups}."
        )


def _need_tensors(api, **tensors):
    for name, x in tensors.items():
        if x is None:
            raise TypeError(f"For '{api}', '{name}' must be a Tensor, but got None.")
