"""Cases that ask what a thing does over several steps, or with each argument changed in turn
(`data/steps.yaml`, `data/options.yaml`).

The optimizers are not listed: every class of the specs that is called with gradients is asked
about each of its arguments that has a line in the table.
"""

import re
from functools import cache
from pathlib import Path

import yaml

from . import signatures

FOLDER = Path(__file__).parent / "data"
OPTIMIZERS = ("nn.", "mint.optim.", "experimental.optim.")


@cache
def _table(name):
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


def steps(name, entry):
    """(label, what the case holds besides its name) of an optimizer or a training cell."""
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
    for argument in known:
        for text in table["arguments"].get(argument, ()):
            more = table["together"].get(argument, {})
            more = {key: other for key, other in more.items() if key in known}
            init = {**base, **more, argument: text}
            beside = _formula(name, argument, text, table)
            if beside is not None:
                yield f"{argument}={text}", {"script": "optimizer", "init": init, **beside}


def _formula(name, argument, text, table):
    """The rule that answers where the original does not: {} where it does, None for what the
    rule does not know.
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
                given = {"learning_rate": "0.1", **inner}
                if around == "nn.Momentum":
                    given["momentum"] = "0.9"
                yield (
                    f"around {_call(around, inner)} {_call('LARS', outer)}",
                    {
                        "script": "around",
                        "formula": "lars",
                        "init": {"optimizer": _optimizer_text(around, given), **outer},
                        "inner": given,
                        "twin": _optimizer_text(around, _plain(given)),
                    },
                )


def _plain(given):
    return {key: text for key, text in given.items() if key not in ("weight_decay", "loss_scale")}


def _optimizer_text(name, given):
    inside = ", ".join(["sample.weights()", *(f"{key}={text}" for key, text in given.items())])
    return f"ms.{name}({inside})"


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


def options(name):
    """(label, what the case holds besides its name) of a layer with its arguments changed."""
    layer = _table("options.yaml").get(name)
    if layer is None:
        return
    for change in ({}, *layer["changes"]):
        given = {key: text for key, text in change.items() if key not in ("train", "call")}
        case = {"train": True} if change.get("train") else {}
        if "init" in layer:
            inputs = change.get("call", layer["call"])
            case["init"] = {**layer["init"], **given}
            case["call"] = {f"*{index}": text for index, text in enumerate(inputs)}
        else:
            case.update(init=None, call={**layer["call"], **given})
        shown = {key: text for key, text in change.items() if key != "call"}
        yield _named(shown), case
