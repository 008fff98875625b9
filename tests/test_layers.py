"""The layers of the package, read from its imports; circles among modules and among packages; the
size of files and folders.

A file may import from its own package and from lower layers, even where it does so in a function or
by `import_module`; and no chain of imports leads from a module back to it. Nothing is imported
here: the sources are parsed, so a module that needs a missing library is checked too.
"""

import ast
import re
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "mindspore_compat"
TOP = 8  # facades, which only re-export, and small public modules
LAYERS = {
    "_version": 1,
    "log": 1,
    "_backend": 1,
    "_core": 2,
    "common": 3,
    "communication": 3,
    "_io": 3,
    "ops": 4,
    "nn": 5,
    "dataset": 5,
    "train": 6,
    "amp": 6,
    "experimental": 6,
    "_checkparam": 6,
    "boost": 7,
    "mindrecord": 7,
    "mint.nn": 7,
    "mint.optim": 7,
    "numpy": 7,
    "parallel": 7,
    "profiler": 7,
    "rewrite": 7,
    "scipy": 7,
}
SAME_LAYER = {("amp", "train")}
SHOWN = {  # imports by import_module when a name is first used
    ("nn", "train"),  # `nn.Accuracy` and other metrics are defined in `train`
    ("nn", "mint"),  # a loaded graph looks up functions by name
}
LONGEST_FILE = 600
LARGEST_FOLDER = 25  # Python files directly in a folder
# The packages in these must not import each other in a circle; a module directly in one of them
# counts as a package.
LAYERED = ("_backend", "_core", "ops")
BACK = {  # imports between packages that close a circle, and why they stay
    ("_core.tensor", "_core.rules"): "Tensor checks its arguments by rules, which know dtypes",
    ("_core.autograd", "_core.vmap"): "a Traced value may hold a Batch, which has gradient rules",
    ("ops._primitive_aliases", "*"): "its list of declarations reads `internal` of each package",
}
PLACES = {  # files outside `_backend` that ask for the device of an array, and why
    "_core/autograd/devices.py": "a gradient goes to the device of its Tensor",
    "_core/tensor/tensor.py": "`Tensor.device`",
    "common/_graph_mode/device_step.py": "a CUDA graph refuses steps that read arrays of the host",
    "common/run_check.py": "prints the device",
    "common/storage.py": "`UntypedStorage` has a device and an address",
    "multiprocessing/reductions.py": "processes share the memory of the host",
    "nn/_cell/state.py": "`Cell.to` takes the device of a Tensor",
    "ops/_tensor_methods/device.py": "`Tensor.to` takes the device of a Tensor",
    "ops/_tensor_methods/values.py": "`Tensor.data_ptr`",
}
LOADERS = ("import_module", "__import__")
IMPORT = re.compile(  # only imports of this project's packages matter
    r"^[ \t]*(from (\.|mindspore_compat|conformance|kit)[.\w]* import (\([^)]*\)|[^\n]*)"
    r"|import (mindspore_compat|conformance|kit)[.\w]*)",
    re.M,
)
MODULE = re.compile(r"(\.+|mindspore_compat\b\.?)[\w.]*")

FILES = sorted(file for file in PACKAGE.rglob("*.py") if "_startup" not in file.parts)
CONFORMANCE = ROOT / "conformance"
WITHOUT_CIRCLES = (PACKAGE, CONFORMANCE, ROOT / "tests" / "kit")
MEASURED = sorted(
    file
    for folder in ("mindspore_compat", "conformance", "tests", "docs")
    for file in (ROOT / folder).rglob("*.py")
)


def package_of(parts):
    """The package that a dotted path belongs to: its first part, or two of a layer's own."""
    pair = ".".join(parts[:2])
    return pair if pair in LAYERS else parts[0]


def layer_of(package):
    """The layer of a package; what no layer names is a facade, on the top one."""
    return LAYERS.get(package, TOP)


def parts_of(file):
    """The path of a file as dotted parts below the package."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def absolute_parts(node, package):
    """The dotted parts, from the root on, of the module an ImportFrom names."""
    named = node.module.split(".") if node.module else []
    if node.level == 0:
        return named
    return [*package[: len(package) - node.level + 1], *named]


def imports_of(tree, package):
    """Every module path the tree imports, as dotted parts from the root on, with the line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.split("."), node.lineno
        elif isinstance(node, ast.ImportFrom):
            module = absolute_parts(node, package)
            for alias in node.names:
                yield [*module, alias.name], node.lineno


def loads_of(tree, package):
    """What functions load by `import_module` or `__import__`: the modules that they spell."""
    for function in ast.walk(tree):
        inner = list(ast.walk(function)) if isinstance(function, ast.FunctionDef) else []
        if not any(
            isinstance(node, ast.Call)
            and getattr(node.func, "attr", getattr(node.func, "id", None)) in LOADERS
            for node in inner
        ):
            continue
        for node in inner:
            path = node.value if isinstance(node, ast.Constant) else None
            if isinstance(path, str) and MODULE.fullmatch(path):
                level = len(path) - len(path.lstrip("."))
                start = package[: len(package) - level + 1] if level else []
                yield [*start, *filter(None, path.lstrip(".").split("."))], node.lineno


def wrong_imports(source, parts, is_package=False):
    """The imports of one file that go up or sideways, as 'line: package' texts."""
    own = package_of(parts) if parts else "__init__"
    package = ["mindspore_compat", *(parts if is_package else parts[:-1])]
    tree = ast.parse(source)
    found = [(path, line, False) for path, line in imports_of(tree, package)]
    if any(each in source for each in LOADERS):
        found += [(path, line, True) for path, line in loads_of(tree, package)]
    wrong = []
    for path, line, loaded in found:
        if path[0] == "mindspore":
            wrong.append(f"{line}: mindspore itself")
        if path[0] != "mindspore_compat":
            continue
        package = package_of(path[1:]) if is_module(path[1:2]) else "__init__"
        shown = loaded and (own, package.partition(".")[0]) in SHOWN
        allowed = package == own or may_import(own, package) or shown
        if not allowed:
            wrong.append(f"{line}: {package}")
    return wrong


def may_import(own, package):
    """Whether files of one package may import from another: a lower one, or facade from facade."""
    return layer_of(own) == TOP or layer_of(package) < layer_of(own) or (own, package) in SAME_LAYER


def is_module(parts):
    """Whether a dotted path names a file or folder of the package, not a name inside one."""
    target = PACKAGE.joinpath(*parts)
    exists = target.is_dir() or target.with_suffix(".py").is_file()
    return bool(parts) and (exists or parts[0] in LAYERS)


def identifier(file):
    """A file as shown in a test's name."""
    return str(file.relative_to(ROOT))


def test_imports_go_down():
    found = {
        identifier(file): wrong_imports(
            file.read_text("utf-8"), parts_of(file), file.name == "__init__.py"
        )
        for file in FILES
    }
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def graph_of_modules(root):
    """Returns {dotted path of a module: paths of the modules that it imports} for a package.
    Imports that `SHOWN` allows are left out.

    A regular expression finds the import lines in a tenth of the time of parsing all files.
    """
    sources = (file for file in root.rglob("*.py") if "_startup" not in file.parts)
    files = {dotted(file, root): file for file in sources}
    graph = {}
    for path, file in files.items():
        source, parts = file.read_text("utf-8"), path.split(".")
        package = parts if file.name == "__init__.py" else parts[:-1]
        lines = [textwrap.dedent(match[0]) for match in IMPORT.finditer(source)]
        named = [name for line in lines for name, _ in imports_of(ast.parse(line), package)]
        if any(loader in source for loader in LOADERS):
            named += [
                name
                for name, _ in loads_of(ast.parse(source), package)
                if (*parts[1:2], *name[1:2]) not in SHOWN
            ]
        modules = (name if ".".join(name) in files else name[:-1] for name in named)
        graph[path] = {".".join(name) for name in modules} & files.keys() - {path, root.name}
    return graph


def dotted(file, root):
    """The path by which a file of the package in `root` is imported."""
    parts = file.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("root", WITHOUT_CIRCLES, ids=lambda root: root.name)
def test_no_module_imports_itself_by_way_of_others(root):
    graph, count = graph_of_modules(root), None
    assert any(graph.values())
    while count != len(graph):  # modules that import nothing or are never imported are removed
        count, used = len(graph), set().union(*graph.values())
        graph = {
            path: modules & graph.keys()
            for path, modules in graph.items()
            if modules & graph.keys() and path in used
        }
    assert graph == {}


def arrows():
    """(package, package) for each import between packages of one layered package."""
    for path, modules in graph_of_modules(PACKAGE).items():
        for module in modules:
            pair = subpackage(path), subpackage(module)
            if all(pair) and pair[0] != pair[1] and pair[0].split(".")[0] == pair[1].split(".")[0]:
                yield pair


def subpackage(path):
    """Returns the package of a module in LAYERED, such as `_core.tensor`; for a module directly in
    one of them its own path, such as `_backend.arrays`; for all others None."""
    parts = path.split(".")[1:]
    return ".".join(parts[:2]) if len(parts) > 1 and parts[0] in LAYERED else None


def on_circles(pairs):
    """Returns the pairs that remain after repeatedly removing pairs whose first member is nowhere
    second, or whose second member is nowhere first: those on or between circles."""
    count = None
    while count != len(pairs):
        count = len(pairs)
        starts, ends = ({pair[side] for pair in pairs} for side in (0, 1))
        pairs = {pair for pair in pairs if pair[0] in ends and pair[1] in starts}
    return pairs


def test_no_package_imports_itself_by_way_of_others():
    pairs = set(arrows())
    allowed = {(one, two) for one, two in pairs if (one, two) in BACK or (one, "*") in BACK}
    assert on_circles(pairs - allowed) == set()
    for one, two in BACK:  # each arrow is there, and needed
        back = {pair for pair in allowed if pair[0] == one and two in (pair[1], "*")}
        assert on_circles(pairs - allowed | back) != set(), f"{one} -> {two} closes no circle"


def test_a_circle_of_packages_is_seen():
    chain = {("a", "b"), ("b", "c"), ("x", "a")}
    assert on_circles(chain) == set()
    assert on_circles({*chain, ("c", "a")}) == {("a", "b"), ("b", "c"), ("c", "a")}


def test_no_package_of_the_conformance_tool_imports_itself_by_way_of_others():
    pairs = {
        (path.split(".")[1], module.split(".")[1])
        for path, modules in graph_of_modules(CONFORMANCE).items()
        for module in modules
    }
    between = {(one, two) for one, two in pairs if one != two}
    assert {("reading", "sentences"), ("worker", "kinds")} <= between
    assert on_circles(between) == set()


@pytest.mark.parametrize("root", [PACKAGE, CONFORMANCE], ids=lambda root: root.name)
def test_folders_hold_a_handful_of_files(root):
    folders = {}
    for file in root.rglob("*.py"):
        folders.setdefault(identifier(file.parent), []).append(file.name)
    assert {name: len(f) for name, f in folders.items() if len(f) > LARGEST_FOLDER} == {}


def names_cupy(source):
    """Whether a source imports CuPy or uses its name as a variable."""
    if "cupy" not in source:
        return False
    tree = ast.parse(source)
    packages = {path[0] for path, _ in imports_of(tree, ["mindspore_compat"])}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return bool({"cupy", "cupyx"} & (packages | names))


def test_cupy_is_named_in_the_backend_only():
    naming = {file for file in FILES if names_cupy(file.read_text("utf-8"))}
    allowed = {file for file in FILES if "_backend" in file.relative_to(PACKAGE).parts}
    assert naming and sorted(map(identifier, naming - allowed)) == []


def asks_for_the_device(text):
    """Returns whether a source asks for the device of an array, or for the device target."""
    nodes = list(ast.walk(ast.parse(text)))
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    names |= {node.name for node in nodes if isinstance(node, ast.alias)}
    of_arrays = re.search(r"\barrays\._target\b", text) is not None
    return "on_device" in names or of_arrays


def test_device_branches_are_in_the_backend_only():
    outside = [file for file in FILES if "_backend" not in file.relative_to(PACKAGE).parts]
    asking = {
        file.relative_to(PACKAGE).as_posix()
        for file in outside
        if asks_for_the_device(file.read_text("utf-8"))
    }
    assert asking == set(PLACES)


@pytest.mark.parametrize(
    "text, asks",
    [
        ("if arrays.on_device(x): pass", True),
        ("all(map(arrays.on_device, grads))", True),
        ('arrays._target == "GPU"', True),
        ("from .._backend.arrays import on_device", True),
        ("self._target = target; on_device = is_asynchronous(x)", False),
    ],
)
def test_a_device_branch_is_seen(text, asks):
    assert asks_for_the_device(text) is asks


def test_files_are_not_too_long():
    lengths = {identifier(file): len(file.read_text("utf-8").splitlines()) for file in MEASURED}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE} == {}


@pytest.mark.parametrize(
    "source, parts, found",
    [
        ("from ..nn import Cell", ("ops", "_math"), ["1: nn"]),
        ("from mindspore_compat.train import Model", ("nn", "cell"), ["1: train"]),
        ("from .. import ops", ("_core", "tensor"), ["1: ops"]),
        ("def f():\n    from ..ops import add", ("common", "api"), ["2: ops"]),
        ("from ..communication import init", ("common", "api"), ["1: communication"]),
        ("from .._core import config", ("ops", "_math"), []),
        ("from ._math import add", ("ops", "_reduce"), []),
        ("from ..ops import add\nfrom .. import nn", ("mint", "linalg"), []),
        ("from .train import amp", ("amp",), []),
        ("from .. import mint", ("numpy", "math_ops"), ["1: mint"]),
        ("from ..experimental import optim", ("mint", "optim"), []),
        ("from .. import Tensor", ("nn", "cell"), ["1: __init__"]),
        ("import mindspore", ("nn", "cell"), ["1: mindspore itself"]),
        (
            "def f():\n    return import_module('..train.amp', __package__)",
            ("ops", "_math"),
            ["2: train"],
        ),
        (
            "def f():\n    for path in ('..nn.cell', 'numpy'):\n"
            "        importlib.import_module(path)",
            ("ops", "_math"),
            ["2: nn"],
        ),
    ],
    ids=[
        "up",
        "absolute",
        "from-package",
        "late",
        "sideways",
        "down",
        "own",
        "facade",
        "amp",
        "subsystem",
        "subpackage",
        "name",
        "original",
        "loaded",
        "spelled",
    ],
)
def test_the_reader_sees_what_it_should(source, parts, found):
    assert wrong_imports(source, parts) == found
