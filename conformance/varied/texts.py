"""Adds the uses of an object with other Tensors in all of their texts: in another dtype, and for
elementwise methods longer, in a batch, empty, or with NaN.

`repeats` changes the Tensors of a call. An object that is used by its methods (a distribution, a
metric) has its Tensors in the texts after the call, and was computed in one dtype and one shape.
"""

import re

from . import repeats
from .record import Session

LABEL = "used with"
_LITERAL = re.compile(r"T\('(float32)', (\[[^()]*?\])\)")
_FIRST_NUMBER = re.compile(r"(?<=\[)-?\d+(?:\.\d+)?")
_ELEMENTWISE = re.compile(r"nn\.probability\..*")
DTYPES = {  # word -> the text of a Tensor in place of the one with these elements
    "float16": "T('float16', {})",
    "float64": "T('float64', {})",
    "int32": "T('int32', np.ceil({}))",
}
SHAPES = {
    "more elements": "T('float32', np.concatenate([{0}] * 3, -1))",
    "a batch": "T('float32', np.stack([{0}, np.array({0})[::-1]]))",
    "no elements": "T('float32', np.array({})[:0])",
    "nan": "T('float32', {nan})",
}
_SETTINGS = ("first", "train", "fresh", "alone")


def add_texts(name, entries, known, reference):
    """Adds changes of the stored use of an object whose texts contain the most Tensors."""
    session = Session(name, entries[name], reference)
    session.recording.calls = records = dict(known)
    uses = [] if any(label.startswith(LABEL) for label in known) else _uses(name, known, reference)
    if uses:
        _add(session, *uses[0])
    reference.forget()
    return records


def _add(session, call, more, texts):
    """Keeps the facts of a use that other Tensors change."""
    before = session.ask_once(call, {**more, "then": texts, "probe": True}, session.deliberate)
    changes = {**DTYPES, **(SHAPES if _ELEMENTWISE.fullmatch(session.name) else {})}
    for word, form in changes.items() if before is not None else ():
        changed = [_changed(text, form) for text in texts]
        asked = {**more, "then": changed, "probe": True}
        seen = session.ask_once(call, asked, session.deliberate) or {}
        facts = {key: part for key, part in seen.items() if before.get(key, part) != part}
        if any(repeats.tells(part) or "raised" in str(part) for part in facts.values()):
            session.keep(f"{LABEL} {word}", call, {**more, "then": changed}, facts, set())


def _uses(name, known, reference):
    """Returns [(call, settings, texts)] of the accepted calls; that with the most Tensors is
    first."""
    uses = []
    for call, record in repeats.accepted(name, known, reference):
        texts = list(map(str, record.get("then", ())))
        if call.init is not None and any(map(_LITERAL.search, texts)):
            uses.append((call, {k: record[k] for k in _SETTINGS if k in record}, texts))
    return sorted(uses, key=lambda use: -len(_LITERAL.findall(str(use[2]))))


def _changed(text, form):
    """Returns a text with other Tensors."""

    def other(match):
        elements = match[2]
        return form.format(elements, nan=_FIRST_NUMBER.sub("nan", elements, count=1))

    return _LITERAL.sub(other, text)
