"""The spec files and the stored answers: they load, contain facts only, and match the cases.

The rules of the four systems with which this project began are repeated here by hand.
"""

import gzip
import json

import pytest

from conformance.kinds import cases
from conformance.reading import specs
from conformance.reports import usage
from conformance.running import answers

VERDICTS = {None, "agreed", "documented only", "observed only"}
ADAM_OFFLOAD = [
    {"TypeError": {"learning_rate": "not float | int | Tensor | Iterable | LearningRateSchedule"}},
    {"TypeError": {"each(parameters)": "not Parameter | dict"}},
    {"TypeError": {"beta1, beta2, eps, loss_scale": "not float"}},
    {"TypeError": {"weight_decay": "not float | int"}},
    {"TypeError": {"use_locking, use_nesterov": "not bool"}},
    {"ValueError": {"loss_scale, eps": "<= 0"}},
    {"ValueError": {"beta1, beta2": "outside (0.0, 1.0)"}},
    {"ValueError": {"weight_decay": "< 0"}},
]
THOR = [
    {"TypeError": {"learning_rate": "not Tensor"}},
    {"TypeError": {"loss_scale, momentum, frequency": "not float"}},
    {"TypeError": {"weight_decay": "not float | int"}},
    {"TypeError": {"use_nesterov": "not bool"}},
    {"ValueError": {"loss_scale": "<= 0"}},
    {"ValueError": {"weight_decay, momentum": "< 0"}},
    {"TypeError": {"frequency": "not int"}},
    {"ValueError": {"frequency": "< 2"}},
]
SIGNATURES = {
    "nn.AdamOffload": "params, learning_rate=0.001, beta1=0.9, beta2=0.999, eps=1e-08, "
    "use_locking=False, "
    "use_nesterov=False, weight_decay=0.0, loss_scale=1.0",
    "nn.LARS": "optimizer, epsilon=1e-05, coefficient=0.001, use_clip=False, lars_filter=lambda x: "
    "'LayerNorm' not in x.name and 'bias' not in x.name",
    "nn.DynamicLossScaleUpdateCell": "loss_scale_value, scale_factor, scale_window",
    "nn.thor": "net, learning_rate, damping, momentum, weight_decay=0.0, loss_scale=1.0, "
    "batch_size=32, "
    "use_nesterov=False, decay_filter=lambda x: x.name not in [], split_indices=None, "
    "enable_clip_grad=False, frequency=100",
}


@pytest.fixture(scope="module")
def entries():
    return specs.load()


def said(entry):
    """Returns the rules of an entry without their order and verdicts, with sorted names."""
    rules = (
        specs.rule_of(item)
        for item in entry.get("raises", ())
        if item.get("verdict") != "observed only"
    )
    return {
        (r.error, c.test, frozenset(c.operands), frozenset(map(str, c.subjects)))
        for r in rules
        for c in r.clauses
    }


@pytest.mark.parametrize("name, rules", [("nn.AdamOffload", ADAM_OFFLOAD), ("nn.thor", THOR)])
def test_rules_of_the_first_systems(entries, name, rules):
    assert said(entries[name]) == said({"raises": rules})


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_of_the_first_systems(entries, name):
    assert ", ".join(entries[name]["signature"]) == SIGNATURES[name]


def test_names_and_modules(entries):
    assert len(entries) >= 2900
    assert {path.stem for path in specs.FOLDER.glob("*.yaml")} >= {
        "nn",
        "ops",
        "mint",
        "numpy",
        "mindspore",
    }
    assert {e["release"] for e in entries.values() if "release" in e} == {"2.10.0"}


def test_spec_files_hold_no_sentences(entries):
    """Specs hold facts, not sentences copied from a page: no value has more than 14 plain words."""

    def texts(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from texts(key)
                yield from texts(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from texts(inner)
        else:
            yield str(value)

    for name, entry in entries.items():
        for text in texts(
            {
                k: v
                for k, v in entry.items()
                if k not in ("use", "signature", "call", "types", "inputs")
            }
        ):
            words = [w for w in text.split() if w.isalpha()]
            assert len(words) <= 14, (name, text)
            assert ">>>" not in text and "If " not in text


def test_verdicts_have_reasons(entries):
    for entry in entries.values():
        for item in entry.get("raises", ()):
            assert item.get("verdict") in VERDICTS
            assert ("reason" in item) == (
                item.get("verdict") in ("documented only", "observed only")
            )


def test_kept_answers_answer_the_present_questions(entries):
    stored = answers.load()
    asked = [case for case in cases.all_cases(entries) if answers.is_stored(case)]
    answered = sum(answers.answer_to(case, stored) is not None for case in asked)
    assert answered >= 0.98 * len(asked)


def test_facts_that_are_stored_need_less_than_ten_megabytes():
    folders = answers.FOLDER, answers.FOLDER.with_name("data")
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 10_000_000


def test_page_that_contradicts_itself_is_not_asked_both_ways(entries):
    ids = {case["id"] for case in cases.of_entry("nn.thor", entries["nn.thor"])}
    assert "nn.thor::raises::frequency=0.5→TypeError" in ids
    assert not any(i.startswith("nn.thor::raises::frequency=1→TypeError") for i in ids)


def test_usage_counts_whole_surfaces(tmp_path, monkeypatch):
    path = tmp_path / "projects.json.gz"
    with gzip.open(path, "wt") as file:
        json.dump(
            {
                "apis": ["mindspore.a", "mindspore.nn.b", "mindspore.c"],
                "projects": {"p": [0], "q": [0, 1], "r": [2]},
            },
            file,
        )
    monkeypatch.setattr(usage, "DATA", path)

    def record(name, kind, status):
        return {"name": name, "kind": kind, "status": status}

    records = [
        record("a", "exists", "pass"),
        record("nn.b", "exists", "pass"),
        record("c", "exists", "fail"),
        record("nn.b", "raises", "fail"),
    ]
    found = usage.coverage(records)
    assert (found["projects"], found["present"], found["passing"]) == (3, 2, 1)
    assert found["missing"] == [["c", 1]]
    assert usage.coverage(records[:2]) is None
