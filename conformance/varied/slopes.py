"""Adds gradients to the stored calls of a name: to one call, to calls with other options or further
Tensors, and those of the Parameters of a layer."""

import re

from ..calls.call import Call
from ..calls.stored import apart
from ..kinds.cases import LOST
from .additions import all_bases, waves_of
from .changes import floated
from .record import DIFFERENTIABLE, Session, is_moving
from .repeats import tells

_TENSOR, _CHOICE = r"\(?(?:T|cast)\(", r"True|False|'"  # how the texts of arguments begin
MOST = 3  # calls with gradients of a name, besides the first


def add_gradients(name, entries, known, reference):
    """Adds gradients to the stored calls of a name, first to one of them."""
    if not name.startswith(DIFFERENTIABLE):
        return known
    session = Session(name, entries[name], reference)
    session.recording.calls = records = dict(known)
    if not any("gradient" in r and not _is_apart(name, label) for label, r in records.items()):
        _add_first(session, name, entries, known)
    for label in [*records]:
        if "gradient" in records[label] and records[label].get("init") is not None:
            _differentiate(session, label)
    _add_others(session)
    reference.forget()
    return records


def _add_first(session, name, entries, known):
    """Adds gradients to the first stored call that has any. If none has, adds one call that has:
    another known call of the name, the same call with more axes, or with floats in place of
    integers."""
    records, reference = session.recording.calls, session.reference
    for label, record in known.items():
        plain = {k: v for k, v in record.items() if k in ("first", "then", "train")}
        others = record.get("by") != reference.own_word
        if not re.match(r"call \d|example|as \w|plain", label) or others:
            continue
        call = Call(init=record.get("init"), call=record.get("call"), owner=record.get("owner"))
        more, seen = session.with_gradient(call, plain, record["seen"])
        if "gradient" in more:
            if not _is_apart(name, label):
                records[label] = {**record, **more, "seen": seen}
                return
    for label, call, more in all_bases(name, entries):
        for suffix, variant in (
            (", floats", floated(call)),
            ("", call),
            *_as_floats(session, call),
        ):
            seen = variant and session.ask(variant, more)
            if seen is None:
                continue
            wanted, seen = session.with_gradient(variant, more, seen)
            if "gradient" in wanted:
                session.keep(f"gradient of {label}{suffix}", variant, wanted, seen, set())
                return


def _add_others(session):
    """Adds gradients to stored calls that pass further Tensors, another choice, or another value
    of an argument that no call with gradients has changed; Tensors come first."""
    records = session.recording.calls
    shown = [_arguments(record) for record in records.values() if "gradient" in record]
    if not shown or len(shown) > MOST:
        return
    plain = [label for label, record in records.items() if _fits(session, label, record)]
    for kind in (_TENSOR, _CHOICE, ""):
        for label in plain:
            own = _arguments(records[label])
            if len(shown) > MOST or session.lost:
                return
            if any(re.match(kind, text) and _is_new(key, text, shown) for key, text in own.items()):
                added = _differentiate(session, label)
                shown += [own] if added or kind != _TENSOR else []


def _fits(session, label, record):
    """Returns whether a stored call is accepted, plain, and gives numbers that are a reference."""
    known = f"{session.name}::{label}"
    is_own = record.get("by") == session.reference.own_word and "refused" not in record["seen"]
    if not is_own or record.get("call") is None or {known, f"{known}::result"} & apart().keys():
        return False
    if {"then", "gradient", "state", "ranks", "seed", "alone"} & record.keys():
        return False
    return tells(record["seen"].get("result"))


def _is_new(argument, text, shown):
    """Returns whether the calls with gradients lack an argument, or a value of it that may matter:
    every choice of a list, and one other number."""
    values = {own.get(argument) for own in shown}
    if re.match(_TENSOR, text):
        return values == {None}
    return text not in values and (bool(re.match(_CHOICE, text)) or len(values) == 1)


def _arguments(record):
    given = {**(record.get("init") or {}), **(record.get("call") or {})}
    return {key: str(text) for key, text in given.items()}


def _differentiate(session, label):
    """Asks for the gradients of a stored call, and adds those that are not stored. Returns whether
    any gradient of the call has an element that is not 0."""
    record = session.recording.calls[label]
    call = Call(init=record.get("init"), call=record.get("call"), owner=record.get("owner"))
    more = {key: record[key] for key in ("first", "train", "then") if key in record}
    seen = session.ask_once(call, {**more, "gradient": True})
    if seen is None:
        session.lost += session.refusal in LOST
        return False
    new = {key: part for key, part in seen.items() if key.startswith("gradient of ")}
    known = record["seen"]
    if seen.get("result") != known.get("result"):
        return False
    if not any(is_moving(key, part) for key, part in new.items()):
        return False
    session.recording.calls[label] = {**record, "gradient": True, "seen": {**new, **known}}
    return True


def _is_apart(name, label):
    """Returns True if a stored call, or its gradient, is listed as no reference."""
    known = f"{name}::{label}"
    return any(key == known or key.startswith(f"{known}::gradient") for key in apart())


def _as_floats(session, call):
    """Yields (label, call) with float Tensors of the same shapes in place of the Tensors among the
    arguments, including Tensors in a sequence: first all of them at once, then one at a time. The
    reference determines the shapes, because only it can evaluate the argument texts."""
    texts = {**({"self": call.owner} if call.owner else {}), **(call.call or {})}
    shapes = {key: shape for key, text in texts.items() if (shape := session.shape_of(text))}
    wholes = [shapes] if len(shapes) > 1 else []
    for chosen in (*wholes, *({key: shape} for key, shape in shapes.items())):
        variant = call
        for phase, (key, shape) in enumerate(chosen.items(), 1):
            variant = variant and variant.put(key, waves_of(shape, phase))
        if variant is not None:
            yield f", floats for {', '.join(chosen)}", variant
