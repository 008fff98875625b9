"""`searchsorted` and similar: long rows, searched by bisection, give the results of short ones."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import ops


@pytest.mark.parametrize("count", [3, 2000])
@pytest.mark.parametrize("right", [False, True])
def test_rows(count, right):
    random = np.random.default_rng(5)
    edges = np.sort(random.integers(0, 99, (2, 3, 70)), -1)
    values = random.integers(-1, 101, (2, 3, count))
    found = ops.searchsorted(ms.Tensor(edges), ms.Tensor(values), right=right).asnumpy()
    below = np.less_equal if right else np.less
    wanted = below(edges[..., None, :], values[..., None]).sum(-1)
    assert found.dtype == "int64" and np.array_equal(found, wanted)


@pytest.mark.parametrize("rows", [0, 1, 300])
def test_any_number_of_rows(rows):
    edges = np.tile(np.arange(100.0), (rows, 1))
    values = np.tile(np.arange(100.0) - 0.5, (rows, 1))
    found = ops.searchsorted(ms.Tensor(edges), ms.Tensor(values))
    np.testing.assert_array_equal(found.asnumpy(), np.tile(np.arange(100), (rows, 1)))


@pytest.mark.parametrize("rows", [None, 3])
def test_drawn_classes_have_their_shares(rows):
    weights = np.array([0, 3, 0, 1, 4, 0], "float32")
    given = ms.Tensor(weights if rows is None else np.tile(weights, (rows, 1)))
    drawn = ops.multinomial(given, 40_000, seed=3).asnumpy()
    assert drawn.shape == given.shape[:-1] + (40_000,) and drawn.dtype == "int32"
    for row in drawn.reshape(-1, 40_000):
        shares = np.bincount(row, minlength=6) / 40_000
        assert np.abs(shares - weights / 8).max() < 0.02 and not shares[weights == 0].any()
