"""Adds calls that a sentence of the page forbids, made from the stored calls of a name, for
sentences that no change of the documented call breaks: the page shows no call, or one that has no
such argument.

The reference must refuse the call. Where it accepts what its page forbids, nothing is kept.
"""

import time
from dataclasses import replace
from itertools import islice

from ..calls import bad
from ..calls.call import Call
from ..kinds.cases import LOST, of_entry
from ..reading import signatures, specs
from . import conditions, repeats
from .record import SECONDS, Session

LABEL = "forbidden"
_BASES, _MOST = 4, 2  # calls that are changed, and refusals that are kept of one sentence
_SETTINGS = ("first", "train")


def add_forbidden(name, entries, known, reference):
    """Adds refused calls for each sentence that no case of the name breaks."""
    entry, records = entries[name], dict(known)
    rules = [rule for rule in rules_of(entry) if not is_broken(rule, name, entry, known)]
    session = Session(name, entry, reference)
    session.recording.calls = records
    session.until = time.monotonic() + SECONDS / 10
    for rule in rules:
        _add(session, rule, islice(repeats.accepted(name, known, reference), _BASES))
    for rule in rules:
        _add_breaches(session, rule, islice(_made(known), _BASES))
    reference.forget()
    return records


def rules_of(entry):
    """Returns the rules of a page, each once."""
    rules = {str(item): specs.rule_of(item) for item in entry.get("raises", ())}
    return [rule for rule in rules.values() if rule.verdict != "observed only"]


def is_broken(rule, name, entry, known):
    """Returns True if a case of the name breaks a rule: one made from the documented call, or one
    of the stored calls."""
    if any(case["rule"] == str(rule) for case in of_entry(name, entry, ("raises",))):
        return True
    if any(f", {LABEL} by {rule}" in label for label in known):
        return True
    refused = [_question(r) for r in known.values() if r["seen"].get("refused") == rule.error]
    return any(
        _question({**vars(call), **settings}) in refused
        for base, more in (_made(known) if refused else ())
        for _, call, settings in conditions.breaches(rule, _described(base, entry), more)
    )


def _question(record):
    return [record.get(key) or None for key in ("init", "call", "owner", *_SETTINGS)]


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


def _add_breaches(session, rule, bases):
    """Keeps the first calls that break a sentence about more than arguments, and that are refused
    with its exception."""
    kept = 0
    for base, more in bases:
        for label, call, settings in conditions.breaches(
            rule, _described(base, session.entry), more
        ):
            session.refusal = ""
            if session.ask(call, settings) is None and session.refusal == rule.error:
                refused = {"refused": session.refusal}
                session.keep(f"{label}, {LABEL} by {rule}", call, settings, refused, set())
                kept += 1
            if kept == _MOST:
                return


def _made(known):
    """Yields (call, settings) of the calls that the reference accepts, then of refused calls of
    methods: they may be right after another call."""
    own = (record for record in known.values() if "by" not in record)
    for record in sorted(own, key=lambda record: "refused" in record["seen"]):
        is_usable = "refused" not in record["seen"] or record.get("owner")
        if is_usable and "ranks" not in record and "state" not in record:
            call = Call(init=record.get("init"), call=record.get("call"), owner=record.get("owner"))
            yield call, {key: record[key] for key in _SETTINGS if key in record}


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
