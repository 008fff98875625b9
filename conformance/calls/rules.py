"""Rules that the calls of many names follow by their pages alone (`rules` in `data/calls`).

A rule changes arguments of one good call of each name that has them. It says whether the changed
call is refused or accepted, and what is true of the result of an accepted one. With `each` in place
of `given`, every argument that has a documented type and a default takes that value in turn.

    - {names: 'dataset\\.\\w+Dataset', given: {num_samples: '-1'}, refused: ValueError}

With `seeds`, each argument of such a name must decide which numbers are drawn; `the global seed` is
that of `set_seed`.
"""

import re
from functools import cache

from ..arguments.drawn import GLOBAL_SEED
from ..reading import signatures
from .table import table

_DECIDES = {"the same": "True", "another": "True"}  # what a seed does


def cases_of(name, entry, stored):
    """Yields (label, case without expected facts, expected facts) for each rule that matches a
    name. The case is made from the first stored call of the name, or from the first call of the
    table."""
    matching_rules = [rule for pattern, rule in _rules() if pattern.fullmatch(name)]
    base = _base(name, entry, stored) if matching_rules else None
    if base is None:
        return
    for rule in [rule for rule in matching_rules if "seeds" in rule]:
        matching_rules.remove(rule)
        yield from _of_seeds(rule, name, entry, stored)
    for rule, given in [(each, given) for each in matching_rules for given in _given(each, entry)]:
        case = _changed(base, given, entry)
        if case is None:
            continue
        text = ", ".join(f"{key}={text}" for key, text in given.items() if text is not None)
        if "refused" in rule:
            error, *others = rule["refused"].split()
            yield f"not {text}", {**case, "errors": others}, {"refused": error}
        else:
            then = [f"bool({text})" for text in rule.get("then", ())]
            seen = {f"then {i}": "True" for i, _ in enumerate(then, 1)}
            yield f"given {text}", {**case, "then": then}, seen


def _of_seeds(rule, name, entry, stored):
    """Yields the cases of a rule about seeds: one for each seed argument of a name that draws
    random numbers."""
    drawn = {label: record for label, record in stored.items() if _is_drawn(record["seen"])}
    base = _base(name, entry, drawn or stored)
    if "call" not in base and "then" not in rule:
        return  # the case would only construct an object, which draws nothing
    for argument in (*_signature(entry), GLOBAL_SEED):
        if re.fullmatch(rule["seeds"], argument):
            case = {**base, "seed": argument, "then": rule.get("then", [])}
            if argument == GLOBAL_SEED:
                case |= {part: _unseeded(base[part]) for part in ("init", "call") if part in base}
            yield f"seeds of {argument}", case, _DECIDES


def _unseeded(given):
    return {key: text for key, text in given.items() if not re.search(r"(?i)seed\d?$", key)}


def _is_drawn(seen):
    """Returns True if the facts of a result have no numbers, or only moments."""
    return "moments" in seen or (isinstance(seen.get("result"), list) and len(seen["result"]) == 2)


@cache
def _rules():
    return [(re.compile(rule["names"]), rule) for rule in table()["rules"]]


def _given(rule, entry):
    """Returns the changes of arguments that a rule specifies."""
    if "each" not in rule:
        return [rule["given"]]
    types = {**entry.get("types", {}), **entry.get("inputs", {})}
    defaults = [a for a, _, d in signatures.parse(entry.get("signature") or []) if d is not None]
    return [{a: rule["each"]} for a in defaults if types.get(a) and "Any" not in types[a]]


def _base(name, entry, stored):
    """Returns an accepted call by argument names: a stored one, one of the table, or the
    example's."""
    listed = [record for record in stored.values() if "refused" not in record["seen"]]
    listed += table()["calls"].get(name, [])
    listed += _shown(entry)
    for given in listed:
        base = {key: given[key] for key in ("first", "init", "call") if key in given}
        owner = given.get("owner", given.get("self"))
        if not {"init", "call"} & base.keys():
            continue
        parts = {"init": _signature(entry), "call": _inputs(entry)}
        if "init" not in base:
            parts["call"] = parts["init"]
        for part in ("init", "call"):
            if isinstance(base.get(part), list):
                base[part] = _named(base[part], parts[part])
        return {**base, "owner": owner, "by": "its page", "fresh": True}
    return None


def _shown(entry):
    """Returns the call of the documented example, unless the example reads a file."""
    use = dict(entry.get("use") or {})
    if "/path/" in str(use):
        return []
    parts = {"init": _signature(entry), "call": _inputs(entry)}
    if "init" not in use:
        parts["call"] = parts["init"]
    for part in use.keys() & parts.keys():
        args, named = use[part]
        use[part] = {**_named(args, parts[part]), **named}
    return [use] if use else []


def _signature(entry):
    return [a for a, kind, _ in signatures.parse(entry.get("signature") or []) if kind != "kwargs"]


def _inputs(entry):
    inner = entry.get("call") or list(entry.get("inputs", {}))
    return [a for a, kind, _ in signatures.parse(inner) if kind != "kwargs"]


def _named(given, names):
    return {names[i] if i < len(names) else f"*{i}": str(t) for i, t in enumerate(given)}


def _changed(base, given, entry):
    """Returns the call with changed arguments; None if it lacks one of them. An argument whose text
    is None is left out."""
    part = "init" if "init" in base else "call"
    names = _signature(entry)
    if any(key not in names and text is not None for key, text in given.items()):
        return None
    arguments = {key: text for key, text in base[part].items() if key not in given}
    added = {key: text for key, text in given.items() if text is not None}
    return {**base, part: {**arguments, **added}}
