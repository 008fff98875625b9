"""Networks on a device and on the host: forward, backward, each optimizer, captured steps."""

import numpy as np
import pytest
from fakecupy import rawkernels

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat.common._graph_mode.reachable import WARM_UP

from .host import agree, host, result_and_gradients, train, twins
from .steps import OPTIMIZERS

pytestmark = [
    pytest.mark.device,
    pytest.mark.usefixtures("capture_allowed"),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
NAMES = ("LeNet-5", "transformer block", "LSTM")
MORE_OPTIMIZERS = {
    **OPTIMIZERS,
    "Adam": lambda parameters: nn.Adam(parameters, 0.01, eps=1e-3),  # or noise would be a step
    "AdamWeightDecay": lambda parameters: nn.AdamWeightDecay(parameters, 0.01),
    "Adagrad": lambda parameters: nn.Adagrad(parameters, learning_rate=0.01),
    "RMSProp": lambda parameters: nn.RMSProp(parameters, 0.01),
    "AdamOffload": lambda parameters: nn.AdamOffload(parameters, 0.01, eps=1e-3),
}
STEPS = 6


@pytest.mark.parametrize("name", NAMES)
def test_results_and_gradients_are_those_of_the_host(space, name):
    on_device, on_host = twins(name)

    def run(network, data, labels):
        ms.set_seed(2)
        network.set_train()
        return result_and_gradients(network, (data, labels), network.trainable_params())

    with host():
        expected = run(*on_host)
    agree(run(*on_device), expected)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("optimizer", ["Momentum", "Adam"])
def test_training_is_that_of_the_host(space, name, optimizer):
    on_device, on_host = twins(name)
    with host():
        expected = train(*on_host, MORE_OPTIMIZERS[optimizer], 2)
    agree(train(*on_device, MORE_OPTIMIZERS[optimizer], 2), expected)


@pytest.mark.parametrize("optimizer", MORE_OPTIMIZERS)
def test_each_optimizer_is_that_of_the_host(space, optimizer):
    """Training uses a loss scale, and the first step overflows and is skipped."""
    on_device, on_host = twins("LSTM")
    with host():
        expected = train(*on_host, MORE_OPTIMIZERS[optimizer], 3, scaled=True)
    agree(train(*on_device, MORE_OPTIMIZERS[optimizer], 3, scaled=True), expected)


def test_thor_is_that_of_the_host(space):
    on_device, on_host = twins("LeNet-5")

    def run(network, data, labels):
        thor = nn.thor(network, ms.Tensor(0.01), ms.Tensor(10.0), 0.9, frequency=2)
        return train(network, data, labels, lambda parameters: thor, 3)

    with host():
        expected = run(*on_host)
    agree(run(*on_device), expected, factor=20)  # inverses amplify roundings


class Scale(nn.Cell):
    """A network without a product."""

    def __init__(self):
        super().__init__()
        self.scale = ms.Parameter(ms.Tensor(np.linspace(-1, 1, 5, dtype=np.float32)), name="scale")

    def construct(self, data, labels):
        return (ops.tanh(data * self.scale) ** 2).sum()


@pytest.mark.parametrize("optimizer", ["Momentum", "Adam, decaying", "Lamb"])
def test_captured_steps_without_products_are_eager_steps(space, optimizer, captures):
    data = ms.Tensor(np.linspace(0, 3, 20, dtype=np.float32).reshape(4, 5))
    check_captured(lambda: (Scale(), data, data), optimizer)
    assert captures() == STEPS - WARM_UP


@pytest.mark.parametrize("name", NAMES)
def test_captured_steps_are_eager_steps(space, name, captures):
    check_captured(lambda: twins(name, dropout=0.1)[0], "Momentum")
    assert captures() == STEPS - WARM_UP


@pytest.mark.parametrize("name", ["LeNet-5", "LSTM"])
def test_captured_steps_in_float16_are_eager_steps(space, name, captures):
    def make():
        network, data, labels = twins(name)[0]
        return network.to_float(ms.float16), data, labels

    check_captured(make, "Momentum")
    assert captures() == STEPS - WARM_UP


@pytest.mark.parametrize("level", ["O1", "O2", "O3", "auto"])
def test_captured_steps_in_mixed_precision_are_eager_steps(space, level, captures):
    def make():
        network, data, labels = twins("LeNet-5")[0]
        return ms.amp.auto_mixed_precision(network, level), data, labels

    check_captured(make, "Momentum")
    assert captures() == STEPS - WARM_UP


class Resizing(nn.Cell):
    """Layers that read tables: pools whose windows differ, interpolation, a grid."""

    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(1, 2, 3)
        self.pools = nn.SequentialCell(
            nn.AvgPool2d(3, 2, pad_mode="same"), nn.AdaptiveAvgPool2d((3, 4))
        )

    def construct(self, x, labels):
        x = self.pools(self.convolution(x))
        x = ops.interpolate(x, size=(7, 9), mode="bilinear", align_corners=False)
        x = ops.interpolate(x, size=(5, 6), mode="nearest")
        theta = ops.tile(x.mean((1, 2, 3)).reshape(-1, 1, 1), (1, 2, 3))
        return (x**2).mean() + (ops.affine_grid(theta, (len(x), 2, 3, 4)) ** 2).mean()


def test_tables_of_pools_and_interpolation_stay_on_the_device(space, captures):
    rng = np.random.default_rng(0)
    data = ms.Tensor(rng.standard_normal((2, 1, 13, 12)).astype(np.float32))

    def make():
        ms.set_seed(1)
        return Resizing(), data, data

    check_captured(make, "Momentum")
    assert captures() == STEPS - WARM_UP


def check_captured(make, optimizer):
    """Compares training in graph mode with training operator by operator, bit by bit."""
    eager = train(*make(), OPTIMIZERS[optimizer], STEPS, scaled=True)
    ms.set_context(mode=ms.GRAPH_MODE)
    captured = train(*make(), OPTIMIZERS[optimizer], STEPS, scaled=True)
    for one, other in zip(captured, eager, strict=True):
        np.testing.assert_array_equal(one, other)
