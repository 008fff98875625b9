"""Elements kept where a mask holds, zeros elsewhere, at the speed of a multiplication.

NumPy's `where` takes a branch for each element and is several times slower than its arithmetic; a
product with the mask would turn infinities into NaN. So on the host the mask is spread to all bits
of the element and both are joined by `and`.
"""

import numpy as np

from .space import extra

_BITS = {np.dtype(np.float32): np.dtype(np.int32), np.dtype(np.float64): np.dtype(np.int64)}


@extra
def keep(xp, mask, x):
    """`x` where `mask` holds, 0 elsewhere; both have one shape.

    Args:
        mask: bool array.
        x: array of numbers.
    """
    kind = _BITS.get(x.dtype) if type(x) is np.ndarray else None
    if kind is None or x.ndim == 0 or mask.shape != x.shape:
        return xp.where(mask, x, xp.zeros((), x.dtype))
    x = np.ascontiguousarray(x)
    bits = mask.astype(kind)
    np.negative(bits, out=bits)
    np.bitwise_and(bits, x.view(kind), out=bits)
    return bits.view(x.dtype)
