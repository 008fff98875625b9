"""The cases of `networks_mindspore` for PyTorch: the same numbers from the same weights."""

import torch
from networks_mindspore import ELEMENTS, labels, normal, weight
from torch import nn
from torch.nn import functional


def fill(network):
    """Sets weights and vectors as `networks_mindspore.fill` does."""
    norms = {
        parameter
        for module in network.modules()
        if isinstance(module, (nn.BatchNorm2d, nn.LayerNorm))
        for parameter in [module.weight]
    }
    with torch.no_grad():
        for seed, parameter in enumerate(network.parameters()):
            if parameter.ndim > 1:
                parameter.copy_(torch.from_numpy(weight(seed, tuple(parameter.shape))))
            elif parameter not in norms:
                parameter.zero_()


def training(network, data, target):
    """Returns a step of training with momentum on one batch."""
    fill(network)
    optimizer = torch.optim.SGD(network.parameters(), 0.01, 0.9)
    data, target = torch.from_numpy(data), torch.from_numpy(target).long()
    network.train()

    def step():
        optimizer.zero_grad()
        loss = functional.cross_entropy(network(data), target)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def lenet5():
    network = nn.Sequential(
        nn.Conv2d(1, 6, 5),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Conv2d(6, 16, 5),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Flatten(),
        nn.Linear(400, 120),
        nn.ReLU(),
        nn.Linear(120, 84),
        nn.ReLU(),
        nn.Linear(84, 10),
    )
    return training(network, normal(1, 32, 1, 32, 32), labels(32, 10))


def _convolution(channels, filters, kernel, stride):
    layer = nn.Conv2d(channels, filters, kernel, stride, padding=kernel // 2, bias=False)
    return [layer, nn.BatchNorm2d(filters)]


class _Residual(nn.Module):
    def __init__(self, channels, filters, stride):
        super().__init__()
        self.inside = nn.Sequential(
            *_convolution(channels, filters, 3, stride),
            nn.ReLU(),
            *_convolution(filters, filters, 3, 1),
        )
        self.shortcut = nn.Sequential()
        if stride > 1 or channels != filters:
            self.shortcut = nn.Sequential(*_convolution(channels, filters, 1, stride))

    def forward(self, x):
        return functional.relu(self.inside(x) + self.shortcut(x))


class _ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(*_convolution(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(2, 2))
        pairs = [(64, 64), (64, 64), (64, 128), (128, 128)]
        pairs += [(128, 256), (256, 256), (256, 512), (512, 512)]
        self.blocks = nn.Sequential(*(_Residual(*pair, pair[1] // pair[0]) for pair in pairs))
        self.dense = nn.Linear(512, 10)

    def forward(self, x):
        return self.dense(self.blocks(self.stem(x)).mean((2, 3)))


def resnet18():
    return training(_ResNet18(), normal(1, 8, 3, 64, 64), labels(8, 10))


class _Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(256, 1e-7), nn.LayerNorm(256, 1e-7)
        self.query, self.key, self.value, self.out = (nn.Linear(256, 256) for _ in range(4))
        self.grow, self.shrink = nn.Linear(256, 1024), nn.Linear(1024, 256)

    def heads(self, x):
        return x.reshape(16, 64, 4, 64).transpose(1, 2)

    def forward(self, x):
        y = self.norm1(x)
        q, k, v = self.heads(self.query(y)), self.heads(self.key(y)), self.heads(self.value(y))
        mixed = torch.softmax(q @ k.transpose(2, 3) * 0.125, -1) @ v
        x = x + self.out(mixed.transpose(1, 2).reshape(16, 64, 256))
        grown = functional.gelu(self.grow(self.norm2(x)), approximate="tanh")
        return x + self.shrink(grown)


class _Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(_Block(), _Block())
        self.dense = nn.Linear(256, 10)

    def forward(self, x):
        return self.dense(self.blocks(x)[:, 0])


def transformer():
    return training(_Encoder(), normal(1, 16, 64, 256), labels(16, 10))


class _Sequence(nn.Module):
    """An LSTM over 32 steps, as one layer or cell by cell, whose last output is classified."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer
        self.dense = nn.Linear(128, 10)

    def forward(self, x):
        if isinstance(self.layer, nn.LSTM):
            return self.dense(self.layer(x)[0][:, -1])
        state = None
        for step in range(x.shape[1]):
            state = self.layer(x[:, step], state)
        return self.dense(state[0])


def lstm():
    network = _Sequence(nn.LSTM(128, 128, batch_first=True))
    return training(network, normal(1, 32, 32, 128), labels(32, 10))


def lstm_cells():
    return training(_Sequence(nn.LSTMCell(128, 128)), normal(1, 32, 32, 128), labels(32, 10))


def small_mlp():
    network = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10))
    return training(network, normal(1, 16, 32), labels(16, 10))


def update(optimizer, count, size):
    """Returns a case: one update of `count` parameters of `size` elements."""

    def case():
        parameters = [nn.Parameter(torch.from_numpy(normal(seed, size))) for seed in range(count)]
        for seed, parameter in enumerate(parameters, count):
            parameter.grad = torch.from_numpy(normal(seed, size))
        step = optimizer(parameters)

        def run():
            step.step()
            return parameters[-1][0].item()

        return run

    return case


def _adam(parameters):
    return torch.optim.Adam(parameters, 0.01, fused=True)


CASES = {
    "LeNet-5": lenet5,
    "ResNet-18": resnet18,
    "transformer": transformer,
    "LSTM": lstm,
    "LSTM cells": lstm_cells,
    "small MLP": small_mlp,
    "Adam, 50 M": update(_adam, 1, ELEMENTS),
    "Momentum, 50 M": update(lambda each: torch.optim.SGD(each, 0.01, 0.9), 1, ELEMENTS),
    "Adam, 500 x 1 k": update(_adam, 500, 1000),
}
