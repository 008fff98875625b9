"""Divides attention into blocks: some heads, some queries, and the keys that they attend to.

The scores of a block fit the cache of a processor, or fill a GPU. Blocks never split the keys of a
query, so softmax needs one pass; memory is proportional to the number of queries and keys. A band
(causal attention, sliding windows) skips the keys that no query of a block may attend to, and is
compared with positions only at its edges.
"""

from itertools import groupby, product
from typing import NamedTuple

_FEWEST = 32  # queries in a block: with fewer, matrix products are slow
_RUNS = 16  # the least number of runs of blocks for the gradients of keys and values
_ALL = slice(None)


def broadcast_lead(arrays):
    """Returns the broadcast leading axes of arrays (..., steps, features); skips None."""
    lead = ()
    for x in arrays:
        if x is not None:
            own_lead = x.shape[:-2]
            count = max(len(own_lead), len(lead))
            own_lead, lead = ((1,) * (count - len(axes)) + tuple(axes) for axes in (own_lead, lead))
            lead = tuple(b if a == 1 else a for a, b in zip(own_lead, lead))
    return lead


def axes_of_one(x, whole):
    """Returns the leading axes along which `x` has length 1 and `whole` is longer."""
    lead = zip(x.shape[:-2], whole.shape[:-2], strict=True)
    return tuple(axis for axis, (own, n) in enumerate(lead) if own == 1 != n)


class Blocks:
    """The blocks of one attention, in order of their queries.

    Args:
        xp: the array functions.
        arrays (tuple): the queries, and all other arrays, whose leading axes broadcast.
        keys (int): the number of keys.
        band (tuple): (corner, before, after) as of `attention.attend`, or None.

    Attributes:
        count (int): the number of blocks.
    """

    def __init__(self, xp, arrays, keys, band):
        queries, most = arrays[0].shape[-2], xp.at_once()
        self.lead, self.keys, self.band = broadcast_lead(arrays), keys, band
        rows = max(min(max(most // max(keys, 1), _FEWEST), queries), 1)
        self._rows = _spans(queries, rows)
        self._leads = _lead_spans(self.lead, max(most // (rows * max(keys, 1)), 1))
        self.count = len(self._leads) * len(self._rows)

    def block(self, number):
        """Returns the block with this number."""
        lead, (first, last) = self._leads[number // len(self._rows)], self._rows[self._row(number)]
        low, high = 0, self.keys
        if self.band is not None:
            corner, before, after = self.band
            low = min(max(first + corner - before, 0), max(self.keys - 1, 0))
            high = max(min(last + corner + after, self.keys), min(low + 1, self.keys))
        whole = len(self._rows) == 1
        return _Block(lead, _ALL if whole else slice(first, last), first, last, low, high, self)

    def _row(self, number):
        return number % len(self._rows)

    def runs(self):
        """Returns lists of numbers of blocks with the same leading axes; one thread computes the
        blocks of a list one after another."""
        size = -(-len(self._rows) // max(-(-_RUNS // len(self._leads)), 1))
        numbers = range(self.count)
        return [
            list(run)
            for _, run in groupby(
                numbers, lambda n: (n // len(self._rows), self._row(n) // max(size, 1))
            )
        ]

    def joined(self, xp, parts):
        """Joins the results of all blocks to one array, (..., queries, features)."""
        parts, count = list(parts), len(self._rows)
        if count > 1:
            parts = [xp.concatenate(parts[i : i + count], -2) for i in range(0, len(parts), count)]
        return self._join_blocks(xp, parts)

    def summed(self, xp, parts):
        """Adds the sums of all runs; returns the sums over all queries as one array, (..., keys,
        features)."""
        size = len(parts) // len(self._leads)
        totals = []
        for i in range(0, len(parts), size):
            total = parts[i]
            for part in parts[i + 1 : i + size]:
                total = total + part
            totals.append(total)
        return self._join_blocks(xp, totals)

    def _join_blocks(self, xp, parts):
        if len(parts) == 1:
            return parts[0]
        ends = parts[0].shape[-2:]
        whole = xp.concatenate([xp.reshape(part, (-1, *ends)) for part in parts], 0)
        return xp.reshape(whole, (*self.lead, *ends))


class _Block(NamedTuple):
    """Some heads, the queries from `first` up to `last`, and the keys from `low` up to `high`; the
    ends are excluded."""

    lead: tuple
    rows: slice
    first: int
    last: int
    low: int
    high: int
    plan: Blocks

    @property
    def keys(self):
        return _ALL if self.high - self.low == self.plan.keys else slice(self.low, self.high)

    def rows_of(self, x):
        """Returns the part of `x` for the queries of the block."""
        return self._cut(x, self.rows, _ALL)

    def keys_of(self, x):
        """Returns the part of `x`, keys or values, for the keys of the block."""
        return self._cut(x, self.keys, _ALL)

    def operands(self, query, key, shift):
        """Returns the queries, keys and shifts of the block."""
        return self.rows_of(query), self.keys_of(key), self._cut(shift, self.rows, self.keys)

    def masked(self, xp, barred):
        """Returns a mask, true for the keys that a query must not attend to; None if every query
        may attend to all keys."""
        barred = self._cut(barred, self.rows, self.keys)
        if self.plan.band is None:
            return barred
        corner, before, after = self.plan.band
        if self.high - 1 <= self.first + corner + after and (
            self.low >= self.last - 1 + corner - before
        ):
            return barred
        position = xp.reshape(xp.arange(self.first, self.last), (-1, 1)) + corner
        ahead = xp.arange(self.low, self.high) - position
        outside = (ahead > after) | (ahead < -before)
        return outside if barred is None else barred | outside

    def kept(self, xp, bits):
        """Returns an array that is 1 for weights that are kept and 0 for dropped ones; None without
        dropout."""
        if bits is None:
            return None
        bits = self._cut(bits, self.rows, _ALL)
        keep = xp.reshape(xp.unpackbits(xp.ravel(bits)), (*bits.shape[:-1], bits.shape[-1] * 8))
        return keep[..., self.low : self.high]

    def added(self, xp, total, part):
        """Adds the sums for the keys of the block to `total`, which is None at first."""
        if self.keys is not _ALL:
            widths = (self.low, self.plan.keys - self.high), (0, 0)
            part = xp.pad(part, ((0, 0),) * (part.ndim - 2) + widths)
        return part if total is None else total + part

    def padded(self, xp, scores):
        """Pads the gradient of the block's scores with zeros to all keys."""
        if self.keys is _ALL:
            return scores
        widths = (0, 0), (self.low, self.plan.keys - self.high)
        return xp.pad(scores, ((0, 0),) * (scores.ndim - 2) + widths)

    def _cut(self, x, *last):
        """Returns the part of an array for this block; keeps axes of length 1, which broadcast."""
        if x is None:
            return None
        lead = self.lead[len(self.lead) - (x.ndim - 2) :]
        index = tuple(_ALL if n == 1 else length for n, length in zip(x.shape, (*lead, *last)))
        return x if all(length == _ALL for length in index) else x[index]


def _spans(total, size):
    """Returns (start, end) pairs of ranges of at most `size` elements that cover range(total); one
    empty range if `total` is 0."""
    return [(at, min(at + size, total)) for at in range(0, max(total, 1), size)]


def _lead_spans(lead, most):
    """Divides the leading axes into parts of about `most` elements, each a tuple of slices: the
    last axes stay whole, one axis is cut into ranges, and the axes before it into single elements.
    """
    axes = []
    for n in reversed(lead):
        size = min(max(most, 1), max(n, 1))
        axes.append([_ALL] if size >= n else [slice(*span) for span in _spans(n, size)])
        most = most // size if size >= n else 1
    return list(product(*reversed(axes)))
