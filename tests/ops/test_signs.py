"""Signs of every dtype; the sign of NaN is 0."""

import numpy as np
import pytest

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
