"""The types of arguments that have no rule, and of results, for the stubs: read from the docstring.

    net (Union[Cell, function]): ...        Cell | Callable[..., Any]
    **kwargs: `use_lazy` (bool): ...        use_lazy: bool
    Returns: list[str], the names.          list[str]

A docstring names the types that are meant, and the code may take more. Only types that leave no
doubt are read, in their widest form: a dict is any Mapping, a list any Iterable, and a network may
be a function. A phrase with another type stays unknown.
"""

import inspect
import re

_ARGUMENT = re.compile(r"^ *\*?(\w+) \((.+?)(?:, optional)?\):", re.M)
_KEYWORDS = re.compile(r"^( *)\*{0,2}(kwargs|named): (.*(?:\n\1 +.*)*)", re.M)
_KEYWORD = re.compile(r"`(\w+)`(?: \(([^)]*)\))?")
_NO_OTHERS = r"if `{}` has\s+another key"
_SEVERAL = re.compile(r"(?:list|tuple)(?:\[([\w., ]*)\])?")
_RETURNS = re.compile(r"^Returns:[ \t]*\n?((?:[ \t]+.*\n?)+)", re.M)
_RESULT = re.compile(
    r"(\w+(?:\.\w+)*(?:\[[\w., \[\]]*\])?)(?=[.,:;]|\s+(?:of|from|with|whose|where)\b|$)"
)
_DEPENDS = re.compile(r"\b(?:or|None|if|unless|else|without)\b|;|\bwith (?:`|groups|several)")
_TENSORS = re.compile(r"A (?:tuple|pair) of (?:(?:two|three|four|complex|int64|bool) )*Tensors\b")
_TYPES = {
    **{name: name for name in "str bool int float bytes None Tensor Parameter".split()},
    **{name: name for name in "Dataset DatasetCache Optimizer Initializer Metric".split()},
    "numpy.ndarray": "ndarray",
    "numpy.dtype": "dtype | type",
    "type": "type",
    "io.BytesIO": "BytesIO",
    "dict": "Mapping[Any, Any]",
    "function": "Callable[..., Any]",
    "Function": "Callable[..., Any]",
    "callable": "Callable[..., Any]",
    "Callable": "Callable[..., Any]",
    "Cell": "Cell | Callable[..., Any]",
    "OrderedDict": "Mapping[Any, Any]",
    "ParameterTuple": "Iterable[Parameter]",
    "mindspore.dtype": "Type",
    "Tensor[int]": "Tensor",
    "Primitive": "Callable[..., Any]",
    "One": None,  # in sentences, where it is no initializer
}


def of_arguments(thing):
    """Returns the types that a docstring states, by the names of the arguments."""
    stated = _ARGUMENT.findall(inspect.getdoc(thing) or "")
    types = {name: type_of(phrase) for name, phrase in stated}
    return {name: text for name, text in types.items() if text is not None}


def of_keywords(thing):
    """Returns the keywords that a docstring lists for `kwargs` or `named`, with their types, if it
    says that another key is an error; otherwise None."""
    text = inspect.getdoc(thing) or ""
    described = _KEYWORDS.search(text)
    if described is None or not re.search(_NO_OTHERS.format(described[2]), text):
        return None
    return {name: type_of(phrase) or "Any" for name, phrase in _KEYWORD.findall(described[3])}


def type_of(phrase):
    """Returns the annotation for the phrase of a docstring, or None if a part of it is unknown.
    Where a Tensor may replace ints, each int may be one of NumPy or a Tensor."""
    union = re.fullmatch(r"Union\[(.*)\]", phrase)
    parts = re.findall(r"\w[^,\[\]]*(?:\[[^\]]*\])?", union[1]) if union else [phrase]
    types = [_TYPES.get(part) or _several_of(part) for part in parts]
    if "Tensor" in parts:
        types = [text and re.sub(r"\bint\b", "SupportsIndex", text) for text in types]
    return None if None in types else " | ".join(dict.fromkeys(" | ".join(types).split(" | ")))


def _several_of(phrase):
    """Returns the annotation for the phrase of a list or tuple, or None for another phrase."""
    match = _SEVERAL.fullmatch(phrase)
    if match is None:
        return None
    element = _TYPES.get((match[1] or "").removesuffix(", ..."), "Any")
    return f"Iterable[{element}]" if "|" not in element else "Iterable[Any]"


def of_result(thing):
    """Returns the type that the section Returns of a docstring starts with, or None if the section
    has none, or says that the type depends on something."""
    section = _RETURNS.search(inspect.getdoc(thing) or "")
    text = " ".join(section[1].split()) if section else ""
    first = re.sub(r"\([^)]*\)", "", text).partition(". ")[0]
    if text.startswith("(list, list)"):
        return "tuple[list[str], list[str]]"
    if text.startswith(("Function ", "Function,", "Callable")):
        return "Callable[..., Any]"
    if _TENSORS.match(text) and not _DEPENDS.search(first):
        return "tuple[Tensor, ...]"
    match = None if _DEPENDS.search(first) else _RESULT.match(text)
    if match is None:
        return None
    if text.startswith(("this ", f"{match[1]}, itself")):
        return "Self"
    return _result_type(match[1])


def _result_type(phrase):
    """Returns the annotation for the phrase of a result, or None if it is unknown."""
    outer, _, inner = phrase.partition("[")
    if outer in ("list", "tuple", "dict"):
        parts = [_result_type(part) for part in inner.removesuffix("]").split(", ") if part]
        parts = ["Any" if part is None else part for part in parts]
        if outer == "dict":
            return f"dict[{', '.join(parts if len(parts) == 2 else ['Any', 'Any'])}]"
        if len(parts) > 1:
            return f"{outer}[{', '.join(parts)}]" if outer == "tuple" else None
        return f"{outer}[{', '.join(parts or ['Any'])}{', ...' * (outer == 'tuple')}]"
    return None if inner or outer == "Union" else _TYPES.get(phrase, phrase)


def fits(default, annotation):
    """Whether a default is of the type of an annotation."""
    if default in (None, inspect.Parameter.empty, ...) or annotation == f"Literal[{default}]":
        return True
    plain = {str: "str", bool: "bool", bytes: "bytes", int: "int", float: "float"}
    if type(default) is int and "float" in annotation.split(" | "):
        return True
    if type(default) in (list, tuple):
        return "Iterable" in annotation
    if "Type" in annotation.split(" | "):
        return type(default).__module__.endswith("dtype")
    return plain.get(type(default)) in annotation.split(" | ")
