"""Scaled dot-product attention, and its gradients.

The arithmetic is written here once, for arrays (..., steps, features) whose leading axes broadcast.
nn.MultiheadAttention and the fused attentions of _attention/flash.py rearrange their inputs and
call it. Scores are computed block by block (blocks.py) and recomputed in the backward pass, so the
full matrix of scores exists only if the caller requests it.
"""

import math

from ..._backend.random.kernels import of_call
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Any, Float, TensorOf
from .._activation.softmax import softmax_along, softmax_along_vjp
from .._precision import at_least_float32
from .._rules import Bools, Floats
from .blocks import Blocks, broadcast_lead

_LOWEST = -1e30  # the largest score of a query that may not attend to any key


def _scores(xp, query, key, shift, barred, factor=1.0, masked=-math.inf):
    """Returns the scores of all queries against all keys in float32, with `masked` where `barred`
    is true."""
    scores = xp.matmul_float32(query, xp.swapaxes(key, -1, -2), factor)
    scores = scores if shift is None else scores + shift
    return scores if barred is None else xp.where(barred, masked, scores)


def _top_and_sum(xp, scores, barred):
    """Returns the largest score of each query, the exponentials relative to it, and their sum."""
    top = xp.stop(xp.max(scores, -1, keepdims=True))
    if barred is not None:
        top = xp.maximum(top, _LOWEST)
    powers = xp.exp(scores - top)
    return top, powers, xp.sum(powers, -1, keepdims=True)


def _weights(xp, query, key, shift, barred, factor=1.0):
    """Returns softmax of the scores; zeros for a query whose keys are all masked."""
    weights = softmax_along(xp, _scores(xp, query, key, shift, barred, factor, _LOWEST), -1)
    if barred is None:
        return weights
    return xp.where(xp.all(barred, -1, keepdims=True), 0, weights)


def _float32_shift(xp, shift, scale, shift_first):
    """Returns the shift of the scaled scores, in float32."""
    shift = at_least_float32(xp, shift)
    return shift * scale if shift is not None and shift_first else shift


@op(compute="products")
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
    shift = _float32_shift(xp, shift, scale, shift_first)
    return xp.cast(_weights(xp, query, key, shift, barred, scale), query.dtype)


@attention_weights.vjp_joint
def attention_weights_vjp(xp, g, query, key, shift, out, scale, shift_first):
    """Returns gradients of queries, keys and shift."""
    flow = softmax_along_vjp(xp, g, out, -1)
    to_shift = None if shift is None else flow * scale if shift_first else flow
    to_key = xp.matmul_float32(xp.swapaxes(flow, -1, -2), query, scale)
    return xp.matmul_float32(flow, key, scale), to_key, to_shift, None


@op(compute="native")
def attention_extent(
    xp,
    query: Floats,
    key: Floats,
    shift: Floats = None,
    barred: Bools = None,
    scale: Float = 1.0,
    shift_first: Any = False,
    band: Any = None,
):
    """Returns the largest score of each query and the sum of exponentials relative to it, in
    float32.
    """

    def extents(xp, first, queries, others):
        (query, shift, barred), (key,) = queries, others
        shift = _float32_shift(xp, shift, scale, shift_first)
        plan = Blocks(xp, (query, key, shift, barred), key.shape[-2], _from(first, band))

        def work(number):
            block = plan.block(number)
            mask = block.masked(xp, barred)
            scores = _scores(xp, *block.operands(query, key, shift), mask, scale)
            top, _, total = _top_and_sum(xp, scores, mask)
            return xp.cast(top, "float32"), xp.cast(total, "float32")

        parts = xp.share(work, plan.count, query)
        return [plan.joined(xp, column) for column in zip(*parts)], []

    return tuple(xp.over_queries(extents, [query, shift, barred], [key])[0])


attention_extent.vjp()


@op(compute="products")
def attend(
    xp,
    query: Floats,
    key: Floats,
    value: Floats,
    shift: Floats = None,
    barred: Bools = None,
    keep_bits: TensorOf("uint8") = None,
    scale: Float = 1.0,
    keep_prob: Float = 1.0,
    shift_first: Any = False,
    band: Any = None,
):
    """Computes the attention output of each query, (..., queries, features of the values).

    It is softmax(scale * query @ key.T + shift) @ value; if `shift_first` is true, the shift is
    multiplied by `scale`, too. `barred` is true for keys that a query must not attend to. `band`
    limits the keys, too: it is (corner, before, after) if query i may attend to keys i + corner -
    before to i + corner + after. `keep_bits` has a bit for each weight, (...,
    queries, keys / 8); a 0 drops it, and the other weights are divided by `keep_prob`.
    """
    return _outputs(
        xp, query, key, value, shift, barred, keep_bits, scale, keep_prob, shift_first, band
    )


def _outputs(xp, query, key, value, shift, barred, bits, scale, keep_prob, shift_first, band):
    def outputs(xp, first, queries, others):
        (query, shift, barred, bits), (key, value) = queries, others
        shift = _float32_shift(xp, shift, scale, shift_first)
        plan = Blocks(
            xp, (query, key, value, shift, barred, bits), key.shape[-2], _from(first, band)
        )

        def work(number):
            block = plan.block(number)
            operands = block.operands(query, key, shift)
            weights = _weights(xp, *operands, block.masked(xp, barred), scale)
            weights = _drop(xp, weights, block.kept(xp, bits), keep_prob)
            return xp.matmul(xp.cast(weights, value.dtype), block.keys_of(value))

        return [plan.joined(xp, xp.share(work, plan.count, query))], []

    return xp.over_queries(outputs, [query, shift, barred, bits], [key, value])[0][0]


def _from(first, band):
    """Returns a band for queries that begin with number `first`."""
    return None if band is None else (band[0] + first, *band[1:])


@attend.vjp_joint
def attend_vjp(
    xp,
    g,
    query,
    key,
    value,
    shift,
    barred,
    keep_bits,
    scale,
    keep_prob,
    shift_first,
    band,
    needs_grad,
):
    """Returns the gradients of queries, keys, values and shift; recomputes the weights."""
    inputs = (query, key, value, shift, barred, keep_bits)
    return (
        *_gradients(xp, g, *inputs, scale, keep_prob, shift_first, band, needs_grad[3]),
        None,
        None,
    )


def _gradients(
    xp, g, query, key, value, shift, barred, bits, scale, keep_prob, shift_first, band, for_shift
):
    def gradients(xp, first, queries, others):
        (query, g, shift, barred, bits), (key, value) = queries, others
        shift = _float32_shift(xp, shift, scale, shift_first)
        arrays = query, key, value, shift, barred, bits
        plan = Blocks(xp, arrays, key.shape[-2], _from(first, band))
        runs = plan.runs()

        def work(index):
            outs, to_key, to_value = [], None, None
            for number in runs[index]:
                block = plan.block(number)
                rows, keys, own_shift = block.operands(query, key, shift)
                flow, keep = block.rows_of(g), block.kept(xp, bits)
                weights = _weights(xp, rows, keys, own_shift, block.masked(xp, barred), scale)
                dropped = xp.cast(_drop(xp, weights, keep, keep_prob), flow.dtype)
                part = xp.matmul_float32(xp.swapaxes(dropped, -1, -2), flow)
                to_value = block.added(xp, to_value, part)
                flow = xp.matmul_float32(flow, xp.swapaxes(block.keys_of(value), -1, -2))
                flow = softmax_along_vjp(xp, _drop(xp, flow, keep, keep_prob), weights, -1)
                to_shift = block.padded(xp, flow) if for_shift else None
                flow = xp.cast(flow, query.dtype)
                part = xp.matmul_float32(xp.swapaxes(flow, -1, -2), rows, scale)
                to_key = block.added(xp, to_key, part)
                outs.append((xp.matmul_float32(flow, keys, scale), to_shift))
            return outs, to_key, to_value

        results = xp.share(work, len(runs), query)
        to_query, to_shift = zip(*[pair for outs, _, _ in results for pair in outs])
        sums = [plan.summed(xp, [gradient[at] for gradient in results]) for at in (1, 2)]
        to_shift = plan.joined(xp, to_shift) if for_shift else None
        return [plan.joined(xp, to_query), to_shift], sums

    queries = [query, g, shift, barred, bits]
    (to_query, to_shift), sums = xp.over_queries(gradients, queries, [key, value])
    if for_shift and shift_first:
        to_shift = to_shift * scale
    return to_query, *sums, to_shift


@op(compute="products")
def attend_with_dropout(
    xp,
    query: Floats,
    key: Floats,
    value: Floats,
    shift: Floats = None,
    scale: Float = 1.0,
    keep_prob: Float = 1.0,
):
    """Computes attention as `attend` does, and drops weights at random.

    Returns:
        The output, and the bits of the weights that were kept.
    """
    lead = broadcast_lead((query, key, value, shift))
    shape = (*lead, query.shape[-2], key.shape[-2])
    bits = xp.random_bits(shape, keep_prob, of_call("Dropout"))  # the mask of `ops.dropout`
    inputs = query, key, value, shift, None
    return _outputs(xp, *inputs, bits, scale, keep_prob, False, None), bits


@attend_with_dropout.vjp_joint
def attend_with_dropout_vjp(xp, g, query, key, value, shift, out, scale, keep_prob, needs_grad):
    """Returns the gradients of queries, keys, values and shift."""
    inputs = query, key, value, shift, None
    return _gradients(xp, g[0], *inputs, out[1], scale, keep_prob, False, None, needs_grad[3])


def _drop(xp, weights, kept, keep_prob):
    return weights if kept is None else weights * kept * (1 / keep_prob)
