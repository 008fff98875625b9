"""The fused attention operators of Ascend: flash_attention_score and FlashAttentionScore.

Layouts (head_layouts.py), masks and dropout bits (flash_masks.py) are converted to the inputs of
_attention/attention.py: arrays (batch, key heads, queries per key head, steps, features), a mask of
forbidden keys, and a dropout mask. MindSpore runs these operators on Ascend only, so its
documentation of 2.10 is the reference.
"""

from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Float, Int, OneDtype, OneOf, TensorOf, any_dtype, checked
from ..._core.sharding.network import divided_instead, place_op
from ..._core.tensor.tensor import Tensor
from .._rules import HalfPrecision
from .._shape.join_split import cat
from ..primitive import Primitive
from .flash_masks import (
    ALL_TOKENS,
    LAST_ROWS,
    barred_keys,
    dropout_keep_bits,
    score_shift,
    shift_by_distance,
)
from .head_layouts import Counts, Layout, folded_heads, heads_of, numbers_of, split_heads
from .ring import attended, extent_of

Bits = TensorOf("uint8")
Mask = TensorOf("bool", "uint8")


class _Call:
    """One call of the attention operator: holds the settings that its steps share and checks
    combinations of arguments.
    """

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
        """Computes the attention; returns it, and the inputs of each sequence as a list that
        `extent` takes."""
        groups = heads_of(self.api, query, key, value, self.layout, self.head_num)
        query = split_heads(query, self.layout, self.head_num)
        key, value = (split_heads(x, self.layout, groups) for x in (key, value))
        ranges = self._ranges(lengths, query.shape[2], key.shape[2])
        by_steps = getattr(query._array, "dims", None)
        if lengths is not None:  # ranks that divide the joined steps divide the heads instead
            query, key, value = (divided_instead(x, 2, 1, groups) for x in (query, key, value))
        outputs, parts, end = [], [], 0
        for at, (rows, columns) in enumerate(ranges):
            part = [
                x if at == slice(None) else x[:, :, at]
                for x, at in zip((query, key, value), (rows, columns, columns))
            ]
            bits, part_shift = drop_mask, shift
            if lengths is not None and drop_mask is not None:
                count = self.head_num * part[0].shape[2] * part[1].shape[2] // 8
                bits, end = drop_mask.reshape(-1)[end : end + count], end + count
            if lengths is not None and shift is not None:
                part_shift = self._shift_of(at, shift, ranges)
            out, inputs = self._attend_part(*part, part_shift, bits, mask, numbers_of(prefix))
            outputs.append(out)
            parts.append(inputs)
        out = outputs[0] if len(outputs) == 1 else cat.run(outputs, 2)
        if lengths is not None and by_steps is not None:
            out = place_op.run(out, query._array.space, by_steps)
        return folded_heads(out, self.layout), parts

    def _ranges(self, lengths, queries, keys):
        """Returns pairs (slice of queries, slice of the keys that they attend to): one pair, or one
        per joined sequence."""
        ends = [numbers_of(sequence_ends) for sequence_ends in lengths or (None, None)]
        if self.layout not in ("TND", "TH"):
            if ends != [None, None]:
                raise ValueError(
                    f"For '{self.api}', 'actual_seq_qlen' and 'actual_seq_kvlen' must "
                    f"be None for layout '{self.layout}', but got {ends}."
                )
            return [(slice(None), slice(None))]
        if (
            None in ends
            or len(ends[0]) != len(ends[1])
            or any(
                not sequence_ends
                or sorted(sequence_ends) != sequence_ends
                or sequence_ends[0] < 0
                or sequence_ends[-1] != total
                for sequence_ends, total in zip(ends, (queries, keys))
            )
        ):
            raise ValueError(
                f"For '{self.api}', 'actual_seq_qlen' and 'actual_seq_kvlen' must be "
                f"sums that grow to {queries} and {keys}, as many of each, for layout "
                f"'{self.layout}', but got {ends[0]} and {ends[1]}."
            )
        starts = [[0, *sequence_ends[:-1]] for sequence_ends in ends]
        return list(
            zip(
                *(
                    [slice(a, b) for a, b in zip(start, sequence_ends)]
                    for start, sequence_ends in zip(starts, ends)
                )
            )
        )

    def _shift_of(self, at, shift, ranges):
        """Returns the causal shift of one of several sequences, computed from the last row of the
        longest sequence's shift."""
        counts = [
            (rows.stop - rows.start, columns.stop - columns.start) for rows, columns in ranges
        ]
        longest = max(count for _, count in counts)
        fits = (
            shift.ndim == 4
            and shift.shape[0] in (1, len(ranges))
            and shift.shape[1:] == (self.head_num, min(longest, LAST_ROWS), longest)
        )
        if self.mode not in (2, 3) or any(a != b for a, b in counts) or not fits:
            raise RuntimeError(
                f"For '{self.api}', '{self.shift_name}' of joined sequences needs a "
                f"causal 'sparse_mode', as many queries as keys, and shape (1, "
                f"{self.head_num}, {min(longest, LAST_ROWS)}, {longest}), but got "
                f"{self.mode} and {shift.shape}."
            )
        row = shift[at % shift.shape[0] :][:1, :, -1:]
        return shift_by_distance(row, *counts[at])

    def _attend_part(self, query, key, value, shift, drop_mask, mask, prefix):
        batch, heads, queries, features = query.shape
        groups, keys = key.shape[1:3]
        sizes = (batch, heads, groups, queries, keys)
        whole = (batch, groups, heads // groups, queries, keys)
        query = query.reshape((batch, groups, heads // groups, queries, features))
        key, value = key.expand_dims(2), value.expand_dims(2)
        barred, band = barred_keys(
            self.api, mask, self.mode, self.reach, prefix, sizes, self.mask_name
        )
        keep_bits = self._dropout_bits(drop_mask, whole)
        shift = None if shift is None else self._shift(shift, sizes)
        out, inputs = attended(
            query,
            key,
            value,
            shift,
            barred,
            keep_bits,
            self.scale,
            self.keep_prob,
            self.shift_first,
            band,
        )
        return out.reshape((batch, heads, queries, features)), inputs

    def _dropout_bits(self, drop_mask, shape):
        return dropout_keep_bits(self.api, drop_mask, self.keep_prob, shape)

    def _shift(self, shift, sizes):
        return score_shift(self.api, shift, self.mode, sizes, self.shift_name)

    def extent(self, parts):
        """Returns the largest scores and the sums relative to them, each value eight times."""
        extents = [
            [x.reshape((x.shape[0], -1, x.shape[3], 1)) for x in extent_of(part)] for part in parts
        ]
        whole = [
            column[0] if len(column) == 1 else cat.run(list(column), 2) for column in zip(*extents)
        ]
        if self.layout in ("TND", "TH"):
            whole = [x.squeeze(0).swapaxes(0, 1) for x in whole]
        return tuple(x.broadcast_to((*x.shape[:-1], 8)) for x in whole)


def _need_no_padding(api, padding_mask):
    if padding_mask is not None:
        raise ValueError(
            f"For '{api}', 'padding_mask' must be None: it is reserved, but got {padding_mask!r}."
        )


@public("ops.flash_attention_score")
@checked(OneDtype("query key value real_shift"))
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
    pre_tokens: Int = ALL_TOKENS,
    next_tokens: Int = ALL_TOKENS,
    inner_precise: Int = 0,
    input_layout: Layout = "BSH",
    sparse_mode: Int = 0,
):
    """Computes multi-head flash attention: softmax(scalar_value * query @ key.T + real_shift) @
    value.

    B is the number of batches, S1 of queries, S2 of keys; N1 and N2 are the numbers of query and
    key heads of D features; H = N * D, and T is the number of steps of all joined sequences. The
    result is computed in float32. The output of a query that may not attend to any key is 0.

    Args:
        query (Tensor): shape (B, S1, H1), (B, N1, S1, D), (S1, B, H1), (B, S1, N1, D) or
            (T1, N1, D) by layout; float16 or bfloat16.
        key (Tensor): as `query`, with S2 keys and N2 heads; N2 divides N1.
        value (Tensor): of the shape of `key`.
        head_num (int): N1.
        real_shift (Tensor): added to the scores, shape (B, N1, S1, S2) or (1, N1, S1, S2); for a
            causal ALiBi shift the last 1024 rows are enough. Default: None.
        drop_mask (Tensor): one bit per weight in the format of `ops.DropoutGenMask`, uint8, shape
            (B, N1, S1, S2 // 8); a 0 drops the weight. Required if `keep_prob` is below 1, else it
            must be None.
        padding_mask (Tensor): reserved; must be None.
        attn_mask (Tensor): true or 1 where a key must not be attended to, shape (B, N1, S1, S2),
            (B, 1, S1, S2) or (S1, S2); for modes 2, 3 and 4 a lower triangle (2048, 2048), which is
            expanded to the mask of the mode. Default: None.
        prefix (Union[Tensor, tuple[int], list[int]]): for mode 5, the number of leading keys of
            each batch that every query attends to.
        actual_seq_qlen (Union[Tensor, tuple[int], list[int]]): the end of each sequence of queries,
            for layout "TND".
        actual_seq_kvlen (Union[Tensor, tuple[int], list[int]]): the end of each sequence of keys.
        keep_prob (float): the probability that dropout keeps a weight, in (0, 1]. Default: 1.0.
        scalar_value (float): the factor of the products of queries and keys. Default: 1.0.
        pre_tokens (int): how many keys before its own position a query attends to; for modes 0
            (with a mask) and 4.
        next_tokens (int): how many keys after its own position a query attends to.
        inner_precise (int): reserved.
        input_layout (str): "BSH", "BNSD", "SBH", "BSND" or "TND". Default: "BSH".
        sparse_mode (int): which keys a query attends to. 0: the keys of a band from the upper left
            corner that the mask allows; 1: the keys that the mask allows; 2: a triangle from the
            upper left corner; 3: a triangle to the lower right corner; 4: a band to the lower right
            corner; 5: as 3, and also the keys of the prefix. Default: 0.

    Returns:
        Tensor, of the shape and dtype of `query`.

    Raises:
        TypeError: if a dtype is not one of those listed, dtypes differ, or a number has the wrong
            type.
        ValueError: if `input_layout` is unknown, lengths do not fit, or the band is empty.
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
    """Computes multi-head flash attention: softmax(scale_value * (query @ key.T + real_shift)) @
    value.

    The arguments are the same as for `ops.flash_attention_score`. There are two differences: the
    shift is multiplied by the scale, too, and `input_layout` may also be "TH".

    Returns:
        tuple[Tensor] of four: the largest score of each query; the sum of exponentials relative to
        it; a placeholder of shape (1,); and the attention. The first two are float32, shape (B, N1,
        S1, 8), or (T1, N1, 8) for joined sequences, with each value repeated eight times.

    Raises:
        As `ops.flash_attention_score`.

    Example:
        >>> x = ms.ops.ones((1, 4, 8), ms.float16)
        >>> print(ms.ops.FlashAttentionScore(head_num=2)(x, x, x)[3].shape)
        (1, 4, 8)

    Source: mindspore.ops.operations.nn_ops.FlashAttentionScore of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        head_num: Int,
        keep_prob: Float = 1.0,
        scale_value: Float = 1.0,
        pre_tokens: Int = ALL_TOKENS,
        next_tokens: Int = ALL_TOKENS,
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

    @checked(OneDtype("query key value real_shift"))
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
