"""Each kernel of the package gives the host's numbers on a device.

Bodies of layers and activations, the hand-written kernels of convolution and pooling, scatters, the
search for overflows, random numbers. The kernels of optimizers run in test_networks.py.
"""

import numpy as np
import pytest
from fakecupy import counting, rawkernels

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._backend.conv import cuda_kernels
from mindspore_compat._backend.cuda import bit_masks
from mindspore_compat._backend.random import streams
from mindspore_compat._backend.updates import finite

from .host import agree, copied, host, result_and_gradients
from .test_layers import FLAT, LAYERS, MASKED, SHAPES

pytestmark = [
    pytest.mark.device,
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
MORE_LAYERS = {
    "LSTM": lambda: OneResult(nn.LSTM(6, 8)),
    "GRU": lambda: OneResult(nn.GRU(6, 8)),
    "cross entropy": lambda: lambda x: ops.cross_entropy(x, Tensor([1, 0, 5, 2], ms.int32)),
    "hard swish": lambda: ops.hardswish,
    "logsumexp": lambda: lambda x: ops.logsumexp(x, -1),
    "l2_normalize": lambda: ops.L2Normalize(1),
    "cumsum": lambda: lambda x: ops.cumsum(x, 1),
    "gather": lambda: lambda x: ops.gather(x, Tensor([2, 0, 2], ms.int32), 0),
    "scatter": lambda: lambda x: ops.index_add(x, Tensor([1, 1], ms.int32), x[:2], 0),
    "sort": lambda: lambda x: ops.sort(x)[0],
    "top": lambda: lambda x: ops.topk(x, 2)[0],
    "var": lambda: lambda x: x.var(1),
    "digamma": lambda: lambda x: ops.lgamma(x.abs() + 1),
}
EVERY_LAYER = {**LAYERS, **MASKED, **MORE_LAYERS}
WINDOWS = {
    "MaxPool1d": (lambda: nn.MaxPool1d(2, 2), (2, 3, 8)),
    "MaxPool2d": (lambda: nn.MaxPool2d(3, 2, pad_mode="same"), (2, 3, 7, 6)),
    "MaxPool3d": (lambda: nn.MaxPool3d(2, 1), (1, 2, 4, 4, 4)),
    "MaxPool2d with indices": (
        lambda: OneResult(nn.MaxPool2d(2, 2, pad_mode="pad", return_indices=True)),
        (2, 3, 6, 6),
    ),
    "AvgPool2d": (lambda: nn.AvgPool2d(3, 2), (2, 3, 7, 7)),
    "AdaptiveAvgPool2d": (lambda: nn.AdaptiveAvgPool2d(3), (2, 3, 7, 7)),
    "AdaptiveAvgPool2d of planes": (lambda: nn.AdaptiveAvgPool2d(1), (2, 3, 7, 7)),
    "AdaptiveMaxPool2d": (lambda: nn.AdaptiveMaxPool2d(3), (2, 3, 7, 7)),
    "Conv2d": (lambda: nn.Conv2d(3, 4, 3, has_bias=True), (2, 3, 6, 6)),
    "Conv2d with stride": (lambda: nn.Conv2d(3, 4, 3, 2, dilation=2), (2, 3, 9, 9)),
    "Conv3d": (lambda: nn.Conv3d(2, 3, 2), (1, 2, 4, 4, 4)),
    "Conv2dTranspose": (lambda: nn.Conv2dTranspose(3, 2, 3, 2), (2, 3, 4, 4)),
    "grid_sample": (lambda: lambda x: ops.grid_sample(x, ops.tanh(x[:, :, :, :2])), (2, 3, 5, 6)),
}


class OneResult(nn.Cell):
    """A layer that returns only the first result of another layer."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def construct(self, x):
        return self.layer(x)[0]


def shape_of(name):
    """Returns the shape of a layer's input."""
    if name in FLAT:
        return (4, 6)
    kind = next((kind for kind in SHAPES if kind in name), "RNN" if name in ("LSTM", "GRU") else "")
    return SHAPES.get(kind, (4, 6))


def compare(make, shape, dtype):
    """Compares the result and the gradients of a layer with those on the host."""
    array = np.random.default_rng(0).standard_normal(shape).astype(dtype)

    def run(original=None):
        ms.set_seed(1)
        layer = make()
        weights = None
        if isinstance(layer, nn.Cell):
            layer.set_train()
            if original is not None:
                copied(original, layer)
            weights = list(layer.trainable_params()) or None
        return layer, result_and_gradients(layer, (Tensor(array),), weights)

    with host():
        original, expected = run()
    agree(run(original)[1], expected)


@pytest.mark.parametrize("name", EVERY_LAYER)
def test_the_body_of_a_layer(space, name):
    compare(EVERY_LAYER[name], shape_of(name), np.float32)


@pytest.mark.parametrize("name", ["Sigmoid", "GELU", "Softmax", "cross entropy", "var", "sort"])
def test_a_body_of_halves(space, name):
    compare(EVERY_LAYER[name], shape_of(name), np.float16)


def test_windows(space, monkeypatch):
    """Every hand-written kernel is launched; the kernels of convolution only without cuDNN."""
    launched = set()
    run = cuda_kernels.Kernels._run

    def record(self, name, *arguments):
        launched.add(name)
        return run(self, name, *arguments)

    monkeypatch.setattr(cuda_kernels.Kernels, "_run", record)
    for library in {space.convolutions.library, None}:
        monkeypatch.setattr(space.convolutions, "library", library)
        for make, shape in WINDOWS.values():
            compare(make, shape, np.float32)
    assert launched == set(cuda_kernels.KERNELS)


@pytest.mark.parametrize("name", [name for name in WINDOWS if "Pool" in name])
def test_pooling_of_halves(space, name):
    make, shape = WINDOWS[name]
    compare(make, shape, np.float16)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_the_search_for_overflows(space, dtype):
    rows = [Tensor(np.ones(size, np.float32)).astype(getattr(ms, dtype)) for size in (3, 700)]
    assert not bool(finite.overflowed([row._array for row in rows]).get())
    rows[1][650] = float("-inf")
    assert bool(finite.overflowed([row._array for row in rows]).get())


def test_random_numbers_are_those_of_the_kernel_s_text(space):
    """Philox 4x32-10 with the counter (0, 0, 0, 0) and the key 0 begins with 6627e8d5 in all
    implementations."""
    numbers = space.module.empty(5, np.float32)
    streams._uniform(space.module)(0, 0, 0, numbers)
    numbers = numbers.get()
    assert numbers[0] == np.float32((0x6627E8D5 >> 8) * 2.0**-24)
    assert ((0 <= numbers) & (numbers < 1)).all() and len(set(numbers.tolist())) == 5


def test_a_mask_compares_the_numbers_that_are_drawn(space):
    made = streams.Stream(5).next(space).below((1000,), 0.3).get()
    numbers = streams.Stream(5).next(space).random((1000,), np.float32).get()
    np.testing.assert_array_equal(made, numbers < np.float32(0.3))


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32, ms.float64], ids=str)
def test_dropout_is_a_kernel_for_the_mask_and_one_each_way(space, dtype):
    x = ops.ones((8, 200), dtype)
    ms.ops.dropout(x, p=0.1)
    with counting.counted() as counts:
        ms.grad(lambda x: ms.ops.dropout(x, p=0.1), 0)(x)
    launches = dict(counts.names["launches"])
    launches.pop("ones_like", None)
    assert not counting.counts(space) or launches == {"words_below": 1, "scale_kept": 2}
    out = ms.ops.dropout(x, p=0.1).astype(ms.float32).asnumpy()
    scale = np.float32(1 / 0.9).astype(ms.dtype_to_nptype(dtype)).astype(np.float32)
    assert set(np.unique(out)) == {np.float32(0), scale}


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
@pytest.mark.parametrize("shape", [(32, 64), (5, 7)])
def test_dropout_moves_nine_bytes_an_element_at_most(space, monkeypatch, shape):
    """The limit applies to both passes. The mask takes an eighth of a byte per element. It is
    written once and read twice."""
    moved, run = [], rawkernels.RawKernel._run

    def noted(kernel, grid, block, args):
        moved.append(sum(each.nbytes for each in args if isinstance(each, space.module.ndarray)))
        return run(kernel, grid, block, args)

    x = ops.ones(shape, ms.float32)
    out, pull = ms.vjp(lambda x: ops.dropout(x, p=0.5), x)
    monkeypatch.setattr(rawkernels.RawKernel, "_run", noted)
    out, pull = ms.vjp(lambda x: ops.dropout(x, p=0.5), x)
    words = 2 * -(-x.size // 16)
    assert moved == [words, 8 * x.size + words]
    assert sum(moved) <= 9 * x.size
    pull(x)
    assert moved[2:] == [8 * x.size + words]
    moved.clear()
    ops.Dropout(0.5)(x)  # it also returns the mask as numbers
    assert moved == [words, 8 * x.size + words, 4 * x.size + words]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_a_mask_in_bits_is_the_mask_of_bools(space, dtype):
    """For the same seed both masks agree. A dropped element is 0, or NaN if it was not finite."""
    x = Tensor(np.random.default_rng(0).standard_normal((7, 9)).astype(np.float32))
    x[0, 0] = float("inf")
    x = x.astype(getattr(ms, dtype))
    mask = streams.Stream(5).next(space).below(x.shape, 0.3)
    words = streams.Stream(5).next(space).words_below(x.size, 0.3)
    np.testing.assert_array_equal(bit_masks.unpacked(space, words, x.shape).get(), mask.get())
    ones = [space.kept_ones(kept, x.shape, x._array.dtype) for kept in (words, mask)]
    assert all(kept.dtype == x._array.dtype and kept.shape == x.shape for kept in ones)
    np.testing.assert_array_equal(*(kept.get().astype(float) for kept in ones))
    found, expected = (space.dropped(x._array, kept, 0.3).get() for kept in (words, mask))
    np.testing.assert_array_equal(found.astype(float), expected.astype(float))


def test_dropout_leaves_out_as_many_as_it_says(space):
    ms.set_seed(4)
    layer = nn.Dropout(p=0.25).set_train()
    first, second = (layer(ops.ones((100, 100), ms.float32)).asnumpy() for _ in range(2))
    for result in (first, second):
        assert set(np.unique(result)) == {np.float32(0), np.float32(1 / 0.75)}
        assert abs((result == 0).mean() - 0.25) < 0.02
    assert (first != second).any()
