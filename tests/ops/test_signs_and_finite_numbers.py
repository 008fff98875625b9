"""Signs of every dtype (0 for NaN), and the replacement of infinities and NaN by finite numbers."""

import operator

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops


@pytest.mark.parametrize("count", [1, 3000])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "complex64"])
def test_signs(dtype, count):
    values = [-3, 0, 2] if dtype == "int32" else [-3, 0, -0.0, 2, np.nan, np.inf, -np.inf, 1e-7]
    x = np.array(values * count, dtype)
    expected = np.where(np.isnan(x), 0, np.sign(x)).astype(dtype)
    signs = ops.sign(Tensor(x)).asnumpy()
    np.testing.assert_array_equal(signs, expected, strict=True)
    if x.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(signs), np.signbit(expected))


def test_signs_of_complex_numbers_with_infinite_parts():
    inf = np.inf
    x = np.array([complex(-inf, 2), complex(3, inf), complex(3, -inf), 3 - 4j], np.complex64)
    expected = np.array([-1, 1j, -1j, 0.6 - 0.8j], np.complex64)
    np.testing.assert_allclose(ops.sign(Tensor(x)).asnumpy(), expected, rtol=1e-6)


def test_signs_of_nan_are_0_in_ops_and_nan_in_numpy():
    x = Tensor([np.nan, -2.0], ms.float32)
    np.testing.assert_array_equal(ops.sgn(x).asnumpy(), [0, -1])
    np.testing.assert_array_equal(x.sgn().asnumpy(), [0, -1])
    np.testing.assert_array_equal(ms.numpy.sign(x).asnumpy(), [np.nan, -1])


@pytest.mark.parametrize("count", [1, 3000])
@pytest.mark.parametrize("options", [{}, {"nan": 2.5, "posinf": 7}, {"neginf": -1.0}])
def test_finite_numbers_in_place_of_others(options, count):
    largest = np.finfo(np.float32).max
    values = [-3, -0.0, 1e-45, np.nan, np.inf, -np.inf, largest, -largest]
    x = np.array(values * count, np.float32)
    result = ops.nan_to_num(Tensor(x), **options).asnumpy()
    np.testing.assert_array_equal(result, np.nan_to_num(x, **options), strict=True)


REMAINDERS = {
    "remainder": ops.remainder,
    "floor_mod": ops.floor_mod,
    "%": operator.mod,
    "reflected %": lambda x, y: y.__rmod__(x),
    "fmod": ops.fmod,
    "Mod": ops.Mod(),
    "mint.remainder": ms.mint.remainder,
    "mint.fmod": ms.mint.fmod,
    "numpy.remainder": ms.numpy.remainder,
    "numpy.fmod": ms.numpy.fmod,
}


@pytest.mark.parametrize("count", [1, 1000])  # loops compute large arrays
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", REMAINDERS)
def test_the_remainder_of_an_infinite_divisor_is_nan(space, name, dtype, count):
    """As in x - floor(x / y) * y."""
    x = Tensor(np.array([1, -1, 0, 2.5, -1, np.inf, 3] * count, dtype))
    y = Tensor(np.array([np.inf, np.inf, np.inf, -np.inf, -np.inf, 2, 2] * count, dtype))
    wanted = np.array(([np.nan] * 6 + [1]) * count, dtype)
    found = REMAINDERS[name](x, y).asnumpy()
    np.testing.assert_array_equal(found, wanted, strict=True)


@pytest.mark.parametrize("name", [name for name in REMAINDERS if name != "reflected %"])
def test_a_remainder_of_zero_is_positive(space, name):
    x, y = Tensor(np.float32([2, -2, 2, -2] * 500)), Tensor(np.float32([1, 1, -1, -1] * 500))
    assert not np.signbit(REMAINDERS[name](x, y).asnumpy()).any()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_truncate_mod_keeps_what_is_divided_by_infinity(space, dtype):
    x = Tensor(np.array([1, -1, 0, -2, np.inf, -3, np.nan], dtype))
    y = Tensor(np.array([np.inf, -np.inf, np.inf, 1, np.inf, 2, np.inf], dtype))
    wanted = np.array([1, -1, 0, -0.0, np.nan, -1, np.nan], dtype)
    found = ops.TruncateMod()(x, y).asnumpy()
    np.testing.assert_array_equal(found, wanted, strict=True)
    assert np.signbit(found[3])


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
@pytest.mark.parametrize(
    "integers, wanted",
    [
        ("int8", [44, -44, -128, -1]),
        ("uint8", [44, 212, 128, 255]),
        ("uint16", [300, 65236, 128, 65535]),
        ("uint32", [300, 2**32 - 300, 128, 2**32 - 1]),
    ],
)
def test_integers_out_of_range_wrap_around(space, integers, wanted, dtype):
    x = Tensor(np.float32([300, -300, 128, -1])).astype(getattr(ms, dtype))
    found = x.astype(getattr(ms, integers)).asnumpy()
    np.testing.assert_array_equal(found, np.array(wanted, integers), strict=True)


def test_huge_numbers_wrap_around_in_uint32(space):
    x = Tensor(np.float32([1e10, -1e10, 4e9]))
    assert x.astype(ms.uint32).asnumpy().tolist() == [1410065408, 2884901888, 4 * 10**9]
