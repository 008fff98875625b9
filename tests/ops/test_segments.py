"""Slices gathered into segments, with ids of narrow dtypes."""

import numpy as np
import pytest

from mindspore_compat import Tensor, ops


@pytest.mark.parametrize("count", [4, 1 << 14])
def test_segments_beyond_what_their_ids_can_count(count):
    ids = np.tile(np.array([3, -1], np.int8), count // 2)
    x = Tensor(np.ones(count, np.float32))
    found = ops.unsorted_segment_sum(x, Tensor(ids), 300).asnumpy()
    assert found[3] == count // 2 and found.sum() == count // 2  # nothing went to 300 - 256
