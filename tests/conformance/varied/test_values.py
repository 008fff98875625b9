"""Varied calls: a base call is found, its arguments are varied, and whole outcomes are observed.
Informative outcomes are kept and compared; a difference without a reason is a failure.
"""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

import mindspore_compat as ms
from conformance import targets
from conformance.__main__ import main
from conformance.arguments.values import spread
from conformance.calls import documented, stored
from conformance.calls.call import Call
from conformance.calls.table import table
from conformance.kinds import cases
from conformance.mutation.faults import planted
from conformance.reading import specs
from conformance.reports import coverage
from conformance.running import answers
from conformance.sentences.choices import choices_of
from conformance.varied import additions, bases, changes, record, settle, slopes, uses
from conformance.worker.worker import Worker


@pytest.fixture(scope="module")
def worker():
    return Worker(targets.install("mindspore_compat"))


@pytest.fixture(scope="module")
def entries():
    return specs.load(check=False)


def drive(worker, name, **parts):
    """Returns the observations of a call."""
    case = {"name": name, "kind": "values", "init": None, "call": None, "owner": None, **parts}
    return uses.drive(worker, case)["seen"]


def test_words_and_members_of_a_description_are_its_choices():
    lines = ["mode (str): ``'linear'`` or \"nearest\", as `Inter.LINEAR`, ms.float16; it's plain."]
    assert choices_of(lines, ["str"]) == ["'linear'", "'nearest'", "Inter.LINEAR", "ms.float16"]
    assert choices_of(lines, ["int"]) == ["Inter.LINEAR", "ms.float16"]


def test_a_call_is_taken_from_another_name_for_the_operator(entries):
    found = dict((label, call) for label, call, _ in bases.bases("Tensor.exp", entries))
    assert found["as ops.exp"].owner.startswith("T('float32'")
    rich = bases.waves(found["as ops.exp"])
    assert "spread(" in rich.owner and rich.call == found["as ops.exp"].call
    given = dict((label, call) for label, call, _ in bases.bases("ops.Abs", entries))
    assert given["as ops.abs"].init == {}


def test_arguments_are_varied_by_type_page_and_default(entries):
    calls = {label: call for label, call, _ in bases.bases("ops.interpolate", entries)}
    call = calls["example on waves"]

    def texts(argument):
        found = changes.variations(argument, call, entries["ops.interpolate"], "ops")
        return [text for _, text in found]

    assert {"'linear'", "'bilinear'", "'area'"} <= set(texts("mode"))
    assert texts("align_corners")[:1] == ["0"] or "True" in texts("align_corners")
    assert "(7,)" in texts("size") and "(5,)" in texts("size")
    labels = [
        label for label, _ in changes.variations("input", call, entries["ops.interpolate"], "ops")
    ]
    assert {"as float16", "of both signs", "empty", "batch"} <= set(labels)
    assert changes.in_module("Inter.LINEAR", "dataset.vision") == ("ms.dataset.vision.Inter.LINEAR")


def test_all_of_an_outcome_is_seen(worker):
    seen = drive(
        worker,
        "nn.BatchNorm1d",
        init={"num_features": "2"},
        call={"x": "T('float32', spread((4, 2), -1.0, 1.0, 1))"},
        train=True,
    )
    assert seen["initial gamma"] == ["Float32", [2], [1.0, 1.0]]
    assert seen["result"][:2] == ["Float32", [4, 2]] and len(seen["result"][2]) == 8
    assert {"mean after", "variance after"} <= set(seen)
    seen = drive(worker, "ops.abs", call={"input": "T('float32', [-1.0, 2.0])"}, gradient=True)
    assert seen["gradient of input"] == ["Float32", [2], [-0.6, 1.09583]]
    text = "ms.Parameter(T('float32', [1.0, 2.0]), name='w')"
    seen = drive(worker, "ops.assign", call={"variable": text, "value": "T('float32', [3.0, 4.0])"})
    assert seen["variable after"] == ["Float32", [2], [3.0, 4.0]]


def test_gradients_of_complex_numbers_are_seen(worker):
    numbers = "T('complex64', [1.0 + 2.0j, 3.0 - 1.0j])"
    seen = drive(worker, "ops.real", call={"input": numbers}, gradient=True)
    assert seen["gradient of input"][:2] == ["Complex64", [2]]
    found = [complex(text) for text in seen["gradient of input"][2]]
    np.testing.assert_allclose(found, [0.6, 1.0958323], rtol=1e-6)
    seen = drive(worker, "ops.conj", call={"input": numbers}, gradient=True)
    found = [complex(text) for text in seen["gradient of input"][2]]
    np.testing.assert_allclose(found, [0.6 - 1.2j, 1.0958323 - 2.1916647j], rtol=1e-6)


def test_an_item_too_many_is_a_difference(worker):
    case = next(c for label, c in stored.cases_of("load_checkpoint") if label == "call 2")
    case = {
        "id": "load_checkpoint::values::call 2",
        "kind": "values",
        "name": "load_checkpoint",
        **case,
    }
    assert answers.judge(case, worker.run(case), {})["status"] == "pass"
    fault = {"name": "load_checkpoint", "place": "arguments", "kind": "ignored"}
    fault |= {"of": ["filter_prefix"], "names": ["ckpt_file_name"]}
    with planted(worker.ms, fault):
        found = answers.judge(case, worker.run(case), {})
    assert found["status"] == "fail"
    assert found["difference"] == "result: not expected: a.weight, a.bias"


def test_an_input_that_is_overwritten_is_a_difference(worker):
    case = {"id": "ops.assign::values::call 1", "kind": "values", "name": "ops.assign"}
    texts = {"variable": "ms.Parameter(T('float32', [1.0]), 'a')", "value": "T('float32', [2.0])"}
    case |= {"owner": None, "call": texts}
    seen = worker.run(case)["observed"]
    after = seen.pop("variable after")
    others = {"by": "pytorch"}, {"then": ["it"]}, {"name": "ops.assign_"}
    for more in ({}, *others):  # those whose reference tells less
        found = answers.judge({**case, "seen": seen, "wanted": seen, **more}, _of(worker, case), {})
        assert found["status"] == ("pass" if more else "fail")
        assert more or found["difference"] == "variable after: not expected"
    whole = {**seen, "variable after": after}  # a fact may be no reference
    case |= {"seen": whole, "wanted": seen}
    assert answers.judge(case, _of(worker, case), {})["status"] == "pass"


def _of(worker, case):
    return worker.run({**case, "name": "ops.assign"})


def test_an_input_of_a_later_expression_that_is_overwritten_is_a_difference(worker):
    case = {"id": "ops.stack::values::call 1", "kind": "values", "name": "ops.stack"}
    case |= {"init": None, "call": None, "owner": None}
    worker.values.names["writing"] = lambda tensor: tensor.assign_value(tensor + 1)
    tensor = "T('float32', [1.0])"
    texts = {f"writing({tensor})": "fail", f"{tensor}.add_({tensor})": "pass", tensor: "pass"}
    for text, status in texts.items():
        case["then"] = [text]
        result = worker.run(case)
        seen = {k: part for k, part in result["observed"].items() if not k.endswith(" after")}
        assert answers.judge({**case, "wanted": seen}, result, {})["status"] == status


def test_an_object_that_gives_another_result_at_its_second_call_is_a_difference(worker):
    case = {"id": "nn.ReLU::values::call 1", "kind": "values", "name": "nn.ReLU"}
    case |= {"init": {}, "call": {"x": "T('float32', [1.0, -2.0])"}, "owner": None}
    sound = worker.run(case)
    case["wanted"] = sound["observed"]
    assert answers.judge(case, sound, {})["status"] == "pass"
    construct, calls = worker.ms.nn.ReLU.construct, []

    def faulty(self, *inputs):
        calls.append(inputs)
        return construct(self, *inputs) * len(calls)

    worker.ms.nn.ReLU.construct = faulty
    try:
        result = worker.run(case)
    finally:
        worker.ms.nn.ReLU.construct = construct
    assert answers.judge(case, result, {})["difference"] == "second call: not the first result"
    case["wanted"] = {"result": sound["observed"]["result"][:2]}  # its numbers depend on chance
    assert answers.judge(case, result, {})["status"] == "pass"


def test_an_object_that_draws_may_give_another_result_at_its_second_call(worker):
    case = {"id": "ops.Dropout::values::call 1", "kind": "values", "name": "ops.Dropout"}
    case |= {"init": {"keep_prob": 0.5}, "call": {"x": "T('float32', [1.0] * 32)"}, "owner": None}
    assert "second call" not in worker.run(case)["observed"]


def test_what_an_object_is_used_for_is_seen(worker):
    seen = drive(worker, "common.initializer.One", init={})
    assert seen["result"]["filled"][1:] == [[12, 60], [1.0] * 9 + [pytest.approx(0, abs=0.01)]]
    then = ["it.update(T('float32', 0.5))", "it.eval()", "it.no_such()"]
    seen = drive(worker, "Loss", init={}, then=then)
    assert seen["then 2"][2] == [0.5] and seen["then 3"] == "raised AttributeError"
    rows = drive(worker, "dataset.NumpySlicesDataset", init={"data": "[1, 2, 3]"})["result"]
    assert rows["count"] == "3" and rows["columns"] == ["column_0"]


def test_what_is_done_first_is_undone(worker):
    parts = {"first": ["sample.world.start()"], "call": {}}
    name = "communication.get_group_size"
    assert drive(worker, name, **parts)["result"] == ["int", [], [1]]
    assert "PMI_SIZE" not in os.environ
    then = ["sample.held.append(2)", "sample.held"]
    parts = {"first": ["sample.hold([1])"], "init": {}, "then": then}
    assert drive(worker, "nn.ReLU", **parts)["then 2"]["count"] == "2"
    assert drive(worker, "nn.ReLU", init={}, then=["sample.held"])["then 1"] == "None"


def test_a_source_reads_the_files_of_its_publisher(worker, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    init = {"dataset_dir": "sample.files.source('places365')", "shuffle": "False"}
    rows = drive(worker, "dataset.Places365Dataset", init={**init, "usage": "'val'"})["result"]
    assert rows["count"] == "2" and rows["rows"]["0"]["label"] == ["array uint32", [], [2]]


def test_the_table_has_calls_of_documented_names_and_synonyms(entries):
    assert {*table()["calls"], *table()["holds"]} <= set(entries)
    assert {*table()["same"], *sum(table()["same"].values(), [])} <= set(entries)
    assert "numpy.less" in [*bases.counterparts("Tensor.lt", entries)]


def test_a_call_that_supposes_a_state_replaces_the_example(entries):
    found = bases.bases("communication.get_rank", entries)
    assert [more for _, _, more in found] == [{"first": ["sample.world.start()"]}]


def test_formulas_answer_where_there_is_no_kernel():
    torch = pytest.importorskip("torch")
    pytorch = importlib.import_module("conformance.varied.pytorch")
    x = pytorch.Tensor(np.float32([[3.0, 4.0]]))
    out, rstd = pytorch.ops.RmsNorm(epsilon=0.0)(x, pytorch.Tensor(np.float32([1.0, 2.0])))
    np.testing.assert_allclose(out.asnumpy(), [[0.848528, 2.262742]], rtol=1e-5)
    assert torch.is_tensor(rstd.torch)


def test_random_numbers_are_compared_by_their_moments(worker):
    parts = {"init": {}, "probe": True}
    seen = record.cleaned(drive(worker, "common.initializer.XavierUniform", **parts))
    assert len(seen["result"]["filled"]) == 2 and "moments" in seen["result"]
    same = drive(worker, "common.initializer.XavierUniform", init={"gain": "1"})
    other = drive(worker, "common.initializer.XavierUniform", init={"gain": "1.5"})
    assert answers.differ(seen, same, scaled=True) is None
    assert "moments" in answers.differ(seen, other, scaled=True)


def test_moments_of_what_is_drawn_from_an_object_are_kept(worker):
    then = ["it.sample((30, 40))", "it.mean()", "it.prob(T('float32', fill(0.5, (20, 30))))"]
    parts = {"init": {"mean": "3.0", "sd": "2.0"}, "then": then}
    name = "nn.probability.distribution.Normal"
    worker._reset(seed=0)  # as before each case; another test may have changed the seed
    seen = record.cleaned(drive(worker, name, **parts, probe=True))
    assert [key for key in seen if "moments" in key] == ["moments of then 1"]
    wider = drive(worker, name, **{**parts, "init": {"mean": "3.0", "sd": "3.0"}})
    assert "moments" in answers.differ({k: seen[k] for k in seen if "of" in k}, wider, scaled=True)


def test_what_must_hold_is_a_case_without_a_recorded_number(monkeypatch):
    state = {"init": {}, "then": ["it.eval() == 0", "it.clear()"]}
    monkeypatch.setattr(stored, "load", dict)
    monkeypatch.setattr(stored, "table", lambda: {"holds": {"Loss": [state]}})
    ((label, case),) = stored.cases_of("Loss")
    assert label == "holds 1" and case["fresh"] and case["by"] == "its page"
    assert case["then"] == ["bool(it.eval() == 0)", "bool(it.clear())"]
    assert case["wanted"] == {"then 1": "True", "then 2": "True"}
    ((_, shared),) = stored.cases_of("Loss.eval")
    assert shared["of"] == "Loss" and shared["wanted"] == case["wanted"]


def test_a_fault_in_a_state_is_seen_by_what_must_hold(worker, monkeypatch):
    cells = dict(stored.cases_of("experimental.MapParameter"))
    case = {"kind": "values", "name": "experimental.MapParameter", "call": None}
    case = {"id": "x::values::holds 1", **case, **cells["holds 1"]}
    assert answers.judge(case, worker.run(case), {})["status"] == "pass"
    monkeypatch.setattr(ms.experimental.MapParameter, "erase", lambda self, keys: self)
    assert answers.judge(case, worker.run(case), {})["status"] == "fail"


def test_texts_may_call_what_imports(worker):
    then = ["it.max()"]  # NumPy imports one of its modules here
    seen = drive(worker, "numpy.ones", call={"shape": "3"}, then=["np.float64(3).max()", *then])
    assert "raised" not in str(seen)


def judged(wanted, seen, **more):
    case = {
        "id": "ops.abs::values::x",
        "name": "ops.abs",
        "kind": "values",
        "wanted": wanted,
        **more,
    }
    result = {"id": case["id"], "status": "pass", "observed": seen}
    return answers.judge(case, result, {})


def test_an_outcome_is_judged_by_what_is_stored():
    wanted = {"result": ["Float32", [2], [1.0, 2.0]]}
    assert judged(wanted, wanted)["status"] == "pass"
    near = {"result": ["Float32", [2], [1.0001, 2.0]]}
    assert judged(wanted, near)["status"] == "pass"
    rounded = {"result": ["Float32", [2], [1.0004, 2.0]]}
    assert judged(wanted, rounded)["status"] == "fail"
    far = {"result": ["Float32", [2], [1.01, 2.0]]}
    assert judged(wanted, far)["status"] == "fail"
    assert judged(wanted, far, call={"x": "cast(T('float32', [1]), 'float16')"})["status"] == "fail"
    assert judged(wanted, far, call={"seed": "3"})["status"] == "pass"
    assert judged(wanted, far, apart="no reference")["status"] == "skip"
    assert judged(wanted, {"refused": "no kernel"})["status"] == "no kernel"
    assert judged(wanted, {"refused": "TypeError"})["status"] == "fail"


def test_recording_keeps_what_changes_the_outcome(entries):
    reference = record.Reference("mindspore_compat", None)
    try:
        found = record.of_name("numpy.std", entries, reference)
        nothing = record.of_name("ops.GetNext", entries, reference)
    finally:
        reference.stop()
    calls = [kept["call"] for kept in found.calls.values()]
    assert {"1", "2"} <= {call.get("ddof") for call in calls}
    assert any(call.get("keepdims") == "True" and call.get("axis") for call in calls)
    assert any(kept.get("gradient") for kept in found.calls.values())
    assert nothing.calls == {} and nothing.reason


def test_an_argument_without_effect_is_tried_with_more_axes_and_without_a_call(entries):
    """On a vector, every axis is the last one. A layer that cannot run still shows its initial
    values."""
    axis = Call({}, {"input": "T('float32', [1.0, 2.0])"}, init_names=("axis",))
    assert changes.deeper(axis).value("input").shape == (2, 3, 2)
    assert changes.deeper(Call(call={"size": "(2, 2)"})) is None
    labels = [label for label, _, _ in additions.all_bases("nn.Dense", entries)]
    assert {"example", "example, made"} <= set(labels)


def test_only_arguments_that_no_case_passes_are_added(entries, monkeypatch):
    known = stored.load()["ops.softmax"]
    given = additions._passed("ops.softmax", entries["ops.softmax"])
    assert "axis" in given
    monkeypatch.setattr(additions, "_passed", lambda *name: given - {"axis"})
    reference = record.Reference("mindspore_compat", None)
    kept = additions.add_arguments("ops.softmax", entries, known, reference)
    reference.stop()
    added = kept.keys() - known.keys()
    assert added and all(label.startswith("axis=") for label in added)
    assert {key: kept[key] for key in known} == known


def test_attributes_of_an_object_show_which_arguments_it_has(entries):
    reference = record.Reference("mindspore_compat", None)
    kept = additions.add_attributes("ops.CumSum", entries, {}, reference)
    reference.stop()
    assert kept["reverse=True in attributes"] == {
        "init": {"reverse": "True"},
        "then": ["it.init_attrs"],
        "seen": {"result": "CumSum", "then 1": {"exclusive": "False", "reverse": "True"}},
    }


def test_stored_calls_get_the_facts_that_the_reference_gives_now(entries):
    good = {"call": {"input": "T('float32', [4.0])"}}
    known = {
        "right": {**good, "seen": {"result": ["Float32", [1], [2.0]]}},
        "wrong": {**good, "seen": {"result": ["Float32", [1], [3.0]]}},
        "of another": {**good, "seen": {"result": ["Float32", [1], [3.0]]}, "by": "pytorch"},
        "refused": {"call": {"input": "'a'"}, "seen": {"result": ["Float32", [1], [2.0]]}},
    }
    reference = record.Reference("mindspore_compat", None)
    found = additions.recheck("ops.sqrt", entries, known, reference)
    reference.stop()
    assert found["right"] == known["right"] and found["of another"] == known["of another"]
    assert found["wrong"]["seen"] == known["right"]["seen"]
    assert found["refused"]["seen"] == {"refused": "TypeError"}


def test_floats_take_the_place_of_integers_wherever_a_gradient_is_wanted(entries):
    reference = record.Reference("mindspore_compat", None)
    call = {"tensors": "(ms.numpy.full((1, 2), 5), ms.numpy.full((1, 2), 7))"}
    session = record.Session("ops.cat", entries["ops.cat"], reference)
    found = dict(slopes._as_floats(session, Call(call=call, call_names=("tensors", "axis"))))
    reference.stop()
    (made,) = found.values()
    assert list(found) == [", floats for tensors"]
    assert made.call["tensors"].count("T('float32', spread((1, 2)") == 2


def test_dtypes_take_the_place_of_a_default_dtype(entries):
    _, call, _ = bases.bases("numpy.ones", entries)[0]
    found = changes.variations("dtype", call, entries["numpy.ones"], "numpy")
    assert "ms.float16" in [text for _, text in found]


def test_gradients_reach_the_tensors_of_a_sequence(worker):
    parts = "(T('float32', [1.0]), T('float32', [2.0, 3.0]))"
    seen = drive(worker, "ops.concat", call={"tensors": parts}, gradient=True)
    assert seen["gradient of tensors[0]"][2] and len(seen["gradient of tensors[1]"][2]) == 2
    fault = {"name": "ops.concat", "place": "result", "kind": "detached", "of": []}
    with planted(ms, fault):
        cut = drive(worker, "ops.concat", call={"tensors": parts}, gradient=True)
    assert cut["gradient of tensors[0]"][2] == [0]


def test_a_function_in_a_text_belongs_to_a_module(worker):
    assert worker.values.build("(lambda x: x).__module__") == "conformance.arguments.values"


def test_stored_calls_become_cases(tmp_path, monkeypatch):
    kept = {"example": {"call": {"input": "T('float32', 1.0)"}, "seen": {"result": "None"}}}
    stored.save({"ops.abs": kept}, cases.area_of, tmp_path)
    stored.save({"ops.exp": kept}, cases.area_of, tmp_path)
    assert stored.load(tmp_path) == {"ops.abs": kept, "ops.exp": kept}
    assert [p.name for p in tmp_path.iterdir()] == ["ops.json.gz"]
    first = (tmp_path / "ops.json.gz").read_bytes()
    stored.save({"ops.exp": kept}, cases.area_of, tmp_path)
    assert (tmp_path / "ops.json.gz").read_bytes() == first
    monkeypatch.setattr(stored, "load", lambda: {"ops.abs": kept})
    (case,) = cases.of_entry("ops.abs", {"kind": "function"}, ("values",))
    assert case["id"] == "ops.abs::values::example" and case["wanted"] == {"result": "None"}


def test_a_method_has_the_cases_of_its_class(monkeypatch):
    kept = {"call 1": {"init": {}, "then": ["it.eval()"], "seen": {"then 1": "None"}}}
    monkeypatch.setattr(stored, "load", lambda: {"Loss": kept})
    assert [case["of"] for _, case in stored.cases_of("Loss.eval")] == ["Loss"]
    kept["call 1"]["then"] = ["getattr(it, 'eval')()"]
    assert [case["of"] for _, case in stored.cases_of("Loss.eval")] == ["Loss"]
    assert list(stored.cases_of("Loss.update")) == []


def test_differences_are_listed_by_rule(tmp_path, monkeypatch):
    monkeypatch.setattr(settle, "APART", tmp_path / "apart.yaml")
    settle.APART.write_text("{}")
    wanted = {"result": "None", "then 1": "None"}

    def case(label):
        return {"id": f"ops.abs::values::{label}", "name": "ops.abs", "wanted": wanted}

    seen = {"result": "None", "then 1": "x"}
    fail = {"status": "fail", "difference": "then 1: text", "got": "x", "observed": seen}
    left = settle.write([(case("x with nan"), fail), (case("axis=1"), fail)])
    assert [c["id"] for c, _ in left] == ["ops.abs::values::axis=1"]
    listed = yaml.safe_load(settle.APART.read_text())
    assert listed[settle.UNDECIDED] == ["ops.abs::axis=1::then 1"]
    assert sum(listed.values(), []).count("ops.abs::x with nan::then 1") == 1


def test_what_no_longer_differs_is_listed_no_longer(tmp_path, monkeypatch):
    monkeypatch.setattr(settle, "APART", tmp_path / "apart.yaml")
    labels = ("a", "b", "c", "d")
    kept = {label: {"seen": {"result": "None"}} for label in labels}
    monkeypatch.setattr(settle, "load", lambda: {"ops.abs": kept})
    monkeypatch.setattr(stored, "load", lambda: {"ops.abs": kept})
    old = {"known": ["ops.abs::a", "ops.abs::b", "ops.abs::gone"], "drawn": ["ops.abs::c::result"]}
    settle.APART.write_text(yaml.safe_dump(old))
    monkeypatch.setattr(stored, "apart", lambda: {"ops.abs::a": "known", "ops.abs::b": "known"})
    stored_cases = cases.of_entry("ops.abs", {"kind": "function"}, ("values",))
    run = [stored.whole(case) for case in stored_cases]
    assert [case["wanted"] for case in run] == [{"result": "None"}] * 4 and "apart" not in run[0]
    fail = {"status": "fail", "difference": "result: text", "observed": {"result": "x"}}
    left = settle.write([(run[0], fail), *((case, {"status": "pass"}) for case in run[1:])])
    assert left == []
    assert yaml.safe_load(settle.APART.read_text()) == {
        "known": ["ops.abs::a"],
        "drawn": ["ops.abs::c::result"],
    }


def test_the_reason_of_one_fact_excuses_no_other():
    number = ["Float32", [1], [1.0]]
    wanted = {"result": number, "var after": number, "m after": number}
    seen = {**wanted, "result": ["Float32", [1], [2.0]], "var after": ["Float32", [1], [3.0]]}
    case = {"id": "ops.Adam::values::example", "name": "ops.Adam", "wanted": wanted}
    reasons = settle.reasons_of(case, {"status": "fail", "observed": seen})
    assert reasons == {
        "ops.Adam::example::result": "the kernel leaves its results unwritten",
        "ops.Adam::example::var after": None,
    }


def test_what_is_listed_is_stored():
    labels = {f"{name}::{label}" for name, kept in stored.load().items() for label in kept}
    assert not [k for k in stored.apart() if not {k, k.rpartition("::")[0]} & labels]


def test_stored_facts_are_small_and_no_prose():
    files = list(stored.FOLDER.glob("*.json.gz"))
    assert sum(path.stat().st_size for path in files) < 5_000_000
    assert all(json.dumps(kept).isascii() or name for name, kept in stored.load().items())


def test_what_another_one_answered_is_kept_where_the_reference_refuses(monkeypatch):
    kept = {"call 1": {"seen": {}, "by": "pytorch"}, "call 2": {"seen": {}}}
    monkeypatch.setattr(stored, "load", lambda: {"ops.erf": kept})
    assert list(stored.by_others("ops.erf")) == ["call 1"] and stored.by_others("ops.abs") == {}


def test_a_name_that_is_unknown_is_no_run(capsys):
    assert main(["run", "ops.abss"]) == 2
    assert "ops.abss" in capsys.readouterr().err


def test_numbers_of_a_spread_differ():
    numbers = spread((6, 50), -1.0, 2.0, 3)
    assert len(np.unique(numbers)) > 295 and numbers.min() >= -1 and numbers.max() <= 2
    assert ms.Tensor(numbers).shape == (6, 50)


FAULTY = """
import functools, importlib, sys
importlib.import_module("mindspore_compat.standin").install()
import mindspore_compat as ms
real = ms.numpy.std
ms.numpy.std = functools.wraps(real)(lambda *a, ddof=0, **k: real(*a, **k))
sys.modules[__name__] = ms
"""


@pytest.mark.parametrize("target, status", [("mindspore_compat", 0), ("faulty", 1)])
def test_generated_tests_compare_values_without_this_tool(target, status, tmp_path, monkeypatch):
    (tmp_path / "faulty.py").write_text(FAULTY)
    made = tmp_path / "made"
    assert main(["generate", "numpy.std", "--out", str(made), "--target", target]) == 0
    text = "".join(path.read_text() for path in made.rglob("*.py"))
    assert "import conformance\n" not in text and "from conformance " not in text
    root = str(Path(ms.__file__).parent.parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), root]))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_compared.py"]
    done = subprocess.run(command, cwd=made, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout[-2000:]


def test_coverage_counts_names_arguments_values_and_dtypes(entries):
    passed = cases.of_entry("numpy.std", entries["numpy.std"], coverage.COMPARED)
    records = [
        {"id": case["id"], "name": "numpy.std", "kind": case["kind"], "status": "pass"}
        for case in passed
    ]
    records.append(
        {"id": "numpy.var::exists", "name": "numpy.var", "kind": "exists", "status": "pass"}
    )
    row = coverage.coverage(records, entries)["numpy"]
    assert row["names"] == [1, 2] and 3 <= row["arguments"][0] < row["arguments"][1]
    assert 0 < row["documented"][0] <= row["arguments"][0]
    few = coverage.coverage(records[:1] + records[-1:], entries)["numpy"]
    assert few["arguments"][0] == few["documented"][0] == 0
    assert "numpy" in coverage.text({"numpy": row})


def test_coverage_counts_the_calls_of_a_method_in_texts():
    entry = {"kind": "method", "signature": ["finite", "scale=1.0"]}
    texts = ["it.adjust(T('bool', [True]))", "[it.adjust(f, scale=2.0) for f in flags]", "it.scale"]
    case = {"init": {"rate": "2"}, "then": texts}
    calls = coverage._calls(case, "amp.LossScaler.adjust", entry)
    given = [{"finite": "T('bool', [True])"}, {"finite": "f", "scale": "2.0"}]
    assert calls == [{"rate": "2"}, *given]
    entry = {**entry, "kind": "class"}
    assert coverage._calls(case, "amp.LossScaler", entry) == [{"rate": "2"}]


def test_documented_values_are_compared_only_if_all_of_them_are():
    entry = {
        "signature": ["mode='a'", "flag=False"],
        "types": {"flag": ["bool"]},
        "choices": {"mode": ["'a'", "'b'", "'c'"]},
    }
    calls = [{"mode": "'b'", "flag": "True"}, {}]
    assert documented.are_compared("flag", entry, calls)
    assert not documented.are_compared("mode", entry, calls)
    assert documented.are_compared("mode", entry, [*calls, {"mode": "'c'"}])
    assert not documented.are_compared("mode", entry, [{"mode": "'b'"}])
