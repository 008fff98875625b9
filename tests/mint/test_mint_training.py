"""A network of mint's layers, trained by mint's optimizers, saved, loaded and copied."""

import copy
import importlib

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, nn

X = np.random.default_rng(1).standard_normal((16, 1, 8, 8)).astype(np.float32)
Y = Tensor((X.mean((1, 2, 3)) > 0).astype(np.int32))
IMAGES = Tensor(X)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(
            mint.nn.Conv2d(1, 4, 3, padding=1, padding_mode="reflect"),
            mint.nn.BatchNorm2d(4, momentum=None),
            mint.nn.ReLU(),
            mint.nn.AvgPool2d(2),
            mint.nn.Conv2d(4, 8, 3, padding="same", groups=2),
            mint.nn.GroupNorm(2, 8),
            mint.nn.SELU(),
            mint.nn.AdaptiveAvgPool2d((2, 2)),
            mint.nn.ConvTranspose2d(8, 4, 2, stride=2),
            mint.nn.UpsamplingBilinear2d((6, 6)),
            mint.nn.ZeroPad2d(1),
            mint.nn.Unfold(2, stride=2),
        )
        self.head = mint.nn.Linear(256, 2)

    def construct(self, x):
        return self.head(self.body(x).reshape(x.shape[0], -1))


def trained(make, jit=False, steps=20):
    """A network after some steps, its optimizer, and its losses."""
    ms.set_seed(0)
    net, loss = Net().set_train(), mint.nn.CrossEntropyLoss()
    optimizer = make(net.trainable_params())
    gradients = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)

    def step(x, y):
        value, found = gradients(x, y)
        optimizer(found)
        return value

    step = ms.jit(step) if jit else step
    losses = [float(step(IMAGES, Y)) for _ in range(steps)]
    return net.set_train(False), optimizer, losses


@pytest.mark.parametrize("name", ["Adam", "AdamW", "FusedAdamW", "SGD"])
@pytest.mark.parametrize("jit", [False, True])
def test_the_loss_falls(name, jit):
    options = {"lr": 0.1, "momentum": 0.9} if name == "SGD" else {"lr": 0.01}
    net, _, losses = trained(lambda params: getattr(mint.optim, name)(params, **options), jit)
    assert losses[-1] < 0.5 * losses[0]
    assert int(net.body[1].num_batches_tracked) == 20


def test_blocks_train_as_single_parameters_do():
    one = trained(lambda params: mint.optim.AdamW(params, lr=0.01))[2]
    other = trained(lambda params: mint.optim.FusedAdamW(params, lr=0.01))[2]
    close(one, other, atol=0)


def test_a_network_is_saved_loaded_copied_and_mapped(tmp_path):
    net, optimizer, _ = trained(lambda params: mint.optim.FusedAdamW(params, lr=0.01), steps=3)
    expected = net(IMAGES).asnumpy()
    ms.save_checkpoint(net, str(tmp_path / "net.ckpt"))
    other = Net().set_train(False)
    assert ms.load_param_into_net(other, ms.load_checkpoint(str(tmp_path / "net.ckpt"))) == ([], [])
    assert int(other.body[1].num_batches_tracked) == 3
    for each in (other, copy.deepcopy(net)):
        close(each(IMAGES), expected)
    parts = ms.vmap(lambda x: net(x))(Tensor(X.reshape(4, 4, 1, 8, 8))).asnumpy()
    close(parts.reshape(16, 2), expected)
    ms.save_checkpoint(optimizer, str(tmp_path / "optimizer.ckpt"))
    states = ms.load_checkpoint(str(tmp_path / "optimizer.ckpt"))
    assert states["state_step"].asnumpy().tolist() == [2.0]
    assert states["exp_avg.head.weight"].shape == (2, 256)


@pytest.mark.parametrize(
    "room", ["activation", "basic", "conv", "normalization", "padding", "pooling"]
)
def test_layers_are_found_under_the_modules_of_the_original(room):
    found = importlib.import_module(f"mindspore_compat.mint.nn.layer.{room}")
    assert found.__all__
    for name in found.__all__:
        assert getattr(found, name) is getattr(mint.nn, name) is getattr(mint.nn.layer, name)
