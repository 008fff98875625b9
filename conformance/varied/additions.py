"""Adds calls to those that are stored of a name: further calls of the table, gradients, arguments
that no case passes, what objects keep of their arguments; or asks about the stored calls again.
"""

import json
import re
import time
from dataclasses import replace

from ..calls.call import Call
from ..calls.stored import apart
from ..kinds.cases import LOST, area_of, of_entry
from ..reading import signatures
from ..running import answers
from .bases import bases
from .changes import arguments, deeper, floated, variations
from .record import SECONDS, TRIES, Session, refuse

_QUESTION = ("init", "call", "owner", "first", "then", "train")
_SETTINGS = ("first", "then", "train", "gradient")  # of a call, besides its arguments


def add_gradients(name, entries, known, reference):
    """Stored calls of a name, the first that has gradients with them; where none of them has, one
    more call: another that is known of the name, with more axes, or with floats for integers.
    """
    session = Session(name, entries[name], reference)
    session.recording.calls = records = dict(known)
    if any(
        "gradient" in record and not _is_apart(name, label) for label, record in records.items()
    ):
        return records
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
                return records
    for label, call, more in _all_bases(name, entries):
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
                return records
    reference.forget()
    return records


def _is_apart(name, label):
    """Whether a stored call, or its gradient, is no reference."""
    known = f"{name}::{label}"
    return any(key == known or key.startswith(f"{known}::gradient") for key in apart())


def _as_floats(session, call):
    """Yields (label, call) with float Tensors of the same shapes for the Tensors among the
    arguments, also in a sequence: for all of them, then for one alone. The reference says what a
    text gives."""
    texts = {**({"self": call.owner} if call.owner else {}), **(call.call or {})}
    shapes = {key: shape for key, text in texts.items() if (shape := session.shape_of(text))}
    wholes = [shapes] if len(shapes) > 1 else []
    for chosen in (*wholes, *({key: shape} for key, shape in shapes.items())):
        variant = call
        for phase, (key, shape) in enumerate(chosen.items(), 1):
            variant = variant and variant.put(key, _waves(shape, phase))
        if variant is not None:
            yield f", floats for {', '.join(chosen)}", variant


def _waves(shape, phase):
    """The text of a float Tensor, or of a tuple of them, without two equal elements."""
    if isinstance(shape, dict):
        parts = [_waves(part, phase + i) for i, part in enumerate(shape.values())]
        return f"({', '.join(parts)},)"
    return f"T('float32', spread({tuple(shape)}, 0.3, 1.7, {phase}))"


def add_calls(name, entries, known, reference):
    """Stored calls of a name; with them, those of the table that are not stored."""
    session = Session(name, entries[name], reference)
    session.recording.calls = dict(known)
    asked = [[record.get(key) for key in _QUESTION] for record in known.values()]
    for label, call, more in bases(name, entries):
        question = {"init": call.init, "call": call.call, "owner": call.owner, **more}
        if not label.startswith("call") or [question.get(key) for key in _QUESTION] in asked:
            continue
        session.tries, session.refusal = 0, ""
        session.until = time.monotonic() + SECONDS
        seen = session.ask(call, more)
        if seen is None:
            session.keep_refusal(label, call, more)
        else:
            session.keep(label, call, *session.with_gradient(call, more, seen), set())
    reference.forget()
    return session.recording.calls


def ask_again(name, entries, known, reference):
    """Stored calls of a name with the facts that the reference gives now, where they differ. What
    it refuses now by an accident is left out, and what it was too slow for stays.
    """
    session, records = Session(name, entries[name], reference), {}
    for label, record in known.items():
        records[label] = record
        if record.get("by") != reference.own_word:
            continue
        session.tries = session.lost = 0
        session.until = time.monotonic() + SECONDS
        session.refusal, session.seen = "", {}
        call = Call(init=record.get("init"), call=record.get("call"), owner=record.get("owner"))
        more = {key: record[key] for key in _SETTINGS if key in record}
        seen = session.ask(call, more)
        if seen is None:
            seen = {"refused": session.refusal}
        if session.refusal in LOST:
            continue
        if session.refusal and session.refusal not in session.deliberate:
            del records[label]
        elif answers.facts_differ(record, None, record["seen"], seen) or _adds(
            seen, record["seen"]
        ):
            records[label] = {**record, "seen": seen}
    reference.forget()
    return records


def add_arguments(name, entries, known, reference):
    """Stored calls of a name; with them, values of arguments that no case of the name passes. An
    argument may have no effect in the first call that is known, so all of them are tried, also
    with more axes, and without calling the layer; in the end, values that are refused."""
    session = Session(name, entries[name], reference)
    session.recording.calls = dict(known)
    given = _passed(name, entries[name])
    for argument in [a for a in _documented(entries[name]) if a not in given]:
        session.tries, session.lost = TRIES // 2, 0
        session.until = time.monotonic() + SECONDS // 10
        if not any(_shows(session, argument, *base) for base in _all_bases(name, entries)):
            for _, call, more in bases(name, entries):
                accepted = session.ask(call, more) is not None
                if accepted and refuse(session, call, more, {argument: []}):
                    break
    reference.forget()
    return session.recording.calls


def _adds(seen, known):
    """Whether facts contain one that the known facts lack, also inside of another."""
    return any(
        key not in known
        or (isinstance(part, dict) and isinstance(known[key], dict) and _adds(part, known[key]))
        for key, part in seen.items()
    )


_PLACES = re.compile(  # arguments whose numbers below 0 are no values, but places, counts or sizes
    r"(?i)^\*|ind|idx|id|label|target|class|axis|axes|dim|shape|size|len|offset|pos|seq|num|count|bin"
    r"|begin|end|start|stride|stop|perm|row|col|segment|repeat|multiple|pad|true|valid|token|k$|n$"
)


def add_inputs(name, entries, known, reference):
    """Stored calls of a name; with them, integers below 0 in one Tensor after another of the first
    call that is known."""
    session = Session(name, entries[name], reference)
    session.recording.calls = dict(known)
    for label, record in known.items():
        if not re.fullmatch(r"call \d+|example|as \S+|plain", label) or "by" in record:
            continue
        call = Call(init=record.get("init"), call=record.get("call"), owner=record.get("owner"))
        more = {key: record[key] for key in _SETTINGS if key in record}
        outcomes = {json.dumps(record["seen"], sort_keys=True)}
        for argument in filter(lambda a: not _PLACES.search(a), arguments(call)):
            options = variations(argument, call, session.entry, area_of(name))
            for text in (text for suffix, text in options if suffix == "below 0"):
                variant = call.put(argument, text)
                seen = variant and session.ask(variant, more)
                if seen:
                    session.keep(f"{argument} below 0", variant, more, seen, outcomes)
        break
    reference.forget()
    return session.recording.calls


def add_attributes(name, entries, known, reference):
    """Stored calls of a class; with them, what an object keeps of its arguments: a primitive in
    `init_attrs`, another object in attributes of their names. It shows which arguments arrive also
    where no call can be made."""
    session = Session(name, entries[name], reference)
    session.recording.calls = dict(known)
    call = next((call for _, call, _ in bases(name, entries) if call.init is not None), None)
    if call is None:
        return session.recording.calls
    instance = replace(call, call=None)
    names = [a for a in instance.init_names if a.isidentifier()]
    texts = [f"it.{a}" for a in ("init_attrs", *names)]
    seen = session.ask(instance, {"then": texts}) or {}
    then = [text for i, text in enumerate(texts, 1) if _is_plain(seen.get(f"then {i}"))]
    then = then[:1] if then[:1] == ["it.init_attrs"] else then
    for argument in names if then else ():
        session.tries = session.lost = 0
        session.until = time.monotonic() + SECONDS // 10
        _shows(session, argument, "attributes", instance, {"then": then})
    reference.forget()
    return session.recording.calls


def _is_plain(seen):
    """Whether an attribute shows a value: no missing one, no method, no part that is a layer."""
    if isinstance(seen, str):
        return not re.match(r"raised |method$|function$|builtin", seen)
    return seen is not None


def _documented(entry):
    """The arguments of a name that have defaults."""
    listed = [*(entry.get("signature") or []), *(entry.get("call") or [])]
    return [a for a, _, d in signatures.parse(listed) if d is not None]


def _passed(name, entry):
    """The arguments that the cases of a name pass, however they call it."""
    names = set()
    for case in of_entry(name, entry):
        for part in (case.get("init"), case.get("call")):
            names.update(part or ())
        texts = [*case.get("then", ()), case.get("script") or ""]
        names.update(re.findall(r"\b(\w+)=", str(texts)))
    return names


def _all_bases(name, entries):
    """The calls that are known of a name, and what can be made of them."""
    for label, call, more in bases(name, entries):
        yield label, call, more
        variant = deeper(call)
        if variant is not None:
            yield f"{label}, deeper", variant, more
        if call.init is not None and call.call is not None:
            yield f"{label}, made", replace(call, call=None), more


def _shows(session, argument, label, call, more):
    """Whether values of an argument change the outcome of a call; keeps two that do."""
    base = session.ask(call, more)
    if base is None:
        return False
    outcomes, count = {json.dumps(base, sort_keys=True)}, 0
    for name, text in variations(argument, call, session.entry, area_of(session.name))[:20]:
        variant = call.put(argument, text)
        seen = variant and session.ask(variant, more)
        if seen and session.keep(f"{name} in {label}", variant, more, seen, outcomes):
            count += 1
            session.recording.arguments[argument] += 1
        if count == 2:
            break
    return count > 0
