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
    (
        "no page promises the order of the rows of several files",
        r"dataset\.(?:AGNews|AmazonReview|DBpedia|SogouNews|YahooAnswers|YelpReview|PennTreebank"
        r"|WikiText|IWSLT201[67]|SQuAD|UDPOS|USPS|Multi30k|CoNLL2000|EnWik9)Dataset",
        r"rows",
    ),
    (
        "no page defines the gradient where an index repeats",
        r"(?:Tensor|ops)\.\w*(?i:scatter_?(?:div|mul))",
        r"gradient of updates",
    ),
    (
        "a gradient through an in-place write",
        r"ops\.(?i:scatter_?(?:nd_?)?(?:max|min|update))",
        r"gradient of updates",
    ),
    (
        "what the fourth result holds without additional_output, no page says",
        r"ops\.add_layer_norm",
        r"result: 3",
    ),
    ("the other triangle means nothing", r"mint\.triangular_solve", r"result: 1"),
    ("a state that the original keeps without training", r"nn\.\w+Thor", r"matrix_\w after"),
    ("the kernel leaves a state below 0 as it is, which no page says", r"ops\.SGD", r"stat after"),
    ("files of an earlier run are in the folder", r"train\.ModelCheckpoint", r"then 2"),
    ("few channels are drawn", r".*(?i:dropout[123]d)", r"moments"),
    ("the kernel does not clamp at amin", r"dataset\.audio\.AmplitudeToDB", r"values"),
    ("0 log 0 is NaN in PyTorch", r"mint\.nn\.(?:functional\.kl_div|KLDivLoss)", r""),
    (
        "the original's own attributes, which no page lists",
        r"JitConfig|parallel\.auto_parallel\.AutoParallel|SymbolTree\.create|dataset\.serialize",
        r"count|missing",
    ),
    ("a state that serves acceleration alone", r"boost\.\w+", r"initial accumulation_step"),
    ("half precision is rounded elsewhere", r"Model|build_train_network", r"then \d+: \d: values"),
    (
        "the original does not accelerate on a CPU what its page says",
        r"Model|build_train_network|boost\.\w+",
        r"",
    ),
    (
        "the original counts no rows, or all of them, for a sampler of its own",
        r"dataset\.\w*Sampler",
        r"then 2",
    ),
    ("a number of a device that is not there", r"get_(?:device|stream)_limit|hal\.\w+", r""),
    ("the original counts no local ranks", r"communication\.(?:init|get_local_rank_size)", r""),
    (
        "a generator of its own",
        r"get_rng_state|ops\.(?:NonDeterministicInts|normal)|common\.initializer\.TruncatedNormal",
        r"",
    ),
    ("bytes that the kernel never wrote", r"ops\.(?i:strided_?slice|max_pool3d)", r"values"),
    ("ties may be ordered in any way", r"(?:ops|mint)\.(?i:topk)|ops\.(?:Upper|Lower)Bound", r""),
    ("the order of eigenvalues is free", r".*(?i:eigvals?)", r""),
    ("the text of the original's C++ library", r"dataset\.Schema(?:\.\w+)?", r"text"),
    ("the original overlooks overflows on a CPU", r"nn\.TrainOneStepWithLossScaleCell", r""),
    ("the function of a negative number is not defined", r"ops\.\w*(?i:bessel)\w+", r"values"),
)


# Reasons that what is expected shows: (difference, what was expected).
_EXPECTED = (
    (
        "the original gives this argument no gradient",
        r"gradient of.*values",
        r"\[\"\w+\", \[[\d, ]*\], \[(?:-?0\.0(?:, )?)+\]\]",
    ),
    (
        "the name of a class that no page mentions",
        r".*text",
        r"\"'?(?:_\w+|\w+Obj|Mindrecord\w+|Schedule|builtin_\w+|Layer)'?\"",
    ),
)


def reason_of(case, result):
    """The rule that explains a difference, or None."""
    label = case["id"].split("::", 2)[2]
    difference = result.get("difference") or ""
    for reason, part, expected in _EXPECTED:
        shown = str(result.get("expected", ""))
        if re.fullmatch(part, difference) and re.fullmatch(expected, shown):
            return reason
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
