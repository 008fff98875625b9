"""Checksums of matrix products, which detect silent errors of the hardware.

In exact arithmetic `(x @ y).sum(-1)` is `x @ y.sum(-1)`. While checks are on, both are computed in
float64 for each product, and a difference larger than rounding explains is recorded. This costs
about one pass over each array.

Source: K.-H. Huang and J. A. Abraham, "Algorithm-Based Fault Tolerance for Matrix Operations".
"""

import numpy

on = False  # whether products are checked; each product reads it
_mismatches = {}  # array library -> whether a product was wrong, a 0-d bool array


def start():
    """Starts to check products, and forgets earlier mismatches."""
    global on
    _mismatches.clear()
    on = True


def stop():
    """Stops checking products; mismatches stay recorded."""
    global on
    on = False


def has_mismatch():
    """Returns True if a product was wrong since `start`; on a GPU this waits for pending checks."""
    return any(bool(wrong) for wrong in _mismatches.values())


def check(module, x, y, product):
    """Checks `product`, the matrix product of the arrays `x` and `y` of a library, and returns
    `product`."""
    if product.dtype.kind in "fc" and product.ndim > 1 and x.ndim > 1 and y.ndim > 1:
        wide = numpy.complex128 if product.dtype.kind == "c" else numpy.float64
        sums = y.sum(-1, keepdims=True, dtype=wide)
        sizes = abs(y).sum(-1, keepdims=True, dtype=numpy.float64)
        difference = abs(product.sum(-1, keepdims=True, dtype=wide) - module.matmul(x, sums))
        bound = module.matmul(abs(x).astype(numpy.float64), sizes)
        bound = bound * (float(module.finfo(product.dtype).eps) * 2 * x.shape[-1])
        wrong = (difference > bound) & module.isfinite(bound)  # NaN operands are no error
        wrong = wrong.any() | (module.isfinite(bound) & ~module.isfinite(difference)).any()
        _mismatches[module] = wrong | _mismatches.get(module, False)
    return product
