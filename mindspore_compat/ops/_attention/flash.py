"""The fused attentions of Ascend: flash_attention_score, FlashAttentionScore, ring updates.

Layouts, masks and bits become what _attention/attention.py computes with: (batch, heads of the
keys, queries for each of them, steps, features), a matrix of what is barred, and one of what is
kept. The documentation of 2.10 is the reference; the original runs these on Ascend only.
"""

from ..._backend.arrays import current_space, to_host
from ..._core.autograd.traced import bare
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Alike,
    Float,
    Int,
    ListOf,
    OneOf,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
    floating,
)
from ..._core.tensor.tensor import Tensor
from .._rules import HalfPrecision
from .._shape.join_split import cat
from ..primitive import Primitive
from .attention import attend, attention_extent

Bits = TensorOf("uint8")
Mask = TensorOf("bool", "uint8")
Counts = TensorOf("int32", "int64") | TupleOf(Int) | ListOf(Int)

_ALL = 2147483647
_MODES = {
    0: "the full mask",
    1: "the full mask",
    2: "left-up causal",
    3: "right-down causal",
    4: "a band",
    5: "a prefix",
}
_COMPRESSED = (2048, 2048)
_LAST_ROWS = 1024  # of a causal shift, only so many rows are given

# for each layout where its axes (batch, head, step, feature) stand; H joins heads and features
_AXES = {"BNSD": "bnsd", "BSND": "bsnd", "BSH": "bsh", "SBH": "sbh", "TND": "snd", "TH": "sh"}
Layout = OneOf("BSH", "BNSD", "SBH", "BSND", "TND")


# Layouts ------------------------------------------------------------------------------------------


def _spread(x, layout, heads):
    """A Tensor of some layout as (batch, heads, steps, features)."""
    axes = _AXES[layout]
    if axes.endswith("h"):
        x = x.reshape((*x.shape[:-1], heads, x.shape[-1] // heads))
        axes = axes[:-1] + "nd"
    if "b" not in axes:
        x, axes = x.expand_dims(0), "b" + axes
    return x.transpose(tuple(axes.index(name) for name in "bnsd"))


def _folded(x, layout):
    """A Tensor (batch, heads, steps, features) in the layout."""
    axes = _AXES[layout].replace("h", "nd")
    if "b" not in axes:
        x = x.squeeze(0).transpose(tuple("nsd".index(name) for name in axes))
    else:
        x = x.transpose(tuple("bnsd".index(name) for name in axes))
    return x.reshape((*x.shape[:-2], -1)) if "h" in _AXES[layout] else x


def _heads_of(api, query, key, value, layout, head_num):
    """How many heads the keys have; refuses shapes that do not fit the layout."""
    rank = len(_AXES[layout])
    for name, one in (("query", query), ("key", key), ("value", value)):
        if one.ndim != rank:
            raise RuntimeError(
                f"For '{api}', '{name}' must have {rank} axes for layout "
                f"'{layout}', but got shape {one.shape}."
            )
    if head_num < 1:
        raise RuntimeError(f"For '{api}', 'head_num' must be at least 1, but got {head_num}.")
    if key.shape != value.shape:
        raise RuntimeError(
            f"For '{api}', 'key' and 'value' must have the same shape, but got "
            f"{key.shape} and {value.shape}."
        )
    if layout.endswith("H"):
        if query.shape[-1] % head_num or key.shape[-1] % (query.shape[-1] // head_num):
            raise RuntimeError(
                f"For '{api}', the features of 'query' must be divisible by "
                f"'head_num', and those of 'key' by the features of a head, but "
                f"got {query.shape[-1]}, {head_num} and {key.shape[-1]}."
            )
        heads = key.shape[-1] * head_num // query.shape[-1]
    else:
        at = layout.index("N")
        if query.shape[at] != head_num or query.shape[-1] != key.shape[-1]:
            raise RuntimeError(
                f"For '{api}', 'query' must have 'head_num' heads, {head_num}, and "
                f"as many features as 'key', but got shapes {query.shape} and "
                f"{key.shape}."
            )
        heads = key.shape[at]
    if heads < 1 or head_num % heads:
        raise RuntimeError(
            f"For '{api}', 'head_num' must be divisible by the heads of 'key', but "
            f"got {head_num} and {heads}."
        )
    if "B" in layout and query.shape[layout.index("B")] != key.shape[layout.index("B")]:
        raise RuntimeError(
            f"For '{api}', 'query' and 'key' must have the same batch size, but "
            f"got shapes {query.shape} and {key.shape}."
        )
    return heads


# Masks --------------------------------------------------------------------------------------------


def _need_reach(api, before, after, queries, keys):
    """Refuses a band that holds nothing."""
    empty = before < 0 and (after < -before or -before >= keys)
    empty = empty or after < 0 and (-after > before or -after >= queries)
    if before < 0 and after < 0 or empty:
        raise ValueError(
            f"For '{api}', 'pre_tokens' and 'next_tokens' must leave a band, but got "
            f"{before} and {after} for {queries} queries and {keys} keys."
        )


def _outside(xp, mode, before, after, queries, keys):
    """True where a key lies outside what the mode lets a query see, (queries, keys); or None."""
    if mode == 1 or mode == 0 and before >= queries and after >= keys:
        return None
    corner = keys - queries if mode in (3, 4, 5) else 0  # 2 and 0 start left above, others right
    ahead = xp.arange(keys)[None, :] - xp.arange(queries)[:, None] - corner
    if mode in (0, 4):
        return (ahead > after) | (ahead < -before)
    return ahead > 0


def _beyond_prefix(xp, outside, prefix, keys):
    """`outside` without the first keys of each batch, (batch, 1, 1, queries, keys)."""
    within = xp.arange(keys)[None, :] < xp.asarray(prefix)[:, None]
    return outside & ~within[:, None, None, None, :]


def _barred(api, mask, mode, reach, prefix, sizes, name="attn_mask"):
    """What is barred, to broadcast against (batch, heads, group, queries, keys); or None.

    Args:
        api (str): the public name.
        mask (Tensor): true or 1 where a key is left out; None where there is none.
        mode (int): which queries see which keys.
        reach (tuple): how far a query sees back and ahead.
        prefix (list): for each batch how many keys every query sees.
        sizes (tuple): batch, heads of the queries, heads of the keys, queries, keys.
        name (str): that of the mask.
    """
    batch, heads, groups, queries, keys = sizes
    if mode not in _MODES:
        raise RuntimeError(f"For '{api}', 'sparse_mode' must be in [0, 5], but got {mode}.")
    if mask is None and mode == 0:
        return None
    xp = current_space() if mask is None else space_for(mask._array)
    if mode in (0, 4):
        _need_reach(api, *reach, queries, keys)
    found = _outside(xp, mode, *reach, queries, keys)
    if mode == 5:
        if prefix is None or len(prefix) != batch:
            raise RuntimeError(
                f"For '{api}', 'prefix' must hold a number for each of {batch} "
                f"batches where 'sparse_mode' is 5, but got {prefix}."
            )
        found = _beyond_prefix(xp, found, prefix, keys)
    if mode in (2, 3, 4):
        allowed = [_COMPRESSED]
    else:
        allowed = [(batch, heads, queries, keys), (batch, 1, queries, keys)]
        allowed += [(queries, keys)] * (mode != 5)
    if mask is None or mask.shape not in allowed:
        raise RuntimeError(
            f"For '{api}', '{name}' must have shape "
            f"{' or '.join(map(str, allowed))} for {_MODES[mode]}, but got "
            f"{None if mask is None else mask.shape}."
        )
    if mode in (2, 3, 4):
        return Tensor._wrap(found)
    given = mask._array != 0
    if given.ndim == 4:
        lead = (groups, heads // groups) if given.shape[1] == heads else (1, 1)
        given = given.reshape((given.shape[0], *lead, queries, keys))
    return Tensor._wrap(given if found is None else given | found)


def _kept(api, drop_mask, keep_prob, shape):
    """The bits of a dropout mask, one for each weight, (batch, heads, group, queries, keys)."""
    if not 0 < keep_prob <= 1:
        raise RuntimeError(f"For '{api}', 'keep_prob' must be in (0.0, 1.0], but got {keep_prob}.")
    if (drop_mask is None) != (keep_prob == 1):
        raise RuntimeError(
            f"For '{api}', 'drop_mask' must be given where 'keep_prob' is below 1, "
            f"and only there, but got {keep_prob} and "
            f"{None if drop_mask is None else drop_mask.shape}."
        )
    if drop_mask is None:
        return None
    count = 1
    for n in shape:
        count *= n
    if drop_mask.size * 8 != count:
        raise RuntimeError(
            f"For '{api}', 'drop_mask' must have a bit for each of {count} weights, "
            f"but got shape {drop_mask.shape}."
        )
    bits = space_for(drop_mask._array).unpackbits(drop_mask._array.reshape(-1))
    return Tensor._wrap(bits.reshape(shape))


def _shift(api, shift, mode, sizes, name="real_shift"):
    """The shift of the scores, (batch or 1, heads, group, queries, keys).

    Of a causal shift of more than 1024 rows the last 1024 may be given. By the rule of ALiBi it
    depends on the distance alone, so the last row tells the earlier ones.
    """
    batch, heads, groups, queries, keys = sizes
    rows = min(queries, _LAST_ROWS) if mode in (2, 3) and queries <= keys else queries
    fits = (
        shift.ndim == 4
        and shift.shape[0] in (1, batch)
        and shift.shape[1] == heads
        and shift.shape[2] in (rows, queries)
        and shift.shape[3] == keys
    )
    if not fits:
        raise RuntimeError(
            f"For '{api}', '{name}' must have shape ({batch} or 1, {heads}, "
            f"{rows}, {keys}), but got {shift.shape}."
        )
    if shift.shape[2] != queries:
        shift = _by_distance(shift, queries, keys)
    return shift.reshape((shift.shape[0], groups, heads // groups, queries, keys))


def _by_distance(shift, queries, keys):
    """The rows of an ALiBi shift, told by its last ones.

    The last row ends with the shift of a query's own key; what lies ahead of it is barred.
    """
    rows, width = shift.shape[2:]
    xp = space_for(shift._array)
    row, column = xp.arange(queries)[:, None], xp.arange(keys)[None, :]
    given = (row >= queries - rows) & (width == keys)
    moved = xp.minimum(column + (queries - 1 - row) + (width - keys), width - 1)
    places = (xp.where(given, row - (queries - rows), rows - 1), xp.where(given, column, moved))
    return shift[:, :, Tensor._wrap(places[0]), Tensor._wrap(places[1])]


def _numbers(counts):
    """Counts given as a Tensor, array, tuple or list; as a list of ints."""
    if counts is None or isinstance(counts, (tuple, list)):
        return counts if counts is None else list(counts)
    array = counts._array if isinstance(counts, Tensor) else bare(counts)
    return [int(n) for n in to_host(array).reshape(-1)]


# The attention ------------------------------------------------------------------------------------


class _Call:
    """One call of the attention: what its parts share, and the checks of what belongs together."""

    mask_name, shift_name = "attn_mask", "real_shift"

    def __init__(self, api, head_num, keep_prob, scale, reach, layout, mode, shift_first):
        self.api = api
        self.head_num = head_num
        self.keep_prob = float(keep_prob)
        self.scale = float(scale)
        self.reach = reach
        self.layout = layout
        self.mode = mode
        self.shift_first = shift_first

    def run(self, query, key, value, shift, drop_mask, mask, prefix, lengths):
        """The attention, and a list of what went into its parts, for `extent`."""
        groups = _heads_of(self.api, query, key, value, self.layout, self.head_num)
        query = _spread(query, self.layout, self.head_num)
        key, value = (_spread(x, self.layout, groups) for x in (key, value))
        ranges = self._ranges(lengths, query.shape[2], key.shape[2])
        found, parts, used = [], [], 0
        for at, (rows, columns) in enumerate(ranges):
            part = [x[:, :, at] for x, at in zip((query, key, value), (rows, columns, columns))]
            bits, moved = drop_mask, shift
            if lengths is not None and drop_mask is not None:
                count = self.head_num * part[0].shape[2] * part[1].shape[2] // 8
                bits, used = drop_mask.reshape(-1)[used : used + count], used + count
            if lengths is not None and shift is not None:
                moved = self._shift_of(at, shift, ranges)
            out, inputs = self._one(*part, moved, bits, mask, _numbers(prefix))
            found.append(out)
            parts.append(inputs)
        out = found[0] if len(found) == 1 else cat.run(found, 2)
        return _folded(out, self.layout), parts

    def _ranges(self, lengths, queries, keys):
        """Which queries see which keys: all, or range by range where sequences are joined."""
        given = [_numbers(each) for each in lengths or (None, None)]
        if self.layout not in ("TND", "TH"):
            if given != [None, None]:
                raise ValueError(
                    f"For '{self.api}', 'actual_seq_qlen' and 'actual_seq_kvlen' must "
                    f"be None for layout '{self.layout}', but got {given}."
                )
            return [(slice(None), slice(None))]
        if (
            None in given
            or len(given[0]) != len(given[1])
            or any(
                not each or sorted(each) != each or each[0] < 0 or each[-1] != total
                for each, total in zip(given, (queries, keys))
            )
        ):
            raise ValueError(
                f"For '{self.api}', 'actual_seq_qlen' and 'actual_seq_kvlen' must be "
                f"sums that grow to {queries} and {keys}, as many of each, for layout "
                f"'{self.layout}', but got {given[0]} and {given[1]}."
            )
        starts = [[0, *each[:-1]] for each in given]
        return list(
            zip(*([slice(a, b) for a, b in zip(start, each)] for start, each in zip(starts, given)))
        )

    def _shift_of(self, at, shift, ranges):
        """The causal shift of one of several sequences, told by the last row of the longest."""
        counts = [
            (rows.stop - rows.start, columns.stop - columns.start) for rows, columns in ranges
        ]
        longest = max(count for _, count in counts)
        fits = (
            shift.ndim == 4
            and shift.shape[0] in (1, len(ranges))
            and shift.shape[1:] == (self.head_num, min(longest, _LAST_ROWS), longest)
        )
        if self.mode not in (2, 3) or any(a != b for a, b in counts) or not fits:
            raise RuntimeError(
                f"For '{self.api}', '{self.shift_name}' of joined sequences needs a "
                f"causal 'sparse_mode', as many queries as keys, and shape (1, "
                f"{self.head_num}, {min(longest, _LAST_ROWS)}, {longest}), but got "
                f"{self.mode} and {shift.shape}."
            )
        one = shift[at % shift.shape[0] :][:1, :, -1:]
        return _by_distance(one, *counts[at])

    def _one(self, query, key, value, shift, drop_mask, mask, prefix):
        batch, heads, queries, features = query.shape
        groups, keys = key.shape[1:3]
        sizes = (batch, heads, groups, queries, keys)
        whole = (batch, groups, heads // groups, queries, keys)
        query = query.reshape((batch, groups, heads // groups, queries, features))
        key, value = key.expand_dims(2), value.expand_dims(2)
        barred = _barred(self.api, mask, self.mode, self.reach, prefix, sizes, self.mask_name)
        kept = self._kept(drop_mask, whole)
        shift = None if shift is None else self._shift(shift, sizes)
        out = attend.run(
            query, key, value, shift, barred, kept, self.scale, self.keep_prob, self.shift_first
        )
        inputs = (query, key, shift, barred, self.scale, self.shift_first)
        return out.reshape((batch, heads, queries, features)), inputs

    def _kept(self, drop_mask, shape):
        return _kept(self.api, drop_mask, self.keep_prob, shape)

    def _shift(self, shift, sizes):
        return _shift(self.api, shift, self.mode, sizes, self.shift_name)

    def extent(self, parts):
        """The largest scores and the sums beneath them, each value eight times."""
        found = [
            [x.reshape((x.shape[0], -1, x.shape[3], 1)) for x in attention_extent.run(*part)]
            for part in parts
        ]
        whole = [each[0] if len(each) == 1 else cat.run(list(each), 2) for each in zip(*found)]
        if self.layout in ("TND", "TH"):
            whole = [x.squeeze(0).swapaxes(0, 1) for x in whole]
        return tuple(x.broadcast_to((*x.shape[:-1], 8)) for x in whole)


def _need_no_padding(api, padding_mask):
    if padding_mask is not None:
        raise ValueError(
            f"For '{api}', 'padding_mask' must be None: it is reserved, but got {padding_mask!r}."
        )


@public("ops.flash_attention_score")
@checked(Alike("query key value real_shift"))
def flash_attention_score(
    query: HalfPrecision,
    key: HalfPrecision,
    value: HalfPrecision,
    head_num: Int,
    real_shift: HalfPrecision = None,
    drop_mask: Bits = None,
    padding_mask: TensorOf(any_dtype) = None,
    attn_mask: Mask = None,
    prefix: Counts = None,
    actual_seq_qlen: Counts = None,
    actual_seq_kvlen: Counts = None,
    keep_prob: Float = 1.0,
    scalar_value: Float = 1.0,
    pre_tokens: Int = _ALL,
    next_tokens: Int = _ALL,
    inner_precise: Int = 0,
    input_layout: Layout = "BSH",
    sparse_mode: Int = 0,
):
    """Attention of several heads: softmax(scalar_value * query @ key.T + real_shift) @ value.

    With B batches, S1 queries, S2 keys, N1 and N2 heads of D features, H = N * D and T the steps of
    all sequences joined. It is computed in float32. A query that may see nothing gathers zeros.

    Args:
        query (Tensor): shape (B, S1, H1), (B, N1, S1, D), (S1, B, H1), (B, S1, N1, D) or
            (T1, N1, D) by layout; float16 or bfloat16.
        key (Tensor): as `query`, with S2 and N2, a divisor of N1.
        value (Tensor): of the shape of `key`.
        head_num (int): N1.
        real_shift (Tensor): added to the scores, shape (B, N1, S1, S2) or (1, N1, S1, S2); of a
            causal ALiBi shift the last 1024 rows will do. Default: None.
        drop_mask (Tensor): a bit for each weight, as `ops.DropoutGenMask` makes them, uint8, shape
            (B, N1, S1, S2 // 8); 0 drops the weight. Given exactly where `keep_prob` is below 1.
        padding_mask (Tensor): reserved; None.
        attn_mask (Tensor): true or 1 where a key is left out, shape (B, N1, S1, S2),
            (B, 1, S1, S2) or (S1, S2); for modes 2, 3 and 4 a lower triangle (2048, 2048), which
            stands for what the mode says. Default: None.
        prefix (Union[Tensor, tuple[int], list[int]]): for mode 5, for each batch how many keys
            every query sees.
        actual_seq_qlen (Union[Tensor, tuple[int], list[int]]): where the sequences of queries end,
            for layout "TND".
        actual_seq_kvlen (Union[Tensor, tuple[int], list[int]]): where those of keys end.
        keep_prob (float): how probable it is that a weight is kept, in (0, 1]. Default: 1.0.
        scalar_value (float): what the products are multiplied by. Default: 1.0.
        pre_tokens (int): how many keys back a query sees, for modes 0 (with a mask) and 4.
        next_tokens (int): how many keys ahead it sees.
        inner_precise (int): reserved.
        input_layout (str): "BSH", "BNSD", "SBH", "BSND" or "TND". Default: "BSH".
        sparse_mode (int): which keys a query sees: 0, those of the band from the upper left that
            the mask leaves; 1, those that the mask leaves; 2, a triangle from the upper left; 3, a
            triangle to the lower right; 4, a band to the lower right; 5, as 3, with the first keys
            besides. Default: 0.

    Returns:
        Tensor, of the shape and dtype of `query`.

    Raises:
        TypeError: if a dtype is another one, or dtypes differ, or a number is of another type.
        ValueError: if `input_layout` is another one, lengths do not fit, or the band is empty.
        RuntimeError: if heads, shapes, `keep_prob` or `sparse_mode` do not fit.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import Tensor, ops
        >>> x = Tensor(np.ones((2, 4, 64), np.float16))
        >>> print(ops.flash_attention_score(x, x, x, 4).shape)
        (2, 4, 64)

    Source: mindspore.ops.flash_attention_score of MindSpore 2.10.
    """
    api = "flash_attention_score"
    _need_no_padding(api, padding_mask)
    call = _Call(
        api,
        head_num,
        keep_prob,
        scalar_value,
        (pre_tokens, next_tokens),
        input_layout,
        sparse_mode,
        shift_first=False,
    )
    return call.run(
        query,
        key,
        value,
        real_shift,
        drop_mask,
        attn_mask,
        prefix,
        _lengths(actual_seq_qlen, actual_seq_kvlen),
    )[0]


def _lengths(queries, keys):
    return None if queries is None and keys is None else (queries, keys)


@public("ops.FlashAttentionScore")
class FlashAttentionScore(Primitive):
    """Attention of several heads: softmax(scale_value * (query @ key.T + real_shift)) @ value.

    The arguments are those of `ops.flash_attention_score`, but that the shift is scaled, too, and
    `input_layout` may be "TH".

    Returns:
        tuple[Tensor], four of them: the largest score of each query and the sum of the exponentials
        beneath it, float32, shape (B, N1, S1, 8), or (T1, N1, 8) of joined sequences, each value
        eight times; one without meaning, shape (1,); and the attention.

    Raises:
        As `ops.flash_attention_score`.

    Source: mindspore.ops.operations.nn_ops.FlashAttentionScore of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        head_num: Int,
        keep_prob: Float = 1.0,
        scale_value: Float = 1.0,
        pre_tokens: Int = _ALL,
        next_tokens: Int = _ALL,
        inner_precise: Int = 0,
        input_layout: OneOf("BSH", "BNSD", "SBH", "BSND", "TND", "TH") = "BSH",
        sparse_mode: Int = 0,
    ):
        super().__init__("FlashAttentionScore")
        self.head_num = head_num
        self.keep_prob = keep_prob
        self.scale_value = scale_value
        self.pre_tokens = pre_tokens
        self.next_tokens = next_tokens
        self.inner_precise = inner_precise
        self.input_layout = input_layout
        self.sparse_mode = sparse_mode

    @checked(Alike("query key value real_shift"))
    def __call__(
        self,
        query: HalfPrecision,
        key: HalfPrecision,
        value: HalfPrecision,
        real_shift: HalfPrecision = None,
        drop_mask: Bits = None,
        padding_mask: TensorOf(any_dtype) = None,
        attn_mask: Mask = None,
        prefix: Counts = None,
        actual_seq_qlen: Counts = None,
        actual_seq_kvlen: Counts = None,
    ):
        _need_no_padding(self.name, padding_mask)
        call = _Call(
            self.name,
            self.head_num,
            self.keep_prob,
            self.scale_value,
            (self.pre_tokens, self.next_tokens),
            self.input_layout,
            self.sparse_mode,
            shift_first=True,
        )
        out, parts = call.run(
            query,
            key,
            value,
            real_shift,
            drop_mask,
            attn_mask,
            prefix,
            _lengths(actual_seq_qlen, actual_seq_kvlen),
        )
        unused = Tensor._wrap(space_for(query._array).zeros((1,), query._array.dtype))
        return (*call.extent(parts), unused, out)


# Rings --------------------------------------------------------------------------------------------


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
    """Joins the attentions to two parts of the keys into the attention to both.

    With m the larger maximum and s_i the sums times exp(m_i - m), the result is (out_1 s_1 + out_2
    s_2) / (s_1 + s_2), and its maximum and sum are m and s_1 + s_2.

    Args:
        prev_attn_out (Tensor): the first attention, (S, B, H), or (T, N, D) for "TND".
        prev_softmax_max (Tensor): its largest scores, (B, N, S, 8), or (T, N, 8), each eight times.
        prev_softmax_sum (Tensor): the sums of exponentials beneath them, of the same shape.
        cur_attn_out (Tensor): the second attention; so its `cur_softmax_max`, `cur_softmax_sum`.
        actual_seq_qlen (Tensor): where the sequences start and end, from 0 to T, for "TND".
        layout (str): "SBH" or "TND". Default: "SBH".

    Shapes:
        For "SBH" the attentions are (S, B, H) and scores and sums are (B, N, S, 8); for "TND" they
        are (T, N, D) and (T, N, 8). The results have the shapes and dtypes of the first part.

    Returns:
        tuple[Tensor]: the attention, its largest scores and its sums.

    Raises:
        RuntimeError: if for "TND" the features are no multiple of 64 or too many, or
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
    found = 0
    for out, part in ((prev_attn_out, before), (cur_attn_out, now)):
        share = (part / total)[..., :1]
        if layout == "SBH":
            share = xp.transpose(share, (2, 0, 1, 3))  # (B, N, S, 1) beside (S, B, N, D)
        wide = xp.cast(out, "float32") if out.dtype in xp.narrow else out
        found = found + xp.reshape(wide, (*share.shape[:-1], -1)) * share
    found = xp.cast(xp.reshape(found, prev_attn_out.shape), prev_attn_out.dtype)
    return found, top, total


def _need_ring(out, lengths):
    """The limits that the documentation sets for joined sequences."""
    heads, features = out.shape[-2:]
    api = "ring_attention_update"
    if features % 64:
        raise RuntimeError(
            f"For '{api}', the features of 'prev_attn_out' must be a multiple of 64 "
            f"for layout 'TND', but got {features}."
        )
    size = 4 if out.dtype.itemsize == 4 else 2
    room = -(-heads * features // 64) * 64 * (size * 6 + 8) + -(-heads * 8 // 64) * 64 * 56
    if room > 192 * 1024:
        raise RuntimeError(
            f"For '{api}', the heads times features of 'prev_attn_out' must fit "
            f"{192 * 1024} bytes of workspace, but got {heads} and {features}."
        )
    given = _numbers(lengths)
    if not given or sorted(given) != given or given[0] != 0 or given[-1] != out.shape[0]:
        raise RuntimeError(
            f"For '{api}', 'actual_seq_qlen' must grow from 0 to {out.shape[0]} for "
            f"layout 'TND', but got {given}."
        )
