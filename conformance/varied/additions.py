"""Adds calls to the stored calls of a name: further calls of the table, values of
arguments that no case passes, and attributes of objects. `recheck` asks the reference about the
stored calls once more.

Each function takes the stored calls {label: record} of a name and returns them with its additions.
"""

import json
import re
import time
from dataclasses import replace

from ..calls.call import Call
from ..kinds import members
from ..kinds.cases import LOST, area_of, of_entry
from ..reading import signatures
from ..running import answers
from .bases import bases
from .changes import arguments, deeper, variations
from .record import SECONDS, TRIES, Session, refuse

_QUESTION = ("init", "call", "owner", "first", "then", "train", "alone")
SETTINGS = (
    "first",
    "then",
    "train",
    "gradient",
    "state",
    "alone",
)  # of a call, besides its arguments


def waves_of(shape, phase):
    """Returns the text of a float Tensor, or of a tuple of them, in which no two elements are
    equal."""
    if isinstance(shape, dict):
        parts = [waves_of(part, phase + i) for i, part in enumerate(shape.values())]
        return f"({', '.join(parts)},)"
    return f"T('float32', spread({tuple(shape)}, 0.3, 1.7, {phase}))"


def add_calls(name, entries, known, reference):
    """Adds the calls of the table that are not stored yet."""
    session = Session(name, entries[name], reference)
    session.recording.calls = dict(known)
    asked = [[record.get(key) for key in _QUESTION] for record in known.values()]
    for label, call, more in bases(name, entries):
        question = {"init": call.init, "call": call.call, "owner": call.owner, **more}
        if (
            not label.startswith(("call", "use"))
            or [question.get(key) for key in _QUESTION] in asked
        ):
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


def recheck(name, entries, known, reference):
    """Replaces the facts of each stored call by the facts that the reference gives now, if they
    differ. A call that the reference now refuses by accident is removed. A call for which it is now
    too slow stays unchanged."""
    session, records = Session(name, entries[name], reference), {}
    for label, record in known.items():
        records[label] = record
        if record.get("by") != reference.own_word:
            continue
        session.tries = session.lost = 0
        session.until = time.monotonic() + SECONDS
        session.refusal, session.seen = "", {}
        call = Call(init=record.get("init"), call=record.get("call"), owner=record.get("owner"))
        more = {key: record[key] for key in SETTINGS if key in record}
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
    """Adds values of arguments that no case of the name passes. An argument may have no effect in
    the first known call, so all known calls are tried, including with more axes and without calling
    the layer. If no value has an effect, values that the reference refuses are added."""
    session = Session(name, entries[name], reference)
    session.recording.calls = dict(known)
    given = _passed(name, entries[name])
    for argument in [a for a in _documented(entries[name]) if a not in given]:
        session.tries, session.lost = TRIES // 2, 0
        session.until = time.monotonic() + SECONDS // 10
        if not any(_shows(session, argument, *base) for base in all_bases(name, entries)):
            for _, call, more in bases(name, entries):
                accepted = session.ask(call, more) is not None
                if accepted and refuse(session, call, more, {argument: []}):
                    break
    reference.forget()
    return session.recording.calls


def _adds(seen, known):
    """Returns True if `seen` has a fact, possibly nested in another, that `known` lacks."""
    return any(
        key not in known
        or (isinstance(part, dict) and isinstance(known[key], dict) and _adds(part, known[key]))
        for key, part in seen.items()
    )


_PLACES = re.compile(  # arguments that are positions, counts or sizes, not just numbers
    r"(?i)^\*|ind|idx|id|label|target|class|axis|axes|dim|shape|size|len|offset|pos|seq|num|count|bin"
    r"|begin|end|start|stride|stop|perm|row|col|segment|repeat|multiple|pad|true|valid|token|k$|n$"
)


def add_inputs(name, entries, known, reference):
    """Adds variations of the first known call in which one Tensor at a time has integers
    below 0."""
    session = Session(name, entries[name], reference)
    session.recording.calls = dict(known)
    for label, record in known.items():
        if not re.fullmatch(r"call \d+|example|as \S+|plain", label) or "by" in record:
            continue
        call = Call(init=record.get("init"), call=record.get("call"), owner=record.get("owner"))
        more = {key: record[key] for key in SETTINGS if key in record}
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


def add_pairs(name, entries, known, reference):
    """Adds calls in which two arguments differ from the first call: an input and an option, or two
    inputs. The inputs take turns, so that each meets other options."""
    session = Session(name, entries[name], reference)
    session.recording.calls = dict(known)
    base = next((record for record in known.values() if _is_plain_call(record, reference)), None)
    inputs, options = _changed_alone(base, known, reference) if base else ([], [])
    count, outcomes = 0, {json.dumps(record["seen"], sort_keys=True) for record in known.values()}
    turns = [(i, inputs[i % len(inputs)], other) for i, other in enumerate(options) if inputs]
    turns += [(i, *pair) for i, pair in enumerate(zip(inputs, inputs[1:], strict=False))]
    until = session.until = time.monotonic() + SECONDS // 10
    for _, (argument, text), (other, value) in turns if "pair 1" not in known else ():
        if count == _MOST_PAIRS or time.monotonic() > until or session.refusal in LOST:
            break
        call = Call(base.get("init"), base.get("call"), base.get("owner"))
        call = call.put(argument, text)
        variant = call and argument != other and _put(call, other, value)
        more = {key: base[key] for key in ("first", "then", "train") if key in base}
        seen = variant and session.ask(variant, more)
        if seen and session.keep(f"pair {count + 1}", variant, more, seen, outcomes):
            count += 1
    reference.forget()
    return session.recording.calls


_MOST_PAIRS = 4


def _put(call, argument, text):
    """Returns the call with one argument changed, or added if the call does not pass it."""
    changed = call.put(argument, text)
    part = "init" if call.init is not None else "call"
    if changed is None and getattr(call, part) is not None:
        return replace(call, **{part: {**getattr(call, part), argument: text}})
    return changed


def _is_plain_call(record, reference):
    is_own = record.get("by") == reference.own_word and "refused" not in record["seen"]
    return is_own and not {"ranks", "state", "gradient"} & (record.keys() - {"gradient"})


def _changed_alone(base, known, reference):
    """Returns two lists of (argument, text): the inputs and the options that one of the stored
    calls changes alone. The arguments take turns in each list."""
    parts = ("init", "call")
    texts = {**(base.get("init") or {}), **(base.get("call") or {}), "self": base.get("owner")}
    inputs, options = {}, {}
    for record in known.values():
        if not _is_plain_call(record, reference):
            continue
        own = {**(record.get("init") or {}), **(record.get("call") or {})}
        own["self"] = record.get("owner")
        changed = [key for key in own if own[key] != texts.get(key)]
        same = all((record.get(p) is None) == (base.get(p) is None) for p in parts)
        if (
            same
            and len(changed) == 1
            and own[changed[0]] is not None
            and texts.keys() <= own.keys()
        ):
            is_input = re.match(r"T\(|cast\(|array\(", own[changed[0]])
            kind = inputs if is_input else options
            kind.setdefault(changed[0], []).append((changed[0], own[changed[0]]))
    return _in_turn(inputs), _in_turn(options)


def _in_turn(by_argument):
    """Returns the changes of all arguments in one list: the first change of each argument, then the
    second of each, and so on."""
    longest = max(map(len, by_argument.values()), default=0)
    return [own[i] for i in range(longest) for own in by_argument.values() if i < len(own)]


def add_attributes(name, entries, known, reference):
    """Adds what an object of a class keeps of its arguments: a primitive in `init_attrs`, other
    objects in attributes with the names of the arguments. These show which arguments arrive even if
    the object cannot be called."""
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


def add_states(name, entries, known, reference):
    """Adds the attributes of a new object of a class."""
    session = Session(name, entries[name], reference)
    session.recording.calls = dict(known)
    for _, call, more in bases(name, entries) if "state" not in known else ():
        more = {key: part for key, part in more.items() if key == "first"}
        seen = call.init is not None and session.ask(
            replace(call, call=None), {**more, "state": True}
        )
        if seen:
            seen = {key: part for key, part in seen.items() if _is_known(name, key)}
            session.keep("state", replace(call, call=None), {**more, "state": True}, seen, set())
            break
    reference.forget()
    return session.recording.calls


def _is_known(name, fact):
    """Returns True if an attribute is among the names that a class must have (`members`)."""
    attribute = fact.removeprefix("attribute ")
    is_listed = attribute in members.facts().get(name, ())
    return attribute == fact or (is_listed and members.reason(name, attribute) is None)


def _is_plain(seen):
    """Returns True if an observed attribute is a value, not a missing attribute, a method or a
    layer."""
    if isinstance(seen, str):
        return not re.match(r"raised |method$|function$|builtin", seen)
    return seen is not None


def _documented(entry):
    """Returns the arguments of a name that have defaults."""
    listed = [*(entry.get("signature") or []), *(entry.get("call") or [])]
    return [a for a, _, d in signatures.parse(listed) if d is not None]


def _passed(name, entry):
    """Returns the arguments that the cases of a name pass, in whichever way they call it."""
    names = set()
    for case in of_entry(name, entry):
        for part in (case.get("init"), case.get("call")):
            names.update(part or ())
        texts = [*case.get("then", ()), case.get("script") or ""]
        names.update(re.findall(r"\b(\w+)=", str(texts)))
    return names


def all_bases(name, entries):
    """Returns the known calls of a name, and calls made from them."""
    for label, call, more in bases(name, entries):
        yield label, call, more
        variant = deeper(call)
        if variant is not None:
            yield f"{label}, deeper", variant, more
        if call.init is not None and call.call is not None:
            yield f"{label}, made", replace(call, call=None), more


def _shows(session, argument, label, call, more):
    """Tries values of an argument until two change the outcome of a call, and keeps those. Returns
    True if any value changed it."""
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
