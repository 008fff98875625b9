"""Reads signatures from a syntax tree, from a docstring's first line or from the text of a page;
also reads type expressions.
"""

import ast
import re

from .model import Argument

_FIRST_LINE = re.compile(
    r"^\s*(?:\.\. (?:py:)?(?:function|method)::\s*)?([A-Za-z_][\w.]*)\((.*?)\)\s*(?:->.*)?$",
    re.M | re.S,
)


def from_source(page, public, wheel):
    """Set `signature`, `call`, `overloads` and `bases` of a page from the name's definition."""
    node = public.definition.node
    if public.definition.kind == "class":
        page.signature = _constructor(public.definition, wheel)
        page.call = _call(public.definition, wheel)
        page.bases = [b.node.name for b in list(wheel.bases(public.definition))[1:]]
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        page.signature = from_node(node, method=public.owner is not None and not _is_static(node))
    else:
        page.signature = None
    if page.signature is None or [a.kind for a in page.signature] == ["args", "kwargs"]:
        _from_doc(page, public.doc)


def _from_doc(page, doc):
    """Reads the overloads of a built-in function from its docstring."""
    first = doc.strip().split("\n\n")[0] if doc else ""
    signatures = []
    if re.match(r"^[A-Za-z_]\w*\(", first):
        for match in _FIRST_LINE.finditer(first):
            signatures.append(from_text(match[2]))
    signatures += [
        from_text(m[1])
        for m in re.finditer(
            r"^\s*\.\. (?:py:)?(?:function|method):: [\w.]+\((.*?)\)", doc or "", re.M
        )
    ]
    signatures = [f for f in signatures if f is not None]
    if signatures:
        page.signature = signatures[0]
        page.overloads = [
            f for f in signatures[1:] if list(map(str, f)) != list(map(str, signatures[0]))
        ]


def _is_static(node):
    return any(getattr(d, "id", "") == "staticmethod" for d in node.decorator_list)


def _constructor(definition, wheel):
    for owner in wheel.bases(definition):
        for node in owner.node.body:
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                return from_node(node, method=True)
        decorated = any("dataclass" in ast.unparse(d) for d in owner.node.decorator_list)
        if decorated:
            return None
    return []


def _call(definition, wheel):
    """Returns the signature of `construct` (layers) or `__call__` (primitives), if the class itself
    defines it.
    """
    for owner in wheel.bases(definition):
        if owner.node.name in ("Cell", "Primitive", "PrimitiveWithInfer", "PrimitiveWithCheck"):
            return None
        for node in owner.node.body:
            if isinstance(node, ast.FunctionDef) and node.name in ("construct", "__call__"):
                return from_node(node, method=True)
    return None


def from_node(node, method):
    """Returns the arguments of a function's syntax tree; for a method, without `self`."""
    given = node.args
    plain = given.posonlyargs + given.args
    defaults = [None] * (len(plain) - len(given.defaults)) + list(given.defaults)
    arguments = [
        Argument(a.arg, "positional", _source(d)) for a, d in zip(plain, defaults, strict=False)
    ]
    if method and arguments:
        arguments = arguments[1:]
    if given.vararg:
        arguments.append(Argument(given.vararg.arg, "args"))
    arguments += [
        Argument(a.arg, "keyword", _source(d))
        for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=False)
    ]
    if given.kwarg:
        arguments.append(Argument(given.kwarg.arg, "kwargs"))
    return arguments


def _source(node):
    return None if node is None else ast.unparse(node)


def from_text(text):
    """Returns the arguments written on a page; None if they are not valid Python."""
    text = re.sub(r"lambda (\w+)\s*:\s*\.\.\.", r"lambda \1: ...", text.strip())
    text = re.sub(r"\s*\[source\].*$", "", text)
    try:
        return from_node(ast.parse(f"def f({text}): ...").body[0], method=False)
    except SyntaxError:
        pass
    try:  # Chinese and shortened pages: default objects such as <class 'x'>
        text = re.sub(r"=<[^>]*>", "=...", text)
        return from_node(ast.parse(f"def f({text}): ...").body[0], method=False)
    except SyntaxError:
        return None


def types_of(text):
    """Returns the alternatives of a type expression: `Union[Tensor, tuple[int]]` -> ["Tensor",
    "tuple[int]"]."""
    text = re.sub(r":\w+:`~?\.?([\w.]+)`", r"\1", text).replace("`", "").strip()
    text = re.sub(r"^(?:Union|Optional)\s*\[(.*)\]$", r"\1", text)
    parts, depth, current = [], 0, ""
    for char in text.replace("、", ",").replace(" or ", ", ").replace("或", ",").replace("|", ","):
        depth += (char in "[(") - (char in "])")
        if char == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += char
    return [p.strip().removeprefix("mindspore.") for p in parts + [current] if p.strip()]


def parse(texts):
    """Returns [(name, kind, default)] of signature texts."""
    parameters, keyword = [], False
    for text in texts:
        text = str(text)
        if text == "*":
            keyword = True
            continue
        name, _, default = text.partition("=")
        kind = (
            "kwargs"
            if name.startswith("**")
            else "args"
            if name.startswith("*")
            else "keyword"
            if keyword
            else "positional"
        )
        keyword = keyword or kind == "args"
        parameters.append((name.lstrip("*"), kind, default or None))
    return parameters
