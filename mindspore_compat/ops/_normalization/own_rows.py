"""Normalization of rows that ranks divide: each rank normalizes its own rows.

Merging the leading axes of an array to rows would gather all but the first of them. A batch and a
sequence that are both divided therefore stay apart until each rank has its own block.
"""

from ..._core.autograd.vjp_rules_products import merges_axes


def has_own_rows(xp, x, axis):
    """Returns whether `by_own_rows` serves an array whose rows are the axes from `axis` on."""
    return not merges_axes(xp) and x.ndim > 2 and axis in (-1, x.ndim - 1)


def by_own_rows(xp, function, rows, columns):
    """Calls `function(xp, rows, columns)` with this rank's rows.

    Args:
        xp: the space of the arrays.
        function (Callable): returns a list of arrays of rows, and a list of sums over all rows, one
            for each of the columns, or none.
        rows (Sequence): arrays (..., features) or (..., 1), or None.
        columns (Sequence): arrays (features,), which every row needs.
    """
    lead = (1,) * (rows[0].ndim - 1)

    def own(xp, row, key, rows, columns, state):
        results, sums = function(xp, rows, [xp.reshape(x, (-1,)) for x in columns])
        return results, [xp.reshape(x, (*lead, -1)) for x in sums]

    columns = [xp.reshape(x, (*lead, -1)) for x in columns]
    results, sums = xp.over_keys(own, rows, columns)
    return results, [xp.reshape(x, (-1,)) for x in sums]
