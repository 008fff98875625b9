"""Adds calls that the reference refuses to the stored calls of a name: one argument at a time of an
accepted call gets a value of another type, dtype, rank or shape.

No accepted call reveals a check that is missing, too strict or too lax.
"""

import re
import time
from collections import Counter

import numpy as np

from ..calls import odd
from ..calls.bad import short
from ..calls.call import Call
from ..kinds.cases import LOST, ODD, of_entry
from ..running import answers
from .changes import arguments, shapes_of
from .record import SECONDS, Session

_SETTINGS = ("first", "then", "train")  # of a call, besides its arguments
MOST = {"plain": 2, "shape": 2}  # refusals of one argument that are kept, for each exception
_OPEN = re.compile(r"seed$|name$|generator$")  # arguments that take almost anything


def add_refusals(name, entries, known, reference, recorded=None):
    """Adds refused variations of one accepted call. If answers to odd calls of the name are stored,
    only the shapes of Tensors are varied."""
    session = Session(name, entries[name], reference)
    session.recording.calls = records = dict(known)
    base = _accepted(known, reference)
    if base is None or any(label.startswith("refused ") for label in known):
        return records
    call, more = base
    answered = _is_answered(name, entries[name], _recorded() if recorded is None else recorded)
    if session.ask(call, more) is None:
        return records
    until = time.monotonic() + SECONDS // 10
    deliberate = {*session.deliberate, *(("RuntimeError",) if name.startswith("dataset.") else ())}
    for argument in arguments(call):
        session.tries = session.lost = 0
        counts = Counter()
        for kind, label, variant in _changes(argument, call, answered):
            session.refusal, session.until = "", until
            if session.ask(variant, more) is None and session.refusal in deliberate:
                counts[kind, session.refusal] += 1
                if counts[kind, session.refusal] <= MOST[kind]:
                    refused = {"refused": session.refusal}
                    session.keep(f"refused {label}", variant, more, refused, set())
            if session.refusal in LOST or time.monotonic() > until:
                break
    reference.forget()
    return records


def _recorded():
    if not _ANSWERS:
        _ANSWERS.update(answers.load())
    return _ANSWERS


_ANSWERS = {}


def _accepted(known, reference):
    """Returns the first stored call that the reference accepts, by argument names; None if there is
    none."""
    for record in known.values():
        call = Call(init=record.get("init"), call=record.get("call"), owner=record.get("owner"))
        has_arguments = call.init or call.call or call.owner
        if "refused" in record["seen"] or record.get("by") != reference.own_word:
            continue
        if has_arguments and "ranks" not in record:
            return call, {key: record[key] for key in _SETTINGS if key in record}
    return None


def _is_answered(name, entry, recorded):
    """Returns True if answers to odd calls of the name are stored."""
    return any(answers.is_sound(case, recorded) for case in of_entry(name, entry, (ODD,))[:1])


def _changes(argument, call, answered):
    """Returns [(kind of change, label, changed call)] for one argument, the most likely refusals
    first."""
    text, value = call.get(argument), call.value(argument)
    variants = []
    if not answered and not _OPEN.search(argument):
        texts = _of_array(text, value) if _is_array(text) else odd.values(text, value)
        variants += [("plain", f"{argument}={short(t)}", t) for t in texts]
    if isinstance(value, np.ndarray) and text and text.startswith("T("):
        variants += [("shape", f"{argument} {label}", t) for label, t in shapes_of(text, value)]
    changed = [(kind, label, call.put(argument, t)) for kind, label, t in variants]
    return [(kind, label, variant) for kind, label, variant in changed if variant is not None]


def _is_array(text):
    return bool(text) and text.startswith("array(")


def _of_array(text, value):
    """Returns other values for an array: no array, other dtypes and ranks, an empty array."""
    texts = ["'wrong'", "None", "1", "[0.5, 'wrong']", "np.array('wrong')"]
    if isinstance(value, np.ndarray):
        texts += [f"{text}[None]", f"{text}[None, None]", f"{text}[0]", f"{text}.reshape(-1)[0]"]
        texts += [f"{text}[:0]", f"{text}.astype('complex64')", f"{text}.astype('bool')"]
    return texts
