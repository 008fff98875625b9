"""Twins compute what another name computes: the cases of that name also test them, and detect
faults."""

import pytest

from conformance.calls import stored, twins
from conformance.calls.table import table
from conformance.kinds import cases
from conformance.mutation.faults import planted
from conformance.running import answers


def moved(name, entries):
    """The cases that a name has from its twin."""
    start = f"{name}::values::{twins.twin_of(name)} "
    return [
        c for c in cases.of_entry(name, entries[name], ("values",)) if c["id"].startswith(start)
    ]


def test_the_table_names_documented_names_whose_twin_has_cases(entries):
    for name, twin in table()["twins"].items():
        assert name in entries and twin in entries, (name, twin)
        assert moved(name, entries), name


def test_arguments_of_a_function_become_those_of_a_layer(entries):
    case = {
        "call": {"input": "x", "kernel_size": "2"},
        "wanted": {"result": [], "gradient of input": [], "input after": []},
    }
    found = twins.moved(case, entries["nn.MaxPool2dExt"])
    assert (found["init"], found["call"]) == ({"kernel_size": "2"}, {"input": "x"})
    assert found["wanted"].keys() == case["wanted"].keys()


def test_the_first_argument_becomes_the_object_of_a_method(entries):
    case = {"call": {"x": "x", "value": "2.0"}, "wanted": {"gradient of x": [], "then 1": "True"}}
    found = twins.moved(case, entries["Tensor.fills"])
    assert (found["owner"], found["call"]) == ("x", {"value": "2.0"})
    assert list(found["wanted"]) == ["gradient of self", "then 1"]


def test_a_call_with_an_argument_that_the_name_lacks_is_left_out(entries):
    assert twins.moved({"call": {"A": "x", "b": "1", "c": "2"}}, entries["Tensor.fills"]) is None


def test_further_inputs_keep_their_places(entries):
    found = twins.moved({"call": {"equation": "e", "*1": "x"}}, entries["ops.einsum_ext"])
    assert found["call"] == {"equation": "e", "*1": "x"}


@pytest.mark.parametrize(
    ("name", "kind", "of"),
    [
        ("nn.MaxPool2dExt", "ignored", ["stride"]),
        ("nn.AvgPool2dExt", "transposed", []),
        ("Tensor.fills", "scaled", []),
    ],
)
def test_the_cases_of_the_twin_detect_a_fault(worker, entries, name, kind, of):
    from conformance.mutation import plan

    fault = next(f for f in plan.faults(name, entries[name]) if (f["kind"], f["of"]) == (kind, of))

    def failing():
        judged = [answers.judge(c, worker.run(c), {}) for c in moved(name, entries)]
        return [r["id"] for r in judged if r["status"] == "fail"]

    assert not failing()
    with planted(worker.ms, fault):
        assert failing()


def test_a_twin_without_entry_adds_nothing():
    assert not [label for label, _ in stored.cases_of("nn.MaxPool2dExt") if "mint." in label]
