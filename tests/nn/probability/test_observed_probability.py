"""Distributions and bijectors against the observed results of MindSpore 2.10 (CPU).

tests/data/observed_probability.jsonl has the result of each line of probability_cases.py. Where
MindSpore gives NaN although a number exists, the file has the number. With MINDSPORE_ORACLE set,
the file is compared with that interpreter again.
"""

import json
import pathlib
import sys

import pytest
from kit import agree

import mindspore_compat as ms

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

import probability_cases  # noqa: E402  (found through the line above)

DATA = HERE.parent.parent / "data" / "observed_probability.jsonl"
OBSERVED = {each["line"]: each["answer"] for each in map(json.loads, DATA.read_text().splitlines())}
_POINTS = "T([0.1, 0.6, 0.9])"
BETTER = {  # closed forms: differences of digamma functions, and the derivatives of x
    "ms.grad(lambda *o: D.Beta().log_prob(T([0.4, 0.9]), *o).sum(), (0, 1))(T(1.5), T(2.5))": [
        ["Float32", [], [1.4176]],
        ["Float32", [], [-1.70749]],
    ],
    f"ms.grad(lambda v: B.PowerTransform().forward_log_jacobian(v).sum())({_POINTS})": [
        "Float32",
        [3],
        [1.0, 1.0, 1.0],
    ],
    "ms.grad(lambda v: B.PowerTransform([0.5, 0.0, 2.0]).forward_log_jacobian(v).sum())"
    f"({_POINTS})": ["Float32", [3], [0.476191, 1.0, -0.357143]],
    f"ms.grad(lambda v: B.Exp().forward_log_jacobian(v).sum())({_POINTS})": [
        "Float32",
        [3],
        [1.0, 1.0, 1.0],
    ],
}
LINES = probability_cases.all_lines()


def wrong(answers, expected):
    """The lines whose results differ; float16 has a wider tolerance."""
    wrong = {}
    for line, found in answers.items():
        tolerance = 2e-3 if "float16" in line else 3e-5
        if not agree(found, expected[line], tolerance, tolerance):
            wrong[line] = (found, expected[line])
    return wrong


def test_cases_and_observations_are_the_same():
    assert {*LINES} == {*OBSERVED, *BETTER} and not OBSERVED.keys() & BETTER.keys()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "part",
    [
        *probability_cases.FAMILIES,
        *probability_cases.BIJECTORS,
        *probability_cases.TRANSFORMED,
        "others",
    ],
)
def test_answers(part):
    lines = parts()[part]
    answers = json.loads(json.dumps(probability_cases.run(ms, lines)))
    assert wrong(dict(zip(lines, answers)), {**OBSERVED, **BETTER}) == {}


def parts():
    """The lines of each family, bijector and transformed distribution, and the others."""
    cases = probability_cases
    found = {name: [*cases.family_lines(name)] for name in cases.FAMILIES}
    found.update((each, [*cases.bijector_lines(each)]) for each in cases.BIJECTORS)
    found.update((each, [*cases.transformed_lines(each)]) for each in cases.TRANSFORMED)
    taken = {line for lines in found.values() for line in lines}
    return {**found, "others": [line for line in LINES if line not in taken]}


def test_answers_in_the_original(oracle):
    printed = oracle((HERE / "probability_cases.py").read_text())
    answers = dict(zip(LINES, json.loads(printed.splitlines()[-1])))
    assert wrong({line: answers[line] for line in OBSERVED}, OBSERVED) == {}
