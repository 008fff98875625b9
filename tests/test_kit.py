"""The comparisons of the test kit report what differs."""

import ml_dtypes
import numpy as np
import pytest
from kit import agree, close, close_sums, floats, ints, normal, same

pytestmark = pytest.mark.quick

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


@pytest.mark.parametrize(
    "dtype, off, too_far",
    [
        ("float64", 1e-11, 1e-9),
        ("float32", 5e-7, 5e-6),
        ("float16", 5e-4, 5e-3),
        (BFLOAT16, 4e-3, 4e-2),
        ("complex64", 5e-7, 5e-6),
    ],
)
def test_the_dtype_decides_how_close_is_close(dtype, off, too_far):
    wanted = np.ones(3, dtype)
    close(wanted, wanted.astype("complex128" if dtype == "complex64" else "float64") + off)
    with pytest.raises(AssertionError):
        close(wanted, [1.0, 1.0, 1.0 + too_far])


@pytest.mark.parametrize(
    "found, wanted",
    [
        (floats(1, 2), [1, 2, 3]),
        (floats(1, 2), [[1, 2]]),
        (ints(1, 2), [1, 3]),
        (floats(np.nan), [1]),
        ((floats(1), floats(2)), (np.ones(1),)),
        ([floats(1), floats(2)], [[1], [2.1]]),
    ],
)
def test_differences_of_shape_value_and_number_are_reported(found, wanted):
    with pytest.raises(AssertionError):
        close(found, wanted)
    with pytest.raises(AssertionError):
        same(found, wanted)


def test_a_tolerance_of_its_own_replaces_the_table():
    close(floats(1, 2), [1.05, 2.05], 0.1)
    close(floats(1e-3), [0], atol=1e-2)
    with pytest.raises(AssertionError):
        close(floats(1), [1 + 5e-7], rtol=1e-8, atol=0)


def test_sums_may_be_farther_off_than_single_numbers():
    close_sums(floats(1, 2), [1 + 1e-5, 2])
    for check, off in [(close, 1e-5), (close_sums, 1e-4)]:
        with pytest.raises(AssertionError):
            check(floats(1, 2), [1 + off, 2])


def test_equal_values_of_another_dtype_are_reported_where_the_dtype_matters():
    same(ints(1, 2), [1, 2], "int32")
    same(floats(np.nan, 1), [np.nan, 1])
    with pytest.raises(AssertionError, match="int64"):
        same(ints(1, 2), [1, 2], "int64")


def test_nested_lists_agree_but_for_rounding():
    assert agree([1.0, ["a", (2.0, None)]], [1.0 + 1e-9, ["a", [2.0, None]]], rtol=1e-6)
    assert agree([float("nan")], [float("nan")], rtol=1e-6)
    assert not agree([1.0], [1.1], rtol=1e-6)
    assert not agree([1.0], [1], rtol=1e-6)
    assert not agree([1.0], [1.0, 2.0], rtol=1e-6)


def test_random_operands_are_the_same_every_time():
    assert normal(2, 3).shape == (2, 3)
    np.testing.assert_array_equal(normal(2, 3, seed=1), normal(2, 3, seed=1))
    assert (normal(2, 3) != normal(2, 3, seed=1)).all()
