"""Helpers that the tests of all areas share.

`close`, `close_sums` and `same` compare results; `normal`, `floats` and `ints` make operands.
`kit.gradients` checks gradients by finite differences, `kit.ranks` runs several processes over MPI.

Example:
    from kit import close, floats
    close(ops.exp(floats(0.0, 1.0)), [1.0, np.e])
"""

from kit.arrays import floats, ints, normal
from kit.compare import agree, close, close_sums, same

__all__ = ["agree", "close", "close_sums", "floats", "ints", "normal", "same"]
