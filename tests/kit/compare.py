"""Comparisons of Tensors, arrays and numbers, with one table of tolerances.

A test states a tolerance only if the table does not fit: a smaller one for an exact formula, a
larger one for an algorithm that is approximate by definition.
"""

import math

import numpy as np

#: dtype of the computation -> (relative, absolute) tolerance; the two add up, as in
#: `numpy.testing.assert_allclose`.
TOLERANCES = {
    "float64": (1e-10, 1e-12),
    "float32": (1e-6, 1e-7),
    "float16": (1e-3, 1e-4),
    "bfloat16": (8e-3, 1e-3),
}
#: The same for sums of many rounded products, whose order of addition is unspecified.
TOLERANCES_OF_SUMS = {
    "float64": (1e-9, 1e-9),
    "float32": (1e-5, 1e-5),
    "float16": (2e-3, 2e-3),
    "bfloat16": (1e-2, 1e-2),
}
_OF_COMPLEX = {"complex128": "float64", "complex64": "float32"}


def close(actual, expected, tolerance=None, *, rtol=None, atol=None, table=TOLERANCES):
    """Asserts that numbers agree as closely as their dtype allows.

    Shapes must agree too, unless one side is a single number. NaN agrees with NaN. Numbers are
    compared in float64 or complex128. Integers and booleans on both sides must be equal.

    Args:
        actual: a Tensor, an array, a number, or a list or tuple of Tensors or arrays.
        expected: the same; lists are compared element by element.
        tolerance: the relative and absolute tolerance, in place of the table.
        rtol: the relative tolerance alone, in place of the table.
        atol: the absolute tolerance alone, in place of the table.
        table: the tolerances by dtype.

    Raises:
        AssertionError: for a difference, with the numbers that differ.
    """
    if _is_several(actual):
        assert len(actual) == len(expected), (
            f"{len(actual)} results, but {len(expected)} are expected"
        )
        for actual_part, expected_part in zip(actual, expected):
            close(actual_part, expected_part, tolerance, rtol=rtol, atol=atol, table=table)
        return
    actual, expected = as_array(actual), as_array(expected)
    bounds = (tolerance, tolerance)
    if tolerance is None:
        bounds = _bounds(table, actual.dtype, expected.dtype)
    np.testing.assert_allclose(
        _widened(actual),
        _widened(expected),
        rtol=bounds[0] if rtol is None else rtol,
        atol=bounds[1] if atol is None else atol,
    )


def close_sums(actual, expected):
    """Like `close`, for results that sum many products: matrix products, convolutions, attention.

    Args:
        actual: a Tensor, an array, a number, or a list or tuple of Tensors or arrays.
        expected: the same; lists are compared element by element.

    Raises:
        AssertionError: for a difference, with the numbers that differ.
    """
    close(actual, expected, table=TOLERANCES_OF_SUMS)


def same(actual, expected, dtype=None):
    """Asserts that shapes and values are equal, and that the dtype is `dtype` if that is given.

    Args:
        actual: a Tensor, an array, a number, or a list or tuple of Tensors or arrays.
        expected: the same; lists are compared element by element.
        dtype: the required dtype of every array of `actual`, in any form that NumPy accepts.

    Raises:
        AssertionError: for a difference, with the numbers that differ.
    """
    if _is_several(actual):
        assert len(actual) == len(expected), (
            f"{len(actual)} results, but {len(expected)} are expected"
        )
        for actual_part, expected_part in zip(actual, expected):
            same(actual_part, expected_part, dtype)
        return
    actual, expected = as_array(actual), as_array(expected)
    assert actual.shape == expected.shape, f"shape {actual.shape}, but {expected.shape} is expected"
    assert dtype is None or actual.dtype == dtype, f"dtype {actual.dtype}, but {dtype} is expected"
    np.testing.assert_array_equal(_widened(actual), _widened(expected))


def agree(actual, expected, rtol, atol=0.0):
    """Returns True if two nested lists are equal, floats within a tolerance.

    Args:
        actual: nested lists and tuples of numbers, text and other objects that define `==`.
        expected: the same.
        rtol: the relative tolerance of floats.
        atol: the absolute tolerance of floats.
    """
    if isinstance(actual, (list, tuple)) and isinstance(expected, (list, tuple)):
        return len(actual) == len(expected) and all(
            agree(actual_part, expected_part, rtol, atol)
            for actual_part, expected_part in zip(actual, expected)
        )
    if isinstance(actual, float) and isinstance(expected, float):
        near = math.isclose(actual, expected, rel_tol=rtol, abs_tol=atol)
        return near or math.isnan(actual) and math.isnan(expected)
    return type(actual) is type(expected) and actual == expected


def as_array(value):
    """Returns the NumPy array of a Tensor, an array of any library, a number or a list of
    numbers."""
    if hasattr(value, "asnumpy"):
        return value.asnumpy()
    return value.get() if hasattr(value, "get") else np.asarray(value)


def _is_several(value):
    return isinstance(value, (list, tuple)) and any(hasattr(part, "shape") for part in value)


def _bounds(table, *dtypes):
    """Returns a table's tolerances for the least precise of the dtypes, or (0, 0) if the table has
    none of them."""
    names = [_OF_COMPLEX.get(dtype.name, dtype.name) for dtype in dtypes]
    return max((table[name] for name in names if name in table), default=(0, 0))


def _widened(array):
    """Returns floats as float64 and complex numbers as complex128.

    The floats of ml_dtypes have the kind 'V', so the kind 'f' does not identify floats.
    """
    if array.dtype.kind in "biu":
        return array
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
