"""Elementary functions of large float32 arrays are within 4 units in the last place, and give
NumPy's infinities, NaNs and signs of zero."""

import numpy as np
import pytest
from kit.loops import needs_numba

from mindspore_compat._backend.arrays import HOST, LARGE
from mindspore_compat._backend.bodies import host
from mindspore_compat._backend.host import elementary, ufuncs
from mindspore_compat._backend.thresholds import Least

pytestmark = pytest.mark.host

EDGES = (
    *(0.0, 1e-45, 1e-38, 1e-8, 0.3, 0.49999997, 0.5, 0.9, 0.99999994, 1.0, 1.5707964, 3.1415927),
    *(88.0, 88.7, 89.2, 89.5, 104.0, 127.9, 128.0, 150.0, 8191.0, 3.4e38, np.inf, np.nan),
)
TURNED = "sin", "cos", "tan"


def operands(name):
    """Returns numbers of all sizes and both signs, and those at which a formula changes."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 1 << 32, 60_000, np.uint64).astype(np.uint32).view(np.float32)
    wide = np.exp(rng.uniform(-20, 6, 60_000)) * rng.choice([-1, 1], 60_000)
    parts = EDGES, np.negative(EDGES), bits, wide, rng.uniform(-1.1, 1.1, 60_000)
    x = np.concatenate([np.float32(part) for part in parts])
    if name in TURNED:
        x = x[np.abs(x) <= elementary._MOST_ANGLE]
    if name != "arctan2":
        return [x]
    edges = x[: 2 * len(EDGES)]
    pairs = [np.repeat(edges, len(edges)), np.tile(edges, len(edges))]
    return [np.concatenate(part) for part in zip(pairs, (rng.permutation(x), x), strict=True)]


def check(name, arrays, found):
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(*[array.astype(np.float64) for array in arrays])
        rounded, usual = exact.astype(np.float32), getattr(np, name)(*arrays)
    assert found.dtype == np.float32
    finite, zero = np.isfinite(rounded), usual == 0
    np.testing.assert_array_equal(found[~finite], rounded[~finite])
    np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(usual[zero]))
    unit = np.spacing(np.maximum(np.abs(rounded[finite]), np.finfo(np.float32).tiny))
    assert np.max(np.abs(found[finite] - exact[finite]) / unit) <= 4


@needs_numba
@pytest.mark.parametrize("name", elementary.FORMULAS)
def test_formulas_are_within_four_units(name):
    arrays = operands(name)
    point = host.PointLoop(elementary.FORMULAS[name], [False] * len(arrays), {}, ())
    point.loop.wait()
    check(name, arrays, host.PointCall(point, arrays[0].size, {}).run(arrays))


@pytest.mark.parametrize("name", elementary.FORMULAS)
def test_large_arrays_are_computed_by_the_formula(name, monkeypatch):
    arrays = [array[:60_000].reshape(300, 200) for array in operands(name)]
    given = []

    class Bodies:
        def pays(self, formula, size):
            return size == arrays[0].size

        def pointwise(self, formula, *arrays):
            given.append((formula, arrays))
            return arrays[0]

    monkeypatch.setattr(elementary.Elementary, "_bodies", Bodies())
    function = elementary.Elementary(LARGE, name, getattr(np, name))
    assert function(*arrays) is arrays[0]
    assert given == [(elementary.FORMULAS[name], tuple(arrays))]


@pytest.mark.parametrize("name", elementary.FORMULAS)
def test_small_arrays_other_dtypes_and_layouts_have_the_bits_of_numpy(name):
    usual, function = getattr(np, name), elementary.Elementary(LARGE, name, getattr(np, name))
    for x in (
        np.linspace(0, 1, Least.BODY_POINT - 1, dtype=np.float32),
        np.linspace(0, 1, 1 << 15),
        np.linspace(0, 1, 1 << 15).astype(np.float16),
        np.linspace(0, 1, 1 << 15, dtype=np.float32)[::2],
    ):
        arrays = [x] * usual.nin
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(function(*arrays), usual(*arrays))
    assert function(*[0.5] * usual.nin) == usual(*[0.5] * usual.nin)
    assert function.nin == usual.nin


@pytest.mark.parametrize("name", TURNED)
def test_angles_that_a_formula_cannot_reduce_go_to_numpy(name):
    x = np.linspace(0, 1e5, 1 << 14, dtype=np.float32)
    function = elementary.Elementary(LARGE, name, getattr(np, name))
    np.testing.assert_array_equal(function(x), getattr(np, name)(x))
    x[7] = np.nan
    np.testing.assert_array_equal(function(x), getattr(np, name)(x))


@pytest.mark.parametrize(
    ("current", "small", "large"),
    [("baseline(X86_V2)", True, True), ("X86_V3", False, True), ("X86_V4", False, False)],
)
def test_the_processor_decides(monkeypatch, current, small, large):
    targets = [{"current": current, "available": "X86_V4 X86_V3 baseline(X86_V2)"}]
    monkeypatch.setattr(elementary, "_targets", lambda name: targets)
    for xp, function, is_wrapped in ((HOST, np.exp, small), (LARGE, ufuncs.Ufunc(np.exp), large)):
        found = elementary.wrapped(xp, "exp", function)
        assert isinstance(found, elementary.Elementary) == is_wrapped
        assert is_wrapped or found is function


def test_a_numpy_that_says_nothing_is_used(monkeypatch):
    monkeypatch.setattr(elementary, "_targets", lambda name: [])
    assert elementary.wrapped(HOST, "tan", np.tan) is np.tan


@pytest.mark.parametrize("count", [1, 2, 1000, (1 << 15) + 1])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_a_progression_has_the_bits_of_linspace(count, dtype):
    step = (0.7 - -3.1) / max(count - 1, 1)
    found = HOST.progression(-3.1, step, count, dtype, 0.7 if count > 1 else None)
    np.testing.assert_array_equal(found, np.linspace(-3.1, 0.7, count).astype(dtype), strict=True)


def test_rsqrt_has_the_bits_of_a_root_and_a_division():
    x = np.append(np.logspace(-45, 38, 8185), [0, -0.0, -1, np.inf, np.nan, 1, 4]).astype("float32")
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(HOST.rsqrt(x), 1 / np.sqrt(x), strict=True)
