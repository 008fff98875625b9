"""Adds calls that a sentence of the page forbids, made from the stored calls of a name, for
sentences that no change of the documented call breaks: the page shows no call, or one that has no
such argument.

The reference must refuse the call. Where it accepts what its page forbids, nothing is kept.
"""

import time
from dataclasses import replace
from itertools import islice

from ..calls import bad
from ..kinds.cases import LOST, of_entry
from ..reading import signatures, specs
from . import repeats
from .record import SECONDS, Session

LABEL = "forbidden"
_BASES, _MOST = 4, 2  # calls that are changed, and refusals that are kept of one sentence
_SETTINGS = ("first", "train")


def add_forbidden(name, entries, known, reference):
    """Adds refused calls for each sentence that no case of the name breaks."""
    entry, records = entries[name], dict(known)
    broken = {case["rule"] for case in of_entry(name, entry, ("raises",))}
    broken |= {label.rpartition(f", {LABEL} by ")[2] for label in known if LABEL in label}
    rules = [specs.rule_of(item) for item in entry.get("raises", ())]
    rules = [r for r in rules if str(r) not in broken and r.verdict != "observed only"]
    session = Session(name, entry, reference)
    session.recording.calls = records
    session.until = time.monotonic() + SECONDS / 10
    for rule in rules:
        _add(session, rule, islice(repeats.accepted(name, known, reference), _BASES))
    reference.forget()
    return records


def _add(session, rule, bases):
    """Keeps the first refusals of calls that break a sentence."""
    kept = 0
    for base, record in bases:
        more = {key: record[key] for key in _SETTINGS if key in record}
        for label, call in bad.offend(rule, _described(base, session.entry)):
            session.refusal = ""
            if session.ask(call, more) is not None or session.refusal in ("", *LOST):
                continue
            if session.refusal in session.deliberate:
                refused = {"refused": session.refusal}
                session.keep(f"{label}, {LABEL} by {rule}", call, more, refused, set())
                kept += 1
            if kept == _MOST:
                return


def _described(call, entry):
    """Returns a call with the names, types and defaults of its arguments."""
    outer = signatures.parse(entry.get("signature") or [])
    inner = signatures.parse(entry.get("call") or list(entry.get("inputs", {})))
    is_class = entry["kind"] == "class"
    return replace(
        call,
        types={**entry.get("types", {}), **entry.get("inputs", {})},
        defaults={a: d for a, _, d in outer if d is not None},
        init_names=_names(outer) if is_class else (),
        call_names=_names(inner if is_class else outer),
    )


def _names(signature):
    return tuple(a for a, kind, _ in signature if kind not in ("args", "kwargs"))
