"""What the tests of every area share.

`close`, `close_sums` and `same` compare results, `normal`, `floats` and `ints` make operands.
Gradient checks by finite differences are in `kit.gradients`, runs of several processes over MPI in
`kit.ranks`.

Example:
    from kit import close, floats
    close(ops.exp(floats(0.0, 1.0)), [1.0, np.e])
"""

from kit.arrays import floats, ints, normal
from kit.compare import agree, close, close_sums, same

__all__ = ["agree", "close", "close_sums", "floats", "ints", "normal", "same"]
