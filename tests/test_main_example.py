"""The main example, run as in the README: every optimizer learns the digits, thor in the fewest
steps.
"""

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
    command = [
        sys.executable,
        "-m",
        "mindspore_compat",
        str(EXAMPLES / "lenet5_mnist.py"),
        "--compare",
        "--output",
        str(folder),
    ]
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


def test_table_names_every_run_and_the_picture(output):
    printed, folder = output
    table = printed[printed.index("optimizer ") :]
    assert re.findall(r"^(\w+) +0\.9\d+ +\d\.\d+ +\d+\.\d$", table, re.MULTILINE) == [
        "adam_offload",
        "lars",
        "thor",
        "momentum",
    ]
    assert str(folder / "loss_curves.svg") in table


def test_thor_needs_fewer_steps_than_momentum(output):
    rows = [line.split(",") for line in (output[1] / "losses.csv").read_text().splitlines()[1:]]
    steps = {}
    for name in ("thor", "momentum"):
        losses = numpy.array([row[2] for row in rows if row[0] == name], float)
        smooth = numpy.convolve(losses, numpy.ones(WINDOW) / WINDOW, "valid")
        assert (smooth < BELOW).any()
        steps[name] = int(numpy.argmax(smooth < BELOW))
    assert steps["thor"] < steps["momentum"]
