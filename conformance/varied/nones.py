"""Adds a call that passes None for every argument that an accepted call leaves out and whose
documented default is None.

Its outcome must be the same. It reveals an implementation that refuses None, or takes it for
another value than a missing argument.
"""

from ..reading import signatures
from . import repeats
from .record import Session

LABEL = "None given"
MOST = 3  # calls of a name that are tried
_SETTINGS = ("first", "then", "train", "fresh")


def add_nones(name, entries, known, reference):
    """Adds one informative call of a name with None."""
    records = dict(known)
    if LABEL in known:
        return records
    session = Session(name, entries[name], reference)
    session.recording.calls = records
    tries = 0
    for call, record in repeats.accepted(name, known, reference):
        left_out = _left_out(entries[name], call)
        if not left_out or not repeats.tells(record["seen"]):
            continue
        more = {key: record[key] for key in _SETTINGS if key in record} | {"probe": True}
        base = session.ask_once(call, more)
        variant, seen = _with(session, call, more, left_out, base)
        if variant is not None:
            more.pop("probe")
            session.keep(LABEL, variant, more, seen, set())
        tries += 1
        if variant is not None or tries == MOST:
            break
    reference.forget()
    return records


def _with(session, call, more, left_out, base):
    """Returns the call with None for all arguments, or for those for which the outcome stays the
    same, and the outcome; None without such arguments."""
    for given in (left_out, None):
        if given is None:
            given = [part for part in left_out if _outcome(session, call, more, [part]) == base]
        if given and base is not None and _outcome(session, call, more, given) == base:
            return _put(call, given), base
    return None, None


def _outcome(session, call, more, given):
    return session.ask_once(_put(call, given), more)


def _put(call, given):
    """Returns the call with more arguments: [(part of the call, argument, text)]."""
    variant = call
    for part, argument, text in given:
        owner = {**(getattr(variant, part) or {}), argument: text}
        variant = type(call)(**{**vars(variant), part: owner})
    return variant


def _left_out(entry, call):
    """Returns [(part of the call, argument, "None")] of the arguments that a call does not pass and
    whose documented default is None."""
    inner = entry.get("call") or []
    parts = (("init", entry.get("signature") or []), ("call", inner))
    if call.init is None:
        parts = (("call", entry.get("signature") or []),)
    listed = []
    for part, signature in parts:
        given = getattr(call, part)
        if given is None:
            continue
        by_place = sum(key.startswith("*") for key in given)
        for place, (argument, kind, default) in enumerate(signatures.parse(signature)):
            is_named = kind == "keyword" or place >= by_place
            if is_named and argument not in given and default == "None":
                listed.append((part, argument, default))
    return listed
