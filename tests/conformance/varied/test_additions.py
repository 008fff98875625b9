"""What is added to stored calls: integers below 0, facts inside of others, states of Parameters."""

import pytest

from conformance.reading import specs
from conformance.varied import additions, record, uses


@pytest.fixture(scope="module")
def entries():
    return specs.load(specs.FOLDER)


def test_integers_below_0_are_added_where_they_are_values_and_no_places(entries):
    known = {
        "example": {
            "call": {"input": "T('int32', [1, 2])"},
            "seen": {"result": ["Int32", [2], [1, 2]]},
        }
    }
    reference = record.Reference("mindspore_compat", None)
    kept = additions.add_inputs("ops.abs", entries, known, reference)
    assert not additions._PLACES.search("params") and additions._PLACES.search("indices")
    reference.stop()
    assert kept["input below 0"]["seen"] == {"result": ["Int32", [2], [2, 3]]}
    assert {key: kept[key] for key in known} == known


def test_parameters_of_one_short_name_are_all_seen():
    class Parameter:
        def __init__(self, name):
            self.name = name

    names = ("scale", "0.weight", "0.bias", "1.weight", "moments.scale")
    given = [Parameter(name) for name in names]
    layer = type("Layer", (), {"get_parameters": lambda self: given})()
    names = [(name, parameter.name) for name, parameter in uses._parameters_of(layer)]
    assert ("0.weight", "0.weight") in names and ("bias", "0.bias") in names
    assert dict(names)["weight"] == "1.weight"
    assert dict(names)["scale"] == "moments.scale"


def test_facts_inside_of_others_are_added():
    known = {"result": {"filled": ["Float32", [2]]}}
    assert not additions._adds(known, {**known, "moments": ["moments", [], [0.0, 1.0]]})
    assert additions._adds({"result": {**known["result"], "kernel": {}}}, known)
