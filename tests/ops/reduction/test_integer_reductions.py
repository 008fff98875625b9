"""Reductions of integers with a fractional result give float32, as in MindSpore 2.10."""

import pytest
from kit import close

from mindspore_compat import Tensor, float32, int8, int32, int64


@pytest.mark.parametrize("dtype", [int8, int32, int64])
@pytest.mark.parametrize(
    ("name", "result"), [("std", 1.2472191), ("var", 1.5555556), ("norm", 21**0.5)]
)
def test_integers_give_float32(name, result, dtype):
    found = getattr(Tensor([1, 2, 4], dtype), name)()
    assert found.dtype == float32
    close(found, result, atol=0)
