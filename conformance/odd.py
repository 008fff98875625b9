"""Odd calls: a documented call with one argument at a time replaced by something that a script may
pass by mistake.

No page describes these calls, so real MindSpore's answer alone decides: accepted, or rejected with
the same exception. Values that break a stated rule are made in `bad.py`.
"""

import numpy as np

from .bad import short

_PLAIN = ("None", "True", "'wrong'", "-1", "0", "0.5", "(1, 2)", "T('float32', [1.0])")
_FOR_TENSORS = ("None", "True", "'wrong'", "0.5", "(1, 2)", "T('float32', [])")
_DTYPES = ("bool", "int32", "float64", "complex64")


def neighbours(call):
    """[(label, call)]: the call with one argument exchanged, for every argument it may be given."""
    found = []
    for name in _names(call):
        text = call.get(name)
        for other in _values(text, call.value(name)):
            made = call.put(name, other)
            if made is not None:
                found.append((f"{name}={short(other)}", made))
    return found


def _names(call):
    """Arguments the call is given, then those it may be given by keyword; methods may be built in
    and take what they are given by position only.
    """
    given = [name for part in (call.call, call.init) for name in part or ()]
    if call.owner:
        return ["self", *(n for n in given if not n.startswith("*"))]
    keywords = call.init_names if call.init is not None else call.call_names
    return [n for n in dict.fromkeys([*given, *keywords]) if not n.startswith("*")]


def _values(text, value):
    if text and isinstance(value, np.ndarray):
        casts = [f"cast({text}, '{d}')" for d in _DTYPES if d != value.dtype.name]
        return [*_FOR_TENSORS, *casts, f"ranked({text}, {value.ndim + 1})"]
    return [other for other in _PLAIN if other != text]
