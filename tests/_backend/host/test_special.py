"""erfc, erfinv and trigamma of float32 are within 8 units in the last place, for arrays of all
layouts."""

import functools

import numpy as np
import pytest
from kit.loops import needs_numba
from scipy import special

from mindspore_compat._backend.arrays import HOST
from mindspore_compat._backend.bodies import host
from mindspore_compat._backend.host import special as own
from mindspore_compat._backend.thresholds import Least

pytestmark = pytest.mark.host

EDGES = np.float32([0.0, -0.0, 1e-45, 1e-8, 0.5, 0.999999, 1, 1.5, 9.3, 10.1, 3e38, np.inf, np.nan])
FUNCTIONS = {"erfc": own._erfc, "erfinv": own._erfinv, "trigamma": own._trigamma}


def of_scipy(name, x):
    return special.polygamma(1, x) if name == "trigamma" else getattr(special, name)(x)


def of_space(name, x):
    return HOST.polygamma(1, x) if name == "trigamma" else getattr(HOST, name)(x)


def operands(name):
    rng = np.random.default_rng(0)
    x = np.linspace(-11, 11, 50_001) if name != "erfinv" else 1 - 2 ** rng.uniform(-24, 1, 50_001)
    tiny = np.exp(rng.uniform(-80, 0, 1000)) * rng.choice([-1, 1], 1000)
    return np.concatenate([x.astype(np.float32), tiny.astype(np.float32), EDGES, -EDGES])


def check(name, x, found):
    exact = of_scipy(name, x.astype(np.float64))
    with np.errstate(over="ignore"):
        rounded = exact.astype(np.float32)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(rounded))
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(found[np.isinf(rounded)], rounded[np.isinf(rounded)])
    unit = np.spacing(np.maximum(np.abs(rounded[finite]), np.finfo(np.float32).tiny))
    assert found.dtype == np.float32
    assert np.max(np.abs(found[finite] - exact[finite]) / unit) <= 8


@pytest.mark.parametrize("name", FUNCTIONS)
def test_formulas_are_within_eight_units(name):
    x = operands(name)
    with np.errstate(all="ignore"):
        check(name, x, FUNCTIONS[name](HOST, x))


@needs_numba
@pytest.mark.parametrize("name", ["erfc", "erfinv"])
def test_compiled_formulas_are_within_eight_units(name):
    point = host.PointLoop(FUNCTIONS[name], [False], {}, ())
    point.loop.wait()
    x = operands(name)
    check(name, x, host.PointCall(point, x.size, {}).run([x]))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_layouts_dtypes_and_the_sign_of_zero_are_kept(name, monkeypatch):
    for least in ("SPECIAL", "BODY_POINT", "TRIGAMMA"):
        monkeypatch.setattr(Least, least, 1)
    x = operands(name)[:50_000].reshape(200, 250)
    function = functools.partial(of_space, name)
    with np.errstate(all="ignore"):
        check(name, x.T[::3, ::-2], function(x.T[::3, ::-2]))
    for dtype in (np.float16, np.float64):
        np.testing.assert_array_equal(function(x.astype(dtype)), of_scipy(name, x.astype(dtype)))
    assert np.signbit(HOST.erfinv(np.full(9, -0.0, np.float32))).all()
    assert function(np.float32(0.5).reshape(())).shape == ()
