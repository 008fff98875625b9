"""Rules of many names: each makes a case from a good call, and the case detects its faults."""

import re

import pytest

from conformance.calls import rules, stored
from conformance.kinds import cases
from conformance.mutation.faults import planted
from conformance.running import answers


def failing(worker, name, entry):
    """The labels of the cases by rules that fail."""
    found = []
    for case in cases.of_entry(name, entry, ("values",)):
        label = case["id"].split("::", 2)[2]
        if case.get("by") == "its page" and "ranks" not in case:
            if answers.judge(case, worker.run(case), {})["status"] != "pass":
                found.append(label)
    return found


def test_a_rule_changes_the_first_good_call(entries):
    name = "dataset.NumpySlicesDataset"
    found = list(rules.cases_of(name, entries[name], stored.load()[name]))
    labels = [label for label, _, _ in found]
    assert {"not num_shards=2, shard_id=2", "given shuffle=True"} <= set(labels)
    assert not any("usage" in label for label in labels)  # it has no such argument
    _, case, seen = found[labels.index("not num_samples=-1")]
    assert case["init"]["num_samples"] == "-1" and "sampler" not in case["init"]
    assert seen == {"refused": "ValueError"}


def test_arguments_in_order_get_their_names(entries):
    name = "mint.distributed.reduce"
    found = {label: case for label, case, _ in rules.cases_of(name, entries[name], {})}
    assert list(found["not dst=1"]["call"]) == ["tensor", "dst"]


def test_a_rule_may_give_each_argument_a_value(entries, monkeypatch):
    line = {"names": r"nn\.Dense", "each": "object()", "refused": "TypeError"}
    monkeypatch.setattr(rules, "_rules", lambda: [(re.compile(line["names"]), line)])
    found = {label: case for label, case, _ in rules.cases_of("nn.Dense", entries["nn.Dense"], {})}
    assert "not has_bias=object()" in found
    assert "not in_channels=object()" not in found  # it has no default
    assert list(found["not has_bias=object()"]["init"])[:2] == ["in_channels", "out_channels"]


def test_an_optimizer_that_says_nothing_is_found(entries, worker):
    name = "nn.Momentum"
    assert failing(worker, name, entries[name]) == []
    fault = {"name": name, "place": "result", "kind": "scaled", "of": [], "through": "__call__"}
    with planted(worker.ms, fault):
        assert failing(worker, name, entries[name]) == ["given params=sample.weights()"]


@pytest.mark.parametrize(
    "name, kind, argument",
    [
        ("dataset.NumpySlicesDataset", "shifted", "num_shards"),
        ("dataset.NumpySlicesDataset", "ignored", "sampler"),
        ("dataset.MnistDataset", "shifted", "shuffle"),
        ("dataset.MnistDataset", "ignored", "num_parallel_workers"),
        ("dataset.MnistDataset", "ignored", "cache"),
        ("mint.distributed.gather", "ignored", "group"),
        ("mint.distributed.broadcast", "shifted", "src"),
        ("communication.comm_func.broadcast", "ignored", "group"),
    ],
)
def test_a_fault_breaks_a_rule(name, kind, argument, entries, worker, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entry = entries[name]
    assert failing(worker, name, entry) == []
    names = [text.partition("=")[0] for text in entry["signature"]]
    fault = {"name": name, "place": "arguments", "kind": kind, "of": [argument], "names": names}
    with planted(worker.ms, fault):
        assert failing(worker, name, entry)
