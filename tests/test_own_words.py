"""Specs, answers and docstrings contain facts in the project's own words: no prose, source or paths
of MindSpore.
"""

import re
from pathlib import Path

import pytest

from conformance.reading import facts, packed, specs
from conformance.running import answers

ROOT = Path(__file__).parents[1]
MARKS = re.compile(
    r"Supported Platforms|\.\. (?:note|warning|math|code)::|:math:`|:class:`mindspore"
)


def test_specs_hold_facts_alone():
    for path in sorted(specs.FOLDER.glob("*.yaml")):
        text = " ".join(path.read_text(encoding="utf-8").split())  # long lines are wrapped
        assert facts.foreign(text) is None, path.name


def test_answers_hold_facts_alone():
    for path in sorted(answers.FOLDER.glob("*.gz")):
        text = packed.read(path).replace("\n", "\0")  # an answer a line
        assert facts.foreign(text) is None, path.name


def test_docstrings_are_in_the_form_of_this_project():
    paths = sorted((ROOT / "mindspore_compat").rglob("*.py"))
    assert not [path.name for path in paths if MARKS.search(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(
    "text",
    [
        "one two three four five six seven eight nine ten eleven twelve thirteen",
        "'import sys\\nimport numpy as np; x(1)'",
        "class Net(nn.Cell):",
        "self.weight = weight",
        ">>> net(x)",
        "a line\nand another",
        "Supported Platforms:",
        ":class:`Tensor`",
        "'/root/net.py'",
        "/home/someone/files",
        "lib/site-packages/numpy",
    ],
)
def test_what_is_no_fact_is_found(text):
    assert facts.foreign(text)


@pytest.mark.parametrize(
    "text",
    [
        "T('float32', [[1.0, 2.0]])",
        "ms.nn.Dense(3, 2).trainable_params()",
        "TypeError (no kernel)",
        "'/path/to/rows'",
        "one two three four five six seven eight nine ten eleven twelve",
        "text of 5541 characters, 94c26d31",
        "nn.Conv2d::raises::stride=0→ValueError",
    ],
)
def test_facts_are_left_alone(text):
    assert facts.foreign(text) is None
