"""Loops over arrays that broadcast give NumPy's bits for every layout and operation."""

import numpy as np
import pytest
from kit import normal, same
from kit.loops import fresh_loops, needs_numba

from mindspore_compat._backend.arrays import HOST, LARGE
from mindspore_compat._backend.compiled import door
from mindspore_compat._backend.host import ufuncs
from mindspore_compat._backend.loops import broadcast
from mindspore_compat._backend.threads import scheduler
from mindspore_compat._backend.thresholds import Least
from mindspore_compat.ops._linalg.matmul import outer

LAYOUTS = {
    ((64, 32), (32,)): (32, 64, 1),
    ((4, 16, 32), (16, 32)): (512, 4, 1),
    ((4, 16, 32), (4, 16, 1)): (32, 64, 64),
    ((4, 16, 8, 9), (16, 1, 1)): (72, 64, 16),
    ((4, 16, 8, 9), (1, 16, 1, 1)): (72, 64, 16),
    ((4, 16, 8, 9), (4, 1, 1, 1)): (1152, 4, 4),
    ((64, 1), (1, 32)): (32, 64, 1),
    ((1, 5, 32), (32,)): (32, 5, 1),
}


@pytest.mark.parametrize("shapes", LAYOUTS, ids=str)
def test_layout(shapes):
    length, x_rows, y_rows = LAYOUTS[shapes]
    shape, found, (x, y) = broadcast.layout(*shapes)
    assert shape == np.broadcast_shapes(*shapes)
    assert (found, x.rows, y.rows) == (length, x_rows, y_rows)
    assert broadcast.layout(*shapes[::-1])[2] == [y, x]


@pytest.mark.parametrize(
    "shapes",
    [
        ((4, 16, 32), (4, 1, 32)),  # an axis in between
        ((4, 16, 32), (1, 1, 1)),
        ((4, 1, 32), (16, 1)),
        ((4, 1), (4, 1)),
        ((4, 3), (5, 3)),  # not broadcast
        ((4, 3, 1), (1, 3, 5)),  # an axis in common
    ],
)
def test_other_layouts_are_left_to_numpy(shapes):
    assert broadcast.layout(*shapes) is None


@needs_numba
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", broadcast.SIGNS)
def test_results_are_bitwise_numpys(name, threads, monkeypatch):
    scheduler.limit(threads)
    with fresh_loops(monkeypatch, None, broadcast._loop):
        for shapes in LAYOUTS:
            x, y = (normal(*shape).astype(np.float32) for shape in shapes)
            x.flat[:3] = np.nan, np.inf, -0.0
            for args in ((x, y), (y, x)):
                assert door.find("broadcast", name, *args) is not None
                with np.errstate(all="ignore"):
                    same(getattr(LARGE, name)(*args), getattr(np, name)(*args))
    scheduler.limit(0)


@pytest.mark.parametrize(
    "x, y",
    [
        (np.ones((4, 8)), np.ones(8)),  # float64
        (np.ones((4, 8), "f"), np.ones(8, np.int32)),
        (np.ones((8, 4), "f").T, np.ones(8, "f")),
        (np.ones((4, 8), "f"), np.ones(1, "f")),
        (np.ones((0, 8), "f"), np.ones(8, "f")),
    ],
    ids=["float64", "int32", "transposed", "number", "empty"],
)
def test_other_arrays_are_left_to_numpy(x, y):
    assert not broadcast._takes("add", x, y)
    assert not broadcast._takes("power", np.ones((4, 8), "f"), np.ones(8, "f"))


@needs_numba
def test_size_is_that_of_the_result(monkeypatch):
    column, row = np.ones((64, 1), "f"), np.ones((1, 64), "f")
    with fresh_loops(monkeypatch, None, broadcast._loop):
        monkeypatch.setattr(Least, "BROADCAST", 1 << 12)
        assert door.find("broadcast", "multiply", column, row) is not None
        assert door.find("broadcast", "multiply", column[1:], row) is None


@needs_numba
def test_outer_product_of_small_vectors_is_one_loop(monkeypatch):
    monkeypatch.setattr(Least, "BROADCAST", 1 << 12)
    calls = []
    monkeypatch.setattr(ufuncs.door, "call", lambda name, *args: calls.append(name))
    x, y = (normal(n).astype(np.float32) for n in (64, 65))
    same(outer.body(HOST, x, y), x[:, None] * y)
    assert calls == ["broadcast"]
    same(outer.body(HOST, x, y[:63]), x[:, None] * y[:63])
    assert calls == ["broadcast"]
