"""Training steps and optimizer updates of `python -m tests.bench`, for MindSpore's API.

Each case is a function of the library's module that returns a step: a call that does the work once
and returns a number, which is the same in every library. Weights and data come from NumPy's
generators, so that losses can be compared. `networks_torch` has the same cases for PyTorch.
"""

import math

import numpy as np

ELEMENTS = 50_000_000  # of the large parameters


def normal(seed, *shape):
    """Returns float32 numbers of a standard normal distribution."""
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def weight(seed, shape):
    """Returns the values of a weight of that shape, scaled by its number of inputs."""
    return normal(seed, *shape) / np.float32(math.sqrt(max(1, math.prod(shape[1:]))))


def labels(count, classes):
    """Returns class numbers, as int32."""
    return np.random.default_rng(9).integers(0, classes, count).astype(np.int32)


def fill(ms, network):
    """Sets weights to `weight`, factors of normalisation to 1 and all other vectors to 0."""
    for seed, parameter in enumerate(network.trainable_params()):
        if len(parameter.shape) > 1:
            parameter.set_data(ms.Tensor(weight(seed, parameter.shape)))
        elif not parameter.name.endswith("gamma"):
            parameter.set_data(ms.Tensor(np.zeros(parameter.shape, np.float32)))


def training(ms, network, data, target, make_optimizer=None):
    """Returns a step of training on one batch, with Momentum or the optimizer that `make_optimizer`
    returns."""
    fill(ms, network)
    loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    if make_optimizer is None:
        optimizer = ms.nn.Momentum(network.trainable_params(), 0.01, 0.9)
    else:
        optimizer = make_optimizer(network)
    cell = ms.nn.TrainOneStepCell(ms.nn.WithLossCell(network, loss), optimizer).set_train()
    batch = ms.Tensor(data), ms.Tensor(target)
    return lambda: float(cell(*batch).asnumpy())


def lenet5(ms):
    nn = ms.nn
    network = nn.SequentialCell(
        nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Flatten(),
        nn.Dense(400, 120),
        nn.ReLU(),
        nn.Dense(120, 84),
        nn.ReLU(),
        nn.Dense(84, 10),
    )
    return training(ms, network, normal(1, 32, 1, 32, 32), labels(32, 10))


def resnet18(ms, make_optimizer=None):
    nn, ops = ms.nn, ms.ops

    def convolution(channels, filters, kernel, stride):
        layer = nn.Conv2d(
            channels, filters, kernel, stride, pad_mode="pad", padding=kernel // 2, has_bias=False
        )
        return [layer, nn.BatchNorm2d(filters)]

    class Block(nn.Cell):
        def __init__(self, channels, filters, stride):
            super().__init__()
            self.inside = nn.SequentialCell(
                *convolution(channels, filters, 3, stride),
                nn.ReLU(),
                *convolution(filters, filters, 3, 1),
            )
            self.shrinks = stride > 1 or channels != filters
            if self.shrinks:
                self.shortcut = nn.SequentialCell(*convolution(channels, filters, 1, stride))
            self.relu = nn.ReLU()

        def construct(self, x):
            shortcut = self.shortcut(x) if self.shrinks else x
            return self.relu(self.inside(x) + shortcut)

    class ResNet18(nn.Cell):
        def __init__(self):
            super().__init__()
            self.stem = nn.SequentialCell(*convolution(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(2, 2))
            pairs = [(64, 64), (64, 64), (64, 128), (128, 128)]
            pairs += [(128, 256), (256, 256), (256, 512), (512, 512)]
            self.blocks = nn.SequentialCell(*(Block(*pair, pair[1] // pair[0]) for pair in pairs))
            self.dense = nn.Dense(512, 10)

        def construct(self, x):
            return self.dense(ops.mean(self.blocks(self.stem(x)), (2, 3)))

    return training(ms, ResNet18(), normal(1, 8, 3, 64, 64), labels(8, 10), make_optimizer)


def resnet18_thor(ms):
    """Returns a step between two updates of thor's matrices."""
    if ms.__name__ == "mindspore":
        return None  # its CPU build has no thor
    made = []

    def make_optimizer(network):
        rates, dampings = (ms.Tensor(np.full(10_000, each, np.float32)) for each in (0.01, 0.03))
        made.append(ms.nn.thor(network, rates, dampings, 0.9, batch_size=8, frequency=100))
        return made[0]

    step = resnet18(ms, make_optimizer)

    def after_the_first():
        loss = step()
        made[0].add_flags_recursive(thor=False)
        return loss

    return after_the_first


def transformer(ms):
    nn, ops = ms.nn, ms.ops

    class Block(nn.Cell):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm((256,)), nn.LayerNorm((256,))
            self.query, self.key, self.value, self.out = (nn.Dense(256, 256) for _ in range(4))
            self.grow, self.shrink = nn.Dense(256, 1024), nn.Dense(1024, 256)
            self.gelu = nn.GELU()

        def heads(self, x):
            return x.reshape(16, 64, 4, 64).transpose(0, 2, 1, 3)

        def construct(self, x):
            y = self.norm1(x)
            q, k, v = self.heads(self.query(y)), self.heads(self.key(y)), self.heads(self.value(y))
            scores = ops.softmax(ops.matmul(q, k.transpose(0, 1, 3, 2)) * 0.125, -1)
            mixed = ops.matmul(scores, v).transpose(0, 2, 1, 3).reshape(16, 64, 256)
            x = x + self.out(mixed)
            return x + self.shrink(self.gelu(self.grow(self.norm2(x))))

    class Encoder(nn.Cell):
        def __init__(self):
            super().__init__()
            self.blocks = nn.SequentialCell(Block(), Block())
            self.dense = nn.Dense(256, 10)

        def construct(self, x):
            return self.dense(self.blocks(x)[:, 0])

    return training(ms, Encoder(), normal(1, 16, 64, 256), labels(16, 10))


def lstm(ms):
    nn = ms.nn

    class Classifier(nn.Cell):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(128, 128, batch_first=True)
            self.dense = nn.Dense(128, 10)

        def construct(self, x, h, c):
            return self.dense(self.lstm(x, (h, c))[0][:, -1])

    return recurrent(ms, Classifier(), (1, 32, 128))


def lstm_cells(ms):
    nn = ms.nn

    class Classifier(nn.Cell):
        def __init__(self):
            super().__init__()
            self.cell = nn.LSTMCell(128, 128)
            self.dense = nn.Dense(128, 10)

        def construct(self, x, h, c):
            for step in range(32):
                h, c = self.cell(x[:, step], (h, c))
            return self.dense(h)

    return recurrent(ms, Classifier(), (32, 128))


def recurrent(ms, network, states):
    """Returns a step of training of a network whose inputs are a sequence and two states."""

    class WithLoss(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.network = network
            self.loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

        def construct(self, x, h, c, target):
            return self.loss(self.network(x, h, c), target)

    fill(ms, network)
    optimizer = ms.nn.Momentum(network.trainable_params(), 0.01, 0.9)
    cell = ms.nn.TrainOneStepCell(WithLoss(), optimizer).set_train()
    zeros = np.zeros(states, np.float32)
    batch = [ms.Tensor(each) for each in (normal(1, 32, 32, 128), zeros, zeros, labels(32, 10))]
    return lambda: float(cell(*batch).asnumpy())


def small_mlp(ms):
    nn = ms.nn
    network = nn.SequentialCell(nn.Dense(32, 64), nn.ReLU(), nn.Dense(64, 10))
    return training(ms, network, normal(1, 16, 32), labels(16, 10))


def update(optimizer, count, size):
    """Returns a case: one update of `count` parameters of `size` elements."""

    def case(ms):
        values = (normal(seed, size) for seed in range(count))
        parameters = [
            ms.Parameter(ms.Tensor(value), name=f"p{number}") for number, value in enumerate(values)
        ]
        gradients = tuple(ms.Tensor(normal(count + seed, size)) for seed in range(count))
        step = optimizer(ms.nn, parameters)

        def run():
            step(gradients)
            return float(parameters[-1][:1].asnumpy()[0])

        return run

    return case


CASES = {
    "LeNet-5": lenet5,
    "ResNet-18": resnet18,
    "ResNet-18, thor between updates": resnet18_thor,
    "transformer": transformer,
    "LSTM": lstm,
    "LSTM cells": lstm_cells,
    "small MLP": small_mlp,
    "Adam, 50 M": update(lambda nn, params: nn.Adam(params, 0.01), 1, ELEMENTS),
    "AdamOffload, 50 M": update(lambda nn, params: nn.AdamOffload(params, 0.01), 1, ELEMENTS),
    "Momentum, 50 M": update(lambda nn, params: nn.Momentum(params, 0.01, 0.9), 1, ELEMENTS),
    "Adam, 500 x 1 k": update(lambda nn, params: nn.Adam(params, 0.01), 500, 1000),
}
