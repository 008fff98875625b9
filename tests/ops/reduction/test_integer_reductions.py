"""Reductions of integers to fractions give float32, as in MindSpore 2.10; histograms."""

import numpy as np
import pytest
from kit import close

from mindspore_compat import Tensor, float32, int8, int32, int64, ops


@pytest.mark.parametrize("dtype", [int8, int32, int64])
@pytest.mark.parametrize(
    ("name", "result"), [("std", 1.2472191), ("var", 1.5555556), ("norm", 21**0.5)]
)
def test_integers_give_float32(name, result, dtype):
    found = getattr(Tensor([1, 2, 4], dtype), name)()
    assert found.dtype == float32
    close(found, result, atol=0)


@pytest.mark.parametrize(
    "dtype, values, counts",
    [
        ("int32", [2, 2], [0, 0, 2, 0]),
        ("int32", [2**31 - 1], [0, 0, 1, 0]),
        ("int32", [-(2**31), 0, 2**31 - 1], [1, 0, 1, 1]),
        ("float32", [1.5], [0, 0, 1, 0]),
        ("float32", [1e9], [1, 0, 0, 0]),  # 1 more and 1 less are the same number
    ],
    ids=str,
)
def test_a_histogram_takes_its_range_from_the_elements(dtype, values, counts):
    assert ops.histc(Tensor(np.array(values, dtype)), 4).asnumpy().tolist() == counts
