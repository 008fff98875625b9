"""Bodies over rows give NumPy's numbers in every layout of threads, and read memory as rarely as
possible."""

import re

import ml_dtypes
import numpy as np
import pytest
from fakecupy import rawkernels
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat._backend import arrays
from mindspore_compat._backend.bodies import gpu, row_layout
from mindspore_compat._backend.bodies.row_plan import COLUMN, ELEMENT, ROW

pytestmark = [
    pytest.mark.device,
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
DTYPES = ["float32", "float64", "float16", ml_dtypes.bfloat16]
SHAPES = {  # (outer, rows, inner): lanes, whether held, chunked, segmented
    (1, 5, 10): ("warp", True, False, False),
    (1, 300, 64): ("warp", True, False, False),
    (1, 3, 768): ("block", True, False, False),
    (1, 3, 769): ("block", True, False, False),
    (1, 2, 9000): ("block", True, True, False),
    (3, 4, 64): ("warp", True, False, True),
    (3, 4, 640): ("block", True, False, True),
    (5, 3, 49): ("block", True, False, True),
    (5, 3, 2000): ("block", True, True, True),
    (40, 33, 1): ("columns", True, False, False),
    (3000, 9, 1): ("columns", True, True, False),
    (7, 1, 8): ("warp", True, False, False),
}


def moments(xp, x, scale, *, eps):
    mean, rest, var = xp.row_moments(x)
    return (x - mean - rest) / xp.sqrt(var + eps) * scale, mean + rest, var


def softmax(xp, x, axis):
    e = xp.exp(x - xp.max(x, axis, keepdims=True))
    return e / xp.sum(e, axis, keepdims=True)


def products(xp, x, g, scale):
    return xp.row_sum(x * g) * x + g * scale, x * g, g


def as_rows(x, shape):
    """Data with each row along the last axis, in float64."""
    return np.moveaxis(x.astype(float).reshape(shape), 1, 0).reshape(shape[1], -1)


SIGNATURES = {  # the kinds of a body's arrays, and of its results
    softmax: ((ELEMENT,), (ELEMENT,)),
    moments: ((ELEMENT, ROW), (ELEMENT, ROW, ROW)),
    products: ((ELEMENT, ELEMENT, COLUMN), (ELEMENT, COLUMN, COLUMN)),
}


def launch_of_moments(space, shape, dtype):
    """The Launch that `moments` has for data of a shape."""
    kinds, result_kinds = SIGNATURES[moments]
    dtypes = (np.dtype(dtype),) * len(kinds)
    made = gpu.RowBody(space.module, moments, kinds, result_kinds, dtypes, {}, ("eps",))
    given = [space.zeros(np.prod(shape), dtype)] * len(kinds)
    return made.prepared(shape, given, {"eps": 0.1})[0]


def run_moments(space, shape, x, scale):
    """The results of `moments` on the host."""
    results = space.bodies.rows(
        moments, shape, SIGNATURES[moments][1], elements=(x,), rows=(scale,), eps=0.1
    )
    return map(arrays.to_host, results)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_layout_follows_from_the_shape(space, shape):
    layout = launch_of_moments(space, shape, "float32").layout
    assert (layout.lanes, layout.held, layout.chunked, layout.segmented) == SHAPES[shape]


@pytest.mark.parametrize(
    "shape", [(1, 2, 2**33), (2**31, 2, 3), (2**28, 16, 1), (1, 2**31 - 9, 1), (1, 1, 2**31 - 9)]
)
@pytest.mark.parametrize("aligned", [True, False])
def test_grids_and_indices_of_huge_data_are_in_range(space, shape, aligned):
    problem = row_layout.Problem(shape, (np.dtype("float32"),) * 2, 2, aligned, 0, False, True)
    launch = row_layout.choose(problem)
    assert launch.chunks <= 65535 and launch.blocks < 2**31
    assert launch.chunks == 1 or launch.layout.chunked
    rows_at_once = launch.blocks * max(launch.block // launch.threads, 1)
    packs_at_once = launch.threads * launch.layout.packs * launch.chunks
    last = max(shape[1] + rows_at_once, shape[0] * shape[2] + packs_at_once, np.prod(shape))
    assert launch.layout.index == "long long" or last < 2**31


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_moments(space, shape, dtype):
    rng = np.random.default_rng(0)
    x = (rng.standard_normal(np.prod(shape)) + 30).astype(dtype)
    scale = rng.random(shape[1]).astype("float32")
    out, mean, var = run_moments(space, shape, space.array(x), space.array(scale))
    data = as_rows(x, shape)
    close(mean, data.mean(1), rtol=1e-6, atol=0)
    close(var, data.var(1), rtol=1e-5, atol=1e-6)
    wanted = (data - data.mean(1)[:, None]) / np.sqrt(data.var(1) + 0.1)[:, None] * scale[:, None]
    rtol = {2: 1e-2, 4: 1e-4, 8: 1e-6}[x.itemsize]
    close(as_rows(out, shape), wanted, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("length", [1, 7, 100, 1000, 4096, 33000, 40000])
def test_softmax(space, length, dtype):
    x = np.random.default_rng(0).standard_normal((3, length)).astype(dtype)
    found = arrays.to_host(space.bodies.along(softmax, -1, space.array(x)))
    e = np.exp(x.astype(float) - x.astype(float).max(1, keepdims=True))
    rtol = {2: 1e-2, 4: 1e-5, 8: 1e-12}[x.itemsize]
    close(found.astype(float), e / e.sum(1, keepdims=True), rtol=rtol, atol=1e-6)


@pytest.mark.parametrize("shape", [(3, 2, 20000), (90, 2, 499), (3, 5, 1)], ids=str)
def test_rows_that_are_read_again_may_have_parts(space, shape):
    x = np.random.default_rng(0).standard_normal(np.prod(shape)).astype("float32")
    found = space.bodies.rows(softmax, shape, (ELEMENT,), elements=(space.array(x),), axis=None)
    e = np.exp(as_rows(x, shape))
    close(as_rows(arrays.to_host(found), shape), e / e.sum(1, keepdims=True), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("rows, length", [(3, 5), (700, 24), (600, 300), (5, 9000)])
def test_sums_over_rows(space, rows, length, dtype):
    """They are computed in float32 for data of any dtype, including for long rows."""
    rng = np.random.default_rng(0)
    x, g = (rng.standard_normal((rows, length)).astype(dtype) for _ in range(2))
    scale = rng.random(length).astype("float32")
    results = space.bodies.rows(
        products,
        (1, rows, length),
        (ELEMENT, COLUMN, COLUMN),
        elements=(space.array(x), space.array(g)),
        columns=(space.array(scale),),
    )
    out, by_scale, by_shift = map(arrays.to_host, results)
    assert out.dtype == dtype and by_scale.dtype == (np.float64 if x.itemsize == 8 else np.float32)
    x, g = x.astype(float), g.astype(float)
    rtol = 1e-4 if rows > 5 or length < 9000 or by_scale.itemsize == 8 else 1e-2
    close(by_scale, (x * g).sum(0), rtol=rtol, atol=1e-4)
    close(by_shift, g.sum(0), rtol=rtol, atol=1e-4)


def quotients(xp, x, divisor):
    return x / divisor


def test_a_row_is_divided_by_any_number(space):
    divisor = np.float32([3, 0, -0.0, np.inf, np.nan, 3e38, 2e-38, -7])
    x = np.repeat(np.float32([[0, 1, -2, 3e38, np.inf, np.nan]]), 8, 0)
    found = space.bodies.rows(
        quotients,
        (1, *x.shape),
        (ELEMENT,),
        elements=(space.array(x),),
        rows=(space.array(divisor),),
    )
    with np.errstate(all="ignore"):
        wanted = x / divisor[:, None]
    np.testing.assert_allclose(arrays.to_host(found), wanted, rtol=3e-7, atol=1e-37)


def test_memory_that_is_not_aligned_is_read_too(space):
    x = np.random.default_rng(0).random(4 * 64 + 1).astype("float32")
    shifted = space.array(x)[1:].reshape(4, 64)
    found = arrays.to_host(space.bodies.along(softmax, -1, shifted))
    again = arrays.to_host(space.bodies.along(softmax, -1, space.array(x[1:].reshape(4, 64))))
    close(found, again, rtol=1e-6, atol=0)


def test_numbers_that_are_not_finite_stay_in_their_row(space):
    for shape in SHAPES:
        x = np.ones(np.prod(shape), "float32")
        x[0] = np.inf
        scale = space.array(np.ones(shape[1], "float32"))
        out, mean, _ = run_moments(space, shape, space.array(x), scale)
        wrong = ~np.isfinite(as_rows(out, shape)).all(1)
        np.testing.assert_array_equal(wrong, np.arange(shape[1]) == 0)
        np.testing.assert_array_equal(np.isfinite(mean), ~wrong)


# What is read and written -------------------------------------------------------------------------


def bytes_moved(launch_of_body, shape):
    """Returns the bytes of data and of sums that the kernels of a body move, counted in their
    source.

    Args:
        launch_of_body: (RowBody, Launch).
        shape: (outer, rows, inner).
    """
    body, launch = launch_of_body
    elements, moved = int(np.prod(shape)), 0
    for source, _ in body._kernels(launch.layout):
        for index in body.plan.there:
            if body.plan.kinds[index] == ELEMENT:
                loads = len(re.findall(rf"\(x{index} \+ offsets", source.text))
                moved += loads * elements * body.plan.dtypes[index].itemsize
        for number in source.stored:
            if f"(o{number} + offsets" in source.text:
                moved += elements * source.dtype_of(number).itemsize
        if source.summed:
            parts = launch.blocks * (launch.block // launch.threads)
            moved += 2 * parts * len(source.summed) * shape[0] * shape[2] * 4
    return moved


@pytest.mark.parametrize(
    "body, shape, ideal",
    [
        (softmax, (1, 4096, 512), 8),
        (softmax, (1, 512, 30522), 8),
        (moments, (1, 4096, 768), 8),
        (moments, (64, 2048, 49), 8),
        (moments, (64, 64, 112 * 112), 12),  # its sums first, so it is read twice
        (moments, (65536, 256, 1), 12),
        (products, (1, 4096, 768), 12),
        (products, (1, 65536, 64), 12),
        (products, (1, 8192, 4096), 12),
    ],
)
def test_bytes_moved_are_those_that_have_to_be(space, body, shape, ideal):
    kinds, result_kinds = SIGNATURES[body]
    scalars = {"eps": 0.1} if body is moments else {}
    flags = {"axis": None} if body is softmax else {}
    dtypes = (np.dtype("float32"),) * len(kinds)
    made = gpu.RowBody(space.module, body, kinds, result_kinds, dtypes, flags, tuple(scalars))
    launch = made.prepared(shape, [space.zeros(4, "float32")] * len(kinds), scalars)[0]
    assert bytes_moved((made, launch), shape) <= 1.1 * ideal * np.prod(shape)
    assert launch.blocks * launch.chunks >= 64


@pytest.mark.parametrize(
    "shape, forward, backward",
    [
        ((32, 64, 112 * 112), 12, 20),  # a channel does not fit a block: all data are read twice
        ((32, 256, 56 * 56), 12, 20),
        ((32, 512, 28 * 28), 12, 20),
        ((32, 2048, 49), 8, 12),
        ((65536, 256, 1), 12, 20),
    ],
)
def test_batch_norm_moves_the_bytes_that_it_has_to(space, monkeypatch, shape, forward, backward):
    bodies, prepared = [], gpu.RowBody.prepared

    def noted(body, small, given, scalars):
        bodies.append((body, given, scalars))
        return prepared(body, small, given, scalars)

    monkeypatch.setattr(gpu.RowBody, "prepared", noted)
    x = Tensor(np.ones((2, 3, 4, 4), np.float32))
    out, pull = ms.vjp(nn.BatchNorm2d(3).set_train(), x)
    pull(out)
    ideals = forward, backward
    assert len(bodies) == len(ideals)
    for (body, given, scalars), ideal in zip(bodies, ideals, strict=True):
        launch = prepared(body, shape, given, scalars)[0]
        assert bytes_moved((body, launch), shape) <= 1.1 * ideal * np.prod(shape), launch.layout
        assert launch.blocks * launch.chunks >= 64
