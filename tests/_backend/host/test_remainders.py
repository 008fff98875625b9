"""Remainders and hypotenuses of large arrays have NumPy's bits. But what remains of a division by
infinity is NaN, and a remainder of zero is positive."""

import numpy as np
import pytest
from kit import same
from kit.loops import every_size, fresh_loops, needs_numba

from mindspore_compat._backend.arrays import HOST
from mindspore_compat._backend.host import remainders

RNG = np.random.default_rng(0)
SPECIAL = np.float32([0.0, -0.0, 1, -1, 3, 0.1, -0.3, np.inf, -np.inf, np.nan, 1e-40, 3e38, -7])
PAIRS = {
    "normal": (RNG.standard_normal(5000), RNG.standard_normal(5000)),
    "multiples": (np.arange(-2500, 2500) * np.float32(0.1), np.full(5000, 0.1)),
    "negative multiples": (np.arange(-2500, 2500) * np.float32(0.7), np.full(5000, -0.7)),
    "large quotients": (RNG.standard_normal(5000) * 1e9, RNG.standard_normal(5000)),
    "huge quotients": (RNG.standard_normal(5000) * 1e30, RNG.standard_normal(5000)),
    "tiny": (RNG.standard_normal(5000) * 1e-38, RNG.standard_normal(5000) * 1e-39),
    "special": np.meshgrid(SPECIAL, SPECIAL),
    "one divisor": (RNG.standard_normal((50, 60)), np.array(0.3)),
}


@pytest.fixture
def any_size(monkeypatch):
    every_size(monkeypatch)
    monkeypatch.setattr(remainders, "PIECE", 100)


def bits(x):
    """The bits, with one NaN in place of all."""
    return np.where(np.isnan(x), np.float32(np.nan), x).view(np.uint32)


def reference(name, x, y):
    result = getattr(np, name)(x, y)
    return result if name == "hypot" else result + (y - y)


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["remainder", "fmod", "hypot"])
def test_bits(pair, name, any_size):
    x, y = (np.array(each, np.float32, order="C") for each in pair)
    found = getattr(HOST, name)(x, y)
    assert found.dtype == np.float32
    same(bits(found), bits(reference(name, x, y)))


@needs_numba
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["remainder", "fmod", "hypot"])
def test_bits_of_compiled_loops(pair, name, monkeypatch):
    x, y = (np.array(each, np.float32, order="C") for each in pair)
    with fresh_loops(monkeypatch):
        found = getattr(HOST, name)(x, y)
    same(bits(found), bits(reference(name, x, y)))


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32"])
def test_other_arrays_are_left_to_numpy(dtype, any_size):
    x, y = (RNG.integers(1, 100, 300).astype(dtype) for _ in range(2))
    same(HOST.remainder(x, y), np.remainder(x, y))
    same(
        HOST.remainder(x.astype("float32").reshape(30, 10), np.float32([[3]])),
        x.reshape(30, 10) % 3,
    )
    same(HOST.remainder(7.0, x), np.remainder(7.0, x))
