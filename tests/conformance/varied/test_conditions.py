"""Calls that break sentences about more than one argument, and uses with other Tensors."""

import pytest

from conformance.calls import stored
from conformance.calls.call import Call
from conformance.kinds import cases
from conformance.reading import specs
from conformance.running import answers
from conformance.varied import conditions, forbidden, texts

IMAGE = "array('uint8', fill(1, (4, 5, 3)))"


@pytest.fixture(scope="module")
def entries():
    return specs.load(specs.FOLDER)


@pytest.mark.parametrize(
    ("sentence", "given", "more", "labels"),
    [
        ("ValueError: size(inputs): != 2", {"*0": "1"}, {}, ["1 inputs", "3 inputs"]),
        (
            "RuntimeError: shape(*): not in <H, W> | <H, W, C>",
            {"*0": IMAGE},
            {},
            [f"*0 of rank {rank}" for rank in (0, 1, 4, 5)],
        ),
        ("RuntimeError: shape(*): != <..., time>", {"*0": IMAGE}, {}, ["*0 of rank 0"]),
        (
            "ValueError: shard_id: outside [0, num_shards)",
            {"shard_id": "0", "num_shards": "1"},
            {},
            ["num_shards=2, shard_id=2", "num_shards=2, shard_id=-1"],
        ),
        (
            "RuntimeError: : state communication not ready",
            {},
            {"first": ["sample.world.start()"]},
            ["not initialized"],
        ),
        ("ValueError: : state too many threads", {"x": "1"}, {}, []),
    ],
)
def test_calls_break_a_sentence(sentence, given, more, labels):
    error, left, right = sentence.split(": ", 2)
    rule = specs.rule_of({error: {left: right}})
    assert [label for label, _, _ in conditions.breaches(rule, Call(call=given), more)] == labels


def test_each_sentence_that_a_label_names_is_on_the_page(entries):
    for name, records in stored.load().items():
        named = {label.partition(f", {forbidden.LABEL} by ")[2].rstrip("'") for label in records}
        known = {str(rule).rstrip("'") for rule in forbidden.rules_of(entries[name])}
        assert named - {""} <= known, name


def test_uses_with_other_tensors_have_other_texts():
    text = "it.prob(T('float32', [0.9, 1.5]))"
    assert texts._changed(text, texts.DTYPES["float64"]) == "it.prob(T('float64', [0.9, 1.5]))"
    assert texts._changed(text, texts.SHAPES["nan"]) == "it.prob(T('float32', [nan, 1.5]))"
    assert texts._changed("it.mean()", texts.SHAPES["nan"]) == "it.mean()"


def refusals(name, entry):
    return [c for c in cases.of_entry(name, entry, ("values",)) if "refused" in c["wanted"]]


def test_a_page_with_two_exceptions_does_not_excuse_the_wrong_one(entries):
    name = "dataset.vision.RandomVerticalFlip"
    found = [c for c in refusals(name, entries[name]) if c["wanted"]["refused"] == "RuntimeError"]
    assert len(cases.errors_of(entries[name])) > 1 and found
    for case in found:
        for error, status in (("RuntimeError", "pass"), ("ValueError", "fail")):
            answer = {"status": "pass", "observed": {"refused": error}}
            assert answers.judge(case, answer, {})["status"] == status


def test_listed_calls_with_two_exceptions_are_stored(entries):
    for keys in specs.own_table(cases.EITHER_ERROR).values():
        for key in keys:
            name, _, label = key.partition("::")
            labels = {
                case["id"].partition("::values::")[2] for case in refusals(name, entries[name])
            }
            assert label in labels, key
