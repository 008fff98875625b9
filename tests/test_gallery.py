"""The gallery's scripts run with small settings and draw their curves."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "docs" / "examples"
SMALL = {
    "adam_offload": ["--steps", "20"],
    "bert_finetuning": ["--steps", "3", "--epochs", "1"],
    "resnet_pictures": ["--pictures", "100", "--epochs", "1"],
    "thor_and_momentum": ["--epochs", "1"],
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", SMALL)
def test_example_runs(name, tmp_path):
    script = str(EXAMPLES / f"{name}.py")
    done = subprocess.run(
        [sys.executable, "-m", "mindspore_compat", script, *SMALL[name], "--output", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    if name == "adam_offload":
        assert float(done.stdout.split()[-1]) < 1e-6
    assert (tmp_path / f"{name}.svg").read_text().count("<polyline") >= 2


def test_gallery_shows_every_example():
    page = (ROOT / "docs" / "gallery.rst").read_text("utf-8")
    shown = set(re.findall(r"literalinclude:: examples/(\w+)\.py", page))
    assert shown == {*SMALL, "lenet5_mnist"}
    images = re.findall(r"image:: (\S+)", page)
    assert len(images) == 5 and all((ROOT / "docs" / each).is_file() for each in images)
