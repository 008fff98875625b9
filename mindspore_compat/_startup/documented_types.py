"""The types of arguments that have no rule, for the stubs: read from the docstring.

    net (Union[Cell, function]): ...        Cell | Callable[..., Any]
    **kwargs: `use_lazy` (bool): ...        use_lazy: bool

A docstring names the types that are meant, and the code may take more. Only types that leave no
doubt are read, in their widest form: a dict is any Mapping, a list any Iterable, and a network may
be a function. A phrase with another type stays unknown.
"""

import inspect
import re

_ARGUMENT = re.compile(r"^ *\*{0,2}(\w+) \((.+?)(?:, optional)?\):", re.M)
_KEYWORDS = re.compile(r"^( *)\*{0,2}kwargs: (.*(?:\n\1 +.*)*)", re.M)
_KEYWORD = re.compile(r"`(\w+)`(?: \(([^)]*)\))?")
_NO_OTHERS = re.compile(r"if `kwargs` has\s+another key")
_SEVERAL = re.compile(r"(?:list|tuple)(?:\[[\w., ]*\])?")
_TYPES = {
    "str": "str",
    "bool": "bool",
    "bytes": "bytes",
    "None": "None",
    "io.BytesIO": "BytesIO",
    "dict": "Mapping[Any, Any]",
    "function": "Callable[..., Any]",
    "Function": "Callable[..., Any]",
    "callable": "Callable[..., Any]",
    "Callable": "Callable[..., Any]",
    "Cell": "Cell | Callable[..., Any]",
}


def of_arguments(thing):
    """Returns the types that a docstring states, by the names of the arguments. Texts and bools of
    a class are left out: its description says what an attribute is, and not what is converted."""
    stated = _ARGUMENT.findall(inspect.getdoc(thing) or "")
    types = {name: type_of(phrase) for name, phrase in stated}
    left_out = (None, "str", "bool") if inspect.isclass(thing) else (None,)
    return {name: text for name, text in types.items() if text not in left_out}


def of_keywords(thing):
    """Returns the keywords that a docstring lists for `kwargs`, with their types, if it says that
    another key is an error; otherwise None."""
    text = inspect.getdoc(thing) or ""
    described = _KEYWORDS.search(text)
    if described is None or not _NO_OTHERS.search(text):
        return None
    return {name: type_of(phrase) or "Any" for name, phrase in _KEYWORD.findall(described[2])}


def type_of(phrase):
    """Returns the annotation for the phrase of a docstring, or None if a part of it is unknown."""
    union = re.fullmatch(r"Union\[(.*)\]", phrase)
    parts = re.findall(r"\w[^,\[\]]*(?:\[[^\]]*\])?", union[1]) if union else [phrase]
    if not any(part in _TYPES for part in parts):
        return None
    if not all(part in _TYPES or _SEVERAL.fullmatch(part) for part in parts):
        return None
    return " | ".join(dict.fromkeys(_TYPES.get(part, "Iterable[Any]") for part in parts))


def fits(default, annotation):
    """Whether a default is of the type of an annotation."""
    plain = {str: "str", bool: "bool", bytes: "bytes"}
    return default in (None, inspect.Parameter.empty, ...) or plain.get(
        type(default)
    ) in annotation.split(" | ")
