"""Updates that need norms of whole tensors, as one kernel, match the plain formula."""

import numpy as np
import pytest
from fakecupy import counting, rawkernels
from kit import close

from mindspore_compat._backend import arrays
from mindspore_compat._backend.updates.whole_tensors import kernels_take, whole
from mindspore_compat.ops._optimizer.formulas import lamb_update, lars_gradient

pytestmark = [
    pytest.mark.parametrize("space", ["fakecupy"], indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
LAMB = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "eps": 1e-6, "correct1": 2.0, "correct2": 3.0}
LARS = {"coefficient": 0.02, "eps": 1e-5}
SIZES = [(3, 4), (2000,), (), (0,)]


def rows_of(dtypes, zeros=False):
    rng = np.random.default_rng(0)
    return [
        [
            np.asarray(0 * rng.random(size) if zeros and not kind else rng.random(size), dtype)
            for kind, dtype in enumerate(dtypes)
        ]
        for size in SIZES
    ]


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("decay", [None, 0.1])
@pytest.mark.parametrize(
    "dtypes", [["float32"] * 4, ["float16", "float16", "float32", "float32"]], ids=str
)
def test_lamb_is_one_launch(space, dtypes, decay, zeros):
    rows, update = rows_of(dtypes, zeros), whole(lamb_update)
    on_device = [[space.array(array) for array in row] for row in rows]
    assert kernels_take(on_device)
    with counting.counted() as counts:
        update.sweep(on_device, decay=decay, **LAMB)
    assert counts.launches == 1 and not counts.transfers
    for row, found in zip(rows, on_device, strict=True):
        p, g, m, v = (array.astype(np.float64) for array in row)
        wanted = lamb_update(arrays.HOST, p, g, m, v, decay=decay, **LAMB)
        for have, want in zip((found[0], *found[2:]), wanted, strict=True):
            rtol = 1e-3 if have.dtype == np.float16 else 1e-5
            close(arrays.to_host(have).astype(float), want, rtol=rtol, atol=1e-6)


@pytest.mark.parametrize("rate", [None, 0.1])
@pytest.mark.parametrize("unscale", [None, 0.5])
def test_lars_writes_beside_the_gradient(space, unscale, rate):
    rows, update = rows_of(["float32"] * 3), whole(lars_gradient, reads=("p", "g"))
    on_device = [[space.array(array) for array in row] for row in rows]
    update.sweep(on_device, unscale=unscale, decay=0.1, rate=rate, **LARS)
    for (_, p, g), found in zip(rows, on_device, strict=True):
        (wanted,) = lars_gradient(
            arrays.HOST,
            None,
            p.astype(float),
            g.astype(float),
            unscale=unscale,
            decay=0.1,
            rate=rate,
            **LARS,
        )
        close(arrays.to_host(found[0]), wanted)
        np.testing.assert_array_equal(arrays.to_host(found[2]), g)


def test_what_is_not_contiguous_or_on_the_host_is_not_taken(space):
    array = space.zeros((4, 4), "float32")
    assert kernels_take([[array] * 4])
    assert not kernels_take([[array, array[::2], array, array]])
    assert not kernels_take([[array, np.zeros((4, 4)), array, array]])
