"""Convolution, pooling and the extra functions of a space match NumPy on each array type.

test_convolution.py and test_pooling.py check the numbers themselves on NumPy. Here every function
runs on NumPy, on the stand-in for CuPy and, if a GPU is present, on CuPy.
"""

import ml_dtypes
import numpy as np
import pytest
from kit import close, close_sums
from kit.windows import maximum_with_index

from mindspore_compat._backend import arrays
from mindspore_compat._backend.conv import adaptive_pooling, convolution, pooling

RANDOM = np.random.default_rng(7)


def normal(*shape):
    return RANDOM.standard_normal(shape)


def on_both(space, function, *arguments, **keywords):
    """Calls `function(xp, ...)` on NumPy arrays and on arrays of `space`, and compares."""

    def moved(value):
        if isinstance(value, list):
            return [moved(part) for part in value]
        return space.asarray(value) if isinstance(value, np.ndarray) else value

    expected = function(arrays.HOST, *arguments, **keywords)
    found = function(space, *[moved(value) for value in arguments], **keywords)
    if not isinstance(expected, tuple):
        found, expected = (found,), (expected,)
    for have, want in zip(found, expected, strict=True):
        assert type(have) is type(space.zeros(1)) and have.dtype == want.dtype
        close(arrays.to_host(have), want, rtol=1e-9, atol=1e-12)
    return expected if len(expected) > 1 else expected[0]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shapes", [((3, 3), (3,)), ((3, 3), (4, 3, 2)), ((2, 1, 3, 3), (4, 3, 2))])
def test_solvers_broadcast_leading_axes(space, dtype, shapes):
    matrix, right = normal(*shapes[0]) + 5 * np.eye(3), normal(*shapes[1])
    found = space.linalg_solve(space.array(matrix.astype(dtype)), space.array(right.astype(dtype)))
    close_sums(arrays.to_host(found), np.linalg.solve(matrix, right).astype(dtype))


@pytest.mark.parametrize("shape", [(2, 2), (3, 2, 2)], ids=str)
def test_a_singular_matrix_is_refused(space, shape):
    matrix = np.broadcast_to(np.eye(2), shape).copy()
    matrix[..., 1, :] = matrix[..., 0, :]
    for call in (space.linalg_inv, lambda x: space.linalg_solve(x, space.ones(shape))):
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            call(space.array(matrix))


@pytest.mark.parametrize("how", ["max", "min"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int32", "int64"])
def test_extremes_at_indices(space, dtype, how):
    numbers = np.asarray(RANDOM.standard_normal((40, 3)) * 9, dtype)
    start = np.asarray(RANDOM.standard_normal((6, 3)) * 3, dtype)
    if numbers.dtype.kind == "f":
        numbers[:4, 0] = np.nan, -np.nan, np.inf, -np.inf
        numbers[4:6, 1], start[1:3, 0] = [0.0, -0.0], [np.nan, 1 + np.finfo(dtype).eps]
    rows = RANDOM.integers(-6, 6, 40)
    on_both(space, lambda xp, *x: xp.scatter_reduce(x[0], (x[1],), x[2], how), start, rows, numbers)
    by_column = on_both(
        space,
        lambda xp, *x: xp.scatter_reduce(x[0], (slice(None), x[1]), x[2], how),
        start,
        np.array([2, 0, 2]),
        numbers[:6],
    )
    assert by_column.dtype == dtype


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint64", "float64"])
def test_remainders_of_truncated_division(space, dtype):
    x, y = np.array([7, 0, 2**62 + 1, 5, 3]), np.array([3, 2, 3, 0, 2**61 + 1])
    if dtype == "int32":
        x, y = x % 1000, y % 1000
    x, y = x.astype(dtype), y.astype(dtype)
    for one, other in ((x, y), (-x, y), (x, -y)):
        with np.errstate(all="ignore"):
            on_both(space, lambda xp, *numbers: xp.fmod(*numbers), one, other)


@pytest.mark.parametrize("name", ["arctan2", "hypot"])
def test_functions_of_real_numbers_refuse_complex_ones(space, name):
    with pytest.raises(TypeError):
        getattr(space, name)(space.ones(2, "complex64"), space.ones(2, "complex64"))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "bfloat16", "float16", "complex64"])
def test_values_of_each_dtype_are_added_at_indices(space, dtype):
    dtype = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    start, values = (RANDOM.integers(0, 3, shape).astype(dtype) for shape in ((5, 3), (40, 3)))
    values = values * dtype.type(1j) if dtype.kind == "c" else values
    rows = RANDOM.integers(-5, 5, 40)
    on_both(space, lambda xp, *x: xp.scatter_add(x[0], (x[1],), x[2]), start, rows, values)
    on_both(space, lambda xp, *x: xp.segment_sum(*x, 5), rows, values)


def test_bfloat16_is_chosen_as_bfloat16(space):
    x = np.arange(6).reshape(2, 3).astype(ml_dtypes.bfloat16)
    wide = np.arange(3, dtype=np.float32)
    on_both(space, lambda xp, x: xp.where(x > 2, x, -x), x)
    on_both(space, lambda xp, x: xp.where(x > 2, x, 3), x)
    on_both(space, lambda xp, x, y: xp.where(y > 1, x, y), x, wide)
    for triangle in ("tril", "triu"):
        on_both(space, lambda xp, x, name=triangle: getattr(xp, name)(x, 1), x)


CONVOLUTIONS = {  # shapes of the input and of the weights, stride, pads, dilation, groups
    "1d": ((2, 3, 11), (4, 3, 3), (2,), ((1, 1),), (1,), 1),
    "2d": ((2, 3, 9, 8), (4, 3, 3, 2), (2, 1), ((1, 2), (0, 1)), (1, 2), 1),
    "groups": ((2, 6, 7, 7), (4, 3, 3, 3), (1, 1), ((1, 1),) * 2, (1, 1), 2),
    "pointwise": ((3, 4, 5, 6), (5, 4, 1, 1), (2, 1), ((0, 0),) * 2, (1, 1), 1),
    "depthwise": ((2, 3, 9, 8), (6, 1, 3, 3), (2, 1), ((1, 1),) * 2, (1, 1), 3),
    "square": ((2, 8, 14, 14), (8, 8, 3, 3), (1, 1), ((1, 1),) * 2, (1, 1), 1),
    "3d": ((1, 2, 5, 6, 4), (3, 2, 2, 3, 2), (1, 2, 1), ((0, 1),) * 3, (1, 1, 2), 1),
}


@pytest.mark.parametrize("case", CONVOLUTIONS.values(), ids=CONVOLUTIONS.keys())
def test_convolution_and_its_gradients(space, case):
    x, w, *options = case
    y = on_both(space, convolution.convolve, normal(*x), normal(*w), *options)
    g = normal(*y.shape)
    on_both(space, convolution.input_gradient, g, normal(*w), x, *options)
    on_both(space, convolution.weight_gradient, g, normal(*x), w, *options)


def test_columns(space):
    options = ((3, 2), (2, 1), ((1, 1), (0, 1)), (1, 2))
    y = on_both(space, convolution.im2col, normal(2, 3, 7, 8), *options)
    on_both(space, convolution.col2im, normal(*y.shape), (7, 8), *options)


POOLS = {  # size, kernel, stride, pads, dilation, ceil_mode
    "1d": ((9,), (3,), (2,), ((1, 1),), (1,), False),
    "2x2": ((7, 8), (2, 2), (2, 2), ((0, 0),) * 2, (1, 1), True),
    "3x3": ((7, 8), (3, 3), (2, 2), ((1, 1),) * 2, (1, 1), False),
    "dilated": ((8, 7), (2, 3), (1, 2), ((1, 0), (1, 1)), (3, 2), True),
    "3d": ((4, 5, 6), (2, 3, 2), (2, 1, 3), ((1, 0), (1, 1), (0, 1)), (1, 1, 2), False),
}


@pytest.mark.parametrize("case", POOLS.values(), ids=POOLS.keys())
def test_pooling(space, case):
    size, kernel, stride, pads, dilation, ceil_mode = case
    x = RANDOM.integers(-3, 3, (2, 3, *size)).astype(float)
    best, index = on_both(space, maximum_with_index, x, *case[1:])
    g, options = normal(*best.shape), case[1:5]
    on_both(space, pooling.max_gradient, g, x, best, *options)
    on_both(space, pooling.max_pick, normal(*x.shape), x, best, *options)
    on_both(space, pooling.take_at, x, index, len(size))
    on_both(space, pooling.put_at, g, np.arange(g.size).reshape(g.shape) % 4, (2, 2))
    on_both(space, pooling.add_at, g, index, size)
    for include in (True, False):
        y = on_both(space, pooling.average, x, kernel, stride, pads, ceil_mode, include)
        g = normal(*y.shape)
        on_both(space, pooling.average_gradient, g, x.shape, kernel, stride, pads, include)


@pytest.mark.parametrize("size, out", [((7,), (3,)), ((6, 8), (3, 2)), ((3, 2), (5, 4))])
def test_adaptive_pooling(space, size, out):
    y = on_both(space, adaptive_pooling.average, normal(2, 3, *size), out)
    on_both(space, adaptive_pooling.average_gradient, normal(*y.shape), size)
    on_both(space, adaptive_pooling.maximum, normal(2, 3, *size), out)


EXTRAS = {
    "cast": (normal(3), np.dtype("f")),
    "rsqrt": (np.abs(normal(3)),),
    "sigmoid": (normal(3, 2),),
    "softplus": (normal(3, 2),),
    "top_k": (normal(3, 5), 2),
    "index_of_rank": (normal(3, 5), 0, 1),
    "index_of_median": (normal(3, 5), 0),
    "extremes_so_far": (normal(3, 9), 1),
    "maximum_so_far": (normal(3, 9), 1),
    "linear_recurrence": (normal(150, 2), normal(150, 2), 0),
    "distinct": (np.array([4, 2, 4, 9]),),
    "at_least": (normal(4), 0.5),
    "at_most": (normal(4), np.array(0.5)),
    "clip": (normal(4), np.array(-0.5, "f"), 0.5),
    "where": (normal(4) > 0, normal(4), normal(4)),
    "scatter_add": (normal(5, 2), np.array([0, 3, 0]), normal(3, 2)),
    "add_slices": ([normal(2), normal(2, 2)], [0, slice(0, 4, 2)], (5, 2)),
    "scatter_set": (normal(5, 2), np.array([0, 3]), normal(2, 2)),
    "scatter_along_axis": (normal(3, 4), np.array([[0, 1], [3, 2], [1, 0]]), normal(3, 2), 1),
}


@pytest.mark.parametrize("name", EXTRAS)
def test_extra_names(space, name):
    on_both(space, lambda xp, *arguments: getattr(xp, name)(*arguments), *EXTRAS[name])


@pytest.mark.parametrize("rank", range(4))
def test_a_new_axis_is_a_view_that_needs_no_check_of_numpys(rank, monkeypatch):
    x = np.zeros((2, 3, 4)[:rank])
    wanted = {axis: np.expand_dims(x, axis).shape for axis in range(-rank - 1, rank + 1)}
    with pytest.raises(np.exceptions.AxisError):
        arrays.HOST.expand_dims(x, rank + 1)
    with pytest.raises(np.exceptions.AxisError):
        arrays.HOST.expand_dims(x, -rank - 2)
    monkeypatch.delattr(np, "expand_dims")
    for axis, shape in wanted.items():
        view = arrays.HOST.expand_dims(x, axis)
        assert view.shape == shape and np.shares_memory(view, x)


@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 4), (0, 3), (3, 0), ()], ids=str)
@pytest.mark.parametrize("turned", [False, True])
def test_rolled_arrays_are_numpys(shape, turned):
    x = RANDOM.standard_normal(shape)
    x = x.T if turned else x
    for axis in range(-x.ndim, x.ndim):
        for shift in (0, 1, -1, 7, -9, (1,)):
            found, wanted = arrays.HOST.roll(x, shift, axis), np.roll(x, shift, axis)
            np.testing.assert_array_equal(found, wanted)
            assert found.strides == wanted.strides and not np.shares_memory(found, x)
    np.testing.assert_array_equal(arrays.HOST.roll(x, 2), np.roll(x, 2))
    with pytest.raises(np.exceptions.AxisError):
        arrays.HOST.roll(x, 1, x.ndim)


@pytest.mark.parametrize("reps", [(2, 3), (3,), (2, 1, 3), (2, 0, 2), (1, 1), (2, 2, 2, 2), 3])
@pytest.mark.parametrize("shape", [(4, 70), (2, 3, 64), (5, 4), (64,), (), (0, 64)], ids=str)
def test_tiled_arrays_are_numpys(shape, reps):
    x = normal(*shape)
    for given in (x, np.asarray(x).T.copy().T):
        found = arrays.HOST.tile(given, reps)
        np.testing.assert_array_equal(found, np.tile(given, reps))
        assert not np.shares_memory(found, given)


def test_an_array_is_tiled_over_two_axes_by_one_copy(monkeypatch):
    monkeypatch.setattr(np, "tile", lambda *_: pytest.fail("asked for"))
    assert arrays.HOST.tile(np.ones((4, 64)), (2, 3)).shape == (8, 192)


def test_a_small_array_is_rolled_without_numpys_checks(monkeypatch):
    monkeypatch.delattr(np, "roll")
    assert arrays.HOST.roll(np.arange(4), 1, 0).tolist() == [3, 0, 1, 2]


@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (2, 3, 3), (0, 3), (200, 100)], ids=str)
@pytest.mark.parametrize("k", [-9, -1, 0, 2, 9])
def test_triangles_are_numpys(shape, k):
    x = RANDOM.standard_normal(shape).astype(np.float32)
    for name in ("tril", "triu"):
        found, wanted = (getattr(library, name)(x, k) for library in (arrays.HOST, np))
        np.testing.assert_array_equal(found, wanted)
        assert found.dtype == wanted.dtype and not np.shares_memory(found, x)


def test_the_mask_of_a_small_triangle_is_kept(monkeypatch):
    x = RANDOM.standard_normal((3, 4))
    lower, upper = arrays.HOST.tril(x), arrays.HOST.triu(x, 1)
    monkeypatch.delattr(np, "tri")
    np.testing.assert_array_equal(arrays.HOST.tril(x) + arrays.HOST.triu(x, 1), x)
    np.testing.assert_array_equal(lower + upper, x)
