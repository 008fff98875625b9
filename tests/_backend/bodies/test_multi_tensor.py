"""Updates of many arrays in one kernel match the plain formula in few launches."""

import ml_dtypes
import numpy as np
import pytest
from fakecupy import counting, rawkernels
from kit import close

from mindspore_compat._backend import arrays
from mindspore_compat._backend.bodies.multi_tensor import CHUNK
from mindspore_compat._backend.updates.fuse import fuse
from mindspore_compat.ops._optimizer.formulas import adam_update, momentum_update

pytestmark = [
    pytest.mark.device,
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
ADAM = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "eps": 1e-6}
SIZES = [(3, 4), (), (CHUNK + 5,), (0,), (2, 1, 2)]


def rows_of(dtypes, sizes=SIZES):
    rng = np.random.default_rng(0)
    return [
        [np.asarray(abs(rng.standard_normal(size)), dtype) for dtype in dtypes] for size in sizes
    ]


def both(space, formula, rows, **scalars):
    """Rows after a sweep on the device, and on the host."""
    update = fuse(formula)
    on_device = [[space.array(array) for array in row] for row in rows]
    with counting.counted() as counts:
        update.sweep(on_device, **scalars)
    update.sweep(
        rows,
        **{
            name: float(arrays.to_host(v)) if hasattr(v, "get") else v
            for name, v in scalars.items()
        },
    )
    return [[arrays.to_host(array) for array in row] for row in on_device], rows, counts


@pytest.mark.parametrize(
    "dtypes",
    [
        ["float32"] * 4,
        ["float64"] * 4,
        ["float16", "float16", "float32", "float32"],
        [ml_dtypes.bfloat16, "float32", "float32", "float32"],
    ],
    ids=str,
)
def test_many_arrays_are_updated_by_one_launch(space, dtypes):
    found, expected, counts = both(space, adam_update, rows_of(dtypes), **ADAM)
    for have, want in zip(found, expected, strict=True):
        for one, other in zip(have, want, strict=True):
            close(one, other)
    if counting.counts(space):
        assert counts.figures() == {
            "launches": 1,
            "allocations": 0,
            "transfers": 0,
            "synchronisations": 0,
        }


@pytest.mark.parametrize("on_device", [False, True])
def test_rows_of_several_dtypes_share_a_launch(space, on_device):
    kinds = ["float16"] * 3, ["float32"] * 3, [ml_dtypes.bfloat16, "float32", "float32"]
    rows = [row for part in zip(*(rows_of(kind) for kind in kinds), strict=True) for row in part]
    rate = space.array(np.float32(0.25)) if on_device else 0.25
    found, expected, counts = both(space, momentum_update, rows, lr=rate, momentum=0.9)
    for have, want in zip(found, expected, strict=True):
        for one, other in zip(have, want, strict=True):
            assert one.dtype == other.dtype
            close(one, other)
    assert counts.launches == 1 or not counting.counts(space)


def test_rows_of_several_dtypes_need_several_tables(space):
    rows = [*rows_of(["float16"] * 3, [(2,)] * 90), *rows_of(["float32"] * 3, [(2,)] * 90)]
    found, expected, counts = both(space, momentum_update, rows, lr=0.1, momentum=0.9)
    for have, want in zip(found, expected, strict=True):
        for one, other in zip(have, want, strict=True):
            close(one, other)
    assert counts.launches == 2 or not counting.counts(space)


def test_more_rows_than_a_table_holds(space):
    found, expected, counts = both(
        space, momentum_update, rows_of(["float32"] * 3, [(2,)] * 250), lr=0.1, momentum=0.9
    )
    close(found, expected)
    assert counts.launches == 3 or not counting.counts(space)


def test_arrays_that_are_not_contiguous_go_beside_the_table(space):
    base = [space.array(np.arange(8, dtype="float32")) for _ in range(6)]
    rows = [[array[::2] for array in base[:3]], base[3:]]
    fuse(momentum_update).sweep([*rows, [array.copy() for array in base[3:]]], lr=1.0, momentum=0.5)
    expected = np.arange(8) * -0.5
    np.testing.assert_array_equal(arrays.to_host(rows[0][0]), expected[::2])
    np.testing.assert_array_equal(arrays.to_host(rows[1][0]), expected)


@pytest.mark.parametrize("count", [1, 3])
def test_numbers_and_the_decision_may_lie_on_the_device(space, count):
    rows = rows_of(["float32"] * 4, [(3,)] * count)
    rate = space.array(np.float32(0.25))
    found, expected, counts = both(space, adam_update, rows, **{**ADAM, "lr": rate})
    close(found, expected)
    assert counts.launches == 1 or not counting.counts(space)
    for flag in (True, False):
        on_device = [[space.array(array) for array in row] for row in rows]
        fuse(adam_update).sweep(on_device, skip=space.array(flag), **ADAM)
        same = [
            (arrays.to_host(row[0]) == before[0]).all()
            for row, before in zip(on_device, rows, strict=True)
        ]
        assert same == [flag] * count


def test_what_is_computed_of_numbers_is_the_same_on_the_device(space):
    def odd(xp, p, g, *, lr, decay):
        rate = xp.sqrt(xp.abs(lr)) * (1 - decay**3) / (2 + xp.maximum(lr, decay))
        return (p - rate * g,)

    rows = rows_of(["float64"] * 2, [(3,), (4,)])
    found, expected, _ = both(space, odd, rows, lr=space.array(np.float64(0.3)), decay=0.7)
    for have, want in zip(found, expected, strict=True):
        # float64 arithmetic in the same order; a device may contract a product and a sum.
        np.testing.assert_allclose(have, want, rtol=1e-14)


def less_the_larger(xp, p, g, *, lr, decay):
    return (p - xp.maximum(lr, decay) * g,)


def less_the_smaller(xp, p, g, *, lr, decay):
    return (p - xp.minimum(lr, decay) * g,)


@pytest.mark.parametrize("formula", [less_the_larger, less_the_smaller])
@pytest.mark.parametrize("lr, decay", [(np.nan, 0.5), (0.5, np.nan)])
def test_an_extreme_of_a_nan_and_a_number_is_nan(space, formula, lr, decay):
    """This also holds for scalars, on the host and on the device, in either order."""
    for rate in (lr, space.array(np.float64(lr))):
        rows = rows_of(["float64"] * 2, [(3,), (4,)])
        found, expected, _ = both(space, formula, rows, lr=rate, decay=decay)
        for row in (*found, *expected):
            assert np.isnan(row[0]).all()


EVERY_HALF = np.arange(1 << 16, dtype=np.uint16)
TINY = np.finfo(np.float32).tiny


def assert_equal(found, expected):
    """Asserts that the numbers are equal; a result may be 0 where the expected one is subnormal in
    float32, or rounded from a subnormal number."""
    found, expected = (arrays.to_host(x).astype(float) for x in (found, expected))
    flushed = (abs(expected) <= TINY) & (found == 0)
    np.testing.assert_array_equal(found[~flushed], expected[~flushed])


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("dtype", ["float16", ml_dtypes.bfloat16], ids=str)
def test_every_half_is_read_as_it_is(space, dtype, rows):
    """Subnormal halves keep their values, although a product in float32 would flush them to 0."""
    halves = EVERY_HALF.view(dtype)
    tensors = [[space.zeros(halves.size, np.float32), space.array(halves)] for _ in range(rows)]
    fuse(lambda xp, p, g: (g + 0.0,)).sweep(tensors)
    with np.errstate(all="ignore"):
        assert_equal(tensors[-1][0], halves.astype(np.float32))


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("dtype", ["float16", ml_dtypes.bfloat16], ids=str)
def test_numbers_are_rounded_to_halves_as_ieee_754_says(space, dtype, rows):
    """Tests all half-precision numbers, and the midpoints of neighbours."""
    with np.errstate(all="ignore"):
        wide = EVERY_HALF.view(dtype).astype(np.float32)
        between = wide[:-1] * 0.5 + wide[1:] * 0.5
    for given in (wide, between, np.nextafter(between, np.float32(np.inf))):
        tensors = [[space.zeros(given.size, dtype), space.array(given)] for _ in range(rows)]
        fuse(lambda xp, p, g: (g + 0.0,)).sweep(tensors)
        with np.errstate(all="ignore"):
            assert_equal(tensors[-1][0], (given + np.float32(0)).astype(dtype))
