"""Compiled loops of array functions: products, sums and extremes of rows, gather and scatter,
argmax, the largest elements of rows, where, arithmetic of arrays that broadcast, reversed rows,
differences of neighbours, and random numbers.

Importing this package registers them at the door (compiled/door.py). Functions without a loop here
are in host/: the maximum along a leading axis, for instance, is NumPy's, shared by threads
(host/reductions.py).
"""

from . import (  # noqa: F401 - they register their loops
    along,
    argmax,
    between,
    broadcast,
    choose,
    ctc,
    cumulative,
    float16,
    grid_points,
    neighbours,
    polar,
    products,
    remainders,
    row_products,
    row_reductions,
    rows,
    stacks,
    taps,
    top_k,
    twister,
)
