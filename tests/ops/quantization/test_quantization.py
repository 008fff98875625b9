"""Fake quantization and batch normalization folding: values, gradients, refusals."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat.ops.operations import _inner_ops, _quant_ops

RANDOM = np.random.default_rng(0)
DATA = RANDOM.normal(0, 2, (4, 3, 2)).astype(np.float32)
LOW, HIGH = np.float32([-2, -1, 0.5]), np.float32([1.5, 3, 4])


def tensors(*arrays):
    return [Tensor(np.asarray(array, np.float32)) for array in arrays]


def levels_between(x, low, high, bits, symmetric, narrow):
    """Fake quantization of one number at a time, by the paper's formulas."""
    lowest = -(2 ** (bits - 1)) if symmetric else 0
    highest = lowest + 2**bits - 1
    lowest += narrow
    low, high = min(low, 0), max(high, 0)
    if symmetric:
        high = max(-low, high)
        low = -high
    scale = (high - low) / (highest - lowest)
    zero = 0 if symmetric else round(min(max(lowest - low / scale, lowest), highest))
    low, high = (lowest - zero) * scale, (highest - zero) * scale
    bounded = min(max(x, low), high)
    return np.floor((bounded - low) / scale + 0.5) * scale + low, low <= x <= high


@pytest.mark.parametrize("bits", [4, 7, 8])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("narrow", [False, True])
def test_levels_and_straight_through_gradients(bits, symmetric, narrow):
    settings = {"num_bits": bits, "symmetric": symmetric, "narrow_range": narrow}
    expected = np.empty_like(DATA)
    inside = np.empty_like(DATA)
    for index in np.ndindex(DATA.shape):
        low, high = float(LOW[index[1]]), float(HIGH[index[1]])
        limits = low, high, bits, symmetric, narrow
        expected[index], inside[index] = levels_between(float(DATA[index]), *limits)
    per_channel = _quant_ops.FakeQuantPerChannel(**settings)
    inputs = tensors(DATA, LOW, HIGH)
    np.testing.assert_allclose(per_channel(*inputs).asnumpy(), expected, atol=1e-5)
    gradients = ms.grad(lambda *a: (per_channel(*a) * 3).sum(), (0, 1, 2))(*inputs)
    np.testing.assert_array_equal(gradients[0].asnumpy(), 3 * inside)
    assert not any(gradient.asnumpy().any() for gradient in gradients[1:])

    per_layer = _quant_ops.FakeQuantPerLayer(**settings)
    part = tensors(DATA[:, :1], LOW[:1], HIGH[:1])
    np.testing.assert_allclose(per_layer(*part).asnumpy(), expected[:, :1], atol=1e-5)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_delay_counts_training_calls(mode):
    class Net(nn.Cell):
        def __init__(self, **settings):
            super().__init__()
            self.quantize = _quant_ops.FakeQuantPerLayer(num_bits=4, quant_delay=2, **settings)

        def construct(self, x, low, high):
            return self.quantize(x, low, high)

    inputs = tensors([0.3, 7], [-1], [1])
    ms.set_context(mode=mode)
    try:
        net = Net()
        results = [net(*inputs).asnumpy()[1] for _ in range(4)]
        assert results == [7, 7, results[2], results[2]] and results[2] < 1.1
        assert Net(training=False)(*inputs).asnumpy()[1] < 1.1
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("ema", [False, True])
def test_observed_limits_include_zero(ema):
    settings = {"ema": ema, "ema_decay": 0.75}
    flat = DATA.transpose(1, 0, 2).reshape(3, -1)
    lowest, highest = flat.min(1), flat.max(1)
    if ema:
        lowest, highest = 0.75 * LOW + 0.25 * lowest, 0.75 * HIGH + 0.25 * highest
    result = _quant_ops.MinMaxUpdatePerChannel(**settings)(*tensors(DATA, LOW, HIGH))
    np.testing.assert_allclose(result[0].asnumpy(), np.minimum(lowest, 0), rtol=1e-6)
    np.testing.assert_allclose(result[1].asnumpy(), np.maximum(highest, 0), rtol=1e-6)
    layer = _quant_ops.MinMaxUpdatePerLayer()(*tensors(np.abs(DATA) + 1, [-5], [5]))
    assert layer[0].asnumpy().tolist() == [0]
    np.testing.assert_allclose(layer[1].asnumpy(), [np.abs(DATA).max() + 1], rtol=1e-6)


@pytest.mark.parametrize("neg_trunc", [False, True])
def test_a_learned_scale(neg_trunc):
    alpha, levels = np.float32([1, 2.5, 4]), 7
    ratio = DATA / alpha[:, None]
    level = np.round(np.clip(ratio, 0 if neg_trunc else -1, 1) * levels) / levels
    inside = (ratio >= (0 if neg_trunc else -1)) & (ratio <= 1)
    quantize = _quant_ops.FakeLearnedScaleQuantPerChannel(neg_trunc=neg_trunc)
    inputs = tensors(DATA, alpha, [levels])
    np.testing.assert_allclose(quantize(*inputs).asnumpy(), level * alpha[:, None], rtol=1e-6)
    gradients = ms.grad(lambda *a: quantize(*a).sum(), (0, 1, 2))(*inputs)
    np.testing.assert_array_equal(gradients[0].asnumpy(), inside)
    expected = (level - np.where(inside, ratio, 0)).sum((0, 2))
    np.testing.assert_allclose(gradients[1].asnumpy(), expected, atol=1e-5)
    assert not gradients[2].asnumpy().any()

    per_layer = _quant_ops.FakeLearnedScaleQuantPerLayer(neg_trunc=neg_trunc)
    first = per_layer(*tensors(DATA[:, :1], alpha[:1], [levels])).asnumpy()
    np.testing.assert_allclose(first, level[:, :1] * alpha[0], rtol=1e-6)


def slope(function, arrays, index, step):
    """The derivative of a scalar function when all elements of one input grow together, by a
    central difference."""
    ends = []
    for sign in (-1, 1):
        moved = [np.array(a, np.float64) for a in arrays]
        moved[index] += sign * step
        ends.append(float(function(*(Tensor(a) for a in moved)).asnumpy()))
    return (ends[1] - ends[0]) / (2 * step)


def test_statistics_of_a_batch():
    mean, variance = (Parameter(Tensor(v)) for v in (LOW, HIGH))
    step = Tensor([3], ms.int32)
    fold = _quant_ops.BatchNormFold(momentum=0.75, epsilon=0.5, freeze_bn=4)
    result = [value.asnumpy() for value in fold(Tensor(DATA), mean, variance, step)]
    batch_mean, batch_variance = DATA.mean((0, 2)), DATA.var((0, 2))
    running = 0.75 * LOW + 0.25 * batch_mean, 0.75 * HIGH + 0.25 * batch_variance * 8 / 7
    expected = batch_mean, np.sqrt(batch_variance + 0.5), running[0], np.sqrt(running[1] + 0.5)
    for found, wanted in zip(result, expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    np.testing.assert_allclose(variance.asnumpy(), running[1], rtol=1e-5)

    sums = DATA.sum((0, 2)), (DATA**2).sum((0, 2))
    of_sums = _quant_ops.BatchNormFoldD(momentum=0.75, epsilon=0.5)
    found = [value.asnumpy() for value in of_sums(*tensors(DATA, *sums, LOW, HIGH))]
    for value, wanted in zip(found, (DATA, *expected, *running), strict=True):
        np.testing.assert_allclose(value, wanted, rtol=1e-4)


@pytest.mark.parametrize("settings", [{"freeze_bn": 3}, {"is_training": False}])
def test_frozen_statistics_stay(settings):
    mean, variance = (Parameter(Tensor(v)) for v in (LOW, HIGH))
    fold = _quant_ops.BatchNormFold(epsilon=0.5, **settings)
    result = fold(Tensor(DATA), mean, variance, Tensor([3], ms.int32))
    expected = np.zeros(3), np.ones(3), LOW, np.sqrt(HIGH + 0.5)
    for found, wanted in zip(result, expected, strict=True):
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-6)
    np.testing.assert_array_equal(mean.asnumpy(), LOW)


def test_gradients_of_statistics_agree_with_finite_differences():
    weights = Tensor(RANDOM.normal(size=(2, 3)))
    fold = _quant_ops.BatchNormFold(freeze_bn=9)

    def loss(x):
        zeros, ones = Tensor(np.zeros(3)), Tensor(np.ones(3))
        mean, std, *_ = fold(x, zeros, ones, Tensor([1], ms.int32))
        return (mean * weights[0] + std * weights[1]).sum()

    data = np.array(DATA, np.float64)
    gradient = ms.grad(loss)(Tensor(data)).asnumpy()
    for index in [(0, 0, 0), (2, 1, 1), (3, 2, 0)]:
        ends = []
        for step in (-1e-5, 1e-5):
            moved = data.copy()
            moved[index] += step
            ends.append(float(loss(Tensor(moved)).asnumpy()))
        assert abs((ends[1] - ends[0]) / 2e-5 - gradient[index]) < 1e-6


@pytest.mark.parametrize("freeze_bn", [1, 9])
def test_the_folded_bias_and_its_gradients(freeze_bn):
    beta, gamma, std, mean, running_std, running_mean = RANDOM.uniform(0.5, 2, (6, 3))
    arrays = np.array(DATA, np.float64), beta, gamma, std, mean, running_std, running_mean
    fold = _quant_ops.BatchNormFold2(freeze_bn=freeze_bn)
    column = [v[:, None] for v in arrays[1:]]
    if freeze_bn == 1:
        expected = DATA + column[0] - column[1] * column[5] / column[4]
    else:
        shift = column[0] - column[1] * column[3] / column[2]
        expected = DATA * column[4] / column[2] + shift
    step = Tensor([3], ms.int32)
    np.testing.assert_allclose(fold(*map(Tensor, arrays), step).asnumpy(), expected, rtol=1e-6)

    def loss(*inputs):
        return ops.square(fold(*inputs, step)).sum()

    gradients = ms.grad(loss, tuple(range(7)))(*map(Tensor, arrays))
    for index, gradient in enumerate(gradients):
        found = slope(loss, arrays, index, 1e-5)
        np.testing.assert_allclose(gradient.asnumpy().sum(), found, rtol=1e-6, atol=1e-6)
    six = _quant_ops.BatchNormFold2D()(*map(Tensor, arrays[:6])).asnumpy()
    if freeze_bn == 9:
        np.testing.assert_allclose(six, expected, rtol=1e-6)


def test_correction_of_weights():
    arrays = np.array(DATA, np.float64), *RANDOM.uniform(1, 2, (2, 3))
    correct = _quant_ops.CorrectionMul(channel_axis=1)
    expected = arrays[0] * (arrays[1] / arrays[2])[:, None]
    np.testing.assert_allclose(correct(*map(Tensor, arrays)).asnumpy(), expected, rtol=1e-6)

    def loss(*inputs):
        return ops.square(correct(*inputs)).sum()

    for index, gradient in enumerate(ms.grad(loss, (0, 1, 2))(*map(Tensor, arrays))):
        np.testing.assert_allclose(gradient.asnumpy().sum(), slope(loss, arrays, index, 1e-5), 1e-6)


def test_int8_and_back():
    x = Tensor([-99.0, -1.3, 0.25, 1.75, 99.0])
    for mode, expected in {
        "Round": [-128, -2, 1, 4, 127],
        "Floor": [-128, -3, 1, 4, 127],
        "Ceil": [-128, -2, 1, 4, 127],
        "Trunc": [-128, -2, 1, 4, 127],
    }.items():
        result = _inner_ops.Quant(2.0, 0.5, False, mode)(x)
        assert result.dtype == ms.int8 and result.asnumpy().tolist() == expected, mode
    assert _inner_ops.Quant(2.0, 0.0, True)(Tensor([3.0])).asnumpy().tolist() == [12]
    scale = Tensor([0.5], ms.float16)
    result = _inner_ops.Dequant(sqrt_mode=True)(Tensor([-8, 4], ms.int32), scale)
    assert result.dtype == ms.float16 and result.asnumpy().tolist() == [-2, 1]


def test_parameters_of_a_quantized_layer():
    cls = ms.ops.operations.FakeQuantParam
    assert cls is _quant_ops.FakeQuantParam
    mark = cls.linear_quant_param(ms.QuantDtype.INT8, [0.5, 1.0], [1, 2], True, note="x")
    assert mark.attrs[cls.attr_key_linear_quant_scale] == [0.5, 1.0]
    assert mark.attrs[cls.attr_key_linear_quant_zero_point] == [1, 2]
    assert mark.quant_algo_name == cls.attr_value_linear_quant_algo_name
    assert (mark.quant_dtype, mark.is_per_channel, mark.note) == (7, True, "x")
    x = Tensor([1.5])
    assert mark(x) is x and ms.grad(mark)(x).asnumpy().tolist() == [1]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: _quant_ops.FakeQuantPerLayer(num_bits=3), ValueError),
        (lambda: _quant_ops.FakeQuantPerLayer(ema=1), TypeError),
        (lambda: _quant_ops.FakeQuantPerChannel(quant_delay=-1), ValueError),
        (lambda: _quant_ops.BatchNormFold(momentum=2.0), ValueError),
        (lambda: _quant_ops.BatchNormFold2(freeze_bn=1.0), TypeError),
        (lambda: _inner_ops.Quant(1.0, 0.0, False, "Up"), ValueError),
        (lambda: _quant_ops.FakeQuantParam(3, "a", True), TypeError),
        (lambda: _quant_ops.FakeQuantPerLayer()(*tensors(DATA, 1, 1)), ValueError),
        (lambda: _quant_ops.FakeQuantPerChannel()(*tensors(DATA, [1], [1])), ValueError),
        (lambda: _quant_ops.CorrectionMul()(*tensors(DATA, LOW, HIGH)), ValueError),
    ],
)
def test_refusals(call, error):
    with pytest.raises(error, match="^For '"):
        call()


def test_the_module_is_an_attribute():
    assert ms.ops.operations._quant_ops is _quant_ops
