"""A network trains the same on every array type, and checkpoints can move between array types."""

import numpy as np
import pytest
from kit import close

from mindspore_compat import Tensor, nn, ops
from mindspore_compat._backend import arrays
from mindspore_compat.train.serialization import (
    load_checkpoint,
    load_param_into_net,
    save_checkpoint,
)


class Net(nn.Cell):
    """A small image network with every kind of layer."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.pool = nn.MaxPool2d(2, 2)
        self.narrow = nn.Conv2d(4, 8, 3, pad_mode="valid", has_bias=True)
        self.mean = nn.AvgPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.dense = nn.Dense(32, 10)
        self.scale = nn.LayerNorm((10,))

    def construct(self, x):
        x = self.pool(ops.relu(self.norm(self.conv(x))))
        x = self.mean(ops.gelu(self.narrow(x)))
        return self.scale(self.dense(self.flatten(x)))


class WithLoss(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net = net

    def construct(self, x, label):
        return ops.cross_entropy(self.net(x), label)


OPTIMIZERS = {
    "Momentum": lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=1e-4),
    "SGD": lambda p: nn.SGD(p, 0.1, momentum=0.9, nesterov=True),
    "Adam": lambda p: nn.Adam(p, 1e-2),
    "AdamWeightDecay": lambda p: nn.AdamWeightDecay(p, 1e-2),
    "AdamOffload": lambda p: nn.AdamOffload(p, 1e-2),
    "Lamb": lambda p: nn.Lamb(p, 1e-2),
    "RMSProp": lambda p: nn.RMSProp(p, 1e-2),
    "Adagrad": lambda p: nn.Adagrad(p),
    "FTRL": lambda p: nn.FTRL(p),
    "LARS": lambda p: nn.LARS(nn.Momentum(p, 0.1, 0.9)),
}


def trained(optimizer, steps=3):
    """The losses of some steps, and the network after them."""
    net = Net()
    for param in net.get_parameters():
        random = np.random.default_rng(len(param.name))
        if param.name.split(".")[0] in ("conv", "narrow", "dense"):
            values = random.standard_normal(param.shape) * 0.2
            param.set_data(Tensor(values.astype(np.float32)))
    random = np.random.default_rng(0)
    x = Tensor(random.random((8, 1, 14, 14), np.float32))
    label = Tensor(np.arange(8, dtype=np.int32))
    step = nn.TrainOneStepCell(WithLoss(net), OPTIMIZERS[optimizer](net.trainable_params()))
    step.set_train()
    return [float(step(x, label)) for _ in range(steps)], net


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_network_trains_alike(space, optimizer):
    losses, net = trained(optimizer)
    kind = type(space.zeros(1))
    assert all(type(param._array) is kind for param in net.get_parameters())
    arrays.set_target("CPU")
    expected, host = trained(optimizer)
    close(losses, expected, rtol=1e-4, atol=0)
    assert losses[-1] < losses[0]
    for param, wanted in zip(net.get_parameters(), host.get_parameters(), strict=True):
        close(param, wanted, rtol=1e-3, atol=1e-4)


def test_a_checkpoint_goes_from_one_to_the_other(space, tmp_path):
    _, net = trained("Adam", steps=1)
    save_checkpoint(net, str(tmp_path / "net.ckpt"))
    arrays.set_target("CPU")
    other = Net()
    assert load_param_into_net(other, load_checkpoint(str(tmp_path / "net.ckpt"))) == ([], [])
    for param, source in zip(other.get_parameters(), net.get_parameters(), strict=True):
        assert type(param._array) is np.ndarray
        np.testing.assert_array_equal(param.asnumpy(), source.asnumpy())
    save_checkpoint(other, str(tmp_path / "back.ckpt"))
    arrays.set_target("CPU" if space is arrays.HOST else "GPU")
    back = load_checkpoint(str(tmp_path / "back.ckpt"), net)
    assert all(type(param._array) is type(space.zeros(1)) for param in back.values())
