"""Convolution, pooling, normalisation, activations and losses for which MindSpore gives no
reference.

Some functions run only on MindSpore's accelerators (most of mint's), and some of its CPU results
contradict its documentation. The reference is the explicit formula in float64.
"""

import math

import numpy as np
import pytest
from kit import close, close_sums
from scipy import special

from mindspore_compat import mint, nn, ops
from mindspore_compat._core.gradients.transforms import grad
from mindspore_compat._core.tensor import dtype as ms
from mindspore_compat._core.tensor.tensor import Tensor

F = mint.nn.functional


def x(*shape, seed=0, positive=False):
    values = np.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(np.float32)
    return np.abs(values) + np.float32(0.3) if positive else values


# Activations --------------------------------------------------------------------------------------

HALF = math.sqrt(0.5)
FORMULAS = {
    "relu6": (F.relu6, (), lambda v: np.clip(v, 0, 6)),
    "leaky_relu": (F.leaky_relu, (0.3,), lambda v: np.where(v > 0, v, 0.3 * v)),
    "elu": (F.elu, (2.0,), lambda v: np.where(v > 0, v, 2 * np.expm1(v))),
    "selu": (
        F.selu,
        (),
        lambda v: 1.0507009873554805 * np.where(v > 0, v, 1.6732632423543772 * np.expm1(v)),
    ),
    "gelu": (F.gelu, (), lambda v: v * 0.5 * (1 + special.erf(v * HALF))),
    "mish": (F.mish, (), lambda v: v * np.tanh(np.log1p(np.exp(v)))),
    "logsigmoid": (F.logsigmoid, (), lambda v: -np.log1p(np.exp(-v))),
    "hardtanh": (F.hardtanh, (-0.5, 1.5), lambda v: np.clip(v, -0.5, 1.5)),
    "threshold": (F.threshold, (0.2, 7.0), lambda v: np.where(v > 0.2, v, 7)),
    "log_softmax": (F.log_softmax, (0,), lambda v: special.log_softmax(v, 0)),
    "softmax, axis implied": (F.softmax, (), lambda v: special.softmax(v, 1)),
    "swiglu": (ops.swiglu, (), lambda v: v[:, :3] * special.expit(v[:, :3]) * v[:, 3:]),
    "softmin over two axes": (ops.softmin, ((0, 1),), lambda v: np.exp(-v) / np.exp(-v).sum()),
}


@pytest.mark.parametrize("function, options, formula", FORMULAS.values(), ids=FORMULAS.keys())
def test_activation_follows_its_formula(function, options, formula):
    values = x(4, 6) * 2
    close_sums(function(Tensor(values), *options), formula(values.astype(np.float64)))


def test_softmax_is_right_for_large_numbers_and_logarithms_do_not_overflow():
    large = Tensor(np.array([[1e4, 1e4 - 1, -1e4]], np.float32))
    close(ops.softmax(large), special.softmax(large.asnumpy().astype(np.float64), 1))
    close(ops.log_softmax(large), special.log_softmax(large.asnumpy().astype(np.float64), 1))
    close(ops.logsigmoid(large), [[0, 0, -1e4]])
    close(ops.sigmoid(large), [[1, 1, 0]])


def test_inplace_activations_write_into_their_input():
    values = x(3, 4)
    tensor = Tensor(values)
    same = F.relu(tensor, inplace=True)
    assert same is tensor
    close(tensor, np.maximum(values, 0))


@pytest.mark.parametrize(
    "function, options, formula",
    [
        (F.relu_, (), lambda v: np.maximum(v, 0)),
        (F.sigmoid_, (), special.expit),
        (F.elu_, (0.5,), lambda v: np.where(v > 0, v, 0.5 * np.expm1(v))),
        (F.hardtanh_, (), lambda v: np.clip(v, -1, 1)),
        (F.threshold_, (0.1, 9), lambda v: np.where(v > 0.1, v, 9)),
    ],
)
def test_activations_in_place(function, options, formula):
    values = x(3, 4)
    tensor = Tensor(values)
    memory = tensor._array
    assert function(tensor, *options) is tensor
    assert tensor._array is memory
    close(tensor, formula(values.astype(np.float64)))


def test_the_gradient_through_an_activation_in_place():
    def loss(t):
        twice = t * 2
        F.relu_(twice)
        return ops.reduce_sum(twice * twice)

    values = x(3, 4)
    close(grad(loss)(Tensor(values)), np.where(values > 0, 8 * values, 0))


@pytest.mark.parametrize("name", ["sigmoid", "silu", "mish", "gelu"])
def test_large_arrays_in_blocks_equal_small_ones(name):
    values = x(70000)
    function = getattr(ops, name)
    whole = function(Tensor(values)).asnumpy()
    parts = [function(Tensor(part)).asnumpy() for part in np.split(values, 70)]
    close(whole, np.concatenate(parts))


@pytest.mark.parametrize("shape", [(64, 1000), (64000,)], ids=["parts", "whole"])
def test_gelu_is_exact_where_the_lower_tail_cancels(shape):
    values = np.linspace(-9, 9, 64000, dtype=np.float32)
    exact = values.astype(np.float64) * special.ndtr(values.astype(np.float64))
    if len(shape) == 1:
        found = ops.gelu(Tensor(values)).asnumpy()
    else:
        parts = values.reshape(shape)
        found = np.concatenate([ops.gelu(Tensor(part)).asnumpy() for part in parts])
    close(found, exact)


# Dropout ------------------------------------------------------------------------------------------


def test_dropout_keeps_the_expectation_and_zeroes_the_rest():
    out = ops.dropout(Tensor(np.ones(20000, np.float32)), 0.3).asnumpy()
    remaining = out != 0
    close(out[remaining], 1 / 0.7, atol=0)
    assert abs(remaining.mean() - 0.7) < 0.02


def test_dropout_draws_anew_and_a_seed_fixes_it():
    ones = Tensor(np.ones(1000, np.float32))
    masks = [ops.dropout(ones, 0.5).asnumpy() != 0 for _ in range(2)]
    assert (masks[0] != masks[1]).any()
    first, again = ops.Dropout(0.5, 11, 22)(ones)[1], ops.Dropout(0.5, 11, 22)(ones)[1]
    assert (first.asnumpy() != again.asnumpy()).any()  # one stream per seed, which goes on


def test_the_gradient_of_dropout_passes_where_elements_were_kept():
    seen = []

    def loss(t):
        out, mask = ops.Dropout(0.4)(t)
        seen.append(mask.asnumpy())
        return ops.reduce_sum(out)

    gradient = grad(loss)(Tensor(np.ones((5, 6), np.float32))).asnumpy()
    close(gradient, seen[0] / 0.4, atol=0)


def test_channel_dropout_drops_whole_channels():
    out, mask = ops.Dropout2D(0.5)(Tensor(np.ones((4, 8, 3, 3), np.float32)))
    flat = out.asnumpy().reshape(32, 9)
    assert set(np.unique(flat)) <= {0.0, 2.0} and len(np.unique(flat)) == 2
    assert ((flat == 0).all(1) | (flat == 2).all(1)).all()
    assert (mask.asnumpy() == (out.asnumpy() > 0)).all()


def test_a_mask_made_beforehand_does_what_it_says():
    mask = ops.DropoutGenMask()((7, 30), Tensor(np.float32(0.6)))
    assert mask.shape == (32,) and mask.dtype == ms.uint8
    values = x(7, 30)
    out = ops.DropoutDoMask()(Tensor(values), mask, Tensor(np.float32(0.6))).asnumpy()
    bits = np.unpackbits(mask.asnumpy())[:210].reshape(7, 30)
    close(out, values * bits / 0.6, atol=0)


# Convolution --------------------------------------------------------------------------------------


def direct(values, weights, stride, pads):
    """2-D cross-correlation by its definition."""
    wide = np.pad(values.astype(np.float64), ((0, 0), (0, 0), *pads))
    high, across = ((n - k) // stride + 1 for n, k in zip(wide.shape[2:], weights.shape[2:]))
    out = np.zeros((values.shape[0], weights.shape[0], high, across))
    for i, j in np.ndindex(high, across):
        window = wide[
            :,
            :,
            i * stride : i * stride + weights.shape[2],
            j * stride : j * stride + weights.shape[3],
        ]
        out[:, :, i, j] = np.einsum("nckl,ockl->no", window, weights)
    return out


def test_convolutions_of_mint():
    values, weights, bias = x(2, 3, 6, 7), x(4, 3, 3, 2), x(4)
    expected = direct(values, weights, 2, ((1, 1), (0, 0))) + bias.reshape(-1, 1, 1)
    found = F.conv2d(Tensor(values), Tensor(weights), Tensor(bias), 2, (1, 0))
    close_sums(found, expected)
    close_sums(
        F.conv2d(Tensor(values[0]), Tensor(weights), Tensor(bias), [2, 2], [1, 0]), expected[0]
    )
    same = direct(values, weights, 1, ((1, 1), (0, 1)))
    close_sums(F.conv2d(Tensor(values), Tensor(weights), padding="same"), same)
    close_sums(
        F.conv1d(Tensor(values[:, :, 0]), Tensor(weights[:, :, 0])),
        direct(values[:, :, :1], weights[:, :, :1], 1, ((0, 0),) * 2)[:, :, 0],
    )
    close_sums(
        F.conv3d(Tensor(values[:, :, None]), Tensor(weights[:, :, None])),
        direct(values, weights, 1, ((0, 0),) * 2)[:, :, None],
    )
    with pytest.raises(ValueError):
        F.conv2d(Tensor(values), Tensor(weights), padding="same", stride=2)


def test_convolution_with_time_first_and_grayscale_dilation():
    values, weights, bias = x(7, 2, 3), x(3, 3, 4), x(4)
    moved = (
        direct(
            values.transpose(1, 2, 0)[:, :, None],
            weights.transpose(2, 1, 0)[:, :, None],
            1,
            ((0, 0), (1, 1)),
        )[:, :, 0]
        + bias[:, None]
    )
    close_sums(mint.conv_tbc(*map(Tensor, (values, weights, bias)), 1), moved.transpose(2, 0, 1))
    image, element = x(1, 2, 4, 5), x(2, 2, 2)
    expected = np.full((1, 2, 3, 4), -np.inf)
    for i, j in np.ndindex(2, 2):
        expected = np.maximum(
            expected, image[:, :, i : i + 3, j : j + 4] + element[:, i, j, None, None]
        )
    close(ops.Dilation2D(1, 1, "VALID")(Tensor(image), Tensor(element)), expected)


@pytest.mark.parametrize("stride, padding, extra", [(1, 0, 0), (2, 1, 1), (3, 0, 2)])
def test_a_transposed_convolution_is_the_transpose_of_a_convolution(stride, padding, extra):
    values, weights = x(2, 4, 3, 5), x(4, 3, 3, 2)
    found = F.conv_transpose2d(Tensor(values), Tensor(weights), None, stride, padding, extra)
    size = tuple(
        (n - 1) * stride - 2 * padding + k + extra
        for n, k in zip(values.shape[2:], weights.shape[2:])
    )
    assert found.shape == (2, 3, *size)
    probe = x(2, 3, *size, seed=4)
    back = direct(probe, weights, stride, ((padding, padding),) * 2)[:, :, :3, :5]
    close_sums((found.asnumpy() * probe).sum(), (values * back).sum())


def test_half_precision_convolution_rounds_once():
    values, weights = x(2, 64, 6, 6).astype(np.float16), x(8, 64, 3, 3).astype(np.float16)
    out = ops.conv2d(Tensor(values), Tensor(weights)).asnumpy()
    expected = direct(values, weights.astype(np.float64), 1, ((0, 0),) * 2)
    assert out.dtype == np.float16
    close_sums(out, expected)


def test_channels_last_convolution_and_pooling():
    values, weights = x(2, 6, 7, 3), x(4, 3, 3, 3)
    conv = ops.Conv2D(4, 3, data_format="NHWC")(Tensor(values), Tensor(weights))
    moved = direct(values.transpose(0, 3, 1, 2), weights.transpose(0, 3, 1, 2), 1, ((0, 0),) * 2)
    close_sums(conv, moved.transpose(0, 2, 3, 1))
    pool = ops.MaxPool(2, 2, data_format="NHWC")(Tensor(values))
    close(pool, values[:, :6, :6].reshape(2, 3, 2, 3, 2, 3).max((2, 4)))


# Pooling ------------------------------------------------------------------------------------------


def test_pools_of_mint_take_unbatched_images_and_the_kernel_as_stride():
    values = x(3, 4, 6)
    blocks = values.reshape(3, 2, 2, 3, 2)
    close(F.avg_pool2d(Tensor(values), 2), blocks.mean((2, 4)))
    close(F.max_pool2d(Tensor(values), 2), blocks.max((2, 4)))
    close(F.avg_pool1d(Tensor(values), 2), values.reshape(3, 4, 3, 2).mean(3))
    close(F.avg_pool3d(Tensor(values[None]), (1, 2, 2)), blocks.mean((2, 4))[None])
    close(F.adaptive_avg_pool1d(Tensor(values), 3), values.reshape(3, 4, 3, 2).mean(3))
    top, at = F.adaptive_max_pool1d(Tensor(values), 4, True)
    np.testing.assert_array_equal(np.take_along_axis(values, at.asnumpy(), -1), top.asnumpy())


@pytest.mark.parametrize("size, stride", [((6, 2), 6), ((7, 3), 5), ((64, 64), 64)])
def test_a_window_larger_than_the_images_counts_once_with_ceil_mode(size, stride):
    """The last window, like the first, may extend past the edge by less than a stride."""
    image = Tensor(np.arange(64, dtype=np.float32).reshape(2, 2, 4, 4))
    values = image.asnumpy().astype(np.float64)[..., : size[1]]
    means, tops = values.mean((2, 3), keepdims=True), values.max((2, 3), keepdims=True)
    pools = (
        (nn.AvgPool2d(size, stride, pad_mode="pad", ceil_mode=True), means),
        (lambda t: F.avg_pool2d(t, size, stride, ceil_mode=True), means),
        (nn.MaxPool2d(size, stride, pad_mode="pad", ceil_mode=True), tops),
        (lambda t: F.max_pool2d(t, size, stride, ceil_mode=True), tops),
    )
    for pool, expected in pools:
        close(pool(image), expected)
        gradient = grad(lambda t, pool=pool: pool(t).sum())(image).asnumpy()
        assert gradient.shape == image.shape
        np.testing.assert_allclose(gradient.sum((2, 3)), 1, rtol=1e-6)


def test_a_window_that_exceeds_the_images_by_a_stride_is_refused():
    image = Tensor(x(2, 2, 4, 4))
    for pool in (F.avg_pool2d, F.max_pool2d, ops.avg_pool2d, ops.max_pool2d):
        with pytest.raises(ValueError, match="must fit into the padded input"):
            pool(image, 6, 2, ceil_mode=True)
        with pytest.raises(ValueError, match="must fit into the padded input"):
            pool(image, 6, 6)


@pytest.mark.parametrize("overlapping", [False, True])
def test_random_windows_tile_the_image(overlapping):
    values = x(2, 7, 9, 3)
    for made, reduce in ((ops.FractionalMaxPool, np.max), (ops.FractionalAvgPool, np.mean)):
        out, rows, columns = made([1.0, 1.5, 1.4, 1.0], overlapping=overlapping)(Tensor(values))
        rows, columns = rows.asnumpy(), columns.asnumpy()
        assert rows[0] == columns[0] == 0 and rows[-1] == 7 and columns[-1] == 9
        assert set(np.diff(rows)) <= {1, 2} and out.shape == (2, 4, 6, 3)
        part = values[:, rows[1] : rows[2] + overlapping, columns[2] : columns[3] + overlapping]
        close(Tensor(out.asnumpy()[:, 1, 2]), reduce(part, (1, 2)))


def test_the_maximum_of_same_padding_with_positions():
    values = x(2, 3, 5, 6)
    top, at = ops.MaxPoolWithArgmax(3, 2, "same")(Tensor(values))
    close(top, ops.MaxPool(3, 2, "same")(Tensor(values)).asnumpy())
    flat = values.reshape(2, -1)
    np.testing.assert_array_equal(
        np.take_along_axis(flat, at.asnumpy().reshape(2, -1), 1), top.asnumpy().reshape(2, -1)
    )


# Normalisation ------------------------------------------------------------------------------------


def normal(values, axes, eps):
    values = values.astype(np.float64)
    mean, var = values.mean(axes, keepdims=True), values.var(axes, keepdims=True)
    return (values - mean) / np.sqrt(var + eps), mean, 1 / np.sqrt(var + eps)


def test_layer_norm_and_its_statistics():
    values, scale, shift = x(3, 4, 5), x(4, 5), x(4, 5, seed=1)
    unit, mean, rstd = normal(values, (1, 2), 1e-5)
    close_sums(
        ops.layer_norm(Tensor(values), (4, 5), Tensor(scale), Tensor(shift)), unit * scale + shift
    )
    close(F.layer_norm(Tensor(values), [4, 5]), unit)
    out = ops.LayerNorm(1, 1, 1e-5)(Tensor(values), Tensor(scale), Tensor(shift))
    variance = 1 / rstd**2 - 1e-5
    for found, expected in zip(out, (unit * scale + shift, mean, variance)):
        close_sums(found, expected)


def test_sums_are_normalised():
    one, other, scale, shift = x(3, 4), x(3, 4, seed=1), x(4), x(4, seed=1)
    total = one + other
    unit, mean, rstd = normal(total, (1,), 1e-5)
    found = ops.add_layer_norm(*map(Tensor, (one, other, scale, shift)))
    for got, expected in zip(found, (unit * scale + shift, mean, rstd, total)):
        close_sums(got, expected)
    root = 1 / np.sqrt((total.astype(np.float64) ** 2).mean(1, keepdims=True) + 1e-6)
    for got, expected in zip(
        ops.add_rms_norm(*map(Tensor, (one, other, scale))), (total * root * scale, root, total)
    ):
        close(got, expected)


def test_rms_norm():
    values, scale = x(3, 4), x(4)
    root = 1 / np.sqrt((values.astype(np.float64) ** 2).mean(1, keepdims=True) + 1e-6)
    out, found = ops.rms_norm(Tensor(values), Tensor(scale))
    close(out, values * root * scale)
    close(found, root)
    with pytest.raises(TypeError):
        ops.rms_norm(Tensor(values), Tensor(scale.astype(np.float16)))


@pytest.mark.parametrize("p", [1, 2, 3, math.inf])
def test_normalize(p):
    values = x(3, 4)
    length = np.linalg.norm(values.astype(np.float64), p, axis=1, keepdims=True)
    close(F.normalize(Tensor(values), p), values / length)


def test_batch_norm_in_training_moves_the_running_statistics():
    values = x(4, 3, 5, 6)
    scale, shift, mean, var = x(3), x(3, seed=1), x(3, seed=2), x(3, positive=True)
    running = Tensor(mean), Tensor(var)
    out = ops.batch_norm(Tensor(values), *running, Tensor(scale), Tensor(shift), True, 0.2)
    unit, _, _ = normal(values, (0, 2, 3), 1e-5)
    close_sums(out, unit * scale.reshape(-1, 1, 1) + shift.reshape(-1, 1, 1))
    close(running[0], 0.8 * mean + 0.2 * values.mean((0, 2, 3)))
    close(running[1], 0.8 * var + 0.2 * values.var((0, 2, 3), ddof=1))
    close(F.batch_norm(Tensor(values), None, None, training=True), unit)


def test_batch_norm_of_large_numbers_is_accurate():
    values = x(8, 2, 40, 40) + np.float32(1000)
    out = F.batch_norm(Tensor(values), None, None, training=True)
    close(out, normal(values, (0, 2, 3), 1e-5)[0], 2e-4)


def test_statistics_of_parts_join_to_those_of_the_whole():
    values = x(6, 3, 5)
    parts = [values[:2], values[2:]]
    stats = [mint.batch_norm_stats(Tensor(part), 1e-5) for part in parts]
    mean, invstd = (Tensor(np.stack([s[i].asnumpy() for s in stats])) for i in range(2))
    running = Tensor(np.zeros(3, np.float32)), Tensor(np.zeros(3, np.float32))
    counts = Tensor(np.array([10, 20], np.float32))
    whole = mint.batch_norm_gather_stats_with_counts(
        Tensor(values), mean, invstd, *running, 1.0, 1e-5, counts
    )
    close(whole[0], values.mean((0, 2)))
    close(whole[1], 1 / np.sqrt(values.var((0, 2)) + 1e-5))
    close(running[1], values.var((0, 2), ddof=1))
    close(
        mint.batch_norm_elemt(Tensor(values), mean=whole[0], invstd=whole[1]),
        normal(values, (0, 2), 1e-5)[0],
    )


def test_outside_training_nothing_moves():
    mean, var = Tensor(x(3)), Tensor(x(3, positive=True))
    before = mean.asnumpy().copy(), var.asnumpy().copy()
    ops.BatchNorm()(Tensor(x(2, 3)), Tensor(x(3)), Tensor(x(3)), mean, var)
    assert (mean.asnumpy() == before[0]).all() and (var.asnumpy() == before[1]).all()


# Losses -------------------------------------------------------------------------------------------


def test_margins():
    values, signs = x(3, 4), np.sign(x(3, 4, seed=1))
    close(
        ops.soft_margin_loss(Tensor(values), Tensor(signs), "none"),
        np.log1p(np.exp(-signs * values)),
    )
    anchor, near, far = x(3, 4), x(3, 4, seed=1), x(3, 4, seed=2)

    def distance(a, b):
        return ((np.abs(a.astype(np.float64) - b + 1e-6) ** 3).sum(1)) ** (1 / 3)

    expected = np.maximum(
        distance(anchor, near) - np.minimum(distance(anchor, far), distance(near, far)) + 1, 0
    )
    close(
        ops.triplet_margin_loss(*map(Tensor, (anchor, near, far)), 1.0, 3, 1e-6, True, "none"),
        expected,
    )
    given = ops.TripletMarginLoss(3, True, 1e-6, "sum")
    close(given(*map(Tensor, (anchor, near, far)), Tensor(np.float32(1))), expected.sum())


def test_multilabel_margin():
    values = x(2, 4)
    target = np.array([[1, 0, -1, 2], [3, -1, 0, 0]], np.int32)
    expected = []
    for row, labels in zip(values.astype(np.float64), ([1, 0], [3])):
        others = [i for i in range(4) if i not in labels]
        expected.append(sum(max(0, 1 - (row[t] - row[i])) for t in labels for i in others) / 4)
    close(ops.multilabel_margin_loss(Tensor(values), Tensor(target), "none"), expected)
    loss, hit = ops.MultilabelMarginLoss()(Tensor(values), Tensor(target))
    close(loss, np.mean(expected))
    np.testing.assert_array_equal(hit.asnumpy(), [[1, 1, 0, 0], [0, 0, 0, 1]])


def test_losses_of_mint():
    one, other, probable = x(3, 4), x(3, 4, seed=1), x(3, 4, positive=True)
    close(F.mse_loss(Tensor(one), Tensor(other)), ((one - other) ** 2).mean())
    close(F.l1_loss(Tensor(one), Tensor(other), "sum"), np.abs(one - other).sum())
    close(F.smooth_l1_loss(Tensor(one), Tensor(other), beta=0), np.abs(one - other).mean())
    close(
        F.kl_div(Tensor(one), Tensor(probable), "sum"), (probable * (np.log(probable) - one)).sum()
    )
    close(
        F.kl_div(Tensor(one), Tensor(other), "batchmean", True),
        (np.exp(other) * (other - one)).sum() / 3,
    )
    logs = special.log_softmax(one.astype(np.float64), 1)
    classes = Tensor(np.array([1, 3, 0]))
    close(F.cross_entropy(Tensor(one), classes), -logs[range(3), [1, 3, 0]].mean())
    with pytest.raises(TypeError):
        F.mse_loss(Tensor(one), Tensor(other.astype(np.float16)))


def test_infinite_ctc_losses_can_be_zeroed():
    logs = Tensor(special.log_softmax(x(2, 1, 4), 2))
    target = Tensor(np.array([[1, 1, 1]], np.int32))
    loss, _ = ops.ctc_loss(logs, target, (2,), (2,), 0, "none")
    assert np.isinf(loss.asnumpy()).all()

    def zeroed(t):
        return ops.ctc_loss(t, target, (2,), (2,), 0, "sum", True)[0]

    assert zeroed(logs).asnumpy() == 0
    assert (grad(zeroed)(logs).asnumpy() == 0).all()


# Images -------------------------------------------------------------------------------------------


def test_boxes_are_suppressed_by_better_neighbours():
    boxes = Tensor(
        np.array(
            [
                [0, 0, 1, 1],
                [0, 0.1, 1, 1.1],
                [0, -0.1, 1, 0.9],
                [0, 10, 1, 11],
                [0, 10.1, 1, 11.1],
                [0, 100, 1, 101],
            ],
            np.float32,
        )
    )
    scores = Tensor(np.array([0.9, 0.75, 0.6, 0.95, 0.5, 0.3], np.float32))
    found = ops.NonMaxSuppressionV3()(boxes, scores, 3, 0.5, 0.0)
    np.testing.assert_array_equal(found.asnumpy(), [3, 0, 5])
    few = ops.NonMaxSuppressionV3()(boxes, scores, Tensor(np.int32(2)), 0.5, 0.4)
    np.testing.assert_array_equal(few.asnumpy(), [3, 0])


def test_the_best_boxes_of_all_classes():
    boxes = np.array([[[[0, 0, 1, 1]], [[0, 0.1, 1, 1.1]], [[0, 2, 1, 3]]]], np.float32)
    scores = np.array([[[0.9, 0.1], [0.8, 0.6], [0.3, 0.7]]], np.float32)
    given = [
        Tensor(np.asarray(v)) for v in (np.int32(2), np.int32(4), np.float32(0.5), np.float32(0.2))
    ]
    remaining, best, classes, count = ops.CombinedNonMaxSuppression(clip_boxes=False)(
        Tensor(boxes), Tensor(scores), *given
    )
    close(best, [[0.9, 0.7, 0.6, 0.3]])
    close(classes, [[0, 1, 1, 0]])
    close(remaining, boxes[0, [0, 2, 1, 2], 0][None])
    assert count.asnumpy().tolist() == [4]


def test_attention_to_one_point_reads_that_point():
    value = x(1, 6, 1, 8)
    at = np.array([[1.5 / 3, 0.5 / 2]], np.float32).reshape(1, 1, 1, 1, 1, 2)
    found = ops.multi_scale_deformable_attn_function(
        Tensor(value),
        Tensor(np.array([[2, 3]])),
        Tensor(np.array([0])),
        Tensor(at),
        Tensor(np.ones((1, 1, 1, 1, 1), np.float32)),
    )
    close(found, value[:, 1])


def test_space_and_batch_are_inverse():
    values = Tensor(x(2, 3, 4, 6))
    there = ops.SpaceToBatch(2, [[0, 0], [0, 0]])(values)
    assert there.shape == (8, 3, 2, 3)
    np.testing.assert_array_equal(
        ops.BatchToSpace(2, [[0, 0], [0, 0]])(there).asnumpy(), values.asnumpy()
    )


def test_nearest_half_pixel_centres():
    values = Tensor(np.arange(5, dtype=np.float32).reshape(1, 1, 1, 5))
    found = ops.ResizeNearestNeighbor((1, 3), False, True)(values).asnumpy().ravel()
    np.testing.assert_array_equal(found, [0, 2, 4])


def test_infinities_stay_where_they_are_in_nearest_resizing():
    values = np.zeros((1, 1, 2, 2), np.float32)
    values[0, 0, 0, 1] = -np.inf
    found = ops.interpolate(Tensor(values), (4, 4)).asnumpy()
    assert np.isneginf(found[0, 0, :2, 2:]).all() and (found[0, 0, 2:] == 0).all()


def test_adaptive_maxima_take_a_list_of_lengths():
    images = Tensor(np.arange(30.0).reshape(1, 1, 5, 6).astype(np.float32))
    assert ops.adaptive_max_pool2d(images, [None, 2])[0, 0, 4].asnumpy().tolist() == [26, 29]
    assert nn.AdaptiveMaxPool3d([1, 1, 2])(images).asnumpy().tolist() == [[[[26, 29]]]]
    with pytest.raises(ValueError, match="output_size"):
        nn.AdaptiveMaxPool3d([1, 2])(images)
    with pytest.raises(RuntimeError, match="must have elements"):
        nn.AdaptiveMaxPool3d((1, 1, 2))(ops.zeros((0, 1, 5, 6)))


def test_conv2d_keeps_its_settings_for_both_axes():
    conv = ops.Conv2D(2, (3, 2), pad_mode="pad", pad=1, stride=2, dilation=(2, 1))
    assert conv.kernel_size == (3, 2)
    assert conv.pad == (1, 1, 1, 1)
    assert conv.stride == (1, 1, 2, 2)
    assert conv.dilation == (1, 1, 2, 1)
    assert ops.Conv2D(2, 3).kernel_size == (3, 3)
