"""Suppression: which of several candidates, the best first, are close to no better one that stays.

The loop decides on one candidate after another; a GPU runs it as one kernel
(cuda/suppression.py).
"""

import math


def survivors(xp, close):
    """Returns a mask (..., N) of the candidates that are close to no earlier one of the mask;
    `close` is a mask (..., N, N); only its upper triangle is used."""
    count = close.shape[-1]
    if close.ndim > 2:
        groups = xp.reshape(close, (math.prod(close.shape[:-2]), count, count))
        alive = [survivors(xp, groups[number]) for number in range(groups.shape[0])]
        alive = xp.stack(alive) if alive else xp.ones((0, count), bool)
        return xp.reshape(alive, close.shape[:-1])
    alive = xp.ones((count,), bool)
    for i in range(count):
        if bool(alive[i]):
            alive[i + 1 :] &= xp.logical_not(close[i, i + 1 :])
    return alive
