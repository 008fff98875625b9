"""Scaled dot-product attention, and its gradients.

The arithmetic is written here once, for arrays (..., steps, features) whose leading axes broadcast.
nn.MultiheadAttention and the fused attentions of _attention/flash.py rearrange their inputs and
call it. Scores are computed for a few queries at a time and recomputed in the backward pass, so the
full matrix of scores exists only if the caller requests it.
"""

import math

from ..._core.declare.op import op
from ..._core.rules.vocabulary import Any, Float, TensorOf, any_dtype
from .._rules import Bools, Floats

_LOWEST = -1e30  # the largest score of a query that may not attend to any key


def _upcast(xp, *arrays):
    """Casts the arrays to float32 unless they are wider, also where a GPU would compute in
    float16."""
    return [x if x is None or x.dtype.itemsize > 2 else xp.cast(x, "float32") for x in arrays]


def _scores(xp, query, key, shift, barred, scale, shift_first):
    """Returns scores of all queries against all keys; minus infinity where they are masked."""
    scores = xp.matmul(query, xp.swapaxes(key, -1, -2))
    if shift is not None and shift_first:
        scores = scores + shift
    scores = scores * scale
    if shift is not None and not shift_first:
        scores = scores + shift
    return scores if barred is None else xp.where(barred, -math.inf, scores)


def _top_and_sum(xp, scores, barred):
    """Returns the largest score of each query, the exponentials relative to it, and their sum."""
    top = xp.stop(xp.max(scores, -1, keepdims=True))
    if barred is not None:
        top = xp.maximum(top, _LOWEST)
    powers = xp.exp(scores - top)
    return top, powers, xp.sum(powers, -1, keepdims=True)


def _weights(xp, query, key, shift, barred, scale, shift_first):
    """Returns softmax of the scores; zeros for a query whose keys are all masked."""
    scores = _scores(xp, query, key, shift, barred, scale, shift_first)
    _, powers, total = _top_and_sum(xp, scores, barred)
    return powers / (total if barred is None else xp.where(total == 0, 1, total))


def _score_gradients(xp, flow, query, key, shift, scale, shift_first):
    """Returns the gradients of queries, keys and shift, given that of the scores."""
    scaled = flow * scale
    to_shift = None if shift is None else scaled if shift_first else flow
    return xp.matmul(scaled, key), xp.matmul(xp.swapaxes(scaled, -1, -2), query), to_shift


def _softmax_flow(xp, g, weights):
    weighted = g * weights
    return weighted - weights * xp.sum(weighted, -1, keepdims=True)


@op()
def attention_weights(
    xp,
    query: Floats,
    key: Floats,
    shift: Floats = None,
    barred: Bools = None,
    scale: Float = 1.0,
    shift_first: Any = False,
):
    """Returns the attention weights of each query over the keys, (..., queries, keys)."""
    upcast = _upcast(xp, query, key, shift)
    return xp.cast(_weights(xp, *upcast, barred, scale, shift_first), query.dtype)


@attention_weights.vjp_joint
def attention_weights_vjp(xp, g, query, key, shift, out, scale, shift_first):
    """Returns gradients of queries, keys and shift."""
    g, out, query, key, shift = _upcast(xp, g, out, query, key, shift)
    flow = _softmax_flow(xp, g, out)
    return (*_score_gradients(xp, flow, query, key, shift, scale, shift_first), None)


@op(compute="native")
def attention_extent(
    xp,
    query: Floats,
    key: Floats,
    shift: Floats = None,
    barred: Bools = None,
    scale: Float = 1.0,
    shift_first: Any = False,
):
    """Returns the largest score of each query and the sum of exponentials relative to it, in
    float32.
    """
    query, key, shift = _upcast(xp, query, key, shift)
    tops, sums = [], []
    for part in _parts(xp, query, key):
        scores = _scores(
            xp,
            query[..., part, :],
            key,
            _rows(shift, part),
            _rows(barred, part),
            scale,
            shift_first,
        )
        top, _, total = _top_and_sum(xp, scores, barred)
        tops.append(top)
        sums.append(total)
    return tuple(xp.cast(_join(xp, array), "float32") for array in (tops, sums))


attention_extent.vjp()


@op()
def attend(
    xp,
    query: Floats,
    key: Floats,
    value: Floats,
    shift: Floats = None,
    barred: Bools = None,
    keep_mask: TensorOf(any_dtype) = None,
    scale: Float = 1.0,
    keep_prob: Float = 1.0,
    shift_first: Any = False,
):
    """Computes the attention output of each query, (..., queries, features of the values).

    It is softmax(scale * query @ key.T + shift) @ value; if `shift_first` is true, the shift is
    multiplied by `scale`, too. `barred` is true for keys that a query must not attend to. Where
    `keep_mask` is zero, the weight is dropped; the other weights are divided by `keep_prob`.
    """
    dtype, chunks = query.dtype, []
    query, key, value, shift = _upcast(xp, query, key, value, shift)
    for part in _parts(xp, query, key):
        weights = _weights(
            xp,
            query[..., part, :],
            key,
            _rows(shift, part),
            _rows(barred, part),
            scale,
            shift_first,
        )
        chunks.append(xp.matmul(_drop(weights, _rows(keep_mask, part), keep_prob), value))
    return xp.cast(_join(xp, chunks), dtype)


@attend.vjp_joint
def attend_vjp(xp, g, query, key, value, shift, barred, keep_mask, scale, keep_prob, shift_first):
    """Returns the gradients of queries, keys, values and shift; recomputes the weights."""
    g, query, key, value, shift = _upcast(xp, g, query, key, value, shift)
    to_query, to_shift = [], []
    to_key = to_value = 0
    for part in _parts(xp, query, key):
        rows, drops = query[..., part, :], _rows(keep_mask, part)
        flow, part_shift = g[..., part, :], _rows(shift, part)
        weights = _weights(xp, rows, key, part_shift, _rows(barred, part), scale, shift_first)
        used = xp.swapaxes(_drop(weights, drops, keep_prob), -1, -2)
        to_value = to_value + xp.matmul(used, flow)
        flow = _drop(xp.matmul(flow, xp.swapaxes(value, -1, -2)), drops, keep_prob)
        gradients = _score_gradients(
            xp, _softmax_flow(xp, flow, weights), rows, key, part_shift, scale, shift_first
        )
        to_query.append(gradients[0])
        to_key = to_key + gradients[1]
        to_shift.append(gradients[2])
    shifted = None if shift is None else _join(xp, to_shift)
    return _join(xp, to_query), to_key, to_value, shifted, None, None


def _drop(weights, keep_mask, keep_prob):
    return weights if keep_mask is None else weights * keep_mask * (1 / keep_prob)


def _parts(xp, query, key):
    """Returns ranges of queries whose scores are computed together, in order."""
    lead = 1
    for n in query.shape[:-2]:
        lead *= n
    count = query.shape[-2]
    rows = max(1, xp.at_once() // max(1, lead * key.shape[-2]))
    return [slice(start, start + rows) for start in range(0, max(count, 1), rows)]


def _rows(x, part):
    """Returns the rows of a mask or shift that belong to a range of queries."""
    return x if x is None or x.shape[-2] == 1 else x[..., part, :]


def _join(xp, parts):
    return parts[0] if len(parts) == 1 else xp.concatenate(parts, -2)
