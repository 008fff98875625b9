"""Adds calls that show the later behaviour of an object: all uses of a stored call a second time, a
call without Tensors three times, and the attributes that have changed by then.

Only these reveal a method that returns nothing, or one that is right only the first time.
"""

import re

from ..calls.stored import apart
from ..kinds import members
from ..kinds.cases import errors_of
from . import repeats, states
from .record import Session

TWICE, THRICE = "twice over", "three times"
MOST = 3  # calls of a name to repeat; more if they use further methods
AGAIN = "sample.again('')"
_WIDTH = 12  # attributes per text
# Names that start processes, or change the whole program.
_NO_CALL = re.compile(
    r"(?:communication|context|hal|runtime|profiler|log|device_\w+|multiprocessing"
    r"|mint\.distributed)\b.*|dataset\.config.*|set_\w+|.*print\w*|nn\.SampledSoftmaxLoss"
)
_SETTINGS = ("first", "train", "fresh", "alone")
_USES = re.compile(r"\bit\.\w+\(|sample\.held|sample\.files")
_METHOD = re.compile(r"\b(?:it|sample\.held)\.(\w+)")


def add_sequences(name, entries, known, reference):
    """Adds repetitions of some stored calls of a name on the same object: of the first few calls,
    and of further calls until every method that stored calls use has been called twice."""
    records = dict(known)
    if _NO_CALL.fullmatch(name) or any(label.startswith(THRICE) for label in known):
        return records
    session = Session(name, entries[name], reference)
    session.recording.calls = records
    session.deliberate.update(*(errors_of(entries[n]) for n in entries if n.startswith(f"{name}.")))
    twice = [record for label, record in known.items() if label.startswith(TWICE)]
    kept, used = len(twice), _methods(str([record["then"] for record in twice]))
    for label, call, more, texts in _with_uses(name, known, reference):
        if label.startswith(TWICE) or (kept >= MOST or twice) and used >= _methods(str(texts)):
            continue
        new = TWICE if not kept else f"{TWICE} {kept + 1}"
        if _add(session, new, call, more, texts, _unfit(name, label, texts)):
            kept, used = kept + 1, used | _methods(str(texts))
    if not kept and repeats.LABEL not in known:
        base = next(_plain(name, known, reference), None)
        if base is not None and base[0].call is not None:
            _add(session, THRICE, *base, [])
    reference.forget()
    return records


def _methods(texts):
    """Returns the methods and attributes of the result that texts name."""
    return set(_METHOD.findall(texts))


def _plain(name, known, reference):
    """Yields (call, settings) of the accepted calls whose outcome is a reference."""
    for call, record in repeats.accepted(name, known, reference):
        yield call, {key: record[key] for key in _SETTINGS if key in record}


def _with_uses(name, known, reference):
    """Yields (label, call, settings, texts) of the stored calls after which methods are called, one
    for each list of texts. Calls of the table and of the example come first."""
    ordered = dict(sorted(known.items(), key=lambda item: not re.match(r"call|use|exam", item[0])))
    lists = []
    for label, record in ordered.items():
        texts = list(map(str, record.get("then", ())))
        if texts in lists or not _USES.search(str(texts)):
            continue
        for call, more in _plain(name, {label: record}, reference):
            lists.append(texts)
            yield label, call, more, texts


def _unfit(name, label, texts):
    """Returns the numbers of the texts whose outcome after the stored call is not a reference."""
    return {n for n, _ in enumerate(texts, 1) if f"{name}::{label}::then {n}" in apart()}


def _add(session, label, call, more, texts, unfit=()):
    """Keeps the outcomes, from the second time on, of a call and of everything done with its
    result. Returns True if they were kept."""
    again = [AGAIN] if call.call is not None else []
    whole = [*texts, *again, *texts] if texts else [*again, *again]
    start = len(texts)
    names = _attributes(session.name)
    shown = [f"sample.state({', '.join(map(repr, part))})" for part in _parts(names)]
    before = session.ask_once(call, {**more, "then": shown}, session.deliberate) if shown else {}
    after = session.ask_once(call, {**more, "then": [*whole, *shown]}, session.deliberate)
    if after is None or before is None:
        return False
    changed = _changed(before, after, len(shown), len(whole))
    if changed:
        whole.append(f"sample.state({', '.join(map(repr, changed[:_WIDTH]))})")
    seen = session.ask_once(call, {**more, "then": whole, "probe": True}, session.deliberate)
    if seen is None:
        return False
    again_at = len(texts) + len(again)
    places = (n for n in range(start + 1, len(whole) + 1) if n - again_at not in unfit)
    facts = {f"then {n}": seen.get(f"then {n}") for n in places}
    facts = {key: part for key, part in facts.items() if part is not None}
    facts |= {key: part for key, part in seen.items() if key.endswith(" after")}
    if all(part == "None" for part in facts.values()):
        return False
    session.keep(label, call, {**more, "then": whole}, facts, set())
    return True


def _attributes(name):
    """Returns the public attributes that the object of a call must have."""
    owner = name if name in members.facts() else name.rpartition(".")[0]
    return [
        attribute
        for attribute in sorted(members.facts().get(owner, ()))
        if not attribute.startswith("_")
        and not states.is_internal(attribute)
        and members.reason(owner, attribute) is None
        and f"{owner}::state::attribute {attribute}" not in apart()
    ]


def _parts(names):
    return [names[i : i + _WIDTH] for i in range(0, len(names), _WIDTH)]


def _changed(before, after, count, offset):
    """Returns the attributes that differ at the end."""
    changed = []
    for index in range(1, count + 1):
        old, new = before.get(f"then {index}"), after.get(f"then {offset + index}")
        if isinstance(old, dict) and isinstance(new, dict):
            changed += [key for key, part in new.items() if old.get(key, part) != part]
    return changed
