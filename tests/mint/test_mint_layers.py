"""Layers of mint.nn against independent calculations in NumPy, and their gradients."""

import itertools

import numpy as np
import pytest
from kit import close, close_sums
from kit.gradients import check_gradients

import mindspore_compat as ms
from mindspore_compat import Tensor, mint
from mindspore_compat.mint import nn
from mindspore_compat.nn.layer._batch_norm import normalize_together

pytestmark = pytest.mark.quick

RNG = np.random.default_rng(3)


def drawn(*shape):
    return RNG.standard_normal(shape)


def fresh(make, **values):
    """Returns a layer in float64; its parameters have the given values, or random ones."""
    layer = make()
    for parameter in layer.trainable_params():
        parameter.set_data(Tensor(values.get(parameter.name, drawn(*parameter.shape))))
    return layer


def check_weights(layer, x):
    """Compares the gradients for the parameters of a float64 layer with central differences."""
    params = list(layer.trainable_params())
    weights = drawn(*layer(Tensor(x)).shape)

    def scalar(given):
        return (layer(given) * Tensor(weights)).sum()

    found = ms.grad(scalar, None, params)(Tensor(x))
    for parameter, gradient in zip(params, found if isinstance(found, tuple) else (found,)):
        first, direction = parameter.asnumpy().copy(), drawn(*parameter.shape)
        ends = []
        for sign in (1, -1):
            parameter.set_data(Tensor(first + sign * 1e-5 * direction))
            ends.append(scalar(Tensor(x)).asnumpy().item())
        parameter.set_data(Tensor(first))
        along = (gradient.asnumpy() * direction).sum()
        close_sums(along, (ends[0] - ends[1]) / 2e-5)


# Convolutions -------------------------------------------------------------------------------------

PAD_NAMES = {"zeros": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def correlated(x, w, b, stride, pads, dilation, groups, mode):
    """Cross-correlation by a loop over the indices of the output."""
    axes = w.ndim - 2
    x = np.pad(x, ((0, 0), (0, 0), *pads), PAD_NAMES[mode])
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, w.shape[2:])]
    sizes = [(n - r) // s + 1 for n, r, s in zip(x.shape[2:], reach, stride)]
    out = np.zeros((x.shape[0], w.shape[0], *sizes))
    inside, outside = w.shape[1], w.shape[0] // groups
    for index in itertools.product(*map(range, sizes)):
        at = tuple(slice(p * s, p * s + r, d) for p, s, r, d in zip(index, stride, reach, dilation))
        window = x[(slice(None), slice(None), *at)]
        for group in range(groups):
            own = slice(group * outside, (group + 1) * outside)
            part = window[:, group * inside : (group + 1) * inside]
            sums = np.tensordot(part, w[own], (range(1, axes + 2), range(1, axes + 2)))
            out[(slice(None), own, *index)] = sums
    return out if b is None else out + b.reshape(-1, *[1] * axes)


CONVOLUTIONS = [
    ("Conv1d", (2, 4, 9), {"kernel_size": 3}),
    ("Conv1d", (2, 4, 9), {"kernel_size": (2,), "stride": 2, "padding": 1, "bias": False}),
    ("Conv1d", (2, 4, 9), {"kernel_size": 4, "padding": "same", "groups": 2}),
    ("Conv1d", (2, 4, 9), {"kernel_size": 3, "padding": 2, "padding_mode": "reflect"}),
    ("Conv2d", (2, 4, 6, 7), {"kernel_size": [3, 2], "padding": (1, 2), "dilation": (1, 2)}),
    ("Conv2d", (2, 4, 6, 7), {"kernel_size": 2, "padding": "same", "padding_mode": "replicate"}),
    ("Conv2d", (2, 4, 6, 7), {"kernel_size": 3, "padding": "valid", "stride": (2, 1), "groups": 4}),
    ("Conv2d", (2, 4, 6, 7), {"kernel_size": 3, "padding": (1, 3), "padding_mode": "circular"}),
    ("Conv3d", (1, 4, 4, 5, 4), {"kernel_size": (2, 3, 1), "padding": 1, "stride": 2}),
    ("Conv3d", (1, 4, 4, 5, 4), {"kernel_size": 2, "padding": "same", "padding_mode": "reflect"}),
]


@pytest.mark.parametrize("name, shape, options", CONVOLUTIONS, ids=str)
def test_convolution(name, shape, options):
    layer = fresh(lambda: getattr(nn, name)(4, 8, **options, dtype=ms.float64))
    x, axes = drawn(*shape), len(shape) - 2
    pads = (
        [(p, p) for p in layer.padding] if not isinstance(layer.padding, str) else [(0, 0)] * axes
    )
    if layer.padding == "same":
        reach = [d * (k - 1) for d, k in zip(layer.dilation, layer.kernel_size)]
        pads = [(r // 2, (r + 1) // 2) for r in reach]
    expected = correlated(
        x,
        layer.weight.asnumpy(),
        None if layer.bias is None else layer.bias.asnumpy(),
        layer.stride,
        pads,
        layer.dilation,
        layer.groups,
        layer.padding_mode,
    )
    close(layer(Tensor(x)), expected)
    close(layer(Tensor(x[0])), expected[0])
    check_gradients(layer, x)
    check_weights(layer, x)


@pytest.mark.parametrize(
    "options, output_size",
    [
        ({"kernel_size": 3}, None),
        ({"kernel_size": (3, 2), "stride": (2, 3), "padding": 1}, None),
        ({"kernel_size": 3, "stride": 2, "output_padding": (1, 0), "groups": 2}, None),
        ({"kernel_size": 2, "dilation": (2, 1), "bias": False}, None),
        ({"kernel_size": 3, "stride": 2, "padding": 1}, (8, 7)),
        ({"kernel_size": 3, "stride": 2, "padding": 1}, (2, 6, 7, 8)),
    ],
    ids=str,
)
def test_transposed_convolution(options, output_size):
    layer = fresh(lambda: nn.ConvTranspose2d(4, 6, **options, dtype=ms.float64))
    x, w = drawn(2, 4, 4, 4), layer.weight.asnumpy()
    extra = layer.output_padding
    if output_size:
        extra = [
            o - (3 * s - 2 * p + d * (k - 1) + 1)
            for o, s, p, d, k in zip(
                output_size[-2:], layer.stride, layer.padding, layer.dilation, layer.kernel_size
            )
        ]
    sizes = [
        3 * s + d * (k - 1) + 1 + e
        for s, d, k, e in zip(layer.stride, layer.dilation, layer.kernel_size, extra)
    ]
    out = np.zeros((2, 6, *sizes))
    inside, outside = 4 // layer.groups, 6 // layer.groups
    for c, o, i, j, p, q in itertools.product(
        range(4), range(outside), range(4), range(4), *map(range, layer.kernel_size)
    ):
        row = i * layer.stride[0] + p * layer.dilation[0]
        column = j * layer.stride[1] + q * layer.dilation[1]
        out[:, c // inside * outside + o, row, column] += x[:, c, i, j] * w[c, o, p, q]
    (top, left), (rows, columns) = layer.padding, sizes
    out = out[:, :, top : rows - top, left : columns - left]
    out = out if layer.bias is None else out + layer.bias.asnumpy().reshape(-1, 1, 1)
    close(layer(Tensor(x), output_size), out)
    close(layer(Tensor(x[0]), output_size and output_size[-2:]), out[0])
    check_gradients(lambda given: layer(given, output_size), x)
    check_weights(layer, x)


@pytest.mark.parametrize(
    "make, fan_in",
    [
        (lambda: nn.Conv1d(64, 96, 3, groups=2), 96),
        (lambda: nn.Conv2d(16, 128, 3), 144),
        (lambda: nn.Conv3d(8, 128, 3), 216),
        (lambda: nn.ConvTranspose2d(64, 128, 3, groups=2), 576),
    ],
)
def test_weights_and_biases_start_evenly_spread(make, fan_in):
    layer, most = make(), 1 / np.sqrt(fan_in)
    for values in (layer.weight.asnumpy(), layer.bias.asnumpy()):
        assert 0.9 * most < abs(values).max() <= most * (1 + 1e-6)
        assert values.std() == pytest.approx(most / np.sqrt(3), rel=0.2)


def test_the_parameters_of_a_convolution():
    layer = nn.Conv2d(4, 6, (3, 2), groups=2, dtype=ms.float16)
    found = [(p.name, p.shape, p.dtype) for p in layer.get_parameters()]
    assert found == [("weight", (6, 2, 3, 2), ms.float16), ("bias", (6,), ms.float16)]
    assert repr(layer) == (
        "Conv2d(input_channels=4, output_channels=6, kernel_size=(3, 2), stride=(1, 1), "
        "padding=(0, 0), dilation=(1, 1), groups=2, bias=True)"
    )
    assert nn.ConvTranspose2d(4, 6, 3, groups=2).weight.shape == (4, 3, 3, 3)
    assert nn.Conv1d(1, 1, 1, bias=False).bias is None


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: nn.Conv2d(0, 4, 3), ValueError),
        (lambda: nn.Conv2d(4, 6, 0), ValueError),
        (lambda: nn.Conv2d(4, 6, (3,)), TypeError),
        (lambda: nn.Conv2d(4, 6, 3.0), TypeError),
        (lambda: nn.Conv1d(4, 6, (3, 3)), TypeError),
        (lambda: nn.Conv2d(4, 6, True), TypeError),
        (lambda: nn.Conv2d(4, 6, 3, padding=-1), ValueError),
        (lambda: nn.Conv2d(4, 6, 3, padding="SAME"), ValueError),
        (lambda: nn.Conv2d(4, 6, 3, padding="same", stride=(1, 2)), ValueError),
        (lambda: nn.Conv2d(4, 6, 3, groups=3), ValueError),
        (lambda: nn.Conv2d(4, 6, 3, groups=2.0), TypeError),
        (lambda: nn.Conv2d(4, 6, 3, bias=1), TypeError),
        (lambda: nn.Conv2d(4, 6, 3, padding_mode="x"), ValueError),
        (lambda: nn.Conv2d(4, 6, 3, padding_mode=1), ValueError),
        (lambda: nn.Conv2d(4, 6, 3, dtype="float16"), TypeError),
        (
            lambda: nn.Conv2d(1, 1, 3, padding=3, padding_mode="reflect")(mint.ones((1, 3, 3))),
            ValueError,
        ),
        (lambda: nn.Conv2d(1, 1, 3)(mint.ones((3, 3))), ValueError),
        (lambda: nn.Conv2d(1, 1, 5)(mint.ones((1, 3, 3))), ValueError),
        (lambda: nn.Conv2d(1, 1, 1)(1.0), TypeError),
        (lambda: nn.ConvTranspose2d(4, 6, 3, padding="same"), (TypeError, ValueError)),
        (lambda: nn.ConvTranspose2d(4, 6, 3, padding_mode="reflect"), ValueError),
        (lambda: nn.ConvTranspose2d(1, 1, 3, stride=2)(mint.ones((1, 4, 4)), (11, 9)), ValueError),
        (lambda: nn.ConvTranspose2d(1, 1, 3, stride=2)(mint.ones((1, 4, 4)), (9,)), ValueError),
        (lambda: nn.ConvTranspose2d(1, 1, 3, output_padding=1)(mint.ones((1, 4, 4))), ValueError),
    ],
)
def test_wrong_convolutions_are_refused(make, error):
    with pytest.raises(error, match="For 'Conv|For 'conv"):
        make()


# Normalisation ------------------------------------------------------------------------------------

SHAPES = {
    "BatchNorm1d": (5, 3, 4),
    "BatchNorm2d": (4, 3, 2, 3),
    "BatchNorm3d": (3, 3, 2, 2, 2),
    "SyncBatchNorm": (4, 3, 5),
}


def by_channel(x, values):
    return np.reshape(values, (1, -1) + (1,) * (x.ndim - 2))


def normal(x, mean, var, eps, weight=1.0, bias=0.0):
    mean, var = by_channel(x, mean), by_channel(x, var)
    return (x - mean) / np.sqrt(var + eps) * by_channel(x, weight) + by_channel(x, bias)


@pytest.mark.parametrize("name", SHAPES)
def test_batch_norm_trains_with_its_batch_and_keeps_count(name):
    layer = fresh(lambda: getattr(nn, name)(3, eps=1e-3, momentum=0.3, dtype=ms.float64))
    layer.set_train()
    weight, bias = layer.weight.asnumpy(), layer.bias.asnumpy()
    mean, var = np.zeros(3), np.ones(3)
    for step in (1, 2, 3):
        x = drawn(*SHAPES[name]) * step + step
        axes = tuple(axis for axis in range(x.ndim) if axis != 1)
        expected = normal(x, x.mean(axes), x.var(axes), 1e-3, weight, bias)
        close(layer(Tensor(x)), expected)
        mean = 0.7 * mean + 0.3 * x.mean(axes)
        var = 0.7 * var + 0.3 * x.var(axes, ddof=1)
        close(layer.running_mean, mean)
        close(layer.running_var, var)
        assert layer.num_batches_tracked.asnumpy() == step
    layer.set_train(False)
    x = drawn(*SHAPES[name])
    expected = normal(x, mean, var, 1e-3, weight, bias)
    close(layer(Tensor(x)), expected)
    close(layer.running_mean, mean)
    assert layer.num_batches_tracked.asnumpy() == 3


def test_without_momentum_every_batch_counts_alike():
    layer = nn.BatchNorm1d(3, momentum=None, dtype=ms.float64).set_train()
    batches = [drawn(5, 3) for _ in range(4)]
    for x in batches:
        layer(Tensor(x))
    close(layer.running_mean, np.mean([x.mean(0) for x in batches], 0))
    close(layer.running_var, np.mean([x.var(0, ddof=1) for x in batches], 0))


@pytest.mark.parametrize("mode", [True, False])
def test_without_running_statistics_the_batch_is_used_in_any_mode(mode):
    layer = nn.BatchNorm2d(3, track_running_stats=False, affine=False, dtype=ms.float64)
    x = drawn(4, 3, 2, 2) + 5
    expected = normal(x, x.mean((0, 2, 3)), x.var((0, 2, 3)), 1e-5)
    close(layer.set_train(mode)(Tensor(x)), expected)
    assert list(layer.get_parameters()) == []
    assert layer.running_mean is layer.num_batches_tracked is layer.weight is None


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", SHAPES)
def test_gradients_of_batch_norm(name, training):
    layer = fresh(lambda: getattr(nn, name)(3, dtype=ms.float64)).set_train(training)
    x = drawn(*SHAPES[name])
    check_gradients(layer, x)
    check_weights(layer, x)


def test_the_parameters_of_batch_norm():
    layer = nn.BatchNorm2d(4, dtype=ms.float16)
    found = [(p.name, p.shape, p.dtype, p.requires_grad) for p in layer.get_parameters()]
    assert found == [
        ("weight", (4,), ms.float16, True),
        ("bias", (4,), ms.float16, True),
        ("running_mean", (4,), ms.float16, False),
        ("running_var", (4,), ms.float16, False),
        ("num_batches_tracked", (), ms.int64, False),
    ]
    layer.set_train()(mint.ones((2, 4, 3, 3), dtype=ms.float16) * 3)
    layer.weight.set_data(layer.weight + 1)
    layer.reset_parameters()
    assert [p.asnumpy().ravel()[0] for p in layer.get_parameters()] == [1, 0, 0, 1, 0]
    assert repr(layer) == (
        "BatchNorm2d(num_features=4, eps=1e-05, momentum=0.1, affine=True, "
        "track_running_stats=True)"
    )


def test_two_ranks_normalise_as_one_with_the_whole_batch():
    """Replaces the sum over ranks, as if a second rank had the same batch."""
    layer = fresh(lambda: nn.BatchNorm1d(3, dtype=ms.float64)).set_train()
    mean, var = (Tensor(np.array([each] * 3)) for each in (0.0, 1.0))
    x = drawn(4, 3, 5)
    found = normalize_together(
        Tensor(x), layer.weight, layer.bias, mean, var, 0.1, 1e-5, lambda part: part * 2
    )
    whole = layer(Tensor(np.concatenate([x, x]))).asnumpy()
    close(found, whole[:4])
    close(mean, layer.running_mean)
    close(var, layer.running_var)
    bare = normalize_together(Tensor(x), None, None, None, None, 0.1, 1e-5, lambda part: part * 2)
    close(bare, normal(x, x.mean((0, 2)), x.var((0, 2)), 1e-5))


def test_group_norm():
    layer = fresh(lambda: nn.GroupNorm(2, 4, eps=1e-3, dtype=ms.float64))
    x = drawn(3, 4, 2, 3)
    rows = x.reshape(6, -1)
    rows = (rows - rows.mean(1, keepdims=True)) / np.sqrt(rows.var(1, keepdims=True) + 1e-3)
    expected = normal(rows.reshape(x.shape), 0, 1, 0, layer.weight.asnumpy(), layer.bias.asnumpy())
    close(layer(Tensor(x)), expected)
    check_gradients(layer, x)
    check_weights(layer, x)
    assert nn.GroupNorm(2, 4, affine=False).trainable_params() == []


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: nn.BatchNorm1d(0), ValueError),
        (lambda: nn.BatchNorm1d(2.0), TypeError),
        (lambda: nn.BatchNorm1d(2, eps="a")(mint.ones((2, 2))), TypeError),
        (lambda: nn.BatchNorm1d(2)(mint.ones((2, 2, 2, 2))), ValueError),
        (lambda: nn.BatchNorm2d(2)(mint.ones((2, 2))), ValueError),
        (lambda: nn.BatchNorm3d(2)(mint.ones((2, 2, 2, 2))), ValueError),
        (lambda: nn.BatchNorm2d(2)(mint.ones((2, 3, 2, 2))), ValueError),
        (lambda: nn.BatchNorm2d(2)(mint.ones((2, 2, 2, 2), dtype=ms.int32)), TypeError),
        (lambda: nn.SyncBatchNorm(2, momentum=1.5)(mint.ones((2, 2))), ValueError),
        (lambda: nn.SyncBatchNorm(2, process_group=1), TypeError),
        (lambda: nn.SyncBatchNorm(2)(mint.ones(2)), ValueError),
        (lambda: nn.GroupNorm(3, 4), ValueError),
        (lambda: nn.GroupNorm(2, 4, eps=1), TypeError),
        (lambda: nn.GroupNorm(2, 4)(mint.ones((2, 6))), ValueError),
    ],
)
def test_wrong_normalisations_are_refused(make, error):
    with pytest.raises(error, match="For '.*Norm"):
        make()


def test_a_refused_batch_is_not_counted():
    layer = nn.BatchNorm1d(2).set_train()
    with pytest.raises(ValueError):
        layer(mint.ones((2, 3)))
    assert layer.num_batches_tracked.asnumpy() == 0


# Padding ------------------------------------------------------------------------------------------

PADS = {1: (2, 1), 2: (2, 1, 0, 3), 3: (2, 1, 0, 3, 1, 1)}
MODES = {
    "ConstantPad": "constant",
    "ZeroPad": "constant",
    "ReflectionPad": "reflect",
    "ReplicationPad": "edge",
}


@pytest.mark.parametrize("axes", PADS)
@pytest.mark.parametrize("kind", MODES)
@pytest.mark.parametrize("alone", [True, False])
def test_padding(kind, axes, alone):
    padding = 1 if alone else list(PADS[axes])
    more = (0.5,) if kind == "ConstantPad" else ()
    layer = getattr(nn, f"{kind}{axes}d")(padding, *more)
    pairs = (1,) * (2 * axes) if alone else PADS[axes]
    widths = [pairs[i : i + 2] for i in range(0, len(pairs), 2)][::-1]
    x = drawn(*(2, 4, 5, 6)[-axes - 1 :])
    options = {"constant_values": more[0] if more else 0.0} if MODES[kind] == "constant" else {}
    expected = np.pad(x, [(0, 0), *widths], MODES[kind], **options)
    np.testing.assert_array_equal(layer(Tensor(x)).asnumpy(), expected)
    check_gradients(layer, x)
    assert layer.padding == (pairs if alone else list(PADS[axes]))


def test_a_negative_constant_padding_cuts():
    found = nn.ConstantPad1d((-1, 2), 7)(Tensor([[1.0, 2.0, 3.0]]))
    assert found.asnumpy().tolist() == [[2, 3, 7, 7]]


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: nn.ConstantPad1d(1.0, 0.5), ValueError),
        (lambda: nn.ZeroPad1d(True), TypeError),
        (lambda: nn.ConstantPad1d((1.0, 2), 0.5), TypeError),
        (lambda: nn.ZeroPad2d((1, 2)), ValueError),
        (lambda: nn.ConstantPad1d(1, "a")(mint.ones((1, 3))), TypeError),
        (lambda: nn.ZeroPad3d(-1), ValueError),
        (lambda: nn.ZeroPad1d((0, -1)), ValueError),
        (lambda: nn.ReflectionPad1d(0), ValueError),
        (lambda: nn.ReplicationPad2d((1, 2, 3)), ValueError),
        (lambda: nn.ReflectionPad1d((-1, 2)), ValueError),
        (lambda: nn.ReflectionPad1d(3)(mint.ones((1, 2, 3))), ValueError),
        (lambda: nn.ReplicationPad1d(1)(mint.ones(3)), ValueError),
        (lambda: nn.ReplicationPad1d(1)(mint.ones((1, 1, 1, 3))), ValueError),
        (lambda: nn.ZeroPad1d(1)([1.0]), TypeError),
    ],
)
def test_wrong_paddings_are_refused(make, error):
    with pytest.raises(error, match="For '.*[pP]ad"):
        make()


# Pooling, windows, sizes --------------------------------------------------------------------------


def parts(n, count):
    return [slice(i * n // count, -(-(i + 1) * n // count)) for i in range(count)]


@pytest.mark.parametrize(
    "name, size, axes",
    [
        ("AdaptiveAvgPool1d", 3, 1),
        ("AdaptiveAvgPool1d", (3,), 1),
        ("AdaptiveAvgPool2d", 2, 2),
        ("AdaptiveAvgPool2d", (3, None), 2),
        ("AdaptiveAvgPool3d", (2, None, 3), 3),
        ("AdaptiveMaxPool1d", 3, 1),
        ("AdaptiveMaxPool2d", (2, 3), 2),
    ],
)
def test_adaptive_pooling(name, size, axes):
    x = np.random.default_rng(0).standard_normal((2, 3, *(4, 5, 7)[:axes]))
    layer = getattr(nn, name)(size)
    given = size if isinstance(size, tuple) else (size,) * axes
    counts = [n if c is None else c for n, c in zip(x.shape[2:], given)]
    expected = np.zeros((2, 3, *counts))
    for index in itertools.product(*map(range, counts)):
        at = tuple(parts(n, c)[i] for n, c, i in zip(x.shape[2:], counts, index))
        reduce = np.max if "Max" in name else np.mean
        part = reduce(x[(slice(None), slice(None), *at)], tuple(range(2, axes + 2)))
        expected[(slice(None), slice(None), *index)] = part
    close(layer(Tensor(x)), expected)
    close(layer(Tensor(x[0])), expected[0])
    check_gradients(layer, x)


def test_the_indices_of_adaptive_max_pooling():
    top, indices = nn.AdaptiveMaxPool1d(2, return_indices=True)(Tensor([[3.0, 1.0, 2.0, 5.0]]))
    assert top.asnumpy().tolist() == [[3, 5]]
    assert (indices.asnumpy().tolist(), indices.dtype) == ([[0, 3]], ms.int64)
    assert repr(nn.AdaptiveMaxPool1d(2)) == "AdaptiveMaxPool1d(output_size=2, return_indices=False)"


@pytest.mark.parametrize("name", ["AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveMaxPool1d"])
def test_adaptive_pooling_takes_floats_only(name):
    for given in (1.0, mint.ones((2, 2, 2), dtype=ms.int32)):
        with pytest.raises(TypeError, match=f"For '{name}'"):
            getattr(nn, name)(1)(given)


def test_average_pooling_counts_padding_unless_asked_otherwise():
    x = Tensor([[1.0, 2.0, 3.0, 4.0]])
    assert nn.AvgPool1d(2)(x).asnumpy().tolist() == [[1.5, 3.5]]
    assert nn.AvgPool1d(2, 2, 1)(x).asnumpy().tolist() == [[0.5, 2.5, 2]]
    assert nn.AvgPool1d(2, 2, 1, count_include_pad=False)(x).asnumpy().tolist() == [[1, 2.5, 4]]
    images = Tensor(np.arange(9.0).reshape(1, 3, 3))
    assert nn.AvgPool2d(2, ceil_mode=True)(images).asnumpy().tolist() == [[[2, 3.5], [6.5, 8]]]
    assert nn.AvgPool2d(3, divisor_override=2)(images).asnumpy().item() == 18
    volumes = Tensor(np.arange(8.0).reshape(1, 2, 2, 2))
    assert nn.AvgPool3d(2)(volumes).asnumpy().item() == 3.5
    check_gradients(nn.AvgPool3d((2, 1, 2), 1, (1, 0, 1)), drawn(2, 3, 3, 3))


def test_max_unpool_puts_values_back():
    top, indices = ms.mint.nn.functional.max_pool2d(
        Tensor(drawn(1, 2, 4, 4)), 2, return_indices=True
    )
    wide = nn.MaxUnpool2d(2)(top, indices).asnumpy().reshape(2, 16)
    expected = np.zeros((2, 16))
    np.put_along_axis(expected, indices.asnumpy().reshape(2, 4), top.asnumpy().reshape(2, 4), 1)
    np.testing.assert_array_equal(wide, expected)
    assert nn.MaxUnpool2d(2)(top, indices, (1, 2, 5, 5)).shape == (1, 2, 5, 5)


def test_fold_adds_up_what_unfold_takes_apart():
    x = drawn(2, 3, 5, 6)
    columns = nn.Unfold(2, stride=(1, 2), padding=1)(Tensor(x))
    window = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))[:, :, 2:4, 4:6]
    np.testing.assert_array_equal(columns.asnumpy()[:, :, 2 * 4 + 2], window.reshape(2, 12))
    fold = nn.Fold((5, 6), 2, stride=(1, 2), padding=1)
    met = fold(nn.Unfold(2, stride=(1, 2), padding=1)(mint.ones((2, 3, 5, 6), dtype=ms.float64)))
    close(fold(columns), x * met.asnumpy())
    check_gradients(nn.Unfold(2), x)
    check_gradients(fold, columns.asnumpy())


def test_nearest_upsampling_copies():
    x = np.arange(12).reshape(1, 2, 2, 3)
    for dtype in (np.uint8, np.float32):
        found = nn.UpsamplingNearest2d([4, 4])(Tensor(x.astype(dtype))).asnumpy()
        np.testing.assert_array_equal(found, x[:, :, [0, 0, 1, 1]][..., [0, 0, 1, 2]])
        assert found.dtype == dtype
    found = nn.UpsamplingNearest2d(scale_factor=(1.5, 0.7))(Tensor(x.astype(np.float32)))
    np.testing.assert_array_equal(found.asnumpy(), x[:, :, [0, 0, 1]][..., [0, 1]])


def test_bilinear_upsampling_keeps_the_corners():
    x = drawn(2, 2, 3, 4)
    found = nn.UpsamplingBilinear2d((5, 7))(Tensor(x)).asnumpy()
    rows, columns = np.linspace(0, 2, 5), np.linspace(0, 3, 7)
    down = np.apply_along_axis(lambda line: np.interp(rows, range(3), line), 2, x)
    expected = np.apply_along_axis(lambda line: np.interp(columns, range(4), line), 3, down)
    close(found, expected)
    assert nn.UpsamplingBilinear2d(scale_factor=[2.0, 1.5])(Tensor(x)).shape == (2, 2, 6, 6)
    check_gradients(nn.UpsamplingBilinear2d((5, 3)), x)
    check_gradients(nn.UpsamplingNearest2d((5, 3)), x)


@pytest.mark.parametrize("make", [nn.UpsamplingBilinear2d, nn.UpsamplingNearest2d])
@pytest.mark.parametrize(
    "options, error",
    [
        ({}, ValueError),
        ({"size": (2, 2), "scale_factor": (2.0, 2.0)}, ValueError),
        ({"size": 2}, TypeError),
        ({"size": (2.0, 2)}, TypeError),
        ({"size": (2, 2, 2)}, ValueError),
        ({"size": (0, 2)}, ValueError),
        ({"scale_factor": 2.0}, TypeError),
        ({"scale_factor": (2.0,)}, ValueError),
        ({"scale_factor": (-1.0, 2.0)}, ValueError),
    ],
)
def test_wrong_upsampling_is_refused(make, options, error):
    with pytest.raises(error, match="For 'Upsampling"):
        make(**options)(mint.ones((1, 1, 2, 2)))
    with pytest.raises(ValueError, match="For 'Upsampling"):
        make((2, 2))(mint.ones((1, 2, 2)))


def test_activations_and_the_margin_loss():
    x, y = drawn(4, 3), np.sign(drawn(4, 3))
    close(nn.Tanh()(Tensor(x)), np.tanh(x))
    soft = x * np.tanh(np.log1p(np.exp(x)))
    close(nn.Mish()(Tensor(x)), soft)
    for layer in (nn.Tanh(), nn.Mish()):
        check_gradients(layer, x)
        with pytest.raises(TypeError):
            layer(1.0)
    loss = nn.SoftMarginLoss()(Tensor(x.astype(np.float32)), Tensor(y.astype(np.float32)))
    assert loss.asnumpy() == pytest.approx(np.log1p(np.exp(-x * y)).mean(), rel=1e-6)


def test_selu_takes_floats_of_at_most_32_bits():
    x, scale, alpha = drawn(4, 3), 1.0507009873554805, 1.6732632423543772
    given = Tensor(x.astype(np.float32))
    selu = scale * np.where(x > 0, x, alpha * np.expm1(x))
    assert nn.SELU()(given).asnumpy() == pytest.approx(selu, rel=1e-5)
    slope = ms.grad(lambda t: nn.SELU()(t).sum())(given).asnumpy()
    assert slope == pytest.approx(scale * np.where(x > 0, 1, alpha * np.exp(x)), rel=1e-5)
    for wrong in (1.0, Tensor(x)):
        with pytest.raises(TypeError):
            nn.SELU()(wrong)


@pytest.mark.parametrize(
    "level, first, last", [("O0", "Float32", "Float32"), ("auto", "Float16", "Float16")]
)
def test_layers_follow_the_lists_of_automatic_mixed_precision(level, first, last):
    convolution = nn.Conv2d(3, 4, 3, bias=False)
    network = ms.nn.SequentialCell(
        convolution, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2)
    )
    network = ms.amp.auto_mixed_precision(network, level)
    x = mint.ones((2, 3, 8, 8))
    assert str(network(x).dtype) == last
    narrow = ms.amp.auto_mixed_precision(convolution, level)
    assert str(narrow(x).dtype) == first
    gradient = ms.grad(lambda given: network(given).astype(ms.float32).sum())(x)
    assert gradient.dtype == ms.float32 and (gradient.asnumpy() != 0).any()
