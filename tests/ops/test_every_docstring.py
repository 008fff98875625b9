"""Every operator says what it computes: its shapes, and an example, which runs; `help` of each of
its public names tells of every argument."""

import importlib
import inspect

import pytest
from test_docstrings import run

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
    """Whether the docstring of the body is written by a program, as those of families are."""
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
    told = [run(op.lines[0], __file__, 1, inspect.getdoc(op.body)) for op in made]
    assert made and not any(told), "\n".join(filter(None, told))


@pytest.mark.parametrize(
    "area, prefixes",
    [
        ("numpy", ("",)),
        (
            "ops",
            (
                "scatter_",
                "tensor_scatter_",
                "Segment",
                "coo_",
                "csr_",
                "scalar_",
                "tri",
                "atleast_",
                "hsplit",
                "vsplit",
                "dsplit",
            ),
        ),
    ],
)
def test_examples_of_functions_made_in_families_run(area, prefixes):
    module = importlib.import_module(f"mindspore_compat.{area}")
    shown = {name: getattr(module, name) for name in module.__all__ if name.startswith(prefixes)}
    texts = {name: inspect.getdoc(thing) for name, thing in shown.items() if callable(thing)}
    texts = {name: text for name, text in texts.items() if text and ">>>" in text}
    told = [run(name, __file__, 1, text) for name, text in texts.items()]
    assert len(texts) > 80 and not any(told), "\n".join(filter(None, told))


@pytest.mark.parametrize(
    "area, name, told",
    [
        (
            "ops",
            "softmax",
            [
                "axis (int, optional): ",
                "Default: ``-1``.",
                "Raises:",
                "Example:",
                "`mint.softmax`",
                "ops/mindspore.ops.softmax.html",
                "TypeError: if `axis` is not an int.",
            ],
        ),
        ("mint", "softmax", ["dim (int): ", "sum to one along `dim`"]),
        ("Tensor", "softmax", ["axis (int): ", "Tensor/mindspore.Tensor.softmax.html"]),
        ("nn", "Softmax", ["`ops.Softmax`", "import mindspore_compat as ms"]),
    ],
)
def test_help_completes_a_docstring(area, name, told):
    shown = getattr(importlib.import_module("mindspore_compat"), area)
    text = inspect.getdoc(getattr(shown, name))
    assert not [each for each in told if each not in text]


def test_help_of_a_number_of_names_lists_every_argument():
    for name in ("conv2d", "clamp", "topk", "mean", "interpolate"):
        function = getattr(ms.ops, name)
        listed = read_sections(inspect.getdoc(function))["Args"]
        for argument in inspect.signature(function).parameters:
            assert f"    {argument}" in listed, (name, argument)
