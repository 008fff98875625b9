"""Casts between float16 and float32 match NumPy bit for bit."""

import numpy as np
import pytest

from mindspore_compat._backend import arrays

HALVES = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
FINITE = np.sort(HALVES[np.isfinite(HALVES)]).astype(np.float32)
MIDDLES = (FINITE[1:] + FINITE[:-1]) / 2
BITS = np.random.default_rng(0).integers(0, 1 << 32, 1 << 18, dtype=np.uint32)


@pytest.mark.parametrize(
    "singles",
    [
        FINITE,
        MIDDLES,
        np.nextafter(MIDDLES, np.float32(np.inf)),
        np.nextafter(MIDDLES, np.float32(-np.inf)),
        BITS.view(np.float32),
        np.array([65504, 65519.99, 65520, 65536, 1e30, np.inf, -np.inf, -0.0, 1e-45] * 999, "f"),
    ],
    ids="halves middles above below bits ends".split(),
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_to_float16_as_numpy(singles):
    for x in (singles, singles[::-2], singles[~np.isnan(singles)]):
        found, wanted = arrays.HOST.cast(x, np.float16), x.astype(np.float16)
        lost = np.isnan(wanted)
        np.testing.assert_array_equal(np.isnan(found), lost)
        np.testing.assert_array_equal(found.view("u2")[~lost], wanted.view("u2")[~lost])


def test_to_float32_as_numpy():
    for x in (HALVES, HALVES.reshape(256, 256).T):
        found = arrays.HOST.cast(x, "float32")
        np.testing.assert_array_equal(found.T.view("u4"), x.astype("f").T.view("u4"))
