"""Convolutions by cuDNN give the same results as on the host without unnecessary calls.

They run where CuPy computes, on a GPU or on the simulated CUDA, which counts calls and copies.
"""

import threading

import ml_dtypes
import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat._backend import arrays
from mindspore_compat._backend.cuda import convolution, cublas, cudnn
from mindspore_compat._backend.cuda.handles import Handles
from mindspore_compat._backend.host import checksums

pytestmark = [
    pytest.mark.parametrize("space", ["cupy"], indirect=True),
    pytest.mark.skipif(not arrays.gpu_available(), reason="no GPU computes"),
]
DTYPES = ["float32", "float64", "float16", ml_dtypes.bfloat16]
NOTHING = ((0, 0), (0, 0))
# shapes of images and weights, stride, pads, dilation, groups; the number of additional launches
# and fills, which pad or cut the input
CASES = {
    "plain": ((2, 3, 7, 6), (4, 3, 3, 2), (1, 1), NOTHING, (1, 1), 1, 0),
    "padded": ((2, 3, 7, 6), (4, 3, 3, 3), (1, 1), ((1, 1), (2, 2)), (1, 1), 1, 0),
    "strided": ((2, 3, 9, 8), (4, 3, 3, 2), (2, 3), ((1, 1), (0, 0)), (1, 1), 1, 0),
    "dilated": ((2, 3, 9, 8), (4, 3, 3, 2), (1, 2), ((1, 1), (2, 2)), (2, 3), 1, 0),
    "groups": ((2, 6, 5, 5), (4, 3, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 2, 0),
    "depthwise": ((2, 4, 5, 5), (8, 1, 3, 3), (2, 1), ((1, 1), (1, 1)), (1, 2), 4, 0),
    "pointwise": ((2, 4, 5, 3), (6, 4, 1, 1), (1, 1), NOTHING, (1, 1), 1, 0),
    "strided pointwise": ((2, 4, 5, 3), (6, 2, 1, 1), (2, 2), NOTHING, (1, 1), 2, 0),
    "one axis": ((2, 3, 9), (4, 3, 4), (2,), ((1, 1),), (2,), 1, 0),
    "three axes": ((2, 2, 4, 5, 6), (3, 2, 2, 3, 1), (1, 2, 1), ((0, 0), (1, 1), (0, 0)))
    + ((2, 1, 1), 1, 0),
    "more after": ((2, 3, 8, 8), (4, 3, 3, 3), (2, 2), ((0, 1), (0, 1)), (1, 1), 1, 5),
    "more before": ((2, 3, 8, 8), (4, 3, 3, 3), (1, 1), ((2, 1), (3, 0)), (1, 1), 1, 5),
    "more after than is read": ((2, 3, 9, 9), (4, 3, 3, 3), (2, 2), ((1, 2),) * 2, (1, 1), 1, 0),
    "cut": ((2, 3, 8, 8), (4, 3, 3, 3), (1, 1), ((-1, 2), (-2, -1)), (1, 1), 1, 6),
    "wide pads": ((1, 2, 2, 2), (3, 2, 3, 3), (2, 2), ((4, 4), (4, 4)), (1, 1), 1, 0),
    "no batch": ((0, 3, 7, 6), (4, 3, 3, 2), (1, 1), NOTHING, (1, 1), 1, 0),
}


def _numbers(name, dtype):
    """Returns the images, the weights and the output gradient of a case, and its sizes."""
    rng = np.random.default_rng(5)
    x_shape, w_shape, *sizes = CASES[name][:-1]
    x, w = (rng.standard_normal(shape).astype(dtype) for shape in (x_shape, w_shape))
    shape = arrays.HOST.convolve_nd(x.astype(np.float64), w.astype(np.float64), *sizes).shape
    return x, w, rng.standard_normal(shape).astype(dtype), sizes


def _all(space, x, w, g, sizes):
    """The convolution and both gradients."""
    return (
        space.convolve_nd(x, w, *sizes),
        space.convolve_input(g, w, x.shape, *sizes),
        space.convolve_weight(g, x, w.shape, *sizes),
    )


def _wide(*values):
    return [value.astype(np.float64) for value in values]


def _checked(results, wanted, dtype):
    for found, exact in zip(results, wanted, strict=True):
        assert found.shape == exact.shape and found.dtype == np.dtype(dtype)
        bits = 7 if found.dtype == ml_dtypes.bfloat16 else np.finfo(found.dtype).nmant
        size = np.max(np.abs(exact), initial=1)
        close(found.get().astype(np.float64), exact, atol=8 * size * 2.0**-bits)


@pytest.fixture
def counted():
    """What calls a function makes of the simulated device."""
    counters = pytest.importorskip("simulated_cuda").counters

    def count(function):
        before = counters()
        function()
        after = counters()
        names = ("convolutions", "matrix_products", "launches", "fills", "device_to_device")
        return {name: after[name] - before[name] for name in names if after[name] != before[name]}

    return count


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("name", CASES)
def test_the_numbers_are_those_of_the_host(space, name, dtype):
    x, w, g, sizes = _numbers(name, dtype)
    found = _all(space, *map(space.asarray, (x, w, g)), sizes)
    _checked(found, _all(arrays.HOST, *_wide(x, w, g), sizes), dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("name", CASES)
def test_each_is_one_call(space, name, dtype, counted):
    *numbers, sizes = _numbers(name, dtype)
    x, w, g = map(space.asarray, numbers)
    _all(space, x, w, g, sizes)
    counts = counted(lambda: _all(space, x, w, g, sizes))
    if 0 in x.shape:
        assert "convolutions" not in counts and "matrix_products" not in counts
        return
    assert counts.pop("convolutions") == 3
    assert sum(counts.values()) == CASES[name][-1]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", ["padded", "groups", "strided pointwise", "three axes"])
def test_channels_that_are_last_stay_last(space, name, dtype, counted):
    x, w, g, sizes = _numbers(name, dtype)
    wanted = _all(arrays.HOST, *_wide(x, w, g), sizes)
    last = [space.asarray(np.ascontiguousarray(np.moveaxis(part, 1, -1))) for part in (x, w, g)]
    views = [space.moveaxis(part, -1, 1) for part in last]
    results = _all(space, *views, sizes)
    _checked(results, wanted, dtype)
    assert all(space.moveaxis(part, 1, -1).flags.c_contiguous for part in results)
    assert counted(lambda: _all(space, *views, sizes)) == {"convolutions": 3}


def test_float64_has_its_channels_second(space, counted):
    x, w, g, sizes = _numbers("padded", "float64")
    views = [
        space.moveaxis(space.asarray(np.ascontiguousarray(np.moveaxis(part, 1, -1))), -1, 1)
        for part in (x, w, g)
    ]
    _checked(_all(space, *views, sizes), _all(arrays.HOST, x, w, g, sizes), "float64")
    assert counted(lambda: _all(space, *views, sizes))["convolutions"] == 3


def test_operands_that_do_not_lie_packed_are_copied(space):
    x, w, g, sizes = _numbers("padded", "float32")
    gaps = space.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)[..., ::2]
    gaps[...] = space.asarray(x)
    turned = space.asarray(w[..., ::-1].copy())[..., ::-1]
    odd = space.zeros(g.size + 1, g.dtype)[1:].reshape(g.shape)  # not at a multiple of 16 bytes
    odd[...] = space.asarray(g)
    wanted = _all(arrays.HOST, *_wide(x, w, g), sizes)
    _checked(_all(space, gaps, turned, odd, sizes), wanted, "float32")
    same = space.broadcast_to(space.ones((), np.float32), g.shape)
    wanted = arrays.HOST.convolve_input(np.ones(g.shape), w.astype(float), x.shape, *sizes)
    found = space.convolve_input(same, space.asarray(w), x.shape, *sizes)
    _checked([found], [wanted], "float32")


def test_half_types_are_summed_in_float32(space):
    sizes = (1, 1), NOTHING, (1, 1), 1
    for dtype in ("float16", ml_dtypes.bfloat16):
        channels = space.ones((1, 4096, 1, 1), dtype)
        images = space.ones((4096, 1, 1, 1), dtype)
        out = space.convolve_nd(channels, channels, *sizes)
        grad = space.convolve_weight(images, images, (1, 1, 1, 1), *sizes)
        assert float(out.item()) == float(grad.item()) == 4096


def test_tf32_is_used_where_it_is_allowed(space, monkeypatch):
    monkeypatch.setattr(cublas, "tf32", {"matmul": True, "conv": False})
    x, w = space.full((1, 1, 1, 1), 1 + 2.0**-20, np.float32), space.ones((1, 1, 1, 1), np.float32)

    def convolved():
        return [float(part.item()) for part in _all(space, x, w, x, ((1, 1), NOTHING, (1, 1), 1))]

    assert min(convolved()) > 1
    monkeypatch.setitem(cublas.tf32, "conv", True)
    assert convolved() == [1, 1, 1]


def test_a_convolution_is_captured_and_replayed(space):
    cuda, rng = space.module.cuda, np.random.default_rng(4)
    *numbers, sizes = _numbers("groups", "float16")
    x, w, g = map(space.asarray, numbers)
    stream, pool = cuda.Stream(non_blocking=True), cuda.MemoryPool()
    with stream, cuda.using_allocator(pool.malloc):
        _all(space, x, w, g, sizes)
        stream.begin_capture()
        made = _all(space, x, w, g, sizes)
        graph = stream.end_capture()
        x[...] = space.asarray(rng.standard_normal(x.shape).astype(np.float16))
        graph.launch(stream)
        wanted = _all(space, x, w, g, sizes)
    stream.synchronize()
    for one, two in zip(made, wanted, strict=True):
        np.testing.assert_array_equal(one.get(), two.get())


def test_the_workspace_is_bounded(space, monkeypatch):
    monkeypatch.setattr(space.convolutions, "_plans", {})
    *numbers, sizes = _numbers("padded", "float32")
    x, w, g = map(space.asarray, numbers)
    _all(space, x, w, g, sizes)
    plans = list(space.convolutions._plans.values())
    used = [algorithms[0].workspace for algorithms in plans]
    assert 0 < max(used) <= convolution.MOST_WORKSPACE
    monkeypatch.setattr(convolution, "MOST_WORKSPACE", max(used) - 1)
    space.convolutions._plans.clear()
    wanted = _all(arrays.HOST, *_wide(*numbers), sizes)
    _checked(_all(space, x, w, g, sizes), wanted, "float32")
    kept = list(space.convolutions._plans.values())
    assert all(each.workspace < max(used) for algorithms in kept for each in algorithms)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("reason", ["missing", "refused", "refused late", "watched"])
def test_products_take_its_place(space, dtype, reason, monkeypatch, counted):
    convolutions = space.convolutions
    monkeypatch.setattr(convolutions, "_plans", {})
    if reason == "missing":
        monkeypatch.setattr(convolutions, "library", None)
    elif reason == "watched":
        monkeypatch.setattr(checksums, "on", True)
    for name in ("Forward", "BackwardData", "BackwardFilter"):
        listed = "GetConvolution{}Algorithm_v7" if reason == "refused" else "Convolution{}"
        if reason.startswith("refused"):
            function = f"cudnn{listed.format(name)}"
            monkeypatch.setattr(convolutions.library, function, lambda *arguments: 3000)
    for name in ("dilated", "groups", "one axis"):
        x, w, g, sizes = _numbers(name, dtype)
        made = []
        numbers = list(map(space.asarray, (x, w, g)))
        counts = counted(lambda: made.extend(_all(space, *numbers, sizes)))
        assert "convolutions" not in counts and counts["matrix_products"] >= 3
        _checked(made, _all(arrays.HOST, *_wide(x, w, g), sizes), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_pointwise_products_are_single_calls(space, dtype, monkeypatch, counted):
    monkeypatch.setattr(space.convolutions, "library", None)
    x, w, g, sizes = _numbers("pointwise", dtype)
    on_gpu = list(map(space.asarray, (x, w, g)))
    _all(space, *on_gpu, sizes)
    x, w, g = on_gpu
    assert counted(lambda: space.convolve_nd(x, w, *sizes)) == {"matrix_products": 1}
    assert counted(lambda: space.convolve_input(g, w, x.shape, *sizes)) == {"matrix_products": 1}


def test_a_library_that_does_not_start_is_left(space, monkeypatch, counted):
    library = space.convolutions.library
    monkeypatch.setattr(space.convolutions, "library", library)  # put back in the end
    monkeypatch.setattr(library, "handles", Handles(library._new_handle))
    monkeypatch.setattr(library, "cudnnCreate", lambda *_: 3000)
    x, w, g, sizes = _numbers("padded", "float32")
    on_gpu = list(map(space.asarray, (x, w, g)))
    with pytest.warns(UserWarning, match="cuDNN does not start.*NOT_SUPPORTED"):
        found = _all(space, *on_gpu, sizes)
    _checked(found, _all(arrays.HOST, *_wide(x, w, g), sizes), "float32")
    assert "convolutions" not in counted(lambda: _all(space, *on_gpu, sizes))


def test_a_failure_is_an_error_with_its_name(space, monkeypatch):
    monkeypatch.setattr(space.convolutions, "_plans", {})
    monkeypatch.setattr(space.convolutions.library, "cudnnConvolutionForward", lambda *_: 5000)
    *numbers, sizes = _numbers("plain", "float32")
    x, w, _ = map(space.asarray, numbers)
    with pytest.raises(RuntimeError, match="cudnnConvolutionForward.*EXECUTION_FAILED"):
        space.convolve_nd(x, w, *sizes)


def test_a_thread_takes_the_handle_of_one_that_has_ended(space, monkeypatch):
    library = space.convolutions.library
    monkeypatch.setattr(library, "handles", Handles(library._new_handle))
    x, w, _, sizes = _numbers("plain", "float32")
    x, w, handles = space.asarray(x), space.asarray(w), []

    def convolve():
        space.convolve_nd(x, w, *sizes)
        handles.append(library.handle()[1])

    convolve()
    for _ in range(2):
        thread = threading.Thread(target=convolve)
        thread.start()
        thread.join()
    assert handles[0] != handles[1] == handles[2]


def test_threads_that_give_up_an_algorithm_at_once_keep_the_others(space, monkeypatch):
    convolutions, (x, w, _, sizes) = space.convolutions, _numbers("plain", "float32")
    monkeypatch.setattr(convolutions, "_plans", {})
    x, w = space.asarray(x), space.asarray(w)
    wanted = space.convolve_nd(x, w, *sizes)
    (algorithms,) = convolutions._plans.values()
    works = algorithms[0]

    def fails(*arguments):
        if broken in algorithms:
            algorithms.remove(broken)  # as another thread does after its own call has failed
        return cudnn.NOT_SUPPORTED[0]

    broken = cudnn.Algorithm(fails, 0)
    algorithms[:] = [broken, works]
    close(space.convolve_nd(x, w, *sizes).get(), wanted.get())
    assert algorithms == [works]


def test_images_without_elements_are_zeros(space):
    x, w = space.ones((2, 3, 0, 6), np.float32), space.ones((4, 3, 2, 2), np.float32)
    sizes = (1, 1), ((1, 1), (0, 0)), (1, 1), 1
    out = space.convolve_nd(x, w, *sizes)
    assert out.shape == (2, 4, 1, 5) and not out.any()
    grad = space.convolve_weight(out, x, w.shape, *sizes)
    assert grad.shape == w.shape and not grad.any()
    assert space.convolve_input(out, w, x.shape, *sizes).shape == x.shape


def test_sizes_that_do_not_fit_are_refused(space):
    x, w = space.ones((1, 3, 4, 4), np.float32), space.ones((2, 2, 3, 3), np.float32)
    with pytest.raises(ValueError, match="channels"):
        space.convolve_nd(x, w, (1, 1), NOTHING, (1, 1), 1)


@pytest.mark.parametrize("dtype", [ms.float32, ms.float16, ms.bfloat16], ids=str)
def test_nothing_is_cast_or_copied_around_the_convolutions_of_a_resnet_block(space, dtype, counted):
    settings = {"pad_mode": "pad", "dtype": dtype}
    block = nn.SequentialCell(  # the convolutions of a block of ResNet-50 and of its shortcut
        nn.Conv2d(16, 8, 1, **settings),
        nn.Conv2d(8, 8, 3, 2, padding=1, **settings),
        nn.Conv2d(8, 32, 1, **settings),
        nn.Conv2d(32, 16, 1, 2, **settings),
    )
    x, sens = ms.Tensor(np.ones((2, 16, 8, 8)), dtype), ms.Tensor(np.ones((2, 16, 2, 2)), dtype)
    gradient = ops.GradOperation(get_all=True, get_by_list=True, sens_param=True)
    gradient = gradient(block, ms.ParameterTuple(block.trainable_params()))
    gradient(x, sens)
    assert counted(lambda: block(x)) == {"convolutions": 4}
    assert counted(lambda: gradient(x, sens)) == {"convolutions": 12}


@pytest.mark.parametrize("dtype", [ms.float32, ms.float16, ms.bfloat16], ids=str)
def test_images_with_channels_last_are_read_as_they_lie(space, dtype, counted):
    convolve = ops.Conv2D(6, 3, pad_mode="pad", pad=1, data_format="NHWC")
    rng = np.random.default_rng(6)
    x, w = (ms.Tensor(rng.standard_normal(shape), dtype) for shape in ((2, 5, 4, 3), (6, 3, 3, 3)))
    sens = ms.Tensor(np.ones((2, 5, 4, 6)), dtype)
    gradient = ops.GradOperation(get_all=True, sens_param=True)(convolve)
    out, grads = convolve(x, w), gradient(x, w, sens)
    assert counted(lambda: convolve(x, w)) == {"convolutions": 1}
    assert counted(lambda: gradient(x, w, sens)) == {"convolutions": 3}
    moved = [np.moveaxis(part.float().asnumpy(), -1, 1).astype(float) for part in (x, w, sens)]
    sizes = (1, 1), ((1, 1), (1, 1)), (1, 1), 1
    wanted = _all(arrays.HOST, *moved, sizes)
    for part, exact in zip((out, *grads), wanted, strict=True):
        assert part.dtype == dtype
        found = np.moveaxis(part.float().asnumpy(), -1, 1)
        close(found, exact, rtol=1e-2, atol=np.max(np.abs(exact)) * 1e-2)
