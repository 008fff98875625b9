"""Products of sparse matrices on a GPU are one kernel with the same numbers as on the host."""

import ml_dtypes
import numpy as np
import pytest
from fakecupy import rawkernels

from mindspore_compat._backend import arrays
from mindspore_compat._backend.cuda import taps as module
from mindspore_compat._backend.host.taps import Taps
from mindspore_compat.ops._image import resize_matrices
from tests.gpu import counters

pytestmark = [
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
RNG = np.random.default_rng(0)
ROUNDING = {np.float64: 1e-13, np.float32: 1e-5, np.float16: 1e-3, ml_dtypes.bfloat16: 8e-3}


@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize("goal", [5, 40])
def test_numbers_are_those_of_the_host(space, dtype, goal):
    x = RNG.standard_normal((2, 17, 9)).astype(dtype)
    matrices = (resize_matrices._linear(17, goal, "half"), None)
    found = space.apply_axes(space.asarray(x), matrices)
    wanted = arrays.HOST.apply_axes(x.astype(np.float64), matrices)
    assert found.dtype == dtype
    found = arrays.to_host(found).astype(np.float64)
    np.testing.assert_allclose(found, wanted, rtol=ROUNDING[dtype], atol=ROUNDING[dtype])


def test_an_axis_is_one_launch_without_a_copy_or_a_wait(space):
    x = space.asarray(RNG.standard_normal((2, 8, 8)).astype(np.float32))
    matrices = (resize_matrices._cubic(8, 20, "half"),) * 2
    space.apply_axes(x, matrices)
    with counters.counted() as counts:
        space.apply_axes(x, matrices)
    assert counts.launches == 2 and counts.transfers == counts.synchronisations == 0


@pytest.mark.parametrize("size", ["int", "long long"])
def test_threads_go_on_with_further_elements(space, monkeypatch, size):
    monkeypatch.setattr(module, "MOST_BLOCKS", 1 if size == "int" else 2**31)
    if size != "int":
        monkeypatch.setattr(module, "THREADS", 1)
    x, matrices = RNG.normal(size=(3, 30, 7)), (resize_matrices.area(30, 11, 0), None)
    found = arrays.to_host(space.apply_axes(space.asarray(x), matrices))
    np.testing.assert_allclose(found, arrays.HOST.apply_axes(x, matrices), rtol=1e-12)


@pytest.mark.parametrize("number", [np.inf, np.nan])
def test_a_number_that_is_not_finite_stays_where_it_is(space, number):
    x = np.ones((1, 9), np.float32)
    x[0, 4] = number
    out = arrays.to_host(
        space.apply_axes(space.asarray(x), (resize_matrices._linear(9, 18, "half"),))
    )
    assert np.isfinite(out[0]).tolist() == [not 7 <= at <= 10 for at in range(18)]


@pytest.mark.parametrize("kernels", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_both_devices_have_the_function(space, monkeypatch, dtype, kernels):
    """Floats use one kernel if the space has kernels. Otherwise the result is a sum of selections,
    one per weight."""
    if not kernels:
        monkeypatch.setattr(space, "kernels", None)
    x = RNG.integers(-9, 9, (3, 6, 4)).astype(dtype)
    taps = Taps([[0, 5], [2, 2], [4, 1]], [[1, 2], [3, 0], [-1, 1]], 6)
    wanted = np.einsum("rk,nkc->nrc", taps.whole, x.astype(float))
    given = space.asarray(x)
    space.apply_taps(given, taps)
    with counters.counted() as counts:
        found = space.apply_taps(given, taps)
    np.testing.assert_array_equal(arrays.to_host(found), wanted)
    np.testing.assert_array_equal(arrays.HOST.apply_taps(x, taps), wanted)
    assert found.dtype == dtype
    if kernels and dtype == np.float32:
        assert counts.launches == 1
