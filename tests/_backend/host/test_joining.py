"""Arrays that are joined row by row hold the same bytes as NumPy's `concatenate`."""

import numpy as np
import pytest

from mindspore_compat._backend.arrays import HOST
from mindspore_compat._backend.host import joining

pytestmark = pytest.mark.host
ROWS = 1200


def arrays(*widths, inner=(), dtype=np.float32):
    rng = np.random.default_rng(0)
    return [rng.integers(-9, 9, (ROWS, width, *inner)).astype(dtype) for width in widths]


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "int64", "complex128"])
@pytest.mark.parametrize("axis", [1, -1])
def test_joined_rows_are_those_of_numpy(axis, dtype):
    for parts in (arrays(8, 9, 16, dtype=dtype), arrays(2, 5, inner=(6,), dtype=dtype)):
        axis = axis if parts[0].ndim == 2 else 1
        found = joining._joined_rows(parts, axis)
        assert found.dtype == dtype and found.flags.c_contiguous and found.flags.writeable
        np.testing.assert_array_equal(found, np.concatenate(parts, axis), strict=True)


def test_other_arrays_are_left_to_numpy():
    x, y = arrays(4, 4)
    for parts, axis in (
        ([x, y], 0),
        ([x, y.astype(np.float64)], 1),
        ([x, np.asfortranarray(y)], 1),
        ([x[:9], y[:9]], 1),
        ([x, y[:-1]], 1),
        ([x, y[:, :0]], 1),
        ([x, y], 2),
    ):
        assert joining._joined_rows(parts, axis) is None
    strided = [x, np.asfortranarray(y)]
    np.testing.assert_array_equal(HOST.concatenate(strided, 1), np.concatenate(strided, 1))
    with pytest.raises(ValueError):
        HOST.concatenate([x, y[:-1]], 1)
