"""The type stubs match today's declarations, and type checkers agree with them."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import mindspore_compat as ms
from mindspore_compat._startup import stubs

ROOT = Path(stubs.ROOT).parent
SLIPS = {  # a line of a script: what a type checker says of it
    "nn.Dense(3, 4, has_biass=True)": 'Unexpected keyword argument "has_biass" for "Dense"',
    "nn.Conv2d('3', 4, 3)": 'Argument 1 to "Conv2d" has incompatible type "str"',
    "ops.softmax(ms.Tensor([1.0]), dim=0)": 'Unexpected keyword argument "dim" for "softmax"',
    "ms.Tensor([1.0]).cuda()": '"Tensor" has no attribute "cuda"',
    "nn.Module": 'has no attribute "Module"',
    "ms.dataset.NumpySlicesDataset([1]).batch('2')": 'Argument 1 to "batch" of "Dataset" has',
    "ms.set_context(mode='graph')": 'Argument "mode" to "set_context" has incompatible type "str"',
    "ms.set_context(moed=0)": 'Unexpected keyword argument "moed" for "set_context"',
    "ms.save_checkpoint(nn.Dense(1, 1), 3)": 'Argument 2 to "save_checkpoint" has incompatible',
    "nn.Dense(1, 1).weight.cuda()": '"Parameter" has no attribute "cuda"',
    "ms.Tensor([1.0]).sum().cuda()": '"Tensor" has no attribute "cuda"',
    "ops.concat([ms.Tensor([1.0])]).cuda()": '"Tensor" has no attribute "cuda"',
    "nn.Dense(1, 1)(ms.Tensor([[1.0]])).cuda()": '"Tensor" has no attribute "cuda"',
    "ms.dataset.NumpySlicesDataset([1]).batch(2).btch": '"Dataset" has no attribute "btch"',
    "ms.Tensor([1.0]).split(1)[0].cuda()": '"Tensor" has no attribute "cuda"',
    "int(ops.relu(ms.Tensor([1.0])) + 1).shape": '"int" has no attribute "shape"',
}
COMPLETED = {  # the beginning of a line: a name that it is completed by
    "ops.relu(ms.Tensor([1.0])).": "reshape",
    "ms.Tensor([1]).sum().": "reshape",
    "ms.Tensor([1]).max().": "reshape",
    "(ms.Tensor([1]) + 1)[0].": "reshape",
    "nn.Dense(1, 1)(ms.Tensor([[1.0]])).": "reshape",
    "ms.Tensor([1]).max(0)[0].": "reshape",
    "nn.Dense(1, 1).weight.": "asnumpy",
    "ms.dataset.NumpySlicesDataset([1]).batch(2).": "create_dict_iterator",
    "ms.dataset.NumpySlicesDataset([1]).map(abs).batch(2).": "create_dict_iterator",
}
HEAD = "import mindspore as ms\nfrom mindspore import nn, ops\n\n"


@pytest.fixture(scope="module")
def texts():
    return {path: path.read_text("utf-8") for path in stubs.ROOT.rglob("*.pyi")}


def test_stubs_are_those_of_the_declarations():
    command = [sys.executable, "-m", stubs.__name__, "--check"]  # where no test declared anything
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, f"run {stubs.COMMAND}:\n{ran.stderr}"


def test_stubs_are_marked_as_generated(texts):
    marked = {path for path, text in texts.items() if text.startswith(stubs.HEADER)}
    assert {*texts} - marked == set()
    assert stubs.COMMAND in stubs.HEADER.partition("\n")[0]
    attributes = ROOT / ".gitattributes"  # not in an installed copy
    if attributes.exists():
        assert "*.pyi linguist-generated" in attributes.read_text("utf-8").splitlines()


def test_signatures_overloads_and_aliases_are_written(texts):
    nn = texts[stubs.ROOT / "nn" / "__init__.pyi"]
    assert "group: _b.int = 1, has_bias: _b.bool = False," in nn
    tensor = texts[stubs.ROOT / "common" / "tensor.pyi"]
    assert tensor.count("    @_t.overload\n    def sum(self, ") > 1
    assert "def __add__(self, other: " in tensor
    root = texts[stubs.ROOT / "__init__.pyi"]
    assert "from .common.tensor import Tensor as Tensor" in root
    assert "from .ops import value_and_grad as value_and_grad" in root


@pytest.fixture(scope="module")
def folder(texts, tmp_path_factory):
    """A folder in which the stubs are those of `mindspore`; slips.py has a slip on each line."""
    folder = tmp_path_factory.mktemp("types")
    for path, text in texts.items():
        target = folder / "mindspore" / path.relative_to(stubs.ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    for example in (ROOT / "docs" / "examples").glob("*.py"):
        (folder / example.name).write_text(example.read_text("utf-8"), "utf-8")
    (folder / "slips.py").write_text(HEAD + "\n".join(SLIPS) + "\n", "utf-8")
    return folder


def run(folder, *command):
    """What a type checker prints about the scripts in a folder."""
    scripts = sorted(path.name for path in folder.glob("*.py"))
    ran = subprocess.run(
        [sys.executable, "-m", *command, *scripts],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.stderr == ""
    return ran.stdout


def test_mypy_accepts_correct_scripts_and_names_slips(folder):
    pytest.importorskip("mypy")
    said = run(folder, "mypy", "--no-incremental", "--no-error-summary").splitlines()
    for number, line in enumerate(SLIPS, HEAD.count("\n") + 1):
        found = [each for each in said if each.startswith(f"slips.py:{number}: error")]
        assert len(found) == 1 and SLIPS[line] in found[0], (line, said)
    assert [each for each in said if ": error" in each and "slips.py" not in each] == []


def test_pyright_accepts_correct_scripts_and_names_slips(folder):
    pytest.importorskip("pyright", reason="it brings an interpreter of 200 MB; CI has it")
    said = json.loads(run(folder, "pyright", "--outputjson"))["generalDiagnostics"]
    errors = [each for each in said if each["severity"] == "error"]
    locations = [(Path(each["file"]).name, each["range"]["start"]["line"]) for each in errors]
    assert sorted(locations) == [("slips.py", HEAD.count("\n") + i) for i in range(len(SLIPS))]
    assert 'No parameter named "has_biass"' in errors[0]["message"]


def test_jedi_completes_names_and_shows_arguments(folder):
    jedi = pytest.importorskip("jedi")

    def script(line):
        project = jedi.Project(folder, load_unsafe_extensions=False)
        return jedi.Script(HEAD + line, path=folder / "written.py", project=project)

    (dense,) = script("layer = nn.Dense(").get_signatures()
    assert "has_bias" in [parameter.name for parameter in dense.params]
    for line, name in COMPLETED.items():
        assert name in [each.name for each in script(line).complete()], line


def returned_by_methods():
    """What the stub says of the result of each method of Tensor, by name; None for overloads that
    differ."""
    text = (stubs.ROOT / "common" / "tensor.pyi").read_text("utf-8")
    tensor = next(
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and node.name == "Tensor"
    )
    found = {}
    for node in tensor.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            if not any(ast.unparse(each).startswith("property") for each in node.decorator_list):
                found.setdefault(node.name, set()).add(ast.unparse(node.returns))
    return {name: types.pop() if len(types) == 1 else None for name, types in found.items()}


OTHERS = ("flush_from_cache", "offload", "backward")  # act on the memory of a Tensor


METHODS = returned_by_methods()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted({*METHODS} - {*OTHERS}))
def test_methods_return_what_the_stub_says(name):
    said = METHODS[name]
    for arguments in [(), (1,), (0, 1), (0, 0), (ms.Tensor([[1.0, 2.0], [3.0, 4.0]]),)]:
        x = ms.Tensor([[2.0, 1.0], [1.0, 2.0]])
        try:
            result = getattr(x, name)(*arguments)
        except Exception:  # other arguments are needed
            continue
        if said == "Tensor":
            assert isinstance(result, ms.Tensor), (arguments, result)
        elif said == "_b.tuple[Tensor, ...]":
            assert isinstance(result, tuple) and all(isinstance(t, ms.Tensor) for t in result)
        elif said in ("_b.int", "_b.bool", "_b.str", "_b.list"):
            assert type(result).__name__ == said[3:]


def test_functions_return_what_the_stubs_say():
    text = (stubs.ROOT / "ops" / "__init__.pyi").read_text("utf-8")
    said = {
        node.name: ast.unparse(node.returns)
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef)
    }
    assert sum("Tensor" in each for each in said.values()) > 500
    x = ms.Tensor([[2.0, 1.0], [1.0, 2.0]])
    wrong = []
    for name, returns in said.items():
        for arguments in [(x,), (x, x), (x, 1)]:
            try:
                result = getattr(ms.ops, name)(*arguments)
            except Exception:  # other arguments are needed
                continue
            one, several = isinstance(result, ms.Tensor), isinstance(result, tuple)
            if returns.endswith("Tensor") and not one or "tuple[Tensor" in returns and not several:
                wrong.append((name, returns, type(result).__name__))
            break
    assert wrong == []
