"""Compiled loops of array functions: products, sums, gather and scatter, argmax, where.

Importing this package registers them at the door (compiled/door.py).
"""

from . import along, between, choose, cumulative, extremes, float16, products, rows, stacks, sums  # noqa: F401 - they register their loops
