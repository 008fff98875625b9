"""Compiled casts between float16 and float32 give NumPy's bits with any number of threads."""

import numpy as np
import pytest
from kit.loops import needs_numba

from mindspore_compat._backend import arrays
from mindspore_compat._backend.compiled import door, jit
from mindspore_compat._backend.threads import scheduler

pytestmark = pytest.mark.host

rng = np.random.default_rng(4)
HALVES = np.arange(1 << 16, dtype=np.uint16).view(np.float16)


@pytest.fixture(params=[1, 2, 4], autouse=True)
def threads(request, monkeypatch):
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    scheduler.limit(request.param)
    yield
    scheduler.limit(0)


def as_numpy(x, dtype):
    out = np.empty(x.shape, dtype)
    done = door.call("cast_float16", x, out) is not None
    word = f"u{out.itemsize}"
    with np.errstate(all="ignore"):
        wanted = x.astype(dtype).view(word)
        np.testing.assert_array_equal(arrays.HOST.cast(x, dtype).view(word), wanted)
    if done:
        np.testing.assert_array_equal(out.view(word), wanted)
    return done


@needs_numba
def test_all_of_float16():
    assert as_numpy(HALVES, np.float32)


@needs_numba
@pytest.mark.parametrize("step", [0, 1, 0x7FF, 0xFFF, 0x1000, 0x1001, 0x1FFF])
def test_all_of_float16_and_what_lies_next_to_them(step):
    with np.errstate(all="ignore"):
        x = (HALVES.astype(np.float32).view(np.uint32) + np.uint32(step)).view(np.float32)
    assert as_numpy(x[~np.isnan(x)], np.float16)
    assert not as_numpy(x, np.float16)  # NumPy rounds a NaN


@needs_numba
def test_float32_of_any_size():
    x = rng.integers(0, 1 << 32, 1 << 18, dtype=np.uint64).astype(np.uint32).view(np.float32)
    x = x[~np.isnan(x)]
    assert as_numpy(x, np.float16)
    x.flags.writeable = False
    assert as_numpy(x[3:], np.float16)


def test_short_arrays_are_left_to_numpy():
    assert not as_numpy(HALVES[:100], np.float32)
