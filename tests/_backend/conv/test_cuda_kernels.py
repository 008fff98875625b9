"""The hand-written CUDA kernels compile, and match convolution.py and pooling.py.

Compilation needs CuPy's NVRTC but no driver. The results are checked on a GPU, or on the stand-in,
which compiles the kernels for the CPU.
"""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit import close, sass
from kit.windows import maximum_with_index

from mindspore_compat._backend import arrays
from mindspore_compat._backend.conv import adaptive_pooling, convolution, cuda_kernels, pooling


@pytest.mark.parametrize("dilated", [False, True])
@pytest.mark.parametrize("dtype", cuda_kernels.DTYPES, ids=str)
@pytest.mark.parametrize("name", cuda_kernels.KERNELS)
def test_kernel_compiles_for_a_gpu(name, dtype, dilated):
    pytest.importorskip("cupy", exc_type=ImportError)
    try:
        from cupy.cuda import nvrtc

        nvrtc.getVersion()
    except Exception as error:  # the library is missing or does not load
        pytest.skip(f"NVRTC is not at hand: {error}")
    text = cuda_kernels.source(name, dtype, dilated)
    program = nvrtc.createProgram(text, f"{name}.cu", (), ())
    try:
        nvrtc.compileProgram(program, ("--gpu-architecture=compute_80",))
    except nvrtc.NVRTCError:
        pytest.fail(nvrtc.getProgramLog(program))
    assert f".entry {name}" in nvrtc.getPTX(program).decode()


# Instructions per position of a 3 x 3 window, including those outside of the loops. The first
# versions took 353 for the one position of a thread of `im2col`, and 157 in the innermost loop of
# `col2im`.
INSTRUCTIONS = {"im2col": 32, "col2im": 37, "maximum": 32, "index_of_maximum": 42}
INSTRUCTIONS |= {"add_at_index": 38, "add_at_adaptive_index": 36, "index_of_adaptive_maximum": 42}
INSTRUCTIONS |= {"average": 44, "adaptive_average": 47}  # one division per window
INSTRUCTIONS |= {"average_gradient": 59, "adaptive_gradient": 72}  # one division per position


@pytest.mark.skipif(sass.tool() is None, reason="NVRTC or nvdisasm is not installed")
@pytest.mark.parametrize("architecture", [80, 90])
@pytest.mark.parametrize("name", cuda_kernels.KERNELS)
def test_a_position_takes_few_instructions(name, architecture):
    listing = sass.listing(cuda_kernels.source(name), architecture)
    planes, *positions = 1, 1, 3, 3
    assert sass.executed(listing, (planes, *positions)) <= 9 * INSTRUCTIONS[name]


def test_divisors_divide():
    numbers = [0, 1, 2, 3, 6, 7, 255, 256, 12345, 2**30 - 1, 2**30, 2**31 - 1]
    for divisor in (*range(1, 70), 1000, 65535, 65536, 65537, 2**30 - 1, 2**30):
        multiplier, shift = map(int, cuda_kernels._divisor(divisor))
        for n in (*numbers, divisor - 1, divisor, 2 * divisor - 1):
            assert ((n * multiplier >> 32) + n) >> shift == n // divisor
            assert (n * multiplier >> 32) + n < 2**32


def test_a_thread_goes_on_with_further_planes(space, monkeypatch):
    monkeypatch.setattr(cuda_kernels, "MOST_BLOCKS", 1)
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3, 5, 20, 21)).astype(np.float32)
    sizes = (3, 2), (2, 1), ((1, 0), (0, 1)), (1, 2)
    both(space, convolution.im2col, x, *sizes)
    columns = convolution.im2col(np, x, *sizes)
    both(space, convolution.col2im, columns, x.shape[2:], *sizes)
    both(space, maximum_with_index, x, *sizes)
    y = pooling.maximum(np, x, *sizes)
    both(space, pooling.max_gradient, y, x, y, *sizes)


def both(space, function, *arguments):
    """What a function gives with the kernels and without."""
    if space.kernels is None:
        pytest.skip("no kernels for this array type")
    moved = [space.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
    found = function(space, *moved)
    saved, space.kernels = space.kernels, None
    try:
        expected = function(space, *moved)
    finally:
        space.kernels = saved
    found, expected = ((v,) if not isinstance(v, tuple) else v for v in (found, expected))
    for have, want in zip(found, expected, strict=True):
        assert have.dtype == want.dtype and have.shape == want.shape
        close(have.get(), want.get(), 1e-5)


@st.composite
def windows(draw):
    """(size, kernel, stride, pads, dilation) that fit together, in one to three dimensions."""
    n = draw(st.integers(1, 3))
    found = []
    for _ in range(n):
        k, s, d = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 2))
        reach = d * (k - 1) + 1
        size = draw(st.integers(reach, reach + 4))
        before, after = draw(st.integers(0, k // 2)), draw(st.integers(0, k // 2))
        found.append((size, k, s, (before, after), d))
    return tuple(zip(*found, strict=True))


@settings(max_examples=60, deadline=None)
@given(
    sizes=windows(), groups=st.integers(1, 2), dtype=st.sampled_from("fd"), seed=st.integers(0, 99)
)
def check_columns(space, sizes, groups, dtype, seed):
    size, kernel, stride, pads, dilation = sizes
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((2, 3 * groups, *size)).astype(dtype)
    w = rng.standard_normal((4 * groups, 3, *kernel)).astype(dtype)
    options = stride, pads, dilation, groups
    y = convolution.convolve(np, x, w, *options)
    g = rng.standard_normal(y.shape).astype(dtype)
    both(space, convolution.convolve, x, w, *options)
    both(space, convolution.input_gradient, g, w, x.shape, *options)
    both(space, convolution.weight_gradient, g, x, w.shape, *options)
    both(space, convolution.im2col, x, kernel, *options[:3])
    c = convolution.im2col(np, x, kernel, *options[:3])
    both(space, convolution.col2im, c, size, kernel, *options[:3])


@settings(max_examples=60, deadline=None)
@given(
    sizes=windows(),
    ceil_mode=st.booleans(),
    dtype=st.sampled_from("fd"),
    seed=st.integers(0, 99),
    nan=st.booleans(),
)
def check_pooling(space, sizes, ceil_mode, dtype, seed, nan):
    size, kernel, stride, pads, dilation = sizes
    rng = np.random.default_rng(seed)
    x = rng.integers(-2, 3, (2, 3, *size)).astype(dtype)
    if nan:
        x[0, 0].reshape(-1)[0] = np.nan
    both(space, pooling.maximum, x, *sizes[1:], ceil_mode)
    both(space, maximum_with_index, x, *sizes[1:], ceil_mode)
    y = pooling.maximum(np, x, *sizes[1:], ceil_mode)
    g = rng.standard_normal(y.shape).astype(dtype)
    both(space, pooling.max_gradient, g, x, y, *sizes[1:])


@settings(max_examples=60, deadline=None)
@given(
    sizes=windows(),
    ceil_mode=st.booleans(),
    include=st.booleans(),
    divisor=st.sampled_from([None, 3]),
    dtype=st.sampled_from("fd"),
)
def check_averages(space, sizes, ceil_mode, include, divisor, dtype):
    size, kernel, stride, pads, _ = sizes
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3, *size)).astype(dtype)
    windows = kernel, stride, pads
    both(space, pooling.average, x, *windows, ceil_mode, include, divisor)
    y = pooling.average(arrays.HOST, x, *windows, ceil_mode, include, divisor)
    both(space, pooling.average_gradient, y, x.shape, *windows, include, divisor)


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=3),
    dtype=st.sampled_from("fd"),
    nan=st.booleans(),
)
def check_parts(space, sizes, dtype, nan):
    size, parts = zip(*sizes, strict=True)
    x = np.random.default_rng(0).integers(-9, 9, (2, 3, *size)).astype(dtype)
    y = adaptive_pooling.average(arrays.HOST, x, parts)
    both(space, adaptive_pooling.average, x, parts)
    both(space, adaptive_pooling.average_gradient, y, size)
    if nan:
        x[0, 0].reshape(-1)[-1] = np.nan
    largest, index = adaptive_pooling.maximum(arrays.HOST, x, parts)
    both(space, adaptive_pooling.index_of_maximum, x, parts)
    both(space, pooling.add_at, np.nan_to_num(largest), index, size, True)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_half_types_are_added_in_float32(space, dtype):
    if space.kernels is None:
        pytest.skip("no kernels for this array type")
    sizes = (7, 7), (1, 1), ((3, 3), (3, 3)), (1, 1)
    x = np.random.default_rng(2).standard_normal((2, 3, 9, 8)).astype(dtype)
    windows = convolution.im2col(space, space.asarray(x), *sizes)
    np.testing.assert_array_equal(windows.get(), convolution.im2col(np, x, *sizes))
    one = np.full((1, 1, 49, 72), 1.0078125)  # 49 of it, summed in half precision, differ
    sums = convolution.col2im(space, space.asarray(one.astype(dtype)), (9, 8), *sizes)
    exact = convolution.col2im(np, one, (9, 8), *sizes)
    np.testing.assert_array_equal(sums.get(), exact.astype(dtype))
    top, index = maximum_with_index(space, space.asarray(x), *sizes)
    wide = x.astype(np.float32)
    wide_top, wide_index = maximum_with_index(np, wide, *sizes)
    np.testing.assert_array_equal(top.get(), wide_top.astype(dtype))
    np.testing.assert_array_equal(index.get(), wide_index)
    g = space.asarray(np.ones(top.shape, dtype))
    grad = pooling.max_gradient(space, g, space.asarray(x), top, *sizes)
    wide_grad = pooling.max_gradient(np, np.ones_like(wide_top), wide, wide_top, *sizes)
    np.testing.assert_array_equal(grad.get(), wide_grad.astype(dtype))
    means = adaptive_pooling.average(space, space.asarray(one.astype(dtype)), (1, 5))
    assert means.dtype == dtype
    assert (means.get() == dtype(1.0078125)).all()


def test_columns_by_kernels(space):
    check_columns(space)


def test_pooling_by_kernels(space):
    check_pooling(space)


def test_averages_by_kernels(space):
    check_averages(space)


def test_adaptive_pooling_by_kernels(space):
    check_parts(space)


def test_a_nan_stays_in_its_part(space):
    x = np.ones((1, 7, 5), np.float32)
    x[0, 3, 0] = np.nan
    y = adaptive_pooling.average(space, space.asarray(x), (3, 2))
    expected = [[1, 1], [np.nan, 1], [1, 1]]
    np.testing.assert_array_equal(arrays.to_host(y)[0], expected)
    spread = arrays.to_host(adaptive_pooling.average_gradient(space, y, (7, 5)))[0]
    np.testing.assert_array_equal(np.isnan(spread[:, 0]), [False, False, True, True, True, 0, 0])
    assert np.isfinite(spread[:, 3:]).all()


def test_other_dtypes_and_dimensions_do_without_kernels(space):
    made = cuda_kernels.Kernels(space.module)
    assert made.apply(space.zeros((1, 1, 2), np.float32), (1,))
    assert made.apply(space.zeros((1, 1, 2), np.float16), (1,))
    assert not made.apply(space.zeros((1, 1, 2), np.int32), (1,))
    assert not made.apply(space.zeros((1,) * 6, np.float32), (1,) * 4)


def test_planes_that_32_bits_cannot_number_do_without_kernels(space):
    made, one = cuda_kernels.Kernels(space.module), space.zeros((1, 1, 1, 1), np.float32)
    for planes, apply in ((2**31 - 1, True), (2**31, False)):
        assert made.apply(space.broadcast_to(one, (planes, 1, 1, 1)), (1, 1)) is apply
    assert cuda_kernels.kernels_of(np, np.zeros(2), (1,)) is None
    assert cuda_kernels.kernels_of(arrays.HOST, np.zeros(2), (1,)) is None
