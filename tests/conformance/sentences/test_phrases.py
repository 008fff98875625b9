"""The grammar of constraint sentences: 200 lines labelled by hand in both languages, and lines that
it must not read.

`labelled.json` has [exception, sentence with its names masked, names, clauses], with null for a
line that states nothing expressible as a rule.
"""

import json
from pathlib import Path

import pytest

from conformance.sentences.phrases import read_sentence
from conformance.sentences.rules import Clause, Rule

LABELLED = json.loads(Path(__file__).with_name("labelled.json").read_text(encoding="utf-8"))


def read(sentence, names="", error="ValueError"):
    """The clauses of a sentence as texts, one string per alternative."""
    rules = read_sentence(error, sentence, names.split())
    return rules and ["; ".join(map(str, rule.clauses)) for rule in rules]


@pytest.mark.parametrize("line", LABELLED, ids=lambda line: line[1][:60])
def test_labelled_line_is_read_as_labelled(line):
    error, sentence, names, wanted = line
    assert read(sentence, names + " x", error) == wanted


def test_labelled_lines_are_two_hundred_and_mostly_readable():
    assert len(LABELLED) == 200
    assert sum(line[3] is not None for line in LABELLED) >= 165


@pytest.mark.parametrize(
    "sentence, names, wanted",
    [
        ("beta1、beta2不在(0.0,1.0)范围内。", "beta1 beta2", ["beta1, beta2: outside (0.0, 1.0)"]),
        ("beta1beta2eps 不是float。", "beta1 beta2 eps", ["beta1, beta2, eps: not float"]),
        (
            "loss_scale 、 momentum 或 frequency 不是浮点数。",
            "loss_scale momentum frequency",
            ["loss_scale, momentum, frequency: not float"],
        ),
        (
            "weight_decay 既不是浮点数也不是整数。",
            "weight_decay",
            ["weight_decay: not float | int"],
        ),
        ("loss_scale 小于或等于0。", "loss_scale", ["loss_scale: <= 0"]),
        (
            "parameters 的元素不是Parameter或字典。",
            "params",
            ["each(parameters): not Parameter | dict"],
        ),
        ("`x` 的数据类型不是float16或float32。", "x", ["dtype(x): not float16 | float32"]),
        ('如果key中存在"order_params"。', "", ["key: contains 'order_params'"]),
        ("如果 `a` 和 `b` 的shape不相同。", "a b", ["shape(a), shape(b): differ"]),
        ("`kernel_size` 小于1。", "kernel_size", ["kernel_size: < 1"]),
    ],
)
def test_chinese(sentence, names, wanted):
    assert read(sentence, names) == wanted


@pytest.mark.parametrize(
    "sentence, names, wanted",
    [
        ("If `shape` is neither int nor tuple.", "shape", ["shape: not int | tuple"]),
        ("If neither `x` nor `y` is a Tensor.", "x y", ["x & y: not Tensor"]),
        ("If `x` and `y` are not Tensors.", "x y", ["x, y: not Tensor"]),
        ("If both `x` and `y` are None.", "x y", ["x & y: none"]),
        ("If `n` is a tuple and its length is not 2.", "n", ["len(n): != 2; n: is tuple"]),
        ("If `a` is not an int or `b` is not a str.", "a b", ["a: not int", "b: not str"]),
        (
            "If `pad` is greater than 0 when `mode` is not 'pad'.",
            "pad mode",
            ["pad: > 0; mode: != 'pad'"],
        ),
        ("If not all elements in `a` or `b` are Tensor.", "a b", ["each(a), each(b): not Tensor"]),
        ("If dtype of elements in `x` is not int.", "x", ["dtype(each(x)): not int"]),
        ("If `n` is not in range [0, `size` ).", "n size", ["n: outside [0, size)"]),
    ],
)
def test_how_words_bind(sentence, names, wanted):
    assert read(sentence, names) == wanted


@pytest.mark.parametrize(
    "sentence, names",
    [
        ("If `x` looks somehow odd to the kernel.", "x"),
        ("If elements of `x` is not 2.", "x"),  # counts them, or does not
        ("If the `x` of the moon is not an int and nobody cares.", "x"),
        ("", "x"),
    ],
)
def test_what_is_not_understood_is_not_guessed(sentence, names):
    assert read(sentence, names) is None


@pytest.mark.parametrize(
    "text",
    [
        "beta1, beta2: outside (0.0, 1.0)",
        "x & y: not Tensor",
        "dtype(each(x)): not int",
        "dim[-1](x): != dim[0](y)",
        "mode: not in 'a' | 'b'",
        "x, y: differ",
        "*: not Tensor",
    ],
)
def test_clause_survives_its_text_form(text):
    left, right = text.split(": ", 1)
    assert str(Clause.parse(left, right)) == text


@pytest.mark.parametrize("right", ["", "outside", "differ 3", "no such test"])
def test_clause_with_a_mistake_is_refused(right):
    with pytest.raises(ValueError):
        Clause.parse("x", right)


def test_rules_compare_by_what_they_say():
    (one,) = read_sentence("ValueError", "If `x` is less than 0.", ["x"], line=3)
    assert one == Rule("ValueError", (Clause.parse("x", "< 0"),))
