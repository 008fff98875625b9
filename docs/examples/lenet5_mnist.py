"""LeNet-5 on handwritten digits, with one of four optimizers or all of them compared.

    python lenet5_mnist.py --optimizer adam_offload
    python lenet5_mnist.py --compare

An ordinary MindSpore script: dynamic loss scaling through Model, five epochs, batches of 32. It
prints the loss of each epoch and the accuracy on the test digits, saves the trained network as a
checkpoint, and ends with a table. It writes the losses of all runs to losses.csv and draws them
into loss_curves.svg.
"""

import argparse
import pathlib
import sys
import time

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from loss_curves import draw_loss_curves
from mindspore import nn
from mindspore.dataset import transforms, vision
from mindspore.train import Callback, ConvertModelUtils, Model
from mnist_digits import write_mnist

OPTIMIZERS = ("adam_offload", "lars", "thor", "momentum")


class LeNet5(nn.Cell):
    """Two convolutions with pooling and three dense layers, as published in 1998 but with ReLU."""

    def __init__(self, num_classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.relu = nn.ReLU()
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(16 * 5 * 5, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, num_classes)

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


def create_dataset(folder, usage, batch_size):
    """Batches of 32 x 32 images, normalised to mean 0 and deviation 1, and int32 labels."""
    digits = ds.MnistDataset(folder, usage, shuffle=usage == "train")
    digits = digits.map(transforms.TypeCast(ms.int32), input_columns="label")
    digits = digits.map(
        [
            vision.Resize((32, 32), vision.Inter.LINEAR),
            vision.Rescale(1 / 255, 0.0),
            vision.Rescale(1 / 0.3081, -0.1307 / 0.3081),
            vision.HWC2CHW(),
        ],
        input_columns="image",
    )
    return digits.batch(batch_size, drop_remainder=usage == "train")


def falling(first, last, steps):
    """One value per step, decaying exponentially from `first` to `last`."""
    return ms.Tensor(np.geomspace(first, last, steps), ms.float32)


def cosine(rate, steps):
    """One learning rate per step, decaying to zero along half a cosine."""
    return nn.cosine_decay_lr(0.0, rate, steps, 1, steps)


def create_optimizer(name, network, steps, batch_size):
    """Create an optimizer by name; the learning rates suit 5 epochs of 4,000 digits."""
    weights = network.trainable_params()
    if name == "adam_offload":
        return nn.AdamOffload(weights, cosine(0.002, steps))
    if name == "momentum":
        return nn.Momentum(weights, cosine(0.03, steps), momentum=0.9)
    if name == "lars":
        momentum = nn.Momentum(weights, cosine(0.3, steps), momentum=0.9)
        return nn.LARS(momentum, epsilon=1e-8, coefficient=0.02)
    return nn.thor(
        network,
        falling(0.05, 0.001, steps),
        falling(0.3, 0.03, steps),
        momentum=0.9,
        batch_size=batch_size,
        frequency=10,
    )


def create_model(name, network, steps, batch_size):
    """Create a Model with dynamic loss scaling and the optimizer of this name."""
    scale = ms.DynamicLossScaleManager(init_loss_scale=1024, scale_factor=2, scale_window=200)
    settings = {
        "loss_fn": nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        "optimizer": create_optimizer(name, network, steps, batch_size),
        "loss_scale_manager": scale,
        "metrics": {"accuracy"},
    }
    model = Model(network, **settings)
    if name == "thor":
        model = ConvertModelUtils.convert_to_thor_model(model, network, **settings)
    return model


class LossCurve(Callback):
    """Keeps the losses, prints the mean of each epoch, and shows progress on a terminal."""

    def __init__(self, name):
        super().__init__()
        self.name = name
        self.losses = []
        self.on_terminal = sys.stderr.isatty()

    def on_train_step_end(self, run_context):
        output = run_context.original_args().net_outputs
        loss = output[0] if isinstance(output, (tuple, list)) else output
        self.losses.append(float(loss.asnumpy()))
        if self.on_terminal:
            state = run_context.original_args()
            self.show_progress(len(self.losses), state.epoch_num * state.batch_num)

    def on_train_epoch_end(self, run_context):
        state = run_context.original_args()
        mean = np.mean(self.losses[-state.batch_num :])
        if self.on_terminal:
            print(end="\r\x1b[K", file=sys.stderr, flush=True)
        print(f"{self.name}: epoch {state.cur_epoch_num}, mean loss {mean:.4f}", flush=True)

    def show_progress(self, step, steps):
        """Draw a progress bar on the terminal's last line."""
        bar = "#" * (30 * step // steps)
        print(
            f"\r{self.name} [{bar:<30}] step {step}/{steps}, loss {self.losses[-1]:.4f}",
            end="",
            file=sys.stderr,
            flush=True,
        )


def train(name, folder, arguments):
    """Train a new LeNet-5 with one optimizer.

    Returns:
        The loss of each step, the accuracy on the test digits, and the seconds of training.
    """
    ms.set_seed(arguments.seed)
    training = create_dataset(folder, "train", arguments.batch_size)
    steps = arguments.epochs * training.get_dataset_size()
    network = LeNet5()
    model = create_model(name, network, steps, arguments.batch_size)
    curve = LossCurve(name)
    start = time.perf_counter()
    model.train(arguments.epochs, training, callbacks=[curve], dataset_sink_mode=False)
    seconds = time.perf_counter() - start
    test = create_dataset(folder, "test", arguments.batch_size)
    accuracy = model.eval(test, dataset_sink_mode=False)["accuracy"]
    checkpoint = pathlib.Path(arguments.output) / f"lenet5_{name}.ckpt"
    ms.save_checkpoint(network, str(checkpoint))
    print(f"{name}: test accuracy {accuracy:.4f}, saved as {checkpoint}", flush=True)
    return curve.losses, accuracy, seconds


def report(runs, output):
    """Write the losses of all runs, draw them, and print a table of results."""
    with open(output / "losses.csv", "w", encoding="utf-8") as file:
        print("optimizer", "step", "loss", sep=",", file=file)
        for name, (losses, _, _) in runs.items():
            for step, loss in enumerate(losses, 1):
                print(name, step, loss, sep=",", file=file)
    draw_loss_curves(
        output / "loss_curves.svg",
        "LeNet-5 on handwritten digits",
        {f"{name} ({accuracy:.1%})": losses for name, (losses, accuracy, _) in runs.items()},
    )
    print(f"\n{'optimizer':14}{'test accuracy':>15}{'last loss':>12}{'seconds':>10}")
    for name, (losses, accuracy, seconds) in runs.items():
        print(f"{name:14}{accuracy:>15.4f}{np.mean(losses[-25:]):>12.4f}{seconds:>10.1f}")
    print(
        f"\nThe losses step by step: {(output / 'loss_curves.svg').resolve()}\n"
        "MindSpore 2.10 itself refuses this script on a CPU: dynamic loss scaling, nn.LARS and "
        "nn.thor need an accelerator there."
    )


def parse_arguments():
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="Train LeNet-5 on handwritten digits.")
    parser.add_argument("--optimizer", choices=(*OPTIMIZERS, "all"), default="adam_offload")
    parser.add_argument("--compare", action="store_true", help="the same as --optimizer all")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device_target", choices=("CPU", "GPU", "Ascend"), default="CPU")
    parser.add_argument(
        "--data",
        help="a folder with the four files of MNIST; by default 5,000 "
        "digits are unpacked into the output folder",
    )
    parser.add_argument("--output", default="lenet5_output")
    return parser.parse_args()


def main():
    """Train with the requested optimizers, and draw their losses."""
    arguments = parse_arguments()
    ms.set_context(mode=ms.PYNATIVE_MODE)
    ms.set_device(arguments.device_target)
    output = pathlib.Path(arguments.output)
    output.mkdir(parents=True, exist_ok=True)
    folder = arguments.data or write_mnist(output / "mnist")
    run_all = arguments.compare or arguments.optimizer == "all"
    names = OPTIMIZERS if run_all else (arguments.optimizer,)
    runs = {name: train(name, folder, arguments) for name in names}
    report(runs, output)


if __name__ == "__main__":
    main()
