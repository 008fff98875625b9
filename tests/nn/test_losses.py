"""Losses: reductions, a user-defined loss, and losses that MindSpore only has on a GPU."""

import tracemalloc

import numpy as np
import pytest
from kit import close_sums

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, nn, ops


def normal(*shape, seed=0):
    return Tensor(np.random.RandomState(seed).randn(*shape).astype(np.float32))


class Squares(nn.LossBase):
    """A loss as users write them."""

    def construct(self, logits, labels, weights=1.0):
        return self.get_loss(ops.square(logits - labels), weights)


@pytest.mark.parametrize(
    "reduction, expected", [("mean", 5.0), ("sum", 10.0), ("none", [1.0, 9.0])]
)
def test_get_loss_reduces(reduction, expected):
    found = Squares(reduction)(Tensor([1.0, 3.0]), Tensor([0.0, 0.0]))
    assert found.asnumpy().tolist() == expected


def test_get_loss_weighs_and_keeps_the_dtype():
    x = Tensor([1.0, 3.0], ms.float16)
    found = Squares("sum")(x, x * 0, Tensor([2.0, 0.5]))
    assert (float(found), found.dtype) == (6.5, ms.float16)


@pytest.mark.parametrize("reduction", ["average", "Mean", None, 3])
@pytest.mark.parametrize(
    "kind",
    [
        nn.LossBase,
        nn.L1Loss,
        nn.MSELoss,
        nn.SmoothL1Loss,
        nn.HuberLoss,
        nn.CrossEntropyLoss,
        nn.NLLLoss,
        nn.BCELoss,
        nn.SoftmaxCrossEntropyWithLogits,
        nn.CosineEmbeddingLoss,
        nn.FocalLoss,
        nn.HingeEmbeddingLoss,
        nn.MarginRankingLoss,
        nn.TripletMarginLoss,
        nn.GaussianNLLLoss,
        nn.MultiLabelSoftMarginLoss,
    ],
)
def test_another_reduction_is_a_value_error(kind, reduction):
    with pytest.raises(ValueError, match="reduction"):
        kind(reduction=reduction)


def called_ctc(reduction):
    """Constructs and calls a CTCLoss, which checks its arguments only when it is called."""
    inputs = ops.ones((3, 1, 4)), *(Tensor(x, ms.int32) for x in ([[1, 2]], [3], [2]))
    return nn.CTCLoss(reduction=reduction)(*inputs)


@pytest.mark.parametrize("kind", [nn.PoissonNLLLoss, nn.MultiMarginLoss, called_ctc])
def test_where_the_page_asks_for_a_str_another_type_is_a_type_error(kind):
    for reduction in (None, 3, True):
        with pytest.raises(TypeError, match="'reduction' must be a str"):
            kind(reduction=reduction)
    with pytest.raises(ValueError, match="'reduction' must be one of"):
        kind(reduction="Mean")


@pytest.mark.parametrize(
    "reduction, error", [("average", ValueError), (None, TypeError), (3, TypeError)]
)
def test_soft_margin_loss_checks_its_reduction_when_it_is_called(reduction, error):
    """As MindSpore 2.10 does; there, too, "Mean" is "mean"."""
    loss = nn.SoftMarginLoss(reduction)
    with pytest.raises(error, match="reduction"):
        loss(Tensor([1.0, 2.0]), Tensor([1.0, -1.0]))


def test_lossbase_itself_computes_nothing():
    with pytest.raises(NotImplementedError):
        nn.LossBase()(Tensor([1.0]), Tensor([1.0]))


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("p", [1, 2, 3])
def test_triplet_margin(p, swap):
    a, b, c = (normal(5, 3, seed=i) for i in range(3))

    def distance(x, y):
        return (np.abs(x.asnumpy() - y.asnumpy() + 1e-6) ** p).sum(-1) ** (1 / p)

    far = np.minimum(distance(a, c), distance(b, c)) if swap else distance(a, c)
    expected = np.maximum(distance(a, b) - far + 2, 0)
    found = nn.TripletMarginLoss(p, swap, margin=2.0, reduction="none")(a, b, c)
    assert np.allclose(found.asnumpy(), expected, rtol=1e-4)
    assert np.allclose(
        nn.TripletMarginLoss(p, swap)(a, b, c, 2.0).asnumpy(), expected.mean(), rtol=1e-4
    )


def test_soft_margin():
    x, y = normal(4, 3), ops.sign(normal(4, 3, seed=1))
    expected = np.log1p(np.exp(-x.asnumpy() * y.asnumpy()))
    assert np.allclose(nn.SoftMarginLoss("none")(x, y).asnumpy(), expected, rtol=1e-5)


def test_multilabel_margin():
    x = Tensor([[0.1, 0.2, 0.4, 0.8], [0.2, 0.3, 0.5, 0.7]])
    target = Tensor([[1, 2, 0, 3], [2, 3, -1, 1]], ms.int32)
    assert float(nn.MultilabelMarginLoss()(x, target)) == pytest.approx(0.325)


@pytest.mark.host
def test_multilabel_margin_of_many_rows_needs_no_array_of_pairs():
    rng = np.random.default_rng(0)
    values = rng.integers(-4, 5, (2000, 40)).astype(np.float32) / 4  # some hinges are 0
    target = rng.integers(-1, 40, (2000, 40)).astype(np.int32)
    expected, slopes = np.zeros(2000), np.zeros((2000, 40))
    for row, entries in enumerate(target):
        labels = entries[np.cumsum(entries < 0) == 0]
        others = np.setdiff1d(np.arange(40), labels)
        gaps = 1 - (values[row, labels, None].astype(np.float64) - values[row, others])
        expected[row] = np.maximum(gaps, 0).sum() / 40
        slopes[row, others] += np.heaviside(gaps, 0.5).sum(0) / 40
        np.subtract.at(slopes[row], labels, np.heaviside(gaps, 0.5).sum(1) / 40)

    def loss(x):
        return ops.multilabel_margin_loss(x, Tensor(target), "none")

    ms.grad(loss)(Tensor(values))  # imports what it needs
    tracemalloc.start()
    found = loss(Tensor(values)), ms.grad(loss)(Tensor(values))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    close_sums(found[0], expected)
    close_sums(found[1], slopes)
    assert peak < 2000 * 40 * 40 * 4  # bytes of one such array; one for the gradient needs five


@pytest.mark.parametrize("shape", [(1,), (), (3,), (2, 1), (2, 3)])
def test_the_labels_of_cosine_embedding_are_broadcast(shape):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 3, 4)).astype(np.float32)
    labels = rng.choice([-1, 1], shape).astype(np.int32)
    found = nn.CosineEmbeddingLoss(0.1, "none")(*map(Tensor, (x, y, labels)))
    cosine = (x * y).sum(1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)
    wanted = np.where(labels == 1, 1 - cosine, np.maximum(cosine - 0.1, 0))
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5, atol=1e-6)


def test_labels_of_cosine_embedding_that_do_not_broadcast():
    x = Tensor(np.ones((3, 4), np.float32))
    with pytest.raises(ValueError, match=r"'labels' must have a shape that broadcasts.*\(2,\)"):
        nn.CosineEmbeddingLoss()(x, x, Tensor([1, 1]))


def test_margin_ranking_broadcasts():
    a, b, sign = normal(4, 3), normal(3, seed=1), ops.sign(normal(4, 3, seed=2))
    expected = np.maximum(-sign.asnumpy() * (a.asnumpy() - b.asnumpy()) + 0.5, 0)
    found = nn.MarginRankingLoss(0.5, "none")(a, b, sign)
    assert np.allclose(found.asnumpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("dtype", [ms.int8, ms.int32, ms.int64], ids=str)
@pytest.mark.parametrize("reduction, expected", [("none", [3.5, 2.5, 0.5]), ("sum", 6.5)])
def test_margin_ranking_of_ints_is_float32(dtype, reduction, expected):
    a, b, sign = (Tensor(x, dtype) for x in ([1, 2, 3], [3, 1, 2], [1, -1, 1]))
    found = nn.MarginRankingLoss(1.5, reduction)(a, b, sign)
    assert found.dtype == ms.float32 and np.array_equal(found.asnumpy(), expected)


@pytest.mark.parametrize("shape", [(3,), (2, 1), (1, 3), ()])
def test_the_weight_of_binary_cross_entropy_is_broadcast(shape):
    x, y = (Tensor(np.random.RandomState(i).rand(2, 3).astype(np.float32)) for i in (0, 1))
    weight = ops.abs(normal(*shape) if shape else Tensor(2.0)) + 1
    full = ops.broadcast_to(weight, (2, 3))
    found = mint.nn.BCELoss(weight, "none")(x, y)
    np.testing.assert_array_equal(found.asnumpy(), mint.nn.BCELoss(full, "none")(x, y).asnumpy())
    with pytest.raises(ValueError, match="weight"):
        mint.nn.BCELoss(ops.ones((2, 2, 3)))(x, y)
    with pytest.raises(ValueError, match="weight"):
        mint.nn.BCELoss(ops.ones(2))(x, y)


def test_the_mean_of_a_sampled_loss_is_a_scalar():
    loss = nn.SampledSoftmaxLoss(3, 7, seed=1, reduction="mean")
    found = loss(normal(7, 4), normal(7), Tensor([[1], [3]], ms.int32), normal(2, 4))
    assert found.shape == ()


def test_classes_out_of_range_add_nothing():
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="none")
    found, gradient = ms.value_and_grad(lambda x: loss(x, Tensor([1, 7, -1], ms.int32)))(
        normal(3, 4)
    )
    assert (found.asnumpy()[1:] == 0).all()
    assert (gradient.asnumpy()[1:] == 0).all()
    assert found.asnumpy()[0] > 0


@pytest.mark.parametrize("shape", [(6, 5), (600, 500)])
def test_the_gradient_of_cross_entropy(space, shape):
    x = normal(*shape)
    labels = Tensor(np.random.RandomState(1).randint(0, shape[1], shape[0]), ms.int32)
    labels[0] = 2
    loss = nn.CrossEntropyLoss(ignore_index=2)
    counts = labels.asnumpy() != 2
    soft = np.exp(x.asnumpy().astype(np.float64))
    soft /= soft.sum(1, keepdims=True)
    expected = (soft - np.eye(shape[1])[labels.asnumpy()]) * counts[:, None] / counts.sum()
    found = ms.grad(loss)(x, labels)
    assert np.allclose(found.asnumpy(), expected, atol=1e-6)


def test_second_derivatives_of_cross_entropy():
    x, labels = normal(4, 3), Tensor([0, 2, 1, 0], ms.int32)

    def gradient(v):
        return ms.grad(nn.CrossEntropyLoss())(v, labels)

    weights = normal(4, 3, seed=3)
    exact = ms.grad(lambda v: (gradient(v) * weights).sum())(x).asnumpy()
    around = ((gradient(x + 1e-2 * weights) - gradient(x - 1e-2 * weights)) / 2e-2).asnumpy()
    assert np.allclose(exact, around, atol=1e-3)


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: nn.CrossEntropyLoss("weights"), TypeError),
        (lambda: nn.CrossEntropyLoss(label_smoothing=2.0), ValueError),
        (lambda: nn.CrossEntropyLoss()(normal(2, 3), Tensor([0, 1], ms.int64)), TypeError),
        (lambda: nn.BCEWithLogitsLoss(weight=ms.Parameter(normal(3))), TypeError),
        (lambda: nn.BCELoss(normal(3))(ops.ones((2, 3)), ops.ones((2, 3))), ValueError),
        (lambda: nn.FocalLoss()(normal(2, 3), Tensor([0, 1], ms.int32)), ValueError),
        (lambda: nn.FocalLoss(gamma=2), TypeError),
        (lambda: nn.DiceLoss(0.0), ValueError),
        (lambda: nn.MSELoss()(normal(2, 3), 3.0), TypeError),
        (lambda: nn.MSELoss()(normal(2, 3), normal(2, 4)), ValueError),
        (lambda: nn.SampledSoftmaxLoss(8, 7), ValueError),
        (lambda: nn.MultiMarginLoss(3), ValueError),
        (lambda: nn.HuberLoss(delta=0)(normal(2), normal(2)), ValueError),
    ],
)
def test_refusals(make, error):
    with pytest.raises(error):
        make()
