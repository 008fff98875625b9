"""boost.GradientAccumulation: the mean gradient of several steps, and no update in between.
boost.GroupLossScaleManager: gradients scaled between groups of layers."""

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


def test_each_group_has_its_own_loss_scale():
    scales = boost.GroupLossScaleManager(16.0, [])
    scales.set_loss_scale_status(2, [Tensor(4.0), Tensor(32.0)])
    inner = []

    def forward(x):
        first = ops.InsertGradientOf(lambda g: [inner.append(float(g)), g][1])(scales(x, 0, 1))
        second = ops.InsertGradientOf(lambda g: [inner.append(float(g)), g][1])(scales(first, 1, 2))
        return scales(second, 2, 3)

    assert float(ms.grad(forward)(Tensor(1.0))) == 1.0
    assert inner == [32.0, 4.0]
    assert float(scales.update_loss_scale_status(1, 0.5)) == 16.0
    assert [float(p) for p in scales.dynamic_loss_scale] == [1.0, 4.0, 16.0, 1.0]
    assert scales.get_loss_scale() == 16.0 and scales.get_update_cell() is scales


@pytest.mark.parametrize("count, error", [("2", TypeError), (-1, ValueError)])
def test_a_wrong_number_of_groups_is_refused(count, error):
    with pytest.raises(error):
        boost.GroupLossScaleManager(16.0, []).set_loss_scale_status(count, 2.0)
