"""What the examples of docstrings compute has the types that the stubs say."""

import ast
import builtins
import contextlib
import doctest
import importlib
import inspect
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat._startup import stubs

MODULES = {  # module: how many of its names have an example whose result has a type
    "ops": 1000,
    "nn": 100,
    "mint": 60,
    "mint.nn": 25,
    "mint.nn.functional": 30,
    "mint.linalg": 2,
    "numpy": 210,
    "scipy.linalg": 10,
    "communication": 4,
    "hal": 10,
    "runtime": 15,
    "common": 9,
    "context": 5,
    "dataset": 4,
    "dataset.vision": 8,
    "log": 2,
    "profiler": 1,
    "train.serialization": 6,
}


def annotations(module):
    """The results of functions, and of `__call__` of classes, by their names in a stub."""
    tree = ast.parse(stubs.path_of(module).read_text("utf-8"))
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node.returns)
        if isinstance(node, ast.ClassDef):
            calls = [each for each in node.body if getattr(each, "name", "") == "__call__"]
            found[node.name] = [each.returns for each in calls]
    return found


def fits(value, annotation):
    """Whether a value is of the type of an annotation; of classes of the package only Tensor is
    compared."""
    if isinstance(annotation, ast.BinOp):
        return fits(value, annotation.left) or fits(value, annotation.right)
    if isinstance(annotation, ast.Constant):
        return value is annotation.value
    parameters = getattr(annotation, "slice", None)
    outer = ast.unparse(annotation.value if parameters else annotation).removeprefix("_b.")
    if outer in ("Tensor", "_Tensor"):
        return isinstance(value, ms.Tensor)
    if outer == "tuple":
        parts = parameters.elts
        if ast.unparse(parts[-1]) == "...":
            parts = parts[:1] * len(value) if isinstance(value, tuple) else []
        same_length = isinstance(value, tuple) and len(value) == len(parts)
        return same_length and all(map(fits, value, parts))
    kind = getattr(builtins, outer, None)
    kind = (int, float) if kind is float else kind
    return not isinstance(kind, (type, tuple)) or isinstance(value, kind)


def recorder(function, results):
    """The function, which appends what it returns to a list."""

    def recorded(*args, **kwargs):
        results.append(function(*args, **kwargs))
        return results[-1]

    return recorded


def results_in_examples(module, name):
    """What a function, or the `__call__` of a class's objects, returns in the examples of its
    docstring, up to one that fails: other tests are about those."""
    thing, results = getattr(module, name), []
    owner, attribute = (thing, "__call__") if inspect.isclass(thing) else (module, name)
    names = {"ms": ms, "mindspore": ms, "np": np, "nn": ms.nn, "ops": ms.ops, "mint": ms.mint}
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(thing) or "")
    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(Exception):
        patch.setattr(owner, attribute, recorder(getattr(owner, attribute), results))
        for example in examples:
            exec(compile(example.source, "<example>", "single"), names)  # noqa: S102
    return results


def compare(path):
    """Returns how many names of a module have examples, and the results of other types."""
    module, compared, wrong = importlib.import_module(f"mindspore_compat.{path}"), 0, []
    for name, returns in annotations(path).items():
        is_known = {ast.unparse(each) for each in returns} - {"_t.Any"}
        if not is_known or not hasattr(module, name) or name == "set_context":
            continue
        results = results_in_examples(module, name)
        compared += bool(results)
        wrong += [
            (name, ast.unparse(returns[0]), str(type(result)))
            for result in results
            if not any(fits(result, each) for each in returns)
        ]
    return compared, wrong


def test_results_of_examples_have_the_types_of_the_stubs(tmp_path):
    command = [sys.executable, __file__]  # other modules may keep the recorders
    variables = {**os.environ, "PYTHONPATH": str(stubs.ROOT.parent)}
    ran = subprocess.run(
        command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=600
    )
    assert ran.returncode == 0, ran.stderr
    for path, (compared, wrong) in json.loads(ran.stdout).items():
        assert wrong == [] and compared >= MODULES[path], path


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):
        found = {path: compare(path) for path in MODULES}
    print(json.dumps(found))
