"""The main example, run as the README says: every optimizer learns the digits, thor in the fewest
steps."""

import os
import pathlib
import re
import subprocess
import sys

import numpy
import pytest

EXAMPLES = pathlib.Path(__file__).parent.parent / "docs" / "examples"
BELOW, WINDOW = 0.3, 20


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    """(what the script printed, the folder it wrote to)."""
    folder = tmp_path_factory.mktemp("lenet5")
    command = [sys.executable, "-m", "mindspore_compat", str(EXAMPLES / "lenet5_mnist.py"),
               "--compare", "--output", str(folder)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=900)
    assert done.returncode == 0, done.stderr
    return done.stdout, folder


@pytest.mark.parametrize("name", ["adam_offload", "lars", "thor", "momentum"])
def test_accuracy_after_five_epochs(output, name):
    printed, folder = output
    accuracy = re.search(rf"{name}: test accuracy (\d\.\d+)", printed)
    assert float(accuracy.group(1)) >= 0.95
    assert (folder / f"lenet5_{name}.ckpt").stat().st_size > 100_000


def test_curves_are_drawn(output):
    svg = (output[1] / "loss_curves.svg").read_text()
    assert svg.startswith("<svg") and svg.count("<path") + svg.count("<polyline") >= 4


STEPS = """
import sys
sys.path.insert(0, {examples!r})
import lenet5_mnist as example
arguments = example.parse_arguments()
folder = example.write_mnist({folder!r})
for name in ("thor", "momentum"):
    losses, _ = example.train(name, folder, arguments)
    print("LOSSES", name, *losses)
"""


def test_thor_needs_fewer_steps_than_momentum(tmp_path):
    code = STEPS.format(examples=str(EXAMPLES), folder=str(tmp_path / "mnist"))
    command = [sys.executable, "-m", "mindspore_compat", "-c", code, "--epochs", "2",
               "--output", str(tmp_path)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == 0, done.stderr
    steps = {}
    for line in done.stdout.splitlines():
        if line.startswith("LOSSES"):
            _, name, *losses = line.split()
            smooth = numpy.convolve(numpy.array(losses, float), numpy.ones(WINDOW) / WINDOW,
                                    "valid")
            steps[name] = int(numpy.argmax(smooth < BELOW)) if (smooth < BELOW).any() else None
    assert steps["thor"] is not None
    assert steps["momentum"] is None or steps["thor"] < steps["momentum"]
