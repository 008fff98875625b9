"""Every operator documents its meaning, its shapes and a runnable example, and `help` of each of
its public names describes every argument.
"""

import doctest
import importlib
import inspect
import operator

import pytest
from test_docstrings import docstrings, files, run

import mindspore_compat as ms
from mindspore_compat._core.declare.documentation import read_sections
from mindspore_compat._core.declare.op import DECLARED


def declared():
    """Each declared operator once."""
    importlib.import_module("mindspore_compat.ops")
    importlib.import_module("mindspore_compat.mint")
    found = [op for names in DECLARED.values() for op, _ in names.values()]
    return {id(op): op for op in found if op.body.__module__.startswith(ms.__name__)}.values()


def is_made(op):
    """Whether the docstring is generated, as for families of operators."""
    return op.body.__doc__ not in op.body.__code__.co_consts


@pytest.mark.parametrize("section", ["", "Shapes", "Example"])
def test_every_operator_has(section):
    missing = [
        op.lines[0]
        for op in declared()
        if not read_sections(inspect.getdoc(op.body) or "").get(section)
    ]
    assert not missing


def test_examples_of_families_run():
    made = [op for op in declared() if is_made(op)]
    failures = [run(op.lines[0], __file__, 1, inspect.getdoc(op.body)) for op in made]
    assert made and not any(failures), "\n".join(filter(None, failures))


def public_docstrings():
    """What `help` shows of each public name, by its path."""
    for area in ("ops", "mint", "mint.special", "nn", "numpy", "Tensor"):
        owner = operator.attrgetter(area)(ms)
        for name in getattr(owner, "__all__", dir(owner)):
            thing = getattr(owner, name)
            yield f"{area}.{name}", inspect.getdoc(thing) if callable(thing) else None


def test_examples_that_programs_write_run():
    """test_docstrings.py runs the examples that are written in the sources."""
    parse = doctest.DocTestParser().get_examples
    texts = [text for path in files() for *_, text in docstrings(path)]
    written = {example.source for text in texts for example in parse(text)}
    made = {
        path: text
        for path, text in public_docstrings()
        if any(
            each.source not in written and not each.source.startswith("import ")
            for each in parse(text or "")
        )
    }
    failures = [run(path, __file__, 1, text) for path, text in made.items()]
    assert len(made) > 300 and not any(failures), "\n".join(filter(None, failures))


def test_every_method_that_users_meet_has_a_docstring():
    owners = [operator.attrgetter(area)(ms) for area in ("nn", "ops", "mint.nn")]
    things = [getattr(owner, name) for owner in owners for name in owner.__all__]
    classes = set(filter(inspect.isclass, things))
    bare = {
        f"{cls.__name__}.{name}"
        for cls in (*classes, ms.Tensor, ms.COOTensor, ms.CSRTensor)
        for name, method in vars(cls).items()
        if not name.startswith("_") and inspect.isfunction(method) and not inspect.getdoc(method)
    }
    assert classes and not bare


@pytest.mark.parametrize(
    "area, name, failures",
    [
        (
            "ops",
            "softmax",
            [
                "axis (int, optional): ",
                "Default: ``-1``.",
                "Raises:",
                "Example:",
                "`Tensor.softmax`",
                "ops/mindspore.ops.softmax.html",
                "TypeError: if `axis` is not an int.",
            ],
        ),
        ("mint", "softmax", ["dim (int or None): ", "the softmax along `dim`"]),
        ("Tensor", "softmax", ["axis (int): ", "Tensor/mindspore.Tensor.softmax.html"]),
        ("nn", "Softmax", ["`ops.Softmax`", "import mindspore_compat as ms"]),
    ],
)
def test_help_completes_a_docstring(area, name, failures):
    shown = getattr(importlib.import_module("mindspore_compat"), area)
    text = inspect.getdoc(getattr(shown, name))
    assert not [each for each in failures if each not in text]


def test_help_of_a_number_of_names_lists_every_argument():
    for name in ("conv2d", "clamp", "topk", "mean", "interpolate"):
        function = getattr(ms.ops, name)
        listed = read_sections(inspect.getdoc(function))["Args"]
        for argument in inspect.signature(function).parameters:
            assert f"    {argument}" in listed, (name, argument)
