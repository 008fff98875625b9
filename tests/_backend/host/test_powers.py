"""Powers with one integer exponent match NumPy."""

import numpy as np
import pytest
from kit import close, same

from mindspore_compat._backend.arrays import HOST
from mindspore_compat._backend.thresholds import Least

VALUES = [0.0, -0.0, np.inf, -np.inf, np.nan, 3.7, -2.1, 1e-20, -1e20, -1e-39, 1.0, -1.0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("exponent", [-7, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 101, 2**25 + 1])
def test_whole_exponents(exponent, dtype):
    x = np.array(VALUES, dtype)
    with np.errstate(all="ignore"):
        wanted = np.power(x, np.array(exponent, dtype))
        for y in (exponent, float(exponent), np.array(exponent, dtype)):
            found = HOST.power(x, y)
            assert found.dtype == dtype
            same(np.signbit(found[~np.isnan(x)]), np.signbit(wanted[~np.isnan(x)]))
            np.testing.assert_array_max_ulp(found, wanted, 3)


def test_a_power_is_a_new_array():
    x = np.ones(3)
    assert not np.shares_memory(HOST.power(x, 1), x)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (np.arange(4), 3),
        (np.float32([1, 2]), np.array(2.0)),
        (np.float32([1, 2]), np.array([[2], [3]], np.float32)),
        (np.float32([-4, 4]), 0.5),
        (np.float32([-4, 4]), np.inf),
        (np.complex64([1j]), 2),
    ],
)
def test_others_are_left_to_numpy(x, y):
    with np.errstate(all="ignore"):
        same(HOST.power(x, y), np.power(x, y))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_logaddexp(dtype, monkeypatch):
    monkeypatch.setattr(Least, "LOGADDEXP", 1)
    ends = np.array([0, -0.0, 1, -1, 80, -80, 1e30, -1e30, np.inf, -np.inf, np.nan], dtype)
    x, y = (np.concatenate([a.ravel(), b]) for a, b in zip(np.meshgrid(ends, ends), RANDOM))
    x, y = x.astype(dtype), y.astype(dtype)
    found = HOST.logaddexp(x, y)
    assert found.dtype == dtype
    close(found, np.logaddexp(x, y))


RANDOM = np.random.default_rng(0).standard_normal((2, 5000)) * 10
