"""Which stored calls get gradients, and that those of Parameters are compared."""

import pytest

from conformance.calls.call import Call
from conformance.kinds import cases
from conformance.reading import specs
from conformance.running import answers
from conformance.varied import record, slopes

X = "T('float32', spread((2, 3), 0.3, 1.7, 1))"


@pytest.fixture(scope="module")
def entries():
    return specs.load(specs.FOLDER)


@pytest.fixture(scope="module")
def reference():
    asked = record.Reference("mindspore_compat", None)
    yield asked
    asked.stop()


def stored_calls(name, entries, reference, **calls):
    """{label: record} of calls {label: (init, call)}, as they are stored without gradients."""
    session, records = record.Session(name, entries[name], reference), {}
    for label, (init, call) in calls.items():
        seen = session.ask(Call(init=init, call=call), {})
        parts = {"init": init, "call": call}
        facts = {key: part for key, part in parts.items() if part is not None}
        records[label] = {**facts, "seen": seen, "by": "mindspore_compat"}
    return records


@pytest.fixture(autouse=True)
def _own_word(monkeypatch):
    monkeypatch.setattr(record.Reference, "own_word", "mindspore_compat")


def test_a_layer_gets_the_gradients_of_its_parameters(entries, reference):
    init = {"in_channels": "3", "out_channels": "2"}
    known = stored_calls("nn.Dense", entries, reference, example=(init, {"x": X}))
    known["example"]["gradient"] = True
    seen = slopes.add_gradients("nn.Dense", entries, known, reference)["example"]["seen"]
    gradients = {key: part[:2] for key, part in seen.items() if key.startswith("gradient")}
    assert gradients == {
        "gradient of x": ["Float32", [2, 3]],
        "gradient of parameter weight": ["Float32", [2, 3]],
        "gradient of parameter bias": ["Float32", [2]],
    }


def test_further_tensors_and_choices_get_gradients_once(entries, reference):
    name = "ops.cross_entropy"
    plain = {"input": X, "target": "T('int32', [1, 0])"}
    calls = {
        "first": (None, plain),
        "weighted": (None, {**plain, "weight": "T('float32', [0.3, 1.1, 0.7])"}),
        "summed": (None, {**plain, "reduction": "'sum'"}),
        "weighted alike": (None, {**plain, "weight": "T('float32', [0.4, 0.9, 0.7])"}),
    }
    known = stored_calls(name, entries, reference, **calls)
    known["first"]["gradient"] = True
    added = slopes.add_gradients(name, entries, known, reference)
    shown = [label for label, call in added.items() if "gradient" in call]
    assert shown == ["first", "weighted", "summed"]
    assert "gradient of weight" in added["weighted"]["seen"]
    assert slopes.add_gradients(name, entries, added, reference) == added


def test_a_wrong_gradient_of_a_parameter_is_a_failure(entries):
    case = next(
        case
        for case in cases.of_entry("nn.Dense", entries["nn.Dense"], ("values",))
        if "gradient of parameter bias" in case["wanted"]
    )
    seen = dict(case["wanted"])
    result = {"id": case["id"], "status": "pass", "observed": seen}
    assert answers.judge(case, result, {})["status"] == "pass"
    dtype, shape, numbers = seen["gradient of parameter bias"]
    seen["gradient of parameter bias"] = [dtype, shape, [2 * n for n in numbers]]
    failed = answers.judge(case, result, {})
    assert failed["status"] == "fail" and "parameter bias" in failed["difference"]
