"""Row caches against the results of MindSpore 2.10; CacheSwapTable is missing on its CPU."""

import numpy as np
import pytest

from mindspore_compat import Parameter, Tensor, ops
from mindspore_compat.ops.operations import _embedding_cache_ops


def ints(*numbers):
    return Tensor(np.array(numbers, np.int32))


def table():
    return Parameter(Tensor(np.array([[1, 2], [3, 4], [5, 6]], np.float32)), name="table")


ROWS = Tensor(np.array([[0, 0], [7, 8], [9, 10]], np.float32))


@pytest.mark.parametrize(
    "indices, limit, wanted",
    [
        (ints(-1, 2, 0), 9, [[9, 10], [3, 4], [7, 8]]),
        (ints(1, 2, 0), 2, [[9, 10], [0, 0], [5, 6]]),
        (ints(0, 0, 0), 9, [[9, 10], [3, 4], [5, 6]]),
    ],
)
def test_update(indices, limit, wanted):
    cache = table()
    out = ops.UpdateCache()(cache, indices, ROWS, limit)
    assert cache.asnumpy().tolist() == wanted
    assert out.asnumpy().tolist() == [0] and out.dtype == cache.dtype


@pytest.mark.device
def test_rows_and_indices_of_the_host_go_to_the_device_of_the_table(space):
    cache = table()
    indices, rows = ints(-1, 2, 0).to("CPU"), ROWS.to("CPU")
    ops.UpdateCache()(cache, indices, rows, 9)
    ops.CacheSwapTable()(cache, indices, rows)
    assert cache.asnumpy().tolist() == [[9, 10], [3, 4], [7, 8]]


def test_swap():
    cache = table()
    assert ops.CacheSwapTable()(cache, ints(-1, 2, 0), ROWS).asnumpy().tolist() == [
        [0, 0],
        [5, 6],
        [1, 2],
    ]
    assert cache.asnumpy().tolist() == [[9, 10], [3, 4], [7, 8]]


def test_assignment():
    cache = table()
    assert ops.DynamicAssign()(cache, ROWS).asnumpy().tolist() == ROWS.asnumpy().tolist()
    assert cache.asnumpy().tolist() == ROWS.asnumpy().tolist()


@pytest.mark.parametrize(
    "given, wanted",
    [
        ((ints(9, 13, -1, -1), ints(0, 3, 5), 1), [-1, -1, -1, 9, 13]),
        ((ints(9, 13, 4, 4), ints(0, 3, 5), 0), [9, 13, 4, -1, -1]),
    ],
)
def test_shift(given, wanted):
    assert ops.PadAndShift()(*given).asnumpy().tolist() == wanted


@pytest.mark.parametrize(
    "call",
    [
        lambda cache: ops.UpdateCache()(cache, ints(0, 1), ROWS, 9),
        lambda cache: ops.UpdateCache()(cache, ints(0, 1, 3), ROWS, 9),
        lambda cache: ops.CacheSwapTable()(cache, ints(0, 1, 3), ROWS),
        lambda cache: ops.DynamicAssign()(cache, ROWS[:1]),
        lambda cache: ops.PadAndShift()(ints(1), ints(0, 3, 5), 2),
        lambda cache: ops.PadAndShift()(ints(1), ints(0, 3, 5), 0),
    ],
)
def test_refusals_change_nothing(call):
    cache = table()
    with pytest.raises(ValueError, match="For '"):
        call(cache)
    assert cache.asnumpy().tolist() == table().asnumpy().tolist()


def test_the_path_of_the_original():
    assert _embedding_cache_ops.UpdateCache is ops.UpdateCache
