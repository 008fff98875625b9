"""Weights in panels: the position of each element, and when a layout is reused."""

import numpy as np
import pytest
from kit import normal
from kit.loops import ParallelByPython, needs_numba

from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.compiled.tiles import LANES, VECTORS
from mindspore_compat._backend.recurrent import layout_cache, weight_layouts
from mindspore_compat._backend.threads import parallel_loops

pytestmark = pytest.mark.host


@pytest.fixture
def loops(monkeypatch):
    monkeypatch.setattr(parallel_loops, "ParallelLoop", ParallelByPython)
    parallel_loops.loop_of.cache_clear()
    assert weight_layouts.is_ready()
    yield
    parallel_loops.loop_of.cache_clear()


def panels(weight, lanes):
    """Returns the panels of a (count, width) weight, whose width is padded to whole vectors, by
    NumPy."""
    count, width = weight.shape
    padded = np.zeros((count, -(-width // lanes) * lanes), np.float32)
    padded[:, :width] = weight
    parts = range(0, padded.shape[1], VECTORS * lanes)
    return np.concatenate([padded[:, at : at + VECTORS * lanes].ravel() for at in parts])


@pytest.mark.parametrize("width", [64, 49])
@pytest.mark.parametrize("count", [8, 7])
@pytest.mark.parametrize("transposed", [False, True])
def test_a_weight_lies_in_panels(width, count, transposed, loops):
    weight = normal(count, width).astype(np.float32)
    stored = np.ascontiguousarray(weight.T) if transposed else weight
    wanted = panels(weight, LANES)
    found = weight_layouts.pack(stored, transposed)
    np.testing.assert_array_equal(found[: wanted.size], wanted)


@needs_numba
@pytest.mark.parametrize("transposed", [False, True])
def test_compiled_code_lays_it_out_from_the_beginning_of_a_cache_line(transposed, monkeypatch):
    from mindspore_compat._backend.compiled.tiles import sizes

    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    assert weight_layouts.is_ready()
    weight = normal(32, 100).astype(np.float32)
    stored = np.ascontiguousarray(weight.T) if transposed else weight
    wanted = panels(weight, sizes()["LANES"])
    found = weight_layouts.pack(stored, transposed)
    np.testing.assert_array_equal(found[: wanted.size], wanted)
    assert found.ctypes.data % parallel_loops.LINE == 0


def test_a_layout_is_used_again_until_something_is_written(loops):
    weight = normal(4, 4).astype(np.float32)
    first = weight_layouts.pack(weight, False)
    assert weight_layouts.pack(weight, False) is not first
    with layout_cache.cache:
        first = weight_layouts.pack(weight, False)
        assert weight_layouts.pack(weight, False) is first
        assert weight_layouts.pack(weight, True) is not first
        layout_cache.forget()
        weight += 1
        again = weight_layouts.pack(weight, False)
        np.testing.assert_array_equal(again[:16], panels(weight, LANES))
    assert weight_layouts.pack(weight, False) is not again
