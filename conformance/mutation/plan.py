"""Lists the faults that can be planted in a name, from its documented signature.

- An argument is ignored (its default is used), shifted (another number, the other Boolean), or
  swapped with another one.
- A result is scaled, transposed, cast, detached from its gradient, or its parts are exchanged.
- An effect is undone: state that a call changes is restored, or the call does nothing.
"""

import random
import re
from functools import cache
from pathlib import Path

import yaml

from ..reading import signatures
from ..reading.groups import group_of

EQUIVALENT = Path(__file__).parents[1] / "data" / "equivalent.yaml"
_NUMERIC = {"int", "float", "Number", "number", "bool"}
_EFFECT = re.compile(
    r"(?:set_|reset_|enable_|clear|update|insert|append|assign|load_param|add_|remove_|register_"
    r"|requires_grad_|init_parameters|to_float|step\b)"
)
_WRITES = re.compile(
    r"(?:nn|mint\.nn)\.\w*BatchNorm\w*"
    r"|ops\.(?:(?:Assign|Apply|SparseApply|Momentum|Adam)\w*"
    r"|Scatter\w*(?:Add|Sub|Update|Mul|Div|Min|Max))"
)
_RESULTS = ("scaled", "transposed", "cast", "reordered")
# Classes of vision and audio that are called with an image or a waveform.
_TRANSFORM = re.compile(
    r"dataset\.(?:vision|audio)\.(?!\w*(?:Mode|Type|Policy|Border|Inter|Interpolation|Shape|Function"
    r"|Modulation|Method|Format|Decoder|Params|Dvpp|utils)\w*$)[A-Z]\w+"
)
_BY_METHOD = (  # what shows the result of an object that is not called itself
    (re.compile(r"(?:train\.)?\w+", re.A), "metrics", "eval"),
    (re.compile(r"experimental\.optim\.lr_scheduler\.\w+"), "schedules", "get_last_lr"),
)
# Parts of the API whose results are arrays.
_ARRAYS = (
    *("functions", "primitives", "Tensor", "mint", "numpy", "scipy", "layers", "losses"),
    *("vision", "audio", "transforms", "probability"),
)
_DIFFERENTIABLE = ("functions", "layers", "losses", "Tensor", "mint", "primitives", "numpy")


def faults(name, entry):
    """Returns all faults of one name."""
    if entry.get("kind") not in ("class", "function", "method", "property"):
        return
    group = group_of(name, entry)
    signature = signatures.parse(entry.get("signature") or [])
    is_class = entry["kind"] == "class"
    if entry["kind"] != "property":
        place = {"through": "__init__"} if is_class else {}
        yield from _of_arguments(name, signature, entry.get("types", {}), place)
    inner = _inputs(entry) if is_class else []
    if inner:
        yield from _of_arguments(name, inner, entry.get("inputs", {}), {"through": "__call__"})
    through = _through(name, group, inner) if is_class else {}
    if through is not None:
        kinds = _RESULTS if group in _ARRAYS else _RESULTS[:1]
        kinds += ("detached",) if group in _DIFFERENTIABLE else ()
        for kind in kinds:
            yield {"name": name, "place": "result", "kind": kind, "of": [], **through}
    yield from _of_effects(name, entry, group)


def _inputs(entry):
    return signatures.parse(entry.get("call") or list(entry.get("inputs", {})))


def _through(name, group, inner):
    """Returns the method that produces the result of an object; None if no method is known."""
    for expression, part, method in _BY_METHOD:
        if group == part and expression.fullmatch(name):
            return {"through": method}
    if inner or (group in ("vision", "audio") and _TRANSFORM.fullmatch(name)):
        return {"through": "__call__"}
    return None


def _of_arguments(name, signature, types, place):
    names = [a for a, kind, _ in signature if kind not in ("args", "kwargs")]
    defaults = {a: d for a, _, d in signature if d is not None}
    base = {"name": name, "place": "arguments", "names": names, "defaults": defaults, **place}
    for argument in names:
        if argument in defaults:
            yield {**base, "kind": "ignored", "of": [argument]}
        if _is_number(types.get(argument, ()), defaults.get(argument)):
            yield {**base, "kind": "shifted", "of": [argument]}
    for left, right in zip(names, names[1:], strict=False):
        if _alike(types.get(left), types.get(right)):
            yield {**base, "kind": "swapped", "of": [left, right]}


def _is_number(types, default):
    plain = {re.split(r"[\[{]", t)[0] for t in types}
    if "Tensor" in plain:
        return False
    if plain & _NUMERIC or any(re.search(r"\[(?:int|float)", t) for t in types):
        return True
    return default is not None and re.fullmatch(r"-?[\d.]+(?:e-?\d+)?|True|False", default)


def _alike(left, right):
    """Returns whether two arguments accept the same types."""
    return bool(left) and bool(right) and set(left) == set(right) and "None" not in left


def _of_effects(name, entry, group):
    last = name.rpartition(".")[2]
    base = {"name": name, "place": "effect", "of": []}
    if entry["kind"] == "class":
        if group == "optimizers" or _WRITES.fullmatch(name):
            yield {**base, "kind": "undone", "through": "__call__"}
        elif group == "metrics":
            yield {**base, "kind": "skipped", "through": "update"}
    elif last.endswith("_") and not last.startswith("_"):
        yield {**base, "kind": "skipped"}
    elif _EFFECT.match(last) and entry["kind"] != "property":
        yield {**base, "kind": "skipped"}


def key_of(fault):
    """Returns the text of a fault: `ops.std(ddof) ignored`, `nn.Dense() scaled`."""
    through = fault.get("through", "__init__")
    method = "" if through == "__init__" else f".{through}"
    return f"{fault['name']}{method}({', '.join(fault['of'])}) {fault['kind']}"


@cache
def _equivalent():
    listed = yaml.safe_load(EQUIVALENT.read_text(encoding="utf-8"))
    return [(re.compile("|".join(lines)), reason) for reason, lines in listed.items()]


def reason_of(fault):
    """Returns the listed reason why a fault changes nothing; None if it is not listed."""
    key = key_of(fault)
    return next((reason for lines, reason in _equivalent() if lines.fullmatch(key)), None)


def drawn(entries, count, seed, even=False):
    """Returns `count` faults of randomly drawn names; `even` draws equally from each group."""
    dice = random.Random(seed)
    possible = {name: list(faults(name, entry)) for name, entry in sorted(entries.items())}
    possible = {name: kinds for name, kinds in possible.items() if kinds}
    groups = {}
    for name in possible:
        groups.setdefault(group_of(name, entries[name]) if even else "", []).append(name)
    chosen = {}
    for names in groups.values():
        wanted = -(-count // len(groups))
        most = sum(len(possible[name]) for name in names)
        picked = {}
        while len(picked) < min(wanted, most):
            fault = dice.choice(possible[dice.choice(names)])
            picked[key_of(fault)] = fault
        chosen.update(picked)
    return list(chosen.values())
