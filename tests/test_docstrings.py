"""The examples in the package's docstrings print what stands below them."""

import ast
import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def examples():
    """A doctest for each docstring that holds examples."""
    for path in sorted((ROOT / "mindspore_compat").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                continue
            text = ast.get_docstring(node)
            if text and ">>>" in text:
                name = f"{path.relative_to(ROOT)}::{getattr(node, 'name', 'module')}"
                line = getattr(node, "lineno", 0)
                yield doctest.DocTestParser().get_doctest(text, {}, name, str(path), line)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example.name)
def test_examples_of_a_docstring(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = []
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.DocTestRunner(optionflags=options).run(example, out=told.append)
    assert result.attempted and not result.failed, "".join(told)


def test_no_prompt_stands_within_a_line():
    joined = [f"{path.relative_to(ROOT)}:{number}"
              for path in sorted((ROOT / "mindspore_compat").rglob("*.py"))
              for number, line in enumerate(path.read_text().splitlines(), 1)
              if " >>> " in line.strip()]
    assert not joined
