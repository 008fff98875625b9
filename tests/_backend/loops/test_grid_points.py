"""The compiled loops of grid sampling match array functions in every mode, including for points at
the edges, points far outside, and NaN."""

import itertools

import numpy as np
import pytest
from kit import close_sums
from kit.loops import by_python, fresh_loops, needs_numba, on_threads

from mindspore_compat._backend import arrays
from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.loops import grid_points as loops
from mindspore_compat.ops._image import grid_points  # noqa: F401 - provides xp.sample_points

pytestmark = pytest.mark.host

HOST = arrays.HOST
MODES = [
    *itertools.product(("bilinear", "nearest"), ("zeros", "border", "reflection"), (False, True)),
    ("bilinear", "zeros", None),
]


def inputs(height, width):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 3, height, width)).astype(np.float32)
    grid = (rng.normal(size=(2, 5, 4, 2)) * 1.3).astype(np.float32)
    grid[0, 0] = [[-1, 1], [1, -1], [np.nan, 0.5], [0, 0]]
    grid[1, 0] = [[9, -7], [-1e9, 1e9], [np.inf, -np.inf], [1.25, -1.5]]
    x[0, 1, -1, -1] = np.inf  # a pixel outside counts as 0, even if the last one is infinite
    return x, grid, rng.normal(size=(2, 3, 5, 4)).astype(np.float32)


def results(x, grid, g, *mode):
    """Returns the samples and both gradients."""
    finite = np.where(np.isfinite(x), x, 1)
    return (
        HOST.sample_points(x, grid, *mode),
        HOST.spread_points(g, grid, x.shape, *mode),
        HOST.slope_points(g, finite, grid, *mode),
    )


def check(mode, size):
    given = inputs(*size)
    with np.errstate(all="ignore"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(jit, "available", lambda: False)
            wanted = results(*given, *mode)
        for found, other in zip(results(*given, *mode), wanted, strict=True):
            assert found.dtype == np.float32 and found.shape == other.shape
            np.testing.assert_array_equal(np.isfinite(found), np.isfinite(other))
            close_sums(found[np.isfinite(found)], other[np.isfinite(other)])


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_the_loops_mean_what_array_functions_do(mode, monkeypatch):
    with fresh_loops(monkeypatch):
        by_python(monkeypatch)
        check(mode, (4, 6))
        check(mode, (1, 1))


@needs_numba
@pytest.mark.parametrize("threads", [1, 2])
def test_compiled_loops_do_so_with_any_number_of_threads(threads, monkeypatch):
    monkeypatch.setattr(loops, "PIECE", 8)
    with fresh_loops(monkeypatch), on_threads(threads):
        for mode in MODES:
            check(mode, (4, 6))
            check(mode, (1, 1))
