"""Sparse attention to the most relevant keys: lightning_indexer and sparse_flash_attention.

lightning_indexer finds the keys that matter to a query; sparse_flash_attention attends to them.
Sequences may differ in length, be joined ("TND"), or lie in pages that a table lists ("PA_BSND");
each sequence is processed separately. MindSpore runs these operators on Ascend only, so its
documentation of 2.10 is the reference. Attention to all keys is in _attention/flash.py, the
arithmetic of scores in _attention/attention.py.
"""

import math

from ..._backend.arrays import to_host
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    Int,
    Number,
    OneDtype,
    OneOf,
    Str,
    TensorOf,
    checked,
)
from ..._core.tensor.tensor import Tensor
from .._activation.softmax import softmax_along_vjp
from .._precision import at_least_float32
from .._rules import Floats, HalfPrecision, Index
from .._shape.join_split import cat
from .attention import _scores, _top_and_sum, _weights

Int32 = TensorOf("int32")

_FAR = 2**63 - 1
_LEFT_OVER = -1  # the index of a key that does not exist


# Sequences ----------------------------------------------------------------------------------------


class _Sequences:
    """Splits an array into the tokens of each sequence, and joins the results again.

    Args:
        api (str): the public name.
        name (str): the argument's name, for messages.
        layout (str): "BSND", "TND" or "PA_BSND".
        x (Tensor): an array in this layout.
        lengths (Tensor): the number of tokens of each sequence, or its end for "TND".
        table (Tensor): the pages of each sequence, for "PA_BSND".
    """

    def __init__(self, api, name, layout, x, lengths, table=None):
        self.layout, self.shape, self.pages = layout, x.shape, None
        rank = 3 if layout == "TND" else 4
        if x.ndim != rank:
            raise ValueError(
                f"For '{api}', '{name}' must have {rank} axes for layout '{layout}', "
                f"but got shape {x.shape}."
            )
        counts = lengths if lengths is None else [int(n) for n in to_host(lengths._array).ravel()]
        if layout != "BSND" and counts is None or layout == "PA_BSND" and table is None:
            raise ValueError(
                f"For '{api}', the actual lengths of '{name}', and for 'PA_BSND' a "
                f"'block_table', must be given for layout '{layout}', but got none."
            )
        if layout == "PA_BSND":
            self.pages = _pages(api, table, x.shape, counts)
            self.spans = [(0, n) for n in counts]
            return
        step = x.shape[1] if layout == "BSND" else 0
        if layout == "BSND":
            counts = [step] * x.shape[0] if counts is None else counts
            fits = len(counts) == x.shape[0] and all(0 <= n <= step for n in counts)
            self.spans = [(i * step, i * step + n) for i, n in enumerate(counts)]
        else:
            fits = (
                counts and counts[0] >= 0 and sorted(counts) == counts and counts[-1] == x.shape[0]
            )
            self.spans = list(zip([0, *counts[:-1]], counts))
        if not fits:
            raise ValueError(
                f"For '{api}', the actual lengths of '{name}' must be at most {step}, "
                f"or grow to {x.shape[0]} for 'TND', but got {counts}."
            )

    def parts(self, x):
        """Yields the tokens of each sequence from an array that is laid out as `x`."""
        flat = x if self.layout == "TND" else x.reshape((-1, *x.shape[2:]))
        for i, (start, stop) in enumerate(self.spans):
            if self.pages is None:
                yield flat[start:stop]
            else:
                yield flat[Tensor._wrap(space_for(x._array).asarray(self.pages[i], "int64"))]

    def whole(self, parts, fill):
        """Joins the results of all sequences, laid out as `x`; positions without a token get
        `fill`."""
        result, rest = [], self.shape[1] if self.layout == "BSND" else 0
        for part in parts:
            result.append(part)
            if rest > part.shape[0]:
                xp = space_for(part._array)
                shape = (rest - part.shape[0], *part.shape[1:])
                result.append(Tensor._wrap(xp.full(shape, fill, part._array.dtype)))
        out = result[0] if len(result) == 1 else cat.run(result, 0)
        return out if self.layout == "TND" else out.reshape((*self.shape[:2], *out.shape[1:]))


def _pages(api, table, shape, lengths):
    """Returns the positions of each sequence's tokens in the pages; reads the table on the host."""
    size = shape[1]
    rows = to_host(table._array).reshape(table.shape[0], -1)
    result = []
    for row, n in zip(rows, lengths):
        pages = [int(page) for page in row[: -(-n // size)]]
        if (
            len(rows) != len(lengths)
            or n < 0
            or len(pages) * size < n
            or any(not 0 <= page < shape[0] for page in pages)
        ):
            raise ValueError(
                f"For '{api}', 'block_table' must name for each sequence pages in "
                f"[0, {shape[0]}) for its tokens, but got {rows.tolist()} for lengths "
                f"{lengths}."
            )
        result.append([page * size + i for page in pages for i in range(size)][:n])
    return result


def _need_same_count(api, queries, keys):
    if len(queries.spans) != len(keys.spans):
        raise ValueError(
            f"For '{api}', there must be as many sequences of keys as of queries, but "
            f"got {len(keys.spans)} and {len(queries.spans)}."
        )


def _visible_counts(xp, mode, start, stop, queries, keys):
    """Returns how many keys each query may attend to: all, or in mode 3 those up to its own
    position.
    """
    if mode == 0:
        return xp.full((stop - start,), keys, "int64")
    return xp.clip(xp.arange(start, stop) + 1 + keys - queries, 0, keys)


# Selection of keys --------------------------------------------------------------------------------


@op(compute="native")
def indexer_scores(xp, query: Floats, key: Floats, weights: Floats):
    """Computes the sum over heads of weights * relu(query @ key.T), (queries, keys), in float32 at
    least."""
    query, key, weights = at_least_float32(xp, query, key, weights)
    out, keys = 0, xp.swapaxes(key, -1, -2)
    for h in range(query.shape[1]):
        out = out + weights[:, h : h + 1] * xp.maximum(xp.matmul(query[:, h], keys), 0)
    return out


@indexer_scores.vjp_joint
def indexer_scores_vjp(xp, g, query, key, weights):
    """Returns the gradients of queries, keys and weights; recomputes the products."""
    g, query, key, weights = at_least_float32(xp, g, query, key, weights)
    to_query, to_key, to_weights = [], 0, []
    for h in range(query.shape[1]):
        score = xp.matmul(query[:, h], xp.swapaxes(key, -1, -2))
        to_weights.append(xp.sum(g * xp.maximum(score, 0), -1))
        flow = xp.where(score > 0, g * weights[:, h : h + 1], 0)
        to_query.append(xp.matmul(flow, key))
        to_key = to_key + xp.matmul(xp.swapaxes(flow, -1, -2), query[:, h])
    return xp.stack(to_query, 1), to_key, xp.stack(to_weights, 1)


@op(compute="native")
def best_keys(xp, scores: Floats, seen: Index, count: Int):
    """Returns the `count` largest of the first `seen` scores of each row, in order, and their
    positions.

    Rows with fewer scores are padded with minus infinity and position -1.
    """
    keys = scores.shape[1]
    hidden = xp.arange(keys) >= xp.expand_dims(seen, -1)
    ranked = xp.where(hidden, xp.full_like(scores, -math.inf), scores)
    values, order = xp.top_k(ranked, min(count, keys), -1)
    real = xp.arange(min(count, keys)) < xp.expand_dims(seen, -1)
    order = xp.cast(xp.where(real, order, _LEFT_OVER), "int32")
    if count > keys:
        rest = (scores.shape[0], count - keys)
        values = xp.concatenate([values, xp.full(rest, -math.inf, values.dtype)], -1)
        order = xp.concatenate([order, xp.full(rest, _LEFT_OVER, "int32")], -1)
    return values, order


@best_keys.vjp_joint
def best_keys_vjp(xp, g, out, scores_shape):
    """Returns the gradient of the scores, nonzero at the selected keys only."""
    at = out[1][:, : scores_shape[1]]
    flow = xp.where(at >= 0, g[0][:, : scores_shape[1]], 0)
    at = xp.maximum(at, 0)
    return xp.scatter_along_axis(xp.zeros(scores_shape, flow.dtype), at, flow, 1, add=True), None


@public("ops.lightning_indexer")
@checked(OneDtype("query key weights"))
def lightning_indexer(
    query: HalfPrecision,
    key: HalfPrecision,
    weights: HalfPrecision,
    *,
    actual_seq_lengths_query: Int32 = None,
    actual_seq_lengths_key: Int32 = None,
    block_table: Int32 = None,
    layout_query: OneOf("BSND", "TND") = "BSND",
    layout_key: OneOf("BSND", "TND", "PA_BSND") = "BSND",
    sparse_count: Int(ge=1, le=2048) = 2048,
    sparse_mode: Int = 3,
    pre_tokens: Int = _FAR,
    next_tokens: Int = _FAR,
    return_value: Bool = False,
):
    """Finds the keys that matter most to each query, for DeepSeek sparse attention.

    A key's score is the sum over heads of weights * relu(query @ key), in float32.

    Args:
        query (Tensor): shape (B, S1, N1, D), or (T1, N1, D) of joined sequences; float16 or
            bfloat16.
        key (Tensor): shape (B, S2, 1, D), (T2, 1, D), or (pages, tokens of a page, 1, D).
        weights (Tensor): the weight of each head, shape (B, S1, N1) or (T1, N1).
        actual_seq_lengths_query (Tensor): the number of queries of each sequence, or its end for
            "TND", int32, shape (B,). Default: None, all of them.
        actual_seq_lengths_key (Tensor): the same for the keys; required for "TND" (ends) and
            "PA_BSND" (numbers).
        block_table (Tensor): the pages of each sequence, int32, shape (B, pages), for "PA_BSND".
        layout_query (str): "BSND" or "TND". Default: "BSND".
        layout_key (str): the layout of `query`, or "PA_BSND". Default: "BSND".
        sparse_count (int): the number of keys returned per query, in [1, 2048]. Default: 2048.
        sparse_mode (int): 0 for all keys of a sequence, 3 for the keys up to the query's own
            position, where the last query is aligned with the last key. Default: 3.
        pre_tokens (int): reserved. Default: 2**63 - 1.
        next_tokens (int): reserved. Default: 2**63 - 1.
        return_value (bool): whether the scores are returned, too; not for "PA_BSND".

    Returns:
        tuple[Tensor]: the indices of each query's keys, the largest score first, int32, shape (B,
        S1, 1, sparse_count) or (T1, 1, sparse_count); and their scores, of the dtype of `query`, or
        an empty Tensor. If a query has fewer keys, the rest is -1, with scores of minus infinity.

    Raises:
        TypeError: if a dtype is not one of those listed, dtypes differ, or an argument has the
            wrong type.
        ValueError: if shapes, lengths, pages or layouts do not fit, a number is out of range, or a
            reserved argument is given.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import Tensor, ops
        >>> query = Tensor(np.ones((1, 1, 2, 4), np.float16))
        >>> key = Tensor(np.array([1, 3, 2], np.float16).reshape(1, 3, 1, 1) * np.ones(4, 'f2'))
        >>> weights = Tensor(np.ones((1, 1, 2), np.float16))
        >>> print(ops.lightning_indexer(query, key, weights, sparse_count=2)[0])
        [[[[1 2]]]]

    Source: mindspore.ops.lightning_indexer of MindSpore 2.10.
    """
    api = "lightning_indexer"
    if (pre_tokens, next_tokens) != (_FAR, _FAR):
        raise ValueError(
            f"For '{api}', 'pre_tokens' and 'next_tokens' must be {_FAR}: they are "
            f"reserved, but got {pre_tokens} and {next_tokens}."
        )
    _need_layouts(api, ValueError, layout_query, "layout_key", layout_key, sparse_mode)
    if return_value and layout_key == "PA_BSND":
        raise ValueError(f"For '{api}', 'return_value' must be False for 'PA_BSND', but got True.")
    queries = _Sequences(api, "query", layout_query, query, actual_seq_lengths_query)
    keys = _Sequences(api, "key", layout_key, key, actual_seq_lengths_key, block_table)
    _need_same_count(api, queries, keys)
    if weights.shape != query.shape[:-1] or key.shape[-2:] != (1, query.shape[-1]):
        raise ValueError(
            f"For '{api}', 'weights' must have shape {query.shape[:-1]}, and 'key' "
            f"one head of {query.shape[-1]} features, but got shapes {weights.shape} "
            f"and {key.shape}."
        )
    result = [
        _best(q, k.squeeze(1), w, sparse_count, sparse_mode)
        for q, k, w in zip(queries.parts(query), keys.parts(key), queries.parts(weights))
    ]
    values, indices = zip(*result)
    indices = queries.whole(indices, _LEFT_OVER)
    if not return_value:
        return indices, Tensor._wrap(space_for(query._array).zeros((0,), query._array.dtype))
    return indices, queries.whole(values, -math.inf).astype(query.dtype)


def _best(query, key, weights, count, mode):
    """Returns the scores and indices of the best keys of one sequence, a few queries at a time."""
    xp, (queries, keys) = space_for(query._array), (query.shape[0], key.shape[0])
    step, chunks = max(1, xp.at_once() // max(1, keys)), []
    for start in range(0, max(1, queries), step):
        part = slice(start, min(start + step, queries))
        scores = indexer_scores.run(query[part], key, weights[part])
        key_counts = Tensor._wrap(_visible_counts(xp, mode, part.start, part.stop, queries, keys))
        chunks.append([x.expand_dims(1) for x in best_keys.run(scores, key_counts, count)])
    return [chunk[0] if len(chunk) == 1 else cat.run(list(chunk), 0) for chunk in zip(*chunks)]


def _need_layouts(api, error, layout_query, name, layout, mode):
    if layout not in (layout_query, "PA_BSND"):
        raise error(
            f"For '{api}', '{name}' must be '{layout_query}' as 'layout_query', or "
            f"'PA_BSND', but got '{layout}'."
        )
    if mode not in (0, 3):
        raise error(f"For '{api}', 'sparse_mode' must be 0 or 3, but got {mode}.")


# Attention to the selected keys -------------------------------------------------------------------


@op(compute="native")
def attend_chosen(
    xp, query: Floats, key: Floats, value: Floats, indices: Index, seen: Index, scale: Any = 1.0
):
    """Computes the attention output over the keys at each query's indices, (queries, heads,
    features).

    An index that is negative or not below `seen` is skipped; an index that occurs twice counts
    twice.
    """
    chunks, dtype = [], query.dtype
    query, key, value = at_least_float32(xp, query, key, value)
    for part, at, barred in _key_ranges(xp, query, indices, seen):
        weights = _weights(xp, query[part] * scale, xp.getitem(key, (at,)), None, barred)
        chunks.append(xp.matmul(weights, xp.getitem(value, (at,))))
    return xp.cast(xp.concatenate(chunks, 0), dtype)


@attend_chosen.vjp_joint
def attend_chosen_vjp(xp, g, query, key, value, indices, seen, scale):
    """Returns the gradients of queries, keys and values; recomputes the weights."""
    g, query, key, value = at_least_float32(xp, g, query, key, value)
    to_query, to_key, to_value = [], xp.zeros_like(key), xp.zeros_like(value)
    for part, at, barred in _key_ranges(xp, query, indices, seen):
        rows, flow = query[part] * scale, g[part]
        keys, gathered = xp.getitem(key, (at,)), xp.getitem(value, (at,))
        weights = _weights(xp, rows, keys, None, barred)
        value_flow = xp.matmul(xp.swapaxes(weights, -1, -2), flow)
        to_value = xp.scatter_add(to_value, (at,), value_flow)
        flow = softmax_along_vjp(xp, xp.matmul(flow, xp.swapaxes(gathered, -1, -2)), weights, -1)
        to_query.append(xp.matmul(flow, keys) * scale)
        to_key = xp.scatter_add(to_key, (at,), xp.matmul(xp.swapaxes(flow, -1, -2), rows))
    return xp.concatenate(to_query, 0), to_key, to_value, None, None


@op(compute="native")
def chosen_extent(xp, query: Floats, key: Floats, indices: Index, seen: Index, scale: Any = 1.0):
    """Returns the largest score of each query and head at its own indices, and the sum of
    exponentials relative to it, (queries, heads), in float32.
    """
    query, key = at_least_float32(xp, query, key)
    extents = []
    for part, at, barred in _key_ranges(xp, query, indices, seen):
        scores = _scores(xp, query[part] * scale, xp.getitem(key, (at,)), None, barred)
        top, _, total = _top_and_sum(xp, scores, barred)
        extents.append((top[..., 0], total[..., 0]))
    return tuple(xp.cast(xp.concatenate(list(column), 0), "float32") for column in zip(*extents))


chosen_extent.vjp()


def _key_ranges(xp, query, indices, seen):
    """Yields ranges of queries to process together, with the indices of their keys and a mask of
    skipped ones."""
    queries = query.shape[0]
    step = max(1, xp.at_once() // max(1, indices.shape[1] * query.shape[-1]))
    for start in range(0, max(1, queries), step):
        part = slice(start, start + step)
        at = indices[part]
        barred = (at < 0) | (at >= xp.expand_dims(seen[part], -1))
        yield part, xp.where(barred, 0, at), xp.expand_dims(barred, 1)


@public("ops.sparse_flash_attention")
@checked(OneDtype("query key value"))
def sparse_flash_attention(
    query: HalfPrecision,
    key: HalfPrecision,
    value: HalfPrecision,
    sparse_indices: Int32,
    scale_value: Number,
    *,
    block_table: Int32 = None,
    actual_seq_lengths_query: Int32 = None,
    actual_seq_lengths_kv: Int32 = None,
    query_rope: HalfPrecision = None,
    key_rope: HalfPrecision = None,
    sparse_block_size: Int = 1,
    layout_query: Str = "BSND",
    layout_kv: Str = "BSND",
    sparse_mode: Int = 3,
    pre_tokens: Int = _FAR,
    next_tokens: Int = _FAR,
    attention_mode: Int = 0,
    return_softmax_lse: Bool = False,
):
    """Computes sparse attention of each query to the keys selected for it: softmax(scale * q @ k.T)
    @ value.

    The result is computed in float32. Queries and keys have additional features that encode their
    positions (MLA). The output of a query that may not attend to any key is 0.

    Args:
        query (Tensor): shape (B, S1, N1, D), or (T1, N1, D) of joined sequences; float16 or
            bfloat16.
        key (Tensor): shape (B, S2, 1, D), (T2, 1, D), or (pages, tokens of a page, 1, D).
        value (Tensor): of the shape of `key`.
        sparse_indices (Tensor): for each query the indices of its keys, or of blocks of keys,
            int32, shape (B, S1, 1, count) or (T1, 1, count); negative indices are skipped.
        scale_value (float): the factor of the products of queries and keys.
        block_table (Tensor): the pages of each sequence, int32, shape (B,) or (B, pages), for
            "PA_BSND".
        actual_seq_lengths_query (Tensor): the number of queries of each sequence, or its end for
            "TND", int32, shape (B,). Default: None, all of them.
        actual_seq_lengths_kv (Tensor): the same for the keys; required for "TND" (ends) and
            "PA_BSND" (numbers).
        query_rope (Tensor): the positional features of `query`, of its shape except for the last
            axis.
        key_rope (Tensor): the positional features of `key`.
        sparse_block_size (int): the number of keys in the block that an index names, a power of 2
            in [1, 128]. Default: 1.
        layout_query (str): "BSND" or "TND". Default: "BSND".
        layout_kv (str): the layout of `query`, or "PA_BSND". Default: "BSND".
        sparse_mode (int): 0 for no limit, 3 for the keys up to the query's own position, where the
            last query is aligned with the last key. Default: 3.
        pre_tokens (int): without effect in either mode.
        next_tokens (int): without effect in either mode.
        attention_mode (int): must be 2, for queries and keys with `query_rope` and `key_rope`.
            MindSpore rejects every other value, even its own default, 0.
        return_softmax_lse (bool): whether the second and third result are computed; not for
            "PA_BSND". Default: False.

    Returns:
        tuple[Tensor]: the attention, of the shape and dtype of `query`; the largest score of each
        query; and the sum of exponentials relative to it. The last two are float32, shape (B, 1,
        S1, N1) or (1, T1, N1), or empty Tensors.

    Raises:
        TypeError: if a dtype is not one of those listed, dtypes differ, or an argument has the
            wrong type.
        ValueError: if shapes, lengths or pages do not fit, or `attention_mode` is not 2.
        RuntimeError: if a layout, `sparse_mode` or `sparse_block_size` is not one of those listed.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import Tensor, ops
        >>> query, key = (Tensor(np.ones((1, n, 1, 4), np.float16)) for n in (1, 3))
        >>> value = Tensor(np.array([1, 3, 5], np.float16).reshape(1, 3, 1, 1) * np.ones(4, 'f2'))
        >>> indices = Tensor(np.array([1, 2], np.int32).reshape(1, 1, 1, 2))
        >>> print(ops.sparse_flash_attention(query, key, value, indices, 0.5, query_rope=query,
        ...                                  key_rope=key, attention_mode=2)[0])
        [[[[4. 4. 4. 4.]]]]

    Source: mindspore.ops.sparse_flash_attention of MindSpore 2.10.
    """
    api = "sparse_flash_attention"
    _need_sparse(api, layout_query, layout_kv, sparse_mode, sparse_block_size)
    queries = _Sequences(api, "query", layout_query, query, actual_seq_lengths_query)
    keys = _Sequences(api, "key", layout_kv, key, actual_seq_lengths_kv, block_table)
    _need_same_count(api, queries, keys)
    _need_indices(api, query, key, value, sparse_indices, (query_rope, key_rope), attention_mode)
    if return_softmax_lse and layout_kv == "PA_BSND":
        raise ValueError(
            f"For '{api}', 'return_softmax_lse' must be False for 'PA_BSND', but got True."
        )
    query, key = (cat.run([x, rope], -1) for x, rope in ((query, query_rope), (key, key_rope)))
    scale, outs, extents = float(scale_value), [], []
    for q, k, v, at in zip(
        queries.parts(query), keys.parts(key), keys.parts(value), queries.parts(sparse_indices)
    ):
        xp = space_for(q._array)
        key_counts = _visible_counts(xp, sparse_mode, 0, q.shape[0], q.shape[0], k.shape[0])
        at = Tensor._wrap(_blocks(xp, at._array[:, 0], sparse_block_size, key_counts))
        key_counts = Tensor._wrap(key_counts)
        if not k.shape[0]:  # an empty sequence: gather from one token of zeros that is masked
            k, v = (
                cat.run([x, Tensor._wrap(xp.zeros((1, *x.shape[1:]), x._array.dtype))], 0)
                for x in (k, v)
            )
        k, v = k.squeeze(1), v.squeeze(1)
        outs.append(attend_chosen.run(q, k, v, at, key_counts, scale))
        if return_softmax_lse:
            extents.append(chosen_extent.run(q, k, at, key_counts, scale))
    out = queries.whole(outs, 0)
    if return_softmax_lse:
        return out, *(queries.whole(column, 0).expand_dims(-3) for column in zip(*extents))
    empty = space_for(query._array).zeros((0,), "float32")
    return out, Tensor._wrap(empty), Tensor._wrap(empty)


def _blocks(xp, indices, size, seen):
    """Returns the index of each key in the given blocks; -1 for the keys of a negative block.

    Columns that no query attends to are removed, because many blocks may lie beyond the last key.
    """
    if size == 1:
        return indices
    whole = xp.expand_dims(indices, -1) * size + xp.arange(size)
    whole = xp.where(xp.expand_dims(indices, -1) < 0, _LEFT_OVER, whole)
    whole = xp.reshape(whole, (indices.shape[0], -1))
    in_range = xp.any((whole >= 0) & (whole < xp.expand_dims(seen, -1)), 0)
    return whole[:, in_range] if bool(xp.any(in_range)) else whole[:, :1]


def _need_sparse(api, layout_query, layout_kv, mode, block):
    for name, tensor, dtypes in (
        ("layout_query", layout_query, ("BSND", "TND")),
        ("layout_kv", layout_kv, ("BSND", "TND", "PA_BSND")),
    ):
        if tensor not in dtypes:
            raise RuntimeError(
                f"For '{api}', '{name}' must be one of {dtypes}, but got '{tensor}'."
            )
    if not 1 <= block <= 128 or block & (block - 1):
        raise RuntimeError(
            f"For '{api}', 'sparse_block_size' must be a power of 2 in [1, 128], but got {block}."
        )
    _need_layouts(api, RuntimeError, layout_query, "layout_kv", layout_kv, mode)


def _need_indices(api, query, key, value, indices, ropes, mode):
    if mode != 2 or None in ropes:
        raise ValueError(
            f"For '{api}', 'attention_mode' must be 2, with 'query_rope' and "
            f"'key_rope', but got {mode}."
        )
    if key.shape != value.shape or key.shape[-2:] != (1, query.shape[-1]):
        raise ValueError(
            f"For '{api}', 'key' and 'value' must have one head of {query.shape[-1]} "
            f"features, but got shapes {key.shape} and {value.shape}."
        )
    expected_shape = (*query.shape[:-2], 1)
    if indices.shape[:-1] != expected_shape or indices.ndim != query.ndim:
        raise ValueError(
            f"For '{api}', 'sparse_indices' must have shape {expected_shape} and a last axis, "
            f"but got {indices.shape}."
        )
    for name, tensor, whole in (("query_rope", ropes[0], query), ("key_rope", ropes[1], key)):
        if tensor.shape[:-1] != whole.shape[:-1] or tensor.shape[-1] != ropes[0].shape[-1]:
            raise ValueError(
                f"For '{api}', '{name}' must have shape {whole.shape[:-1]} and the "
                f"features of the other, but got {tensor.shape}."
            )
