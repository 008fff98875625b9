"""Writes `data/values_apart.yaml`: calls whose recorded outcome is not a reference, by reason.

Only calls on which this package differs from real MindSpore are listed. If a call has several
facts, only the fact that differs is left out. A difference without a known reason is listed as
undecided.
"""

import re

import yaml

from .. import answers
from .stored import APART

UNDECIDED = "not decided yet: nobody has compared it with the page"
# A reason, and the labels and differences to which it applies: (label, expected, got).
_RULES = (
    ("no page says what becomes of NaN and infinity here", re.compile(r"with nan"), None),
    (
        "the page does not describe an input of this shape",
        re.compile(r"\b(?:0-d|one element|empty|one row|batch|longer|wider|none)'*$"),
        None,
    ),
    (
        "the page does not name this dtype for the input",
        re.compile(r" as \w+'*$|=ms\.\w+'*$"),
        None,
    ),
    (
        "the page allows no such value, or does not mention it",
        None,
        re.compile(r"Error: |NotImplemented"),
    ),
    (
        "values together that the page does not describe",
        re.compile(r"together \d+, -?\d+'*$|, \w+=[^,]*$"),
        None,
    ),
)


# Reasons for names: (name, difference).
_OF_NAMES = (
    ("its numbers are not initialized", r".*empty(?:_like)?", r""),
    (
        "signs and order of vectors are free",
        r".*\.(?:svd|eigh?|qr|lu\w*)|ops\.(?:Svd|Eigh?|Qr)",
        r"",
    ),
    ("a gradient through an in-place write", r"(?:Tensor|mint)[\w.]*_", r"gradient of"),
    ("the kernel writes to its input, which no page says", r".*index_add|ops\.IndexAdd", r"after"),
    (
        "the kernel leaves its results unwritten",
        r"ops\.(?:Adam\w*|Apply\w+|BatchNorm|Fused\w+|Sparse\w+|SGD|LARSUpdate|Momentum)",
        r"result",
    ),
    (
        "a distribution whose moments vary from sample to sample",
        r".*(?:cauchy|Cauchy|log_normal|LogNormal\w*|RandAugment|AutoAugment|Random\w+)",
        r"moments",
    ),
    ("the original gives a weight no gradient", r".*cross_entropy\w*", r"gradient of weight"),
    ("only one triangle of the input means anything", r".*(?i:cholesky)\w*", r""),
    ("the kernel computes with fewer digits", r".*[.](?:tanh|Tanh)", r"gradient"),
    (
        "the kernel reads memory of another image",
        r"dataset\.vision\.(?:NormalizePad|AdjustHue|Resize|AdjustGamma)",
        r"",
    ),
    (
        "an unstable filter, or one at the edge of float32",
        r"dataset\.audio\.\w*(?:Biquad|Filter|filt)",
        r"",
    ),
    (
        "tables computed in float32 by another formula",
        r"dataset\.audio\.(?:LFCC|MFCC|MelScale|\w+_fbanks|Vad)",
        r"",
    ),
    (
        "random numbers of a seed",
        r".*(?i:rand|multinomial|dropout|bernoulli|sampler)\w*",
        r"values",
    ),
    ("the function of a negative number is not defined", r"ops\.\w*(?i:bessel)\w+", r"values"),
)


def reason_of(case, result):
    """The rule that explains a difference, or None."""
    label = case["id"].split("::", 2)[2]
    difference = result.get("difference") or ""
    for reason, name, part in _OF_NAMES:
        if re.fullmatch(name, case["name"]) and re.search(part, difference):
            return reason
    for reason, labels, got in _RULES:
        if labels is not None and labels.search(label):
            return reason
        if got is not None and got.search(str(result.get("got", ""))):
            return reason
    return None


def keys_of(case, result):
    """How a difference is listed: the label of the call, and each fact that differs where others
    are left.
    """
    name, _, label = case["id"].split("::", 2)
    whole, wanted = f"{case.get('of', name)}::{label}", case["wanted"]
    seen = result.get("observed")
    if not isinstance(seen, dict) or "refused" in seen:
        return [whole]
    facts = [fact for fact, part in wanted.items() if answers.facts_differ(case, fact, part, seen)]
    return [whole] if len(facts) == len(wanted) else [f"{whole}::{fact}" for fact in facts]


def write(judged):
    """Add the differences of a run to the list; returns those that no rule explains, which are
    listed as undecided."""
    listed = yaml.safe_load(APART.read_text(encoding="utf-8")) or {}
    found = {reason: set(keys) for reason, keys in listed.items()}
    left = []
    for case, result in judged:
        if result["status"] != "fail" or "of" in case:
            continue
        reason = reason_of(case, result)
        if reason is None:
            left.append((case, result))
        found.setdefault(reason or UNDECIDED, set()).update(keys_of(case, result))
    text = yaml.safe_dump(
        {reason: sorted(keys) for reason, keys in sorted(found.items())}, width=100
    )
    head = "# Outcomes that are no reference, by reason (varied/settle.py): NAME::LABEL[::FACT].\n"
    APART.write_text(head + text, encoding="utf-8")
    return left
