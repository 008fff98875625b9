"""Every name that an operator body uses of `xp` exists in CuPy with the same keywords.

The sources are parsed, so this covers code that no test runs. CuPy's names come from the census of
the stand-in (tests/fakecupy/census.json). In `_core` an `xp` may be a recorder, so `_core` is left
out.
"""

import ast
import functools
from pathlib import Path

import pytest
from fakecupy import listing
from kit.sources import parse

import mindspore_compat
from mindspore_compat._backend.catalogue import FUNCTIONS, LIBRARY

PACKAGE = Path(mindspore_compat.__file__).parent
ALL = sorted(file for file in PACKAGE.rglob("*.py") if "_startup" not in file.parts)
FILES = [file for file in ALL if "_core" not in file.parts and "xp" in file.read_text("utf-8")]


def used(tree):
    """(dotted name, call or None) for each `xp.<name>` in a file."""
    calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    inner = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or id(node) in inner:
            continue
        names, base = [node.attr], node.value
        while isinstance(base, ast.Attribute):
            inner.add(id(base))
            names.insert(0, base.attr)
            base = base.value
        if isinstance(base, ast.Name) and base.id == "xp":
            yield ".".join(names), calls.get(id(node)), node.lineno


def census_line(name):
    """Returns the census line of `xp.<name>` on a GPU, or None."""
    modules = listing.census()["modules"]
    if name in FUNCTIONS and FUNCTIONS[name].home.startswith("scipy"):
        return modules[f"cupyx.{FUNCTIONS[name].home}"].get(name)
    path, _, last = f"cupy.{name}".rpartition(".")
    if path in modules:
        return modules[path].get(last)
    ufunc = modules["cupy"].get(path.removeprefix("cupy."), "")
    return "function" if ufunc.startswith("ufunc") and last in METHODS else None


EXTRA = {name for name, function in FUNCTIONS.items() if function.home not in LIBRARY}
METHODS = {"at", "outer", "reduce", "accumulate", "reduceat", "types"}
OWN = {"module", "from_scipy", "low_precision", "kernels", "bodies"}  # attributes of a Space itself
OF_ROWS = {name for name in EXTRA if FUNCTIONS[name].rows}  # in row kernels alone
UFUNC_KEYWORDS = {"out", "dtype", "casting"}


@functools.cache
def parsed(file):
    return parse(file)


@functools.cache
def row_kernels():
    """Returns (file, name) of each function that a file passes to `Bodies.rows`: its own, or one
    imported from a neighbouring file."""
    kernels = set()
    for file in FILES:
        home = {
            alias.name: file.with_name(f"{node.module}.py")
            for node in parsed(file).body
            if isinstance(node, ast.ImportFrom) and node.level == 1
            for alias in node.names
        }
        for node in ast.walk(parsed(file)):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "attr", "") == "rows"
                and node.args
            ):
                name = node.args[0].id
                kernels.add((home.get(name, file), name))
    return kernels


def row_kernel_lines(file):
    """Returns the lines of the functions of a file that are passed to `Bodies.rows`."""
    functions = (node for node in parsed(file).body if isinstance(node, ast.FunctionDef))
    spans = (
        range(f.lineno, f.end_lineno + 1) for f in functions if (file, f.name) in row_kernels()
    )
    return {line for span in spans for line in span}


def complaint(name, call, in_row_kernel=False):
    """What is wrong with one use, or None."""
    first = name.split(".")[0]
    if first in EXTRA - OF_ROWS or first in OWN or in_row_kernel and name in OF_ROWS:
        return None
    line = census_line(name)
    if line is None:
        return f"CuPy has no {name}"
    if call is None:
        return None
    given = {keyword.arg for keyword in call.keywords if keyword.arg}
    if line.startswith("ufunc"):
        wrong = given - UFUNC_KEYWORDS
    elif (signature := listing.signature(line)) is None:
        return None
    elif any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
        return None
    else:
        wrong = given - signature.parameters.keys()
    return f"CuPy's {name} does not take {sorted(wrong)}" if wrong else None


def complaints(file):
    """Returns the wrong uses in one file as texts 'file, line: problem'."""
    in_rows = row_kernel_lines(file)
    for name, call, line in used(parsed(file)):
        words = complaint(name, call, line in in_rows)
        if words:
            yield f"{file.relative_to(PACKAGE)}, line {line}: {words}"


def test_names_and_keywords_exist_in_cupy():
    assert [wrong for file in FILES for wrong in complaints(file)] == []


@pytest.mark.parametrize(
    "text, words",
    [
        ("xp.insert(x, 0)", "no insert"),
        ("xp.row_sum(x)", "no row_sum"),
        ("xp.sum(x, where=y)", "['where']"),
        ("xp.linalg.multi_dot(x)", "no linalg.multi_dot"),
        ("xp.add(x, y, where=z)", "['where']"),
        ("xp.add.at(x, i, y)", None),
        ("xp.erf(x)", None),
        ("xp.exp(x, out=y)", None),
        ("xp.zeta.nothing", "no zeta.nothing"),
        ("xp.meshgrid(x, indexing='ij')", None),
        ("xp.linalg.norm(x, axis=0)", None),
        ("xp.lib.stride_tricks.as_strided(x, s, t)", None),
    ],
)
def test_a_wrong_use_is_found(text, words):
    found = [complaint(name, call) for name, call, _ in used(ast.parse(text))]
    assert len(found) == 1 and (found[0] or "").find(words or "") >= 0
    assert bool(found[0]) == bool(words)
