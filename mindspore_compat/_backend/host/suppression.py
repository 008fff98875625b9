"""Non-maximum suppression: removes every candidate that is close to a better candidate that stays.

The candidates are sorted, the best first. The loop decides on one candidate after another; a GPU
runs it as one kernel (cuda/suppression.py).
"""

import math


def survivors(xp, close):
    """Returns a mask (..., N) of the candidates that stay.

    `close` (..., N, N) is a mask of the pairs of candidates that are close to each other. Only its
    upper triangle is used.
    """
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
