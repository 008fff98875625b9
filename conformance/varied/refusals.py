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

_SETTINGS = ("first", "then", "train")  # keys of a call besides its arguments
# Kind of change -> the number of refusals to keep, for each argument and exception.
MOST = {"plain": 2, "dtype": 2, "rank": 2, "shape": 2}
_NO_ARRAYS = "'wrong'", "None", "1", "[0.5, 'wrong']", "np.array('wrong')"
_OPEN = re.compile(r"seed$|name$|generator$")  # arguments that take almost anything


def add_refusals(name, entries, known, reference, recorded=None):
    """Adds refused variations of one accepted call. If answers to odd calls of the name are stored,
    only the shapes of Tensors are varied."""
    session = Session(name, entries[name], reference)
    session.recording.calls = records = dict(known)
    base = _accepted(known, reference)
    if base is None:
        return records
    call, more = base
    answered = _is_answered(name, entries[name], _recorded() if recorded is None else recorded)
    if session.ask(call, more) is None:
        return records
    until = time.monotonic() + SECONDS // 10
    for argument in arguments(call):
        session.tries = session.lost = 0
        counts = Counter()
        for kind, label, variant in _changes(argument, call, answered):
            if f"refused {label}" in known:
                counts[kind, known[f"refused {label}"]["seen"].get("refused")] += 1
                continue
            session.refusal, session.until = "", until
            if session.ask(variant, more) is None and session.refusal in session.deliberate:
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
        plain = _NO_ARRAYS if _is_array(text) else odd.values(text, value)
        variants += [("plain", f"{argument}={short(t)}", t) for t in plain]
        variants += [(kind, argument + c, text + c) for kind, c in _of_array(text, value)]
    if isinstance(value, np.ndarray) and text and text.startswith("T("):
        variants += [("shape", f"{argument} {label}", t) for label, t in shapes_of(text, value)]
    changed = [(kind, label, call.put(argument, t)) for kind, label, t in variants]
    return [(kind, label, variant) for kind, label, variant in changed if variant is not None]


def _is_array(text):
    return bool(text) and text.startswith("array(")


def _of_array(text, value):
    """Returns [(kind, change)] that give an array another dtype or rank, or no elements."""
    if not _is_array(text) or not isinstance(value, np.ndarray):
        return []
    ranks = "[None]", "[None, None]", "[0]", ".reshape(-1)[0]", "[:0]"
    dtypes = "complex64", "bool", "float32", "float64", "int32", "uint64", "str"
    others = [f".astype('{dtype}')" for dtype in dtypes if dtype != value.dtype.name]
    return [("rank", change) for change in ranks] + [("dtype", change) for change in others]
