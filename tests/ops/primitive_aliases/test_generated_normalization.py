"""Normalizations with statistics and their gradients, and small Primitives of ops.auto_generate.

All but LayerNormExt and LayerNormV3 were compared with 2.10 on a CPU, in float16 too.
"""

import numpy as np
import pytest
from kit import close, close_sums

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops
from mindspore_compat._core.gradients.transforms import vjp
from mindspore_compat.ops import auto_generate as a
from mindspore_compat.ops.operations import _grad_ops as g


def values(*shape, seed=0):
    return np.random.RandomState(seed + sum(shape)).uniform(-2, 2, shape)


def t(array, dtype=np.float32):
    return Tensor(np.asarray(array, dtype))


X, W, B = values(2, 4, 3), values(4), values(4, seed=1)


def test_groups_and_their_statistics():
    rows = X.reshape(2, 2, 6)
    mean, deviation = rows.mean(2), (rows.var(2) + 1e-5) ** 0.5
    out = (rows - mean[..., None]) / deviation[..., None]
    out = out.reshape(X.shape) * W[:, None] + B[:, None]
    close_sums(a.GroupNorm()(t(X), 2, t(W), t(B)), (out, mean, 1 / deviation))
    plain = a.GroupNorm()(t(X, np.float16), 4)
    assert [each.dtype for each in plain] == [ms.float16] * 3 and plain[1].shape == (2, 4)
    with pytest.raises(ValueError, match="^For 'GroupNorm', 'num_groups'"):
        a.GroupNorm()(t(X), 3)


def test_gradients_of_groups():
    gradient = t(values(2, 4, 3, seed=5))
    _, mean, rstd = a.GroupNorm()(t(X), 2, t(W), t(B))
    found = a.GroupNormGrad()(gradient, t(X), mean, rstd, t(W), 2, False, True, False)
    wanted = vjp(lambda *given: a.GroupNorm()(given[0], 2, *given[1:])[0], t(X), t(W), t(B))[1](
        gradient
    )
    close_sums(found, [each.asnumpy() for each in wanted])
    with pytest.raises(ValueError, match="^For 'GroupNormGrad', 'num_groups'"):
        a.GroupNormGrad()(gradient, t(X), mean, rstd, t(W), 0)


@pytest.mark.parametrize("shape", [(3,), (4, 3), [4, 3], 3])
def test_layers_and_their_statistics(shape):
    size = (shape,) if isinstance(shape, int) else tuple(shape)
    axes = tuple(range(3 - len(size), 3))
    weight, bias = t(values(*size)), t(values(*size, seed=1))
    out, mean, rstd = a.LayerNormExt()(t(X), shape, weight, bias, 1e-3)
    close_sums([out], [mint.nn.functional.layer_norm(t(X), size, weight, bias, 1e-3).asnumpy()])
    close([mean, rstd], [X.mean(axes, keepdims=True), (X.var(axes, keepdims=True) + 1e-3) ** -0.5])
    again = a.LayerNormV3(3 - len(size), 3 - len(size), 1e-3)(t(X), weight, bias)
    close(again, [each.asnumpy() for each in (out, mean, rstd)])


def test_layers_of_halves_keep_exact_statistics():
    out, mean, rstd = a.LayerNormExt()(t(X, np.float16), (3,))
    assert (out.dtype, mean.dtype, rstd.dtype) == (ms.float16, ms.float32, ms.float32)
    out, mean, _ = a.LayerNormV3(2, -1)(
        t(X, np.float16), t(values(3), np.float16), t(values(3), np.float16)
    )
    assert (out.dtype, mean.dtype, mean.shape) == (ms.float16, ms.float32, (2, 4, 1))


@pytest.mark.parametrize(
    "call",
    [
        lambda: a.LayerNormExt()(t(X), (4,)),
        lambda: a.LayerNormExt()(t(X), (3,), t(W)),
        lambda: a.LayerNormExt()(t(X), ()),
        lambda: a.LayerNormV3(3)(t(X), t(W), t(W)),
        lambda: a.LayerNormV3(1, -4)(t(X), t(W), t(W)),
        lambda: a.LayerNormV3()(t(X), t(W), t(W)),
    ],
)
def test_layers_refuse(call):
    with pytest.raises(ValueError, match="^For 'LayerNorm(Ext|V3)'"):
        call()


def test_gradients_pass_all_results():
    def total(x):
        return sum((part * part).sum() for part in a.LayerNormExt()(x, (3,)))

    step, x = np.zeros_like(X), X * 1.0
    step[0, 1, 2] = 1e-5
    found = ms.grad(total)(t(x, np.float64)).asnumpy()[0, 1, 2]
    ends = [total(t(x + sign * step, np.float64)).asnumpy() for sign in (1, -1)]
    # A difference over a step of 1e-5.
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2e-5, 1e-5)


def second(forward, x, dy, scale, gradients):
    """The gradients of a gradient, by the tape alone."""

    def first(x, dy, scale):
        return tuple(vjp(forward, x, scale, scale * 0)[1](dy))

    return [each.asnumpy() for each in vjp(first, x, dy, scale)[1](gradients)]


def test_gradients_of_the_gradients_of_layers():
    x = values(3, 4)
    given = t(x), t(values(3, 4, seed=1))
    gradients = t(values(3, 4, seed=2)), t(values(4, seed=3)), t(values(4, seed=4))
    statistics = t(x.var(1, keepdims=True)), t(x.mean(1, keepdims=True))
    found = a.LayerNormGradGrad(1, 1)(*given, *statistics, t(W), *gradients)

    def forward(x, scale, shift):
        return ops.LayerNorm(1, 1, 1e-12)(x, scale, shift)[0]

    close_sums(found, second(forward, *given, t(W), gradients))


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("last", [False, True])
def test_gradients_of_the_gradients_of_batches(training, last):
    order = (0, 2, 3, 1) if last else (0, 1, 2, 3)
    x = values(2, 3, 2, 2)
    images = [x, values(2, 3, 2, 2, seed=1), values(2, 3, 2, 2, seed=2)]
    gradients = t(images[2]), t(values(3, seed=3)), t(values(3, seed=4))
    mean, variance, scale = t(x.mean((0, 2, 3))), t(x.var((0, 2, 3))), t(values(3))
    at = [t(image.transpose(order)) for image in images]
    run = a.BatchNormGradGrad(training, 1e-5, "NHWC" if last else "NCHW")
    found = run(at[0], at[1], scale, mean, variance, at[2], *gradients[1:])

    def forward(x, scale, shift):
        return mint.nn.functional.batch_norm(x, mean, variance, scale, shift, training)

    wanted = second(forward, t(images[0]), t(images[1]), scale, gradients)
    close_sums(found, [each.transpose(order) if each.ndim == 4 else each for each in wanted])


@pytest.mark.parametrize("training", [False, True])
def test_gradients_of_images(training):
    x, scale = values(2, 3, 2, 2), t(values(2, 3, 1, 1))
    dy = t(values(2, 3, 2, 2, seed=1))
    mean, variance = t(x.mean((2, 3), keepdims=True)), t(x.var((2, 3), keepdims=True))
    inverse = t((x.var((2, 3), keepdims=True) + 1e-5) ** -0.5)
    statistics = (
        (scale * 0, scale * 0, mean, inverse)
        if training
        else (mean, variance, scale * 0, scale * 0)
    )
    found = g.InstanceNormV2Grad(training)(dy, t(x), scale, *statistics)

    def forward(x, scale, shift):
        middle = ops.mean(x, (2, 3), True) if training else mean
        variances = ops.mean((x - middle) ** 2, (2, 3), True) if training else variance
        return (x - middle) / ops.sqrt(variances + 1e-5) * scale + shift

    close_sums(found, [each.asnumpy() for each in vjp(forward, t(x), scale, scale * 0)[1](dy)])
    with pytest.raises(ValueError, match="^For 'InstanceNormV2Grad'"):
        g.InstanceNormV2Grad()(dy, t(x), t(values(3)), *statistics)


@pytest.mark.parametrize("mode", ["valid", "same", "full"])
@pytest.mark.parametrize("sizes", [(5, 3), (3, 5), (4, 4), (4, 2), (2, 4), (1, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.complex64])
def test_correlations(mode, sizes, dtype):
    one, other = (np.round(4 * values(n, seed=n)).astype(dtype) for n in sizes)
    if dtype is np.complex64:
        other = other * dtype(1 + 2j)
    found = a.Correlate(mode)(t(one, dtype), t(other, dtype)).asnumpy()
    close(found, np.correlate(one, other, mode), atol=0)
    assert found.dtype == (np.float32 if dtype is np.int32 else dtype)


def test_correlations_refuse():
    with pytest.raises(TypeError, match="^For 'Correlate'"):
        a.Correlate()(t([1]), t([1], np.float64))
    for wrong in ([], [[1]]):
        with pytest.raises(ValueError, match="^For 'Correlate'"):
            a.Correlate()(t(wrong), t([1]))
    with pytest.raises(ValueError):
        a.Correlate("most")


def test_small_ones():
    found = a.FFTShapeCopy()(t([[1, 2, 3], [4, 5, 6]]), (3, 2))
    assert found.asnumpy().tolist() == [[1, 2], [4, 5], [0, 0]]
    with pytest.raises(ValueError, match="^For 'FFTShapeCopy'"):
        a.FFTShapeCopy()(t([1]), (1, 1))
    assert a.BoolNot()(True).asnumpy().tolist() is False
    with pytest.raises(TypeError):
        a.BoolNot()(1)
    for given, dtype in (((1, 2), ms.int64), ((1.5,), ms.float32), ((True,), ms.bool_)):
        made = a.TupleToTensor()(given)
        assert made.dtype == dtype and made.asnumpy().tolist() == list(given)
    assert a.TupleToTensor()((1.5,), ms.int64).asnumpy().tolist() == [1]
    assert a.TupleToTensor()((), ms.int64).shape == (0,)
    for wrong, error in (
        ((1, 2.5), RuntimeError),
        ((), ValueError),
        (("a",), TypeError),
        (1, TypeError),
    ):
        with pytest.raises(error):
            a.TupleToTensor()(wrong)


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.bfloat16])
def test_bytes(dtype):
    x = Tensor([[100, 2.5, -3.5], [-100, 0.5, 3]], dtype)
    out = a.QuantV2()(x, Tensor([2, 1, 1], dtype), Tensor([[0, 0, 1]], dtype))
    assert out.dtype == ms.int8 and out.asnumpy().tolist() == [[127, 2, -2], [-128, 0, 4]]
    # The documented example.
    out = a.QuantV2()(t([100, 150]), t([80, 40]), t([0, 2]), False, "Round", ms.int8)
    assert out.asnumpy().tolist() == [127, 127]


def test_bytes_by_rows():
    rows = t([[127, -2.5, 1], [0, 0, 0], [0.5, -1, 0.25]], np.float16)
    out, unit = a.DynamicQuantExt()(rows)
    assert out.dtype == ms.int8 and unit.dtype == ms.float32 and unit.shape == (3,)
    assert out.asnumpy().tolist() == [[127, -2, 1], [0, 0, 0], [64, -127, 32]]
    close(unit, [1, 0, 1 / 127], atol=0)
    smoothed, unit = a.DynamicQuantExt()(rows, t([1, 2, 1], np.float16))
    assert smoothed.asnumpy()[0].tolist() == [127, -5, 1]
    close(unit, [1, 0, 2 / 127], atol=0)


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: a.QuantV2()(t([1]), t([1, 2]), t([1])), ValueError),
        (lambda: a.QuantV2()(t([[1], [2]]), t([[1], [2]]), t([1])), ValueError),
        (lambda: a.QuantV2()(t([1]), t([1], np.float16), t([1])), TypeError),
        (lambda: a.QuantV2()(t([1]), t([1]), 1.0), TypeError),
        (lambda: a.QuantV2()(t([1]), t([1]), t([1]), True), (TypeError, ValueError)),
        (lambda: a.QuantV2()(t([1]), t([1]), t([1]), False, "FLOOR"), ValueError),
        (lambda: a.DynamicQuantExt()(t(1.0)), ValueError),
        (lambda: a.DynamicQuantExt()(t([1]), t([1, 2])), ValueError),
        (lambda: a.DynamicQuantExt()(t([1]), t([1], np.float16)), TypeError),
    ],
)
def test_bytes_refuse(call, error):
    with pytest.raises(error):
        call()
