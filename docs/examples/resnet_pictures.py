"""A small residual network on colour images of the size of CIFAR-10.

    python -m mindspore_compat docs/examples/resnet_pictures.py

The script draws the images: 32 x 32 pixels, a bar or a disc in one of five colours on noise, ten
classes in all. It prints the accuracy on unseen images and draws the loss into resnet_pictures.svg.
"""

import argparse
import pathlib

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from loss_curves import draw_loss_curves
from mindspore import nn, ops

COLOURS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1]], np.float32)


def draw_pictures(count, seed):
    """Images (count, 3, 32, 32), float32, and classes, int32: twice the colour's index, plus 1 for
    a disc."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 10, count).astype(np.int32)
    rows, columns = np.mgrid[:32, :32]
    pictures = random.normal(0, 0.4, (count, 3, 32, 32)).astype(np.float32)
    for picture, label in zip(pictures, labels):
        y, x = random.integers(8, 24, 2)
        disc = (rows - y) ** 2 + (columns - x) ** 2 < 36
        bar = (abs(rows - y) < 3) & (abs(columns - x) < 9)
        picture += COLOURS[label // 2][:, None, None] * (disc if label % 2 else bar)
    return pictures, labels


class Block(nn.Cell):
    """Two convolutions with batch norm, and a residual connection."""

    def __init__(self, channels_in, channels_out, stride):
        super().__init__()
        self.body = nn.SequentialCell(
            nn.Conv2d(channels_in, channels_out, 3, stride),
            nn.BatchNorm2d(channels_out),
            nn.ReLU(),
            nn.Conv2d(channels_out, channels_out, 3),
            nn.BatchNorm2d(channels_out),
        )
        self.shortcut = nn.Identity()
        if stride > 1 or channels_in != channels_out:
            self.shortcut = nn.Conv2d(channels_in, channels_out, 1, stride)

    def construct(self, x):
        return ops.relu(self.body(x) + self.shortcut(x))


class ResNet(nn.Cell):
    """Three blocks of 8, 16 and 32 channels, global mean pooling, and a dense layer."""

    def __init__(self, classes=10):
        super().__init__()
        self.first = nn.SequentialCell(nn.Conv2d(3, 8, 3, 2), nn.BatchNorm2d(8), nn.ReLU())
        self.blocks = nn.SequentialCell(Block(8, 8, 1), Block(8, 16, 2), Block(16, 32, 2))
        self.last = nn.Dense(32, classes)

    def construct(self, x):
        return self.last(self.blocks(self.first(x)).mean((2, 3)))


def main():
    """Train, test, and draw the loss."""
    parser = argparse.ArgumentParser(description="Train a small ResNet on drawn pictures.")
    parser.add_argument("--pictures", type=int, default=1000)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--output", default=".")
    arguments = parser.parse_args()
    ms.set_seed(1)
    network = ResNet()
    loss_fn = nn.CrossEntropyLoss()
    data = ds.NumpySlicesDataset(draw_pictures(arguments.pictures, 1), ["image", "label"])
    data = data.batch(25, drop_remainder=True)
    steps = data.get_dataset_size()
    rate = nn.cosine_decay_lr(0.0, 0.1, steps * arguments.epochs, steps, arguments.epochs)
    optimizer = nn.Momentum(network.trainable_params(), rate, 0.9, weight_decay=1e-4)
    cell = nn.TrainOneStepCell(nn.WithLossCell(network, loss_fn), optimizer).set_train()
    losses = []
    for epoch in range(arguments.epochs):
        losses += [float(cell(image, label)) for image, label in data.create_tuple_iterator()]
        print(f"epoch {epoch + 1}, mean loss {np.mean(losses[-steps:]):.4f}", flush=True)
    images, labels = draw_pictures(200, 2)
    network.set_train(False)
    accuracy = (network(ms.Tensor(images)).asnumpy().argmax(1) == labels).mean()
    print(f"accuracy on 200 new pictures {accuracy:.3f}")
    draw_loss_curves(
        pathlib.Path(arguments.output) / "resnet_pictures.svg",
        "A small ResNet on drawn pictures",
        {f"Momentum ({accuracy:.1%})": losses},
    )


if __name__ == "__main__":
    main()
