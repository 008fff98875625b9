"""Gradients at edges: zeros, ties, saturation, singular matrices.

The expected numbers are MindSpore 2.10's unless they are an artefact of its formulas.
"""

import numpy as np
import pytest
from kit import close, same

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops

EDGES = {  # what is differentiated, where, and the gradient
    "leaky_relu at 0": (lambda x: ops.leaky_relu(x, 0.2), [0.0, 1, -1], [0.6, 1, 0.2]),
    "hardswish at its ends": (ops.hardswish, [-3.0, 3], [-0.5, 1.5]),
    "selu at 0": (ops.selu, [0.0], [1.050701]),
    "3-norm of nothing": (lambda x: ops.norm(x, 3), [0.0, 0], [0, 0]),
    "2-norm of nothing": (ops.norm, [0.0, 0], [0, 0]),
    "3-norm distance of equals": (
        lambda x: ops.cdist(x.reshape(1, 2), Tensor([[0.0, 1]]), 3.0),
        [0.0, 1],
        [0, 0],
    ),
    "LPPool of nothing": (lambda x: ops.lp_pool1d(x.reshape(1, 2), 3.0, 2), [0.0, 0], [0, 0]),
    "logsigmoid far down": (ops.logsigmoid, [-1000.0, 1000], [1, 0]),
    "smooth_l1_loss far away": (
        lambda x: ops.smooth_l1_loss(x, Tensor([0.0, 0, 0, 0]), 2.0),
        [np.inf, -np.inf, np.nan, 0],
        [1, -1, np.nan, 0],
    ),
    "huber_loss far away": (
        lambda x: ops.huber_loss(x, Tensor([0.0, 0, 0, 0]), "sum", 2.0),
        [np.inf, -np.inf, np.nan, 0],
        [2, -2, np.nan, 0],
    ),
    "logits far away": (
        lambda x: ops.binary_cross_entropy_with_logits(x, Tensor([0.25, 0.25, 0]), reduction="sum"),
        [1000.0, -1000, -80],
        [0.75, -0.25, 1.8048513e-35],
    ),
    "logsumexp of infinities": (lambda x: ops.logsumexp(x, 0), [-np.inf, 0, -np.inf], [0, 1, 0]),
    "xlogy at 0": (lambda x: ops.xlogy(x, Tensor([2.0, 2])), [0.0, 1], [0.693147, 0.693147]),
    "MulNoNan at 0": (lambda y: ops.MulNoNan()(Tensor([1.2, -0.7]), y), [0.3, 0], [1.2, -0.7]),
    "nextafter": (lambda x: ops.nextafter(x, Tensor([2.0, 2])), [1.0, 3], [1, 1]),
    "I1 and J1 at 0": (lambda x: ops.bessel_i1(x) + ops.bessel_j1(x), [0.0], [1]),
    "a determinant of 0": (lambda x: ops.det(x.reshape(2, 2)), [1.0, 2, 2, 4], [4, -2, -2, 1]),
    "products with zeros": (lambda x: ops.prod(x), [0.0, 2, 3], [6, 0, 0]),
    "running products with zeros": (lambda x: ops.cumprod(x, 0), [2.0, 0, 3], [1, 8, 0]),
    "max of ties": (lambda x: ops.amax(x), [2.0, 2, 1], [0.5, 0.5, 0]),
    "std of equals": (lambda x: x.std(), [2.0, 2], [0, 0]),
    "I1 of subnormal numbers": (ops.bessel_i1, [1e-45, 1e-39], [0.5, 0.5]),
    "J1 of subnormal numbers": (ops.bessel_j1, [1e-45, 1e-39], [0.5, 0.5]),
    "asinh far away": (lambda x: ops.asinh(x) * 1e30, [1e30, 1], [1, 0.70710678e30]),
    "hypot far away": (lambda x: ops.hypot(x, Tensor([4e37, 4])), [3e38, 3], [0.991228, 0.6]),
    "atan2 far away and near": (
        lambda x: ops.atan2(x, Tensor([1e30, 1e-30])) * Tensor([1e30, 1e-30]),
        [1e30, 1e-30],
        [0.5, 0.5],
    ),
    "gelu of one number": (lambda x: ops.gelu(x[0]), [0.0], [0.5]),
    "tanh gelu far away": (
        lambda x: ops.gelu(x, "tanh"),
        [3e38, -3e38, 1e20, -1e20, 10, -10],
        [1, 0, 1, 0, 1, 0],
    ),
    "var of nothing": (lambda x: ops.var(x), [], []),
    "std of nothing": (lambda x: mint.std(x), [], []),
    "prod of nothing": (lambda x: ops.prod(x.reshape(0, 3), 1), [], []),
    "cumprod of nothing": (lambda x: ops.cumprod(x, 0), [], []),
    "var of one number": (lambda x: mint.var(x), [2.0], [np.nan]),
    "adaptive max pooling of no images": (
        lambda x: ops.adaptive_max_pool2d(x.reshape(0, 1, 4, 4), 2),
        [],
        [],
    ),
    "softmax of no batches": (lambda x: ops.softmax(x.reshape(0, 2, 0), -1), [], []),
}


@pytest.mark.parametrize("name", EDGES)
def test_gradient(name):
    function, at, gradient = EDGES[name]
    with np.errstate(all="ignore"):
        found = ms.grad(function)(Tensor(at, ms.float32)).asnumpy()
    close(found, gradient)


@pytest.mark.parametrize("cosine", [ops.cosine_similarity, mint.nn.functional.cosine_similarity])
def test_the_product_of_lengths_is_bounded(cosine):
    """`eps` bounds the product of the lengths, not each length: the similarity of [1e-5, 0] to
    itself is 0.01, as in MindSpore 2.10."""
    short = Tensor([1e-5, 0], ms.float32)
    value, gradient = ms.value_and_grad(lambda x: cosine(x, short, 0))(short)
    close(value, 0.01, atol=0)
    close(gradient, [1000, 0], atol=0)
    nothing = ms.grad(lambda x: cosine(x, Tensor([1.0, 2]), 0))(Tensor([0.0, 0]))
    assert np.isfinite(nothing.asnumpy()).all()


def test_a_gradient_through_an_update_is_refused():
    var, others = Tensor([1.0, 2]), [Tensor(0.1), Tensor([0.0, 0]), Tensor(0.1), Tensor([1.0, 1])]
    with pytest.raises(RuntimeError, match="no gradient"):
        ms.grad(lambda g: ops.SGD()(var, g, *others).sum())(Tensor([0.5, 0.5]))


def test_geqrf_tells_that_it_has_no_gradient():
    with pytest.raises(RuntimeError, match="no gradient"):
        ms.grad(lambda x: ops.geqrf(x)[0].sum())(Tensor([[1.0, 2], [3, 4]]))


A, B = np.array([2.0, 3], np.float32), np.array([5.0, 4], np.float32)


@pytest.mark.parametrize(
    "draw",
    [
        lambda m, s: ops.normal((4, 2), m, s, 5),
        lambda m, s: ops.laplace((4, 2), m, s, 5),
        lambda m, s: mint.normal(m, s),
    ],
)
def test_drawn_numbers_follow_mean_and_scale(draw):
    """As in MindSpore 2.10, the derivative with respect to `mean` is 1, and with respect to `scale`
    it is the noise, (value - mean) / scale."""
    mean, scale = Tensor(A), Tensor(B)
    value, (by_mean, by_scale) = ms.value_and_grad(draw, (0, 1))(mean, scale)
    count = value.size // 2
    same(by_mean, [count, count])
    noise = ((value - mean) / scale).asnumpy().reshape(-1, 2).sum(0)
    close(by_scale, noise)


def test_uniform_numbers_follow_their_bounds():
    low, high = Tensor(A), Tensor(B)
    value, gradients = ms.value_and_grad(lambda a, b: ops.uniform((4, 2), a, b, 5), (0, 1))(
        low, high
    )
    share = ((value - low) / (high - low)).asnumpy().sum(0)
    close(gradients[0], 4 - share)
    close(gradients[1], share)


def test_gamma_numbers_follow_their_rate():
    rate = Tensor(B)
    value, gradient = ms.value_and_grad(lambda b: ops.gamma((4, 1), Tensor(A), b, 5))(rate)
    close(gradient, (-value / rate).asnumpy().sum(0))


def test_sigmoid_keeps_its_lower_tail():
    found = ops.sigmoid(Tensor([-40.0, -16.0, -1000.0], ms.float32)).asnumpy()
    close(found, [4.248354e-18, 1.125352e-07, 0], atol=0)


def test_acosh_below_one_and_left_of_zero():
    assert np.isnan(ms.grad(ops.acosh)(Tensor([-2.0, 0.5])).asnumpy()).all()
    z = Tensor(np.array([2 + 1j, -2 + 1j], np.complex64))
    found = ms.grad(ops.acosh)(z).asnumpy()
    assert np.allclose(found, [0.40225 + 0.2486j, -0.40225 + 0.2486j], atol=1e-5)


@pytest.mark.parametrize("compiled", ["off", "wait"])
def test_sums_of_numbers_stay_arrays_while_recorded(compiled, monkeypatch):
    """Without loops NumPy returns a NumPy scalar for a sum of 0-d arrays."""
    monkeypatch.setenv("MINDSPORE_COMPAT_COMPILE", compiled)

    def total(x):
        return ops.accumulate_n([x, x]).sum() + ops.addn((x, x)) * 3

    assert ms.grad(total)(Tensor(np.float32(2))).asnumpy() == 8
    x = Tensor(np.full((2, 2), 2.0, np.float32))
    (clipped,) = ops.clip_by_global_norm([x], 2.0)
    gradient = ms.grad(
        lambda x: (ops.clip_by_global_norm([x], 2.0)[0] * Tensor([[1.0, 0], [0, 0]])).sum()
    )
    np.testing.assert_allclose(clipped.asnumpy(), x.asnumpy() / 2, rtol=1e-6)
    wanted = np.array([[3, -1], [-1, -1]]) / 8  # (1 - x x' / |x|^2) / 2 of the first
    np.testing.assert_allclose(gradient(x).asnumpy(), wanted, rtol=1e-5)


@pytest.mark.parametrize("count", [7, 20000])
def test_frac_passes_the_gradient_on(count):
    x = Tensor(np.linspace(-3, 3, count, dtype=np.float32))
    values = x.asnumpy()
    assert np.array_equal(ops.frac(x).asnumpy(), values - np.trunc(values))
    gradient = ms.grad(lambda x: (ops.frac(x) * x).sum())(x).asnumpy()
    assert np.allclose(gradient, values - np.trunc(values) + values, atol=1e-6)
    assert ms.grad(lambda x: ops.frac(x).sum())(Tensor([1, 2])).asnumpy().tolist() == [0, 0]
