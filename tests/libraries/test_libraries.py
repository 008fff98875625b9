"""Runs the first commands of the READMEs of public libraries, on the installed libraries.

A library that is not installed is skipped. Install one with `pip install --no-deps`, as its
dependency `mindspore` is satisfied by the stand-in (docs/first-steps.rst), then what it imports.
The numbers are those of MindSpore 2.10 on a CPU.
"""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

CASES = Path(__file__).parent / "cases"
ROOT = Path(__file__).parents[2]
SIGNS = [0.6185690, 0.3674104, 0.4317979, 1.0, 0.5894061, 0.0, 0.2865129, 0.0, 0.5289400, 0.0]
WANTED = {
    "mindcv": {
        "listed": 7,
        "losses": [1.6866950, 1.5792909, 1.5926679],
        "accuracy": 0.25,
        "same": True,
    },
    "mindaudio": {
        "rate": 8000,
        "same": True,
        "stft": [129, 63, 3595.7925],
        "mel": [128, 32, 18438.2943],
        "fbank": [40, 32, 6226.2353],
    },
    "mindyolo": {
        "losses": [
            *[5.1550803, 2.1602118, 1.4598501, 1.5350184],
            *[5.1639910, 2.1727154, 1.4643385, 1.5269372],
        ],
        "finite": True,
        "shape": [2, 84, 7],
        "mean": 54.8671598,
        "same": True,
        "boxes": [0, 0],
    },
    "mindarmour": {
        "signs": [*SIGNS, 0.3778165, 0.0],
        "steps": [SIGNS[0], 0.7674104, *SIGNS[2:], 0.3778165, 0.0],
        "misclassified": 2 / 3,
    },
}


MODES = {library: {"graph": 0, "eager": 1} for library in WANTED}
# The losses of mindyolo do not run outside a graph in MindSpore 2.10, where `max` of an axis gives
# two Tensors.
RELEASES = {("mindyolo", "eager"): ["--release", "2.2"]}
RUNS = [(library, mode) for library, modes in MODES.items() for mode in modes]


@pytest.mark.parametrize("library, mode", RUNS)
def test_first_steps(library, mode, tmp_path):
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    script = CASES / f"with_{library}.py"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mindspore_compat", *RELEASES.get((library, mode), ())),
            *(str(script), str(MODES[library][mode])),
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        timeout=600,
    )
    missing = [line for line in done.stderr.splitlines() if "No module named" in line]
    if done.returncode and missing and "mindspore" not in missing[-1]:
        pytest.skip(f"{library} lacks what it imports: {missing[-1]}")
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT "))
    result = json.loads(line.removeprefix("RESULT "))
    assert result.keys() == WANTED[library].keys()
    for name, value in WANTED[library].items():
        assert result[name] == pytest.approx(value, rel=1e-4), name
