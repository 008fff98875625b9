"""thor compared with Momentum: second-order steps on handwritten digits.

    python -m mindspore_compat docs/examples/thor_and_momentum.py

A network of three dense layers reads digits of 28 x 28 pixels. thor multiplies each gradient by the
inverses of two small matrices per layer, updated every few steps. The script prints the number of
steps after which each optimizer reaches the same loss, and draws both losses into
thor_and_momentum.svg.
"""

import argparse
import pathlib

import mindspore as ms
import numpy as np
from loss_curves import draw_loss_curves
from mindspore import nn
from mindspore.train import Callback, ConvertModelUtils, Model
from mnist_digits import DIGITS

GOAL, WINDOW = 0.4, 10


def read_digits():
    """Images (5000, 784), float32, with mean 0 and deviation 1, and labels, int32."""
    with np.load(DIGITS) as digits:
        images, labels = digits["images"], digits["labels"]
    images = images.reshape(len(images), -1).astype(np.float32) / 255
    return (images - images.mean()) / images.std(), labels.astype(np.int32)


class Losses(Callback):
    """Keeps the loss of each step."""

    def __init__(self):
        super().__init__()
        self.values = []

    def on_train_step_end(self, run_context):
        output = run_context.original_args().net_outputs
        self.values.append(float(output[0] if isinstance(output, (tuple, list)) else output))


def train(name, epochs):
    """Train a new network by thor or Momentum; return the losses."""
    ms.set_seed(4)
    data = ms.dataset.NumpySlicesDataset(read_digits(), ["image", "label"]).batch(50, True)
    network = nn.SequentialCell(
        nn.Dense(784, 64), nn.ReLU(), nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, 10)
    )
    loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    steps = epochs * data.get_dataset_size()
    if name == "thor":
        rate = ms.Tensor(np.geomspace(0.05, 0.002, steps), ms.float32)
        damping = ms.Tensor(np.geomspace(0.3, 0.03, steps), ms.float32)
        optimizer = nn.thor(network, rate, damping, 0.9, batch_size=50, frequency=10)
    else:
        optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    model = Model(network, loss_fn, optimizer)
    if name == "thor":
        model = ConvertModelUtils.convert_to_thor_model(
            model, network, loss_fn=loss_fn, optimizer=optimizer
        )
    losses = Losses()
    model.train(epochs, data, callbacks=[losses], dataset_sink_mode=False)
    return losses.values


def steps_to_goal(losses):
    """The first step at which the mean of WINDOW losses is below GOAL; None if there is none."""
    means = np.convolve(losses, np.ones(WINDOW) / WINDOW, "valid")
    return int(np.argmax(means < GOAL)) + WINDOW if (means < GOAL).any() else None


def main():
    """Train with both optimizers, and draw the losses."""
    parser = argparse.ArgumentParser(description="Compare thor with Momentum.")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--output", default=".")
    arguments = parser.parse_args()
    runs = {name: train(name, arguments.epochs) for name in ("thor", "momentum")}
    for name, losses in runs.items():
        print(
            f"{name}: loss {losses[-1]:.3f} after {len(losses)} steps, "
            f"below {GOAL} after {steps_to_goal(losses)} steps"
        )
    draw_loss_curves(
        pathlib.Path(arguments.output) / "thor_and_momentum.svg",
        "Handwritten digits, second order and first",
        runs,
    )


if __name__ == "__main__":
    main()
