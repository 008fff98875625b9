"""`mutate`: faults are planted in a target, act, are found or missed, and leave nothing behind."""

import importlib

import numpy as np
import pytest

import mindspore_compat as ms
from conformance import __main__, targets
from conformance.kinds import cases
from conformance.mutation import measure, plan
from conformance.mutation.faults import NotPlanted, planted
from conformance.reading import specs
from conformance.reading.groups import group_of

X = ms.Tensor([[1.0, 2.0], [3.0, 5.0]])


@pytest.fixture(scope="module", autouse=True)
def _as_mindspore():
    targets.install("mindspore_compat")


@pytest.fixture(scope="module")
def entries():
    return specs.load(check=False)


def fault(name, kind, entries, *of):
    """Returns the first planned fault of `kind` in the arguments `of`; fails if there is none."""
    found = [f for f in plan.faults(name, entries[name]) if f["kind"] == kind and f["of"] == [*of]]
    assert found, (
        f"no {kind} {of} among {[plan.key_of(f) for f in plan.faults(name, entries[name])]}"
    )
    return found[0]


def test_an_argument_is_ignored_shifted_and_swapped(entries):
    with planted(ms, fault("ops.std", "ignored", entries, "ddof")) as plant:
        assert float(ms.ops.std(X, 0, ddof=1)[0]) == pytest.approx(1.0)
        assert (plant.called, plant.reached) == (1, 1)
    with planted(ms, fault("ops.std", "shifted", entries, "axis")):
        np.testing.assert_allclose(ms.ops.std(X, 0).asnumpy(), [0.5, 1.0], rtol=1e-6)
    with planted(ms, fault("ops.sub", "swapped", entries, "input", "other")):
        assert float(ms.ops.sub(ms.Tensor(3.0), ms.Tensor(1.0))) == -2
    assert float(ms.ops.std(X, 0, ddof=1)[0]) == pytest.approx(np.sqrt(2))


def test_a_result_is_changed(entries):
    with planted(ms, fault("ops.abs", "scaled", entries)):
        assert float(ms.ops.abs(ms.Tensor(-2.0))) == pytest.approx(2.1)
    with planted(ms, fault("ops.abs", "transposed", entries)):
        np.testing.assert_array_equal(ms.ops.abs(X).asnumpy(), X.asnumpy().T)
    with planted(ms, fault("ops.abs", "cast", entries)):
        assert ms.ops.abs(X).dtype == ms.float64
    with planted(ms, fault("ops.abs", "detached", entries)):
        assert float(ms.grad(ms.ops.abs)(ms.Tensor(-2.0))) == 0
    with planted(ms, fault("ops.topk", "reordered", entries)):
        assert ms.ops.topk(X, 1)[0].dtype == ms.int32
    with planted(ms, fault("nn.ReLU", "scaled", entries)):
        assert float(ms.nn.ReLU()(ms.Tensor(2.0))) == pytest.approx(2.1)
    assert float(ms.nn.ReLU()(ms.Tensor(2.0))) == 2


def test_a_constructor_and_an_effect_are_changed(entries):
    with planted(ms, fault("nn.Dense", "ignored", entries, "has_bias")):
        assert ms.nn.Dense(2, 3, has_bias=False).has_bias
    weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    with planted(ms, fault("nn.SGD", "undone", entries)) as plant:
        ms.nn.SGD([weight], 0.1)((ms.Tensor([1.0, 1.0]),))
        assert plant.reached
    np.testing.assert_array_equal(weight.asnumpy(), [1, 2])
    with planted(ms, fault("ops.assign", "skipped", entries)):
        ms.ops.assign(weight, ms.Tensor([3.0, 4.0]))
    np.testing.assert_array_equal(weight.asnumpy(), [1, 2])
    assert not ms.nn.Dense(2, 3, has_bias=False).has_bias


def test_a_method_that_is_bound_by_a_descriptor_takes_a_fault(entries):
    with planted(ms, fault("Tensor.exp", "scaled", entries)) as plant:
        assert float(ms.Tensor(0.0).exp()) == pytest.approx(1.05)
        assert plant.reached == 1
    assert float(ms.Tensor(0.0).exp()) == 1


def test_the_cases_of_a_class_are_those_of_its_methods(entries):
    found = measure.Cases(entries)("train.History.epoch_end")
    assert {"train.History", "train.History.epoch_end"} == {case["name"] for case in found}
    assert {case["name"] for case in measure.Cases(entries)("ops.abs")} == {"ops.abs"}


def test_what_is_no_callable_takes_no_fault():
    with pytest.raises(NotPlanted, match="float32"):
        with planted(ms, {"name": "float32", "place": "result", "kind": "scaled", "of": []}):
            pass


def test_a_name_that_is_imported_on_another_path_keeps_what_a_target_patched(monkeypatch):
    monkeypatch.setattr(ms.ops, "tanhshrink", "patched")
    assert importlib.import_module("mindspore.ops.functional").tanhshrink == "patched"
    assert ms.ops.tanhshrink == "patched"


def test_the_draw_is_repeatable_and_even(entries):
    drawn = plan.drawn(entries, 60, 7, even=True)
    assert [*map(plan.key_of, drawn)] == [*map(plan.key_of, plan.drawn(entries, 60, 7, even=True))]
    assert len({plan.key_of(f) for f in drawn}) == len(drawn)
    assert len({group_of(f["name"], entries[f["name"]]) for f in drawn}) > 20


def test_outcomes_name_the_case_that_found_a_fault(entries):
    faults = [
        fault("ops.abs", "scaled", entries),
        fault("ops.assign", "cast", entries),
        {**fault("ops.abs", "scaled", entries), "through": "none", "name": "nn.ReLU"},
    ]
    cases_of = lambda name: cases.of_entry(name, entries[name])  # noqa: E731
    found = list(measure.outcomes(faults, entries, cases_of, "mindspore_compat"))
    assert [o.status for o in found] == ["found", "found", "not planted"]
    assert found[0].by.startswith("ops.abs::")
    table = measure.table_text(measure.counts(found))
    assert table.splitlines()[-1].split() == ["all", "2", "2", "100.0%"]


def test_a_fault_outlives_its_process(entries):
    judge = measure.Judge("mindspore_compat", None, {})
    case = {"id": "x", "kind": "values", "name": "ops.abs"}
    case["call"] = {"input": "T('float32', -2.0)"}
    try:
        judge._plant(fault("ops.abs", "scaled", entries))
        judge.process.stop()
        assert judge._ask(case)["observed"]["result"][2] == [2.1]
        judge.process.full = True  # so the next question goes to a new process
        judge._plant(None)
        assert (judge.called, judge.reached) == (1, 1)
    finally:
        judge.stop()


def test_the_command_lists_what_is_missed(entries, capsys):
    assert __main__.main(["mutate", "ops.Custom", "--count", "1"]) == 0
    out = capsys.readouterr().out
    assert "missed: ops.Custom" in out and "0.0%" in out
    assert __main__.main(["mutate", "no.such"]) == 2


def test_the_list_of_equivalent_faults_names_faults_that_are_drawn(entries):
    reasons = {
        plan.key_of(f): plan.reason_of(f)
        for name, entry in entries.items()
        for f in plan.faults(name, entry)
    }
    assert reasons["ops.add(input, other) swapped"] == "the operation is commutative"
    assert reasons["ops.sub(input, other) swapped"] is None
    assert reasons["CSRTensor.add(alpha, beta) swapped"] is None
    listed = [reason for reason in reasons.values() if reason]
    assert len(listed) < 0.05 * len(reasons)


def test_a_worker_that_is_lost_while_a_fault_is_planted_counts_nothing(entries, monkeypatch):
    judge = measure.Judge("mindspore_compat", None, {})
    lost = {"status": "crash", "observed": "crash", "got": "the process died"}
    monkeypatch.setattr(judge, "_ask", lambda case: lost)
    outcome = judge.outcome(fault("ops.abs", "scaled", entries), [], "functions")
    assert (outcome.status, outcome.by) == ("not planted", "the process died")


def test_a_case_that_hangs_once_is_asked_again(monkeypatch):
    judge = measure.Judge("mindspore_compat", None, {})
    answers_given = iter(["hang", "pass", "hang", "hang"])
    monkeypatch.setattr(judge, "_ask", lambda case: {"status": next(answers_given)})
    case = {"id": "ops.abs::exists", "kind": "exists", "name": "ops.abs"}
    assert not judge._fails(case)
    assert judge._fails(case)
