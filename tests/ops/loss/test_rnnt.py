"""The transducer loss: summed over all paths by hand, its gradient, rejected calls."""

import functools
import math

import numpy as np
import pytest
from kit import close, close_sums

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

LABELS = np.array([[1, 2], [3, 0], [4, 4]], np.int32)  # 0 is not counted in the second row
LENGTHS = np.array([3, 2, 4], np.int32), np.array([2, 1, 0], np.int32)


def activations(blank=0, dtype=np.float32):
    return np.random.RandomState(blank).randn(3, 4, 3, 5).astype(dtype)


def by_paths(acts, labels, steps, blank):
    """The negative logarithm of the summed probabilities of all paths, path by path."""
    shares = np.exp(acts - acts.max(-1, keepdims=True))
    shares = shares / shares.sum(-1, keepdims=True)

    @functools.cache
    def total(t, u):
        if t == steps:
            return float(u == len(labels))
        found = shares[t, u, blank] * total(t + 1, u)
        return found + (shares[t, u, labels[u]] * total(t, u + 1) if u < len(labels) else 0)

    return -math.log(total(0, 0))


def inputs(acts):
    return Tensor(acts), Tensor(LABELS), Tensor(LENGTHS[0]), Tensor(LENGTHS[1])


def wanted(acts, blank):
    rows = zip(acts.astype(np.float64), LABELS.tolist(), *(each.tolist() for each in LENGTHS))
    return [by_paths(x, labels[:n], steps, blank) for x, labels, steps, n in rows]


@pytest.mark.parametrize("blank", [0, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_the_loss_sums_over_paths(blank, dtype):
    acts = activations(blank, dtype)
    costs, gradients = ops.RNNTLoss(blank)(*inputs(acts))
    assert costs.asnumpy().dtype == dtype and gradients.asnumpy().dtype == dtype
    close(costs, wanted(acts, blank))


def test_the_second_output_is_the_gradient():
    acts = activations(1)
    loss = ops.RNNTLoss(1)
    gradients = loss(*inputs(acts))[1].asnumpy()
    by_tape = ms.grad(lambda x: loss(x, *inputs(acts)[1:])[0].sum())(Tensor(acts)).asnumpy()
    close(by_tape, gradients)
    step = np.zeros_like(acts, np.float64)
    for index in [(0, 0, 0, 1), (0, 2, 2, 1), (1, 1, 1, 4), (1, 0, 0, 3), (2, 3, 0, 1)]:
        step[index] = 1e-4
        up, down = (sum(wanted(acts + sign * step, 1)) for sign in (1, -1))
        close_sums(gradients[index], (up - down) / 2e-4)
        step[index] = 0
    assert (
        not gradients[1, 2:].any()
        and not gradients[1, :, 2].any()
        and not gradients[2, :, 1:].any()
    )


def test_second_derivatives():
    acts = activations(0)[:1, :2]
    rest = [Tensor(LABELS[:1]), Tensor([2], ms.int32), Tensor([2], ms.int32)]
    weights = np.random.RandomState(3).randn(*acts.shape).astype(np.float32)

    def gradient(x):
        inner = ms.grad(lambda y: ops.RNNTLoss()(y, *rest)[0].sum())(x)
        return (inner * Tensor(weights)).sum()

    found = ms.grad(gradient)(Tensor(acts)).asnumpy()
    step = np.zeros_like(acts)
    step[0, 0, 1, 2] = 1e-2
    up, down = (gradient(Tensor(acts + sign * step)).asnumpy() for sign in (1, -1))
    # A difference of float32 numbers over a step of 1e-2.
    np.testing.assert_allclose(found[0, 0, 1, 2], (up - down) / 2e-2, 2e-2, 1e-3)


def test_one_time_and_no_label():
    acts = Tensor(np.log(np.array([[[[0.25, 0.75]]]], np.float32)))
    empty = Tensor(np.zeros((1, 0), np.int32))
    costs, gradients = ops.RNNTLoss()(acts, empty, Tensor([1], ms.int32), Tensor([0], ms.int32))
    close(costs, [math.log(4)], atol=0)
    close(gradients.asnumpy().ravel(), [-0.75, 0.75], atol=0)


def ints(*values):
    return Tensor(np.array(values, np.int32))


@pytest.mark.parametrize(
    "index, value, error",
    [
        (0, 1, TypeError),
        (0, Tensor(np.zeros((3, 4, 3, 5), np.float64)), TypeError),
        (1, LABELS, TypeError),
        (1, Tensor(LABELS.astype(np.int64)), TypeError),
        (2, Tensor([1.0, 1.0, 1.0]), TypeError),
        (3, (1, 1, 1), TypeError),
        (0, Tensor(np.zeros((4, 3, 5), np.float32)), ValueError),
        (1, ints([1, 2, 3], [1, 2, 3], [1, 2, 3]), ValueError),
        (2, ints(1, 1), ValueError),
        (2, ints(1, 0, 1), ValueError),
        (2, ints(1, 5, 1), ValueError),
        (3, ints(1, -1, 1), ValueError),
        (3, ints(1, 3, 1), ValueError),
        (1, ints([1, 5], [1, 1], [1, 1]), ValueError),
        (1, ints([-1, 1], [1, 1], [1, 1]), ValueError),
    ],
)
def test_refusals(index, value, error):
    given = list(inputs(activations()))
    given[index] = value
    with pytest.raises(error, match="^For 'RNNTLoss'"):
        ops.RNNTLoss()(*given)


@pytest.mark.parametrize("blank, error", [("0", TypeError), (1.0, TypeError)])
def test_the_blank_is_an_int(blank, error):
    with pytest.raises(error):
        ops.RNNTLoss(blank)


def test_the_blank_is_a_class():
    with pytest.raises(ValueError, match="^For 'RNNTLoss', 'blank_label'"):
        ops.RNNTLoss(5)(*inputs(activations()))
