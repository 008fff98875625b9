"""boost.GradientAccumulation: the mean gradient of several steps, and no update in between."""

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, boost, nn, ops

RANDOM = np.random.RandomState(0)
BATCHES = [
    (RANDOM.randn(4, 3).astype(np.float32), RANDOM.randn(4, 2).astype(np.float32)) for _ in range(6)
]


def network():
    net = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
    forward = ms.value_and_grad(
        lambda x, y: ops.mean(ops.square(net(x) - y)), None, net.trainable_params()
    )
    return net, forward, nn.Momentum(net.trainable_params(), 0.1, 0.9)


def test_three_steps_are_one_with_their_mean():
    net, forward, optimizer = network()
    accumulate = boost.GradientAccumulation(3, optimizer)
    other, mean_forward, mean_optimizer = network()
    for start in (0, 3):
        found = []
        for x, y in BATCHES[start : start + 3]:
            before = net.weight.asnumpy().copy()
            loss, grads = forward(Tensor(x), Tensor(y))
            assert accumulate(loss, grads) is loss
            found.append(np.array_equal(before, net.weight.asnumpy()))
        assert found == [True, True, False]
        parts = [mean_forward(Tensor(x), Tensor(y))[1] for x, y in BATCHES[start : start + 3]]
        mean_optimizer(tuple(sum(each[1:], each[0]) / 3 for each in zip(*parts, strict=True)))
        close(net.weight, other.weight.asnumpy())
        close(net.bias, other.bias.asnumpy())


def test_what_is_gathered_can_be_saved():
    _, forward, optimizer = network()
    accumulate = boost.GradientAccumulation(4, optimizer)
    accumulate(*forward(*map(Tensor, BATCHES[0])))
    names = {each.name: each for each in accumulate.get_parameters()}
    assert int(names["accumulation_step"]) == 1
    gathered = [each for name, each in names.items() if name.startswith("grad_accumulation.")]
    assert len(gathered) == 2 and all(np.abs(each.asnumpy()).max() > 0 for each in gathered)


@pytest.mark.parametrize("steps, error", [(0, ValueError), (1.5, TypeError), (True, TypeError)])
def test_steps_are_checked(steps, error):
    with pytest.raises(error, match="max_accumulation_step"):
        boost.GradientAccumulation(steps, network()[2])


def test_the_optimizer_is_checked():
    with pytest.raises(TypeError, match="optimizer"):
        boost.GradientAccumulation(2, 5)
