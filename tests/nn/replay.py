"""Replays sessions with Cells and Parameters: lines of Python that share their names.

An item {"run": text} is executed. For {"call": text} the outcome is recorded: {"raises": type of
the error}, or {"gives": printed output and the repr of the value}. Either package can be replayed.
As a script, run by MindSpore's interpreter with the path of a file of sessions, it prints the
outcomes as JSON.
"""

import collections
import contextlib
import copy
import inspect
import io
import json
import pickle
import re
import sys
import types

import numpy as np

_NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?|\binf\b|\bnan\b")


def sessions(path):
    """The sessions of a file, one per line."""
    with open(path) as file:
        return [json.loads(line) for line in file]


def names(ms):
    """The names that the lines of a session can use from the start."""
    found = {
        name: getattr(ms, name)
        for name in ("nn", "ops", "mint", "Tensor", "Parameter", "ParameterTuple")
    }
    return {**found, "ms": ms, "np": np, "copy": copy, "pickle": pickle, "inspect": inspect}


def shown(value, package):
    """The repr of a value without addresses, counters and the name of the package."""
    value = value.item() if isinstance(value, np.generic) else value
    text = repr(value)
    if type(value) is collections.OrderedDict and value:
        text = f"OrderedDict({list(value.items())!r})"  # as Python before 3.12 shows it
    text = re.sub(r"( object)? at 0x[0-9a-f]+", "", text)
    text = re.sub(r"Parameter#\d+", "Parameter#", text)
    return re.sub(rf"\b{package}\b", "mindspore", text)


def outcome(line, scope, package):
    """Returns the outcome of one line as a dict."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            try:
                code = compile(line, "<line>", "eval")
            except SyntaxError:
                exec(compile(line, "<line>", "exec"), scope)
                value = None
            else:
                value = eval(code, scope)
            text = shown(value, package)
    except Exception as error:
        return {"raises": type(error).__name__}
    return {"gives": re.sub(rf"\b{package}\b", "mindspore", printed.getvalue()) + text}


def replay(ms, items):
    """The outcome of each item of a session; None for an item that is only run."""
    module = types.ModuleType("session")
    sys.modules["session"] = module
    scope = module.__dict__
    scope.update(names(ms))
    found = []
    for item in items:
        if "call" in item:
            found.append(outcome(item["call"], scope, ms.__name__))
        else:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(re.sub(r"\bmindspore\b", ms.__name__, item["run"]), scope)
            found.append(None)
    return found


def same(one, other):
    """Whether two outcomes agree; numbers may differ by rounding."""
    if "raises" in one or "raises" in other:
        return one == other
    first, second = one["gives"], other["gives"]
    if _plain(first) != _plain(second):
        return False
    return all(
        a == b or abs(float(a) - float(b)) <= 2e-4 * max(abs(float(a)), abs(float(b))) + 2e-5
        for a, b in zip(_NUMBER.findall(first), _NUMBER.findall(second))
    )


def _plain(text):
    """Returns the text without numbers, and without the spaces that NumPy adds as padding."""
    return re.sub(r"\s+([\])])", r"\1", re.sub(r"\s+", " ", _NUMBER.sub("#", text)))


if __name__ == "__main__":
    import mindspore

    mindspore.set_context(pynative_synchronize=True)  # an error stops the line that makes it
    print(json.dumps([replay(mindspore, each["items"]) for each in sessions(sys.argv[1])]))
