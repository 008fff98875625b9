"""MapCacheIdx against results of MindSpore 2.10, and PyExecute."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, ops

TABLE = [
    [0, 0, 0, 0],
    [10, 0, -5, 1],
    [12, 1, -5, 1],
    [0, 0, 0, 0],
    [15, 2, -5, 1],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [20, 3, -5, 2],
]
# A hash map in which linear probing finds every key.
SOUND = [[0] * 4, [10, 0, -5, 1], [15, 2, -5, 1], [20, 3, -5, 1], [12, 1, -5, 1], *[[0] * 4] * 5]
# What 2.10 made of it.
AFTER = [
    [5, 1, 0, 1],
    [10, 0, 0, 1],
    [2, 2, 0, 1],
    [2, 2, 0, 0],
    [15, 2, -5, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [3, 3, 0, 1],
    [20, 3, -5, 0],
]
FOUND = [[0, 2, -1, 1, 3], [15, 12, 20], [2, 5, 3], [2, 1, 3]]


def ints(value, dtype=ms.int32):
    return Tensor(value, dtype)


@pytest.mark.parametrize("dtype", [ms.int32, ms.int64])
@pytest.mark.parametrize("kind", [Tensor, lambda t: Parameter(t, name="map")])
def test_rows_are_swapped_as_observed(dtype, kind):
    table = kind(ints(TABLE, dtype))
    out = ops.MapCacheIdx()(table, ints([10, 2, 25, 5, 3], dtype), ints([0]), ints(25), ints(0))
    assert [each.asnumpy().tolist() for each in out] == FOUND
    assert all(each.dtype == dtype for each in out)
    assert table.asnumpy().tolist() == AFTER


def test_what_is_found_needs_no_swap():
    table = ints(SOUND)
    indices, *swaps = ops.MapCacheIdx()(table, ints([[17, 12], [12, 22]]), 7, 25, 2)
    assert indices.asnumpy().tolist() == [[2, 0], [0, 3]]
    assert [each.shape for each in swaps] == [(0,)] * 3
    assert table.asnumpy()[:, 2].tolist() == [0, 7, 7, 7, -5, 0, 0, 0, 0, 0]


def test_entries_in_use_stay_and_the_map_is_as_before():
    table = ints(np.array(SOUND) + [0, 0, 5, 0])
    before = table.asnumpy().copy()
    with pytest.raises(RuntimeError, match="^For 'MapCacheIdx'"):
        ops.MapCacheIdx()(table, ints([10, 2]), 1, 25, 0)
    np.testing.assert_array_equal(table.asnumpy(), before)


def test_what_was_swapped_in_is_found():
    table = ints(SOUND)
    run = ops.MapCacheIdx()
    cached = dict(zip((10, 12, 15, 20), range(4)))
    rng = np.random.default_rng(0)
    for step in range(0, 60, 3):
        wanted = rng.permutation(50)[:2]
        indices, left, came, _ = run(table, ints(wanted), step, 50, 0)
        for key in left.asnumpy().tolist():
            del cached[key]
        cached.update(zip(wanted.tolist(), indices.asnumpy().tolist()))
        assert set(came.asnumpy().tolist()) <= set(wanted.tolist())
        assert sorted(cached.values()) == [0, 1, 2, 3]
        counted = {row[0]: row[1] for row in table.asnumpy().tolist() if row[3]}
        assert counted == cached


@pytest.mark.parametrize(
    "change, error",
    [
        ({"hashmap": TABLE}, TypeError),
        ({"hashmap": Tensor(np.zeros((3, 4), np.float32))}, TypeError),
        ({"indices": ints([1], ms.int64)}, TypeError),
        ({"indices": 1}, TypeError),
        ({"step": 0.5}, TypeError),
        ({"emb_max_num": None}, TypeError),
        ({"hashmap": ints(TABLE[0])}, ValueError),
        ({"hashmap": ints([[1, 2, 3]])}, ValueError),
    ],
)
def test_refusals(change, error):
    given = {
        "hashmap": ints(TABLE),
        "indices": ints([1]),
        "step": 0,
        "emb_max_num": 25,
        "cache_max_num": 0,
        **change,
    }
    with pytest.raises(error):
        ops.MapCacheIdx()(**given)


def test_expressions_of_python():
    run = ops.PyExecute()
    x = Tensor(np.array([3, 7], np.float32))
    np.testing.assert_array_equal(run("a + b", ("a", "b"), (x, x)).asnumpy(), [6, 14])
    assert run("len(a)", ("a",), ((x, x, 1),)) == 3
    assert run("[n for n in a if n > least]", ("a", "least"), ((1, 2, 3), 1)) == [2, 3]
    with pytest.raises(NameError):
        run("b", ("a",), (x,))
    with pytest.raises(RuntimeError, match="^For 'PyExecute'"):
        run("a", ("a", "b"), (x,))


def test_a_gradient_passes_an_expression():
    run = ops.PyExecute()
    gradient = ms.grad(lambda x: run("x * x", ("x",), (x,)))(Tensor(np.array([3], np.float32)))
    assert gradient.asnumpy() == [6]


@pytest.mark.parametrize("given", [(1, (), ()), ("1", ["a"], [1]), ("1", (1,), (1,))])
def test_py_execute_refuses(given):
    with pytest.raises(TypeError):
        ops.PyExecute()(*given)
