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
from ..kinds.cases import LOST, ODD, of_entry
from ..running import answers
from . import repeats
from .changes import arguments, shapes_of
from .record import SECONDS, Session

_SETTINGS = ("first", "train")  # keys of a call besides its arguments
# Kind of change -> the number of refusals to keep, for each argument and exception.
MOST = {"plain": 2, "dtype": 2, "rank": 2, "shape": 2}
_NO_ARRAYS = "'wrong'", "None", "1", "[0.5, 'wrong']", "np.array('wrong')"
_OPEN = re.compile(r"seed$|name$|generator$")  # arguments that take almost anything


def add_refusals(name, entries, known, reference, recorded=None):
    """Adds refused variations of accepted calls: of the first one, and of the first that passes an
    argument of which no refusal is stored. If answers to odd calls of an argument are stored, only
    the shapes of Tensors are varied."""
    session = Session(name, entries[name], reference)
    session.recording.calls = records = dict(known)
    recorded = _recorded() if recorded is None else recorded
    answered, refused = _answered(name, entries[name], recorded), _refused(known)
    for index, (call, more) in enumerate(repeats.accepted(name, known, reference)):
        more = {key: more[key] for key in _SETTINGS if key in more}
        given = [a for a in arguments(call) if not index or a not in {*answered, *refused}]
        if not given or (not index and session.ask(call, more) is None):
            continue
        if not index:
            session.until = time.monotonic() + SECONDS // 10
        for argument in given:
            refused.add(argument)
            _vary(session, argument, call, more, argument in answered)
        if time.monotonic() > session.until:
            break
    reference.forget()
    return records


def _vary(session, argument, call, more, is_answered):
    """Keeps refused changes of one argument of a call."""
    known, counts = session.recording.calls, Counter()
    session.tries = session.lost = 0
    for kind, label, variant in _changes(argument, call, is_answered):
        if f"refused {label}" in known:
            counts[kind, known[f"refused {label}"]["seen"].get("refused")] += 1
            continue
        session.refusal = ""
        if session.ask(variant, more) is None and session.refusal in session.deliberate:
            counts[kind, session.refusal] += 1
            if counts[kind, session.refusal] <= MOST[kind]:
                refused = {"refused": session.refusal}
                session.keep(f"refused {label}", variant, more, refused, set())
        if session.refusal in LOST or time.monotonic() > session.until:
            break


def _refused(known):
    """Returns the arguments of which a refusal is stored."""
    labels = (label.removeprefix("refused ") for label in known if label.startswith("refused "))
    return {re.match(r"\*?\w*", label)[0] for label in labels}


def _recorded():
    if not _ANSWERS:
        _ANSWERS.update(answers.load())
    return _ANSWERS


_ANSWERS = {}


def _answered(name, entry, recorded):
    """Returns the arguments of which answers to odd calls are stored."""
    odd_cases = of_entry(name, entry, (ODD,))
    if not any(answers.is_sound(case, recorded) for case in odd_cases[:1]):
        return set()
    return {case["id"].split("::")[2].partition("=")[0] for case in odd_cases}


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
