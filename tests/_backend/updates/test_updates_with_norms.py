"""Updates that need norms of whole tensors, as two kernels, match the plain formula."""

import numpy as np
import pytest
from fakecupy import counting, rawkernels
from kit import close

from mindspore_compat._backend import arrays
from mindspore_compat._backend.updates.whole_tensors import kernels_take, whole
from mindspore_compat.ops._optimizer.formulas import lamb_update, lars_gradient

pytestmark = [
    pytest.mark.device,
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
LAMB = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "eps": 1e-6, "correct1": 2.0, "correct2": 3.0}
LARS = {"coefficient": 0.02, "eps": 1e-5}
SIZES = [(3, 4), (2000,), (), (0,), (3 * 8192 + 5,)]


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
def test_lamb_is_two_launches(space, dtypes, decay, zeros):
    rows, update = rows_of(dtypes, zeros), whole(lamb_update)
    on_device = [[space.array(array) for array in row] for row in rows]
    assert kernels_take(on_device)
    with counting.counted() as counts:
        update.sweep(on_device, decay=decay, **LAMB)
    assert counts.launches == 2 or not counting.counts(space)
    assert not counts.transfers
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


def test_a_flag_leaves_all_as_it_is(space):
    update = whole(lamb_update)
    for flag in (True, False):
        rows = [[space.array(np.full(9, 2.0, np.float32)) for _ in range(4)]]
        update.sweep(rows, space.array(flag), decay=0.1, **LAMB)
        assert flag == all((arrays.to_host(array) == 2).all() for array in rows[0])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_number_that_is_not_finite_stays_in_its_tensor(space, value):
    host = [[np.ones(9000, np.float32) for _ in range(4)] for _ in range(2)]
    host[0][1][8500] = value
    rows = [[space.array(x) for x in row] for row in host]
    whole(lamb_update).sweep(rows, decay=None, **LAMB)
    with np.errstate(all="ignore"):
        wanted = [lamb_update(arrays.HOST, *row, decay=None, **LAMB)[0] for row in host]
    assert not np.isfinite(wanted[0]).all() and np.isfinite(wanted[1]).all()
    for row, want in zip(rows, wanted, strict=True):
        close(arrays.to_host(row[0]), want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_a_large_tensor_is_divided_among_blocks(space, monkeypatch):
    grids, run = [], rawkernels.RawKernel._run

    def noted(kernel, grid, block, args):
        grids.append(grid[0])
        return run(kernel, grid, block, args)

    monkeypatch.setattr(rawkernels.RawKernel, "_run", noted)
    rows = [[space.zeros(size, np.float32) for _ in range(4)] for size in (40000, 3)]
    whole(lamb_update).sweep(rows, decay=None, **LAMB)
    assert len(grids) == 2 and min(grids) >= 40003 / 8192


def test_an_address_may_be_that_of_any_element(space):
    given = [np.random.default_rng(0).random(5001).astype(np.float32) for _ in range(4)]
    results = []
    for start in (0, 1):
        row = [space.array(np.append(np.zeros(start, np.float32), x))[start:] for x in given]
        whole(lamb_update).sweep([row], decay=0.1, **LAMB)
        results.append([arrays.to_host(array) for array in row])
    np.testing.assert_array_equal(*results)


def test_what_is_not_contiguous_or_on_the_host_is_not_taken(space):
    array = space.zeros((4, 4), "float32")
    assert kernels_take([[array] * 4])
    assert not kernels_take([[array, array[::2], array, array]])
    assert not kernels_take([[array, np.zeros((4, 4)), array, array]])
