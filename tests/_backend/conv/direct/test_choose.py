"""Compiled convolution loops match the composed convolution."""

from types import SimpleNamespace

import numpy as np
import pytest
from kit import close_sums, same
from kit.loops import ByPython, ParallelByPython, every_size, fresh_loops, needs_numba

from mindspore_compat._backend import arrays
from mindspore_compat._backend.compiled import door, jit
from mindspore_compat._backend.conv import convolution
from mindspore_compat._backend.conv.direct import (
    choose,
    flat,
    gather,
    panels,
    planes,
    slices,
    winograd,
    winograd_tiles,
)
from mindspore_compat._backend.threads import parallel_loops, scheduler

pytestmark = pytest.mark.host

# shape, shape of the weights, stride, pads, dilation, groups
CASES = {
    "padded": ((2, 3, 9, 8), (4, 3, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),
    "strided": ((3, 5, 11, 12), (9, 5, 3, 3), (2, 2), ((1, 1), (0, 1)), (1, 1), 1),
    "strided, dilated": ((2, 4, 13, 12), (6, 4, 3, 2), (3, 2), ((0, 1), (2, 0)), (1, 2), 1),
    "groups": ((2, 6, 9, 9), (4, 3, 3, 3), (1, 1), ((2, 2), (2, 2)), (2, 2), 2),
    "wide padding": ((1, 4, 4, 4), (2, 4, 3, 3), (1, 1), ((5, 3), (4, 5)), (1, 1), 1),
    "large stride": ((2, 3, 10, 9), (5, 3, 4, 4), (3, 3), ((0, 0), (0, 0)), (1, 1), 1),
    "stride beyond the kernel": ((1, 2, 8, 10), (3, 2, 3, 1), (2, 4), ((0, 0), (0, 0)), (1, 1), 1),
    "phases without positions": ((2, 3, 9, 7), (5, 3, 2, 2), (2, 3), ((1, 0), (2, 1)), (2, 3), 1),
    "rows": ((2, 3, 40), (5, 3, 3), (1,), ((1, 1),), (1,), 1),
    "strided rows": ((2, 4, 41), (6, 2, 4), (2,), ((2, 1),), (2,), 2),
    # Only four windows along the last axis, because its stride is 5.
    "few of a stride": ((1, 4, 9, 20), (6, 4, 3, 7), (1, 5), ((1, 1), (3, 3)), (1, 1), 1),
    "tiny planes": ((5, 3, 2, 2), (7, 3, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),
}
VOLUMES = {
    "padded": ((3, 3, 5, 9, 8), (4, 3, 3, 3, 3), (1,) * 3, ((1, 1), (0, 1), (1, 0)), (1,) * 3, 1),
    "strided": ((2, 4, 7, 9, 10), (6, 4, 2, 3, 3), (2,) * 3, ((1, 0), (1, 1), (1, 1)), (1,) * 3, 1),
    "spread": ((2, 6, 8, 9, 9), (4, 3, 3, 3, 3), (3, 1, 1), ((2, 3), (2, 2), (2, 2)), (2,) * 3, 2),
    "wide": ((1, 2, 2, 6, 6), (3, 2, 1, 3, 3), (1,) * 3, ((3, 2), (1, 1), (1, 1)), (1,) * 3, 1),
}
LARGE = {
    "64 channels": ((3, 64, 14, 14), (70, 64, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),
    "bands": ((1, 8, 60, 70), (13, 8, 5, 3), (1, 1), ((2, 2), (1, 1)), (1, 1), 1),
    "strided": ((2, 16, 33, 31), (24, 16, 3, 3), (2, 2), ((1, 1), (1, 1)), (1, 1), 1),
    "first layer": ((1, 3, 40, 40), (20, 3, 7, 7), (2, 2), ((3, 3), (3, 3)), (1, 1), 1),
    "two groups": ((2, 32, 9, 9), (64, 16, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 2),
    "uneven padding": ((1, 35, 44, 51), (40, 35, 3, 3), (1, 1), ((2, 0), (0, 2)), (1, 1), 1),
    "long sums": ((1, 300, 5, 6), (20, 300, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),
}
WAYS = {"flat": flat, "gather": gather, "panels": panels, "winograd": winograd}


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def any_size(request, monkeypatch):
    """Runs each algorithm on arrays of any size, in small pieces, with newly compiled loops."""

    def way(plan, gives):
        own = plan.groups == 1 and plan.taps  # what panels are made for
        if request.param is winograd or request.param is panels and not own:
            return flat
        return request.param

    monkeypatch.setattr(choose, "_fastest", way)
    monkeypatch.setattr(choose, "_winograd_pays", lambda *_: request.param is winograd)
    monkeypatch.setattr(winograd, "TILES", 1 << 12)
    monkeypatch.setattr(winograd, "SUMMED", 16)
    monkeypatch.setattr(winograd, "CHANNELS", 16)
    monkeypatch.setattr(panels, "COPIES", 1 << 10)
    for module in WAYS.values():
        monkeypatch.setattr(module, "PIECE", 1 << 14)
    monkeypatch.setattr(gather, "SAMPLES", 1 << 14)
    monkeypatch.setattr(flat, "SPAN", 1 << 8)
    monkeypatch.setattr(slices, "WORKSPACE", 1 << 12)
    monkeypatch.setattr(gather, "WINDOWS", 1 << 7)
    for module in (planes, flat, gather):
        monkeypatch.setattr(module, "CACHE", 1 << 12)
    caches = [
        panels._copies,
        panels._correlation,
        flat._correlations,
        flat._sums,
        gather._correlation,
        gather._sums,
        winograd._correlation,
        winograd._sums,
    ]
    with fresh_loops(monkeypatch, None, *caches):
        yield


def operands(x_shape, w_shape, *options):
    rng = np.random.default_rng(0)
    geo = convolution.geometry(x_shape, w_shape, *options)
    x, w, g = (
        rng.standard_normal(shape, dtype=np.float32)
        for shape in (x_shape, w_shape, (x_shape[0], w_shape[0], *geo.out))
    )
    return x, w / np.sqrt(w[0].size, dtype=np.float32), g, geo


def composed(x, w, g, geo):
    """The three results without loops, in float64."""
    x, w, g = (each.astype(np.float64) for each in (x, w, g))
    options = geo.stride, geo.pads, geo.dilation, geo.groups
    return (
        convolution.convolve(arrays.HOST, x, w, *options),
        convolution.input_gradient(arrays.HOST, g, w, x.shape, *options),
        convolution.weight_gradient(arrays.HOST, g, x, w.shape, *options),
    )


def by_loops(x, w, g, geo):
    return (
        door.call("convolve", x, w, geo),
        door.call("convolve_input_gradient", g, w, geo),
        door.call("convolve_weight_gradient", g, x, geo),
    )


def check(given):
    geo = given[-1]
    root = (geo.batch * np.prod(geo.out)) ** 0.5  # the weight gradient sums over all windows
    for have, want, scale in zip(by_loops(*given), composed(*given), (1, 1, root), strict=True):
        assert have.shape == want.shape and have.dtype == np.float32 and have.flags.c_contiguous
        close_sums(have / np.float32(scale), (want / scale).astype(np.float32))


@pytest.mark.parametrize("case", ["padded", "strided, dilated"])
def test_loops_mean_what_the_composed_convolution_means(case, any_size, monkeypatch):
    monkeypatch.setattr(jit, "Loop", ByPython)
    monkeypatch.setattr(parallel_loops, "ParallelLoop", ParallelByPython)
    check(operands(*CASES[case]))


@needs_numba
@pytest.mark.parametrize(
    "case",
    [*CASES.values(), *VOLUMES.values(), *LARGE.values()],
    ids=[*CASES, *[f"volumes, {name}" for name in VOLUMES], *LARGE],
)
def test_compiled_loops_give_the_same(case, any_size, monkeypatch):
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    check(operands(*case))


def winograd_errors(choice, given, monkeypatch):
    """Returns the largest error of each result under a setting of MINDSPORE_COMPAT_WINOGRAD,
    relative to the largest element."""
    monkeypatch.setenv("MINDSPORE_COMPAT_WINOGRAD", choice)
    pairs = zip(by_loops(*given), composed(*given), strict=True)
    return np.array([np.abs(have - want).max() / np.abs(want).max() for have, want in pairs])


@needs_numba
@pytest.mark.parametrize("case", [CASES["padded"], LARGE["64 channels"], LARGE["uneven padding"]])
def test_winograd_is_accurate_but_for_large_tiles(case, any_size, monkeypatch):
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    monkeypatch.setattr(choose, "_winograd_pays", lambda *_: True)
    given = operands(*case)
    small, large, other = (winograd_errors(each, given, monkeypatch) for each in ("2", "4", "off"))
    assert (small < 2 * other).all()  # its sums are shorter
    assert (large > small).all() and (large < 3e-5).all()


def test_results_smaller_than_large_tiles_take_small_ones(monkeypatch):
    monkeypatch.setattr(choose, "_winograd_pays", lambda *_: True)
    ready = SimpleNamespace(is_ready=lambda: True)
    monkeypatch.setattr(winograd, "_loop", lambda function, method: ready)
    monkeypatch.setenv("MINDSPORE_COMPAT_WINOGRAD", "4")
    for size, method in ((3, winograd_tiles.F2), (4, winograd_tiles.F4)):
        geo = convolution.geometry((1, 2, size, 9), (2, 2, 3, 3), (1, 1), ((1, 1),) * 2, (1, 1), 1)
        assert choose._winograd_method(choose._plan(geo), "images") is method
    monkeypatch.setenv("MINDSPORE_COMPAT_WINOGRAD", "6")
    with pytest.raises(ValueError, match="MINDSPORE_COMPAT_WINOGRAD must be '2' or '4' or 'off'"):
        choose._winograd_method(choose._plan(geo), "images")


@needs_numba
def test_any_number_of_threads_gives_the_same_bits(any_size, monkeypatch):
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    for case in (*LARGE.values(), *VOLUMES.values()):
        found = []
        for count in (1, 2, 4):
            scheduler.limit(count)
            try:
                found.append(by_loops(*operands(*case)))
            finally:
                scheduler.limit(0)
        for each in found[1:]:
            for have, want in zip(each, found[0], strict=True):
                same(have, want)


@needs_numba
def test_arrays_that_are_not_contiguous_are_copied(any_size, monkeypatch):
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    x, w, g, geo = operands(*CASES["padded"])
    wanted = by_loops(x, w, g, geo)
    x, w, g = (np.ascontiguousarray(each.T).T for each in (x, w, g))
    w.flags.writeable = False
    for have, want in zip(by_loops(x, w, g, geo), wanted, strict=True):
        same(have, want)


def copied_for_weights(side):
    """Returns the number of elements that the weight gradient copies or clears, with flat planes of
    three channels."""
    given = operands((1, 3, side, side), (8, 3, 3, 3), (1, 1), ((1, 1),) * 2, (1, 1), 1)
    chunks, parts, lengths = flat._sums(choose._plan(given[3]))[-3:]
    return sum(last - first for first, last in parts[:, :2]) * sum(lengths), len(chunks)


def test_the_weight_gradient_of_few_channels_copies_in_proportion_to_the_pixels():
    (small, _), (large, chunks) = map(copied_for_weights, (128, 512))
    assert chunks > 64
    assert large < 1.2 * 16 * small


@needs_numba
@pytest.mark.parametrize("value", [np.inf, np.nan])
@pytest.mark.parametrize("case", ["padded", "strided", "tiny planes"])
def test_infinity_and_nan_go_where_the_composed_way_takes_them(case, value, any_size, monkeypatch):
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    x, w, g, geo = operands(*CASES[case])
    options = geo.stride, geo.pads, geo.dilation, geo.groups
    for each in (x, g, w):
        old, each[0, 1, 1, 0] = each[0, 1, 1, 0], value
        with np.errstate(invalid="ignore"):
            wanted = composed(x, w, g, geo)
        found = (
            convolution.convolve(arrays.HOST, x, w, *options),
            convolution.input_gradient(arrays.HOST, g, w, x.shape, *options),
            convolution.weight_gradient(arrays.HOST, g, x, w.shape, *options),
        )
        for have, want in zip(found, wanted, strict=True):
            same(np.isnan(have), np.isnan(want))
            same(np.isposinf(have), np.isposinf(want))
        each[0, 1, 1, 0] = old


@pytest.mark.parametrize(
    ("x", "w", "stride", "pad", "forward", "weights"),
    [
        ((16, 64, 56, 56), (64, 64, 3, 3), 1, 1, flat, gather),
        ((16, 256, 14, 14), (256, 256, 3, 3), 1, 1, gather, gather),
        ((8, 64, 56, 56), (128, 64, 3, 3), 2, 1, gather, gather),
        ((32, 1, 32, 32), (6, 1, 5, 5), 1, 0, flat, flat),
        ((8, 256, 2, 2), (256, 256, 3, 3), 1, 1, panels, None),
        ((4, 96, 8, 8), (160, 96, 3, 3), 1, 1, panels, panels),
        ((2, 512, 7, 7), (512, 512, 3, 3), 1, 1, panels, None),
        ((2, 512, 1, 1), (512, 512, 3, 3), 1, 1, None, None),
        ((1, 64, 1, 160_000), (64, 64, 1, 3), 1, 0, None, None),
        ((16, 256, 14, 14), (256, 256, 1, 1), 1, 0, gather, panels),
    ],
)
def test_each_shape_goes_the_way_that_is_fastest(x, w, stride, pad, forward, weights):
    plan = choose._plan(convolution.geometry(x, w, (stride,) * 2, ((pad, pad),) * 2, (1, 1), 1))
    assert choose._fastest(plan, "images") is forward
    assert choose._fastest(plan, "weights") is weights


@needs_numba
@pytest.mark.parametrize(
    ("x", "w", "forward", "weights"),
    [
        ((16, 64, 56, 56), (64, 64, 3, 3), True, True),
        ((2, 64, 7, 7), (64, 64, 3, 3), True, True),
        ((8, 512, 2, 2), (512, 512, 3, 3), False, False),
        ((16, 8, 32, 32), (16, 8, 3, 3), False, False),
    ],
)
def test_winograd_is_for_many_tiles_and_channels(x, w, forward, weights):
    plan = choose._plan(convolution.geometry(x, w, (1, 1), ((1, 1), (1, 1)), (1, 1), 1))
    assert choose._winograd_applies(plan)
    assert choose._winograd_pays(plan, "images") is forward
    assert choose._winograd_pays(plan, "weights") is weights


@pytest.mark.parametrize(
    ("x", "w", "pad"), [((16, 3, 224, 224), (64, 3, 7, 7), 3), ((16, 3, 64, 64), (64, 3, 4, 4), 1)]
)
def test_the_input_gradient_for_few_channels_shares_flat_planes(x, w, pad):
    geo = convolution.geometry(x, w, (2, 2), ((pad, pad),) * 2, (1, 1), 1)
    ways = [choose._fastest(plan, "inputs") for plan, _ in choose._phases(geo)]
    assert ways == [flat] * 4


@needs_numba
@pytest.mark.parametrize("stride", [1, 2])
def test_only_the_weights_gradient_of_a_product_takes_loops(stride, monkeypatch):
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    monkeypatch.setattr(jit, "available", lambda: True)
    given = operands((5, 40, 9, 9), (36, 40, 1, 1), (stride,) * 2, ((0, 0),) * 2, (1, 1), 1)
    every_size(monkeypatch)
    out, grad_x, grad_w = by_loops(*given)
    assert out is None and grad_x is None
    windows = np.float32(given[2][:, 0].size ** 0.5)  # whose products are summed
    close_sums(grad_w / windows, (composed(*given)[2] / windows).astype(np.float32))


def test_products_with_large_factors_are_left_to_numpy(monkeypatch):
    monkeypatch.setattr(jit, "available", lambda: True)
    monkeypatch.setattr(panels, "is_ready", lambda: pytest.fail("asked for"))
    for x_shape, filters in [((1, 512, 2, 2), 256), ((16, 64, 40, 40), 16)]:  # weights, images
        x, _, g, geo = operands(
            x_shape, (filters, x_shape[1], 1, 1), (1, 1), ((0, 0),) * 2, (1, 1), 1
        )
        assert door.call("convolve_weight_gradient", g, x, geo) is None


def test_other_cases_are_left_to_numpy(any_size):
    x, w, g, geo = operands(*CASES["padded"])
    assert door.call("convolve", x.astype(np.float64), w.astype(np.float64), geo) is None
    assert (
        door.call("convolve_weight_gradient", g.astype(np.float16), x.astype(np.float16), geo)
        is None
    )
    patches = operands((2, 3, 8, 8), (5, 3, 4, 4), (4, 4), ((0, 0), (0, 0)), (1, 1), 1)
    assert by_loops(*patches) == (None, None, None)
    cut = geo._replace(pads=((-1, 0), (0, 0)))
    assert door.call("convolve_input_gradient", g, w, cut) is None
    assert door.call("convolve", x[:0], w, geo._replace(batch=0)) is None
