"""Shapes of drawn numbers, and draws without replacement."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops


@pytest.mark.parametrize("draw", [ops.gamma, ops.Gamma(seed=3)])
def test_shape_and_parameters_of_gamma_broadcast(draw):
    alpha, beta = Tensor(np.array([[3, 4], [5, 6]], np.float32)), Tensor([1.0], ms.float32)
    assert draw((3, 1, 2), alpha, beta).shape == (3, 2, 2)
    drawn = draw((4000, 1, 1), alpha, Tensor([1.0, 2.0], ms.float32)).asnumpy()
    np.testing.assert_allclose(drawn.mean(0), [[3, 2], [5, 3]], rtol=0.08)


@pytest.mark.parametrize(
    "draw",
    [
        lambda x, count, again: ops.multinomial_with_replacement(x, 2, 5, count, again),
        lambda x, count, again: ops.MultinomialWithReplacement(count, again)(x, 2, 5),
    ],
)
def test_no_index_is_drawn_twice_without_replacement(draw):
    weights = Tensor([[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]], ms.float32)
    assert np.sort(draw(weights, 4, False).asnumpy(), 1).tolist() == [[0, 1, 2, 3]] * 2
    assert draw(weights, 60, True).shape == (2, 60)
    with pytest.raises(ValueError, match="(?i)multinomial_?with_?replacement.*at most 4 without"):
        draw(weights, 5, False)


@pytest.mark.parametrize("first", [float("nan"), float("inf"), -3.0])
def test_weights_without_a_sum_yield_the_last_class(first):
    weights = Tensor(np.array([first, 1.0, 2.0], np.float32))
    assert ops.multinomial(weights, 4, True).asnumpy().tolist() == [2] * 4
