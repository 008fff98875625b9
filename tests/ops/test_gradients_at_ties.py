"""Gradients at kinks: how equal elements share a gradient, and gradients at bounds. The numbers are
MindSpore 2.10's on a CPU.
"""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat.ops._elementwise import clamp

X = [-2.0, -1.0, 0.0, 1.0, 1.0, 6.0]
IDS = Tensor([0, 0, 1, 1, 1, 2], ms.int32)
ROWS = Tensor([[1], [2], [3], [3]])
ONES = ops.ones(6)

CASES = {
    "relu6": (ops.relu6, [0, 0, 0, 1, 1, 1]),
    "ReLU6": (nn.ReLU6(), [0, 0, 0, 1, 1, 1]),
    "hardtanh": (ops.hardtanh, [0, 0.5, 1, 0.5, 0.5, 0]),
    "hardtanh of one bound": (lambda x: ops.hardtanh(x, 1, 1), [0, 0, 0, 0.25, 0.25, 0]),
    "clip_by_value": (lambda x: ops.clip_by_value(x, -1.0, 1.0), [0, 0.5, 1, 0.5, 0.5, 0]),
    "clip_by_value of one bound": (
        lambda x: ops.clip_by_value(x, 1, 1.0),
        [0, 0, 0, 0.25, 0.25, 0],
    ),
    "clip_by_value below": (lambda x: ops.clip_by_value(x, -1.0), [0, 0.5, 1, 1, 1, 1]),
    "clamp": (lambda x: ops.clamp(x, -1.0, 1.0), [0, 1, 1, 1, 1, 0]),
    "unsorted_segment_max": (
        lambda x: ops.unsorted_segment_max(x, IDS, 3) * Tensor([1.0, 2.0, 3.0]),
        [0, 1, 0, 1, 1, 3],
    ),
    "SegmentMin": (lambda x: ops.SegmentMin()(-x, IDS), [0, -1, 0, -0.5, -0.5, -1]),
    "tensor_scatter_max": (
        lambda x: ops.tensor_scatter_max(x, ROWS, Tensor([-1.0, 9.0, 1.0, 1.0])),
        [1, 0.5, 0, 1 / 3, 1, 1],
    ),
    "margin_ranking_loss": (
        lambda x: ops.margin_ranking_loss(x, 0 * ONES, ONES, reduction="none"),
        [-1, -1, -1, 0, 0, 0],
    ),
}


@pytest.mark.parametrize("function, expected", CASES.values(), ids=CASES)
def test_the_gradient_at_a_tie(function, expected):
    found = ms.grad(function)(Tensor(X, ms.float32))
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)


def test_multi_margin_loss_at_its_margin():
    x = Tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    found = ms.grad(lambda x: ops.multi_margin_loss(x, Tensor([0, 1, 1]), reduction="none"))(x)
    np.testing.assert_allclose(found.asnumpy(), [[0, 0], [0, 0], [0.5, -0.5]])


def test_bounds_and_updates_share_too():
    x = Tensor(X, ms.float32)
    grads = ms.grad(ops.clip_by_value, (1, 2))(x, Tensor(-1.0), Tensor(1.0))
    assert [each.item() for each in grads] == [1.5, 2.0]
    updates = Tensor([-1.0, 9.0, 1.0, 1.0])
    found = ms.grad(ops.tensor_scatter_max, 2)(x, ROWS, updates)
    np.testing.assert_allclose(found.asnumpy(), [0.5, 1, 1 / 3, 1 / 3], rtol=1e-6)


def test_clip_by_value_rounds_and_orders_its_bounds_as_tensors():
    x = Tensor(X + [np.nan], ms.float32)
    for low, high in [(-1.0, 1.0), (1, -1), (0.1, 0.7), (-np.inf, 0.0), (np.nan, 1.0), (-1e300, 0)]:
        bounds = Tensor(low, ms.float32), Tensor(high, ms.float32)
        for function in (ops.clip_by_value, ms.grad(ops.clip_by_value)):
            found, expected = function(x, low, high), function(x, *bounds)
            np.testing.assert_array_equal(found.asnumpy(), expected.asnumpy())


def test_clip_by_value_of_numbers_is_one_operator(monkeypatch):
    monkeypatch.setattr(clamp, "build", None)  # finds the operators of bounds that are Tensors
    found = ops.clip_by_value(Tensor(X, ms.float32), -1.0, 1.0)
    np.testing.assert_array_equal(found.asnumpy(), np.clip(np.float32(X), -1, 1))


def test_clip_by_value_of_a_list_is_a_tuple():
    assert type(ops.clip_by_value([Tensor([2.0])], 0, 1)) is tuple


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(-1.0, 1.0, ([0, 1, 1, 1, 1, 0], 1, 1)), (1.0, -1.0, ([0] * 6, 0, 6))],
)
def test_bounds_of_clamp_get_the_gradient_of_what_they_replace(low, high, expected):
    """Where `low` is above `high`, each element is `high`."""
    grads = ms.grad(ops.clamp, (0, 1, 2))(Tensor(X, ms.float32), Tensor(low), Tensor(high))
    for grad, wanted in zip(grads, expected, strict=True):
        np.testing.assert_array_equal(grad.asnumpy(), wanted)
