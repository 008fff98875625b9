"""The type stubs: they are those of today's declarations, and type checkers agree with them."""

import subprocess
import sys
from pathlib import Path

import pytest

from mindspore_compat._startup import stubs

ROOT = Path(stubs.ROOT).parent
SLIPS = {  # a line of a script: what a type checker says of it
    "nn.Dense(3, 4, has_biass=True)": 'Unexpected keyword argument "has_biass" for "Dense"',
    "nn.Conv2d('3', 4, 3)": 'Argument 1 to "Conv2d" has incompatible type "str"',
    "ops.softmax(ms.Tensor([1.0]), dim=0)": 'Unexpected keyword argument "dim" for "softmax"',
    "ms.Tensor([1.0]).cuda()": '"Tensor" has no attribute "cuda"',
    "nn.Module": 'has no attribute "Module"',
    "int(ops.relu(ms.Tensor([1.0])) + 1).shape": '"int" has no attribute "shape"',
}
HEAD = "import mindspore as ms\nfrom mindspore import nn, ops\n\n"


@pytest.fixture(scope="module")
def texts():
    return {path: path.read_text("utf-8") for path in stubs.ROOT.rglob("*.pyi")}


def test_stubs_are_those_of_the_declarations():
    command = [sys.executable, "-m", stubs.__name__, "--check"]  # where no test declared anything
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, f"run python -m {stubs.__name__}:\n{ran.stderr}"


def test_signatures_overloads_and_aliases_are_written(texts):
    nn = texts[stubs.ROOT / "nn" / "__init__.pyi"]
    assert "group: _b.int = ..., has_bias: _b.bool = ...," in nn
    tensor = texts[stubs.ROOT / "common" / "tensor.pyi"]
    assert tensor.count("    @_t.overload\n    def sum(self, ") > 1
    assert "def __add__(self, other: " in tensor
    assert "from .common.tensor import Tensor as Tensor" in texts[stubs.ROOT / "__init__.pyi"]


@pytest.fixture(scope="module")
def checked(texts, tmp_path_factory):
    """A function: what mypy says of scripts, by name, that import `mindspore`."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("types")
    for path, text in texts.items():
        place = folder / "mindspore" / path.relative_to(stubs.ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")

    def check(*scripts):
        ran = subprocess.run(
            [sys.executable, "-m", "mypy", "--no-incremental", "--no-error-summary", *scripts],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert ran.stderr == ""
        return ran.stdout.splitlines()

    check.folder = folder
    return check


def test_correct_scripts_are_accepted_and_slips_are_named(checked):
    examples = ROOT / "docs" / "examples"
    lines = [*SLIPS]
    (checked.folder / "slips.py").write_text(HEAD + "\n".join(lines) + "\n", "utf-8")
    said = checked("slips.py", *map(str, sorted(examples.glob("*.py"))))
    for number, line in enumerate(lines, HEAD.count("\n") + 1):
        found = [each for each in said if each.startswith(f"slips.py:{number}: error")]
        assert len(found) == 1 and SLIPS[line] in found[0], (line, said)
    assert [each for each in said if ": error" in each and "slips.py" not in each] == []
