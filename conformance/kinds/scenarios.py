"""Makes cases about several training steps, about calls with one argument changed at a time
(`data/steps.yaml`, `data/options.yaml`), and about undocumented behaviour (`data/unstated.yaml`).

The optimizers are not listed: every class in the specs that is called with gradients is tested with
each of its arguments that the table has a line for.
"""

import re
from functools import cache
from pathlib import Path

import yaml

from ..reading import signatures

FOLDER = Path(__file__).parents[1] / "data"
OPTIMIZERS = ("nn.", "mint.optim.", "experimental.optim.")
NOT_GIVEN = ("train", "as_made", "call", "shown")  # keys that are not constructor arguments
DELIBERATE = ("TypeError", "ValueError", "RuntimeError")  # possible exceptions for wrong inputs
# values that most arguments reject: {argument text: how pages name its type}
UNLIKELY = {
    "None": "None",
    "'1'": "str",
    "True": "bool",
    "2.5": "float|Number|number",
    "-1": "int|Number",
    "0": "int|Number",
    "-0.5": "float|Number",
    "(1, 2, 3)": "tuple|Iterable",
}
# A script for a way to use a Parameter's value; weights give each element a different gradient.
WAY = """
w = ms.Parameter(wave(2, 3), name="w")
x = wave(2, 3, phase=1.0)

def forward(x):
    y = {way}
    return (y * wave(*y.shape, phase=2.0)).sum()

seen = [forward(x), ms.grad(forward, None, w)(x)]
"""


@cache
def _table(name):
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


def steps(name, entry):
    """Yields (label, additional keys of the case) of an optimizer or a training cell."""
    table = _table("steps.yaml")
    if name == "nn.LARS":
        yield from _around(table)
    elif name == "nn.thor":
        yield from _second_order(table["thor"])
    elif name in table["cells"]:
        for index, cell in enumerate(table["cells"][name], 1):
            yield cell["script"] + (f" {index}" if index > 1 else ""), dict(cell)
    elif _is_optimizer(name, entry):
        yield from _optimizer(name, entry, table)


def _is_optimizer(name, entry):
    given = signatures.parse(entry.get("signature") or [])
    inputs = set(entry.get("inputs", ())) & {"gradients", "grads"}
    return name.startswith(OPTIMIZERS) and bool(inputs) and given[:1] and given[0][0] == "params"


def _optimizer(name, entry, table):
    known = [argument for argument, _, _ in signatures.parse(entry["signature"])]
    own = {**table["base"], **table["own"].get(name, {})}
    base = {"params": "sample.weights()"}
    base.update({key: text for key, text in own.items() if key in known and text is not None})
    yield "as it is", {"script": "optimizer", "init": base, **_formula(name, "", "", table)}
    singles = [(a, text) for a in known for text in table["arguments"].get(a, ())]
    for chosen in (*((single,) for single in singles), *_pairs(known, table["arguments"])):
        init, extras = dict(base), []
        for argument, text in chosen:
            more = table["together"].get(argument, {})
            init.update({key: other for key, other in more.items() if key in known})
            extras.append(_formula(name, argument, text, table))
        if None not in extras and all(extra == extras[0] for extra in extras):
            init.update(chosen)
            label = ", ".join(f"{argument}={text}" for argument, text in chosen)
            yield label, {"script": "optimizer", "init": init, **extras[0]}


def _pairs(known, values):
    """Yields pairs of (argument, text): neighbours in the signature, and each option with one of
    the groups of Parameters, which take turns. The last value of an argument meets the first value
    of the next."""
    options = [argument for argument in known if argument in values and argument != "params"]
    groups = values["params"]
    for index, argument in enumerate(options):
        yield ("params", groups[index % len(groups)]), (argument, values[argument][-1])
    for left, right in zip(options, options[1:], strict=False):
        yield (left, values[left][-1]), (right, values[right][0])


def _formula(name, argument, text, table):
    """Returns the additional keys of a case that the formula answers if MindSpore fails. Returns
    {} if the table has no rule for the argument, None if the formula does not cover this value.
    """
    rule = table["rules"].get(name) or table["rules"].get(f"{name}.{argument}")
    if rule is None:
        return {}
    if re.search(r"ms\.|T\(|\[|order|centralization", text):
        return None
    return {"formula": "optimizer", "rule": rule}


def _around(table):
    lars = table["lars"]
    for around in lars["around"]:
        for inner in lars["inner"]:
            for outer in lars["outer"] if inner or around == "nn.Momentum" else lars["outer"][1:2]:
                label = f"around {_call(around, inner)} {_call('LARS', outer)}"
                yield label, _wrapped(around, inner, outer)
    for extra in lars["params"]:
        outer, inner = extra["outer"], {"params": extra["params"], **extra.get("inner", {})}
        case = _wrapped("nn.Momentum", inner, outer)
        case.update({"group": extra["group"]} if "group" in extra else {})
        yield f"around {_call('Momentum', inner)}", case


def _wrapped(around, inner, outer):
    """Returns the case of LARS around an optimizer with these arguments, and of its plain twin."""
    given = {"learning_rate": "0.1", **inner}
    if around == "nn.Momentum":
        given["momentum"] = "0.9"
    return {
        "script": "around",
        "formula": "lars",
        "init": {"optimizer": _optimizer_text(around, given), **outer},
        "inner": {key: text for key, text in given.items() if key != "params"},
        "twin": _optimizer_text(around, _plain(given)),
    }


def _plain(given):
    plain = {key: text for key, text in given.items() if key not in ("weight_decay", "loss_scale")}
    if "weight_decay" in plain.get("params", ""):
        plain["params"] = "sample.groups()"
    return plain


def _optimizer_text(name, given):
    given = {"params": "sample.weights()", **given}
    return f"ms.{name}({', '.join(f'{key}={text}' for key, text in given.items())})"


def _call(name, given):
    return f"{name.rpartition('.')[2]}({', '.join(f'{k}={v}' for k, v in given.items())})"


def _second_order(table):
    for given in table["options"]:
        init = {**table["base"], **given}
        yield _named(given), {"script": "second order", "formula": "thor", "init": init}
    for given in table["converted"]:
        more = {"script": "second order", "formula": "thor", "converted": True}
        yield _named(given), {**more, "init": {**table["base"], **given}}


def _named(given):
    return ", ".join(f"{key}={text}" for key, text in given.items()) or "as it is"


def options(name, entry):
    """Yields (label, additional keys of the case) of a layer with changed arguments, and of scripts
    of steps with arguments of other types.
    """
    layer = _table("options.yaml").get(name)
    if layer is None:
        first = next((more for _, more in steps(name, entry)), None)
        if first is not None:
            yield "attributes", {"init": first["init"], "call": None, "attributes": True}
            for change, more in _unlikely(entry, first["init"]):
                yield _named(change), {"init": {**first["init"], **change}, "call": None, **more}
        return
    for change in ({}, *layer["changes"]):
        yield _changed(layer, change)
    if "init" in layer:
        yield "attributes", {"init": layer["init"], "call": None, "attributes": True}
        for change, more in (*_unlikely(entry, layer["init"]), *_inputs(layer["call"])):
            if change not in layer["changes"]:
                label, case = _changed(layer, change)
                yield label, {**case, **more}


def _inputs(call):
    """Yields each input of a layer in turn with another dtype, rank or length."""
    for index, text in enumerate(call):
        for form in (
            "cast({}, 'float16')",
            "cast({}, 'int32')",
            "ranked({}, 1)",
            "ranked({}, 5)",
            "grown({}, 0)",
            "grown({}, 1)",
            "None",
        ):
            if not text.startswith("("):
                changed = [*call[:index], form.format(text), *call[index + 1 :]]
                change = {"call": changed, "shown": f"input {index + 1}: {form.format('x')}"}
                yield change, {"errors": DELIBERATE}


def _changed(layer, change):
    """Returns the label and the case of one change to the arguments of a layer or function."""
    given = {key: text for key, text in change.items() if key not in NOT_GIVEN}
    case = {key: True for key in ("train", "as_made") if change.get(key)}
    if "init" in layer:
        inputs = change.get("call", layer["call"])
        case["init"] = {**layer["init"], **given}
        case["call"] = {f"*{index}": text for index, text in enumerate(inputs)}
    else:
        case.update(init=None, call={**layer["call"], **given})
    arguments = _named({k: t for k, t in change.items() if k not in ("call", "shown")})
    if "shown" in change:
        return change["shown"], case
    return f"{arguments} on {', '.join(change['call'])}" if "call" in change else arguments, case


def _unlikely(entry, init):
    """Yields each argument in turn with values that are mostly of a wrong type or out of range;
    with the exceptions of the page, and whether it omits the value's type.
    """
    errors = sorted({key for rule in entry.get("raises", ()) for key in rule if key[:1].isupper()})
    for argument, kind, default in signatures.parse(entry.get("signature") or []):
        listed = re.sub(r"\[.*?\]", "", " ".join(entry.get("types", {}).get(argument, ())))
        for text, names in UNLIKELY.items():
            if kind in ("positional", "keyword") and text not in (default, init.get(argument)):
                unlisted = not re.search(rf"\b(?:{names})\b", listed)
                yield {argument: text}, {"errors": errors, "unlisted": unlisted}


def unstated(name, entry):
    """Yields (kind, label, additional keys of the case) of undocumented behaviour."""
    table = _table("unstated.yaml")
    for path in table["imports"].get(name, "").split():
        yield "imports", path, {"path": path}
    for label, code in table["parameter_names"].get(name, {}).items():
        yield "parameter_names", label, {"code": code}
    for way in table["value_gradients"].get(name, ()):
        yield "value_gradients", way, {"code": WAY.format(way=way)}
    layer = _table("options.yaml").get(name) or table["layers"].get(name, {})
    if "init" in layer:
        yield "parameter_names", "as it is", {"init": layer["init"], "call": None}
    for change in table["set_attributes"].get(name, ()):
        argument, _, text = change.partition("=")
        base = _changed(layer, {})[1] if layer else _optimizer_as_it_is(name, entry)
        yield "set_attributes", change, {**base, "train": True, "later": {argument: text}}


def _optimizer_as_it_is(name, entry):
    return next(_optimizer(name, entry, _table("steps.yaml")))[1]
