"""Slices reduced by segment, with ids of narrow dtypes."""

import numpy as np
import pytest
from kit import close

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


@pytest.mark.parametrize("number", [3, 5])
@pytest.mark.parametrize("how", ["sum", "max", "min", "prod"])
def test_segments_past_the_last_are_refused_or_left_out_on_a_gpu(space, how, number):
    function = getattr(ops, f"unsorted_segment_{how}")
    x, ids = Tensor(np.arange(1, 4, dtype=np.float32)), np.array([0, number, 1], np.int32)
    if space.module is np:
        with pytest.raises(RuntimeError, match=r"below 'num_segments' \(3\)"):
            function(x, Tensor(ids), 3)
        return
    found = function(x, Tensor(ids), 3).asnumpy()
    ms.set_device("CPU")
    close(found, function(x, Tensor(np.where(ids == number, -1, ids)), 3).asnumpy())


@pytest.mark.parametrize("how", ["none", "add", "mul"])
def test_elements_before_the_first_are_refused(space, how):
    x, at = Tensor(np.ones((3, 1), np.float32)), Tensor(np.array([[0], [-4]], np.int32))
    with pytest.raises(ValueError, match="index -4 is out of bounds"):
        ops.tensor_scatter_elements(x, at, x[:2], 0, how)
