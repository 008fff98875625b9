"""Varied calls that use more than Tensors: a training loop for one callback, printed lines, slices
of ranks, event files. If the reference refuses a call, the refusal is stored.
"""

import numpy as np
import pytest

import mindspore_compat as ms
from conformance import targets
from conformance.arguments import messages
from conformance.arguments.files import Files
from conformance.arguments.loops import Loops
from conformance.calls.call import Call
from conformance.kinds import cases
from conformance.reading import specs
from conformance.running import answers
from conformance.varied import forbidden, record


@pytest.fixture(scope="module", autouse=True)
def _as_mindspore():
    targets.install("mindspore_compat")


@pytest.fixture(scope="module")
def entries():
    return specs.load(check=False)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Files(ms)


def test_a_callback_is_told_of_epochs():
    net = ms.nn.Dense(3, 2)
    loops = Loops(ms, lambda: net)
    reduce = ms.train.ReduceLROnPlateau(patience=1, factor=0.5, min_delta=0.0)
    seen = loops.played(reduce, [0.5, 0.4, 0.6, 0.7])
    assert [round(rate, 4) for rate, _, _ in seen[:-1]] == [0.1, 0.1, 0.05, 0.025]
    stop = ms.train.EarlyStopping(patience=1)
    seen = loops.played(stop, [0.5, 0.4, 0.6, 0.7])
    assert [stopped for _, _, stopped in seen[:-1]] == [False, False, True]
    assert seen[-1] == 3  # the weight of the third epoch


def test_printed_lines_lose_their_times_and_digits():
    lines = Loops.printed(lambda: print("loss is 0.123456\n per step 12.5 ms"))
    assert lines == ["loss is 0.123", "per step # ms"]


def test_a_layer_notes_dtypes():
    held = []
    Loops(ms, None).spy(held)(ms.Tensor(np.zeros(2, np.float16)))
    assert held == ["Float16"]


def test_slices_and_their_strategy_belong_together(files):
    net = files.holder()
    parts = [f"{files.slices()}/rank_{rank}/net.ckpt" for rank in range(4)]
    ms.load_distributed_checkpoint(net, parts, train_strategy_filename=files.strategy())
    np.testing.assert_array_equal(net.w.asnumpy(), np.arange(32).reshape(8, 4))
    assert files.tree("slices") == [f"rank_{rank}/net.ckpt" for rank in range(4)]
    files.clear("slices")
    assert files.names(".") == ["rows.json"]


def test_files_of_messages_are_read(files):
    record = ms.train.summary.SummaryRecord("events")
    record.add_value("scalar", "loss", ms.Tensor(0.5))
    record.record(3)
    record.close()
    assert [event for event in files.events("events") if event] == [[[3, ["loss"]]]]
    shape = bytes([10, 4, 8, 2, 16, 0])
    assert list(messages._fields(shape)) == [(1, bytes([8, 2, 16, 0]))]


class Refusing:
    """A reference that refuses every value of an argument but one."""

    def ask(self, case):
        given = case["call"].get("input")
        return {"result": "None"} if given in (None, "1") else {"refused": "ValueError"}


def test_a_refused_call_of_the_table_is_kept(entries):
    session = record.Session("hal.device_count", entries["hal.device_count"], Refusing())
    call = Call(call={"input": "2"}, call_names=("input",))
    assert session.ask(call, {}) is None
    session.keep_refusal("call 1", call, {})
    assert session.recording.calls["call 1"]["seen"] == {"refused": "ValueError"}


def test_an_argument_without_effect_gets_a_value_that_is_refused(entries):
    session = record.Session("hal.device_count", entries["hal.device_count"], Refusing())
    call = Call(call={"input": "1"}, call_names=("input",))
    record.refuse(session, call, {}, {"input": [("input=1", "1"), ("input=2", "2")]})
    assert list(session.recording.calls) == ["input=2"]


def test_sentences_that_the_documented_call_cannot_break_are_tested_on_stored_calls(entries):
    entry = {**entries["numpy.vander"], "use": None}
    known = {"call 1": {"call": {"x": "T('int32', [1, 2])"}, "seen": {"result": ["Int32", [2, 2]]}}}
    reference = record.Reference("mindspore_compat", None)
    kept = forbidden.add_forbidden("numpy.vander", {"numpy.vander": entry}, known, reference)
    again = forbidden.add_forbidden("numpy.vander", {"numpy.vander": entry}, kept, reference)
    reference.stop()
    refused = {label: r["seen"]["refused"] for label, r in kept.items() if label != "call 1"}
    assert refused["x=ranked-2, forbidden by ValueError: rank(x): != 1"] == "ValueError"
    assert again == kept


def test_a_stored_refusal_is_judged_by_the_exception():
    case = {"id": "ops.abs::values::x", "name": "ops.abs", "kind": "values"}
    case.update(wanted={"refused": "ValueError"}, errors=["TypeError"])

    def status(seen):
        return answers.judge(case, {"status": "pass", "observed": seen}, {})["status"]

    assert status({"refused": "ValueError"}) == status({"refused": "TypeError"}) == "pass"
    assert status({"refused": "KeyError"}) == status({"result": "None"}) == "fail"


def test_arguments_of_the_table_are_given_together(entries):
    reference = record.Reference("mindspore_compat", None)
    try:
        found = record.of_name("dataset.NumpySlicesDataset", entries, reference)
    finally:
        reference.stop()
    label = next(label for label in found.calls if label.startswith("num_shards=2, shard_id=1"))
    rows = found.calls[label]["seen"]["result"]
    whole = next(iter(found.calls.values()))["seen"]["result"]
    assert int(rows["count"]) == -(-int(whole["count"]) // 2)


def test_only_exceptions_that_a_page_names_are_facts():
    seen = {"then 1": "raised ValueError", "then 2": "raised AttributeError"}
    assert record.cleaned(seen) == {"then 1": "raised ValueError"}
    assert record.cleaned(seen, {"AttributeError"}) == {"then 2": "raised AttributeError"}


def test_the_errors_of_a_page(entries):
    assert cases.errors_of(entries["train.EarlyStopping"]) == ["ValueError"]
