"""Adds calls that show what no number of a result shows: whether its Tensors share memory with an
argument or a state, and how an object prints itself.
"""

import re
from dataclasses import replace

from .bases import bases
from .record import Session
from .repeats import accepted, tells
from .sharing import SHARES

SHARING, PRINTED = "memory", "printed"
MOST = 8  # methods of an object whose results are asked about
_SETTINGS = ("first", "train", "fresh")
# Names that start processes, change the whole program, give memory without values, or return their
# input by chance.
_NO_CALL = re.compile(
    r"(?:communication|context|hal|runtime|profiler|log|device_\w+|multiprocessing|parallel"
    r"|mint\.distributed|rewrite)\b.*|dataset\.config.*|set_\w+|.*print\w*|.*empty(?:_like)?"
    r"|dataset\.vision\.(?:\w*Random\w*|\w*Aug\w*|MixUp)|.*(?i:dropout|bernoulli).*|.*_"
)
_METHOD = re.compile(r"(?:it|sample\.held)\.\w+\(.*\)|it\(.*\)")
# Parts of a text that vary from run to run, or name a file.
_VARYING = re.compile(r"0x[0-9a-f]{6,}|object at|/tmp/|\.py\b")


def add_sharing(name, entries, known, reference):
    """Adds the first stored call once more, or the methods of the first object that is used, with
    what shares memory with the results."""
    records, entry = dict(known), entries[name]
    if _NO_CALL.fullmatch(name) or any(label.startswith(SHARING) for label in known):
        return records
    session = Session(name, entry, reference)
    session.recording.calls = records
    for call, record in list(accepted(name, known, reference)):
        texts = _asked(call, record)
        if texts is None or any(fact.endswith(" after") for fact in record["seen"]):
            continue  # a call that writes to its arguments is another one the second time
        more = {key: record[key] for key in _SETTINGS if key in record}
        seen = session.ask_once(call, {**more, "then": texts, "probe": True})
        asked = {f"then {n}" for n, text in enumerate(texts, 1) if SHARES in text}
        facts = {key: part for key, part in (seen or {}).items() if key in asked}
        facts = {key: part for key, part in facts.items() if isinstance(part, dict)}
        if facts:
            session.keep(SHARING, call, {**more, "then": texts}, facts, set())
            break
    reference.forget()
    return records


def _asked(call, record):
    """Returns the texts that ask about a stored call; None if they do not apply."""
    texts = [text for text in map(str, record.get("then", ())) if SHARES not in text]
    if not texts:
        return None if call.call is None else [f"{SHARES}()"]
    methods = list(dict.fromkeys(filter(_METHOD.fullmatch, texts)))[:MOST]
    return [*texts, *(f"{SHARES}(lambda: {text})" for text in methods)] if methods else None


def add_prints(name, entries, known, reference):
    """Adds the printed form of a new object of a class."""
    records = dict(known)
    if entries[name].get("kind") != "class" or PRINTED in known or _NO_CALL.fullmatch(name):
        return records
    session = Session(name, entries[name], reference)
    session.recording.calls = records
    texts = ["str(it)", "repr(it)"]
    for _, call, more in bases(name, entries):
        if call.init is None:
            continue
        more = {key: part for key, part in more.items() if key in _SETTINGS}
        made = replace(call, call=None)
        varying = session.ask_once(made, {**more, "then": [f"{_FOUND} is not None"]})
        if varying is None or varying.get("then 1") != "False":
            continue
        seen = session.ask_once(made, {**more, "then": texts, "probe": True}) or {}
        facts = {key: seen[key] for key in ("then 1", "then 2") if tells(seen.get(key))}
        if facts:
            session.keep(PRINTED, made, {**more, "then": texts}, facts, set())
        break
    reference.forget()
    return records


_FOUND = f"__import__('re').search({_VARYING.pattern!r}, str(it) + repr(it))"


# Reasons for which such a fact is not a reference: (reason, the call, how the difference begins).
REASONS = (
    (
        "a view; MindSpore writes to a copy of a view that is not contiguous",
        r"(?:Tensor|mint|ops)\.(?:diagonal|[dhv]?split|tensor_split|chunk|unstack|moveaxis|movedim"
        r"|narrow|permute|select|swapaxes|swapdims|t|T|mT|transpose|unbind)::memory",
        r"then 1: ",
    ),
    (
        "a view of the input where MindSpore returns a copy; no page says which",
        r"(?:ops\.(?:BatchToSpaceND|SpaceToBatchND|CheckNumerics|DepthToSpace|SpaceToDepth|DiagPart"
        r"|Split)|nn\.CentralCrop|dataset\.transforms\.TypeCast)::memory",
        r"then 1: ",
    ),
    (
        "a copy where MindSpore returns a view; no page says which",
        r"mint\.nn\.Flatten::memory",
        r"then 1: ",
    ),
)
