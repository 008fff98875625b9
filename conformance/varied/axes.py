"""Adds calls that count an axis from the end: the outcome must be that of the same axis counted
from the front.

Pages give an axis a range, and calls mostly pass one that is not below 0. An implementation that
takes the two for different axes is revealed by such a call alone.
"""

import ast
import re

from ..calls.call import Call
from ..reading import signatures
from . import repeats
from .record import Session

_AXIS = re.compile(r"axis\d?|dims?\d?|axes|(?:seq|batch|start|end|split|concat)_(?:dim|axis)")
_SETTINGS = ("first", "then", "train", "fresh")
RANKS = range(1, 6)


def add_axes(name, entries, known, reference):
    """Adds one call for each axis of a name that no accepted call counts from the end."""
    records = dict(known)
    session = Session(name, entries[name], reference)
    session.recording.calls = records
    for argument, default in _axes(entries[name]):
        if any(_is_below_0(_given(record).get(argument)) for record in _accepted(known)):
            continue
        for call, record in repeats.accepted(name, known, reference):
            value = _value(_given(record).get(argument, default))
            if repeats.tells(record["seen"]) and value is not None:
                more = {key: record[key] for key in _SETTINGS if key in record}
                _add(session, argument, value, call, more)
                break
    reference.forget()
    return records


def _add(session, argument, value, call, more):
    """Keeps the call with the axis counted from the end, for the rank at which the outcome stays
    the same."""
    asked = {**more, "probe": True}
    base = session.ask_once(call, asked)
    for rank in RANKS if base is not None else ():
        below = tuple(v - rank for v in value) if isinstance(value, tuple) else value - rank
        variant = _put(call, argument, repr(below))
        if session.ask_once(variant, asked) == base:
            session.keep(f"{argument}={below!r} from the end", variant, more, base, set())
            return


def _put(call, argument, text):
    part = "init" if call.init is not None and argument not in (call.call or {}) else "call"
    given = {**(getattr(call, part) or {}), argument: text}
    return Call(**{**vars(call), part: given})


def _axes(entry):
    """Returns [(argument, text of its default)] of the axes that the signature has."""
    listed = [*(entry.get("signature") or []), *(entry.get("call") or [])]
    return [(a, d) for a, _, d in signatures.parse(listed) if _AXIS.fullmatch(a)]


def _given(record):
    return {**(record.get("init") or {}), **(record.get("call") or {})}


def _accepted(known):
    return [record for record in known.values() if "refused" not in record["seen"]]


def _value(text):
    """Returns the axis, or the tuple of axes, that a text spells; None for others, and where one of
    them is below 0."""
    try:
        value = ast.literal_eval(text or "-")
    except (ValueError, SyntaxError):
        return None
    parts = value if isinstance(value, (tuple, list)) else (value,)
    if not parts or any(type(part) is not int or part < 0 for part in parts):
        return None
    return tuple(parts) if isinstance(value, (tuple, list)) else value


def _is_below_0(text):
    return text is not None and bool(re.match(r"[(\[]?-\d", text))
