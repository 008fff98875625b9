"""The census of the operator table: the operands that each operator is tested with, or why it is
exempt.

`cases()` lists them. Operands come from the documented calls in the conformance specs
(documented.py). If an operator has none, or they are at a kink, they come from one line of
lines_*.py. The tests of all operators (gradients, forward mode, vmap, array types) are in
tests/ops.
"""

import functools
import gc
import importlib
import pkgutil

import mindspore_compat
from mindspore_compat._core.declare.op import Op

from . import documented, exempt, lines_arrays, lines_gradients, lines_layers, lines_numbers

LINES = {**lines_numbers.LINES, **lines_arrays.LINES, **lines_layers.LINES, **lines_gradients.LINES}


@functools.cache
def table():
    """Returns every op that the package declares: its key -> op."""
    for found in pkgutil.walk_packages(mindspore_compat.__path__, "mindspore_compat."):
        if "_startup" not in found.name and not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    by_key = {}
    for one in gc.get_objects():
        if type(one) is Op and one.body.__module__.startswith("mindspore_compat."):
            by_key.setdefault(key(one), []).append(one)
    found = {}
    for name, ops in by_key.items():
        for (
            one
        ) in ops:  # those made by one function are distinguished by what they are published as
            found[name if len(ops) == 1 else f"{name.rpartition('.')[0]}.{published(one)}"] = one
    assert len(found) == sum(map(len, by_key.values()))
    return dict(sorted(found.items()))


def key(op):
    """Returns the key of an op: "_elementwise.arithmetic.add" below `ops`, elsewhere
    "thor.damped"."""
    parts = op.body.__module__.split(".")[1:]
    return ".".join([*(parts[1:] if parts[0] == "ops" else parts[-1:]), op.name])


def published(op):
    """Returns the last part of an op's first public path."""
    return op.lines[0].split("(")[0].rpartition(".")[2]


@functools.cache
def cases():
    """Returns every op's cases by label: the op's key, with what the case adds to it."""
    found = {}
    for name, op in table().items():
        given = LINES.get(name)
        if given is None:
            given = documented.operands(op)
        for one in given if isinstance(given, list) else [given]:
            if one is not None:
                made = one.bound(op)
                found[f"{name}, {made.label}" if made.label else name] = made
    return found


def exempt_from(name, check):
    """Returns why an op is exempt from `check` ("gradient", "second", "vmap", "device"), or
    None."""
    return exempt.reason(name, check)
