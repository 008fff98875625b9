"""AdamOffload compared with Adam: the same steps, with the state in host memory.

    python -m mindspore_compat docs/examples/adam_offload.py

A network of three dense layers learns to multiply. With `device_target="GPU"`, AdamOffload keeps
its moments in host memory and computes the update there, so the GPU holds no optimizer state. The
script prints the largest difference between the two networks' weights and draws the losses into
adam_offload.svg.
"""

import argparse
import pathlib

import mindspore as ms
import numpy as np
from loss_curves import draw_loss_curves
from mindspore import nn


def train(make, steps):
    """Train a network with one optimizer; return the losses and the weights."""
    ms.set_seed(3)
    random = np.random.default_rng(3)
    network = nn.SequentialCell(
        nn.Dense(2, 64), nn.Tanh(), nn.Dense(64, 64), nn.Tanh(), nn.Dense(64, 1)
    )
    for weight in network.trainable_params():
        weight.set_data(ms.Tensor(random.normal(0, 0.3, weight.shape), ms.float32))
    optimizer = make(network.trainable_params())
    cell = nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), optimizer)
    losses = []
    for _ in range(steps):
        x = random.uniform(-1, 1, (64, 2)).astype(np.float32)
        losses.append(float(cell(ms.Tensor(x), ms.Tensor(x[:, :1] * x[:, 1:]))))
    return losses, [weight.asnumpy() for weight in network.trainable_params()]


def main():
    """Train with both optimizers, compare the weights, and draw the losses."""
    parser = argparse.ArgumentParser(description="Compare AdamOffload with Adam.")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--device_target", choices=("CPU", "GPU"), default="CPU")
    parser.add_argument("--output", default=".")
    arguments = parser.parse_args()
    ms.set_device(arguments.device_target)
    rate = nn.ExponentialDecayLR(3e-3, 0.5, 200)
    runs = {
        "AdamOffload": train(lambda weights: nn.AdamOffload(weights, rate), arguments.steps),
        "Adam": train(lambda weights: nn.Adam(weights, rate), arguments.steps),
    }
    difference = max(
        float(abs(one - other).max()) for one, other in zip(runs["AdamOffload"][1], runs["Adam"][1])
    )
    for name, (losses, _) in runs.items():
        print(f"{name}: mean loss of the last 50 steps {np.mean(losses[-50:]):.6f}")
    print(f"largest difference of a weight {difference:.1e}")
    draw_loss_curves(
        pathlib.Path(arguments.output) / "adam_offload.svg",
        "Learning to multiply",
        {name: losses for name, (losses, _) in runs.items()},
    )


if __name__ == "__main__":
    main()
