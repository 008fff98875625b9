"""Elementary functions of float32 are within 2 units in the last place, as Python and compiled."""

import numpy as np
import pytest
from kit.loops import needs_numba
from scipy import special

from mindspore_compat._backend.bodies import host
from mindspore_compat._backend.compiled import vector_math

pytestmark = pytest.mark.host

EXACT = {
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "tanh": np.tanh,
    "erf": special.erf,
    "exp2": np.exp2,
    "log2": np.log2,
    "log10": np.log10,
}
EDGES = [0.0, 1e-45, 1e-38, 1e-8, 0.3, 0.69999, 0.7, 0.92, 1.0, 1.5, 9.1, 88.7, 103.9, 3.4e38]


def operands(count):
    """Returns numbers of all magnitudes and both signs, and those at which a function changes its
    formula."""
    rng = np.random.default_rng(0)
    wide = np.exp(rng.uniform(-20, 6, count)) * rng.choice([-1, 1], count)
    edges = np.array([*EDGES, np.inf, np.nan])
    bits = rng.integers(0, 1 << 32, count, np.uint64).astype(np.uint32).view(np.float32)
    return np.concatenate([wide.astype(np.float32), np.float32([*edges, *-edges]), bits])


def units_off(found, exact):
    """Returns the distance of results from exact ones, in units in the last place of float32; NaN
    is compared separately."""
    rounded = exact.astype(np.float32)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(rounded))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(rounded))
    finite = np.isfinite(rounded)
    unit = np.spacing(np.maximum(np.abs(rounded[finite]), np.finfo(np.float32).tiny))
    return np.abs(found[finite] - exact[finite]) / unit


@pytest.mark.parametrize("name", EXACT)
def test_python_gives_them_within_two_units(name):
    x = operands(150)
    with np.errstate(all="ignore"):
        found = np.array([getattr(vector_math, name)(each) for each in x])
        exact = EXACT[name](x.astype(np.float64))
        assert found.dtype == np.float32
        assert units_off(found, exact).max() <= 2


@needs_numba
def test_compiled_ones_are_within_two_units():
    x = operands(200_000)

    def all_of_them(xp, x):
        return tuple(getattr(xp, name)(x) for name in EXACT)

    point = host.PointLoop(all_of_them, [False], {}, ())
    point.loop.wait()
    with np.errstate(all="ignore"):
        for found, exact in zip(
            host.PointCall(point, x.size, {}).run([x]), EXACT.values(), strict=True
        ):
            assert units_off(found, exact(x.astype(np.float64))).max() <= 2


def test_sigmoid_is_within_two_units():
    x = operands(1000)
    with np.errstate(all="ignore"):
        found = np.array([vector_math.sigmoid(each) for each in x])
        exact = 1 / (1 + np.exp(-x.astype(np.float64)))
    assert units_off(found, exact).max() <= 2


def test_quick_ndtr_is_a_probability_within_1e_7():
    x = np.append(np.random.default_rng(0).uniform(-9, 9, 2000), [0, np.inf, -np.inf])
    with np.errstate(all="ignore"):
        found = np.array([vector_math.quick_ndtr(each) for each in x.astype(np.float32)])
        assert np.isnan(vector_math.quick_ndtr(np.float32(np.nan)))
    np.testing.assert_allclose(found, special.ndtr(x), rtol=0, atol=1e-7)
    assert found.dtype == np.float32 and found[-3] == 0.5 and found.min() == 0 and found.max() == 1


@pytest.mark.parametrize("terms", [(1, 2, 3), (0, -np.inf, -5), (88, 88.5, 87), (-200, -201, -202)])
def test_log_sum_exp_neither_overflows_nor_vanishes(terms):
    exact = np.logaddexp.reduce(np.float64(terms))
    with np.errstate(all="ignore"):
        found = vector_math.log_sum_exp(*np.float32(terms))
    assert found.dtype == np.float32 and found == pytest.approx(exact, rel=1e-6)


def test_log_sum_exp_of_impossible_events_is_that_of_an_impossible_one():
    with np.errstate(all="ignore"):
        assert vector_math.log_sum_exp(*np.float32([-np.inf] * 3)) == -np.inf


def test_order_of_bits_is_that_of_numbers():
    x = np.array([-np.inf, -3e38, -1.0, -1e-45, 0.0, 1e-45, 1.0, 3e38, np.inf], np.float32)
    ranks = [vector_math.ordered(each) for each in x]
    assert ranks == sorted(ranks) and len(set(ranks)) == len(ranks)
    np.testing.assert_array_equal([vector_math.of_ordered(rank) for rank in ranks], x)
    for nan in np.array([0x7FC00000, 0xFFC00000], np.uint32).view(np.float32):
        assert vector_math.ordered(nan) > ranks[-1]
        assert np.isnan(vector_math.of_ordered(vector_math.ordered(nan)))
