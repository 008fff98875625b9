"""The base class of inference attention operators: lengths, padding, pages and int8 values.

The public functions are in _attention/prompt_incre.py and _attention/fused_infer.py, the arithmetic
of scores in _attention/attention.py. MindSpore runs these operators on Ascend only, so its
documentation of 2.10 is the reference.
"""

import math
import struct

from ..._backend.arrays import to_host
from ..._core.declare.op import op, space_for
from ..._core.rules.vocabulary import Any, Float, TensorOf
from ..._core.tensor.tensor import Tensor
from .._precision import at_least_float32
from .._rules import Floats
from .._shape.join_split import cat
from .attention import _weights, attend, attention_extent
from .blocks import Blocks
from .flash_masks import ALL_TOKENS, COMPRESSED
from .head_layouts import folded_heads, numbers_of, split_heads

Bytes = TensorOf("int8")

_SHARED = 64  # the maximum number of query heads that share one key head


# Quantization -------------------------------------------------------------------------------------


@op(compute="native")
def from_bytes(xp, x: Bytes, scale: Floats, offset: Floats = None, dtype: Any = "float16"):
    """Dequantizes int8 values: (x + offset) * scale, computed in float32 at least, as `dtype`."""
    scale, offset = at_least_float32(xp, scale, offset)
    upcast = xp.cast(x, scale.dtype)
    return xp.cast((upcast if offset is None else upcast + offset) * scale, dtype)


@op(compute="native")
def to_bytes(xp, x: Floats, scale: Floats, offset: Floats = None):
    """Quantizes to int8: x * scale + offset, rounded and clipped."""
    x, scale, offset = at_least_float32(xp, x, scale, offset)
    return _byte(xp, x * scale if offset is None else x * scale + offset, "int8")


def _byte(xp, x, dtype):
    return xp.cast(xp.clip(xp.rint(x), -128, 127), dtype)


@op(compute="native")
def attend_bytes(
    xp,
    query: Bytes,
    key: Bytes,
    value: Bytes,
    shift: Floats = None,
    barred: TensorOf("bool") = None,
    scale: Float = 1.0,
    weight_scale: Float = 1.0,
    out_scale: Float = 1.0,
):
    """Computes the attention output of int8 queries, keys and values, in float32; the weights are
    quantized to int8, too.
    """
    query, key = xp.cast(query, "float32"), xp.cast(key, "float32")
    shift = None if shift is None else xp.cast(shift, "float32")
    value = xp.cast(value, "float64")  # exact: the products are sums of integers
    plan = Blocks(xp, (query, key, value, shift, barred), key.shape[-2], None)

    def work(number):
        block = plan.block(number)
        operands = block.operands(query * scale, key, shift)
        weights = _weights(xp, *operands, block.masked(xp, barred))
        return xp.matmul(_byte(xp, weights * weight_scale, "float64"), block.keys_of(value))

    return xp.cast(plan.joined(xp, xp.share(work, plan.count, query)) * out_scale, "float32")


attend_bytes.vjp()


@op(compute="native")
def log_sums(xp, top: Floats, total: Floats):
    """Returns the logarithm of the sum of exponentials, minus infinity for an empty sum."""
    some, one, least = total > 0, xp.ones_like(total), xp.full_like(total, -math.inf)
    return xp.where(some, top + xp.log(xp.where(some, total, one)), least)


# One call -----------------------------------------------------------------------------------------


class Inference:
    """One call of an attention operator: holds its settings and checks combinations of arguments.

    Args:
        api (str): the public name.
        query (Tensor): laid out as `layout` says.
        keys (list[Tensor]): one Tensor for all batches, or one per batch; `values` likewise.
        layout (str): "BSH", "BNSD", "BSND" or "BNSD_BSND".
        heads (int): the number of query heads.
        key_heads (int): the number of key heads; 0 means `heads`.
        scale (float): the factor of the products of queries and keys.
        error (type): the exception raised if the numbers of heads do not fit.
    """

    mask_name = "attn_mask"

    def __init__(self, api, query, keys, values, layout, heads, key_heads, scale, error):
        self.api, self.layout, self.scale = api, layout, float(scale)
        self.inner = layout.partition("_")[0]
        self.space = space_for(query._array)
        self.dtype = query.dtype
        self.heads, self.key_heads = heads, key_heads or heads
        self._need_heads(query, error)
        self.query = split_heads(query, self.inner, heads)
        self.batch, _, self.queries, self.features = self.query.shape
        self.query_spans = self.key_spans = self.shift = self.barred = None
        self.padded = False
        self.keys, self.values = keys, values

    def refuse(self, text, error=ValueError):
        raise error(f"For '{self.api}', {text}.")

    def _need_heads(self, query, error):
        rank = 3 if self.inner == "BSH" else 4
        if query.ndim != rank:
            self.refuse(
                f"'query' must have {rank} axes for layout '{self.layout}', but got shape "
                f"{query.shape}"
            )
        if self.heads < 1 or self.key_heads < 1:
            self.refuse(
                f"'num_heads' must be at least 1 and 'num_key_value_heads' at least 0, but "
                f"got {self.heads} and {self.key_heads}",
                RuntimeError,
            )
        if self.heads % self.key_heads or self.heads > _SHARED * self.key_heads:
            self.refuse(
                f"'num_heads' must be divisible by 'num_key_value_heads', and at most "
                f"{_SHARED} times as many, but got {self.heads} and {self.key_heads}",
                error,
            )
        if self.inner == "BSH":
            fits = query.shape[-1] % self.heads == 0
        else:
            fits, error = query.shape[self.inner.index("N")] == self.heads, RuntimeError
        if not fits:
            self.refuse(
                f"'query' must have 'num_heads' heads, but got shape {query.shape} and "
                f"{self.heads}",
                error,
            )

    # Keys and values

    def take(self):
        """Converts the given keys and values to the layout (batch, heads, steps, features)."""
        pairs = []
        for key, value in zip(self.keys, self.values):
            rank = 3 if self.inner == "BSH" else 4
            for name, x in (("key", key), ("value", value)):
                if x.ndim != rank:
                    self.refuse(
                        f"'{name}' must have {rank} axes for layout '{self.layout}', but "
                        f"got shape {x.shape}"
                    )
            heads = key.shape[-1] / self.features if rank == 3 else key.shape[self.inner.index("N")]
            width = self.features if rank == 3 else key.shape[-1]
            if (heads, width) != (self.key_heads, self.features) or key.shape != value.shape:
                self.refuse(
                    f"'key' and 'value' must have one shape, {self.key_heads} heads and "
                    f"{self.features} features, but got shapes {key.shape} and "
                    f"{value.shape}",
                    RuntimeError,
                )
            pairs.append([split_heads(x, self.inner, self.key_heads) for x in (key, value)])
        if len(self.keys) != len(self.values) or [x.shape[0] for x, _ in pairs] not in (
            [self.batch],
            [1] * self.batch,
        ):
            self.refuse(
                f"'key' and 'value' must be of one Tensor for {self.batch} batches, or of "
                f"one for each, but got shapes {[x.shape for x in self.keys]}",
                RuntimeError,
            )
        if len(pairs) > 1:
            self.key_spans = [(0, x.shape[2]) for x, _ in pairs]
        longest = max(x.shape[2] for x, _ in pairs)
        self.key, self.value = (self._stack(column, longest) for column in zip(*pairs))
        self.steps = longest

    def _stack(self, parts, longest):
        """Joins the arrays of several batches; shorter ones are padded with zeros."""
        result = []
        for x in parts:
            if x.shape[2] < longest:
                shape = (*x.shape[:2], longest - x.shape[2], x.shape[3])
                rest = Tensor._wrap(self.space.zeros(shape, x._array.dtype))
                x = cat.run([x, rest], 2)
            result.append(x)
        return result[0] if len(result) == 1 else cat.run(result, 0)

    def dequantize_keys(self, scales, offsets, by_token=False):
        """Converts int8 keys and values to the dtype of the queries, by their scales and
        offsets."""
        if any(scale is None for scale in scales):
            self.refuse(
                "the scales of 'key' and 'value' must be given where these are of bytes, "
                "but got none"
            )
        result = []
        for x, scale, offset in zip((self.key, self.value), scales, offsets):
            new_scales = [
                vector if vector is None else self._per_key(vector, by_token)
                for vector in (scale, offset)
            ]
            result.append(from_bytes.run(x, *new_scales, self.query._array.dtype))
        self.key, self.value = result

    def _per_key(self, x, by_token):
        """Reshapes a scale so that it multiplies keys: one for all, one per channel, or one per
        token."""
        count = self.key_heads * self.features
        if by_token and x.size >= self.batch * self.steps and x.shape[:1] == (self.batch,):
            return x.reshape((self.batch, -1))[:, : self.steps].reshape(
                (self.batch, 1, self.steps, 1)
            )
        if not by_token and x.size == 1:
            return x.reshape((1, 1, 1, 1))
        if not by_token and x.size == count:
            return x.reshape((1, self.key_heads, 1, self.features))
        expected_shape = (self.batch, self.steps) if by_token else f"1 or {count} elements"
        return self.refuse(
            f"the scales and offsets of 'key' and 'value' must be of {expected_shape}, but "
            f"got shape {x.shape}"
        )

    # Which keys are attended to

    def _counts(self, name, lengths, most, one_for_all):
        lengths = numbers_of(lengths)
        if lengths is None:
            return None
        if one_for_all and len(lengths) == 1:
            lengths = lengths * self.batch
        if len(lengths) != self.batch or not all(0 <= n <= most for n in lengths):
            self.refuse(
                f"'{name}' must hold a number in [0, {most}] for each of {self.batch} "
                f"batches, but got {lengths}"
            )
        return lengths

    def limit_queries(self, name, lengths, padding=None, one_for_all=False):
        """Sets the number of queries of each batch, and the number of padding positions after
        them."""
        counts = self._counts(name, lengths, self.queries, one_for_all)
        self.query_spans = self._spans(counts, padding, self.queries)

    def limit_keys(self, name, lengths, padding=None, one_for_all=False):
        """Sets the number of keys of each batch; the queries of a batch without keys attend to
        nothing.
        """
        counts = self._counts(name, lengths, self.steps, one_for_all)
        if counts and self.key_spans and any(n > s[1] for n, s in zip(counts, self.key_spans)):
            self.refuse(
                f"'{name}' must be at most {[n for _, n in self.key_spans]}, but got {counts}"
            )
        if counts is not None:
            self.key_spans = self._spans(counts, padding, self.steps)

    def _spans(self, counts, padding, steps):
        """Returns (first step, number of steps) for each batch."""
        if counts is None:
            return None
        if padding is None:
            return [(0, n) for n in counts]
        self.padded = True
        behind = max(0, numbers_of(padding)[0])
        starts = [steps - behind - n for n in counts]
        return [(start, n if start >= 0 else 0) for start, n in zip(starts, counts)]

    def _positions(self, spans, steps):
        """Returns the position of each step in its sequence, (batch or 1, 1, 1, steps), and the
        lengths."""
        xp = self.space
        starts, counts = (
            xp.reshape(xp.asarray(column, "int64"), (-1, 1, 1, 1))
            for column in zip(*(spans or [(0, steps)]))
        )
        return xp.arange(steps) - starts, counts

    def set_mask(self, mask, mode=0, reach=(ALL_TOKENS, ALL_TOKENS)):
        """Sets the mask of forbidden keys, from the lengths, the mode and the mask.

        Args:
            mask (Tensor): nonzero where a key must not be attended to; None for no mask.
            mode (int): 0 for a band if a mask is given, 1 for the mask alone, 2 and 3 for a
                triangle from the upper left or to the lower right corner, 4 for a band to the lower
                right corner.
            reach (tuple): how many keys before and after its own position a query attends to, in
                modes 0 and 4.
        """
        rows, queries = self._positions(self.query_spans, self.queries)
        columns, keys = self._positions(self.key_spans, self.steps)
        rows, queries = rows[..., None], queries[..., None]
        columns, keys = columns[..., None, :], keys[..., None]
        hidden = []
        if self.query_spans:
            hidden.append((rows < 0) | (rows >= queries))
        if self.key_spans:
            hidden.append((columns < 0) | (columns >= keys))
        if mode in (2, 3, 4):
            self._need_compressed(mask)
        if mode in (2, 3, 4) or mode == 0 and mask is not None and not self.padded:
            ahead = columns - rows - (keys - queries if mode in (3, 4) else 0)
            before, after = reach if mode in (0, 4) else (ALL_TOKENS, 0)
            hidden.append((ahead > after) | (ahead < -before))
        if mask is not None and mode in (0, 1):
            hidden.append(self._mask(mask))
        if hidden:
            forbidden = hidden[0]
            for hidden_mask in hidden[1:]:
                forbidden = forbidden | hidden_mask
            self.barred = Tensor._wrap(forbidden)

    def _need_compressed(self, mask):
        if (
            mask is None
            or mask.shape[-2:] != COMPRESSED
            or mask.shape[:-2] not in ((), (1,), (1, 1), (self.batch, 1))
        ):
            self.refuse(
                f"'{self.mask_name}' must have shape {COMPRESSED} where 'sparse_mode' is "
                f"2, 3 or 4, but got {None if mask is None else mask.shape}",
                RuntimeError,
            )

    def _mask(self, mask):
        """Returns the mask as (batch or 1, 1, 1, queries, keys)."""
        rows, batch = (self.queries, self.steps), self.batch
        shapes = [rows, (batch, *rows), (1, *rows), (batch, 1, *rows), (1, 1, *rows)]
        return self._lay_out(mask, shapes, (-1, 1, 1, *rows))

    def _lay_out(self, mask, shapes, shape):
        if mask.shape not in shapes:
            self.refuse(
                f"'{self.mask_name}' must have shape {' or '.join(map(str, shapes))}, but "
                f"got {mask.shape}",
                RuntimeError,
            )
        return (mask._array != 0).reshape(shape)

    def set_shift(self, name, shift):
        """Sets the shift that is added to the scores; ignores rows and columns beyond the
        sequences."""
        if shift is None:
            return
        rows, columns = self.queries, self.steps
        if (
            shift.ndim != 4
            or shift.shape[0] not in (1, self.batch)
            or (shift.shape[1] != self.heads)
            or shift.shape[2] < rows
            or shift.shape[3] < columns
        ):
            self.refuse(
                f"'{name}' must have shape ({self.batch} or 1, {self.heads}, {rows}, "
                f"{columns}), but got {shift.shape}",
                RuntimeError,
            )
        shift = shift[:, :, :rows, :columns]
        self.shift = shift.reshape(
            (shift.shape[0], self.key_heads, self.heads // self.key_heads, rows, columns)
        )

    # The result

    def _group(self):
        """Returns the queries grouped by the key head that they share: (batch, key heads, group,
        steps, ...)."""
        group = self.heads // self.key_heads
        query = self.query.reshape((self.batch, self.key_heads, group, self.queries, self.features))
        return query, self.key.expand_dims(2), self.value.expand_dims(2)

    def run(self, *byte_scales):
        """Computes the attention, (batch, heads, queries, features); int8 inputs use their three
        scales."""
        query, key, value = self._group()
        if byte_scales:
            first, weights, last = map(_scalar, byte_scales)
            self.scale *= first
            out = attend_bytes.run(
                query, key, value, self.shift, self.barred, self.scale, weights, last
            )
        else:
            out = attend.run(query, key, value, self.shift, self.barred, None, self.scale)
        return out.reshape(self.query.shape)

    def log_sums(self):
        """Returns the logarithm of the sum of each query's exponentials, (batch, heads, queries,
        1)."""
        query, key, _ = self._group()
        query, key = (Tensor._wrap(self.space.cast(x._array, "float32")) for x in (query, key))
        extent = attention_extent.run(query, key, self.shift, self.barred, self.scale)
        return log_sums.run(*extent).reshape((self.batch, self.heads, self.queries, 1))

    def quantized(self, out, scale, offset):
        """Returns the result quantized to int8."""
        count = self.heads * self.features
        if (
            scale.size not in (1, count)
            or offset is not None
            and (offset.shape != scale.shape or offset.dtype != scale.dtype)
        ):
            self.refuse(
                f"'quant_scale2' must have 1 or {count} elements, and 'quant_offset2' its "
                f"shape and dtype, but got shapes {scale.shape} and "
                f"{None if offset is None else offset.shape}"
            )
        if scale.size > 1 and self.features % 32:
            self.refuse(
                f"the features of a head must be a multiple of 32 where 'quant_scale2' is "
                f"of each channel, but got {self.features}",
                RuntimeError,
            )
        shape = (1, 1, 1, 1) if scale.size == 1 else (1, self.heads, 1, self.features)
        scale, offset = (x if x is None else x.reshape(shape) for x in (scale, offset))
        return to_bytes.run(out, scale, offset)

    def folded(self, out):
        """Returns the result in the layout of the queries, or in the requested one."""
        return folded_heads(out, self.layout.rpartition("_")[2])


class Step(Inference):
    """A call with one query per batch: the mask has one row per batch, and keys may lie in
    pages."""

    lengths_name, paged = "actual_seq_lengths", False

    def take_pages(self, table, size, lengths):
        """Reads keys and values from the pages that a block table names."""
        self.paged = True
        if len(self.keys) != 1 or len(self.values) != 1 or size < 1:
            self.refuse(
                f"'key' and 'value' must be of one Tensor, and 'block_size' at least 1, "
                f"where there is a 'block_table', but got {len(self.keys)} Tensors and "
                f"{size}"
            )
        shape, width = self.keys[0].shape, self.key_heads * self.features
        shapes = [(shape[0], size, width), (shape[0], self.key_heads, size, self.features)]
        if shape not in shapes or self.values[0].shape != shape:
            self.refuse(
                f"the pages of 'key' and 'value' must have shape {shapes[0]} or "
                f"{shapes[1]}, but got {shape} and {self.values[0].shape}",
                RuntimeError,
            )
        rows = to_host(table._array)
        if rows.ndim != 2 or rows.shape[0] != self.batch:
            self.refuse(
                f"'block_table' must have shape ({self.batch}, pages), but got {table.shape}"
            )
        self.steps = rows.shape[1] * size
        counts = self._counts(self.lengths_name, lengths, self.steps, True)
        page_counts = [-(-n // size) for n in counts or [self.steps] * self.batch]
        bad = [
            int(p) for row, n in zip(rows, page_counts) for p in row[:n] if not 0 <= p < shape[0]
        ]
        if bad:
            self.refuse(f"'block_table' must name pages in [0, {shape[0]}), but got {bad}")
        positions = [
            [int(p) if i < n else 0 for i, p in enumerate(row)] for row, n in zip(rows, page_counts)
        ]
        at = Tensor._wrap(self.space.asarray(positions, "int64").reshape(rows.shape))
        self.key, self.value = (self._page_heads(x[0][at]) for x in (self.keys, self.values))

    def _page_heads(self, x):
        """Returns (batch, pages, ...) as (batch, heads, steps, features)."""
        if x.ndim == 4:
            x = x.reshape((self.batch, self.steps, self.key_heads, self.features))
            return x.transpose((0, 2, 1, 3))
        x = x.transpose((0, 2, 1, 3, 4))
        return x.reshape((self.batch, self.key_heads, self.steps, self.features))

    def _mask(self, mask):
        batch, steps = self.batch, self.steps
        longer = mask.shape[-1:] > (steps,)
        keys = mask.shape[-1] if longer and self.paged else steps
        shapes = [(batch, keys), (batch, 1, keys), (batch, 1, 1, keys)]
        layout = self._lay_out(mask, shapes, (batch, 1, 1, 1, keys))
        return layout[..., :steps]


def _scalar(x):
    """Returns the number in a one-element Tensor; uint64 holds the bits of a float32 in its lower
    half."""
    value = to_host(x._array).reshape(-1)[0]
    if x._array.dtype == "uint64":
        return struct.unpack("<f", struct.pack("<I", int(value) & 0xFFFFFFFF))[0]
    return float(value)
