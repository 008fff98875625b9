"""Suppression: which of several candidates, the best first, are close to no better one that stays.

The loop decides on one candidate after another; a GPU runs it as one kernel
(cuda/suppression.py).
"""


def survivors(xp, close):
    """Returns a mask (N,) of the candidates that are close to no earlier one of the mask; `close`
    is a mask (N, N), of which the upper triangle counts."""
    count = close.shape[0]
    alive = xp.ones((count,), bool)
    for i in range(count):
        if bool(alive[i]):
            alive[i + 1 :] &= xp.logical_not(close[i, i + 1 :])
    return alive
