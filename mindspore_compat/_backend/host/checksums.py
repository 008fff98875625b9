"""A watch over products of matrices: sums of a product follow from sums of its operands.

In exact arithmetic `(x @ y).sum(-1)` is `x @ y.sum(-1)`. While the watch is on, both are computed
in float64 for each product, and a difference beyond what rounding explains is noted: hardware that
computes wrong numbers without a fault shows so. It costs about a pass over each array.

Source: K.-H. Huang and J. A. Abraham, "Algorithm-Based Fault Tolerance for Matrix Operations".
"""

import numpy

on = False  # whether products are checked; read at each of them
_found = {}  # array library -> whether a wrong product was found, a 0-d array of bool


def start():
    """Checks products from now on, and forgets what was found before."""
    global on
    _found.clear()
    on = True


def stop():
    """Checks no more products; what was found stays."""
    global on
    on = False


def found():
    """True if a product was wrong since `start`; on a GPU this waits for what is under way."""
    return any(bool(each) for each in _found.values())


def checked(module, x, y, product):
    """`product`, of the arrays `x` and `y` of a library, once it has been checked."""
    if product.dtype.kind in "fc" and product.ndim > 1 and x.ndim > 1 and y.ndim > 1:
        wide = numpy.complex128 if product.dtype.kind == "c" else numpy.float64
        sums = y.sum(-1, keepdims=True, dtype=wide)
        sizes = abs(y).sum(-1, keepdims=True, dtype=numpy.float64)
        difference = abs(product.sum(-1, keepdims=True, dtype=wide) - module.matmul(x, sums))
        bound = module.matmul(abs(x).astype(numpy.float64), sizes)
        bound = bound * (float(module.finfo(product.dtype).eps) * 2 * x.shape[-1])
        wrong = (difference > bound) & module.isfinite(bound)  # NaN is no answer of the hardware's
        wrong = wrong.any() | (module.isfinite(bound) & ~module.isfinite(difference)).any()
        _found[module] = wrong | _found.get(module, False)
    return product
