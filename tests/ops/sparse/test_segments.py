"""Slices reduced by segment, with ids of narrow dtypes."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops


@pytest.mark.parametrize("count", [4, 1 << 14])
def test_segments_beyond_what_their_ids_can_count(count):
    ids = np.tile(np.array([3, -1], np.int16), count // 2)
    x = Tensor(np.ones(count, np.float32))
    found = ops.unsorted_segment_sum(x, Tensor(ids), 70_000).asnumpy()
    assert found[3] == count // 2 and found.sum() == count // 2  # nothing went to 70,000 - 65,536


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int8"])
def test_extremes_of_segments(dtype):
    x = Tensor([1, 5, -2, 3], getattr(ms, dtype))
    ids = Tensor([0, 0, 2, 2], ms.int32)
    largest = ops.unsorted_segment_max(x, ids, 3)
    assert largest.dtype == x.dtype
    found = largest.astype(ms.float32).asnumpy()
    assert found[0] == 5 and found[1] < -100 and found[2] == 3
    assert ops.unsorted_segment_min(x, ids, 3).astype(ms.float32).asnumpy()[[0, 2]].tolist() == [
        1,
        -2,
    ]
