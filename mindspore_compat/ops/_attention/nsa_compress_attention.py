"""nsa_compress_attention: attention to compressed keys, and the selection of key blocks.

This is the second step of native sparse attention (arXiv 2502.11089). The first step, which makes
the compressed keys, is in _attention/nsa_compress.py; the arithmetic of scores is in
_attention/attention.py. MindSpore runs this operator on Ascend only, so its documentation of 2.10
is the reference.
"""

import math

from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Float, Int, OneDtype, checked
from ..._core.tensor.tensor import Tensor
from .._precision import at_least_float32
from .._rules import Bools, Floats, HalfPrecision, Ints
from .._shape.join_split import cat
from .attention import _weights, attend, attention_extent

_NONE = -1  # the index of a block that does not exist


@public("ops.nsa_compress_attention")
@checked(OneDtype("query key value"))
def nsa_compress_attention(
    query: HalfPrecision,
    key: HalfPrecision,
    value: HalfPrecision,
    scale_value: Float,
    head_num: Int,
    compress_block_size: Int,
    compress_stride: Int,
    select_block_size: Int,
    select_block_count: Int,
    *,
    topk_mask: Bools = None,
    atten_mask: Bools = None,
    actual_seq_qlen: Ints,
    actual_cmp_seq_kvlen: Ints,
    actual_sel_seq_kvlen: Ints,
):
    """Computes attention to compressed keys, and selects the key blocks with the largest weights.

    The weights are P = softmax(scale_value * query @ key.T). With l = compress_block_size, d =
    compress_stride and l' = select_block_size, the importance of block j is the sum over m < l' / d
    and n < l / d of P[l' / d * j - m - n]; indices out of range add nothing. The importance is
    summed over the query heads that share a key head. The most important blocks are returned.

    All Tensors hold joined sequences ("TND"). A query attends to the keys of its own sequence.

    Args:
        query (Tensor): shape (T1, N1, D1); float16 or bfloat16.
        key (Tensor): shape (T2, N2, D1), one row per window, of the dtype of `query`; N2 divides
            N1, and D1 is a multiple of 16.
        value (Tensor): shape (T2, N2, D2), D2 a multiple of 16 up to D1.
        scale_value (float): the factor of the products of queries and keys.
        head_num (int): N1.
        compress_block_size (int): l, the length of a window, a multiple of 16 in [16, 128].
        compress_stride (int): d, the distance of successive windows, a multiple of 16 in [16, 64],
            at most l.
        select_block_size (int): l', the length of a block, a multiple of 16 and of d in [l, 128].
        select_block_count (int): the number of selected blocks, in [1, 32].
        topk_mask (Tensor): bool, shape (S1, blocks) of the longest sequence, true where a block
            must not be selected. Default: None.
        atten_mask (Tensor): bool, shape (S1, S2) of the longest sequence, true where a key must not
            be attended to. Default: None.
        actual_seq_qlen (Union[tuple[int], list[int]]): the end of each sequence of queries.
        actual_cmp_seq_kvlen (Union[tuple[int], list[int]]): the end of each sequence of compressed
            keys.
        actual_sel_seq_kvlen (Union[tuple[int], list[int]]): the end of each sequence of blocks.

    Returns:
        tuple[Tensor] of four: the attention, shape (T1, N1, D2), of the dtype of `query`; the
        indices of the selected blocks within their sequence, int32, shape (T1, N2,
        select_block_count), the most important first, and -1 after the last; the largest score of
        each query; and the sum of exponentials relative to it. The last two are float32, shape (T1,
        N1, 8), with each value repeated eight times.

    Raises:
        TypeError: if a dtype is not one of those listed, dtypes differ, or an argument has the
            wrong type.
        ValueError: if a shape or a number is not as described, or the lengths do not fit.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import Tensor, ops
        >>> query, key = (Tensor(np.ones((n, 2, 16), np.float16)) for n in (4, 3))
        >>> found = ops.nsa_compress_attention(
        ...     query, key, key, 0.25, 2, 32, 16, 64, 1, actual_seq_qlen=[4],
        ...     actual_cmp_seq_kvlen=[3], actual_sel_seq_kvlen=[1])
        >>> print(found[0].shape, found[1].shape)
        (4, 2, 16) (4, 2, 1)

    Source: mindspore.ops.nsa_compress_attention of MindSpore 2.10.
    """
    sizes = compress_block_size, compress_stride, select_block_size
    _need_sizes(*sizes, select_block_count)
    _need_heads(query, key, value, head_num)
    ends = actual_seq_qlen, actual_cmp_seq_kvlen, actual_sel_seq_kvlen
    _need_ends(ends, query.shape[0], key.shape[0])
    results = []
    for rows, columns, blocks in zip(*map(_spans, ends)):
        part = query[rows], key[columns], value[columns]
        counts = [x.shape[0] for x in part[:2]]
        barred = _cut("atten_mask", atten_mask, *counts)
        left_out = _cut("topk_mask", topk_mask, counts[0], blocks.stop - blocks.start)
        results.append(
            _attend_sequence(part, barred, left_out, scale_value, sizes, blocks, select_block_count)
        )
    return tuple(
        column[0] if len(column) == 1 else cat.run(list(column), 0) for column in zip(*results)
    )


def _attend_sequence(part, barred, left_out, scale, sizes, blocks, count):
    """Returns the four results for one sequence."""
    query, key, value = part
    queries, heads, features = query.shape
    groups = key.shape[1]
    query = query.swapaxes(0, 1).reshape((groups, heads // groups, queries, features))
    key, value = (x.swapaxes(0, 1).expand_dims(1) for x in (key, value))
    out = attend.run(query, key, value, None, barred, None, scale, 1.0, False)
    out = out.reshape((heads, queries, value.shape[-1])).swapaxes(0, 1)
    extents = [
        x.reshape((heads, queries, 1)).swapaxes(0, 1).broadcast_to((queries, heads, 8))
        for x in attention_extent.run(query, key, None, barred, scale, False)
    ]
    length, stride, selected = sizes
    indices = favoured_blocks.run(
        query,
        key,
        barred,
        left_out,
        scale,
        selected // stride,
        length // stride,
        blocks.stop - blocks.start,
        count,
    )
    return out, indices, *extents


@op(compute="native")
def favoured_blocks(
    xp,
    query: Floats,
    key: Floats,
    barred: Bools = None,
    left_out: Bools = None,
    scale: Any = 1.0,
    step: Any = 1,
    windows: Any = 1,
    blocks: Any = 1,
    count: Any = 1,
):
    """Returns the indices of the most important blocks, (queries, groups, count), padded with -1.

    Block j starts at key `step` * j, and a window covers `windows` strides.
    """
    query, key = at_least_float32(xp, query, key)
    shares = [0] * (step + windows - 1)  # the number of pairs (m, n) with each sum m + n
    for m in range(step):
        for n in range(windows):
            shares[m + n] += 1
    result, keys = [], key.shape[-2]
    step_of_rows = max(1, xp.at_once() // max(1, math.prod(query.shape[:-2]) * keys))
    for start in range(0, max(query.shape[-2], 1), step_of_rows):
        part = slice(start, start + step_of_rows)
        mask = barred if barred is None or barred.shape[-2] == 1 else barred[..., part, :]
        weights = _weights(xp, query[..., part, :] * scale, key, None, mask)
        weights = xp.sum(weights, 1)
        scores = xp.zeros((*weights.shape[:-1], blocks), weights.dtype)
        for distance, share in enumerate(shares):
            at = xp.arange(blocks) * step - distance
            real = (at >= 0) & (at < keys)
            if keys:
                scores = scores + share * xp.where(
                    real, xp.take(weights, xp.where(real, at, 0), -1), 0
                )
        result.append(scores)
    scores = result[0] if len(result) == 1 else xp.concatenate(result, -2)
    if left_out is not None:
        scores = xp.where(left_out, -math.inf, scores)
    values, order = xp.top_k(scores, min(count, blocks), -1)
    order = xp.cast(xp.where(values == -math.inf, _NONE, order), "int32")
    if count > blocks:
        rest = xp.full((*order.shape[:-1], count - blocks), _NONE, "int32")
        order = xp.concatenate([order, rest], -1)
    return xp.swapaxes(order, 0, 1)


def _spans(ends):
    return [slice(start, end) for start, end in zip([0, *ends[:-1]], ends)]


def _cut(name, mask, queries, others):
    """Returns the part of a mask that belongs to one sequence."""
    if mask is None:
        return None
    if mask.ndim != 2 or mask.shape[0] < queries or mask.shape[1] < others:
        raise ValueError(
            f"For 'nsa_compress_attention', '{name}' must have an element for each of {queries} "
            f"queries and {others} keys or blocks, but got shape {mask.shape}."
        )
    xp = space_for(mask._array)
    return Tensor._wrap(xp.asarray(mask._array[:queries, :others]))


def _need_sizes(length, stride, selected, count):
    """Checks the documented sizes of windows and blocks."""
    fault = None
    if length % 16 or not 16 <= length <= 128:
        fault = "'compress_block_size' must be a multiple of 16 in [16, 128]", length
    elif stride % 16 or not 16 <= stride <= min(64, length):
        fault = f"'compress_stride' must be a multiple of 16 in [16, {min(64, length)}]", stride
    elif selected % 16 or selected % stride or not length <= selected <= 128:
        fault = (
            (f"'select_block_size' must be a multiple of 16 and of {stride} in [{length}, 128]"),
            selected,
        )
    elif not 1 <= count <= 32:
        fault = "'select_block_count' must be in [1, 32]", count
    if fault:
        raise ValueError(f"For 'nsa_compress_attention', {fault[0]}, but got {fault[1]}.")


def _need_heads(query, key, value, head_num):
    """Checks axes, heads and features."""
    shapes = [x.shape for x in (query, key, value)]
    fits = all(len(shape) == 3 for shape in shapes) and shapes[1][:2] == shapes[2][:2]
    if not fits or query.shape[2] != key.shape[2]:
        raise ValueError(
            "For 'nsa_compress_attention', the inputs must have shapes (T1, N1, D1), (T2, N2, D1) "
            f"and (T2, N2, D2), but got {shapes[0]}, {shapes[1]} and {shapes[2]}."
        )
    (_, heads, features), (_, groups, value_features) = query.shape, value.shape
    if head_num != heads or not groups or heads % groups:
        raise ValueError(
            "For 'nsa_compress_attention', 'head_num' must be the heads of 'query', a multiple of "
            f"those of 'key', but got {head_num} for {heads} and {groups}."
        )
    if features % 16 or value_features % 16 or not 1 <= value_features <= features:
        raise ValueError(
            "For 'nsa_compress_attention', the features must be multiples of 16, those of 'value' "
            f"no more than those of 'query', but got {value_features} and {features}."
        )


def _need_ends(ends, queries, keys):
    """Rejects cumulative lengths that do not grow or differ in number, or, for queries and
    compressed keys, do not end at the length of the Tensor.
    """
    names = "actual_seq_qlen", "actual_cmp_seq_kvlen", "actual_sel_seq_kvlen"
    for name, sequence_ends, total in zip(names, ends, (queries, keys, None)):
        if (
            not sequence_ends
            or len(sequence_ends) != len(ends[0])
            or sequence_ends[0] < 0
            or sorted(sequence_ends) != list(sequence_ends)
            or total not in (None, sequence_ends[-1])
        ):
            raise ValueError(
                f"For 'nsa_compress_attention', '{name}' must be {len(ends[0])} sums that grow"
                f"{'' if total is None else f' to {total}'}, but got {sequence_ends}."
            )
