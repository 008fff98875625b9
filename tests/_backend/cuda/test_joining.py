"""`concatenate` and `stack` on a GPU are one kernel with NumPy's results."""

import numpy as np
import pytest
from fakecupy import rawkernels

from mindspore_compat._backend import arrays
from mindspore_compat._backend.cuda import joining
from tests.gpu import counters

pytestmark = [
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
RNG = np.random.default_rng(0)


def numbers(shape, dtype="float32"):
    return RNG.integers(-9, 9, shape).astype(dtype)


def joined(space, name, given, axis, views=lambda x: x):
    """Returns the result of a function of arrays on the device, and the kernels that it
    launches."""
    on_device = [views(space.asarray(x)) for x in given]
    function = getattr(space, name)
    function(on_device, axis)
    with counters.counted() as counts:
        found = function(on_device, axis)
    return arrays.to_host(found), counts


@pytest.mark.parametrize("dtype", ["bool", "float16", "int32", "float64", "complex128"])
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_arrays_of_several_lengths(space, dtype, axis):
    lengths = (3, 1, 0, 4)
    shapes = [np.insert(np.delete((2, 5, 4), axis), axis % 3, n) for n in lengths]
    given = [numbers(shape, dtype) for shape in shapes]
    found, counts = joined(space, "concatenate", given, axis)
    assert counts.launches == 1 and counts.transfers == 0
    np.testing.assert_array_equal(found, np.concatenate(given, axis))


@pytest.mark.parametrize("shape, axis", [((), 0), ((3,), 1), ((2, 3), 0), ((2, 3), -1), ((0,), 0)])
@pytest.mark.parametrize("count", [2, 9, 30])
def test_a_new_axis(space, shape, axis, count):
    given = [numbers(shape) for _ in range(count)]
    found, counts = joined(space, "stack", given, axis)
    assert counts.launches == (0 not in shape) and counts.transfers == 0
    np.testing.assert_array_equal(found, np.stack(given, axis))


@pytest.mark.parametrize("size", ["int", "long long"])
def test_many_arrays_of_several_blocks(space, monkeypatch, size):
    """More than fit one launch, of one block and of several."""
    monkeypatch.setattr(joining, "CHUNK", 2**31 - 40 if size == "long long" else 16)
    joining._kernel.cache_clear()
    given = [numbers((2, n % 40)) for n in range(joining.MOST + 5)]
    found, counts = joined(space, "concatenate", given, 1)
    joining._kernel.cache_clear()
    assert counts.launches == 2
    np.testing.assert_array_equal(found, np.concatenate(given, 1))


@pytest.mark.parametrize(
    "view, is_taken",
    [
        (lambda x: x[..., 1:3], True),
        (lambda x: x[1, ::-1], True),
        (lambda x: x[::-1], False),
        (lambda x: x[1:, ::2], False),
        (lambda x: x[:, :0], True),
        (lambda x: x[:1], True),
        (lambda x: x.transpose(0, 2, 1), False),
        (lambda x: x[::2, 1:], False),
    ],
)
def test_views_whose_lines_are_equally_far_apart(space, view, is_taken):
    given = [numbers((4, 3, 5)) for _ in range(3)]
    found, _ = joined(space, "concatenate", given, -1, view)
    on_device = [view(space.asarray(x)) for x in given]
    assert (joining.concatenated(space.module, on_device, -1) is not None) == is_taken
    np.testing.assert_array_equal(found, np.concatenate([view(x) for x in given], -1))


@pytest.mark.parametrize("name, axis", [("concatenate", 2), ("stack", 3), ("stack", -4)])
def test_an_axis_out_of_range_is_refused_as_by_numpy(space, name, axis):
    given = [numbers((2, 2)), numbers((2, 2))]
    with pytest.raises(ValueError, match="axis"):
        getattr(space, name)([space.asarray(x) for x in given], axis)


def test_other_arrays_are_left_to_cupy(space):
    x, y = space.asarray(numbers((2, 2))), space.asarray(numbers((2, 2), "float64"))
    assert joining.concatenated(space.module, [x, y], 0) is None
    assert joining.concatenated(space.module, [x], 0) is None
    assert joining.stacked(space.module, [x, x[0]], 0) is None
    assert arrays.to_host(space.concatenate([x, y], 0)).dtype == np.float64
    with pytest.raises(ValueError):
        space.concatenate([x, x[:, :1]], 0)
