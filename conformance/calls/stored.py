"""The varied calls and the facts of their outcomes, in one compressed file per public module.

A file holds {name: {label: {"init", "call", "owner", "then", "train", "seen", "by", "alone"}}}.
`by` names the implementation that answered, if it is not real MindSpore. `alone` marks a call that
must be the first of its process. Only facts are stored: numbers, dtypes, shapes, short words.
"""

import json
import re
from functools import cache
from pathlib import Path

from ..errors import BadInput
from ..reading import packed, specs
from . import rules, twins
from .table import table, users

FOLDER = Path(__file__).parents[1] / "answers" / "values"
APART = Path(__file__).parents[1] / "data" / "values_apart.yaml"


@cache
def apart():
    """Returns {case ID: reason} of the outcomes that are not references."""
    listed = specs.own_table(APART) or {}
    return {key: reason for reason, keys in listed.items() for key in keys}


@cache
def load(folder=FOLDER):
    """Returns {name: {label: call and facts}} of all files."""
    records = {}
    for path in sorted(Path(folder).glob("*.json.gz")):
        records.update(_read(path))
    return records


def _read(path):
    try:
        return json.loads(packed.read(path))
    except ValueError as error:
        raise BadInput(path, f"is no file of values: {error}") from None


def save(records, module_of, folder=FOLDER):
    """Replaces the stored calls of some names: {name: {label: ...}}."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    modules = {}
    for name, calls in records.items():
        modules.setdefault(module_of(name), {})[name] = calls
    for module, names in modules.items():
        path = folder / f"{module}.json.gz"
        stored = _read(path) if path.exists() else {}
        stored.update(names)
        stored = {name: calls for name, calls in sorted(stored.items()) if calls}
        text = json.dumps(stored, ensure_ascii=False, separators=(",", ":"))
        packed.write(path, text)
    load.cache_clear()


def whole(case):
    """Returns a stored case with all of its facts, including those that are not references."""
    name, _, label = case["id"].split("::", 2)
    record = load().get(name, {}).get(label)
    if record is None or "of" in case:
        return case
    return {**{key: part for key, part in case.items() if key != "apart"}, "wanted": record["seen"]}


def by_others(name):
    """Returns the stored calls of a name that real MindSpore did not answer."""
    return {label: record for label, record in load().get(name, {}).items() if "by" in record}


def cases_of(name, entry=None):
    """Yields (label, content of the case) of one name: its stored calls, and its calls with
    statements that must hold. A method or property also has the cases of its class that use it. If
    the spec entry is given, rules for many names and twins are included."""
    stored = load()
    for label, case, seen in rules.cases_of(name, entry, stored.get(name, {})) if entry else ():
        yield label, {**case, **_wanted(f"{name}::{label}", seen)}
    for label, record in stored.get(name, {}).items():
        yield label, {**record, **_wanted(f"{name}::{label}", record["seen"])}
    yield from _holding(name)
    if entry:
        yield from _of_twin(name, entry)
    owner, _, last = name.rpartition(".")
    used = re.compile(rf"\.{re.escape(last)}\b|'{re.escape(last)}'")  # getattr(it, 'begin')
    for whole in users(owner):
        for label, record in stored.get(whole, {}).items():
            is_made = "refused" not in record["seen"]
            if is_made and any(used.search(str(text)) for text in record.get("then", ())):
                more = {"of": whole, **_wanted(f"{whole}::{label}", record["seen"])}
                yield f"{whole} {label}", {**record, **more}
        for label, case in _holding(whole):
            if any(used.search(str(text)) for text in case["then"]):
                yield f"{whole} {label}", {**case, "of": whole}


def _of_twin(name, entry):
    """Yields the stored calls of the twin of a name (see `twins`), with the arguments of
    the name."""
    twin = twins.twin_of(name)
    for label, case in () if twin is None else cases_of(twin):
        moved = None if "apart" in case else twins.moved(case, entry)
        if moved is not None and moved["wanted"].get("result") == twin.rpartition(".")[2]:
            del moved["wanted"]["result"]  # the name of its class
        if moved is not None and moved["wanted"]:
            moved.pop("seen", None)
            yield f"{twin} {label}", {"by": twin, **moved}


def _holding(name):
    """Yields calls after which given statements must be true for every implementation, whatever the
    numbers are."""
    for index, given in enumerate(table()["holds"].get(name, ()), 1):
        case = {**given, "owner": given.get("self"), "by": "its page", "fresh": True}
        case["then"] = [f"bool({text})" for text in case.pop("then", ())]
        case.pop("self", None)
        for part in ("init", "call"):
            if isinstance(case.get(part), list):
                case[part] = {f"*{i}": text for i, text in enumerate(case[part])}
        seen = {f"then {i}": "True" for i, _ in enumerate(case["then"], 1)}
        if "ranks" in case:
            seen = _of_ranks(case, seen)
        if "refused" in case:
            error, *case["errors"] = case.pop("refused").split()
            seen = {"refused": error}
        yield f"holds {index}", {**case, **_wanted(f"{name}::holds {index}", seen)}


def _of_ranks(case, seen):
    """Returns the expected facts of every rank. With `other`, rank 1 has expected facts
    of its own."""
    by_rank = [seen] * case["ranks"]
    if "other" in case:
        case["other"] = [f"bool({text})" for text in case["other"]]
        by_rank = [seen, {f"other {i}": "True" for i, _ in enumerate(case["other"], 1)}]
    return {
        f"rank {rank} {key}": part for rank, own in enumerate(by_rank) for key, part in own.items()
    }


def _wanted(key, seen):
    """Returns the facts to compare, or the reason if none of them is a reference."""
    listed = apart()
    if key in listed:
        return {"wanted": seen, "apart": listed[key]}
    wanted = {fact: part for fact, part in seen.items() if f"{key}::{fact}" not in listed}
    if seen and not wanted:
        return {"wanted": seen, "apart": listed[f"{key}::{next(iter(seen))}"]}
    return {"wanted": wanted}
