"""Searching the sources for a public path finds the declaration of what it names.

A declaration is a call or a decorator that is given the path (`@op("ops.tanh(input)")`), a row of a
table from which objects are made, or a class or function whose docstring ends in the path
(`Source: mindspore.hal.empty_cache of MindSpore 2.10.`). A list of names, a message, an example or
a lookup does not count.
"""

import ast
import collections
import importlib
import inspect
import re
from pathlib import Path

from kit.sources import parse

import mindspore_compat
from conformance.reading import specs
from mindspore_compat import mint, nn, numpy, ops, scipy  # noqa: F401 - they declare names
from mindspore_compat._core.declare.op import DECLARED
from mindspore_compat._core.declare.public_api import PUBLIC
from mindspore_compat.mint import distributed  # noqa: F401
from mindspore_compat.ops import auto_generate  # noqa: F401
from mindspore_compat.ops._primitive_aliases import alias

PACKAGE = Path(mindspore_compat.__file__).parent
SOURCE = re.compile(r"Source: mindspore\.([\w.]+\w)")
PATH = re.compile(r"[A-Za-z]\w*(\.\w+)*(?=\(|$)")
NO_DECLARATION = (
    "build getattr hasattr setattr isinstance import_module refuse refuse_part called found print "
    "removeprefix warning info startswith endswith replace get join split find_spec submodule"
).split()


def declared_in(tree):
    """The paths that a file declares."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            text = " ".join((ast.get_docstring(node) or "").split())
            yield from SOURCE.findall(text)
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name not in NO_DECLARATION:
                for argument in node.args:
                    yield from paths_in(argument)
        elif isinstance(node, (ast.Assign, ast.For)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if getattr(target, "id", "") != "__all__":
                yield from paths_in(node.value if isinstance(node, ast.Assign) else node.iter)


def paths_in(node):
    """Yields the dotted path with which a text begins; for a tuple, list or table, the path of each
    text in it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        match = PATH.match(node.value)
        if match:
            yield match[0]
    elif isinstance(node, ast.JoinedStr):
        yield from paths_in(node.values[0])
    elif isinstance(node, ast.BinOp):
        yield from paths_in(node.left)
    elif isinstance(node, (ast.Tuple, ast.List)):
        for each in node.elts:
            yield from paths_in(each)
    elif isinstance(node, ast.Dict):
        for each in node.keys:
            yield from paths_in(each)
        for each in node.values:
            yield from paths_in(each)


def declarations():
    """The paths that the sources declare."""
    return {path for file in PACKAGE.rglob("*.py") for path in declared_in(parse(file))}


def named(path):
    """Returns the object that a documented path names, and the path of its module. Returns None
    unless the object is a class or function of a module."""
    thing, module = mindspore_compat, ""
    for part in path.split("."):
        if inspect.isclass(thing):
            return None
        below = f"{module}.{part}".lstrip(".")
        try:
            thing = getattr(thing, part)
        except AttributeError:
            try:
                thing = importlib.import_module(f"mindspore_compat.{below}")
            except ModuleNotFoundError:
                return None  # not here: `docs/support.py` lists these
        module = below if inspect.ismodule(thing) else module
    return (thing, module) if callable(thing) else None


def test_every_declared_path_is_written_out_where_it_is_declared():
    declared = {
        f"{area}.{name}" if area else name
        for table in (DECLARED, PUBLIC, alias.ALIASES)
        for area, names in table.items()
        if not area.startswith("for_tests")
        for name in names
    }
    assert len(declared) > 3000
    assert sorted(declared - declarations()) == []


def test_every_documented_path_is_on_a_declaration():
    found, objects = declarations(), collections.defaultdict(dict)
    for path in specs.load(check=False):
        if (pair := named(path)) is not None:
            objects[id(pair[0])][path] = pair[1]
    assert len(objects) > 2000
    missing = []
    for paths in objects.values():
        homes = {module for path, module in paths.items() if path in found}
        # A module that re-exports a name of another module needs no declaration; names in `_ext`
        # are found by their ending (ops/__init__.py).
        missing += [
            path
            for path, module in paths.items()
            if path not in found
            and (not homes or module in homes)
            and path.removesuffix("_ext") not in found
        ]
    assert sorted(missing) == []
