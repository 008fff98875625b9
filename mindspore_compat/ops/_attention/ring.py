"""Attention whose keys come in parts: ring attention over ranks that divide a sequence.

Each part of the keys adds to three arrays of every query: the largest score so far, the sum of
exponentials relative to it, and the values weighted by these exponentials. The backward pass has
the first two from the forward pass, so each part of the keys gives its gradients independently.
`xp.over_keys` brings the parts (_core/sharding/ring.py). `attended` chooses between this file and
attention.py.
"""

from ..._core.declare.op import op
from ..._core.rules.vocabulary import Any, Float, TensorOf
from ..._core.sharding.ring import has_ring
from .._precision import at_least_float32
from .._rules import Bools, Floats
from .attention import _drop, _float32_shift, _from, _scores, _top_and_sum, attend, attention_extent
from .blocks import Blocks, axes_of_one


def attended(query, key, value, shift=None, barred=None, bits=None, scale=1.0, keep_prob=1.0,
             shift_first=False, band=None):  # fmt: skip
    """Returns the attention output of Tensors, and what `extent_of` takes; the arguments are the
    same as for `attend`. Ranks that divide the queries and the keys alike form a ring.
    """
    settings = scale, keep_prob, shift_first, band
    if all(has_ring(query._array, x._array) for x in (key, value)) and (
        bits is None or key._array.block.shape[-2] % 8 == 0  # whole bytes for each part
    ):
        out, *extent = ring_attend.run(query, key, value, shift, barred, bits, *settings)
        return out, extent
    out = attend.run(query, key, value, shift, barred, bits, *settings)
    return out, (query, key, shift, barred, scale, shift_first, band)


def extent_of(inputs):
    """Returns the largest score of each query and the sum of exponentials relative to it; `inputs`
    is the second result of `attended`."""
    return inputs if len(inputs) == 2 else attention_extent.run(*inputs)


@op(compute="native")
def ring_attend(
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
    """Computes the attention output of each query, as `attention.attend` does.

    Returns:
        The output, the largest score of each query, and the sum of exponentials relative to it,
        both (..., queries, 1) in float32, or in a wider dtype of the inputs.
    """

    def outputs(xp, row, first_key, rows, keys, state):
        part = _Part(xp, row, first_key, rows, keys, scale, shift_first, band)
        if state is not None and part.is_apart:
            return state, []

        def work(number):
            block, scores, mask = part.scores(xp, number)
            top, powers, total = _top_and_sum(xp, scores, mask)
            dropped = _drop(xp, powers, block.kept(xp, part.bits), keep_prob)
            values = at_least_float32(xp, block.keys_of(keys[1]))
            return xp.matmul_float32(dropped, values), *at_least_float32(xp, top, total)

        results = xp.share(work, part.plan.count, rows[0])
        new = [part.plan.joined(xp, column) for column in zip(*results)]
        return (new if state is None else _merged(xp, state, new)), []

    (out, top, total), _ = xp.over_keys(outputs, [query, shift, barred, keep_bits], [key, value])
    return xp.cast(out / _not_zero(xp, total), value.dtype), top, total


@ring_attend.vjp_joint
def ring_attend_vjp(
    xp,
    g,
    query,
    key,
    value,
    shift,
    barred,
    keep_bits,
    out,
    scale,
    keep_prob,
    shift_first,
    band,
    needs_grad,
):
    """Returns the gradients of the queries, keys, values and additive mask (`shift`). The attention
    weights are not stored; they are computed again.
    """
    (g, _, g_total), (out, top, total) = g, out
    g = xp.zeros_like(out) if g is None else g
    wide_g, wide_out = at_least_float32(xp, g, out)
    level = xp.sum(wide_g * wide_out, -1, keepdims=True)
    if g_total is not None:
        level = level - g_total * total
    for_shift = needs_grad[3]

    def gradients(xp, row, first_key, rows, keys, state):
        part = _Part(xp, row, first_key, [rows[0], *rows[5:]], keys, scale, shift_first, band)
        if state is not None and part.is_apart:
            return state, [xp.zeros_like(x) for x in at_least_float32(xp, *keys)]
        new, sums = _gradients_of_part(xp, part, *rows[:5], *keys, scale, keep_prob, for_shift)
        if for_shift:
            new[1] = part.widened(xp, new[1])
        return (new if state is None else [x + y for x, y in zip(state, new)]), sums

    rows = [query, g, level, top, total, shift, barred, keep_bits]
    state, sums = xp.over_keys(gradients, rows, [key, value])
    to_shift = state[1] if for_shift else None
    if for_shift and shift_first:
        to_shift = to_shift * scale
    return state[0], *sums, to_shift, None, None


def _gradients_of_part(
    xp, part, query, g, level, top, total, key, value, scale, keep_prob, for_shift
):
    """Computes the gradients for one part of the keys. Returns two lists: the terms that this part
    adds to the gradients of the queries and of `shift`, and the gradients of its keys and values.
    """
    plan, runs = part.plan, part.plan.runs()

    def work(index):
        outs, to_key, to_value = [], None, None
        for number in runs[index]:
            block, scores, _ = part.scores(xp, number)
            weights = xp.exp(scores - block.rows_of(top)) / _not_zero(xp, block.rows_of(total))
            flow, values = at_least_float32(xp, block.rows_of(g), block.keys_of(value))
            keep = block.kept(xp, part.bits)
            dropped = _drop(xp, weights, keep, keep_prob)
            addend = xp.matmul_float32(xp.swapaxes(dropped, -1, -2), flow)
            to_value = block.added(xp, to_value, addend)
            flow = xp.matmul_float32(flow, xp.swapaxes(values, -1, -2))
            flow = weights * (_drop(xp, flow, keep, keep_prob) - block.rows_of(level))
            to_shift = block.padded(xp, flow) if for_shift else None
            rows, keys = at_least_float32(xp, *block.operands(query, key, None)[:2])
            addend = xp.matmul_float32(xp.swapaxes(flow, -1, -2), rows, scale)
            to_key = block.added(xp, to_key, addend)
            outs.append((xp.matmul_float32(flow, keys, scale), to_shift))
        return outs, to_key, to_value

    results = xp.share(work, len(runs), query)
    to_query, to_shift = zip(*[pair for outs, _, _ in results for pair in outs])
    new = [plan.joined(xp, to_query)]
    new += [plan.joined(xp, to_shift)] if for_shift else []
    sums = [plan.summed(xp, [gradient[at] for gradient in results]) for at in (1, 2)]
    return new, [
        xp.sum(total, axes_of_one(x, total), keepdims=True) if axes_of_one(x, total) else total
        for x, total in zip((key, value), sums)
    ]


class _Part:
    """The scores of a block of queries against a block of keys.

    Args:
        row, first_key (int): the indices of the first query and of the first key.
        rows (tuple): the queries, the shift, the mask, and the dropout mask in bits.
    """

    def __init__(self, xp, row, first_key, rows, keys, scale, shift_first, band):
        query, *wide = rows
        self.query, self.key, self.scale = query, keys[0], scale
        self.count, self.first = keys[0].shape[-2], first_key
        self.width = max([x.shape[-1] for x in wide[:2] if x is not None], default=0)
        shift, self.barred, self.bits = self._cut(wide[0]), self._cut(wide[1]), None
        if wide[2] is not None:
            self.bits = wide[2][..., first_key // 8 : (first_key + self.count) // 8]
        self.shift = _float32_shift(xp, shift, scale, shift_first)
        band = None if band is None else (band[0] - first_key, *band[1:])
        arrays = query, *keys, shift, self.barred, self.bits
        self.plan = Blocks(xp, arrays, self.count, _from(row, band))

    def _cut(self, x):
        if x is None or x.shape[-1] == 1:
            return x
        return x[..., self.first : self.first + self.count]

    @property
    def is_apart(self):
        """Whether the band excludes all of these keys for all of the queries."""
        if self.plan.band is None:
            return False
        corner, before, after = self.plan.band
        last = self.query.shape[-2] - 1 + corner + after
        return last < 0 or corner - before > self.count - 1

    def scores(self, xp, number):
        """Returns a block, its scores, and its mask."""
        block = self.plan.block(number)
        mask = block.masked(xp, self.barred)
        operands = block.operands(self.query, self.key, self.shift)
        return block, _scores(xp, *operands, mask, self.scale), mask

    def widened(self, xp, scores):
        """Pads the gradient of these scores with zeros to the gradient of the whole shift."""
        rest = self.width - self.first - self.count
        if self.width <= 1 or not self.first and not rest:
            return scores
        return xp.pad(scores, ((0, 0),) * (scores.ndim - 1) + ((self.first, rest),))


def _merged(xp, state, new):
    """Returns the sums of two parts of the keys: of weighted values and of exponentials, both
    relative to the larger of the two largest scores."""
    (out, top, total), (new_out, new_top, new_total) = state, new
    highest = xp.maximum(top, new_top)
    old, own = xp.exp(top - highest), xp.exp(new_top - highest)
    return [out * old + new_out * own, highest, total * old + new_total * own]


def _not_zero(xp, total):
    """Returns sums of exponentials with 1 in place of 0, for queries without a key."""
    return xp.where(total == 0, 1, total)
