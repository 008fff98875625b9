"""Finds a call of a name to vary: the documented example's, one from the table `data/calls`,
or that of another name for the same operator (`ops.std` for `Tensor.std`, `mint.std`, `ops.Std`).
"""

import re
from dataclasses import replace
from functools import cache

from ..calls.call import Call
from ..calls.table import table
from ..kinds import cases
from ..reading import signatures


@cache
def _uses():
    return [(re.compile(line["match"]), line) for line in table()["uses"]]


def bases(name, entries):
    """Returns [(label, call, more)]: known calls of a name, the most informative first. `more` has
    further keys of the case."""
    entry, base_list = entries[name], []
    for index, given in enumerate(table()["calls"].get(name) or ()):
        base_list.append((f"call {index + 1}", _given(given, entry), _more(given)))
    if any("first" in more for _, _, more in base_list):
        return base_list  # the documented example would need these first statements, too
    if entry.get("kind") == "class":
        base_list += _used(name, entry)
    own = cases.call_of(entry)
    if own is not None and "gradients" not in entry.get("inputs", {}):
        base_list.append(("example", own, {}))
    for other in counterparts(name, entries):
        base = cases.call_of(entries[other])
        moved = base and _moved(base, entry)
        if moved:
            base_list.append((f"as {other}", moved, {}))
    rich = [
        (f"{label} on waves", varied, more)
        for label, call, more in base_list
        if (varied := waves(call)) is not None
    ]
    if not base_list and _needs_nothing(entry):
        base_list.append(
            ("plain", _given({"init": {}} if entry["kind"] == "class" else {"call": {}}, entry), {})
        )
    return rich + base_list


def _used(name, entry):
    """Returns calls of an object in the way typical for its kind. The object is made as in the
    documented example."""
    own = cases.call_of(entry)
    given = [call["init"] for call in table()["calls"].get(name, ()) if call.get("init")]
    init = own.init if own is not None else next(iter(given), {} if _needs_nothing(entry) else None)
    line = next((line for pattern, line in _uses() if pattern.fullmatch(name)), None)
    if line is None or init is None or (own is not None and own.call is not None):
        return
    base = _given({"init": init}, entry)
    for index, given in enumerate(line.get("calls", ()), 1):
        call = {f"*{i}": text for i, text in enumerate(given)}
        yield f"use {index}", replace(base, call=call, call_names=tuple(call)), {}
    if "then" in line:
        yield "use", base, {"then": line["then"]}


def _more(given):
    return {key: given[key] for key in ("first", "then", "train", "alone") if key in given}


def _given(given, entry):
    """Returns the call that an entry of the table spells."""
    signature = signatures.parse(entry.get("signature") or [])
    inner = signatures.parse(entry.get("call") or list(entry.get("inputs", {})))
    call = Call(
        types={**entry.get("types", {}), **entry.get("inputs", {})},
        defaults={a: d for a, _, d in signature if d is not None},
        owner=given.get("self"),
    )
    if entry["kind"] == "class":
        call.init = _named(given.get("init", {}), signature)
        call.init_names = _names(signature)
        if "call" in given:
            call.call, call.call_names = _named(given["call"], inner), _names(inner)
    else:
        call.call, call.call_names = _named(given.get("call", {}), signature), _names(signature)
    if entry["kind"] in ("property", "attribute"):
        call.call = None
    return call


def _named(given, signature):
    """Returns arguments by name. A list of arguments is bound in the order of the signature."""
    if isinstance(given, dict):
        return {key: str(text) for key, text in given.items()}
    names = [a for a, kind, _ in signature if kind == "positional"]
    return {names[i] if i < len(names) else f"*{i}": str(t) for i, t in enumerate(given)}


def _names(signature):
    return tuple(a for a, kind, _ in signature if kind not in ("args", "kwargs"))


def _needs_nothing(entry):
    if entry.get("kind") not in ("function", "class"):
        return False
    return all(
        d is not None or k in ("args", "kwargs")
        for _, k, d in signatures.parse(entry.get("signature") or [])
    )


def counterparts(name, entries):
    """Returns the names of the same operator that have a documented call."""
    home, _, last = name.rpartition(".")
    plain = last.rstrip("_")
    small = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", plain).lower()
    words = dict.fromkeys(
        (
            last,
            plain,
            small,
            small.replace("_", ""),
            plain.lower(),
            table()["synonyms"].get(small, last),
            re.sub(r"^arc", "a", plain),
            re.sub(r"^a(?=cos|sin|tan)", "arc", plain),
        )
    )
    homes = ("ops", "mint", "mint.nn.functional", "Tensor", "numpy")
    for word in words:
        for other in homes:
            path = f"{other}.{word}"
            if path != name and entries.get(path, {}).get("use"):
                yield path
    if home in ("nn", "mint.nn", "ops") and last[:1].isupper():
        for other in ("mint.nn", "nn", "ops"):
            path = f"{other}.{last}"
            if path != name and entries.get(path, {}).get("use"):
                yield path


def _moved(base, entry):
    """Returns the call of a counterpart with this name's parameters; None if they do not
    correspond."""
    if base.call is None:
        return None
    texts = dict(base.call)
    if base.owner:
        texts = {"self": base.owner, **texts}
    signature = signatures.parse(entry.get("signature") or [])
    moved = replace(
        base,
        types={**entry.get("types", {}), **entry.get("inputs", {})},
        defaults={a: d for a, _, d in signature if d is not None},
        owner=None,
        init=None,
        init_names=(),
    )
    if entry["kind"] == "method":
        first = next(iter(texts))
        moved.owner = texts.pop(first)
        moved.call, moved.call_names = _rebound(texts, signature), _names(signature)
    elif entry["kind"] == "class":
        if base.init is not None:
            if not set(base.init) <= set(_names(signature)):
                return None
            moved.init, moved.init_names = dict(base.init), _names(signature)
            inner = signatures.parse(entry.get("call") or list(entry.get("inputs", {})))
            moved.call, moved.call_names = _rebound(texts, inner), _names(inner)
            return moved
        own = {k: t for k, t in texts.items() if k in _names(signature)}
        inner = signatures.parse(entry.get("call") or list(entry.get("inputs", {})))
        moved.init, moved.init_names = own, _names(signature)
        rest = {k: t for k, t in texts.items() if k not in own}
        moved.call, moved.call_names = _rebound(rest, inner), _names(inner)
    elif entry["kind"] == "property":
        moved.owner, moved.call = next(iter(texts.values())), None
    else:
        moved.call, moved.call_names = _rebound(texts, signature), _names(signature)
    return moved


def _rebound(texts, signature):
    """Returns arguments bound to a signature: by name if the signature has the name, else by
    position."""
    names = [a for a, kind, _ in signature if kind in ("positional", "keyword")]
    bound = {}
    for index, (key, text) in enumerate(texts.items()):
        if key in names:
            bound[key] = text
        elif index < len(names) and names[index] not in texts:
            bound[names[index]] = text
        else:
            bound[f"*{index}"] = text
    return bound


_FLAT = re.compile(r"T\('(float\w+|complex\w+)', ")


def waves(call):
    """Returns the call with different numbers in each float Tensor; None if it has no
    float Tensor."""
    phase, changed = 0, False

    def vary(texts):
        nonlocal phase, changed
        new = {}
        for key, text in texts.items():
            value = call.value(key) if _FLAT.match(text) else None
            new[key] = text
            if hasattr(value, "shape") and text.startswith("T(") and value.dtype.kind == "f":
                phase += 1
                changed = True
                new[key] = wave_text(value, text.split("'")[1], phase)
        return new

    variant = replace(call)
    if call.owner and _FLAT.match(call.owner):
        value = call.value("self")
        if hasattr(value, "shape") and value.dtype.kind == "f":
            phase, changed = 1, True
            variant.owner = wave_text(value, call.owner.split("'")[1], 1)
    if call.call is not None:
        variant.call = vary(call.call)
    return variant if changed else None


def wave_text(value, dtype, phase, shape=None):
    """Returns the text of a Tensor of the same shape and range in which no two elements
    are equal."""
    import numpy as np

    finite = value[np.isfinite(value)] if value.size else value
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (-1.0, 1.0)
    if high - low < 1e-6:
        low, high = (0.2 * low, 1.3 * low) if low > 0 else (low - 0.6, low + 0.9)
    shape = tuple(map(int, value.shape if shape is None else shape))
    return f"T('{dtype}', spread({shape}, {low:.4g}, {high:.4g}, {phase}))"
