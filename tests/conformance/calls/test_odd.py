"""Odd calls: which are made, how they are judged, and how reasons for a difference are stored."""

import pytest
from kit.toy_target import SPECS, TOY

from conformance.__main__ import main
from conformance.kinds import cases
from conformance.reading import specs
from conformance.reports import compare
from conformance.running import answers

pytestmark = pytest.mark.quick


def odd_cases(name, entries=SPECS):
    return {
        case["id"].split("::odd::")[1]: case
        for case in cases.all_cases(entries, (cases.ODD,), names=(name,))
        if case["kind"] == cases.ODD
    }


def test_every_argument_becomes_odd_in_turn():
    made = odd_cases("Half")
    assert next(iter(made)) == cases.UNCHANGED
    assert made["rate='wrong'"]["init"] == {"rate": "'wrong'"}
    assert made["x=cast-int32"]["call"] == {"x": "cast(T('float32', [1.0, 2.0]), 'int32')"}
    assert made["x=ranked-2"]["call"] == {"x": "ranked(T('float32', [1.0, 2.0]), 2)"}
    assert "x=cast-float32" not in made
    assert not any(case["kind"] == cases.ODD for case in cases.all_cases(SPECS))


def test_an_argument_left_out_by_the_example_is_tried_too():
    entries = {"strict": {**SPECS["strict"], "use": {"call": [["T('int32', [1])"], {}]}}}
    assert odd_cases("strict", entries)["limit=None"]["call"]["limit"] == "None"


@pytest.mark.parametrize(
    "there, here, apart, wanted",
    [
        ("TypeError", "TypeError", None, "pass"),
        ("TypeError (no kernel)", "TypeError", None, "pass"),
        ("TypeError", "accepted", None, "fail"),
        ("accepted", "ValueError", None, "fail"),
        ("accepted", "ValueError", "reads garbage", "skip"),
    ],
)
def test_the_original_judges(there, here, apart, wanted):
    made = odd_cases("Half")
    case = dict(made["x=None"], **({"apart": apart} if apart else {}))
    stored = {case["id"]: [cases.digest(case), "pass", there]}
    base = made[cases.UNCHANGED]
    stored[base["id"]] = [cases.digest(base), "pass", "accepted"]
    judged = answers.judge(case, {"status": "pass", "observed": here, "got": here}, stored)
    assert judged["status"] == wanted


def test_nothing_follows_where_the_original_refuses_the_unchanged_call():
    made = odd_cases("Half")
    stored = {
        made[label]["id"]: [cases.digest(made[label]), "pass", "TypeError"]
        for label in (cases.UNCHANGED, "x=None")
    }
    result = {"status": "pass", "observed": "accepted", "got": "accepted"}
    assert answers.judge(made["x=None"], result, stored)["status"] == "skip"
    left = {key: {"observed": value[2]} for key, value in stored.items()}
    assert compare.sound(list(made.values()), left) == []


def reasons(entry):
    return {label: why for why, labels in entry.get("apart", {}).items() for label in labels}


def test_reasons_are_settled_and_those_by_hand_stay(toy, spec, capsys):
    toy()
    lax = TOY.replace("type(rate) is not float", "isinstance(rate, str)")
    toy(lax.replace("return x\n", "return 1 / x.data[0] * x\n"), "lax")
    command = ["compare", "--kind", "odd", "--spec", spec, "--reference", "lax", "--target", "toy"]
    assert main([*command, "--settle", "Half"]) == 1
    assert "Half::odd::rate=True: ValueError against TypeError" in capsys.readouterr().out
    entries = specs.load(spec)
    assert reasons(entries["Half"])["rate=True"] == "the documented exception"
    assert "rate=None" not in reasons(entries["Half"])  # both refuse it with a TypeError
    entries["Half"]["apart"]["nobody knows"] = ["x=None"]  # the sides agree on this one
    specs.save(entries, spec)
    main([*command, "--settle", "Half"])
    assert "nobody knows" not in specs.load(spec)["Half"]["apart"]


def test_the_verdict_travels_with_the_case():
    entry = {**SPECS["Half"], "apart": {"reads garbage": ["x=None"]}}
    made = odd_cases("Half", {"Half": entry})
    assert made["x=None"]["apart"] == "reads garbage" and "apart" not in made["x=True"]


def test_a_reason_may_stand_for_a_result_and_outlives_the_settling_of_odd_calls():
    entry = {**SPECS["Half"], "apart": {"unique up to signs": ["accepts::example"]}}
    (case,) = (c for c in cases.all_cases({"Half": entry}, ("accepts",)) if "apart" in c)
    stored = {case["id"]: [cases.digest(case), "pass", ["Float32", [1], [1.0]]]}
    result = {"status": "pass", "observed": ["Float32", [1], [-1.0]]}
    assert answers.judge(case, result, stored)["status"] == "skip"
    del case["apart"]
    assert answers.judge(case, result, stored)["status"] == "fail"
    entries = {"Half": entry}
    compare.settle(entries, list(odd_cases("Half").values()), [])
    assert entries["Half"]["apart"] == {"unique up to signs": ["accepts::example"]}


def test_odd_calls_that_the_original_refuses_are_part_of_a_run():
    entries, recorded = specs.load(check=False), answers.load()
    refused = list(answers.refused(entries, ("ops.softmax",), recorded))
    assert {case["name"] for case in refused} == {"ops.softmax"}
    assert all(recorded[case["id"]][2] in ("TypeError", "ValueError") for case in refused)
    odd = list(cases.all_cases(entries, (cases.ODD,), ("ops.softmax",)))
    assert 0 < len(refused) < len(odd) and not any("apart" in case for case in refused)
    assert list(answers.refused(entries, ("ops.softmax",), {})) == []


def test_the_page_decides_over_an_odd_call_that_it_forbids():
    entries, recorded = specs.load(check=False), answers.load()
    area = ("ops.rrelu",)
    stated = list(cases.all_cases(entries, ("raises",), area))

    def labels(*listed):
        return {case["id"].rpartition("::")[2] for case in answers.refused(entries, area, *listed)}

    assert labels(recorded) - labels(recorded, stated) == {"lower=True"}
