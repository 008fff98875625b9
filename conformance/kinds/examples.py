"""Runs an example of the documentation like the interactive prompt, and compares its output."""

import ast
import contextlib
import io
import linecache
import os
import re
import sys
import tempfile
import types

import numpy as np

from ..arguments import samples
from ..arguments.values import resolve
from ..errors import describe
from . import outputs

# Names that the documentation's examples use without importing them.
_USUAL = {
    "nn": "nn",
    "ops": "ops",
    "mint": "mint",
    "mstype": "common.dtype",
    "Parameter": "Parameter",
    "ParameterTuple": "ParameterTuple",
    "P": "ops.operations",
    "context": "context",
}


def run(ms, case):
    """Runs the documentation's example and compares its output; the layout is judged separately."""
    layout = True
    with _in_empty_folder() as folder, _as_module(case["steps"], folder) as module:
        vars(module).update(_usual_names(ms))
        text = "\n".join(step[0] for step in case["steps"])
        for name, make in samples.MAKERS.items():
            if re.search(rf"\b{name}\(", text) and not _binds(text, name):
                vars(module)[name] = make(ms)
        for source, expected, line, offset in module.steps:
            try:
                printed = _execute(source, offset, module)
            except BaseException as error:  # noqa: BLE001
                if expected and ("Traceback" in expected or type(error).__name__ in expected):
                    continue
                return _unfinished(error, expected, line, case)
            if not expected:
                continue
            if not outputs.same_numbers(expected, printed):
                return {
                    "status": "fail",
                    "got": printed[:2000],
                    "expected": expected,
                    "line": line,
                    "observed": "printed",
                }
            layout = layout and outputs.same_layout(expected, printed)
    return {"status": "pass", "layout": layout, "observed": "agree"}


def _usual_names(ms):
    names = {"np": np, "ms": ms, "mindspore": ms, "Tensor": getattr(ms, "Tensor", None)}
    for name, path in _USUAL.items():
        with contextlib.suppress(AttributeError):
            names[name] = resolve(ms, path)
    return names


def _unfinished(error, expected, line, case):
    """Returns the result for an exception in an example; an example that uses undefined names
    cannot be run by any implementation.
    """
    result = {
        "status": "fail",
        "got": describe(error),
        "expected": expected or "no exception",
        "line": line,
        "observed": "raised",
    }
    name = getattr(error, "name", None)
    if (
        isinstance(error, NameError)
        and name
        and not any(_binds(step[0], name) for step in case["steps"])
    ):
        return {**result, "status": "skip", "got": f"incomplete example: '{name}' is never defined"}
    if isinstance(error, SyntaxError):
        return {**result, "status": "skip", "got": f"incomplete example: {error.msg}"}
    if "/path/to" in str(error) or "/path/to" in "".join(step[0] for step in case["steps"]):
        return {
            **result,
            "status": "skip",
            "got": "incomplete example: reads files of the reader's own",
        }
    return result


def _binds(source, name):
    return bool(
        re.search(
            rf"\b{re.escape(name)}\b\s*(?:=[^=]|,|:=)|\b(?:def|class|import|as"
            rf"|for)\s+(?:\w+,\s*)*{re.escape(name)}\b",
            source,
        )
    )


@contextlib.contextmanager
def _as_module(steps, folder):
    """Returns a new module in a real file, because MindSpore's compiler reads the source of
    functions and classes.
    """
    module = types.ModuleType("conformance_example")
    module.__file__ = os.path.join(folder, "conformance_example.py")
    module.steps, row, text = [], 0, []
    for source, expected, line in steps:
        module.steps.append((source, expected, line, row))
        rows = source.split("\n")
        row += len(rows)
        text += rows
    with open(module.__file__, "w", encoding="utf-8") as file:
        file.write("\n".join(text) + "\n")
    linecache.checkcache(module.__file__)
    sys.modules[module.__name__] = module
    try:
        yield module
    finally:
        sys.modules.pop(module.__name__, None)


def _execute(source, offset, module):
    """Run one statement of an example like the interactive prompt; returns its output."""
    out = io.StringIO()
    tree = ast.increment_lineno(ast.parse(source), offset)
    with contextlib.redirect_stdout(out):
        for node in tree.body:
            if isinstance(node, ast.Expr):
                code = compile(ast.Interactive([node]), module.__file__, "single")
            else:
                code = compile(ast.Module([node], []), module.__file__, "exec")
            exec(code, vars(module))  # noqa: S102
    return out.getvalue().rstrip("\n")


@contextlib.contextmanager
def _in_empty_folder():
    before = os.getcwd()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)
