"""The examples in the package's docstrings print the documented output."""

import ast
import doctest
import re
import socket
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from kit.examples import NearNumbers
from kit.sources import parse

import mindspore_compat as ms
from mindspore_compat._backend import arrays

ROOT = Path(__file__).parents[1]
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PORT = "10667"  # the port in examples that connect processes; a run replaces it by an unused one
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


def docstrings(path):
    """Yields (name, line, text) of each docstring of a file that has examples."""
    for node in ast.walk(parse(path)):
        text = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else None
        if text and ">>>" in text:
            yield getattr(node, "name", "module"), getattr(node, "lineno", 0), text


def files():
    return [
        path
        for path in sorted((ROOT / "mindspore_compat").rglob("*.py"))
        if re.search("^ *>>> ", path.read_text("utf-8"), re.MULTILINE)
    ]


def run(name, path, line, text):
    """Returns the differences between the output of a docstring's examples and the documented
    output; "" if there are none."""
    if PORT in text:
        with socket.create_server(("127.0.0.1", 0)) as server:
            text = text.replace(PORT, str(server.getsockname()[1]))
    names = {"ms": ms, "np": np}  # the imports that `help` puts before examples of operators
    test = doctest.DocTestParser().get_doctest(text, names, name, str(path), line)
    output = []
    runner = doctest.DocTestRunner(NearNumbers(), optionflags=OPTIONS)
    if not runner.run(test, out=output.append).attempted:
        return f"{name} has examples, but none was run"
    needs_vision = "comes with the extra 'vision'" in "".join(output)
    return "" if needs_vision and find_spec("PIL") is None else "".join(output)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_of_a_file(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(arrays, "blocking", False)  # `launch_blocking` sets it for the process
    output = [run(name, path, line, text) for name, line, text in docstrings(path)]
    assert not any(output), "\n".join(filter(None, output))


@pytest.mark.parametrize(
    "want, got, near",
    [
        ("[0.1 2.]", "[0.10000001 2.  ]", True),
        ("[0.1 2.]", "[0.2 2.]", False),
        ("[1. 2.]", "[1. 2. 3.]", False),
        ("(2, 3)", "(2, 4)", False),
        ("100000", "100001", False),
        ("-100000", "-100001", False),
        ("[1. 2.]", "[1 2]", False),
        ("True", "False", False),
    ],
)
def test_numbers_may_differ_in_their_last_digits(want, got, near):
    assert NearNumbers().check_output(want, got, OPTIONS) is near


def test_no_prompt_stands_within_a_line():
    joined = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / "mindspore_compat").rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if " >>> " in line.strip()
    ]
    assert not joined
