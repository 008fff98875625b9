"""The check for finite values: every dtype, every index, sums that overflow."""

import ml_dtypes
import numpy as np
import pytest
from fakecupy import counting, rawkernels

from mindspore_compat._backend import arrays
from mindspore_compat._backend.updates.finite import all_finite, overflowed

FLOATS = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]


@pytest.mark.parametrize("dtype", [*FLOATS, np.complex64])
@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_one_bad_number_anywhere(dtype, bad):
    good = np.ones((7, 11), dtype)
    assert all_finite([good]) and not overflowed([good])
    for index in ((0, 0), (3, 5), (6, 10)):
        spoilt = good.copy()
        spoilt[index] = bad
        assert not all_finite([good, spoilt]) and overflowed([spoilt, good])
        assert not all_finite([spoilt[:, ::-1]])


def test_infinities_of_both_signs_do_not_cancel():
    assert not all_finite([np.float32([np.inf, -np.inf])])


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_largest_numbers_are_finite(dtype):
    largest = ml_dtypes.finfo(dtype).max
    assert all_finite([np.full(100, largest, dtype), np.full(100, -largest, dtype)])
    assert all_finite([np.full(3, ml_dtypes.finfo(dtype).smallest_subnormal, dtype)])


def test_integers_bools_and_nothing_at_all_are_finite():
    assert all_finite([np.arange(3), np.array([True]), np.float32([]), np.float32(2.0)[...]])
    assert all_finite([])


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_a_gpu_answers_for_the_arrays_on_it(space):
    good, bad = space.ones(3, "float32"), space.asarray(np.float32([1, np.nan]))
    answer = all_finite([good, np.ones(2)])
    assert arrays.on_device(answer) and bool(answer)
    assert not bool(all_finite([good, bad])) and bool(overflowed([bad]))
    assert not bool(all_finite([good, np.float32([np.inf])]))
    assert bool(all_finite([space.arange(3)]))


@pytest.mark.device
@pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler")
def test_a_gpu_looks_at_all_dtypes_in_one_launch(space):
    rng = np.random.default_rng(0)
    good = [rng.standard_normal(9).astype(dtype) for dtype in [*FLOATS, np.complex64, *FLOATS]]
    assert not bool(overflowed([space.array(x) for x in good]))
    for index, array in enumerate(good):
        spoilt = [*good[:index], np.where(np.arange(9) < 8, array, np.inf), *good[index + 1 :]]
        spoilt = [space.array(x.astype(y.dtype)) for x, y in zip(spoilt, good, strict=True)]
        with counting.counted() as counts:
            assert bool(overflowed(spoilt))
        assert counts.names["launches"]["look_for_overflow"] == 1 or not counting.counts(space)


@pytest.mark.parametrize("bad", [1 + 2j, complex("inf"), complex(0, float("nan"))])
def test_a_complex_number_without_axes(bad):
    assert bool(all_finite([np.array(bad, np.complex64)])) == bool(np.isfinite(bad))
