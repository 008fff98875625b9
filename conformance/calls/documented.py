"""The values that a page gives an argument: its choices, both Booleans, its default, dtypes, and
one value of each type.
"""

import re

from ..reading import signatures

DTYPES = ("float16", "float32", "float64", "int32", "int64", "bool_")
_NUMBERS = {"int", "float", "Number", "number"}


def arguments(entry):
    """Returns the documented arguments of a name: those of its signature and of its call."""
    signature = signatures.parse(entry.get("signature") or [])
    inner = signatures.parse(entry.get("call") or list(entry.get("inputs", {})))
    names = [a for a, kind, _ in signature + inner if kind in ("positional", "keyword")]
    return list(dict.fromkeys(names))


def values(argument, entry):
    """Returns the texts of the values that the page names: choices, both Booleans, None if it is
    the default."""
    types = types_of(argument, entry)
    texts = [t for t in entry.get("choices", {}).get(argument, ()) if not _is_dtype(t)]
    texts += ["True", "False"] if "bool" in types else []
    default = default_of(argument, entry)
    texts += [default] if default is not None else []
    return list(dict.fromkeys(texts))


def alternatives(argument, value, entry):
    """Returns the text of one value for each further type that the page allows."""
    types = types_of(argument, entry)
    texts = []
    if "dtype" in types or types & {"mindspore"}:
        texts += [f"ms.{dtype}" for dtype in DTYPES]
    if "None" in types:
        texts.append("None")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        dtype = "int32" if isinstance(value, int) else "float32"
        texts += [f"({value}, {value})"] if "tuple" in types else []
        texts += [f"[{value}]"] if "list" in types else []
        texts += [f"T('{dtype}', {value})"] if "Tensor" in types else []
        texts += [f"{float(value)!r}"] if "float" in types and isinstance(value, int) else []
    if isinstance(value, (tuple, list)) and value and types & _NUMBERS:
        texts += [repr(value[0]), repr(list(value)), repr(tuple(value))]
    return list(dict.fromkeys(texts))


def types_of(argument, entry):
    """Returns the names of the types that an argument may have."""
    listed = [*entry.get("types", {}).get(argument, ()), *entry.get("inputs", {}).get(argument, ())]
    return {re.split(r"[\[{(]", t)[0] for t in listed}


def default_of(argument, entry):
    """Returns the text of an argument's default; None if it has no default."""
    listed = [*(entry.get("signature") or []), *(entry.get("call") or [])]
    return next((d for a, _, d in signatures.parse(listed) if a == argument), None)


def same(text, other):
    """Returns True if two texts spell the same value, as `ms.float16` and `'float16'` do."""
    return text == other or _plain(text) == _plain(other)


def _plain(text):
    text = str(text).strip("'\"")
    if re.fullmatch(r"(?:\w+\.)+\w+", text):
        return text.rpartition(".")[2]
    return text.replace(" ", "")


def _is_dtype(text):
    return re.fullmatch(r"(?:ms|mstype|mindspore)\.\w+", text) is not None


def are_compared(argument, entry, given):
    """Returns True if the calls pass all documented values of an argument, and at least two.
    `given` has the arguments of each call by name. A call without the argument passes its default.
    """
    default = default_of(argument, entry)
    texts = {arguments.get(argument, default) for arguments in given}
    if len(texts) < 2:
        return False
    return all(any(same(text, t) for t in texts if t) for text in values(argument, entry))
