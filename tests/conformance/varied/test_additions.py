"""What is added to stored calls: integers below 0, facts inside of others, states of Parameters."""

import re

import pytest

import mindspore_compat as ms
from conformance import targets
from conformance.calls.call import Call
from conformance.kinds import cases
from conformance.reading import signatures, specs
from conformance.running import answers
from conformance.varied import (
    additions,
    axes,
    nones,
    record,
    refusals,
    repeats,
    seeds,
    sequences,
    stated,
    uses,
)
from conformance.varied.again import Again, NoKernel
from conformance.worker.worker import Worker


@pytest.fixture(scope="module")
def entries():
    return specs.load(specs.FOLDER)


@pytest.fixture(scope="module")
def reference():
    asked = record.Reference("mindspore_compat", None)
    yield asked
    asked.stop()


def _example(entries, name):
    """{"example": the documented call of a name and a result}, as it is stored."""
    call = cases.call_of(entries[name])
    parts = {"init": call.init, "call": call.call, "owner": call.owner}
    facts = {key: part for key, part in parts.items() if part is not None}
    return {"example": {**facts, "seen": {"result": "None"}, "by": "mindspore_compat"}}


def test_changes_that_are_refused_are_added_by_their_exceptions(entries, reference, monkeypatch):
    known = _example(entries, "nn.Dense")
    monkeypatch.setattr(record.Reference, "own_word", "mindspore_compat")
    kept = refusals.add_refusals("nn.Dense", entries, known, reference, {})
    assert kept["refused in_channels=-1"]["seen"] == {"refused": "ValueError"}
    assert kept["refused in_channels=None"]["seen"] == {"refused": "TypeError"}
    shapes = [
        r["seen"]["refused"] for label, r in kept.items() if re.match("refused x [a-z]", label)
    ]
    assert "ValueError" in shapes and len(shapes) <= 4
    assert not any(label.startswith("refused has_bias=True") for label in kept)
    assert refusals.add_refusals("nn.Dense", entries, kept, reference, {}) == kept  # once
    refused = {"refused": {"init": {}, "seen": {"refused": "TypeError"}}}
    assert refusals.add_refusals("nn.Dense", entries, refused, reference, {}) == refused


def test_attributes_of_new_objects_are_added(entries, reference):
    kept = additions.add_states("nn.Dense", entries, {}, reference)["state"]
    assert "call" not in kept and kept["state"] is True
    assert kept["seen"]["attribute out_channels"] == ["int", [], [4]]
    assert kept["seen"]["parameter 1"] == "bias True"
    assert not any("phase" in key for key in kept["seen"])
    assert additions.add_states("ops.abs", entries, {}, reference) == {}  # no class
    name = additions.add_states("ops.Abs", entries, {}, reference)["state"]["seen"]
    assert name["attribute name"] == "'Abs'"


def test_documented_values_are_added_also_without_an_effect(entries, reference, monkeypatch):
    monkeypatch.setattr(record.Reference, "own_word", "mindspore_compat")
    known = _example(entries, "Tensor.astype")
    monkeypatch.setattr(stated, "of_entry", lambda name, entry, kinds: [])
    kept = stated.add_stated("Tensor.astype", entries, known, reference)
    assert kept["copy=False as stated"]["call"]["copy"] == "False"
    assert kept["dtype=ms.bool_ as stated"]["seen"]["result"][0] == "Bool"


@pytest.mark.parametrize(
    ("name", "text", "label", "changed"),
    [
        ("ops.argmin", "T('float32', [[3.0, 1.0], [5.0, 2.0]])", "axis=-1 as stated", "-1"),
        ("ops.abs", "T('float32', [-2.0])", "another input", "T('float32', 0.75 * array("),
        ("ops.invert", "T('int32', [4, 7])", "another x", "T('int32', np.flip(array("),
        ("ops.abs", "ms.ops.ones(2)", "another input", "T('float32', spread((2,), 0.3, 1.7, 3))"),
    ],
)
def test_an_argument_without_a_second_value_gets_one(
    name, text, label, changed, entries, reference, monkeypatch
):
    monkeypatch.setattr(record.Reference, "own_word", "mindspore_compat")
    given = signatures.parse(entries[name]["signature"])[0][0]
    call = {given: text, **({"axis": "0"} if "axis" in label else {})}
    known = {"example": {"call": call, "seen": {"result": "None"}, "by": "mindspore_compat"}}
    monkeypatch.setattr(stated, "of_entry", lambda *_: [{"call": call}])
    monkeypatch.setattr(
        stated, "all_bases", lambda *_: [("example", Call(call=call, call_names=tuple(call)), {})]
    )
    kept = stated.add_stated(name, {name: entries[name]}, known, reference)
    assert kept[label]["call"][label.split("=")[0].split()[-1]].startswith(changed)


def test_a_reference_without_a_graph_mode_wants_its_result_in_a_graph(entries, monkeypatch):
    known = _example(entries, "mint.add")
    known["once more"] = {**known["example"], "seen": {"result": ["Float32", [2], [1.0, 2.0]]}}
    other = record.Reference("conformance.varied.pytorch", None)
    monkeypatch.setattr(record.Reference, "own_word", "mindspore_compat")
    kept = repeats.add_repeats("mint.add", entries, known, other)
    assert kept["once more in a graph"]["seen"] == {"then 1": ["Float32", [2], [1.0, 2.0]]}
    assert other.process is None  # it is not asked


def test_inputs_are_paired_with_options(entries, reference, monkeypatch):
    monkeypatch.setattr(record.Reference, "own_word", "mindspore_compat")
    call = {"input": "T('float32', [[1.0, 2.0], [3.0, 5.0]])", "axis": "0"}
    seen, by = {"result": "None"}, "mindspore_compat"
    known = {
        "example": {"call": call, "seen": seen, "by": by},
        "axis=1": {"call": {**call, "axis": "1"}, "seen": seen, "by": by},
        "input one row": {
            "call": {**call, "input": "T('float32', [[1, 4]])"},
            "seen": seen,
            "by": by,
        },
    }
    kept = additions.add_pairs("ops.cumsum", entries, known, reference)
    assert kept["pair 1"]["call"] == {"input": "T('float32', [[1, 4]])", "axis": "1"}
    assert kept["pair 1"]["seen"]["result"] == ["Float32", [1, 2], [1.0, 5.0]]


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


def test_a_call_is_made_once_more_with_other_tensors(entries, reference):
    known = _example(entries, "ops.add")
    del known["example"]["by"]
    kept = repeats.add_repeats("ops.add", entries, known, reference)
    told = dict(zip(kept["once more"]["then"], range(1, 99), strict=False))
    seen = kept["once more"]["seen"]
    assert seen["then 1"] == seen["result"]
    assert seen[f"then {told[again('float64')]}"][0] == "Float64"
    assert seen[f"then {told[again('empty')]}"][1:] == [[0], []]
    assert again("infinite") in told
    assert "nan" in seen[f"then {told[again('nan')]}"][2]
    assert seen[f"then {told[again('long')]}"][1] == [5001]
    graph = kept["once more in a graph"]
    assert graph["then"] == [repeats.GRAPH] and graph["seen"] == {"then 1": seen["result"]}
    assert repeats.add_repeats("ops.add", entries, kept, reference) == kept  # once
    older = {"then": kept["once more"]["then"][:-2], "seen": dict(list(seen.items())[:-2])}
    older = {**kept, "once more": {**kept["once more"], **older}}
    assert repeats.add_repeats("ops.add", entries, older, reference) == kept


def test_a_call_that_must_be_alone_gets_a_fresh_process(entries):
    call = {"name": "device_context.cpu.op_tuning.threads_num", "kind": "values", "alone": True}
    asked = record.Reference("mindspore_compat", None)
    once = [asked.ask({**call, "id": f"{n}", "call": {"num": f"{n}"}}) for n in (1, 2)]
    together = [{**call, "id": f"{n}", "call": {"num": f"{n}"}} for n in (3, 4)]
    for case in together:
        del case["alone"]
    later = [asked.ask(case) for case in together]
    asked.stop()
    assert once == [{"result": "None"}] * 2
    assert later == [{"result": "None"}, {"refused": "RuntimeError"}]


def test_nan_takes_the_place_of_integers(entries, reference):
    call = {"call": {"x": "T('int32', [3, 0, 4])"}, "seen": {"result": ["Int64", [1], [3]]}}
    kept = repeats.add_repeats("ops.count_nonzero", entries, {"call 1": call}, reference)
    kept = kept["once more"]
    assert kept["seen"][f"then {kept['then'].index(again('nan')) + 1}"][2] == [3]


def test_values_of_sparse_tensors_are_changed():
    places = ms.Tensor([[0, 1], [1, 2]], ms.int32)
    x = ms.COOTensor(places, ms.Tensor([1.0, 2.0]), (2, 4))
    call = Again(ms, ms.ops.coo_abs, {"x": x})
    assert call("large").values.asnumpy().max() > 25 and call("large").shape == (2, 4)
    assert call("float64").values.dtype == ms.float64 and call("nan").values.isnan().any()
    with pytest.raises(NoKernel):
        call("empty")


@pytest.mark.parametrize(
    "part", [["Float32", [0], []], {"strings": ["a"]}, {"count": "1", "0": "True"}, "word"]
)
def test_facts_that_name_a_kind_alone_tell_nothing(part):
    assert repeats.tells({"result": part})
    assert not repeats.tells({"result": "Dense", "then 1": ["Float32", [2]], "then 2": "None"})


def test_what_is_done_with_an_object_is_done_twice(entries, reference, monkeypatch):
    monkeypatch.setattr(record.Reference, "own_word", "mindspore_compat")
    name, texts = "MAE", ["it.update(np.array([1.0]), np.array([0.5]))", "it.eval()"]
    known = {"call 1": {"init": {}, "then": texts, "seen": {}, "by": "mindspore_compat"}}
    kept = sequences.add_sequences(name, entries, known, reference)["twice over"]
    assert kept["then"] == texts * 2 and kept["seen"] == {
        "then 3": "None",
        "then 4": ["scalar float64", [], [0.5]],
    }


def test_every_method_is_called_twice(entries, reference, monkeypatch):
    monkeypatch.setattr(record.Reference, "own_word", "mindspore_compat")
    lists = [f"it.update(np.array([{n}.0]), np.array([0.5]))" for n in range(5)], ["it.clear()"]
    calls = [{"then": [text, "it.eval()"]} for part in lists for text in part]
    more = {"init": {}, "seen": {}, "by": "mindspore_compat"}
    known = {f"call {n}": {**call, **more} for n, call in enumerate(calls)}
    kept = sequences.add_sequences("MAE", entries, known, reference)
    twice = [kept[label] for label in kept if label.startswith("twice over")]
    assert len(twice) == 4 and twice[3]["seen"]["then 4"] == "raised RuntimeError"  # of a method
    assert sequences.add_sequences("MAE", entries, kept, reference) == kept


@pytest.mark.parametrize(
    ("name", "call", "seed"),
    [
        ("ops.dropout", {"call": {"input": "T('float32', fill(1.0, (6, 6)))"}}, "the global seed"),
        ("nn.Dense", {"init": {"in_channels": "3", "out_channels": "4"}}, "the global seed"),
        (
            "dataset.vision.RandomColor",
            {"init": {}, "call": {"*0": "array('uint8', spread((4, 4, 3), 0, 255, 1))"}},
            "the seed of datasets",
        ),
    ],
)
def test_a_seed_decides_the_numbers_of_a_call_that_varies(name, call, seed, entries, reference):
    known = {"call 1": {**call, "seen": {"result": ["Float32", [6, 6]]}}}
    kept = seeds.add_seeds(name, entries, known, reference)
    assert kept[f"seeds of {seed}"]["seen"] == {"the same": "True", "another": "True"}
    assert seeds.add_seeds(name, entries, kept, reference) == kept
    fixed = {"call 1": {**call, "seen": {"result": ["Float32", [1], [0.0]]}}}
    assert seeds.add_seeds(name, entries, fixed, reference) == fixed


def test_none_is_passed_where_it_is_the_default(entries, reference):
    known = {"call 1": {"call": {"a": "T('float32', [1.0, 3.0])"}}}
    known["call 1"]["seen"] = {"result": ["Float32", [], [1.0]]}
    kept = nones.add_nones("numpy.nanvar", entries, known, reference)[nones.LABEL]
    assert kept["call"] == {**known["call 1"]["call"], "axis": "None", "dtype": "None"}
    assert kept["seen"] == {"result": ["Float32", [], [1.0]]}
    signature = ["a", "axis=None", "ddof=None"]  # refused, so it is left out
    other = entries | {"numpy.nanvar": {**entries["numpy.nanvar"], "signature": signature}}
    kept = nones.add_nones("numpy.nanvar", other, known, reference)[nones.LABEL]
    assert kept["call"].keys() == {"a", "axis"}


@pytest.mark.parametrize(
    ("name", "call", "argument", "text"),
    [
        ("ops.Unpack", {"init": {"axis": "0"}, "call": {"*0": "{x}"}}, "axis", "-2"),
        ("ops.squeeze", {"call": {"input": "{x}[..., None]", "axis": "(2,)"}}, "axis", "(-1,)"),
        ("mint.var", {"call": {"input": "{x}", "dim": "1"}}, "dim", "-1"),
    ],
)
def test_an_axis_is_counted_from_the_end(name, call, argument, text, entries, reference):
    x = "T('float32', [[1.0, 3.0, 4.0], [2.0, 5.0, 9.0]])"
    call = {part: {k: t.format(x=x) for k, t in own.items()} for part, own in call.items()}
    known = {"call 1": {**call, "seen": {"result": ["Float32", [1], [0.0]]}}}
    kept = axes.add_axes(name, entries, known, reference)
    added = kept.pop(f"{argument}={text} from the end")
    assert {**added.get("init", {}), **added["call"]}[argument] == text and kept == known
    below = {"call 1": known["call 1"], "call 2": added}
    assert axes.add_axes(name, entries, below, reference) == below


def test_attributes_that_have_changed_are_shown(entries, reference, monkeypatch):
    monkeypatch.setattr(record.Reference, "own_word", "mindspore_compat")
    texts = ["it.update([0.1, 0.4], [0, 1])", "it.eval()[1]"]
    known = {"call 1": {"init": {}, "then": texts, "seen": {}, "by": "mindspore_compat"}}
    kept = sequences.add_sequences("ROC", entries, known, reference)["twice over"]
    assert kept["then"][-1] == "sample.state('class_num', 'pos_label')"
    assert kept["seen"]["then 5"] == {n: ["int", [], [1]] for n in ("class_num", "pos_label")}


def test_a_call_without_tensors_is_made_three_times(entries, reference, monkeypatch):
    monkeypatch.setattr(record.Reference, "own_word", "mindspore_compat")
    name, given = (
        "nn.piecewise_constant_lr",
        {"milestone": "[1, 2]", "learning_rates": "[1.0, 0.5]"},
    )
    known = {"call 1": {"call": given, "seen": {"result": {}}, "by": "mindspore_compat"}}
    kept = sequences.add_sequences(name, entries, known, reference)["three times"]
    assert (
        kept["seen"]["then 1"] == kept["seen"]["then 2"] and kept["seen"]["then 1"]["count"] == "2"
    )


def again(word):
    return f"sample.again({word!r})"


def test_a_call_that_writes_to_parameters_is_only_made_twice(entries, reference, monkeypatch):
    monkeypatch.setattr(record.Reference, "own_word", "mindspore_compat")
    known = _example(entries, "ops.ApplyMomentum")
    kept = repeats.add_repeats("ops.ApplyMomentum", entries, known, reference)["once more"]
    assert kept["then"] == [again("")]
    assert kept["seen"]["then 1"] != kept["seen"]["result"]


@pytest.mark.parametrize(
    "fault",
    [
        lambda x: ms.ops.relu(x) * (1 + (x.dtype == ms.float64)),
        lambda x: ms.ops.relu(x) + (ms.get_context("mode") == ms.GRAPH_MODE),
        lambda x: ms.ops.relu(x) if x.ndim else ms.ops.relu(x).reshape(1),
    ],
)
def test_a_fault_of_one_dtype_or_mode_or_shape_is_found(fault, entries, monkeypatch, tmp_path):
    worker = Worker(targets.install("mindspore_compat"), tmp_path)
    case_list = [
        case
        for case in cases.of_entry("nn.ReLU", entries["nn.ReLU"], ("values",))
        if "once more" in case["id"]
    ]
    verdicts = [answers.judge(case, worker.run(case), {})["status"] for case in case_list]
    assert set(verdicts) == {"pass"}
    monkeypatch.setattr(ms.nn.ReLU, "construct", lambda self, x: fault(x))
    verdicts = [answers.judge(case, worker.run(case), {})["status"] for case in case_list]
    assert "fail" in verdicts
