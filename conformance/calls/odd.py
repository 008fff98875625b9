"""Odd calls: a documented call in which one argument at a time is replaced by a value that a script
may pass by mistake.

No page describes these calls, so only real MindSpore's answer decides: accepted, or rejected with
the same exception. Values that break a stated rule are made in `bad.py`.
"""

import numpy as np

from .bad import short

_PLAIN = ("None", "True", "'wrong'", "-1", "0", "0.5", "(1, 2)", "T('float32', [1.0])")
_FOR_TENSORS = ("None", "True", "'wrong'", "0.5", "(1, 2)", "T('float32', [])")
_DTYPES = ("bool", "int32", "float64", "complex64")


def neighbours(call):
    """Returns [(label, call)]: the call with one argument replaced, for every possible argument."""
    pairs = []
    for name in _names(call):
        text = call.get(name)
        for other in values(text, call.value(name)):
            variant = call.put(name, other)
            if variant is not None:
                pairs.append((f"{name}={short(other)}", variant))
    return pairs


def _names(call):
    """Returns the arguments of the call, then those that it may take by keyword; built-in methods
    take theirs by position only.
    """
    given = [name for part in (call.call, call.init) for name in part or ()]
    if call.owner:
        return ["self", *(n for n in given if not n.startswith("*"))]
    keywords = call.init_names if call.init is not None else call.call_names
    return [n for n in dict.fromkeys([*given, *keywords]) if not n.startswith("*")]


def values(text, value):
    if text and isinstance(value, np.ndarray):
        casts = [f"cast({text}, '{d}')" for d in _DTYPES if d != value.dtype.name]
        return [*_FOR_TENSORS, *casts, f"ranked({text}, {value.ndim + 1})"]
    return [other for other in _PLAIN if other != text]
