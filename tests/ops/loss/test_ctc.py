"""`ops.CTCLoss`: its second result, and the gradients of both."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

RNG = np.random.default_rng(3)
LOGITS, WEIGHTS = RNG.normal(size=(2, 5, 3, 4))
LABELS = Tensor([[0, 0], [0, 1], [1, 0]]), Tensor([0, 1, 2], ms.int32), Tensor([5, 4, 3], ms.int32)


def slope(x):
    return ops.CTCLoss()(x, *LABELS)[1]


def loss(x):
    return ops.CTCLoss()(x, *LABELS)[0].sum()


def test_the_gradient_is_the_second_result_but_for_sequences_without_labels():
    found = ms.grad(loss)(Tensor(LOGITS)).asnumpy()
    returned = slope(Tensor(LOGITS)).asnumpy()
    np.testing.assert_array_equal(found[:, :2], returned[:, :2])
    assert abs(found[:2, 2] - returned[:2, 2]).max() == 0 < abs(found[2, 2] - returned[2, 2]).max()


@pytest.mark.parametrize("function", [loss, lambda x: (slope(x) * Tensor(WEIGHTS)).sum()])
def test_gradients_of_both_results_are_those_of_differences(function):
    step, direction = 1e-5, RNG.normal(size=LOGITS.shape)
    above, below = (float(function(Tensor(LOGITS + s * direction))) for s in (step, -step))
    found = (ms.grad(function)(Tensor(LOGITS)).asnumpy() * direction).sum()
    np.testing.assert_allclose(found, (above - below) / (2 * step), rtol=1e-6)


def test_gradients_of_second_order_go_through_both_results():
    once = lambda x: (ms.grad(loss)(x)[:, :2] * Tensor(WEIGHTS[:, :2])).sum()  # noqa: E731
    twice = lambda x: (slope(x)[:, :2] * Tensor(WEIGHTS[:, :2])).sum()  # noqa: E731
    found, wanted = (ms.grad(function)(Tensor(LOGITS)).asnumpy() for function in (once, twice))
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_without_an_alignment_the_loss_is_infinite_and_its_gradient_zero():
    """Equal labels need a blank between them, and the sequence is too short for it."""
    x, labels = Tensor(LOGITS[:2, :1]), (Tensor([[0, 0], [0, 1]]), Tensor([1, 1], ms.int32))
    of_labels = lambda x: ops.CTCLoss()(x, *labels, Tensor([2], ms.int32))  # noqa: E731
    assert np.isposinf(of_labels(x)[0].asnumpy()).all()
    assert not of_labels(x)[1].asnumpy().any()
    assert not ms.grad(lambda x: of_labels(x)[0].sum())(x).asnumpy().any()


@pytest.mark.parametrize("reduction, wanted", [("none", [0, 4.1405945]), ("sum", 4.1405945)])
def test_nothing_aligned_to_no_time_costs_nothing(reduction, wanted):
    """The only alignment is empty and has probability 1, as in MindSpore 2.10."""
    logits = np.random.default_rng(0).normal(size=(3, 2, 4)).astype(np.float32)
    logs, targets = ops.log_softmax(Tensor(logits)), Tensor([[1, 2], [1, 2]], ms.int32)
    of_logs = lambda logs: ops.ctc_loss(logs, targets, (0, 3), (0, 2), 0, reduction)[0]  # noqa: E731
    np.testing.assert_allclose(of_logs(logs).asnumpy(), wanted, rtol=1e-6)
    slope = ms.grad(lambda logs: of_logs(logs).sum())(logs).asnumpy()
    assert not slope[:, 0].any() and slope[:, 1].any()


def test_a_sequence_of_labels_needs_time():
    with pytest.raises(RuntimeError, match=r"'sequence_length' must be numbers in \[1, 5\]"):
        ops.CTCLoss()(Tensor(LOGITS), *LABELS[:2], Tensor([0, 4, 3], ms.int32))
