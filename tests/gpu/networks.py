"""Four networks, small enough for the stand-in, with a batch each, for the counts of `tests.gpu`.

`layers` is the number of layers that compute something: Cells without inner Cells, not counting
containers. A recurrent layer counts once per step, and each joint of a residual branch once.
"""

import numpy as np

import mindspore_compat as ms
from mindspore_compat import nn, ops


class LeNet5(nn.Cell):
    """Two convolutions with pooling and three dense layers, for images of 32 x 32."""

    def __init__(self):
        super().__init__()
        self.features = nn.SequentialCell(
            nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
        )
        self.classifier = nn.SequentialCell(
            nn.Flatten(),
            nn.Dense(400, 120),
            nn.ReLU(),
            nn.Dense(120, 84),
            nn.ReLU(),
            nn.Dense(84, 10),
        )

    def construct(self, x):
        return self.classifier(self.features(x))


class Residual(nn.Cell):
    """A residual block: two convolutions of 3 x 3, and a shortcut."""

    joints = 1

    def __init__(self, channels, filters, stride):
        super().__init__()
        self.first = _convolution(channels, filters, 3, stride)
        self.second = nn.SequentialCell(*_convolution(filters, filters, 3, 1)[:2])
        self.beside = None
        if stride > 1 or channels != filters:
            self.beside = nn.SequentialCell(*_convolution(channels, filters, 1, stride)[:2])
        self.relu = nn.ReLU()

    def construct(self, x):
        beside = x if self.beside is None else self.beside(x)
        return self.relu(self.second(self.first(x)) + beside)


def _convolution(channels, filters, kernel, stride):
    return nn.SequentialCell(
        nn.Conv2d(channels, filters, kernel, stride), nn.BatchNorm2d(filters), nn.ReLU()
    )


class ResNet18(nn.Cell):
    """Eight residual blocks; `width` is the channels of the first."""

    def __init__(self, width=64, classes=10):
        super().__init__()
        self.stem = nn.SequentialCell(
            *_convolution(3, width, 7, 2), nn.MaxPool2d(3, 2, pad_mode="same")
        )
        blocks, channels = [], width
        for stage in range(4):
            for number in range(2):
                filters = width << stage
                blocks.append(Residual(channels, filters, 2 if stage and not number else 1))
                channels = filters
        self.blocks = nn.SequentialCell(*blocks)
        self.mean = ops.ReduceMean()
        self.dense = nn.Dense(channels, classes)

    joints = 1  # the mean over each image

    def construct(self, x):
        return self.dense(self.mean(self.blocks(self.stem(x)), (2, 3)))


class Bottleneck(nn.Cell):
    """A residual block: convolutions of 1 x 1, 3 x 3 and 1 x 1, and a shortcut."""

    joints = 1

    def __init__(self, channels, width, stride):
        super().__init__()
        self.inside = nn.SequentialCell(
            *_convolution(channels, width, 1, 1),
            *_convolution(width, width, 3, stride),
            *_convolution(width, 4 * width, 1, 1)[:2],
        )
        self.beside = None
        if stride > 1 or channels != 4 * width:
            self.beside = nn.SequentialCell(*_convolution(channels, 4 * width, 1, stride)[:2])
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.relu(self.inside(x) + (x if self.beside is None else self.beside(x)))


class ResNet50(nn.Cell):
    """Sixteen bottlenecks; with `recompute` the backward pass recomputes the inside of each."""

    joints = 1

    def __init__(self, width=64, classes=1000, recompute=False):
        super().__init__()
        self.stem = nn.SequentialCell(
            *_convolution(3, width, 7, 2), nn.MaxPool2d(3, 2, pad_mode="same")
        )
        blocks, channels = [], width
        for stage, count in enumerate((3, 4, 6, 3)):
            for number in range(count):
                stride = 2 if stage and not number else 1
                blocks.append(Bottleneck(channels, width << stage, stride))
                channels = 4 * (width << stage)
                if recompute:
                    blocks[-1].recompute()
        self.blocks = nn.SequentialCell(*blocks)
        self.mean = ops.ReduceMean()
        self.dense = nn.Dense(channels, classes)

    def construct(self, x):
        return self.dense(self.mean(self.blocks(self.stem(x)), (2, 3)))


class Block(nn.Cell):
    """Attention and a feed-forward net, each after a layer norm and with a residual."""

    joints = 6  # two residual sums, and the attention's scores, softmax, dropout and values

    def __init__(self, width=32, heads=4, dropout=0.1):
        super().__init__()
        self.heads, self.width = heads, width
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.query, self.key, self.value, self.out = (nn.Dense(width, width) for _ in range(4))
        self.grow, self.shrink = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
        self.gelu, self.dropout = nn.GELU(), nn.Dropout(p=dropout)
        self.classify = nn.Dense(width, 10)

    def construct(self, x):
        x = x + self.attention(self.norm1(x))
        x = x + self.dropout(self.shrink(self.gelu(self.grow(self.norm2(x)))))
        return self.classify(x[:, 0])

    def attention(self, x):
        batch, length, width = x.shape
        split = (batch, length, self.heads, width // self.heads)
        q, k, v = (
            layer(x).reshape(split).transpose(0, 2, 1, 3)
            for layer in (self.query, self.key, self.value)
        )
        scores = ops.matmul(q, k.swapaxes(-1, -2)) * (width // self.heads) ** -0.5
        mixed = ops.matmul(self.dropout(ops.softmax(scores)), v)
        return self.out(mixed.transpose(0, 2, 1, 3).reshape(x.shape))


class Recurrent(nn.Cell):
    """An LSTM whose last output is classified."""

    def __init__(self, length=6):
        super().__init__()
        self.lstm = nn.LSTM(8, 16, batch_first=True)
        self.dense = nn.Dense(16, 10)
        self.joints = length - 1  # the LSTM itself is the first

    def construct(self, x):
        return self.dense(self.lstm(x)[0][:, -1])


def layers(network):
    """Returns how many layers of a network compute something."""
    containers = (nn.SequentialCell, nn.CellList)
    leaves = sum(
        1
        for cell in network.cells_and_names()
        if not cell[1].cells() and not isinstance(cell[1], containers)
    )
    joints = sum(getattr(cell, "joints", 0) for _, cell in network.cells_and_names())
    return leaves + joints


def made(name, small=True, dropout=0.1, dtype=ms.float32):
    """Returns a network by its name, with a batch: (network with its loss, data, labels).

    `dtype` applies to the data and to all weights except those of normalization layers.
    """
    rng = np.random.default_rng(0)
    network, shape = {
        "LeNet-5": lambda: (LeNet5(), (4, 1, 32, 32)),
        "ResNet-18": lambda: (ResNet18(4 if small else 64), (2, 3, 32, 32)),
        "transformer block": lambda: (Block(dropout=dropout), (2, 8, 32)),
        "LSTM": lambda: (Recurrent(), (3, 6, 8)),
    }[name]()
    data = ms.Tensor(rng.standard_normal(shape).astype(np.float32))
    labels = ms.Tensor(rng.integers(0, 10, shape[0]).astype(np.int32))
    if dtype != ms.float32:
        data = data.astype(dtype)
        for _, cell in network.cells_and_names():
            if isinstance(cell, nn.Conv2d | nn.Dense | nn.LSTM):
                for weight in cell.get_parameters(expand=False):
                    weight.set_dtype(dtype)
    return nn.WithLossCell(network, nn.CrossEntropyLoss()), data, labels


NAMES = ("LeNet-5", "ResNet-18", "transformer block", "LSTM")
