"""Adds one repeated call to the stored calls of a name: with other numbers, dtypes and shapes in
all of its Tensors at once, and in graph mode (see `again`).

The variations of `record` change one Tensor alone and keep only a few outcomes. An operator of two
Tensors would therefore never be computed in float64, many operators never with an empty Tensor, and
no object would be called twice.
"""

import re

from ..calls.bad import expand
from ..calls.call import Call
from ..calls.stored import apart
from ..reading import specs
from .again import DTYPES, GRAPH, LONG, NAN, SIZED, WORDS
from .record import Session

LABEL = "once more"
IN_GRAPH = f"{LABEL} in a graph"
SETTINGS = ("first", "train")
_LATER = NAN, LONG  # keywords that repetitions stored earlier may lack
# Names whose outcome is not a value: they write files, start processes or change the whole program.
# Others draw numbers, or write to the object of which they are methods.
_NO_CALL = re.compile(
    r"(?:communication|context|dataset\.config|hal|runtime|profiler|log|parallel|mindrecord|rewrite"
    r"|utils|boost|device_\w+|multiprocessing|mint\.distributed|train\.summary)\b.*|.*print\w*|.*_"
    r"|(?:ops|Tensor|nn|mint[\w.]*)\.(?:(?i:dropout\w*|fractional_?max_?pool\w*)|multinomial"
    r"|gumbel_softmax|bernoulli|randperm|new_empty|inplace_\w+)"
)
_GRAPHS = re.compile(r"(?:ops|nn|mint|Tensor|numpy)\.(?!probability|optim).*")


def add_repeats(name, entries, known, reference):
    """Adds the repetition of the first stored call."""
    records, entry = dict(known), entries[name]
    if _NO_CALL.fullmatch(name):
        return records
    base = _base(name, known, reference)
    if base is None or (entry.get("kind") == "class" and base[0].init is None):
        return records
    session = Session(name, entry, reference)
    session.recording.calls = records
    call, more = base
    words = ("",) if "Parameter(" in str(call.call) else _words(entry, reference)
    if LABEL in known:
        seen = known[LABEL]["seen"]
        for word in _LATER if known[LABEL].get("by") is None else ():
            if word in words:
                records[LABEL] = _with_word(session, records[LABEL], more, word)
    else:
        seen = _add_more(session, call, more, words)
    if seen is not None and IN_GRAPH not in known and _GRAPHS.fullmatch(name) and words != ("",):
        _add_graph(session, call, more, seen.get("result"))
    reference.forget()
    return records


def _words(entry, reference):
    """Returns the keywords of the changes. A reference other than MindSpore accepts dtypes and
    shapes that a page does not name, and treats NaN in its own way. It therefore gets only finite
    numbers, and the dtypes that the page lists."""
    if reference.own_word is None:
        return WORDS
    listed = {
        dtype
        for item in entry.get("raises", ())
        for clause in specs.rule_of(item).clauses
        if clause.test == "not" and any(s.facets == ("dtype",) for s in clause.subjects)
        for dtype in expand(clause.operands)
    }
    numbers = ("", "signs", "large", "small")
    return (*numbers, *(word for word in DTYPES if word.rstrip("_") in listed))


def _with_word(session, record, more, word):
    """Returns a stored repetition with the outcome for a keyword at its end, if it lacks that. A
    call that writes to a state is asked for all outcomes again."""
    text = f"sample.again({word!r})"
    if text in record["then"]:
        return record
    has_state = any(fact.endswith(" after") for fact in record["seen"])
    earlier = record["then"] if has_state else []
    call = Call(init=record.get("init"), call=record.get("call"), owner=record.get("owner"))
    seen = session.ask_once(call, {**more, "then": [*earlier, text], "probe": True})
    part = (seen or {}).get(f"then {len(earlier) + 1}")
    if part is None or not tells(part):
        return record
    facts = {**record["seen"], f"then {len(record['then']) + 1}": part}
    return {**record, "then": [*record["then"], text], "seen": facts}


def _add_more(session, call, more, words):
    """Keeps the call with the outcomes of all keywords that give numbers. Returns its facts; None
    if there are none."""
    texts = [f"sample.again({word!r})" for word in words]
    seen = session.ask_once(call, {**more, "then": texts, "probe": True})
    if seen is None:
        return None
    facts = {text: seen.get(f"then {n}") for n, text in enumerate(texts, 1)}
    told = {text: part for text, part in facts.items() if part is not None and tells(part)}
    if not told:
        return None
    rest = {key: part for key, part in seen.items() if "then " not in key}
    parts = {f"then {n}": part for n, part in enumerate(told.values(), 1)}
    session.keep(LABEL, call, {**more, "then": list(told)}, {**rest, **parts}, set())
    return seen


def _add_graph(session, call, more, result):
    """Keeps the call in graph mode if its result equals the result in PyNative mode. A reference
    other than MindSpore has no graph mode; for it, equality is assumed."""
    if result is None or not tells(result):
        return
    facts = {"then 1": result}
    if session.reference.own_word is None:
        facts = session.ask_once(call, {**more, "then": [GRAPH]}) or {}
    if facts.get("then 1") == result:
        session.keep(IN_GRAPH, call, {**more, "then": [GRAPH]}, {"then 1": result}, set())


def accepted(name, known, reference):
    """Yields (call, record) of the accepted calls whose result is a reference."""
    for label, record in known.items():
        if {f"{name}::{label}", f"{name}::{label}::result"} & apart().keys():
            continue
        if "refused" in record["seen"] or record.get("by") != reference.own_word:
            continue
        if "ranks" in record or "state" in record:
            continue
        if re.search(rf"refused|attributes|{LABEL}", label):
            continue
        call = Call(init=record.get("init"), call=record.get("call"), owner=record.get("owner"))
        yield call, record


def _base(name, known, reference):
    """Returns the first accepted call that is followed by nothing, and its settings."""
    for call, record in accepted(name, known, reference):
        if call.call is not None and "then" not in record:
            return call, {key: record[key] for key in SETTINGS if key in record}
    return None


def tells(part):
    """Returns True if facts contain numbers, texts or truth values: more than the name of a
    kind."""
    if isinstance(part, dict):
        return any(tells(inner) for key, inner in part.items() if key != "count")
    if isinstance(part, str):
        return not _NAMES_A_KIND.fullmatch(part)
    return isinstance(part, list) and (len(part) > 2 or not isinstance(part[-1], list))


_NAMES_A_KIND = re.compile(
    r"None|raised .*|varies|(?!True$|False$)[A-Z]\w*|method|function|builtin.*"
)
_KINDS = {
    "sample.again('infinite')": " with nan",
    "sample.again('nan')": " with nan",
    **{f"sample.again({word!r})": " batch" for word in (*SIZED, LONG)},
    **{f"sample.again({word!r})": " as dtype" for word in DTYPES},
}


def kind_of(case, difference):
    """Returns how the Tensors were changed for the fact that differs, in the words of other calls'
    labels; '' for other numbers and other facts."""
    fact = re.match(r"then (\d+)", difference)
    texts = (case.get("then") or ())[int(fact[1]) - 1 :][:1] if fact else ()
    return _KINDS.get(*texts, "") if texts else ""


# Reasons for which such a fact is not a reference: (reason, the call, how the difference begins).
REASONS = (
    (
        "a matrix without an inverse, or almost so",
        r"(?:ops|Tensor)\.(?:(?i:cholesky_?inverse|lstsq)|cond|(?:log_)?matrix_determinant)"
        r"::once more",
        r"then [2346]: ",
    ),
    (
        "signs and order of vectors are free",
        r"(?:ops|Tensor)\.(?:[Ee]ig|eigvals|[Ss]vd)::once more",
        r"then [2-6]: ",
    ),
    (
        "the function is not defined at 0",
        r"(?:ops|Tensor)\.(?:[Ii]gammac?|Betainc|BesselY1|bessel_y1)::once more",
        r"then 6: values",
    ),
    (
        "MindSpore writes to its input",
        r"(?:ops|Tensor)\.(?:ConjugateTranspose|ihfft[2n]?|csr_softmax|index_add)::once more",
        r"then [13]: ",
    ),
    (
        "ties may be ordered in any way",
        r"(?:ops|Tensor)\.(?:topk|NonMaxSuppressionWithOverlaps)::once more",
        r"then 6: ",
    ),
    ("the page asks for sorted rows", r"ops\.(?:Upper|Lower)Bound::once more", r"then 2: values"),
    (
        "MindSpore keeps numbers of the previous call",
        r"ops\.(?:SquareSumAll|Coalesce|coalesce)::once more",
        r"then [126]: ",
    ),
    (
        "MindSpore's dtype depends on the values",
        r"dataset\.vision\.HsvToRgb::once more",
        r"then 5: dtype",
    ),
    ("random numbers of a seed", r"dataset\.vision\.RandomPosterize::once more", r"then 2: "),
    (
        "the page's formula knows no smallest norm",
        r"(?:nn\.ClipByNorm|ops\.clip_by_norm)::once more",
        r"then \d+: values",
    ),
    (
        "MindSpore's rounding near a zero of the function",
        r"(?:nn\.LGamma|(?:ops|Tensor)\.lgamma|ops\.Lgamma)::once more",
        r"then 6: values",
    ),
    (
        "MindSpore computes 1 - tanh(x)^2 by a difference, which is 0 for a large x",
        r"nn\.(?:Jvp|Vjp)::once more",
        r"then 3: 1: values",
    ),
    (
        "MindSpore overflows where the function does not",
        r"(?:nn\.Mish|(?:ops|mint\.nn\.functional)\.mish|ops\.Mish|numpy\.logaddexp2)::once more",
        r"then 3: values",
    ),
)
