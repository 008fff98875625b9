"""Comparisons of Tensors, arrays and numbers, with one table of tolerances.

A test states a tolerance only if the table does not fit: a tighter one for an exact formula, a
wider one for an algorithm that is approximate by definition.
"""

import math

import numpy as np

#: For each dtype in which a result may be computed: how far it may be from the number wanted,
#: relative to that number and absolute. The bounds add up, as in `numpy.testing.assert_allclose`.
TOLERANCES = {
    "float64": (1e-10, 1e-12),
    "float32": (1e-6, 1e-7),
    "float16": (1e-3, 1e-4),
    "bfloat16": (8e-3, 1e-3),
}
#: The same for results that sum many rounded products, in an order of their own.
TOLERANCES_OF_SUMS = {
    "float64": (1e-9, 1e-9),
    "float32": (1e-5, 1e-5),
    "float16": (2e-3, 2e-3),
    "bfloat16": (1e-2, 1e-2),
}
_OF_COMPLEX = {"complex128": "float64", "complex64": "float32"}


def close(found, wanted, tolerance=None, *, rtol=None, atol=None, table=TOLERANCES):
    """Asserts that numbers agree as closely as their dtype allows.

    Shapes must agree too, unless one side is a single number. NaN agrees with NaN. Numbers are
    compared in float64 or complex128. Integers and booleans on both sides must be equal.

    Args:
        found: a Tensor, an array, a number, or a list or tuple of Tensors or arrays.
        wanted: the same; a list of `found` is compared part by part.
        tolerance: both the relative and the absolute bound, in place of the table.
        rtol: the relative bound alone, in place of the table.
        atol: the absolute bound alone, in place of the table.
        table: the bounds by dtype.

    Raises:
        AssertionError: for a difference, with the numbers that differ.
    """
    if _is_several(found):
        assert len(found) == len(wanted), f"{len(found)} results, but {len(wanted)} are wanted"
        for one, other in zip(found, wanted):
            close(one, other, tolerance, rtol=rtol, atol=atol, table=table)
        return
    found, wanted = as_array(found), as_array(wanted)
    bounds = (tolerance, tolerance)
    if tolerance is None:
        bounds = _bounds(table, found.dtype, wanted.dtype)
    np.testing.assert_allclose(
        _widened(found),
        _widened(wanted),
        rtol=bounds[0] if rtol is None else rtol,
        atol=bounds[1] if atol is None else atol,
    )


def close_sums(found, wanted):
    """Asserts as `close` does of results that sum many products: of matrices, windows, attention.

    Args:
        found: a Tensor, an array, a number, or a list or tuple of Tensors or arrays.
        wanted: the same; a list of `found` is compared part by part.

    Raises:
        AssertionError: for a difference, with the numbers that differ.
    """
    close(found, wanted, table=TOLERANCES_OF_SUMS)


def same(found, wanted, dtype=None):
    """Asserts that shapes and values are equal; and the dtype, where one is given.

    Args:
        found: a Tensor, an array, a number, or a list or tuple of Tensors or arrays.
        wanted: the same; a list of `found` is compared part by part.
        dtype: what the dtype of every part of `found` must be, as NumPy takes it.

    Raises:
        AssertionError: for a difference, with the numbers that differ.
    """
    if _is_several(found):
        assert len(found) == len(wanted), f"{len(found)} results, but {len(wanted)} are wanted"
        for one, other in zip(found, wanted):
            same(one, other, dtype)
        return
    found, wanted = as_array(found), as_array(wanted)
    assert found.shape == wanted.shape, f"shape {found.shape}, but {wanted.shape} is wanted"
    assert dtype is None or found.dtype == dtype, f"dtype {found.dtype}, but {dtype} is wanted"
    np.testing.assert_array_equal(_widened(found), _widened(wanted))


def agree(found, wanted, rtol, atol=0.0):
    """Returns True if two nested lists hold equal things, their floats but for rounding.

    Args:
        found: lists and tuples, however deep, of numbers, text and whatever else has `==`.
        wanted: the same.
        rtol: the relative bound of floats.
        atol: the absolute bound of floats.
    """
    if isinstance(found, (list, tuple)) and isinstance(wanted, (list, tuple)):
        return len(found) == len(wanted) and all(
            agree(one, other, rtol, atol) for one, other in zip(found, wanted)
        )
    if isinstance(found, float) and isinstance(wanted, float):
        near = math.isclose(found, wanted, rel_tol=rtol, abs_tol=atol)
        return near or math.isnan(found) and math.isnan(wanted)
    return type(found) is type(wanted) and found == wanted


def as_array(value):
    """Returns the NumPy array of a Tensor, an array of any library, a number or a list of
    numbers."""
    if hasattr(value, "asnumpy"):
        return value.asnumpy()
    return value.get() if hasattr(value, "get") else np.asarray(value)


def _is_several(value):
    return isinstance(value, (list, tuple)) and any(hasattr(part, "shape") for part in value)


def _bounds(table, *dtypes):
    """Returns the row of a table for the least precise of some dtypes; (0, 0) if the table has none
    of them."""
    names = [_OF_COMPLEX.get(dtype.name, dtype.name) for dtype in dtypes]
    return max((table[name] for name in names if name in table), default=(0, 0))


def _widened(array):
    """Returns floats as float64 and complex numbers as complex128. (The floats of ml_dtypes have
    the kind 'V', so they are what is neither a bool, an int nor complex.)"""
    if array.dtype.kind in "biu":
        return array
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
