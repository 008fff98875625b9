"""Names that compute what another name computes, by their pages (`twins` in `data/calls`): its
cases serve them, too.

    twins:
      nn.MaxPool2dExt: mint.nn.functional.max_pool2d

The arguments go by their names where the twin has them, else in their order. The first argument of
a function is the object of a method.
"""

import re

from ..reading import signatures
from .table import table

_FACT = re.compile(r"(gradient of )?(\w+)((?:\[\d+\])? after|\[\d+\]|)")


def twin_of(name):
    """Returns the name whose cases also test this name; None if there is none."""
    return table()["twins"].get(name)


def moved(case, entry):
    """Returns a case of the twin with the arguments of this name; None if the name lacks one of
    them."""
    new = {key: part for key, part in case.items() if key not in ("owner", "init", "call")}
    outer = _names(entry.get("signature") or [])
    inner = _names(entry.get("call") or list(entry.get("inputs", {})))
    names = {"class": [*outer, *inner], "method": ["self", *outer]}.get(entry["kind"], outer)
    if entry["kind"] == "class" and case.get("init") is not None:  # of two classes
        parts = [(case["init"], outer), (case.get("call") or {}, inner)]
    else:
        owner = {"self": case["owner"]} if case.get("owner") else {}
        parts = [({**owner, **(case.get("init") or {}), **(case.get("call") or {})}, names)]
    bound, texts = {}, {}
    for given, own in parts:
        places = _bound(given, own)
        if places is None:
            return None
        bound |= places
        texts |= {to: given[key] for key, to in places.items()}
    order = [*names, *(to for to in texts if to not in names)]
    texts = {to: texts[to] for to in sorted(texts, key=order.index)}
    if entry["kind"] == "class":
        new["init"] = {to: text for to, text in texts.items() if to in outer}
        if case.get("call") is not None:
            new["call"] = {to: text for to, text in texts.items() if to not in outer}
    else:
        if entry["kind"] == "method":
            new["owner"] = texts.pop("self", None)
        new["call"] = texts
    if "wanted" in new:
        new["wanted"] = {_renamed(fact, bound): part for fact, part in new["wanted"].items()}
    return new


def _names(listed):
    """Returns the names of arguments, with "*" for a variable number of further ones."""
    parsed = [(a, kind) for a, kind, _ in signatures.parse(listed) if kind != "kwargs"]
    return ["*" if kind == "args" else a for a, kind in parsed]


def _bound(given, names):
    """Returns {argument of the twin: argument of the name}. Leading arguments may have
    other names."""
    bound = {key: key for key in given if key in names}
    free = [name for name in names if name not in bound.values()]
    for index, key in enumerate(given):
        if key in bound:
            continue
        if names[index : index + 1] and names[index] in free and names[index] != "*":
            bound[key] = names[index]
        elif key.startswith("*") and "*" in names:
            bound[key] = key
        else:
            return None
    return bound


def _renamed(fact, bound):
    """Returns the name of a fact about an argument, with the argument's own name."""
    match = _FACT.fullmatch(fact)
    if match and (match[1] or match[3].endswith("after")) and match[2] in bound:
        return f"{match[1] or ''}{bound[match[2]]}{match[3]}"
    return fact
